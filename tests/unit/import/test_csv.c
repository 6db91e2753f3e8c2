#include "made.h"

#define TABLE                                       \
    "path,tags,note\n"                              \
    "a.jpg,dog;cat,x\n"                             \
    "\"b,1.jpg\",\" palm  tree ;; \n;dog;dog\",y\n" \
    "sub\\c.jpg,,z\n"

static f0t_status import_text(const char *text, const f0t_import_options *options)
{
    f0t_import_options with = options ? *options : (f0t_import_options)F0T_IMPORT_OPTIONS;
    with.replace = true;
    return import_one("csv", test_text("t.csv", text), test_path("made"), &with, NULL);
}

static void tags_of_a_cell_are_separated(void **state)
{
    f0t_import_report *report;
    (void)state;
    assert_ok(import_one("csv", test_text("t.csv", TABLE), test_path("first"), NULL, &report));
    f0t_dataset *d = open_made(test_path("first"));
    assert_int_equal(f0t_dataset_image_count(d), 3);
    assert_string_equal(tags_of(d, 0), "dog|cat");
    assert_string_equal(tags_of(d, 1), "dog|palm tree");
    assert_string_equal(tags_of(d, 2), "");
    assert_string_equal(f0t_dataset_image(d, 1), "b,1.jpg");
    assert_string_equal(f0t_dataset_image(d, 2), "sub/c.jpg");
    assert_false(f0t_dataset_split_is_given(d));
    const f0t_import_dataset *made = f0t_import_report_dataset(report, 0);
    assert_int_equal(f0t_import_report_dataset_count(report), 1);
    assert_true(made->images == 3 && made->tags == 3 && made->untagged == 1 && !made->train);
    assert_int_equal(noted(report, "image has no tag"), 1);
    assert_int_equal(noted(report, "tag was on an image twice"), 1);
    f0t_import_report_free(report);
    f0t_dataset_close(d);
}

static void a_first_line_with_a_picture_is_no_header(void **state)
{
    const f0t_import_options named = {.size = sizeof(f0t_import_options), .tags_column = "sea"},
                             numbered = {.size = sizeof(f0t_import_options), .tags_column = "2"};
    f0t_dataset *d;
    (void)state;
    for (int by_number = 0; by_number < 2; by_number++) {
        f0t_import_report *report;
        assert_ok(import_one("csv", test_text("t.csv", "a.jpg,sea,tag\nb.jpg,sky,x\n"),
                             test_path(by_number ? "numbered" : "bare"),
                             by_number ? &numbered : NULL, &report));
        assert_int_equal(noted(report, "table has no header"), 1);
        f0t_import_report_free(report);
        d = open_made(test_path(by_number ? "numbered" : "bare"));
        assert_int_equal(f0t_dataset_image_count(d), 2);
        assert_string_equal(f0t_dataset_image(d, 0), "a.jpg");
        assert_string_equal(tags_of(d, 0), "sea");
        f0t_dataset_close(d);
    }
    /* Whoever names a column says that there is a header. */
    assert_ok(import_text("a.jpg,sea\nb.jpg,sky\n", &named));
    d = open_made(test_path("made"));
    assert_int_equal(f0t_dataset_image_count(d), 1);
    f0t_dataset_close(d);
}

static void columns_are_chosen_by_name_or_number(void **state)
{
    f0t_import_options by_name = {.size = sizeof(f0t_import_options),
                                  .image_column = "Photo",
                                  .tags_column = "words",
                                  .separator = ", "};
    f0t_import_options by_number = {.size = sizeof(f0t_import_options),
                                    .image_column = "3",
                                    .tags_column = "1",
                                    .no_header = true,
                                    .separator = "+"};
    f0t_dataset *d;
    (void)state;
    assert_ok(import_text("words\tx\tphoto\na, b\t0\tp1\n", &by_name));
    d = open_made(test_path("made"));
    assert_string_equal(tags_of(d, 0), "a|b");
    assert_string_equal(f0t_dataset_image(d, 0), "p1");
    f0t_dataset_close(d);
    assert_ok(import_text("a+b,x,p1\nc,x,p2\n", &by_number));
    d = open_made(test_path("made"));
    assert_int_equal(f0t_dataset_image_count(d), 2);
    assert_string_equal(tags_of(d, 1), "c");
    f0t_dataset_close(d);
    by_name.tags_column = "gone";
    assert_fails(F0T_ERROR_NOT_FOUND,
                 "has no column 'gone'; a name of the header or a number from 1 is expected",
                 import_text("words\tx\tphoto\na\t0\tp\n", &by_name));
    by_number.image_column = "4";
    assert_fails(F0T_ERROR_NOT_FOUND,
                 "has no column '4'; a number from 1 is expected where there is no header",
                 import_text("a,b,c\n", &by_number));
    by_number.image_column = "0";
    assert_fails(F0T_ERROR_NOT_FOUND, "has no column '0'", import_text("a,b,c\n", &by_number));
    by_number.image_column = "1";
    assert_fails(F0T_ERROR_ARGUMENT, "must be three columns", import_text("a,b,c\n", &by_number));
}

