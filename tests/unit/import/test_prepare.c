/* The keywords of a collection before training. */
#include "support.h"

#include "base/alloc.h"
#include "fast0tag_tools.h"
#include "io/dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES = 60, ROOM = 200 };

/* A collection is written as the tags that runs of images have: all of `tags` on images [from, to). */
typedef struct run_of {
    size_t from, to;
    const char *tags;
} run_of;

static f0t_dataset *make(const run_of *runs, size_t count, size_t images, const char *split)
{
    f0t_dataset_memory memory = F0T_DATASET_MEMORY;
    f0t_dataset *made;
    char *text = calloc(images, ROOM);
    assert_non_null(text);
    for (size_t m = 0; m < images; m++) {
        for (size_t i = 0; i < count; i++)
            if (runs[i].from <= m && m < runs[i].to) {
                strcat(text, runs[i].tags);
                strcat(text, "\t");
            }
        strcat(text, "\n");
    }
    memory.tags = text;
    memory.split = split;
    const f0t_dataset_options all = {.size = sizeof all};
    assert_ok(f0t_dataset_open_memory(&made, &memory, &all, NULL));
    free(text);
    return made;
}

#define MAKE(runs) make(runs, sizeof(runs) / sizeof *(runs), IMAGES, NULL)

/* ---- Of each case ------------------------------------------------------------------------------- */

static f0t_dataset *dataset;
static f0t_prepared *p;

/* Its keywords, cleaned once more. */
static void prepare(const f0t_prepare_options *options)
{
    f0t_prepared_free(p);
    assert_ok(f0t_tags_prepare(&p, dataset, options, NULL));
}

static int close_all(void **state)
{
    (void)state;
    f0t_prepared_free(p);
    f0t_dataset_close(dataset);
    p = NULL;
    dataset = NULL;
    return 0;
}

static bool has(const char *tag)
{
    size_t t;
    return f0t_dataset_find_tag(&t, p->dataset, tag);
}

static size_t images_of(const char *tag)
{
    size_t t = 0, found = 0, count;
    if (!f0t_dataset_find_tag(&t, p->dataset, tag))
        return 0;
    for (size_t m = 0; m < f0t_dataset_image_count(p->dataset); m++) {
        const uint32_t *tags = f0t_dataset_image_tags(&count, p->dataset, m);
        for (size_t i = 0; i < count; i++)
            found += tags[i] == t;
    }
    return found;
}

static void assert_note(f0t_prepare_step step, size_t count, const char *example, const char *into)
{
    const f0t_prepare_note *n = &p->notes[step];
    if (n->count != count)
        fail_msg("step %d: %zu keywords, not %zu", (int)step, n->count, count);
    if (!count) {
        assert_null(n->example);
        return;
    }
    assert_string_equal(n->example, example);
    assert_true(into ? n->into && !strcmp(into, n->into) : !n->into);
}

static void each_tag_has_the_spelling_of_most_images(void **state)
{
    static const run_of runs[] = {{0, 20, "Palm_Tree"},  {20, 25, "palm tree"},
                                  {25, 27, "PALM-TREE"}, {0, 30, "seagull"},
                                  {30, 33, "sea gull"},  {10, 12, "New York"}};
    f0t_prepare_options keep = F0T_PREPARE_OPTIONS;
    (void)state;
    dataset = MAKE(runs);
    prepare(NULL);
    assert_int_equal(p->keywords, 6);
    assert_int_equal(f0t_dataset_tag_count(p->dataset), 3);
    assert_int_equal(images_of("Palm_Tree"), 27);
    assert_int_equal(images_of("seagull"), 33);
    assert_int_equal(images_of("New York"), 2);
    assert_note(F0T_PREPARE_SPELLINGS, 3, "palm tree", "Palm_Tree");
    assert_int_equal(p->merge_count, 3);
    keep.keep_spellings = true;
    prepare(&keep);
    assert_int_equal(f0t_dataset_tag_count(p->dataset), 6);
    assert_note(F0T_PREPARE_SPELLINGS, 0, NULL, NULL);
}

static void a_list_of_tags_that_are_there_is_taken_apart(void **state)
{
    static const run_of runs[] = {{0, 5, "dog"},
                                  {5, 10, "cat"},
                                  {10, 13, "Dog, cat"},
                                  {20, 25, "Paris, Texas"},
                                  {30, 33, "dog; rhino"}};
    (void)state;
    dataset = MAKE(runs);
    prepare(NULL);
    assert_int_equal(images_of("dog"), 8);
    assert_int_equal(images_of("cat"), 8);
    assert_int_equal(images_of("Paris, Texas"), 5);
    assert_int_equal(images_of("dog; rhino"), 3);
    assert_note(F0T_PREPARE_SPELLINGS, 1, "Dog, cat", "dog");
}

