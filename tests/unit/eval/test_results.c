/* The results file: going on from it, what it refuses, and who may write it. */
#include "fixture.h"

#include "eval/eval.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const collection_options plain = {.name = "kept"};

/* Log lines, and a stop after some of them. */
typedef struct listener {
    volatile sig_atomic_t stop;
    size_t methods, most; /* lines of a method that ended; stops with this many, 0: never */
    char last[400];       /* other line */
} listener;

static void listen(void *user, f0t_log_level level, const char *line)
{
    listener *l = user;
    if (level == F0T_LOG_INFO && strstr(line, ": MiAP"))
        l->stop = ++l->methods == l->most;
    else
        snprintf(l->last, sizeof l->last, "%s", line);
}

static f0t_status run_heard(f0t_eval **eval, const fixture *h, f0t_eval_options options,
                            listener *l)
{
    f0t_monitor monitor = {.log = listen, .user = l, .stop = &l->stop};
    return f0t_eval_run(eval, h->dataset, h->vectors, &options, F0T_WATCHED(&monitor));
}

/* ---- Interrupted, and gone on ------------------------------------------------------------------ */

static void assert_same_results(const f0t_eval *one, const f0t_eval *other)
{
    assert_int_equal(f0t_eval_row_count(one), f0t_eval_row_count(other));
    for (size_t i = 0; i < f0t_eval_row_count(one); i++) {
        const f0t_eval_row *a = f0t_eval_get_row(one, i), *b = f0t_eval_get_row(other, i);
        assert_int_equal(a->value_count, b->value_count);
        assert_string_equal(a->knobs, b->knobs);
        for (size_t v = 0; v < a->value_count; v++) {
            assert_string_equal(a->values[v].name, b->values[v].name);
            if (!strstr(a->values[v].name, "_s"))
                assert_memory_equal(&a->values[v].mean, &b->values[v].mean, sizeof(double));
        }
    }
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void assert_same_curves(const f0t_reliability_curves *a, const f0t_reliability_curves *b)
{
    assert_true(!a == !b);
    for (size_t i = 0; a && i < F0T_CURVE_POINTS; i++)
        assert_true(same_number(a->sets[i].p, b->sets[i].p) && a->sets[i].r == b->sets[i].r &&
                    a->sets[i].f == b->sets[i].f);
    for (int part = 0; a && part < F0T_RELIABILITY_PARTS; part++) {
        assert_int_equal(a->bin_counts[part], b->bin_counts[part]);
        assert_memory_equal(a->bins[part], b->bins[part],
                            a->bin_counts[part] * sizeof *a->bins[part]);
    }
}

static void assert_same_cells(const f0t_eval *one, const f0t_eval *other)
{
    size_t curves = 0;
    for (size_t m = 0; m < one->plan.method_count; m++)
        for (int s = 0; s < F0T_SCENARIOS; s++) {
            const f0t_eval_cell *a = f0t_eval_cell_at(one, 0, m, (f0t_scenario)s);
            const f0t_eval_cell *b = f0t_eval_cell_at(other, 0, m, (f0t_scenario)s);
            assert_same_curves(a->curves, b->curves);
            assert_int_equal(a->precision_count, b->precision_count);
            assert_memory_equal(a->precisions, b->precisions,
                                a->precision_count * sizeof *a->precisions);
            curves += a->curves != NULL;
        }
    assert_int_equal(curves, 2); /* of frequency, where it applies */
}

static void an_interrupted_comparison_goes_on(void **state)
{
    fixture h = fixture_open(&plain);
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = "frequency,linear,random",
                                .results = test_path("results.jsonl")};
    f0t_eval *eval, *whole;
    size_t runs = 0;
    (void)state;
    for (f0t_status status = F0T_ERROR_INTERRUPTED; status != F0T_OK; runs++) {
        listener l = {.most = 2};
        status = run_heard(&eval, &h, options, &l);
        assert_true(status == F0T_OK || status == F0T_ERROR_INTERRUPTED);
        assert_true(l.methods <= 2 && runs < 8);
        if (status != F0T_OK)
            assert_non_null(strstr(l.last, "results.jsonl keeps what is done"));
        else
            assert_non_null(strstr(l.last, " of 15 results are there"));
    }
    assert_true(runs > 1);
    options.results = NULL;
    assert_ok(f0t_eval_run(&whole, h.dataset, h.vectors, &options, NULL));
    assert_same_results(eval, whole);
    assert_same_cells(eval, whole);
    f0t_eval_free(eval);
    f0t_eval_free(whole);
    fixture_close(&h);
}

