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
    f0t_loss_options loss; /* the peer has ranknet's within images alone */
} cases[] = {
    {"4096-8192-2048-300 f32", {4096, 2, {8192, 2048}, 300, true}, F0T_F32, {0}},
    {"4096-8192-2048-300 bf16", {4096, 2, {8192, 2048}, 300, true}, F0T_BF16, {0}},
    {"4096-300 f32", {4096, 0, {0}, 300, true}, F0T_F32, {0}},
    {"listmle, linear f32", {4096, 0, {0}, 300, true}, F0T_F32, {.loss = F0T_LOSS_LISTMLE}},
    {"pairs across the batch, linear f32",
     {4096, 0, {0}, 300, true},
     F0T_F32,
     {.pairs = F0T_PAIRS_BATCH}},
};
enum { CASES = sizeof cases / sizeof *cases };

/* What a run ends with. */
typedef enum stage { FORWARD, LOSS, GRADIENTS, WHOLE, STAGES } stage;
static const char *const stage_names[STAGES] = {"forward", "to the loss", "to the gradients", ""};

typedef struct training {
    const f0t_compute *compute;
    f0t_net *net;
    f0t_step *step;
    f0t_loss_plan *loss;
    float *x, *tags;
    f0t_buffer *all; /* the features of POOL batches on a device of its own, or NULL */
    uint32_t *index; /* [POOL x BATCH] */
    size_t *offsets;
    uint32_t *relevant;
    size_t steps; /* of a run */
    size_t done;
    stage until;
} training;

/* Batches of features on a device, and steps of a run there: nobody waits for a single one. */
enum { POOL = 8, DEVICE_STEPS = 20 };

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

static f0t_status upload(training *t, size_t inputs, f0t_dtype precision)
{
    t->steps = t->compute->shares_memory ? 1 : DEVICE_STEPS;
    if (t->compute->shares_memory || !t->compute->gather)
        return F0T_OK;
    const f0t_random random = {.seed = 5};
    F0T_TRY(f0t_alloc(&t->index, POOL * BATCH, sizeof *t->index));
    for (size_t i = 0; i < POOL * BATCH; i++)
        t->index[i] = (uint32_t)i;
    f0t_random_shuffle(t->index, POOL * BATCH, &random);
    F0T_TRY(f0t_buffer_create(&t->all, t->compute, precision, POOL * BATCH * inputs));
    for (size_t b = 0; b < POOL; b++)
        F0T_TRY(t->compute->upload(t->all, b * BATCH * inputs, t->x, BATCH * inputs));
    return F0T_OK;
}

static f0t_status prepare(training *t, const f0t_net_shape *shape, f0t_dtype precision,
                          const f0t_loss_options *loss)
{
    t->compute = f0t_compute_current();
    F0T_TRY(fill(&t->x, BATCH * shape->inputs, 1));
    F0T_TRY(fill(&t->tags, TAGS * shape->outputs, 2));
    f0t_rows_normalise(t->tags, TAGS, shape->outputs);
    F0T_TRY(pick_relevant(t));
    F0T_TRY(upload(t, shape->inputs, precision));
    F0T_TRY(f0t_net_create(&t->net, t->compute, shape, precision));
    F0T_TRY(f0t_net_set_random(t->net, 4, 1));
    F0T_TRY(t->compute->loss_create(&t->loss, loss, BATCH, TAGS));
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
    if (t->loss)
        t->compute->loss_free(t->loss);
    f0t_buffer_free(t->all);
    f0t_free(t->index);
    f0t_free(t->x);
    f0t_free(t->tags);
    f0t_free(t->offsets);
    f0t_free(t->relevant);
}

static f0t_status forward(training *t)
{
    if (t->all)
        return f0t_step_forward_rows(t->step, t->all, t->index + t->done++ % POOL * BATCH, BATCH,
                                     0);
    return f0t_step_forward(t->step, t->x, BATCH, 0);
}

static f0t_status run_loss(training *t)
{
    const f0t_loss_batch batch = {.images = BATCH,
                                  .tags = TAGS,
                                  .offsets = t->offsets,
                                  .relevant = t->relevant,
                                  .number = t->done};
    f0t_loss_result result;
    return t->compute->loss(t->compute->loss_sum ? NULL : &result, f0t_step_gradient(t->step),
                            f0t_step_scores(t->step), t->loss, &batch);
}

