/* A tree of six images in the layout of the release: backslashes, CRLF, trailing tabs and blanks. */
#include "made.h"

#include <dirent.h>
#include <ftw.h>

static void put(const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "nus/%s", name);
    test_text(path, text);
}

static void drop(const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "nus/%s", name);
    remove(test_path(path));
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    (void)info, (void)type, (void)ftw;
    return remove(path);
}

/* Concepts sky, water, dog, map; tags nature, sky, blue, dog, cat: of these sky and dog are concepts,
 * so that nature, blue and cat are seen. */
static void make_tree(void)
{
    static const char *const folders[] = {"nus",
                                          "nus/ImageList",
                                          "nus/Groundtruth",
                                          "nus/Groundtruth/AllLabels",
                                          "nus/Groundtruth/TrainTestLabels",
                                          "nus/NUS_WID_Tags",
                                          "nus/ConceptsList",
                                          "nus/Low_Level_Features"};
    nftw(test_path("nus"), remove_one, 16, FTW_DEPTH | FTW_PHYS);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        mkdir(test_path(folders[i]), 0777);
    put("ImageList/Imagelist.txt",
        "actor\\0001_11.jpg\r\nactor\\0002_22.jpg \r\nzoo\\0003_33.jpg\r\n"
        "zoo\\0004_44.jpg\r\nzoo\\0005_55.jpg\r\nzoo\\0006_66.jpg\r\n");
    put("ImageList/TrainImagelist.txt",
        "zoo\\0003_33.jpg\r\nactor\\0001_11.jpg\r\nzoo\\0006_66.jpg\r\n");
    put("ImageList/TestImagelist.txt", "zoo\\0005_55.jpg\r\nactor\\0002_22.jpg\r\n");
    put("ConceptsList/Concepts81.txt", "sky\r\nwater\r\ndog\r\nmap\r\n");
    put("Groundtruth/AllLabels/Labels_sky.txt", "1\n0\n0\n0\n1\n0\n");
    put("Groundtruth/AllLabels/Labels_water.txt", "0\r\n1\r\n0\r\n0\r\n0\r\n0\r\n");
    put("Groundtruth/AllLabels/Labels_dog.txt", "1 \n0 \n0 \n1 \n0 \n0 \n\n");
    put("Groundtruth/AllLabels/Labels_map.txt", "0\n0\n0\n0\n0\n0\n");
    put("NUS_WID_Tags/TagList1k.txt", "nature\r\nsky\r\nblue\r\ndog\r\ncat\r\n");
    put("NUS_WID_Tags/AllTags1k.txt", "1\t1\t0\t0\t0\t\n0\t0\t1\t0\t0\t \n0\t0\t0\t1\t0\t\r\n"
                                      "0\t0\t0\t0\t0\t\n0\t0\t0\t0\t1\t\n1\t0\t1\t0\t1\t\n\n");
    put("NUS_WID_Tags/Final_Tag_List.txt", "nature\nsky\nblue\ndog\ncat\nzebra\nwater\n");
    put("NUS_WID_Tags/All_Tags.txt", "11      nature sky canon \r\n22      blue water \r\n"
                                     "33      dog zebra zebra\r\n44      d40 \r\n55      cat\r\n"
                                     "66      nature blue cat \xE9t\xE9\r\n");
    put("Low_Level_Features/Normalized_CH.dat",
        "0.1 0.2 \n1.1 1.2 \n2.1 2.2 \n3.1 3.2 \n4.1 4.2 \n5.1 5.2 \n");
    put("Low_Level_Features/Train_Normalized_EDH.dat", "30 \n10 \n60 \n");
    put("Low_Level_Features/Test_Normalized_EDH.dat", "50 \n20 \n");
}

static f0t_status import_tree(const f0t_import_options *options, f0t_import_report **report)
{
    f0t_import_options with = options ? *options : (f0t_import_options)F0T_IMPORT_OPTIONS;
    with.replace = true;
    return import_one("nuswide", test_path("nus"), test_path("made"), &with, report);
}

