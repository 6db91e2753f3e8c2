/* The keywords of a file: those that a picture carries, or those of a sidecar. */
#include "picture.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && !strcasecmp(name + n - m, end);
}

static void read_text(answer *to, int fd, void (*parse)(answer *, const void *, size_t))
{
    size_t length;
    void *data = picture_file_read(to, fd, &length);
    if (data)
        parse(to, data, length);
    free(data);
}

void keywords_read(answer *to, int fd, const char *name)
{
    embedded found;
    if (ends_with(name, ".xmp")) {
        read_text(to, fd, keywords_of_xmp);
        return;
    }
    if (!decode_metadata(to, &found, fd, name))
        return;
    if (found.is_svg)
        read_text(to, fd, keywords_of_svg);
    if (found.xmp)
        keywords_of_xmp(to, found.xmp, found.xmp_length);
    if (found.iptc && to->status == F0T_OK)
        keywords_of_iptc(to, found.iptc, found.iptc_length);
    embedded_free(&found);
}
