#include "fast0tag.h"

#include <stdatomic.h>

#ifdef _OPENMP
#include <omp.h>
#endif

static atomic_int wanted; /* 0: as many as the machine has */

void f0t_threads_set(int count)
{
    atomic_store(&wanted, count > 0 ? count : 0);
#ifdef _OPENMP
    omp_set_num_threads(count > 0 ? count : omp_get_num_procs());
#endif
}

int f0t_threads_get(void)
{
#ifdef _OPENMP
    int count = atomic_load(&wanted);
    return count > 0 ? count : omp_get_max_threads();
#else
    return 1;
#endif
}
