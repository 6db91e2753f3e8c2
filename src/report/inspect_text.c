/* Text files: JSON, ARFF, label lists, CSV, and what is text and nothing else. */
#include "report/inspect.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "import/arff.h"
#include "import/csv.h"
#include "import/mulan.h"
#include "io/json.h"

#include <string.h>
#include <strings.h>
#include <utf8proc.h>

/* ---- Plain text --------------------------------------------------------------------------- */

/* The last character may be cut. */
bool f0t_inspect_is_text(const f0t_inspector *in)
{
    const utf8proc_uint8_t *at = (const utf8proc_uint8_t *)in->head;
    size_t left = in->head_size;
    while (left) {
        utf8proc_int32_t c;
        utf8proc_ssize_t n = utf8proc_iterate(at, (utf8proc_ssize_t)left, &c);
        if (n < 0)
            return left < 4 && !in->whole;
        if ((c < 0x20 && !(c >= '\t' && c <= '\r')) || (c >= 0x7F && c < 0xA0))
            return false;
        at += n;
        left -= (size_t)n;
    }
    return in->head_size > 0;
}

static f0t_status text_matches(bool *yes, const f0t_inspector *in)
{
    *yes = f0t_inspect_is_text(in);
    return F0T_OK;
}

typedef struct line_counts {
    uint64_t count, empty;
    size_t longest;
} line_counts;

