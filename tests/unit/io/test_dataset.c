#include "support.h"

#include "io/npy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A fresh directory; files are put in with put(). */
static char folder[64];

static const char *start(void)
{
    static int count;
    snprintf(folder, sizeof folder, "dataset-%d", count++);
    const char *path = test_path(folder);
    mkdir(path, 0777);
    return path;
}

static void put_bytes(const char *name, const void *data, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    test_file(path, data, size);
}

static void put(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

static void put_features(const char *name, const float *rows, size_t count, size_t dim)
{
    char path[128];
    f0t_npy_writer *npy;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_ok(f0t_npy_create(&npy, test_path(path), F0T_F32, dim));
    assert_ok(f0t_npy_write_rows(npy, rows, count));
    assert_ok(f0t_npy_commit(npy));
}

static f0t_status try_open(void)
{
    f0t_dataset *dataset;
    f0t_status status = f0t_dataset_open(&dataset, test_path(folder), NULL, NULL);
    assert_true((status == F0T_OK) == (dataset != NULL));
    f0t_dataset_close(dataset);
    return status;
}

static f0t_dataset *must_open(void)
{
    f0t_dataset *dataset;
    assert_ok(f0t_dataset_open(&dataset, test_path(folder), NULL, NULL));
    return dataset;
}

static void tags_are_numbered_as_they_appear(void **state)
{
    size_t count, t;
    (void)state;
    start();
    put("tags.txt", "dog\tcat\n\ncat\tpalm tree\n");
    f0t_dataset *d = must_open();
    assert_int_equal(f0t_dataset_image_count(d), 3);
    assert_int_equal(f0t_dataset_tag_count(d), 3);
    assert_string_equal(f0t_dataset_tag(d, 0), "dog");
    assert_string_equal(f0t_dataset_tag(d, 2), "palm tree");
    assert_true(f0t_dataset_find_tag(&t, d, "cat") && t == 1);
    assert_false(f0t_dataset_find_tag(&t, d, "ca"));
    f0t_dataset_image_tags(&count, d, 1);
    assert_int_equal(count, 0);
    const uint32_t *tags = f0t_dataset_image_tags(&count, d, 2);
    assert_true(count == 2 && tags[0] == 1 && tags[1] == 2);
    assert_int_equal(f0t_dataset_offsets(d)[3], 4);
    assert_int_equal(f0t_dataset_indices(d)[0], 0);
    assert_int_equal(f0t_dataset_dim(d), 0);
    assert_null(f0t_dataset_features_path(d));
    assert_null(f0t_dataset_image(d, 0));
    assert_null(f0t_dataset_seen(&count, d));
    assert_null(f0t_dataset_backbone(d));
    assert_string_equal(f0t_dataset_name(d), folder);
    assert_int_equal(f0t_dataset_repeats(d), 0);
    f0t_dataset_close(d);
}

static void images_may_all_be_without_tags(void **state)
{
    size_t count;
    (void)state;
    start();
    put("tags.txt", "\n\n");
    f0t_dataset *d = must_open();
    assert_int_equal(f0t_dataset_image_count(d), 2);
    assert_int_equal(f0t_dataset_tag_count(d), 0);
    f0t_dataset_image_tags(&count, d, 1);
    assert_int_equal(count, 0);
    f0t_dataset_close(d);
}

static void blanks_marks_and_line_ends_of_other_systems_do_not_matter(void **state)
{
    size_t count;
    (void)state;
    start();
    put("tags.txt", "\xEF\xBB\xBF dog \tcat\r\n\t\t\r\ncat\t cat\t");
    put("split.txt", "train\r\n test \r\nval");
    put("images.txt", "a.jpg\r\nb c.jpg\r\nd.jpg");
    f0t_dataset *d = must_open();
    assert_int_equal(f0t_dataset_tag_count(d), 2);
    assert_string_equal(f0t_dataset_tag(d, 0), "dog");
    f0t_dataset_image_tags(&count, d, 2);
    assert_int_equal(count, 1);
    assert_int_equal(f0t_dataset_repeats(d), 1);
    const uint8_t *split = f0t_dataset_split(d);
    assert_true(split[0] == F0T_TRAIN && split[1] == F0T_TEST && split[2] == F0T_VAL);
    assert_true(f0t_dataset_split_is_given(d));
    assert_int_equal(f0t_dataset_split_count(d, F0T_TEST), 1);
    assert_string_equal(f0t_dataset_image(d, 1), "b c.jpg");
    f0t_dataset_close(d);
}

static void seen_and_unseen_tags_come_first(void **state)
{
    size_t count;
    (void)state;
    start();
    put("tags.txt", "zebra\tdog\tcat\n");
    put("seen.txt", "cat\n\nunicorn\n");
    put("unseen.txt", "dog\n");
    f0t_dataset *d = must_open();
    assert_string_equal(f0t_dataset_tag(d, 0), "cat");
    assert_string_equal(f0t_dataset_tag(d, 1), "unicorn");
    assert_string_equal(f0t_dataset_tag(d, 2), "dog");
    assert_string_equal(f0t_dataset_tag(d, 3), "zebra");
    const uint32_t *seen = f0t_dataset_seen(&count, d);
    assert_true(count == 2 && seen[0] == 0 && seen[1] == 1);
    assert_int_equal(f0t_dataset_unseen(&count, d)[0], 2);
    assert_int_equal(count, 1);
    f0t_dataset_close(d);
}

static void with_one_list_the_other_is_the_rest(void **state)
{
    size_t count;
    (void)state;
    start();
    put("tags.txt", "zebra\tdog\tcat\n");
    put("unseen.txt", "dog\n");
    f0t_dataset *d = must_open();
    assert_int_equal(f0t_dataset_unseen(&count, d)[0], 0);
    assert_int_equal(count, 1);
    const uint32_t *seen = f0t_dataset_seen(&count, d);
    assert_true(count == 2 && seen[0] == 1 && seen[1] == 2);
    f0t_dataset_close(d);
    put("unseen.txt", "");
    d = must_open();
    assert_non_null(f0t_dataset_unseen(&count, d));
    assert_int_equal(count, 0);
    f0t_dataset_close(d);
}

static void features_are_read_in_blocks(void **state)
{
    const float rows[] = {1, 2, 3, 4, 5, 6};
    float got[4];
    (void)state;
    start();
    put("tags.txt", "a\nb\nc\n");
    put_features("features.npy", rows, 3, 2);
    f0t_dataset *d = must_open();
    assert_int_equal(f0t_dataset_dim(d), 2);
    assert_ok(f0t_dataset_read_features(got, d, 1, 2));
    assert_memory_equal(got, rows + 2, sizeof got);
    assert_ok(f0t_dataset_read_features(got, d, 3, 0));
    assert_fails(F0T_ERROR_ARGUMENT, "it has 3", f0t_dataset_read_features(got, d, 2, 2));
    assert_fails(F0T_ERROR_ARGUMENT, "it has 3", f0t_dataset_read_features(got, d, 1, SIZE_MAX));
    f0t_dataset_close(d);
}

static void a_nan_in_the_features_is_found_with_its_row(void **state)
{
    const float rows[] = {1, 2, 3, NAN, INFINITY, 6};
    float got[6];
    (void)state;
    start();
    put("tags.txt", "a\nb\nc\n");
    put_features("features.npy", rows, 3, 2);
    f0t_dataset *d = must_open();
    assert_ok(f0t_dataset_read_features(got, d, 0, 1));
    assert_fails(F0T_ERROR_NUMERIC, "features.npy: row 1, column 1 (from 0) is NaN",
                 f0t_dataset_read_features(got, d, 0, 3));
    assert_fails(F0T_ERROR_NUMERIC, "row 2, column 0 (from 0) is infinite",
                 f0t_dataset_read_features(got, d, 2, 1));
    f0t_dataset_close(d);
}

static void a_dataset_without_features_says_so(void **state)
{
    float got[1];
    (void)state;
    start();
    put("tags.txt", "a\n");
    f0t_dataset *d = must_open();
    assert_fails(F0T_ERROR_NOT_FOUND, "has no features", f0t_dataset_read_features(got, d, 0, 1));
    f0t_dataset_close(d);
}

static void a_list_of_tags_alone_is_a_dataset(void **state)
{
    f0t_dataset *dataset;
    (void)state;
    assert_ok(f0t_dataset_open_files(&dataset, NULL, test_text("labels.txt", "sea\tsky\n\nsea\n"),
                                     NULL, NULL));
    assert_int_equal(f0t_dataset_image_count(dataset), 3);
    assert_int_equal(f0t_dataset_tag_count(dataset), 2);
    assert_int_equal(f0t_dataset_dim(dataset), 0);
    assert_null(f0t_dataset_features_path(dataset));
    assert_string_equal(f0t_dataset_name(dataset), "labels.txt");
    f0t_dataset_close(dataset);
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere.txt",
                 f0t_dataset_open_files(&dataset, NULL, test_path("nowhere.txt"), NULL, NULL));
}

