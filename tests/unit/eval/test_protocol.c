/* Made-up methods are run by the protocol. */
#include "fixture.h"

#include <math.h>

static const collection_options plain = {.name = "taught"};
static const double KNOB[] = {1, 2, 3, 4};
enum { FOLDS = C_SEEN / 2 }; /* a fifth is two tags here */

/* What the made-up method did and was asked to do. */
static struct {
    size_t fits, scores, released;
    double last_knob, least_effort;
    size_t trial_tags, last_tags;
    double diverges;        /* a fit with this knob fails */
    f0t_status final_fails; /* the fit in full fails with this, */
    f0t_status trials_fail; /* and any other with this */
    char warning[200];
} made;

static f0t_status prepare(void **shared, const f0t_task *task)
{
    (void)task;
    return f0t_alloc(shared, 1, 1);
}

static void release(void *shared)
{
    made.released++;
    f0t_free(shared);
}

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    double *mine;
    assert_non_null(shared);
    made.fits++;
    made.last_knob = knobs[0];
    made.least_effort = fmin(made.least_effort, task->effort);
    *(task->effort < 1 ? &made.trial_tags : &made.last_tags) = task->tags;
    *fitted = NULL;
    if (knobs[0] == made.diverges)
        return f0t_fail(F0T_ERROR_NUMERIC, "it diverged");
    if (task->effort == 1 && made.final_fails)
        return f0t_fail(made.final_fails, "not with me");
    if (task->effort < 1 && made.trials_fail)
        return f0t_fail(made.trials_fail, "not in trials");
    F0T_TRY(f0t_alloc(&mine, 1, sizeof *mine));
    *mine = knobs[0];
    *fitted = mine;
    return F0T_OK;
}

/* Along the direction that the collection's features were made from; the further the knob is from 3,
 * the more noise. */
static f0t_status score(float *scores, const void *fitted, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    const f0t_random map = {17, 0};
    double noise = fabs(*(const double *)fitted - 3);
    size_t dim = f0t_task_features(task);
    made.scores++;
    for (size_t m = 0; m < queries->count; m++) {
        double direction[C_DIM] = {0};
        for (size_t j = 0; j < dim; j++)
            for (size_t k = 0; k < C_DIM; k++)
                direction[k] +=
                    (double)queries->features[m * dim + j] * f0t_random_normal(&map, j * C_DIM + k);
        for (size_t t = 0; t < tags->count; t++) {
            double sum = 10 * noise * sin(1e4 * (double)(m * tags->count + t));
            for (size_t k = 0; k < C_DIM; k++)
                sum += direction[k] * (double)tags->vectors[t * C_DIM + k];
            scores[m * tags->count + t] = (float)sum;
        }
    }
    return F0T_OK;
}

static const f0t_knob knobs[] = {{"closeness", KNOB, 4, 0}};
static const f0t_ranker method = {.name = "made-up",
                                  .title = "Made up",
                                  .knobs = knobs,
                                  .knob_count = 1,
                                  .prepare = prepare,
                                  .release = release,
                                  .fit = fit,
                                  .free = f0t_free,
                                  .score = score};

static const char *unseen; /* NULL: by the lists */

static void hear(void *user, f0t_log_level level, const char *line)
{
    (void)user;
    if (level == F0T_LOG_WARNING)
        snprintf(made.warning, sizeof made.warning, "%s", line);
}

/* Into cells of which some may be done. */
static f0t_status go_on(f0t_eval_cell cells[F0T_SCENARIOS], const f0t_ranker *ranker,
                        const bool asked[F0T_SCENARIOS])
{
    static const size_t cutoffs[] = {1};
    static const uint32_t samples[] = {0, 7};
    fixture s = fixture_open_with_tags(&plain, unseen);
    f0t_eval_protocol protocol;
    const f0t_monitor monitor = {.log = hear};
    f0t_eval_protocol_options options = {.trials = 9,
                                         .monitor = &monitor,
                                         .cutoffs = cutoffs,
                                         .cutoff_count = 1,
                                         .samples = samples,
                                         .sample_count = 2};
    assert_ok(f0t_eval_protocol_create(&protocol, F0T_LEARN_SEEN, &s.tags, asked, 0));
    f0t_status status = f0t_eval_protocol_run(cells, &protocol, ranker, &options);
    f0t_eval_protocol_free(&protocol);
    fixture_close(&s);
    return status;
}

