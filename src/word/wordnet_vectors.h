/* From WordNet to word vectors: docs/wordnet.md. */
#ifndef F0T_WORD_WORDNET_VECTORS_H
#define F0T_WORD_WORDNET_VECTORS_H

#include "fast0tag.h"
#include "word/wordnet_graph.h"

/* What may be set to measure what each part is worth. */
typedef struct f0t_wordnet_recipe {
    f0t_wordnet_graph_weights graph;
    f0t_wordnet_walk_options walk;
    double spectrum; /* exponent of the singular values in the vectors */
    size_t rounds;
} f0t_wordnet_recipe;

extern const f0t_wordnet_recipe f0t_wordnet_recipe_default;

/* A space for the lemmas of a WordNet: a row of the walk times `map` is a vector. */
typedef struct f0t_wordnet_space {
    f0t_mentions mentions;
    f0t_wordnet_graph graph;
    f0t_wordnet_walk walk;
    size_t dim;
    float *map; /* [synsets x dim] */
} f0t_wordnet_space;

/* *out needs f0t_wordnet_space_clear in any case. */
f0t_status f0t_wordnet_space_find(f0t_wordnet_space *out, const f0t_wordnet *wordnet, size_t dim,
                                  const f0t_wordnet_recipe *recipe, const f0t_monitor *monitor);
void f0t_wordnet_space_clear(f0t_wordnet_space *space);

/* The vectors of `count` lemmas from `first` on, each of length 1 (or 0), into out[count x dim]. */
f0t_status f0t_wordnet_space_get(float *out, const f0t_wordnet_space *space, size_t first,
                                 size_t count);

#endif
