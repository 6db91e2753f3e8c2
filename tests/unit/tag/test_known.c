/* The words of a vocabulary that a blend has learned, and those it has not: against all scores, sorted. */
#include "../model/blends.h"

#include "tag/tagging.h"
#include "word/vocab.h"

#include <math.h>

static blend_data *data;
static f0t_model *model;

static int start(void **state)
{
    const f0t_train_options o = blend_training(2);
    (void)state;
    data = blend_open((blend_made){.images = 120, .tags = 20, .without = 4});
    model = blend_train(data, &o);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    f0t_model_free(model);
    blend_close(data);
    return 0;
}

/* A word with its score, and whether it was learned. */
typedef struct candidate {
    uint32_t place;
    float score, confidence;
} candidate;

static int better(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return x->score < y->score ? 1 : x->score > y->score ? -1 : 0;
}

/* All words of the vocabulary for a row, the best first. */
static void rank_plainly(candidate *to, const f0t_vocab *vocab, const float *row)
{
    const f0t_vocab *own = f0t_model_vocab(model);
    float learned[B_TAGS_MOST], direction[B_DIM], offset;
    bool some = false;
    assert_ok(f0t_blend_score(learned, direction, &offset, model->blend, NULL, row, 1));
    for (size_t i = 0; i < f0t_vocab_count(own) && !some; i++) {
        size_t at;
        assert_ok(f0t_vocab_find(&at, vocab, f0t_vocab_tag(own, i)));
        some = at != F0T_NONE;
    }
    for (size_t i = 0; i < f0t_vocab_count(vocab); i++) {
        size_t at;
        double sum = (double)offset;
        assert_ok(f0t_vocab_find(&at, own, f0t_vocab_tag(vocab, i)));
        for (size_t k = 0; k < B_DIM; k++)
            sum += (double)direction[k] * (double)f0t_vocab_vectors(vocab)[i * B_DIM + k];
        const double logit = at != F0T_NONE ? (double)learned[at] : sum;
        to[i] = (candidate){
            (uint32_t)i,
            (float)(logit + (at == F0T_NONE && some ? (double)model->blend->word_offset : 0)),
            (float)(1 / (1 + exp(-logit)))};
    }
    qsort(to, f0t_vocab_count(vocab), sizeof *to, better);
}

static void assert_ranks(const f0t_vocab *vocab, size_t k, size_t learned)
{
    enum { ROWS = 20, MOST = B_TAGS_MOST + B_WORDS };
    f0t_known_words words;
    f0t_scoring fresh = {0};
    uint32_t index[ROWS * MOST];
    float score[ROWS * MOST], confidence[ROWS * MOST];
    candidate all[MOST];
    const size_t count = f0t_vocab_count(vocab);
    const f0t_scoring_options how = {.screen = f0t_vocab_screen(vocab)};
    assert_ok(f0t_known_words_create(&words, model, vocab));
    assert_int_equal(words.learned_count, learned);
    assert_int_equal(words.new_count, count - learned);
    assert_ok(f0t_scoring_open(&fresh, f0t_compute_current(),
                               words.vectors ? words.vectors : f0t_vocab_vectors(vocab),
                               words.vectors ? words.new_count : count, B_DIM, &how));
    assert_ok(f0t_known_words_rank(index, score, confidence, NULL, k, &words, model, NULL, &fresh,
                                   data->features, ROWS));
    for (size_t r = 0; r < ROWS; r++) {
        bool there[MOST] = {false};
        rank_plainly(all, vocab, data->features + r * B_FEATURES);
        for (size_t i = 0; i < k; i++) {
            const size_t at = r * k + i;
            size_t j = 0;
            assert_true(index[at] < count && !there[index[at]]);
            there[index[at]] = true;
            while (all[j].place != index[at])
                j++;
            assert_true(fabs((double)score[at] - (double)all[i].score) < 1e-3);
            assert_true(fabs((double)score[at] - (double)all[j].score) < 1e-3);
            assert_true(fabs((double)confidence[at] - (double)all[j].confidence) < 1e-3);
            assert_true(i == 0 || score[at] <= score[at - 1]);
        }
    }
    f0t_scoring_close(&fresh);
    f0t_known_words_free(&words);
}

