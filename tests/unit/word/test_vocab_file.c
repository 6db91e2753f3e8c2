/* A vocabulary that is mapped is the one that was saved, and ranks as it does; a damaged file is refused or harmless. */
#include "support.h"

#include "base/random.h"
#include "word/vocab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 7, MOST = 3000 };

static char names[MOST][24];
static const char *tags[MOST];
static float vectors[MOST * DIM];

static f0t_vocab *make(size_t count)
{
    f0t_vocab *vocab;
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], i % 3 ? "Word_%zu" : "a phrase %zu", i);
        tags[i] = names[i];
    }
    test_random_floats(vectors, count * DIM, 5);
    const f0t_vocab_parts parts = {.tags = tags,
                                   .count = count,
                                   .vectors = vectors,
                                   .dim = DIM,
                                   .centred = count % 2,
                                   .fingerprint = 0xFEDCBA9876543210};
    assert_ok(f0t_vocab_restore(&vocab, &parts));
    return vocab;
}

static f0t_vocab *reopen(const f0t_vocab *vocab)
{
    const char *path = test_path("words.vocab");
    f0t_vocab *mapped;
    assert_ok(f0t_vocab_save(vocab, path, NULL));
    assert_ok(f0t_vocab_open(&mapped, path, NULL));
    return mapped;
}

static void assert_same(const f0t_vocab *a, const f0t_vocab *b)
{
    const size_t count = f0t_vocab_count(a);
    assert_int_equal(f0t_vocab_count(b), count);
    assert_int_equal(f0t_vocab_dim(b), DIM);
    assert_true(f0t_vocab_centred(a) == f0t_vocab_centred(b));
    assert_true(f0t_vocab_fingerprint(a) == f0t_vocab_fingerprint(b));
    assert_memory_equal(f0t_vocab_vectors(a), f0t_vocab_vectors(b), count * DIM * sizeof(float));
    for (size_t i = 0; i < count; i++) {
        size_t at;
        assert_string_equal(f0t_vocab_tag(a, i), f0t_vocab_tag(b, i));
        assert_ok(f0t_vocab_find(&at, b, f0t_vocab_tag(a, i)));
        assert_int_equal(at, i);
    }
    assert_null(f0t_vocab_tag(b, count));
}

static void what_was_saved_is_opened(void **state)
{
    static const size_t counts[] = {1, 15, 16, 17, 200, MOST};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        f0t_vocab *vocab = make(counts[i]), *mapped = reopen(vocab);
        size_t at;
        assert_same(vocab, mapped);
        assert_ok(f0t_vocab_find(&at, mapped, "A-PHRASE 0"));
        assert_int_equal(at, 0);
        assert_ok(f0t_vocab_find(&at, mapped, "nowhere"));
        assert_true(at == F0T_NONE);
        assert_int_equal(f0t_vocab_entry_count(mapped), 0);
        assert_null(f0t_vocab_get_entry(mapped, 0));
        f0t_vocab *again = reopen(mapped); /* also what is mapped can be saved, over itself */
        assert_same(vocab, again);
        f0t_vocab_free(again);
        f0t_vocab_free(mapped);
        f0t_vocab_free(vocab);
    }
}

static void it_ranks_as_the_one_in_memory(void **state)
{
    enum { ROWS = 20, K = 12 };
    float directions[ROWS * DIM], score[2][ROWS * K];
    uint32_t index[2][ROWS * K];
    f0t_vocab *vocab = make(MOST), *mapped = reopen(vocab);
    (void)state;
    test_random_floats(directions, ROWS * DIM, 6);
    assert_null(f0t_vocab_screen(vocab));
    assert_non_null(f0t_vocab_screen(mapped));
    assert_ok(f0t_vocab_rank(index[0], score[0], K, vocab, directions, ROWS, NULL));
    assert_ok(f0t_vocab_rank(index[1], score[1], K, mapped, directions, ROWS, NULL));
    for (size_t i = 0; i < ROWS * K; i++) {
        assert_int_equal(index[0][i], index[1][i]);
        assert_true(score[0][i] - score[1][i] < 1e-5F && score[1][i] - score[0][i] < 1e-5F);
    }
    f0t_vocab *joined;
    assert_ok(f0t_vocab_join(&joined, mapped, vocab));
    assert_same(vocab, joined);
    f0t_vocab_free(joined);
    f0t_vocab_free(mapped);
    f0t_vocab_free(vocab);
}

