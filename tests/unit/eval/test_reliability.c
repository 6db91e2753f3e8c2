/* What confidences are worth on test images, against the definitions. */
#include "fixture.h"

#include "eval/reliability.h"

#include <math.h>

static const collection_options plain = {.name = "sure"};

/* Logits that have something to do with the tags: the direction that the features were made from. */
static f0t_status score(float *scores, const void *fitted, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    const f0t_random map = {17, 0};
    const size_t dim = f0t_task_features(task);
    (void)fitted;
    for (size_t m = 0; m < queries->count; m++)
        for (size_t t = 0; t < tags->count; t++) {
            double sum = -1;
            for (size_t j = 0; j < dim; j++)
                for (size_t k = 0; k < C_DIM; k++)
                    sum += 0.2 * (double)queries->features[m * dim + j] *
                           f0t_random_normal(&map, j * C_DIM + k) *
                           (double)tags->vectors[t * C_DIM + k];
            scores[m * tags->count + t] = (float)sum;
        }
    return F0T_OK;
}

static const f0t_ranker method = {.name = "made-up", .calibrated = true, .score = score};

/* ---- A method that has learned the seen tags -------------------------------------------------- */

typedef struct setting {
    fixture fixture;
    f0t_eval_task task;
    f0t_eval_split test, validation;
} setting;

/* In place: splits point to the task. */
static void setting_open(setting *s, const collection_options *o, unsigned ranked)
{
    bool mask[C_TAGS];
    *s = (setting){.fixture = fixture_open_with_tags(o, NULL)};
    f0t_eval_tags_mask(mask, &s->fixture.tags, F0T_TAG_SEEN);
    assert_ok(f0t_eval_task_create(&s->task, &s->fixture.tags, mask));
    f0t_eval_tags_mask(mask, &s->fixture.tags, ranked);
    assert_ok(f0t_eval_split_create(&s->test, &s->task, F0T_TEST, mask));
    assert_ok(f0t_eval_split_create(&s->validation, &s->task, F0T_VAL, mask));
}

static void setting_close(setting *s)
{
    f0t_eval_split_free(&s->test);
    f0t_eval_split_free(&s->validation);
    f0t_eval_task_free(&s->task);
    fixture_close(&s->fixture);
}

static f0t_status add(void *user, size_t first, const f0t_ranking *block)
{
    (void)first;
    return f0t_eval_reliability_add(user, block);
}

static f0t_status measure(f0t_confidence_values *values, f0t_reliability_curves *curves,
                          const setting *s)
{
    const f0t_eval_fit fit = {&method, &s->task.base, NULL};
    f0t_eval_reliability *r;
    F0T_TRY(f0t_eval_reliability_create(&r, &s->test, &fit));
    f0t_status status = f0t_eval_split_score(NULL, &s->test, &fit, add, r);
    if (status == F0T_OK)
        f0t_eval_reliability_get(values, curves, r);
    f0t_eval_reliability_free(r);
    return status;
}

/* ---- The definitions -------------------------------------------------------------------------- */

enum { PAIRS_MOST = C_IMAGES * C_TAGS };

/* All pairs of a split. */
typedef struct pairs {
    size_t count, images;
    float confidence[PAIRS_MOST];
    bool right[PAIRS_MOST];
} pairs;

static f0t_status collect(void *user, size_t first, const f0t_ranking *block)
{
    pairs *p = user;
    (void)first;
    p->images += block->images;
    for (size_t m = 0; m < block->images; m++)
        for (size_t t = 0; t < block->tags; t++) {
            const double logit = (double)block->scores[m * block->tags + t];
            p->right[p->count] = false;
            for (size_t i = block->offsets[m]; i < block->offsets[m + 1]; i++)
                p->right[p->count] |= block->relevant[i] == t;
            p->confidence[p->count++] = (float)f0t_confidence_of_logit(logit);
        }
    return F0T_OK;
}

static pairs *collect_pairs(const f0t_eval_split *split, const setting *s)
{
    const f0t_eval_fit fit = {&method, &s->task.base, NULL};
    pairs *p;
    assert_ok(f0t_alloc_zero(&p, 1, sizeof *p));
    assert_ok(f0t_eval_split_score(NULL, split, &fit, collect, p));
    return p;
}

/* With `expected`, a tag is right as far as its confidence says. */
static f0t_prf slow_sets(const pairs *p, double threshold, bool expected, double *written)
{
    double right = 0, relevant = 0;
    *written = 0;
    for (size_t i = 0; i < p->count; i++) {
        const double value = expected ? (double)p->confidence[i] : p->right[i];
        relevant += value;
        if (p->confidence[i] >= (float)threshold) {
            *written += 1;
            right += value;
        }
    }
    return (f0t_prf){right / *written, right / relevant, 2 * right / (*written + relevant)};
}

/* The threshold has the best F1 of all on the validation images, and the test images the numbers that it
 * gives. */
