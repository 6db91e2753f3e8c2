/* A small catalogue that is sound, and the model that its directions are of. */
#ifndef F0T_TESTS_FUZZ_CATALOGUE_H
#define F0T_TESTS_FUZZ_CATALOGUE_H

#include "scratch.h"

#include "catalogue/catalogue.h"

enum { CATALOGUE_PICTURES = 4, CATALOGUE_DIM = 2 };

/* Learned from word vectors that are written to the file `words`. */
static inline f0t_model *make_model(const char *words)
{
    static const char text[] = "red 1 0\nblue 0 1\nviolet .5 .5\n";
    static const char *const tags[] = {"red", "blue"};
    static const float features[] = {1, 0, 0, 1, 1, .1F, .1F, 1};
    static const uint8_t labels[] = {1, 0, 0, 1, 1, 0, 0, 1};
    f0t_model *model;
    f0t_dataset *dataset;
    f0t_vectors *vectors;
    const f0t_dataset_arrays arrays = {.size = sizeof arrays,
                                       .images = 4,
                                       .features = features,
                                       .dim = CATALOGUE_DIM,
                                       .tags = tags,
                                       .tag_count = 2,
                                       .labels = labels};
    f0t_train_options o = F0T_TRAIN_OPTIONS;
    o.method = F0T_METHOD_LINEAR;
    FILE *file = fopen(words, "w");
    need(file && fputs(text, file) >= 0 && fclose(file) == 0);
    need(f0t_dataset_open_arrays(&dataset, &arrays, NULL, NULL) == F0T_OK);
    need(f0t_vectors_open(&vectors, words, NULL, NULL) == F0T_OK);
    need(f0t_train(&model, dataset, vectors, &o, NULL) == F0T_OK);
    f0t_dataset_close(dataset);
    f0t_vectors_close(vectors);
    return model;
}

static inline void put_picture(f0t_catalogue *c, size_t i)
{
    char name[64];
    const float numbers[] = {(float)i, 1}, direction[] = {i % 2 ? 1 : .2F, i % 2 ? .1F : 1};
    const f0t_catalogue_keyword keywords[] = {{"Places|Paris", F0T_KEYWORD_XMP},
                                              {"sea", F0T_KEYWORD_IPTC}};
    const f0t_tag_score suggestions[] = {{.tag = "red", .confidence = .5F},
                                         {.tag = "blue", .confidence = .25F}};
    f0t_catalogue_record r = F0T_CATALOGUE_RECORD;
    snprintf(name, sizeof name, "/nowhere/p%zu.jpg", i);
    r.picture.path = name;
    r.picture.taken = (int64_t)i * 40000000;
    r.keywords = keywords;
    r.keyword_count = i % 3;
    r.thumbnail = "\xFF\xD8\xFF\xD9";
    r.thumbnail_size = 4;
    r.features = numbers;
    r.direction = direction;
    r.dim = r.direction_dim = CATALOGUE_DIM;
    r.suggestions = suggestions;
    r.suggestion_count = 2;
    need(f0t_catalogue_put(NULL, c, &r) == F0T_OK);
}

/* Of the model in the file `model`, or of none that is there. */
static inline void fill_catalogue(const char *path, const char *model, uint64_t fingerprint)
{
    const f0t_catalogue_options options = {.size = sizeof options, .mode = F0T_CATALOGUE_CREATE};
    const char *const written[] = {"violet"};
    f0t_catalogue *c;
    need(f0t_catalogue_open(&c, path, &options) == F0T_OK);
    need(f0t_catalogue_set_backbone(c, "{\"kind\":\"builtin\"}") == F0T_OK);
    need(f0t_catalogue_set_model(c, model, fingerprint) == F0T_OK);
    for (size_t i = 0; i < CATALOGUE_PICTURES; i++)
        put_picture(c, i);
    need(f0t_catalogue_decide(c, 1, "violet", F0T_ACCEPTED, "ann") == F0T_OK);
    need(f0t_catalogue_decide(c, 2, "red", F0T_REJECTED, "ann") == F0T_OK);
    need(f0t_catalogue_set_written(c, 1, written, 1) == F0T_OK);
    f0t_catalogue_close(c);
}

#endif
