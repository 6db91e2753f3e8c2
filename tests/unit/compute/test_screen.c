/* The screen finds what sorting all scores finds, bit by bit, whatever the rows and the directions are. */
#include "support.h"

#include "base/kernels.h"
#include "base/random.h"
#include "compute/screen.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2600, DIM_MOST = 75, DIRECTIONS = 60 };

static float rows[ROWS * DIM_MOST], directions[DIRECTIONS * DIM_MOST];
static float scores[ROWS];
static uint32_t order[ROWS], found[DIRECTIONS * ROWS];
static float found_scores[DIRECTIONS * ROWS];

/* ---- The definition -------------------------------------------------------------------------------- */

/* 16 sums in double, element i in sum i mod 16; then these, half by half; then rounded once. */
static float score_of(const float *a, const float *b, size_t dim)
{
    double sum[16] = {0};
    for (size_t i = 0; i < dim; i++)
        sum[i % 16] += (double)a[i] * (double)b[i];
    for (size_t half = 8; half; half /= 2)
        for (size_t i = 0; i < half; i++)
            sum[i] += sum[i + half];
    return sum[0] > FLT_MAX ? FLT_MAX : sum[0] < -FLT_MAX ? -FLT_MAX : (float)sum[0];
}

static int by_score(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (scores[a] != scores[b])
        return scores[a] > scores[b] ? -1 : 1;
    return a < b ? -1 : 1;
}

static void sort_all(const float *direction, size_t count, size_t dim)
{
    for (size_t i = 0; i < count; i++) {
        scores[i] = score_of(rows + i * dim, direction, dim);
        order[i] = (uint32_t)i;
    }
    qsort(order, count, sizeof *order, by_score);
}

static void check_top(const f0t_screen *screen, size_t n, size_t k)
{
    const size_t count = screen->count, dim = screen->dim, kept = k < count ? k : count;
    assert_ok(f0t_screen_top(found, found_scores, k, screen, rows, directions, n));
    for (size_t d = 0; d < n; d++) {
        sort_all(directions + d * dim, count, dim);
        for (size_t i = 0; i < kept; i++) {
            assert_int_equal(found[d * kept + i], order[i]);
            assert_true(found_scores[d * kept + i] == scores[order[i]]);
        }
    }
}

/* The rows in two parts, and all of k. */
static void check(size_t count, size_t dim, size_t n)
{
    static const size_t ks[] = {1, 10, 100, ROWS, ROWS + 5};
    f0t_screen *screen;
    assert_ok(f0t_screen_create(&screen, dim));
    assert_ok(f0t_screen_append(screen, rows, count / 3));
    assert_ok(f0t_screen_append(screen, rows + count / 3 * dim, count - count / 3));
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++)
        check_top(screen, i > 2 && n > 2 ? 2 : n, ks[i]);
    f0t_screen_free(screen);
}

/* ---- Adversarial rows ------------------------------------------------------------------------------ */

static uint32_t dice(size_t i, uint32_t below)
{
    const f0t_random random = {.seed = 77};
    return (uint32_t)f0t_random_below(&random, i, below);
}

static void make_normal(float *x, size_t n, uint64_t seed)
{
    const f0t_random random = {.seed = seed};
    for (size_t i = 0; i < n; i++)
        x[i] = (float)f0t_random_normal(&random, i);
}

static void scale_row(size_t r, size_t dim, float factor)
{
    for (size_t d = 0; d < dim; d++)
        rows[r * dim + d] *= factor;
}

static void near_ties(size_t dim)
{
    for (size_t r = 0; r < ROWS; r++)
        for (size_t d = 0; d < dim; d++)
            rows[r * dim + d] = directions[d] * (1 + 0x1p-22F * (float)dice(r * dim + d, 5));
}

static void duplicates(size_t dim)
{
    for (size_t r = 7; r < ROWS; r++)
        memcpy(rows + r * dim, rows + dice(r, 7) * dim, dim * sizeof *rows);
}

static void zero_rows(size_t dim)
{
    for (size_t r = 0; r < ROWS; r++)
        scale_row(r, dim, dice(r, 4) ? 0 : -1);
}

static void mixed_lengths(size_t dim)
{
    for (size_t r = 0; r < ROWS; r++)
        scale_row(r, dim, ldexpf(1, (int)dice(r, 200) - 120));
}