static void the_json_file_names_features_elsewhere_and_keeps_the_backbone(void **state)
{
    const float rows[] = {1, 2};
    (void)state;
    start();
    put("tags.txt", "a\nb\n");
    put_features("other.npy", rows, 2, 1);
    put("dataset.json",
        "{\"name\": \"My set\", \"features\": \"other.npy\", \"backbone\": {\"name\": \"net\","
        " \"sha256\": \"00\", \"preprocessing\": {\"size\": 224}}, \"mine\": [1]}");
    f0t_dataset *d = must_open();
    assert_string_equal(f0t_dataset_name(d), "My set");
    assert_non_null(strstr(f0t_dataset_backbone(d), "\"size\":224"));
    assert_int_equal(f0t_dataset_dim(d), 1);
    assert_non_null(strstr(f0t_dataset_features_path(d), "other.npy"));
    f0t_dataset_close(d);
    put("dataset.json", "{\"features\": \"gone.npy\"}");
    assert_fails(F0T_ERROR_NOT_FOUND, "gone.npy: is not there, but", try_open());
}

static void a_wrong_json_file_is_refused(void **state)
{
    static const char *const wrong[] = {"",
                                        "[]",
                                        "{\"name\": 3}",
                                        "{\"name\": \"\"}",
                                        "{\"name\": \"a\\nb\"}",
                                        "{\"features\": {}}",
                                        "{\"backbone\": \"net\"}",
                                        "{\"name\": \"a\", \"name\": \"b\"}",
                                        "{\"name\": \"\xFF\"}",
                                        "{} x"};
    (void)state;
    start();
    put("tags.txt", "a\n");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        put("dataset.json", wrong[i]);
        assert_fails(F0T_ERROR_FORMAT, "dataset.json", try_open());
    }
}

