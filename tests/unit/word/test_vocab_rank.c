#include "support.h"

#include "word/vocab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 5 };

/* `count` tags "w0", "w1", … from `first` on, with vectors of a seed. */
static f0t_vocab *make(size_t first, size_t count, uint64_t space)
{
    const char **tags = calloc(count + 1, sizeof *tags);
    float *vectors = calloc(count + 1, DIM * sizeof *vectors);
    char(*names)[16] = calloc(count + 1, sizeof *names);
    f0t_vocab *vocab;
    assert_true(tags && vectors && names);
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "w%zu", first + i);
        tags[i] = names[i];
        test_random_floats(vectors + i * DIM, DIM, 100 + first + i);
    }
    f0t_vocab_parts parts = {
        .tags = tags, .count = count, .vectors = vectors, .dim = DIM, .fingerprint = space};
    assert_ok(f0t_vocab_restore(&vocab, &parts));
    free(tags);
    free(vectors);
    free(names);
    return vocab;
}

static float score_of(const f0t_vocab *vocab, size_t i, const float *direction)
{
    double sum = 0;
    for (size_t k = 0; k < DIM; k++)
        sum += (double)direction[k] * (double)f0t_vocab_vectors(vocab)[i * DIM + k];
    return (float)sum;
}

static void the_best_tags_come_first(void **state)
{
    enum { ROWS = 7, K = 4 };
    (void)state;
    for (size_t size = 0; size < 40; size += 3) {
        f0t_vocab *vocab = make(0, size, 1);
        float directions[ROWS * DIM], score[ROWS * K];
        uint32_t index[ROWS * K];
        size_t kept = size < K ? size : K;
        test_random_floats(directions, ROWS * DIM, 9);
        assert_ok(f0t_vocab_rank(index, score, K, vocab, directions, ROWS, NULL));
        for (size_t r = 0; r < ROWS; r++)
            for (size_t i = 0; i < kept; i++) {
                size_t better = 0;
                float s = score_of(vocab, index[r * kept + i], directions + r * DIM);
                assert_true(score[r * kept + i] - s < 1e-5F && s - score[r * kept + i] < 1e-5F);
                for (size_t t = 0; t < size; t++)
                    better += score_of(vocab, t, directions + r * DIM) > s + 1e-6F;
                assert_true(better <= i);
            }
        f0t_vocab_free(vocab);
    }
}

static void two_vocabularies_become_one(void **state)
{
    f0t_vocab *a = make(0, 4, 1), *b = make(2, 4, 1), *both;
    size_t index;
    (void)state;
    assert_ok(f0t_vocab_join(&both, a, b));
    assert_int_equal(f0t_vocab_count(both), 6);
    assert_string_equal(f0t_vocab_tag(both, 5), "w5");
    assert_ok(f0t_vocab_find(&index, both, "W2"));
    assert_int_equal(index, 2);
    assert_memory_equal(f0t_vocab_vectors(both) + 5 * DIM, f0t_vocab_vectors(b) + 3 * DIM,
                        DIM * sizeof(float));
    f0t_vocab_free(both);
    f0t_vocab_free(b);
    b = make(2, 4, 2);
    assert_fails(F0T_ERROR_MISMATCH, "two vocabularies of different vector spaces cannot be one",
                 f0t_vocab_join(&both, a, b));
    assert_null(both);
    assert_ok(f0t_vocab_join_any(&both, a, b));
    assert_int_equal(f0t_vocab_count(both), 6);
    assert_int_equal(f0t_vocab_fingerprint(both), f0t_vocab_fingerprint(a));
    f0t_vocab_free(both);
    f0t_vocab_free(b);
    const float vector = 1;
    assert_ok(f0t_vocab_restore(
        &b, &(f0t_vocab_parts){
                .tags = (const char *const[]){"w9"}, .count = 1, .vectors = &vector, .dim = 1}));
    assert_fails(F0T_ERROR_MISMATCH, "vectors of 5 and of 1 dimensions cannot be joined",
                 f0t_vocab_join_any(&both, a, b));
    f0t_vocab_free(a);
    f0t_vocab_free(b);
}

static void a_tag_that_is_there_twice_is_refused(void **state)
{
    const char *tags[] = {"palm tree", "Palm-Tree"};
    const float vectors[2 * DIM] = {1};
    f0t_vocab_parts parts = {.tags = tags, .count = 2, .vectors = vectors, .dim = DIM};
    f0t_vocab *vocab;
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "the tag 'Palm-Tree' is there twice",
                 f0t_vocab_restore(&vocab, &parts));
    assert_null(vocab);
}

static f0t_status join_and_rank(void *context)
{
    f0t_vocab **ab = context, *both;
    float direction[DIM] = {1};
    uint32_t index[2];
    F0T_TRY(f0t_vocab_join(&both, ab[0], ab[1]));
    f0t_status status = f0t_vocab_rank(index, NULL, 2, both, direction, 1, NULL);
    f0t_vocab_free(both);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    f0t_vocab *ab[] = {make(0, 3, 1), make(2, 3, 1)};
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, join_and_rank, ab);
    f0t_vocab_free(ab[0]);
    f0t_vocab_free(ab[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_tags_come_first),
        cmocka_unit_test(two_vocabularies_become_one),
        cmocka_unit_test(a_tag_that_is_there_twice_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
