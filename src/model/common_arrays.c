#include "model/common_arrays.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "base/size.h"
#include "base/team.h"

#include <string.h>

/* Where a buffer lives. */
typedef struct resident {
    f0t_buffer *buffer;
    bool one;
    void *home; /* its own memory meanwhile; NULL: none */
} resident;

struct f0t_common_arrays {
    const f0t_group *group;
    f0t_common *common;
    size_t count;
    resident *all;
};

enum { ALIGNMENT = 64 }; /* a cache line, and the widest vector register */

static size_t bytes_of(const f0t_buffer *buffer)
{
    return buffer->count * f0t_dtype_size(buffer->type);
}

static bool total_bytes(size_t *out, const f0t_common_array *all, size_t count)
{
    *out = 0;
    for (size_t i = 0; i < count; i++) {
        size_t rounded;
        if (!f0t_size_round_up(&rounded, bytes_of(all[i].buffer), ALIGNMENT) ||
            !f0t_size_add(out, *out, rounded))
            return false;
    }
    return true;
}

/* The numbers of one for all are the same in every process: the first brings them. */
static void move_in(resident *r, const f0t_common_arrays *arrays, size_t at)
{
    const size_t rank = arrays->group->rank;
    char *to = (char *)f0t_common_at(arrays->common, r->one ? 0 : rank) + at;
    r->home = r->buffer->data;
    if (r->one && rank == 0)
        memcpy(to, r->home, bytes_of(r->buffer));
    if (!r->one) {
        f0t_free(r->home);
        r->home = NULL;
    }
    r->buffer->data = to;
}

static void move_all(f0t_common_arrays *arrays, const f0t_common_array *given, size_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        resident *r = &arrays->all[arrays->count++];
        *r = (resident){.buffer = given[i].buffer, .one = given[i].one};
        move_in(r, arrays, at);
        at += (bytes_of(r->buffer) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}

static f0t_status open_arrays(f0t_common_arrays *arrays, const f0t_common_array *all, size_t count)
{
    size_t bytes;
    if (!total_bytes(&bytes, all, count))
        return F0T_OK;
    F0T_TRY(f0t_alloc_zero(&arrays->all, count, sizeof *arrays->all));
    F0T_TRY(f0t_common_create(&arrays->common, arrays->group, bytes));
    if (!arrays->common)
        return F0T_OK;
    move_all(arrays, all, count);
    F0T_TRY(f0t_common_meet(arrays->common));
    return f0t_common_wait(arrays->common);
}

f0t_status f0t_common_arrays_create(f0t_common_arrays **out, const f0t_group *group,
                                    const f0t_common_array *all, size_t count)
{
    f0t_common_arrays *arrays;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&arrays, 1, sizeof *arrays));
    arrays->group = group;
    f0t_status status = open_arrays(arrays, all, count);
    if (status == F0T_OK && arrays->common)
        *out = arrays;
    else
        f0t_common_arrays_free(arrays);
    return status;
}

void f0t_common_arrays_free(f0t_common_arrays *arrays)
{
    if (!arrays)
        return;
    for (size_t i = 0; i < arrays->count; i++) {
        const resident *r = &arrays->all[i];
        if (r->home)
            memcpy(r->home, r->buffer->data, bytes_of(r->buffer));
        r->buffer->data = r->home;
    }
    f0t_common_free(arrays->common);
    f0t_free(arrays->all);
    f0t_free(arrays);
}

f0t_common *f0t_common_arrays_memory(const f0t_common_arrays *arrays)
{
    return arrays->common;
}

/* ---- Sums ---------------------------------------------------------------------------------------- */

enum { CHUNK = 2048 }; /* floats that stay in the first-level cache */

static const float *elements_of(const f0t_common_arrays *arrays, size_t rank, size_t offset)
{
    return (const float *)((const char *)f0t_common_at(arrays->common, rank) + offset);
}

/* As `from` is when it has travelled as bfloat16: a model does not depend on how many machines the processes are on. */
static void add_coarse(float *to, const float *from, size_t n)
{
    uint16_t halves[CHUNK];
    float rounded[CHUNK];
    f0t_f32_to_bf16(halves, from, n);
    f0t_dtype_to_f32(rounded, halves, F0T_BF16, n);
    f0t_kernels()->add_block(to, rounded, n);
}

static void sum_chunk(float *to, const f0t_common_arrays *arrays, size_t offset, size_t n)
{
    const f0t_group *group = arrays->group;
    memset(to, 0, n * sizeof *to);
    for (size_t r = 0; r < group->size; r++) {
        const float *from = elements_of(arrays, r, offset);
        if (group->coarse && r != group->rank)
            add_coarse(to, from, n);
        else
            f0t_kernels()->add_block(to, from, n);
    }
}

void f0t_common_arrays_sum(float *to, const f0t_common_arrays *arrays, const f0t_buffer *of,
                           size_t first, size_t n)
{
    const char *own = f0t_common_at(arrays->common, arrays->group->rank);
    const size_t offset = (size_t)((const char *)of->data - own) + first * sizeof *to;
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
    for (size_t done = 0; done < n; done += CHUNK)
        sum_chunk(to + done, arrays, offset + done * sizeof *to,
                  n - done < CHUNK ? n - done : CHUNK);
}
