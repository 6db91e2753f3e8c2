/* Metrics against their definitions on random rankings with many ties. */
#include "rankings.h"

#include <string.h>

static ranking_case made;

/* What the definitions say for one K. */
typedef struct slow_counts {
    double hits, relevant, images, tagged, n_plus;
    double p_sum, p_tagged_sum, predicted_tags, r_sum, occurring;
} slow_counts;

static bool is_tagged(const ranking_case *c, size_t m)
{
    return c->offsets[m + 1] > c->offsets[m];
}

/* In what part of the orders of equal scores the tag is among the first k. */
static double first_share(const ranking_case *c, size_t m, size_t t, size_t k)
{
    double above, equal;
    slow_place(&above, &equal, c->scores + m * c->tags, c->tags, 1, t);
    return fmin(1, fmax(0, ((double)k - above) / equal));
}

static void count_tag(slow_counts *s, const ranking_case *c, size_t t, size_t k)
{
    double hits = 0, predicted = 0, tagged = 0, relevant = 0, missed = 1;
    for (size_t m = 0; m < c->images; m++) {
        const double first = first_share(c, m, t, k);
        const double hit = c->truth[m * c->tags + t] ? first : 0;
        hits += hit;
        missed *= 1 - hit;
        predicted += first;
        tagged += is_tagged(c, m) ? first : 0;
        relevant += c->truth[m * c->tags + t];
    }
    s->hits += hits;
    s->relevant += relevant;
    s->n_plus += 1 - missed;
    s->p_sum += predicted > 0 ? hits / predicted : 0;
    s->p_tagged_sum += tagged > 0 ? hits / tagged : 0;
    s->predicted_tags += predicted > 0;
    s->r_sum += relevant > 0 ? hits / relevant : 0;
    s->occurring += relevant > 0;
}

static slow_counts count_slowly(const ranking_case *c, size_t k)
{
    slow_counts s = {.images = (double)c->images};
    for (size_t m = 0; m < c->images; m++)
        s.tagged += is_tagged(c, m);
    for (size_t t = 0; t < c->tags; t++)
        count_tag(&s, c, t, k);
    return s;
}

static double over(double a, double b)
{
    return b > 0 ? a / b : (double)NAN;
}

static void assert_prf(f0t_prf got, double p, double r, const char *what)
{
    assert_near(got.p, p, what);
    assert_near(got.r, r, what);
    assert_near(got.f, p == 0 && r == 0 ? 0 : over(2 * p * r, p + r), what);
}

static void check_cutoff(const f0t_cutoff_values *v, const ranking_case *c)
{
    slow_counts s = count_slowly(c, v->k);
    double first = (double)(v->k < c->tags ? v->k : c->tags), tags = (double)c->tags;
    double r = over(s.hits, s.relevant), class_r = over(s.r_sum, s.occurring);
    assert_prf(v->pooled, over(s.hits, first * s.images), r, "pooled");
    assert_prf(v->pooled_tagged, over(s.hits, first * s.tagged), r, "pooled over tagged images");
    assert_prf(v->class_all, over(s.p_sum, tags), class_r, "per class");
    assert_prf(v->class_predicted, over(s.p_sum, s.predicted_tags), class_r, "predicted classes");
    assert_prf(v->class_tagged, over(s.p_tagged_sum, tags), class_r, "classes of tagged images");
    assert_near(v->n_plus, s.n_plus, "N+");
}

/* Sum over rows (or columns) of the average precision where it is defined, and their number. */
static double sum_slowly(double *defined, const ranking_case *c, bool by_tag)
{
    double sum = 0;
    *defined = 0;
    for (size_t i = 0; i < (by_tag ? c->tags : c->images); i++) {
        size_t at = by_tag ? i : i * c->tags, n = by_tag ? c->images : c->tags;
        double ap = slow_precision(c->scores + at, c->truth + at, n, by_tag ? c->tags : 1);
        sum += ap < 0 ? 0 : ap;
        *defined += ap >= 0;
    }
    return sum;
}