static void an_interruption_before_anything_is_done_promises_nothing(void **state)
{
    fixture h = fixture_open(&plain);
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = "linear",
                                .results = test_path("nothing.jsonl")};
    f0t_eval *eval;
    listener l = {.stop = 1};
    (void)state;
    assert_int_equal(run_heard(&eval, &h, options, &l), F0T_ERROR_INTERRUPTED);
    assert_string_equal(l.last, "");
    assert_int_not_equal(access(options.results, F_OK), 0);
    assert_int_not_equal(access(test_path("nothing.jsonl.lock"), F_OK), 0);
    fixture_close(&h);
}

static f0t_status compare_again(void *context)
{
    fixture *h = context;
    f0t_eval *eval;
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = "random,frequency",
                                .scenarios = "zero-shot,conventional",
                                .results = test_path("again.jsonl")};
    f0t_status status = f0t_eval_run(&eval, h->dataset, h->vectors, &options, NULL);
    f0t_eval_free(eval);
    return status;
}

static f0t_status compare_afresh(void *context)
{
    remove(test_path("again.jsonl"));
    return compare_again(context);
}

static void more_may_be_asked_for_and_nothing_is_lost(void **state)
{
    fixture h = fixture_open(&plain);
    f0t_eval *eval;
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = "random",
                                .results = test_path("again.jsonl")};
    listener l = {.most = 0};
    size_t size;
    (void)state;
    assert_ok(compare_afresh(&h));
    assert_ok(run_heard(&eval, &h, options, &l));
    assert_non_null(strstr(l.last, "again.jsonl: 2 of 5 results are there"));
    assert_true(f0t_eval_keeps_others(eval));
    f0t_eval_free(eval);
    char *text = test_read(options.results, &size);
    assert_non_null(strstr(text, "\"frequency\""));
    assert_non_null(strstr(text, "\"seen-unseen\""));
    f0t_free(text);
    options.methods = "random,frequency";
    assert_ok(f0t_eval_run(&eval, h.dataset, h.vectors, &options, NULL));
    assert_false(f0t_eval_keeps_others(eval));
    f0t_eval_free(eval);
    fixture_close(&h);
}

/* ---- One at a time, and where it can be written ------------------------------------------------ */

static void a_second_comparison_with_the_file_is_refused(void **state)
{
    fixture h = fixture_open(&plain);
    f0t_eval *first, *second;
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = "random",
                                .scenarios = "conventional",
                                .results = test_path("single.jsonl")};
    (void)state;
    assert_ok(f0t_eval_run(&first, h.dataset, h.vectors, &options, NULL));
    assert_fails(F0T_ERROR_IO, "single.jsonl: another process works with it",
                 f0t_eval_run(&second, h.dataset, h.vectors, &options, NULL));
    f0t_eval_free(first);
    assert_int_not_equal(access(test_path("single.jsonl.lock"), F_OK), 0);
    assert_ok(f0t_eval_run(&second, h.dataset, h.vectors, &options, NULL));
    f0t_eval_free(second);
    fixture_close(&h);
}