static void check_sets(const f0t_confidence_values *v, const setting *s, bool expected)
{
    pairs *val = collect_pairs(&s->validation, s), *test = collect_pairs(&s->test, s);
    double written;
    const double best = slow_sets(val, v->threshold, expected, &written).f;
    for (size_t g = 0; g < F0T_RISK_GRID; g++)
        assert_true(!(slow_sets(val, f0t_risk_grid(g), expected, &written).f > best + 1e-6));
    const f0t_prf want = slow_sets(test, v->threshold, false, &written);
    assert_true(fabs(want.p - v->sets.p) < 1e-9 && fabs(want.r - v->sets.r) < 1e-9);
    assert_true(fabs(want.f - v->sets.f) < 1e-9);
    assert_true(fabs(written / (double)test->images - v->tags) < 1e-9);
    f0t_free(val);
    f0t_free(test);
}

static void check_curve(const f0t_reliability_curves *curves, const setting *s)
{
    pairs *test = collect_pairs(&s->test, s);
    for (size_t i = 0; i < F0T_CURVE_POINTS; i++) {
        double written;
        const f0t_prf want = slow_sets(test, f0t_curve_threshold(i), false, &written);
        assert_true(written == 0 ? isnan(curves->sets[i].p)
                                 : fabs(curves->sets[i].p - want.p) < 1e-9);
        assert_true(fabs(curves->sets[i].r - want.r) < 1e-9);
    }
    f0t_free(test);
}

static void check_brier(const f0t_confidence_values *v, const setting *s)
{
    pairs *test = collect_pairs(&s->test, s);
    double sum = 0;
    for (size_t i = 0; i < test->count; i++)
        sum += pow((double)test->confidence[i] - test->right[i], 2);
    assert_true(fabs(sum / (double)test->count - v->brier) < 1e-6);
    f0t_free(test);
}

static void check_bins(const f0t_reliability_curves *curves, const setting *s)
{
    const double images = (double)s->test.truth.count, all = images * (double)s->test.count;
    double sums[F0T_RELIABILITY_PARTS] = {0};
    for (int part = 0; part < F0T_RELIABILITY_PARTS; part++)
        for (size_t i = 0; i < curves->bin_counts[part]; i++)
            sums[part] += curves->bins[part][i].pairs;
    const double first = s->test.count < F0T_FIRST_TAGS ? (double)s->test.count : F0T_FIRST_TAGS;
    assert_true(sums[F0T_ALL_PAIRS] == all && sums[F0T_FIRST_PAIRS] == first * images);
}

static void numbers_are_their_definitions(void **state)
{
    static const unsigned kinds[] = {F0T_TAG_SEEN, F0T_TAG_UNSEEN, F0T_TAG_SEEN | F0T_TAG_UNSEEN};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        setting s;
        f0t_confidence_values values;
        f0t_reliability_curves curves;
        setting_open(&s, &plain, kinds[i]);
        assert_ok(measure(&values, &curves, &s));
        check_sets(&values, &s, kinds[i] != F0T_TAG_SEEN);
        check_curve(&curves, &s);
        check_brier(&values, &s);
        check_bins(&curves, &s);
        assert_true(values.ece > 0 && values.ece < 1 && values.ece_first > 0);
        setting_close(&s);
    }
}

/* The annotations of unseen tags on validation images may not choose the threshold. */
static void unseen_tags_choose_nothing(void **state)
{
    static const collection_options moved = {.name = "moved", .shuffle_unseen = true};
    f0t_confidence_values values[2];
    f0t_reliability_curves curves;
    (void)state;
    for (int i = 0; i < 2; i++) {
        setting s;
        setting_open(&s, i ? &moved : &plain, F0T_TAG_SEEN | F0T_TAG_UNSEEN);
        assert_ok(measure(&values[i], &curves, &s));
        setting_close(&s);
    }
    assert_memory_equal(&values[0], &values[1], sizeof *values);
}

static void without_validation_images_there_are_no_sets(void **state)
{
    static const collection_options none = {.name = "none", .no_validation = true};
    f0t_confidence_values values;
    f0t_reliability_curves curves;
    setting s;
    (void)state;
    setting_open(&s, &none, F0T_TAG_SEEN);
    assert_ok(measure(&values, &curves, &s));
    assert_true(isnan(values.threshold) && isnan(values.tags) && isnan(values.sets.f));
    assert_true(values.ece > 0 && curves.sets[0].r == 1);
    setting_close(&s);
}

static f0t_status measure_again(void *context)
{
    f0t_confidence_values values;
    f0t_reliability_curves curves;
    return measure(&values, &curves, context);
}

static void every_allocation_may_fail(void **state)
{
    setting s;
    (void)state;
    setting_open(&s, &plain, F0T_TAG_SEEN);
    test_each_fault(F0T_FAULT_ALLOC, measure_again, &s);
    setting_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_their_definitions),
        cmocka_unit_test(unseen_tags_choose_nothing),
        cmocka_unit_test(without_validation_images_there_are_no_sets),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
