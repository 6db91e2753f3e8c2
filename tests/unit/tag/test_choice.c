/* Which tags are sure enough. */
#include "support.h"

#include "tag/choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A vocabulary of six words, of which 1 and 4 are new; NULL in `fresh`: all are. */
static uint32_t fresh_words[] = {1, 4};
static const f0t_known_words both = {.learned_count = 4, .fresh = fresh_words, .new_count = 2};
static const f0t_known_words learned = {.learned_count = 6, .fresh = fresh_words, .new_count = 0};
static const f0t_known_words fresh = {.learned_count = 0, .fresh = NULL, .new_count = 6};

/* `images` of which each gets one tag from any threshold below 0.9 on; it is right for all but a share of
 * `wrong`, which is less the higher the threshold. */
static f0t_risk_curve make_curve(double images, double wrong)
{
    f0t_risk_curve c = {.images = images, .truths = images, .relevant = images};
    for (size_t g = 0; g < F0T_RISK_GRID && f0t_risk_grid(g) < 0.9; g++) {
        c.tagged[g] = c.written[g] = images;
        c.wrong[g] = wrong * (1 - f0t_risk_grid(g));
        c.right[g] = floor(images * (1 - c.wrong[g]));
        c.missed[g] = f0t_risk_grid(g);
    }
    return c;
}

static f0t_blend blend;
static f0t_model model = {.method = F0T_METHOD_BLEND, .blend = &blend};

static int start(void **state)
{
    (void)state;
    blend.risk = make_curve(2000, 0.5);
    blend.word_risk = make_curve(2000, 0.9);
    return 0;
}

static f0t_tag_options options_of(double confidence, double precision, double recall)
{
    f0t_tag_options o = F0T_TAG_OPTIONS;
    o.confidence = confidence;
    o.precision = precision;
    o.recall = recall;
    return o;
}

static void without_a_wish_all_tags_are_taken(void **state)
{
    static const f0t_model net = {.method = F0T_METHOD_NET};
    const f0t_tag_options o = F0T_TAG_OPTIONS;
    f0t_tag_choice c;
    (void)state;
    assert_ok(f0t_tag_choice_create(&c, &o, &net, &both, NULL));
    assert_true(f0t_tag_choice_takes(&c, 0, NAN) && f0t_tag_choice_takes(&c, 1, 0));
}

static void a_confidence_is_the_least(void **state)
{
    const f0t_tag_options o = options_of(0.6, 0, 0);
    const f0t_known_words *const all[] = {&both, &learned, &fresh};
    f0t_tag_choice c;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_ok(f0t_tag_choice_create(&c, &o, &model, all[i], NULL));
        for (uint32_t word = 0; word < 6; word++) {
            assert_true(f0t_tag_choice_takes(&c, word, 0.6F));
            assert_false(f0t_tag_choice_takes(&c, word, 0.59F));
            assert_false(f0t_tag_choice_takes(&c, word, NAN));
        }
    }
}

/* What is promised of new words comes from other numbers. */
static void each_kind_has_its_own_threshold(void **state)
{
    float want[2];
    f0t_tag_choice c;
    (void)state;
    for (int recall = 0; recall < 2; recall++) {
        const f0t_tag_options o = options_of(0, recall ? 0 : 0.6, recall ? 0.6 : 0);
        f0t_status (*const find)(float *, const f0t_risk_curve *, double, double) =
            recall ? f0t_risk_threshold_recall : f0t_risk_threshold_precision;
        assert_ok(find(&want[0], &blend.risk, 0.6, 0.9));
        assert_ok(find(&want[1], &blend.word_risk, 0.6, 0.9));
        assert_true(recall || want[0] + 0.1F < want[1]);
        assert_ok(f0t_tag_choice_create(&c, &o, &model, &both, NULL));
        for (uint32_t word = 0; word < 6; word++) {
            const float least = want[word == 1 || word == 4];
            assert_true(f0t_tag_choice_takes(&c, word, least));
            assert_false(f0t_tag_choice_takes(&c, word, nextafterf(least, 0)));
        }
    }
}

/* Held-out words are needed for new words alone, and images for learned tags alone. */
static void only_what_is_ranked_is_promised(void **state)
{
    const f0t_tag_options o = options_of(0, 0.6, 0);
    f0t_tag_choice c;
    (void)state;
    blend.word_risk = make_curve(0, 0);
    assert_ok(f0t_tag_choice_create(&c, &o, &model, &learned, NULL));
    assert_fails(F0T_ERROR_UNSUPPORTED,
                 "new words: a precision of 0.6 cannot be promised: no image was held out",
                 f0t_tag_choice_create(&c, &o, &model, &both, NULL));
    blend.word_risk = blend.risk;
    blend.risk = make_curve(5, 0.5);
    assert_ok(f0t_tag_choice_create(&c, &o, &model, &fresh, NULL));
    assert_fails(F0T_ERROR_UNSUPPORTED,
                 "learned tags: a precision of 0.6 cannot be promised from 5 held-out images: 0.",
                 f0t_tag_choice_create(&c, &o, &model, &both, NULL));
    start(NULL);
}

static void what_cannot_be_meant_is_refused(void **state)
{
    static const double odd[] = {-0.1, 1.1, (double)NAN, (double)INFINITY};
    static const f0t_model linear = {.method = F0T_METHOD_LINEAR};
    f0t_tag_options o = options_of(0.5, 0.5, 0);
    f0t_tag_choice c;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "one of confidence, precision and recall",
                 f0t_tag_choice_create(&c, &o, &model, &both, NULL));
    for (size_t i = 0; i < 4; i++)
        for (int which = 0; which < 3; which++) {
            o = options_of(which == 0 ? odd[i] : 0, which == 1 ? odd[i] : 0,
                           which == 2 ? odd[i] : 0);
            assert_fails(F0T_ERROR_ARGUMENT, "is not between 0 and 1",
                         f0t_tag_choice_create(&c, &o, &model, &both, NULL));
        }
    o = options_of(0.5, 0, 0);
    assert_fails(
        F0T_ERROR_UNSUPPORTED,
        "a model of the method linear does not say how sure it is; one of the method blend",
        f0t_tag_choice_create(&c, &o, &linear, &both, NULL));
}

static void hear(void *user, f0t_log_level level, const char *line)
{
    assert_int_equal(level, F0T_LOG_INFO);
    snprintf(user, 200, "%s", line);
}

static void the_promise_is_logged(void **state)
{
    const f0t_tag_options o = options_of(0, 0.6, 0);
    char line[200] = "";
    const f0t_monitor monitor = {.log = hear, .user = line};
    f0t_tag_choice c;
    (void)state;
    assert_ok(f0t_tag_choice_create(&c, &o, &model, &learned, &monitor));
    assert_non_null(
        strstr(line, "learned tags: a precision of 0.6 is promised to those of confidence"));
    assert_non_null(strstr(line, "by 2000 images"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_wish_all_tags_are_taken),
        cmocka_unit_test(a_confidence_is_the_least),
        cmocka_unit_test(each_kind_has_its_own_threshold),
        cmocka_unit_test(only_what_is_ranked_is_promised),
        cmocka_unit_test(what_cannot_be_meant_is_refused),
        cmocka_unit_test(the_promise_is_logged),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
