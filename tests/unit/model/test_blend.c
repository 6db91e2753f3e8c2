#include "blends.h"

#include "base/context.h"
#include "base/cpu.h"
#include "math/elementwise.h"
#include "model/blend_fit.h"
#include "plain_compute.h"

#include <math.h>
#include <unistd.h>

/* Scores of all images of a collection. */
typedef struct scored {
    size_t images, tags;
    float *learned, *directions, *offsets;
} scored;

static scored score(const blend_data *d, const f0t_model *model)
{
    const size_t n = d->made.images, tags = f0t_vocab_count(f0t_model_vocab(model));
    scored s = {.images = n, .tags = tags};
    assert_ok(f0t_alloc(&s.learned, n * tags, sizeof *s.learned));
    assert_ok(f0t_alloc(&s.directions, n * B_DIM, sizeof *s.directions));
    assert_ok(f0t_alloc(&s.offsets, n, sizeof *s.offsets));
    assert_ok(
        f0t_blend_score(s.learned, s.directions, s.offsets, model->blend, NULL, d->features, n));
    assert_true(f0t_finite_f32(s.learned, n * tags));
    assert_true(f0t_finite_f32(s.directions, n * B_DIM));
    assert_true(f0t_finite_f32(s.offsets, n));
    return s;
}

static void forget(scored *s)
{
    f0t_free(s->learned);
    f0t_free(s->directions);
    f0t_free(s->offsets);
}

/* Trains, scores all images and saves: nothing but numbers. */
static void assert_works(blend_made made, unsigned without)
{
    blend_data *d = blend_open(made);
    f0t_train_options o = blend_training(1);
    o.without = without;
    f0t_model *model = blend_train(d, &o);
    assert_int_equal(f0t_model_method(model), F0T_METHOD_BLEND);
    assert_int_equal(f0t_vocab_count(f0t_model_vocab(model)), made.tags);
    scored s = score(d, model);
    forget(&s);
    assert_ok(f0t_model_save(model, test_path("works.f0t")));
    f0t_model_free(model);
    assert_ok(f0t_model_load(&model, test_path("works.f0t"), NULL));
    f0t_model_free(model);
    blend_close(d);
}

/* MiAP in percent over the test images of columns [first, last) of scores[images x T]. */
static double tested(const blend_data *d, const float *scores, size_t first, size_t last)
{
    const size_t tags = d->made.tags, some = last - first;
    f0t_samples truth = {.tags = some};
    float *table;
    double miap;
    assert_ok(f0t_alloc(&table, d->made.images * some, sizeof *table));
    assert_ok(f0t_alloc(&truth.offsets, d->made.images + 1, sizeof *truth.offsets));
    assert_ok(f0t_alloc(&truth.relevant, d->made.images * some, sizeof *truth.relevant));
    truth.offsets[0] = 0;
    for (size_t i = 0; i < d->made.images; i++) {
        size_t at = truth.offsets[truth.count];
        if (d->split[i] != F0T_TEST)
            continue;
        for (size_t t = first; t < last; t++)
            if (d->labels[i * tags + t])
                truth.relevant[at++] = (uint32_t)(t - first);
        memcpy(table + truth.count * some, scores + i * tags + first, some * sizeof *table);
        truth.offsets[++truth.count] = at;
    }
    assert_ok(f0t_blend_miap(&miap, table, &truth));
    f0t_samples_free(&truth);
    f0t_free(table);
    return miap;
}

/* How often each tag is on the training images, for every image. */
static float *frequencies(const blend_data *d)
{
    const size_t tags = d->made.tags;
    float *out;
    assert_ok(f0t_alloc_zero(&out, d->made.images * tags, sizeof *out));
    for (size_t i = 0; i < d->made.images; i++)
        for (size_t t = 0; t < tags && d->split[i] != F0T_TEST; t++)
            out[t] += d->labels[i * tags + t];
    for (size_t i = 1; i < d->made.images; i++)
        memcpy(out + i * tags, out, tags * sizeof *out);
    return out;
}

/* ---- What it learns ------------------------------------------------------------------------------------- */

