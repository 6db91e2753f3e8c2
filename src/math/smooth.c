#include "math/smooth.h"

#include "base/kernels.h"
#include "base/team.h"

enum { CHUNK = 1 << 13 }; /* numbers that a thread takes at a time */

bool f0t_smooth_suits(const f0t_after *after)
{
    const bool known = after->kind == F0T_ACTIVATION_SWISH || after->kind == F0T_ACTIVATION_GELU;
#if defined(__x86_64__)
    return known && f0t_cpu_level() >= F0T_CPU_WIDE;
#else
    (void)known;
    return false;
#endif
}

static void run_chunk(float *y, const f0t_after *after, const float *x, size_t count)
{
    if (after->kind == F0T_ACTIVATION_GELU)
        f0t_kernels()->gelu_block(y, x, count);
    else
        f0t_kernels()->swish_block(y, x, count, -1.44269504F * after->alpha);
}

void f0t_smooth_run(float *y, const f0t_smooth *how, const float *x)
{
    const int team = f0t_team_size(), threads = team < how->threads ? team : how->threads;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < how->count; i += CHUNK)
        run_chunk(y + i, &how->after, x + i, how->count - i < CHUNK ? how->count - i : CHUNK);
}
