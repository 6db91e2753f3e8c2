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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logistic_keeps_images_that_make_no_pair),
        cmocka_unit_test(tags_that_no_image_has_are_refused),
        cmocka_unit_test(outputs_may_be_scores_of_a_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
