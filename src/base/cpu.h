/*
 * Which of the compiled instruction sets this CPU can run. A file listed in CMakeLists.txt as a
 * kernel file is compiled once for each level, with F0T_KERNEL(name) giving each copy its own
 * names; a table of function pointers, chosen by f0t_cpu_level(), stands in front.
 */
#ifndef F0T_BASE_CPU_H
#define F0T_BASE_CPU_H

typedef enum f0t_cpu {
    F0T_CPU_V1, /* every x86-64: SSE2. The plain fallback. */
    F0T_CPU_V3, /* AVX2, FMA, F16C */
    F0T_CPU_V4, /* AVX-512 F, BW, CD, DQ, VL */
    F0T_CPU_LEVELS
} f0t_cpu;

/* The best level of this CPU; the environment variable F0T_MAX_CPU (v1, v3, v4) lowers it. */
f0t_cpu f0t_cpu_level(void);

/* In a kernel file: the name of this copy of a function, f0t_NAME_v1, _v3 or _v4. */
#define F0T_KERNEL(name) F0T_KERNEL_PASTE(name, F0T_KERNEL_LEVEL)
#define F0T_KERNEL_PASTE(name, level) F0T_KERNEL_JOIN(name, level)
#define F0T_KERNEL_JOIN(name, level) f0t_##name##_##level

/* Declares the three copies, and picks one by level. */
#define F0T_KERNEL_DECLARE(type, name, args) \
    type f0t_##name##_v1 args;               \
    type f0t_##name##_v3 args;               \
    type f0t_##name##_v4 args
#define F0T_KERNEL_PICK(name)                          \
    (f0t_cpu_level() == F0T_CPU_V4   ? f0t_##name##_v4 \
     : f0t_cpu_level() == F0T_CPU_V3 ? f0t_##name##_v3 \
                                     : f0t_##name##_v1)

#endif
