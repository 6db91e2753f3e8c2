/* Promises about sets of tags: the curve against its definition, and whether promises are kept. */
#include "support.h"

#include "base/random.h"
#include "model/confidence.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Collections with known probabilities ---------------------------------------------------- */

enum { TAGS = 12 };

/* Images with confidences and relevant tags. */
typedef struct crowd {
    f0t_samples truth;
    float *confidence; /* [count x TAGS] */
} crowd;

static crowd crowd_create(size_t count)
{
    crowd c = {.truth = {.count = count, .tags = TAGS}};
    assert_ok(f0t_alloc(&c.confidence, count * TAGS, sizeof *c.confidence));
    assert_ok(f0t_alloc(&c.truth.offsets, count + 1, sizeof *c.truth.offsets));
    assert_ok(f0t_alloc(&c.truth.relevant, count * TAGS, sizeof *c.truth.relevant));
    c.truth.offsets[0] = 0;
    return c;
}

static void crowd_free(crowd *c)
{
    f0t_free(c->confidence);
    f0t_free(c->truth.offsets);
    f0t_free(c->truth.relevant);
}

/* Every image has its own ease, every tag its own frequency; a tag's confidence is its probability, moved by
 * `boast` logits: above 0 it claims too much. */
static crowd make_crowd(size_t count, double boast, uint64_t seed)
{
    crowd c = crowd_create(count);
    const f0t_random random = {.seed = seed};
    uint64_t at = 0;
    size_t relevant = 0;
    for (size_t m = 0; m < count; m++) {
        const double ease = f0t_random_normal(&random, at++);
        for (size_t t = 0; t < TAGS; t++) {
            const double z = -1.5 + ease + 1.5 * f0t_random_normal(&random, at++);
            c.confidence[m * TAGS + t] = (float)f0t_confidence_of_logit(z + boast);
            if (f0t_random_uniform(&random, at++) < f0t_confidence_of_logit(z))
                c.truth.relevant[relevant++] = (uint32_t)t;
        }
        c.truth.offsets[m + 1] = relevant;
    }
    return c;
}

/* `count` images of `from`, drawn with replacement. */
static crowd draw(const crowd *from, size_t count, uint64_t seed)
{
    crowd c = crowd_create(count);
    const f0t_random random = {.seed = seed, .stream = 1};
    size_t relevant = 0;
    for (size_t m = 0; m < count; m++) {
        const size_t i = (size_t)f0t_random_below(&random, m, from->truth.count);
        memcpy(c.confidence + m * TAGS, from->confidence + i * TAGS, TAGS * sizeof *c.confidence);
        for (size_t r = from->truth.offsets[i]; r < from->truth.offsets[i + 1]; r++)
            c.truth.relevant[relevant++] = from->truth.relevant[r];
        c.truth.offsets[m + 1] = relevant;
    }
    return c;
}

static size_t place_of_threshold(float threshold)
{
    size_t g = 0;
    while (g + 1 < F0T_RISK_GRID && (float)f0t_risk_grid(g) < threshold)
        g++;
    assert_true((float)f0t_risk_grid(g) == threshold);
    return g;
}

/* ---- The curve ------------------------------------------------------------------------------ */

static bool is_relevant(const f0t_samples *truth, size_t m, size_t t)
{
    for (size_t r = truth->offsets[m]; r < truth->offsets[m + 1]; r++)
        if (truth->relevant[r] == t)
            return true;
    return false;
}

/* Threshold g of the curve, image by image and tag by tag. */
static void check_definition(const f0t_risk_curve *curve, const crowd *c, size_t g)
{
    const float threshold = (float)f0t_risk_grid(g);
    double tagged = 0, wrong = 0, missed = 0, truths = 0, written = 0, right = 0;
    for (size_t m = 0; m < c->truth.count; m++) {
        double set = 0, hits = 0, all = (double)(c->truth.offsets[m + 1] - c->truth.offsets[m]);
        for (size_t t = 0; t < TAGS; t++)
            if (c->confidence[m * TAGS + t] >= threshold) {
                set++;
                hits += is_relevant(&c->truth, m, t);
            }
        tagged += set > 0;
        wrong += set > 0 ? 1 - hits / set : 0;
        truths += all > 0;
        missed += all > 0 ? 1 - hits / all : 0;
        written += set;
        right += hits;
    }
    assert_true(curve->truths == truths && curve->tagged[g] == tagged);
    assert_true(curve->written[g] == written && curve->right[g] == right);
    assert_true(fabs(curve->wrong[g] * tagged - wrong) < 1e-9);
    assert_true(fabs(curve->missed[g] * truths - missed) < 1e-9);
}

