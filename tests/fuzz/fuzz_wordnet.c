/* A WordNet in one input: its files one after another, each ended by a line of "%" alone, in the
 * order data, index, exceptions (each noun, verb, adj, adv), counts. */
#include "fuzz.h"

#include "word/wordnet_gloss.h"

#include <string.h>

static f0t_wordnet_file next_file(const char **at, const char *end)
{
    const char *begin = *at, *p = begin;
    while (p < end && !(*p == '%' && (p == begin || p[-1] == '\n') && p + 1 < end && p[1] == '\n'))
        p++;
    *at = p < end ? p + 2 : end;
    return (f0t_wordnet_file){"fuzz", begin, (size_t)(p - begin)};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data, *end = at + size;
    f0t_wordnet_files files;
    f0t_wordnet wordnet;
    f0t_mentions mentions;
    if (size == 0)
        return 0;
    f0t_wordnet_file *groups[] = {files.data, files.index, files.exceptions};
    for (int group = 0; group < 3; group++)
        for (int pos = 0; pos < F0T_POS_COUNT; pos++)
            groups[group][pos] = next_file(&at, end);
    files.counts = next_file(&at, end);
    if (f0t_wordnet_read(&wordnet, &files) == F0T_OK &&
        f0t_mentions_find(&mentions, &wordnet) == F0T_OK)
        f0t_mentions_clear(&mentions);
    f0t_wordnet_clear(&wordnet);
    return 0;
}
