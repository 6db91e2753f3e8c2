/* Whole comparisons of cheap methods on the small collection. */
#include "school.h"

#include "fast0tag_tools.h"

#include <math.h>

static const collection_options plain = {.name = "compared"};

typedef struct hall {
    f0t_dataset *dataset;
    f0t_vectors *vectors;
} hall;

static hall hall_open(const collection_options *o)
{
    hall h;
    collection c = collection_create(o);
    assert_ok(f0t_dataset_open(&h.dataset, c.path, NULL));
    assert_ok(f0t_vectors_open(&h.vectors, c.vectors, NULL));
    return h;
}

static void hall_close(hall *h)
{
    f0t_vectors_close(h->vectors);
    f0t_dataset_close(h->dataset);
}

static const f0t_eval_row *row_of(const f0t_eval *eval, const char *method, const char *scenario)
{
    for (size_t i = 0; i < f0t_eval_row_count(eval); i++) {
        const f0t_eval_row *row = f0t_eval_get_row(eval, i);
        if (!strcmp(row->method, method) && !strcmp(row->scenario, scenario))
            return row;
    }
    fail_msg("no row of %s in %s", method, scenario);
    return NULL;
}

static double value_of(const f0t_eval *eval, const char *method, const char *scenario,
                       const char *name)
{
    const f0t_eval_row *row = row_of(eval, method, scenario);
    for (size_t i = 0; i < row->value_count; i++)
        if (!strcmp(row->values[i].name, name))
            return row->values[i].mean;
    return (double)NAN;
}

static void methods_meet_in_every_scenario(void **state)
{
    hall h = hall_open(&plain);
    f0t_eval_options options = {.methods = "random,frequency,linear,ranksvm"};
    f0t_eval *eval;
    (void)state;
    assert_ok(f0t_eval_run(&eval, h.dataset, h.vectors, &options));
    assert_int_equal(f0t_eval_row_count(eval), 20);
    assert_null(f0t_eval_get_row(eval, 20));
    assert_int_equal(row_of(eval, "linear", "zero-shot")->tags, C_TAGS - C_SEEN);
    assert_int_equal(row_of(eval, "linear", "seen-unseen")->tags, C_TAGS);
    assert_int_equal(row_of(eval, "linear", "zero-shot")->images, C_IMAGES / 5);
    assert_true(value_of(eval, "linear", "conventional", "miap") >
                value_of(eval, "frequency", "conventional", "miap") + 10);
    assert_true(value_of(eval, "linear", "zero-shot", "miap") >
                value_of(eval, "random", "zero-shot", "miap") + 5);
    assert_true(value_of(eval, "linear", "zero-shot", "miap") ==
                value_of(eval, "linear", "open", "miap"));
    assert_non_null(row_of(eval, "frequency", "zero-shot")->refusal);
    assert_int_equal(row_of(eval, "frequency", "zero-shot")->value_count, 0);
    assert_non_null(row_of(eval, "ranksvm", "seen-unseen")->refusal);
    assert_null(row_of(eval, "ranksvm", "zero-shot")->refusal);
    assert_true(strlen(row_of(eval, "linear", "conventional")->knobs) > 0);
    f0t_eval_free(eval);
    hall_close(&h);
}

static void repeats_give_mean_and_deviation(void **state)
{
    hall h = hall_open(&plain);
    f0t_eval_options options = {.methods = "random",
                                .scenarios = "zero-shot,conventional",
                                .repeat = 3,
                                .unseen = "4",
                                .k = "2"};
    f0t_eval *eval, *single;
    double sum = 0, squares = 0, each[3];
    (void)state;
    assert_ok(f0t_eval_run(&eval, h.dataset, h.vectors, &options));
    assert_int_equal(f0t_eval_row_count(eval), 2);
    options.repeat = 1;
    for (int i = 0; i < 3; i++) {
        options.seed = (uint64_t)i;
        assert_ok(f0t_eval_run(&single, h.dataset, h.vectors, &options));
        each[i] = value_of(single, "random", "zero-shot", "p2");
        sum += each[i];
        f0t_eval_free(single);
    }
    for (int i = 0; i < 3; i++)
        squares += (each[i] - sum / 3) * (each[i] - sum / 3);
    const f0t_eval_row *row = row_of(eval, "random", "zero-shot");
    for (size_t i = 0; i < row->value_count; i++)
        if (!strcmp(row->values[i].name, "p2")) {
            assert_true(fabs(row->values[i].mean - sum / 3) < 1e-9);
            assert_true(fabs(row->values[i].deviation - sqrt(squares / 2)) < 1e-9);
        }
    f0t_eval_free(eval);
    hall_close(&h);
}

