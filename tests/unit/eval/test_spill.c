#include "support.h"

#include "eval/spill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 57, COLUMNS = 11 };

static float made[ROWS * COLUMNS], got[ROWS * COLUMNS];

static f0t_status write_and_read(void *context)
{
    f0t_spill spill;
    const size_t *limit = context;
    f0t_status status = f0t_spill_create(&spill, ROWS, COLUMNS, *limit);
    for (size_t first = 0; first < ROWS && status == F0T_OK; first += 10) {
        size_t count = ROWS - first < 10 ? ROWS - first : 10;
        status = f0t_spill_add(&spill, made + first * COLUMNS, count);
    }
    for (size_t first = 0; first < ROWS && status == F0T_OK; first += 7) {
        size_t count = ROWS - first < 7 ? ROWS - first : 7;
        status = f0t_spill_read(got + first * COLUMNS, &spill, first, count);
    }
    f0t_spill_free(&spill);
    return status;
}

/* All in memory, half of it, a row, nothing: the same numbers come back. */
static void rows_come_back_from_memory_and_file(void **state)
{
    static const size_t row = COLUMNS * sizeof(float);
    size_t limits[] = {ROWS * row, 25 * row + 3, row, 0};
    (void)state;
    test_random_floats(made, ROWS * COLUMNS, 3);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        memset(got, 0, sizeof got);
        assert_ok(write_and_read(&limits[i]));
        assert_memory_equal(got, made, sizeof made);
    }
}

static void every_failure_is_told(void **state)
{
    size_t limit = 20 * COLUMNS * sizeof(float);
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, write_and_read, &limit);
    test_each_fault(F0T_FAULT_WRITE, write_and_read, &limit);
}

static void a_folder_that_is_not_there_is_told(void **state)
{
    size_t limit = 0;
    (void)state;
    setenv("TMPDIR", "/nowhere/at/all", 1);
    f0t_status status = write_and_read(&limit);
    unsetenv("TMPDIR");
    assert_fails(F0T_ERROR_NOT_FOUND, "/nowhere/at/all: a temporary file", status);
}

/* Memory is what there is too little of, and /tmp may be memory. */
static void without_tmpdir_the_file_lies_on_a_disk(void **state)
{
    f0t_spill spill;
    char link[64], path[256] = "";
    (void)state;
    unsetenv("TMPDIR");
    assert_ok(f0t_spill_create(&spill, ROWS, COLUMNS, 0));
    assert_ok(f0t_spill_add(&spill, made, 1));
    snprintf(link, sizeof link, "/proc/self/fd/%d", spill.file);
    assert_true(readlink(link, path, sizeof path - 1) > 0);
    assert_memory_equal(path, "/var/tmp/", 9);
    f0t_spill_free(&spill);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_back_from_memory_and_file),
        cmocka_unit_test(every_failure_is_told),
        cmocka_unit_test(a_folder_that_is_not_there_is_told),
        cmocka_unit_test(without_tmpdir_the_file_lies_on_a_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
