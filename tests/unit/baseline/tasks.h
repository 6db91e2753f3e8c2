/* A task made from the small collection: what the methods' tests learn from and rank. */
#ifndef F0T_TESTS_TASKS_H
#define F0T_TESTS_TASKS_H

#include "../model/collection.h"

#include "base/cpu.h"
#include "baseline/ranker.h"
#include "rank/miap.h"

#include <math.h>
#include <stdlib.h>

typedef struct made_task {
    f0t_dataset *dataset;
    f0t_condition unit;
    f0t_task task;
    f0t_samples test;    /* with the candidates */
    f0t_samples answers; /* with the training tags: what the oracle sees */
    float *features;     /* [test.count x D] */
    float *vectors;      /* [C_TAGS x C_DIM] of length 1 */
    uint32_t known[C_TAGS];
    f0t_candidates tags;
    f0t_queries queries;
} made_task;

static inline void made_vectors(float *to)
{
    for (size_t t = 0; t < C_TAGS; t++) {
        double norm = 0;
        for (size_t k = 0; k < C_DIM; k++)
            norm += (double)collection_vector(t, k) * (double)collection_vector(t, k);
        for (size_t k = 0; k < C_DIM; k++)
            to[t * C_DIM + k] = (float)((double)collection_vector(t, k) / sqrt(norm));
    }
}

/* Trains with the first `seen` tags and ranks those from number `first` on. */
static inline void made_task_create(made_task *m, size_t seen, size_t first)
{
    uint32_t train[C_TAGS], rank[C_TAGS];
    collection c = collection_create(&(collection_options){.name = "tasks"});
    *m = (made_task){0};
    assert_ok(f0t_dataset_open(&m->dataset, c.path, NULL, NULL));
    assert_ok(f0t_alloc(&m->vectors, C_TAGS * C_DIM, sizeof *m->vectors));
    made_vectors(m->vectors);
    assert_int_equal(f0t_dataset_tag_count(m->dataset), C_TAGS);
    for (size_t t = 0; t < C_TAGS; t++) {
        size_t number = strtoul(f0t_dataset_tag(m->dataset, t) + 3, NULL, 10);
        train[t] = number < seen ? (uint32_t)number : F0T_NO_SAMPLE_TAG;
        rank[t] = number >= first ? (uint32_t)(number - first) : F0T_NO_SAMPLE_TAG;
    }
    for (size_t t = first; t < C_TAGS; t++)
        m->known[t - first] = t < seen ? (uint32_t)t : F0T_NO_SAMPLE_TAG;
    m->task = (f0t_task){.dataset = m->dataset,
                         .unit = &m->unit,
                         .tags = seen,
                         .dim = C_DIM,
                         .vectors = m->vectors,
                         .seed = 1,
                         .effort = 1};
    assert_ok(f0t_samples_create(&m->task.train, m->dataset, F0T_TRAIN, train, seen, true));
    assert_ok(f0t_samples_create(&m->task.val, m->dataset, F0T_VAL, train, seen, true));
    assert_ok(f0t_samples_create(&m->answers, m->dataset, F0T_TEST, train, seen, true));
    assert_ok(f0t_samples_create(&m->test, m->dataset, F0T_TEST, rank, C_TAGS - first, true));
    assert_ok(f0t_condition_create(&m->unit, F0T_CONDITION_UNIT, m->dataset, &m->task.train, NULL));
    assert_ok(f0t_alloc(&m->features, m->test.count * C_FEATURES, sizeof *m->features));
    assert_ok(f0t_task_read(m->features, &m->task, m->test.images, m->test.count));
    m->tags = (f0t_candidates){
        .count = C_TAGS - first, .vectors = m->vectors + first * C_DIM, .known = m->known};
    m->queries = (f0t_queries){.count = m->test.count,
                               .features = m->features,
                               .offsets = m->answers.offsets,
                               .relevant = m->answers.relevant};
}

static inline void made_task_free(made_task *m)
{
    f0t_samples_free(&m->task.train);
    f0t_samples_free(&m->task.val);
    f0t_samples_free(&m->test);
    f0t_samples_free(&m->answers);
    f0t_condition_free(&m->unit);
    f0t_dataset_close(m->dataset);
    f0t_free(m->features);
    f0t_free(m->vectors);
}

