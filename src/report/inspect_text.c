#include "report/inspect.h"

#include "base/monitor.h"

#include <string.h>
#include <utf8proc.h>

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

static f0t_status matches(bool *yes, const f0t_inspector *in)
{
    *yes = f0t_inspect_is_text(in);
    return F0T_OK;
}

typedef struct lines {
    uint64_t count, empty;
    size_t longest;
} lines;

static f0t_status read_lines(f0t_inspector *in, f0t_stream *stream, lines *found)
{
    char *line;
    size_t length;
    f0t_stage stage =
        f0t_stage_begin(in->monitor, "reading the lines", "bytes", f0t_stream_size(stream));
    for (;; found->count++) {
        F0T_TRY(f0t_stream_line(stream, &line, &length));
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

static f0t_status describe(f0t_inspector *in)
{
    lines found = {0};
    f0t_stream *stream;
    F0T_TRY(f0t_inspector_stream(in, &stream));
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

const f0t_inspect_kind f0t_inspect_text = {matches, describe};