static void check_lists(const f0t_dataset *d, size_t want_seen, size_t want_unseen)
{
    size_t seen, unseen;
    f0t_dataset_seen(&seen, d);
    f0t_dataset_unseen(&unseen, d);
    assert_int_equal(seen, want_seen);
    assert_int_equal(unseen, want_unseen);
}

static void three_datasets_are_made(void **state)
{
    f0t_import_options options = {.size = sizeof(f0t_import_options), .val = -1};
    f0t_import_report *report;
    size_t count;
    (void)state;
    make_tree();
    assert_ok(import_tree(&options, &report));
    assert_int_equal(f0t_import_report_dataset_count(report), 3);
    /* zoo/0004 is in neither list. */
    assert_int_equal(noted(report, "in neither TrainImagelist"), 1);
    assert_int_equal(noted(report, "are also concepts"), 2);
    assert_int_equal(noted(report, "are in no tag list"), 3);
    assert_int_equal(noted(report, "81: images have no tag"), 2);
    assert_int_equal(noted(report, "81: tag is on no image"), 1);
    const f0t_import_dataset *made = f0t_import_report_dataset(report, 2);
    assert_true(made->images == 5 && made->seen == 3 && made->unseen == 4 && made->tags == 7);
    assert_true(made->train == 3 && made->val == 0 && made->test == 2);
    assert_string_equal(strrchr(made->path, '/'), "/5k");
    f0t_import_report_free(report);

    f0t_dataset *d = open_made(test_path("made/81"));
    assert_string_equal(f0t_dataset_name(d), "NUS-WIDE 81");
    assert_string_equal(f0t_dataset_image(d, 0), "actor/0001_11.jpg");
    assert_string_equal(f0t_dataset_image(d, 3), "zoo/0005_55.jpg");
    assert_string_equal(tags_of(d, 0), "sky|dog");
    assert_string_equal(tags_of(d, 1), "water");
    assert_string_equal(tags_of(d, 2), "");
    assert_null(f0t_dataset_seen(&count, d));
    assert_int_equal(f0t_dataset_split(d)[1], F0T_TEST);
    f0t_dataset_close(d);

    d = open_made(test_path("made/1k"));
    check_lists(d, 3, 4);
    assert_string_equal(f0t_dataset_tag(d, 1), "blue");
    assert_string_equal(f0t_dataset_tag(d, 3), "sky");
    assert_string_equal(tags_of(d, 0), "nature|sky|dog");
    assert_string_equal(tags_of(d, 2), "");
    assert_string_equal(tags_of(d, 4), "nature|blue|cat");
    f0t_dataset_close(d);

    d = open_made(test_path("made/5k"));
    check_lists(d, 3, 4);
    assert_string_equal(tags_of(d, 0), "nature|sky");
    assert_string_equal(tags_of(d, 1), "blue|water");
    assert_string_equal(tags_of(d, 2), "dog|zebra");
    f0t_dataset_close(d);
}

