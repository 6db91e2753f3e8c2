/* Records of word2vec's binary form: the first byte chooses the header, the rest follows it. */
#include "fuzz.h"
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_vectors *vectors;
    f0t_vectors_options options = {.size = sizeof(f0t_vectors_options),
                                   .tolerant = size > 0 && data[0] & 0x80};
    if (size == 0)
        return 0;
    char *text = malloc(size + 32);
    if (!text)
        return 0;
    size_t n = (size_t)sprintf(text, "%d %d\n", data[0] & 7, (data[0] >> 3 & 15) + 1);
    memcpy(text + n, data + 1, size - 1);
    if (f0t_vectors_open_memory(&vectors, text, n + size - 1, "input", &options, NULL) == F0T_OK)
        use_and_close(vectors);
    free(text);
    return 0;
}
