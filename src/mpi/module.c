/* The module's door: the group, and its table of functions. */
#include "mpi/mpi.h"

#include "base/module.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

f0t_mpi_state f0t_mpi;

/* ---- Exchanges ---------------------------------------------------------------------------------- */

/* MPI counts in int. */
static f0t_status check_size(size_t n, size_t size)
{
    return n <= INT_MAX / size ? F0T_OK
                               : f0t_mpi.host.fail(F0T_ERROR_ARGUMENT,
                                                   "%zu elements are too many for one exchange", n);
}

static f0t_status begin(f0t_exchange **out, f0t_exchange given)
{
    *out = NULL;
    f0t_exchange *e = malloc(sizeof *e);
    if (!e) {
        free(given.copy);
        return f0t_mpi.host.fail(F0T_ERROR_MEMORY, "no memory for an exchange");
    }
    *e = given;
    pthread_mutex_lock(&f0t_mpi.lock);
    if (f0t_mpi.first)
        f0t_mpi.last->next = e;
    else
        f0t_mpi.first = e;
    f0t_mpi.last = e;
    pthread_cond_signal(&f0t_mpi.queued);
    pthread_mutex_unlock(&f0t_mpi.lock);
    *out = e;
    return F0T_OK;
}

/* What this process could not send or receive; false: nothing went wrong. */
static bool has_problem(char problem[F0T_MPI_PROBLEM_SIZE])
{
    pthread_mutex_lock(&f0t_mpi.lock);
    memcpy(problem, f0t_mpi.problem, F0T_MPI_PROBLEM_SIZE);
    pthread_mutex_unlock(&f0t_mpi.lock);
    return *problem;
}

static f0t_status fail_with_others(void)
{
    char problem[F0T_MPI_PROBLEM_SIZE];
    return has_problem(problem)
               ? f0t_mpi.host.fail(F0T_ERROR_IO, "%s", problem)
               : f0t_mpi.host.fail(F0T_ERROR_INTERRUPTED, "another process has failed");
}

/* `whatever`: also where a process has failed. What is then still under way keeps its memory to the end of the
 * process, which is near. */
static f0t_status finish(f0t_exchange *e, bool whatever)
{
    const double began = f0t_mpi_time();
    pthread_mutex_lock(&f0t_mpi.lock);
    while (!e->done && (whatever || !f0t_mpi_failed()))
        pthread_cond_wait(&f0t_mpi.changed, &f0t_mpi.lock);
    const bool done = e->done, refused = e->refused;
    f0t_mpi.traffic.waited += f0t_mpi_time() - began;
    pthread_mutex_unlock(&f0t_mpi.lock);
    if (!done || refused) /* refused by MPI itself, it may still be under way */
        return fail_with_others();
    if (e->copy && e->kind != F0T_MPI_RESULT)
        memcpy(e->x, e->copy, e->n * e->size);
    free(e->copy);
    free(e);
    return F0T_OK;
}

/* The same with a copy of x, which is often the caller's stack. */
static f0t_status begin_copied(f0t_exchange **out, f0t_exchange given)
{
    *out = NULL;
    f0t_status status = check_size(given.n, given.size);
    if (status != F0T_OK)
        return status;
    given.copy = malloc(given.n * given.size + 1);
    if (!given.copy)
        return f0t_mpi.host.fail(F0T_ERROR_MEMORY, "no memory for an exchange");
    if (given.n)
        memcpy(given.copy, given.x, given.n * given.size);
    return begin(out, given);
}

static f0t_status sum(f0t_exchange **out, float *x, size_t n)
{
    f0t_status status = check_size(n, sizeof *x);
    return status == F0T_OK
               ? begin(out, (f0t_exchange){.kind = F0T_MPI_SUM, .x = x, .n = n, .size = sizeof *x})
               : status;
}

static f0t_status share(f0t_exchange **out, void *x, size_t n, size_t size)
{
    if (size != sizeof(uint16_t) && size != sizeof(float))
        return f0t_mpi.host.fail(F0T_ERROR_ARGUMENT, "elements of %zu bytes are not shared", size);
    f0t_status status = check_size(n, size);
    return status == F0T_OK
               ? begin(out, (f0t_exchange){.kind = F0T_MPI_SHARE, .x = x, .n = n, .size = size})
               : status;
}

