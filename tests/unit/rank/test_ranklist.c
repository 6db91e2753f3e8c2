#include "ranksvm_plain.h"

#include "rank/ranklist.h"

enum { TAGS = 30, DIMS = 12, LISTS = 6 };

/* All pairs of a list, for the plain solver. */
static plain list_pairs(const float *vectors, const float *list)
{
    plain p = {.dims = DIMS, .count = 0};
    assert_ok(f0t_alloc(&p.pairs, (size_t)TAGS * TAGS * DIMS, sizeof *p.pairs));
    for (size_t i = 0; i < TAGS; i++)
        for (size_t j = 0; j < TAGS; j++) {
            if (!(list[i] > list[j]))
                continue;
            for (size_t k = 0; k < DIMS; k++)
                p.pairs[p.count * DIMS + k] =
                    (double)vectors[i * DIMS + k] - (double)vectors[j * DIMS + k];
            p.count++;
        }
    return p;
}

/* Lists along a direction with noise; every second with many equal numbers. */
static void make_lists(float *lists, const float *vectors)
{
    for (size_t r = 0; r < LISTS; r++) {
        float w[DIMS], noise[TAGS];
        test_random_floats(w, DIMS, 70 + r);
        test_random_floats(noise, TAGS, 90 + r);
        for (size_t t = 0; t < TAGS; t++) {
            float sum = 0.3F * noise[t];
            for (size_t k = 0; k < DIMS; k++)
                sum += w[k] * vectors[t * DIMS + k];
            lists[r * TAGS + t] = r % 2 ? fmaxf(0, floorf(5 * sum)) : sum;
        }
    }
}

static void the_objective_is_the_least_one(void **state)
{
    (void)state;
    const double lambdas[] = {0.1, 10, 1000};
    float *vectors = plain_vectors(TAGS, DIMS, 1), lists[LISTS * TAGS], w[LISTS * DIMS];
    f0t_ranksvm_result results[LISTS];
    f0t_ranksvm *svm;
    make_lists(lists, vectors);
    assert_ok(f0t_ranksvm_create(&svm, vectors, TAGS, DIMS));
    for (size_t l = 0; l < sizeof lambdas / sizeof *lambdas; l++) {
        assert_ok(f0t_ranklist_solve(w, results, svm, lists, LISTS, lambdas[l], 1e-4, NULL));
        for (size_t r = 0; r < LISTS; r++) {
            plain p = list_pairs(vectors, lists + r * TAGS);
            double lower, upper;
            plain_solve(&p, lambdas[l], F0T_HINGE_SQUARED, 1e-4, &lower, &upper);
            double got = plain_objective_f32(&p, w + r * DIMS, lambdas[l], F0T_HINGE_SQUARED);
            assert_true(got <= lower * (1 + 3e-4));
            assert_true(fabs(got - results[r].objective) < 1e-3 * got);
            assert_true(results[r].gap <= 1e-4);
            plain_free(&p);
        }
    }
    f0t_ranksvm_free(svm);
    f0t_free(vectors);
}

/* A list of ones and zeros is a rule. */
static void two_levels_are_a_ranking_svm(void **state)
{
    (void)state;
    const double lambda = 1;
    float *vectors = plain_vectors(TAGS, DIMS, 2), list[TAGS] = {0}, w[DIMS], want[DIMS];
    const size_t offsets[] = {0, 3};
    const uint32_t relevant[] = {2, 11, 17};
    const f0t_tag_sets sets = {offsets, relevant, 1, TAGS};
    const f0t_ranksvm_options options = {.hinge = F0T_HINGE_SQUARED, .gap = 1e-6};
    f0t_rules *rules;
    f0t_ranksvm *svm;
    for (size_t i = 0; i < 3; i++)
        list[relevant[i]] = 1;
    assert_ok(f0t_rules_create(&rules, &sets, NULL, TAGS));
    assert_ok(f0t_ranksvm_create(&svm, vectors, TAGS, DIMS));
    assert_ok(f0t_ranksvm_solve(want, NULL, svm, rules, &lambda, 1, &options, NULL));
    assert_ok(f0t_ranklist_solve(w, NULL, svm, list, 1, lambda, 1e-6, NULL));
    for (size_t k = 0; k < DIMS; k++)
        assert_true(fabs((double)w[k] - (double)want[k]) < 0.01);
    f0t_rules_free(rules);
    f0t_ranksvm_free(svm);
    f0t_free(vectors);
}

