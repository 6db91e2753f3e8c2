#include "math/dots.h"

#if defined(__x86_64__)

#include "base/monitor.h"

#include <pthread.h>

/* The time of an instruction, whatever the compiler makes of loops: twelve sums at a time, so that none waits for its
 * last one, in as many rounds as a slow clock does not matter for. */
#define EACH(op, with)                                                                  \
    op with "%%zmm0\n" op with "%%zmm1\n" op with "%%zmm2\n" op with "%%zmm3\n" op with \
            "%%zmm4\n" op with "%%zmm5\n" op with "%%zmm6\n" op with "%%zmm7\n" op with \
            "%%zmm8\n" op with "%%zmm9\n" op with "%%zmm10\n" op with "%%zmm11\n"
#define CLEAR EACH("vpxorq ", "%%zmm12, %%zmm12, ") "vpxorq %%zmm12, %%zmm12, %%zmm12\n"
#define LOOP(op) "1:\n" EACH(op, " %%zmm12, %%zmm12, ") "dec %0\n jnz 1b\n vzeroupper\n"
#define REPEAT(op)                                                                           \
    __asm__ volatile(CLEAR LOOP(op)                                                          \
                     : "+r"(rounds)                                                          \
                     :                                                                       \
                     : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", \
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12")

enum { ROUNDS = 4096, TRIES = 8 };

/* One of bfloat16 has twice the products of one of float32. */
static const double MOST_TIME = 1.5;

static void multiply_floats(long rounds)
{
    REPEAT("vfmadd231ps");
}

static void multiply_bf16(long rounds)
{
    REPEAT("vdpbf16ps");
}

static double time_of(void (*multiply)(long))
{
    const double start = f0t_time();
    multiply(ROUNDS);
    return f0t_time() - start;
}

static bool fast;

/* The best of tries in turns: other programs only ever make one longer. */
static void measure(void)
{
    double floats = 1, dots = 1;
    for (int n = 0; n < TRIES; n++) {
        const double a = time_of(multiply_floats), b = time_of(multiply_bf16);
        floats = a < floats ? a : floats;
        dots = b < dots ? b : dots;
    }
    fast = dots < MOST_TIME * floats;
}

bool f0t_dots_are_fast(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, measure);
    return fast;
}

#else

bool f0t_dots_are_fast(void)
{
    return false;
}

#endif
