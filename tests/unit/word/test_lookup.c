#include "support.h"

#include "word/lookup.h"

#include <stdio.h>
#include <string.h>

/* "form:how form:how …" of a tag. */
static const char *forms_of(const char *tag)
{
    static char text[4096];
    f0t_forms forms;
    size_t n = 0;
    f0t_forms_init(&forms);
    assert_ok(f0t_forms_add(&forms, tag, strlen(tag)));
    text[0] = '\0';
    for (size_t i = 0; i < forms.list.view.count; i++) {
        size_t length;
        const char *form = f0t_words_at(&length, &forms.list.view, i);
        n += (size_t)snprintf(text + n, sizeof text - n, "%.*s:%s,", (int)length, form,
                              f0t_match_name((f0t_match)forms.how[i]));
    }
    f0t_forms_clear(&forms);
    return text;
}

static void a_word_is_looked_up_in_this_order(void **state)
{
    (void)state;
    assert_string_equal(forms_of("Dogs"),
                        "Dogs:exact,dogs:case,DOGS:case,dog:singular,Dog:singular,");
    assert_string_equal(forms_of("dog"), "dog:exact,Dog:case,DOG:case,dogs:plural,Dogs:plural,");
    assert_string_equal(forms_of("bus"), "bus:exact,Bus:case,BUS:case,buses:plural,Buses:plural,");
    assert_string_equal(forms_of(""), "");
    assert_string_equal(forms_of("hoped"),
                        "hoped:exact,Hoped:case,HOPED:case,hopeds:plural,Hopeds:plural,"
                        "hope:base,Hope:base,hop:base,Hop:base,");
}

static void a_phrase_is_looked_up_with_every_separator(void **state)
{
    (void)state;
    assert_string_equal(forms_of("palm tree"),
                        "palm tree:exact,palm_tree:joined,palm-tree:joined,palmtree:joined,"
                        "Palm Tree:case,Palm_Tree:joined,Palm-Tree:joined,PalmTree:joined,"
                        "PALM TREE:case,PALM_TREE:joined,PALM-TREE:joined,PALMTREE:joined,"
                        "palm trees:plural,palm_trees:plural,palm-trees:plural,palmtrees:plural,"
                        "Palm Trees:plural,Palm_Trees:plural,Palm-Trees:plural,PalmTrees:plural,");
}

static void stop_words_are_not_glued(void **state)
{
    (void)state;
    assert_non_null(strstr(forms_of("a men"), "a_men:"));
    assert_null(strstr(forms_of("a men"), "amen:"));
    assert_non_null(strstr(forms_of("t-shirt"), "tshirt:"));
}

static void unicode_forms_are_tried(void **state)
{
    (void)state;
    assert_non_null(strstr(forms_of("Stra\xC3\x9F"
                                    "e"),
                           "stra\xC3\x9F"
                           "e:case,strasse:case,"));
    assert_non_null(strstr(forms_of("cafe\xCC\x81"), "caf\xC3\xA9:case,"));
}

static void stop_words_do_not_count_unless_there_is_nothing_else(void **state)
{
    f0t_word_part parts[F0T_PARTS_MOST];
    (void)state;
    assert_int_equal(f0t_forms_parts(parts, "Statue of Liberty", 17), 3);
    assert_true(parts[0].counts && !parts[1].counts && parts[2].counts);
    assert_int_equal(f0t_forms_parts(parts, "to the", 6), 2);
    assert_true(parts[0].counts && parts[1].counts);
    assert_int_equal(f0t_forms_parts(parts, " ", 1), 0);
}

static void the_longest_tag_and_the_most_parts_do_no_harm(void **state)
{
    char tag[F0T_TAG_MOST];
    f0t_word_part parts[F0T_PARTS_MOST];
    f0t_forms forms;
    (void)state;
    memset(tag, 'x', sizeof tag);
    f0t_forms_init(&forms);
    assert_ok(f0t_forms_add(&forms, tag, sizeof tag));
    for (size_t i = 1; i < sizeof tag; i += 2)
        tag[i] = ' ';
    assert_ok(f0t_forms_add(&forms, tag, sizeof tag));
    assert_int_equal(f0t_forms_parts(parts, tag, sizeof tag), F0T_PARTS_MOST);
    for (size_t i = 0; i < 1022; i += 2)
        memcpy(tag + i, "\xC8\xBA", 2); /* three bytes long in lower case */
    assert_ok(f0t_forms_add(&forms, tag, 1022));
    assert_fails(F0T_ERROR_FORMAT, "UTF-8", f0t_forms_add(&forms, "\xFF", 1));
    f0t_forms_clear(&forms);
}

static f0t_status make_forms(void *context)
{
    f0t_forms forms;
    f0t_forms_init(&forms);
    f0t_status status = f0t_forms_add(&forms, context, strlen(context));
    f0t_forms_clear(&forms);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    char tag[] = "palm trees";
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, make_forms, tag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_looked_up_in_this_order),
        cmocka_unit_test(a_phrase_is_looked_up_with_every_separator),
        cmocka_unit_test(stop_words_are_not_glued),
        cmocka_unit_test(unicode_forms_are_tried),
        cmocka_unit_test(stop_words_do_not_count_unless_there_is_nothing_else),
        cmocka_unit_test(the_longest_tag_and_the_most_parts_do_no_harm),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
