/* Ranks words, seen in training or not, for each row of features: tag MODEL FEATURES VECTORS WORD… */
#include <fast0tag.h>
#include <stdio.h>
#include <stdlib.h>

static int tag_row(const f0t_model *model, const f0t_vocab *vocab, const float *x)
{
    uint32_t index[3];
    size_t best = f0t_vocab_count(vocab) < 3 ? f0t_vocab_count(vocab) : 3;
    float *direction = malloc(f0t_model_dim(model) * sizeof *direction);
    int failed = !direction || f0t_model_directions(direction, model, x, 1, NULL) ||
                 f0t_vocab_rank(index, NULL, best, vocab, direction, 1, NULL);
    for (size_t i = 0; i < best && !failed; i++)
        printf(" %s", f0t_vocab_tag(vocab, index[i]));
    printf("\n");
    free(direction);
    return failed;
}

int main(int argc, char **argv)
{
    f0t_model *model = NULL;
    f0t_features *features = NULL;
    f0t_vectors *vectors = NULL;
    f0t_vocab *vocab = NULL;
    if (argc < 5) {
        fprintf(stderr, "usage: tag MODEL FEATURES VECTORS WORD...\n");
        return 2;
    }
    int failed = f0t_model_load(&model, argv[1]) || f0t_features_open(&features, argv[2], NULL) ||
                 f0t_vectors_open(&vectors, argv[3], NULL, NULL);
    if (!failed) { /* words go through what the model's own tags went through */
        f0t_vocab_options options = {.size = sizeof(f0t_vocab_options),
                                     .centred = f0t_vocab_centred(f0t_model_vocab(model))};
        failed = f0t_vocab_create(&vocab, (const char *const *)argv + 4, (size_t)argc - 4, vectors,
                                  &options, NULL) ||
                 f0t_model_check_vocab(model, vocab);
    }
    float *x = failed ? NULL : malloc(f0t_features_dim(features) * sizeof *x);
    for (size_t m = 0; x && m < f0t_features_count(features) && !failed; m++)
        failed = f0t_features_read(x, features, m, 1) || tag_row(model, vocab, x);
    if (failed)
        fprintf(stderr, "%s\n", f0t_last_error());
    free(x);
    f0t_vocab_free(vocab);
    f0t_vectors_close(vectors);
    f0t_features_close(features);
    f0t_model_free(model);
    return failed;
}
