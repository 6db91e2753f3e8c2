/* What goes wrong in this process's messages: the first of it is what the process says in the end. */
#include "mpi/mpi.h"

#include <stdio.h>
#include <string.h>

static void keep(const char *text)
{
    pthread_mutex_lock(&f0t_mpi.lock);
    if (!*f0t_mpi.problem)
        snprintf(f0t_mpi.problem, sizeof f0t_mpi.problem, "%s", text);
    pthread_mutex_unlock(&f0t_mpi.lock);
}

/* Only between MPI_Init and MPI_Finalize does MPI say what an error is, and on one line as a rule. */
static void describe(char *text, int code)
{
    int began = 0, length = 0;
    *text = 0;
    if (MPI_Initialized(&began) == MPI_SUCCESS && began)
        MPI_Error_string(code, text, &length);
    text[strcspn(text, "\n")] = 0;
}

bool f0t_mpi_done(int code, const char *call)
{
    char why[MPI_MAX_ERROR_STRING + 1], text[F0T_MPI_PROBLEM_SIZE];
    if (code == MPI_SUCCESS)
        return true;
    describe(why, code);
    snprintf(text, sizeof text, "Open MPI: %.*s failed%s%.300s", (int)strcspn(call, "("), call,
             *why ? ": " : "", why);
    keep(text);
    return false;
}

bool f0t_mpi_lack_memory(const char *what)
{
    char text[F0T_MPI_PROBLEM_SIZE];
    snprintf(text, sizeof text, "no memory for %s", what);
    keep(text);
    return false;
}

void f0t_mpi_give_up(void)
{
    f0t_mpi.host.free_nothing();
    pthread_mutex_lock(&f0t_mpi.lock);
    f0t_mpi_set_failed();
    pthread_cond_broadcast(&f0t_mpi.changed);
    pthread_mutex_unlock(&f0t_mpi.lock);
}
