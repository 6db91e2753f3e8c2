#include "ranksvm_plain.h"

#include "base/cpu.h"
#include "rank/ranksvm.h"

static const f0t_hinge hinges[] = {F0T_HINGE_PLAIN, F0T_HINGE_SQUARED};
static const double many_lambdas[] = {1e4, 100, 1, 0.01, 1e-4};
enum { LAMBDAS = sizeof many_lambdas / sizeof *many_lambdas };

/* A problem and its solutions. */
typedef struct solved {
    size_t tags, dims;
    float *vectors;
    f0t_rules *rules;
    f0t_ranksvm *svm;
    float *directions;           /* [lambdas x rules x dims] */
    f0t_ranksvm_result *results; /* [lambdas x rules] */
} solved;

static solved prepare(size_t tags, size_t dims, size_t count, size_t relevant)
{
    solved s = {.tags = tags, .dims = dims};
    s.vectors = plain_vectors(tags, dims, tags + dims);
    s.rules = plain_rules(tags, count, relevant);
    assert_ok(f0t_ranksvm_create(&s.svm, s.vectors, tags, dims));
    assert_ok(f0t_alloc(&s.directions, LAMBDAS * count * dims, sizeof *s.directions));
    assert_ok(f0t_alloc(&s.results, LAMBDAS * count, sizeof *s.results));
    return s;
}

static void release(solved *s)
{
    f0t_free(s->vectors);
    f0t_rules_free(s->rules);
    f0t_ranksvm_free(s->svm);
    f0t_free(s->directions);
    f0t_free(s->results);
}

static void solve(solved *s, const double *lambdas, size_t count, f0t_hinge hinge)
{
    const f0t_ranksvm_options options = {.hinge = hinge};
    assert_ok(f0t_ranksvm_solve(s->directions, s->results, s->svm, s->rules, lambdas, count,
                                &options, NULL));
}

static plain pairs_of(const solved *s, size_t rule)
{
    const size_t first = s->rules->offsets[rule];
    return plain_create(s->vectors, s->tags, s->dims, s->rules->relevant + first,
                        s->rules->offsets[rule + 1] - first);
}

/* What scores rounded to float32 leave of a gap where λ is small and vectors on both sides are equal,
 * before AVX-512, whose kernels sum in a kinder order. */
static double most_gap(double lambda)
{
    return f0t_cpu_level() < F0T_CPU_WIDEST && lambda < 0.1 ? 2e-3 : 5e-4;
}

/* The direction has the objective that the result says, and the gap is what was asked for. */
static double check_result(const solved *s, const plain *p, size_t row, double lambda,
                           f0t_hinge hinge)
{
    const f0t_ranksvm_result *result = &s->results[row];
    const double objective = plain_objective_f32(p, s->directions + row * s->dims, lambda, hinge);
    if (!(fabs(objective - result->objective) <= 1e-4 * objective))
        fail_msg("lambda %g, hinge %d: objective %.9g, said to be %.9g", lambda, (int)hinge,
                 objective, result->objective);
    if (!(result->gap <= most_gap(lambda)))
        fail_msg("lambda %g, hinge %d: gap %g after %u rounds", lambda, (int)hinge, result->gap,
                 result->rounds);
    return objective;
}

static void check_with_plain(const solved *s, size_t rule, size_t at, double lambda,
                             f0t_hinge hinge)
{
    plain p = pairs_of(s, rule);
    const size_t row = at * s->rules->count + rule;
    double lower, upper;
    plain_solve(&p, lambda, hinge, 2e-5, &lower, &upper);
    const double objective = check_result(s, &p, row, lambda, hinge);
    if (!(objective <= upper * (1 + 2e-4 + most_gap(lambda))) || !(objective >= lower * (1 - 1e-6)))
        fail_msg("lambda %g, hinge %d, rule %zu: objective %.9g, the least is %.9g to %.9g", lambda,
                 (int)hinge, rule, objective, lower, upper);
    /* The bound is that of a point whose scores are rounded to float32. */
    if (!(s->results[row].objective * (1 - s->results[row].gap) <=
          upper * (1 + (f0t_cpu_level() < F0T_CPU_WIDEST ? 1e-4 : 1e-5))))
        fail_msg("lambda %g, hinge %d, rule %zu: the lower bound is above %.9g", lambda, (int)hinge,
                 rule, upper);
    plain_free(&p);
}

