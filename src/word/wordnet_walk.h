/*
 * Where short walks from a lemma end up: the rows of the matrix that becomes the vectors.
 *
 * A walk from the lemma's node stops before each step with probability `stop`; p(j) is the chance
 * that it stops at synset j, π(j) the mean of p(j) over all lemmas. The row has log(1 + p / (k π)) in
 * column j and length 1: a positive pointwise mutual information of lemma and synset.
 */
#ifndef F0T_WORD_WORDNET_WALK_H
#define F0T_WORD_WORDNET_WALK_H

#include "math/sparse.h"
#include "word/wordnet_graph.h"

typedef struct f0t_wordnet_walk_options {
    double stop;
    unsigned steps; /* longer walks are left out */
    double least;   /* a step that fewer walks than this part take is left out */
    double shift;   /* k */
} f0t_wordnet_walk_options;

enum { F0T_WORDNET_WALK_STEPS_MOST = 32 };

typedef struct f0t_wordnet_walk {
    const f0t_wordnet_graph *graph;
    f0t_wordnet_walk_options options;
    float stops[F0T_WORDNET_WALK_STEPS_MOST + 1]; /* the chance to stop after so many steps */
    float *base;                                  /* [synsets]: k π */
} f0t_wordnet_walk;

/* Borrows the graph. */
f0t_status f0t_wordnet_walk_init(f0t_wordnet_walk *walk, const f0t_wordnet_graph *graph,
                                 const f0t_wordnet_walk_options *options);
void f0t_wordnet_walk_clear(f0t_wordnet_walk *walk);

/* The rows of lemmas[count] as a matrix with a column for each synset. The same with any number of
 * threads. */
f0t_status f0t_wordnet_walk_rows(f0t_sparse *out, const f0t_wordnet_walk *walk,
                                 const uint32_t *lemmas, size_t count);

#endif