static f0t_status run_protocol(f0t_eval_cell cells[F0T_SCENARIOS], const f0t_ranker *ranker)
{
    const bool asked[F0T_SCENARIOS] = {
        [F0T_ZERO_SHOT] = true, [F0T_SEEN_UNSEEN] = true, [F0T_OPEN] = true};
    memset(cells, 0, F0T_SCENARIOS * sizeof *cells);
    return go_on(cells, ranker, asked);
}

static void reset(void)
{
    memset(&made, 0, sizeof made);
    made.least_effort = 1;
}

static void free_cells(f0t_eval_cell *cells)
{
    for (int i = 0; i < F0T_SCENARIOS; i++)
        f0t_eval_cell_free(&cells[i]);
}

static void the_best_setting_is_fitted_on_all_seen_tags(void **state)
{
    f0t_eval_cell cells[F0T_SCENARIOS];
    (void)state;
    reset();
    assert_ok(run_protocol(cells, &method));
    assert_true(made.last_knob == 3);
    assert_true(made.least_effort == 0.25);
    assert_int_equal(made.trial_tags, C_SEEN - 2);
    assert_int_equal(made.last_tags, C_SEEN);
    assert_int_equal(made.released, FOLDS + 1);
    const f0t_eval_cell *cell = &cells[F0T_ZERO_SHOT];
    assert_true(cell->done && cell->knobs[0] == 3);
    assert_string_equal(cell->knob_names[0], "closeness");
    assert_int_equal(cell->top_count, 2 * F0T_SAMPLE_TOP);
    assert_int_equal(cell->top[F0T_SAMPLE_TOP - 1], F0T_NO_SAMPLE_TAG);
    assert_true(cell->top[0] >= C_SEEN);
    assert_true(f0t_values_get(&cell->values, "trials") == 4);
    /* Four trials with a validation per fold, the last of which, behind the third, ends after two, and one test:
     * open is zero-shot once more. */
    assert_int_equal(made.fits, 3 * FOLDS + 2 + 1);
    assert_int_equal(made.scores, made.fits);
    assert_true(f0t_values_get(&cell->values, "trial_fits") == 3 * FOLDS + 2);
    assert_true(cells[F0T_OPEN].done);
    assert_memory_equal(cells[F0T_OPEN].top, cell->top, cell->top_count * sizeof *cell->top);
    free_cells(cells);
}

/* Either may have been asked for first. */
static void a_scenario_that_is_the_same_as_one_that_is_done_costs_nothing(void **state)
{
    static const f0t_scenario order[2][2] = {{F0T_ZERO_SHOT, F0T_OPEN}, {F0T_OPEN, F0T_ZERO_SHOT}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const f0t_scenario first = order[i][0], second = order[i][1];
        f0t_eval_cell cells[F0T_SCENARIOS] = {0};
        bool asked[F0T_SCENARIOS] = {false};
        asked[first] = true;
        reset();
        assert_ok(go_on(cells, &method, asked));
        const size_t fits = made.fits, scores = made.scores;
        assert_false(cells[second].done);
        asked[second] = true;
        assert_ok(go_on(cells, &method, asked));
        assert_int_equal(made.fits, fits);
        assert_int_equal(made.scores, scores);
        assert_true(cells[second].done);
        assert_memory_equal(&cells[second].values, &cells[first].values, sizeof cells[0].values);
        assert_memory_equal(cells[second].top, cells[first].top,
                            cells[first].top_count * sizeof *cells[0].top);
        free_cells(cells);
    }
}

/* The two training sets that hold out tags, one after the other. Gives what the memo then had. */
static size_t run_both(f0t_eval_cell cells[F0T_SCENARIOS], f0t_eval_memo *memo)
{
    static const size_t cutoffs[] = {1};
    fixture s = fixture_open_with_tags(&plain, NULL);
    f0t_eval_protocol_options options = {
        .trials = 9, .cutoffs = cutoffs, .cutoff_count = 1, .memo = memo};
    bool asked[F0T_SCENARIOS] = {[F0T_ZERO_SHOT] = true, [F0T_SEEN_UNSEEN] = true};
    memset(cells, 0, F0T_SCENARIOS * sizeof *cells);
    reset();
    f0t_eval_protocol protocols[2];
    for (size_t i = 0; i < 2; i++) {
        const f0t_training_set set = i ? F0T_LEARN_FOR_BOTH : F0T_LEARN_SEEN;
        assert_ok(f0t_eval_protocol_create(&protocols[i], set, &s.tags, asked, 0));
        assert_ok(f0t_eval_protocol_run(cells, &protocols[i], &method, &options));
    }
    const size_t tried = memo ? memo->count : 0;
    if (memo)
        f0t_eval_memo_free(memo);
    for (size_t i = 0; i < 2; i++)
        f0t_eval_protocol_free(&protocols[i]);
    fixture_close(&s);
    return tried;
}

