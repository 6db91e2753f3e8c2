#include "support.h"

#include "io/npy.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const dog_cat[] = {"dog", "palm tree"};
static const float features[] = {0.5f, -2, 3, 4};

/* Two images with all that a dataset can have. */
static f0t_status write_rows(f0t_dataset_writer *writer)
{
    f0t_dataset_row row = {sizeof row, "a.jpg", dog_cat, 2, true, F0T_VAL, features};
    F0T_TRY(f0t_dataset_write(writer, &row));
    row = (f0t_dataset_row){sizeof row, "b.jpg", NULL, 0, true, F0T_TEST, features + 2};
    F0T_TRY(f0t_dataset_write(writer, &row));
    F0T_TRY(f0t_dataset_write_seen(writer, dog_cat, 1));
    return f0t_dataset_write_unseen(writer, dog_cat + 1, 1);
}

static f0t_status write_full(const char *path, const char *name, bool half, bool replace)
{
    f0t_dataset_info info = {.size = sizeof(f0t_dataset_info),
                             .name = name,
                             .backbone = "{\"n\": 1}",
                             .dim = 2,
                             .half = half,
                             .replace = replace};
    f0t_dataset_writer *writer;
    F0T_TRY(f0t_dataset_create(&writer, path, &info));
    f0t_status status = write_rows(writer);
    if (status == F0T_OK)
        return f0t_dataset_commit(writer);
    f0t_dataset_abort(writer);
    return status;
}

static void check_full(const char *path, const char *name)
{
    f0t_dataset *d;
    float got[4];
    size_t count;
    assert_ok(f0t_dataset_open(&d, path, NULL, NULL));
    assert_string_equal(f0t_dataset_name(d), name);
    assert_string_equal(f0t_dataset_backbone(d), "{\"n\":1}");
    assert_int_equal(f0t_dataset_image_count(d), 2);
    assert_string_equal(f0t_dataset_image(d, 1), "b.jpg");
    assert_string_equal(f0t_dataset_tag(d, 1), "palm tree");
    f0t_dataset_image_tags(&count, d, 0);
    assert_int_equal(count, 2);
    assert_true(f0t_dataset_split(d)[0] == F0T_VAL && f0t_dataset_split(d)[1] == F0T_TEST);
    assert_int_equal(f0t_dataset_unseen(&count, d)[0], 1);
    assert_ok(f0t_dataset_read_features(got, d, 0, 2));
    assert_memory_equal(got, features, sizeof got);
    f0t_dataset_close(d);
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    assert_ok(write_full(test_path("full"), "One", false, false));
    check_full(test_path("full"), "One");
    assert_ok(write_full(test_path("half/"), "Half", true, false));
    check_full(test_path("half"), "Half");
}

static void a_small_dataset_needs_no_more_than_tags(void **state)
{
    f0t_dataset_writer *writer;
    f0t_dataset *d;
    f0t_dataset_row row = {.size = sizeof(f0t_dataset_row), .tags = dog_cat, .tag_count = 1};
    (void)state;
    assert_ok(f0t_dataset_create(&writer, test_path("small"), NULL));
    assert_ok(f0t_dataset_write(writer, &row));
    assert_ok(f0t_dataset_commit(writer));
    assert_ok(f0t_dataset_open(&d, test_path("small"), NULL, NULL));
    assert_string_equal(f0t_dataset_name(d), "small");
    assert_false(f0t_dataset_split_is_given(d));
    f0t_dataset_close(d);
    assert_int_equal(access(test_path("small/dataset.json"), F_OK), -1);
}

static void nothing_is_replaced_unasked(void **state)
{
    (void)state;
    assert_ok(write_full(test_path("old"), "Old", false, false));
    assert_fails(F0T_ERROR_IO, "exists already", write_full(test_path("old"), "New", false, false));
    check_full(test_path("old"), "Old");
    assert_ok(write_full(test_path("old"), "New", false, true));
    check_full(test_path("old"), "New");
    mkdir(test_path("empty"), 0777);
    assert_ok(write_full(test_path("empty"), "E", false, false));
}

