#include "support.h"

#include "io/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void a_file_lies_in_memory(void **state)
{
    (void)state;
    f0t_map map;
    assert_ok(f0t_map_open(&map, test_file("m", "ab\0c", 4)));
    assert_int_equal(map.size, 4);
    assert_memory_equal(map.data, "ab\0c", 4);
    f0t_map_close(&map);
    assert_int_equal(map.size, 0);
    f0t_map_close(&map);
}

static void an_empty_file_is_no_null(void **state)
{
    (void)state;
    f0t_map map;
    assert_ok(f0t_map_open(&map, test_file("empty", "", 0)));
    assert_int_equal(map.size, 0);
    assert_non_null(map.data);
    f0t_map_advise(&map, true);
    f0t_map_release(&map, 100000);
    f0t_map_close(&map);
}

static void what_is_no_file_is_refused_without_waiting(void **state)
{
    (void)state;
    f0t_map map;
    assert_fails(F0T_ERROR_NOT_FOUND, "none: No such", f0t_map_open(&map, test_path("none")));
    assert_non_null(map.data);
    f0t_map_close(&map);
    assert_fails(F0T_ERROR_FORMAT, "is a folder", f0t_map_open(&map, test_path(".")));
    assert_int_equal(mkfifo(test_path("fifo"), 0600), 0);
    assert_fails(F0T_ERROR_FORMAT, "not a regular file", f0t_map_open(&map, test_path("fifo")));
    assert_fails(F0T_ERROR_FORMAT, "not a regular file", f0t_map_open(&map, "/dev/null"));
}

static void pages_that_were_released_are_read_again(void **state)
{
    enum { SIZE = 100001 };
    (void)state;
    unsigned char *data = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (unsigned char)(i * 7 >> 2);
    f0t_map map;
    assert_ok(f0t_map_open(&map, test_file("pages", data, SIZE)));
    static const size_t upto[] = {0, 1, 4096, 50000, SIZE, SIZE_MAX};
    for (size_t i = 0; i < sizeof upto / sizeof *upto; i++) {
        f0t_map_advise(&map, i % 2 == 0);
        assert_memory_equal(map.data, data, SIZE);
        f0t_map_release(&map, upto[i]);
        assert_memory_equal(map.data, data, SIZE);
    }
    f0t_map_close(&map);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_lies_in_memory),
        cmocka_unit_test(an_empty_file_is_no_null),
        cmocka_unit_test(what_is_no_file_is_refused_without_waiting),
        cmocka_unit_test(pages_that_were_released_are_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
