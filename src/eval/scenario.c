#include "eval/scenario.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *title;
    f0t_training_set training_set;
    unsigned ranks;
} scenarios[F0T_SCENARIOS] = {
    [F0T_CONVENTIONAL] = {"conventional", "Conventional tagging", F0T_LEARN_ALL,
                          F0T_TAG_SEEN | F0T_TAG_UNSEEN},
    [F0T_CONVENTIONAL_UNSEEN] = {"conventional-unseen", "Conventional tagging, unseen tags alone",
                                 F0T_LEARN_UNSEEN, F0T_TAG_UNSEEN},
    [F0T_ZERO_SHOT] = {"zero-shot", "Zero-shot tagging", F0T_LEARN_SEEN, F0T_TAG_UNSEEN},
    [F0T_SEEN_UNSEEN] = {"seen-unseen", "Seen/unseen tagging", F0T_LEARN_FOR_BOTH,
                         F0T_TAG_SEEN | F0T_TAG_UNSEEN},
    [F0T_OPEN] = {"open", "Open tagging: all tags but the seen", F0T_LEARN_SEEN,
                  F0T_TAG_UNSEEN | F0T_TAG_OTHER},
    [F0T_COMPLETION] = {"completion", "Completion: half of the tags are given", F0T_LEARN_ALL,
                        F0T_TAG_SEEN | F0T_TAG_UNSEEN},
};

static const struct {
    const char *name;
    unsigned tags;
} training_sets[F0T_TRAINING_SETS] = {
    [F0T_LEARN_ALL] = {"all tags", F0T_TAG_SEEN | F0T_TAG_UNSEEN},
    [F0T_LEARN_UNSEEN] = {"unseen tags", F0T_TAG_UNSEEN},
    [F0T_LEARN_SEEN] = {"seen tags", F0T_TAG_SEEN},
    [F0T_LEARN_FOR_BOTH] = {"seen tags, for both", F0T_TAG_SEEN},
};

const char *f0t_scenario_name(f0t_scenario scenario)
{
    return scenarios[scenario].name;
}

const char *f0t_scenario_title(f0t_scenario scenario)
{
    return scenarios[scenario].title;
}

f0t_training_set f0t_scenario_training_set(f0t_scenario scenario)
{
    return scenarios[scenario].training_set;
}

unsigned f0t_scenario_ranks(f0t_scenario scenario)
{
    return scenarios[scenario].ranks;
}

const char *f0t_training_set_name(f0t_training_set set)
{
    return training_sets[set].name;
}

unsigned f0t_training_set_tags(f0t_training_set set)
{
    return training_sets[set].tags;
}

static const char *name_at(size_t i)
{
    return i < F0T_SCENARIOS ? scenarios[i].name : NULL;
}

f0t_status f0t_scenario_find(f0t_scenario *out, const char *name, size_t length)
{
    size_t found;
    F0T_TRY(f0t_name_find(&found, "scenario", name, length, name_at));
    *out = (f0t_scenario)found;
    return F0T_OK;
}

/* The oracle knows the true training tags of a test image: ranking those would be no test. */
bool f0t_scenario_refuses(char why[F0T_REFUSAL_SIZE], f0t_scenario scenario,
                          const f0t_ranker *ranker, size_t tags)
{
    const bool given = scenario == F0T_COMPLETION;
    const bool learned =
        given || scenario == F0T_CONVENTIONAL || scenario == F0T_CONVENTIONAL_UNSEEN;
    *why = 0;
    if (ranker->completes && !given)
        snprintf(why, F0T_REFUSAL_SIZE, "completes a list of tags, of which there is none");
    else if (ranker->closed && !learned)
        snprintf(why, F0T_REFUSAL_SIZE, "ranks only tags that it was trained with");
    else if (ranker->oracle && !given && (learned || scenario == F0T_SEEN_UNSEEN))
        snprintf(why, F0T_REFUSAL_SIZE,
                 "is told the true training tags, so it can only rank others");
    else if (ranker->needs_new && learned)
        snprintf(why, F0T_REFUSAL_SIZE, "is Frequency where every tag is learned");
    else if (ranker->most_tags && tags > ranker->most_tags)
        snprintf(why, F0T_REFUSAL_SIZE,
                 "considers all 2^%zu combinations of the tags; 2^%zu are feasible", tags,
                 ranker->most_tags);
    else if (ranker->lacks)
        return ranker->lacks(why, F0T_REFUSAL_SIZE, ranker, f0t_scenario_name(scenario));
    return *why != 0;
}
