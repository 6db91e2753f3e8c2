#include "support.h"

#include <stdio.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

static void memory_is_aligned_and_may_be_of_no_elements(void **state)
{
    (void)state;
    for (size_t n = 0; n < 200; n++) {
        unsigned char *memory;
        assert_ok(f0t_alloc(&memory, n, 3));
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 64, 0);
        memset(memory, 0xFF, 3 * n);
        f0t_free(memory);
        assert_ok(f0t_alloc_zero(&memory, n, 3));
        for (size_t i = 0; i < 3 * n; i++)
            assert_int_equal(memory[i], 0);
        f0t_free(memory);
    }
    f0t_free(NULL);
}

static void sizes_that_overflow_are_refused(void **state)
{
    static const size_t sizes[][2] = {{SIZE_MAX, 1},          {SIZE_MAX, 2},      {SIZE_MAX / 2, 3},
                                      {1ul << 32, 1ul << 32}, {SIZE_MAX - 62, 1}, {PTRDIFF_MAX, 1},
                                      {3, SIZE_MAX / 2}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *memory = (char *)&memory;
        assert_fails(F0T_ERROR_MEMORY, "memory", f0t_alloc(&memory, sizes[i][0], sizes[i][1]));
        assert_null(memory);
        assert_fails(F0T_ERROR_MEMORY, "memory", f0t_alloc_zero(&memory, sizes[i][0], sizes[i][1]));
        assert_null(memory);
    }
}

static void an_array_grows_and_keeps_its_elements(void **state)
{
    (void)state;
    uint32_t *array = NULL;
    size_t capacity = 0, moves = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        size_t before = capacity;
        assert_ok(f0t_grow(&array, &capacity, i, 1, sizeof *array));
        moves += capacity != before;
        array[i] = i;
    }
    assert_true(capacity >= 10000 && capacity < 20000 && moves < 12);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(array[i], i);
    uint32_t *old = array;
    size_t held = capacity;
    assert_fails(F0T_ERROR_MEMORY, "", f0t_grow(&array, &capacity, 10000, SIZE_MAX / 2, 4));
    assert_fails(F0T_ERROR_MEMORY, " elements are too many",
                 f0t_grow(&array, &capacity, 10000, SIZE_MAX, 4));
    assert_ptr_equal(array, old);
    assert_int_equal(capacity, held);
    assert_ok(f0t_grow(&array, &capacity, 10000, 0, 4));
    assert_ptr_equal(array, old);
    f0t_free(array);
}

static void text_is_copied_with_a_zero_behind(void **state)
{
    (void)state;
    char *copy;
    assert_ok(f0t_string_copy(&copy, "palm tree", 4));
    assert_string_equal(copy, "palm");
    f0t_free(copy);
    assert_ok(f0t_string_copy(&copy, NULL, 0));
    assert_string_equal(copy, "");
    f0t_free(copy);
    assert_fails(F0T_ERROR_MEMORY, " bytes is too long", f0t_string_copy(&copy, "", SIZE_MAX));
    assert_null(copy);
}

static size_t resident_pages(void)
{
    size_t all, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%zu %zu", &all, &resident), 2);
    fclose(file);
    return resident;
}

/* What is in use stays as it is, and keeps the C library from giving back what is below it by itself. Sanitizers have
 * allocators of their own. */
static void what_was_freed_goes_back_to_the_system(void **state)
{
    enum { BLOCKS = 256, SIZE = 1 << 16, PAGE = 4096 };
    char *blocks[BLOCKS];
    (void)state;
    for (size_t i = 0; i < BLOCKS; i++) {
        assert_ok(f0t_alloc(&blocks[i], SIZE, 1));
        memset(blocks[i], 'x', SIZE);
    }
    for (size_t i = 0; i + 1 < BLOCKS; i++)
        f0t_free(blocks[i]);
    const size_t before = resident_pages();
    f0t_free_unused();
    const size_t after = resident_pages();
    assert_int_equal(blocks[BLOCKS - 1][SIZE - 1], 'x');
    f0t_free(blocks[BLOCKS - 1]);
    if (SANITIZED)
        skip();
    assert_true(after + BLOCKS / 2 * (SIZE / PAGE) <= before);
}

static void the_nth_call_fails_once(void **state)
{
    (void)state;
    void *memory;
    f0t_fault_set(F0T_FAULT_ALLOC, 3);
    for (int call = 1; call <= 5; call++) {
        f0t_status status = f0t_alloc(&memory, 1, 1);
        assert_int_equal(status, call == 3 ? F0T_ERROR_MEMORY : F0T_OK);
        assert_true((memory == NULL) == (call == 3));
        f0t_free(memory);
    }
    assert_int_equal(f0t_fault_count(F0T_FAULT_ALLOC), 5);
    assert_int_equal(f0t_fault_count(F0T_FAULT_WRITE), 0);
    assert_false(f0t_fault_hit(F0T_FAULT_WRITE));
    f0t_fault_set(F0T_FAULT_ALLOC, 0);
    for (int call = 0; call < 5; call++)
        assert_false(f0t_fault_hit(F0T_FAULT_ALLOC));
    assert_int_equal(f0t_fault_count(F0T_FAULT_ALLOC), 5);
    f0t_fault_set(F0T_FAULT_ALLOC, 1);
    assert_int_equal(f0t_fault_count(F0T_FAULT_ALLOC), 0);
    assert_true(f0t_fault_hit(F0T_FAULT_ALLOC));
    f0t_fault_set(F0T_FAULT_ALLOC, 0);
}

static void a_failed_growth_leaves_the_array(void **state)
{
    (void)state;
    int *array = NULL;
    size_t capacity = 0;
    assert_ok(f0t_grow(&array, &capacity, 0, 1, sizeof *array));
    array[0] = 7;
    f0t_fault_set(F0T_FAULT_ALLOC, 1);
    assert_fails(F0T_ERROR_MEMORY, "no memory",
                 f0t_grow(&array, &capacity, 1, 1000, sizeof *array));
    f0t_fault_set(F0T_FAULT_ALLOC, 0);
    assert_int_equal(array[0], 7);
    assert_true(capacity < 1000);
    f0t_free(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_aligned_and_may_be_of_no_elements),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(an_array_grows_and_keeps_its_elements),
        cmocka_unit_test(text_is_copied_with_a_zero_behind),
        cmocka_unit_test(what_was_freed_goes_back_to_the_system),
        cmocka_unit_test(the_nth_call_fails_once),
        cmocka_unit_test(a_failed_growth_leaves_the_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
