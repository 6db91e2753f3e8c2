#include "model/divided.h"

#include "base/alloc.h"

struct f0t_divided {
    const f0t_group *group;
    size_t rows, cols, block_rows, count;
    f0t_exchange **sums, **shares; /* [count] under way; NULL: none */
};

f0t_status f0t_divided_create(f0t_divided **out, const f0t_group *group, size_t rows, size_t cols)
{
    f0t_divided *d;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&d, 1, sizeof *d));
    const size_t block_rows = cols < F0T_DIVIDED_BLOCK ? F0T_DIVIDED_BLOCK / cols : 1;
    *d = (f0t_divided){.group = group,
                       .rows = rows,
                       .cols = cols,
                       .block_rows = block_rows,
                       .count = (rows + block_rows - 1) / block_rows};
    f0t_status status = f0t_alloc_zero(&d->sums, d->count, sizeof(f0t_exchange *));
    if (status == F0T_OK)
        status = f0t_alloc_zero(&d->shares, d->count, sizeof(f0t_exchange *));
    if (status == F0T_OK)
        *out = d;
    else
        f0t_divided_free(d);
    return status;
}

static f0t_status await(const f0t_divided *d, f0t_exchange **exchange)
{
    f0t_exchange *one = *exchange;
    *exchange = NULL;
    return one ? d->group->wait(one) : F0T_OK;
}

void f0t_divided_free(f0t_divided *d)
{
    if (!d)
        return;
    for (size_t b = 0; b < d->count && d->sums && d->shares; b++) {
        (void)await(d, &d->sums[b]);
        (void)await(d, &d->shares[b]);
    }
    f0t_free(d->sums);
    f0t_free(d->shares);
    f0t_free(d);
}

size_t f0t_divided_count(const f0t_divided *d)
{
    return d->count;
}

void f0t_divided_block(const f0t_divided *d, size_t b, size_t *first, size_t *rows)
{
    *first = b * d->block_rows;
    *rows = d->rows - *first < d->block_rows ? d->rows - *first : d->block_rows;
}

/* The elements of block b. */
static void elements(const f0t_divided *d, size_t b, size_t *first, size_t *n)
{
    size_t rows;
    f0t_divided_block(d, b, first, &rows);
    *first *= d->cols;
    *n = rows * d->cols;
}

f0t_status f0t_divided_sum(f0t_divided *d, size_t b, float *gradient)
{
    size_t first, n;
    elements(d, b, &first, &n);
    return d->group->sum(&d->sums[b], gradient + first, n);
}

f0t_status f0t_divided_apply(f0t_divided *d, f0t_divided_update *update, void *user, void *to,
                             size_t size)
{
    const size_t rank = d->group->rank, processes = d->group->size;
    for (size_t b = 0; b < d->count; b++) {
        size_t first, n;
        elements(d, b, &first, &n);
        const size_t from = f0t_group_part(n, rank, processes);
        const size_t length = f0t_group_part(n, rank + 1, processes) - from;
        F0T_TRY(await(d, &d->sums[b]));
        if (length)
            F0T_TRY(update(user, first + from, length));
        if (to)
            F0T_TRY(d->group->share(&d->shares[b], (char *)to + first * size, n, size));
    }
    return F0T_OK;
}

f0t_status f0t_divided_wait(f0t_divided *d)
{
    for (size_t b = 0; b < d->count; b++)
        F0T_TRY(await(d, &d->shares[b]));
    return F0T_OK;
}

f0t_status f0t_divided_gather(f0t_divided *d, void *array, size_t size)
{
    F0T_TRY(f0t_divided_wait(d));
    for (size_t b = 0; b < d->count; b++) {
        size_t first, n;
        elements(d, b, &first, &n);
        F0T_TRY(d->group->share(&d->shares[b], (char *)array + first * size, n, size));
    }
    return f0t_divided_wait(d);
}
