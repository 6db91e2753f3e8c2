/* The pictures of folders, as the public header has them. */
#include "fast0tag.h"

#include "base/alloc.h"
#include "image/walk.h"

struct f0t_pictures {
    f0t_texts texts;
    f0t_skipped_files skipped;
    const char **paths;
};

static f0t_status find(f0t_pictures *pictures, const char *const *paths, size_t count,
                       const f0t_monitor *monitor)
{
    for (size_t i = 0; i < count; i++)
        F0T_TRY(f0t_walk(&pictures->texts, &pictures->skipped, paths[i], monitor));
    f0t_skipped_files_tell(&pictures->skipped, monitor);
    F0T_TRY(f0t_alloc(&pictures->paths, pictures->texts.count, sizeof *pictures->paths));
    for (size_t i = 0; i < pictures->texts.count; i++)
        pictures->paths[i] = f0t_texts_get(&pictures->texts, i);
    return F0T_OK;
}

f0t_status f0t_pictures_find(f0t_pictures **out, const char *const *paths, size_t count,
                             const f0t_monitor *monitor)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_TRY(f0t_require_all(__func__, "paths", paths, count));
    f0t_pictures *pictures;
    F0T_TRY(f0t_alloc_zero(&pictures, 1, sizeof *pictures));
    f0t_status status = find(pictures, paths, count, monitor);
    if (status == F0T_OK)
        *out = pictures;
    else
        f0t_pictures_free(pictures);
    return status;
}

void f0t_pictures_free(f0t_pictures *pictures)
{
    if (!pictures)
        return;
    f0t_texts_free(&pictures->texts);
    f0t_free(pictures->paths);
    f0t_free(pictures);
}

const char *const *f0t_pictures_paths(const f0t_pictures *pictures, size_t *count)
{
    *count = pictures->texts.count;
    return pictures->paths;
}
