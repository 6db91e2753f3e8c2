/* A worker for all tests of a program. */
#ifndef F0T_TESTS_ONE_WORKER_H
#define F0T_TESTS_ONE_WORKER_H

#include "image/worker.h"

static f0t_worker *worker;

static int start(void **state)
{
    (void)state;
    return f0t_worker_create(&worker) == F0T_OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    f0t_worker_free(worker);
    return 0;
}

#endif
