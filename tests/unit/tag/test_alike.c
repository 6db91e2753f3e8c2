/* What one process has before it, compared with what another had. */
#include "taggers.h"

#include "tag/alike.h"

static f0t_model *model;

static int start(void **state)
{
    (void)state;
    model = colour_model(false);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    f0t_model_free(model);
    return 0;
}

/* ---- The second of two processes, which hears what was played before ------------------------------ */

enum { MOST = 8 };
static uint64_t said[MOST];
static size_t at;
static bool playing; /* else what is sent is kept */

static f0t_status play(f0t_exchange **out, void *x, size_t bytes)
{
    *out = NULL;
    assert_true(at < MOST && bytes == sizeof *said);
    if (playing)
        memcpy(x, &said[at], bytes);
    else
        memcpy(&said[at], x, bytes);
    at++;
    return F0T_OK;
}

static f0t_status compare(const f0t_vocab *vocab, const f0t_tag_input *input, bool other)
{
    f0t_group group = f0t_group_alone;
    group.rank = 1;
    group.size = 2;
    group.broadcast = play;
    playing = other;
    at = 0;
    return f0t_tagging_alike(&group, model, vocab, input);
}

/* ---- Cases ---------------------------------------------------------------------------------------- */

static void pictures_are_known_by_their_paths(void **state)
{
    const char *const paths[] = {"a.jpg", "bc.jpg"}, *const others[] = {"a.jpgb", "c.jpg"};
    const f0t_vocab *vocab = f0t_model_vocab(model);
    f0t_tag_input input = {.size = sizeof input, .count = 2, .paths = paths};
    (void)state;
    assert_ok(compare(vocab, &input, false));
    assert_ok(compare(vocab, &input, true));
    input.paths = others;
    assert_fails(F0T_ERROR_MISMATCH, "the input of process 1", compare(vocab, &input, true));
    input.paths = paths;
    input.count = 1;
    assert_fails(F0T_ERROR_MISMATCH, "the input of process 1", compare(vocab, &input, true));
}

static void rows_are_known_by_some_of_them(void **state)
{
    static float rows[50 * T_FEATURES];
    const f0t_vocab *vocab = f0t_model_vocab(model);
    const f0t_tag_input input = {.size = sizeof input, .count = 50, .features = rows};
    (void)state;
    test_random_floats(rows, 50 * T_FEATURES, 5);
    assert_ok(compare(vocab, &input, false));
    assert_ok(compare(vocab, &input, true));
    rows[3 * T_FEATURES] += 1; /* one that is looked at */
    assert_fails(F0T_ERROR_MISMATCH, "the input of process 1", compare(vocab, &input, true));
}

static void another_vocabulary_or_model_is_named(void **state)
{
    static const char *const words[] = {"crimson", "navy"};
    const f0t_tag_input input = {.size = sizeof input};
    const f0t_vocab *own = f0t_model_vocab(model);
    f0t_vectors *vectors;
    f0t_vocab *vocab;
    float first[4 * T_FEATURES];
    (void)state;
    assert_ok(f0t_vectors_open(&vectors, colour_vectors(), NULL, NULL));
    assert_ok(f0t_vocab_create(&vocab, words, 2, vectors, NULL, NULL));
    assert_ok(compare(own, &input, false));
    assert_fails(F0T_ERROR_MISMATCH, "the vocabulary of process 1", compare(vocab, &input, true));
    assert_ok(f0t_net_array_get(first, model->net, 0));
    first[1] += 1;
    assert_ok(f0t_net_array_set(model->net, 0, first));
    assert_fails(F0T_ERROR_MISMATCH, "the model of process 1", compare(own, &input, true));
    f0t_vocab_free(vocab);
    f0t_vectors_close(vectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_known_by_their_paths),
        cmocka_unit_test(rows_are_known_by_some_of_them),
        cmocka_unit_test(another_vocabulary_or_model_is_named),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
