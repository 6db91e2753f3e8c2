/*
 * The scenarios (sections 4 and 5 of the paper): which tags a method learns from and which it ranks.
 *
 *   conventional         learns all tags, S and U, and ranks them
 *   conventional-unseen  learns U alone and ranks it: the paper's Table 1, beside
 *   zero-shot            learns S, ranks U
 *   seen-unseen          learns S, ranks S and U
 *   open                 learns S, ranks every other tag of the dataset
 *   completion           learns all tags; half of a test image's tags are given, the others are looked for
 *                        (only where it is asked for by name)
 */
#ifndef F0T_EVAL_SCENARIO_H
#define F0T_EVAL_SCENARIO_H

#include "baseline/ranker.h"
#include "eval/tags.h"

typedef enum f0t_scenario {
    F0T_CONVENTIONAL,
    F0T_CONVENTIONAL_UNSEEN,
    F0T_ZERO_SHOT,
    F0T_SEEN_UNSEEN,
    F0T_OPEN,
    F0T_COMPLETION,
    F0T_SCENARIOS
} f0t_scenario;

/* What is learned, and for what: one choice of knobs and one fit serve all scenarios that share it.
 * Ranking new tags alone and ranking them among known ones want different settings. */
typedef enum f0t_training_set {
    F0T_LEARN_ALL,
    F0T_LEARN_UNSEEN,
    F0T_LEARN_SEEN,     /* to rank others */
    F0T_LEARN_FOR_BOTH, /* the seen tags, to rank them with others */
    F0T_TRAINING_SETS
} f0t_training_set;

const char *f0t_scenario_name(f0t_scenario scenario);
const char *f0t_scenario_title(f0t_scenario scenario);
/* Fails with F0T_ERROR_NOT_FOUND and the list of names. `length` bytes of name. */
f0t_status f0t_scenario_find(f0t_scenario *out, const char *name, size_t length);

f0t_training_set f0t_scenario_training_set(f0t_scenario scenario);
const char *f0t_training_set_name(f0t_training_set set);
/* Sets of f0t_tag_kind. */
unsigned f0t_training_set_tags(f0t_training_set set);
unsigned f0t_scenario_ranks(f0t_scenario scenario);

enum { F0T_REFUSAL_SIZE = 128 };

/* Whether the scenario does not apply to a method, and why: the words of a table's footnote. `tags` are
 * ranked. */
bool f0t_scenario_refuses(char why[F0T_REFUSAL_SIZE], f0t_scenario scenario,
                          const f0t_ranker *ranker, size_t tags);

#endif