static f0t_vocab *open_vocab(const char *const *tags, size_t count)
{
    const f0t_vocab_options options = {.size = sizeof options,
                                       .centred = f0t_vocab_centred(f0t_model_vocab(model))};
    f0t_vocab *vocab;
    assert_ok(f0t_vocab_create(&vocab, tags, count, data->vectors, &options, NULL));
    return vocab;
}

static const char *const mixed[] = {"word3", "tag5", "word0", "word1", "tag0",  "tag15", "word7",
                                    "tag2",  "zz17", "word2", "word4", "word5", "word6"};

static void learned_and_new_words_are_ranked_together(void **state)
{
    f0t_vocab *vocab = open_vocab(mixed, sizeof mixed / sizeof *mixed), *joined;
    (void)state;
    model->blend->word_offset = 0.75F;
    assert_int_equal(f0t_vocab_count(vocab), 12); /* zz17 has no vector */
    for (size_t k = 1; k <= 12; k++)
        assert_ranks(vocab, k, 4);
    assert_ok(f0t_vocab_join_any(&joined, f0t_model_vocab(model), vocab));
    for (size_t k = 1; k <= 28; k += 9) /* 20 learned ones, zz17 among them, and 8 */
        assert_ranks(joined, k, 20);
    f0t_vocab_free(joined);
    f0t_vocab_free(vocab);
}

/* Nothing of it is copied. */
static void a_mapped_vocabulary_is_ranked_alike(void **state)
{
    f0t_vocab *vocab = open_vocab(mixed, sizeof mixed / sizeof *mixed), *mapped;
    (void)state;
    model->blend->word_offset = 0.75F;
    assert_ok(f0t_vocab_save(vocab, test_path("mixed.vocab"), NULL));
    assert_ok(f0t_vocab_open(&mapped, test_path("mixed.vocab"), NULL));
    for (size_t k = 1; k <= 12; k++)
        assert_ranks(mapped, k, 4);
    f0t_vocab_free(mapped);
    f0t_vocab_free(vocab);
}

static void words_of_one_kind_are_ranked(void **state)
{
    f0t_vocab *fresh = open_vocab((const char *const[]){"word3", "word1", "word9"}, 3),
              *known = open_vocab((const char *const[]){"tag7", "tag1"}, 2);
    (void)state;
    model->blend->word_offset = 0.75F;
    for (size_t k = 1; k <= 3; k++)
        assert_ranks(fresh, k, 0);
    for (size_t k = 1; k <= 2; k++)
        assert_ranks(known, k, 2);
    assert_ranks(f0t_model_vocab(model), 20, 20);
    f0t_vocab_free(fresh);
    f0t_vocab_free(known);
}

/* All scores are the same: each word comes once. */
static void ties_give_every_word_once(void **state)
{
    f0t_vocab *vocab = open_vocab(mixed, sizeof mixed / sizeof *mixed);
    const float slope = model->blend->calibration[0], shift = model->blend->calibration[1];
    (void)state;
    model->blend->calibration[0] = 0;
    model->blend->calibration[1] = 0.5F;
    assert_ranks(vocab, 12, 4);
    model->blend->calibration[0] = slope;
    model->blend->calibration[1] = shift;
    f0t_vocab_free(vocab);
}

