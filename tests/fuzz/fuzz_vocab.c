/* Lines of any bytes as tags: keys, spellings, lookups and suggestions. */
#include "fuzz.h"

#include "base/alloc.h"
#include "word/normal.h"

#include <stdlib.h>
#include <string.h>

enum { TAGS_MOST = 16 };

static const char words[] = "dog 1 0\ntree 0 1\npalm 1 1\nBuses 2 1\nfire_engine 1 3\n"
                            "stra\xC3\x9F"
                            "e 1 2\n";

/* The key of a key is itself, and lookup knows a tag by its key. */
static void check_key(const char *tag, const f0t_vocab *vocab)
{
    f0t_word_text once, twice;
    size_t by_tag, by_key;
    if (f0t_normal_key(&once, tag, strlen(tag)) != F0T_OK)
        abort();
    if (once.length <= F0T_TAG_MOST) {
        if (f0t_normal_key(&twice, once.data, once.length) != F0T_OK ||
            twice.length != once.length || memcmp(once.data, twice.data, once.length) != 0 ||
            f0t_vocab_find(&by_tag, vocab, tag) != F0T_OK ||
            f0t_vocab_find(&by_key, vocab, once.data) != F0T_OK || by_tag != by_key)
            abort();
        f0t_free(twice.data);
    }
    f0t_free(once.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *tags[TAGS_MOST];
    size_t count = 0;
    static f0t_vectors *vectors; /* opened once */
    f0t_vocab *vocab;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    char *rest = text;
    for (char *tag; count < TAGS_MOST && (tag = strsep(&rest, "\n"));)
        tags[count++] = tag;
    if (!vectors &&
        f0t_vectors_open_memory(&vectors, words, sizeof words - 1, "v", NULL, NULL) != F0T_OK)
        abort();
    if (f0t_vocab_create(&vocab, tags, count, vectors, NULL, NULL) == F0T_OK) {
        for (size_t i = 0; i < count; i++)
            check_key(tags[i], vocab);
        f0t_vocab_free(vocab);
    }
    free(text);
    return 0;
}
