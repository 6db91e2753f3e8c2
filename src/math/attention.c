#include "math/attention.h"

#include "base/kernels.h"
#include "base/size.h"

bool f0t_attention_native(void)
{
#if defined(__x86_64__)
    return f0t_cpu_level() >= F0T_CPU_WIDE;
#else
    return false;
#endif
}

static size_t filled_up(size_t count, size_t panel)
{
    return (count + panel - 1) / panel * panel;
}

size_t f0t_attention_room(const f0t_attention *h)
{
    const size_t most = PTRDIFF_MAX / 64;
    size_t keys, values;
    if (h->n > most || h->inner > most || h->width > most ||
        !f0t_size_mul(&keys, filled_up(h->n, F0T_ATTENTION_COLUMNS),
                      h->inner + F0T_ATTENTION_ROWS) ||
        !f0t_size_mul(&values, filled_up(h->width, F0T_ATTENTION_VALUES), h->n) ||
        keys > PTRDIFF_MAX / 2 / sizeof(float) || values > PTRDIFF_MAX / 2 / sizeof(float))
        return 0;
    return keys + values;
}

void f0t_attention_run(float *result, const float *q, const float *k, const float *v,
                       const f0t_attention *h, float *room)
{
    f0t_kernels()->attention_head(result, q, k, v, h, room);
}
