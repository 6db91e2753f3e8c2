/*
 * The first tags of a picture, chosen so that they do not repeat each other: "nature, wild nature, nature
 * background" says one thing three times. Greedy maximal marginal relevance (Carbonell and Goldstein, SIGIR
 * 1998): a tag that is like one chosen before it loses a part of its score.
 */
#ifndef F0T_TAG_DIVERSE_H
#define F0T_TAG_DIVERSE_H

#include "io/dataset.h"

enum {
    F0T_DIVERSE_POOL = 20, /* ranked tags that are looked at: fetch as many, also for fewer */
    F0T_DIVERSE_FIRST = 10 /* places that are chosen; later ones are in order of the score. With a
                              longer list repeats are what remains */
};

/* The words of a vocabulary's tags, each in one form: singular, infinitive. Of one that is mapped, which may have
 * millions of tags, they are found for the pool of each picture. */
typedef struct f0t_diverse {
    f0t_rows words; /* one row per tag, or per tag of `pool` */
    const float *vectors;
    size_t dim;
    const f0t_vocab *mapped; /* NULL: it is not */
    uint32_t pool[F0T_DIVERSE_POOL];
    size_t pool_count; /* 0: all tags */
} f0t_diverse;

/* The vocabulary must stay until close. */
f0t_status f0t_diverse_open(f0t_diverse *out, const f0t_vocab *vocab);
void f0t_diverse_close(f0t_diverse *diverse);

/* True for tags that share a word ("of" and its like apart) or have nearly the same vector. */
bool f0t_diverse_alike(const f0t_diverse *diverse, uint32_t a, uint32_t b);

/* Reorders each row of index, score and confidence (or NULL), [rows x count], which come best first. A tag like one before it loses
 * `weight` of the distance between the first and the last score of the pool, so that whatever scores are it means
 * the same: 0 changes nothing, above 1 no tag repeats another while there is one that does not. The first n of a
 * row are the same for every count of the pool's size or more. */
f0t_status f0t_diverse_order(uint32_t *index, float *score, float *confidence, size_t rows,
                             size_t count, const f0t_diverse *diverse, float weight);

#endif