static void train_and_test_files_serve_as_well(void **state)
{
    f0t_import_options options = {.size = sizeof(f0t_import_options), .val = -1};
    static const char *const concepts[] = {"sky", "water", "dog", "map"};
    char name[100];
    (void)state;
    make_tree();
    for (size_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "Groundtruth/AllLabels/Labels_%s.txt", concepts[i]);
        drop(name);
        snprintf(name, sizeof name, "Groundtruth/TrainTestLabels/Labels_%s_Train.txt", concepts[i]);
        put(name, i == 0 ? "0\n1\n0\n" : "0\n0\n0\n");
        snprintf(name, sizeof name, "Groundtruth/TrainTestLabels/Labels_%s_Test.txt", concepts[i]);
        put(name, i == 1 ? "0\n1\n" : "0\n0\n");
    }
    drop("NUS_WID_Tags/AllTags1k.txt");
    put("NUS_WID_Tags/Train_Tags1k.dat", "0 0 0 1 0 \n1 1 0 0 0 \n1 0 1 0 1 \n");
    put("NUS_WID_Tags/Test_Tags1k.dat", "0\t0\t0\t0\t1\n0\t0\t1\t0\t0\n");
    assert_ok(import_tree(&options, NULL));
    f0t_dataset *d = open_made(test_path("made/1k"));
    assert_string_equal(tags_of(d, 0), "nature|sky");
    assert_string_equal(tags_of(d, 1), "blue|water");
    assert_string_equal(tags_of(d, 3), "cat");
    assert_string_equal(tags_of(d, 4), "nature|blue|cat");
    f0t_dataset_close(d);
    /* Without any matrix the raw tags say which of the 1,000 an image has. */
    drop("NUS_WID_Tags/Train_Tags1k.dat");
    assert_ok(import_tree(&options, NULL));
    d = open_made(test_path("made/1k"));
    assert_string_equal(tags_of(d, 3), "cat");
    f0t_dataset_close(d);
}

static void names_and_places_may_differ(void **state)
{
    (void)state;
    make_tree();
    rename(test_path("nus/ConceptsList/Concepts81.txt"), test_path("nus/concepts81.TXT"));
    rename(test_path("nus/NUS_WID_Tags"), test_path("nus/tags"));
    rename(test_path("nus/ImageList"), test_path("nus/tags/imagelist"));
    drop("tags/imagelist/Imagelist.txt"); /* then train and test are all */
    rename(test_path("nus/Groundtruth/AllLabels/Labels_sky.txt"),
           test_path("nus/Groundtruth/AllLabels/labels_Sky.txt"));
    f0t_status status = import_tree(NULL, NULL);
    /* The labels are of six images, the lists now of five. */
    assert_int_equal(status, F0T_ERROR_MISMATCH);
    assert_non_null(strstr(f0t_last_error(), "has 6 lines, but its image list has 5 images"));
}

static void what_is_missing_is_left_out_or_refused(void **state)
{
    f0t_import_options all = {.size = sizeof(f0t_import_options), .sets = "81,1k,5k"},
                       one = {.size = sizeof(f0t_import_options), .sets = "81"},
                       wrong = {.size = sizeof(f0t_import_options), .sets = "82"};
    f0t_import_report *report;
    (void)state;
    make_tree();
    drop("NUS_WID_Tags/All_Tags.txt");
    assert_ok(import_tree(NULL, &report));
    assert_int_equal(f0t_import_report_dataset_count(report), 2);
    assert_int_equal(noted(report, "set is not made, there is no All_Tags.txt"), 1);
    f0t_import_report_free(report);
    assert_fails(F0T_ERROR_NOT_FOUND, "has no All_Tags.txt, which the set 5k needs",
                 import_tree(&all, NULL));
    assert_ok(import_tree(&one, &report));
    assert_int_equal(f0t_import_report_dataset_count(report), 1);
    f0t_import_report_free(report);
    assert_fails(F0T_ERROR_ARGUMENT, "sets are 81, 1k and 5k", import_tree(&wrong, NULL));
    drop("NUS_WID_Tags/TagList1k.txt");
    assert_ok(import_tree(NULL, NULL));
    drop("Groundtruth/AllLabels/Labels_map.txt");
    assert_fails(F0T_ERROR_NOT_FOUND, "Labels_map.txt", import_tree(NULL, NULL));
    drop("Groundtruth/AllLabels/Labels_sky.txt");
    assert_fails(F0T_ERROR_NOT_FOUND, "has neither Groundtruth nor tags", import_tree(NULL, NULL));
    drop("ConceptsList/Concepts81.txt");
    assert_fails(F0T_ERROR_NOT_FOUND, "Concepts81.txt", import_tree(NULL, NULL));
    drop("ImageList/TestImagelist.txt");
    assert_fails(F0T_ERROR_NOT_FOUND, "TestImagelist.txt", import_tree(NULL, NULL));
}

