/* What a process that may have been taken over gives back as merged XMP, looked at by the library (image/merge_check.h): the
 * packet as it was, a line of "%" alone, and the packet as it came back; the first byte says what was asked for. Another
 * reader of XMP, exempi, must find in what passes all that a person gave, and nothing new but what was asked for. */
#include "fuzz.h"

#include "image/merge_check.h"
#include "picture.h"

#include <stdlib.h>
#include <string.h>

static const char *const asked[] = {"+sea\n", "+sea\n=holiday\n=Dog\n", "-\n", "+sea\n+dog\n", ""};
enum { ASKED = sizeof asked / sizeof *asked };

static answer read_keywords(const void *data, size_t size)
{
    answer a = {.status = F0T_OK};
    if (size)
        keywords_of_xmp(&a, data, size);
    return a;
}

static bool is_ours(const char *line, size_t length)
{
    return (length >= 5 && !memcmp(line, "ours\t", 5)) ||
           (length >= 8 && !memcmp(line, "carried\t", 8));
}

/* The packet itself may say, in a second place, that the word is ours: then it may go. */
static bool is_twice(const char *packet, size_t size, const char *word, size_t length)
{
    const char *first = memmem(packet, size, word, length);
    return first && memmem(first + 1, (size_t)(packet + size - first - 1), word, length);
}

/* Whether a line of `from`, which is what `packet` has, that is a person's is not among those of `in`, nor what was asked
 * for. */
static bool lacks(const answer *from, const answer *in, const char *lines, const char *packet,
                  size_t size)
{
    if (!from->length)
        return false;
    const char *line = from->data, *end = from->data + from->length, *stop;
    for (; line < end; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        const char *word = memchr(line, '\t', (size_t)(stop - line));
        if (is_ours(line, (size_t)(stop - line)) ||
            (in->length && memmem(in->data, in->length, line, (size_t)(stop + 1 - line))))
            continue;
        if (!memmem(lines, strlen(lines), word + 1, (size_t)(stop - word - 1)) &&
            !is_twice(packet, size, word + 1, (size_t)(stop - word - 1)))
            return true;
    }
    return false;
}

static void check_passed(const char *old, size_t length, const f0t_xmp_merged *merged,
                         const char *lines)
{
    answer before = read_keywords(old, length), after = read_keywords(merged->text, merged->length);
    if (before.status == F0T_OK && after.status == F0T_OK &&
        (lacks(&before, &after, "", old, length) || lacks(&after, &before, lines, old, length)))
        abort();
    free(before.data);
    free(after.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool started;
    if (!started && !xmp_start())
        abort();
    started = true;
    const char *old = (const char *)data + 1, *end = (const char *)data + size;
    const char *mark = size ? memmem(old, size - 1, "\n%\n", 3) : NULL;
    if (!mark)
        return 0;
    const char *lines = asked[data[0] % ASKED];
    const f0t_xmp_merged merged = {
        .text = mark + 3, .length = (size_t)(end - mark - 3), .changed = true, .change = ""};
    if (f0t_merge_check(&merged, old, (size_t)(mark - old), lines, "fuzz.xmp") == F0T_OK)
        check_passed(old, (size_t)(mark - old), &merged, lines);
    return 0;
}
