#include "made.h"

static void put(const char *name, const void *data, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "release/%s", name);
    test_file(path, data, size);
}

static void put_text(const char *name, const char *text)
{
    put(name, text, strlen(text));
}

/* Three words, three train images, one test image, features of 2 and 1 values. */
static const char *make_release(void)
{
    static const uint16_t train[] = {3, 1, 0, 1, 3, 0, 0, 0, 3, 0, 1, 0}, test[] = {3, 0, 0, 1};
    static const uint16_t sift_train[] = {2, 1, 2, 2, 3, 4, 2, 5, 6}, sift_test[] = {2, 7, 8};
    float gist_train[6] = {0, 0.5f, 0, 1.5f, 0, 2.5f}, gist_test[2] = {0, 3.5f};
    const uint32_t one = 1;
    for (size_t i = 0; i < 6; i += 2)
        memcpy(&gist_train[i], &one, 4);
    memcpy(&gist_test[0], &one, 4);
    mkdir(test_path("release"), 0777);
    put_text("tiny_dictionary.txt", "sea\r\nsky\r\npalm tree\r\n");
    put_text("tiny_train_list.txt", "00/25\n01/1000\n01/1001\n");
    put_text("tiny_test_list.txt", "02/2\n");
    put("tiny_train_annot.hvecs", train, sizeof train);
    put("tiny_test_annot.hvecs", test, sizeof test);
    put("tiny_train_DenseSift.hvecs", sift_train, sizeof sift_train);
    put("tiny_test_DenseSift.hvecs", sift_test, sizeof sift_test);
    put("tiny_train_Gist.fvec", gist_train, sizeof gist_train);
    put("tiny_test_Gist.fvec", gist_test, sizeof gist_test);
    return test_path("release");
}

static f0t_status import_release(const f0t_import_options *options)
{
    f0t_import_options with = options ? *options : (f0t_import_options)F0T_IMPORT_OPTIONS;
    with.replace = true;
    return import_one("tagprop", test_path("release"), test_path("made"), &with, NULL);
}

static void words_lists_and_annotations_become_a_dataset(void **state)
{
    f0t_import_options options = {.size = sizeof(f0t_import_options), .val = 0.34};
    (void)state;
    make_release();
    assert_ok(import_release(&options));
    f0t_dataset *d = open_made(test_path("made"));
    assert_int_equal(f0t_dataset_image_count(d), 4);
    assert_int_equal(f0t_dataset_dim(d), 0);
    assert_string_equal(tags_of(d, 0), "sea|palm tree");
    assert_string_equal(tags_of(d, 1), "");
    assert_string_equal(tags_of(d, 3), "palm tree");
    assert_string_equal(f0t_dataset_image(d, 3), "02/2");
    assert_int_equal(f0t_dataset_split_count(d, F0T_TRAIN), 2);
    assert_int_equal(f0t_dataset_split_count(d, F0T_VAL), 1);
    assert_int_equal(f0t_dataset_split(d)[3], F0T_TEST);
    f0t_dataset_close(d);
}

static void own_features_stand_side_by_side(void **state)
{
    f0t_import_options options = {
        .size = sizeof(f0t_import_options), .own_features = "DenseSift, Gist", .prefix = "tiny"};
    float rows[4 * 3];
    (void)state;
    make_release();
    assert_ok(import_release(&options));
    f0t_dataset *d = open_made(test_path("made"));
    assert_int_equal(f0t_dataset_dim(d), 3);
    assert_ok(f0t_dataset_read_features(rows, d, 0, 4));
    assert_memory_equal(rows, ((float[]){1, 2, 0.5f, 3, 4, 1.5f, 5, 6, 2.5f, 7, 8, 3.5f}),
                        sizeof rows);
    f0t_dataset_close(d);
    options.own_features = "Sift";
    assert_fails(F0T_ERROR_NOT_FOUND, "tiny_train_Sift.hvecs", import_release(&options));
    options.own_features = "Gist,";
    assert_fails(F0T_ERROR_ARGUMENT, "no names of features", import_release(&options));
}

