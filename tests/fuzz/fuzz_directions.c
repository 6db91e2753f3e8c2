/* The directions beside a catalogue, ranked where they lie. */
#include "fuzz.h"
#include "tensors.h"

#include "catalogue/directions.h"

#include <stdlib.h>

enum { K = 5, DIM_MOST = 64 };

static void use(const f0t_directions *d)
{
    uint32_t index[K];
    float score[K], query[DIM_MOST];
    const size_t k = d->count < K ? d->count : K;
    for (size_t i = 0; i < DIM_MOST; i++)
        query[i] = i % 2 ? -0.5F : 1;
    if (d->dim <= DIM_MOST && f0t_directions_top(index, score, k, d, query) == F0T_OK)
        for (size_t i = 0; i < k; i++)
            if (index[i] >= d->count)
                abort();
    for (size_t i = 0; i < d->count && i < 100; i++) {
        const size_t found = f0t_directions_find(d, d->ids[i]);
        if (found != F0T_NONE && found >= d->count)
            abort();
    }
    volatile float sum = 0; /* kept by the compiler */
    for (size_t i = 0; i < d->dim; i++)
        sum += d->mean[i];
    (void)sum;
}

/* The stamp that the catalogue would have. */
static uint64_t stamp_of(const uint8_t *data, size_t size)
{
    f0t_safetensors *file;
    uint64_t stamp = 0;
    if (f0t_safetensors_open_memory(&file, data, size, "fuzz") != F0T_OK)
        return 0;
    (void)f0t_safetensors_number(&stamp, file, "stamp", 16);
    f0t_safetensors_close(file);
    return stamp;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_directions *directions;
    if (f0t_directions_open_memory(&directions, data, size, "fuzz", stamp_of(data, size)) ==
        F0T_OK) {
        use(directions);
        f0t_directions_close(directions);
    }
    return 0;
}
