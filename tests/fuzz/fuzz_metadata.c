/* Keywords of XMP, IPTC, SVG, whole files and texts of PNG, and tags merged into XMP: the first byte says which. */
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

static void add_embedded(answer *to, embedded *found)
{
    if (found->xmp)
        keywords_of_xmp(to, found->xmp, found->xmp_length);
    if (found->iptc && to->status == F0T_OK)
        keywords_of_iptc(to, found->iptc, found->iptc_length);
    embedded_free(found);
}

static void keywords_of_container(answer *to, const void *data, size_t size)
{
    embedded found = {0};
    const void *jpeg;
    size_t length;
    if (raw_find_jpeg(&jpeg, &length, data, size)) /* found whole, in the file */
        keywords_of_iptc(to, jpeg, length);
    embedded_find(&found, data, size);
    if (to->status == F0T_OK)
        add_embedded(to, &found);
    embedded_free(&found);
}

/* The keyword and its text are separated by a NUL. */
static void keywords_of_png_text(answer *to, const void *data, size_t size)
{
    embedded found = {0};
    char *copy = calloc(size + 2, 1);
    if (!copy)
        abort();
    if (size)
        memcpy(copy, data, size);
    embedded_of_png_text(&found, copy, copy + strlen(copy) + 1);
    free(copy);
    add_embedded(to, &found);
}

static answer read_keywords(void (*reader)(answer *, const void *, size_t), const void *data,
                            size_t size)
{
    answer a = {.status = F0T_OK};
    reader(&a, data, size);
    check_keywords(&a);
    return a;
}

static bool begins_with(const char *line, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - line) >= length && !memcmp(line, word, length);
}

/* Every line of a person's keyword is among the lines of `after`. */
static void check_kept(const answer *before, const answer *after)
{
    if (!before->length)
        return;
    const char *line = before->data, *end = before->data + before->length, *stop;
    for (; line < end; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        if (!begins_with(line, end, "ours\t") && !begins_with(line, end, "carried\t") &&
            !begins_with(line, end, "removed\t") &&
            !(after->length && memmem(after->data, after->length, line, (size_t)(stop + 1 - line))))
            abort();
    }
}

/* What a person wrote stays, and the same merge again changes nothing. */
static answer check_merge(const void *data, size_t size, const answer *before, const char *lines,
                          bool inside)
{
    answer once = {.status = F0T_OK}, again = {.status = F0T_OK};
    xmp_merge(&once, data, size, lines, strlen(lines), inside);
    if (once.status == F0T_OK) {
        answer after = read_keywords(keywords_of_xmp, once.data, once.length - once.height);
        if (after.status != F0T_OK)
            abort();
        check_kept(before, &after);
        xmp_merge(&again, once.data, once.length - once.height, lines, strlen(lines), inside);
        if (again.status != F0T_OK || again.width)
            abort();
        free(after.data);
    }
    free(again.data);
    return once;
}

static void check_there_and_back(const void *data, size_t size, const answer *before, bool inside)
{
    static const char tags[] = "+dog\n+palm tree\n+People|b\xC3\xA4r\n!lake\n=Places|Rome\n=dog\n";
    answer there = check_merge(data, size, before, tags, inside);
    if (there.status == F0T_OK) {
        answer back = check_merge(there.data, there.length - there.height, before,
                                  "-\n=Places|Rome\n=dog\n", inside);
        free(back.data);
    }
    free(there.data);
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
                                                           : data[0] == 'c' ? keywords_of_container
                                                           : data[0] == 'p' ? keywords_of_png_text
                                                                            : keywords_of_xmp;
    answer a = read_keywords(reader, data + 1, size - 1);
    if (reader == keywords_of_xmp && a.status == F0T_OK)
        check_there_and_back(data + 1, size - 1, &a, data[0] == 'e');
    free(a.data);
    return 0;
}
