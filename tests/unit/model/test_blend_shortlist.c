/* The first tags of a blend with thousands of them are those that all scores, sorted, put first. */
#include "support.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "math/topk.h"
#include "model/blend_shortlist.h"

#include <math.h>
#include <string.h>

enum { FEATURES = 20, TAGS = 2500, DIM = 12, UNITS = 16, RANK = 6, IMAGES = 60, ROWS = 40, K = 20 };

static float features[ROWS * FEATURES];

static float *made(size_t n, uint64_t seed, float scale)
{
    float *x;
    assert_ok(f0t_alloc(&x, n, sizeof *x));
    test_random_floats(x, n, seed);
    for (size_t i = 0; i < n; i++)
        x[i] *= scale;
    return x;
}

/* Few tags are frequent; every third has no vector. */
static void make_tags(f0t_blend *b, float *vectors)
{
    for (size_t t = 0; t < TAGS; t++) {
        b->frequency[t] = 0.5F / (float)(1 + t * 7919 % TAGS);
        if (t % 3 == 0)
            memset(vectors + t * DIM, 0, DIM * sizeof *vectors);
    }
    assert_ok(f0t_word_space_create(&b->space, vectors, b->frequency, TAGS, DIM));
}

static f0t_net *make_net(size_t outputs, uint64_t seed)
{
    const f0t_net_shape shape = {
        .inputs = FEATURES, .hidden_count = 1, .hidden = {UNITS}, .outputs = outputs, .bias = true};
    f0t_net *net;
    assert_ok(f0t_net_create(&net, f0t_compute_current(), &shape, F0T_F32));
    assert_ok(f0t_net_set_random(net, seed, 1));
    return net;
}

/* Outputs begin where the tags' frequencies are. */
static f0t_net *make_own(const float *frequency)
{
    f0t_net *net = make_net(TAGS, 3);
    float bias[TAGS];
    for (size_t t = 0; t < TAGS; t++)
        bias[t] = logf(frequency[t]);
    assert_ok(f0t_net_array_set(net, f0t_net_array_count(net) - 1, bias));
    return net;
}

static f0t_votes *make_votes(void)
{
    f0t_votes *v;
    float rows[IMAGES * FEATURES];
    size_t offsets[IMAGES + 1] = {0};
    uint32_t relevant[IMAGES * 9];
    for (size_t i = 0; i < IMAGES; i++) {
        offsets[i + 1] = offsets[i] + 9;
        for (size_t j = 0; j < 9; j++)
            relevant[offsets[i] + j] = (uint32_t)((i * 131 + j * 277) % TAGS);
    }
    test_random_floats(rows, IMAGES * FEATURES, 5);
    assert_ok(f0t_votes_fit(&v, rows, IMAGES, FEATURES, offsets, relevant, TAGS, NULL));
    return v;
}

static f0t_ridge *make_ridge(size_t rank)
{
    f0t_ridge *r;
    assert_ok(f0t_alloc_zero(&r, 1, sizeof *r));
    *r = (f0t_ridge){.features = FEATURES, .tags = TAGS, .rank = rank};
    r->mean = made(FEATURES, 6, 0.1F);
    r->map = rank ? made(rank * FEATURES, 7, 1) : NULL;
    r->weights = made(TAGS * (rank ? rank : FEATURES), 8, 0.1F);
    r->base = made(TAGS, 9, 0.05F);
    return r;
}

typedef struct built {
    f0t_blend blend;
    f0t_condition condition;
    float *vectors;
    f0t_net *net;
} built;

static built *build(const float weights[F0T_LEARNED_EXPERTS], size_t rank)
{
    built *m;
    assert_ok(f0t_alloc_zero(&m, 1, sizeof *m));
    m->condition = (f0t_condition){FEATURES, made(FEATURES, 1, 0), made(FEATURES, 1, 0)};
    for (size_t i = 0; i < FEATURES; i++)
        m->condition.scale[i] = 4;
    m->vectors = made(TAGS * DIM, 2, 1);
    m->net = make_net(DIM, 10);
    m->blend = (f0t_blend){.features = FEATURES,
                           .tags = TAGS,
                           .dim = DIM,
                           .condition = &m->condition,
                           .net = m->net,
                           .vectors = m->vectors,
                           .frequency = made(TAGS, 1, 1),
                           .votes = make_votes(),
                           .ridge = make_ridge(rank),
                           .direction = {0.9F, 0.8F, -0.5F},
                           .calibration = {1.1F, -0.2F}};
    make_tags(&m->blend, m->vectors);
    m->blend.own = make_own(m->blend.frequency);
    memcpy(m->blend.weights, weights, sizeof m->blend.weights);
    return m;
}

