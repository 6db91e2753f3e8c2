#include "bench.h"
#include "bench_peers.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "base/team.h"

#include <stdlib.h>

/* What training computes with a dense layer of weights W[out x in]. */
typedef enum form { FORWARD, PACKED, DATA_GRADIENT, WEIGHT_GRADIENT } form;

static const char *const form_names[] = {
    [FORWARD] = "x*W'",
    [PACKED] = "x*W' packed",
    [DATA_GRADIENT] = "dy*W",
    [WEIGHT_GRADIENT] = "dy'*x",
};

static const struct {
    size_t m, n, k;
    form form;
} shapes[] = {
    {1000, 8192, 4096, FORWARD},       {1000, 8192, 4096, PACKED},
    {1000, 8192, 4096, DATA_GRADIENT}, {1000, 2048, 8192, FORWARD},
    {1000, 2048, 8192, PACKED},        {1000, 2048, 8192, DATA_GRADIENT},
    {1000, 925, 300, FORWARD},         {1000, 925, 300, PACKED},
    {1000, 925, 300, DATA_GRADIENT},   {8192, 4096, 1000, WEIGHT_GRADIENT},
};

enum { SHAPES = sizeof shapes / sizeof *shapes, CASES = 2 * SHAPES };

typedef struct ours {
    bench_product product;
    f0t_packed *packed;
} ours;

static f0t_status run_ours(void *context)
{
    ours *o = context;
    const bench_product *p = &o->product;
    return o->packed ? f0t_matmul_run_packed(p->c, p->a, o->packed, NULL, &p->op)
                     : f0t_matmul_run(p->c, p->a, p->b, NULL, &p->op);
}

static f0t_status measure(bench_report *report, const char *name, ours *o)
{
    const f0t_matmul *op = &o->product.op;
    bench_contender contenders[4] = {{NULL, run_ours, o, 0}};
    size_t count = 1;
    bench_onednn *matmul = bench_onednn_create(&o->product, BENCH_MATMUL);
    bench_onednn *inner = bench_onednn_create(&o->product, BENCH_INNER_PRODUCT);
    if (matmul)
        contenders[count++] = (bench_contender){"oneDNN matmul", bench_onednn_run, matmul, 0};
    if (inner)
        contenders[count++] = (bench_contender){"oneDNN inner product", bench_onednn_run, inner, 0};
    if (op->type == F0T_F32)
        contenders[count++] = (bench_contender){"OpenBLAS", bench_openblas_run, &o->product, 0};
    f0t_status status = bench_measure(contenders, count);
    if (status == F0T_OK)
        bench_report_add(report, name, "GFLOP/s",
                         2e-9 * (double)op->m * (double)op->n * (double)op->k, contenders, count);
    bench_onednn_free(matmul);
    bench_onednn_free(inner);
    return status;
}

/* The matrices of every case: numbers that are neither tiny nor all alike. */
typedef struct matrices {
    float *a, *b, *c;
    uint16_t *a16, *b16;
} matrices;

static f0t_status fill(float **wide, uint16_t **narrow, size_t count)
{
    F0T_TRY(f0t_alloc(wide, count, sizeof **wide));
    F0T_TRY(f0t_alloc(narrow, count, sizeof **narrow));
    for (size_t i = 0; i < count; i++)
        (*wide)[i] = (float)(i * 2654435761U >> 8 & 0xFFFF) * 0x1p-16F - 0.5F;
    f0t_f32_to_bf16(*narrow, *wide, count);
    return F0T_OK;
}

/* The float32 cases come first. */
static f0t_dtype case_type(size_t i)
{
    return i < SHAPES ? F0T_F32 : F0T_BF16;
}

static bool case_wanted(const bench_options *options, char *name, size_t size, size_t i)
{
    size_t shape = i % SHAPES;
    snprintf(name, size, "%zux%zux%zu %s %s", shapes[shape].m, shapes[shape].n, shapes[shape].k,
             case_type(i) == F0T_F32 ? "f32" : "bf16", form_names[shapes[shape].form]);
    return bench_wanted(options, name);
}

static f0t_status create_matrices(matrices *data, const bench_options *options)
{
    size_t of_a = 0, of_b = 0, of_c = 0;
    char name[96];
    for (size_t i = 0; i < CASES; i++) {
        size_t m = shapes[i % SHAPES].m, n = shapes[i % SHAPES].n, k = shapes[i % SHAPES].k;
        if (!case_wanted(options, name, sizeof name, i))
            continue;
        of_a = of_a > m * k ? of_a : m * k;
        of_b = of_b > k * n ? of_b : k * n;
        of_c = of_c > m * n ? of_c : m * n;
    }
    F0T_TRY(fill(&data->a, &data->a16, of_a));
    F0T_TRY(fill(&data->b, &data->b16, of_b));
    return f0t_alloc(&data->c, of_c, sizeof *data->c);
}

static f0t_status run_case(bench_report *report, const char *name, const matrices *data, size_t i)
{
    form f = shapes[i % SHAPES].form;
    f0t_matmul op = {.m = shapes[i % SHAPES].m,
                     .n = shapes[i % SHAPES].n,
                     .k = shapes[i % SHAPES].k,
                     .type = case_type(i),
                     .a_transposed = f == WEIGHT_GRADIENT,
                     .b_transposed = f == FORWARD || f == PACKED};
    bool narrow = op.type == F0T_BF16;
    ours o = {{op, f == PACKED, data->c, narrow ? (void *)data->a16 : data->a,
               narrow ? (void *)data->b16 : data->b},
              NULL};
    if (f == PACKED)
        F0T_TRY(f0t_packed_create(&o.packed, op.k, op.n, op.type, op.m));
    f0t_status status = f == PACKED ? f0t_packed_set(o.packed, data->b, true) : F0T_OK;
    if (status == F0T_OK)
        status = measure(report, name, &o);
    f0t_packed_free(o.packed);
    return status;
}

static f0t_status run_all(cli_context *cli, const bench_options *options, bench_report *report,
                          matrices *data)
{
    char name[96];
    f0t_stage stage = f0t_stage_begin(cli->monitor, "measuring", "cases", CASES);
    F0T_TRY(create_matrices(data, options));
    for (size_t i = 0; i < CASES; i++) {
        F0T_TRY(f0t_stage_update(&stage, i));
        if (!case_wanted(options, name, sizeof name, i))
            continue;
        if (case_type(i) == F0T_BF16)
            f0t_matmul_bf16_notice(cli->monitor);
        F0T_TRY(run_case(report, name, data, i));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

f0t_status bench_matmul(cli_context *cli, const void *options)
{
    F0T_ENTER(cli->context); /* what is measured is inside of the library */
    matrices data = {0};
    bench_report *report = bench_report_create("matmul");
    const int before = f0t_team_enter(); /* the peers ask OpenMP: they have as many threads */
    f0t_status status = run_all(cli, options, report, &data);
    f0t_team_leave(before);
    if (status == F0T_OK)
        status = bench_report_print(cli, report, options);
    bench_report_free(report);
    f0t_free(data.a);
    f0t_free(data.b);
    f0t_free(data.c);
    f0t_free(data.a16);
    f0t_free(data.b16);
    return status;
}
