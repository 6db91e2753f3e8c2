/* Whole comparisons of cheap methods on the small collection. */
#include "fixture.h"

#include "base/alloc.h"
#include "baseline/ranker.h"
#include "eval/eval.h"

#include <math.h>

static const collection_options plain = {.name = "compared"};

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
    fixture h = fixture_open(&plain);
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = "random,frequency,linear,ranksvm"};
    f0t_eval *eval;
    (void)state;
    assert_ok(f0t_eval_run(&eval, h.dataset, h.vectors, &options, NULL));
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
    fixture_close(&h);
}

static void the_chosen_values_are_options_of_training(void **state)
{
    fixture h = fixture_open(&plain);
    f0t_eval_options options = F0T_EVAL_OPTIONS;
    f0t_train_options training = F0T_TRAIN_OPTIONS;
    f0t_eval *eval;
    (void)state;
    options.methods = "linear,random";
    options.scenarios = "zero-shot";
    assert_ok(f0t_eval_run(&eval, h.dataset, h.vectors, &options, NULL));
    assert_ok(f0t_eval_train_options(&training, eval, "linear", "zero-shot"));
    assert_int_equal(training.method, F0T_METHOD_LINEAR);
    assert_true(training.lambda > 0 && training.ridge >= 0);
    assert_ok(f0t_train_options_check(&training));
    assert_fails(F0T_ERROR_NOT_FOUND, "random",
                 f0t_eval_train_options(&training, eval, "random", "zero-shot"));
    assert_fails(F0T_ERROR_NOT_FOUND, "no net in zero-shot",
                 f0t_eval_train_options(&training, eval, "net", "zero-shot"));
    assert_fails(F0T_ERROR_NOT_FOUND, "no linear in open",
                 f0t_eval_train_options(&training, eval, "linear", "open"));
    f0t_eval_free(eval);
    fixture_close(&h);
}

static void the_blend_that_zero_shot_tests_is_kept_as_a_model(void **state)
{
    fixture h = fixture_open(&plain);
    f0t_eval_options options = F0T_EVAL_OPTIONS;
    f0t_train_options training = F0T_TRAIN_OPTIONS;
    f0t_eval *eval;
    f0t_model *model;
    size_t kept_size, trained_size;
    (void)state;
    options.methods = "random,linear,blend";
    options.scenarios = "conventional,zero-shot,seen-unseen";
    options.no_tune = true;
    options.epochs = 1;
    options.blend_epochs = 2;
    options.model = test_path("kept.f0t");
    assert_ok(f0t_eval_run(&eval, h.dataset, h.vectors, &options, NULL));
    f0t_eval_free(eval);
    training.method = F0T_METHOD_BLEND;
    training.epochs = training.patience = 2;
    assert_ok(f0t_train(&model, h.dataset, h.vectors, &training, NULL));
    assert_ok(f0t_model_save(model, test_path("trained.f0t")));
    f0t_model_free(model);
    char *kept = test_read(test_path("kept.f0t"), &kept_size),
         *trained = test_read(test_path("trained.f0t"), &trained_size);
    assert_int_equal(kept_size, trained_size);
    assert_memory_equal(kept, trained, kept_size);
    free(kept);
    free(trained);
    fixture_close(&h);
}

static void repeats_give_mean_and_deviation(void **state)
{
    fixture h = fixture_open(&plain);
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = "random",
                                .scenarios = "zero-shot,conventional",
                                .repeat = 3,
                                .unseen = "4",
                                .k = "2"};
    f0t_eval *eval, *single;
    double sum = 0, squares = 0, each[3];
    (void)state;
    assert_ok(f0t_eval_run(&eval, h.dataset, h.vectors, &options, NULL));
    assert_int_equal(f0t_eval_row_count(eval), 2);
    options.repeat = 1;
    for (int i = 0; i < 3; i++) {
        options.seed = (uint64_t)i;
        assert_ok(f0t_eval_run(&single, h.dataset, h.vectors, &options, NULL));
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
    fixture_close(&h);
}

/* Two classes with names that have vectors, for `features` features. */
static f0t_classes *classes_create(size_t features, float weight)
{
    static const char *const labels[] = {"tag10", "tag11"};
    float weights[2 * C_FEATURES_MOST] = {weight}, bias[2] = {0};
    f0t_classes *classes;
    assert_ok(f0t_classes_create(&classes, labels, weights, bias, 2, features));
    return classes;
}

