#include "image/sidecar_name.h"

#include "base/alloc.h"
#include "image/keywords.h"
#include "io/file.h"

#include <string.h>

enum { FULL, PLAIN, NAMES };

/* The paths of a picture's two sidecars, and which of them are there. */
typedef struct names {
    char *path[NAMES];
    bool there[NAMES];
} names;

static void names_free(names *n)
{
    f0t_free(n->path[FULL]);
    f0t_free(n->path[PLAIN]);
}

/* To be freed either way. A picture without an ending has one name for both: the full one. */
static f0t_status look(names *n, const char *picture)
{
    *n = (names){.path = {NULL}};
    for (int i = 0; i < NAMES; i++) {
        F0T_TRY(f0t_sidecar_path(&n->path[i], picture, i == PLAIN));
        n->there[i] = f0t_path_exists(n->path[i]);
    }
    n->there[PLAIN] = n->there[PLAIN] && strcmp(n->path[FULL], n->path[PLAIN]) != 0;
    return F0T_OK;
}

f0t_status f0t_sidecar_usage_add(f0t_sidecar_usage *usage, const char *picture)
{
    names n;
    f0t_status status = look(&n, picture);
    if (status == F0T_OK) {
        usage->full += n.there[FULL] && !n.there[PLAIN];
        usage->plain += n.there[PLAIN] && !n.there[FULL];
    }
    names_free(&n);
    return status;
}

bool f0t_xmp_is_ours(const void *text, size_t length)
{
    static const char mark[] = "urn:fast0tag:xmp:";
    return memmem(text, length, mark, sizeof mark - 1);
}

f0t_status f0t_sidecar_has_ours(bool *out, const char *path)
{
    f0t_map map;
    *out = false;
    if (!f0t_path_exists(path))
        return F0T_OK;
    F0T_TRY(f0t_map_open(&map, path));
    *out = f0t_xmp_is_ours(map.data, map.size);
    return f0t_map_finish(&map, path, F0T_OK);
}

/* Of two that are there. */
static f0t_status choose_of_both(bool *out, const names *n, const char *picture, bool plain,
                                 f0t_sidecar_census census, void *user)
{
    bool ours[NAMES];
    f0t_sidecar_usage usage = {0};
    for (int i = 0; i < NAMES; i++)
        F0T_TRY(f0t_sidecar_has_ours(&ours[i], n->path[i]));
    *out = ours[PLAIN];
    if (ours[FULL] != ours[PLAIN])
        return F0T_OK;
    F0T_TRY(census(user, &usage, picture));
    *out = usage.full == usage.plain ? plain : usage.plain > usage.full;
    return F0T_OK;
}

static f0t_status choose(bool *out, names *n, f0t_namesakes *namesakes, const char *picture,
                         bool plain, f0t_sidecar_census census, void *user)
{
    const char *other = NULL;
    if (n->there[PLAIN])
        F0T_TRY(f0t_namesakes_find(namesakes, &other, picture));
    n->there[PLAIN] = n->there[PLAIN] && !other;
    *out = n->there[FULL] == n->there[PLAIN] ? plain : n->there[PLAIN];
    return n->there[FULL] && n->there[PLAIN] ? choose_of_both(out, n, picture, plain, census, user)
                                             : F0T_OK;
}

f0t_status f0t_sidecar_choose(bool *out, f0t_namesakes *namesakes, const char *picture, bool plain,
                              f0t_sidecar_census census, void *user)
{
    names n;
    f0t_status status = look(&n, picture);
    if (status == F0T_OK)
        status = choose(out, &n, namesakes, picture, plain, census, user);
    names_free(&n);
    return status;
}
