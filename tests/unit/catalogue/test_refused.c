/* What a catalogue refuses: records that are no records, numbers that somebody has altered in the file, options; each with the
 * line that says why. */
#include "fresh.h"
#include "support.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const float numbers[4] = {1, -2, 0.5F, 3};

/* ---- Records ----------------------------------------------------------------------------------------- */

static f0t_catalogue_record a_record(void)
{
    f0t_catalogue_record record = F0T_CATALOGUE_RECORD;
    record.picture.path = "/a.jpg";
    return record;
}

static void records_are_checked(void **state)
{
    const f0t_catalogue_keyword none = {.keyword = NULL};
    const f0t_tag_score no_tag = {.tag = NULL};
    f0t_catalogue *c = fresh_catalogue("records");
    f0t_catalogue_record r = a_record();
    (void)state;
    r.picture.path = "a.jpg";
    assert_fails(F0T_ERROR_ARGUMENT, "the path 'a.jpg' is not absolute",
                 f0t_catalogue_put(NULL, c, &r));
    r = a_record();
    r.picture.state = (f0t_picture_state)9;
    assert_fails(F0T_ERROR_ARGUMENT, "f0t_catalogue_record: state 9 or id 0",
                 f0t_catalogue_put(NULL, c, &r));
    r = a_record();
    r.keywords = &none;
    r.keyword_count = 1;
    assert_fails(F0T_ERROR_ARGUMENT, "keyword 0 is NULL", f0t_catalogue_put(NULL, c, &r));
    r = a_record();
    r.suggestions = &no_tag;
    r.suggestion_count = 1;
    assert_fails(F0T_ERROR_ARGUMENT, "suggestion 0 is NULL", f0t_catalogue_put(NULL, c, &r));
    r = a_record();
    r.features = numbers;
    r.dim = 4;
    assert_fails(F0T_ERROR_ARGUMENT, "features, but the catalogue has no backbone",
                 f0t_catalogue_put(NULL, c, &r));
    assert_ok(f0t_catalogue_set_backbone(c, "{}"));
    r.dim = SIZE_MAX / 8;
    assert_fails(F0T_ERROR_ARGUMENT, " numbers of features", f0t_catalogue_put(NULL, c, &r));
    f0t_catalogue_close(c);
}

/* ---- Damage ------------------------------------------------------------------------------------------ */

/* Two pictures with a keyword and features, of which the second was written. */
static f0t_catalogue *fill(const char *name)
{
    const f0t_catalogue_keyword keyword = {.keyword = "dog", .source = F0T_KEYWORD_XMP};
    f0t_catalogue *c = fresh_catalogue(name);
    f0t_catalogue_record r = a_record();
    assert_ok(f0t_catalogue_set_backbone(c, "{\"name\": \"builtin\"}"));
    r.keywords = &keyword;
    r.keyword_count = 1;
    r.features = numbers;
    r.dim = 4;
    assert_ok(f0t_catalogue_put(NULL, c, &r));
    r.picture.path = "/b.jpg";
    assert_ok(f0t_catalogue_put(NULL, c, &r));
    return c;
}

static f0t_status get_picture(f0t_catalogue *c)
{
    f0t_catalogue_pictures *pictures = NULL;
    f0t_status status = f0t_catalogue_get(&pictures, c, 1);
    f0t_catalogue_pictures_free(pictures);
    return status;
}

static f0t_status get_features(f0t_catalogue *c)
{
    float room[4];
    size_t dim;
    return f0t_catalogue_get_features(room, &dim, 4, c, 1);
}

static f0t_status get_tags(f0t_catalogue *c)
{
    f0t_catalogue_tags *tags = NULL;
    f0t_status status = f0t_catalogue_get_tags(&tags, c, 1);
    f0t_catalogue_tags_free(tags);
    return status;
}

