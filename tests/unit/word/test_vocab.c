#include "support.h"

#include "io/file.h"
#include "word/lookup.h"

#include <math.h>
#include <string.h>

static const char vectors_text[] =
    "dog 3 4 0\nDogs 1 1 1\nbuses 0 0 2\npalm 1 0 0\ntree 0 5 0\n"
    "fire_engine 0 0 1\nstatue 1 0 0\nliberty 0 1 0\nof 9 9 9\n"
    "zero 0 0 0\nzeros 0 0 7\nParis 0 3 4\nleft 1 0 0\nright -2 0 0\n"
    "children 2 0 0\nbu 1 2 3\n";

static f0t_vectors *open_vectors(void)
{
    f0t_vectors *v;
    assert_ok(f0t_vectors_open_memory(&v, vectors_text, sizeof vectors_text - 1, "v", NULL, NULL));
    return v;
}

static f0t_vocab *make(const char *const *tags, size_t count, const f0t_vocab_options *options)
{
    f0t_vectors *v = open_vectors();
    f0t_vocab *vocab = NULL;
    assert_ok(f0t_vocab_create(&vocab, tags, count, v, options, NULL));
    f0t_vectors_close(v);
    return vocab;
}

static size_t find(const f0t_vocab *vocab, const char *tag)
{
    size_t index;
    assert_ok(f0t_vocab_find(&index, vocab, tag));
    return index;
}

static void assert_vector(const f0t_vocab *vocab, size_t i, double x, double y, double z)
{
    const float *row = f0t_vocab_vectors(vocab) + 3 * i;
    double length = sqrt(x * x + y * y + z * z);
    assert_true(fabs((double)row[0] - x / length) < 1e-6);
    assert_true(fabs((double)row[1] - y / length) < 1e-6);
    assert_true(fabs((double)row[2] - z / length) < 1e-6);
}

static void tags_get_vectors_of_length_one_in_their_order(void **state)
{
    static const char *const tags[] = {"tree", "dog"};
    f0t_vocab *vocab = make(tags, 2, NULL);
    (void)state;
    assert_int_equal(f0t_vocab_count(vocab), 2);
    assert_int_equal(f0t_vocab_dim(vocab), 3);
    assert_string_equal(f0t_vocab_tag(vocab, 0), "tree");
    assert_null(f0t_vocab_tag(vocab, 2));
    assert_vector(vocab, 0, 0, 1, 0);
    assert_vector(vocab, 1, 3, 4, 0);
    assert_false(f0t_vocab_centred(vocab));
    f0t_vocab_free(vocab);
}

