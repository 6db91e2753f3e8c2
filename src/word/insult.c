#include "word/insult.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "word/inflect.h"
#include "word/insult_table.h"
#include "word/normal.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool is_listed(uint64_t hash)
{
    return bsearch(&hash, insult_hashes, sizeof insult_hashes / sizeof *insult_hashes,
                   sizeof *insult_hashes, compare) != NULL;
}

/* The key as it is, then with its last word in the singular. */
static bool is_listed_key(const char *key, size_t length)
{
    f0t_inflections singulars;
    const char *space = memrchr(key, ' ', length);
    const size_t last = space ? (size_t)(space - key) + 1 : 0;
    const uint64_t before = f0t_hash(F0T_HASH_START, key, last);
    if (is_listed(f0t_hash(before, key + last, length - last)))
        return true;
    f0t_singulars(&singulars, key + last, length - last);
    for (size_t i = 0; i < singulars.count; i++)
        if (is_listed(f0t_hash(before, singulars.text[i], strlen(singulars.text[i]))))
            return true;
    return false;
}

f0t_status f0t_word_insults(bool *out, const char *word, size_t length)
{
    f0t_word_text key;
    *out = false;
    F0T_TRY(f0t_normal_key(&key, word, length));
    *out = is_listed_key(key.data, key.length);
    f0t_free(key.data);
    return F0T_OK;
}
