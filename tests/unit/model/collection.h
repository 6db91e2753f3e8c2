/* A small collection for tests: features that a linear map turns into the sum of the tags' vectors,
 * and noise. */
#ifndef F0T_TESTS_COLLECTION_H
#define F0T_TESTS_COLLECTION_H

#include "support.h"

#include "base/random.h"

#include <stdio.h>
#include <string.h>

enum { C_IMAGES = 600, C_FEATURES = 16, C_TAGS = 12, C_SEEN = 9, C_DIM = 8, C_FEATURES_MOST = 512 };

typedef struct collection {
    const char *path;    /* of the dataset */
    const char *vectors; /* of a GloVe file */
} collection;

/* What a collection differs in. */
typedef struct collection_options {
    const char *name;
    bool untagged;      /* no image has a tag */
    bool no_validation; /* all images that would be val are train */
    bool no_features;
    bool shuffle_unseen; /* the unseen tags of train and val go to other images */
    bool only_tested;    /* only test images have the unseen tags */
    bool untested;       /* all others have, but no test image */
    bool alike;          /* all images have the same features */
    size_t features;     /* 0: C_FEATURES */
} collection_options;

static inline float collection_vector(size_t tag, size_t k)
{
    const f0t_random random = {7, tag};
    return (float)f0t_random_normal(&random, k);
}

static inline const char *collection_vectors(void)
{
    static char text[64 + (C_TAGS + 20) * C_DIM * 16];
    size_t at = 0;
    for (size_t t = 0; t < C_TAGS + 20; t++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "tag%zu", t);
        for (size_t k = 0; k < C_DIM; k++)
            at += (size_t)snprintf(text + at, sizeof text - at, " %.5f",
                                   (double)collection_vector(t, k));
        at += (size_t)snprintf(text + at, sizeof text - at, "\n");
    }
    return test_text("collection.txt", text);
}

/* Two to four of the tags. */
static inline size_t collection_tags(size_t *tags, size_t m, const collection_options *o)
{
    const f0t_random random = {11, m};
    size_t count = 0, most = 2 + (size_t)f0t_random_below(&random, 99, 3);
    for (size_t i = 0; count < most; i++) {
        size_t tag = (size_t)f0t_random_below(&random, i, C_TAGS);
        bool there = false;
        for (size_t k = 0; k < count; k++)
            there = there || tags[k] == tag;
        if (!there)
            tags[count++] = tag;
    }
    return o->untagged ? 0 : count;
}

static inline void collection_features(float *x, size_t m, const size_t *tags, size_t count,
                                       size_t features)
{
    const f0t_random noise = {13, m}, map = {17, 0};
    for (size_t j = 0; j < features; j++) {
        double sum = 0.1 * f0t_random_normal(&noise, j);
        for (size_t k = 0; k < C_DIM; k++)
            for (size_t i = 0; i < count; i++)
                sum +=
                    f0t_random_normal(&map, j * C_DIM + k) * (double)collection_vector(tags[i], k);
        x[j] = (float)sum;
    }
}

static inline void collection_write_row(f0t_dataset_writer *w, size_t m,
                                        const collection_options *o, size_t features)
{
    static const char *const names[] = {"tag0", "tag1", "tag2", "tag3", "tag4",  "tag5",
                                        "tag6", "tag7", "tag8", "tag9", "tag10", "tag11"};
    const char *tags[C_TAGS];
    size_t drawn[C_TAGS], other[C_TAGS], kept = 0;
    size_t count = collection_tags(drawn, m, o);
    size_t others = collection_tags(other, (m + 31) % C_IMAGES, o);
    float x[C_FEATURES_MOST];
    f0t_split split = m % 5 == 3 ? F0T_VAL : m % 5 == 4 ? F0T_TEST : F0T_TRAIN;
    bool taken = split == F0T_TEST ? o->untested : o->shuffle_unseen || o->only_tested;
    if (o->alike)
        collection_features(x, 0, (const size_t[]){0}, 1, features);
    else
        collection_features(x, m, drawn, count, features);
    for (size_t i = 0; i < count; i++)
        if (drawn[i] < C_SEEN || !taken)
            tags[kept++] = names[drawn[i]];
    for (size_t i = 0; i < others && o->shuffle_unseen && split != F0T_TEST; i++)
        if (other[i] >= C_SEEN)
            tags[kept++] = names[other[i]];
    if (o->no_validation && split == F0T_VAL)
        split = F0T_TRAIN;
    f0t_dataset_row row = {.size = sizeof(f0t_dataset_row),
                           .tags = tags,
                           .tag_count = kept,
                           .has_split = true,
                           .split = split,
                           .features = o->no_features ? NULL : x};
    assert_ok(f0t_dataset_write(w, &row));
}

static inline collection collection_create(const collection_options *o)
{
    const char *seen[C_SEEN] = {"tag0", "tag1", "tag2", "tag3", "tag4",
                                "tag5", "tag6", "tag7", "tag8"};
    const char *unseen[C_TAGS - C_SEEN] = {"tag9", "tag10", "tag11"};
    size_t features = o->features ? o->features : C_FEATURES;
    f0t_dataset_info info = {
        .size = sizeof(f0t_dataset_info), .dim = o->no_features ? 0 : features, .replace = true};
    f0t_dataset_writer *w;
    collection c = {test_path(o->name), collection_vectors()};
    assert_ok(f0t_dataset_create(&w, c.path, &info));
    for (size_t m = 0; m < C_IMAGES; m++)
        collection_write_row(w, m, o, features);
    assert_ok(f0t_dataset_write_seen(w, seen, C_SEEN));
    assert_ok(f0t_dataset_write_unseen(w, unseen, C_TAGS - C_SEEN));
    assert_ok(f0t_dataset_commit(w));
    return c;
}

/* Options for a training of a second. */
static inline f0t_train_options collection_training(f0t_method method)
{
    f0t_train_options o = F0T_TRAIN_OPTIONS;
    o.method = method;
    if (method == F0T_METHOD_LINEAR)
        return o;
    o.batch = 32;
    o.epochs = 30;
    o.rate = 0.01;
    o.decay = 0.01;
    o.input_dropout = 0.1;
    if (method == F0T_METHOD_LINEAR_RANK)
        return o;
    o.hidden_count = 2;
    o.hidden[0] = 24;
    o.hidden[1] = 12;
    o.hidden_dropout = 0.1;
    return o;
}

/* Opens what the collection is, trains, and closes it. */
static inline f0t_status collection_train(f0t_model **model, const collection *c,
                                          const f0t_train_options *options,
                                          const f0t_monitor *monitor)
{
    f0t_dataset *dataset = NULL;
    f0t_vectors *vectors = NULL;
    *model = NULL;
    f0t_status status = f0t_dataset_open(&dataset, c->path, NULL, NULL);
    if (status == F0T_OK)
        status = f0t_vectors_open(&vectors, c->vectors, NULL, NULL);
    if (status == F0T_OK)
        status = f0t_train(model, dataset, vectors, options, F0T_WATCHED(monitor));
    f0t_vectors_close(vectors);
    f0t_dataset_close(dataset);
    return status;
}

#endif