static void huge_rows(size_t dim)
{
    for (size_t r = 0; r < ROWS; r++)
        scale_row(r, dim, dice(r, 3) ? 1 : 0x1p120F);
}

static void denormal_rows(size_t dim)
{
    for (size_t i = 0; i < ROWS * dim; i++)
        rows[i] = ldexpf((float)dice(i, 17) - 8, -149);
}

static void tiny_rows(size_t dim)
{
    for (size_t r = 0; r < ROWS; r++)
        scale_row(r, dim, 0x1p-130F);
}

static void one_dimension(size_t dim)
{
    for (size_t r = 0; r < ROWS; r++)
        rows[r * dim + dim / 2] = 1e6F;
}

static void half_steps(size_t dim) /* every number is as far from a code as it can be */
{
    for (size_t r = 0; r < ROWS; r++)
        for (size_t d = 0; d < dim; d++)
            rows[r * dim + d] = d ? (float)dice(r * dim + d, 254) - 126.5F : 127;
}

static void same_sign(size_t dim) /* the largest sums of bytes */
{
    for (size_t i = 0; i < ROWS * dim; i++)
        rows[i] = dice(i, 50) ? 1 : 0.999F;
}

/* What rounding leaves lies along the direction, or against it: the bound is reached. */
static void aligned_rests(size_t dim)
{
    for (size_t d = 0; d < dim; d++)
        directions[d] = dice(d, 2) ? 1 : -1;
    for (size_t r = 0; r < ROWS; r++)
        for (size_t d = 0; d < dim; d++) {
            const float rest = r % 2 ? 0.49F : -0.49F;
            rows[r * dim + d] = d ? (float)dice(r * dim + d, 41) - 20 + rest * directions[d] : 127;
        }
}

/* Rows and a direction that are codes, with scores of a few units in the last place: only what float32 rounds on
 * the way to the bound tells them apart. */
static void exact_codes(size_t dim)
{
    for (size_t d = 0; d < dim; d++)
        directions[d] = d ? (float)dice(d, 254) - 127 : 127;
    for (size_t r = 0; r < ROWS; r++) {
        for (size_t d = 0; d < dim; d++)
            rows[r * dim + d] =
                d ? (float)dice(r * dim + d, 100) * copysignf(1, directions[d]) : 127;
        const float score = score_of(directions, rows + r * dim, dim);
        /* 17 bits, and 7 of the code: exact */
        scale_row(r, dim, ldexpf(rintf(ldexpf(1 / score, 35)), -35));
    }
    for (size_t d = 0; d < dim; d++)
        directions[d] *= 89523.0F;
}

static void overflowing_scores(size_t dim) /* all of them below what float32 can hold */
{
    for (size_t i = 0; i < dim; i++)
        directions[i] = directions[3 * dim + i] = 0x1p110F;
    for (size_t i = 0; i < ROWS * dim; i++)
        rows[i] = -0x1p90F * (float)(1 + dice(i, 50));
}

static void as_they_are(size_t dim)
{
    (void)dim;
}

static void (*const makers[])(size_t dim) = {
    as_they_are,   near_ties,     duplicates,  zero_rows,          mixed_lengths,
    huge_rows,     tiny_rows,     half_steps,  same_sign,          denormal_rows,
    one_dimension, aligned_rests, exact_codes, overflowing_scores,
};
enum { MAKERS = sizeof makers / sizeof *makers };

static void all_rows_are_ranked_as_by_definition(void **state)
{
    static const size_t dims[] = {1, 3, 16, 50, DIM_MOST};
    static const float lengths[] = {1, 0x1p-140F, 0x1p-30F, 0x1p110F, 1, 1};
    (void)state;
    for (size_t m = 0; m < MAKERS; m++)
        for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
            const size_t dim = dims[i];
            make_normal(rows, ROWS * dim, 1 + m);
            make_normal(directions, DIRECTIONS * dim, 100 + m);
            for (size_t d = 0; d < 6 * dim; d++)
                directions[d] *= lengths[d / dim];
            makers[m](dim);
            memcpy(directions + 4 * dim, rows + 9 * dim, dim * sizeof *rows); /* one of the rows, */
            memset(directions + 5 * dim, 0, dim * sizeof *rows);              /* no direction */
            check(i == 4 ? ROWS : 300, dim, i == 4 ? 6 : 3);
        }
}