static void a_large_lambda_still_gives_a_direction_and_no_pairs_none(void **state)
{
    (void)state;
    float *vectors = plain_vectors(TAGS, DIMS, 3), lists[2 * TAGS] = {0}, w[2 * DIMS];
    double length = 0;
    f0t_ranksvm *svm;
    test_random_floats(lists, TAGS, 4);
    assert_ok(f0t_ranksvm_create(&svm, vectors, TAGS, DIMS));
    assert_ok(f0t_ranklist_solve(w, NULL, svm, lists, 2, 1e9, 0, NULL));
    for (size_t k = 0; k < DIMS; k++) {
        length += (double)w[k] * (double)w[k];
        assert_true(w[DIMS + k] == 0);
    }
    assert_true(length > 0);
    f0t_ranksvm_free(svm);
    f0t_free(vectors);
}

static void what_cannot_be_solved_is_refused(void **state)
{
    (void)state;
    float *vectors = plain_vectors(TAGS, DIMS, 3), list[TAGS] = {0}, w[DIMS];
    f0t_ranksvm *svm;
    assert_ok(f0t_ranksvm_create(&svm, vectors, TAGS, DIMS));
    assert_fails(F0T_ERROR_ARGUMENT, "λ is 0; it must be above 0",
                 f0t_ranklist_solve(w, NULL, svm, list, 1, 0, 0, NULL));
    list[7] = NAN;
    assert_fails(F0T_ERROR_NUMERIC, "list 0 has no number for tag 7",
                 f0t_ranklist_solve(w, NULL, svm, list, 1, 1, 0, NULL));
    f0t_ranksvm_free(svm);
    f0t_free(vectors);
}

/* More lists than a batch has room for, alone and together. */
static void lists_do_not_disturb_each_other(void **state)
{
    (void)state;
    enum { MANY = 300 };
    float *vectors = plain_vectors(TAGS, DIMS, 5), *lists, *all, one[DIMS];
    f0t_ranksvm *svm;
    assert_ok(f0t_alloc(&lists, MANY * TAGS, sizeof *lists));
    assert_ok(f0t_alloc(&all, MANY * DIMS, sizeof *all));
    test_random_floats(lists, MANY * TAGS, 6);
    assert_ok(f0t_ranksvm_create(&svm, vectors, TAGS, DIMS));
    assert_ok(f0t_ranklist_solve(all, NULL, svm, lists, MANY, 5, 1e-5, NULL));
    for (size_t r = 0; r < MANY; r += 23) {
        assert_ok(f0t_ranklist_solve(one, NULL, svm, lists + r * TAGS, 1, 5, 1e-5, NULL));
        for (size_t k = 0; k < DIMS; k++)
            assert_true(fabs((double)one[k] - (double)all[r * DIMS + k]) < 1e-3);
    }
    f0t_ranksvm_free(svm);
    f0t_free(vectors);
    f0t_free(lists);
    f0t_free(all);
}

static f0t_status solve_once(void *context)
{
    float list[TAGS], w[DIMS];
    test_random_floats(list, TAGS, 8);
    return f0t_ranklist_solve(w, NULL, context, list, 1, 1, 0, NULL);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    float *vectors = plain_vectors(TAGS, DIMS, 7);
    f0t_ranksvm *svm;
    assert_ok(f0t_ranksvm_create(&svm, vectors, TAGS, DIMS));
    test_each_fault(F0T_FAULT_ALLOC, solve_once, svm);
    f0t_ranksvm_free(svm);
    f0t_free(vectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_objective_is_the_least_one),
        cmocka_unit_test(two_levels_are_a_ranking_svm),
        cmocka_unit_test(a_large_lambda_still_gives_a_direction_and_no_pairs_none),
        cmocka_unit_test(what_cannot_be_solved_is_refused),
        cmocka_unit_test(lists_do_not_disturb_each_other),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
