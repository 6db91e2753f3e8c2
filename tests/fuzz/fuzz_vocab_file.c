/* A prepared vocabulary, whose texts, hash table and codes are used where they lie: every tag of it, tags looked up, and
 * features tagged with it. */
#include "fuzz.h"
#include "tensors.h"

#include "word/vocab.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 2, DIM = 4, IMAGES = 8, K = 5 };

/* A linear model of the dimension that the corpus has. */
static f0t_model *make_model(void)
{
    static const char text[] = "red 1 0 0 .5\nblue 0 1 .5 0\n";
    static const char *const tags[] = {"red", "blue"};
    float features[IMAGES * 2];
    uint8_t labels[IMAGES * 2];
    f0t_dataset *dataset;
    f0t_vectors *vectors;
    f0t_model *model;
    for (size_t i = 0; i < sizeof labels; i++) {
        labels[i] = i / 2 % 2 == i % 2;
        features[i] = labels[i] ? 1 : (float)i / 20;
    }
    const f0t_dataset_arrays arrays = {.size = sizeof arrays,
                                       .images = IMAGES,
                                       .features = features,
                                       .dim = 2,
                                       .tags = tags,
                                       .tag_count = 2,
                                       .labels = labels};
    f0t_train_options o = F0T_TRAIN_OPTIONS;
    o.method = F0T_METHOD_LINEAR;
    if (f0t_dataset_open_arrays(&dataset, &arrays, NULL, NULL) != F0T_OK ||
        f0t_vectors_open_memory(&vectors, text, sizeof text - 1, "v", NULL, NULL) != F0T_OK ||
        f0t_train(&model, dataset, vectors, &o, NULL) != F0T_OK)
        abort();
    f0t_dataset_close(dataset);
    f0t_vectors_close(vectors);
    return model;
}

static void check(const f0t_tag_results *results, const f0t_vocab *vocab)
{
    for (size_t i = 0; i < results->count; i++)
        for (size_t k = 0; k < results->items[i].count; k++) {
            const f0t_tag_score *s = &results->items[i].tags[k];
            if (s->index >= f0t_vocab_count(vocab) ||
                strcmp(s->tag, f0t_vocab_tag(vocab, s->index)) != 0)
                abort();
        }
}

static void tag(const f0t_vocab *vocab, bool with_model_tags)
{
    static f0t_model *model;
    static const float features[ROWS * 2] = {1, 0, -3, 7};
    const f0t_tag_input input = {.size = sizeof input, .count = ROWS, .features = features};
    const f0t_tagger_options options = {.size = sizeof options,
                                        .vocab = vocab,
                                        .with_model_tags = with_model_tags,
                                        .any_space = true,
                                        .features_only = true};
    f0t_tagger *tagger;
    f0t_tag_results *results;
    if (!model)
        model = make_model();
    if (f0t_tagger_create(&tagger, model, &options, NULL) != F0T_OK)
        return;
    if (f0t_tagger_run(&results, tagger, &input, NULL, NULL) == F0T_OK) {
        check(results, f0t_tagger_vocab(tagger));
        f0t_tag_results_free(results);
    }
    f0t_tagger_close(tagger);
}

/* The first along a direction, as `find` ranks. */
static void screen(const f0t_vocab *vocab)
{
    uint32_t index[K];
    float score[K], query[64];
    const f0t_screen *codes = f0t_vocab_screen(vocab);
    const size_t count = f0t_vocab_count(vocab), dim = f0t_vocab_dim(vocab),
                 k = count < K ? count : K;
    for (size_t i = 0; i < 64; i++)
        query[i] = i % 2 ? -0.5F : 1;
    if (codes && dim <= 64 &&
        f0t_screen_top(index, score, k, codes, f0t_vocab_vectors(vocab), query, 1) == F0T_OK)
        for (size_t i = 0; i < k; i++)
            if (index[i] >= count)
                abort();
}

static void use(const f0t_vocab *vocab)
{
    size_t found, sum = 0;
    for (size_t i = 0; i < f0t_vocab_count(vocab) && i < 100; i++) {
        const char *name = f0t_vocab_tag(vocab, i);
        sum += strlen(name);
        if (f0t_vocab_find(&found, vocab, name) != F0T_OK ||
            (found != F0T_NONE && found >= f0t_vocab_count(vocab)))
            abort();
    }
    (void)sum;
    (void)f0t_vocab_find(&found, vocab, "Fire engine");
    (void)f0t_vocab_check(vocab);
    screen(vocab);
    tag(vocab, false);
    tag(vocab, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_vocab *vocab;
    uint8_t *file = tensors_signed_copy(data, size);
    if (file && f0t_vocab_open_memory(&vocab, file, size, "fuzz.vocab") == F0T_OK) {
        use(vocab);
        f0t_vocab_free(vocab);
    }
    free(file);
    return 0;
}
