#include "base/group.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/module.h"
#include "base/parcel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Alone ------------------------------------------------------------------------------------------- */

static f0t_status sum_alone(f0t_exchange **out, float *x, size_t n)
{
    (void)x, (void)n;
    *out = NULL;
    return F0T_OK;
}

static f0t_status share_alone(f0t_exchange **out, void *x, size_t n, size_t size)
{
    (void)x, (void)n, (void)size;
    *out = NULL;
    return F0T_OK;
}

static f0t_status total_alone(f0t_exchange **out, double *x, size_t n)
{
    (void)x, (void)n;
    *out = NULL;
    return F0T_OK;
}

static f0t_status broadcast_alone(f0t_exchange **out, void *x, size_t bytes)
{
    (void)x, (void)bytes;
    *out = NULL;
    return F0T_OK;
}

static f0t_status wait_alone(f0t_exchange *exchange)
{
    (void)exchange;
    return F0T_OK;
}

static bool failed_alone(void)
{
    return false;
}

static f0t_status agree_alone(f0t_status status, const char *message)
{
    return status == F0T_OK ? F0T_OK : f0t_fail(status, "%s", message);
}

static void traffic_alone(f0t_group_traffic *out)
{
    *out = (f0t_group_traffic){0};
}

static void close_alone(void)
{
}

/* Work is not handed out: f0t_group_run does it. */
const f0t_group f0t_group_alone = {.size = 1,
                                   .beside = 1,
                                   .sum = sum_alone,
                                   .share = share_alone,
                                   .total = total_alone,
                                   .broadcast = broadcast_alone,
                                   .wait = wait_alone,
                                   .failed = failed_alone,
                                   .agree = agree_alone,
                                   .traffic = traffic_alone,
                                   .close = close_alone};

const f0t_group *f0t_group_current(void)
{
    const f0t_context *context = f0t_context_current();
    return context && context->group ? context->group : &f0t_group_alone;
}

/* ---- The module -------------------------------------------------------------------------------------- */

static const f0t_module module = {
    .file = "fast0tag-mpi.so",
    .variable = "F0T_MPI",
    .what = "the module of Open MPI",
    .missing = "lets processes work together, is not installed: build fast0tag where Open MPI's "
               "headers are (libopenmpi-dev)",
    .entry = "f0t_group_module_open"};

/* A process that is not one of the others leaves as any that fails does: all know then. */
static f0t_status check_task(const f0t_group *group, const char *task)
{
    f0t_failure failure;
    const char *version = f0t_version(), *own = task ? task : "";
    f0t_status status = f0t_group_same(group, "the version", version, strlen(version));
    if (status == F0T_OK)
        status = f0t_group_same(group, "the command", own, strlen(own));
    f0t_failure_keep(&failure, status);
    return failure.status == F0T_OK ? F0T_OK : group->agree(failure.status, failure.message);
}

f0t_status f0t_group_open(const f0t_group **out, const char *name, const char *task, bool coarse)
{
    f0t_group_open_function *open;
    const f0t_group_host host = {.size = sizeof host,
                                 .group_size = sizeof(f0t_group),
                                 .version = f0t_version(),
                                 .task = task,
                                 .coarse = coarse,
                                 .fail = f0t_fail,
                                 .to_bf16 = f0t_f32_to_bf16,
                                 .to_f32 = f0t_dtype_to_f32,
                                 .free_nothing = f0t_free_nothing};
    *out = &f0t_group_alone;
    if (!name)
        return F0T_OK;
    if (strcmp(name, "mpi") != 0)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "there are no processes by '%s': mpi", name);
    F0T_TRY(f0t_module_load((void **)&open, &module));
    F0T_TRY(open(out, &host));
    return check_task(*out, task);
}

/* ---- At once ----------------------------------------------------------------------------------------- */

enum { BROADCAST_MOST = 1 << 26, TOTAL_MOST = 1 << 22 }; /* bytes, and numbers, at a time */

f0t_status f0t_group_total(const f0t_group *group, double *x, size_t n)
{
    f0t_exchange *exchange;
    for (size_t first = 0, some; first < n; first += some) {
        some = n - first < TOTAL_MOST ? n - first : TOTAL_MOST;
        F0T_TRY(group->total(&exchange, x + first, some));
        F0T_TRY(group->wait(exchange));
    }
    return F0T_OK;
}