static void the_curve_is_its_definition(void **state)
{
    (void)state;
    crowd c = make_crowd(200, 0, 7);
    f0t_risk_curve curve;
    /* Exactly on a threshold, just below it, and the ends. */
    c.confidence[0] = (float)f0t_risk_grid(100);
    c.confidence[1] = nextafterf((float)f0t_risk_grid(100), 0);
    c.confidence[2] = 0;
    c.confidence[3] = 1;
    assert_ok(f0t_risk_curve_fit(&curve, c.confidence, &c.truth));
    assert_true(curve.images == 200 && curve.relevant == (double)c.truth.offsets[200]);
    for (size_t g = 0; g < F0T_RISK_GRID; g++)
        check_definition(&curve, &c, g);
    assert_true(f0t_risk_curve_is_valid(&curve));
    assert_true(f0t_risk_pooled_recall(&curve, 0) == 1);
    assert_true(curve.written[0] == 200 * TAGS && curve.missed[0] == 0);
    c.confidence[5] = NAN;
    assert_fails(F0T_ERROR_NUMERIC, "image 0, tag 5: the confidence is NaN",
                 f0t_risk_curve_fit(&curve, c.confidence, &c.truth));
    crowd_free(&c);
}

static void the_grid_rises(void **state)
{
    (void)state;
    assert_true(f0t_risk_grid(0) == 0);
    assert_true(fabs(f0t_risk_grid(1) - 0.001) < 1e-12);
    assert_true(fabs(f0t_risk_grid(F0T_RISK_GRID - 1) - 0.999) < 1e-12);
    for (size_t g = 1; g < F0T_RISK_GRID; g++)
        assert_true((float)f0t_risk_grid(g) > (float)f0t_risk_grid(g - 1));
    for (size_t g = 1; g < F0T_RISK_GRID; g++) {
        const float here = (float)f0t_risk_grid(g);
        assert_int_equal(f0t_risk_place(here), g);
        assert_int_equal(f0t_risk_place(nextafterf(here, 0)), g - 1);
    }
    assert_int_equal(f0t_risk_place(0), 0);
    assert_int_equal(f0t_risk_place(1), F0T_RISK_GRID - 1);
}

static void curves_of_a_file_are_checked(void **state)
{
    (void)state;
    crowd c = make_crowd(50, 0, 3);
    f0t_risk_curve good;
    assert_ok(f0t_risk_curve_fit(&good, c.confidence, &c.truth));
    double *const numbers = (double *)&good;
    for (size_t i = 0; i < sizeof good / sizeof *numbers; i++) {
        const double was = numbers[i], bad[] = {-1, (double)NAN, (double)INFINITY};
        for (size_t b = 0; b < 3; b++) {
            numbers[i] = bad[b];
            assert_false(f0t_risk_curve_is_valid(&good));
        }
        numbers[i] = was;
    }
    assert_true(f0t_risk_curve_is_valid(&good));
    good.tagged[9] = 49.5;
    assert_false(f0t_risk_curve_is_valid(&good));
    crowd_free(&c);
}

static void an_empty_collection_has_a_curve(void **state)
{
    (void)state;
    crowd c = crowd_create(0);
    f0t_risk_curve curve;
    float threshold;
    assert_ok(f0t_risk_curve_fit(&curve, c.confidence, &c.truth));
    assert_true(f0t_risk_curve_is_valid(&curve));
    assert_true(isnan(f0t_risk_pooled_precision(&curve, 0)) &&
                isnan(f0t_risk_pooled_recall(&curve, 0)));
    assert_fails(F0T_ERROR_UNSUPPORTED,
                 "a precision of 0.8 cannot be promised: no image was held out",
                 f0t_risk_threshold_precision(&threshold, &curve, 0.8, 0.9));
    assert_fails(F0T_ERROR_UNSUPPORTED, "a recall of 0.8 cannot be promised",
                 f0t_risk_threshold_recall(&threshold, &curve, 0.8, 0.9));
    crowd_free(&c);
}

/* ---- The p-value ---------------------------------------------------------------------------- */

/* The smaller of Hoeffding's and Bentkus's bound, from SciPy 1.10:
 * min(exp(-n kl(r, a)), e binom.cdf(ceil(n r), n, a)). */
