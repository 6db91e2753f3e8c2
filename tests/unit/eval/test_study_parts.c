/* The numbers of the study against their definitions. */
#include "support.h"

#include "base/random.h"
#include "eval/study.h"
#include "math/elementwise.h"

#include <math.h>
#include <string.h>

enum { TAGS = 14, DIM = 6, RELEVANT = 4 };

static const uint32_t relevant[RELEVANT] = {1, 4, 5, 11};

static void make_vectors(float *v)
{
    const f0t_random random = {8, 1};
    for (size_t i = 0; i < TAGS * DIM; i++)
        v[i] = (float)(0.4 + f0t_random_normal(&random, i));
    f0t_rows_normalise(v, TAGS, DIM);
}

/* ---- Random orders ------------------------------------------------------------------------------- */

/* Mean over all ways to place r relevant tags on n places. */
static double mean_precision(size_t r, size_t n)
{
    double sum = 0, ways = 0;
    for (unsigned set = 0; set < 1U << n; set++) {
        if ((size_t)__builtin_popcount(set) != r)
            continue;
        double hits = 0, precision = 0;
        for (size_t k = 0; k < n; k++)
            if (set >> k & 1)
                precision += ++hits / (double)(k + 1);
        sum += precision / (double)r;
        ways++;
    }
    return sum / ways;
}

static void a_random_order_has_the_mean_of_all_orders(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 9; n++)
        for (size_t r = 1; r <= n; r++)
            assert_true(fabs(f0t_random_precision(r, n) - mean_precision(r, n)) < 1e-12);
    assert_true(f0t_random_precision(0, 5) == 0);
}

/* ---- Offsets --------------------------------------------------------------------------------------- */

static bool is_relevant(size_t t)
{
    for (size_t i = 0; i < RELEVANT; i++)
        if (relevant[i] == t)
            return true;
    return false;
}

/* All offsets, tag by tag; gives how many. */
static size_t make_offsets(double *to, const float *v)
{
    size_t count = 0;
    for (size_t i = 0; i < RELEVANT; i++)
        for (size_t n = 0; n < TAGS; n++)
            for (size_t k = 0; !is_relevant(n) && k < DIM; k++)
                to[count++] = (double)v[relevant[i] * DIM + k] - (double)v[n * DIM + k];
    return count / DIM;
}

static void mean_of(double *mean, const double *offsets, size_t count)
{
    memset(mean, 0, DIM * sizeof *mean);
    for (size_t i = 0; i < count * DIM; i++)
        mean[i % DIM] += offsets[i] / (double)count;
}

static double spread_of(const double *offsets, size_t count, const double *around)
{
    double sum = 0;
    for (size_t i = 0; i < count * DIM; i++)
        sum += pow(offsets[i] - (around ? around[i % DIM] : 0), 2);
    return sum;
}

static double angle_of(const double *a, const double *b)
{
    double ab = 0, aa = 0, bb = 0;
    for (size_t k = 0; k < DIM; k++) {
        ab += a[k] * b[k];
        aa += a[k] * a[k];
        bb += b[k] * b[k];
    }
    return acos(ab / sqrt(aa * bb)) * 180 / acos(-1);
}

static void offsets_are_measured_as_if_they_were_formed(void **state)
{
    enum { EACH = TAGS - RELEVANT, ALL = RELEVANT * EACH };
    float v[TAGS * DIM];
    double offsets[ALL * DIM], mean[DIM], means[RELEVANT][DIM], total[DIM] = {0}, room[2 * DIM];
    double inside = 0, angle = 0;
    (void)state;
    make_vectors(v);
    assert_int_equal(make_offsets(offsets, v), ALL);
    mean_of(mean, offsets, ALL);
    for (size_t i = 0; i < RELEVANT; i++) {
        mean_of(means[i], offsets + i * EACH * DIM, EACH);
        inside += spread_of(offsets + i * EACH * DIM, EACH, means[i]);
        for (size_t j = 0; j < i; j++)
            angle += angle_of(means[i], means[j]) / 6;
    }
    for (size_t i = 0; i < TAGS * DIM; i++)
        total[i % DIM] += (double)v[i];
    const f0t_offsets_numbers n =
        f0t_offsets_measure(v, TAGS, DIM, relevant, RELEVANT, total, room);
    const double spread = spread_of(offsets, ALL, mean), square = spread_of(offsets, ALL, NULL);
    assert_true(fabs(n.explained - 100 * (1 - inside / spread)) < 1e-4);
    assert_true(fabs(n.common - 100 * (1 - spread / square)) < 1e-4);
    assert_true(fabs(n.angle - angle) < 1e-4);
}

