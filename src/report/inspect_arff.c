#include "report/inspect.h"

#include "base/monitor.h"
#include "import/arff.h"

#include <string.h>
#include <strings.h>

/* The first line that is neither empty nor a comment begins with @relation. */
static f0t_status matches(bool *yes, const f0t_inspector *in)
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

static f0t_status read_rows(f0t_inspector *in, f0t_arff *arff)
{
    bool found = true;
    f0t_stage stage =
        f0t_stage_begin(in->monitor, "reading the rows", "bytes", f0t_stream_size(arff->stream));
    while (!in->quick || in->result.row_count < in->rows) {
        F0T_TRY(f0t_arff_next(arff, &found));
        if (!found)
            break;
        if (in->result.row_count < in->rows)
            F0T_TRY(f0t_inspector_row(in, "", 0, arff->values, arff->count));
        F0T_TRY(f0t_stage_update(&stage, f0t_stream_position(arff->stream)));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status describe_rows(f0t_inspector *in, f0t_arff *arff)
{
    uint64_t kinds[3] = {0};
    F0T_TRY(f0t_arff_open(arff, arff->stream));
    F0T_TRY(read_rows(in, arff));
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

static f0t_status describe(f0t_inspector *in)
{
    f0t_arff arff = {0};
    f0t_stream *stream;
    F0T_TRY(f0t_inspector_stream(in, &stream));
    arff.stream = stream;
    f0t_status status = describe_rows(in, &arff);
    f0t_arff_close(&arff);
    f0t_stream_close(stream);
    return status;
}

const f0t_inspect_kind f0t_inspect_arff = {matches, describe};