f0t_status f0t_group_broadcast(const f0t_group *group, void *x, size_t bytes)
{
    f0t_exchange *exchange;
    for (size_t first = 0, n; first < bytes; first += n) {
        n = bytes - first < BROADCAST_MOST ? bytes - first : BROADCAST_MOST;
        F0T_TRY(group->broadcast(&exchange, (char *)x + first, n));
        F0T_TRY(group->wait(exchange));
    }
    return F0T_OK;
}

/* Each compares with process 0; how many differ is known to all. */
f0t_status f0t_group_same(const f0t_group *group, const char *what, const void *text, size_t bytes)
{
    const uint64_t own = f0t_hash(F0T_HASH_START, text, bytes);
    uint64_t first = own;
    if (group->size == 1)
        return F0T_OK;
    F0T_TRY(f0t_group_broadcast(group, &first, sizeof first));
    double different[2] = {first != own, first != own ? (double)group->rank : 0};
    F0T_TRY(f0t_group_total(group, different, 2));
    if (!(different[0] > 0))
        return F0T_OK;
    if (different[0] > 1)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s of %.0f of %zu processes is not that of process 0",
                        what, different[0], group->size);
    return f0t_fail(F0T_ERROR_MISMATCH, "%s of process %.0f is not that of process 0", what,
                    different[1]);
}

/* ---- Work in pieces ---------------------------------------------------------------------------------- */

/* Results that wait for those before them. */
typedef struct result {
    void *data;
    size_t bytes;
    bool here;
} result;

typedef struct results {
    const f0t_group_work *work;
    result *all;     /* [pieces] */
    uint64_t next;   /* to be taken; how many were, where any order will do */
    f0t_parcel sent; /* number, size and bytes of those that were taken, for the other processes */
} results;

/* Alone, but for a failure elsewhere, which makes the piece one of no use. */
static f0t_status run_alone(const f0t_group *group, const f0t_group_work *work, uint64_t piece,
                            void **data, size_t *bytes)
{
    f0t_group alone = f0t_group_alone;
    f0t_context own = {.threads = f0t_context_wanted()};
    const f0t_context *current = f0t_context_current();
    if (current)
        own = *current;
    alone.failed = group->failed;
    own.group = &alone;
    F0T_ENTER(&own);
    *data = NULL;
    *bytes = 0;
    return work->run(work->user, piece, data, bytes);
}

static f0t_status take_one(results *r, uint64_t piece)
{
    result *one = &r->all[piece];
    const uint64_t head[2] = {piece, one->bytes};
    F0T_TRY(r->work->take(r->work->user, piece, one->data, one->bytes));
    if (r->work->to_all) {
        F0T_TRY(f0t_parcel_add(&r->sent, head, sizeof head));
        F0T_TRY(f0t_parcel_add(&r->sent, one->data, one->bytes));
    }
    f0t_free(one->data);
    one->data = NULL;
    r->next++;
    return F0T_OK;
}

static f0t_status take_in_order(results *r)
{
    while (r->next < r->work->pieces && r->all[r->next].here)
        F0T_TRY(take_one(r, r->next));
    return F0T_OK;
}

/* Takes over `data`. */
static f0t_status keep(results *r, uint64_t piece, void *data, size_t bytes)
{
    if (piece >= r->work->pieces || r->all[piece].here) {
        f0t_free(data);
        return f0t_fail(F0T_ERROR_FORMAT, "another process has sent a piece that nobody asked for");
    }
    r->all[piece] = (result){data, bytes, true};
    return r->work->any_order ? take_one(r, piece) : take_in_order(r);
}

/* A copy, for memory that came from f0t_alloc is freed otherwise. */
static f0t_status keep_received(results *r, uint64_t piece, void *received, size_t bytes)
{
    void *data;
    f0t_status status = f0t_alloc(&data, bytes, 1);
    if (status == F0T_OK && bytes)
        memcpy(data, received, bytes);
    free(received);
    F0T_TRY(status);
    return keep(r, piece, data, bytes);
}