static void assert_learns(blend_made made)
{
    blend_data *d = blend_open(made);
    const f0t_train_options o = blend_training(0);
    f0t_model *model = blend_train(d, &o);
    scored s = score(d, model);
    float *constant = frequencies(d);
    const size_t known = made.tags - made.without;
    const double all = tested(d, s.learned, 0, made.tags),
                 by_frequency = tested(d, constant, 0, made.tags),
                 plain = tested(d, s.learned, known, made.tags),
                 plain_by_frequency = tested(d, constant, known, made.tags);
    if (all < by_frequency + 15 || plain < plain_by_frequency + 15)
        print_error("MiAP %.1f, by frequency %.1f; without a vector %.1f, by frequency %.1f\n", all,
                    by_frequency, plain, plain_by_frequency);
    assert_true(all > by_frequency + 15);
    assert_true(plain > plain_by_frequency + 15);
    f0t_free(constant);
    forget(&s);
    f0t_model_free(model);
    blend_close(d);
}

static void few_images_are_learned_by_folds(void **state)
{
    (void)state;
    assert_learns((blend_made){.images = 400, .tags = 30, .without = 6});
}

static void many_images_are_learned_with_a_validation_part(void **state)
{
    (void)state;
    assert_learns((blend_made){.images = 900, .tags = 40, .without = 8});
}

static void many_images_are_learned_without_a_validation_part(void **state)
{
    (void)state;
    assert_learns((blend_made){.images = 900, .tags = 30, .without = 6, .no_val = true});
}

/* A logit is that of the share of tags that are right. */
static void confidences_are_calibrated(void **state)
{
    const blend_made made = {.images = 900, .tags = 30, .without = 6};
    blend_data *d = blend_open(made);
    const f0t_train_options o = blend_training(0);
    f0t_model *model = blend_train(d, &o);
    scored s = score(d, model);
    double expected = 0, right = 0;
    (void)state;
    for (size_t i = 0; i < made.images; i++)
        for (size_t t = 0; t < made.tags && d->split[i] == F0T_TEST; t++) {
            expected += 1 / (1 + exp(-(double)s.learned[i * made.tags + t]));
            right += d->labels[i * made.tags + t];
        }
    assert_true(fabs(expected / right - 1) < 0.15);
    forget(&s);
    f0t_model_free(model);
    blend_close(d);
}

/* ---- Shapes of collections -------------------------------------------------------------------------------- */