static void what_one_training_set_tried_the_next_need_not_try(void **state)
{
    f0t_eval_cell alone[F0T_SCENARIOS], together[F0T_SCENARIOS];
    f0t_eval_memo memo = {0};
    (void)state;
    run_both(alone, NULL);
    const size_t fits = made.fits;
    const size_t tried = run_both(together, &memo);
    assert_true(tried >= 3);
    /* Both choose the same, so that one fit in full is for both. */
    assert_true(made.fits < fits);
    assert_true(made.fits > 2 * FOLDS && made.fits <= tried * FOLDS + 1);
    assert_true(together[F0T_ZERO_SHOT].knobs[0] == together[F0T_SEEN_UNSEEN].knobs[0]);
    for (int s = F0T_ZERO_SHOT; s <= F0T_SEEN_UNSEEN; s++) {
        const f0t_values *a = &alone[s].values, *b = &together[s].values;
        assert_true(alone[s].done && together[s].done);
        assert_true(alone[s].knobs[0] == together[s].knobs[0]);
        assert_true(f0t_values_get(a, "validation_miap") == f0t_values_get(b, "validation_miap"));
        assert_true(f0t_values_get(a, "trials") == f0t_values_get(b, "trials"));
        assert_true(f0t_values_get(a, "miap") == f0t_values_get(b, "miap"));
    }
    free_cells(alone);
    free_cells(together);
}

/* Two tags are held out in each fold, three in the last; three are unseen. */
static f0t_status score_few(float *scores, const void *fitted, const f0t_task *task,
                            const f0t_candidates *tags, const f0t_queries *queries)
{
    assert_in_range(tags->count, task->effort < 1 ? 2 : C_TAGS - C_SEEN, C_TAGS - C_SEEN);
    return score(scores, fitted, task, tags, queries);
}

static void a_method_for_few_tags_is_tuned_with_few(void **state)
{
    f0t_eval_cell cells[F0T_SCENARIOS];
    f0t_ranker narrow = method;
    (void)state;
    reset();
    narrow.most_tags = C_TAGS - C_SEEN;
    narrow.score = score_few;
    assert_ok(run_protocol(cells, &narrow));
    const double trials = f0t_values_get(&cells[F0T_ZERO_SHOT].values, "trials");
    const double fits = f0t_values_get(&cells[F0T_ZERO_SHOT].values, "trial_fits");
    assert_true(trials >= 2 && fits > FOLDS && fits <= trials * FOLDS);
    assert_true(made.scores == (size_t)fits + 1);
    free_cells(cells);
}

static void a_trial_that_diverges_is_no_failure(void **state)
{
    f0t_eval_cell cells[F0T_SCENARIOS];
    (void)state;
    reset();
    made.diverges = 3;
    assert_ok(run_protocol(cells, &method));
    assert_true(made.last_knob == 2);
    free_cells(cells);
}

static void a_fit_in_full_that_fails_is_told_with_the_name(void **state)
{
    f0t_eval_cell cells[F0T_SCENARIOS];
    (void)state;
    reset();
    made.final_fails = F0T_ERROR_MEMORY;
    assert_fails(F0T_ERROR_MEMORY, "made-up (seen tags): not with me",
                 run_protocol(cells, &method));
    free_cells(cells);
}

/* One method that diverges does not end a comparison. */
static void a_fit_in_full_that_diverges_is_a_result(void **state)
{
    f0t_eval_cell cells[F0T_SCENARIOS];
    (void)state;
    reset();
    made.final_fails = F0T_ERROR_NUMERIC;
    assert_ok(run_protocol(cells, &method));
    assert_string_equal(made.warning, "made-up (seen tags) has no result: not with me");
    assert_string_equal(cells[F0T_ZERO_SHOT].refusal, "not with me");
    assert_true(cells[F0T_ZERO_SHOT].done && cells[F0T_OPEN].done && !cells[F0T_OPEN].top);
    free_cells(cells);
}