static f0t_status total(f0t_exchange **out, double *x, size_t n)
{
    return begin_copied(out,
                        (f0t_exchange){.kind = F0T_MPI_TOTAL, .x = x, .n = n, .size = sizeof *x});
}

static f0t_status broadcast(f0t_exchange **out, void *x, size_t bytes)
{
    return begin_copied(out,
                        (f0t_exchange){.kind = F0T_MPI_BROADCAST, .x = x, .n = bytes, .size = 1});
}

static f0t_status wait(f0t_exchange *e)
{
    return e ? finish(e, false) : F0T_OK;
}

/* ---- Work --------------------------------------------------------------------------------------- */

static f0t_status take(uint64_t *piece, uint64_t round)
{
    f0t_exchange *e;
    if (f0t_mpi_failed())
        return fail_with_others();
    if (f0t_mpi.rank == 0) {
        *piece = f0t_mpi_next_piece(round);
        return F0T_OK;
    }
    *piece = round;
    f0t_status status = begin_copied(
        &e, (f0t_exchange){.kind = F0T_MPI_ASK, .x = piece, .n = 1, .size = sizeof *piece});
    return status == F0T_OK ? finish(e, false) : status;
}

/* The piece's number goes before what came of it. */
static f0t_status send(uint64_t piece, const void *data, size_t bytes)
{
    f0t_exchange *e, given = {.kind = F0T_MPI_RESULT, .n = bytes + sizeof piece, .size = 1};
    f0t_status status = check_size(bytes < given.n ? given.n : bytes, 1);
    if (status != F0T_OK)
        return status;
    given.copy = malloc(given.n);
    if (!given.copy)
        return f0t_mpi.host.fail(F0T_ERROR_MEMORY, "no memory for a message of %zu bytes", bytes);
    memcpy(given.copy, &piece, sizeof piece);
    if (bytes)
        memcpy((char *)given.copy + sizeof piece, data, bytes);
    status = begin(&e, given);
    return status == F0T_OK ? finish(e, false) : status;
}

/* The oldest result; NULL: there is none. */
static f0t_mpi_result *take_oldest(bool waits)
{
    pthread_mutex_lock(&f0t_mpi.lock);
    while (waits && !f0t_mpi.results && !f0t_mpi_failed())
        pthread_cond_wait(&f0t_mpi.changed, &f0t_mpi.lock);
    f0t_mpi_result *result = f0t_mpi.results;
    if (result)
        f0t_mpi.results = result->next;
    pthread_mutex_unlock(&f0t_mpi.lock);
    return result;
}

static f0t_status receive(uint64_t *piece, void **data, size_t *bytes, bool waits)
{
    *data = NULL;
    f0t_mpi_result *result = take_oldest(waits);
    if (!result)
        return f0t_mpi_failed() ? fail_with_others() : F0T_OK;
    if (result->bytes < sizeof *piece) {
        free(result->data);
        free(result);
        return f0t_mpi.host.fail(F0T_ERROR_FORMAT, "another process has sent a piece that is cut");
    }
    memcpy(piece, result->data, sizeof *piece);
    *bytes = result->bytes - sizeof *piece;
    memmove(result->data, (char *)result->data + sizeof *piece, *bytes);
    *data = result->data;
    free(result);
    return F0T_OK;
}

/* ---- The end ------------------------------------------------------------------------------------ */

/* How a process fared. */
typedef struct report {
    int status;
    int rank;
    char message[500];
} report;

static f0t_status exchange_now(f0t_exchange given)
{
    f0t_exchange *e;
    f0t_status status = begin(&e, given);
    return status == F0T_OK ? finish(e, true) : status;
}

/* The first that failed by itself; one that stopped because of another says so only where no other does. */
static report judge(const report *all)
{
    for (int own = 1; own >= 0; own--)
        for (int r = 0; r < f0t_mpi.size; r++)
            if (all[r].status != F0T_OK && (all[r].rank >= 0) == own)
                return all[r];
    return all[0];
}

static f0t_status gather(report *r)
{
    report *all = f0t_mpi.rank == 0 ? calloc((size_t)f0t_mpi.size, sizeof *all) : NULL;
    if (f0t_mpi.rank == 0 && !all)
        return f0t_mpi.host.fail(F0T_ERROR_MEMORY, "no memory for the processes' reports");
    f0t_status status = exchange_now(
        (f0t_exchange){.kind = F0T_MPI_REPORT, .x = r, .n = sizeof *r, .size = 1, .to = all});
    if (status != F0T_OK)
        return status; /* what still arrives finds its place */
    if (all)
        *r = judge(all);
    free(all);
    return F0T_OK;
}

