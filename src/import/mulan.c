/* MULAN: an XML file names which attributes of the ARFF files are labels; the others are features. */
#include "import/mulan.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/size.h"
#include "import/arff.h"
#include "import/import.h"
#include "io/text.h"

#include <libxml/parser.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- The labels ------------------------------------------------------------------------------ */

/* libxml2 compares each attribute of a tag with all others, and takes in no tag or comment before its
 * end is there. So it gets its text in small pieces: what it holds back shows how long a tag is. */
enum { CHUNK = 1 << 14, TAG_LONGEST = 1 << 16, ATTRIBUTES_MOST = 64 };

typedef struct reading {
    f0t_names *labels;
    const char *name;
    xmlParserCtxtPtr parser;
    f0t_status status;
} reading;

static void stop(reading *r, f0t_status status)
{
    r->status = status;
    xmlStopParser(r->parser);
}

#define stop_here(r, format, ...)                                     \
    stop((r), f0t_fail(F0T_ERROR_FORMAT, "%s:%d: " format, (r)->name, \
                       xmlSAX2GetLineNumber((r)->parser), __VA_ARGS__))

/* Comes before any declaration in it is read. */
static void on_document_type(void *context, const xmlChar *name, const xmlChar *external,
                             const xmlChar *system)
{
    (void)name, (void)external, (void)system;
    stop_here((reading *)context, "%s", "a DOCTYPE is not accepted");
}

/* As long as entities are not replaced, libxml2 writes "&#38;" for each "&" of a value. */
static size_t restore_ampersands(char *text, size_t length)
{
    static const char written[] = "&#38;";
    const size_t width = sizeof written - 1;
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        text[n++] = text[i];
        if (length - i >= width && !memcmp(text + i, written, width))
            i += width - 1;
    }
    return n;
}

static void enter_label(reading *r, const char *text, size_t length)
{
    uint32_t index;
    bool added;
    f0t_text_trim(&text, &length);
    if (!length || f0t_text_fault(text, length) || memchr(text, '\t', length)) {
        stop_here(r, "%s", "a label's name is empty or has control characters");
        return;
    }
    f0t_status status = f0t_names_add(&index, &added, r->labels, text, length);
    if (status != F0T_OK)
        stop(r, status);
    else if (!added)
        stop_here(r, "the label '%.60s' is there twice", f0t_names_get(r->labels, index));
}

static void add_label(reading *r, const char *text, size_t length)
{
    char *copy;
    f0t_status status = f0t_string_copy(&copy, text, length);
    if (status != F0T_OK) {
        stop(r, status);
        return;
    }
    enter_label(r, copy, restore_ampersands(copy, length));
    f0t_free(copy);
}

/* libxml2 gives an attribute as five pointers: name, prefix, namespace, value, its end. */
static void on_element(void *context, const xmlChar *name, const xmlChar *prefix,
                       const xmlChar *space, int namespaces, const xmlChar **namespace_list,
                       int count, int defaulted, const xmlChar **attributes)
{
    reading *r = context;
    (void)prefix, (void)space, (void)namespace_list, (void)defaulted;
    if (r->status != F0T_OK)
        return;
    if (count > ATTRIBUTES_MOST || namespaces > ATTRIBUTES_MOST) {
        stop_here(r, "an element has more than %d attributes", ATTRIBUTES_MOST);
        return;
    }
    if (!strcmp((const char *)name, "labels"))
        return;
    if (strcmp((const char *)name, "label") != 0) {
        stop_here(r, "<%.40s>: only <labels> and <label> are known", (const char *)name);
        return;
    }
    for (int i = 0; i < count; i++)
        if (!strcmp((const char *)attributes[5 * i], "name")) {
            const char *value = (const char *)attributes[5 * i + 3];
            add_label(r, value, (size_t)((const char *)attributes[5 * i + 4] - value));
            return;
        }
    stop_here(r, "%s", "a label has no name");
}

static int parse_chunk(reading *r, const char *data, size_t size)
{
    int failed = xmlParseChunk(r->parser, data, (int)size, 0);
    const xmlParserInput *input = r->parser->input;
    if (!failed && r->status == F0T_OK && input && input->end - input->cur > TAG_LONGEST)
        stop_here(r, "a tag or comment is longer than %d bytes", TAG_LONGEST);
    return failed;
}

