/* Any bytes as word vectors, strictly and tolerantly: GloVe, word2vec and fastText text. */
#include "fuzz.h"
#include "vectors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int tolerant = 0; tolerant < 2; tolerant++) {
        f0t_vectors *vectors;
        f0t_vectors_options options = {.size = sizeof(f0t_vectors_options), .tolerant = tolerant};
        if (f0t_vectors_open_memory(&vectors, data, size, "input", &options, NULL) == F0T_OK)
            use_and_close(vectors);
    }
    return 0;
}