static double blend_with(const fixture *h, const f0t_classes *classes, uint64_t *identity)
{
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = "blend",
                                .scenarios = "zero-shot",
                                .epochs = 2,
                                .classes = classes};
    f0t_eval *eval;
    assert_ok(f0t_eval_identity(identity, h->dataset, h->vectors, &options, NULL));
    assert_ok(f0t_eval_run(&eval, h->dataset, h->vectors, &options, NULL));
    const double brier = value_of(eval, "blend", "zero-shot", "brier");
    f0t_eval_free(eval);
    return brier;
}

static void classes_reach_the_blend_and_make_another_comparison(void **state)
{
    fixture h = fixture_open(&plain);
    f0t_classes *one = classes_create(C_FEATURES, 5), *other = classes_create(C_FEATURES, -5);
    f0t_classes *wide = classes_create(C_FEATURES + 1, 5);
    f0t_eval_options options = F0T_EVAL_OPTIONS;
    f0t_eval *eval;
    uint64_t without, with, changed;
    (void)state;
    const double alone = blend_with(&h, NULL, &without);
    assert_true(blend_with(&h, one, &with) != alone);
    blend_with(&h, other, &changed);
    assert_true(with != without && changed != with);
    options.classes = wide;
    assert_fails(F0T_ERROR_MISMATCH, "the classes' network makes 17 features, ",
                 f0t_eval_run(&eval, h.dataset, h.vectors, &options, NULL));
    f0t_classes_close(one);
    f0t_classes_close(other);
    f0t_classes_close(wide);
    fixture_close(&h);
}

static void what_cannot_be_compared_is_told(void **state)
{
    static const collection_options bare = {.name = "bare", .no_features = true};
    static const collection_options empty = {.name = "empty", .untagged = true};
    fixture h = fixture_open(&bare);
    f0t_eval *eval;
    f0t_eval_options options = {
        .size = sizeof(f0t_eval_options), .centred = true, .methods = "random"};
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "has no features to compare methods on",
                 f0t_eval_run(&eval, h.dataset, h.vectors, &options, NULL));
    fixture_close(&h);
    h = fixture_open(&empty);
    assert_fails(F0T_ERROR_FORMAT, "empty: none of the 360 training images",
                 f0t_eval_run(&eval, h.dataset, h.vectors, &options, NULL));
    options.methods = "random,nonsense";
    assert_fails(F0T_ERROR_NOT_FOUND, "no method is called 'nonsense'",
                 f0t_eval_run(&eval, h.dataset, h.vectors, &options, NULL));
    options.methods = "";
    assert_fails(F0T_ERROR_NOT_FOUND, "no method is called ''",
                 f0t_eval_run(&eval, h.dataset, h.vectors, &options, NULL));
    options = (f0t_eval_options){
        .size = sizeof(f0t_eval_options), .centred = true, .scenarios = "zero-shot,zero"};
    assert_fails(F0T_ERROR_ARGUMENT, "no scenario is called 'zero'",
                 f0t_eval_options_check(&options));
    options = (f0t_eval_options){.size = sizeof(f0t_eval_options), .centred = true, .k = "3,0"};
    assert_fails(F0T_ERROR_ARGUMENT, "K '0': a list of numbers such as",
                 f0t_eval_options_check(&options));
    options = (f0t_eval_options){
        .size = sizeof(f0t_eval_options), .centred = true, .k = "1,2,3,4,5,6,7,8,9"};
    assert_fails(F0T_ERROR_ARGUMENT, "K: at most 8 values", f0t_eval_options_check(&options));
    options = (f0t_eval_options){
        .size = sizeof(f0t_eval_options), .centred = true, .k = "99999999999999999999"};
    assert_fails(F0T_ERROR_ARGUMENT, "at most 1000000", f0t_eval_options_check(&options));
    options = (f0t_eval_options){.size = sizeof(f0t_eval_options), .centred = true, .k = "3,3x"};
    assert_fails(F0T_ERROR_ARGUMENT, "a list of numbers", f0t_eval_options_check(&options));
    options = (f0t_eval_options){.size = sizeof(f0t_eval_options), .centred = true, .k = "3,,5"};
    assert_fails(F0T_ERROR_ARGUMENT, "K ''", f0t_eval_options_check(&options));
    options =
        (f0t_eval_options){.size = sizeof(f0t_eval_options), .centred = true, .hidden = "1000001"};
    assert_fails(F0T_ERROR_ARGUMENT, "hidden layers '1000001': at most 1000000",
                 f0t_eval_options_check(&options));
    fixture_close(&h);
}