/* ---- Interrupted, and gone on ------------------------------------------------------------------ */

typedef struct stopper {
    volatile sig_atomic_t stop;
    size_t lines, most;
} stopper;

static void count_lines(void *user, f0t_log_level level, const char *line)
{
    stopper *s = user;
    (void)line;
    if (level == F0T_LOG_INFO && ++s->lines >= s->most)
        s->stop = 1;
}

static void an_interrupted_comparison_goes_on(void **state)
{
    hall h = hall_open(&plain);
    const char *path = test_path("results.jsonl");
    f0t_eval_options options = {.methods = "frequency,linear,random", .results = path};
    f0t_eval *eval, *whole;
    size_t runs = 0;
    (void)state;
    for (f0t_status status = F0T_ERROR_INTERRUPTED; status != F0T_OK; runs++) {
        stopper s = {.most = 2};
        f0t_monitor monitor = {.log = count_lines, .user = &s, .stop = &s.stop};
        options.monitor = &monitor;
        status = f0t_eval_run(&eval, h.dataset, h.vectors, &options);
        assert_true(status == F0T_OK || status == F0T_ERROR_INTERRUPTED);
        assert_true(runs < 8);
    }
    assert_true(runs > 1);
    options.monitor = NULL;
    options.results = NULL;
    assert_ok(f0t_eval_run(&whole, h.dataset, h.vectors, &options));
    for (size_t i = 0; i < f0t_eval_row_count(whole); i++) {
        const f0t_eval_row *a = f0t_eval_get_row(eval, i), *b = f0t_eval_get_row(whole, i);
        assert_int_equal(a->value_count, b->value_count);
        assert_string_equal(a->knobs, b->knobs);
        for (size_t v = 0; v < a->value_count; v++) {
            assert_string_equal(a->values[v].name, b->values[v].name);
            if (!strstr(a->values[v].name, "_s"))
                assert_memory_equal(&a->values[v].mean, &b->values[v].mean, sizeof(double));
        }
    }
    f0t_eval_free(eval);
    f0t_eval_free(whole);
    hall_close(&h);
}

static f0t_status compare_again(void *context)
{
    hall *h = context;
    f0t_eval *eval;
    f0t_eval_options options = {.methods = "random,frequency",
                                .scenarios = "zero-shot,conventional",
                                .results = test_path("again.jsonl")};
    f0t_status status = f0t_eval_run(&eval, h->dataset, h->vectors, &options);
    f0t_eval_free(eval);
    return status;
}

static void a_results_file_of_another_comparison_is_refused(void **state)
{
    hall h = hall_open(&plain);
    f0t_eval *eval;
    f0t_eval_options options = {.methods = "random", .results = test_path("again.jsonl")};
    (void)state;
    assert_ok(compare_again(&h));
    options.seed = 5;
    assert_fails(F0T_ERROR_MISMATCH, "another comparison",
                 f0t_eval_run(&eval, h.dataset, h.vectors, &options));
    /* Other methods and scenarios are the same comparison, and none of its results is lost. */
    options.seed = 0;
    options.scenarios = "seen-unseen";
    assert_ok(f0t_eval_run(&eval, h.dataset, h.vectors, &options));
    f0t_eval_free(eval);
    size_t size;
    char *text = test_read(options.results, &size);
    assert_non_null(strstr(text, "\"frequency\""));
    assert_non_null(strstr(text, "\"seen-unseen\""));
    f0t_free(text);
    hall_close(&h);
}

/* ---- Hostile results ------------------------------------------------------------------------- */

static hall *hostile_hall;

static f0t_status load_results(const void *data, size_t size)
{
    f0t_eval *eval;
    f0t_eval_options options = {.methods = "random,frequency",
                                .scenarios = "zero-shot,conventional"};
    options.results = test_file("hostile.jsonl", data, size);
    f0t_status status = f0t_eval_run(&eval, hostile_hall->dataset, hostile_hall->vectors, &options);
    f0t_eval_free(eval);
    return status;
}

static bool ends_with_a_line(size_t size)
{
    size_t all;
    char *text = test_read(test_path("again.jsonl"), &all);
    bool whole = text[size - (size > 0)] == '}' || text[size - (size > 0)] == '\n';
    f0t_free(text);
    return size > 0 && whole;
}