static void wrong_files_are_named_by_line(void **state)
{
    static const struct {
        const char *file, *text, *says;
        f0t_status status;
    } wrong[] = {
        {"ImageList/TrainImagelist.txt", "no\\1.jpg\n", "'no/1.jpg' is not in Imagelist.txt",
         F0T_ERROR_FORMAT},
        {"ImageList/TrainImagelist.txt", "zoo\\0005_55.jpg\n", "or twice", F0T_ERROR_FORMAT},
        {"ImageList/Imagelist.txt", "a\\1.jpg\na/1.jpg\n",
         "Imagelist.txt:2: 'a/1.jpg' is there twice", F0T_ERROR_FORMAT},
        {"Groundtruth/AllLabels/Labels_dog.txt", "1\n2\n", "Labels_dog.txt:2: '2'",
         F0T_ERROR_FORMAT},
        {"Groundtruth/AllLabels/Labels_dog.txt", "1\n", "has 1 lines, but", F0T_ERROR_MISMATCH},
        {"NUS_WID_Tags/AllTags1k.txt", "0\t0\t0\t0\t\n",
         "AllTags1k.txt:1: 4 columns, 5 are expected", F0T_ERROR_FORMAT},
        {"NUS_WID_Tags/AllTags1k.txt", "0\t0\t0\t0\t0\t0\n", "over 5 columns", F0T_ERROR_FORMAT},
        {"NUS_WID_Tags/AllTags1k.txt", "0\t0\t01\t0\t0\n", "column 3: 0 or 1", F0T_ERROR_FORMAT},
        {"NUS_WID_Tags/AllTags1k.txt", "0\t0\t0\t0\t0\n", "has 1 lines, but", F0T_ERROR_MISMATCH},
        {"NUS_WID_Tags/TagList1k.txt", "a\na\n", "TagList1k.txt:2: 'a' is there twice",
         F0T_ERROR_FORMAT},
        {"NUS_WID_Tags/TagList1k.txt", "a\tb\n",
         "TagList1k.txt:1: 'a?b': one word per line is expected", F0T_ERROR_FORMAT},
        {"ImageList/Imagelist.txt", "a\\1.jpg\tb\n",
         "Imagelist.txt:1: 'a/1.jpg?b': one path per line is expected", F0T_ERROR_FORMAT},
        {"ConceptsList/Concepts81.txt", "\n", "has no words", F0T_ERROR_FORMAT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        make_tree();
        put(wrong[i].file, wrong[i].text);
        assert_fails(wrong[i].status, wrong[i].says, import_tree(NULL, NULL));
    }
}

static void features_come_from_the_release(void **state)
{
    f0t_import_options options = {
        .size = sizeof(f0t_import_options), .own_features = "CH", .val = -1};
    float row[2];
    size_t size;
    (void)state;
    make_tree();
    assert_ok(import_tree(&options, NULL));
    f0t_dataset *d = open_made(test_path("made/1k"));
    assert_int_equal(f0t_dataset_dim(d), 2);
    assert_ok(f0t_dataset_read_features(row, d, 3, 1));
    assert_true(row[0] == 4.1f &&
                row[1] == 4.2f); /* the fifth line: the fourth image is left out */
    f0t_dataset_close(d);
    char *json = test_read(test_path("made/81/dataset.json"), &size);
    assert_non_null(strstr(json, "\"../features.npy\""));
    f0t_free(json);
    /* By part: the images are then in the order of the two lists. */
    options.own_features = "EDH";
    assert_ok(import_tree(&options, NULL));
    d = open_made(test_path("made/81"));
    assert_string_equal(f0t_dataset_image(d, 0), "zoo/0003_33.jpg");
    assert_string_equal(f0t_dataset_image(d, 4), "actor/0002_22.jpg");
    assert_true(feature_of(d, 0) == 30 && feature_of(d, 4) == 20);
    assert_string_equal(tags_of(d, 1), "sky|dog");
    f0t_dataset_close(d);
    options.own_features = "CH,EDH";
    assert_fails(F0T_ERROR_MISMATCH, "do not go together", import_tree(&options, NULL));
    options.own_features = "WT";
    assert_fails(F0T_ERROR_NOT_FOUND, "Normalized_WT.dat", import_tree(&options, NULL));
    options.own_features = "CH,,EDH";
    assert_fails(F0T_ERROR_ARGUMENT, "is no list of features such as CH,EDH",
                 import_tree(&options, NULL));
    options.features = "mine.npy";
    assert_fails(F0T_ERROR_ARGUMENT, "features come from mine.npy or from the release, not both",
                 import_tree(&options, NULL));
}

static void wrong_features_of_the_release_are_refused(void **state)
{
    static const struct {
        const char *text, *says;
        f0t_status status;
    } wrong[] = {
        {"1 2\n3\n", "Normalized_CH.dat:2: 1 values, but the first line has 2", F0T_ERROR_FORMAT},
        {"1 2\n3 x\n", "Normalized_CH.dat:2: value 2 is no finite number", F0T_ERROR_FORMAT},
        {"1 nan\n", "Normalized_CH.dat:1: value 2", F0T_ERROR_FORMAT},
        {"1\n2\n3\n", "has 3 lines, fewer than its image list", F0T_ERROR_MISMATCH},
        {"1\n2\n3\n4\n5\n6\n7\n", "has more lines than its image list (6)", F0T_ERROR_MISMATCH},
        {"", "has no numbers", F0T_ERROR_FORMAT},
    };
    f0t_import_options options = {.size = sizeof(f0t_import_options), .own_features = "CH"};
    (void)state;
    make_tree();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        put("Low_Level_Features/Normalized_CH.dat", wrong[i].text);
        assert_fails(wrong[i].status, wrong[i].says, import_tree(&options, NULL));
    }
}

