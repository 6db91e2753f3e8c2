/*
 * The search for hyper-parameters ("knobs"), of `train --tune` and of the comparison. It proposes a
 * setting, the caller trains and judges, and adds the result:
 *
 *     while (f0t_tune_next(values, &search)) {
 *         …
 *         f0t_tune_add(&search, values, score, seconds)
 *     }
 *
 * A setting is a pure function of the trials before it, so that a search continues from its journal as if
 * it had never stopped.
 */
#ifndef F0T_MODEL_TUNE_H
#define F0T_MODEL_TUNE_H

#include "io/lock.h"

enum { F0T_KNOBS_MAX = 6, F0T_TUNE_PARTS = 5 };

/* A hyper-parameter with a grid: the values that may be tried, and where the search begins. */
typedef struct f0t_knob {
    const char *name;
    const double *values; /* ascending */
    size_t count;
    size_t first; /* index of the value that is used without tuning */
} f0t_knob;

/* A hyper-parameter with a range. */
typedef struct f0t_tune_range {
    const char *name;
    double low, high;
    bool is_log; /* searched on a logarithmic scale */
} f0t_tune_range;

typedef struct f0t_tune_trial {
    double values[F0T_KNOBS_MAX];
    double score;   /* higher is better; NaN: the setting cannot be used (a fit that diverged) */
    double seconds; /* that it took */
    /* The score in each of several folds, of which `score` is the mean; in fewer than others have where the trial
     * ended early because it was behind. NaN: the fold could not judge. Not in the journal. */
    double parts[F0T_TUNE_PARTS];
    size_t part_count; /* 0: not known */
} f0t_tune_trial;

/* Zero-initialise, and set the first two groups. */
typedef struct f0t_tune_search {
    /* What is searched. A grid from the knobs' first values on: in a round each knob in turn may move one
     * place up or down (first in the direction of its last move), and stays there when that is better; a round
     * that changed nothing is the last. Where trials have parts, a step is better by more than one standard error of the
     * mean difference over the folds, and what the walk ends with is chosen only if it is better than the first values by
     * a paired t-test over the folds (one-sided, 5 %, which all settings that were tried share): one standard error is
     * exceeded by luck in one of five trials, and a walk tries some ten. Without a grid, ranges: the first setting is the caller's, every third is drawn from all of
     * the ranges, the others near the best. */
    size_t count;                         /* knobs */
    const f0t_knob *grid;                 /* [count]; NULL: */
    f0t_tune_range ranges[F0T_KNOBS_MAX]; /* [count] */
    uint64_t seed;                        /* of the draws */

    /* How long. The first trial is always made. */
    size_t most; /* trials; 0: no limit */
    double
        seconds; /* a trial is begun when one as long as the last would end in time; 0: no limit */

    /* What came out. */
    f0t_tune_trial *trials;
    size_t trial_count, room;
    size_t best; /* the first of the best trials; with parts, the one that the rules above choose */
    size_t incumbent; /* of a grid: the trial that the next one must beat */
    double spent;     /* seconds of all trials; the caller may add what else they took */

    /* The journal. */
    char *path;     /* NULL: nothing is written */
    char *identity; /* of the search */
    f0t_lock lock;
    size_t epochs; /* of each trial */
} f0t_tune_search;

/* Begins a journal at `path`, or with `resume` continues an existing one: then search->epochs and the
 * trials are those it has; one of another search is refused. The journal is JSON: one line that identifies
 * the search, then one line per trial. A truncated line is ignored. A file that is not a journal is refused
 * and not changed, and so is one that another process uses. An old file stays until something is written:
 * each time the whole, by a rename. `path` NULL: no journal. */
f0t_status f0t_tune_open(f0t_tune_search *search, const char *path, bool resume,
                         const char *identity);
/* Writes the first line of a new journal. */
f0t_status f0t_tune_begin(f0t_tune_search *search, size_t epochs);
void f0t_tune_close(f0t_tune_search *search);

/* The setting of the next trial into values[count]; false: the search is over. values[] of the first
 * trial over ranges are NaN: the caller's own. */
bool f0t_tune_next(double *values, const f0t_tune_search *search);
/* `values` are those that were used. */
f0t_status f0t_tune_add(f0t_tune_search *search, const double *values, double score,
                        double seconds);
/* The same with the score of each of `count` folds; no folds: the setting cannot be used. */
f0t_status f0t_tune_add_parts(f0t_tune_search *search, const double *values, const double *parts,
                              size_t count, double seconds);
/* Whether a trial with these parts so far is behind over the folds that both have: after two, more of them need
 * not be tried. */
bool f0t_tune_is_behind(const f0t_tune_trial *incumbent, const double *parts, size_t count);

#endif