static void every_fallback_is_reported(void **state)
{
    static const struct {
        const char *tag;
        f0t_match match;
        const char *used;
    } cases[] = {{"dog", F0T_MATCH_EXACT, "dog"},
                 {"Tree", F0T_MATCH_CASE, "tree"},
                 {"paris", F0T_MATCH_CASE, "Paris"},
                 {"fire engine", F0T_MATCH_JOINED, "fire_engine"},
                 {"Fire-Engines", F0T_MATCH_SINGULAR, "fire_engine"},
                 {"bus", F0T_MATCH_PLURAL, "buses"},
                 {"child", F0T_MATCH_PLURAL, "children"},
                 {"trees", F0T_MATCH_SINGULAR, "tree"},
                 {"palm tree", F0T_MATCH_PARTS, "palm + tree"},
                 {"palms_trees", F0T_MATCH_PARTS, "palm + tree"},
                 {"Statue of Liberty", F0T_MATCH_PARTS, "statue + liberty"},
                 {"zero", F0T_MATCH_PLURAL, "zeros"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        f0t_vocab *vocab = make(&cases[i].tag, 1, NULL);
        const f0t_vocab_entry *entry = f0t_vocab_get_entry(vocab, 0);
        assert_string_equal(entry->tag, cases[i].tag);
        assert_string_equal(f0t_match_name(entry->match), f0t_match_name(cases[i].match));
        assert_string_equal(entry->used, cases[i].used);
        assert_int_equal(entry->index, 0);
        assert_null(entry->missing);
        f0t_vocab_free(vocab);
    }
}

static void a_phrase_is_the_mean_of_unit_vectors(void **state)
{
    static const char *const tags[] = {"palm tree", "dog palm", "statue of liberty"};
    f0t_vocab *vocab = make(tags, 3, NULL);
    (void)state;
    assert_vector(vocab, 0, 1, 1, 0);
    assert_vector(vocab, 1, 1.6, 0.8, 0);
    assert_vector(vocab, 2, 1, 1, 0);
    f0t_vocab_free(vocab);
}

static void tags_without_a_vector_are_left_out_with_the_nearest_spelling(void **state)
{
    static const char *const tags[] = {"dog",    "paml", "palm treee", "xyzzy xyzzy", "left right",
                                       "busses", ""};
    f0t_vocab *vocab = make(tags, 7, NULL);
    (void)state;
    assert_int_equal(f0t_vocab_count(vocab), 1);
    assert_int_equal(f0t_vocab_entry_count(vocab), 7);
    assert_null(f0t_vocab_get_entry(vocab, 7));
    static const char *const missing[] = {NULL,         "paml",   "treee", "xyzzy",
                                          "left right", "busses", ""};
    static const char *const nearest[] = {NULL, "palm", "tree", NULL, NULL, "buses", NULL};
    for (size_t i = 1; i < 7; i++) {
        const f0t_vocab_entry *entry = f0t_vocab_get_entry(vocab, i);
        assert_int_equal(entry->match, F0T_MATCH_NONE);
        assert_true(entry->index == F0T_NONE);
        assert_null(entry->used);
        assert_string_equal(entry->missing, missing[i]);
        if (nearest[i])
            assert_string_equal(entry->nearest, nearest[i]);
        else
            assert_null(entry->nearest);
    }
    f0t_vocab_free(vocab);
}

static void suggestions_can_be_turned_off(void **state)
{
    static const char *const tags[] = {"paml"};
    f0t_vocab_options options = {.size = sizeof(f0t_vocab_options), .no_suggestions = true};
    f0t_vocab *vocab = make(tags, 1, &options);
    (void)state;
    assert_null(f0t_vocab_get_entry(vocab, 0)->nearest);
    assert_int_equal(f0t_vocab_count(vocab), 0);
    f0t_vocab_free(vocab);
}

static void spellings_of_one_tag_are_merged(void **state)
{
    static const char *const tags[] = {"Palm Tree", "dog", "palm_tree", "DOG", "paml", "Paml"};
    f0t_vocab *vocab = make(tags, 6, NULL);
    (void)state;
    assert_int_equal(f0t_vocab_count(vocab), 2);
    assert_string_equal(f0t_vocab_tag(vocab, 0), "Palm Tree");
    assert_int_equal(f0t_vocab_get_entry(vocab, 2)->match, F0T_MATCH_SAME);
    assert_int_equal(f0t_vocab_get_entry(vocab, 2)->index, 0);
    assert_int_equal(f0t_vocab_get_entry(vocab, 3)->index, 1);
    assert_int_equal(f0t_vocab_get_entry(vocab, 5)->match, F0T_MATCH_NONE);
    assert_string_equal(f0t_vocab_get_entry(vocab, 5)->nearest, "palm");
    assert_int_equal(find(vocab, "PALM-tree"), 0);
    assert_true(find(vocab, "cat") == F0T_NONE);
    assert_true(find(vocab, "paml") == F0T_NONE);
    assert_true(find(vocab, "\xFF") == F0T_NONE);
    f0t_vocab_free(vocab);
}

/* A tag that is there is found or memory is lacking: it is never said to be missing. */
static f0t_status find_dog(void *vocab)
{
    size_t index;
    F0T_TRY(f0t_vocab_find(&index, vocab, "DOG"));
    assert_int_equal(index, 0);
    return F0T_OK;
}

static void lack_of_memory_is_not_a_missing_tag(void **state)
{
    static const char *const tags[] = {"dog"};
    f0t_vocab *vocab = make(tags, 1, NULL);
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, find_dog, vocab);
    f0t_vocab_free(vocab);
}

static void centring_subtracts_the_mean_of_the_file(void **state)
{
    static const char text[] = "x 1 2\ny 3 0\nmid 2 1\n";
    static const char *const tags[] = {"x", "mid", "x y"};
    f0t_vocab_options options = {.size = sizeof(f0t_vocab_options), .centred = true};
    f0t_vectors *v;
    f0t_vocab *vocab;
    (void)state;
    assert_ok(f0t_vectors_open_memory(&v, text, sizeof text - 1, "v", NULL, NULL));
    assert_ok(f0t_vocab_create(&vocab, tags, 3, v, &options, NULL));
    assert_true(f0t_vocab_centred(vocab));
    assert_true(f0t_vocab_fingerprint(vocab) == f0t_vectors_fingerprint(v));
    assert_int_equal(f0t_vocab_count(vocab), 1);
    assert_true(fabs((double)f0t_vocab_vectors(vocab)[0] + sqrt(0.5)) < 1e-6);
    assert_true(fabs((double)f0t_vocab_vectors(vocab)[1] - sqrt(0.5)) < 1e-6);
    assert_int_equal(f0t_vocab_get_entry(vocab, 1)->match, F0T_MATCH_NONE);
    assert_int_equal(f0t_vocab_get_entry(vocab, 2)->match, F0T_MATCH_NONE);
    f0t_vocab_free(vocab);
    f0t_vectors_close(v);
}

