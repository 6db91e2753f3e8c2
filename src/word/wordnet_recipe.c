/* What the vectors are made of by default; docs/wordnet.md says how the numbers were found. */
#include "word/wordnet_vectors.h"

const f0t_wordnet_recipe f0t_wordnet_recipe_default = {
    .graph =
        {
            .relation = {[F0T_RELATION_UP] = 1,
                         [F0T_RELATION_DOWN] = 1,
                         [F0T_RELATION_WHOLE] = 0.15,
                         [F0T_RELATION_PART] = 0.3,
                         [F0T_RELATION_SIMILAR] = 1,
                         [F0T_RELATION_DERIVED] = 1.2,
                         [F0T_RELATION_PERTAINS] = 2,
                         [F0T_RELATION_VERB_OF] = 0.5,
                         [F0T_RELATION_TOPIC] = 0.3,
                         [F0T_RELATION_TERM] = 0.1,
                         [F0T_RELATION_SEE_ALSO] = 0.4,
                         [F0T_RELATION_GROUP] = 0.6,
                         [F0T_RELATION_ATTRIBUTE] = 0.4,
                         [F0T_RELATION_ENTAILS] = 0.3},
            .definition = 1,
            .example = 0.1,
            .lemma = 0.7,
            .sense = 1,
            .in_definition = 0.6,
            .in_example = 0.1,
            .rarity = 1,
            .count_more = 0.5,
            .count_power = 1,
            .rank_power = 0.5,
        },
    .walk = {.stop = 0.3, .steps = 6, .least = 5e-4, .shift = 3},
    .spectrum = 0.5,
    .rounds = 2,
};