static inline void made_knobs(double *values, const f0t_ranker *ranker)
{
    for (size_t i = 0; i < ranker->knob_count; i++)
        values[i] = ranker->knobs[i].values[ranker->knobs[i].first];
}

/* The queries from `first` on, at most `count`. */
static inline f0t_queries made_part(const made_task *m, size_t first, size_t count)
{
    f0t_queries q = m->queries;
    q.count = q.count - first < count ? q.count - first : count;
    q.features += first * C_FEATURES;
    q.offsets += first;
    return q;
}

/* Prepares, fits with these knobs, and scores the queries in blocks of so many. */
static inline f0t_status made_scores(float *scores, const made_task *m, const f0t_ranker *ranker,
                                     const double *knobs, size_t block)
{
    void *shared = NULL, *fitted = NULL;
    f0t_status status = ranker->prepare ? ranker->prepare(&shared, &m->task) : F0T_OK;
    if (status == F0T_OK)
        status = ranker->fit(&fitted, &m->task, shared, knobs);
    for (size_t first = 0; status == F0T_OK && first < m->queries.count; first += block) {
        f0t_queries part = made_part(m, first, block);
        status = ranker->score(scores + first * m->tags.count, fitted, &m->task, &m->tags, &part);
    }
    if (fitted)
        ranker->free(fitted);
    if (shared)
        ranker->release(shared);
    return status;
}

static inline float *made_room(const made_task *m)
{
    float *scores;
    assert_ok(f0t_alloc(&scores, m->test.count * m->tags.count, sizeof *scores));
    return scores;
}

static inline double made_miap(const made_task *m, const float *scores)
{
    f0t_miap miap = {0};
    f0t_ranking ranking = {.images = m->test.count,
                           .tags = m->tags.count,
                           .scores = scores,
                           .offsets = m->test.offsets,
                           .relevant = m->test.relevant};
    assert_ok(f0t_miap_add(&miap, &ranking));
    return 100 * f0t_miap_get(&miap);
}

/* MiAP with the knobs as they begin. */
static inline double made_default_miap(const made_task *m, const f0t_ranker *ranker)
{
    double knobs[F0T_KNOBS_MAX];
    float *scores = made_room(m);
    made_knobs(knobs, ranker);
    assert_ok(made_scores(scores, m, ranker, knobs, m->test.count));
    double miap = made_miap(m, scores);
    f0t_free(scores);
    return miap;
}

/* The same bytes with AVX-512. Before it, oneDNN's kernels sum the last rows of some numbers of rows in
 * another order: then the same but for rounding. */
static inline void made_check_same(const float *want, const float *got, size_t count)
{
    double largest = 0;
    if (f0t_cpu_level() == F0T_CPU_WIDEST)
        assert_memory_equal(want, got, count * sizeof *want);
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs((double)want[i]));
    for (size_t i = 0; i < count; i++)
        assert_true(fabs((double)want[i] - (double)got[i]) <= 1e-5 * largest);
}

static inline void made_check_blocks(const made_task *m, const f0t_ranker *ranker)
{
    double knobs[F0T_KNOBS_MAX];
    float *whole = made_room(m), *blocks = made_room(m);
    made_knobs(knobs, ranker);
    assert_ok(made_scores(whole, m, ranker, knobs, m->test.count));
    for (size_t block = 1; block < 60; block += 18) {
        assert_ok(made_scores(blocks, m, ranker, knobs, block));
        made_check_same(whole, blocks, m->test.count * m->tags.count);
    }
    f0t_free(whole);
    f0t_free(blocks);
}

/* For test_each_fault. */
typedef struct made_run {
    const made_task *m;
    const f0t_ranker *ranker;
    float *scores;
} made_run;

static inline f0t_status made_run_once(void *context)
{
    const made_run *run = context;
    double knobs[F0T_KNOBS_MAX];
    made_knobs(knobs, run->ranker);
    return made_scores(run->scores, run->m, run->ranker, knobs, run->m->test.count);
}

static inline void made_check_faults(const made_task *m, const f0t_ranker *ranker)
{
    made_run run = {m, ranker, made_room(m)};
    test_each_fault(F0T_FAULT_ALLOC, made_run_once, &run);
    f0t_free(run.scores);
}

#endif
