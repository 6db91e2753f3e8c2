/* Synonyms: from a file, by word vectors, and when tags are cleaned or imported. */
#include "made.h"

#include "base/fault.h"
#include "import/synonyms.h"

#include <stdlib.h>

static void files_are_read_line_by_line(void **state)
{
    f0t_synonyms *s;
    (void)state;
    assert_ok(f0t_synonyms_load(
        &s,
        test_text("s.txt", "# what I mean\n\nbicycle, bike , Cycling # two wheels\r\n"
                           "Paris, Texas\tC# \tB\n sea,ocean\n"),
        NULL));
    assert_int_equal(s->count, 3);
    assert_int_equal(s->groups[0].count, 3);
    assert_string_equal(s->groups[0].words[0], "bicycle");
    assert_string_equal(s->groups[0].words[2], "Cycling");
    assert_string_equal(s->groups[1].words[0], "Paris, Texas");
    assert_string_equal(s->groups[1].words[1], "C#");
    assert_string_equal(s->groups[2].words[1], "ocean");
    f0t_synonyms_free(s);
    char many[4000] = "";
    for (size_t i = 0; i < 200; i++)
        snprintf(many + strlen(many), 20, "a%zu,b%zu\n", i, i);
    assert_ok(f0t_synonyms_load(&s, test_text("many.txt", many), NULL));
    assert_int_equal(s->count, 200);
    for (size_t i = 0; i < 200; i++)
        assert_int_equal(s->groups[i].count, 2);
    assert_string_equal(s->groups[199].words[1], "b199");
    f0t_synonyms_free(s);
    assert_ok(f0t_synonyms_load(&s, test_text("none.txt", ""), NULL));
    assert_int_equal(s->count, 0);
    f0t_synonyms_free(s);
}

static void wrong_files_are_refused_by_their_line(void **state)
{
    static const char *const cases[][2] = {
        {"a, b\nc, B_\n", "wrong.txt:2: 'B_' is in the group of line 1 already"},
        {"# x\nalone\n", "wrong.txt:2: 'alone' stands alone: a line is a name and its synonyms"},
        {"a,,b\n", "wrong.txt:1: a word is missing between the commas"},
        {"a, --\n", "wrong.txt:1: '--' is no word"},
        {"a, \xFF\n", "wrong.txt:1:"},
    };
    f0t_synonyms *s;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_fails(F0T_ERROR_FORMAT, cases[i][1],
                     f0t_synonyms_load(&s, test_text("wrong.txt", cases[i][0]), NULL));
        assert_null(s);
    }
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere", f0t_synonyms_load(&s, test_path("nowhere"), NULL));
    enum { LONG = (1 << 16) + 1 };
    char *line = memset(malloc(LONG + 1), 'a', LONG);
    line[LONG] = '\0';
    assert_fails(F0T_ERROR_FORMAT, "bytes: one line is one group",
                 f0t_synonyms_load(&s, test_text("wrong.txt", line), NULL));
    free(line);
}

static void forms_and_plurals_are_found(void **state)
{
    f0t_synonym_index index = {0};
    (void)state;
    assert_ok(f0t_synonym_index_open(&index, test_text("s.txt", "Bicycle, bike, mountain bike\n")));
    assert_string_equal(f0t_synonym_find(&index, "bike", false), "Bicycle");
    assert_string_equal(f0t_synonym_find(&index, "bicycle", false), "Bicycle");
    assert_string_equal(f0t_synonym_find(&index, "mountain bike", false), "Bicycle");
    assert_null(f0t_synonym_find(&index, "bikes", false));
    assert_string_equal(f0t_synonym_find(&index, "bikes", true), "Bicycle");
    assert_null(f0t_synonym_find(&index, "car", true));
    f0t_synonym_index_close(&index);
    assert_ok(f0t_synonym_index_open(&index, NULL));
    assert_null(f0t_synonym_find(&index, "bike", true));
    f0t_synonym_index_close(&index);
}

/* ---- Suggestions ------------------------------------------------------------------------------------ */

static f0t_vectors *open_vectors(void)
{
    f0t_vectors *vectors;
    assert_ok(
        f0t_vectors_open(&vectors,
                         test_text("v.txt", "bike 1 .1 0 0\nbicycle 1 .2 0 0\ncycling .9 .3 0 0\n"
                                            "dog 0 0 1 .1\ndogs 0 0 1 .12\ncar -1 .5 -1 -.5\n"
                                            "sea -1 -1 0 1\n"),
                         NULL, NULL));
    return vectors;
}

static f0t_dataset *open_tags(const char *tags)
{
    const f0t_dataset_memory memory = {.size = sizeof memory, .tags = tags};
    const f0t_dataset_options no_test = {.size = sizeof no_test};
    f0t_dataset *dataset;
    assert_ok(f0t_dataset_open_memory(&dataset, &memory, &no_test, NULL));
    return dataset;
}