static f0t_status run_stages(training *t)
{
    F0T_TRY(forward(t));
    if (t->until == FORWARD)
        return F0T_OK;
    F0T_TRY(run_loss(t));
    if (t->until == LOSS)
        return F0T_OK;
    F0T_TRY(f0t_step_gradients(t->step));
    return t->until == GRADIENTS ? F0T_OK : f0t_step_apply(t->step, 1e-4);
}

static f0t_status run_step(training *t)
{
    if (t->compute->begin)
        t->compute->begin();
    F0T_TRY(run_stages(t));
    return t->compute->end ? t->compute->end() : F0T_OK;
}

/* The losses come last: with them, all is done. */
static f0t_status run_steps(void *context)
{
    training *t = context;
    float last;
    double sum;
    for (size_t i = 0; i < t->steps; i++)
        F0T_TRY(run_step(t));
    if (t->compute->loss_sum)
        F0T_TRY(t->compute->loss_sum(&sum, t->loss));
    return t->compute->shares_memory ? F0T_OK
                                     : t->compute->download(&last, f0t_step_scores(t->step), 0, 1);
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
        f0t_matmul through = {.m = BATCH,
                              .n = out,
                              .k = in,
                              .type = p->type,
                              .result = p->type,
                              .b_transposed = true};
        f0t_matmul data = {.m = BATCH, .n = in, .k = out, .type = p->type, .result = p->type};
        f0t_matmul weights = {.m = out, .n = in, .k = BATCH, .type = p->type, .a_transposed = true};
        F0T_TRY(f0t_matmul_run(p->c, p->a, p->b, NULL, &through));
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
    const char *words[NUMBERS + 3] = {f0t_compute_current()->device,
                                      precision == F0T_F32 ? "f32" : "bf16"};
    size_t count = 0, values[NUMBERS] = {(size_t)f0t_context_threads(cli->context), BATCH, TAGS,
                                         shape->inputs};
    for (count = 4; count < 4 + f0t_net_shape_layers(shape); count++)
        values[count] = f0t_net_shape_outputs(shape, count - 4);
    for (size_t i = 0; i < count; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%zu", values[i]);
        words[2 + i] = numbers[i];
    }
    return bench_child_start(cli, "train_peer.py", words);
}

/* The stages of a step on a device, which runs nothing of them at the same time. */
static f0t_status measure_stages(bench_report *report, training *ours, const char *name)
{
    for (stage until = FORWARD; until < WHOLE; until++) {
        bench_contender contender = {NULL, run_steps, ours, 0};
        char named[96];
        snprintf(named, sizeof named, "%s, %s", name, stage_names[until]);
        ours->until = until;
        F0T_TRY(bench_measure(&contender, 1));
        bench_report_add(report, named, "images/s", BATCH * (double)ours->steps, &contender, 1);
    }
    return F0T_OK;
}

/* The peer on a GPU runs as many steps at a time; the CPU's products alone are no measure there. */
static f0t_status measure_with(bench_report *report, training *ours, bench_child *peer, size_t i)
{
    const bool shared = f0t_compute_current()->shares_memory;
    products alone = {0};
    bench_contender contenders[3] = {{NULL, run_steps, ours, 0}};
    size_t count = 1;
    f0t_status status = F0T_OK;
    ours->until = WHOLE;
    if (peer)
        contenders[count++] = (bench_contender){bench_child_name(peer), bench_child_run, peer, 0};
    if (shared) {
        contenders[count++] = (bench_contender){"its products alone", run_products, &alone, 0};
        status = prepare_products(&alone, &cases[i].shape, cases[i].precision);
    }
    if (status == F0T_OK)
        status = bench_measure(contenders, count);
    if (status == F0T_OK)
        bench_report_add(report, cases[i].name, "images/s", BATCH * (double)ours->steps, contenders,
                         count);
    if (status == F0T_OK && !shared)
        status = measure_stages(report, ours, cases[i].name);
    clean_up_products(&alone);
    return status;
}

static f0t_status measure(const cli_context *cli, bench_report *report, size_t i)
{
    training ours = {0};
    const f0t_loss_options *loss = &cases[i].loss;
    const bool compares = loss->loss == F0T_LOSS_RANKNET && loss->pairs == F0T_PAIRS_IMAGE;
    bench_child *peer = compares ? start_peer(cli, &cases[i].shape, cases[i].precision) : NULL;
    f0t_status status = prepare(&ours, &cases[i].shape, cases[i].precision, loss);
    if (status == F0T_OK)
        status = measure_with(report, &ours, peer, i);
    clean_up(&ours);
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
