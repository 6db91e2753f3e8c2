/* Results that several processes have made, in one file. */
#include "base/alloc.h"
#include "base/context.h"
#include "fast0tag_tools.h"
#include "io/file.h"
#include "io/lock.h"

#include <string.h>

typedef struct lines {
    char **texts;
    size_t count, capacity;
} lines;

static void lines_free(lines *l)
{
    for (size_t i = 0; i < l->count; i++)
        f0t_free(l->texts[i]);
    f0t_free(l->texts);
}

/* The first line of every file names the comparison. Others that are there already are not added again. */
static f0t_status add_line(lines *l, const char *line, size_t length, bool head, const char *path)
{
    for (size_t i = 0; i < l->count; i++)
        if (strlen(l->texts[i]) == length && !memcmp(l->texts[i], line, length))
            return F0T_OK;
    if (head && l->count)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s: has results of another comparison", path);
    F0T_TRY(f0t_grow(&l->texts, &l->capacity, l->count, 1, sizeof *l->texts));
    F0T_TRY(f0t_string_copy(&l->texts[l->count], line, length));
    l->count++;
    return F0T_OK;
}

static f0t_status read_lines(lines *l, f0t_stream *s, const char *path)
{
    char *line;
    size_t length;
    for (bool head = true;; head = false) {
        F0T_TRY(f0t_stream_line(&line, &length, s));
        if (!line)
            return F0T_OK;
        F0T_TRY(add_line(l, line, length, head, path));
    }
}

static f0t_status read_file(lines *l, const char *path)
{
    f0t_stream *s;
    if (!f0t_path_exists(path))
        return F0T_OK;
    F0T_TRY(f0t_stream_open(&s, path));
    f0t_status status = read_lines(l, s, path);
    f0t_stream_close(s);
    return status;
}

static f0t_status write_lines(f0t_writer *w, const lines *l)
{
    for (size_t i = 0; i < l->count; i++) {
        F0T_TRY(f0t_writer_write(w, l->texts[i], strlen(l->texts[i])));
        F0T_TRY(f0t_writer_write(w, "\n", 1));
    }
    return F0T_OK;
}

static f0t_status join(lines *l, const char *path, const char *const *parts, size_t count)
{
    f0t_writer *w;
    F0T_TRY(read_file(l, path));
    const size_t before = l->count;
    for (size_t i = 0; i < count; i++)
        F0T_TRY(read_file(l, parts[i]));
    if (l->count == before)
        return F0T_OK;
    F0T_TRY(f0t_writer_open(&w, path));
    return f0t_writer_finish(w, write_lines(w, l));
}

f0t_status f0t_eval_join_results(const char *path, const char *const *parts, size_t count)
{
    F0T_REQUIRE(path);
    F0T_REQUIRE(parts);
    f0t_lock lock = {0};
    lines l = {0};
    F0T_TRY(f0t_lock_take(&lock, path));
    f0t_status status = join(&l, path, parts, count);
    lines_free(&l);
    f0t_lock_release(&lock);
    return status;
}
