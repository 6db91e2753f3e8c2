#include "support.h"

#include "import/clean.h"

#include <string.h>

/* ---- One tag ----------------------------------------------------------------------------------- */

/* The forms of a tag, joined by "|". */
static const char *forms_of(const char *tag)
{
    static char joined[400];
    f0t_texts forms = {0};
    assert_ok(f0t_clean_form(&forms, tag, strlen(tag)));
    joined[0] = 0;
    for (size_t i = 0; i < forms.count; i++) {
        strcat(joined, i ? "|" : "");
        strcat(joined, f0t_texts_get(&forms, i));
    }
    f0t_texts_free(&forms);
    return joined;
}

static void a_tag_has_one_form(void **state)
{
    (void)state;
    assert_string_equal(forms_of("Palm_Tree"), "palm tree");
    assert_string_equal(forms_of("  PALM - tree "), "palm - tree");
    assert_string_equal(forms_of("palm-tree"), "palm tree");
    assert_string_equal(forms_of("#dog!"), "dog");
    assert_string_equal(forms_of("(sea)"), "sea");
    assert_string_equal(forms_of("Stra\xC3\x9F"
                                 "e"),
                        "strasse");
    assert_string_equal(forms_of("valentine's day"), "valentine's day");
}

static void a_list_in_one_tag_is_several(void **state)
{
    (void)state;
    assert_string_equal(forms_of("dog, Cat;bird"), "dog|cat|bird");
    assert_string_equal(forms_of(",dog,,"), "dog");
}

static void what_is_nothing_has_no_form(void **state)
{
    (void)state;
    assert_string_equal(forms_of(""), "");
    assert_string_equal(forms_of(" - _ "), "");
    assert_string_equal(forms_of("!?"), "");
    assert_string_equal(forms_of("\xFF\xFE"), "");
}

static void flaws_are_found_by_looks_and_lists(void **state)
{
    static const struct {
        const char *form;
        f0t_flaw flaw;
    } cases[] = {{"dog", F0T_FLAW_NONE},
                 {"palm tree", F0T_FLAW_NONE},
                 {"2005", F0T_FLAW_FORM},
                 {"img 0231", F0T_FLAW_FORM},
                 {"hash(0x84a3f0)", F0T_FLAW_FORM},
                 {"www.example.org", F0T_FLAW_FORM},
                 {"a@b", F0T_FLAW_FORM},
                 {"x", F0T_FLAW_FORM},
                 {"one two three four", F0T_FLAW_FORM},
                 {"a word of more than forty letters forsooth", F0T_FLAW_FORM},
                 {"svg", F0T_FLAW_FILE},
                 {"clip art", F0T_FLAW_FILE},
                 {"images", F0T_FLAW_FILE},
                 {"magick", F0T_FLAW_FILE},
                 {"hash", F0T_FLAW_KEEPING},
                 {"unsorted", F0T_FLAW_KEEPING},
                 {"tags", F0T_FLAW_KEEPING},
                 {"theme", F0T_FLAW_LISTED},
                 {"lemon theme icon", F0T_FLAW_LISTED},
                 {"lemon", F0T_FLAW_NONE}};
    static const char *const drop[] = {"theme", "lemon theme*"};
    const f0t_clean_list list = {drop, 2};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (f0t_clean_flaw(cases[i].form, &list) != cases[i].flaw)
            fail_msg("'%s' is %s", cases[i].form,
                     f0t_flaw_name(f0t_clean_flaw(cases[i].form, &list)));
    assert_int_equal(f0t_clean_flaw("theme", NULL), F0T_FLAW_NONE);
}

static void plurals_are_the_same_word(void **state)
{
    (void)state;
    assert_true(f0t_clean_same("dog", "dog"));
    assert_true(f0t_clean_same("dogs", "dog"));
    assert_true(f0t_clean_same("dog", "dogs"));
    assert_true(f0t_clean_same("people", "person"));
    assert_false(f0t_clean_same("dog", "cat"));
    assert_false(f0t_clean_same("bus", "bu"));
}

/* ---- All tags ---------------------------------------------------------------------------------- */

static const char VECTORS[] = "dog 1 0\ncat 0 1\nsea 1 1\ngull 1 2\nseagull 2 1\nice 1 3\ncream 3 "
                              "1\nbird 2 3\nrare 1 4\nall 4 1\n";

/* Six images. "all" is on each, "rare" on one. */
static const char TAGS[] = "Dog\tall\tSVG\n"
                           "dogs\tall\tice cream\n"
                           "dog\tdogs\tall\tsea gull\tunsorted\n"
                           "CAT, bird\tall\ticecream\n"
                           "cat\tall\tseagull\tbird\tblorb\n"
                           "rare\tall\t12\tbird\n";

