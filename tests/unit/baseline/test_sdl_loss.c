#include "baseline/sdl_loss.h"

#include "../compute/batches.h"

/* Word vectors, directions in double, and what they are for. */
typedef struct sdl_case {
    size_t dim, directions;
    double weight;
    const batch *made; /* its tags are ranked; its scores are not used */
    const float *vectors;
} sdl_case;

static double spread(const double *values, size_t count)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return count > 1 ? sum / (double)(count - 1) : 0;
}

static double best_score(const sdl_case *c, const double *a, size_t t)
{
    double best = -INFINITY;
    for (size_t k = 0; k < c->directions; k++) {
        double score = 0;
        for (size_t j = 0; j < c->dim; j++)
            score += a[k * c->dim + j] * (double)c->vectors[t * c->dim + j];
        best = fmax(best, score);
    }
    return best;
}

/* One image, straight from the definition. */
static double image_loss(const sdl_case *c, const double *a, const uint32_t *relevant, size_t count)
{
    double pairs = 0, diverse = 0, apart = 0, column[64];
    bool is_relevant[64] = {false};
    for (size_t i = 0; i < count; i++)
        is_relevant[relevant[i]] = true;
    for (size_t p = 0; p < c->made->at.tags; p++)
        for (size_t n = 0; n < c->made->at.tags; n++)
            if (is_relevant[p] && !is_relevant[n])
                pairs += log(1 + exp(best_score(c, a, n) - best_score(c, a, p)));
    for (size_t j = 0; j < c->dim; j++) {
        for (size_t i = 0; i < count; i++)
            column[i] = (double)c->vectors[relevant[i] * c->dim + j];
        diverse += spread(column, count);
        for (size_t k = 0; k < c->directions; k++)
            column[k] = a[k * c->dim + j];
        apart += spread(column, c->directions);
    }
    return 2 * ((1 - c->weight) * (1 + diverse) * pairs / (double)count + c->weight * apart);
}

static double reference(const sdl_case *c, const double *a)
{
    const batch *made = c->made;
    double sum = 0, trained = 0;
    for (size_t m = 0; m < made->at.images; m++) {
        size_t count = made->offsets[m + 1] - made->offsets[m];
        if (count == 0 || count == made->at.tags)
            continue;
        trained++;
        sum +=
            image_loss(c, a + m * c->directions * c->dim, made->relevant + made->offsets[m], count);
    }
    return trained > 0 ? sum / trained : 0;
}

static void compare(size_t images, size_t tags, size_t dim, size_t directions, double weight)
{
    batch made = make_batch(images, tags, 1, tags), vectors = make_batch(tags, dim, 1, dim);
    const size_t n = images * directions * dim;
    batch given = make_batch(images, directions * dim, 1, 3);
    const sdl_case c = {dim, directions, weight, &made, vectors.scores};
    float *gradient = make(n, sizeof *gradient);
    double *a = make(n, sizeof *a);
    f0t_sdl_loss *loss;
    f0t_loss_result result;
    f0t_loss_batch at = made.at;
    at.scores = given.scores;
    for (size_t i = 0; i < n; i++)
        a[i] = (double)given.scores[i];
    memset(gradient, 0xFF, n * sizeof *gradient);
    assert_ok(f0t_sdl_loss_create(&loss, images, vectors.scores, tags, dim, directions, weight));
    assert_ok(f0t_sdl_loss_run(&result, gradient, loss, &at));
    const double expected = reference(&c, a);
    assert_true(fabs(result.loss - expected) < 1e-4 * (1 + expected));
    for (size_t i = 0; i < n; i++) {
        const double was = a[i], step = 1e-6;
        a[i] = was + step;
        const double above = reference(&c, a);
        a[i] = was - step;
        const double below = reference(&c, a);
        a[i] = was;
        assert_true(fabs((double)gradient[i] - (above - below) / (2 * step)) <
                    1e-4 * (1 + fabs((double)gradient[i])));
    }
    f0t_sdl_loss_free(loss);
    f0t_free(gradient);
    f0t_free(a);
    free_batch(&made);
    free_batch(&vectors);
    free_batch(&given);
}

static void loss_and_gradient_are_those_of_the_definition(void **state)
{
    (void)state;
    compare(6, 2, 3, 2, 0.3);
    compare(8, 17, 5, 1, 0.3);
    compare(8, 17, 5, 7, 0.3);
    compare(8, 17, 5, 4, 0);
}

/* One image, two tags along the axes, the first relevant: the loss of one direction[2], and its gradient. */
static f0t_status run_one(f0t_loss_result *result, float *gradient, const float *direction,
                          double omega)
{
    static const float vectors[] = {1, 0, 0, 1};
    static const uint32_t relevant[] = {0};
    static const size_t offsets[] = {0, 1};
    const f0t_loss_batch one = {
        .images = 1, .tags = 2, .scores = direction, .offsets = offsets, .relevant = relevant};
    f0t_sdl_loss *loss;
    assert_ok(f0t_sdl_loss_create(&loss, 1, vectors, 2, 2, 1, omega));
    f0t_status status = f0t_sdl_loss_run(result, gradient, loss, &one);
    f0t_sdl_loss_free(loss);
    return status;
}

/* With one direction, one relevant tag and ω = 0 it is twice RankNet's sum. */
static void with_one_direction_it_is_ranknet(void **state)
{
    static const float direction[] = {0.5F, 2};
    f0t_loss_result result;
    float gradient[2];
    (void)state;
    assert_ok(run_one(&result, gradient, direction, 0));
    assert_true(fabs(result.loss - 2 * log(1 + exp(1.5))) < 1e-6);
    assert_true(fabs((double)gradient[1] - 2 / (1 + exp(-1.5))) < 1e-6);
    assert_true(fabs((double)gradient[0] + (double)gradient[1]) < 1e-6);
}

static void what_is_not_finite_is_refused(void **state)
{
    static const float direction[] = {NAN, 2};
    f0t_loss_result result;
    float gradient[2];
    (void)state;
    assert_fails(F0T_ERROR_NUMERIC, "a score of row 0 of the mini-batch is not finite",
                 run_one(&result, gradient, direction, 0.3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loss_and_gradient_are_those_of_the_definition),
        cmocka_unit_test(with_one_direction_it_is_ranknet),
        cmocka_unit_test(what_is_not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
