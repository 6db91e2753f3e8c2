/*
 * OpenBLAS chooses its kernels when it is loaded, by a list of the CPUs that it knows: 0.3.21 (Debian 12) takes an Intel
 * server of 2023 for a Prescott of 2004, and multiplies and factorises at a quarter of the speed or less. Here it
 * is told to choose again, before anybody has used it: while the process has one thread, no other is inside of it.
 */
#include "math/blas.h"

#include "base/cpu.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)

/* OpenBLAS's own; NULL where it was built for one CPU, or another library is in its place. */
extern void gotoblas_dynamic_init(void) __attribute__((weak));
extern void gotoblas_dynamic_quit(void) __attribute__((weak));
extern char *openblas_get_corename(void) __attribute__((weak));

static const char VARIABLE[] = "OPENBLAS_CORETYPE";

/* Where the system does not tell, there may be more. */
static bool is_alone(void)
{
    DIR *tasks = opendir("/proc/self/task");
    size_t count = 0;
    if (!tasks)
        return false;
    for (const struct dirent *entry; (entry = readdir(tasks));)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count == 1;
}

static bool is_mistaken(void)
{
    return gotoblas_dynamic_init && gotoblas_dynamic_quit && openblas_get_corename &&
           f0t_cpu_level_now() > F0T_CPU_BASE && !strcmp(openblas_get_corename(), "Prescott");
}

__attribute__((constructor)) void f0t_blas_choose(void)
{
    if (getenv(VARIABLE) || !is_mistaken() || !is_alone())
        return;
    if (setenv(VARIABLE, f0t_cpu_level_now() == F0T_CPU_WIDEST ? "SkylakeX" : "Haswell", 1))
        return;
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    unsetenv(VARIABLE);
}

#else

void f0t_blas_choose(void)
{
}

#endif