static void a_tag_is_no_text(void **state)
{
    char text[2000] = "id,tags\na,";
    (void)state;
    memset(text + strlen(text), 'x', 1500);
    assert_fails(F0T_ERROR_FORMAT, "a tag of 1500 bytes; is the separator right?",
                 import_text(text, NULL));
}

static void a_column_may_be_a_tag(void **state)
{
    f0t_import_options options = {.size = sizeof(f0t_import_options), .tag_columns = true};
    f0t_import_report *report;
    (void)state;
    assert_ok(import_one("csv",
                         test_text("t.csv", "id,dog,split,palm tree,none\n"
                                            "1,1,train,0,0\n2,,test,1.0,false\n"),
                         test_path("columns"), &options, &report));
    f0t_dataset *d = open_made(test_path("columns"));
    assert_string_equal(tags_of(d, 0), "dog");
    assert_string_equal(tags_of(d, 1), "palm tree");
    assert_int_equal(f0t_dataset_tag_count(d), 2);
    assert_int_equal(f0t_dataset_split(d)[1], F0T_TEST);
    assert_int_equal(noted(report, "tag is on no image and is left out"), 1);
    f0t_import_report_free(report);
    f0t_dataset_close(d);
    assert_fails(F0T_ERROR_FORMAT, "t.csv:2: column 2: 'yes': 0 or 1 is expected",
                 import_text("id,dog\n1,yes\n", &options));
    assert_fails(F0T_ERROR_FORMAT, "t.csv:1: column 2 has no name",
                 import_text("id, \n1,1\n", &options));
    options.no_header = true;
    assert_fails(F0T_ERROR_ARGUMENT, "header names the tags", import_text("1,1\n", &options));
}

static void lines_of_one_image_are_merged(void **state)
{
    f0t_import_report *report;
    (void)state;
    assert_ok(import_one("csv", test_text("t.csv", "id,tag\na,x\nb,y\na,z\na,x\n"),
                         test_path("merged"), NULL, &report));
    f0t_dataset *d = open_made(test_path("merged"));
    assert_int_equal(f0t_dataset_image_count(d), 2);
    assert_string_equal(tags_of(d, 0), "x|z");
    assert_int_equal(noted(report, "are merged"), 2);
    f0t_import_report_free(report);
    f0t_dataset_close(d);
}

static void a_split_column_is_kept(void **state)
{
    f0t_import_options options = {.size = sizeof(f0t_import_options), .split_column = "part"};
    (void)state;
    assert_ok(import_text("id,tags,part\na,x,train\nb,y,validation\nc,z,test\n", &options));
    f0t_dataset *d = open_made(test_path("made"));
    const uint8_t *split = f0t_dataset_split(d);
    assert_true(split[0] == F0T_TRAIN && split[1] == F0T_VAL && split[2] == F0T_TEST);
    f0t_dataset_close(d);
    assert_fails(F0T_ERROR_FORMAT, "t.csv:2: column 3: 'x': train, val or test",
                 import_text("id,tags,part\na,x,x\n", &options));
    assert_fails(F0T_ERROR_FORMAT, "t.csv:3: 'a' had another split before",
                 import_text("id,tags,part\na,x,train\na,y,test\n", &options));
}

