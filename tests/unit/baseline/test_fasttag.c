#include "tasks.h"

#include "baseline/fasttag.h"
#include "baseline/moments.h"

/* ---- By hand ------------------------------------------------------------------------------- */

enum { T = C_TAGS, D = C_FEATURES, MOST = 5 };

/* What all layers start from, in double precision. */
typedef struct by_hand {
    f0t_task_moments *plain, *centred;
    double r[T * D], explained[T * T];
    double b[MOST][T * T]; /* B of each layer, */
    double a[MOST][T * T]; /* A with it */
    double miap[MOST];     /* of the validation images */
} by_hand;

static void hand_open(by_hand *h, const made_task *m, double ridge)
{
    *h = (by_hand){0};
    assert_ok(f0t_task_moments_create(&h->plain, &m->task, NULL));
    assert_ok(f0t_task_moments_centre(&h->centred, h->plain));
    memcpy(h->r, h->centred->crossed, sizeof h->r);
    assert_ok(f0t_task_moments_solve(h->r, T, h->centred, ridge, NULL));
    for (size_t s = 0; s < T; s++)
        for (size_t t = 0; t < T; t++)
            for (size_t j = 0; j < D; j++)
                h->explained[s * T + t] += h->r[s * D + j] * h->centred->crossed[t * D + j];
}

static void hand_close(by_hand *h)
{
    f0t_task_moments_free(h->plain);
    f0t_task_moments_free(h->centred);
}

static void multiply(double *c, const double *a, const double *b)
{
    for (size_t s = 0; s < T; s++)
        for (size_t t = 0; t < T; t++) {
            c[s * T + t] = 0;
            for (size_t k = 0; k < T; k++)
                c[s * T + t] += a[s * T + k] * b[k * T + t];
        }
}

/* A (R (x − x̄) + ȳ). */
static double hand_score(const by_hand *h, const double *a, const float *x, size_t tag)
{
    double sum = 0;
    for (size_t t = 0; t < T; t++) {
        double guess = h->plain->counts[t] / h->plain->images;
        for (size_t j = 0; j < D; j++)
            guess += h->r[t * D + j] * ((double)x[j] - h->plain->sum[j] / h->plain->images);
        sum += a[tag * T + t] * guess;
    }
    return sum;
}

static double hand_miap(const by_hand *h, const double *a, const made_task *m)
{
    const f0t_samples *val = &m->task.val;
    float *x, *scores;
    f0t_miap miap = {0};
    assert_ok(f0t_alloc(&x, val->count * D, sizeof *x));
    assert_ok(f0t_alloc(&scores, val->count * T, sizeof *scores));
    assert_ok(f0t_task_read(x, &m->task, val->images, val->count));
    for (size_t i = 0; i < val->count; i++)
        for (size_t t = 0; t < T; t++)
            scores[i * T + t] = (float)hand_score(h, a, x + i * D, t);
    const f0t_ranking ranking = {.images = val->count,
                                 .tags = T,
                                 .scores = scores,
                                 .offsets = val->offsets,
                                 .relevant = val->relevant};
    assert_ok(f0t_miap_add(&miap, &ranking));
    f0t_free(x);
    f0t_free(scores);
    return f0t_miap_get(&miap);
}

/* The input of a layer is what the one before makes of the tags: h = B h. */
static void hand_stack(by_hand *h, const made_task *m, double gamma, double blank)
{
    double all[T * T], unexplained[T * T];
    f0t_fasttag_sums sums = {T, all, unexplained};
    memcpy(all, h->plain->pairs, sizeof all);
    for (size_t i = 0; i < T * T; i++)
        unexplained[i] = h->centred->pairs[i] - h->explained[i];
    for (size_t l = 0; l < MOST; l++) {
        double *b = h->b[l];
        assert_ok(f0t_fasttag_layer(b, &sums, gamma, blank, NULL));
        if (l)
            multiply(h->a[l], b, h->a[l - 1]);
        else
            memcpy(h->a[l], b, T * T * sizeof *b);
        h->miap[l] = m->task.val.count ? hand_miap(h, h->a[l], m) : (double)NAN;
        assert_ok(f0t_fasttag_next(&sums, b, NULL));
    }
}