/* Each option that is no option, with the line that says so. */
static void options_are_checked(void **state)
{
    const char *folder = test_path(".");
    const f0t_eval_own twice[] = {{.name = "mine", .scores = folder},
                                  {.name = "mine", .scores = folder}},
                       taken = {.name = "linear", .scores = folder};
    const struct {
        f0t_eval_options options;
        const char *message;
    } rows[] = {
        {{.draws = 1000001}, "draws 1000001: at most "},
        {{.repeat = 1000001}, "repeat 1000001: at most "},
        {{.draws = 2, .repeat = 2}, "draws and repeat: one of the two"},
        {{.trials = 1000001}, "1000001 trials: at most "},
        {{.budget = -1}, "a budget of -1 seconds: 0 or more"},
        {{.methods = "random", .figure = "linear"},
         "figure: 'linear' is none of the methods compared"},
        {{.hidden = "1,2,3,4,5,6,7,8,9"}, "hidden layers: at most 8"},
        {{.set = "linear"}, "set 'linear': METHOD.KNOB=VALUE is expected"},
        {{.methods = "random", .set = "linear.ridge=1"},
         "set 'linear.ridge=1': is of none of the methods compared"},
        {{.methods = "linear", .set = "linear.nothing=1"}, "linear has no knob 'nothing'; it has "},
        {{.set =
              "linear.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa="
              "1"},
         "…': too long"},
        {{.own = twice, .own_count = 17}, "17 methods of your own; at most 16"},
        {{.own = twice, .own_count = 2}, "two methods are called 'mine'"},
        {{.own = &taken, .own_count = 1}, "'linear' is a method of fast0tag: take another name"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        f0t_eval_options options = rows[i].options;
        options.size = sizeof options;
        assert_fails(F0T_ERROR_ARGUMENT, rows[i].message, f0t_eval_options_check(&options));
    }
}

static void spaces_around_names_do_not_matter(void **state)
{
    f0t_eval_plan plan;
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = " random , linear",
                                .scenarios = "zero-shot, open ",
                                .k = " 2 , 4",
                                .hidden = "8, 4",
                                .figure = " linear "};
    (void)state;
    assert_ok(f0t_eval_plan_create(&plan, &options));
    assert_int_equal(plan.method_count, 2);
    assert_string_equal(plan.methods[1]->name, "linear");
    assert_true(plan.asked[F0T_ZERO_SHOT] && plan.asked[F0T_OPEN] && !plan.asked[F0T_CONVENTIONAL]);
    assert_int_equal(plan.cutoffs[1], 4);
    assert_int_equal(plan.hidden[1], 4);
    assert_true(plan.figure[1]);
    options = (f0t_eval_options){
        .size = sizeof(f0t_eval_options), .centred = true, .methods = " all ", .scenarios = "all "};
    assert_ok(f0t_eval_plan_create(&plan, &options));
    assert_true(plan.method_count > 10 && plan.asked[F0T_OPEN]);
    options = (f0t_eval_options){.size = sizeof(f0t_eval_options), .centred = true, .methods = " "};
    assert_fails(F0T_ERROR_ARGUMENT, "no method is called ''", f0t_eval_options_check(&options));
}

static void names_of_values_are_known_when_nobody_can_play(void **state)
{
    fixture h = fixture_open(&plain);
    f0t_eval *eval;
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = "frequency",
                                .scenarios = "zero-shot",
                                .k = "7"};
    size_t count = 0;
    (void)state;
    assert_ok(f0t_eval_run(&eval, h.dataset, h.vectors, &options, NULL));
    assert_int_equal(f0t_eval_get_row(eval, 0)->value_count, 0);
    assert_string_equal(f0t_eval_value_name(eval, 0), "miap");
    assert_string_equal(f0t_eval_value_name(eval, 1), "p7");
    while (f0t_eval_value_name(eval, count))
        count++;
    f0t_eval_free(eval);
    options.scenarios = "conventional";
    assert_ok(f0t_eval_run(&eval, h.dataset, h.vectors, &options, NULL));
    const f0t_eval_row *row = f0t_eval_get_row(eval, 0);
    assert_int_equal(row->value_count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(row->values[i].name, f0t_eval_value_name(eval, i));
    f0t_eval_free(eval);
    fixture_close(&h);
}