static void a_tag_that_is_not_utf8_is_named(void **state)
{
    static const char *const tags[] = {"dog", "\xFF"};
    f0t_vectors *v = open_vectors();
    f0t_vocab *vocab;
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "tag 2: ", f0t_vocab_create(&vocab, tags, 2, v, NULL, NULL));
    assert_null(vocab);
    assert_ok(f0t_vocab_create(&vocab, NULL, 0, v, NULL, NULL));
    assert_int_equal(f0t_vocab_count(vocab), 0);
    f0t_vocab_free(vocab);
    f0t_vectors_close(v);
}

static f0t_status create(void *context)
{
    static const char *const tags[] = {"palm tree", "Palm_Tree", "paml", "dogs", "paml!"};
    f0t_vocab *vocab;
    f0t_status status = f0t_vocab_create(&vocab, tags, 5, context, NULL, NULL);
    f0t_vocab_free(vocab);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    f0t_vectors *v = open_vectors();
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, create, v);
    f0t_vectors_close(v);
}

/* All tags of a real tag list have a vector of a real file. */
static void assert_covered(const char *vectors, const char *const *tags, size_t count)
{
    f0t_vectors *v;
    f0t_vocab *vocab;
    assert_ok(f0t_vectors_open(&v, test_data(vectors), NULL, NULL));
    assert_ok(f0t_vocab_create(&vocab, tags, count, v, NULL, NULL));
    assert_int_equal(f0t_vocab_count(vocab), count);
    f0t_vocab_free(vocab);
    f0t_vectors_close(v);
}

static void flickr8k_is_covered_by_its_glove_file(void **state)
{
    f0t_tags *seen, *unseen;
    const char *tags[300];
    (void)state;
    assert_ok(f0t_tags_load(&seen, test_data("flickr8k/seen.txt"), NULL));
    assert_ok(f0t_tags_load(&unseen, test_data("flickr8k/unseen.txt"), NULL));
    assert_int_equal(seen->count + unseen->count, 226);
    memcpy(tags, seen->items, seen->count * sizeof *tags);
    memcpy(tags + seen->count, unseen->items, unseen->count * sizeof *tags);
    assert_covered("glove-300d-flickr8k.txt", tags, 226);
    f0t_tags_free(seen);
    f0t_tags_free(unseen);
}

static void nuswide_is_covered_by_its_glove_file(void **state)
{
    f0t_tags *concepts;
    f0t_vectors *v;
    const char *tags[1006];
    (void)state;
    assert_ok(f0t_tags_load(&concepts, test_data("nuswide81/Concepts81.txt"), NULL));
    assert_int_equal(concepts->count, 81);
    assert_covered("glove-300d-nuswide1006.txt", concepts->items, 81);
    f0t_tags_free(concepts);
    assert_ok(f0t_vectors_open(&v, test_data("glove-300d-nuswide1006.txt"), NULL, NULL));
    for (size_t i = 0; i < 1006; i++) {
        size_t length;
        const char *word = f0t_vectors_word(&length, v, i);
        assert_ok(f0t_string_copy((char **)(uintptr_t)&tags[i], word, length));
    }
    f0t_vectors_close(v);
    assert_covered("glove-300d-nuswide1006.txt", tags, 1006);
    for (size_t i = 0; i < 1006; i++)
        f0t_free((void *)(uintptr_t)tags[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_get_vectors_of_length_one_in_their_order),
        cmocka_unit_test(every_fallback_is_reported),
        cmocka_unit_test(a_phrase_is_the_mean_of_unit_vectors),
        cmocka_unit_test(tags_without_a_vector_are_left_out_with_the_nearest_spelling),
        cmocka_unit_test(suggestions_can_be_turned_off),
        cmocka_unit_test(spellings_of_one_tag_are_merged),
        cmocka_unit_test(lack_of_memory_is_not_a_missing_tag),
        cmocka_unit_test(centring_subtracts_the_mean_of_the_file),
        cmocka_unit_test(a_tag_that_is_not_utf8_is_named),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(flickr8k_is_covered_by_its_glove_file),
        cmocka_unit_test(nuswide_is_covered_by_its_glove_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
