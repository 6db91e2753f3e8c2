/* Small collections for the tests of blends: tags are prototypes in feature space, partly a map of their vectors;
 * the last tags have no vector. */
#ifndef F0T_TESTS_BLENDS_H
#define F0T_TESTS_BLENDS_H

#include "support.h"

#include "base/random.h"
#include "model/blend.h"
#include "model/model.h"
#include "model/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { B_FEATURES = 24, B_TAGS_MOST = 64, B_WORDS = 12, B_DIM = 8, B_IMAGES_MOST = 1000 };

typedef struct blend_made {
    size_t images;
    size_t tags;
    size_t without;  /* the last tags, which have no vector */
    size_t rare;     /* the last tags, which one training image each has */
    bool no_val;     /* all but the test part is train */
    bool untagged;   /* no image has a tag */
    bool everywhere; /* tag 0 is on every image */
    bool doubled;    /* every image is there twice */
    bool empty_rows; /* every third image has features that are 0 */
    bool alike;      /* all images have the same features */
} blend_made;

typedef struct blend_data {
    blend_made made;
    float features[B_IMAGES_MOST * B_FEATURES];
    uint8_t labels[B_IMAGES_MOST * B_TAGS_MOST], split[B_IMAGES_MOST];
    char names[B_TAGS_MOST][16];
    const char *tags[B_TAGS_MOST];
    f0t_dataset *dataset;
    f0t_vectors *vectors;
} blend_data;

/* Of tag t, or of the new word t - B_TAGS_MOST. */
static inline double blend_vector(size_t t, size_t k)
{
    const f0t_random random = {31, t};
    return f0t_random_normal(&random, k);
}

static inline double blend_prototype(size_t t, size_t j)
{
    const f0t_random map = {32, j}, own = {33, t};
    double sum = f0t_random_normal(&own, j);
    for (size_t k = 0; k < B_DIM; k++)
        sum += f0t_random_normal(&map, k) * blend_vector(t, k) / 2;
    return sum;
}

/* Vectors of the tags that have one, and of word0, word1, … */
static inline const char *blend_vectors(const blend_made *m)
{
    static char text[(B_TAGS_MOST + B_WORDS) * (16 + B_DIM * 12)];
    size_t at = 0;
    for (size_t t = 0; t < B_TAGS_MOST + B_WORDS; t++) {
        if (t < B_TAGS_MOST && t + m->without >= m->tags)
            continue;
        at += (size_t)snprintf(text + at, sizeof text - at, t < B_TAGS_MOST ? "tag%zu" : "word%zu",
                               t < B_TAGS_MOST ? t : t - B_TAGS_MOST);
        for (size_t k = 0; k < B_DIM; k++)
            at += (size_t)snprintf(text + at, sizeof text - at, " %.5f", blend_vector(t, k));
        at += (size_t)snprintf(text + at, sizeof text - at, "\n");
    }
    return test_text("blend.txt", text);
}

/* About three tags per image, the first ones more often than the last. */
static inline void blend_fill(blend_data *d, size_t i)
{
    const blend_made *m = &d->made;
    const size_t source = m->doubled ? i / 2 : i;
    const f0t_random random = {34, source}, noise = {35, source};
    float *x = d->features + i * B_FEATURES;
    uint8_t *y = d->labels + i * m->tags;
    for (size_t k = 0; k < 3 && !m->untagged; k++) {
        const double u = f0t_random_uniform(&random, k);
        y[(size_t)(u * u * (double)m->tags)] = 1;
    }
    y[0] = m->everywhere ? 1 : y[0];
    for (size_t r = 0; r < m->rare;
         r++) /* every fifth image from the first on is of the training part */
        y[m->tags - 1 - r] = i == 5 * r;
    for (size_t j = 0; j < B_FEATURES; j++) {
        double sum = 0.8 * f0t_random_normal(&noise, j);
        for (size_t t = 0; t < m->tags; t++)
            sum += y[t] ? blend_prototype(t, j) : 0;
        x[j] = m->empty_rows && i % 3 == 1 ? 0 : m->alike ? (float)j : (float)sum;
    }
    d->split[i] = (uint8_t)(i % 5 == 4 ? F0T_TEST : i % 5 == 3 && !m->no_val ? F0T_VAL : F0T_TRAIN);
}

static inline blend_data *blend_open(blend_made made)
{
    blend_data *d = calloc(1, sizeof *d);
    assert_non_null(d);
    d->made = made;
    for (size_t t = 0; t < made.tags; t++) {
        snprintf(d->names[t], sizeof d->names[t], t + made.without < made.tags ? "tag%zu" : "zz%zu",
                 t);
        d->tags[t] = d->names[t];
    }
    for (size_t i = 0; i < made.images; i++)
        blend_fill(d, i);
    const f0t_dataset_arrays arrays = {.size = sizeof arrays,
                                       .images = made.images,
                                       .features = d->features,
                                       .dim = B_FEATURES,
                                       .tags = d->tags,
                                       .tag_count = made.tags,
                                       .labels = d->labels,
                                       .split = d->split};
    assert_ok(f0t_dataset_open_arrays(&d->dataset, &arrays, NULL, NULL));
    assert_ok(f0t_vectors_open(&d->vectors, blend_vectors(&made), NULL, NULL));
    return d;
}

static inline void blend_close(blend_data *d)
{
    f0t_dataset_close(d->dataset);
    f0t_vectors_close(d->vectors);
    free(d);
}

/* A training of a moment; epochs 0: as many as usual. */
static inline f0t_train_options blend_training(size_t epochs)
{
    f0t_train_options o = F0T_TRAIN_OPTIONS;
    o.method = F0T_METHOD_BLEND;
    if (epochs)
        o.epochs = epochs;
    return o;
}

static inline f0t_model *blend_train(const blend_data *d, const f0t_train_options *o)
{
    f0t_model *model;
    assert_ok(f0t_train(&model, d->dataset, d->vectors, o, NULL));
    return model;
}

#endif
