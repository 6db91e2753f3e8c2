#include "support.h"

#include "base/hash.h"
#include "base/interner.h"

#include <stdio.h>
#include <string.h>

/* ---- Texts and names -------------------------------------------------------------------------- */

static void names_are_numbered_in_the_order_they_came(void **state)
{
    f0t_names names = {0};
    uint32_t index;
    bool added;
    (void)state;
    assert_ok(f0t_names_add(&index, &added, &names, "dog", 3));
    assert_true(added && index == 0);
    assert_ok(f0t_names_add(&index, &added, &names, "cat", 3));
    assert_true(added && index == 1);
    assert_ok(f0t_names_add(&index, &added, &names, "dogs", 3));
    assert_true(!added && index == 0);
    assert_ok(f0t_names_add(&index, NULL, &names, "", 0));
    assert_int_equal(index, 2);
    assert_int_equal(f0t_names_count(&names), 3);
    assert_string_equal(f0t_names_get(&names, 1), "cat");
    assert_false(f0t_names_find(&index, &names, "do", 2));
    assert_true(f0t_names_find(&index, &names, "", 0));
    assert_int_equal(index, 2);
    f0t_names_free(&names);
}

static void many_names_are_all_found_again(void **state)
{
    enum { COUNT = 20000 };
    f0t_names names = {0};
    char text[32];
    uint32_t index;
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        int n = snprintf(text, sizeof text, "word %u", i * 7919u);
        assert_ok(f0t_names_add(&index, NULL, &names, text, (size_t)n));
        assert_int_equal(index, i);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        int n = snprintf(text, sizeof text, "word %u", i * 7919u);
        assert_true(f0t_names_find(&index, &names, text, (size_t)n));
        assert_int_equal(index, i);
        assert_string_equal(f0t_names_get(&names, i), text);
    }
    assert_false(f0t_names_find(&index, &names, "word", 4));
    f0t_names_free(&names);
}

static void an_empty_list_finds_nothing(void **state)
{
    f0t_names names = {0};
    uint32_t index;
    (void)state;
    assert_false(f0t_names_find(&index, &names, "x", 1));
    f0t_names_free(&names);
}

static void texts_may_repeat_and_know_their_length(void **state)
{
    f0t_texts texts = {0};
    (void)state;
    assert_ok(f0t_texts_add(&texts, "ab", 2));
    assert_ok(f0t_texts_add(&texts, "ab", 2));
    assert_ok(f0t_texts_add(&texts, "", 0));
    assert_int_equal(texts.count, 3);
    assert_int_equal(f0t_texts_length(&texts, 1), 2);
    assert_int_equal(f0t_texts_length(&texts, 2), 0);
    assert_string_equal(f0t_texts_get(&texts, 1), "ab");
    f0t_texts_free(&texts);
}

static f0t_status add_some(void *context)
{
    f0t_names names = {0};
    f0t_status status = F0T_OK;
    (void)context;
    for (uint32_t i = 0, index; i < 200 && status == F0T_OK; i++)
        status = f0t_names_add(&index, NULL, &names, (const char *)&i, 4);
    f0t_names_free(&names);
    return status;
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, add_some, NULL);
}

/* ---- Words that are stored -------------------------------------------------------------------- */

static uint32_t add(f0t_names *list, const char *word, bool want_added)
{
    uint32_t index = UINT32_MAX;
    bool added = !want_added;
    assert_ok(f0t_names_add(&index, &added, list, word, strlen(word)));
    assert_int_equal(added, want_added);
    return index;
}

static void words_are_found_by_their_spelling(void **state)
{
    f0t_names list;
    size_t length;
    (void)state;
    f0t_names_init_stored(&list);
    assert_int_equal(add(&list, "palm", true), 0);
    assert_int_equal(add(&list, "palm tree", true), 1);
    assert_int_equal(add(&list, "palm", false), 0);
    assert_int_equal(f0t_words_find(&list.view, "palm tree", 9), 1);
    assert_true(f0t_words_find(&list.view, "palm tre", 8) == F0T_NONE);
    assert_true(f0t_words_find(&list.view, "", 0) == F0T_NONE);
    assert_memory_equal(f0t_words_at(&length, &list.view, 1), "palm tree\n", 10);
    assert_int_equal(length, 9);
    assert_null(f0t_words_at(&length, &list.view, 2));
    f0t_names_free(&list);
}

