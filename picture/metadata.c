/* The keywords of a file: those that a picture carries, or those of a sidecar. */
#include "picture.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && !strcasecmp(path + n - m, end);
}

static void read_text(answer *to, const char *path, void (*parse)(answer *, const void *, size_t))
{
    size_t length;
    void *data = picture_file_read(to, path, &length);
    if (data)
        parse(to, data, length);
    else if (to->status == F0T_OK)
        answer_fail(to, F0T_ERROR_IO, "no such file");
    free(data);
}

void keywords_read(answer *to, const char *path)
{
    embedded found;
    if (ends_with(path, ".xmp")) {
        read_text(to, path, keywords_of_xmp);
        return;
    }
    if (!decode_metadata(to, &found, path))
        return;
    if (found.is_svg)
        read_text(to, path, keywords_of_svg);
    if (found.xmp)
        keywords_of_xmp(to, found.xmp, found.xmp_length);
    if (found.iptc && to->status == F0T_OK)
        keywords_of_iptc(to, found.iptc, found.iptc_length);
    free(found.xmp);
    free(found.iptc);
}
