#include "rank/rules.h"
#include "support.h"

#include <string.h>

/* Tag sets given as text: a letter is a tag, a blank separates images. */
typedef struct written {
    size_t offsets[64];
    uint32_t indices[256];
    f0t_tag_sets sets;
} written;

static const f0t_tag_sets *write_sets(written *w, const char *text, size_t tags)
{
    size_t images = 0, count = 0;
    w->offsets[0] = 0;
    for (const char *c = text;; c++) {
        if (*c == ' ' || !*c)
            w->offsets[++images] = count;
        else
            w->indices[count++] = (uint32_t)(*c - 'a');
        if (!*c)
            break;
    }
    w->sets = (f0t_tag_sets){w->offsets, w->indices, images, tags};
    return &w->sets;
}

static void assert_rule(const f0t_rules *rules, size_t r, const char *tags, const char *images)
{
    assert_int_equal(rules->offsets[r + 1] - rules->offsets[r], strlen(tags));
    for (size_t i = 0; tags[i]; i++)
        assert_int_equal(rules->relevant[rules->offsets[r] + i], tags[i] - 'a');
    assert_int_equal(rules->firsts[r + 1] - rules->firsts[r], strlen(images));
    for (size_t i = 0; images[i]; i++) {
        uint32_t m = rules->images[rules->firsts[r] + i];
        assert_int_equal(m, images[i] - '0');
        assert_int_equal(rules->of_image[m], r);
    }
}

static void equal_sets_are_one_rule_in_the_order_of_first_images(void **state)
{
    (void)state;
    written w;
    f0t_rules *rules;
    assert_ok(f0t_rules_create(&rules, write_sets(&w, "ca b ac b abc ca", 3), NULL, 3));
    assert_int_equal(rules->count, 3);
    assert_int_equal(rules->tags, 3);
    assert_rule(rules, 0, "ac", "025");
    assert_rule(rules, 1, "b", "13");
    assert_rule(rules, 2, "abc", "4");
    f0t_rules_free(rules);
}

static void images_without_a_tag_have_no_rule(void **state)
{
    (void)state;
    written w;
    f0t_rules *rules;
    assert_ok(f0t_rules_create(&rules, write_sets(&w, " a  a ", 2), NULL, 2));
    assert_int_equal(rules->count, 1);
    assert_int_equal(rules->image_count, 5);
    assert_rule(rules, 0, "a", "13");
    assert_true(rules->of_image[0] == F0T_NO_RULE && rules->of_image[4] == F0T_NO_RULE);
    f0t_rules_free(rules);
}

static void repeated_tags_count_once(void **state)
{
    (void)state;
    written w;
    f0t_rules *rules;
    assert_ok(f0t_rules_create(&rules, write_sets(&w, "abab ba a aa", 2), NULL, 2));
    assert_int_equal(rules->count, 2);
    assert_rule(rules, 0, "ab", "01");
    assert_rule(rules, 1, "a", "23");
    f0t_rules_free(rules);
}

static void a_subset_has_its_own_numbers(void **state)
{
    (void)state;
    /* b is left out, d becomes a, a becomes b, c becomes c */
    const uint32_t number[] = {1, F0T_NO_TAG, 2, 0};
    written w;
    f0t_rules *rules;
    assert_ok(f0t_rules_create(&rules, write_sets(&w, "ab bda ad b cb", 4), number, 3));
    assert_int_equal(rules->count, 3);
    assert_int_equal(rules->tags, 3);
    assert_rule(rules, 0, "b", "0");
    assert_rule(rules, 1, "ab", "12");
    assert_rule(rules, 2, "c", "4");
    assert_true(rules->of_image[3] == F0T_NO_RULE);
    f0t_rules_free(rules);
}

static void nothing_gives_no_rules(void **state)
{
    (void)state;
    const size_t offsets[] = {0};
    const f0t_tag_sets none = {offsets, NULL, 0, 0};
    f0t_rules *rules;
    assert_ok(f0t_rules_create(&rules, &none, NULL, 0));
    assert_int_equal(rules->count, 0);
    f0t_rules_free(rules);
}

