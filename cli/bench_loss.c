#include "bench.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "base/random.h"
#include "compute/loss.h"
#include "rank/miap.h"

enum { ROWS = 1000, TAGS = 925 };

/* A batch of training, and what a case makes of it. */
typedef struct batch {
    f0t_loss_batch at;
    f0t_loss_plan *plan;
    float *scores, *gradient;
    size_t *offsets;
    uint32_t *relevant;
} batch;

static const struct {
    const char *name;
    f0t_loss loss;
    f0t_pairs pairs;
    uint32_t relevant; /* tags of an image */
    bool miap;
} cases[] = {
    {"ranknet, 5 relevant", F0T_LOSS_RANKNET, F0T_PAIRS_IMAGE, 5, false},
    {"ranknet, 117 relevant", F0T_LOSS_RANKNET, F0T_PAIRS_IMAGE, 117, false},
    {"ranknet across the batch, 5 relevant", F0T_LOSS_RANKNET, F0T_PAIRS_BATCH, 5, false},
    {"hinge, 5 relevant", F0T_LOSS_HINGE, F0T_PAIRS_IMAGE, 5, false},
    {"squared-hinge, 5 relevant", F0T_LOSS_SQUARED_HINGE, F0T_PAIRS_IMAGE, 5, false},
    {"crammer-singer, 5 relevant", F0T_LOSS_CRAMMER_SINGER, F0T_PAIRS_IMAGE, 5, false},
    {"max-out, 5 relevant", F0T_LOSS_MAX_OUT, F0T_PAIRS_IMAGE, 5, false},
    {"listmle, 5 relevant", F0T_LOSS_LISTMLE, F0T_PAIRS_IMAGE, 5, false},
    {"logistic, 5 relevant", F0T_LOSS_LOGISTIC, F0T_PAIRS_IMAGE, 5, false},
    {"MiAP, 5 relevant", F0T_LOSS_RANKNET, F0T_PAIRS_IMAGE, 5, true},
};

enum { CASES = sizeof cases / sizeof *cases };

static f0t_status run_loss(void *context)
{
    batch *b = context;
    f0t_loss_result result;
    return f0t_loss_run(&result, b->gradient, b->plan, &b->at);
}

static f0t_status run_miap(void *context)
{
    batch *b = context;
    f0t_miap miap = {0, 0, 0};
    const f0t_ranking ranking = {ROWS, TAGS, b->scores, b->offsets, b->relevant, NULL, 0};
    return f0t_miap_add(&miap, &ranking);
}

static f0t_status alloc_batch(batch *b)
{
    F0T_TRY(f0t_alloc(&b->scores, ROWS * TAGS, sizeof *b->scores));
    F0T_TRY(f0t_alloc(&b->gradient, ROWS * TAGS, sizeof *b->gradient));
    F0T_TRY(f0t_alloc(&b->offsets, ROWS + 1, sizeof *b->offsets));
    F0T_TRY(f0t_alloc(&b->relevant, ROWS * TAGS, sizeof *b->relevant));
    const f0t_random random = {1, 1};
    for (size_t i = 0; i < ROWS * TAGS; i++)
        b->scores[i] = (float)(2 * f0t_random_normal(&random, i));
    b->at = (f0t_loss_batch){.images = ROWS,
                             .tags = TAGS,
                             .scores = b->scores,
                             .offsets = b->offsets,
                             .relevant = b->relevant};
    return F0T_OK;
}

/* `count` tags of each image, evenly apart, from a place that moves. */
static void set_relevant(batch *b, uint32_t count)
{
    for (uint32_t m = 0; m <= ROWS; m++)
        b->offsets[m] = (size_t)m * count;
    for (uint32_t m = 0; m < ROWS; m++)
        for (uint32_t i = 0; i < count; i++)
            b->relevant[b->offsets[m] + i] = i * (TAGS / count) + m % (TAGS / count);
}

static f0t_status measure(bench_report *report, batch *b, size_t i)
{
    const f0t_loss_options options = {cases[i].loss, cases[i].pairs, 1};
    bench_contender ours = {NULL, cases[i].miap ? run_miap : run_loss, b, 0};
    set_relevant(b, cases[i].relevant);
    F0T_TRY(f0t_loss_plan_create(&b->plan, &options, ROWS, TAGS));
    f0t_status status = bench_measure(&ours, 1);
    f0t_loss_plan_free(b->plan);
    if (status == F0T_OK)
        bench_report_add(report, cases[i].name, "images/s", ROWS, &ours, 1);
    return status;
}

static f0t_status run_all(cli_context *cli, const bench_options *options, bench_report *report,
                          batch *b)
{
    F0T_TRY(alloc_batch(b));
    f0t_stage stage = f0t_stage_begin(cli->monitor, "measuring", "cases", CASES);
    for (size_t i = 0; i < CASES; i++) {
        F0T_TRY(f0t_stage_update(&stage, i));
        if (bench_wanted(options, cases[i].name))
            F0T_TRY(measure(report, b, i));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

f0t_status bench_loss(cli_context *cli, const void *options)
{
    F0T_ENTER(cli->context); /* what is measured is inside of the library */
    batch b = {0};
    bench_report *report = bench_report_create("loss");
    f0t_status status = run_all(cli, options, report, &b);
    if (status == F0T_OK)
        status = bench_report_print(cli, report, options);
    bench_report_free(report);
    f0t_free(b.scores);
    f0t_free(b.gradient);
    f0t_free(b.offsets);
    f0t_free(b.relevant);
    return status;
}
