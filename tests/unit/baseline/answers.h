/* A small task for the methods, and what every one of them must keep to. */
#ifndef F0T_TESTS_ANSWERS_H
#define F0T_TESTS_ANSWERS_H

#include "../model/collection.h"

#include "base/cpu.h"
#include "baseline/ranker.h"
#include "rank/miap.h"

#include <math.h>

typedef struct small_task {
    collection files;
    f0t_dataset *dataset;
    f0t_vectors *vectors;
    f0t_vocab *vocab; /* all tags, in the order of the dataset: seen, then unseen */
    f0t_condition unit;
    f0t_task task;
} small_task;

/* Learns the first `tags` tags of the collection. */
static inline void task_open(small_task *t, const collection_options *options, size_t tags)
{
    const char *names[C_TAGS];
    uint32_t number[C_TAGS];
    f0t_vocab_options centred = {.size = sizeof(f0t_vocab_options), .centred = true};
    *t = (small_task){.files = collection_create(options)};
    assert_ok(f0t_dataset_open(&t->dataset, t->files.path, NULL, NULL));
    assert_ok(f0t_vectors_open(&t->vectors, t->files.vectors, NULL, NULL));
    for (uint32_t i = 0; i < C_TAGS; i++) {
        names[i] = f0t_dataset_tag(t->dataset, i);
        number[i] = i < tags ? i : F0T_NO_SAMPLE_TAG;
    }
    assert_ok(f0t_vocab_create(&t->vocab, names, C_TAGS, t->vectors, &centred, NULL));
    t->task = (f0t_task){.dataset = t->dataset,
                         .unit = &t->unit,
                         .tags = tags,
                         .dim = C_DIM,
                         .vectors = f0t_vocab_vectors(t->vocab),
                         .seed = 3,
                         .effort = 1};
    assert_ok(f0t_samples_create(&t->task.train, t->dataset, F0T_TRAIN, number, tags, true));
    assert_ok(f0t_samples_create(&t->task.val, t->dataset, F0T_VAL, number, tags, true));
    assert_ok(f0t_condition_create(&t->unit, F0T_CONDITION_UNIT, t->dataset, &t->task.train, NULL));
}

static inline void task_close(small_task *t)
{
    f0t_samples_free(&t->task.train);
    f0t_samples_free(&t->task.val);
    f0t_condition_free(&t->unit);
    f0t_vocab_free(t->vocab);
    f0t_vectors_close(t->vectors);
    f0t_dataset_close(t->dataset);
}

static inline void first_knobs(double *knobs, const f0t_ranker *r)
{
    for (size_t i = 0; i < r->knob_count; i++)
        knobs[i] = r->knobs[i].values[r->knobs[i].first];
}

/* The test images, and the tags first, …, first + count - 1 of the collection as candidates. */
typedef struct question {
    f0t_samples images; /* with the candidates as tags */
    float *features;
    float *scores;
    uint32_t known[C_TAGS];
    f0t_candidates tags;
    f0t_queries queries;
} question;

static inline void question_open(question *q, const small_task *t, size_t first, size_t count)
{
    uint32_t number[C_TAGS];
    *q = (question){0};
    for (size_t i = 0; i < C_TAGS; i++)
        number[i] = i >= first && i < first + count ? (uint32_t)(i - first) : F0T_NO_SAMPLE_TAG;
    assert_ok(f0t_samples_create(&q->images, t->dataset, F0T_TEST, number, count, true));
    assert_ok(
        f0t_alloc(&q->features, q->images.count * f0t_task_features(&t->task), sizeof(float)));
    assert_ok(f0t_alloc(&q->scores, q->images.count * count, sizeof(float)));
    assert_ok(f0t_task_read(q->features, &t->task, q->images.images, q->images.count));
    for (size_t i = 0; i < count; i++)
        q->known[i] = first + i < t->task.tags ? (uint32_t)(first + i) : F0T_NO_SAMPLE_TAG;
    q->tags = (f0t_candidates){
        .count = count, .vectors = f0t_vocab_vectors(t->vocab) + first * C_DIM, .known = q->known};
    q->queries = (f0t_queries){.count = q->images.count, .features = q->features};
}

static inline void question_close(question *q)
{
    f0t_samples_free(&q->images);
    f0t_free(q->features);
    f0t_free(q->scores);
}

/* Learns and scores. */
static inline f0t_status answer(question *q, const f0t_ranker *r, const f0t_task *task,
                                const double *knobs)
{
    void *shared = NULL, *fitted = NULL;
    f0t_status status = r->prepare ? r->prepare(&shared, task) : F0T_OK;
    if (status == F0T_OK)
        status = r->fit(&fitted, task, shared, knobs);
    if (status == F0T_OK)
        status = r->score(q->scores, fitted, task, &q->tags, &q->queries);
    if (r->free)
        r->free(fitted);
    if (r->release)
        r->release(shared);
    return status;
}