/* The largest difference from the scores of these layers. */
static double hand_difference(const by_hand *h, const double *a, const made_task *m,
                              const float *scores)
{
    double most = 0;
    for (size_t i = 0; i < m->test.count; i++)
        for (size_t t = 0; t < T; t++)
            most = fmax(most,
                        fabs(hand_score(h, a, m->features + i * D, t) - (double)scores[i * T + t]));
    return most;
}

static void one_layer_scores_as_its_formula_says(void **state)
{
    (void)state;
    const double knobs[] = {0.1, 2, 0.4, 0};
    made_task m;
    by_hand h;
    made_task_create(&m, T, 0);
    size_t val = m.task.val.count;
    m.task.val.count = 0;
    float *scores = made_room(&m);
    assert_ok(made_scores(scores, &m, &f0t_ranker_fasttag, knobs, m.test.count));
    hand_open(&h, &m, knobs[0]);
    hand_stack(&h, &m, knobs[1], knobs[2]);
    assert_true(hand_difference(&h, h.a[0], &m, scores) < 1e-4);
    m.task.val.count = val;
    hand_close(&h);
    f0t_free(scores);
    made_task_free(&m);
}

/* Gives every validation image the tags that these layers rank first: validation rises up to them,
 * and falls behind. */
static void prefer(made_task *m, const by_hand *h, const double *a)
{
    const f0t_samples *val = &m->task.val;
    for (size_t i = 0; i < val->count; i++) {
        float x[D];
        double scores[T];
        bool taken[T] = {false};
        assert_ok(f0t_task_read(x, &m->task, val->images + i, 1));
        for (size_t t = 0; t < T; t++)
            scores[t] = hand_score(h, a, x, t);
        for (size_t n = val->offsets[i]; n < val->offsets[i + 1]; n++) {
            size_t best = T;
            for (size_t t = 0; t < T; t++)
                if (!taken[t] && (best == T || scores[t] > scores[best]))
                    best = t;
            taken[best] = true;
        }
        for (size_t t = 0, n = val->offsets[i]; t < T; t++)
            if (taken[t])
                val->relevant[n++] = (uint32_t)t;
    }
}

/* As many layers as validation asks for, the last one on the left. */
static void layers_are_stacked_while_validation_rises(void **state)
{
    (void)state;
    const double knobs[] = {1, 10, 0.3, 0};
    made_task m;
    by_hand h;
    double swapped[T * T];
    made_task_create(&m, T, 0);
    float *scores = made_room(&m);
    hand_open(&h, &m, knobs[0]);
    for (size_t layers = 1; layers <= 3; layers++) {
        hand_stack(&h, &m, knobs[1], knobs[2]);
        prefer(&m, &h, h.a[layers - 1]);
        hand_stack(&h, &m, knobs[1], knobs[2]);
        for (size_t l = 1; l < layers; l++)
            assert_true(h.miap[l] > h.miap[l - 1]);
        assert_true(h.miap[layers] < h.miap[layers - 1]);
        assert_ok(made_scores(scores, &m, &f0t_ranker_fasttag, knobs, m.test.count));
        assert_true(hand_difference(&h, h.a[layers - 1], &m, scores) < 1e-5);
        if (layers == 2) {
            multiply(swapped, h.b[0], h.b[1]);
            assert_true(hand_difference(&h, swapped, &m, scores) > 1e-3);
        }
    }
    hand_close(&h);
    f0t_free(scores);
    made_task_free(&m);
}

static void it_finds_the_tags_of_images(void **state)
{
    (void)state;
    const double lifted[] = {0.1, 10, 0.1, 1};
    made_task m;
    made_task_create(&m, C_TAGS, 0);
    float *scores = made_room(&m);
    assert_true(made_default_miap(&m, &f0t_ranker_fasttag) > 75);
    assert_ok(made_scores(scores, &m, &f0t_ranker_fasttag, lifted, m.test.count));
    assert_true(made_miap(&m, scores) > 75);
    made_check_blocks(&m, &f0t_ranker_fasttag);
    f0t_free(scores);
    made_task_free(&m);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    made_task m;
    made_task_create(&m, C_TAGS, 0);
    made_check_faults(&m, &f0t_ranker_fasttag);
    made_task_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_layer_scores_as_its_formula_says),
        cmocka_unit_test(layers_are_stacked_while_validation_rises),
        cmocka_unit_test(it_finds_the_tags_of_images),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