static void odd_collections_give_numbers(void **state)
{
    static const blend_made odd[] = {
        {.images = 300, .tags = 20, .without = 3}, /* fewer than 25 tags with a vector */
        {.images = 15, .tags = 8, .without = 2},   /* 12 to learn from */
        {.images = 100, .tags = 2},
        {.images = 100, .tags = 2, .without = 1},
        {.images = 100, .tags = 10, .without = 10}, /* no tag has a vector */
        {.images = 200, .tags = 12, .everywhere = true},
        {.images = 200, .tags = 12, .no_val = true},
        {.images = 300, .tags = 30, .doubled = true},
        {.images = 40, .tags = 60, .without = 20}, /* more tags than images */
        {.images = 200, .tags = 12, .empty_rows = true},
        {.images = 200, .tags = 12, .alike = true},
        {.images = 800, .tags = 40, .without = 4, .empty_rows = true, .everywhere = true},
        {.images = 800, .tags = 40, .doubled = true, .no_val = true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        assert_works(odd[i], 0);
}

static void hardly_any_image_is_enough(void **state)
{
    (void)state;
    for (size_t images = 2; images < 8; images++)
        assert_works((blend_made){.images = images, .tags = 4, .without = 1}, 0);
    blend_data *d = blend_open((blend_made){.images = 1, .tags = 4});
    const f0t_train_options o = blend_training(1);
    f0t_model *model;
    assert_fails(F0T_ERROR_FORMAT, "has one image to learn from",
                 f0t_train(&model, d->dataset, d->vectors, &o, NULL));
    blend_close(d);
}

static void images_without_tags_are_refused(void **state)
{
    blend_data *d = blend_open((blend_made){.images = 50, .tags = 5, .untagged = true});
    const f0t_train_options o = blend_training(1);
    f0t_model *model;
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "none of its",
                 f0t_train(&model, d->dataset, d->vectors, &o, NULL));
    assert_null(model);
    blend_close(d);
}

/* ---- Experts switched off ----------------------------------------------------------------------------------- */

static void experts_may_be_off(void **state)
{
    const unsigned all = (1U << F0T_EXPERTS) - 1;
    (void)state;
    for (unsigned e = 0; e < F0T_EXPERTS; e++)
        for (int large = 0; large < 2; large++) {
            const blend_made made = {.images = large ? 760 : 60, .tags = 30, .without = 3};
            assert_works(made, 1U << e);
            if (e < F0T_LEARNED_EXPERTS)
                assert_works(made, all & ~(1U << e));
        }
}

static size_t count_images(const blend_data *d, size_t tag)
{
    size_t count = 0;
    for (size_t i = 0; i < d->made.images; i++)
        count += d->split[i] == F0T_TRAIN && d->labels[i * d->made.tags + tag];
    return count;
}

/* The net of tags knows no more of a tag that one image has than that. */
static void tags_of_one_image_keep_their_frequency(void **state)
{
    const blend_made made = {.images = 900, .tags = 40, .without = 6, .rare = 8};
    blend_data *d = blend_open(made);
    const f0t_train_options o = blend_training(3);
    f0t_model *model = blend_train(d, &o);
    const f0t_net *net = model->blend->own;
    const size_t last = f0t_net_array_count(net) - 1, units = f0t_net_array(net, last - 1).cols;
    float *weights = calloc(made.tags * units, sizeof *weights), bias[B_TAGS_MOST];
    size_t once = 0, often = 0;
    (void)state;
    assert_non_null(weights);
    assert_ok(f0t_net_array_get(weights, net, last - 1));
    assert_ok(f0t_net_array_get(bias, net, last));
    for (size_t t = 0; t < made.tags; t++) {
        const size_t images = count_images(d, t);
        bool zero = true;
        for (size_t j = 0; j < units; j++)
            zero = zero && weights[t * units + j] == 0;
        assert_int_equal(zero, images < 2);
        if (images == 1)
            assert_float_equal(bias[t], logf(1 / 539.0F), 0.01F); /* of 540, or a few fewer */
        once += images == 1;
        often += images > 1;
    }
    assert_true(once >= 3 && often >= 3);
    free(weights);
    f0t_model_free(model);
    blend_close(d);
}

/* How many epochs a net of no images should have is nobody's question. */
static void a_direction_of_nothing_needs_no_epochs(void **state)
{
    static const blend_made made[] = {{.images = 760, .tags = 30, .without = 3},
                                      {.images = 760, .tags = 30, .without = 30}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        blend_data *d = blend_open(made[i]);
        f0t_train_options o = blend_training(0);
        o.without = 1U << F0T_EXPERT_TAGS | (i ? 0 : 1U << F0T_EXPERT_DIRECTION);
        f0t_model_free(blend_train(d, &o));
        blend_close(d);
    }
}

/* Nothing is held out where no tag plays a new word: the first offset that is tried would stay. */
static void new_words_are_fitted_without_a_direction(void **state)
{
    blend_data *d = blend_open((blend_made){.images = 760, .tags = 40, .without = 4});
    f0t_train_options o = blend_training(1);
    (void)state;
    o.without = 1U << F0T_EXPERT_DIRECTION;
    f0t_model *model = blend_train(d, &o);
    assert_true(model->blend->word_calibration[0] != 1 || model->blend->word_calibration[1] != -4);
    assert_true(model->blend->word_offset > -2);
    f0t_model_free(model);
    blend_close(d);
}

/* The classes are off where a blend has none; here it has some. */
static void classes_add_to_the_direction_of_new_words(void **state)
{
    const char *labels[] = {"tag0", "tag3, word1", "", "nothing"};
    float weights[4 * B_FEATURES];
    blend_data *d = blend_open((blend_made){.images = 800, .tags = 40, .without = 4});
    f0t_train_options o = blend_training(2);
    f0t_classes *classes;
    (void)state;
    test_random_floats(weights, 4 * B_FEATURES, 4);
    assert_ok(f0t_classes_create(&classes, labels, weights, NULL, 4, B_FEATURES));
    o.classes = classes;
    f0t_model *model = blend_train(d, &o);
    assert_int_equal(model->blend->classes.count, 4);
    scored s = score(d, model);
    forget(&s);
    f0t_model_free(model);
    o.without = 1U << F0T_EXPERT_CLASSES;
    model = blend_train(d, &o);
    assert_int_equal(model->blend->classes.count, 0);
    f0t_model_free(model);
    f0t_classes_close(classes);
    assert_ok(f0t_classes_create(&classes, labels, weights, NULL, 4, B_FEATURES - 1));
    o.classes = classes;
    o.without = 0;
    assert_fails(F0T_ERROR_MISMATCH, "makes 23 features, the dataset has 24",
                 f0t_train(&model, d->dataset, d->vectors, &o, NULL));
    f0t_classes_close(classes);
    blend_close(d);
}

/* ---- Scores --------------------------------------------------------------------------------------------------- */

static void assert_near(const float *a, const float *b, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++) {
        if (fabs((double)a[i] - (double)b[i]) > tolerance * (1 + fabs((double)b[i])))
            print_error("number %zu: %g and %g\n", i, (double)a[i], (double)b[i]);
        assert_true(fabs((double)a[i] - (double)b[i]) <= tolerance * (1 + fabs((double)b[i])));
    }
}