typedef struct setting {
    f0t_dataset *dataset;
    f0t_vectors *vectors;
} setting;

static void open_setting(setting *s)
{
    assert_ok(f0t_dataset_open_files(&s->dataset, NULL, test_text("tags.txt", TAGS), NULL, NULL));
    assert_ok(f0t_vectors_open(&s->vectors, test_text("v.txt", VECTORS), NULL, NULL));
}

static void close_setting(setting *s)
{
    f0t_vectors_close(s->vectors);
    f0t_dataset_close(s->dataset);
}

/* The clean tags of image m, joined by "|". */
static const char *tags_of(const f0t_cleaned *c, const f0t_dataset *dataset, size_t m)
{
    static char joined[400];
    uint32_t tags[16];
    assert_true(c->most <= 16);
    const size_t count = f0t_cleaned_image(tags, c, dataset, m);
    joined[0] = 0;
    for (size_t i = 0; i < count; i++) {
        strcat(joined, i ? "|" : "");
        strcat(joined, f0t_names_get(&c->tags, tags[i]));
    }
    return joined;
}

static void a_dataset_is_cleaned(void **state)
{
    setting s;
    f0t_cleaned c;
    (void)state;
    open_setting(&s);
    const f0t_clean_rules options = {.vectors = s.vectors, .least = 2, .most = 5};
    assert_ok(f0t_clean_tags(&c, s.dataset, &options));
    assert_string_equal(tags_of(&c, s.dataset, 0), "dog");
    assert_string_equal(tags_of(&c, s.dataset, 1), "dog|ice cream");
    assert_string_equal(tags_of(&c, s.dataset, 2), "dog|seagull");
    assert_string_equal(tags_of(&c, s.dataset, 3), "ice cream|cat|bird");
    assert_string_equal(tags_of(&c, s.dataset, 4), "cat|bird|seagull");
    assert_string_equal(tags_of(&c, s.dataset, 5), "bird");
    assert_int_equal(f0t_names_count(&c.tags), 5);
    assert_int_equal(c.plurals, 1);
    assert_int_equal(c.spellings, 2);
    assert_int_equal(c.left_out[F0T_FLAW_COMMON], 1);
    assert_string_equal(c.examples[F0T_FLAW_COMMON], "all");
    assert_string_equal(c.examples[F0T_FLAW_RARE], "rare");
    assert_string_equal(c.examples[F0T_FLAW_UNKNOWN], "blorb");
    assert_string_equal(c.examples[F0T_FLAW_FILE], "svg");
    assert_string_equal(c.examples[F0T_FLAW_KEEPING], "unsorted");
    assert_string_equal(c.examples[F0T_FLAW_FORM], "12");
    assert_null(c.examples[F0T_FLAW_LISTED]);
    f0t_cleaned_free(&c);
    close_setting(&s);
}

static void images_that_are_skipped_do_not_count(void **state)
{
    setting s;
    f0t_cleaned c;
    const bool skip[6] = {false, false, false, true, false, false};
    (void)state;
    open_setting(&s);
    const f0t_clean_rules options = {.vectors = s.vectors, .least = 2, .skip = skip};
    assert_ok(f0t_clean_tags(&c, s.dataset, &options));
    uint32_t index;
    assert_false(f0t_names_find(&index, &c.tags, "cat", 3));
    assert_false(f0t_names_find(&index, &c.tags, "ice cream", 9));
    assert_true(f0t_names_find(&index, &c.tags, "bird", 4));
    assert_true(f0t_names_find(&index, &c.tags, "all", 3));
    f0t_cleaned_free(&c);
    close_setting(&s);
}

static f0t_status clean_once(void *context)
{
    const setting *s = context;
    f0t_cleaned c;
    const f0t_clean_rules options = {.vectors = s->vectors, .least = 2};
    f0t_status status = f0t_clean_tags(&c, s->dataset, &options);
    if (status == F0T_OK)
        f0t_cleaned_free(&c);
    return status;
}

static void a_lack_of_memory_is_told(void **state)
{
    setting s;
    (void)state;
    open_setting(&s);
    test_each_fault(F0T_FAULT_ALLOC, clean_once, &s);
    close_setting(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tag_has_one_form),
        cmocka_unit_test(a_list_in_one_tag_is_several),
        cmocka_unit_test(what_is_nothing_has_no_form),
        cmocka_unit_test(flaws_are_found_by_looks_and_lists),
        cmocka_unit_test(plurals_are_the_same_word),
        cmocka_unit_test(a_dataset_is_cleaned),
        cmocka_unit_test(images_that_are_skipped_do_not_count),
        cmocka_unit_test(a_lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