static f0t_status parse(reading *r, const char *data, size_t size)
{
    int failed = 0;
    for (size_t at = 0; at < size && !failed && r->status == F0T_OK; at += CHUNK)
        failed = parse_chunk(r, data + at, size - at < CHUNK ? size - at : CHUNK);
    if (!failed && r->status == F0T_OK)
        failed = xmlParseChunk(r->parser, "", 0, 1);
    if (r->status != F0T_OK)
        return r->status;
    if (!failed)
        return F0T_OK;
    const xmlError *error = xmlCtxtGetLastError(r->parser);
    if (error && error->code == XML_ERR_NO_MEMORY)
        return f0t_fail(F0T_ERROR_MEMORY, "%s: no memory to read it", r->name);
    char message[200];
    snprintf(message, sizeof message, "%s", error && error->message ? error->message : "not XML");
    message[strcspn(message, "\n")] = '\0';
    return f0t_fail(F0T_ERROR_FORMAT, "%s:%d: %s", r->name, error ? error->line : 0, message);
}

f0t_status f0t_mulan_xml_read(f0t_names *labels, const char *data, size_t size, const char *name)
{
    /* Only what is set here is called: no tree, no entities, nothing printed. */
    xmlSAXHandler handler = {.initialized = XML_SAX2_MAGIC,
                             .internalSubset = on_document_type,
                             .startElementNs = on_element};
    reading r = {.labels = labels, .name = name};
    r.parser = xmlCreatePushParserCtxt(&handler, &r, NULL, 0, NULL);
    if (!r.parser)
        return f0t_fail(F0T_ERROR_MEMORY, "%s: no memory to read it", name);
    xmlCtxtUseOptions(r.parser, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    f0t_status status = parse(&r, data, size);
    xmlFreeParserCtxt(r.parser);
    if (status == F0T_OK && !f0t_names_count(labels))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: names no label", name);
    return status;
}

/* ---- Files ----------------------------------------------------------------------------------- */

enum { XML_LARGEST = 1 << 26, FILES = 2 };

static const uint32_t NO_TAG = UINT32_MAX;

/* What an attribute becomes: a tag, or `width` columns of features from `column` on. */
typedef struct role {
    uint32_t tag;
    size_t column, width;
} role;

typedef struct mulan {
    f0t_import_job *job;
    const char *xml, *files[FILES]; /* train and test, or one alone */
    size_t file_count;
    f0t_collection collection;
    role *roles; /* [attributes] */
    size_t dim, row_counts[FILES];
    f0t_arff header; /* of the first file: what the roles were given by; its rows are not read */
    f0t_stream *stream;
    f0t_arff arff; /* the file that is read */
    size_t file;
    uint64_t missing, skipped;
    char missing_first[160], skipped_first[160];
} mulan;

static void close_file(mulan *m)
{
    f0t_arff_close(&m->arff);
    f0t_stream_close(m->stream);
    m->stream = NULL;
}

static bool same_values(const f0t_names *a, const f0t_names *b)
{
    size_t count = f0t_names_count(a);
    if (count != f0t_names_count(b))
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(f0t_names_get(a, i), f0t_names_get(b, i)) != 0)
            return false;
    return true;
}

/* Each file that is opened, the first one again in the second pass, must have the attributes that the
 * roles were given by, in their order: where a value goes depends on nothing else. */
static f0t_status check_same(const mulan *m)
{
    const f0t_arff *first = &m->header, *now = &m->arff;
    if (first->count != now->count)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s has %zu attributes, but %s had %zu",
                        m->files[m->file], now->count, m->files[0], first->count);
    for (size_t i = 0; i < first->count; i++)
        if (strcmp(f0t_names_get(&first->names, i), f0t_names_get(&now->names, i)) != 0 ||
            first->attributes[i].kind != now->attributes[i].kind ||
            !same_values(&first->attributes[i].values, &now->attributes[i].values))
            return f0t_fail(F0T_ERROR_MISMATCH, "attribute %zu of %s is not that of %s: '%.60s'", i,
                            m->files[m->file], m->files[0], f0t_names_get(&now->names, i));
    return F0T_OK;
}

static f0t_status open_file(mulan *m, size_t file)
{
    close_file(m);
    m->file = file;
    F0T_TRY(f0t_stream_open(&m->stream, m->files[file]));
    f0t_stream_watch(m->stream, f0t_context_monitor(NULL));
    F0T_TRY(f0t_arff_open(&m->arff, m->stream));
    return m->roles ? check_same(m) : F0T_OK;
}

