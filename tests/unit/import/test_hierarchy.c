/* Which tags come of keywords that are paths, and where the tags stand. */
#include "made.h"

#include "base/fault.h"
#include "import/hierarchy.h"

static void add_image(f0t_hierarchy *h, f0t_collection *c, const char *const *keywords)
{
    f0t_texts texts = {0};
    for (; *keywords; keywords++)
        assert_ok(f0t_texts_add(&texts, *keywords, strlen(*keywords)));
    assert_ok(f0t_hierarchy_add(h, c, &texts));
    assert_ok(f0t_collection_end_row(c, NULL, 0, -1));
    f0t_texts_free(&texts);
}

static bool has_tag(const f0t_collection *c, size_t m, const char *tag)
{
    size_t count;
    const uint32_t *tags = f0t_rows_get(&count, &c->rows, m);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(f0t_names_get(&c->tags, tags[i]), tag))
            return true;
    return false;
}

static size_t count_tags(const f0t_collection *c, size_t m)
{
    size_t count;
    f0t_rows_get(&count, &c->rows, m);
    return count;
}

static void the_leaf_is_the_tag_and_its_most_frequent_place_is_kept(void **state)
{
    f0t_hierarchy h = {0};
    f0t_collection c = {0};
    (void)state;
    add_image(&h, &c, (const char *[]){"Places|Europe|Paris", "paris", "sea", NULL});
    add_image(&h, &c, (const char *[]){"People|Paris", NULL});
    add_image(&h, &c, (const char *[]){"Places/Europe/Paris", "|x", "y|", "", NULL});
    assert_ok(f0t_hierarchy_end(&h, &c));
    assert_int_equal(count_tags(&c, 0), 2);
    assert_true(has_tag(&c, 0, "Paris") && has_tag(&c, 0, "sea"));
    assert_int_equal(count_tags(&c, 1), 1);
    assert_int_equal(count_tags(&c, 2), 2);
    assert_true(has_tag(&c, 2, "Paris") && has_tag(&c, 2, "x"));
    assert_string_equal(f0t_paths_find(&c.paths, "Paris"), "Places|Europe|Paris");
    assert_null(f0t_paths_find(&c.paths, "sea"));
    f0t_collection_free(&c);
    f0t_hierarchy_free(&h);
}

static void levels_are_tags_with_their_own_places(void **state)
{
    f0t_hierarchy h = {.levels = true};
    f0t_collection c = {0};
    (void)state;
    add_image(&h, &c, (const char *[]){"Places|Europe|Paris", "Places|Europe|Rome", "sea", NULL});
    assert_ok(f0t_hierarchy_end(&h, &c));
    assert_int_equal(count_tags(&c, 0), 5);
    assert_int_equal(c.rows.repeats, 0);
    assert_true(has_tag(&c, 0, "Places") && has_tag(&c, 0, "Europe") && has_tag(&c, 0, "Rome"));
    assert_string_equal(f0t_paths_find(&c.paths, "Europe"), "Places|Europe");
    assert_null(f0t_paths_find(&c.paths, "Places"));
    f0t_collection_free(&c);
    f0t_hierarchy_free(&h);
}

/* One slash is a path where other paths begin so. */
static void one_slash_is_a_path_where_the_collection_has_its_root(void **state)
{
    f0t_hierarchy h = {0};
    f0t_collection c = {0};
    (void)state;
    assert_ok(f0t_hierarchy_see(&h, "Places|Rome"));
    assert_ok(f0t_hierarchy_see(&h, "Music/Rock/AC"));
    assert_ok(f0t_hierarchy_see(&h, "AC/DC"));
    add_image(&h, &c, (const char *[]){"Places/Paris", "AC/DC", "Music/Live", "Places/", NULL});
    assert_int_equal(count_tags(&c, 0), 4);
    assert_true(has_tag(&c, 0, "Paris") && has_tag(&c, 0, "AC/DC") && has_tag(&c, 0, "Live") &&
                has_tag(&c, 0, "Places/"));
    f0t_collection_free(&c);
    f0t_hierarchy_free(&h);
}

/* A hostile path of very many levels is no more work than a file of keywords may be. */
static void levels_have_a_limit(void **state)
{
    static char deep[60000];
    f0t_hierarchy h = {.levels = true};
    f0t_collection c = {0};
    (void)state;
    for (size_t i = 0; i + 2 < sizeof deep; i += 2)
        memcpy(deep + i, "a|", 2);
    deep[sizeof deep - 2] = 'z';
    add_image(&h, &c, (const char *[]){deep, NULL});
    assert_int_equal(count_tags(&c, 0), 2);
    assert_ok(f0t_hierarchy_end(&h, &c));
    f0t_collection_free(&c);
    f0t_hierarchy_free(&h);
}

static void tables_have_paths_too(void **state)
{
    const f0t_import_options levels = {.size = sizeof levels, .hierarchy = "levels"};
    const f0t_import_options wrong = {.size = sizeof wrong, .hierarchy = "all"};
    (void)state;
    const char *table = test_text("t.csv", "path,tags\na.jpg,Animals|Dog;sea\nb.jpg,Animals/Cat\n");
    assert_ok(import_one("csv", table, test_path("leaf"), NULL, NULL));
    assert_ok(import_one("csv", table, test_path("levels"), &levels, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "leaf or levels",
                 import_one("csv", table, test_path("wrong"), &wrong, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "does not know a hierarchy",
                 import_one("tagprop", table, test_path("wrong"), &levels, NULL));
    f0t_dataset *dataset = open_made(test_path("leaf"));
    assert_string_equal(tags_of(dataset, 0), "Dog|sea");
    assert_string_equal(tags_of(dataset, 1), "Cat");
    f0t_dataset_close(dataset);
    dataset = open_made(test_path("levels"));
    assert_int_equal(f0t_dataset_tag_count(dataset), 4);
    assert_string_equal(tags_of(dataset, 1), "Animals|Cat");
    f0t_dataset_close(dataset);
}

static f0t_status make_all(void *context)
{
    const char *keywords[] = {"Places|Europe|Paris", "Places/Rome", "sea"};
    f0t_hierarchy h = {.levels = true};
    f0t_collection c = {0};
    f0t_texts texts = {0};
    f0t_status status = F0T_OK;
    (void)context;
    for (size_t i = 0; i < 3 && status == F0T_OK; i++) {
        status = f0t_hierarchy_see(&h, keywords[i]);
        if (status == F0T_OK)
            status = f0t_texts_add(&texts, keywords[i], strlen(keywords[i]));
    }
    if (status == F0T_OK)
        status = f0t_hierarchy_add(&h, &c, &texts);
    if (status == F0T_OK)
        status = f0t_hierarchy_end(&h, &c);
    f0t_texts_free(&texts);
    f0t_collection_free(&c);
    f0t_hierarchy_free(&h);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, make_all, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_leaf_is_the_tag_and_its_most_frequent_place_is_kept),
        cmocka_unit_test(levels_are_tags_with_their_own_places),
        cmocka_unit_test(one_slash_is_a_path_where_the_collection_has_its_root),
        cmocka_unit_test(levels_have_a_limit),
        cmocka_unit_test(tables_have_paths_too),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