static void a_file_that_cannot_be_written_is_told_before_any_work(void **state)
{
    fixture h = fixture_open(&plain);
    f0t_eval *eval;
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = "random",
                                .results = "/nowhere/at/all.jsonl"};
    listener l = {.most = 0};
    (void)state;
    assert_fails(F0T_ERROR_NOT_FOUND, "/nowhere/at/all.jsonl: cannot be written",
                 run_heard(&eval, &h, options, &l));
    options.results = test_path("folder");
    assert_int_equal(mkdir(options.results, 0777), 0);
    assert_fails(F0T_ERROR_IO, "is a folder", run_heard(&eval, &h, options, &l));
    assert_int_equal(l.methods, 0);
    fixture_close(&h);
}

static void every_failed_write_and_allocation_is_told(void **state)
{
    fixture h = fixture_open(&plain);
    (void)state;
    test_each_fault(F0T_FAULT_WRITE, compare_afresh, &h);
    test_each_fault(F0T_FAULT_ALLOC, compare_afresh, &h);
    assert_ok(compare_again(&h));
    test_each_fault(F0T_FAULT_ALLOC, compare_again, &h);
    fixture_close(&h);
}

/* ---- Another comparison ------------------------------------------------------------------------ */

static uint64_t identity_of(const fixture *h, uint64_t seed)
{
    f0t_eval_options options = {.size = sizeof(f0t_eval_options), .centred = true, .seed = seed};
    uint64_t identity;
    assert_ok(f0t_eval_identity(&identity, h->dataset, h->vectors, &options, NULL));
    return identity;
}

static void identifying_may_be_interrupted(void **state)
{
    fixture h = fixture_open(&plain);
    volatile sig_atomic_t stopped = 1;
    const f0t_monitor monitor = {.stop = &stopped};
    const f0t_context context = {.threads = 1, .monitor = &monitor};
    uint64_t identity;
    (void)state;
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted while reading features",
                 f0t_eval_identity(&identity, h.dataset, h.vectors, NULL, &context));
    fixture_close(&h);
}

static void a_results_file_of_another_comparison_is_refused(void **state)
{
    fixture h = fixture_open(&plain);
    f0t_eval *eval;
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = "random",
                                .results = test_path("again.jsonl"),
                                .seed = 5};
    listener l = {.most = 0};
    (void)state;
    assert_ok(compare_afresh(&h));
    assert_int_not_equal(identity_of(&h, 5), identity_of(&h, 0));
    assert_fails(F0T_ERROR_MISMATCH,
                 "has results of another comparison (other data, pictures, vectors or options)",
                 run_heard(&eval, &h, options, &l));
    assert_string_equal(l.last, "");
    fixture_close(&h);
}

/* What makes this file of a collection anew changes its identity. */
static void assert_matters(const char *file, void (*change)(char *text, size_t size))
{
    fixture h = fixture_open(&plain);
    uint64_t before = identity_of(&h, 0);
    char name[64];
    size_t size;
    fixture_close(&h);
    snprintf(name, sizeof name, "%s/%s", plain.name, file);
    char *text = test_read(test_path(name), &size);
    change(text, size);
    test_file(name, text, size);
    f0t_free(text);
    assert_ok(f0t_dataset_open(&h.dataset, test_path(plain.name), NULL, NULL));
    assert_ok(f0t_vectors_open(&h.vectors, test_path("collection.txt"), NULL, NULL));
    assert_true(identity_of(&h, 0) != before);
    fixture_close(&h);
}

static void change_the_middle(char *text, size_t size)
{
    text[size / 2] = (char)(text[size / 2] ^ 1);
}

static void swap_first_and_last_line(char *text, size_t size)
{
    assert_memory_equal(text, "tag9\n", 5);
    assert_memory_equal(text + size - 6, "tag11\n", 6);
    memcpy(text, "tag11\ntag10\ntag9\n", size);
}

static void a_row_in_the_middle_of_the_features_is_of_the_identity(void **state)
{
    (void)state;
    assert_matters("features.npy", change_the_middle);
}