static f0t_status fail_as(const report *r)
{
    return r->rank > 0 ? f0t_mpi.host.fail((f0t_status)r->status, "process %d of %d: %s", r->rank,
                                           f0t_mpi.size, r->message)
                       : f0t_mpi.host.fail((f0t_status)r->status, "%s", r->message);
}

static report verdict; /* that the run has failed: there is no other after it */
static report own;     /* how this process fared, and then how the run did */

/* All hear of a failure and say how they fared; fails where that cannot be done. */
static f0t_status exchange_reports(bool alarms)
{
    f0t_status status = alarms ? exchange_now((f0t_exchange){.kind = F0T_MPI_ALARM}) : F0T_OK;
    if (status == F0T_OK)
        status = gather(&own);
    if (status == F0T_OK)
        status = exchange_now(
            (f0t_exchange){.kind = F0T_MPI_VERDICT, .x = &own, .n = sizeof own, .size = 1});
    return status;
}

/* Without messages a process can but end, and mpirun ends the others: they may wait for what this one was to send, so
 * that nothing is left to agree by. */
static f0t_status end_alone(f0t_status status)
{
    char problem[F0T_MPI_PROBLEM_SIZE];
    f0t_mpi_give_up();
    verdict = (report){.status = (int)status};
    snprintf(verdict.message, sizeof verdict.message, "%s",
             has_problem(problem) ? problem : "no memory for the processes' reports");
    return fail_as(&verdict);
}

static f0t_status agree(f0t_status status, const char *message)
{
    char problem[F0T_MPI_PROBLEM_SIZE];
    if (verdict.status != F0T_OK)
        return fail_as(&verdict);
    const bool others = f0t_mpi_failed() && !has_problem(problem);
    const bool stopped = others && status == F0T_ERROR_INTERRUPTED; /* not by itself */
    own = (report){.status = (int)status, .rank = stopped ? -1 : f0t_mpi.rank};
    if (status != F0T_OK)
        snprintf(own.message, sizeof own.message, "%s", message);
    f0t_status ended = exchange_reports(status != F0T_OK && !others);
    if (ended != F0T_OK)
        return end_alone(ended);
    if (own.status == F0T_OK)
        return F0T_OK;
    f0t_mpi_set_failed();
    verdict = own;
    return fail_as(&verdict);
}

static void traffic(f0t_group_traffic *out)
{
    pthread_mutex_lock(&f0t_mpi.lock);
    *out = f0t_mpi.traffic;
    pthread_mutex_unlock(&f0t_mpi.lock);
}

static f0t_group group = {.sum = sum,
                          .share = share,
                          .total = total,
                          .broadcast = broadcast,
                          .wait = wait,
                          .take = take,
                          .send = send,
                          .receive = receive,
                          .failed = f0t_mpi_failed,
                          .agree = agree,
                          .traffic = traffic,
                          .close = f0t_mpi_stop};

__attribute__((visibility("default"))) f0t_group_open_function f0t_group_module_open;

f0t_status f0t_group_module_open(const f0t_group **out, const f0t_group_host *host)
{
    if (host->size != sizeof *host || host->group_size != sizeof group ||
        strcmp(host->version, F0T_MODULE_VERSION) != 0)
        return host->fail(F0T_ERROR_UNSUPPORTED, /* a mismatch is what all processes know of */
                          "the module of Open MPI is of fast0tag %s, the library of %s: install "
                          "both of one build",
                          F0T_MODULE_VERSION, host->version);
    if (f0t_mpi.started)
        return host->fail(F0T_ERROR_UNSUPPORTED, "a process can join the others of a run once");
    f0t_mpi.host = *host;
    f0t_status status = f0t_mpi_start();
    if (status != F0T_OK)
        return status;
    group.rank = (size_t)f0t_mpi.rank;
    group.size = (size_t)f0t_mpi.size;
    group.beside = (size_t)f0t_mpi.beside;
    group.coarse = host->coarse;
    *out = &group;
    return F0T_OK;
}