static void a_training_set_that_cannot_be_learned_leaves_the_others(void **state)
{
    static const collection_options only = {.name = "only-tested", .only_tested = true};
    fixture h = fixture_open(&only);
    f0t_eval *eval;
    f0t_eval_options options = {
        .size = sizeof(f0t_eval_options), .centred = true, .methods = "random,linear"};
    (void)state;
    assert_ok(f0t_eval_run(&eval, h.dataset, h.vectors, &options, NULL));
    assert_non_null(row_of(eval, "linear", "conventional-unseen")->refusal);
    assert_non_null(row_of(eval, "random", "conventional-unseen")->refusal);
    assert_true(value_of(eval, "linear", "zero-shot", "miap") > 0);
    assert_null(row_of(eval, "linear", "conventional")->refusal);
    f0t_eval_free(eval);
    options.scenarios = "conventional-unseen";
    assert_fails(F0T_ERROR_FORMAT, "only-tested: none of the 360 training images",
                 f0t_eval_run(&eval, h.dataset, h.vectors, &options, NULL));
    fixture_close(&h);
}

typedef struct heard {
    size_t warnings;
    char line[300];
} heard;

static void hear(void *user, f0t_log_level level, const char *line)
{
    heard *h = user;
    if (level == F0T_LOG_WARNING) {
        h->warnings++;
        snprintf(h->line, sizeof h->line, "%s", line);
    }
}

static void what_no_test_image_has_gives_no_number(void **state)
{
    static const collection_options untested = {.name = "untested", .untested = true};
    fixture h = fixture_open(&untested);
    heard told = {0};
    f0t_monitor monitor = {.log = hear, .user = &told};
    f0t_eval *eval;
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = "random",
                                .scenarios = "conventional,zero-shot"};
    (void)state;
    assert_ok(f0t_eval_run(&eval, h.dataset, h.vectors, &options, F0T_WATCHED(&monitor)));
    assert_true(isnan(value_of(eval, "random", "zero-shot", "miap")));
    assert_true(isnan(value_of(eval, "random", "zero-shot", "class_f3")));
    assert_true(value_of(eval, "random", "zero-shot", "p3") == 0);
    assert_true(value_of(eval, "random", "conventional", "miap") > 0);
    assert_int_equal(told.warnings, 1);
    assert_string_equal(told.line, "zero-shot: no test image has one of the 3 tags that are "
                                   "ranked: MiAP, recall, F1 and mAP are not defined");
    f0t_eval_free(eval);
    fixture_close(&h);
}

static void without_validation_images_nothing_is_tuned(void **state)
{
    static const collection_options none = {.name = "no-val", .no_validation = true};
    fixture h = fixture_open(&none);
    f0t_eval *eval;
    f0t_eval_options options = {.size = sizeof(f0t_eval_options),
                                .centred = true,
                                .methods = "linear",
                                .scenarios = "zero-shot"};
    (void)state;
    assert_ok(f0t_eval_run(&eval, h.dataset, h.vectors, &options, NULL));
    assert_true(value_of(eval, "linear", "zero-shot", "trials") == 0);
    assert_true(isnan(value_of(eval, "linear", "zero-shot", "validation_miap")));
    f0t_eval_free(eval);
    fixture_close(&h);
}

/* ---- Rows, from cells that were made by hand ------------------------------------------------ */

enum { REPEATS = 3 };

static void what_is_not_defined_in_a_repeat_is_left_out_of_the_mean(void **state)
{
    static const double miap[REPEATS] = {10, (double)NAN, 20};
    static const double precision[REPEATS] = {(double)NAN, 7, (double)NAN};
    f0t_eval e = {.plan = {.methods = {&f0t_ranker_random}, .method_count = 1, .repeat = REPEATS}};
    (void)state;
    e.plan.asked[F0T_ZERO_SHOT] = true;
    assert_ok(f0t_alloc_zero(&e.cells, REPEATS * F0T_SCENARIOS, sizeof *e.cells));
    for (size_t r = 0; r < REPEATS; r++) {
        f0t_values *values = &f0t_eval_cell_at(&e, r, 0, F0T_ZERO_SHOT)->values;
        f0t_values_add(values, "miap", miap[r]);
        f0t_values_add(values, "p3", precision[r]);
        f0t_values_add(values, "r3", (double)NAN);
    }
    assert_ok(f0t_eval_summarise(&e));
    assert_int_equal(e.row_count, 1);
    const f0t_eval_value *v = e.rows[0].values;
    assert_true(v[0].mean == 15 && fabs(v[0].deviation - sqrt(50)) < 1e-12);
    assert_true(v[1].mean == 7 && isnan(v[1].deviation));
    assert_true(isnan(v[2].mean) && isnan(v[2].deviation));
    f0t_free(e.cells);
    f0t_free(e.rows);
    f0t_free(e.values);
    f0t_free(e.differences);
    f0t_free(e.knobs);
}

