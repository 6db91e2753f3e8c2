/* Files between NumPy and us, both ways: tests/python/npy_files.py. */
#include "support.h"

#include "base/dtype.h"
#include "io/npy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *subfolder(const char *name)
{
    const char *folder = test_path(name);
    assert_int_equal(mkdir(folder, 0700), 0);
    return folder;
}

static const char *file_in(const char *folder, const char *name, const char *suffix)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s%s", strrchr(folder, '/') + 1, name, suffix);
    return test_path(path);
}

/* Equal bit by bit; NaN equals NaN. */
static void same_floats(const float *got, const float *want, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_true((isnan(got[i]) && isnan(want[i])) || !memcmp(&got[i], &want[i], 4));
}

static void check_elements(const f0t_npy *npy, const char *raw_path)
{
    size_t size, rows, cols, step;
    if (f0t_npy_matrix(&rows, &cols, npy) != F0T_OK)
        return;
    float *raw = (float *)(void *)test_read(raw_path, &size), *got;
    assert_int_equal(size, rows * cols * sizeof *raw);
    assert_ok(f0t_alloc(&got, rows * cols, sizeof *got));
    for (step = rows ? rows : 1; step; step /= 7)
        for (size_t row = 0; row < rows; row += step) {
            size_t count = rows - row < step ? rows - row : step;
            assert_ok(f0t_npy_read_rows(got, npy, row, count));
            same_floats(got, raw + row * cols, count * cols);
        }
    f0t_free(got);
    f0t_free(raw);
}

/* NAME dtype version fortran swapped dims shape… */
static void check_line(const char *folder, char *line)
{
    char *save, *words[12] = {NULL};
    size_t count = 0;
    for (char *w = strtok_r(line, " \n", &save); w; w = strtok_r(NULL, " \n", &save))
        words[count++] = w;
    f0t_npy *npy;
    assert_ok(f0t_npy_open(&npy, file_in(folder, words[0], ".npy")));
    assert_string_equal(f0t_dtype_name(f0t_npy_dtype(npy)), words[1]);
    assert_int_equal(f0t_npy_version(npy), atoi(words[2]));
    assert_int_equal(f0t_npy_fortran(npy), atoi(words[3]));
    assert_int_equal(f0t_npy_swapped(npy), atoi(words[4]));
    assert_int_equal(f0t_npy_dims(npy), atoi(words[5]));
    for (size_t i = 0; i < f0t_npy_dims(npy); i++)
        assert_int_equal(f0t_npy_shape(npy)[i], atoi(words[6 + i]));
    bool in_place = !atoi(words[3]) && !atoi(words[4]);
    assert_true((f0t_npy_data(npy) != NULL) == in_place);
    check_elements(npy, file_in(folder, words[0], ".raw"));
    f0t_npy_close(npy);
}

static void files_of_numpy_are_read_equal(void **state)
{
    (void)state;
    const char *folder = subfolder("theirs");
    test_python("numpy", "npy_files.py", "write", folder);
    FILE *list = fopen(file_in(folder, "list", ""), "r");
    char line[300];
    size_t files = 0;
    assert_non_null(list);
    for (; fgets(line, sizeof line, list); files++)
        check_line(folder, line);
    fclose(list);
    assert_int_equal(files, 7 * 10 * 2 * 2 * 3);
}

static void save(const char *folder, const char *name, f0t_dtype dtype, size_t rows, size_t cols)
{
    float *numbers;
    f0t_npy_writer *writer;
    assert_ok(f0t_alloc(&numbers, rows * cols, sizeof *numbers));
    test_random_floats(numbers, rows * cols, rows + cols);
    static const float special[] = {NAN, INFINITY, -INFINITY, -0.0F, 1e-7F, 65520, 0x1p-149F};
    for (size_t i = 0; i < rows * cols && i < 7; i++)
        numbers[i] = special[i];
    assert_ok(f0t_npy_create(&writer, file_in(folder, name, ".npy"), dtype, cols));
    for (size_t row = 0; row < rows; row++)
        assert_ok(f0t_npy_write_rows(writer, numbers + row * cols, 1));
    assert_ok(f0t_npy_commit(writer));
    FILE *raw = fopen(file_in(folder, name, ".raw"), "wb");
    assert_non_null(raw);
    assert_int_equal(fwrite(numbers, sizeof *numbers, rows * cols, raw), rows * cols);
    fclose(raw);
    f0t_free(numbers);
}

static void our_files_are_read_by_numpy(void **state)
{
    static const size_t shapes[][2] = {{0, 1}, {0, 300}, {1, 1}, {1, 7}, {9, 1}, {100, 300}};
    static const struct {
        f0t_dtype dtype;
        const char *descr;
    } types[] = {{F0T_F16, "<f2"}, {F0T_F32, "<f4"}, {F0T_F64, "<f8"}};
    (void)state;
    const char *folder = subfolder("ours");
    FILE *list = fopen(file_in(folder, "ours", ""), "w");
    assert_non_null(list);
    for (size_t t = 0; t < 3; t++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            char name[40];
            snprintf(name, sizeof name, "o%zu-%zu", t, s);
            save(folder, name, types[t].dtype, shapes[s][0], shapes[s][1]);
            fprintf(list, "%s %s\n", name, types[t].descr);
        }
    fclose(list);
    test_python("numpy", "npy_files.py", "check", folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_numpy_are_read_equal),
        cmocka_unit_test(our_files_are_read_by_numpy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
