#include "support.h"

#include "tag/packed.h"

#include <math.h>
#include <string.h>

static const char *const WORDS[] = {"cat", "dog"};

/* Two words without vectors' meaning: only their places count. */
static f0t_vocab *make_vocab(void)
{
    f0t_vectors *vectors;
    f0t_vocab *vocab;
    static const char text[] = "cat 1 0\ndog 0 1\n";
    assert_ok(f0t_vectors_open_memory(&vectors, text, sizeof text - 1, "text", NULL, NULL));
    assert_ok(f0t_vocab_create(&vocab, WORDS, 2, vectors, NULL, NULL));
    f0t_vectors_close(vectors);
    return vocab;
}

static const f0t_tag_score TAGS[] = {
    {.tag = "dog", .index = 1, .score = 2, .confidence = NAN},
    {.tag = "animal", .index = F0T_NONE, .score = 1, .confidence = 0.5F}};
static const f0t_tag_result RESULTS[] = {
    {.input = 7, .tags = TAGS, .count = 2},
    {.input = 8, .status = F0T_ERROR_FORMAT, .error = "8.png: no picture"},
    {.input = 9}};

static f0t_status pack(f0t_parcel *packed)
{
    for (size_t i = 0; i < 3; i++)
        F0T_TRY(f0t_packed_tags_add(packed, &RESULTS[i]));
    return F0T_OK;
}

typedef struct seen {
    size_t count, most;
} seen;

static bool look(void *user, const f0t_tag_result *r)
{
    seen *s = user;
    const f0t_tag_result *want = &RESULTS[s->count++];
    assert_int_equal(r->input, want->input);
    assert_int_equal(r->status, want->status);
    assert_int_equal(r->count, want->count);
    assert_int_equal(!r->error, !want->error);
    if (r->error)
        assert_string_equal(r->error, want->error);
    for (size_t i = 0; i < r->count; i++) {
        assert_string_equal(r->tags[i].tag, want->tags[i].tag);
        assert_int_equal(r->tags[i].index, want->tags[i].index);
        assert_true(r->tags[i].score == want->tags[i].score);
        assert_int_equal(isnan(r->tags[i].confidence), isnan(want->tags[i].confidence));
    }
    return s->count < s->most;
}

static void what_was_packed_comes_out(void **state)
{
    f0t_parcel packed = {0};
    f0t_vocab *vocab = make_vocab();
    seen all = {.most = 9}, some = {.most = 2};
    (void)state;
    assert_ok(pack(&packed));
    assert_ok(f0t_packed_tags_each(packed.data, packed.bytes, vocab, 7, 10, look, &all));
    assert_int_equal(all.count, 3);
    assert_fails(F0T_ERROR_INTERRUPTED, "ended by the caller",
                 f0t_packed_tags_each(packed.data, packed.bytes, vocab, 7, 10, look, &some));
    assert_int_equal(some.count, 2);
    f0t_free(packed.data);
    f0t_vocab_free(vocab);
}

static bool take(void *user, const f0t_tag_result *result)
{
    (void)user, (void)result;
    return true;
}

static f0t_status unpack_copy(const f0t_parcel *packed, size_t bytes, const f0t_vocab *vocab)
{
    char *copy; /* of its own length, so that reading beyond it shows */
    assert_ok(f0t_alloc(&copy, bytes, 1));
    memcpy(copy, packed->data, bytes);
    f0t_status status = f0t_packed_tags_each(copy, bytes, vocab, 7, 10, take, NULL);
    f0t_free(copy);
    return status;
}

static void cut_results_are_refused(void **state)
{
    f0t_parcel packed = {0};
    f0t_vocab *vocab = make_vocab();
    (void)state;
    assert_ok(pack(&packed));
    for (size_t bytes = 0; bytes < packed.bytes; bytes++)
        assert_int_equal(unpack_copy(&packed, bytes, vocab), F0T_ERROR_FORMAT);
    assert_ok(unpack_copy(&packed, packed.bytes, vocab));
    assert_ok(f0t_packed_tags_add(&packed, &RESULTS[0])); /* and one too many */
    assert_int_equal(unpack_copy(&packed, packed.bytes, vocab), F0T_ERROR_FORMAT);
    f0t_free(packed.data);
    f0t_vocab_free(vocab);
}

/* Of the first result: the bytes of `value` in place of those at `at`. */
static void refused_with(const f0t_vocab *vocab, size_t at, int32_t value)
{
    f0t_parcel packed = {0};
    assert_ok(pack(&packed));
    memcpy(packed.data + at, &value, sizeof value);
    assert_int_equal(unpack_copy(&packed, packed.bytes, vocab), F0T_ERROR_FORMAT);
    f0t_free(packed.data);
}

static void what_no_process_packs_is_refused(void **state)
{
    enum { HEAD = 32, TAG = 24 };
    f0t_vocab *vocab = make_vocab();
    (void)state;
    refused_with(vocab, 0, 8);                           /* another input */
    refused_with(vocab, 24, 99);                         /* no status */
    refused_with(vocab, 24, -1);                         /* nor this */
    refused_with(vocab, 24, F0T_ERROR_IO);               /* failed, and no line says why */
    refused_with(vocab, HEAD, 2);                        /* a tag that is not there */
    refused_with(vocab, HEAD + 2 * TAG + 3, 0x61616161); /* a text without end */
    refused_with(vocab, HEAD + 2 * TAG, 0);              /* one that ends early */
    f0t_vocab_free(vocab);
}

static f0t_status pack_and_unpack(void *user)
{
    f0t_parcel packed = {0};
    f0t_status status = pack(&packed);
    if (status == F0T_OK)
        status = f0t_packed_tags_each(packed.data, packed.bytes, user, 7, 10, take, NULL);
    f0t_free(packed.data);
    return status;
}

static void no_memory_is_a_failure(void **state)
{
    f0t_vocab *vocab = make_vocab();
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, pack_and_unpack, vocab);
    f0t_vocab_free(vocab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_packed_comes_out),
        cmocka_unit_test(cut_results_are_refused),
        cmocka_unit_test(what_no_process_packs_is_refused),
        cmocka_unit_test(no_memory_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