static void p_values_are_those_of_scipy(void **state)
{
    (void)state;
    static const struct {
        double mean, count, bound, want;
    } cases[] = {
        {0, 10, 0.2, 0.1073741824},        {0.1, 50, 0.2, 0.130551517687},
        {0.25, 400, 0.3, 0.0422205933813}, {0.18, 1000, 0.2, 0.163613518515},
        {0.05, 37, 0.1, 0.538945652383},   {0.299, 100000, 0.3, 0.669347933671},
        {0.4, 25, 0.5, 0.576759903736},    {0.02, 5000, 0.05, 7.62795275365e-28},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double got = f0t_risk_p_value(cases[i].mean, cases[i].count, cases[i].bound);
        if (!(fabs(got - cases[i].want) <= 1e-8 * cases[i].want))
            fail_msg("case %zu: %.12g instead of %.12g", i, got, cases[i].want);
    }
    assert_true(f0t_risk_p_value(0.3, 100, 0.3) == 1 && f0t_risk_p_value(0.5, 100, 0.3) == 1);
    assert_true(f0t_risk_p_value(0, 0, 0.3) == 1);
}

/* ---- Promises ------------------------------------------------------------------------------- */

enum { PEOPLE = 20000, DRAWS = 400 };

/* How often the promise made from `count` images is broken in the whole population; in *made how often one
 * is made, in *mean what the population has at these thresholds. */
typedef f0t_status (*threshold_finder)(float *threshold, const f0t_risk_curve *curve, double target,
                                       double level);

typedef struct tally {
    size_t made, broken;
    double mean; /* of the risk in the population where a promise was made */
} tally;

static tally try_promises(const crowd *all, const double *risk, size_t count, double target,
                          threshold_finder find)
{
    tally t = {0};
    for (uint64_t d = 0; d < DRAWS; d++) {
        crowd some = draw(all, count, 1000 + d);
        f0t_risk_curve curve;
        float threshold;
        assert_ok(f0t_risk_curve_fit(&curve, some.confidence, &some.truth));
        if (find(&threshold, &curve, target, 0.9) == F0T_OK) {
            const double is = risk[place_of_threshold(threshold)];
            t.made++;
            t.broken += is > 1 - target;
            t.mean += is;
        }
        crowd_free(&some);
    }
    t.mean /= (double)(t.made ? t.made : 1);
    return t;
}

/* A tenth of the promises may be broken. Whatever the confidences are worth; made often enough from 400
 * images, and not much better kept than asked for where they are true. */
static void promises_are_kept(void **state)
{
    (void)state;
    static const double boasts[] = {0, 1, -1};
    for (size_t b = 0; b < sizeof boasts / sizeof *boasts; b++) {
        crowd all = make_crowd(PEOPLE, boasts[b], 5);
        f0t_risk_curve truth;
        assert_ok(f0t_risk_curve_fit(&truth, all.confidence, &all.truth));
        for (int target = 6; target <= 8; target++) {
            const double q = target / 10.0;
            const tally p = try_promises(&all, truth.wrong, 400, q, f0t_risk_threshold_precision);
            const tally r = try_promises(&all, truth.missed, 400, q, f0t_risk_threshold_recall);
            if (p.broken > DRAWS / 10 || r.broken > DRAWS / 10)
                fail_msg("boast %g, %g: broken %zu and %zu of %zu and %zu", boasts[b], q, p.broken,
                         r.broken, p.made, r.made);
            if (r.made < DRAWS || r.mean < 1 - q - 0.06 || p.mean < 1 - q - 0.09 ||
                (b == 0 && p.made < DRAWS * 3 / 4))
                fail_msg("boast %g, %g: made %zu and %zu, risk %g and %g", boasts[b], q, p.made,
                         r.made, p.mean, r.mean);
        }
        crowd_free(&all);
    }
}

/* More is promised by fewer tags, and a surer promise is a stricter one. */
static void thresholds_are_monotone(void **state)
{
    (void)state;
    crowd c = make_crowd(2000, 0, 9);
    f0t_risk_curve curve;
    float last_p = 0, last_r = 1, p, r;
    assert_ok(f0t_risk_curve_fit(&curve, c.confidence, &c.truth));
    for (int target = 40; target <= 80; target += 5) {
        assert_ok(f0t_risk_threshold_precision(&p, &curve, target / 100.0, 0.9));
        assert_ok(f0t_risk_threshold_recall(&r, &curve, target / 100.0, 0.9));
        assert_true(p >= last_p && r <= last_r);
        last_p = p;
        last_r = r;
        float sure;
        assert_ok(f0t_risk_threshold_precision(&sure, &curve, target / 100.0, 0.99));
        assert_true(sure >= p);
        assert_ok(f0t_risk_threshold_recall(&sure, &curve, target / 100.0, 0.99));
        assert_true(sure <= r);
    }
    crowd_free(&c);
}