static f0t_status open_dataset(f0t_catalogue *c)
{
    f0t_dataset *dataset;
    F0T_TRY(f0t_catalogue_open_dataset(&dataset, c, NULL, NULL));
    f0t_dataset_close(dataset);
    return F0T_OK;
}

static f0t_status undo_writing(f0t_catalogue *c)
{
    f0t_catalogue_write_options options = F0T_CATALOGUE_WRITE_OPTIONS;
    options.undo = true;
    return f0t_catalogue_write(c, &options, NULL, NULL, NULL);
}

#define DECIDED(decision)                                                                      \
    "UPDATE decisions SET current = 0;"                                                        \
    "INSERT INTO decisions(picture, tag, decision, who, at, current) SELECT 1, id, " #decision \
    ", 'ann', 0, 1 FROM tags LIMIT 1"

static f0t_status undo(f0t_catalogue *c)
{
    f0t_catalogue_undone undone = {.size = sizeof undone};
    return f0t_catalogue_undo(&undone, c, NULL);
}

static const struct {
    const char *sql;
    f0t_status (*use)(f0t_catalogue *c);
    f0t_status status;
    const char *message;
} DAMAGE[] = {
    {"UPDATE pictures SET state = 9", get_picture, F0T_ERROR_FORMAT,
     "is damaged: picture 1 has the state 9"},
    {"UPDATE features SET data = x'010203'", get_features, F0T_ERROR_FORMAT,
     "is damaged: numbers of a picture have 3 bytes"},
    {"UPDATE features SET data = x'007C'", get_features, F0T_ERROR_FORMAT,
     "is damaged: numbers of a picture hold NaN or infinity"},
    {"UPDATE features SET data = x'00000000000000000000'", get_features, F0T_ERROR_ARGUMENT,
     "room for 4 numbers of a picture, it has 5"},
    {"UPDATE keywords SET source = 9", get_tags, F0T_ERROR_FORMAT,
     "is damaged: no keyword source 9 or decision 0"},
    {"UPDATE features SET data = x'0000' WHERE picture = 2", open_dataset, F0T_ERROR_FORMAT,
     "is damaged: features of a picture have 2 bytes"},
    {"DELETE FROM keywords", open_dataset, F0T_ERROR_NOT_FOUND,
     "has no picture that somebody has tagged: nothing to learn from"},
    {"INSERT INTO writes(run, picture, how, before, at) VALUES (1, 1, 9, '', 0)", undo_writing,
     F0T_ERROR_FORMAT, "is damaged: no way 9 to write"},
    {"INSERT INTO writes(run, picture, how, before, at) VALUES (9223372036854775807, 1, 0, '', 0)",
     undo_writing, F0T_ERROR_FORMAT, "is damaged: no run after 9223372036854775807"},
    {DECIDED(9), undo, F0T_ERROR_FORMAT, "is damaged: no decision 9"},
    {DECIDED(-1) ";" DECIDED(1), undo, F0T_ERROR_FORMAT, "is damaged: no decision -1"},
    {DECIDED(1) "; UPDATE decisions SET step = 99", undo, F0T_ERROR_FORMAT,
     "is damaged: no decision begins with 99"},
};

static void execute(const char *path, const char *sql)
{
    sqlite3 *db;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(db);
}

static void altered_numbers_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof DAMAGE / sizeof *DAMAGE; i++) {
        f0t_catalogue *c = fill("damaged");
        execute(f0t_catalogue_path(c), DAMAGE[i].sql);
        assert_fails(DAMAGE[i].status, DAMAGE[i].message, DAMAGE[i].use(c));
        f0t_catalogue_close(c);
    }
}

static f0t_status open_and_look(const char *path)
{
    f0t_catalogue *c;
    F0T_TRY(f0t_catalogue_open(&c, path, NULL));
    f0t_status status = get_picture(c);
    f0t_catalogue_close(c);
    return status;
}