static void features_are_named_or_copied(void **state)
{
    f0t_import_options options = {.size = sizeof(f0t_import_options),
                                  .features = write_npy("f.npy", 3, 10)};
    (void)state;
    assert_ok(import_text(TABLE, &options));
    f0t_dataset *d = open_made(test_path("made"));
    assert_true(feature_of(d, 2) == 12);
    f0t_dataset_close(d);
    assert_int_equal(access(test_path("made/features.npy"), F_OK), -1);
    options.copy_features = true;
    assert_ok(import_text(TABLE, &options));
    assert_int_equal(access(test_path("made/features.npy"), F_OK), 0);
    /* From the dataset that is replaced: copied, too. */
    options = (f0t_import_options){.size = sizeof(f0t_import_options),
                                   .features = test_path("made/features.npy")};
    assert_ok(import_text(TABLE, &options));
    d = open_made(test_path("made"));
    assert_true(feature_of(d, 1) == 11);
    f0t_dataset_close(d);
    options.features = write_npy("two.npy", 2, 0);
    assert_fails(F0T_ERROR_MISMATCH, "two.npy has 2 rows, but there are 3 images",
                 import_text(TABLE, &options));
}

static void a_list_of_ids_says_which_row_is_which(void **state)
{
    f0t_import_options options = {
        .size = sizeof(f0t_import_options), .features = write_npy("g.npy", 3, 0), .replace = true};
    f0t_import_report *report;
    (void)state;
    options.ids = test_text("ids.txt", "photos\\c.png\nunknown\r\na.jpg\n");
    assert_ok(import_one("csv", test_text("t.csv", TABLE), test_path("ids"), &options, &report));
    f0t_dataset *d = open_made(test_path("ids"));
    assert_int_equal(f0t_dataset_image_count(d), 2);
    assert_string_equal(f0t_dataset_image(d, 0), "sub/c.jpg");
    assert_true(feature_of(d, 0) == 0 && feature_of(d, 1) == 2);
    assert_string_equal(tags_of(d, 1), "dog|cat");
    assert_int_equal(noted(report, "image has no features"), 1);
    assert_int_equal(noted(report, "row of features belongs to no image"), 1);
    f0t_dataset_close(d);
    f0t_import_report_free(report);
    options.ids = test_text("ids.txt", "a.jpg\na.jpg\nc\n");
    assert_fails(F0T_ERROR_FORMAT, "ids.txt:2: 'a.jpg' is the image of line 1 already",
                 import_text(TABLE, &options));
    options.ids = test_text("ids.txt", "a.jpg\n");
    assert_fails(F0T_ERROR_MISMATCH, "ids.txt has 1 lines, but", import_text(TABLE, &options));
    options.ids = test_text("ids.txt", "a.jpg\nb,1.jpg\nc\nd\n");
    assert_fails(F0T_ERROR_MISMATCH, "more lines than", import_text(TABLE, &options));
    options.ids = test_text("ids.txt", "x\ny\nz\n");
    assert_fails(F0T_ERROR_MISMATCH, "no image is left", import_text(TABLE, &options));
}

static void names_of_pictures_lead_from_the_dataset_to_their_folder(void **state)
{
    f0t_import_options options = {.size = sizeof(f0t_import_options),
                                  .images = test_path("pictures")};
    (void)state;
    mkdir(test_path("pictures"), 0777);
    assert_ok(import_text("id,tags\na.jpg,x\n/abs/b.jpg,y\n", &options));
    f0t_dataset *d = open_made(test_path("made"));
    assert_string_equal(f0t_dataset_image(d, 0), "../pictures/a.jpg");
    assert_string_equal(f0t_dataset_image(d, 1), "/abs/b.jpg");
    f0t_dataset_close(d);
    options.replace = true;
    assert_ok(import_one("csv", test_text("t.csv", "id,tags\na.jpg,x\n"), test_path("made/"),
                         &options, NULL));
    d = open_made(test_path("made"));
    assert_string_equal(f0t_dataset_image(d, 0), "../pictures/a.jpg");
    f0t_dataset_close(d);
    options.images = test_path("none");
    assert_fails(F0T_ERROR_NOT_FOUND, "none", import_text("id,tags\na.jpg,x\n", &options));
}

static void name_and_backbone_are_kept(void **state)
{
    f0t_import_options options = {.size = sizeof(f0t_import_options),
                                  .name = "Mine",
                                  .backbone = test_text("b.json", "{\"a\": 1}")};
    (void)state;
    assert_ok(import_text(TABLE, &options));
    f0t_dataset *d = open_made(test_path("made"));
    assert_string_equal(f0t_dataset_name(d), "Mine");
    assert_string_equal(f0t_dataset_backbone(d), "{\"a\":1}");
    f0t_dataset_close(d);
    options.backbone = test_text("b.json", "[1]");
    assert_fails(F0T_ERROR_FORMAT, "backbone", import_text(TABLE, &options));
}