/* Of a full-width comma the form is a comma, which the tag has not. */
static void a_list_may_name_a_list(void **state)
{
    static const run_of runs[] = {{0, 5, "b"},
                                  {5, 10, "c"},
                                  {10, 13, "b,c"},
                                  {13, 20, "a"},
                                  {20, 23,
                                   "a;b\xEF\xBC\x8C"
                                   "c"}};
    f0t_prepare_options options = F0T_PREPARE_OPTIONS;
    (void)state;
    dataset = MAKE(runs);
    options.file_words = F0T_PREPARE_FILE_WORDS_KEEP; /* single letters */
    prepare(&options);
    assert_int_equal(images_of("b"), 8);
    assert_int_equal(images_of("a"), 10);
    assert_int_equal(images_of("b,c"), 3);
}

static void rare_plurals_and_singulars_go_with_the_other(void **state)
{
    static const run_of runs[] = {{0, 30, "dog"},   {30, 45, "dogs"}, {0, 30, "shoes"},
                                  {30, 35, "shoe"}, {40, 44, "Cats"}, {44, 46, "cat"}};
    f0t_prepare_options options = F0T_PREPARE_OPTIONS;
    (void)state;
    dataset = MAKE(runs);
    prepare(NULL);
    assert_int_equal(images_of("dog"), 30);
    assert_int_equal(images_of("dogs"), 15); /* both are in use */
    assert_int_equal(images_of("shoes"), 35);
    assert_int_equal(images_of("Cats"), 6);
    assert_note(F0T_PREPARE_PLURALS, 2, "shoe", "shoes");
    options.plurals = F0T_PREPARE_PLURALS_ALL;
    prepare(&options);
    assert_int_equal(images_of("dog"), 45);
    assert_note(F0T_PREPARE_PLURALS, 3, "dogs", "dog");
    options.plurals = F0T_PREPARE_PLURALS_KEEP;
    prepare(&options);
    assert_int_equal(f0t_dataset_tag_count(p->dataset), 6);
}

static void what_stands_on_the_same_pictures_is_no_slip(void **state)
{
    static const run_of runs[] = {{0, 30, "tree"},     {0, 4, "trees"},     {30, 34, "trees"},
                                  {0, 30, "cloud"},    {0, 3, "clouds"},    {30, 34, "clouds"},
                                  {10, 20, "seagull"}, {10, 12, "sea gull"}};
    f0t_prepare_options options = F0T_PREPARE_OPTIONS;
    (void)state;
    dataset = MAKE(runs);
    prepare(NULL);
    assert_int_equal(images_of("tree"), 30);
    assert_int_equal(images_of("trees"), 8); /* beside "tree" on half of its pictures */
    assert_int_equal(images_of("cloud"), 34);
    assert_int_equal(images_of("clouds"), 0); /* on three of seven */
    assert_int_equal(images_of("seagull"), 10);
    assert_int_equal(images_of("sea gull"), 2);
    assert_note(F0T_PREPARE_PLURALS, 1, "clouds", "cloud");
    options.plurals = F0T_PREPARE_PLURALS_ALL;
    prepare(&options);
    assert_int_equal(images_of("tree"), 34);
}

static void a_plural_beside_ten_times_as_many_is_rare(void **state)
{
    static const run_of runs[] = {{0, 150, "dog"},
                                  {150, 164, "dogs"},
                                  {0, 139, "cat"},
                                  {150, 164, "cats"},
                                  {160, 200, "sea"}};
    (void)state;
    dataset = make(runs, 5, 200, NULL);
    prepare(NULL);
    assert_int_equal(images_of("dog"), 164);
    assert_true(has("cats"));
}

static void what_cameras_and_programs_wrote_is_left_out(void **state)
{
    static const run_of runs[] = {{0, 20, "dog"}, {20, 60, "sea"}, {0, 4, "IMG_1234"},
                                  {0, 3, "0042"}, {0, 3, "jpg"},   {0, 3, "photo"},
                                  {30, 33, "!!"}};
    f0t_prepare_options keep = F0T_PREPARE_OPTIONS;
    (void)state;
    dataset = MAKE(runs);
    prepare(NULL);
    assert_int_equal(f0t_dataset_tag_count(p->dataset), 3);
    assert_true(has("dog") && has("photo"));
    assert_note(F0T_PREPARE_FILE_WORDS, 4, "IMG_1234", NULL);
    assert_int_equal(p->file_words_in_use.count, 0);
    keep.file_words = F0T_PREPARE_FILE_WORDS_KEEP;
    prepare(&keep);
    assert_int_equal(f0t_dataset_tag_count(p->dataset), 7);
    assert_int_equal(p->file_words_in_use.count, 0);
}

