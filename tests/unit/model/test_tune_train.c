#include "collection.h"

#include "base/fault.h"

#include <unistd.h>

typedef struct opened {
    f0t_dataset *dataset;
    f0t_vectors *vectors;
} opened;

static opened open_collection(const collection_options *options)
{
    collection c = collection_create(options);
    opened o;
    assert_ok(f0t_dataset_open(&o.dataset, c.path, NULL, NULL));
    assert_ok(f0t_vectors_open(&o.vectors, c.vectors, NULL, NULL));
    return o;
}

static void close_collection(opened *o)
{
    f0t_vectors_close(o->vectors);
    f0t_dataset_close(o->dataset);
}

/* Small and quick, with everything to tune still open. */
static f0t_train_options quick(f0t_method method)
{
    f0t_train_options o = F0T_TRAIN_OPTIONS;
    o.method = method;
    if (method == F0T_METHOD_LINEAR)
        return o;
    o.epochs = 3;
    o.hidden_count = method == F0T_METHOD_NET ? 1 : F0T_HIDDEN_AUTO;
    o.hidden[0] = 16;
    return o;
}

static void a_search_fills_in_what_is_auto_and_leaves_what_is_given(void **state)
{
    opened c = open_collection(&(collection_options){.name = "plain"});
    (void)state;
    for (int method = F0T_METHOD_NET; method <= F0T_METHOD_LINEAR_RANK; method++) {
        f0t_train_options o = quick((f0t_method)method);
        f0t_tuning t;
        double *given = method == F0T_METHOD_LINEAR ? &o.lambda : &o.decay;
        *given = 2.5;
        assert_ok(f0t_train_tune(&o, &t, c.dataset, c.vectors, 0.3, NULL, NULL));
        assert_true(t.trials >= 1);
        assert_true(t.best >= t.first && t.first > 0 && t.best <= 100);
        assert_true(*given == 2.5);
        if (method == F0T_METHOD_LINEAR)
            assert_true(o.ridge > 0);
        else
            assert_true(o.epochs == 3 && o.rate > 0 && o.input_dropout >= 0);
        assert_null(o.tags);
        f0t_model *model;
        assert_ok(f0t_train(&model, c.dataset, c.vectors, &o, NULL));
        f0t_model_free(model);
    }
    close_collection(&c);
}

/* The same trials, judged the same, whatever is said of unseen tags. */
static void annotations_of_unseen_tags_have_no_influence(void **state)
{
    opened a = open_collection(&(collection_options){.name = "plain"});
    opened b = open_collection(&(collection_options){.name = "moved", .shuffle_unseen = true});
    f0t_train_options o = quick(F0T_METHOD_LINEAR_RANK), p = o;
    f0t_tuning t, u;
    (void)state;
    assert_ok(f0t_train_tune(&o, &t, a.dataset, a.vectors, 1e-6, NULL, NULL));
    assert_ok(f0t_train_tune(&p, &u, b.dataset, b.vectors, 1e-6, NULL, NULL));
    assert_true(t.trials == 1 && u.trials == 1);
    assert_true(t.first == u.first);
    close_collection(&a);
    close_collection(&b);
}

static void a_search_goes_on_from_its_journal(void **state)
{
    opened c = open_collection(&(collection_options){.name = "plain"});
    f0t_train_options o = quick(F0T_METHOD_LINEAR_RANK), p = o, q = o;
    const char *journal = test_path("m.trials");
    f0t_tuning first, second, third;
    (void)state;
    assert_ok(f0t_train_tune(&o, &first, c.dataset, c.vectors, 0.2, journal, NULL));
    p.resume = q.resume = true;
    assert_ok(f0t_train_tune(&p, &second, c.dataset, c.vectors, 1e-6, journal, NULL));
    assert_int_equal(second.trials, first.trials);
    assert_true(second.best == first.best && p.rate == o.rate && p.decay == o.decay);
    q.batch = 77;
    assert_fails(F0T_ERROR_MISMATCH,
                 "is the journal of another search; remove it, or do not resume",
                 f0t_train_tune(&q, &third, c.dataset, c.vectors, 1, journal, NULL));
    unlink(journal);
    close_collection(&c);
}

static void a_stop_is_heard_within_a_trial(void **state)
{
    opened c = open_collection(&(collection_options){.name = "plain"});
    f0t_train_options o = quick(F0T_METHOD_NET);
    volatile sig_atomic_t flag = 1;
    const f0t_monitor monitor = {.stop = &flag};
    f0t_tuning t;
    (void)state;
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted",
                 f0t_train_tune(&o, &t, c.dataset, c.vectors, 10, NULL, F0T_WATCHED(&monitor)));
    assert_true(o.rate <= 0);
    close_collection(&c);
}

static void a_search_without_a_question_or_an_answer_is_refused(void **state)
{
    opened c = open_collection(&(collection_options){.name = "plain"});
    opened bare = open_collection(&(collection_options){.name = "bare", .no_validation = true});
    f0t_train_options o = quick(F0T_METHOD_LINEAR);
    f0t_tuning t;
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "no validation image has a tag to learn: nothing can be tuned",
                 f0t_train_tune(&o, &t, bare.dataset, bare.vectors, 1, NULL, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "0 seconds to tune in: it must be above 0",
                 f0t_train_tune(&o, &t, c.dataset, c.vectors, 0, NULL, NULL));
    o.lambda = o.ridge = 1;
    assert_fails(F0T_ERROR_ARGUMENT, "every option is given: there is nothing to tune",
                 f0t_train_tune(&o, &t, c.dataset, c.vectors, 1, NULL, NULL));
    close_collection(&c);
    close_collection(&bare);
}

static f0t_status search_once(void *context)
{
    const opened *c = context;
    f0t_train_options o = quick(F0T_METHOD_LINEAR_RANK);
    f0t_tuning t;
    o.epochs = 2;
    return f0t_train_tune(&o, &t, c->dataset, c->vectors, 1e-6, test_path("f.trials"), NULL);
}

static void every_allocation_may_fail(void **state)
{
    opened c = open_collection(&(collection_options){.name = "plain"});
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, search_once, &c);
    close_collection(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_fills_in_what_is_auto_and_leaves_what_is_given),
        cmocka_unit_test(annotations_of_unseen_tags_have_no_influence),
        cmocka_unit_test(a_search_goes_on_from_its_journal),
        cmocka_unit_test(a_stop_is_heard_within_a_trial),
        cmocka_unit_test(a_search_without_a_question_or_an_answer_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
