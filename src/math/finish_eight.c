#include "math/finish_eight.h"

#include "base/cpu.h"
#include "math/finish.h"

#include <math.h>

bool f0t_finish_eight_native(void)
{
#if defined(__x86_64__)
    return f0t_cpu_level() == F0T_CPU_WIDEST && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
#else
    return false;
#endif
}

/* The sum's numbers, and those of a scaled sum of products, stay below it: two of them and their rounding fit 32 bits. */
static const float MOST = 0x1p29F;

static bool is_small(const f0t_layer_conv *c, size_t products)
{
    const float largest = (float)products * UINT8_MAX * -INT8_MIN;
    for (size_t k = 0; k < c->filters; k++)
        if (!(fabsf(c->rescale->scales[k]) * largest <= MOST))
            return false;
    return true;
}

static bool is_number(const f0t_after *after, float most)
{
    return fabsf(after->alpha) <= most && fabsf(after->beta) <= most;
}

/* Limits, perhaps a shift, and the sum with the result's memory. */
static bool read_sum(f0t_finish_eight *f, const f0t_after *after, size_t count)
{
    const bool shifts = count == 3 && after[1].kind == F0T_ACTIVATION_LINEAR && after[1].alpha == 1;
    const f0t_after *last = after + count - 1;
    for (size_t k = 0; k < count; k++)
        if (!is_number(&after[k], MOST / UINT8_MAX))
            return false;
    if ((count != 2 && !shifts) || after->kind != F0T_ACTIVATION_CLIP ||
        last->kind != F0T_ACTIVATION_SUM)
        return false;
    f->sum = true;
    f->low = after->alpha;
    f->high = after->beta;
    f->zero += shifts ? after[1].beta : 0;
    f->factor = last->alpha;
    return true;
}

/* What is rounded after it is limited is limited after it is rounded. */
static uint8_t limit(float x)
{
    return (uint8_t)lrintf(fminf(fmaxf(x, 0), UINT8_MAX));
}

bool f0t_finish_eight_read(f0t_finish_eight *out, const f0t_layer_conv *c, size_t products)
{
    const size_t count = c->after_count;
    const int32_t lowest = c->result == F0T_I8 ? INT8_MIN : 0;
    const float zero = (float)(c->rescale->result_zero - lowest);
    f0t_finish finish = {.low = -INFINITY, .high = INFINITY};
    *out = (f0t_finish_eight){.zero = zero, .flip = lowest ? 0x80 : 0};
    if ((c->result != F0T_U8 && c->result != F0T_I8) || !is_small(c, products))
        return false;
    if (!(count > 1
              ? read_sum(out, c->after, count)
              : f0t_finish_read(&finish, c->after, count) && finish.kind == F0T_FINISH_LIMITS))
        return false;
    out->least = limit(finish.low + zero);
    out->most = limit(finish.high + zero);
    if (out->sum)
        out->zero +=
            (float)lowest * out->factor; /* of the memory, which is counted from there, too */
    return true;
}

float f0t_finish_eight_offset(const f0t_finish_eight *f, float bias, float scale)
{
    const float offset = bias * scale + (f->sum ? 0 : f->zero);
    return fminf(fmaxf(offset, -2 * MOST), 2 * MOST);
}