static void files_that_disagree_are_named_with_both_numbers(void **state)
{
    const float rows[] = {1, 2};
    (void)state;
    start();
    put("tags.txt", "a\nb\nc\n");
    put("split.txt", "train\ntest\n");
    assert_fails(F0T_ERROR_MISMATCH, "split.txt has 2 lines, but tags.txt has 3", try_open());
    put("split.txt", "train\ntest\nval\nval\n");
    assert_fails(F0T_ERROR_MISMATCH, "split.txt has over 3 lines, but tags.txt has 3", try_open());
    put("split.txt", "train\ntest\nval\n");
    put("images.txt", "x\n");
    assert_fails(F0T_ERROR_MISMATCH, "images.txt has 1 lines, but tags.txt has 3", try_open());
    put("images.txt", "x\ny\nz\n");
    put_features("features.npy", rows, 2, 1);
    assert_fails(F0T_ERROR_MISMATCH, "features.npy has 2 rows, but ", try_open());
    assert_non_null(strstr(f0t_last_error(), "tags.txt has 3 images"));
}

static void put_npy_header(const char *shape)
{
    char npy[256] = "\x93NUMPY\x01";
    int n = snprintf(npy + 10, sizeof npy - 10,
                     "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }\n", shape);
    npy[8] = (char)n;
    put_bytes("features.npy", npy, 10 + (size_t)n + 4);
}

static void features_of_another_shape_are_refused(void **state)
{
    (void)state;
    start();
    put("tags.txt", "a\n");
    put_npy_header("(1,)");
    assert_fails(F0T_ERROR_FORMAT, "has 1 dimensions, images x features are expected", try_open());
    put_npy_header("(1, 1, 1)");
    assert_fails(F0T_ERROR_FORMAT, "has 3 dimensions", try_open());
    put_npy_header("(1, 1)");
    assert_ok(try_open());
}