/* A year, or a shelf that a program made; on nearly all images such a word is common like any other. */
static void what_many_images_have_is_learned_whoever_wrote_it(void **state)
{
    static const run_of runs[] = {{0, 20, "dog"},     {0, 30, "2014"}, {30, 35, "hash"},
                                  {40, 44, "magick"}, {0, 59, "jpg"},  {50, 52, "2014."}};
    f0t_prepare_options options = F0T_PREPARE_OPTIONS;
    (void)state;
    dataset = MAKE(runs);
    prepare(NULL);
    assert_int_equal(f0t_dataset_tag_count(p->dataset), 3);
    assert_int_equal(images_of("2014"), 32);
    assert_int_equal(images_of("hash"), 5);
    assert_int_equal(p->file_words_in_use.count, 2);
    assert_string_equal(p->file_words_in_use.example, "2014");
    assert_note(F0T_PREPARE_FILE_WORDS, 1, "magick", NULL);
    assert_note(F0T_PREPARE_COMMON, 1, "jpg", NULL);
    options.file_words = F0T_PREPARE_FILE_WORDS_ALL;
    prepare(&options);
    assert_int_equal(f0t_dataset_tag_count(p->dataset), 1);
    assert_note(F0T_PREPARE_FILE_WORDS, 5, "jpg", NULL);
}

static void only_what_nearly_all_images_have_is_common(void **state)
{
    static const run_of runs[] = {
        {0, 60, "holiday"}, {0, 59, "mine"}, {0, 58, "sea"}, {0, 37, "outdoors"}};
    f0t_prepare_options keep = F0T_PREPARE_OPTIONS;
    (void)state;
    dataset = MAKE(runs);
    prepare(NULL);
    assert_int_equal(f0t_dataset_tag_count(p->dataset), 2);
    assert_int_equal(images_of("outdoors"), 37); /* 62 % */
    assert_int_equal(images_of("sea"), 58);      /* 97 % */
    assert_note(F0T_PREPARE_COMMON, 2, "holiday", NULL);
    keep.keep_common = true;
    prepare(&keep);
    assert_int_equal(f0t_dataset_tag_count(p->dataset), 4);
}

static void tags_on_one_image_are_words_to_rank(void **state)
{
    static const run_of runs[] = {{0, 50, "dog"},    {50, 55, "cat"}, {3, 4, "Ankole"},
                                  {4, 5, "ankoles"}, {5, 6, "okapi"}, {6, 7, "Tapir"},
                                  {7, 8, "2019"}};
    f0t_prepare_options options = F0T_PREPARE_OPTIONS;
    (void)state;
    dataset = MAKE(runs);
    prepare(NULL);
    assert_int_equal(p->least, 2);
    assert_true(has("dog") && has("Ankole") && !has("okapi"));
    assert_int_equal(p->rare_count, 2);
    assert_string_equal(p->rare[0], "okapi");
    assert_string_equal(p->rare[1], "Tapir");
    assert_note(F0T_PREPARE_RARE, 2, "okapi", NULL);
    options.least = 1;
    prepare(&options);
    assert_int_equal(p->rare_count, 0);
    assert_true(has("okapi"));
    options.least = 3;
    prepare(&options);
    assert_int_equal(p->rare_count, 3);
}

static void few_images_tell_nothing_of_rare_and_common(void **state)
{
    static const run_of runs[] = {{0, 49, "dog"}, {3, 4, "okapi"}};
    (void)state;
    dataset = MAKE(runs);
    prepare(NULL);
    assert_int_equal(p->least, 1);
    assert_int_equal(f0t_dataset_tag_count(p->dataset), 2);
}

static void test_images_count_nowhere(void **state)
{
    static const run_of runs[] = {
        {0, 3, "dog"}, {3, 5, "Dog"}, {4, 5, "rhino"}, {0, 1, "okapi"}, {4, 5, "okapi"}};
    f0t_prepare_options options = F0T_PREPARE_OPTIONS;
    (void)state;
    dataset = make(runs, 5, 5, "train\nval\ntrain\ntest\ntest\n");
    options.least = 2;
    prepare(&options);
    assert_int_equal(p->keywords, 2);
    assert_int_equal(images_of("dog"), 5); /* a test image has its tag by the usual name */
    assert_int_equal(f0t_dataset_tag_count(p->dataset), 1);
    assert_int_equal(p->rare_count, 1); /* of the rhino nothing is known */
    assert_string_equal(p->rare[0], "okapi");
    assert_int_equal(f0t_dataset_split(p->dataset)[1], F0T_VAL);
}