static void check_all_with_plain(size_t tags, size_t dims, size_t count, size_t relevant)
{
    solved s = prepare(tags, dims, count, relevant);
    for (size_t h = 0; h < 2; h++) {
        solve(&s, many_lambdas, LAMBDAS, hinges[h]);
        for (size_t i = 0; i < LAMBDAS; i++)
            for (size_t r = 0; r < count; r++)
                check_with_plain(&s, r, i, many_lambdas[i], hinges[h]);
    }
    release(&s);
}

static void few_tags_agree_with_the_list_of_pairs(void **state)
{
    (void)state;
    check_all_with_plain(12, 5, 4, 3);
    check_all_with_plain(30, 8, 3, 1);
}

static void fewer_tags_than_dimensions_agree(void **state)
{
    (void)state;
    check_all_with_plain(10, 24, 2, 2);
}

/* More tags than a working set holds: they are chosen, and large λ take the dense way. */
static void many_tags_agree_with_the_list_of_pairs(void **state)
{
    (void)state;
    check_all_with_plain(260, 12, 2, 1);
    check_all_with_plain(230, 24, 2, 3);
}

/* Each λ alone, from nothing, and the smallest without those before it. */
static void a_series_gives_what_each_lambda_gives_alone(void **state)
{
    (void)state;
    const double up[] = {0.01, 1e4, 1};
    solved s = prepare(240, 16, 5, 2), one = prepare(240, 16, 5, 2);
    for (size_t h = 0; h < 2; h++) {
        solve(&s, up, 3, hinges[h]);
        for (size_t i = 0; i < 3; i++) {
            solve(&one, &up[i], 1, hinges[h]);
            for (size_t r = 0; r < 5; r++) {
                plain p = pairs_of(&s, r);
                double a = check_result(&s, &p, i * 5 + r, up[i], hinges[h]);
                double b = check_result(&one, &p, r, up[i], hinges[h]);
                if (fabs(a - b) > 6e-4 * a)
                    fail_msg("lambda %g, rule %zu: %.9g in a series, %.9g alone", up[i], r, a, b);
                plain_free(&p);
            }
        }
    }
    release(&s);
    release(&one);
}

/* The real shape, where no list of pairs is solved in reasonable time: the certificate says enough
 * (the tests above show that it is right). */
static void many_relevant_tags_of_thousands_are_solved(void **state)
{
    (void)state;
    const double lambdas[] = {100, 0.01};
    solved s = prepare(2000, 40, 2, 117);
    for (size_t h = 0; h < 2; h++) {
        solve(&s, lambdas, 2, hinges[h]);
        for (size_t i = 0; i < 4; i++) {
            plain p = pairs_of(&s, i % 2);
            check_result(&s, &p, i, lambdas[i / 2], hinges[h]);
            plain_free(&p);
        }
    }
    release(&s);
}

/* Half of the tags relevant: the pair sums are sorted ones. */
static void half_of_the_tags_may_be_relevant(void **state)
{
    (void)state;
    const double lambda = 10;
    solved s = prepare(1600, 6, 1, 800);
    for (size_t h = 0; h < 2; h++) {
        solve(&s, &lambda, 1, hinges[h]);
        plain p = pairs_of(&s, 0);
        check_result(&s, &p, 0, lambda, hinges[h]);
        plain_free(&p);
    }
    release(&s);
}

/* ---- Odd input ----------------------------------------------------------------------------------- */