static f0t_status read_lines(f0t_inspector *in, f0t_stream *stream, line_counts *found)
{
    char *line;
    size_t length;
    f0t_stage stage =
        f0t_stage_begin(in->monitor, "reading the lines", "bytes", f0t_stream_size(stream));
    for (;; found->count++) {
        F0T_TRY(f0t_stream_line(&line, &length, stream));
        if (!line || (in->quick && found->count >= in->rows))
            break;
        found->empty += !length;
        found->longest = length > found->longest ? length : found->longest;
        if (found->count < in->rows)
            F0T_TRY(f0t_inspector_row(in, line, length, NULL, 0));
        F0T_TRY(f0t_stage_update(&stage, f0t_stream_position(stream)));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status describe_text(f0t_inspector *in)
{
    line_counts found = {0};
    f0t_stream *stream;
    F0T_TRY(f0t_inspector_stream(&stream, in));
    f0t_status status = read_lines(in, stream, &found);
    f0t_stream_close(stream);
    F0T_TRY(status);
    if (in->quick)
        return f0t_inspector_kind(in, "text", "text");
    F0T_TRY(f0t_inspector_kind(in, "text", "text, %llu lines", (unsigned long long)found.count));
    F0T_TRY(f0t_inspector_count(in, "lines", found.count));
    F0T_TRY(f0t_inspector_count(in, "empty lines", found.empty));
    return f0t_inspector_count(in, "longest line", found.longest);
}

const f0t_inspect_kind f0t_inspect_text = {text_matches, describe_text};

/* ---- JSON --------------------------------------------------------------------------------- */

enum { JSON_MOST = 1 << 24 };

static f0t_status json_matches(bool *yes, const f0t_inspector *in)
{
    size_t i = 0;
    while (i < in->head_size &&
           (in->head[i] == ' ' || (in->head[i] >= '\t' && in->head[i] <= '\r')))
        i++;
    *yes = in->head[i] == '{';
    return F0T_OK;
}

static f0t_status describe_members(f0t_inspector *in, json_t *root)
{
    const char *key;
    json_t *value;
    F0T_TRY(f0t_inspector_kind(in, "json", "JSON object, %zu members", json_object_size(root)));
    json_object_foreach(root, key, value)
    {
        static const char *const types[] = {
            [JSON_OBJECT] = "object", [JSON_ARRAY] = "list", [JSON_INTEGER] = "number",
            [JSON_REAL] = "number",   [JSON_TRUE] = "true",  [JSON_FALSE] = "false",
            [JSON_NULL] = "null"};
        F0T_TRY(f0t_inspector_metadata(
            in, key, json_is_string(value) ? json_string_value(value) : types[json_typeof(value)]));
    }
    return F0T_OK;
}

static f0t_status describe_json(f0t_inspector *in)
{
    char *text;
    size_t size;
    json_t *root = NULL;
    F0T_TRY(f0t_inspector_read(&text, &size, in, JSON_MOST));
    f0t_status status = f0t_json_parse(&root, text, size, in->result.path);
    if (status == F0T_OK)
        status = describe_members(in, root);
    json_decref(root);
    f0t_free(text);
    return status;
}

const f0t_inspect_kind f0t_inspect_json = {json_matches, describe_json};

/* ---- ARFF --------------------------------------------------------------------------------- */

/* The first line that is neither empty nor a comment begins with @relation. */
static f0t_status arff_matches(bool *yes, const f0t_inspector *in)
{
    const char *at = in->head;
    for (;;) {
        at += strspn(at, " \t\r\n\xEF\xBB\xBF");
        if (*at != '%')
            break;
        at += strcspn(at, "\n");
    }
    *yes = strncasecmp(at, "@relation", 9) == 0;
    return F0T_OK;
}

static f0t_status read_arff_rows(f0t_inspector *in, f0t_arff *arff)
{
    bool found = true;
    f0t_stage stage =
        f0t_stage_begin(in->monitor, "reading the rows", "bytes", f0t_stream_size(arff->stream));
    while (!in->quick || in->result.row_count < in->rows) {
        F0T_TRY(f0t_arff_next(&found, arff));
        if (!found)
            break;
        if (in->result.row_count < in->rows)
            F0T_TRY(f0t_inspector_row(in, "", 0, arff->values, arff->count));
        F0T_TRY(f0t_stage_update(&stage, f0t_stream_position(arff->stream)));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status describe_arff_rows(f0t_inspector *in, f0t_arff *arff)
{
    uint64_t kinds[3] = {0};
    F0T_TRY(f0t_arff_open(arff, arff->stream));
    F0T_TRY(read_arff_rows(in, arff));
    for (size_t i = 0; i < arff->count; i++)
        kinds[arff->attributes[i].kind]++;
    if (in->quick)
        F0T_TRY(f0t_inspector_kind(in, "arff", "ARFF, %zu attributes", arff->count));
    else
        F0T_TRY(f0t_inspector_kind(in, "arff", "ARFF, %llu rows of %zu attributes",
                                   (unsigned long long)arff->rows, arff->count));
    if (!in->quick)
        F0T_TRY(f0t_inspector_count(in, "rows", arff->rows));
    F0T_TRY(f0t_inspector_count(in, "attributes", arff->count));
    F0T_TRY(f0t_inspector_count(in, "numeric", kinds[F0T_ARFF_NUMERIC]));
    F0T_TRY(f0t_inspector_count(in, "nominal", kinds[F0T_ARFF_NOMINAL]));
    if (kinds[F0T_ARFF_OTHER])
        F0T_TRY(f0t_inspector_count(in, "other", kinds[F0T_ARFF_OTHER]));
    if (!arff->count)
        return F0T_OK;
    F0T_TRY(f0t_inspector_fact(in, "first", "%s", f0t_names_get(&arff->names, 0)));
    return f0t_inspector_fact(in, "last", "%s", f0t_names_get(&arff->names, arff->count - 1));
}

static f0t_status describe_arff(f0t_inspector *in)
{
    f0t_arff arff = {0};
    f0t_stream *stream;
    F0T_TRY(f0t_inspector_stream(&stream, in));
    arff.stream = stream;
    f0t_status status = describe_arff_rows(in, &arff);
    f0t_arff_close(&arff);
    f0t_stream_close(stream);
    return status;
}

const f0t_inspect_kind f0t_inspect_arff = {arff_matches, describe_arff};

/* ---- Lists of labels that come with datasets of MULAN ------------------------------------- */

enum { LABELS_MOST = 1 << 24 };

static f0t_status labels_match(bool *yes, const f0t_inspector *in)
{
    const char *at = in->head + strspn(in->head, " \t\r\n\xEF\xBB\xBF");
    *yes = *at == '<' && strstr(at, "<labels");
    return F0T_OK;
}

static f0t_status describe_labels(f0t_inspector *in, const f0t_names *labels)
{
    size_t count = f0t_names_count(labels);
    F0T_TRY(f0t_inspector_kind(in, "mulan-labels", "label list of MULAN, %zu labels", count));
    F0T_TRY(f0t_inspector_count(in, "labels", count));
    for (size_t i = 0; i < count && i < in->rows; i++) {
        const char *name = f0t_names_get(labels, i);
        F0T_TRY(f0t_inspector_row(in, name, strlen(name), NULL, 0));
    }
    return F0T_OK;
}

static f0t_status describe_label_file(f0t_inspector *in)
{
    char *text;
    size_t size;
    f0t_names labels = {0};
    F0T_TRY(f0t_inspector_read(&text, &size, in, LABELS_MOST));
    f0t_status status = f0t_mulan_xml_read(&labels, text, size, in->result.path);
    if (status == F0T_OK)
        status = describe_labels(in, &labels);
    f0t_names_free(&labels);
    f0t_free(text);
    return status;
}

const f0t_inspect_kind f0t_inspect_labels = {labels_match, describe_label_file};

/* ---- Comma- and tab-separated text -------------------------------------------------------- */

/* A pass over records. */
typedef struct csv_pass {
    f0t_inspector *show; /* gets the first ones as rows; NULL: none does */
    const f0t_monitor *monitor;
    uint64_t records, most; /* read, and to be read */
    size_t columns;
} csv_pass;

/* The cells with tabs between them, cut where they are long. */
static f0t_status add_csv_row(f0t_inspector *in, const f0t_csv_cell *cells, size_t count)
{
    char text[1000];
    size_t used = 0;
    for (size_t i = 0; i < count && used + 1 < sizeof text; i++) {
        size_t room = sizeof text - used - 1;
        size_t length = cells[i].length < room ? cells[i].length : room;
        memcpy(text + used, cells[i].text, length);
        used += length;
        text[used++] = '\t';
    }
    return f0t_inspector_row(in, text, used ? used - 1 : 0, NULL, 0);
}

static f0t_status read_records(csv_pass *p, f0t_csv *csv, f0t_stream *stream)
{
    const f0t_csv_cell *cells;
    size_t count;
    f0t_stage stage =
        f0t_stage_begin(p->monitor, "reading the records", "bytes", f0t_stream_size(stream));
    for (; p->records < p->most; p->records++) {
        F0T_TRY(f0t_csv_next(&cells, &count, csv));
        if (!count)
            break;
        p->columns = count;
        if (p->show && p->records < p->show->rows)
            F0T_TRY(add_csv_row(p->show, cells, count));
        F0T_TRY(f0t_stage_update(&stage, f0t_stream_position(stream)));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

/* Closes the stream. */
static f0t_status run_csv_pass(csv_pass *p, f0t_stream *stream)
{
    f0t_csv *csv;
    f0t_status status = f0t_csv_open(&csv, stream, 0);
    if (status == F0T_OK) {
        status = read_records(p, csv, stream);
        f0t_csv_close(csv);
    }
    f0t_stream_close(stream);
    return status;
}

/* Two records or more, all of the same number of cells, at least two. */
static f0t_status csv_matches(bool *yes, const f0t_inspector *in)
{
    csv_pass p = {.most = UINT64_MAX};
    f0t_stream *stream;
    size_t size = in->head_size;
    while (!in->whole && size && in->head[size - 1] != '\n')
        size--;
    if (!size || !f0t_inspect_is_text(in))
        return F0T_OK;
    F0T_TRY(f0t_stream_open_memory(&stream, in->head, size, in->result.path));
    f0t_status status = run_csv_pass(&p, stream);
    if (status == F0T_ERROR_MEMORY)
        return status;
    /* Where the head ends may be inside a cell in quotes. */
    *yes = (status == F0T_OK || !in->whole) && p.records > 1 && p.columns > 1;
    return F0T_OK;
}

static f0t_status describe_csv(f0t_inspector *in)
{
    csv_pass p = {.show = in, .monitor = in->monitor, .most = in->quick ? in->rows : UINT64_MAX};
    const char *line_end = memchr(in->head, '\n', in->head_size);
    bool tabs = line_end && memchr(in->head, '\t', (size_t)(line_end - in->head));
    const char *kind = tabs ? "tsv" : "csv", *title = tabs ? "tab-separated" : "comma-separated";
    f0t_stream *stream;
    F0T_TRY(f0t_inspector_stream(&stream, in));
    F0T_TRY(run_csv_pass(&p, stream));
    if (in->quick)
        F0T_TRY(f0t_inspector_kind(in, kind, "%s text, %zu columns", title, p.columns));
    else
        F0T_TRY(f0t_inspector_kind(in, kind, "%s text, %llu records of %zu columns", title,
                                   (unsigned long long)p.records, p.columns));
    if (!in->quick)
        F0T_TRY(f0t_inspector_count(in, "records", p.records));
    return f0t_inspector_count(in, "columns", p.columns);
}

const f0t_inspect_kind f0t_inspect_csv = {csv_matches, describe_csv};
