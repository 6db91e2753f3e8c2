/* Ranking SVMs over part of the tags, against the solver of whole rules. */
#include "support.h"

#include "base/random.h"
#include "rank/ranksvm.h"

#include <math.h>
#include <string.h>

enum { TAGS = 400, DIM = 60, PART = 250 };

static void make_vectors(float *v)
{
    const f0t_random random = {5, 0};
    for (size_t i = 0; i < TAGS * DIM; i++)
        v[i] = (float)f0t_random_normal(&random, i);
}

/* Tags 0, 3, 6, … of which the first three are relevant; and their vectors alone. */
static void take_part(uint32_t *tags, float *vectors, const float *all)
{
    size_t count = 0;
    for (uint32_t t = 0; count < PART; t = (t + 3) % TAGS)
        tags[count++] = t;
    for (size_t i = 0; i < PART; i++)
        memcpy(vectors + i * DIM, all + tags[i] * DIM, DIM * sizeof *all);
}

static void solve_whole(float *w, const float *vectors, size_t tags, double lambda, f0t_hinge hinge,
                        f0t_ranksvm_result *result)
{
    const size_t offsets[] = {0, 3};
    const uint32_t relevant[] = {0, 1, 2};
    const f0t_tag_sets sets = {offsets, relevant, 1, tags};
    const f0t_ranksvm_options options = {.hinge = hinge};
    f0t_ranksvm *svm;
    f0t_rules *rules;
    assert_ok(f0t_ranksvm_create(&svm, vectors, tags, DIM));
    assert_ok(f0t_rules_create(&rules, &sets, NULL, tags));
    assert_ok(f0t_ranksvm_solve(w, result, svm, rules, &lambda, 1, &options, NULL));
    f0t_rules_free(rules);
    f0t_ranksvm_free(svm);
}

static void a_part_is_solved_as_if_the_others_were_not_there(void **state)
{
    static const double lambdas[] = {1e-3, 0.1, 1, 30, 1000};
    float all[TAGS * DIM], some[PART * DIM], w[DIM], want[DIM];
    uint32_t tags[PART];
    f0t_ranksvm *svm;
    f0t_ranksvm_part *part;
    (void)state;
    make_vectors(all);
    take_part(tags, some, all);
    assert_ok(f0t_ranksvm_create(&svm, all, TAGS, DIM));
    assert_ok(f0t_ranksvm_part_create(&part, svm));
    for (int hinge = 0; hinge < 2; hinge++)
        for (size_t i = 0; i < sizeof lambdas / sizeof *lambdas; i++) {
            const f0t_ranksvm_options options = {.hinge = (f0t_hinge)hinge};
            f0t_ranksvm_result got, whole;
            f0t_ranksvm_part_solve(w, &got, part, tags, 3, PART, lambdas[i], &options);
            solve_whole(want, some, PART, lambdas[i], (f0t_hinge)hinge, &whole);
            assert_true(got.gap <= 6e-4);
            assert_true(fabs(got.objective - whole.objective) <= 1.5e-3 * whole.objective);
            double length = 0, off = 0;
            for (size_t k = 0; k < DIM; k++) {
                length += (double)want[k] * (double)want[k];
                off += pow((double)w[k] - (double)want[k], 2);
            }
            assert_true(off <= 0.01 * length);
        }
    f0t_ranksvm_part_free(part);
    f0t_ranksvm_free(svm);
}

static void equal_vectors_have_no_direction(void **state)
{
    float same[4 * DIM], w[DIM];
    const uint32_t tags[] = {2, 0, 1, 3};
    f0t_ranksvm_result result;
    f0t_ranksvm *svm;
    f0t_ranksvm_part *part;
    (void)state;
    for (size_t i = 0; i < 4 * DIM; i++)
        same[i] = 0.5F;
    assert_ok(f0t_ranksvm_create(&svm, same, 4, DIM));
    assert_ok(f0t_ranksvm_part_create(&part, svm));
    f0t_ranksvm_part_solve(w, &result, part, tags, 1, 4, 1, NULL);
    for (size_t k = 0; k < DIM; k++)
        assert_true(w[k] == 0);
    assert_true(result.objective == 3);
    f0t_ranksvm_part_free(part);
    f0t_ranksvm_free(svm);
}

static f0t_status create(void *context)
{
    f0t_ranksvm_part *part;
    f0t_status status = f0t_ranksvm_part_create(&part, context);
    f0t_ranksvm_part_free(part);
    return status;
}

static void missing_memory_is_told(void **state)
{
    float all[TAGS * DIM];
    f0t_ranksvm *svm;
    (void)state;
    make_vectors(all);
    assert_ok(f0t_ranksvm_create(&svm, all, TAGS, DIM));
    test_each_fault(F0T_FAULT_ALLOC, create, svm);
    f0t_ranksvm_free(svm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_solved_as_if_the_others_were_not_there),
        cmocka_unit_test(equal_vectors_have_no_direction),
        cmocka_unit_test(missing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
