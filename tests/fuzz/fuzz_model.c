/* A model file of a stranger: it is loaded, described, and tags rows of features with its own tags, with other words, and
 * with both. */
#include "fuzz.h"
#include "tensors.h"

#include "image/preprocess.h"
#include "io/json.h"
#include "report/inspect.h"

#include "fast0tag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, FEATURES_MOST = 4096, DIM_MOST = 64, SIDE_MOST = 64 };

/* What a tagger gives is what its interface says. */
static void check(const f0t_tag_results *results, const f0t_tagger *tagger)
{
    const size_t words = f0t_vocab_count(f0t_tagger_vocab(tagger));
    for (size_t i = 0; i < results->count; i++)
        for (size_t k = 0; k < results->items[i].count; k++) {
            const f0t_tag_score *s = &results->items[i].tags[k];
            if (s->index >= words ||
                strcmp(s->tag, f0t_vocab_tag(f0t_tagger_vocab(tagger), s->index)) ||
                s->confidence < 0 || s->confidence > 1)
                abort();
        }
}

static void run(const f0t_tagger *tagger, const float *features, const f0t_tag_options *options)
{
    const f0t_tag_input input = {.size = sizeof input, .count = ROWS, .features = features};
    f0t_tag_results *results;
    if (f0t_tagger_run(&results, tagger, &input, options, NULL) != F0T_OK)
        return;
    check(results, tagger);
    f0t_tag_results_free(results);
}

static void tag(const f0t_model *model, const f0t_vocab *vocab, bool with_model_tags,
                const float *features)
{
    const f0t_tagger_options options = {.size = sizeof options,
                                        .vocab = vocab,
                                        .with_model_tags = with_model_tags,
                                        .any_space = true,
                                        .features_only = true};
    f0t_tagger *tagger;
    if (f0t_tagger_create(&tagger, model, &options, NULL) != F0T_OK)
        return;
    f0t_tag_options o = F0T_TAG_OPTIONS;
    run(tagger, features, &o);
    o.confidence = 0.5;
    run(tagger, features, &o);
    o.confidence = 0;
    o.precision = 0.5;
    run(tagger, features, &o);
    o.precision = 0;
    o.recall = 0.5;
    run(tagger, features, &o);
    f0t_tagger_close(tagger);
}

/* Words of the model's dimension that it has not learned. */
static f0t_vocab *make_words(size_t dim)
{
    static const char *const words[] = {"dog", "sunset", "a b"};
    char text[3 * (8 + DIM_MOST * 4)];
    size_t at = 0;
    f0t_vectors *vectors;
    f0t_vocab *vocab = NULL;
    if (dim > DIM_MOST)
        return NULL;
    for (size_t w = 0; w < 3; w++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s", w == 2 ? "a_b" : words[w]);
        for (size_t k = 0; k < dim; k++)
            at += (size_t)snprintf(text + at, sizeof text - at, " %s", k % 3 == w ? "1" : ".5");
        at += (size_t)snprintf(text + at, sizeof text - at, "\n");
    }
    if (f0t_vectors_open_memory(&vectors, text, at, "words", NULL, NULL) != F0T_OK)
        return NULL;
    if (f0t_vocab_create(&vocab, words, 3, vectors, NULL, NULL) != F0T_OK)
        vocab = NULL;
    f0t_vectors_close(vectors);
    return vocab;
}

static void prepare(const f0t_preprocess *how)
{
    static const uint8_t pixels[4 * 3 * 3] = {1, 2, 3, 255};
    const f0t_picture picture = {.width = 4, .height = 3, .rgb = pixels};
    f0t_preprocess_plan plan = {.preprocess = how};
    float *out = how->width <= SIDE_MOST && how->height <= SIDE_MOST
                     ? malloc(3 * how->width * how->height * sizeof *out)
                     : NULL;
    if (out)
        (void)f0t_preprocess_run(out, &plan, &picture, false);
    f0t_preprocess_plan_free(&plan);
    free(out);
}

/* What the model says of the network that makes its features; the file that it names is not opened. */
static void describe(const char *backbone)
{
    json_t *json, *how = NULL;
    f0t_preprocess preprocess;
    if (!backbone || f0t_json_parse(&json, backbone, strlen(backbone), "fuzz") != F0T_OK)
        return;
    if (f0t_json_get_object(&how, json, "preprocess", "fuzz") == F0T_OK &&
        f0t_preprocess_parse(&preprocess, how, "fuzz") == F0T_OK)
        prepare(&preprocess);
    json_decref(json);
}

static void use(const f0t_model *model)
{
    const size_t D = f0t_model_input_dim(model);
    float *features = D <= FEATURES_MOST ? malloc(ROWS * D * sizeof *features) : NULL;
    f0t_vocab *words = make_words(f0t_model_dim(model));
    describe(f0t_model_backbone(model));
    if (!features) {
        f0t_vocab_free(words);
        return;
    }
    for (size_t i = 0; i < ROWS * D; i++) /* of zeros, alike, and of all sizes */
        features[i] = i < D ? 0 : i < 2 * D ? 1 : (float)((int)(i * 7919 % 201) - 100);
    tag(model, NULL, false, features);
    if (words) {
        tag(model, words, false, features);
        tag(model, words, true, features);
    }
    if (f0t_vocab_count(f0t_model_vocab(model)))
        (void)f0t_model_path(model, f0t_vocab_tag(f0t_model_vocab(model), 0));
    f0t_vocab_free(words);
    free(features);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_inspection *found;
    f0t_model *model;
    uint8_t *file = tensors_signed_copy(data, size);
    if (!file)
        return 0;
    if (f0t_model_load_memory(&model, file, size, "fuzz.f0t", NULL) == F0T_OK) {
        use(model);
        f0t_model_free(model);
        if (f0t_inspect_memory(&found, file, size, "fuzz.f0t", NULL) == F0T_OK)
            f0t_inspection_free(found);
    }
    free(file);
    return 0;
}
