#include "support.h"

#include "io/npy.h"

#include <stdio.h>

static const char *matrix(void)
{
    const float rows[6] = {1, 2, 3, 4, 5, 6};
    const char *path = test_path("matrix.npy");
    f0t_npy_writer *w;
    assert_ok(f0t_npy_create(&w, path, F0T_F16, 2));
    assert_ok(f0t_npy_write_rows(w, rows, 3));
    assert_ok(f0t_npy_commit(w));
    return path;
}

static void a_matrix_has_rows_and_no_names(void **state)
{
    f0t_features *f;
    float row[4];
    (void)state;
    assert_ok(f0t_features_open(&f, matrix(), NULL));
    assert_int_equal(f0t_features_count(f), 3);
    assert_int_equal(f0t_features_dim(f), 2);
    assert_ok(f0t_features_read(row, f, 1, 2));
    assert_true(row[0] == 3 && row[3] == 6);
    assert_null(f0t_features_image(f, 0));
    assert_null(f0t_features_split(f));
    f0t_features_close(f);
}

static void a_dataset_gives_names_and_parts(void **state)
{
    const char *tags[] = {"dog"};
    const float x[2] = {7, 8};
    f0t_dataset_info info = {.size = sizeof(f0t_dataset_info), .dim = 2};
    f0t_dataset_row row = {.size = sizeof(f0t_dataset_row),
                           .image = "a.jpg",
                           .tags = tags,
                           .tag_count = 1,
                           .has_split = true,
                           .split = F0T_TEST,
                           .features = x};
    f0t_dataset_writer *w;
    f0t_features *f;
    float read[2];
    (void)state;
    assert_ok(f0t_dataset_create(&w, test_path("photos"), &info));
    assert_ok(f0t_dataset_write(w, &row));
    assert_ok(f0t_dataset_commit(w));
    assert_ok(f0t_features_open(&f, test_path("photos"), NULL));
    assert_string_equal(f0t_features_image(f, 0), "a.jpg");
    assert_int_equal(f0t_features_split(f)[0], F0T_TEST);
    assert_ok(f0t_features_read(read, f, 0, 1));
    assert_true(read[1] == 8);
    f0t_features_close(f);
}

static void what_has_no_features_is_refused(void **state)
{
    f0t_features *f;
    const char *tags[] = {"dog"};
    f0t_dataset_info info = F0T_DATASET_INFO;
    f0t_dataset_row row = {.size = sizeof(f0t_dataset_row), .tags = tags, .tag_count = 1};
    f0t_dataset_writer *w;
    (void)state;
    assert_ok(f0t_dataset_create(&w, test_path("bare"), &info));
    assert_ok(f0t_dataset_write(w, &row));
    assert_ok(f0t_dataset_commit(w));
    assert_fails(F0T_ERROR_FORMAT, "has no features",
                 f0t_features_open(&f, test_path("bare"), NULL));
    assert_fails(F0T_ERROR_NOT_FOUND, "absent", f0t_features_open(&f, test_path("absent"), NULL));
    assert_int_equal(f0t_features_open(&f, test_text("text", "no matrix"), NULL), F0T_ERROR_FORMAT);
    assert_null(f);
}

static f0t_status open_and_read(void *path)
{
    f0t_features *f;
    float row[2];
    F0T_TRY(f0t_features_open(&f, path, NULL));
    f0t_status status = f0t_features_read(row, f, 0, 1);
    f0t_features_close(f);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    char path[256];
    (void)state;
    snprintf(path, sizeof path, "%s", matrix());
    test_each_fault(F0T_FAULT_ALLOC, open_and_read, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_has_rows_and_no_names),
        cmocka_unit_test(a_dataset_gives_names_and_parts),
        cmocka_unit_test(what_has_no_features_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
