/* What people said of pictures, as a dataset. */
#include "kinds.h"

#include "io/dataset.h"

#include <sqlite3.h>
#include <string.h>

static const char *tags_of(const f0t_dataset *d, size_t m)
{
    static char text[256];
    size_t count;
    const uint32_t *tags = f0t_dataset_image_tags(&count, d, m);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        strcat(text, i ? "+" : "");
        strcat(text, f0t_dataset_tag(d, tags[i]));
    }
    return text;
}

static void test_keywords_and_decisions_are_what_is_learned(void **state)
{
    f0t_catalogue *c = create();
    f0t_dataset *d;
    float row[DIM], kept[DIM];
    size_t dim;
    (void)state;
    assert_fails(F0T_ERROR_NOT_FOUND, "nothing to learn from",
                 f0t_catalogue_open_dataset(&d, c, NULL, NULL));
    const int64_t a = put(c, 0, 0, "colours|red"), b = put(c, 1, 1, "green");
    put(c, 2, 2, NULL);
    const int64_t e = put(c, 3, 3, NULL), f = put(c, 4, 0, NULL);
    assert_ok(f0t_catalogue_decide(c, a, "warm", F0T_ACCEPTED, "me"));
    assert_ok(f0t_catalogue_decide(c, b, "green", F0T_REJECTED, "me"));
    assert_ok(f0t_catalogue_decide(c, e, "a\tb", F0T_ACCEPTED, "me"));
    assert_ok(f0t_catalogue_decide(c, f, "red", F0T_ACCEPTED, "me"));
    assert_ok(f0t_catalogue_decide(c, f, "red", F0T_UNDECIDED, "me"));
    assert_ok(f0t_catalogue_open_dataset(&d, c, NULL, NULL));
    assert_ok(f0t_catalogue_get_features(kept, &dim, DIM, c, b));
    f0t_catalogue_close(c);
    assert_int_equal(f0t_dataset_image_count(d), 3);
    assert_string_equal(tags_of(d, 0), "red+warm");
    assert_string_equal(tags_of(d, 1), "");
    assert_string_equal(tags_of(d, 2), "");
    assert_true(f0t_dataset_is_reviewed(d, 0) && f0t_dataset_is_reviewed(d, 1));
    assert_string_equal(f0t_dataset_image(d, 1), "/1.jpg");
    assert_non_null(strstr(f0t_dataset_backbone(d), "numbers"));
    assert_ok(f0t_dataset_read_features(row, d, 1, 1));
    assert_memory_equal(row, kept, sizeof kept);
    assert_string_equal(f0t_paths_find(&d->paths, "red"), "colours|red");
    f0t_dataset_close(d);
}

/* Foreign keys are checked by whoever writes: a file from elsewhere may have features of no backbone. */
static void test_features_of_no_backbone_are_none(void **state)
{
    f0t_catalogue *c = create();
    f0t_dataset *d;
    sqlite3 *db;
    (void)state;
    put(c, 0, 0, "red");
    f0t_catalogue_close(c);
    assert_int_equal(sqlite3_open(test_path("catalogue"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA foreign_keys = OFF; UPDATE chosen SET backbone = NULL;"
                                  "UPDATE features SET backbone = 0",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    assert_ok(f0t_catalogue_open(&c, test_path("catalogue"), NULL));
    assert_fails(F0T_ERROR_NOT_FOUND, "no features of pictures",
                 f0t_catalogue_open_dataset(&d, c, NULL, NULL));
    f0t_catalogue_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keywords_and_decisions_are_what_is_learned),
        cmocka_unit_test(test_features_of_no_backbone_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
