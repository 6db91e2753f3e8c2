/*
 * WordNet as a graph to walk on. Its nodes are the synsets and, after them, the lemmas. A walker on
 * a synset goes to related synsets, to the lemmas that its gloss names and to those that mean it;
 * on a lemma, to its senses and to the synsets whose glosses name it. docs/wordnet.md has the
 * weights, and how they were found.
 */
#ifndef F0T_WORD_WORDNET_GRAPH_H
#define F0T_WORD_WORDNET_GRAPH_H

#include "math/sparse.h"
#include "word/wordnet_gloss.h"

/* How a step divides among the kinds of edges that a node has; within a kind it is shared equally
 * unless said. What a node lacks goes to the others. */
typedef struct f0t_wordnet_graph_weights {
    double relation[F0T_RELATIONS];
    double definition, example;       /* synset to the lemmas of its gloss, rare ones more */
    double lemma;                     /* synset to its lemmas, by how much they mean it */
    double sense;                     /* lemma to its senses, by their counts and ranks */
    double in_definition, in_example; /* lemma to the synsets whose gloss names it */
    double rarity;                    /* exponent of the inverse frequency */
    double count_more, count_power, rank_power; /* (count + more)^power / rank^power */
} f0t_wordnet_graph_weights;

/* From node i: probabilities p[begin[i], begin[i + 1]) of the steps to `to`, the likeliest first. */
typedef struct f0t_wordnet_graph {
    size_t nodes, synsets;
    size_t *begin; /* [nodes + 1] */
    uint32_t *to;
    float *p;
} f0t_wordnet_graph;

f0t_status f0t_wordnet_graph_build(f0t_wordnet_graph *out, const f0t_wordnet *wordnet,
                                   const f0t_mentions *mentions,
                                   const f0t_wordnet_graph_weights *weights);
void f0t_wordnet_graph_clear(f0t_wordnet_graph *graph);

/* ---- Walks ----------------------------------------------------------------------------------- */

/*
 * Where short walks from a lemma end up: the rows of the matrix that becomes the vectors.
 *
 * A walk from the lemma's node stops before each step with probability `stop`; p(j) is the chance
 * that it stops at synset j, π(j) the mean of p(j) over all lemmas. The row has log(1 + p / (k π)) in
 * column j and length 1: a positive pointwise mutual information of lemma and synset.
 */

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