/* ---- Which file is which --------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), k = strlen(ending);
    return n >= k && !strcasecmp(name + n - k, ending);
}

static bool base_has(const char *path, const char *word)
{
    const char *slash = strrchr(path, '/');
    return strcasestr(slash ? slash + 1 : path, word) != NULL;
}

static f0t_status sort_sources(mulan *m)
{
    for (size_t i = 0; i < m->job->source_count; i++) {
        const char *source = m->job->sources[i];
        if (ends_with(source, ".xml") && !m->xml)
            m->xml = source;
        else if (!ends_with(source, ".xml") && m->file_count < FILES)
            m->files[m->file_count++] = source;
    }
    if (!m->xml || !m->file_count || m->file_count + 1 != m->job->source_count)
        return f0t_fail(F0T_ERROR_ARGUMENT, "mulan wants an .xml and one or two .arff files");
    if (m->file_count == 2 && base_has(m->files[0], "test") && !base_has(m->files[1], "test")) {
        const char *test = m->files[0];
        m->files[0] = m->files[1];
        m->files[1] = test;
    }
    return F0T_OK;
}

static f0t_status read_labels(mulan *m)
{
    char *text;
    size_t size;
    F0T_TRY(f0t_file_read(&text, &size, m->xml, XML_LARGEST, f0t_context_monitor(NULL)));
    f0t_status status = f0t_mulan_xml_read(&m->collection.tags, text, size, m->xml);
    f0t_free(text);
    return status;
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static f0t_status set_role(mulan *m, size_t i, uint8_t *found)
{
    const f0t_arff_attribute *attribute = &m->arff.attributes[i];
    const char *name = f0t_names_get(&m->arff.names, i);
    role *r = &m->roles[i];
    *r = (role){.tag = NO_TAG};
    if (f0t_names_find(&r->tag, &m->collection.tags, name, strlen(name))) {
        found[r->tag] = 1;
        if (attribute->kind == F0T_ARFF_NUMERIC || attribute->numbers)
            return F0T_OK;
        return f0t_fail(F0T_ERROR_FORMAT, "%s: the label '%.60s' is not of type {0,1} or numeric",
                        m->files[m->file], name);
    }
    r->tag = NO_TAG;
    r->column = m->dim;
    r->width = attribute->kind == F0T_ARFF_OTHER ? 0
               : attribute->kind == F0T_ARFF_NUMERIC || attribute->numbers
                   ? 1
                   : f0t_names_count(&attribute->values);
    if (attribute->kind == F0T_ARFF_OTHER && !m->skipped++)
        snprintf(m->skipped_first, sizeof m->skipped_first, "%s", name);
    if (!f0t_size_add(&m->dim, m->dim, r->width))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: too many features", m->files[m->file]);
    return F0T_OK;
}

static f0t_status set_roles(mulan *m)
{
    uint8_t *found;
    size_t tags = f0t_names_count(&m->collection.tags);
    F0T_TRY(f0t_alloc(&m->roles, m->arff.count, sizeof *m->roles));
    F0T_TRY(f0t_alloc_zero(&found, tags, 1));
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < m->arff.count && status == F0T_OK; i++)
        status = set_role(m, i, found);
    for (size_t t = 0; t < tags && status == F0T_OK; t++)
        if (!found[t])
            status = f0t_fail(F0T_ERROR_MISMATCH, "%s has no attribute '%.60s', which %s names",
                              m->files[m->file], f0t_names_get(&m->collection.tags, t), m->xml);
    f0t_free(found);
    return status;
}

/* ---- First pass: tags ------------------------------------------------------------------------ */

static f0t_status add_row(mulan *m)
{
    for (size_t i = 0; i < m->arff.count; i++) {
        const f0t_arff_attribute *attribute = &m->arff.attributes[i];
        float value = m->arff.values[i];
        if (m->roles[i].tag == NO_TAG)
            continue;
        if (attribute->numbers && !isnan(value))
            value = attribute->numbers[(size_t)value];
        if (value == 1)
            F0T_TRY(f0t_rows_add(&m->collection.rows, m->roles[i].tag));
        else if (value != 0)
            return f0t_fail(
                F0T_ERROR_FORMAT, "%s:%llu: the label '%.60s' is %s: 0 or 1 is expected",
                m->files[m->file], (unsigned long long)f0t_stream_line_number(m->stream),
                f0t_names_get(&m->arff.names, i), isnan(value) ? "missing" : "another number");
    }
    int split = m->file_count < 2 ? -1 : m->file == 0 ? F0T_TRAIN : F0T_TEST;
    return f0t_collection_end_row(&m->collection, NULL, 0, split);
}

