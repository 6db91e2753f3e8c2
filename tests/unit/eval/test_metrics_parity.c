/* Metrics against those of scikit-learn: tests/parity/make_metrics.py. */
#include "rankings.h"

#include <stdio.h>
#include <string.h>

static ranking_case made;

static double read_number(FILE *file)
{
    double number = 0;
    assert_int_equal(fscanf(file, "%lf", &number), 1);
    return number;
}

static void read_case(ranking_case *c, FILE *file)
{
    memset(c->truth, 0, sizeof c->truth);
    for (size_t i = 0; i < c->images * c->tags; i++)
        c->scores[i] = (float)read_number(file);
    for (size_t m = 0; m < c->images; m++)
        for (size_t count = (size_t)read_number(file); count; count--)
            c->truth[m * c->tags + (size_t)read_number(file)] = true;
    ranking_case_index(c);
}

static void check_near(double got, FILE *file, const char *what)
{
    double want = read_number(file);
    if (!(fabs(got - want) < 1e-10))
        fail_msg("%s is %.12g, scikit-learn has %.12g", what, got, want);
}

static void check_values(const f0t_metric_values *v, FILE *file)
{
    const f0t_cutoff_values *c = &v->cutoffs[0];
    check_near(v->miap, file, "MiAP");
    check_near(v->map, file, "mAP");
    check_near(v->map_all, file, "mAP with all tags");
    check_near(v->map_interpolated, file, "interpolated mAP");
    check_near(v->map_eleven, file, "mAP of eleven points");
    check_near(c->pooled.p, file, "pooled precision");
    check_near(c->pooled.r, file, "pooled recall");
    check_near(c->pooled.f, file, "pooled F1");
    check_near(c->class_all.p, file, "precision per class");
    check_near(c->class_all.r, file, "recall per class");
    check_near(c->class_predicted.p, file, "precision of predicted classes");
    check_near(c->n_plus, file, "N+");
}

/* Gives whether scores were all different: then there are more values. */
static bool check_case(FILE *file, size_t k)
{
    f0t_metric_values v;
    long at;
    int more = 0;
    read_case(&made, file);
    assert_ok(ranking_measure(&v, &made, &k, 1, 4));
    assert_int_equal(fscanf(file, " lists%n", &more), 0);
    assert_int_not_equal(more, 0);
    check_near(v.ndcg, file, "nDCG");
    check_near(v.coverage, file, "coverage");
    check_near(v.ranking_loss, file, "ranking loss");
    check_near(v.lrap, file, "label-ranking average precision");
    at = ftell(file);
    more = 0;
    assert_true(fscanf(file, " values%n", &more) <= 0);
    if (more)
        check_values(&v, file);
    else
        fseek(file, at, SEEK_SET);
    return more;
}

static void metrics_are_those_of_scikit_learn(void **state)
{
    FILE *file = fopen(test_source("parity/metrics.txt"), "r");
    size_t cases = 0, different = 0, k;
    (void)state;
    assert_non_null(file);
    while (fscanf(file, " case %zu %zu %zu", &made.images, &made.tags, &k) == 3) {
        assert_true(made.images <= R_IMAGES && made.tags <= R_TAGS);
        different += check_case(file, k);
        cases++;
    }
    fclose(file);
    assert_int_equal(cases, 6);
    assert_int_equal(different, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(metrics_are_those_of_scikit_learn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
