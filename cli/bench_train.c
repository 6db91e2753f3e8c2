/* One training step beside PyTorch's: the step itself, its loss and its optimiser. */
#include "bench.h"
#include "bench_child.h"

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/random.h"
#include "math/elementwise.h"
#include "math/matmul.h"
#include "model/step.h"
#include "rank/loss.h"

#include <stdlib.h>

enum { BATCH = 1000, TAGS = 925, RELEVANT = 5 };

static const f0t_net_shape shape = {
    .inputs = 4096, .hidden_count = 2, .hidden = {8192, 2048}, .outputs = 300, .bias = true};

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

static f0t_status prepare(training *t, f0t_dtype precision)
{
    F0T_TRY(fill(&t->x, (size_t)BATCH * shape.inputs, 1));
    F0T_TRY(fill(&t->tags, TAGS * shape.outputs, 2));
    f0t_rows_normalise(t->tags, TAGS, shape.outputs);
    F0T_TRY(pick_relevant(t));
    F0T_TRY(f0t_net_create(&t->net, &shape, precision));
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
    float *gradient = f0t_step_gradient(t->step);
    F0T_TRY(f0t_step_forward(t->step, t->x, BATCH));
    f0t_loss_batch batch = {.images = BATCH,
                            .tags = TAGS,
                            .scores = f0t_step_scores(t->step),
                            .offsets = t->offsets,
                            .relevant = t->relevant};
    F0T_TRY(f0t_loss_run(&result, gradient, t->loss, &batch));
    return f0t_step_backward(t->step, gradient, 1e-4);
}

/* ---- The products alone -------------------------------------------------------------------------
 */

/* What a step cannot be faster than: its products, each at its best, and nothing between them. */
typedef struct products {
    f0t_dtype type;
    float *a, *b, *c;
} products;

static f0t_status run_products(void *context)
{
    const products *p = context;
    for (size_t l = 0; l < f0t_net_shape_layers(&shape); l++) {
        size_t in = f0t_net_shape_inputs(&shape, l), out = f0t_net_shape_outputs(&shape, l);
        f0t_matmul forward = {BATCH, out, in, p->type, p->type, false, true, false, false};
        f0t_matmul data = {BATCH, in, out, p->type, p->type, false, false, false, false};
        f0t_matmul weights = {out, in, BATCH, p->type, F0T_F32, true, false, false, false};
        F0T_TRY(f0t_matmul_run(p->c, p->a, p->b, NULL, &forward));
        if (l)
            F0T_TRY(f0t_matmul_run(p->c, p->a, p->b, NULL, &data));
        F0T_TRY(f0t_matmul_run(p->c, p->a, p->b, NULL, &weights));
    }
    return F0T_OK;
}

static f0t_status prepare_products(products *p, f0t_dtype type)
{
    size_t most = shape.inputs * shape.hidden[0];
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

static bench_child *start_peer(const cli_context *cli, f0t_dtype precision)
{
    char threads[16], numbers[6][16];
    size_t sizes[] = {BATCH, TAGS, shape.inputs, shape.hidden[0], shape.hidden[1], shape.outputs};
    const char *words[9] = {precision == F0T_F32 ? "f32" : "bf16", threads};
    snprintf(threads, sizeof threads, "%d", f0t_threads_get());
    for (size_t i = 0; i < 6; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%zu", sizes[i]);
        words[2 + i] = numbers[i];
    }
    return bench_child_start(cli, "train_peer.py", words);
}

static f0t_status measure(const cli_context *cli, bench_report *report, const char *name,
                          f0t_dtype precision)
{
    training ours = {0};
    products alone = {0};
    bench_child *peer = start_peer(cli, precision);
    bench_contender contenders[3] = {{NULL, run_step, &ours, 0}};
    size_t count = 1;
    if (peer)
        contenders[count++] = (bench_contender){bench_child_name(peer), bench_child_run, peer, 0};
    contenders[count++] = (bench_contender){"its products alone", run_products, &alone, 0};
    f0t_status status = prepare(&ours, precision);
    if (status == F0T_OK)
        status = prepare_products(&alone, precision);
    if (status == F0T_OK)
        status = bench_measure(contenders, count);
    if (status == F0T_OK)
        bench_report_add(report, name, "images/s", BATCH, contenders, count);
    clean_up(&ours);
    clean_up_products(&alone);
    bench_child_end(peer);
    return status;
}

f0t_status bench_train(cli_context *cli, const void *options)
{
    static const char *const names[] = {"4096-8192-2048-300 f32", "4096-8192-2048-300 bf16"};
    bench_report *report = bench_report_create("train");
    f0t_status status = F0T_OK;
    for (int i = 0; i < 2 && status == F0T_OK; i++)
        if (bench_wanted(options, names[i]))
            status = measure(cli, report, names[i], i ? F0T_BF16 : F0T_F32);
    if (status == F0T_OK)
        status = bench_report_print(cli, report, options);
    bench_report_free(report);
    return status;
}