static void a_rule_without_a_pair_has_the_direction_zero(void **state)
{
    (void)state;
    const double lambda = 1;
    float direction[3 * 4];
    f0t_ranksvm_result results[3];
    float *vectors = plain_vectors(3, 4, 1);
    size_t offsets[] = {0, 0, 3, 4};
    uint32_t relevant[] = {0, 1, 2, 1};
    const f0t_rules rules = {.tags = 3, .count = 3, .offsets = offsets, .relevant = relevant};
    f0t_ranksvm *svm;
    assert_ok(f0t_ranksvm_create(&svm, vectors, 3, 4));
    assert_ok(f0t_ranksvm_solve(direction, results, svm, &rules, &lambda, 1, NULL, NULL));
    for (size_t i = 0; i < 2 * 4; i++)
        assert_true(direction[i] == 0);
    assert_true(results[0].objective == 0 && results[1].objective == 0 && results[0].gap == 0);
    assert_true(direction[8] != 0 && results[2].objective > 0);
    f0t_ranksvm_free(svm);
    f0t_free(vectors);
}

static void one_tag_has_no_pairs(void **state)
{
    (void)state;
    solved s = prepare(1, 3, 1, 1);
    solve(&s, many_lambdas, LAMBDAS, F0T_HINGE_PLAIN);
    for (size_t i = 0; i < LAMBDAS * 3; i++)
        assert_true(s.directions[i] == 0);
    release(&s);
}

/* Two irrelevant vectors and a relevant one are the same: their pair can never be told apart. */
static void equal_vectors_on_both_sides_agree_with_the_list(void **state)
{
    (void)state;
    solved s = prepare(14, 6, 3, 2);
    for (size_t copy = 3; copy < 5; copy++)
        memcpy(s.vectors + copy * 6, s.vectors, 6 * sizeof(float));
    f0t_ranksvm_free(s.svm);
    assert_ok(f0t_ranksvm_create(&s.svm, s.vectors, 14, 6));
    for (size_t h = 0; h < 2; h++) {
        solve(&s, many_lambdas, LAMBDAS, hinges[h]);
        for (size_t i = 0; i < LAMBDAS; i++)
            for (size_t r = 0; r < 3; r++)
                check_with_plain(&s, r, i, many_lambdas[i], hinges[h]);
    }
    release(&s);
}

static void zero_vectors_give_the_direction_zero(void **state)
{
    (void)state;
    solved s = prepare(20, 4, 2, 3);
    memset(s.vectors, 0, 20 * 4 * sizeof(float));
    f0t_ranksvm_free(s.svm);
    assert_ok(f0t_ranksvm_create(&s.svm, s.vectors, 20, 4));
    solve(&s, many_lambdas, LAMBDAS, F0T_HINGE_SQUARED);
    for (size_t i = 0; i < LAMBDAS * 2; i++) {
        assert_true(s.results[i].objective == 51 && s.results[i].gap == 0);
        for (size_t j = 0; j < 4; j++)
            assert_true(s.directions[i * 4 + j] == 0);
    }
    release(&s);
}

/* One vector is zero, the others long or short: w scales with them. */
static void vectors_of_any_length_agree_with_the_list(void **state)
{
    (void)state;
    const float scales[] = {100, 0.01F};
    for (size_t k = 0; k < 2; k++) {
        solved s = prepare(16, 5, 2, 2);
        for (size_t i = 0; i < 16 * 5; i++)
            s.vectors[i] *= i < 5 ? 0 : scales[k];
        f0t_ranksvm_free(s.svm);
        assert_ok(f0t_ranksvm_create(&s.svm, s.vectors, 16, 5));
        const double lambda = (double)scales[k] * (double)scales[k];
        for (size_t h = 0; h < 2; h++) {
            solve(&s, &lambda, 1, hinges[h]);
            check_with_plain(&s, 0, 0, lambda, hinges[h]);
            check_with_plain(&s, 1, 0, lambda, hinges[h]);
        }
        release(&s);
    }
}

