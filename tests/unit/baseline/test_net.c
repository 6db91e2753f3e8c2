#include "answers.h"

#include "math/matmul.h"
#include "model/options.h"

/* The scores that the model of f0t_train gives. */
static void assert_as_trained(const f0t_ranker *r, const double *knobs, const f0t_train_options *o)
{
    small_task t;
    question q;
    f0t_model *model;
    float *directions, *scores;
    task_open(&t, &(collection_options){.name = "same"}, C_SEEN);
    question_open(&q, &t, 0, C_TAGS);
    size_t rows = q.images.count;
    assert_ok(answer(&q, r, &t.task, knobs));
    assert_ok(f0t_train(&model, t.dataset, t.vectors, o, NULL));
    assert_ok(f0t_alloc(&directions, rows * C_DIM, sizeof *directions));
    assert_ok(f0t_alloc(&scores, rows * C_TAGS, sizeof *scores));
    assert_ok(f0t_model_directions(directions, model, q.features, rows, NULL));
    f0t_matmul product = {.m = rows, .n = C_TAGS, .k = C_DIM, .b_transposed = true};
    assert_ok(f0t_matmul_run(scores, directions, q.tags.vectors, NULL, &product));
    for (size_t i = 0; i < rows * C_TAGS; i++)
        assert_true(fabs((double)scores[i] - (double)q.scores[i]) < 1e-6);
    f0t_free(directions);
    f0t_free(scores);
    f0t_model_free(model);
    question_close(&q);
    task_close(&t);
}

static f0t_train_options options_of(f0t_method method)
{
    f0t_train_options o = F0T_TRAIN_OPTIONS;
    o.method = method;
    o.seed = 3;
    return o;
}

static void untuned_they_are_what_f0t_train_gives(void **state)
{
    double knobs[F0T_KNOBS_MAX];
    (void)state;
    f0t_train_options net = options_of(F0T_METHOD_NET);
    f0t_train_options rank = options_of(F0T_METHOD_LINEAR_RANK);
    first_knobs(knobs, &f0t_ranker_net);
    assert_as_trained(&f0t_ranker_net, knobs, &net);
    first_knobs(knobs, &f0t_ranker_linear_rank);
    assert_as_trained(&f0t_ranker_linear_rank, knobs, &rank);
}

static void knobs_are_the_options_of_f0t_train(void **state)
{
    const double knobs[] = {0.5, 2e-3, 0.1}, rank_knobs[] = {0.5, 2e-3, 0.4};
    (void)state;
    f0t_train_options net = options_of(F0T_METHOD_NET);
    net.decay = 0.5;
    net.rate = 2e-3;
    net.input_dropout = 0.1;
    assert_as_trained(&f0t_ranker_net, knobs, &net);
    f0t_train_options rank = options_of(F0T_METHOD_LINEAR_RANK);
    rank.decay = 0.5;
    rank.rate = 2e-3;
    rank.input_dropout = 0.4;
    assert_as_trained(&f0t_ranker_linear_rank, rank_knobs, &rank);
}

/* Scores after a training with this effort and number of epochs. */
static void scores_with(question *q, small_task *t, double effort, size_t epochs, bool bf16)
{
    double knobs[F0T_KNOBS_MAX];
    first_knobs(knobs, &f0t_ranker_linear_rank);
    t->task.effort = effort;
    t->task.epochs = epochs;
    t->task.bf16 = bf16;
    assert_ok(answer(q, &f0t_ranker_linear_rank, &t->task, knobs));
}

/* A quarter of the epochs that f0t_train would run. */
static size_t quarter(const small_task *t)
{
    f0t_samples train;
    f0t_train_options o = options_of(F0T_METHOD_LINEAR_RANK);
    assert_ok(f0t_samples_pick(&train, &t->task.train, false));
    f0t_train_options_resolve(&o, train.count, C_FEATURES, C_DIM);
    f0t_samples_free(&train);
    return (size_t)lrint((double)o.epochs * 0.25);
}

static void effort_is_a_share_of_the_epochs(void **state)
{
    small_task t;
    question whole, part, asked;
    (void)state;
    task_open(&t, &(collection_options){.name = "effort", .no_validation = true}, C_SEEN);
    question_open(&whole, &t, 0, C_TAGS);
    question_open(&part, &t, 0, C_TAGS);
    question_open(&asked, &t, 0, C_TAGS);
    size_t bytes = whole.images.count * C_TAGS * sizeof(float);
    scores_with(&whole, &t, 1, 0, false);
    scores_with(&part, &t, 0.25, 0, false);
    assert_memory_not_equal(whole.scores, part.scores, bytes);
    scores_with(&asked, &t, 1, quarter(&t), false);
    assert_memory_equal(asked.scores, part.scores, bytes);
    scores_with(&part, &t, 0.25, quarter(&t), false);
    assert_same_scores(&asked, &part);
    scores_with(&part, &t, 1, quarter(&t), true);
    assert_memory_not_equal(asked.scores, part.scores, bytes);
    question_close(&whole);
    question_close(&part);
    question_close(&asked);
    task_close(&t);
}

static void they_learn_tags(void **state)
{
    const double knobs[] = {0.1, 1e-2, 0}, net_knobs[] = {0.1, 1e-2, 0.3};
    (void)state;
    assert_true(miap_after(&f0t_ranker_linear_rank, knobs, C_SEEN, 0, C_SEEN) > 0.85);
    assert_true(miap_after(&f0t_ranker_net, net_knobs, C_SEEN, 0, C_SEEN) > 0.85);
    needs_no_validation(&f0t_ranker_net, net_knobs, 0.8);
}

static void their_bytes_depend_on_neither_threads_nor_blocks(void **state)
{
    double knobs[F0T_KNOBS_MAX];
    (void)state;
    first_knobs(knobs, &f0t_ranker_net);
    keeps_its_bytes(&f0t_ranker_net, knobs);
    first_knobs(knobs, &f0t_ranker_linear_rank);
    keeps_its_bytes(&f0t_ranker_linear_rank, knobs);
}

static void failed_allocations_leak_nothing(void **state)
{
    double knobs[F0T_KNOBS_MAX];
    (void)state;
    first_knobs(knobs, &f0t_ranker_net);
    survives_faults(&f0t_ranker_net, knobs);
    refuses_untagged(&f0t_ranker_net, knobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(untuned_they_are_what_f0t_train_gives),
        cmocka_unit_test(knobs_are_the_options_of_f0t_train),
        cmocka_unit_test(effort_is_a_share_of_the_epochs),
        cmocka_unit_test(they_learn_tags),
        cmocka_unit_test(their_bytes_depend_on_neither_threads_nor_blocks),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
