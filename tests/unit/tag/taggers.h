/* A small tagger for tests: pictures of one colour, a network that gives their pixels, four tags. */
#ifndef F0T_TESTS_TAGGERS_H
#define F0T_TESTS_TAGGERS_H

#include "../image/networks.h"
#include "../image/pictures.h"
#include "support.h"

enum { T_COLOURS = 4, T_SIDE = 8, T_FEATURES = 3 * T_SIDE * T_SIDE, T_IMAGES = 40 };

static const char *const colour_names[T_COLOURS] = {"red", "green", "blue", "white"};
static const uint8_t colours[T_COLOURS][3] = {
    {250, 10, 10}, {10, 250, 10}, {10, 10, 250}, {250, 250, 250}};

/* A picture of one colour. */
static inline const char *colour_picture(size_t colour)
{
    uint8_t pixels[T_SIDE * T_SIDE * 3];
    char name[32];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = colours[colour][i % 3];
    snprintf(name, sizeof name, "%s.png", colour_names[colour]);
    return png_write(name, pixels, T_SIDE, T_SIDE, 3, 0);
}

static inline const char *colour_vectors(void)
{
    return test_text("colours.txt", "red 1 0 0 0\ngreen 0 1 0 0\nblue 0 0 1 0\nwhite 0 0 0 1\n"
                                    "crimson .9 .1 0 .1\nnavy 0 .1 .9 0\n");
}

/* Features [T_COLOURS x T_FEATURES] of the four pictures, and what made them, the caller's to free. */
static inline char *colour_features(float *features)
{
    const float weight = 1;
    const char *paths[T_COLOURS];
    f0t_backbone *backbone;
    char *description;
    test_file("weight", &weight, sizeof weight);
    for (size_t i = 0; i < T_COLOURS; i++)
        paths[i] = colour_picture(i);
    assert_ok(f0t_backbone_open(&backbone, network_write(), NULL, NULL));
    assert_int_equal(f0t_backbone_dim(backbone), T_FEATURES);
    assert_ok(f0t_backbone_run(features, NULL, backbone, paths, T_COLOURS, NULL));
    assert_ok(f0t_string_copy(&description, f0t_backbone_description(backbone),
                              strlen(f0t_backbone_description(backbone))));
    f0t_backbone_close(backbone);
    return description;
}

/* A model of the four colours; where `bare`, it does not know what made its features. */
static inline f0t_model *colour_model(bool bare)
{
    static float of[T_COLOURS * T_FEATURES], features[T_IMAGES * T_FEATURES];
    char tags[T_IMAGES * 8] = "", split[T_IMAGES * 8] = "", json[2048];
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    f0t_dataset *dataset;
    f0t_vectors *vectors;
    f0t_model *model;
    char *backbone = colour_features(of);
    test_random_floats(features, T_IMAGES * T_FEATURES, 3);
    for (size_t m = 0; m < T_IMAGES; m++) {
        for (size_t j = 0; j < T_FEATURES; j++)
            features[m * T_FEATURES + j] =
                of[m % T_COLOURS * T_FEATURES + j] + 0.05F * features[m * T_FEATURES + j];
        strcat(strcat(tags, colour_names[m % T_COLOURS]), "\n");
        strcat(split, m < 32 ? "train\n" : "val\n");
    }
    snprintf(json, sizeof json, "{\"backbone\": %s}", backbone);
    const f0t_dataset_memory memory = {.size = sizeof memory,
                                       .features = features,
                                       .rows = T_IMAGES,
                                       .dim = T_FEATURES,
                                       .tags = tags,
                                       .split = split,
                                       .json = bare ? NULL : json};
    options.method = F0T_METHOD_LINEAR;
    options.lambda = 1;
    options.ridge = 0.1;
    assert_ok(f0t_vectors_open(&vectors, colour_vectors(), NULL, NULL));
    assert_ok(f0t_dataset_open_memory(&dataset, &memory, NULL, NULL));
    assert_ok(f0t_train(&model, dataset, vectors, &options, NULL));
    f0t_dataset_close(dataset);
    f0t_vectors_close(vectors);
    f0t_free(backbone);
    return model;
}

#endif
