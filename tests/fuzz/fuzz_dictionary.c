/* A dictionary in one input: its index, a line of "%" alone, and its entries. */
#include "fuzz.h"

#include "word/dictionary.h"

#include <stdlib.h>
#include <string.h>

static void read_all(const f0t_dictionary *d)
{
    for (size_t w = 0; w < f0t_dictionary_count(d); w++)
        for (size_t m = 0; m < f0t_dictionary_meanings(d, w); m++) {
            f0t_texts texts = {0};
            if (f0t_dictionary_translations(&texts, d, w, m) != F0T_OK)
                abort();
            for (size_t i = 0; i < texts.count; i++)
                if (f0t_texts_length(&texts, i) == 0)
                    abort();
            f0t_texts_free(&texts);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *end = text + size;
    const char *mark = size ? memmem(text, size, "\n%\n", 3) : NULL;
    f0t_dictionary *d = NULL;
    if (!mark)
        return 0;
    if (f0t_dictionary_read(&d, text, (size_t)(mark + 1 - text), mark + 3, (size_t)(end - mark - 3),
                            "fuzz") == F0T_OK)
        read_all(d);
    f0t_dictionary_close(d);
    return 0;
}
