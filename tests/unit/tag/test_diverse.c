/* Tags chosen so that they do not repeat each other. */
#include "support.h"

#include "base/fault.h"
#include "tag/diverse.h"
#include "word/vocab.h"

#include <math.h>
#include <string.h>

enum { DIM = 9, TAGS = 12 };

static const char *const tags[TAGS] = {
    "nature", "wild nature", "nature background", "Dogs", "black_dog",  "running", "runs",
    "sofa",   "couch",       "bay of Fundy",      "of",   "isle of Man"};

/* All at right angles but sofa and couch; with 12 tags in 9 dimensions some share an axis, apart. */
static f0t_vocab *make_vocab(void)
{
    float vectors[TAGS * DIM] = {0};
    f0t_vocab *vocab;
    for (size_t t = 0; t < TAGS; t++)
        vectors[t * DIM + t % DIM] = t < DIM ? 1 : -1;
    vectors[8 * DIM + 8] = sqrtf(1 - 0.9f * 0.9f);
    vectors[8 * DIM + 7] = 0.9f;
    const f0t_vocab_parts parts = {
        .tags = tags, .count = TAGS, .vectors = vectors, .dim = DIM, .fingerprint = 1};
    assert_ok(f0t_vocab_restore(&vocab, &parts));
    return vocab;
}

typedef struct setting {
    f0t_vocab *vocab;
    f0t_diverse diverse;
} setting;

static void open_setting(setting *s)
{
    s->vocab = make_vocab();
    assert_ok(f0t_diverse_open(&s->diverse, s->vocab));
}

static void close_setting(setting *s)
{
    f0t_diverse_close(&s->diverse);
    f0t_vocab_free(s->vocab);
}

static void tags_that_share_a_word_or_nearly_a_vector_are_alike(void **state)
{
    static const uint32_t alike[][2] = {{0, 1}, {1, 2}, {3, 4}, {5, 6}, {7, 8}},
                          others[][2] = {{0, 3}, {4, 5}, {6, 7}, {9, 11}, {9, 10}, {10, 11}};
    setting s;
    (void)state;
    open_setting(&s);
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        if (!f0t_diverse_alike(&s.diverse, alike[i][0], alike[i][1]) ||
            !f0t_diverse_alike(&s.diverse, alike[i][1], alike[i][0]))
            fail_msg("'%s' and '%s' are not alike", tags[alike[i][0]], tags[alike[i][1]]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (f0t_diverse_alike(&s.diverse, others[i][0], others[i][1]))
            fail_msg("'%s' and '%s' are alike", tags[others[i][0]], tags[others[i][1]]);
    close_setting(&s);
}

static void assert_order(const uint32_t *index, const uint32_t *want, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (index[i] != want[i])
            fail_msg("place %zu has '%s', not '%s'", i, tags[index[i]], tags[want[i]]);
}

static void a_repeat_loses_its_part_of_the_spread(void **state)
{
    static const uint32_t ranked[] = {0, 1, 2, 3, 7, 9};
    static const float scores[] = {10, 9, 8, 7, 6, 0};
    static const struct {
        float weight;
        uint32_t want[6];
    } cases[] = {{0, {0, 1, 2, 3, 7, 9}},
                 {0.15f, {0, 1, 3, 2, 7, 9}}, /* 9 - 1.5 is above 7, 8 - 1.5 is not */
                 {0.25f, {0, 3, 1, 7, 2, 9}}, /* 6.5, 5.5 */
                 {1.5f, {0, 3, 7, 9, 1, 2}},  /* no repeat while there is another */
                 {NAN, {0, 1, 2, 3, 7, 9}}};
    setting s;
    (void)state;
    open_setting(&s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t index[6];
        float score[6], sure[6];
        memcpy(index, ranked, sizeof index);
        memcpy(score, scores, sizeof score);
        memcpy(sure, scores, sizeof sure);
        assert_ok(f0t_diverse_order(index, score, sure, 1, 6, &s.diverse, cases[i].weight));
        assert_order(index, cases[i].want, 6);
        for (size_t k = 0; k < 6; k++) /* each has its score */
            for (size_t j = 0; j < 6; j++)
                if (ranked[j] == index[k])
                    assert_true(score[k] == scores[j] && sure[k] == scores[j]);
    }
    close_setting(&s);
}

/* Beyond the places that are chosen the order is that of the scores, whatever repeats. */
static void long_lists_are_in_order_of_their_scores(void **state)
{
    enum { MANY = 40 };
    uint32_t index[2 * MANY], few[F0T_DIVERSE_POOL];
    float score[2 * MANY], few_score[F0T_DIVERSE_POOL];
    setting s;
    (void)state;
    open_setting(&s);
    for (size_t i = 0; i < 2 * MANY; i++) {
        index[i] = (uint32_t)(i % MANY % TAGS);
        score[i] = (float)(MANY - i % MANY);
    }
    memcpy(few, index, sizeof few);
    memcpy(few_score, score, sizeof few_score);
    assert_ok(f0t_diverse_order(index, score, NULL, 2, MANY, &s.diverse, 2));
    assert_ok(f0t_diverse_order(few, few_score, NULL, 1, F0T_DIVERSE_POOL, &s.diverse, 2));
    assert_memory_equal(index, few, sizeof few);
    assert_memory_equal(index, index + MANY, MANY * sizeof *index);
    for (size_t i = F0T_DIVERSE_FIRST + 1; i < MANY; i++)
        assert_true(score[i] < score[i - 1]);
    close_setting(&s);
}

static void equal_and_infinite_scores_stay_in_their_order(void **state)
{
    uint32_t index[] = {0, 1, 2, 3}, one[] = {5}, want[] = {0, 1, 2, 3};
    float equal[] = {1, 1, 1, 1}, infinite[] = {INFINITY, 3, 2, -INFINITY}, score = 1;
    setting s;
    (void)state;
    open_setting(&s);
    assert_ok(f0t_diverse_order(index, equal, NULL, 1, 4, &s.diverse, 1));
    assert_order(index, want, 4);
    assert_ok(f0t_diverse_order(index, infinite, NULL, 1, 4, &s.diverse, 1));
    assert_order(index, want, 4);
    assert_ok(f0t_diverse_order(one, &score, NULL, 1, 1, &s.diverse, 1));
    assert_ok(f0t_diverse_order(NULL, NULL, NULL, 3, 0, &s.diverse, 1));
    close_setting(&s);
}

static void many_rows_are_each_as_one(void **state)
{
    enum { ROWS = 200, COUNT = 6 };
    static const uint32_t ranked[COUNT] = {0, 1, 2, 3, 7, 9};
    uint32_t index[ROWS * COUNT];
    float score[ROWS * COUNT];
    setting s;
    (void)state;
    open_setting(&s);
    for (size_t i = 0; i < ROWS * COUNT; i++) {
        index[i] = ranked[i % COUNT];
        score[i] = (float)(COUNT - i % COUNT);
    }
    assert_ok(f0t_diverse_order(index, score, NULL, ROWS, COUNT, &s.diverse, 2));
    for (size_t r = 0; r < ROWS; r++)
        assert_order(index + r * COUNT, (const uint32_t[]){0, 3, 7, 9, 1, 2}, COUNT);
    close_setting(&s);
}

static f0t_status open_and_close(void *context)
{
    f0t_diverse d;
    f0t_status status = f0t_diverse_open(&d, context);
    if (status == F0T_OK)
        f0t_diverse_close(&d);
    return status;
}

static void a_lack_of_memory_is_reported(void **state)
{
    f0t_vocab *vocab = make_vocab();
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, open_and_close, vocab);
    f0t_vocab_free(vocab);
}

