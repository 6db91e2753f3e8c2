/* The words of a vocabulary as a blend knows them: learned tags, which its experts score, and new words, which
 * are scored along a direction. */
#ifndef F0T_TAG_KNOWN_H
#define F0T_TAG_KNOWN_H

#include "compute/scoring.h"
#include "model/blend_shortlist.h"
#include "model/model.h"

typedef struct f0t_known_words {
    uint32_t *learned; /* [learned_count] numbers among the model's tags, and */
    uint32_t *place;   /* [learned_count] in the vocabulary */
    size_t learned_count;
    /* New words are the vocabulary's that were not learned. Either their vectors stand by themselves, or, in a
     * vocabulary that is mapped, all words are scored and the learned are passed over: nothing is copied. */
    uint32_t *fresh; /* [new_count] their places in the vocabulary; NULL: as they are scored */
    float *vectors;  /* [new_count x d] theirs; NULL: those of the vocabulary, or none */
    size_t new_count;
    size_t passed_over;       /* learned words among those that are scored, */
    uint32_t *passed;         /* [passed_over] their places, in order */
    f0t_shortlist *shortlist; /* of the learned tags where all of them are the words; NULL: none */
} f0t_known_words;

f0t_status f0t_known_words_create(f0t_known_words *out, const f0t_model *model,
                                  const f0t_vocab *vocab);
void f0t_known_words_free(f0t_known_words *words);

/* The first `k` words for each of features[rows x D], k at most the vocabulary's count: their places, scores
 * (logits) and confidences, [rows x k]; and, unless NULL, the directions that new words are scored along, [rows x d].
 * `fresh` scores the new words; `net` NULL: the model's. */
f0t_status f0t_known_words_rank(uint32_t *index, float *score, float *confidence, float *directions,
                                size_t k, const f0t_known_words *words, const f0t_model *model,
                                const f0t_net *net, const f0t_scoring *fresh, const float *features,
                                size_t rows);

#endif
