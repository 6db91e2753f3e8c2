/* t-SNE: likeness, forces and pictures of clusters that are known. */
#include "support.h"

#include "base/kernels.h"
#include "base/random.h"
#include "eval/tsne.h"

#include <math.h>
#include <string.h>

enum { DIM = 10, CLUSTERS = 4 };

/* Four clusters, far apart in DIM dimensions; point i is of cluster i % 4. */
static float *make_points(size_t n)
{
    float *points;
    assert_ok(f0t_alloc(&points, n * DIM, sizeof *points));
    for (size_t i = 0; i < n; i++) {
        const f0t_random random = {3, i};
        for (size_t k = 0; k < DIM; k++)
            points[i * DIM + k] =
                (float)f0t_random_normal(&random, k) + (k == i % CLUSTERS ? 12.0F : 0.0F);
    }
    return points;
}

static void make_start(float *x, float *y, size_t n, uint64_t seed)
{
    const f0t_random random = {seed, 9};
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)f0t_random_normal(&random, 2 * i);
        y[i] = (float)f0t_random_normal(&random, 2 * i + 1);
    }
}

/* ---- Likeness ------------------------------------------------------------------------------------ */

static void a_row_has_the_entropy_of_its_perplexity(void **state)
{
    float row[200];
    (void)state;
    for (int i = 1; i < 5; i++) {
        const double perplexity = 7.0 * i;
        double entropy = 0, sum = 0;
        for (size_t j = 0; j < 200; j++)
            row[j] = 1000 + (float)(j * j % 97) * 3.5F;
        f0t_likeness_row(row, 200, perplexity);
        for (size_t j = 0; j < 200; j++) {
            sum += (double)row[j];
            if (row[j] > 0)
                entropy -= (double)row[j] * log((double)row[j]);
        }
        assert_true(fabs(sum - 1) < 1e-5);
        assert_true(fabs(exp(entropy) - perplexity) < 1e-2 * perplexity);
    }
}

static void likeness_is_symmetric_and_sums_to_one(void **state)
{
    enum { N = 80 };
    float *points = make_points(N);
    f0t_likeness all, lists;
    double sum = 0, list_sum = 0, differ = 0;
    (void)state;
    assert_ok(f0t_likeness_create(&all, points, N, DIM, 5, false, NULL));
    assert_ok(f0t_likeness_create(&lists, points, N, DIM, 5, true, NULL));
    for (size_t i = 0; i < N; i++) {
        assert_true(all.all[i * N + i] == 0);
        for (size_t j = 0; j < N; j++) {
            sum += (double)all.all[i * N + j];
            assert_true(all.all[i * N + j] == all.all[j * N + i]);
        }
        for (size_t at = lists.offsets[i]; at < lists.offsets[i + 1]; at++) {
            assert_true(at == lists.offsets[i] || lists.others[at] > lists.others[at - 1]);
            assert_int_not_equal(lists.others[at], i);
            list_sum += (double)lists.values[at];
            differ += fabs((double)lists.values[at] - (double)all.all[i * N + lists.others[at]]);
        }
    }
    assert_true(fabs(sum - 1) < 1e-4);
    assert_true(fabs(list_sum - 1) < 1e-4);
    /* Points beyond the 15 nearest have little weight at a perplexity of 5. */
    assert_true(differ < 0.1);
    f0t_likeness_free(&all);
    f0t_likeness_free(&lists);
    f0t_free(points);
}

/* ---- Kernels ----------------------------------------------------------------------------------- */