static void the_lists_of_tags_are_of_the_identity(void **state)
{
    (void)state;
    assert_matters("unseen.txt", swap_first_and_last_line);
}

/* ---- Hostile results ------------------------------------------------------------------------- */

static fixture *hostile_data;

static f0t_status load_results(const void *data, size_t size)
{
    f0t_eval *eval;
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = "random,frequency",
                                .scenarios = "zero-shot,conventional"};
    options.results = test_file("hostile.jsonl", data, size);
    f0t_status status =
        f0t_eval_run(&eval, hostile_data->dataset, hostile_data->vectors, &options, NULL);
    for (size_t i = 0; status == F0T_OK && i < f0t_eval_row_count(eval); i++) {
        const f0t_eval_row *row = f0t_eval_get_row(eval, i);
        for (size_t v = 0; v < row->value_count; v++)
            assert_string_equal(row->values[v].name, f0t_eval_value_name(eval, v));
        assert_true(!row->value_count || !f0t_eval_value_name(eval, row->value_count));
    }
    f0t_eval_free(eval);
    return status;
}

/* The results of a comparison, to be damaged. */
static char *open_hostile(fixture *h, size_t *size)
{
    *h = fixture_open(&plain);
    hostile_data = h;
    assert_ok(compare_afresh(h));
    return test_read(test_path("again.jsonl"), size);
}

/* Refused, in a line that names the file, which stays as it is. */
static void assert_refused(const char *text, size_t size, f0t_status status)
{
    size_t left;
    assert_int_not_equal(status, F0T_OK);
    assert_non_null(strstr(f0t_last_error(), "hostile.jsonl"));
    char *kept = test_read(test_path("hostile.jsonl"), &left);
    assert_int_equal(left, size);
    assert_memory_equal(kept, text, size);
    f0t_free(kept);
}

/* With the first `from` in it altered. */
static void altered_fails(const char *says, char *text, size_t size, const char *from)
{
    char *at = memmem(text, size, from, strlen(from)), was;
    assert_non_null(at);
    was = at[1];
    at[1] = '_';
    assert_fails(F0T_ERROR_FORMAT, says, load_results(text, size));
    at[1] = was;
}

/* With something more after the first `after`. */
static void longer_fails(const char *says, const char *text, size_t size, const char *after,
                         const char *more)
{
    const char *at = memmem(text, size, after, strlen(after));
    assert_non_null(at);
    const size_t before = (size_t)(at - text) + strlen(after), count = strlen(more);
    char *longer = malloc(size + count);
    memcpy(longer, text, before);
    memcpy(longer + before, more, count);
    memcpy(longer + before + count, text + before, size - before);
    assert_fails(F0T_ERROR_FORMAT, says, load_results(longer, size + count));
    free(longer);
}

static void results_that_are_none_are_refused(void **state)
{
    fixture h;
    size_t size;
    char *text = open_hostile(&h, &size);
    (void)state;
    altered_fails("no results of a comparison that this version knows", text, size, "comparison");
    longer_fails("\"top\" has no tag at place 0", text, size, "\"top\":[", "99");
    longer_fails(" tags, not ", text, size, "\"top\":[", "1,");
    altered_fails(": no \"repeat\"", text, size, "\"repeat");
    f0t_free(text);
    fixture_close(&h);
}

static void results_that_are_cut_are_refused(void **state)
{
    fixture h;
    size_t size;
    (void)state;
    char *text = open_hostile(&h, &size);
    size_t small = (size_t)(strchr(strchr(text, '\n') + 1, '\n') - text);
    for (size_t at = 0; at < small; at += 37)
        if (at == 0 || (text[at - 1] != '}' && text[at - 1] != '\n'))
            assert_refused(text, at, load_results(text, at));
    f0t_free(text);
    fixture_close(&h);
}