/* One, a few and many directions go through kernels of their own. */
static void any_number_of_directions_is_ranked(void **state)
{
    static const size_t counts[] = {1, 2, 4, 5, 8, 9, 12, 13, 17, 49, DIRECTIONS};
    (void)state;
    make_normal(rows, ROWS * DIM_MOST, 3);
    make_normal(directions, DIRECTIONS * DIM_MOST, 4);
    f0t_screen *screen;
    assert_ok(f0t_screen_create(&screen, DIM_MOST));
    assert_ok(f0t_screen_append(screen, rows, ROWS));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        check_top(screen, counts[i], 5);
    f0t_screen_free(screen);
    for (size_t count = 0; count < 40; count += 13)
        check(count, DIM_MOST, 2);
}

/* ---- Every CPU level ------------------------------------------------------------------------------- */

enum { BLOCKS = 5, GROUPS = 19, KERNEL_ROWS = BLOCKS * F0T_SCREEN_BLOCK };

typedef struct made_tile {
    f0t_screen_tile tile;
    int8_t code[F0T_SCREEN_TILE][GROUPS * 4];
    int32_t bytes[GROUPS * F0T_SCREEN_TILE], pairs[GROUPS * F0T_SCREEN_TILE * 2];
} made_tile;

/* Largest numbers in direction 0: a sum of bytes that saturates would show. */
static void make_tile(made_tile *t, size_t count)
{
    *t = (made_tile){.tile = {.count = count, .bytes = t->bytes, .pairs = t->pairs}};
    for (size_t i = 0; i < count; i++) {
        for (size_t d = 0; d < GROUPS * 4; d++) {
            const int8_t c = i ? (int8_t)((int)dice(i * 1000 + d, 255) - 127) : 127;
            t->code[i][d] = c;
            t->tile.start[i] -= 128 * c;
            ((int8_t *)t->bytes)[(d / 4 * count + i) * 4 + d % 4] = c;
            ((int16_t *)t->pairs)[(d / 4 * count + i) * 4 + d % 2 * 2 + d % 4 / 2] = c;
        }
        t->tile.by_error[i] = (float)i;
        t->tile.by_length[i] = 2;
        t->tile.more[i] = 0.25F;
    }
}

static float bound_of(const made_tile *t, size_t i, const uint8_t *codes,
                      const f0t_screen_bounds *bounds, size_t row)
{
    const size_t b = row / 16, r = row % 16;
    int32_t product = 0;
    for (size_t d = 0; d < GROUPS * 4; d++)
        product += t->code[i][d] * (codes[((b * GROUPS + d / 4) * 16 + r) * 4 + d % 4] - 128);
    return (float)product * bounds[b].scale[r] + (float)i * bounds[b].error[r] +
           2 * bounds[b].length[r] + 0.25F;
}

/* From the products of a direction with codes as they are stored. */
static void check_finish(const f0t_kernel_table *kernels, const made_tile *t, size_t i,
                         const uint8_t *codes, const f0t_screen_bounds *bounds)
{
    const f0t_screen_query q = {.by_error = t->tile.by_error[i],
                                .by_length = t->tile.by_length[i],
                                .more = t->tile.more[i],
                                .start = t->tile.start[i]};
    int32_t products[KERNEL_ROWS] = {0};
    float upper[KERNEL_ROWS];
    for (size_t r = 0; r < KERNEL_ROWS; r++)
        for (size_t d = 0; d < GROUPS * 4; d++)
            products[r] +=
                t->code[i][d] * codes[((r / 16 * GROUPS + d / 4) * 16 + r % 16) * 4 + d % 4];
    kernels->screen_finish(upper, products, bounds, BLOCKS, &q);
    for (size_t r = 0; r < KERNEL_ROWS; r++)
        assert_true(upper[r] == bound_of(t, i, codes, bounds, r));
}