static void wrong_values_are_refused(void **state)
{
    (void)state;
    solved s = prepare(6, 3, 1, 2);
    f0t_ranksvm *svm;
    const double bad[] = {0, -1, NAN, INFINITY};
    const f0t_ranksvm_options options = {.gap = 1}, no_number = {.gap = NAN};
    for (size_t i = 0; i < 4; i++)
        assert_fails(F0T_ERROR_ARGUMENT, ": it must be above 0",
                     f0t_ranksvm_solve(s.directions, NULL, s.svm, s.rules, &bad[i], 1, NULL, NULL));
    assert_fails(
        F0T_ERROR_ARGUMENT, "the gap is 1: it must be from 0 to below 1",
        f0t_ranksvm_solve(s.directions, NULL, s.svm, s.rules, many_lambdas, 1, &options, NULL));
    assert_fails(
        F0T_ERROR_ARGUMENT, "the gap is",
        f0t_ranksvm_solve(s.directions, NULL, s.svm, s.rules, many_lambdas, 1, &no_number, NULL));
    s.rules->tags = 7;
    assert_fails(
        F0T_ERROR_MISMATCH, "rules over 7 tags, vectors of 6",
        f0t_ranksvm_solve(s.directions, NULL, s.svm, s.rules, many_lambdas, 1, NULL, NULL));
    s.vectors[7] = NAN;
    assert_fails(F0T_ERROR_NUMERIC, "tag 2 has a number that is not finite, at 1",
                 f0t_ranksvm_create(&svm, s.vectors, 6, 3));
    assert_null(svm);
    s.vectors[7] = -INFINITY;
    assert_fails(F0T_ERROR_NUMERIC, "not finite", f0t_ranksvm_create(&svm, s.vectors, 6, 3));
    assert_fails(F0T_ERROR_ARGUMENT, "a ranking SVM over 0 tags of 3 dimensions",
                 f0t_ranksvm_create(&svm, s.vectors, 0, 3));
    assert_fails(F0T_ERROR_ARGUMENT, " tags of 3 dimensions are too many",
                 f0t_ranksvm_create(&svm, s.vectors, SIZE_MAX / 2, 3));
    release(&s);
}

/* ---- Running ---------------------------------------------------------------------------------------- */

static void the_number_of_threads_and_of_slots_changes_nothing_much(void **state)
{
    (void)state;
    const size_t batches[] = {0, 1, 3};
    const double lambdas[] = {50, 0.1};
    solved s = prepare(400, 20, 40, 2);
    float *first;
    const size_t size = 2 * 40 * 20 * sizeof *first;
    assert_ok(f0t_alloc(&first, size, 1));
    for (size_t h = 0; h < 2; h++) {
        solve(&s, lambdas, 2, hinges[h]);
        memcpy(first, s.directions, size);
        test_threads(1);
        solve(&s, lambdas, 2, hinges[h]);
        test_threads(0);
        if (f0t_cpu_level() == F0T_CPU_WIDEST)
            assert_memory_equal(first, s.directions, size);
        for (size_t i = 0; i < size / sizeof *first; i++)
            assert_float_equal(first[i], s.directions[i], 1e-4);
        for (size_t b = 0; b < 3; b++) {
            const f0t_ranksvm_options options = {.hinge = hinges[h], .batch = batches[b]};
            assert_ok(f0t_ranksvm_solve(s.directions, s.results, s.svm, s.rules, lambdas, 2,
                                        &options, NULL));
            for (size_t i = 0; i < 80; i++) {
                plain p = pairs_of(&s, i % 40);
                check_result(&s, &p, i, lambdas[i / 40], hinges[h]);
                plain_free(&p);
            }
        }
    }
    f0t_free(first);
    release(&s);
}

/* Products of few rows may take other kernels, which sum in another order: before AVX-512 they do. */
static void a_rule_has_the_same_bytes_alone_and_among_others(void **state)
{
    (void)state;
    const double lambda = 1000; /* so that all tags are in play */
    const size_t counts[] = {1, 3, 20};
    solved s = prepare(1006, 150, 80, 12);
    float alone[20 * 150];
    for (size_t h = 0; h < 2; h++) {
        const f0t_ranksvm_options options = {.hinge = hinges[h]};
        solve(&s, &lambda, 1, hinges[h]);
        for (size_t i = 0; i < 12; i++) {
            f0t_rules *rules;
            const f0t_tag_sets sets = {s.rules->offsets + i, s.rules->relevant, counts[i % 3],
                                       s.tags};
            assert_ok(f0t_rules_create(&rules, &sets, NULL, s.tags));
            assert_int_equal(rules->count, counts[i % 3]);
            assert_ok(f0t_ranksvm_solve(alone, NULL, s.svm, rules, &lambda, 1, &options, NULL));
            assert_memory_equal(alone + rules->of_image[0] * s.dims, s.directions + i * s.dims,
                                s.dims * sizeof *alone);
            f0t_rules_free(rules);
        }
    }
    release(&s);
}