/* The tagger asks for no more words than there are. */
static void a_tagger_gives_what_there_is(void **state)
{
    f0t_tagger_options made = F0T_TAGGER_OPTIONS;
    f0t_tag_options options = F0T_TAG_OPTIONS;
    const f0t_tag_input input = {.size = sizeof input, .count = 5, .features = data->features};
    f0t_vocab *vocab = open_vocab(mixed, sizeof mixed / sizeof *mixed);
    f0t_tag_results *results;
    f0t_tagger *tagger;
    candidate all[B_TAGS_MOST];
    (void)state;
    made.vocab = vocab;
    options.k = 1000;
    assert_ok(f0t_tagger_create(&tagger, model, &made, NULL));
    assert_ok(f0t_tagger_run(&results, tagger, &input, &options, NULL));
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(results->items[i].count, 12);
        rank_plainly(all, vocab, data->features + i * B_FEATURES);
        for (size_t k = 0; k < 12; k++)
            assert_true(fabs((double)results->items[i].tags[k].score - (double)all[k].score) <
                        1e-3);
    }
    f0t_tag_results_free(results);
    f0t_tagger_close(tagger);
    f0t_vocab_free(vocab);
}

/* What is tagged in one call, against results that two calls gave. */
static bool compare_result(void *user, const f0t_tag_result *result)
{
    const f0t_tag_result *other = &((const f0t_tag_results *)user)->items[result->input];
    assert_int_equal(result->count, other->count);
    for (size_t k = 0; k < result->count; k++) {
        assert_int_equal(result->tags[k].index, other->tags[k].index);
        assert_float_equal(result->tags[k].score, other->tags[k].score, 1e-5);
        assert_float_equal(result->tags[k].confidence, other->tags[k].confidence, 1e-5);
    }
    return true;
}

static void one_scoring_gives_tags_and_directions(void **state)
{
    enum { ROWS = 100 };
    f0t_vocab *vocab = open_vocab(mixed, sizeof mixed / sizeof *mixed);
    const f0t_vocab *vocabs[] = {NULL, vocab}; /* all words learned, and new ones */
    const f0t_tag_input input = {.size = sizeof input, .count = ROWS, .features = data->features};
    float expected[ROWS * B_DIM], directions[ROWS * B_DIM];
    (void)state;
    assert_ok(f0t_model_directions(expected, model, data->features, ROWS, NULL));
    for (size_t v = 0; v < 2; v++) {
        f0t_tagger_options made = F0T_TAGGER_OPTIONS;
        f0t_tag_results *results;
        f0t_tagger *tagger;
        made.vocab = vocabs[v];
        assert_ok(f0t_tagger_create(&tagger, model, &made, NULL));
        assert_ok(f0t_tagger_run(&results, tagger, &input, NULL, NULL));
        memset(directions, 0, sizeof directions);
        assert_ok(f0t_tagger_each_directed(directions, tagger, data->features, ROWS, NULL,
                                           compare_result, results));
        assert_memory_equal(directions, expected, sizeof expected);
        f0t_tag_results_free(results);
        f0t_tagger_close(tagger);
    }
    f0t_vocab_free(vocab);
}

static f0t_status tag_some(void *context)
{
    f0t_tagger_options made = F0T_TAGGER_OPTIONS;
    const f0t_tag_input input = {.size = sizeof input, .count = 3, .features = data->features};
    f0t_tag_results *results = NULL;
    f0t_tagger *tagger;
    made.vocab = context;
    made.with_model_tags = true;
    f0t_status status = f0t_tagger_create(&tagger, model, &made, NULL);
    if (status == F0T_OK)
        status = f0t_tagger_run(&results, tagger, &input, NULL, NULL);
    f0t_tag_results_free(results);
    f0t_tagger_close(tagger);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    f0t_vocab *vocab = open_vocab(mixed, sizeof mixed / sizeof *mixed);
    (void)state;
    test_threads(1);
    test_each_fault(F0T_FAULT_ALLOC, tag_some, vocab);
    test_threads(0);
    f0t_vocab_free(vocab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learned_and_new_words_are_ranked_together),
        cmocka_unit_test(a_mapped_vocabulary_is_ranked_alike),
        cmocka_unit_test(words_of_one_kind_are_ranked),
        cmocka_unit_test(ties_give_every_word_once),
        cmocka_unit_test(a_tagger_gives_what_there_is),
        cmocka_unit_test(one_scoring_gives_tags_and_directions),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