static f0t_status read_rows(mulan *m)
{
    f0t_stage stage = f0t_stage_begin(f0t_context_monitor(NULL), "reading labels", "bytes",
                                      f0t_stream_size(m->stream));
    for (bool found = true;;) {
        F0T_TRY(f0t_arff_next(&found, &m->arff));
        if (!found)
            break;
        F0T_TRY(add_row(m));
        F0T_TRY(f0t_stage_update(&stage, f0t_stream_position(m->stream)));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

/* ---- Second pass: features ------------------------------------------------------------------- */

static void set_columns(mulan *m, size_t i, float *row)
{
    const role *r = &m->roles[i];
    const f0t_arff_attribute *attribute = &m->arff.attributes[i];
    float value = m->arff.values[i];
    for (size_t k = 0; k < r->width; k++)
        row[r->column + k] = 0;
    if (!r->width)
        return;
    if (isnan(value)) {
        if (!m->missing++)
            snprintf(m->missing_first, sizeof m->missing_first, "%s:%llu, %s", m->files[m->file],
                     (unsigned long long)f0t_stream_line_number(m->stream),
                     f0t_names_get(&m->arff.names, i));
    } else if (attribute->kind == F0T_ARFF_NUMERIC) {
        row[r->column] = value;
    } else if (attribute->numbers) {
        row[r->column] = attribute->numbers[(size_t)value];
    } else {
        row[r->column + (size_t)value] = 1;
    }
}

/* Fails unless the file ends after as many rows as in the first pass. */
static f0t_status check_end(mulan *m)
{
    bool found = false;
    if (m->arff.rows == m->row_counts[m->file])
        F0T_TRY(f0t_arff_next(&found, &m->arff));
    if (found || m->arff.rows != m->row_counts[m->file])
        return f0t_fail(F0T_ERROR_IO, "%s: has changed while it was read", m->files[m->file]);
    return F0T_OK;
}

static f0t_status next_row(void *context, size_t index, float *row)
{
    mulan *m = context;
    bool found = false;
    if (index == 0)
        F0T_TRY(open_file(m, 0));
    if (m->arff.rows == m->row_counts[m->file] && m->file + 1 < m->file_count) {
        F0T_TRY(check_end(m));
        F0T_TRY(open_file(m, m->file + 1));
    }
    F0T_TRY(f0t_arff_next(&found, &m->arff));
    if (!found || index + 1 == m->collection.rows.count)
        F0T_TRY(check_end(m));
    for (size_t i = 0; i < m->arff.count; i++)
        if (m->roles[i].tag == NO_TAG)
            set_columns(m, i, row);
    return F0T_OK;
}

static f0t_status say(void *context, f0t_import_report *report)
{
    mulan *m = context;
    F0T_TRY(f0t_import_report_say(
        report, m->skipped,
        "{attribute is a text or date|attributes are texts or dates} and {is|are} left out",
        m->skipped_first));
    return f0t_import_report_say(report, m->missing,
                                 "{feature is|features are} missing ('?') and {becomes|become} 0",
                                 m->missing_first);
}

static f0t_status read_header(mulan *m)
{
    F0T_TRY(open_file(m, 0));
    F0T_TRY(set_roles(m));
    m->header = m->arff;
    m->arff = (f0t_arff){0};
    return F0T_OK;
}

static f0t_status run(mulan *m)
{
    F0T_TRY(sort_sources(m));
    F0T_TRY(read_labels(m));
    F0T_TRY(read_header(m));
    for (size_t file = 0; file < m->file_count; file++) {
        F0T_TRY(open_file(m, file));
        F0T_TRY(read_rows(m));
        m->row_counts[file] = m->arff.rows;
    }
    if (!m->collection.rows.count)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has no rows", m->files[0]);
    f0t_feature_source source = {.dim = m->dim, .read = next_row, .end = say, .context = m};
    return f0t_import_finish(m->job, &m->collection, m->dim ? &source : NULL);
}

f0t_status f0t_import_mulan(f0t_import_job *job)
{
    mulan m = {.job = job};
    f0t_status status = run(&m);
    close_file(&m);
    f0t_arff_close(&m.header);
    f0t_free(m.roles);
    f0t_collection_free(&m.collection);
    return status;
}