static void features_of_the_images_one_has(void **state)
{
    f0t_import_options options = {
        .size = sizeof(f0t_import_options), .features = write_npy("four.npy", 4, 0), .val = -1};
    f0t_import_report *report;
    size_t size;
    (void)state;
    make_tree();
    assert_fails(F0T_ERROR_MISMATCH, "four.npy has 4 rows, but there are 6 images",
                 import_tree(&options, NULL));
    /* Paths from elsewhere, names and bare ids are all found by the photo's id. */
    options.ids = test_text("have.txt", "/data/Flickr/zoo/0006_66.jpg\n22\nactor\\0001_11.jpg\n"
                                        "0003_33.jpg\n");
    assert_ok(import_tree(&options, &report));
    assert_int_equal(noted(report, "images have no features"), 2);
    f0t_import_report_free(report);
    f0t_dataset *d = open_made(test_path("made/5k"));
    assert_int_equal(f0t_dataset_image_count(d), 4);
    assert_string_equal(f0t_dataset_image(d, 0), "zoo/0006_66.jpg");
    assert_string_equal(tags_of(d, 1), "blue|water");
    assert_true(feature_of(d, 3) == 3);
    f0t_dataset_close(d);
    char *json = test_read(test_path("made/1k/dataset.json"), &size);
    assert_non_null(strstr(json, "../../four.npy")); /* named, not copied */
    f0t_free(json);
    /* One that is in neither list goes, and with it its row. */
    options.ids = test_text("have.txt", "11\n44\n22\n33\n");
    assert_ok(import_tree(&options, NULL));
    d = open_made(test_path("made/81"));
    assert_int_equal(f0t_dataset_image_count(d), 3);
    assert_true(feature_of(d, 1) == 2);
    f0t_dataset_close(d);
    assert_int_equal(access(test_path("made/features.npy"), F_OK), 0);
}