static void nothing_left_is_told(void **state)
{
    static const run_of runs[] = {{0, 60, "holiday"}, {0, 1, "dog"}, {0, 3, "0042"}},
                        none[] = {{0, 0, ""}};
    dataset = MAKE(runs);
    assert_fails(F0T_ERROR_FORMAT, "of its 3 keywords none is left to learn: 1 are about files",
                 f0t_tags_prepare(&p, dataset, NULL, NULL));
    assert_null(p);
    close_all(state);
    dataset = MAKE(none); /* training says what to do */
    prepare(NULL);
    assert_int_equal(f0t_dataset_tag_count(p->dataset), 0);
}

static void a_dataset_is_needed(void **state)
{
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "dataset", f0t_tags_prepare(&p, NULL, NULL, NULL));
    assert_null(p);
}

static f0t_status prepare_once(void *context)
{
    f0t_prepared *made;
    f0t_status status = f0t_tags_prepare(&made, context, NULL, NULL);
    f0t_prepared_free(made);
    return status;
}

static void a_lack_of_memory_is_reported(void **state)
{
    static const run_of runs[] = {{0, 50, "dog"},      {3, 9, "Dogs"},  {4, 5, "sea gull"},
                                  {5, 9, "seagull"},   {6, 7, "Tapir"}, {7, 8, "2019"},
                                  {9, 10, "dog, Dogs"}};
    (void)state;
    dataset = MAKE(runs);
    test_each_fault(F0T_FAULT_ALLOC, prepare_once, dataset);
}

/* "dogs=dog …" in the order in which forms came. */
static const char *aliases(void)
{
    static char text[1000];
    const f0t_aliases *a = &p->dataset->aliases;
    text[0] = 0;
    for (size_t i = 0; i < a->tags.count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s=%s", i ? " " : "",
                 f0t_names_get(&a->forms, i), f0t_texts_get(&a->tags, i));
    }
    return text;
}

static void the_dataset_says_what_was_made_one(void **state)
{
    static const run_of runs[] = {{0, 30, "dog"},      {30, 33, "Dogs"},   {0, 20, "trees"},
                                  {20, 40, "Tree"},    {1, 5, "sea gull"}, {5, 40, "Seagull"},
                                  {40, 43, "cycling"}, {50, 51, "2019"},   {51, 53, "rhino, dog"}};
    f0t_prepare_options how = F0T_PREPARE_OPTIONS;
    (void)state;
    dataset = MAKE(runs);
    prepare(NULL);
    assert_string_equal(aliases(), "sea gull=Seagull dogs=dog");
    how.plurals = F0T_PREPARE_PLURALS_ALL;
    how.synonyms = test_text("synonyms.txt", "Bicycle, bike, cycling\nship, boat\n");
    prepare(&how);
    assert_string_equal(aliases(),
                        "trees=Tree sea gull=Seagull dogs=dog bike=Bicycle cycling=Bicycle");
    how = (f0t_prepare_options)F0T_PREPARE_OPTIONS;
    how.plurals = F0T_PREPARE_PLURALS_KEEP;
    how.keep_spellings = true;
    prepare(&how);
    assert_string_equal(aliases(), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_tag_has_the_spelling_of_most_images, close_all),
        cmocka_unit_test_teardown(a_list_of_tags_that_are_there_is_taken_apart, close_all),
        cmocka_unit_test_teardown(a_list_may_name_a_list, close_all),
        cmocka_unit_test_teardown(rare_plurals_and_singulars_go_with_the_other, close_all),
        cmocka_unit_test_teardown(what_stands_on_the_same_pictures_is_no_slip, close_all),
        cmocka_unit_test_teardown(a_plural_beside_ten_times_as_many_is_rare, close_all),
        cmocka_unit_test_teardown(what_cameras_and_programs_wrote_is_left_out, close_all),
        cmocka_unit_test_teardown(what_many_images_have_is_learned_whoever_wrote_it, close_all),
        cmocka_unit_test_teardown(only_what_nearly_all_images_have_is_common, close_all),
        cmocka_unit_test_teardown(tags_on_one_image_are_words_to_rank, close_all),
        cmocka_unit_test_teardown(few_images_tell_nothing_of_rare_and_common, close_all),
        cmocka_unit_test_teardown(test_images_count_nowhere, close_all),
        cmocka_unit_test_teardown(nothing_left_is_told, close_all),
        cmocka_unit_test_teardown(the_dataset_says_what_was_made_one, close_all),
        cmocka_unit_test_teardown(a_dataset_is_needed, close_all),
        cmocka_unit_test_teardown(a_lack_of_memory_is_reported, close_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
