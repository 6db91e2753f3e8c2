#include "tasks.h"

#include "baseline/fu2015.h"

enum { TAGS = 5, DIM = 7, COUNT = (1 << TAGS) - 1 };

static void prototypes_are_the_sums_of_their_tags(void **state)
{
    (void)state;
    float vectors[TAGS * DIM], *prototypes;
    test_random_floats(vectors, TAGS * DIM, 1);
    assert_ok(f0t_combinations_create(&prototypes, vectors, TAGS, DIM));
    for (size_t c = 1; c <= COUNT; c++) {
        double sum[DIM] = {0}, norm = 0;
        for (size_t t = 0; t < TAGS; t++)
            for (size_t k = 0; k < DIM && c >> t & 1; k++)
                sum[k] += (double)vectors[t * DIM + k];
        for (size_t k = 0; k < DIM; k++)
            norm += sum[k] * sum[k];
        for (size_t k = 0; k < DIM; k++)
            assert_true(fabs(sum[k] / sqrt(norm) - (double)prototypes[(c - 1) * DIM + k]) < 1e-5);
    }
    f0t_free(prototypes);
}

static void marginals_sum_the_combinations_that_have_a_tag(void **state)
{
    (void)state;
    float similarity[COUNT], scratch[COUNT], got[TAGS];
    test_random_floats(similarity, COUNT, 2);
    memcpy(scratch, similarity, sizeof scratch);
    f0t_combinations_marginals(got, scratch, TAGS, 0.3);
    for (size_t t = 0; t < TAGS; t++) {
        double with = 0, all = 0;
        for (size_t c = 1; c <= COUNT; c++) {
            double p = exp((double)similarity[c - 1] / 0.3);
            all += p;
            with += c >> t & 1 ? p : 0;
        }
        assert_true(fabs(with / all - (double)got[t]) < 1e-5);
    }
}

static void a_low_temperature_leaves_the_nearest_combination(void **state)
{
    (void)state;
    float similarity[COUNT], got[TAGS];
    test_random_floats(similarity, COUNT, 3);
    similarity[0x0D - 1] = 1.1F; /* tags 0, 2 and 3 */
    f0t_combinations_marginals(got, similarity, TAGS, 1e-4);
    for (size_t t = 0; t < TAGS; t++)
        assert_true(fabs((double)got[t] - (0x0D >> t & 1)) < 1e-6);
}

static void too_many_tags_are_refused(void **state)
{
    (void)state;
    float vectors[13] = {0}, *prototypes;
    assert_fails(F0T_ERROR_UNSUPPORTED,
                 "13 tags have 2^13 combinations, each with a prototype; at most",
                 f0t_combinations_create(&prototypes, vectors, 13, 1));
    assert_null(prototypes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prototypes_are_the_sums_of_their_tags),
        cmocka_unit_test(marginals_sum_the_combinations_that_have_a_tag),
        cmocka_unit_test(a_low_temperature_leaves_the_nearest_combination),
        cmocka_unit_test(too_many_tags_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