static void results_that_are_cut_or_altered_do_no_harm(void **state)
{
    hall h = hall_open(&plain);
    size_t size;
    (void)state;
    hostile_hall = &h;
    assert_ok(compare_again(&h));
    char *text = test_read(test_path("again.jsonl"), &size);
    size_t small = (size_t)(strchr(strchr(text, '\n') + 1, '\n') - text);
    for (size_t at = 0; at < small; at += 37)
        if (!ends_with_a_line(at))
            assert_int_not_equal(load_results(text, at), F0T_OK);
    for (size_t at = 0; at < small; at += 11) {
        char was = text[at];
        text[at] = (char)(was ^ 4);
        load_results(text, size);
        text[at] = was;
    }
    f0t_free(text);
    hall_close(&h);
}

static f0t_status compare_afresh(void *context)
{
    remove(test_path("again.jsonl"));
    return compare_again(context);
}

static void every_failed_write_and_allocation_is_told(void **state)
{
    hall h = hall_open(&plain);
    (void)state;
    test_each_fault(F0T_FAULT_WRITE, compare_afresh, &h);
    test_each_fault(F0T_FAULT_ALLOC, compare_afresh, &h);
    assert_ok(compare_again(&h));
    test_each_fault(F0T_FAULT_ALLOC, compare_again, &h);
    hall_close(&h);
}

static void what_cannot_be_compared_is_told(void **state)
{
    static const collection_options bare = {.name = "bare", .no_features = true};
    static const collection_options empty = {.name = "empty", .untagged = true};
    hall h = hall_open(&bare);
    f0t_eval *eval;
    f0t_eval_options options = {.methods = "random"};
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "has no features",
                 f0t_eval_run(&eval, h.dataset, h.vectors, &options));
    hall_close(&h);
    h = hall_open(&empty);
    assert_fails(F0T_ERROR_FORMAT, "none of its 360 training images",
                 f0t_eval_run(&eval, h.dataset, h.vectors, &options));
    options.methods = "random,nonsense";
    assert_fails(F0T_ERROR_NOT_FOUND, "no method 'nonsense'",
                 f0t_eval_run(&eval, h.dataset, h.vectors, &options));
    options.methods = "";
    assert_fails(F0T_ERROR_NOT_FOUND, "no method ''",
                 f0t_eval_run(&eval, h.dataset, h.vectors, &options));
    options = (f0t_eval_options){.scenarios = "zero-shot,zero"};
    assert_fails(F0T_ERROR_ARGUMENT, "no scenario 'zero'", f0t_eval_options_check(&options));
    options = (f0t_eval_options){.k = "3,0"};
    assert_fails(F0T_ERROR_ARGUMENT, "K '0'", f0t_eval_options_check(&options));
    options = (f0t_eval_options){.k = "1,2,3,4,5,6,7,8,9"};
    assert_fails(F0T_ERROR_ARGUMENT, "8 values", f0t_eval_options_check(&options));
    options = (f0t_eval_options){.k = "99999999999999999999"};
    assert_fails(F0T_ERROR_ARGUMENT, "a list of numbers", f0t_eval_options_check(&options));
    hall_close(&h);
}

static void without_validation_images_nothing_is_tuned(void **state)
{
    static const collection_options none = {.name = "no-val", .no_validation = true};
    hall h = hall_open(&none);
    f0t_eval *eval;
    f0t_eval_options options = {.methods = "linear", .scenarios = "zero-shot"};
    (void)state;
    assert_ok(f0t_eval_run(&eval, h.dataset, h.vectors, &options));
    assert_true(value_of(eval, "linear", "zero-shot", "trials") == 0);
    assert_true(isnan(value_of(eval, "linear", "zero-shot", "validation_miap")));
    f0t_eval_free(eval);
    hall_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_meet_in_every_scenario),
        cmocka_unit_test(repeats_give_mean_and_deviation),
        cmocka_unit_test(an_interrupted_comparison_goes_on),
        cmocka_unit_test(a_results_file_of_another_comparison_is_refused),
        cmocka_unit_test(results_that_are_cut_or_altered_do_no_harm),
        cmocka_unit_test(every_failed_write_and_allocation_is_told),
        cmocka_unit_test(what_cannot_be_compared_is_told),
        cmocka_unit_test(without_validation_images_nothing_is_tuned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
