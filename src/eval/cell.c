/* The result of a method in a scenario: how a test fills it. */
#include "base/alloc.h"
#include "eval/protocol.h"
#include "math/topk.h"

#include <math.h>
#include <string.h>

void f0t_eval_cell_free(f0t_eval_cell *cell)
{
    f0t_free(cell->top);
    f0t_free(cell->curves);
    f0t_free(cell->precisions);
    f0t_free(cell->tag_precisions);
    *cell = (f0t_eval_cell){0};
}

static f0t_status copy_array(void *out, const void *from, size_t count, size_t size)
{
    void *memory;
    F0T_TRY(f0t_alloc(&memory, count, size));
    memcpy(memory, from, count * size);
    memcpy(out, &memory, sizeof memory);
    return F0T_OK;
}

f0t_status f0t_eval_cell_copy(f0t_eval_cell *to, const f0t_eval_cell *from)
{
    f0t_eval_cell copy = *from;
    copy.curves = NULL;
    copy.precisions = copy.tag_precisions = NULL;
    F0T_TRY(copy_array(&copy.top, from->top, from->top_count, sizeof *from->top));
    f0t_status status = copy_array(&copy.precisions, from->precisions, from->precision_count,
                                   sizeof *from->precisions);
    if (status == F0T_OK)
        status = copy_array(&copy.tag_precisions, from->tag_precisions, from->tag_precision_count,
                            sizeof *from->tag_precisions);
    if (status == F0T_OK && from->curves)
        status = copy_array(&copy.curves, from->curves, 1, sizeof *from->curves);
    if (status != F0T_OK) {
        f0t_eval_cell_free(&copy);
        return status;
    }
    f0t_eval_cell_free(to);
    *to = copy;
    return F0T_OK;
}

/* ---- Testing --------------------------------------------------------------------------------- */

typedef struct test_sink {
    f0t_metrics *metrics;
    f0t_eval_reliability *reliability; /* NULL when scores are no probabilities */
    const f0t_eval_split *split;
    const f0t_eval_protocol_options *options;
    f0t_eval_cell *cell;
} test_sink;

/* The first tags of the sample images that are in this block. */
static void keep_top(const test_sink *to, size_t first, const f0t_ranking *block)
{
    for (size_t i = 0; i < to->options->sample_count; i++) {
        uint32_t index[F0T_SAMPLE_TOP];
        size_t at = to->options->samples[i];
        if (at < first || at >= first + block->images)
            continue;
        size_t found = f0t_topk_row(index, NULL, block->scores + (at - first) * block->tags,
                                    block->tags, F0T_SAMPLE_TOP);
        for (size_t k = 0; k < F0T_SAMPLE_TOP; k++)
            to->cell->top[i * F0T_SAMPLE_TOP + k] =
                k < found ? to->split->tags[index[k]] : F0T_NO_SAMPLE_TAG;
    }
}

static f0t_status add_test_block(void *user, size_t first, const f0t_ranking *block)
{
    test_sink *to = user;
    keep_top(to, first, block);
    if (to->reliability)
        F0T_TRY(f0t_eval_reliability_add(to->reliability, block));
    return f0t_metrics_add(to->metrics, block);
}

static f0t_status create_metrics(test_sink *sink)
{
    const f0t_eval_split *split = sink->split;
    const f0t_eval_protocol_options *o = sink->options;
    bool *seen;
    F0T_TRY(f0t_alloc(&seen, split->count, sizeof *seen));
    for (size_t t = 0; t < split->count; t++)
        seen[t] = split->known[t] != F0T_NO_SAMPLE_TAG;
    f0t_status status = f0t_metrics_create(&sink->metrics, split->count, split->truth.count,
                                           o->cutoffs, o->cutoff_count, seen);
    f0t_free(seen);
    return status;
}

static f0t_status open_sink(test_sink *sink, const f0t_eval_fit *fit)
{
    f0t_eval_cell *cell = sink->cell;
    const f0t_eval_protocol_options *o = sink->options;
    cell->top_count = o->sample_count * F0T_SAMPLE_TOP;
    F0T_TRY(f0t_alloc(&cell->top, cell->top_count, sizeof *cell->top));
    if (fit->ranker->calibrated) {
        F0T_TRY(f0t_alloc(&cell->curves, 1, sizeof *cell->curves));
        F0T_TRY(f0t_eval_reliability_create(&sink->reliability, sink->split, fit));
    }
    return create_metrics(sink);
}

/* Whole numbers: what a results file keeps is what it gives back. */
static f0t_status keep_precisions(f0t_eval_cell *cell, const double *precisions, size_t images)
{
    const size_t count = images < F0T_PRECISIONS_MOST ? images : F0T_PRECISIONS_MOST;
    F0T_TRY(f0t_alloc(&cell->precisions, count, sizeof *cell->precisions));
    cell->precision_count = count;
    for (size_t i = 0; i < count; i++) {
        const double precision = precisions[i * images / count];
        cell->precisions[i] = precision < 0 ? -1 : (int32_t)lrint(1e6 * precision);
    }
    return F0T_OK;
}

static f0t_status keep_tags(f0t_eval_cell *cell, const f0t_retrieval_values *tags, size_t count)
{
    F0T_TRY(f0t_alloc(&cell->tag_precisions, count, sizeof *cell->tag_precisions));
    cell->tag_precision_count = count;
    for (size_t i = 0; i < count; i++)
        cell->tag_precisions[i] =
            tags[i].precision < 0 ? -1 : (int32_t)lrint(1e6 * tags[i].precision);
    return F0T_OK;
}

/* What the sink has seen becomes the cell's values. */
static f0t_status read_sink(const test_sink *sink, const f0t_eval_cost *cost)
{
    f0t_metric_values values;
    f0t_confidence_values confidence;
    F0T_TRY(f0t_metrics_get(&values, sink->metrics));
    F0T_TRY(keep_precisions(sink->cell, f0t_metrics_precisions(sink->metrics), values.images));
    F0T_TRY(keep_tags(sink->cell, f0t_metrics_tags(sink->metrics), values.tags));
    if (sink->reliability)
        f0t_eval_reliability_get(&confidence, sink->cell->curves, sink->reliability);
    f0t_values_set(&sink->cell->values, &values, sink->reliability ? &confidence : NULL, cost);
    return F0T_OK;
}

f0t_status f0t_eval_cell_test(f0t_eval_cell *cell, f0t_eval_cost *cost, const f0t_eval_split *split,
                              const f0t_eval_fit *fit, const f0t_eval_protocol_options *options)
{
    test_sink sink = {.split = split, .options = options, .cell = cell};
    f0t_status status = open_sink(&sink, fit);
    if (status == F0T_OK)
        status = f0t_eval_split_score(&cost->test_s, split, fit, add_test_block, &sink);
    if (status == F0T_OK)
        status = read_sink(&sink, cost);
    f0t_metrics_free(sink.metrics);
    f0t_eval_reliability_free(sink.reliability);
    return status;
}
