#include "report/inspect.h"

#include "base/monitor.h"
#include "import/csv_reader.h"

#include <string.h>

/* A pass over records. */
typedef struct pass {
    f0t_inspector *show; /* gets the first ones as rows; NULL: none does */
    const f0t_monitor *monitor;
    uint64_t records, most; /* read, and to be read */
    size_t columns;
} pass;

/* The cells with tabs between them, cut where they are long. */
static f0t_status add_row(f0t_inspector *in, const f0t_cell *cells, size_t count)
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

static f0t_status read_records(pass *p, f0t_csv *csv, f0t_stream *stream)
{
    const f0t_cell *cells;
    size_t count;
    f0t_stage stage =
        f0t_stage_begin(p->monitor, "reading the records", "bytes", f0t_stream_size(stream));
    for (; p->records < p->most; p->records++) {
        F0T_TRY(f0t_csv_next(csv, &cells, &count));
        if (!count)
            break;
        p->columns = count;
        if (p->show && p->records < p->show->rows)
            F0T_TRY(add_row(p->show, cells, count));
        F0T_TRY(f0t_stage_update(&stage, f0t_stream_position(stream)));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

/* Closes the stream. */
static f0t_status run_pass(pass *p, f0t_stream *stream)
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
static f0t_status matches(bool *yes, const f0t_inspector *in)
{
    pass p = {.most = UINT64_MAX};
    f0t_stream *stream;
    size_t size = in->head_size;
    while (!in->whole && size && in->head[size - 1] != '\n')
        size--;
    if (!size || !f0t_inspect_is_text(in))
        return F0T_OK;
    F0T_TRY(f0t_stream_open_memory(&stream, in->head, size, in->result.path));
    f0t_status status = run_pass(&p, stream);
    if (status == F0T_ERROR_MEMORY)
        return status;
    /* Where the head ends may be inside a cell in quotes. */
    *yes = (status == F0T_OK || !in->whole) && p.records > 1 && p.columns > 1;
    return F0T_OK;
}

static f0t_status describe(f0t_inspector *in)
{
    pass p = {.show = in, .monitor = in->monitor, .most = in->quick ? in->rows : UINT64_MAX};
    const char *line_end = memchr(in->head, '\n', in->head_size);
    bool tabs = line_end && memchr(in->head, '\t', (size_t)(line_end - in->head));
    const char *kind = tabs ? "tsv" : "csv", *title = tabs ? "tab-separated" : "comma-separated";
    f0t_stream *stream;
    F0T_TRY(f0t_inspector_stream(in, &stream));
    F0T_TRY(run_pass(&p, stream));
    if (in->quick)
        F0T_TRY(f0t_inspector_kind(in, kind, "%s text, %zu columns", title, p.columns));
    else
        F0T_TRY(f0t_inspector_kind(in, kind, "%s text, %llu records of %zu columns", title,
                                   (unsigned long long)p.records, p.columns));
    if (!in->quick)
        F0T_TRY(f0t_inspector_count(in, "records", p.records));
    return f0t_inspector_count(in, "columns", p.columns);
}

const f0t_inspect_kind f0t_inspect_csv = {matches, describe};
