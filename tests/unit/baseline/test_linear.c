#include "answers.h"

#include "model/linear.h"

/* f0t_linear_fit with λ and ridge given, as scores of the question. */
static void reference(float *scores, const small_task *t, const question *q, double lambda,
                      double ridge)
{
    f0t_samples train;
    f0t_net *net;
    f0t_linear_choice choice;
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    f0t_net_shape shape = {.inputs = C_FEATURES, .outputs = C_DIM};
    options.lambda = lambda;
    options.ridge = ridge;
    assert_ok(f0t_samples_pick(&train, &t->task.train, false));
    f0t_train_data data = {.dataset = t->dataset,
                           .condition = &t->unit,
                           .train = &train,
                           .val = &t->task.val,
                           .tags = t->task.vectors,
                           .dim = C_DIM};
    assert_ok(f0t_net_create(&net, &f0t_compute_cpu, &shape, F0T_F32));
    assert_ok(f0t_linear_fit(&choice, net, &data, &options, NULL));
    for (size_t r = 0; r < q->images.count; r++) {
        float w[C_DIM];
        assert_ok(f0t_net_apply(w, net, q->features + r * C_FEATURES, 1));
        for (size_t i = 0; i < q->tags.count; i++) {
            double sum = 0;
            for (size_t k = 0; k < C_DIM; k++)
                sum += (double)w[k] * (double)q->tags.vectors[i * C_DIM + k];
            scores[r * q->tags.count + i] = (float)sum;
        }
    }
    f0t_net_free(net);
    f0t_samples_free(&train);
}

static void assert_near(const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_true(fabs((double)a[i] - (double)b[i]) < 1e-5);
}

static void trials_in_any_order_are_the_fit_of_their_knobs(void **state)
{
    const double trials[][2] = {{1, 1}, {1, 0.1}, {10, 0.1}, {0.1, 30}, {0.3, 1}, {1, 1},
                                {2, 1}, {3, 1},   {4, 1},    {5, 1},    {6, 1},   {1, 0.1}};
    small_task t;
    question q;
    void *shared, *fitted;
    float *want;
    (void)state;
    task_open(&t, &(collection_options){.name = "linear"}, C_SEEN);
    question_open(&q, &t, 0, C_TAGS);
    assert_ok(f0t_alloc(&want, q.images.count * C_TAGS, sizeof *want));
    assert_ok(f0t_ranker_linear.prepare(&shared, &t.task));
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        assert_ok(f0t_ranker_linear.fit(&fitted, &t.task, shared, trials[i]));
        assert_ok(f0t_ranker_linear.score(q.scores, fitted, &t.task, &q.tags, &q.queries));
        reference(want, &t, &q, trials[i][0], trials[i][1]);
        assert_near(q.scores, want, q.images.count * C_TAGS);
        f0t_ranker_linear.free(fitted);
    }
    f0t_ranker_linear.release(shared);
    f0t_free(want);
    question_close(&q);
    task_close(&t);
}

static void it_learns_tags_and_ranks_others(void **state)
{
    const double knobs[] = {1, 0.1};
    (void)state;
    assert_true(miap_after(&f0t_ranker_linear, knobs, C_SEEN, 0, C_SEEN) > 0.85);
    assert_true(miap_after(&f0t_ranker_linear, knobs, C_SEEN, C_SEEN, 3) > 0.75);
}

static void its_bytes_depend_on_neither_threads_nor_blocks(void **state)
{
    double knobs[F0T_KNOBS_MAX];
    (void)state;
    first_knobs(knobs, &f0t_ranker_linear);
    keeps_its_bytes(&f0t_ranker_linear, knobs);
}

static void failed_allocations_leak_nothing(void **state)
{
    double knobs[F0T_KNOBS_MAX];
    (void)state;
    first_knobs(knobs, &f0t_ranker_linear);
    survives_faults(&f0t_ranker_linear, knobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_in_any_order_are_the_fit_of_their_knobs),
        cmocka_unit_test(it_learns_tags_and_ranks_others),
        cmocka_unit_test(its_bytes_depend_on_neither_threads_nor_blocks),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