static void a_hundred_thousand_words_are_found_again(void **state)
{
    f0t_names list;
    char word[32];
    (void)state;
    f0t_names_init_stored(&list);
    for (int i = 0; i < 100000; i++) {
        snprintf(word, sizeof word, "w%d", i);
        assert_int_equal(add(&list, word, true), i);
    }
    for (int i = 0; i < 100000; i++) {
        int n = snprintf(word, sizeof word, "w%d", i);
        assert_int_equal(f0t_words_find(&list.view, word, (size_t)n), i);
        n = snprintf(word, sizeof word, "x%d", i);
        assert_true(f0t_words_find(&list.view, word, (size_t)n) == F0T_NONE);
    }
    assert_true(list.view.slot_count >= 2 * list.view.count);
    f0t_names_free(&list);
}

/* Words that all want the same slot of a table of 4096 under seed 0. */
static void words_made_to_collide_get_another_seed(void **state)
{
    f0t_names list;
    char word[32];
    size_t count = 0;
    (void)state;
    f0t_names_init_stored(&list);
    for (int i = 0; count < F0T_WORDS_PROBES + 20; i++) {
        int n = snprintf(word, sizeof word, "c%d", i);
        if ((f0t_siphash(word, (size_t)n, 0, 0) & 4095) != 0)
            continue;
        assert_int_equal(add(&list, word, true), count);
        count++;
    }
    assert_true(list.view.seed > 0);
    for (size_t i = 0; i < count; i++) {
        size_t length;
        const char *at = f0t_words_at(&length, &list.view, i);
        assert_int_equal(f0t_words_find(&list.view, at, length), i);
    }
    f0t_names_free(&list);
}

static void arrays_that_make_no_sense_find_nothing(void **state)
{
    static const char text[] = "a\nb\n";
    static const int64_t bad_offsets[][3] = {
        {-1, 2, 4}, {0, 0, 4}, {0, 5, 4}, {2, 0, -9}, {INT64_MAX, INT64_MIN, 4}};
    int32_t slots[8];
    size_t length;
    (void)state;
    for (size_t k = 0; k < sizeof bad_offsets / sizeof *bad_offsets; k++) {
        for (int i = 0; i < 8; i++)
            slots[i] = 1;
        f0t_words words = {2, text, 4, bad_offsets[k], slots, 8, 0};
        assert_null(f0t_words_at(&length, &words, 0));
        assert_true(f0t_words_find(&words, "a", 1) == F0T_NONE);
    }
    static const int64_t offsets[3] = {0, 2, 4};
    static const int32_t bad_slots[] = {INT32_MIN, -1, 3, INT32_MAX};
    for (size_t k = 0; k < 4; k++) {
        for (int i = 0; i < 8; i++)
            slots[i] = bad_slots[k];
        f0t_words words = {2, text, 4, offsets, slots, 8, 0};
        assert_true(f0t_words_find(&words, "a", 1) == F0T_NONE);
    }
}

static f0t_status add_many(void *context)
{
    f0t_names list;
    char word[32];
    uint32_t index;
    bool added;
    (void)context;
    f0t_status status = F0T_OK;
    f0t_names_init_stored(&list);
    for (int i = 0; i < 300 && status == F0T_OK; i++) {
        int n = snprintf(word, sizeof word, "w%d", i);
        status = f0t_names_add(&index, &added, &list, word, (size_t)n);
    }
    f0t_names_free(&list);
    return status;
}

static void every_allocation_of_a_stored_list_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, add_many, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_numbered_in_the_order_they_came),
        cmocka_unit_test(many_names_are_all_found_again),
        cmocka_unit_test(an_empty_list_finds_nothing),
        cmocka_unit_test(texts_may_repeat_and_know_their_length),
        cmocka_unit_test(every_failed_allocation_is_reported),
        cmocka_unit_test(words_are_found_by_their_spelling),
        cmocka_unit_test(a_hundred_thousand_words_are_found_again),
        cmocka_unit_test(words_made_to_collide_get_another_seed),
        cmocka_unit_test(arrays_that_make_no_sense_find_nothing),
        cmocka_unit_test(every_allocation_of_a_stored_list_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
