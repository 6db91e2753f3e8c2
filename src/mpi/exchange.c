/* What is sent and received for one exchange. */
#include "mpi/mpi.h"

#include <stdlib.h>
#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------------- */

static f0t_mpi_memory *unused; /* the thread's alone */

static f0t_mpi_memory *take_memory(size_t bytes)
{
    for (f0t_mpi_memory **at = &unused; *at; at = &(*at)->next)
        if ((*at)->capacity >= bytes && (*at)->capacity / 4 <= bytes) {
            f0t_mpi_memory *found = *at;
            *at = found->next;
            return found;
        }
    f0t_mpi_memory *fresh = malloc(sizeof *fresh);
    void *data = fresh ? malloc(bytes ? bytes : 1) : NULL;
    if (!data) {
        free(fresh);
        return NULL;
    }
    *fresh = (f0t_mpi_memory){.data = data, .capacity = bytes};
    return fresh;
}

static void give_memory(f0t_mpi_memory *memory)
{
    if (!memory)
        return;
    memory->next = unused;
    unused = memory;
}

/* ---- Parts -------------------------------------------------------------------------------------- */

static size_t part(const f0t_exchange *e, int rank)
{
    return f0t_group_part(e->n, (size_t)rank, (size_t)f0t_mpi.size);
}

static size_t own_length(const f0t_exchange *e)
{
    return part(e, f0t_mpi.rank + 1) - part(e, f0t_mpi.rank);
}

/* The parts of all others are sent, and as many times the own one is received: at place r that of process r. */
static bool lay_out(f0t_exchange *e)
{
    const int size = f0t_mpi.size;
    const int own = (int)own_length(e);
    e->counts = calloc((size_t)size * 4, sizeof *e->counts);
    for (int r = 0; r < size && e->counts; r++) {
        const bool other = r != f0t_mpi.rank;
        e->counts[r] = other ? (int)(part(e, r + 1) - part(e, r)) : 0;
        e->counts[size + r] = (int)part(e, r);
        e->counts[2 * size + r] = other ? own : 0;
        e->counts[3 * size + r] = r * own;
    }
    return e->counts != NULL;
}

/* ---- Sums --------------------------------------------------------------------------------------- */

static bool begin_sum(f0t_exchange *e)
{
    const bool coarse = f0t_mpi.host.coarse;
    const int size = f0t_mpi.size;
    const MPI_Datatype type = coarse ? MPI_UINT16_T : MPI_FLOAT;
    const size_t bytes = coarse ? sizeof(uint16_t) : sizeof(float);
    e->received = lay_out(e) ? take_memory((size_t)size * own_length(e) * bytes) : NULL;
    e->sent = coarse && e->received ? take_memory(e->n * bytes) : NULL;
    if (!e->received || (coarse && !e->sent))
        return f0t_mpi_lack_memory("the messages of a sum");
    if (coarse)
        f0t_mpi.host.to_bf16(e->sent->data, e->x, e->n);
    if (!F0T_MPI_DONE(MPI_Ialltoallv(coarse ? e->sent->data : e->x, e->counts, e->counts + size,
                                     type, e->received->data, e->counts + 2 * size,
                                     e->counts + 3 * size, type, f0t_mpi.world, &e->request)))
        return false;
    f0t_mpi_sent((e->n - own_length(e)) * bytes);
    return true;
}

static void add(float *to, const float *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += from[i];
}

enum { CHUNK = 2048 }; /* floats that stay in the cache */

/* In the order of the processes, whatever came first: the same messages give the same bytes. */
static void add_chunk(float *x, const f0t_exchange *e, size_t first, size_t n)
{
    const size_t length = own_length(e);
    const float *floats = e->received->data;
    const uint16_t *halves = e->received->data;
    float sum[CHUNK] = {0}, other[CHUNK];
    for (int r = 0; r < f0t_mpi.size; r++) {
        const size_t at = (size_t)r * length + first;
        if (r == f0t_mpi.rank) {
            add(sum, x, n);
        } else if (f0t_mpi.host.coarse) {
            f0t_mpi.host.to_f32(other, halves + at, F0T_BF16, n);
            add(sum, other, n);
        } else {
            add(sum, floats + at, n);
        }
    }
    memcpy(x, sum, n * sizeof *x);
}