/* The number that the last error gives after `text`. */
static double said_after(const char *text)
{
    const char *at = strstr(f0t_last_error(), text);
    if (!at)
        fail_msg("\"%s\" does not say \"%s\"", f0t_last_error(), text);
    double value = 0;
    assert_int_equal(sscanf(at + strlen(text), "%lf", &value), 1);
    return value;
}

/* What the sentence says is true: so much can be promised, and so many images suffice. */
static void few_images_get_a_sentence(void **state)
{
    (void)state;
    crowd all = make_crowd(PEOPLE, 0, 5), few = draw(&all, 40, 2);
    f0t_risk_curve curve;
    float threshold;
    assert_ok(f0t_risk_curve_fit(&curve, few.confidence, &few.truth));
    assert_fails(F0T_ERROR_UNSUPPORTED, "a precision of 0.8 cannot be promised from 40 held-out",
                 f0t_risk_threshold_precision(&threshold, &curve, 0.8, 0.9));
    const double best = said_after("images: "), needed = said_after("takes about ");
    assert_true(best > 0 && best < 0.8 && needed > 40 && needed < 1000);
    assert_ok(f0t_risk_threshold_precision(&threshold, &curve, best, 0.9));
    assert_true(f0t_risk_threshold_precision(&threshold, &curve, best + 0.01, 0.9) != F0T_OK);
    for (size_t g = 0; g < F0T_RISK_GRID; g++)
        curve.tagged[g] = floor(curve.tagged[g] * (needed / 40));
    assert_ok(f0t_risk_threshold_precision(&threshold, &curve, 0.8, 0.9));
    curve.truths = 10;
    assert_fails(F0T_ERROR_UNSUPPORTED, "a recall of 0.9 cannot be promised",
                 f0t_risk_threshold_recall(&threshold, &curve, 0.9, 0.9));
    assert_true(said_after("images: ") == 0.79); /* 0.79^10 < 0.1 <= 0.80^10 */
    crowd_free(&few);
    crowd_free(&all);
}

/* Confidences that say nothing: no number of images helps. */
static void what_no_image_helps_is_said(void **state)
{
    (void)state;
    crowd c = make_crowd(500, 0, 5);
    f0t_risk_curve curve;
    float threshold;
    for (size_t i = 0; i < c.truth.count * TAGS; i++)
        c.confidence[i] = 0.99F;
    assert_ok(f0t_risk_curve_fit(&curve, c.confidence, &c.truth));
    assert_fails(F0T_ERROR_UNSUPPORTED, "more images like these would not help",
                 f0t_risk_threshold_precision(&threshold, &curve, 0.8, 0.9));
    crowd_free(&c);
}

static void odd_targets_are_refused(void **state)
{
    (void)state;
    static const double odd[] = {0, 1, -1, 2, (double)NAN, (double)INFINITY};
    f0t_risk_curve curve = {.images = 10};
    float threshold;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        assert_fails(F0T_ERROR_ARGUMENT, "a precision of ",
                     f0t_risk_threshold_precision(&threshold, &curve, odd[i], 0.9));
        assert_fails(F0T_ERROR_ARGUMENT, "is not between 0 and 1",
                     f0t_risk_threshold_recall(&threshold, &curve, odd[i], 0.9));
        assert_fails(F0T_ERROR_ARGUMENT, "is not between 0 and 1",
                     f0t_risk_threshold_recall(&threshold, &curve, 0.5, odd[i]));
    }
    assert_fails(F0T_ERROR_UNSUPPORTED, "a precision of 0.9999",
                 f0t_risk_threshold_precision(&threshold, &curve, 0.9999, 0.9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_curve_is_its_definition),
        cmocka_unit_test(the_grid_rises),
        cmocka_unit_test(curves_of_a_file_are_checked),
        cmocka_unit_test(an_empty_collection_has_a_curve),
        cmocka_unit_test(p_values_are_those_of_scipy),
        cmocka_unit_test(promises_are_kept),
        cmocka_unit_test(thresholds_are_monotone),
        cmocka_unit_test(few_images_get_a_sentence),
        cmocka_unit_test(what_no_image_helps_is_said),
        cmocka_unit_test(odd_targets_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
