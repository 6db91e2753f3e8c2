#include "base/cpu.h"

#include "base/kernels.h"

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
    return v4 ? F0T_CPU_WIDEST : v3 ? F0T_CPU_WIDE : F0T_CPU_BASE;
#else
    return F0T_CPU_BASE;
#endif
}

/* What F0T_MAX_CPU allows. */
static f0t_cpu limit(void)
{
    static const char *const names[][2] = {{"base", "v1"}, {"wide", "v3"}, {"widest", "v4"}};
    const char *name = getenv("F0T_MAX_CPU");
    for (int level = 0; name && level < F0T_CPU_LEVELS; level++)
        if (!strcmp(name, names[level][0]) || !strcmp(name, names[level][1]))
            return (f0t_cpu)level;
    return F0T_CPU_WIDEST;
}

f0t_cpu f0t_cpu_level_now(void)
{
    const f0t_cpu most = limit(), best = detect();
    return best < most ? best : most;
}

f0t_cpu f0t_cpu_level(void)
{
    static atomic_int known; /* level + 1; 0: not yet asked */
    int level = atomic_load_explicit(&known, memory_order_relaxed) - 1;
    if (level < 0) {
        level = (int)f0t_cpu_level_now();
        atomic_store_explicit(&known, level + 1, memory_order_relaxed);
    }
    return (f0t_cpu)level;
}

/* Not every compiler's __builtin_cpu_supports knows the second. */
bool f0t_cpu_vnni(f0t_cpu level)
{
#if defined(__x86_64__)
    enum {
        AVX512_VNNI = 1 << 11,
        AVX_VNNI = 1 << 4
    }; /* of leaf 7: in ecx, and in eax of its next page */
    unsigned a, b, c, d;
    if (level == F0T_CPU_WIDEST)
        return __get_cpuid_count(7, 0, &a, &b, &c, &d) && c & AVX512_VNNI;
    return level == F0T_CPU_WIDE && __get_cpuid_count(7, 1, &a, &b, &c, &d) && a & AVX_VNNI;
#else
    (void)level;
    return false;
#endif
}

/* ---- The tables ---------------------------------------------------------------------------------- */

extern const f0t_kernel_table f0t_kernel_table_base;
#ifdef F0T_KERNEL_LEVELS_X86
extern const f0t_kernel_table f0t_kernel_table_wide, f0t_kernel_table_widest;
#endif

const f0t_kernel_table *f0t_kernels_of(f0t_cpu level)
{
#ifdef F0T_KERNEL_LEVELS_X86
    static const f0t_kernel_table *const tables[F0T_CPU_LEVELS] = {
        &f0t_kernel_table_base, &f0t_kernel_table_wide, &f0t_kernel_table_widest};
    return tables[level];
#else
    (void)level;
    return &f0t_kernel_table_base;
#endif
}

_Atomic(const f0t_kernel_table *) f0t_kernels_chosen;

const f0t_kernel_table *f0t_kernels_choose(void)
{
    const f0t_kernel_table *table = f0t_kernels_of(f0t_cpu_level());
    atomic_store_explicit(&f0t_kernels_chosen, table, memory_order_relaxed);
    return table;
}