static void rows_one_by_one_score_as_in_a_block(void **state)
{
    blend_data *d = blend_open((blend_made){.images = 800, .tags = 40, .without = 8});
    const f0t_train_options o = blend_training(4);
    f0t_model *model = blend_train(d, &o);
    scored s = score(d, model);
    float learned[B_TAGS_MOST], direction[B_DIM], offset, twice[B_FEATURES];
    (void)state;
    for (size_t i = 0; i < d->made.images; i += 7) {
        for (size_t j = 0; j < B_FEATURES; j++)
            twice[j] = 2 * d->features[i * B_FEATURES + j]; /* of any length */
        assert_ok(f0t_blend_score(learned, NULL, NULL, model->blend, model->net, twice, 1));
        assert_near(learned, s.learned + i * s.tags, s.tags, 1e-4);
        assert_ok(f0t_blend_score(NULL, direction, &offset, model->blend, NULL, twice, 1));
        assert_near(direction, s.directions + i * B_DIM, B_DIM, 1e-3);
        assert_near(&offset, s.offsets + i, 1, 1e-3);
    }
    assert_ok(f0t_blend_score(NULL, NULL, NULL, model->blend, NULL, d->features, 0));
    forget(&s);
    f0t_model_free(model);
    blend_close(d);
}

/* Another ridge expert, of this rank. */
static void reduce_ridge(f0t_model *model, const blend_data *d, size_t rank)
{
    const size_t n = d->made.images, tags = d->made.tags;
    size_t *offsets;
    uint32_t *relevant;
    float *rows;
    assert_ok(f0t_alloc(&offsets, n + 1, sizeof *offsets));
    assert_ok(f0t_alloc(&relevant, n * tags, sizeof *relevant));
    assert_ok(f0t_alloc(&rows, n * B_FEATURES, sizeof *rows));
    memcpy(rows, d->features, n * B_FEATURES * sizeof *rows);
    f0t_rows_normalise(rows, n, B_FEATURES);
    offsets[0] = 0;
    for (size_t i = 0; i < n; i++) {
        offsets[i + 1] = offsets[i];
        for (size_t t = 0; t < tags; t++)
            if (d->labels[i * tags + t])
                relevant[offsets[i + 1]++] = (uint32_t)t;
    }
    f0t_ridge_free(model->blend->ridge);
    assert_ok(f0t_ridge_fit_rank(&model->blend->ridge, rows, n, B_FEATURES, offsets, relevant, tags,
                                 rank, NULL));
    f0t_free(offsets);
    f0t_free(relevant);
    f0t_free(rows);
}

/* g·(VᵀV + 1)⁻¹ with g = Σ_t s_t v_t, s how much more probable than usual the three experts say that a tag is. */
static void explain_by_hand(double *to, const f0t_blend *b, float *const p[F0T_LEARNED_EXPERTS])
{
    double sums[B_DIM] = {0};
    for (size_t t = 0; t < b->tags; t++) {
        double more = 0;
        for (f0t_expert e = F0T_EXPERT_TAGS; e <= F0T_EXPERT_RIDGE; e++)
            more += (double)b->weights[e] * ((double)p[e][t] - (double)b->frequency[t]);
        for (size_t k = 0; k < B_DIM; k++)
            sums[k] += more * (double)b->vectors[t * B_DIM + k];
    }
    for (size_t k = 0; k < B_DIM; k++) {
        to[k] = 0;
        for (size_t j = 0; j < B_DIM; j++)
            to[k] += sums[j] * (double)b->space.inverse[j * B_DIM + k];
    }
}

