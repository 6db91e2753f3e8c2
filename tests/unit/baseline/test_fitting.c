#include "baseline/fitting.h"

#include "answers.h"

static f0t_train_options options_of(f0t_loss loss)
{
    f0t_train_options o = collection_training(F0T_METHOD_NET);
    o.loss = loss;
    return o;
}

static void logistic_keeps_images_that_make_no_pair(void **state)
{
    small_task t;
    f0t_fitting f;
    (void)state;
    task_open(&t, &(collection_options){.name = "kept"}, C_SEEN);
    f0t_train_options pairs = options_of(F0T_LOSS_RANKNET), all = options_of(F0T_LOSS_LOGISTIC);
    assert_ok(f0t_fitting_begin(&f, &t.task, &pairs));
    assert_true(f.train.count < t.task.train.count);
    f0t_fitting_end(NULL, &f);
    assert_ok(f0t_fitting_begin(&f, &t.task, &all));
    assert_int_equal(f.train.count, t.task.train.count);
    f0t_fitting_end(NULL, &f);
    task_close(&t);
}

static void tags_that_no_image_has_are_refused(void **state)
{
    small_task t;
    f0t_fitting f;
    (void)state;
    task_open(&t, &(collection_options){.name = "untagged", .untagged = true}, C_SEEN);
    for (int loss = F0T_LOSS_RANKNET; loss < F0T_LOSSES; loss++) {
        f0t_train_options o = options_of((f0t_loss)loss);
        assert_fails(F0T_ERROR_UNSUPPORTED,
                     " training images has both a tag to learn and one that does not fit",
                     f0t_fitting_begin(&f, &t.task, &o));
    }
    task_close(&t);
}

/* As a method does that has one output per tag. */
static f0t_status fit_outputs(void *context)
{
    f0t_fitting f;
    f0t_objective objective;
    f0t_train_options o = options_of(F0T_LOSS_LOGISTIC);
    small_task *t = context;
    F0T_TRY(f0t_fitting_begin(&f, &t->task, &o));
    f.data.tags = NULL;
    f.data.dim = f.train.tags;
    f0t_status status = f0t_objective_ranking(&objective, &f.data, &f.options);
    if (status == F0T_OK) {
        status = f0t_fitting_run(&f, f.train.tags, true, &objective);
        f0t_objective_free(&objective);
    }
    if (status == F0T_OK && !t->task.epochs)
        assert_true(f.miap > 85);
    f0t_fitting_end(NULL, &f);
    return status;
}

static void outputs_may_be_scores_of_a_loss(void **state)
{
    small_task t;
    (void)state;
    task_open(&t, &(collection_options){.name = "outputs"}, C_SEEN);
    assert_ok(fit_outputs(&t));
    t.task.epochs = 1;
    test_each_fault(F0T_FAULT_ALLOC, fit_outputs, &t);
    task_close(&t);
}

/* Counted by hand: three products a layer, forwards and backwards, the first without a gradient of its input. */
static void a_training_costs_what_its_products_do(void **state)
{
    small_task t;
    (void)state;
    task_open(&t, &(collection_options){.name = "costs"}, C_SEEN);
    t.task.epochs = 7;
    const double images = (double)t.task.train.count, d = (double)t.task.dim, tags = C_SEEN,
                 D = (double)f0t_task_features(&t.task);
    f0t_train_options linear = F0T_TRAIN_OPTIONS, net = F0T_TRAIN_OPTIONS;
    linear.method = F0T_METHOD_LINEAR_RANK;
    net.hidden_count = 2;
    net.hidden[0] = 24;
    net.hidden[1] = 10;
    assert_true(f0t_fitting_cost(&t.task, &linear, t.task.dim, t.task.dim, 1000) ==
                7 * images * (4 * D * d + 6 * d * tags + 1000 * tags));
    assert_true(f0t_fitting_cost(&t.task, &net, C_SEEN, 0, 8000) ==
                7 * images * (4 * D * 24 + 6 * 24 * 10 + 6 * 10 * tags + 8000 * tags));
    task_close(&t);
}

/* A trial with half of the epochs costs half. */
static void a_trial_costs_its_share_of_the_epochs(void **state)
{
    const double knobs[F0T_KNOBS_MAX] = {1, 1, 1, 1, 1, 1};
    const f0t_ranker *const rankers[] = {
        &f0t_ranker_net,    &f0t_ranker_warp,  &f0t_ranker_linear_rank, &f0t_ranker_labelem,
        &f0t_ranker_wsabie, &f0t_ranker_conse, &f0t_ranker_sdl,         &f0t_ranker_labelem_plus};
    small_task t;
    (void)state;
    task_open(&t, &(collection_options){.name = "shares"}, C_SEEN);
    for (size_t r = 0; r < sizeof rankers / sizeof *rankers; r++) {
        t.task.effort = 1;
        const double all = rankers[r]->cost(&t.task, knobs);
        t.task.effort = 0.5;
        const double half = rankers[r]->cost(&t.task, knobs);
        assert_true(all > 0 && fabs(half / all - 0.5) < 0.01);
    }
    task_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_training_costs_what_its_products_do),
        cmocka_unit_test(a_trial_costs_its_share_of_the_epochs),
        cmocka_unit_test(logistic_keeps_images_that_make_no_pair),
        cmocka_unit_test(tags_that_no_image_has_are_refused),
        cmocka_unit_test(outputs_may_be_scores_of_a_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