/* MiAP of the test images, 0 … 1. */
static inline double answer_miap(const question *q)
{
    f0t_miap miap = {0};
    f0t_ranking ranking = {.images = q->images.count,
                           .tags = q->tags.count,
                           .scores = q->scores,
                           .offsets = q->images.offsets,
                           .relevant = q->images.relevant};
    assert_ok(f0t_miap_add(&miap, &ranking));
    return f0t_miap_get(&miap);
}

/* Of the tags first, …, first + count - 1, having learned the first `tags`. */
static inline double miap_after(const f0t_ranker *r, const double *knobs, size_t tags, size_t first,
                                size_t count)
{
    small_task t;
    question q;
    task_open(&t, &(collection_options){.name = "task"}, tags);
    question_open(&q, &t, first, count);
    assert_ok(answer(&q, r, &t.task, knobs));
    double miap = answer_miap(&q);
    question_close(&q);
    task_close(&t);
    return miap;
}

/* ---- What every method keeps to ------------------------------------------------------------ */

static inline void assert_same_scores(const question *a, const question *b)
{
    assert_memory_equal(a->scores, b->scores, a->images.count * a->tags.count * sizeof *a->scores);
}

/* Before AVX-512 oneDNN's sums depend on the number of threads (docs/performance.md). */
static inline bool products_know_threads(void)
{
    return f0t_cpu_level() != F0T_CPU_WIDEST;
}

/* The same bytes for one and two threads, and for images one by one. */
static inline void keeps_its_bytes(const f0t_ranker *r, const double *knobs)
{
    small_task t;
    question one, two;
    void *shared = NULL, *fitted;
    size_t count = r->closed ? C_SEEN : C_TAGS;
    task_open(&t, &(collection_options){.name = "bytes"}, C_SEEN);
    t.task.epochs = 4;
    question_open(&one, &t, 0, count);
    question_open(&two, &t, 0, count);
    test_threads(1);
    assert_ok(answer(&one, r, &t.task, knobs));
    test_threads(products_know_threads() ? 1 : 2);
    assert_ok(answer(&two, r, &t.task, knobs));
    assert_same_scores(&one, &two);
    if (r->prepare)
        assert_ok(r->prepare(&shared, &t.task));
    assert_ok(r->fit(&fitted, &t.task, shared, knobs));
    memset(two.scores, 0xFF, two.images.count * count * sizeof *two.scores);
    for (size_t i = 0; i < two.images.count; i++) {
        f0t_queries single = {.count = 1, .features = two.features + i * C_FEATURES};
        assert_ok(r->score(two.scores + i * count, fitted, &t.task, &two.tags, &single));
    }
    assert_same_scores(&one, &two);
    r->free(fitted);
    if (r->release)
        r->release(shared);
    test_threads(0);
    question_close(&one);
    question_close(&two);
    task_close(&t);
}

typedef struct faulty {
    const f0t_ranker *ranker;
    const double *knobs;
    small_task *task;
    question *question;
} faulty;

static inline f0t_status run_faulty(void *context)
{
    faulty *f = context;
    return answer(f->question, f->ranker, &f->task->task, f->knobs);
}

/* Frees what it took when an allocation fails. */
static inline void survives_faults(const f0t_ranker *r, const double *knobs)
{
    small_task t;
    question q;
    task_open(&t, &(collection_options){.name = "faults"}, C_SEEN);
    t.task.epochs = 1;
    question_open(&q, &t, 0, r->closed ? C_SEEN : C_TAGS);
    faulty f = {r, knobs, &t, &q};
    test_each_fault(F0T_FAULT_ALLOC, run_faulty, &f);
    question_close(&q);
    task_close(&t);
}

/* No image has a tag: a message, not a crash. */
static inline void refuses_untagged(const f0t_ranker *r, const double *knobs)
{
    small_task t;
    question q;
    task_open(&t, &(collection_options){.name = "untagged", .untagged = true}, C_SEEN);
    question_open(&q, &t, 0, r->closed ? C_SEEN : C_TAGS);
    assert_fails(F0T_ERROR_UNSUPPORTED, "none of the 360 training images",
                 answer(&q, r, &t.task, knobs));
    question_close(&q);
    task_close(&t);
}

/* Without validation images the last weights are taken, and they have learned. */
static inline void needs_no_validation(const f0t_ranker *r, const double *knobs, double least)
{
    small_task t;
    question q;
    task_open(&t, &(collection_options){.name = "plain", .no_validation = true}, C_SEEN);
    question_open(&q, &t, 0, C_SEEN);
    assert_int_equal(t.task.val.count, 0);
    assert_ok(answer(&q, r, &t.task, knobs));
    assert_true(answer_miap(&q) > least);
    question_close(&q);
    task_close(&t);
}

#endif
