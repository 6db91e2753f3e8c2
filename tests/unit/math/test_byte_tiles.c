/* Sums of products of bytes are whole numbers: tiles give the same ones as a loop. */
#include "support.h"

#include "base/random.h"
#include "math/byte_tiles.h"
#include "math/tiles.h"

#include <string.h>

enum { ROWS = 80, BLOCKS = 5, GROUPS = 40, SIDE = F0T_BYTE_TILE_SIDE, STRIDE = BLOCKS * SIDE + 3 };
enum { UNTOUCHED = 12345 };

static int8_t a[ROWS * GROUPS * 4 * 2];
static uint8_t b[BLOCKS * GROUPS * SIDE * 4];
static int32_t c[ROWS * STRIDE];

static void fill(size_t rows, size_t depth, size_t k)
{
    const f0t_random random = {.seed = 5};
    for (size_t i = 0; i < sizeof b; i++)
        b[i] = i % 7 ? (uint8_t)f0t_random_below(&random, i, 256) : 255;
    for (size_t i = 0; i < rows * depth; i++)
        a[i] = i % depth >= k ? 0
               : i % 5        ? (int8_t)((int)f0t_random_below(&random, i, 256) - 128)
                              : -128;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        c[i] = UNTOUCHED;
}

static int32_t sum_of(size_t row, size_t column, size_t depth, size_t groups)
{
    int32_t sum = 0;
    for (size_t k = 0; k < groups * 4; k++)
        sum += a[row * depth + k] *
               b[((column / SIDE * groups + k / 4) * SIDE + column % SIDE) * 4 + k % 4];
    return sum;
}

static void check(size_t rows, size_t groups, size_t blocks)
{
    const size_t depth = f0t_byte_tile_depth(groups * 4);
    fill(rows, depth, groups * 4);
    f0t_byte_tiles_run(c, STRIDE, a, depth, rows, b, groups, blocks);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < STRIDE; j++)
            assert_int_equal(c[i * STRIDE + j], i < rows && j < blocks * SIDE
                                                    ? sum_of(i, j, depth, groups)
                                                    : UNTOUCHED);
}

static void every_shape_has_the_sums_of_a_loop(void **state)
{
    (void)state;
    if (!f0t_tiles_take_bytes())
        test_skip("this CPU has no AMX tiles for bytes, or F0T_MAX_CPU is set");
    for (size_t rows = SIDE; rows <= ROWS; rows += SIDE)
        for (size_t blocks = 1; blocks <= BLOCKS; blocks++)
            for (size_t groups = 1; groups <= GROUPS; groups += 13 - groups % 2)
                check(rows, groups, blocks);
    check(ROWS, 16, BLOCKS);
    check(ROWS, 32, BLOCKS);
}

static void depths_are_whole_tiles(void **state)
{
    (void)state;
    assert_int_equal(f0t_byte_tile_depth(1), 64);
    assert_int_equal(f0t_byte_tile_depth(64), 64);
    assert_int_equal(f0t_byte_tile_depth(65), 128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_has_the_sums_of_a_loop),
        cmocka_unit_test(depths_are_whole_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
