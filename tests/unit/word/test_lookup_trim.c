#include "support.h"

#include "fast0tag.h"

#include <string.h>

static const char text[] =
    "Dogs 1 2\ndog 3 4\ncat 5 6\npalm 7 8\ntree 9 1\nPalm_Trees 2 3\nof 4 5\n"
    "statue 6 7\nliberty 8 9\nthe 1 1\n";

static bool has(const f0t_vectors *v, const char *word)
{
    return f0t_vectors_find(v, word, strlen(word)) != F0T_NONE;
}

static void the_words_and_what_their_fallback_needs_are_kept(void **state)
{
    static const char *const tags[] = {"dogs", "palm tree", "Statue of Liberty", "unicorn"};
    const char *from = test_text("v.txt", text), *to = test_path("t.safetensors");
    f0t_vectors *v;
    f0t_vectors_counts counts;
    (void)state;
    assert_ok(f0t_vectors_trim(&counts, to, from, tags, 4, NULL, NULL));
    assert_int_equal(counts.rows, 10);
    assert_int_equal(counts.words, 7);
    assert_ok(f0t_vectors_open(&v, to, NULL, NULL));
    assert_true(has(v, "Dogs") && has(v, "dog") && has(v, "palm") && has(v, "tree") &&
                has(v, "Palm_Trees") && has(v, "statue") && has(v, "liberty"));
    assert_false(has(v, "cat") || has(v, "of") || has(v, "the"));
    f0t_vectors_close(v);
}

/* A vocabulary made from the trimmed file is the one made from the whole file, centred too. */
static void a_vocabulary_is_the_same_from_the_trimmed_file(void **state)
{
    static const char *const tags[] = {"dogs", "Palm-Tree", "statue of liberty", "cats"};
    f0t_vocab_options options = {.size = sizeof(f0t_vocab_options), .centred = true};
    const char *paths[2] = {test_text("v.txt", text), test_path("t.safetensors")};
    f0t_vocab *vocabs[2];
    (void)state;
    assert_ok(f0t_vectors_trim(NULL, paths[1], paths[0], tags, 4, NULL, NULL));
    for (size_t i = 0; i < 2; i++) {
        f0t_vectors *v;
        assert_ok(f0t_vectors_open(&v, paths[i], NULL, NULL));
        assert_ok(f0t_vocab_create(&vocabs[i], tags, 4, v, &options, NULL));
        f0t_vectors_close(v);
    }
    assert_int_equal(f0t_vocab_count(vocabs[0]), 4);
    assert_int_equal(f0t_vocab_count(vocabs[1]), 4);
    assert_memory_equal(f0t_vocab_vectors(vocabs[0]), f0t_vocab_vectors(vocabs[1]),
                        4 * 2 * sizeof(float));
    assert_true(f0t_vocab_fingerprint(vocabs[0]) == f0t_vocab_fingerprint(vocabs[1]));
    f0t_vocab_free(vocabs[0]);
    f0t_vocab_free(vocabs[1]);
}

static void nothing_to_keep_and_bad_tags_fail(void **state)
{
    static const char *const none[] = {"unicorn"}, *const bad[] = {"dog", "\xFF"};
    const char *from = test_text("v.txt", text), *to = test_path("never.safetensors");
    size_t files = test_files_left();
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "none of the words",
                 f0t_vectors_trim(NULL, to, from, none, 1, NULL, NULL));
    assert_fails(F0T_ERROR_FORMAT, "tag 2: ", f0t_vectors_trim(NULL, to, from, bad, 2, NULL, NULL));
    assert_int_equal(test_files_left(), files);
}

static f0t_status trim(void *context)
{
    static const char *const tags[] = {"palm tree"};
    return f0t_vectors_trim(NULL, test_path("fault.safetensors"), context, tags, 1, NULL, NULL);
}

static void every_allocation_and_every_write_may_fail(void **state)
{
    char from[256];
    (void)state;
    strcpy(from, test_text("v.txt", text));
    test_each_fault(F0T_FAULT_ALLOC, trim, from);
    test_each_fault(F0T_FAULT_WRITE, trim, from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_words_and_what_their_fallback_needs_are_kept),
        cmocka_unit_test(a_vocabulary_is_the_same_from_the_trimmed_file),
        cmocka_unit_test(nothing_to_keep_and_bad_tags_fail),
        cmocka_unit_test(every_allocation_and_every_write_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
