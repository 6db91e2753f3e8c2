#include "support.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

/* Known answers of philox4x32 with 10 rounds: Random123, tests/kat_vectors. Its counter is our
 * (i, stream), its key our seed, each from the low word up. */
static void blocks_are_those_of_random123(void **state)
{
    static const struct {
        uint32_t counter[4], key[2], want[4];
    } cases[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}},
        {{0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF},
         {0xFFFFFFFF, 0xFFFFFFFF},
         {0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}},
        {{0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344},
         {0xA4093822, 0x299F31D0},
         {0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const uint32_t *c = cases[k].counter, *key = cases[k].key;
        f0t_random random = {(uint64_t)key[1] << 32 | key[0], (uint64_t)c[3] << 32 | c[2]};
        uint64_t i = (uint64_t)c[1] << 32 | c[0];
        uint32_t got[4];
        f0t_random_block(got, &random, i);
        assert_memory_equal(got, cases[k].want, sizeof got);
        assert_true(f0t_random_u64(&random, i) ==
                    ((uint64_t)cases[k].want[1] << 32 | cases[k].want[0]));
    }
}

static void streams_and_seeds_differ(void **state)
{
    (void)state;
    const f0t_random randoms[] = {{1, 1}, {1, 2}, {2, 1}, {1ull << 40, 1}, {1, 1ull << 40}};
    for (size_t a = 0; a < 5; a++)
        for (size_t b = 0; b < a; b++)
            for (uint64_t i = 0; i < 100; i++)
                assert_true(f0t_random_u64(&randoms[a], i) != f0t_random_u64(&randoms[b], i));
}

/* Chi-square of counts against equal ones, divided so that about 1 is expected: for k - 1 degrees
 * of freedom (X - (k - 1)) / sqrt(2 (k - 1)) is near standard normal. */
static double chi_score(const size_t *counts, size_t k, size_t n)
{
    double expected = (double)n / (double)k, sum = 0, free = (double)(k - 1);
    for (size_t i = 0; i < k; i++)
        sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    return (sum - free) / sqrt(2 * free);
}

static void numbers_below_a_bound_are_uniform(void **state)
{
    enum { N = 200000 };
    static const uint64_t bounds[] = {1, 2, 3, 7, 100, 1000};
    (void)state;
    for (size_t b = 0; b < 6; b++) {
        size_t counts[1000] = {0};
        f0t_random random = {42, b};
        for (uint64_t i = 0; i < N; i++) {
            uint64_t x = f0t_random_below(&random, i, bounds[b]);
            assert_true(x < bounds[b]);
            counts[x]++;
        }
        if (bounds[b] > 1)
            assert_true(fabs(chi_score(counts, bounds[b], N)) < 4.5);
    }
    f0t_random random = {42, 9};
    uint64_t most = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t x = f0t_random_below(&random, i, UINT64_MAX);
        most = x > most ? x : most;
    }
    assert_true(most > UINT64_MAX / 100 * 98);
}

static void uniform_numbers_fill_zero_to_one(void **state)
{
    enum { N = 400000, BINS = 256 };
    (void)state;
    size_t counts[BINS] = {0};
    f0t_random random = {7, 3};
    double sum = 0, least = 1;
    for (uint64_t i = 0; i < N; i++) {
        double x = f0t_random_uniform(&random, i);
        assert_true(x >= 0 && x < 1);
        counts[(size_t)(x * BINS)]++;
        sum += x;
        least = x < least ? x : least;
    }
    assert_true(fabs(sum / N - 0.5) < 5 * sqrt(1.0 / 12 / N));
    assert_true(fabs(chi_score(counts, BINS, N)) < 4.5);
    assert_true(least < 1e-4);
}

/* Moments of N numbers; their standard errors are those of the normal distribution. */
static void normal_numbers_have_the_right_moments(void **state)
{
    enum { N = 1000000 };
    (void)state;
    f0t_random random = {99, 5};
    double m[5] = {0};
    for (uint64_t i = 0; i < N; i++) {
        double x = f0t_random_normal(&random, i), power = 1;
        for (int k = 1; k <= 4; k++)
            m[k] += (power *= x);
    }
    for (int k = 1; k <= 4; k++)
        m[k] /= N;
    assert_true(fabs(m[1]) < 5 * sqrt(1.0 / N));
    assert_true(fabs(m[2] - 1) < 5 * sqrt(2.0 / N));
    assert_true(fabs(m[3]) < 5 * sqrt(15.0 / N));
    assert_true(fabs(m[4] - 3) < 5 * sqrt(96.0 / N));
}