static void wrong_numbers_are_refused(void **state)
{
    (void)state;
    written w;
    f0t_rules *rules;
    const uint32_t number[] = {0, 7};
    assert_fails(F0T_ERROR_ARGUMENT, "image 1 has tag 2, of 2 tags",
                 f0t_rules_create(&rules, write_sets(&w, "a c", 2), NULL, 2));
    assert_null(rules);
    assert_fails(F0T_ERROR_ARGUMENT, "tag 1 has the number 7 in a subset of 2",
                 f0t_rules_create(&rules, write_sets(&w, "a b", 2), number, 2));
    assert_fails(F0T_ERROR_ARGUMENT, "a subset of 1 of 2 tags needs their numbers",
                 f0t_rules_create(&rules, write_sets(&w, "a b", 2), NULL, 1));
    write_sets(&w, "a b", 2);
    w.offsets[1] = 5;
    assert_fails(F0T_ERROR_ARGUMENT, "the tags of image 1 end before they begin",
                 f0t_rules_create(&rules, &w.sets, NULL, 2));
}

/* Every subset of ten tags, twice, in two orders of its tags. */
static void a_thousand_rules_are_told_apart(void **state)
{
    (void)state;
    enum { TAGS = 10, SETS = 1 << TAGS };
    size_t offsets[2 * SETS + 1] = {0}, count = 0;
    static uint32_t indices[SETS * TAGS];
    for (size_t m = 0; m < 2 * SETS; m++) {
        for (uint32_t t = 0; t < TAGS; t++) {
            uint32_t tag = m < SETS ? t : TAGS - 1 - t;
            if (m % SETS >> tag & 1)
                indices[count++] = tag;
        }
        offsets[m + 1] = count;
    }
    const f0t_tag_sets sets = {offsets, indices, (size_t)2 * SETS, TAGS};
    f0t_rules *rules;
    assert_ok(f0t_rules_create(&rules, &sets, NULL, TAGS));
    assert_int_equal(rules->count, SETS - 1);
    for (size_t r = 0; r < rules->count; r++) {
        size_t bits = 0;
        for (size_t i = rules->offsets[r]; i < rules->offsets[r + 1]; i++)
            bits |= (size_t)1 << rules->relevant[i];
        assert_int_equal(bits, r + 1);
        assert_int_equal(rules->images[rules->firsts[r]], r + 1);
        assert_int_equal(rules->images[rules->firsts[r] + 1], SETS + r + 1);
    }
    f0t_rules_free(rules);
}

static f0t_status create_and_free(void *context)
{
    f0t_rules *rules;
    f0t_status status = f0t_rules_create(&rules, context, NULL, 3);
    f0t_rules_free(rules);
    return status;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    written w;
    write_sets(&w, "ca b ac b abc ca", 3);
    test_each_fault(F0T_FAULT_ALLOC, create_and_free, &w.sets);
}

static void nuswide_has_18429_rules(void **state)
{
    (void)state;
    f0t_dataset *dataset;
    f0t_rules *rules;
    assert_ok(f0t_dataset_open(&dataset, test_data("nuswide81"), NULL, NULL));
    const f0t_tag_sets sets = {f0t_dataset_offsets(dataset), f0t_dataset_indices(dataset),
                               f0t_dataset_image_count(dataset), f0t_dataset_tag_count(dataset)};
    assert_ok(f0t_rules_create(&rules, &sets, NULL, sets.tags));
    assert_int_equal(rules->count, 18429);
    assert_int_equal(rules->tags, 81);
    f0t_rules_free(rules);
    f0t_dataset_close(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_sets_are_one_rule_in_the_order_of_first_images),
        cmocka_unit_test(images_without_a_tag_have_no_rule),
        cmocka_unit_test(repeated_tags_count_once),
        cmocka_unit_test(a_subset_has_its_own_numbers),
        cmocka_unit_test(nothing_gives_no_rules),
        cmocka_unit_test(wrong_numbers_are_refused),
        cmocka_unit_test(a_thousand_rules_are_told_apart),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(nuswide_has_18429_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