/* Every number is small and a multiple of a power of two: the bounds are exact. */
static void every_level_has_the_same_bounds(void **state)
{
    static uint8_t codes[KERNEL_ROWS * GROUPS * 4];
    static f0t_screen_bounds bounds[BLOCKS];
    static float upper[F0T_SCREEN_TILE * KERNEL_ROWS];
    static const size_t widths[] = {1, 4, F0T_SCREEN_TILE};
    static made_tile t;
    (void)state;
    for (size_t i = 0; i < sizeof codes; i++)
        codes[i] = i % 3 ? (uint8_t)dice(i, 256) : 255;
    for (size_t r = 0; r < KERNEL_ROWS; r++) {
        bounds[r / 16].scale[r % 16] = 0.5F * (float)(r % 3);
        bounds[r / 16].error[r % 16] = (float)(r % 7);
        bounds[r / 16].length[r % 16] = (float)(r % 5);
    }
    for (f0t_cpu level = 0; level <= f0t_cpu_level(); level++)
        for (size_t w = 0; w < 6; w++) {
            const f0t_kernel_table *kernels = f0t_kernels_of(level);
            if (w > 2 && !f0t_cpu_vnni(level))
                continue;
            make_tile(&t, widths[w % 3]);
            (w > 2 ? kernels->screen_bounds_vnni : kernels->screen_bounds)(
                upper, KERNEL_ROWS, codes, bounds, BLOCKS, GROUPS, &t.tile);
            for (size_t i = 0; i < widths[w % 3]; i++)
                for (size_t r = 0; r < KERNEL_ROWS; r++)
                    assert_true(upper[i * KERNEL_ROWS + r] == bound_of(&t, i, codes, bounds, r));
            for (size_t i = 0; i < widths[w % 3]; i++)
                check_finish(kernels, &t, i, codes, bounds);
        }
}

static void every_level_has_the_same_codes_and_scores(void **state)
{
    float rest[DIM_MOST];
    int8_t code[DIM_MOST];
    (void)state;
    make_normal(rows, 100 * DIM_MOST, 5);
    make_normal(directions, DIM_MOST, 6);
    for (f0t_cpu level = 0; level <= f0t_cpu_level(); level++)
        for (size_t r = 0; r < 100; r++) {
            const float *x = rows + r * DIM_MOST;
            const size_t n = DIM_MOST - r % 20;
            const float score = (float)f0t_kernels_of(level)->exact_product(x, directions, n);
            assert_true(score == score_of(x, directions, n));
            int64_t squares = f0t_kernels_of(level)->screen_encode(code, rest, x, n, 0.01);
            size_t equal = 0;
            const float most = f0t_kernels_of(level)->largest_size(x, n);
            for (size_t i = 0; i < n; i++) {
                const double c = fmax(-127, fmin(127, nearbyint((double)x[i] / 0.01)));
                assert_true(code[i] == (int)c);
                squares -= code[i] * code[i];
                assert_true(fabsf(x[i]) <= most);
                equal += fabsf(x[i]) == most;
                assert_true(rest[i] == (float)((double)x[i] - 0.01 * c));
            }
            assert_true(squares == 0 && equal > 0);
        }
}

/* ---- Bounds alone ---------------------------------------------------------------------------------- */

enum {
    BOUND_DIM = 70,
    BOUND_ROWS = 700,
    STRIDE = 720,
    MANY = 100
}; /* and as many directions, in steps */

/* In chunks of `blocks`. */
static void bound_all(float *upper, const f0t_screen *screen, const float *along, size_t n,
                      size_t blocks)
{
    const size_t all = f0t_screen_blocks(screen->count);
    f0t_screen_queries *queries;
    assert_ok(f0t_screen_queries_create(&queries, along, n, screen->dim));
    for (size_t first = 0; first < n; first += F0T_SCREEN_STEP)
        for (size_t b = 0; b < all; b += blocks)
            f0t_screen_bound(upper + first * STRIDE + b * F0T_SCREEN_BLOCK, STRIDE, screen, queries,
                             first, n - first < F0T_SCREEN_STEP ? n - first : F0T_SCREEN_STEP, b,
                             all - b < blocks ? all - b : blocks);
    f0t_screen_queries_free(queries);
}

static void no_score_is_above_its_bound(void **state)
{
    static float along[MANY * BOUND_DIM], upper[MANY * STRIDE];
    static const size_t counts[] = {MANY, 1, 7, 48, 49, 30};
    f0t_screen *screen;
    (void)state;
    make_normal(rows, BOUND_ROWS * BOUND_DIM, 21);
    make_normal(along, MANY * BOUND_DIM, 22);
    memset(along + 5 * BOUND_DIM, 0, BOUND_DIM * sizeof *along);
    along[17 * BOUND_DIM + 4] = INFINITY;
    assert_ok(f0t_screen_create(&screen, BOUND_DIM));
    assert_ok(f0t_screen_append(screen, rows, BOUND_ROWS));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        bound_all(upper, screen, along, counts[i], i % 2 ? F0T_SCREEN_CHUNK : 15);
        for (size_t d = 0; d < counts[i]; d++)
            for (size_t r = 0; r < BOUND_ROWS; r++) {
                const float score =
                    score_of(rows + r * BOUND_DIM, along + d * BOUND_DIM, BOUND_DIM);
                const float bound = upper[d * STRIDE + r];
                assert_true(d == 17 ? isinf(bound) : bound >= score && bound < score + 2);
            }
    }
    f0t_screen_free(screen);
}