static void trials_that_find_nothing_to_learn_leave_the_knobs(void **state)
{
    f0t_eval_cell cells[F0T_SCENARIOS];
    (void)state;
    reset();
    made.trials_fail = F0T_ERROR_UNSUPPORTED;
    assert_ok(run_protocol(cells, &method));
    assert_true(cells[F0T_ZERO_SHOT].top && cells[F0T_ZERO_SHOT].knobs[0] == 1);
    assert_true(isnan(f0t_values_get(&cells[F0T_ZERO_SHOT].values, "validation_miap")));
    free_cells(cells);
}

/* Of two seen tags one cannot be held out: the other has none to be told from. */
static void two_seen_tags_are_too_few_to_tune_with(void **state)
{
    f0t_eval_cell cells[F0T_SCENARIOS];
    (void)state;
    reset();
    unseen = "10";
    assert_ok(run_protocol(cells, &method));
    unseen = NULL;
    assert_int_equal(made.last_tags, 2);
    assert_int_equal(made.fits, 1);
    assert_true(cells[F0T_ZERO_SHOT].top && cells[F0T_ZERO_SHOT].knobs[0] == 1);
    free_cells(cells);
}

static void a_training_set_without_an_example_is_refused(void **state)
{
    static const collection_options only = {.name = "only-tested", .only_tested = true};
    fixture s = fixture_open_with_tags(&only, NULL);
    f0t_eval_protocol protocol;
    bool asked[F0T_SCENARIOS] = {[F0T_CONVENTIONAL] = true, [F0T_CONVENTIONAL_UNSEEN] = true};
    f0t_eval_cell cells[F0T_SCENARIOS] = {0};
    f0t_eval_protocol_options options = {0};
    (void)state;
    reset();
    assert_ok(f0t_eval_protocol_create(&protocol, F0T_LEARN_UNSEEN, &s.tags, asked, 0));
    assert_ok(f0t_eval_protocol_run(cells, &protocol, &method, &options));
    assert_string_equal(cells[F0T_CONVENTIONAL_UNSEEN].refusal,
                        "none of the 360 training images has one of the 3 tags to learn");
    assert_int_equal(cells[F0T_CONVENTIONAL_UNSEEN].tags, C_TAGS - C_SEEN);
    assert_false(cells[F0T_CONVENTIONAL].done);
    assert_int_equal(made.fits, 0);
    free_cells(cells);
    f0t_eval_protocol_free(&protocol);
    assert_ok(f0t_eval_protocol_create(&protocol, F0T_LEARN_ALL, &s.tags, asked, 0));
    assert_string_equal(protocol.refusal, "");
    f0t_eval_protocol_free(&protocol);
    fixture_close(&s);
}

static void a_method_may_refuse_with_a_reason(void **state)
{
    f0t_eval_cell cells[F0T_SCENARIOS];
    (void)state;
    reset();
    made.final_fails = F0T_ERROR_UNSUPPORTED;
    assert_ok(run_protocol(cells, &method));
    assert_string_equal(cells[F0T_ZERO_SHOT].refusal, "not with me");
    assert_true(cells[F0T_OPEN].done && !cells[F0T_OPEN].top);
    assert_false(cells[F0T_CONVENTIONAL].done);
    free_cells(cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_setting_is_fitted_on_all_seen_tags),
        cmocka_unit_test(a_scenario_that_is_the_same_as_one_that_is_done_costs_nothing),
        cmocka_unit_test(what_one_training_set_tried_the_next_need_not_try),
        cmocka_unit_test(a_method_for_few_tags_is_tuned_with_few),
        cmocka_unit_test(a_trial_that_diverges_is_no_failure),
        cmocka_unit_test(a_fit_in_full_that_fails_is_told_with_the_name),
        cmocka_unit_test(a_fit_in_full_that_diverges_is_a_result),
        cmocka_unit_test(trials_that_find_nothing_to_learn_leave_the_knobs),
        cmocka_unit_test(two_seen_tags_are_too_few_to_tune_with),
        cmocka_unit_test(a_training_set_without_an_example_is_refused),
        cmocka_unit_test(a_method_may_refuse_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