/* Where it is the one part, new words are scored along this direction, of whatever length. */
static void likely_tags_point_to_new_words(void **state)
{
    blend_data *d = blend_open((blend_made){.images = 800, .tags = 40, .without = 8});
    const f0t_train_options o = blend_training(2);
    f0t_model *model = blend_train(d, &o);
    f0t_blend *b = model->blend;
    float p[F0T_LEARNED_EXPERTS][B_TAGS_MOST], direction[B_DIM], offset, row[B_FEATURES];
    float *to[F0T_LEARNED_EXPERTS] = {NULL, p[1], p[2], p[3]};
    (void)state;
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
        b->weights[e] = 0.1F * (float)(e + 1);
    memset(b->word_weights, 0, sizeof b->word_weights);
    b->word_weights[F0T_WORD_LIKELY] = b->word_scales[F0T_WORD_LIKELY] = 1;
    for (size_t i = 0; i < 20; i++) {
        double expected[B_DIM], both = 0, a = 0, c = 0;
        memcpy(row, d->features + i * B_FEATURES, sizeof row);
        assert_ok(f0t_blend_score(NULL, direction, &offset, b, NULL, row, 1));
        f0t_rows_normalise(row, 1, B_FEATURES);
        assert_ok(f0t_blend_experts(to, b, model->net, row, 1));
        explain_by_hand(expected, b, to);
        for (size_t k = 0; k < B_DIM; k++) {
            both += expected[k] * (double)direction[k];
            a += expected[k] * expected[k];
            c += (double)direction[k] * (double)direction[k];
        }
        assert_true(both > 0.9999 * sqrt(a * c) && c > 0);
    }
    f0t_model_free(model);
    blend_close(d);
}

/* Nothing else explains new words then, beside which they could be judged. */
static void likely_tags_count_beside_votes_or_tags_alone(void **state)
{
    blend_data *d = blend_open((blend_made){.images = 760, .tags = 40, .without = 4});
    f0t_train_options o = blend_training(1);
    (void)state;
    o.without = 1U << F0T_EXPERT_VOTES | 1U << F0T_EXPERT_TAGS;
    f0t_model *model = blend_train(d, &o);
    assert_true(model->blend->word_weights[F0T_WORD_LIKELY] == 0);
    f0t_model_free(model);
    blend_close(d);
}

static void a_saved_blend_scores_the_same_bytes(void **state)
{
    (void)state;
    for (int large = 0; large < 2; large++) {
        blend_data *d =
            blend_open((blend_made){.images = large ? 800 : 100, .tags = 40, .without = 8});
        const f0t_train_options o = blend_training(2);
        f0t_model *model = blend_train(d, &o), *loaded;
        if (large) {
            reduce_ridge(model, d, 5);
            model->blend->weights[F0T_EXPERT_RIDGE] = 0.3F;
            model->blend->word_weights[F0T_WORD_LIKELY] = 0.5F;
            model->blend->word_scales[F0T_WORD_LIKELY] = 3;
        }
        assert_ok(f0t_model_save(model, test_path("same.f0t")));
        assert_ok(f0t_model_load(&loaded, test_path("same.f0t"), NULL));
        scored a = score(d, model), b = score(d, loaded);
        assert_memory_equal(a.learned, b.learned, a.images * a.tags * sizeof(float));
        assert_memory_equal(a.directions, b.directions, a.images * B_DIM * sizeof(float));
        assert_memory_equal(a.offsets, b.offsets, a.images * sizeof(float));
        forget(&a);
        forget(&b);
        f0t_model_free(model);
        f0t_model_free(loaded);
        blend_close(d);
    }
}

