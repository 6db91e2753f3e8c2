/*
 * WordNet as a graph to walk on. Its nodes are the synsets and, behind them, the lemmas. A walker on
 * a synset goes to related synsets, to the lemmas that its gloss names and to those that mean it;
 * on a lemma, to its senses and to the synsets whose glosses name it. docs/wordnet.md has the
 * weights, and how they were found.
 */
#ifndef F0T_WORD_WORDNET_GRAPH_H
#define F0T_WORD_WORDNET_GRAPH_H

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

/* From node i: probabilities p[begin[i] … begin[i + 1]) of the steps to `to`, the likeliest first. */
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

#endif