static void complete_sum(f0t_exchange *e)
{
    const size_t length = own_length(e);
    float *x = (float *)e->x + part(e, f0t_mpi.rank);
    for (size_t first = 0; first < length; first += CHUNK)
        add_chunk(x + first, e, first, length - first < CHUNK ? length - first : CHUNK);
}

/* ---- The others --------------------------------------------------------------------------------- */

static bool begin_share(f0t_exchange *e)
{
    const int size = f0t_mpi.size;
    const MPI_Datatype type = e->size == 2 ? MPI_UINT16_T : MPI_FLOAT;
    if (!lay_out(e))
        return f0t_mpi_lack_memory("the messages of a copy");
    e->counts[f0t_mpi.rank] = (int)own_length(e);
    if (!F0T_MPI_DONE(MPI_Iallgatherv(MPI_IN_PLACE, 0, type, e->x, e->counts, e->counts + size,
                                      type, f0t_mpi.world, &e->request)))
        return false;
    f0t_mpi_sent(own_length(e) * e->size * ((size_t)size - 1));
    return true;
}

/* Asks process 0, whose answer ends the exchange. The question is small: it leaves at once. */
static bool begin_ask(f0t_exchange *e)
{
    return F0T_MPI_DONE(MPI_Send(e->copy, 1, MPI_UINT64_T, 0, F0T_MPI_ASK, f0t_mpi.work)) &&
           F0T_MPI_DONE(MPI_Irecv(e->copy, 1, MPI_UINT64_T, 0, F0T_MPI_ASK + 100, f0t_mpi.work,
                                  &e->request));
}

static bool begin_result(f0t_exchange *e)
{
    f0t_mpi_sent(e->n * e->size);
    return F0T_MPI_DONE(MPI_Isend(e->copy, (int)(e->n * e->size), MPI_BYTE, 0, F0T_MPI_RESULT,
                                  f0t_mpi.work, &e->request));
}

/* As many as can be reached. */
static bool begin_alarm(f0t_exchange *e)
{
    bool done = true;
    for (int r = 0; r < f0t_mpi.size; r++) {
        MPI_Request request;
        if (r == f0t_mpi.rank)
            continue;
        if (F0T_MPI_DONE(MPI_Isend(NULL, 0, MPI_BYTE, r, F0T_MPI_ALARM, f0t_mpi.alarms, &request)))
            MPI_Request_free(&request);
        else
            done = false;
    }
    e->request = MPI_REQUEST_NULL;
    return done;
}

bool f0t_mpi_begin(f0t_exchange *e)
{
    const int n = (int)e->n, bytes = (int)(e->n * e->size);
    switch (e->kind) {
    case F0T_MPI_SUM:
        return begin_sum(e);
    case F0T_MPI_SHARE:
        return begin_share(e);
    case F0T_MPI_TOTAL:
        return F0T_MPI_DONE(MPI_Iallreduce(MPI_IN_PLACE, e->copy, n, MPI_DOUBLE, MPI_SUM,
                                           f0t_mpi.world, &e->request));
    case F0T_MPI_BROADCAST:
        return F0T_MPI_DONE(MPI_Ibcast(e->copy, bytes, MPI_BYTE, 0, f0t_mpi.world, &e->request));
    case F0T_MPI_ASK:
        return begin_ask(e);
    case F0T_MPI_RESULT:
        return begin_result(e);
    case F0T_MPI_ALARM:
        return begin_alarm(e);
    case F0T_MPI_REPORT:
        return F0T_MPI_DONE(MPI_Igather(e->x, bytes, MPI_BYTE, e->to, bytes, MPI_BYTE, 0,
                                        f0t_mpi.verdicts, &e->request));
    case F0T_MPI_VERDICT:
        return F0T_MPI_DONE(MPI_Ibcast(e->x, bytes, MPI_BYTE, 0, f0t_mpi.verdicts, &e->request));
    }
    return true;
}

static void release(f0t_exchange *e)
{
    give_memory(e->sent);
    give_memory(e->received);
    free(e->counts);
    e->counts = NULL;
    e->sent = e->received = NULL;
}

void f0t_mpi_complete(f0t_exchange *e)
{
    if (e->kind == F0T_MPI_SUM)
        complete_sum(e);
    release(e);
}