static void check_pull(void (*pull)(float[5], const float *, const float *, const float *, size_t,
                                    float, float))
{
    float x[37], y[37], p[37], sums[5];
    make_start(x, y, 37, 4);
    make_start(p, p, 37, 5);
    for (size_t n = 0; n <= 37; n++) {
        double want[5] = {0};
        pull(sums, x, y, p, n, 0.5F, -0.25F);
        for (size_t j = 0; j < n; j++) {
            const double dx = 0.5 - (double)x[j], dy = -0.25 - (double)y[j];
            const double k = 1 / (1 + dx * dx + dy * dy);
            want[0] += (double)p[j] * k * dx;
            want[1] += (double)p[j] * k * dy;
            want[2] += k * k * dx;
            want[3] += k * k * dy;
            want[4] += k;
        }
        for (int i = 0; i < 5; i++)
            assert_true(fabs((double)sums[i] - want[i]) < 2e-5);
    }
}

static void every_level_of_the_kernel_adds_the_same(void **state)
{
    (void)state;
    for (f0t_cpu level = 0; level <= f0t_cpu_level(); level++)
        check_pull(f0t_kernels_of(level)->tsne_pull);
}

/* ---- Forces -------------------------------------------------------------------------------------- */

/* The divergence by its definition. */
static double divergence(const double *x, const double *y, const f0t_likeness *l)
{
    const size_t n = l->count;
    double sum = 0, result = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j)
                sum += 1 / (1 + pow(x[i] - x[j], 2) + pow(y[i] - y[j], 2));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double p = (double)l->all[i * n + j];
            const double q = 1 / (1 + pow(x[i] - x[j], 2) + pow(y[i] - y[j], 2)) / sum;
            if (p > 0)
                result += p * log(p / q);
        }
    return result;
}

static void the_forces_are_the_gradient_of_the_divergence(void **state)
{
    enum { N = 30 };
    float *points = make_points(N), x[N], y[N];
    double wide_x[N], wide_y[N], sum = 0;
    f0t_likeness l;
    f0t_pull pulls[N];
    (void)state;
    make_start(x, y, N, 2);
    assert_ok(f0t_likeness_create(&l, points, N, DIM, 5, false, NULL));
    f0t_pulls_exact(pulls, x, y, &l);
    for (size_t i = 0; i < N; i++) {
        wide_x[i] = (double)x[i];
        wide_y[i] = (double)y[i];
        sum += pulls[i].sum;
    }
    for (size_t i = 0; i < N; i++)
        for (int axis = 0; axis < 2; axis++) {
            double *at = axis ? &wide_y[i] : &wide_x[i];
            const double here = *at, step = 1e-5;
            *at = here + step;
            const double above = divergence(wide_x, wide_y, &l);
            *at = here - step;
            const double below = divergence(wide_x, wide_y, &l);
            *at = here;
            const double near = axis ? pulls[i].near_y : pulls[i].near_x;
            const double far = axis ? pulls[i].far_y : pulls[i].far_x;
            const double slope = 4 * (near - far / sum);
            assert_true(fabs((above - below) / (2 * step) - slope) < 2e-6 + 1e-4 * fabs(slope));
        }
    f0t_likeness_free(&l);
    f0t_free(points);
}

/* The largest difference between exact pulls and those of the tree, over the largest pull. */
static double tree_error(size_t n, double theta)
{
    float *points = make_points(n), *x, *y;
    f0t_likeness all, lists;
    f0t_pull *exact, *found;
    f0t_tree *tree;
    double worst = 0, largest = 0, sums[2] = {0, 0};
    assert_ok(f0t_alloc(&x, n, sizeof *x));
    assert_ok(f0t_alloc(&y, n, sizeof *y));
    assert_ok(f0t_alloc(&exact, n, sizeof *exact));
    assert_ok(f0t_alloc(&found, n, sizeof *found));
    make_start(x, y, n, 5);
    x[1] = x[0]; /* two points at one place */
    y[1] = y[0];
    for (size_t i = 0; i < n; i++)
        x[i] *= 20;
    assert_ok(f0t_likeness_create(&all, points, n, DIM, 5, false, NULL));
    assert_ok(f0t_likeness_create(&lists, points, n, DIM, 5, true, NULL));
    assert_ok(f0t_tree_create(&tree, n));
    f0t_pulls_exact(exact, x, y, &all);
    assert_ok(f0t_pulls_tree(tree, found, x, y, &lists, theta));
    for (size_t i = 0; i < n; i++) {
        worst =
            fmax(worst, hypot(exact[i].far_x - found[i].far_x, exact[i].far_y - found[i].far_y));
        largest = fmax(largest, hypot(exact[i].far_x, exact[i].far_y));
        sums[0] += exact[i].sum;
        sums[1] += found[i].sum;
    }
    worst = fmax(worst / largest, fabs(sums[1] / sums[0] - 1));
    f0t_tree_free(tree);
    f0t_likeness_free(&all);
    f0t_likeness_free(&lists);
    f0t_free(x);
    f0t_free(y);
    f0t_free(exact);
    f0t_free(found);
    f0t_free(points);
    return worst;
}