/* What has arrived, or, where it waits, all that is missing. */
static f0t_status receive(const f0t_group *group, results *r, bool waits)
{
    while (r->next < r->work->pieces) {
        uint64_t piece;
        size_t bytes;
        void *received;
        F0T_TRY(group->receive(&piece, &received, &bytes, waits));
        if (!received)
            return F0T_OK;
        F0T_TRY(keep_received(r, piece, received, bytes));
    }
    return F0T_OK;
}

/* Takes over `data`. Between its own pieces process 0 takes those of others: they do not pile up. */
static f0t_status deliver(const f0t_group *group, results *r, uint64_t piece, void *data,
                          size_t bytes)
{
    if (group->rank == 0) {
        F0T_TRY(keep(r, piece, data, bytes));
        return receive(group, r, false);
    }
    f0t_status status = group->send(piece, data, bytes);
    f0t_free(data);
    return status;
}

/* A piece of process 0 has failed, or was interrupted: what others have done by now is taken all the same where it has
 * a use by itself. */
static f0t_status take_last(const f0t_group *group, results *r, f0t_status status)
{
    char why[1024];
    if (group->rank > 0 || !r->work->any_order)
        return status;
    snprintf(why, sizeof why, "%s", f0t_last_error());
    (void)receive(group, r, false);
    return f0t_error_set(status, why);
}

/* Pieces until none is left. */
static f0t_status run_pieces(const f0t_group *group, uint64_t round, results *r)
{
    for (;;) {
        uint64_t piece;
        void *data;
        size_t bytes;
        F0T_TRY(group->take(&piece, round));
        if (piece >= r->work->pieces)
            return group->rank == 0 ? receive(group, r, true) : F0T_OK;
        f0t_status status = run_alone(group, r->work, piece, &data, &bytes);
        if (status != F0T_OK) {
            f0t_free(data);
            return take_last(group, r, status);
        }
        F0T_TRY(deliver(group, r, piece, data, bytes));
    }
}

static f0t_status run_here(const f0t_group_work *work)
{
    for (uint64_t piece = 0; piece < work->pieces; piece++) {
        void *data;
        size_t bytes;
        f0t_status status = run_alone(&f0t_group_alone, work, piece, &data, &bytes);
        if (status == F0T_OK)
            status = work->take(work->user, piece, data, bytes);
        f0t_free(data);
        F0T_TRY(status);
    }
    return F0T_OK;
}

static f0t_status take_sent(results *r)
{
    f0t_parcel_reader from = {r->sent.data, r->sent.bytes};
    uint64_t head[2];
    while (from.left) {
        F0T_TRY(f0t_parcel_read(head, &from, sizeof head));
        const char *data = f0t_parcel_take(&from, head[1]);
        if (!data || head[0] >= r->work->pieces)
            return f0t_parcel_fail();
        F0T_TRY(r->work->take(r->work->user, head[0], data, head[1]));
    }
    return F0T_OK;
}

/* What process 0 has taken, to the others. */
static f0t_status share_taken(const f0t_group *group, results *r)
{
    uint64_t bytes = r->sent.bytes;
    F0T_TRY(f0t_group_broadcast(group, &bytes, sizeof bytes));
    if (group->rank > 0) {
        F0T_TRY(f0t_alloc(&r->sent.data, bytes, 1));
        r->sent.bytes = bytes;
    }
    F0T_TRY(f0t_group_broadcast(group, r->sent.data, r->sent.bytes));
    return group->rank > 0 ? take_sent(r) : F0T_OK;
}

/* Rounds are counted alike in all processes, which run the same work in the same order. */
f0t_status f0t_group_run(const f0t_group *group, const f0t_group_work *work)
{
    static uint64_t rounds;
    results r = {.work = work};
    if (group->size == 1)
        return run_here(work);
    const uint64_t round = __atomic_add_fetch(&rounds, 1, __ATOMIC_RELAXED);
    if (group->rank == 0)
        F0T_TRY(f0t_alloc_zero(&r.all, work->pieces, sizeof *r.all));
    f0t_status status = run_pieces(group, round, &r);
    if (status == F0T_OK && work->to_all)
        status = share_taken(group, &r);
    for (uint64_t i = 0; r.all && i < work->pieces; i++)
        f0t_free(r.all[i].data);
    f0t_free(r.all);
    f0t_free(r.sent.data);
    double unused = 0;
    return status == F0T_OK ? f0t_group_total(group, &unused, 1) : status;
}