static void forget(built *m)
{
    f0t_net_free(m->blend.own);
    f0t_votes_free(m->blend.votes);
    f0t_ridge_free(m->blend.ridge);
    f0t_free(m->blend.frequency);
    f0t_word_space_free(&m->blend.space);
    f0t_net_free(m->net);
    f0t_free(m->vectors);
    f0t_condition_free(&m->condition);
    f0t_free(m);
}

/* `rows` of the features, asked for `block` at a time. */
static void assert_same(const built *m, size_t block)
{
    static float all[ROWS * TAGS], logit[ROWS * K], score[ROWS * K];
    static uint32_t tag[ROWS * K], first[ROWS * K];
    f0t_shortlist *s;
    assert_ok(f0t_shortlist_create(&s, &m->blend));
    assert_non_null(s);
    for (size_t i = 0; i < ROWS; i += block)
        assert_ok(f0t_shortlist_top(tag + i * K, logit + i * K, K, s, NULL, features + i * FEATURES,
                                    ROWS - i < block ? ROWS - i : block));
    f0t_shortlist_free(s);
    assert_ok(f0t_blend_score(all, NULL, NULL, &m->blend, NULL, features, ROWS));
    f0t_topk_rows(first, score, all, ROWS, TAGS, K);
    for (size_t i = 0; i < ROWS * K; i++) {
        const float own = all[i / K * TAGS + tag[i]];
        assert_true(fabsf(logit[i] - score[i]) < 1e-3F); /* the i-th score, */
        assert_true(fabsf(logit[i] - own) < 1e-3F);      /* of this tag */
        for (size_t j = i / K * K; j < i; j++)
            assert_int_not_equal(tag[j], tag[i]);
    }
}

static void the_first_tags_are_the_same(void **state)
{
    static const float usual[F0T_LEARNED_EXPERTS] = {0.2F, 0.4F, 0.25F, 0.15F, 0.01F};
    (void)state;
    for (size_t full = 0; full < 2; full++) {
        built *m = build(usual, full ? 0 : RANK);
        assert_same(m, ROWS);
        assert_same(m, 1);
        forget(m);
    }
}

static void ridge_may_go_by_landmarks(void **state)
{
    static const float usual[F0T_LEARNED_EXPERTS] = {0.2F, 0.4F, 0.1F, 0.3F, 0.01F};
    (void)state;
    for (size_t full = 0; full < 2; full++) {
        built *m = build(usual, full ? 0 : RANK);
        f0t_ridge *r = m->blend.ridge;
        assert_ok(f0t_landmarks_create(&r->landmarks, m->blend.votes));
        r->features = r->landmarks->count;
        f0t_free(r->mean);
        f0t_free(r->map);
        f0t_free(r->weights);
        r->mean = made(r->features, 6, 0.1F);
        r->map = full ? NULL : made(RANK * r->features, 7, 1);
        r->weights = made(TAGS * (full ? r->features : RANK), 8, 0.1F);
        assert_same(m, ROWS);
        assert_same(m, 1);
        forget(m);
    }
}

static void each_expert_may_be_alone(void **state)
{
    (void)state;
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++) {
        float weights[F0T_LEARNED_EXPERTS] = {0};
        weights[e] = 0.9F;
        built *m = build(weights, RANK);
        assert_same(m, ROWS);
        forget(m);
    }
}

static void overflow(f0t_net *net)
{
    for (size_t i = 0; i < f0t_net_array_count(net); i++) {
        const f0t_model_array a = f0t_net_array(net, i);
        float *x = made(a.rows * a.cols, i, 1e38F);
        assert_ok(f0t_net_array_set(net, i, x));
        f0t_free(x);
    }
}