/* The model's file, trained by this many threads. */
static char *trained_bytes(size_t *size, const blend_data *d, int threads)
{
    const f0t_train_options o = blend_training(2);
    test_threads(threads);
    f0t_model *model = blend_train(d, &o);
    assert_ok(f0t_model_save(model, test_path("threads.f0t")));
    f0t_model_free(model);
    test_threads(0);
    return test_read(test_path("threads.f0t"), size);
}

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    (void)state;
    if (f0t_cpu_level() < F0T_CPU_WIDEST)
        test_skip("no AVX-512 here: oneDNN sums in another order");
    blend_data *d = blend_open((blend_made){.images = 800, .tags = 40, .without = 8});
    size_t size, other;
    char *one = trained_bytes(&size, d, 1);
    for (int threads = 2; threads <= 3; threads++) {
        char *many = trained_bytes(&other, d, threads);
        assert_int_equal(size, other);
        assert_memory_equal(one, many, size);
        free(many);
    }
    free(one);
    blend_close(d);
}

/* ---- Interrupted, and out of memory ------------------------------------------------------------------------------ */

/* Sets the flag at the n-th message or progress. */
typedef struct stopper {
    volatile sig_atomic_t stopped;
    size_t left;
} stopper;

static void stop_at_progress(void *user, const f0t_progress *progress)
{
    stopper *s = user;
    (void)progress;
    if (s->left && --s->left == 0)
        s->stopped = 1;
}

static void stop_at_log(void *user, f0t_log_level level, const char *line)
{
    (void)level;
    (void)line;
    stop_at_progress(user, NULL);
}

static void training_ends_soon_when_it_is_stopped(void **state)
{
    blend_data *d = blend_open((blend_made){.images = 800, .tags = 40, .without = 8});
    const f0t_train_options o = blend_training(2);
    size_t interrupted = 0;
    f0t_status status;
    (void)state;
    for (size_t n = 1;; n += 1 + n / 2) {
        stopper s = {.left = n};
        const f0t_monitor monitor = {
            .user = &s, .stop = &s.stopped, .progress = stop_at_progress, .log = stop_at_log};
        f0t_model *model;
        status = f0t_train(&model, d->dataset, d->vectors, &o, F0T_WATCHED(&monitor));
        assert_true((status == F0T_OK) == (model != NULL));
        f0t_model_free(model);
        if (!s.stopped)
            break;
        if (status != F0T_OK)
            assert_int_equal(status, F0T_ERROR_INTERRUPTED);
        interrupted += status == F0T_ERROR_INTERRUPTED;
    }
    assert_ok(status);
    assert_true(interrupted >= 4);
    blend_close(d);
}

/* Stopped again and again, each time a little later: by folds, and with a validation part. */
static void a_resumed_blend_has_the_same_bytes(void **state)
{
    (void)state;
    for (int large = 0; large < 2; large++) {
        blend_data *d =
            blend_open((blend_made){.images = large ? 700 : 80, .tags = 40, .without = 8});
        f0t_train_options o = blend_training(2);
        f0t_model *model = blend_train(d, &o), *parts = NULL;
        size_t size, other, stops = 0;
        assert_ok(f0t_model_save(model, test_path("whole.f0t")));
        o.checkpoint = test_path("blend.checkpoint");
        o.resume = true;
        f0t_status status = F0T_ERROR_INTERRUPTED;
        for (size_t left = 2; status == F0T_ERROR_INTERRUPTED; left += 3, stops++) {
            stopper s = {.left = left};
            const f0t_monitor monitor = {
                .user = &s, .stop = &s.stopped, .progress = stop_at_progress, .log = stop_at_log};
            status = f0t_train(&parts, d->dataset, d->vectors, &o, F0T_WATCHED(&monitor));
        }
        assert_ok(status);
        assert_true(stops > 2);
        assert_ok(f0t_model_save(parts, test_path("parts.f0t")));
        char *a = test_read(test_path("whole.f0t"), &size),
             *b = test_read(test_path("parts.f0t"), &other);
        assert_int_equal(size, other);
        assert_memory_equal(a, b, size);
        free(a);
        free(b);
        f0t_model_free(parts);
        o.seed++;
        assert_fails(F0T_ERROR_MISMATCH, "checkpoint of another training",
                     f0t_train(&parts, d->dataset, d->vectors, &o, NULL));
        unlink(o.checkpoint);
        f0t_model_free(model);
        blend_close(d);
    }
}

