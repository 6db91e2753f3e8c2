/* The number of threads a call may use, given to the libraries that ask OpenMP for it. */
#ifndef F0T_BASE_TEAM_H
#define F0T_BASE_TEAM_H

#include "fast0tag.h"

#include <stdbool.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* Threads that the calling thread's next parallel work will have: those of its context
 * (base/context.h), one inside a parallel region. Every region of the library takes its number from here, because this is also
 * what keeps threads that wait from spinning. */
int f0t_team_size(void);

/* Work of many short regions begins and ends: until then the caller's threads stay awake between two of them, unless
 * other programs want the processors. The end is told what the beginning returned. */
bool f0t_team_wake(void);
void f0t_team_rest(bool awake);

/* The number of the calling thread in its team, from 0. */
static inline int f0t_team_member(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/* Libraries ask OpenMP how many threads there are, which keeps the number for each calling thread apart.
 * Enter sets the caller's number to that of its context, leave puts back what enter returned. */
static inline int f0t_team_enter(void)
{
#ifdef _OPENMP
    int before = omp_get_max_threads(), size = f0t_team_size();
    if (before != size)
        omp_set_num_threads(size);
    return before;
#else
    return 1;
#endif
}

static inline void f0t_team_leave(int before)
{
#ifdef _OPENMP
    if (before != omp_get_max_threads())
        omp_set_num_threads(before);
#else
    (void)before;
#endif
}

#endif
