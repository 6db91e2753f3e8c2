/*
 * Which of the compiled instruction sets this CPU can run. A file named *_kernels.c is compiled once
 * per level (CMakeLists.txt has the compiler's options); base/kernels.h has the table of the functions
 * in them.
 */
#ifndef F0T_BASE_CPU_H
#define F0T_BASE_CPU_H

#include <stdbool.h>

/* What a level is depends on the architecture; not every one has all of them.
 *             x86-64                             arm64
 *     BASE    v1: SSE2                           NEON, which has fused products
 *     WIDE    v3: AVX2, FMA, F16C                -
 *     WIDEST  v4: AVX-512 F, BW, CD, DQ, VL      -
 */
typedef enum f0t_cpu { F0T_CPU_BASE, F0T_CPU_WIDE, F0T_CPU_WIDEST, F0T_CPU_LEVELS } f0t_cpu;

/* The best level of this CPU. The environment variable F0T_MAX_CPU lowers it: "base", "wide" or
 * "widest", or by x86-64's names "v1", "v3" or "v4". */
f0t_cpu f0t_cpu_level(void);

/* The same, by the environment of now: the first call of f0t_cpu_level decides for the process, and what asks while the library
 * is loaded leaves it to a program that sets F0T_MAX_CPU itself. */
f0t_cpu f0t_cpu_level_now(void);

/* Whether kernels of this level may use the instructions that add up products of bytes: AVX512-VNNI at WIDEST,
 * AVX-VNNI at WIDE. */
bool f0t_cpu_vnni(f0t_cpu level);

#endif
