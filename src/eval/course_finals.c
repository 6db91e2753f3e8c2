/* The finals of a course: scores of the test images, graded. */
#include "eval/course_parts.h"

#include "base/alloc.h"
#include "math/topk.h"

#include <stdio.h>
#include <string.h>

typedef struct grading {
    f0t_metrics *metrics;
    const f0t_exam *exam;
    const f0t_course_options *options;
    f0t_cell *cell;
} grading;

/* The first tags of the sample images that are in this block. */
static void keep_top(const grading *g, size_t first, const f0t_ranking *block)
{
    for (size_t i = 0; i < g->options->sample_count; i++) {
        uint32_t index[F0T_SAMPLE_TOP];
        size_t at = g->options->samples[i];
        if (at < first || at >= first + block->images)
            continue;
        size_t found = f0t_topk_row(index, NULL, block->scores + (at - first) * block->tags,
                                    block->tags, F0T_SAMPLE_TOP);
        for (size_t k = 0; k < F0T_SAMPLE_TOP; k++)
            g->cell->top[i * F0T_SAMPLE_TOP + k] =
                k < found ? g->exam->tags[index[k]] : F0T_NO_SAMPLE_TAG;
    }
}

static f0t_status grade(void *user, size_t first, const f0t_ranking *block)
{
    grading *g = user;
    keep_top(g, first, block);
    return f0t_metrics_add(g->metrics, block);
}

static f0t_status take_final(f0t_cell *cell, const f0t_exam *exam, const f0t_candidate *candidate,
                             const f0t_course_options *options, f0t_effort *effort)
{
    f0t_metric_values values;
    grading g = {.exam = exam, .options = options, .cell = cell};
    cell->top_count = options->sample_count * F0T_SAMPLE_TOP;
    F0T_TRY(f0t_alloc(&cell->top, cell->top_count, sizeof *cell->top));
    F0T_TRY(f0t_metrics_create(&g.metrics, exam->count, exam->answers.count, options->cutoffs,
                               options->cutoff_count));
    f0t_status status = f0t_exam_take(&effort->test_s, exam, candidate, grade, &g);
    if (status == F0T_OK)
        status = f0t_metrics_get(&values, g.metrics);
    f0t_metrics_free(g.metrics);
    if (status == F0T_OK)
        f0t_values_set(&cell->values, &values, effort);
    return status;
}

void f0t_cell_describe(f0t_cell *cell, const f0t_exam *exam, const f0t_ranker *ranker,
                       const f0t_choice *tuning)
{
    cell->done = true;
    cell->images = exam->answers.count;
    cell->tags = exam->count;
    cell->knob_count = tuning ? ranker->knob_count : 0;
    for (size_t i = 0; i < cell->knob_count; i++) {
        snprintf(cell->knob_names[i], sizeof cell->knob_names[i], "%s", ranker->knobs[i].name);
        cell->knobs[i] = tuning->values[i];
    }
}

/* Another final of the same tags that has been taken; NULL: none. */
static const f0t_cell *find_same(const f0t_cell *cells, const f0t_course *c, int scenario)
{
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        const f0t_exam *a = &c->finals[s], *b = &c->finals[scenario];
        if (c->asked[s] && cells[s].done && cells[s].top && a->count == b->count &&
            memcmp(a->tags, b->tags, a->count * sizeof *a->tags) == 0)
            return &cells[s];
    }
    return NULL;
}

static f0t_status copy_cell(f0t_cell *to, const f0t_cell *from)
{
    uint32_t *top;
    F0T_TRY(f0t_alloc(&top, from->top_count, sizeof *top));
    memcpy(top, from->top, from->top_count * sizeof *top);
    f0t_cell_free(to);
    *to = *from;
    to->top = top;
    return F0T_OK;
}

f0t_status f0t_course_copies(f0t_cell *cells, const f0t_course *c)
{
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        const f0t_cell *same = c->asked[s] && !cells[s].done ? find_same(cells, c, s) : NULL;
        if (same)
            F0T_TRY(copy_cell(&cells[s], same));
    }
    return F0T_OK;
}

f0t_status f0t_course_finals(f0t_cell *cells, const f0t_course *c, const f0t_candidate *candidate,
                             const f0t_course_options *options, const f0t_choice *choice,
                             f0t_effort effort)
{
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        if (!c->asked[s] || cells[s].done)
            continue;
        F0T_TRY(take_final(&cells[s], &c->finals[s], candidate, options, &effort));
        f0t_cell_describe(&cells[s], &c->finals[s], candidate->ranker, choice);
        F0T_TRY(f0t_course_copies(cells, c));
    }
    return F0T_OK;
}

void f0t_cell_free(f0t_cell *cell)
{
    f0t_free(cell->top);
    *cell = (f0t_cell){0};
}