static void near_tags_are_suggested_under_the_most_frequent(void **state)
{
    f0t_vectors *vectors = open_vectors();
    f0t_dataset *dataset =
        open_tags("cycling\ndog\tbicycle\nbicycle\tdogs\nbike\tcar\nbike\nbike\tsea\tunknown\n");
    f0t_synonyms *s;
    (void)state;
    assert_ok(f0t_synonyms_suggest(&s, dataset, vectors, 0.9, NULL));
    assert_int_equal(s->count, 1); /* cleaning makes dog and dogs one anyway */
    assert_int_equal(s->groups[0].count, 3);
    assert_string_equal(s->groups[0].words[0], "bike");
    assert_string_equal(s->groups[0].words[1], "bicycle");
    assert_true(s->groups[0].cosine > 0.9F && s->groups[0].cosine < 1);
    f0t_synonyms_free(s);
    assert_ok(f0t_synonyms_suggest(&s, dataset, vectors, 1, NULL));
    assert_int_equal(s->count, 0);
    f0t_synonyms_free(s);
    assert_fails(F0T_ERROR_ARGUMENT, "0 to 1", f0t_synonyms_suggest(&s, dataset, vectors, 2, NULL));
    f0t_dataset_close(dataset);
    dataset = open_tags("unknown\n\n");
    assert_ok(f0t_synonyms_suggest(&s, dataset, vectors, 0, NULL));
    assert_int_equal(s->count, 0);
    f0t_synonyms_free(s);
    f0t_dataset_close(dataset);
    f0t_vectors_close(vectors);
}

/* ---- In use ----------------------------------------------------------------------------------------- */

static size_t count_images(const f0t_dataset *dataset, const char *tag)
{
    size_t t, count, images = 0;
    if (!f0t_dataset_find_tag(&t, dataset, tag))
        return 0;
    for (size_t m = 0; m < f0t_dataset_image_count(dataset); m++) {
        const uint32_t *tags = f0t_dataset_image_tags(&count, dataset, m);
        for (size_t i = 0; i < count; i++)
            images += tags[i] == t;
    }
    return images;
}

/* The name need not be a tag itself; an image that has two of a group has one. */
static void cleaning_makes_them_one(void **state)
{
    f0t_dataset *dataset = open_tags("Bike\tcycling\nbikes\nsea, bike\nsea\tglass\nglasses\n");
    f0t_prepare_options options = F0T_PREPARE_OPTIONS;
    f0t_prepared *p;
    (void)state;
    options.synonyms = test_text("s.txt", "bicycle, bike, cycling\nglasses, spectacles\n");
    assert_ok(f0t_tags_prepare(&p, dataset, &options, NULL));
    assert_int_equal(count_images(p->dataset, "bicycle"), 3);
    assert_int_equal(count_images(p->dataset, "sea"), 2);
    assert_int_equal(p->notes[F0T_PREPARE_SYNONYMS].count, 3); /* Bike, cycling, bikes */
    assert_string_equal(p->notes[F0T_PREPARE_SYNONYMS].into, "bicycle");
    assert_int_equal(count_images(p->dataset, "glasses"), 2); /* the name that was given */
    assert_int_equal(count_images(p->dataset, "Bike"), 0);
    f0t_prepared_free(p);
    options.plurals = F0T_PREPARE_PLURALS_KEEP;
    options.keep_spellings = true;
    assert_ok(f0t_tags_prepare(&p, dataset, &options, NULL));
    assert_int_equal(count_images(p->dataset, "bicycle"), 1);
    assert_int_equal(count_images(p->dataset, "bikes"), 1);
    f0t_prepared_free(p);
    options.synonyms = test_path("nowhere");
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere", f0t_tags_prepare(&p, dataset, &options, NULL));
    f0t_dataset_close(dataset);
}

static void imports_have_their_names(void **state)
{
    f0t_import_options options = F0T_IMPORT_OPTIONS;
    f0t_import_report *report;
    (void)state;
    options.synonyms = test_text("s.txt", "bicycle, bike\n");
    const char *table = test_text("t.csv", "path,tags\na,Ways|Bike;sea\nb,bikes\nc,bicycle\n");
    assert_ok(import_one("csv", table, test_path("renamed"), &options, &report));
    assert_int_equal(noted(report, "known by the name of their synonyms") > 1, 1);
    f0t_import_report_free(report);
    f0t_dataset *dataset = open_made(test_path("renamed"));
    assert_int_equal(count_images(dataset, "bicycle"), 3);
    assert_int_equal(f0t_dataset_tag_count(dataset), 2);
    f0t_dataset_close(dataset);
    assert_fails(F0T_ERROR_ARGUMENT, "does not know synonyms",
                 import_one("tagprop", table, test_path("x"), &options, NULL));
}

static f0t_status use_all(void *context)
{
    const f0t_dataset *dataset = context;
    const f0t_prepare_options options = {.size = sizeof options, .synonyms = test_path("s.txt")};
    f0t_vectors *vectors = NULL;
    f0t_synonyms *s = NULL;
    f0t_prepared *p = NULL;
    f0t_status status = f0t_tags_prepare(&p, dataset, &options, NULL);
    f0t_prepared_free(p);
    if (status == F0T_OK)
        status = f0t_vectors_open(&vectors, test_path("v.txt"), NULL, NULL);
    if (status == F0T_OK)
        status = f0t_synonyms_suggest(&s, dataset, vectors, 0.5, NULL);
    f0t_synonyms_free(s);
    f0t_vectors_close(vectors);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    f0t_dataset *dataset = open_tags("Bike\tcycling\nbikes\nsea, bike\nsea\n");
    test_text("s.txt", "bicycle, bike, cycling\n");
    f0t_vectors_close(open_vectors());
    test_each_fault(F0T_FAULT_ALLOC, use_all, dataset);
    f0t_dataset_close(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_line_by_line),
        cmocka_unit_test(wrong_files_are_refused_by_their_line),
        cmocka_unit_test(forms_and_plurals_are_found),
        cmocka_unit_test(near_tags_are_suggested_under_the_most_frequent),
        cmocka_unit_test(cleaning_makes_them_one),
        cmocka_unit_test(imports_have_their_names),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
