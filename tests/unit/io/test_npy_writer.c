#include "support.h"

#include "base/dtype.h"
#include "io/npy.h"

#include <string.h>

enum { ROWS = 700, COLS = 9 };

typedef struct job {
    const char *path;
    f0t_dtype dtype;
    const float *numbers;
    size_t step; /* rows a call */
} job;

static f0t_status save(void *context)
{
    const job *j = context;
    f0t_npy_writer *writer;
    F0T_TRY(f0t_npy_create(&writer, j->path, j->dtype, COLS));
    for (size_t row = 0, part; row < ROWS; row += part) {
        part = ROWS - row < j->step ? ROWS - row : j->step;
        f0t_status status = f0t_npy_write_rows(writer, j->numbers + row * COLS, part);
        if (status != F0T_OK) {
            f0t_npy_abort(writer);
            return status;
        }
    }
    return f0t_npy_commit(writer);
}

static void what_is_written_is_read_back(void **state)
{
    static const f0t_dtype types[] = {F0T_F32, F0T_F16, F0T_F64};
    static const size_t steps[] = {1, 13, ROWS};
    static float numbers[ROWS * COLS], got[ROWS * COLS];
    (void)state;
    test_random_floats(numbers, ROWS * COLS, 1);
    for (size_t t = 0; t < 3; t++)
        for (size_t s = 0; s < 3; s++) {
            job j = {test_path("w.npy"), types[t], numbers, steps[s]};
            f0t_npy *npy;
            size_t rows, cols;
            assert_ok(save(&j));
            assert_ok(f0t_npy_open(&npy, j.path));
            assert_ok(f0t_npy_matrix(&rows, &cols, npy));
            assert_int_equal(rows, ROWS);
            assert_int_equal(cols, COLS);
            assert_int_equal(f0t_npy_dtype(npy), types[t]);
            assert_int_equal(f0t_npy_version(npy), 1);
            assert_non_null(f0t_npy_data(npy));
            assert_int_equal((uintptr_t)f0t_npy_data(npy) % 64, 0);
            assert_ok(f0t_npy_read_rows(got, npy, 0, ROWS));
            for (size_t i = 0; i < ROWS * COLS; i++)
                assert_true(got[i] == (types[t] == F0T_F16
                                           ? f0t_f16_to_f32_ref(f0t_f32_to_f16_ref(numbers[i]))
                                           : numbers[i]));
            f0t_npy_close(npy);
        }
}

static void a_file_without_rows_and_one_with_a_huge_width_are_valid(void **state)
{
    (void)state;
    f0t_npy_writer *writer;
    f0t_npy *npy;
    const char *path = test_path("empty.npy");
    assert_ok(f0t_npy_create(&writer, path, F0T_F32, 123456789012345678));
    assert_ok(f0t_npy_write_rows(writer, NULL, 0));
    assert_fails(F0T_ERROR_ARGUMENT, "numbers are too many",
                 f0t_npy_write_rows(writer, NULL, SIZE_MAX / 2));
    assert_ok(f0t_npy_commit(writer));
    assert_ok(f0t_npy_open(&npy, path));
    assert_int_equal(f0t_npy_count(npy), 0);
    assert_int_equal(f0t_npy_shape(npy)[1], 123456789012345678);
    f0t_npy_close(npy);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    f0t_npy_writer *writer;
    const char *path = test_path("wrong.npy");
    size_t left = test_files_left();
    assert_fails(F0T_ERROR_ARGUMENT, "npy files are written as float16, 32 or 64",
                 f0t_npy_create(&writer, path, F0T_BF16, 3));
    assert_null(writer);
    assert_fails(F0T_ERROR_ARGUMENT, "a matrix without columns",
                 f0t_npy_create(&writer, path, F0T_F32, 0));
    assert_fails(F0T_ERROR_NOT_FOUND, "no/a.npy",
                 f0t_npy_create(&writer, test_path("no/a.npy"), F0T_F32, 3));
    f0t_npy_abort(NULL);
    assert_int_equal(test_files_left(), left);
}

static void a_failed_save_leaves_the_old_file(void **state)
{
    static float numbers[ROWS * COLS];
    (void)state;
    job j = {test_text("old.npy", "old"), F0T_F16, numbers, 5};
    size_t left = test_files_left(), size;
    for (int kind = 0; kind < F0T_FAULT_KINDS; kind++) {
        test_text("old.npy", "old");
        for (uint64_t nth = 1;; nth++) {
            f0t_fault_set((f0t_fault)kind, nth);
            f0t_status status = save(&j);
            f0t_fault_set((f0t_fault)kind, 0);
            if (status == F0T_OK)
                break;
            char *text = test_read(j.path, &size);
            assert_string_equal(text, "old");
            f0t_free(text);
            assert_int_equal(test_files_left(), left);
        }
    }
    test_each_fault(F0T_FAULT_ALLOC, save, &j);
    test_each_fault(F0T_FAULT_WRITE, save, &j);
    assert_int_equal(test_files_left(), left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(a_file_without_rows_and_one_with_a_huge_width_are_valid),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(a_failed_save_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