/* ---- In one pass ----------------------------------------------------------------------------------- */

/* Spellings of one tag, one that has no vector in two spellings, phrases; more than a block. */
static void what_is_prepared_is_what_is_made_and_saved(void **state)
{
    (void)state;
    static char texts[2 * MOST + 6][32];
    const char *list[2 * MOST + 6];
    static float rows[MOST * DIM];
    const char *words_[MOST];
    size_t count = 0, kept;
    f0t_vectors *from;
    f0t_vocab *vocab;
    for (size_t i = 0; i < MOST; i++) {
        snprintf(names[i], sizeof names[i], "word%zu", i);
        words_[i] = names[i];
    }
    test_random_floats(rows, MOST * DIM, 9);
    assert_ok(f0t_vectors_create(&from, words_, rows, MOST, DIM, NULL));
    for (size_t i = 0; i < 2 * MOST; i++)
        snprintf(texts[count++], sizeof *texts, i % 3 == 2 ? "word%zu word%zu" : "word%zu",
                 i % MOST, i % 7);
    const char *const more[] = {"WORD0",       "nowhere",     "NoWhere",
                                "word1-word2", "word1 word2", "Word5"};
    for (size_t i = 0; i < 6; i++)
        snprintf(texts[count++], sizeof *texts, "%s", more[i]);
    for (size_t i = 0; i < count; i++)
        list[i] = texts[i];
    for (int centred = 0; centred < 2; centred++) {
        const f0t_vocab_options how = {.size = sizeof how, .centred = centred};
        size_t sizes[2];
        assert_ok(f0t_vocab_create(&vocab, list, count, from, &how, NULL));
        assert_ok(f0t_vocab_save(vocab, test_path("made.vocab"), NULL));
        assert_ok(
            f0t_vocab_prepare(&kept, test_path("prepared.vocab"), list, count, from, &how, NULL));
        assert_int_equal(kept, f0t_vocab_count(vocab));
        char *made = test_read(test_path("made.vocab"), &sizes[0]),
             *prepared = test_read(test_path("prepared.vocab"), &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(made, prepared, sizes[0]);
        f0t_free(made);
        f0t_free(prepared);
        f0t_vocab_free(vocab);
    }
    assert_ok(f0t_vocab_prepare(&kept, test_path("all.vocab"), NULL, 0, from, NULL, NULL));
    assert_int_equal(kept, MOST);
    assert_fails(
        F0T_ERROR_FORMAT, "none of the 1 tags has a vector",
        f0t_vocab_prepare(NULL, test_path("none.vocab"), &list[count - 5], 1, from, NULL, NULL));
    f0t_vectors_close(from);
}

static void a_checksum_tells_what_was_altered(void **state)
{
    (void)state;
    size_t size;
    f0t_vocab *vocab = make(40), *mapped = reopen(vocab);
    assert_ok(f0t_vocab_check(vocab));
    assert_ok(f0t_vocab_check(mapped));
    f0t_vocab_free(mapped);
    char *data = test_read(test_path("words.vocab"), &size);
    data[size - 300] ^= 1;
    assert_ok(f0t_vocab_open_memory(&mapped, data, size, "altered.vocab"));
    assert_fails(F0T_ERROR_FORMAT, "altered.vocab: the checksum does not match",
                 f0t_vocab_check(mapped));
    f0t_vocab_free(mapped);
    f0t_vocab_free(vocab);
    f0t_free(data);
}

/* ---- Damaged files --------------------------------------------------------------------------------- */

/* Everything that one asks of it. */
static f0t_status use(const void *data, size_t size)
{
    f0t_vocab *v;
    F0T_TRY(f0t_vocab_open_memory(&v, data, size, "words.vocab"));
    uint32_t index[3];
    size_t at;
    float direction[64] = {1, 2, -1};
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < f0t_vocab_count(v) && i < 100 && status == F0T_OK; i++) {
        assert_true(strlen(f0t_vocab_tag(v, i)) > 0);
        status = f0t_vocab_find(&at, v, f0t_vocab_tag(v, i));
        assert_true(status != F0T_OK || at == F0T_NONE || at < f0t_vocab_count(v));
    }
    if (status == F0T_OK && f0t_vocab_dim(v) <= 64)
        status = f0t_vocab_rank(index, NULL, 3, v, direction, 1, NULL);
    f0t_vocab_free(v);
    return status;
}

