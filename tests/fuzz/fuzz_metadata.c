/* Keywords of XMP, IPTC and SVG, and tags merged into XMP: the first byte says which. */
#include "fuzz.h"

#include "picture.h"

#include <stdlib.h>
#include <string.h>

/* Lines of source, tab and keyword, none of them empty, or one line of a message. */
static void check_keywords(const answer *a)
{
    if (!a->length && a->status == F0T_OK)
        return;
    const char *line = a->data, *end = a->data + a->length, *stop;
    if (a->status != F0T_OK && (!a->length || memchr(a->data, '\n', a->length)))
        abort();
    for (; a->status == F0T_OK && line < end; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        const char *tab = stop ? memchr(line, '\t', (size_t)(stop - line)) : NULL;
        if (!tab || tab == line || tab + 1 == stop ||
            memchr(tab + 1, '\t', (size_t)(stop - tab - 1)))
            abort();
    }
}

static answer read_keywords(void (*reader)(answer *, const void *, size_t), const void *data,
                            size_t size)
{
    answer a = {.status = F0T_OK};
    reader(&a, data, size);
    check_keywords(&a);
    return a;
}

/* Every line of a person's keyword is among the lines of `after`. */
static void check_kept(const answer *before, const answer *after)
{
    if (!before->length)
        return;
    const char *line = before->data, *end = before->data + before->length, *stop;
    for (; line < end; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        if (strncmp(line, "ours\t", 5) &&
            !memmem(after->data, after->length, line, (size_t)(stop + 1 - line)))
            abort();
    }
}

/* What a person wrote stays, and the same merge again changes nothing. */
static void check_merge(const void *data, size_t size, const answer *before)
{
    static const char tags[] = "dog\npalm tree\nb\xC3\xA4r\n";
    answer once = {.status = F0T_OK}, again = {.status = F0T_OK};
    xmp_merge(&once, data, size, tags, sizeof tags - 1);
    if (once.status == F0T_OK) {
        answer after = read_keywords(keywords_of_xmp, once.data, once.length - once.height);
        if (after.status != F0T_OK)
            abort();
        check_kept(before, &after);
        xmp_merge(&again, once.data, once.length - once.height, tags, sizeof tags - 1);
        if (again.status != F0T_OK || again.width)
            abort();
        free(after.data);
    }
    free(once.data);
    free(again.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool started;
    if (!started && !xmp_start())
        abort();
    started = true;
    if (!size)
        return 0;
    void (*const reader)(answer *, const void *, size_t) = data[0] == 'i'   ? keywords_of_iptc
                                                           : data[0] == 's' ? keywords_of_svg
                                                                            : keywords_of_xmp;
    answer a = read_keywords(reader, data + 1, size - 1);
    if (reader == keywords_of_xmp && a.status == F0T_OK)
        check_merge(data + 1, size - 1, &a);
    free(a.data);
    return 0;
}