/* The means over all sets of as many tags, numerator and denominator apart. */
static void what_chance_gives_is_the_mean_over_all_sets(void **state)
{
    enum { N = 8, R = 3 };
    float v[TAGS * DIM];
    double total[DIM] = {0}, room[2 * DIM], between = 0, variance = 0, mean = 0, square = 0;
    f0t_offsets_numbers n = {0};
    (void)state;
    make_vectors(v);
    for (size_t i = 0; i < N * DIM; i++)
        total[i % DIM] += (double)v[i];
    for (unsigned set = 0; set < 1U << N; set++) {
        uint32_t some[N], count = 0;
        double p[DIM] = {0}, pp = 0, nn = 0, pn = 0;
        for (uint32_t t = 0; t < N; t++)
            if (set >> t & 1)
                some[count++] = t;
        if (count != R)
            continue;
        n = f0t_offsets_measure(v, N, DIM, some, R, total, room);
        for (size_t i = 0; i < R * DIM; i++)
            p[i % DIM] += (double)v[some[i / DIM] * DIM + i % DIM] / R;
        for (size_t k = 0; k < DIM; k++) {
            const double other = (total[k] - R * p[k]) / (N - R);
            pp += p[k] * p[k];
            nn += other * other;
            pn += p[k] * other;
        }
        between += 1 - pp;
        variance += 2 - pp - nn;
        mean += pp + nn - 2 * pn;
        square += 2 - 2 * pn;
    }
    assert_true(fabs(n.explained_random - 100 * between / variance) < 1e-4);
    assert_true(fabs(n.common_random - 100 * mean / square) < 1e-4);
}

static void offsets_along_a_direction_are_counted(void **state)
{
    float v[TAGS * DIM], w[DIM];
    double offsets[TAGS * TAGS * DIM], cosine, ahead, want = 0, along = 0;
    (void)state;
    make_vectors(v);
    for (size_t k = 0; k < DIM; k++)
        w[k] = v[DIM + k] * 3 + v[5 * DIM + k];
    const size_t count = make_offsets(offsets, v);
    for (size_t i = 0; i < count; i++) {
        double wide[DIM], step = 0;
        for (size_t k = 0; k < DIM; k++) {
            wide[k] = (double)w[k];
            step += wide[k] * offsets[i * DIM + k];
        }
        want += cos(angle_of(offsets + i * DIM, wide) * acos(-1) / 180) / (double)count;
        along += step > 0;
    }
    assert_ok(f0t_offsets_along(&cosine, &ahead, v, TAGS, DIM, relevant, RELEVANT, w));
    assert_true(fabs(cosine - want) < 1e-4);
    assert_true(fabs(ahead - 100 * along / (double)count) < 1e-9);
}

/* ---- Ward ---------------------------------------------------------------------------------------- */

/* The sum of squares inside groups. */
static double inside_of(const float *v, const uint32_t *points, const uint32_t *group, size_t count,
                        size_t k)
{
    double sum = 0;
    for (uint32_t g = 0; g < k; g++) {
        double mean[DIM] = {0}, members = 0;
        for (size_t i = 0; i < count; i++)
            members += group[i] == g;
        assert_true(members > 0);
        for (size_t i = 0; i < count * DIM; i++)
            if (group[i / DIM] == g)
                mean[i % DIM] += (double)v[points[i / DIM] * DIM + i % DIM] / members;
        for (size_t i = 0; i < count * DIM; i++)
            if (group[i / DIM] == g)
                sum += pow((double)v[points[i / DIM] * DIM + i % DIM] - mean[i % DIM], 2);
    }
    return sum;
}

/* Joining any other two groups would add more to the squares inside. */
static void each_step_joins_the_groups_that_cost_least(void **state)
{
    float v[TAGS * DIM];
    uint32_t points[TAGS], group[TAGS], before[TAGS];
    f0t_merge merges[TAGS];
    double room[TAGS * TAGS + TAGS];
    (void)state;
    make_vectors(v);
    for (uint32_t i = 0; i < TAGS; i++)
        points[i] = (i * 5 + 3) % TAGS;
    f0t_ward(merges, v, DIM, points, TAGS, room);
    for (size_t k = 1; k < TAGS; k++) {
        double least = HUGE_VAL;
        f0t_ward_cut(before, merges, TAGS, k + 1);
        for (uint32_t a = 0; a < k + 1; a++)
            for (uint32_t b = 0; b < a; b++) {
                for (size_t i = 0; i < TAGS; i++)
                    group[i] = before[i] == a ? b : before[i] > a ? before[i] - 1 : before[i];
                least = fmin(least, inside_of(v, points, group, TAGS, k));
            }
        f0t_ward_cut(group, merges, TAGS, k);
        assert_true(inside_of(v, points, group, TAGS, k) < least + 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_random_order_has_the_mean_of_all_orders),
        cmocka_unit_test(offsets_are_measured_as_if_they_were_formed),
        cmocka_unit_test(what_chance_gives_is_the_mean_over_all_sets),
        cmocka_unit_test(offsets_along_a_direction_are_counted),
        cmocka_unit_test(each_step_joins_the_groups_that_cost_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
