/* One training step beside PyTorch's: the step itself, its loss and its optimiser. */
#include "bench.h"
#include "bench_child.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/dtype.h"
#include "base/random.h"
#include "compute/loss.h"
#include "math/elementwise.h"
#include "math/matmul.h"
#include "model/step.h"

#include <stdlib.h>

enum { BATCH = 1000, TAGS = 925, RELEVANT = 5 };

static const struct {
    const char *name;
    f0t_net_shape shape;
    f0t_dtype precision;
} cases[] = {
    {"4096-8192-2048-300 f32", {4096, 2, {8192, 2048}, 300, true}, F0T_F32},
    {"4096-8192-2048-300 bf16", {4096, 2, {8192, 2048}, 300, true}, F0T_BF16},
    {"4096-300 f32", {4096, 0, {0}, 300, true}, F0T_F32},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct training {
    f0t_net *net;
    f0t_step *step;
    f0t_loss_plan *loss;
    float *x, *tags;
    size_t *offsets;
    uint32_t *relevant;
} training;

static f0t_status fill(float **out, size_t n, uint64_t seed)
{
    const f0t_random random = {.seed = seed};
    F0T_TRY(f0t_alloc(out, n, sizeof **out));
    for (size_t i = 0; i < n; i++)
        (*out)[i] = (float)f0t_random_normal(&random, i);
    return F0T_OK;
}

/* RELEVANT tags for each image, one out of each fifth of the vocabulary. */
static f0t_status pick_relevant(training *t)
{
    const f0t_random random = {.seed = 3};
    F0T_TRY(f0t_alloc(&t->offsets, BATCH + 1, sizeof *t->offsets));
    F0T_TRY(f0t_alloc(&t->relevant, BATCH * RELEVANT, sizeof *t->relevant));
    for (size_t i = 0; i <= BATCH; i++)
        t->offsets[i] = i * RELEVANT;
    for (size_t i = 0; i < BATCH * RELEVANT; i++)
        t->relevant[i] = (uint32_t)(i % RELEVANT * (TAGS / RELEVANT) +
                                    f0t_random_below(&random, i, TAGS / RELEVANT));
    return F0T_OK;
}

static f0t_status prepare(training *t, const f0t_net_shape *shape, f0t_dtype precision)
{
    F0T_TRY(fill(&t->x, BATCH * shape->inputs, 1));
    F0T_TRY(fill(&t->tags, TAGS * shape->outputs, 2));
    f0t_rows_normalise(t->tags, TAGS, shape->outputs);
    F0T_TRY(pick_relevant(t));
    F0T_TRY(f0t_net_create(&t->net, f0t_compute_current(), shape, precision));
    F0T_TRY(f0t_net_set_random(t->net, 4, 1));
    F0T_TRY(f0t_loss_plan_create(&t->loss, &(f0t_loss_options){0}, BATCH, TAGS));
    f0t_step_options options = {.batch = BATCH,
                                .tags = t->tags,
                                .tag_count = TAGS,
                                .hidden_dropout = 0.3,
                                .optimizer = f0t_optimizer_default(F0T_OPTIMIZER_ADAM)};
    return f0t_step_create(&t->step, t->net, &options);
}

static void clean_up(training *t)
{
    f0t_step_free(t->step);
    f0t_net_free(t->net);
    f0t_loss_plan_free(t->loss);
    f0t_free(t->x);
    f0t_free(t->tags);
    f0t_free(t->offsets);
    f0t_free(t->relevant);
}

static f0t_status run_step(void *context)
{
    training *t = context;
    f0t_loss_result result;
    F0T_TRY(f0t_step_forward(t->step, t->x, BATCH, 0));
    f0t_loss_batch batch = {
        .images = BATCH, .tags = TAGS, .offsets = t->offsets, .relevant = t->relevant};
    F0T_TRY(f0t_compute_cpu.loss(&result, f0t_step_gradient(t->step), f0t_step_scores(t->step),
                                 t->loss, &batch));
    F0T_TRY(f0t_step_gradients(t->step));
    F0T_TRY(f0t_step_reduce(t->step));
    return f0t_step_apply(t->step, 1e-4);
}

/* ---- The products alone -------------------------------------------------------------------------
 */

/* What a step cannot be faster than: its products, each at its best, and nothing between them. */
typedef struct products {
    const f0t_net_shape *shape;
    f0t_dtype type;
    float *a, *b, *c;
} products;

static f0t_status run_products(void *context)
{
    const products *p = context;
    for (size_t l = 0; l < f0t_net_shape_layers(p->shape); l++) {
        size_t in = f0t_net_shape_inputs(p->shape, l), out = f0t_net_shape_outputs(p->shape, l);
        f0t_matmul forward = {BATCH, out, in, p->type, p->type, false, true, false, false};
        f0t_matmul data = {BATCH, in, out, p->type, p->type, false, false, false, false};
        f0t_matmul weights = {out, in, BATCH, p->type, F0T_F32, true, false, false, false};
        F0T_TRY(f0t_matmul_run(p->c, p->a, p->b, NULL, &forward));
        if (l)
            F0T_TRY(f0t_matmul_run(p->c, p->a, p->b, NULL, &data));
        F0T_TRY(f0t_matmul_run(p->c, p->a, p->b, NULL, &weights));
    }
    f0t_matmul scores = {.m = BATCH, .n = TAGS, .k = p->shape->outputs, .b_transposed = true};
    f0t_matmul back = {.m = BATCH, .n = p->shape->outputs, .k = TAGS};
    F0T_TRY(f0t_matmul_run(p->c, p->a, p->b, NULL, &scores));
    return f0t_matmul_run(p->c, p->a, p->b, NULL, &back);
}

static f0t_status prepare_products(products *p, const f0t_net_shape *shape, f0t_dtype type)
{
    size_t most = BATCH * (shape->inputs > TAGS ? shape->inputs : TAGS);
    for (size_t l = 0; l < f0t_net_shape_layers(shape); l++) {
        size_t out = f0t_net_shape_outputs(shape, l);
        size_t weights = f0t_net_shape_inputs(shape, l) * out;
        most = weights > most ? weights : most;
        most = BATCH * out > most ? BATCH * out : most;
    }
    p->shape = shape;
    p->type = type;
    F0T_TRY(f0t_alloc_zero(&p->a, most, sizeof(float)));
    F0T_TRY(f0t_alloc_zero(&p->b, most, sizeof(float)));
    return f0t_alloc_zero(&p->c, most, sizeof(float));
}

static void clean_up_products(products *p)
{
    f0t_free(p->a);
    f0t_free(p->b);
    f0t_free(p->c);
}

/* ---- Measuring ----------------------------------------------------------------------------------
 */

static bench_child *start_peer(const cli_context *cli, const f0t_net_shape *shape,
                               f0t_dtype precision)
{
    enum { NUMBERS = F0T_NET_HIDDEN_MAX + 5 };
    char numbers[NUMBERS][16];
    const char *words[NUMBERS + 2] = {precision == F0T_F32 ? "f32" : "bf16"};
    size_t count = 0, values[NUMBERS] = {(size_t)f0t_context_threads(cli->context), BATCH, TAGS,
                                         shape->inputs};
    for (count = 4; count < 4 + f0t_net_shape_layers(shape); count++)
        values[count] = f0t_net_shape_outputs(shape, count - 4);
    for (size_t i = 0; i < count; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%zu", values[i]);
        words[1 + i] = numbers[i];
    }
    return bench_child_start(cli, "train_peer.py", words);
}

static f0t_status measure(const cli_context *cli, bench_report *report, size_t i)
{
    const f0t_net_shape *shape = &cases[i].shape;
    f0t_dtype precision = cases[i].precision;
    training ours = {0};
    products alone = {0};
    bench_child *peer = start_peer(cli, shape, precision);
    bench_contender contenders[3] = {{NULL, run_step, &ours, 0}};
    size_t count = 1;
    if (peer)
        contenders[count++] = (bench_contender){bench_child_name(peer), bench_child_run, peer, 0};
    contenders[count++] = (bench_contender){"its products alone", run_products, &alone, 0};
    f0t_status status = prepare(&ours, shape, precision);
    if (status == F0T_OK)
        status = prepare_products(&alone, shape, precision);
    if (status == F0T_OK)
        status = bench_measure(contenders, count);
    if (status == F0T_OK)
        bench_report_add(report, cases[i].name, "images/s", BATCH, contenders, count);
    clean_up(&ours);
    clean_up_products(&alone);
    bench_child_end(peer);
    return status;
}

f0t_status bench_train(cli_context *cli, const void *options)
{
    F0T_ENTER(cli->context); /* what is measured is inside of the library */
    bench_report *report = bench_report_create("train");
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < CASES && status == F0T_OK; i++)
        if (bench_wanted(options, cases[i].name))
            status = measure(cli, report, i);
    if (status == F0T_OK)
        status = bench_report_print(cli, report, options);
    bench_report_free(report);
    return status;
}
