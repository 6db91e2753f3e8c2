#include "image/namesakes.h"

#include "base/alloc.h"
#include "image/walk.h"

#include <string.h>

void f0t_namesakes_free(f0t_namesakes *n)
{
    f0t_free(n->folder);
    f0t_free(n->sorted);
    f0t_texts_free(&n->names);
    *n = (f0t_namesakes){0};
}

static f0t_status read_folder(f0t_namesakes *n, const char *picture, size_t length)
{
    if (n->folder && strlen(n->folder) == length && !memcmp(n->folder, picture, length))
        return F0T_OK;
    f0t_namesakes_free(n);
    F0T_TRY(f0t_string_copy(&n->folder, picture, length));
    f0t_status status = f0t_walk_names(&n->names, &n->sorted, length ? n->folder : ".");
    if (status != F0T_OK)
        f0t_namesakes_free(n);
    return status;
}

/* The first name that is not before these bytes. */
static size_t lower_bound(const f0t_namesakes *n, const char *text, size_t length)
{
    size_t low = 0, high = n->names.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strncmp(n->sorted[middle], text, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* `stem` bytes of the name stand before its ending: files of the same stem, and the one that the stem
 * itself names (a.jpg beside a.jpg.png), whose sidecar with the full name is this one. */
static const char *find(const f0t_namesakes *n, const char *name, size_t stem)
{
    for (size_t i = lower_bound(n, name, stem); i < n->names.count; i++) {
        const char *other = n->sorted[i];
        if (strncmp(other, name, stem) != 0 || (unsigned char)other[stem] > '.')
            break;
        const bool shares = other[stem] == '.' ? !strchr(other + stem + 1, '.') : !other[stem];
        if (shares && strcmp(other, name) != 0 && f0t_path_has_sidecar(other))
            return other;
    }
    return NULL;
}

f0t_status f0t_namesakes_find(f0t_namesakes *n, const char **other, const char *picture)
{
    const char *slash = strrchr(picture, '/'), *name = slash ? slash + 1 : picture;
    const char *dot = strrchr(name, '.');
    *other = NULL;
    F0T_TRY(read_folder(n, picture, (size_t)(name - picture)));
    *other = find(n, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
    return F0T_OK;
}