static void pictures_are_named_from_within_each_dataset(void **state)
{
    f0t_import_options options = {
        .size = sizeof(f0t_import_options), .images = test_path("Flickr"), .sets = "81"};
    (void)state;
    make_tree();
    mkdir(test_path("Flickr"), 0777);
    assert_ok(import_tree(&options, NULL));
    f0t_dataset *d = open_made(test_path("made/81"));
    assert_string_equal(f0t_dataset_image(d, 0), "../../Flickr/actor/0001_11.jpg");
    f0t_dataset_close(d);
}

static void part_of_train_becomes_val_by_seed(void **state)
{
    f0t_import_options options = {.size = sizeof(f0t_import_options), .val = 0.34, .seed = 3};
    uint8_t first[5];
    (void)state;
    make_tree();
    assert_ok(import_tree(&options, NULL));
    f0t_dataset *d = open_made(test_path("made/81"));
    assert_int_equal(f0t_dataset_split_count(d, F0T_VAL), 1);
    assert_int_equal(f0t_dataset_split_count(d, F0T_TEST), 2);
    memcpy(first, f0t_dataset_split(d), 5);
    f0t_dataset_close(d);
    d = open_made(test_path("made/5k"));
    assert_memory_equal(first, f0t_dataset_split(d), 5);
    f0t_dataset_close(d);
}

static void raw_tags_are_found_by_id_where_the_order_differs(void **state)
{
    f0t_import_report *report;
    (void)state;
    make_tree();
    put("NUS_WID_Tags/All_Tags.txt", "66 zebra\n11 water\n");
    assert_ok(import_tree(NULL, &report));
    assert_int_equal(noted(report, "no line in All_Tags.txt"), 4);
    f0t_import_report_free(report);
    f0t_dataset *d = open_made(test_path("made/5k"));
    assert_string_equal(tags_of(d, 0), "nature|water");
    assert_string_equal(tags_of(d, 4), "nature|blue|cat|zebra");
    f0t_dataset_close(d);
}

static f0t_status import_again(void *context)
{
    size_t before = test_files_left();
    f0t_status status = import_tree(context, NULL);
    assert_true(status == F0T_OK || test_files_left() == before);
    return status;
}

static void every_failure_leaves_nothing_behind(void **state)
{
    /* One set each: every file that is written costs an fsync. */
    f0t_import_options own = {
        .size = sizeof(f0t_import_options), .own_features = "CH", .sets = "81"};
    f0t_import_options given = {
        .size = sizeof(f0t_import_options), .features = write_npy("given.npy", 6, 0), .sets = "5k"};
    (void)state;
    make_tree();
    given.ids = test_text("given.txt", "11\n22\n33\n44\n55\n66\n");
    test_each_fault(F0T_FAULT_ALLOC, import_again, &own);
    test_each_fault(F0T_FAULT_ALLOC, import_again, &given);
    test_each_fault(F0T_FAULT_WRITE, import_again, &own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_datasets_are_made),
        cmocka_unit_test(train_and_test_files_serve_as_well),
        cmocka_unit_test(names_and_places_may_differ),
        cmocka_unit_test(what_is_missing_is_left_out_or_refused),
        cmocka_unit_test(wrong_files_are_named_by_line),
        cmocka_unit_test(features_come_from_the_release),
        cmocka_unit_test(wrong_features_of_the_release_are_refused),
        cmocka_unit_test(features_of_the_images_one_has),
        cmocka_unit_test(pictures_are_named_from_within_each_dataset),
        cmocka_unit_test(part_of_train_becomes_val_by_seed),
        cmocka_unit_test(raw_tags_are_found_by_id_where_the_order_differs),
        cmocka_unit_test(every_failure_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
