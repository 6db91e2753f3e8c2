#include "bench.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "math/elementwise.h"
#include "math/topk.h"

#include <math.h>
#include <string.h>

enum { MANY = 1 << 20, ROWS = 1000, TAGS = 925, FEATURES = 1024, FEW = 1 << 15 };

/* x is read, y written. */
typedef struct arrays {
    float *x, *y;
    uint32_t *index;
} arrays;

static f0t_status copy_many(void *context)
{
    arrays *d = context;
    memcpy(d->y, d->x, MANY * sizeof *d->x);
    return F0T_OK;
}

static f0t_status topk_one(void *context)
{
    arrays *d = context;
    f0t_topk_row(d->index, NULL, d->x, MANY, 10);
    return F0T_OK;
}

static f0t_status topk_rows(void *context)
{
    arrays *d = context;
    f0t_topk_rows(d->index, NULL, d->x, ROWS, TAGS, 5);
    return F0T_OK;
}

static f0t_status normalise(void *context)
{
    arrays *d = context;
    f0t_rows_normalise(d->y, MANY / FEATURES, FEATURES);
    return F0T_OK;
}

#define ELEMENTWISE(name, ours, theirs)          \
    static f0t_status name##_ours(void *context) \
    {                                            \
        arrays *d = context;                     \
        ours(d->y, d->x, FEW);                   \
        return F0T_OK;                           \
    }                                            \
    static f0t_status name##_libm(void *context) \
    {                                            \
        arrays *d = context;                     \
        for (size_t i = 0; i < FEW; i++)         \
            d->y[i] = theirs;                    \
        return F0T_OK;                           \
    }

ELEMENTWISE(exp, f0t_exp, expf(d->x[i]))
ELEMENTWISE(sigmoid, f0t_sigmoid, 1 / (1 + expf(-d->x[i])))
ELEMENTWISE(softplus, f0t_softplus, fmaxf(d->x[i], 0) + log1pf(expf(-fabsf(d->x[i]))))

static const struct {
    const char *name, *unit, *peer;
    double work; /* of one run, in units */
    f0t_status (*ours)(void *context);
    f0t_status (*theirs)(void *context);
} cases[] = {
    {"top 10 of 1048576", "GB/s", "memcpy", MANY * 4e-9, topk_one, copy_many},
    {"top 5 of 925, 1000 rows", "rows/s", NULL, ROWS, topk_rows, NULL},
    {"normalise 1024 rows of 1024", "GB/s", "memcpy", MANY * 4e-9, normalise, copy_many},
    {"exp", "M/s", "libm", FEW * 1e-6, exp_ours, exp_libm},
    {"sigmoid", "M/s", "libm", FEW * 1e-6, sigmoid_ours, sigmoid_libm},
    {"softplus", "M/s", "libm", FEW * 1e-6, softplus_ours, softplus_libm},
};

enum { CASES = sizeof cases / sizeof *cases };

static f0t_status run_all(cli_context *cli, const bench_options *options, bench_report *report,
                          arrays *d)
{
    F0T_TRY(f0t_alloc(&d->x, MANY, sizeof *d->x));
    F0T_TRY(f0t_alloc(&d->y, MANY, sizeof *d->y));
    F0T_TRY(f0t_alloc(&d->index, ROWS * 5, sizeof *d->index));
    for (size_t i = 0; i < MANY; i++)
        d->x[i] = d->y[i] = (float)((i * 2654435761U >> 8 & 0xFFFF)) * 0x1p-12F - 8;
    f0t_stage stage = f0t_stage_begin(cli->monitor, "measuring", "cases", CASES);
    for (size_t i = 0; i < CASES; i++) {
        bench_contender contenders[] = {{NULL, cases[i].ours, d, 0},
                                        {cases[i].peer, cases[i].theirs, d, 0}};
        size_t count = cases[i].peer ? 2 : 1;
        F0T_TRY(f0t_stage_update(&stage, i));
        if (!bench_wanted(options, cases[i].name))
            continue;
        F0T_TRY(bench_measure(contenders, count));
        bench_report_add(report, cases[i].name, cases[i].unit, cases[i].work, contenders, count);
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

f0t_status bench_kernels(cli_context *cli, const void *options)
{
    F0T_ENTER(cli->context); /* what is measured is inside of the library */
    arrays data = {0};
    bench_report *report = bench_report_create("kernels");
    f0t_status status = run_all(cli, options, report, &data);
    if (status == F0T_OK)
        status = bench_report_print(cli, report, options);
    bench_report_free(report);
    f0t_free(data.x);
    f0t_free(data.y);
    f0t_free(data.index);
    return status;
}
