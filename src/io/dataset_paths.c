#include "io/dataset_paths.h"

#include "io/text.h"

#include <string.h>

enum { LONGEST = 4096 }; /* bytes of a path */

void f0t_paths_free(f0t_paths *paths)
{
    f0t_names_free(&paths->tags);
    f0t_texts_free(&paths->paths);
}

f0t_status f0t_paths_add(f0t_paths *paths, const char *path, size_t length)
{
    const char *bar = memrchr(path, '|', length);
    const size_t before = bar ? (size_t)(bar + 1 - path) : length;
    uint32_t index;
    bool added;
    if (before == length)
        return F0T_OK;
    const char *fault = length > LONGEST ? "too long" : f0t_text_fault(path, length);
    if (fault)
        return f0t_fail(F0T_ERROR_FORMAT, "the path of a tag: %s", fault);
    F0T_TRY(f0t_names_add(&paths->tags, path + before, length - before, &index, &added));
    return added ? f0t_texts_add(&paths->paths, path, length) : F0T_OK;
}

f0t_status f0t_paths_copy(f0t_paths *to, const f0t_paths *from)
{
    for (size_t i = 0; i < from->paths.count; i++)
        F0T_TRY(
            f0t_paths_add(to, f0t_texts_get(&from->paths, i), f0t_texts_length(&from->paths, i)));
    return F0T_OK;
}

const char *f0t_paths_find(const f0t_paths *paths, const char *tag)
{
    uint32_t index;
    return f0t_names_find(&paths->tags, tag, strlen(tag), &index)
               ? f0t_texts_get(&paths->paths, index)
               : NULL;
}