static void normal_numbers_have_the_right_shape_and_tails(void **state)
{
    enum { N = 1000000 };
    static const double limits[] = {-4, -3, -2, -1, 0, 0.5, 1.5, 2.5, 3.5, 4.2};
    (void)state;
    f0t_random random = {100, 6};
    size_t below[10] = {0};
    for (uint64_t i = 0; i < N; i++) {
        double x = f0t_random_normal(&random, i);
        assert_true(fabs(x) < 8.5);
        for (size_t k = 0; k < 10; k++)
            below[k] += x < limits[k];
    }
    for (size_t k = 0; k < 10; k++) {
        double p = 0.5 * erfc(-limits[k] / sqrt(2));
        assert_true(fabs((double)below[k] - p * N) < 5 * sqrt(p * (1 - p) * N) + 1);
    }
}

/* The inverse of the distribution: Φ(x) is the uniform number that x was made from. */
static void normal_numbers_are_the_inverse_of_the_distribution(void **state)
{
    (void)state;
    f0t_random random = {5, 5};
    for (uint64_t i = 0; i < 100000; i++) {
        double u = ((double)(f0t_random_u64(&random, i) >> 12) + 0.5) * 0x1p-52;
        double x = f0t_random_normal(&random, i), p = 0.5 * erfc(-x / sqrt(2));
        assert_true(fabs(p - u) < 1e-6 * (u < 0.5 ? u : 1 - u) + 1e-9);
    }
}

/* The same bytes on every platform and at every thread count. */
static void numbers_are_pinned(void **state)
{
    (void)state;
    f0t_random random = {2016, 1};
    uint64_t hash = 1469598103934665603u;
    for (uint64_t i = 0; i < 1000; i++) {
        double x = f0t_random_normal(&random, i);
        uint64_t bits;
        memcpy(&bits, &x, 8);
        hash = (hash ^ bits) * 1099511628211u;
    }
    if (hash != 15006085003307006620u)
        print_error("the hash of 1000 normal numbers is %llu\n", (unsigned long long)hash);
    assert_true(hash == 15006085003307006620u);
}

static void every_order_is_as_likely(void **state)
{
    enum { N = 120000 };
    (void)state;
    size_t counts[120] = {0};
    for (uint64_t s = 0; s < N; s++) {
        uint32_t order[5] = {0, 1, 2, 3, 4};
        f0t_random random = {11, s};
        f0t_random_shuffle(order, 5, &random);
        size_t code = 0, seen = 0;
        for (size_t i = 0; i < 5; i++) {
            size_t rank = 0;
            for (size_t k = i + 1; k < 5; k++)
                rank += order[k] < order[i];
            code = code * (5 - i) + rank;
            seen |= 1u << order[i];
        }
        assert_int_equal(seen, 31);
        counts[code]++;
    }
    assert_true(fabs(chi_score(counts, 120, N)) < 4.5);
}

static void short_lists_are_shuffled_too(void **state)
{
    (void)state;
    uint32_t one = 9;
    f0t_random random = {1, 1};
    f0t_random_shuffle(NULL, 0, &random);
    f0t_random_shuffle(&one, 1, &random);
    assert_int_equal(one, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_those_of_random123),
        cmocka_unit_test(streams_and_seeds_differ),
        cmocka_unit_test(numbers_below_a_bound_are_uniform),
        cmocka_unit_test(uniform_numbers_fill_zero_to_one),
        cmocka_unit_test(normal_numbers_have_the_right_moments),
        cmocka_unit_test(normal_numbers_have_the_right_shape_and_tails),
        cmocka_unit_test(normal_numbers_are_the_inverse_of_the_distribution),
        cmocka_unit_test(numbers_are_pinned),
        cmocka_unit_test(every_order_is_as_likely),
        cmocka_unit_test(short_lists_are_shuffled_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