static void only_datasets_are_replaced(void **state)
{
    (void)state;
    mkdir(test_path("home"), 0777);
    test_text("home/letter.txt", "dear");
    assert_fails(F0T_ERROR_IO, "letter.txt: is no part of a dataset",
                 write_full(test_path("home"), "x", false, true));
    mkdir(test_path("lists"), 0777);
    test_text("lists/images.txt", "x");
    assert_fails(F0T_ERROR_IO, "is no dataset, and is not replaced",
                 write_full(test_path("lists"), "x", false, true));
    assert_fails(F0T_ERROR_IO, "is a file", write_full(test_text("f", "x"), "x", false, true));
    assert_fails(F0T_ERROR_ARGUMENT, "a new directory", write_full("..", "x", false, true));
    assert_fails(F0T_ERROR_ARGUMENT, "a new directory", write_full("/", "x", false, true));
    assert_fails(F0T_ERROR_NOT_FOUND, "cannot be made",
                 write_full(test_path("no/such"), "x", false, true));
    assert_int_equal(access(test_path("home/letter.txt"), F_OK), 0);
}

static void of_a_link_the_target_is_replaced(void **state)
{
    struct stat info;
    (void)state;
    assert_ok(write_full(test_path("target"), "Old", false, false));
    assert_int_equal(symlink("target", test_path("link")), 0);
    assert_ok(write_full(test_path("link"), "New", false, true));
    assert_int_equal(lstat(test_path("link"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    check_full(test_path("target"), "New");
}

static void an_aborted_write_leaves_nothing(void **state)
{
    f0t_dataset_writer *writer;
    f0t_dataset_info info = {.size = sizeof(f0t_dataset_info), .dim = 2};
    f0t_dataset_row row = {sizeof row, "a", dog_cat, 1, false, F0T_TRAIN, features};
    (void)state;
    size_t before = test_files_left();
    assert_ok(f0t_dataset_create(&writer, test_path("gone"), &info));
    assert_ok(f0t_dataset_write(writer, &row));
    f0t_dataset_abort(writer);
    f0t_dataset_abort(NULL);
    assert_int_equal(test_files_left(), before);
}

static f0t_status write_one(const f0t_dataset_row *row)
{
    f0t_dataset_writer *writer;
    f0t_dataset_row good = {.size = sizeof(f0t_dataset_row), .tags = dog_cat, .tag_count = 1};
    F0T_TRY(f0t_dataset_create(&writer, test_path("one"), NULL));
    f0t_status status = f0t_dataset_write(writer, &good);
    if (status == F0T_OK)
        status = f0t_dataset_write(writer, row);
    f0t_dataset_abort(writer);
    return status;
}

static void what_would_be_read_as_something_else_is_refused(void **state)
{
    static const char *const wrong[] = {"", " dog", "dog ", "a\tb", "a\nb", "\xFF"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        f0t_dataset_row row = {.size = sizeof(f0t_dataset_row), .tags = wrong + i, .tag_count = 1};
        assert_fails(F0T_ERROR_ARGUMENT, "image 1: the tag '", write_one(&row));
    }
    f0t_dataset_row named = {.size = sizeof(f0t_dataset_row), .image = "x"},
                    split = {.size = sizeof split, .has_split = true, .split = F0T_TEST};
    assert_fails(F0T_ERROR_ARGUMENT, "images.txt has a line for all", write_one(&named));
    assert_fails(F0T_ERROR_ARGUMENT, "split.txt has a line for all", write_one(&split));
    split.split = (f0t_split)3;
    assert_fails(F0T_ERROR_ARGUMENT, "3 is no split", write_one(&split));
}

static void features_come_with_each_image_or_from_one_file(void **state)
{
    const f0t_dataset_info both = {.size = sizeof both, .dim = 2, .features = "there.npy"},
                           own = {.size = sizeof own, .dim = 2};
    const f0t_dataset_row row = {.size = sizeof row, .tags = dog_cat, .tag_count = 1};
    f0t_dataset_writer *writer;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "features come with the images or from there.npy, not both",
                 f0t_dataset_create(&writer, test_path("both"), &both));
    assert_ok(f0t_dataset_create(&writer, test_path("bare"), &own));
    assert_fails(F0T_ERROR_ARGUMENT, "image 0: comes without features",
                 f0t_dataset_write(writer, &row));
    f0t_dataset_abort(writer);
}

static void an_empty_dataset_is_refused(void **state)
{
    f0t_dataset_writer *writer;
    (void)state;
    size_t before = test_files_left();
    assert_ok(f0t_dataset_create(&writer, test_path("none"), NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "at least one image", f0t_dataset_commit(writer));
    assert_int_equal(test_files_left(), before);
}

static const char *make_features(const char *name, size_t rows)
{
    f0t_npy_writer *npy;
    assert_ok(f0t_npy_create(&npy, test_path(name), F0T_F32, 1));
    assert_ok(f0t_npy_write_rows(npy, features, rows));
    assert_ok(f0t_npy_commit(npy));
    return test_path(name);
}

static f0t_status write_referring(const char *path, const char *file)
{
    f0t_dataset_writer *writer;
    f0t_dataset_info info = {.size = sizeof(f0t_dataset_info), .features = file, .replace = true};
    f0t_dataset_row row = {.size = sizeof(f0t_dataset_row), .tags = dog_cat, .tag_count = 1};
    F0T_TRY(f0t_dataset_create(&writer, path, &info));
    f0t_status status = f0t_dataset_write(writer, &row);
    return status == F0T_OK ? f0t_dataset_commit(writer) : status;
}

static void features_elsewhere_are_named_relative_to_the_dataset(void **state)
{
    f0t_dataset *d;
    size_t size;
    float got;
    (void)state;
    const char *file = make_features("there.npy", 1);
    assert_ok(write_referring(test_path("refers"), file));
    char *json = test_read(test_path("refers/dataset.json"), &size);
    assert_non_null(strstr(json, "\"../there.npy\""));
    f0t_free(json);
    assert_ok(f0t_dataset_open(&d, test_path("refers"), NULL, NULL));
    assert_ok(f0t_dataset_read_features(&got, d, 0, 1));
    assert_true(got == features[0]);
    f0t_dataset_close(d);
    assert_fails(F0T_ERROR_MISMATCH, "three.npy has 3 rows, but there are 1 images",
                 write_referring(test_path("refers"), make_features("three.npy", 3)));
    assert_ok(write_full(test_path("own"), "Own", false, false));
    assert_fails(F0T_ERROR_ARGUMENT, "lies in the dataset that would be replaced",
                 write_referring(test_path("own"), test_path("own/features.npy")));
    check_full(test_path("own"), "Own");
}

static f0t_status write_new(void *context)
{
    size_t before = test_files_left();
    f0t_status status = write_full(test_path("faulty"), "New", false, true);
    if (status != F0T_OK) {
        check_full(test_path("faulty"), "Old");
        assert_int_equal(test_files_left(), before);
    }
    (void)context;
    return status;
}

static void a_failed_write_leaves_the_old_dataset(void **state)
{
    (void)state;
    assert_ok(write_full(test_path("faulty"), "Old", false, false));
    test_each_fault(F0T_FAULT_WRITE, write_new, NULL);
    check_full(test_path("faulty"), "New");
    assert_ok(write_full(test_path("faulty"), "Old", false, true));
}

/* Also while the old one is looked at, nothing may be allocated: hence no check inside. */
static f0t_status write_plain(void *context)
{
    return write_full(context, "New", false, true);
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    const char *path = test_path("memory");
    size_t before = test_files_left();
    test_each_fault(F0T_FAULT_ALLOC, write_plain, (void *)(uintptr_t)path);
    assert_int_equal(test_files_left(), before + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(a_small_dataset_needs_no_more_than_tags),
        cmocka_unit_test(nothing_is_replaced_unasked),
        cmocka_unit_test(only_datasets_are_replaced),
        cmocka_unit_test(of_a_link_the_target_is_replaced),
        cmocka_unit_test(an_aborted_write_leaves_nothing),
        cmocka_unit_test(what_would_be_read_as_something_else_is_refused),
        cmocka_unit_test(features_come_with_each_image_or_from_one_file),
        cmocka_unit_test(an_empty_dataset_is_refused),
        cmocka_unit_test(features_elsewhere_are_named_relative_to_the_dataset),
        cmocka_unit_test(a_failed_write_leaves_the_old_dataset),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
