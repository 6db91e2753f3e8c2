#include "fuzz.h"

#include "io/safetensors.h"

#include <stdlib.h>
#include <string.h>

/* Every byte that the reader promised is there. */
static void touch(const f0t_safetensors *file)
{
    volatile unsigned sum = 0; /* kept by the compiler */
    for (size_t i = 0; i < f0t_safetensors_count(file); i++) {
        const f0t_tensor *t = f0t_safetensors_at(file, i);
        if ((uintptr_t)t->data % f0t_dtype_size(t->dtype) != 0)
            abort();
        for (size_t k = 0; k < t->count * f0t_dtype_size(t->dtype); k++)
            sum += ((const uint8_t *)t->data)[k];
        if (!f0t_safetensors_find(file, t->name))
            abort();
    }
    for (size_t i = 0; i < f0t_safetensors_metadata_count(file); i++) {
        const char *key, *value;
        f0t_safetensors_metadata_at(file, i, &key, &value);
        sum += (unsigned)strlen(value);
        if (!f0t_safetensors_metadata(file, key))
            abort();
    }
    (void)sum;
}

static void load(const uint8_t *data, size_t size)
{
    f0t_safetensors *file;
    if (f0t_safetensors_open_memory(&file, data, size, "fuzz.safetensors") != F0T_OK)
        return;
    touch(file);
    f0t_safetensors_close(file);
}

/* As it is, and with a length that ends the header at its last brace: changes of the JSON hardly
 * ever keep it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t end = size;
    load(data, size);
    while (end > 8 && data[end - 1] != '}')
        end--;
    uint8_t *copy = malloc(size ? size : 1);
    if (end <= 8 || !copy) {
        free(copy);
        return 0;
    }
    memcpy(copy, data, size);
    for (size_t i = 0; i < 8; i++)
        copy[i] = (uint8_t)((uint64_t)(end - 8) >> 8 * i);
    load(copy, size);
    free(copy);
    return 0;
}
