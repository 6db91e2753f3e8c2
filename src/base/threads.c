/* Threads for the whole process: going away, contexts take their place. */
#include "base/context.h"

#ifdef _OPENMP
#include <omp.h>
#endif

static f0t_context everybody = {.threads = 1};

void f0t_threads_set(int count)
{
#ifdef _OPENMP
    everybody.threads = count > 0 ? count : omp_get_num_procs();
#endif
    f0t_context_enter(&everybody);
}

int f0t_threads_get(void)
{
    return f0t_context_wanted();
}