/* Three methods of which one is an oracle, four images of which one has no tag, two repeats. */
static void each_method_has_an_interval_and_a_rival(void **state)
{
    enum { METHODS = 3, IMAGES = 4, RUNS = 2 };
    static const int32_t precisions[METHODS][IMAGES] = {
        {200000, 400000, -1, 300000}, {600000, 700000, -1, 800000}, {900000, 900000, -1, 900000}};
    static const double miap[METHODS] = {30, 70, 90};
    f0t_eval e = {
        .plan = {.methods = {&f0t_ranker_random, &f0t_ranker_frequency, &f0t_ranker_ranksvm},
                 .method_count = METHODS,
                 .repeat = RUNS}};
    (void)state;
    e.plan.asked[F0T_SEEN_UNSEEN] = true;
    assert_ok(f0t_alloc_zero(&e.cells, RUNS * METHODS * F0T_SCENARIOS, sizeof *e.cells));
    for (size_t i = 0; i < METHODS * RUNS; i++) {
        const size_t m = i / RUNS;
        f0t_eval_cell *cell = f0t_eval_cell_at(&e, i % RUNS, m, F0T_SEEN_UNSEEN);
        f0t_values_add(&cell->values, "miap", miap[m]);
        assert_ok(f0t_alloc(&cell->precisions, IMAGES, sizeof *cell->precisions));
        memcpy(cell->precisions, precisions[m], sizeof precisions[m]);
        cell->precision_count = IMAGES;
    }
    assert_ok(f0t_eval_summarise(&e));
    assert_int_equal(e.row_count, METHODS);
    for (size_t m = 0; m < METHODS; m++) {
        const f0t_eval_value *v = e.rows[m].values;
        assert_true(v->low <= v->mean && v->mean <= v->high && (m == 2) == (v->low == v->high));
        assert_true(v->low > precisions[m][0] / 1e4 - 0.1 && v->high < 10.1 + miap[m]);
    }
    assert_string_equal(e.rows[0].rival, "frequency");
    assert_string_equal(e.rows[1].rival, "random"); /* oracles are nobody's rival */
    assert_string_equal(e.rows[2].rival, "frequency");
    assert_true(e.rows[0].rival_difference == -40 && e.rows[1].rival_difference == 40);
    assert_true(e.rows[0].difference_count == 2 && e.rows[1].difference_count == 2);
    assert_string_equal(e.rows[0].differences[0].method, e.rows[1].method);
    assert_true(e.rows[0].differences[0].miap == -40 && e.rows[1].differences[0].miap == 40);
    assert_true(e.rows[0].differences[0].low == -e.rows[1].differences[0].high);
    assert_true(e.rows[0].differences[0].p == e.rows[1].differences[0].p);
    assert_true(fabs(e.rows[0].rival_p - 0.25) < 0.04); /* 2 of 8 tosses */
    for (size_t i = 0; i < RUNS * METHODS * F0T_SCENARIOS; i++)
        f0t_eval_cell_free(&e.cells[i]);
    f0t_free(e.cells);
    f0t_free(e.rows);
    f0t_free(e.differences);
    f0t_free(e.values);
    f0t_free(e.knobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_meet_in_every_scenario),
        cmocka_unit_test(the_chosen_values_are_options_of_training),
        cmocka_unit_test(the_blend_that_zero_shot_tests_is_kept_as_a_model),
        cmocka_unit_test(repeats_give_mean_and_deviation),
        cmocka_unit_test(classes_reach_the_blend_and_make_another_comparison),
        cmocka_unit_test(what_cannot_be_compared_is_told),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(spaces_around_names_do_not_matter),
        cmocka_unit_test(names_of_values_are_known_when_nobody_can_play),
        cmocka_unit_test(a_training_set_that_cannot_be_learned_leaves_the_others),
        cmocka_unit_test(what_no_test_image_has_gives_no_number),
        cmocka_unit_test(without_validation_images_nothing_is_tuned),
        cmocka_unit_test(what_is_not_defined_in_a_repeat_is_left_out_of_the_mean),
        cmocka_unit_test(each_method_has_an_interval_and_a_rival),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