static void damaged_files_are_refused_or_harmless(void **state)
{
    f0t_vocab *vocab = make(20);
    size_t size;
    (void)state;
    assert_ok(f0t_vocab_save(vocab, test_path("small.vocab"), NULL));
    char *data = test_read(test_path("small.vocab"), &size);
    test_threads(1);
    test_cut_everywhere(data, size, use, NULL);
    test_alter_everywhere(data, size, use);
    test_threads(0);
    f0t_free(data);
    f0t_vocab_free(vocab);
}

/* Replaces a text by one of the same length in what is saved, and opens that. */
static f0t_status open_with(const char *what, const char *by)
{
    size_t size;
    f0t_vocab *vocab = make(20), *v;
    assert_ok(f0t_vocab_save(vocab, test_path("whole.vocab"), NULL));
    f0t_vocab_free(vocab);
    char *data = test_read(test_path("whole.vocab"), &size),
         *at = memmem(data, size, what, strlen(what));
    assert_non_null(at);
    assert_int_equal(strlen(what), strlen(by));
    memcpy(at, by, strlen(by));
    f0t_status status = f0t_vocab_open_memory(&v, data, size, "v.vocab");
    assert_null(v);
    f0t_free(data);
    return status;
}

static void headers_that_are_no_vocabulary_s_are_refused(void **state)
{
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "v.vocab: a safetensors file, but not a vocabulary",
                 open_with("\"format\"", "\"fermat\""));
    assert_fails(F0T_ERROR_FORMAT, "v.vocab: metadata \"centred\" is neither true nor false",
                 open_with("\"false\"", "\"flase\""));
    assert_fails(F0T_ERROR_FORMAT, "v.vocab: tensor \"vectors\" is missing",
                 open_with("\"vectors\"", "\"wectors\""));
    assert_fails(F0T_ERROR_FORMAT, " of the shape that it needs",
                 open_with("\"vectors\":{\"dtype\":\"F32\"", "\"vectors\":{\"dtype\":\"I32\""));
}

static void other_files_are_refused(void **state)
{
    f0t_vocab *v;
    (void)state;
    assert_fails(F0T_ERROR_NOT_FOUND, "none.vocab",
                 f0t_vocab_open(&v, test_path("none.vocab"), NULL));
    assert_fails(F0T_ERROR_FORMAT, "words.txt",
                 f0t_vocab_open(&v, test_text("words.txt", "dog\ncat\n"), NULL));
    assert_null(v);
    vectors[0] = 0;
    f0t_vocab *vocab = make(0);
    assert_fails(F0T_ERROR_ARGUMENT, "empty.vocab: a vocabulary without tags",
                 f0t_vocab_save(vocab, test_path("empty.vocab"), NULL));
    f0t_vocab_free(vocab);
}

static f0t_status save_and_open(void *vocab)
{
    f0t_vocab *mapped = NULL;
    F0T_TRY(f0t_vocab_save(vocab, test_path("faulty.vocab"), NULL));
    f0t_status status = f0t_vocab_open(&mapped, test_path("faulty.vocab"), NULL);
    f0t_vocab_free(mapped);
    return status;
}

static f0t_status prepare_some(void *from)
{
    const char *const list[] = {"b", "nowhere", "B", "a b"};
    return f0t_vocab_prepare(NULL, test_path("faulty.vocab"), list, 4, from, NULL, NULL);
}

static void every_failure_is_reported(void **state)
{
    const char *const both[] = {"a", "b"};
    const float rows[] = {1, 2, 3, 4};
    f0t_vectors *from;
    f0t_vocab *vocab = make(30);
    (void)state;
    assert_ok(f0t_vectors_create(&from, both, rows, 2, 2, NULL));
    test_each_fault(F0T_FAULT_ALLOC, prepare_some, from);
    test_each_fault(F0T_FAULT_WRITE, prepare_some, from);
    f0t_vectors_close(from);
    test_each_fault(F0T_FAULT_ALLOC, save_and_open, vocab);
    test_each_fault(F0T_FAULT_WRITE, save_and_open, vocab);
    f0t_vocab_free(vocab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_saved_is_opened),
        cmocka_unit_test(it_ranks_as_the_one_in_memory),
        cmocka_unit_test(what_is_prepared_is_what_is_made_and_saved),
        cmocka_unit_test(a_checksum_tells_what_was_altered),
        cmocka_unit_test(damaged_files_are_refused_or_harmless),
        cmocka_unit_test(headers_that_are_no_vocabulary_s_are_refused),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(every_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
