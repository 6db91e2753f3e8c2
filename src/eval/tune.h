/*
 * Tuning, the same for every method: a search over the places of its knobs, from the values that its
 * author put first. In a round each knob in turn may go one place up or down (the way it last went
 * first), and stays there when that is better. It ends with a round that changed nothing, or after a
 * fixed number of trials: never by the clock, so that the same seed gives the same choice.
 */
#ifndef F0T_EVAL_TUNE_H
#define F0T_EVAL_TUNE_H

#include "baseline/ranker.h"

typedef struct f0t_choice {
    size_t place[F0T_KNOBS_MAX]; /* of each knob's value */
    double values[F0T_KNOBS_MAX];
    size_t trials; /* made */
    double score;  /* of the best trial; NaN where nothing could be judged */
} f0t_choice;

/* The values that are used without tuning. */
void f0t_choice_default(f0t_choice *out, const f0t_knob *knobs, size_t count);

/* How good knobs[count] are, higher is better; NaN: they cannot be used (a fit that diverged). */
typedef f0t_status (*f0t_trial)(double *score, void *user, const double *knobs);

/* `most` trials, one at least. */
f0t_status f0t_choose(f0t_choice *out, const f0t_knob *knobs, size_t count, size_t most,
                      f0t_trial trial, void *user);

#endif
