/*
 * Whether a collection has a new word at all.
 *
 * A blend calibrates new words on learned tags that were held out (blend_words.c): on words that some picture has. A
 * person also searches for words that none has, and for them the same score means less. Which of both a word is, its
 * place among words tells: words of a collection lie near each other. The nearness of a word is the mean cosine of its
 * vector with those of its three nearest learned tags; standardized by what learned tags have among themselves it is
 * comparable between collections and between kinds of word vectors, and what it adds to the logit was measured on words
 * held out and on absent ones (docs/catalogue.md, bench/absent.py).
 */
#ifndef F0T_MODEL_PRESENCE_H
#define F0T_MODEL_PRESENCE_H

#include "base/status.h"

/* No new word is surer than this: of the pairs of a picture and a word that a model was surest of, as many were right. */
#define F0T_PRESENCE_SUREST 0.5

/* Nearness of the learned tags among themselves; deviation 0: too few of them have a vector to compare words with. */
typedef struct f0t_presence {
    double mean, deviation;
} f0t_presence;

/* From the learned tags' vectors[count x dim] of length 1, 0 for tags without one. */
f0t_status f0t_presence_fit(f0t_presence *out, const float *vectors, size_t count, size_t dim);

/* What is added to the logit of a new word with this vector[dim] for every picture. */
f0t_status f0t_presence_logit(double *out, const f0t_presence *presence, const float *vectors,
                              size_t count, size_t dim, const float *vector);

#endif
