#include "answers.h"

#include "model/model.h"

static const f0t_ranker *const blend = &f0t_ranker_blend;

/* A network's head whose classes are the unseen tags, by their own names. */
static f0t_classes *classes_create(size_t features)
{
    static const char *const labels[] = {"tag9", "tag10", "tag11"};
    float weights[3 * C_FEATURES_MOST], bias[3] = {0, 0.1F, 0.2F};
    const f0t_random random = {23, 0};
    f0t_classes *classes;
    for (size_t i = 0; i < 3 * features; i++)
        weights[i] = (float)f0t_random_normal(&random, i);
    assert_ok(f0t_classes_create(&classes, labels, weights, bias, 3, features));
    return classes;
}

/* ---- What it gives -------------------------------------------------------------------------- */

static f0t_model *train_model(const small_task *t)
{
    f0t_model *model;
    f0t_train_options o = F0T_TRAIN_OPTIONS;
    o.method = F0T_METHOD_BLEND;
    o.seed = t->task.seed;
    o.epochs = o.patience = t->task.epochs;
    o.classes = t->task.classes;
    assert_ok(f0t_train(&model, t->dataset, t->vectors, &o, NULL));
    return model;
}

/* The logit of candidate c for image i as a model's blend has it; `among` is added to new words. */
static double model_score(const small_task *t, const question *q, const f0t_blend *b, size_t i,
                          size_t c, double among)
{
    float learned[C_TAGS], direction[C_DIM], offset;
    assert_ok(
        f0t_blend_score(learned, direction, &offset, b, NULL, q->features + i * C_FEATURES, 1));
    assert_int_equal(b->tags, t->task.tags);
    if (q->known[c] != F0T_NO_SAMPLE_TAG)
        return (double)learned[q->known[c]];
    double sum = (double)offset + among;
    for (size_t k = 0; k < C_DIM; k++)
        sum += (double)direction[k] * (double)q->tags.vectors[c * C_DIM + k];
    return sum;
}

static double sigmoid(double z)
{
    return 1 / (1 + exp(-z));
}

/* The tags first, …, first + count - 1 are scored as f0t_train's model does. */
static void assert_as_trained(small_task *t, const f0t_model *model, size_t first, size_t count,
                              double among)
{
    question q;
    question_open(&q, t, first, count);
    assert_ok(answer(&q, blend, &t->task, NULL));
    for (size_t i = 0; i < q.images.count; i += 7)
        for (size_t c = 0; c < count; c++) {
            const double want = model_score(t, &q, model->blend, i, c, among);
            const double got = (double)q.scores[i * count + c];
            /* Near 0 and 1 a logit enlarges what rounding does to the probability. */
            assert_true(fabs(want - got) < 1e-4 || fabs(sigmoid(want) - sigmoid(got)) < 1e-6);
        }
    question_close(&q);
}

static void it_is_what_f0t_train_gives(void **state)
{
    small_task t;
    float class_vectors[3 * C_DIM];
    (void)state;
    task_open(&t, &(collection_options){.name = "blend-same"}, C_SEEN);
    f0t_classes *classes = classes_create(C_FEATURES);
    assert_ok(f0t_classes_vectors(class_vectors, NULL, classes, t.vectors, true, NULL));
    t.task.epochs = 3;
    t.task.classes = classes;
    t.task.class_vectors = class_vectors;
    f0t_model *model = train_model(&t);
    assert_int_equal(model->blend->classes.count, 3);
    assert_as_trained(&t, model, 0, C_SEEN, 0);
    assert_as_trained(&t, model, C_SEEN, C_TAGS - C_SEEN, 0);
    assert_as_trained(&t, model, 0, C_TAGS, (double)model->blend->word_offset);
    f0t_model_free(model);
    f0t_classes_close(classes);
    task_close(&t);
}

static void it_learns_tags(void **state)
{
    (void)state;
    const double rival = miap_after(&f0t_ranker_frequency, NULL, C_SEEN, 0, C_SEEN);
    const double learned = miap_after(blend, NULL, C_SEEN, 0, C_SEEN);
    assert_true(learned > 0.9);
    assert_true(learned > rival + 0.2);
}

static void its_bytes_depend_on_neither_threads_nor_blocks(void **state)
{
    (void)state;
    keeps_its_bytes(blend, NULL);
}

/* ---- What goes wrong ------------------------------------------------------------------------ */

typedef struct scoring {
    const small_task *t;
    question *q;
    void *fitted;
} scoring;

static f0t_status score_once(void *context)
{
    const scoring *s = context;
    return blend->score(s->q->scores, s->fitted, &s->t->task, &s->q->tags, &s->q->queries);
}

/* Those of the fit are tested where it is: model.blend. */
static void failed_allocations_leak_nothing(void **state)
{
    small_task t;
    question q;
    void *fitted;
    (void)state;
    task_open(&t, &(collection_options){.name = "blend-faults"}, C_SEEN);
    t.task.epochs = 1;
    question_open(&q, &t, 0, C_TAGS);
    assert_ok(blend->fit(&fitted, &t.task, NULL, NULL));
    scoring s = {&t, &q, fitted};
    test_each_fault(F0T_FAULT_ALLOC, score_once, &s);
    blend->free(fitted);
    question_close(&q);
    task_close(&t);
}

static void what_cannot_be_learned_is_said(void **state)
{
    small_task t;
    float class_vectors[3 * C_DIM] = {0};
    void *fitted;
    (void)state;
    refuses_untagged(blend, NULL);
    task_open(&t, &(collection_options){.name = "blend-classes"}, C_SEEN);
    f0t_classes *classes = classes_create(C_FEATURES + 1);
    t.task.epochs = 1;
    t.task.classes = classes;
    t.task.class_vectors = class_vectors;
    assert_fails(F0T_ERROR_MISMATCH, "the classes' network makes 17 features",
                 blend->fit(&fitted, &t.task, NULL, NULL));
    assert_null(fitted);
    const size_t train = t.task.train.count, val = t.task.val.count;
    t.task.train.count = 1;
    t.task.val.count = 0;
    assert_fails(F0T_ERROR_UNSUPPORTED, "there is one image to learn from; a blend needs two",
                 blend->fit(&fitted, &t.task, NULL, NULL));
    t.task.train.count = train;
    t.task.val.count = val;
    f0t_classes_close(classes);
    task_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_f0t_train_gives),
        cmocka_unit_test(it_learns_tags),
        cmocka_unit_test(its_bytes_depend_on_neither_threads_nor_blocks),
        cmocka_unit_test(failed_allocations_leak_nothing),
        cmocka_unit_test(what_cannot_be_learned_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
