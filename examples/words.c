/* Ranks words, seen in training or not, for each row of features: words MODEL FEATURES VECTORS WORD… */
#include <fast0tag.h>
#include <stdio.h>

static bool show(void *user, const f0t_tag_result *result)
{
    (void)user;
    for (size_t i = 0; i < result->count; i++)
        printf(" %s", result->tags[i].tag);
    printf("\n");
    return true;
}

/* Words go through what the model's own tags went through. */
static f0t_status make_vocab(f0t_vocab **vocab, const f0t_model *model, const char *vectors_path,
                             const char *const *words, size_t count)
{
    f0t_vocab_options options = F0T_VOCAB_OPTIONS;
    f0t_vectors *vectors;
    options.centred = f0t_vocab_centred(f0t_model_vocab(model));
    f0t_status status = f0t_vectors_open(&vectors, vectors_path, NULL, NULL);
    if (status == F0T_OK)
        status = f0t_vocab_create(vocab, words, count, vectors, &options, NULL);
    f0t_vectors_close(vectors);
    return status;
}

static f0t_status rank(const f0t_model *model, const f0t_vocab *vocab, const f0t_features *features)
{
    f0t_tagger_options options = F0T_TAGGER_OPTIONS;
    f0t_tag_input input = F0T_TAG_INPUT;
    f0t_tag_options three = F0T_TAG_OPTIONS;
    f0t_tagger *tagger;
    options.vocab = vocab;
    options.features_only = true;
    input.count = f0t_features_count(features);
    input.rows = features;
    three.k = 3;
    f0t_status status = f0t_tagger_create(&tagger, model, &options, NULL);
    if (status == F0T_OK)
        status = f0t_tagger_each(tagger, &input, &three, show, NULL, NULL);
    f0t_tagger_close(tagger);
    return status;
}

int main(int argc, char **argv)
{
    f0t_model *model = NULL;
    f0t_features *features = NULL;
    f0t_vocab *vocab = NULL;
    if (argc < 5) {
        fprintf(stderr, "usage: words MODEL FEATURES VECTORS WORD...\n");
        return 2;
    }
    int failed =
        f0t_model_load(&model, argv[1], NULL) || f0t_features_open(&features, argv[2], NULL) ||
        make_vocab(&vocab, model, argv[3], (const char *const *)argv + 4, (size_t)argc - 4) ||
        rank(model, vocab, features);
    if (failed)
        fprintf(stderr, "%s\n", f0t_last_error());
    f0t_vocab_free(vocab);
    f0t_features_close(features);
    f0t_model_free(model);
    return failed;
}