static void features_of_the_user_go_by_the_lists(void **state)
{
    f0t_import_options options = {.size = sizeof(f0t_import_options),
                                  .features = write_npy("mine.npy", 4, 5)};
    (void)state;
    make_release();
    assert_ok(import_release(&options));
    f0t_dataset *d = open_made(test_path("made"));
    assert_true(feature_of(d, 3) == 8);
    f0t_dataset_close(d);
}

static void what_does_not_fit_together_is_refused(void **state)
{
    static const uint16_t short_annotations[] = {3, 1, 0, 1}, wide[] = {2, 1, 0};
    static const uint16_t two[] = {3, 0, 0, 2}, minus[] = {3, 65535, 65535, 1};
    f0t_import_options options = {.size = sizeof(f0t_import_options), .own_features = "DenseSift"};
    (void)state;
    make_release();
    put("tiny_train_annot.hvecs", short_annotations, sizeof short_annotations);
    assert_fails(F0T_ERROR_MISMATCH, "has 3 images, but", import_release(NULL));
    make_release();
    put("tiny_test_annot.hvecs", wide, sizeof wide);
    assert_fails(F0T_ERROR_MISMATCH, "vectors of 2 values, but tiny_dictionary.txt has 3 words",
                 import_release(NULL));
    put("tiny_test_annot.hvecs", two, sizeof two);
    assert_fails(F0T_ERROR_FORMAT, "vector 0, value 2 is 2: 0 or 1", import_release(NULL));
    put("tiny_test_annot.hvecs", minus, sizeof minus);
    assert_ok(import_release(NULL));
    put("tiny_test_DenseSift.hvecs", minus, sizeof minus);
    assert_fails(F0T_ERROR_MISMATCH, "of 2 values, but", import_release(&options));
    put("tiny_test_DenseSift.hvecs", ((uint16_t[]){2, 1, 1, 2, 1, 1}), 12);
    assert_fails(F0T_ERROR_MISMATCH, "has 2 vectors, but the test list has 1 images",
                 import_release(&options));
    put_text("tiny_dictionary.txt", "sea\nsky\nsea\n");
    assert_fails(F0T_ERROR_FORMAT, "tiny_dictionary.txt:3: 'sea' is there twice",
                 import_release(NULL));
    put_text("tiny_dictionary.txt", "sea\nsky\npalm\n");
    put_text("tiny_train_list.txt", "a\n\nb\n");
    assert_fails(F0T_ERROR_FORMAT, "tiny_train_list.txt:2: a path or an id", import_release(NULL));
    put_text("other_dictionary.txt", "x\n");
    assert_fails(F0T_ERROR_ARGUMENT, "several dictionaries", import_release(NULL));
    remove(test_path("release/other_dictionary.txt"));
    remove(test_path("release/tiny_dictionary.txt"));
    assert_fails(F0T_ERROR_NOT_FOUND, "*_dictionary.txt", import_release(NULL));
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere",
                 import_one("tagprop", "/nowhere", test_path("x"), NULL, NULL));
}

static f0t_status import_again(void *context)
{
    size_t before = test_files_left();
    f0t_status status = import_release(context);
    assert_true(status == F0T_OK || test_files_left() == before);
    return status;
}

static void every_failure_leaves_nothing_behind(void **state)
{
    f0t_import_options options = {.size = sizeof(f0t_import_options),
                                  .own_features = "DenseSift,Gist"};
    (void)state;
    make_release();
    test_each_fault(F0T_FAULT_ALLOC, import_again, &options);
    test_each_fault(F0T_FAULT_WRITE, import_again, &options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_lists_and_annotations_become_a_dataset),
        cmocka_unit_test(own_features_stand_side_by_side),
        cmocka_unit_test(features_of_the_user_go_by_the_lists),
        cmocka_unit_test(what_does_not_fit_together_is_refused),
        cmocka_unit_test(every_failure_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