static void wrong_tables_and_options_are_refused(void **state)
{
    f0t_import_options empty = {.size = sizeof(f0t_import_options), .separator = ""},
                       sets = {.size = sizeof(f0t_import_options), .sets = "81"},
                       own = {.size = sizeof(f0t_import_options), .own_features = "x"};
    f0t_import_options ids = {.size = sizeof(f0t_import_options), .ids = "x"},
                       val = {.size = sizeof(f0t_import_options), .val = 1};
    const char *sources[] = {"a", "b"};
    f0t_import_report *report;
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "has no images", import_text("", NULL));
    assert_fails(F0T_ERROR_FORMAT, "has no images", import_text("id,tags\n", NULL));
    assert_fails(F0T_ERROR_FORMAT, "has one column", import_text("id\na\n", NULL));
    assert_fails(F0T_ERROR_FORMAT, "t.csv:3: column 1: a path or an id is expected",
                 import_text("id,tags\na,x\n,y\n", NULL));
    assert_fails(F0T_ERROR_FORMAT, "t.csv:2: column 1: a path or an id",
                 import_text("id,tags\n\"a\nb\",x\n", NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "separator of tags is empty", import_text(TABLE, &empty));
    assert_fails(F0T_ERROR_ARGUMENT, "csv does not know sets", import_text(TABLE, &sets));
    assert_fails(F0T_ERROR_ARGUMENT, "own features", import_text(TABLE, &own));
    assert_fails(F0T_ERROR_ARGUMENT, "goes with features", import_text(TABLE, &ids));
    assert_fails(F0T_ERROR_ARGUMENT, "val is 1", import_text(TABLE, &val));
    assert_fails(F0T_ERROR_ARGUMENT, "wants one file",
                 f0t_import(&report, test_path("x"), "csv", sources, 2, NULL, NULL));
    assert_fails(F0T_ERROR_ARGUMENT,
                 "no format is called 'x': nuswide, tagprop, mulan, csv, photos",
                 f0t_import(&report, test_path("x"), "x", sources, 1, NULL, NULL));
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere",
                 import_one("csv", "/nowhere", test_path("x"), NULL, NULL));
}

/* ---- Faults --------------------------------------------------------------------------------- */

static f0t_status import_again(void *context)
{
    size_t before = test_files_left();
    f0t_status status =
        import_one("csv", test_path("faults.csv"), test_path("faulty"), context, NULL);
    if (status != F0T_OK)
        assert_int_equal(test_files_left(), before);
    return status;
}

static void every_failure_leaves_nothing_behind(void **state)
{
    f0t_import_options options = {
        .size = sizeof(f0t_import_options), .features = write_npy("h.npy", 3, 0), .replace = true};
    (void)state;
    test_text("faults.csv", TABLE);
    options.ids = test_text("faults.txt", "c\na\nb,1\n");
    test_each_fault(F0T_FAULT_ALLOC, import_again, &options);
    test_each_fault(F0T_FAULT_WRITE, import_again, &options);
}

static void an_import_can_be_stopped(void **state)
{
    const volatile sig_atomic_t stop = 1;
    f0t_monitor monitor = {.stop = &stop};
    f0t_import_options options = {.size = sizeof(f0t_import_options)};
    F0T_ENTER(F0T_WATCHED(&monitor));
    (void)state;
    size_t before = test_files_left();
    assert_fails(
        F0T_ERROR_INTERRUPTED, "interrupted while reading",
        import_one("csv", test_text("t.csv", TABLE), test_path("stopped"), &options, NULL));
    assert_int_equal(test_files_left(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_of_a_cell_are_separated),
        cmocka_unit_test(a_first_line_with_a_picture_is_no_header),
        cmocka_unit_test(columns_are_chosen_by_name_or_number),
        cmocka_unit_test(a_tag_is_no_text),
        cmocka_unit_test(a_column_may_be_a_tag),
        cmocka_unit_test(lines_of_one_image_are_merged),
        cmocka_unit_test(a_split_column_is_kept),
        cmocka_unit_test(features_are_named_or_copied),
        cmocka_unit_test(a_list_of_ids_says_which_row_is_which),
        cmocka_unit_test(names_of_pictures_lead_from_the_dataset_to_their_folder),
        cmocka_unit_test(name_and_backbone_are_kept),
        cmocka_unit_test(wrong_tables_and_options_are_refused),
        cmocka_unit_test(every_failure_leaves_nothing_behind),
        cmocka_unit_test(an_import_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