static void a_file_written_over_is_damaged(void **state)
{
    f0t_catalogue *c = fill("over");
    char *path, *bytes;
    size_t size;
    (void)state;
    assert_ok(f0t_string_copy(&path, f0t_catalogue_path(c), strlen(f0t_catalogue_path(c))));
    f0t_catalogue_close(c);
    assert_ok(open_and_look(path));
    bytes = test_read(path, &size);
    memset(bytes + 4096, 0xAA, size - 4096);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_fails(F0T_ERROR_FORMAT,
                 " is damaged; use a copy of it, or index the pictures into a new one",
                 open_and_look(path));
    f0t_free(bytes);
    f0t_free(path);
}

/* ---- Options ----------------------------------------------------------------------------------------- */

static void searches_are_checked(void **state)
{
    f0t_catalogue *c = fill("searched");
    f0t_finder *finder;
    f0t_query *query;
    f0t_find_results *found = NULL;
    f0t_find_options options = F0T_FIND_OPTIONS;
    (void)state;
    assert_ok(f0t_finder_open(&finder, c, NULL, NULL));
    assert_ok(f0t_query_parse(&query, "dog"));
    options.confidence = 2;
    assert_fails(F0T_ERROR_ARGUMENT, "the confidence is 2; from 0 to 1 is expected",
                 f0t_finder_run(&found, finder, query, &options, NULL));
    options.confidence = 0;
    options.like = "/a.jpg";
    assert_fails(F0T_ERROR_NOT_FOUND, "has no model, which tells what pictures are like",
                 f0t_finder_run(&found, finder, NULL, &options, NULL));
    f0t_query_free(query);
    f0t_finder_close(finder);
    f0t_catalogue_close(c);
}

static void only_folders_are_watched(void **state)
{
    const char *file = test_text("file.jpg", "x");
    f0t_catalogue *c = fresh_catalogue("watched");
    f0t_index_options options = F0T_INDEX_OPTIONS;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "is no folder, and only folders can be watched",
                 f0t_catalogue_watch(c, &file, 1, &options, NULL));
    options.settle = -1;
    assert_fails(F0T_ERROR_ARGUMENT, "settle is -1; from 0 to 3600 is expected",
                 f0t_catalogue_watch(c, &file, 1, &options, NULL));
    f0t_catalogue_close(c);
}

static void a_model_that_is_gone_is_named(void **state)
{
    f0t_catalogue *c = fresh_catalogue("modelled");
    f0t_index_options options = F0T_INDEX_OPTIONS;
    (void)state;
    options.model = test_path("none.f0t");
    assert_fails(F0T_ERROR_NOT_FOUND, "the model ",
                 f0t_catalogue_index(NULL, c, NULL, 0, &options, NULL));
    assert_ok(f0t_catalogue_set_model(c, "/nowhere/m.f0t", 7));
    options.model = NULL;
    assert_fails(F0T_ERROR_NOT_FOUND,
                 "the model of this catalogue, /nowhere/m.f0t, is not there; name one with --model",
                 f0t_catalogue_index(NULL, c, NULL, 0, &options, NULL));
    f0t_catalogue_close(c);
}

static void a_folder_that_cannot_be_made_is_named(void **state)
{
    f0t_catalogue *c;
    f0t_catalogue_options options = F0T_CATALOGUE_OPTIONS;
    char path[4096];
    (void)state;
    options.mode = F0T_CATALOGUE_CREATE;
    snprintf(path, sizeof path, "%s/none/c", test_text("a file", "x"));
    assert_fails(F0T_ERROR_IO, "cannot make ", f0t_catalogue_open(&c, path, &options));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_checked),
        cmocka_unit_test(altered_numbers_are_refused),
        cmocka_unit_test(a_file_written_over_is_damaged),
        cmocka_unit_test(searches_are_checked),
        cmocka_unit_test(only_folders_are_watched),
        cmocka_unit_test(a_model_that_is_gone_is_named),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
