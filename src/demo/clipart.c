#include "demo/clipart.h"

#include <string.h>

bool f0t_clipart_is_generated(const char *path)
{
    return strstr(path, "/shapes/stars/") != NULL;
}

size_t f0t_clipart_series(const char *path)
{
    size_t length = strlen(path);
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    if (dot && slash && dot > slash)
        length = (size_t)(dot - path);
    while (length > 1 && strchr("0123456789_-", path[length - 1]))
        length--;
    return length;
}

static const char *const DROP[] = {
    /* Icon themes and the contexts into which they sort their icons (freedesktop.org's icon naming
     * specification): what a button is for, not what is drawn on it. */
    "theme", "themes", "lemon theme*", "flat theme*", "etiquette*", "icon", "icons", "appicon",
    "action", "actions", "application", "applications", "filesystem", "filesystems", "mimetype",
    "mimetypes", "mime type", "mime types", "stock",
    /* Shelves of the collection. */
    "externalsource", "miscellany", "signs and symbols", "special", "united nations member"};

f0t_clean_list f0t_clipart_list(void)
{
    return (f0t_clean_list){.drop = DROP, .count = sizeof DROP / sizeof *DROP};
}