/* An image without features, and weights that make scores without an end, or none that are numbers. */
static void odd_numbers_are_ranked_too(void **state)
{
    static const float usual[F0T_LEARNED_EXPERTS] = {0.2F, 0.4F, 0.25F, 0.15F, 0};
    static uint32_t tag[K];
    static float logit[K], nothing[FEATURES];
    f0t_shortlist *s;
    (void)state;
    built *m = build(usual, RANK);
    m->condition.scale[0] = 1e30F;
    overflow(m->net);
    for (int both = 0; both < 2; both++) {
        if (both)
            overflow(m->blend.own);
        assert_ok(f0t_shortlist_create(&s, &m->blend));
        assert_ok(f0t_shortlist_top(tag, logit, K, s, NULL, nothing, 1));
        assert_ok(f0t_shortlist_top(tag, logit, K, s, NULL, features, 1));
        assert_ok(f0t_shortlist_top(tag, logit, K, s, NULL, features, 0));
        for (size_t i = 0; i < K; i++)
            assert_true(tag[i] < TAGS && !isnan(logit[i]));
        f0t_shortlist_free(s);
    }
    forget(m);
}

static void bounds_that_do_not_hold_are_not_used(void **state)
{
    static const float usual[F0T_LEARNED_EXPERTS] = {0.2F, 0.4F, 0.25F, 0.15F, 0};
    f0t_shortlist *s;
    (void)state;
    built *m = build(usual, RANK);
    f0t_blend falling = m->blend, against = m->blend, upside = m->blend;
    falling.direction[1] = -0.1F;
    against.weights[F0T_EXPERT_RIDGE] = -0.1F;
    upside.calibration[0] = -1;
    const f0t_blend *const all[] = {&falling, &against, &upside};
    for (size_t i = 0; i < 3; i++) {
        assert_ok(f0t_shortlist_create(&s, all[i]));
        assert_null(s);
    }
    forget(m);
}

static void check_bounds(const f0t_kernel_table *kernels, float x)
{
    const double sigmoid = 1 / (1 + exp(-(double)x)), clipped = fmin(1, fmax(0, (double)x));
    const float upper[] = {x, NAN}, offset[] = {-2, 1};
    float p[2] = {0, 0}, q[2] = {0, 0}, more[2] = {0.25F, 0};
    kernels->bound_logistic(p, upper, offset, 2, 0.5F, 2);
    assert_true((double)p[0] >= 0.5 * sigmoid && (double)p[0] < 1e-30 + 1.0001 * sigmoid);
    assert_true(p[1] >= 0.5F && p[1] < 0.51F);
    kernels->bound_clipped(q, upper, offset, 2, 0.5F, 2);
    assert_true((double)q[0] == (double)(float)(0.5 * clipped) && q[1] == 0.5F);
    kernels->bound_clipped(more, upper, offset, 2, 0.5F, 2);
    assert_true(more[0] == 0.25F + q[0]);
}

/* On every CPU level; steps that are no power of two meet all parts of an exponent. */
static void bounds_are_above_what_they_bound(void **state)
{
    (void)state;
    for (f0t_cpu level = 0; level <= f0t_cpu_level(); level++) {
        const f0t_kernel_table *kernels = f0t_kernels_of(level);
        for (int i = -12000; i < 3000; i++)
            check_bounds(kernels, (float)i * 0.0101F);
        check_bounds(kernels, -INFINITY);
        check_bounds(kernels, INFINITY);
        float p;
        kernels->bound_rest(&p, &(float){0.25F}, &(float){0.5F}, 0.5F, 1);
        assert_true(p == 0.5F);
    }
}

static f0t_status rank_some(void *context)
{
    static uint32_t tag[ROWS * K];
    static float logit[ROWS * K];
    const built *m = context;
    f0t_shortlist *s;
    F0T_TRY(f0t_shortlist_create(&s, &m->blend));
    f0t_status status = f0t_shortlist_top(tag, logit, K, s, NULL, features, ROWS);
    f0t_shortlist_free(s);
    return status;
}

static void every_failed_allocation_is_reported(void **state)
{
    static const float usual[F0T_LEARNED_EXPERTS] = {0.2F, 0.4F, 0.25F, 0.15F, 0};
    (void)state;
    built *m = build(usual, RANK);
    test_each_fault(F0T_FAULT_ALLOC, rank_some, m);
    forget(m);
}

int main(void)
{
    test_random_floats(features, ROWS * FEATURES, 11);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_tags_are_the_same),
        cmocka_unit_test(ridge_may_go_by_landmarks),
        cmocka_unit_test(each_expert_may_be_alone),
        cmocka_unit_test(odd_numbers_are_ranked_too),
        cmocka_unit_test(bounds_that_do_not_hold_are_not_used),
        cmocka_unit_test(bounds_are_above_what_they_bound),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