/* Of the first layers of two nets, in their length. */
static double weights_apart(const f0t_net *a, const f0t_net *b)
{
    const f0t_model_array array = f0t_net_array(a, 0);
    const size_t n = array.rows * array.cols;
    float *x = NULL, *y = NULL;
    double far = 0, length = 0;
    assert_ok(f0t_alloc(&x, n, sizeof *x));
    assert_ok(f0t_alloc(&y, n, sizeof *y));
    assert_ok(f0t_net_array_get(x, a, 0));
    assert_ok(f0t_net_array_get(y, b, 0));
    for (size_t i = 0; i < n; i++) {
        far += pow((double)x[i] - (double)y[i], 2);
        length += (double)x[i] * (double)x[i];
    }
    f0t_free(x);
    f0t_free(y);
    return sqrt(far / length);
}

/* A large one goes on with a net that is at home already: on a device of its own, too. */
static void a_large_blend_is_learned_on_another_device(void **state)
{
    blend_data *d = blend_open((blend_made){.images = 800, .tags = 30, .without = 6});
    const f0t_train_options o = blend_training(2);
    const f0t_context context = {.threads = 2, .compute = &plain_compute};
    f0t_model *ours, *there;
    (void)state;
    ours = blend_train(d, &o);
    plain_count = (plain_counts){0};
    assert_ok(f0t_train(&there, d->dataset, d->vectors, &o, &context));
    assert_true(plain_count.losses > 0);
    assert_int_equal(plain_count.allocs, plain_count.releases);
    assert_ptr_equal(there->blend->own->compute, &f0t_compute_cpu);
    assert_true(weights_apart(ours->blend->own, there->blend->own) < 1e-3);
    f0t_model_free(ours);
    f0t_model_free(there);
    blend_close(d);
}

static f0t_status train_and_forget(void *context)
{
    const blend_data *d = context;
    const f0t_train_options o = blend_training(1);
    f0t_model *model;
    f0t_status status = f0t_train(&model, d->dataset, d->vectors, &o, NULL);
    f0t_model_free(model);
    return status;
}

static f0t_status score_and_forget(void *context)
{
    const f0t_model *model = context;
    float x[2 * B_FEATURES], learned[2 * B_TAGS_MOST], directions[2 * B_DIM], offsets[2];
    test_random_floats(x, 2 * B_FEATURES, 1);
    return f0t_blend_score(learned, directions, offsets, model->blend, NULL, x, 2);
}

static void every_allocation_may_fail(void **state)
{
    const f0t_train_options o = blend_training(1);
    (void)state;
    test_threads(1);
    blend_data *d = blend_open((blend_made){.images = 10, .tags = 5, .without = 1});
    test_each_fault(F0T_FAULT_ALLOC, train_and_forget, d);
    f0t_model *model = blend_train(d, &o);
    test_each_fault(F0T_FAULT_ALLOC, score_and_forget, model);
    f0t_model_free(model);
    blend_close(d);
    test_threads(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_blend_is_learned_on_another_device),
        cmocka_unit_test(few_images_are_learned_by_folds),
        cmocka_unit_test(many_images_are_learned_with_a_validation_part),
        cmocka_unit_test(many_images_are_learned_without_a_validation_part),
        cmocka_unit_test(confidences_are_calibrated),
        cmocka_unit_test(odd_collections_give_numbers),
        cmocka_unit_test(hardly_any_image_is_enough),
        cmocka_unit_test(images_without_tags_are_refused),
        cmocka_unit_test(experts_may_be_off),
        cmocka_unit_test(tags_of_one_image_keep_their_frequency),
        cmocka_unit_test(a_direction_of_nothing_needs_no_epochs),
        cmocka_unit_test(new_words_are_fitted_without_a_direction),
        cmocka_unit_test(classes_add_to_the_direction_of_new_words),
        cmocka_unit_test(rows_one_by_one_score_as_in_a_block),
        cmocka_unit_test(likely_tags_point_to_new_words),
        cmocka_unit_test(likely_tags_count_beside_votes_or_tags_alone),
        cmocka_unit_test(a_saved_blend_scores_the_same_bytes),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(training_ends_soon_when_it_is_stopped),
        cmocka_unit_test(a_resumed_blend_has_the_same_bytes),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