typedef struct seen {
    uint64_t done, total;
} seen;

static void keep_progress(void *user, const f0t_progress *progress)
{
    seen *s = user;
    s->done = progress->done;
    s->total = progress->total;
}

static void it_tells_how_far_it_is_and_stops_when_told(void **state)
{
    (void)state;
    solved s = prepare(40, 6, 9, 2);
    volatile sig_atomic_t stop = 0;
    seen last = {0, 0};
    const f0t_monitor monitor = {.progress = keep_progress, .user = &last, .stop = &stop};
    assert_ok(
        f0t_ranksvm_solve(s.directions, NULL, s.svm, s.rules, many_lambdas, 2, NULL, &monitor));
    assert_true(last.done == 18 && last.total == 18);
    stop = 1;
    assert_fails(
        F0T_ERROR_INTERRUPTED, "",
        f0t_ranksvm_solve(s.directions, NULL, s.svm, s.rules, many_lambdas, 2, NULL, &monitor));
    release(&s);
}

/* Thousands of tags have their axes from second moments: each kind of solution (a working set, all tags)
 * has the objective that the list of pairs gives it, and no other direction is better by more than the gap. */
static void a_vocabulary_is_solved_as_few_tags_are(void **state)
{
    (void)state;
    static const double lambdas[] = {100, 1, 0.01};
    solved s = prepare(5000, 12, 6, 3);
    for (size_t h = 0; h < 2; h++) {
        solve(&s, lambdas, 3, hinges[h]);
        for (size_t i = 0; i < 3; i++)
            for (size_t r = 0; r < 6; r++) {
                const f0t_ranksvm_result *result = &s.results[i * 6 + r];
                double w[12];
                plain p = pairs_of(&s, r);
                for (size_t k = 0; k < 12; k++)
                    w[k] = (double)s.directions[(i * 6 + r) * 12 + k];
                const double is = plain_objective(&p, w, lambdas[i], hinges[h]);
                assert_true(fabs(is - result->objective) < 1e-4 * is);
                assert_true(result->gap <= most_gap(lambdas[i]));
                plain_free(&p);
            }
    }
    release(&s);
}

static f0t_status create_and_solve(void *context)
{
    const solved *s = context;
    f0t_ranksvm *svm;
    F0T_TRY(f0t_ranksvm_create(&svm, s->vectors, s->tags, s->dims));
    f0t_status status =
        f0t_ranksvm_solve(s->directions, s->results, svm, s->rules, many_lambdas, 2, NULL, NULL);
    f0t_ranksvm_free(svm);
    return status;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    solved s = prepare(9, 4, 2, 2);
    test_each_fault(F0T_FAULT_ALLOC, create_and_solve, &s);
    release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_tags_agree_with_the_list_of_pairs),
        cmocka_unit_test(fewer_tags_than_dimensions_agree),
        cmocka_unit_test(many_tags_agree_with_the_list_of_pairs),
        cmocka_unit_test(a_series_gives_what_each_lambda_gives_alone),
        cmocka_unit_test(many_relevant_tags_of_thousands_are_solved),
        cmocka_unit_test(half_of_the_tags_may_be_relevant),
        cmocka_unit_test(a_rule_without_a_pair_has_the_direction_zero),
        cmocka_unit_test(one_tag_has_no_pairs),
        cmocka_unit_test(equal_vectors_on_both_sides_agree_with_the_list),
        cmocka_unit_test(zero_vectors_give_the_direction_zero),
        cmocka_unit_test(vectors_of_any_length_agree_with_the_list),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(the_number_of_threads_and_of_slots_changes_nothing_much),
        cmocka_unit_test(a_rule_has_the_same_bytes_alone_and_among_others),
        cmocka_unit_test(it_tells_how_far_it_is_and_stops_when_told),
        cmocka_unit_test(a_vocabulary_is_solved_as_few_tags_are),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
