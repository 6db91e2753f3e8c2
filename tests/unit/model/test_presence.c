/* The nearness of words: against sums by hand. */
#include "support.h"

#include "model/presence.h"

#include <math.h>

enum { DIM = 3, TAGS = 6 };

/* Four tags round the first axis, one elsewhere, and one without a vector. */
static const float tags[TAGS * DIM] = {1, 0, 0, 0.8F, 0.6F, 0, 0.8F, 0, 0.6F,
                                       1, 0, 0, 0,    0,    1, 0,    0, 0};

/* Of the tags in turn: (1 + 0.8 + 0.8)/3, (0.8 + 0.8 + 0.64)/3, (0.8 + 0.8 + 0.64)/3, as the first, (0.6 + 0 + 0)/3. */
static const double nearness[] = {2.6 / 3, 2.24 / 3, 2.24 / 3, 2.6 / 3, 0.2};

static void a_word_far_from_all_tags_is_less_likely_there(void **state)
{
    (void)state;
    double mean = 0, square = 0, near, far, opposite;
    f0t_presence p;
    for (size_t i = 0; i < 5; i++) {
        mean += nearness[i] / 5;
        square += nearness[i] * nearness[i] / 5;
    }
    const double deviation = sqrt(square - mean * mean);
    assert_ok(f0t_presence_fit(&p, tags, TAGS, DIM));
    assert_float_equal(p.mean, mean, 1e-6);
    assert_float_equal(p.deviation, deviation, 1e-6);
    assert_ok(f0t_presence_logit(&near, &p, tags, TAGS, DIM, (const float[]){1, 0, 0}));
    assert_ok(f0t_presence_logit(&far, &p, tags, TAGS, DIM, (const float[]){0, 1, 0}));
    assert_ok(f0t_presence_logit(&opposite, &p, tags, TAGS, DIM, (const float[]){-1, 0, 0}));
    assert_float_equal(near, fmin(1, (2.8 / 3 - mean) / deviation), 1e-5);
    assert_float_equal(far, (float)((0.2 - mean) / deviation), 1e-5);
    assert_float_equal(opposite, (float)(-mean / deviation), 1e-5);
}

static void synonyms_of_a_tag_gain_one_deviation_at_most(void **state)
{
    (void)state;
    double logit;
    const f0t_presence p = {0.1, 0.05};
    assert_ok(f0t_presence_logit(&logit, &p, tags, TAGS, DIM, (const float[]){1, 0, 0}));
    assert_float_equal(logit, 1, 1e-12);
}

static void too_few_tags_say_nothing(void **state)
{
    (void)state;
    double logit = 1;
    f0t_presence p;
    assert_ok(f0t_presence_fit(&p, tags, 3, DIM));
    assert_ok(f0t_presence_logit(&logit, &p, tags, 3, DIM, (const float[]){0, 1, 0}));
    assert_float_equal(logit, 0, 0);
    assert_ok(f0t_presence_fit(&p, tags, 0, DIM));
    assert_float_equal(p.deviation, 0, 0);
}

/* More tags than are measured: all of one kind have its nearness. */
static void of_many_tags_some_are_measured(void **state)
{
    (void)state;
    enum { MANY = 1300 };
    static float many[MANY * DIM];
    f0t_presence p;
    for (size_t i = 0; i < MANY; i++)
        many[i * DIM + i / 2 % 2] = 1;
    assert_ok(f0t_presence_fit(&p, many, MANY, DIM));
    assert_float_equal(p.mean, 1, 1e-6);
    assert_float_equal(p.deviation, 0, 1e-3);
}

static f0t_status measure(void *user)
{
    (void)user;
    f0t_presence p;
    double logit;
    F0T_TRY(f0t_presence_fit(&p, tags, TAGS, DIM));
    return f0t_presence_logit(&logit, &p, tags, TAGS, DIM, tags);
}

static void every_failed_allocation_is_an_error(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, measure, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_far_from_all_tags_is_less_likely_there),
        cmocka_unit_test(synonyms_of_a_tag_gain_one_deviation_at_most),
        cmocka_unit_test(too_few_tags_say_nothing),
        cmocka_unit_test(of_many_tags_some_are_measured),
        cmocka_unit_test(every_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