/* Of a mapped vocabulary, words are found for each pool. */
static void a_mapped_vocabulary_is_ordered_alike(void **state)
{
    setting s;
    f0t_vocab *mapped;
    f0t_diverse diverse;
    (void)state;
    open_setting(&s);
    assert_ok(f0t_vocab_save(s.vocab, test_path("tags.vocab"), NULL));
    assert_ok(f0t_vocab_open(&mapped, test_path("tags.vocab"), NULL));
    assert_ok(f0t_diverse_open(&diverse, mapped));
    for (uint32_t turn = 0; turn < TAGS; turn++) {
        uint32_t index[2][TAGS];
        float score[2][TAGS];
        for (uint32_t i = 0; i < TAGS; i++) {
            index[0][i] = index[1][i] = (i * 5 + turn) % TAGS;
            score[0][i] = score[1][i] = -(float)i;
        }
        assert_ok(f0t_diverse_order(index[0], score[0], NULL, 1, TAGS, &s.diverse, 0.7F));
        assert_ok(f0t_diverse_order(index[1], score[1], NULL, 1, TAGS, &diverse, 0.7F));
        assert_memory_equal(index[0], index[1], sizeof index[0]);
        assert_memory_equal(score[0], score[1], sizeof score[0]);
    }
    f0t_diverse_close(&diverse);
    f0t_vocab_free(mapped);
    close_setting(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_that_share_a_word_or_nearly_a_vector_are_alike),
        cmocka_unit_test(a_repeat_loses_its_part_of_the_spread),
        cmocka_unit_test(long_lists_are_in_order_of_their_scores),
        cmocka_unit_test(equal_and_infinite_scores_stay_in_their_order),
        cmocka_unit_test(many_rows_are_each_as_one),
        cmocka_unit_test(a_lack_of_memory_is_reported),
        cmocka_unit_test(a_mapped_vocabulary_is_ordered_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