static void check_all(const ranking_case *c, size_t step)
{
    static const size_t cutoffs[] = {1, 3, 5, 100};
    f0t_metric_values v;
    double tagged, occurring;
    double images = sum_slowly(&tagged, c, false), tags = sum_slowly(&occurring, c, true);
    assert_ok(ranking_measure(&v, c, cutoffs, 4, step));
    assert_int_equal(v.images, c->images);
    assert_int_equal(v.tagged, (size_t)tagged);
    assert_int_equal(v.tags, c->tags);
    assert_int_equal(v.occurring, (size_t)occurring);
    assert_near(v.miap, over(images, tagged), "MiAP");
    assert_near(v.miap_all, over(images, (double)c->images), "MiAP with all images");
    assert_near(v.map, over(tags, occurring), "mAP");
    assert_near(v.map_all, over(tags, (double)c->tags), "mAP with all tags");
    for (size_t i = 0; i < 4; i++)
        check_cutoff(&v.cutoffs[i], c);
}

static void metrics_are_their_definitions(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        ranking_case_draw(&made, seed, 20 + seed, 3 + 2 * seed, seed % 3 == 0 ? 4 : 100,
                          seed % 2 ? 0.05 : 0.4);
        check_all(&made, 1 + seed);
    }
}

static void images_without_tags_and_tags_without_images_are_counted(void **state)
{
    (void)state;
    ranking_case_draw(&made, 5, 30, 8, 3, 0);
    check_all(&made, 7);
    ranking_case_draw(&made, 5, 30, 8, 3, 1.1);
    check_all(&made, 30);
}

static void what_nothing_is_relevant_for_is_not_defined(void **state)
{
    static const size_t k = 3;
    f0t_metric_values v;
    (void)state;
    ranking_case_draw(&made, 5, 30, 8, 3, 0);
    assert_ok(ranking_measure(&v, &made, &k, 1, 30));
    const f0t_cutoff_values *c = &v.cutoffs[0];
    assert_true(isnan(v.miap) && isnan(v.map));
    assert_true(isnan(c->pooled.r) && isnan(c->pooled.f) && isnan(c->class_all.r));
    assert_true(isnan(c->class_all.f) && isnan(c->pooled_tagged.p) && isnan(c->class_tagged.f));
    assert_true(v.miap_all == 0 && v.map_all == 0 && c->pooled.p == 0 && c->class_all.p == 0);
}

static void infinite_and_negative_zero_scores_rank(void **state)
{
    (void)state;
    ranking_case_draw(&made, 6, 20, 10, 4, 0.3);
    for (size_t i = 0; i < 200; i += 3)
        made.scores[i] = i % 2 ? (float)-INFINITY : -0.0F;
    check_all(&made, 6);
}

static void a_nan_is_refused(void **state)
{
    static const size_t k = 3;
    f0t_metric_values v;
    (void)state;
    ranking_case_draw(&made, 7, 10, 10, 50, 0.3);
    made.scores[57] = (float)NAN;
    assert_fails(F0T_ERROR_NUMERIC, "NaN", ranking_measure(&v, &made, &k, 1, 10));
}

static void blocks_of_another_size_are_refused(void **state)
{
    f0t_metrics *metrics;
    f0t_ranking block = {.images = 1, .tags = 4};
    (void)state;
    assert_ok(f0t_metrics_create(&metrics, 5, 1, NULL, 0, NULL));
    assert_fails(F0T_ERROR_INTERNAL, "metrics of 5 tags got a block of 4",
                 f0t_metrics_add(metrics, &block));
    block.tags = 5;
    block.images = 2;
    assert_fails(F0T_ERROR_INTERNAL, "metrics of 1 images got more",
                 f0t_metrics_add(metrics, &block));
    f0t_metrics_free(metrics);
}

static void too_many_cutoffs_are_refused(void **state)
{
    static const size_t cutoffs[F0T_CUTOFFS_MOST + 1] = {1, 2, 3};
    f0t_metrics *metrics;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "9 values of K; at most 8",
                 f0t_metrics_create(&metrics, 5, 5, cutoffs, F0T_CUTOFFS_MOST + 1, NULL));
}

/* ---- Seen tags and unseen ones together ---------------------------------------------------- */

/* The ranking of all, but only tags of one kind are relevant. */
static double slow_kind_miap(const ranking_case *c, const bool *seen, bool kind)
{
    double sum = 0, count = 0;
    for (size_t m = 0; m < c->images; m++) {
        bool truth[R_TAGS];
        for (size_t t = 0; t < c->tags; t++)
            truth[t] = c->truth[m * c->tags + t] && seen[t] == kind;
        const double precision = slow_precision(c->scores + m * c->tags, truth, c->tags, 1);
        sum += precision < 0 ? 0 : precision;
        count += precision >= 0;
    }
    return over(sum, count);
}

