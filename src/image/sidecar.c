/* Tags written where other programs look for them: XMP sidecars beside the pictures. */
#include "fast0tag_tools.h"

#include "base/alloc.h"
#include "image/keywords.h"
#include "io/file.h"

#include <string.h>

struct f0t_sidecars {
    f0t_sidecar_options options;
    f0t_worker *worker;
    char *path; /* of the last one */
};

f0t_status f0t_sidecars_open(f0t_sidecars **out, const f0t_sidecar_options *options)
{
    f0t_sidecars *sidecars;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&sidecars, 1, sizeof *sidecars));
    if (options)
        sidecars->options = *options;
    f0t_status status = f0t_worker_create(&sidecars->worker);
    if (status == F0T_OK)
        *out = sidecars;
    else
        f0t_sidecars_close(sidecars);
    return status;
}

void f0t_sidecars_close(f0t_sidecars *sidecars)
{
    if (!sidecars)
        return;
    f0t_worker_free(sidecars->worker);
    f0t_free(sidecars->path);
    f0t_free(sidecars);
}

/* A line a tag; what would be two lines is one with a space. */
static f0t_status join_tags(char **out, const char *const *tags, size_t count)
{
    size_t size = 1;
    for (size_t i = 0; i < count; i++)
        size += strlen(tags[i]) + 1;
    F0T_TRY(f0t_alloc(out, size, 1));
    char *at = *out;
    for (size_t i = 0; i < count; i++) {
        for (const char *c = tags[i]; *c; c++)
            *at++ = *c == '\n' ? ' ' : *c;
        *at++ = '\n';
    }
    *at = 0;
    return F0T_OK;
}

static f0t_status write_file(const char *path, const char *data, size_t length)
{
    f0t_writer *writer;
    F0T_TRY(f0t_writer_open(&writer, path));
    return f0t_writer_finish(writer, f0t_writer_write(writer, data, length));
}

static f0t_status merge(f0t_sidecars *s, const char *lines, bool *changed)
{
    const char *sidecar;
    size_t length;
    F0T_TRY(f0t_worker_merge(s->worker, &sidecar, &length, changed, s->path, lines));
    return *changed && !s->options.dry_run ? write_file(s->path, sidecar, length) : F0T_OK;
}

f0t_status f0t_sidecars_write(f0t_sidecars *s, const char **path, bool *changed,
                              const char *picture, const char *const *tags, size_t count)
{
    char *lines;
    f0t_free(s->path);
    s->path = NULL;
    *changed = false;
    F0T_TRY(f0t_sidecar_path(&s->path, picture, s->options.plain_name));
    *path = s->path;
    if (!f0t_path_exists(picture))
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: there is no such picture to write tags for",
                        picture);
    F0T_TRY(join_tags(&lines, tags, count));
    f0t_status status = merge(s, lines, changed);
    f0t_free(lines);
    return status;
}
