/* Our own form of word vectors. */
#include "fuzz.h"
#include "vectors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_vectors *vectors;
    if (f0t_vectors_open_memory(&vectors, data, size, "input", NULL, NULL) == F0T_OK)
        use_and_close(vectors);
    return 0;
}