static void the_tree_is_exact_when_no_cell_counts_as_one(void **state)
{
    (void)state;
    assert_true(tree_error(300, 1e-9) < 1e-5);
}

static void the_tree_is_near_when_cells_do(void **state)
{
    (void)state;
    const double error = tree_error(300, 0.5);
    assert_true(error < 0.05);
    assert_true(error > 1e-6); /* cells were joined */
    assert_true(tree_error(300, 0.2) < error);
}

static void neighbours_pull_by_their_lists(void **state)
{
    enum { N = 60 };
    float *points = make_points(N), x[N], y[N];
    f0t_likeness l;
    f0t_pull pulls[N];
    f0t_tree *tree;
    (void)state;
    make_start(x, y, N, 6);
    assert_ok(f0t_likeness_create(&l, points, N, DIM, 5, true, NULL));
    assert_ok(f0t_tree_create(&tree, N));
    assert_ok(f0t_pulls_tree(tree, pulls, x, y, &l, 0.5));
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t at = l.offsets[i]; at < l.offsets[i + 1]; at++) {
            const size_t j = l.others[at];
            const double dx = (double)x[i] - (double)x[j], dy = (double)y[i] - (double)y[j];
            sum += (double)l.values[at] * dx / (1 + dx * dx + dy * dy);
        }
        assert_true(fabs(sum - pulls[i].near_x) < 1e-9);
    }
    f0t_tree_free(tree);
    f0t_likeness_free(&l);
    f0t_free(points);
}

/* ---- Pictures ------------------------------------------------------------------------------------ */

typedef struct picture {
    float *x, *y;
    double divergence;
} picture;

static picture draw(size_t n, size_t exact, uint64_t seed)
{
    const f0t_tsne_options options = {.perplexity = 15, .steps = 400, .exact = exact};
    picture p;
    float *points = make_points(n);
    assert_ok(f0t_alloc(&p.x, n, sizeof *p.x));
    assert_ok(f0t_alloc(&p.y, n, sizeof *p.y));
    make_start(p.x, p.y, n, seed);
    assert_ok(f0t_tsne_run(p.x, p.y, &p.divergence, points, n, DIM, &options, NULL));
    f0t_free(points);
    return p;
}

static void picture_free(picture *p)
{
    f0t_free(p->x);
    f0t_free(p->y);
}

/* Each point's nearest one in the picture is of its cluster, and clusters do not touch. */
static void check_clusters(const picture *p, size_t n)
{
    double widest = 0, nearest = HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        double least = HUGE_VAL;
        size_t best = 0;
        for (size_t j = 0; j < n; j++) {
            const double d =
                hypot((double)p->x[i] - (double)p->x[j], (double)p->y[i] - (double)p->y[j]);
            if (j != i && d < least) {
                least = d;
                best = j;
            }
            if (i % CLUSTERS != j % CLUSTERS)
                nearest = fmin(nearest, d);
        }
        assert_int_equal(best % CLUSTERS, i % CLUSTERS);
        widest = fmax(widest, least);
    }
    assert_true(nearest > widest);
}