static void wrong_lines_are_named_by_file_and_line(void **state)
{
    static const struct {
        const char *file, *text, *says;
    } wrong[] = {
        {"tags.txt", "a\nb\xFF\n", "tags.txt:2: not UTF-8"},
        {"tags.txt", "a\nb\x01\n", "tags.txt:2: a control character, UTF-8 text is expected"},
        {"tags.txt", "", "tags.txt: is empty"},
        {"split.txt", "train\nTrain\n", "split.txt:2: 'Train': train, val or test is expected"},
        {"split.txt", "train\n\n", "split.txt:2: ''"},
        {"images.txt", "x\n \n", "images.txt:2: is empty"},
        {"seen.txt", "a\nb\na\n", "seen.txt:3: 'a' is in seen.txt already"},
        {"seen.txt", "a\tb\n", "one tag per line"},
        {"unseen.txt", "c\nc\n", "unseen.txt:2: 'c' is in unseen.txt already"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        start();
        put("tags.txt", "a\nb\n");
        put(wrong[i].file, wrong[i].text);
        assert_fails(F0T_ERROR_FORMAT, wrong[i].says, try_open());
    }
}

static void a_tag_cannot_be_seen_and_unseen(void **state)
{
    (void)state;
    start();
    put("tags.txt", "a\n");
    put("seen.txt", "b\na\n");
    put("unseen.txt", "c\nb\n");
    assert_fails(F0T_ERROR_FORMAT, "unseen.txt:2: 'b' is in seen.txt already", try_open());
}

static void what_is_no_directory_is_no_dataset(void **state)
{
    f0t_dataset *d;
    (void)state;
    start();
    assert_fails(F0T_ERROR_NOT_FOUND, "it has no tags.txt", try_open());
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere", f0t_dataset_open(&d, "/nowhere", NULL, NULL));
    assert_fails(F0T_ERROR_FORMAT, "a dataset is a directory",
                 f0t_dataset_open(&d, test_text("file", "x"), NULL, NULL));
    put("tags.txt", "a\n");
    char inner[200];
    snprintf(inner, sizeof inner, "%s/split.txt", test_path(folder));
    mkdir(inner, 0777);
    assert_fails(F0T_ERROR_FORMAT, "split.txt: is a folder", try_open());
}

static void long_lines_are_read_and_long_tags_refused(void **state)
{
    enum { TAGS = 100000 };
    (void)state;
    start();
    char *line = malloc(TAGS * 8), *end = line;
    for (int i = 0; i < TAGS; i++)
        end += sprintf(end, "%d\t", i % 1000);
    put_bytes("tags.txt", line, (size_t)(end - line));
    f0t_dataset *d = must_open();
    assert_int_equal(f0t_dataset_tag_count(d), 1000);
    assert_int_equal(f0t_dataset_repeats(d), TAGS - 1000);
    f0t_dataset_close(d);
    memset(line, 'x', 2000);
    put_bytes("tags.txt", line, 2000);
    assert_fails(F0T_ERROR_FORMAT, "tags.txt:1: a tag of 2000 bytes", try_open());
    free(line);
}

static void the_seed_splits_where_no_file_does(void **state)
{
    enum { COUNT = 200 };
    char text[2 * COUNT + 1];
    uint8_t first[COUNT];
    f0t_dataset_options options;
    f0t_dataset *d;
    (void)state;
    start();
    for (int i = 0; i < COUNT; i++)
        memcpy(text + 2 * i, "a\n", 3);
    put("tags.txt", text);
    d = must_open();
    assert_false(f0t_dataset_split_is_given(d));
    assert_int_equal(f0t_dataset_split_count(d, F0T_TEST), 40);
    assert_int_equal(f0t_dataset_split_count(d, F0T_VAL), 20);
    assert_int_equal(f0t_dataset_split_count(d, F0T_TRAIN), 140);
    memcpy(first, f0t_dataset_split(d), COUNT);
    /* The same on every machine and in every version. */
    const uint8_t known[] = {1, 0, 0, 2, 2, 0, 0, 2};
    assert_memory_equal(first, known, sizeof known);
    f0t_dataset_close(d);
    options = (f0t_dataset_options)F0T_DATASET_OPTIONS;
    options.seed = 1;
    assert_ok(f0t_dataset_open(&d, test_path(folder), &options, NULL));
    assert_memory_not_equal(first, f0t_dataset_split(d), COUNT);
    f0t_dataset_close(d);
    options.test = 0.5, options.val = 0.5;
    assert_ok(f0t_dataset_open(&d, test_path(folder), &options, NULL));
    assert_int_equal(f0t_dataset_split_count(d, F0T_TRAIN), 0);
    f0t_dataset_close(d);
    options.val = 0.6;
    assert_fails(F0T_ERROR_ARGUMENT, "are no parts",
                 f0t_dataset_open(&d, test_path(folder), &options, NULL));
    options.val = NAN;
    assert_fails(F0T_ERROR_ARGUMENT, "are no parts",
                 f0t_dataset_open(&d, test_path(folder), &options, NULL));
}

static f0t_status open_again(void *context)
{
    (void)context;
    return try_open();
}

static void every_failed_allocation_is_reported(void **state)
{
    const float rows[] = {1, 2};
    (void)state;
    start();
    put("tags.txt", "a\tb\nc\n");
    put("images.txt", "x\ny\n");
    put("seen.txt", "a\n");
    put_features("f.npy", rows, 2, 1);
    put("dataset.json", "{\"features\": \"f.npy\", \"backbone\": {}}");
    test_each_fault(F0T_FAULT_ALLOC, open_again, NULL);
}

/* ---- Real data ------------------------------------------------------------------------------- */

static void flickr8k_opens(void **state)
{
    f0t_dataset *d;
    size_t seen, unseen;
    static float block[8 * 1280];
    (void)state;
    assert_ok(f0t_dataset_open(&d, test_data("flickr8k"), NULL, NULL));
    assert_int_equal(f0t_dataset_image_count(d), 8091);
    assert_int_equal(f0t_dataset_dim(d), 1280);
    assert_int_equal(f0t_dataset_tag_count(d), 226);
    f0t_dataset_seen(&seen, d);
    f0t_dataset_unseen(&unseen, d);
    assert_true(seen == 181 && unseen == 45);
    assert_int_equal(f0t_dataset_split_count(d, F0T_TRAIN), 6091);
    assert_int_equal(f0t_dataset_split_count(d, F0T_VAL), 1000);
    assert_int_equal(f0t_dataset_split_count(d, F0T_TEST), 1000);
    assert_string_equal(f0t_dataset_tag(d, 0), "man");
    assert_string_equal(f0t_dataset_image(d, 0), "thumbs/1000268201_693b08cb0e.jpg");
    for (size_t m = 0; m < 8091; m += 8)
        assert_ok(f0t_dataset_read_features(block, d, m, 8091 - m < 8 ? 8091 - m : 8));
    f0t_dataset_close(d);
}

static void nuswide81_opens(void **state)
{
    f0t_dataset *d;
    size_t empty = 0, most = 0, count;
    (void)state;
    assert_ok(f0t_dataset_open(&d, test_data("nuswide81"), NULL, NULL));
    assert_int_equal(f0t_dataset_split_count(d, F0T_TRAIN), 161789);
    assert_int_equal(f0t_dataset_split_count(d, F0T_TEST), 107859);
    assert_int_equal(f0t_dataset_dim(d), 0);
    assert_int_equal(f0t_dataset_tag_count(d), 81);
    /* Distinct rules by their bits: 81 tags fit in two words. */
    size_t images = f0t_dataset_image_count(d), used = 0, slots = 1 << 16;
    uint64_t(*table)[2] = calloc(slots, sizeof *table);
    for (size_t m = 0; m < images; m++) {
        const uint32_t *tags = f0t_dataset_image_tags(&count, d, m);
        uint64_t bits[2] = {0};
        for (size_t i = 0; i < count; i++)
            bits[tags[i] / 64] |= (uint64_t)1 << tags[i] % 64;
        empty += count == 0;
        most = count > most ? count : most;
        if (!count)
            continue;
        size_t at = (bits[0] * 0x9E3779B97F4A7C15u ^ bits[1] * 0xD2B74407B1CE6E93u) >> 48;
        while ((table[at][0] || table[at][1]) && memcmp(table[at], bits, sizeof bits) != 0)
            at = (at + 1) % slots;
        used += !table[at][0] && !table[at][1];
        memcpy(table[at], bits, sizeof bits);
    }
    free(table);
    assert_int_equal(used, 18429);
    assert_int_equal(most, 13);
    assert_int_equal(empty * 100 / images, 22);
    f0t_dataset_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_are_numbered_as_they_appear),
        cmocka_unit_test(images_may_all_be_without_tags),
        cmocka_unit_test(blanks_marks_and_line_ends_of_other_systems_do_not_matter),
        cmocka_unit_test(seen_and_unseen_tags_come_first),
        cmocka_unit_test(with_one_list_the_other_is_the_rest),
        cmocka_unit_test(features_are_read_in_blocks),
        cmocka_unit_test(a_nan_in_the_features_is_found_with_its_row),
        cmocka_unit_test(a_dataset_without_features_says_so),
        cmocka_unit_test(a_list_of_tags_alone_is_a_dataset),
        cmocka_unit_test(the_json_file_names_features_elsewhere_and_keeps_the_backbone),
        cmocka_unit_test(a_wrong_json_file_is_refused),
        cmocka_unit_test(files_that_disagree_are_named_with_both_numbers),
        cmocka_unit_test(features_of_another_shape_are_refused),
        cmocka_unit_test(wrong_lines_are_named_by_file_and_line),
        cmocka_unit_test(a_tag_cannot_be_seen_and_unseen),
        cmocka_unit_test(what_is_no_directory_is_no_dataset),
        cmocka_unit_test(long_lines_are_read_and_long_tags_refused),
        cmocka_unit_test(the_seed_splits_where_no_file_does),
        cmocka_unit_test(every_failed_allocation_is_reported),
        cmocka_unit_test(flickr8k_opens),
        cmocka_unit_test(nuswide81_opens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