static void check_kind(const f0t_kind_values *v, const ranking_case *c, const bool *seen, bool kind,
                       size_t k)
{
    double hits = 0, predicted = 0, relevant = 0, recalls = 0, occurring = 0;
    for (size_t t = 0; t < c->tags; t++) {
        double tag_hits = 0, tag_relevant = 0;
        for (size_t m = 0; m < c->images && seen[t] == kind; m++) {
            const bool is = c->truth[m * c->tags + t];
            tag_hits += is ? first_share(c, m, t, k) : 0;
            tag_relevant += is;
            predicted += first_share(c, m, t, k);
        }
        hits += tag_hits;
        relevant += tag_relevant;
        recalls += tag_relevant > 0 ? tag_hits / tag_relevant : 0;
        occurring += tag_relevant > 0;
    }
    assert_prf(v->pooled, hits / predicted, hits / relevant, "of one kind");
    assert_near(v->class_r, recalls / occurring, "recall per tag of one kind");
}

static void seen_and_unseen_tags_are_measured_in_one_ranking(void **state)
{
    static const size_t cutoffs[] = {1, 4};
    bool seen[R_TAGS];
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        f0t_metric_values v;
        ranking_case_draw(&made, seed, 40, 15, seed % 2 ? 5 : 1000, 0.3);
        for (size_t t = 0; t < made.tags; t++)
            seen[t] = t % 3 != seed % 3;
        assert_ok(ranking_measure_kinds(&v, &made, cutoffs, 2, 7, seen));
        const double s = slow_kind_miap(&made, seen, true), u = slow_kind_miap(&made, seen, false);
        assert_near(v.seen_miap, s, "MiAP of seen tags");
        assert_near(v.unseen_miap, u, "MiAP of unseen tags");
        assert_near(v.harmonic_miap, 2 * s * u / (s + u), "harmonic mean");
        for (int i = 0; i < 2; i++) {
            const f0t_cutoff_values *c = &v.cutoffs[i];
            check_kind(&c->kinds[0], &made, seen, false, c->k);
            check_kind(&c->kinds[1], &made, seen, true, c->k);
            assert_near(c->harmonic_f, 2 / (1 / c->kinds[0].pooled.f + 1 / c->kinds[1].pooled.f),
                        "harmonic mean of F1");
            assert_true(c->area > 0 && c->area < 1);
        }
    }
}

static void tags_of_one_kind_have_no_harmonic_mean(void **state)
{
    static const size_t k = 3;
    bool seen[R_TAGS] = {false};
    f0t_metric_values v;
    (void)state;
    ranking_case_draw(&made, 3, 20, 10, 100, 0.3);
    for (int all = 0; all < 2; all++) {
        for (size_t t = 0; t < made.tags; t++)
            seen[t] = all;
        assert_ok(ranking_measure_kinds(&v, &made, &k, 1, 20, seen));
        assert_true(isnan(v.seen_miap) && isnan(v.harmonic_miap) && isnan(v.cutoffs[0].area) &&
                    isnan(v.cutoffs[0].harmonic_f) && isnan(v.cutoffs[0].kinds[1].pooled.p));
    }
}

static f0t_status measure(void *context)
{
    static const size_t cutoffs[] = {3, 5};
    static const bool seen[R_TAGS] = {true, true, true};
    f0t_metric_values v;
    (void)context;
    return ranking_measure_kinds(&v, &made, cutoffs, 2, 8, seen);
}

static void missing_memory_is_told(void **state)
{
    (void)state;
    ranking_case_draw(&made, 8, 20, 10, 50, 0.3);
    test_each_fault(F0T_FAULT_ALLOC, measure, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_are_their_definitions),
        cmocka_unit_test(images_without_tags_and_tags_without_images_are_counted),
        cmocka_unit_test(what_nothing_is_relevant_for_is_not_defined),
        cmocka_unit_test(infinite_and_negative_zero_scores_rank),
        cmocka_unit_test(a_nan_is_refused),
        cmocka_unit_test(blocks_of_another_size_are_refused),
        cmocka_unit_test(too_many_cutoffs_are_refused),
        cmocka_unit_test(seen_and_unseen_tags_are_measured_in_one_ranking),
        cmocka_unit_test(tags_of_one_kind_have_no_harmonic_mean),
        cmocka_unit_test(missing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