static void results_that_are_altered_are_refused_or_whole(void **state)
{
    fixture h;
    size_t size;
    (void)state;
    char *text = open_hostile(&h, &size);
    size_t head = (size_t)(strchr(text, '\n') - text);
    size_t small = (size_t)(strchr(text + head + 1, '\n') - text);
    for (size_t at = 0; at < small; at += 11) {
        char was = text[at];
        text[at] = (char)(was ^ 4);
        f0t_status status = load_results(text, size);
        if (at < head || status != F0T_OK)
            assert_refused(text, size, status);
        text[at] = was;
    }
    f0t_free(text);
    fixture_close(&h);
}

/* Puts `by` in the place of the first `what` and expects this message. */
static void assert_wrong(const char *text, const char *what, const char *by, const char *message)
{
    const char *at = strstr(text, what);
    size_t size = strlen(text) + strlen(by) - strlen(what);
    char *altered;
    assert_non_null(at);
    assert_ok(f0t_alloc(&altered, size + 1, 1));
    snprintf(altered, size + 1, "%.*s%s%s", (int)(at - text), text, by, at + strlen(what));
    assert_fails(F0T_ERROR_FORMAT, message, load_results(altered, size));
    assert_refused(altered, size, F0T_ERROR_FORMAT);
    f0t_free(altered);
}

static void values_that_are_not_those_asked_for_are_refused(void **state)
{
    fixture h;
    size_t size;
    (void)state;
    char *text = open_hostile(&h, &size);
    assert_wrong(text, "\"p3\":", "\"p4\":", "jsonl line 2: \"values\" has no number \"p3\"");
    assert_wrong(text, "\"values\":{", "\"values\":{\"more\":1,", "jsonl line 2: \"values\" has ");
    assert_wrong(text, "\"values\":", "\"elsewhere\":", "\"values\" has 0 numbers, not ");
    assert_wrong(text, "\"values\":{}", "\"values\":{\"miap\":1}",
                 "\"values\" has 1 numbers, not 0");
    assert_wrong(text, "\"curves\":{", "\"curves\":3,\"x\":{", "\"curves\" must be an object");
    assert_wrong(text, "\"all\":[[", "\"all\":[[7,",
                 "\"all\" of the curves must be at most 15 lists");
    assert_wrong(text, "\"first\":[", "\"first\":[0,", "\"first\" of the curves must be");
    assert_wrong(text, "\"precisions\":[", "\"precisions\":[1,",
                 "\"precisions\" has 121 numbers, not 120");
    assert_wrong(text, "\"precisions\":[", "\"precisions\":[1000",
                 "\"precisions\" has no share at place 0");
    assert_wrong(text, "\"first\":[", "\"last\":[", "\"first\" of the curves must be");
    assert_wrong(text, "\"sets\":[[", "\"sets\":[[0,0,0],[", "at most 64 lists");
    assert_wrong(text, "\"sets\":[", "\"sets\":[],\"x\":[", "\"sets\" has 0 thresholds, not 64");
    f0t_free(text);
    fixture_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupted_comparison_goes_on),
        cmocka_unit_test(an_interruption_before_anything_is_done_promises_nothing),
        cmocka_unit_test(more_may_be_asked_for_and_nothing_is_lost),
        cmocka_unit_test(a_second_comparison_with_the_file_is_refused),
        cmocka_unit_test(a_file_that_cannot_be_written_is_told_before_any_work),
        cmocka_unit_test(every_failed_write_and_allocation_is_told),
        cmocka_unit_test(identifying_may_be_interrupted),
        cmocka_unit_test(a_results_file_of_another_comparison_is_refused),
        cmocka_unit_test(a_row_in_the_middle_of_the_features_is_of_the_identity),
        cmocka_unit_test(the_lists_of_tags_are_of_the_identity),
        cmocka_unit_test(results_that_are_none_are_refused),
        cmocka_unit_test(results_that_are_cut_are_refused),
        cmocka_unit_test(results_that_are_altered_are_refused_or_whole),
        cmocka_unit_test(values_that_are_not_those_asked_for_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