/* ---- What cannot be ranked ------------------------------------------------------------------------- */

static void nan_and_infinity_are_refused(void **state)
{
    f0t_screen *screen;
    (void)state;
    make_normal(rows, ROWS * DIM_MOST, 7);
    make_normal(directions, DIRECTIONS * DIM_MOST, 8);
    assert_ok(f0t_screen_create(&screen, DIM_MOST));
    assert_ok(f0t_screen_append(screen, rows, 20));
    rows[25 * DIM_MOST + 3] = NAN;
    assert_fails(F0T_ERROR_NUMERIC, "row 25 has a NaN or an infinity",
                 f0t_screen_append(screen, rows + 20 * DIM_MOST, 10));
    assert_int_equal(screen->count, 20);
    directions[2 * DIM_MOST] = -INFINITY;
    assert_fails(F0T_ERROR_NUMERIC, "direction 2 has a NaN or an infinity",
                 f0t_screen_top(found, NULL, 3, screen, rows, directions, 4));
    check_top(screen, 2, 30);
    f0t_screen_free(screen);
    assert_fails(F0T_ERROR_UNSUPPORTED, "0 dimensions", f0t_screen_create(&screen, 0));
    assert_fails(F0T_ERROR_UNSUPPORTED, "dimensions", f0t_screen_create(&screen, 1 << 20));
}

/* Bounds come from files, too. */
static void damaged_bounds_are_seen_or_harmless(void **state)
{
    f0t_screen *screen;
    (void)state;
    make_normal(rows, 64 * DIM_MOST, 9);
    make_normal(directions, DIM_MOST, 10);
    assert_ok(f0t_screen_create(&screen, DIM_MOST));
    assert_ok(f0t_screen_append(screen, rows, 64));
    memset(screen->own_bounds, 0xFF, 4 * sizeof *screen->own_bounds);
    assert_fails(F0T_ERROR_FORMAT, "damaged",
                 f0t_screen_top(found, NULL, 3, screen, rows, directions, 1));
    f0t_screen_free(screen);
}

static f0t_status append_and_rank(void *context)
{
    f0t_screen *screen;
    (void)context;
    F0T_TRY(f0t_screen_create(&screen, DIM_MOST));
    f0t_status status = f0t_screen_append(screen, rows, 100);
    if (status == F0T_OK)
        status = f0t_screen_append(screen, rows + 100 * DIM_MOST, 100);
    if (status == F0T_OK)
        status = f0t_screen_top(found, NULL, 3, screen, rows, directions, 14);
    f0t_screen_free(screen);
    return status;
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    make_normal(rows, 200 * DIM_MOST, 11);
    make_normal(directions, DIRECTIONS * DIM_MOST, 12);
    test_each_fault(F0T_FAULT_ALLOC, append_and_rank, NULL);
}

static void contexts_have_threads_and_a_device_that_there_are(void **state)
{
    f0t_context_options options = F0T_CONTEXT_OPTIONS;
    f0t_context *context;
    (void)state;
    options.threads = -1;
    assert_fails(F0T_ERROR_ARGUMENT, "-1 threads: a context has 1 to ",
                 f0t_context_create(&context, &options));
    options.threads = 1;
    options.device = "abacus";
    assert_fails(F0T_ERROR_UNSUPPORTED, "there is no device 'abacus': cpu, cuda",
                 f0t_context_create(&context, &options));
    assert_null(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_have_threads_and_a_device_that_there_are),
        cmocka_unit_test(all_rows_are_ranked_as_by_definition),
        cmocka_unit_test(any_number_of_directions_is_ranked),
        cmocka_unit_test(every_level_has_the_same_bounds),
        cmocka_unit_test(every_level_has_the_same_codes_and_scores),
        cmocka_unit_test(no_score_is_above_its_bound),
        cmocka_unit_test(nan_and_infinity_are_refused),
        cmocka_unit_test(damaged_bounds_are_seen_or_harmless),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
