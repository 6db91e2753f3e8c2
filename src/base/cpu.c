#include "base/cpu.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#if defined(__x86_64__)
/* F16C, MOVBE and LZCNT belong to x86-64-v3; not every compiler's __builtin_cpu_supports has them.
 */
static bool has_rest_of_v3(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_F16C) || !(c & bit_MOVBE))
        return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}
#endif

static f0t_cpu detect(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init(); /* looks at what the system saves of the registers, too */
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && has_rest_of_v3();
    bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
    return v4 ? F0T_CPU_V4 : v3 ? F0T_CPU_V3 : F0T_CPU_V1;
#else
    return F0T_CPU_V1;
#endif
}

f0t_cpu f0t_cpu_level(void)
{
    static atomic_int known; /* level + 1; 0: not yet asked */
    int level = atomic_load_explicit(&known, memory_order_relaxed) - 1;
    if (level < 0) {
        const char *limit = getenv("F0T_MAX_CPU");
        f0t_cpu most = !limit                 ? F0T_CPU_V4
                       : !strcmp(limit, "v1") ? F0T_CPU_V1
                       : !strcmp(limit, "v3") ? F0T_CPU_V3
                                              : F0T_CPU_V4;
        level = (int)detect();
        if (level > (int)most)
            level = (int)most;
        atomic_store_explicit(&known, level + 1, memory_order_relaxed);
    }
    return (f0t_cpu)level;
}