static void known_clusters_are_drawn_apart(void **state)
{
    enum { N = 240 };
    (void)state;
    picture exact = draw(N, N, 1), tree = draw(N, N - 1, 1);
    check_clusters(&exact, N);
    check_clusters(&tree, N);
    assert_true(exact.divergence > 0 && exact.divergence < 1);
    assert_true(fabs(tree.divergence - exact.divergence) < 0.2);
    picture_free(&exact);
    picture_free(&tree);
}

static void the_same_start_draws_the_same_picture_with_any_threads(void **state)
{
    enum { N = 120 };
    (void)state;
    for (size_t exact = N - 1; exact <= N; exact++) {
        test_threads(1);
        picture one = draw(N, exact, 1);
        test_threads(3);
        picture three = draw(N, exact, 1);
        test_threads(0);
        picture other = draw(N, exact, 2);
        assert_memory_equal(one.x, three.x, N * sizeof *one.x);
        assert_memory_equal(one.y, three.y, N * sizeof *one.y);
        assert_memory_not_equal(one.x, other.x, N * sizeof *one.x);
        picture_free(&one);
        picture_free(&three);
        picture_free(&other);
    }
}

static void few_points_and_equal_points_are_no_trouble(void **state)
{
    static const float points[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    (void)state;
    for (size_t n = 1; n <= 5; n++)
        for (size_t exact = 1; exact <= 5; exact += 4) {
            const f0t_tsne_options options = {.steps = 50, .exact = exact};
            float x[5], y[5];
            double left;
            make_start(x, y, 5, 1);
            assert_ok(f0t_tsne_run(x, y, &left, points, n, 2, &options, NULL));
            for (size_t i = 0; i < n; i++)
                assert_true(isfinite(x[i]) && isfinite(y[i]));
        }
}

static void one_point_is_like_no_other(void **state)
{
    static const float point[] = {1, 1};
    f0t_likeness likeness;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "a picture of 1 points",
                 f0t_likeness_create(&likeness, point, 1, 2, 30, false, NULL));
}

static void it_stops_when_asked(void **state)
{
    enum { N = 50 };
    volatile sig_atomic_t stop = 1;
    const f0t_monitor monitor = {.stop = &stop};
    float *points = make_points(N), x[N], y[N];
    (void)state;
    make_start(x, y, N, 1);
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted",
                 f0t_tsne_run(x, y, NULL, points, N, DIM, NULL, &monitor));
    f0t_free(points);
}

static f0t_status run(void *context)
{
    const f0t_tsne_options options = {.steps = 3, .exact = *(const size_t *)context};
    float x[20], y[20], *points = NULL;
    f0t_status status = f0t_alloc(&points, 20 * DIM, sizeof *points);
    if (status == F0T_OK) {
        test_random_floats(points, 20 * DIM, 1);
        make_start(x, y, 20, 1);
        status = f0t_tsne_run(x, y, NULL, points, 20, DIM, &options, NULL);
    }
    f0t_free(points);
    return status;
}

static void missing_memory_is_told(void **state)
{
    size_t exact = 20;
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, run, &exact);
    exact = 1;
    test_each_fault(F0T_FAULT_ALLOC, run, &exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_has_the_entropy_of_its_perplexity),
        cmocka_unit_test(likeness_is_symmetric_and_sums_to_one),
        cmocka_unit_test(every_level_of_the_kernel_adds_the_same),
        cmocka_unit_test(the_forces_are_the_gradient_of_the_divergence),
        cmocka_unit_test(the_tree_is_exact_when_no_cell_counts_as_one),
        cmocka_unit_test(the_tree_is_near_when_cells_do),
        cmocka_unit_test(neighbours_pull_by_their_lists),
        cmocka_unit_test(known_clusters_are_drawn_apart),
        cmocka_unit_test(the_same_start_draws_the_same_picture_with_any_threads),
        cmocka_unit_test(few_points_and_equal_points_are_no_trouble),
        cmocka_unit_test(one_point_is_like_no_other),
        cmocka_unit_test(it_stops_when_asked),
        cmocka_unit_test(missing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
