/* Our own form. The first two bytes are the length of the JSON, so that the fuzzer need not learn the
 * length field of safetensors. */
#include "fuzz.h"
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_vectors *vectors;
    if (size < 2)
        return 0;
    size_t json = ((size_t)data[0] | (size_t)data[1] << 8) % (size - 1);
    uint8_t *file = malloc(size + 6);
    if (!file)
        return 0;
    memset(file, 0, 8);
    file[0] = (uint8_t)(json & 0xFF);
    file[1] = (uint8_t)(json >> 8);
    memcpy(file + 8, data + 2, size - 2);
    if (f0t_vectors_open_memory(&vectors, file, size + 6, "input", NULL, NULL) == F0T_OK)
        use_and_close(vectors);
    free(file);
    return 0;
}
