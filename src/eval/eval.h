/* A comparison: what was asked for, and what came out. */
#ifndef F0T_EVAL_EVAL_H
#define F0T_EVAL_EVAL_H

#include "base/parcel.h"
#include "eval/own.h"
#include "eval/protocol.h"
#include "fast0tag_tools.h"
#include "io/json.h"
#include "io/lock.h"

enum { F0T_METHODS_MOST = 64 };

/* The options, read. */
typedef struct f0t_eval_plan {
    const f0t_ranker *methods[F0T_METHODS_MOST];
    size_t method_count;
    f0t_own own[F0T_OWN_MOST]; /* methods point into it: a plan stays where it was made */
    size_t own_count;
    struct f0t_eval_fixed { /* copies of methods, with knobs that were set */
        f0t_ranker ranker;
        f0t_knob knobs[F0T_KNOBS_MAX];
        double values[F0T_KNOBS_MAX];
    } fixed[F0T_METHODS_MOST]; /* [method_count] */
    bool asked[F0T_SCENARIOS];
    size_t cutoffs[F0T_CUTOFFS_MOST];
    size_t cutoff_count;
    size_t repeat, trials;
    double budget;                 /* of the trials of a method and a training set, in seconds */
    size_t hidden[F0T_HIDDEN_MAX]; /* of net and warp */
    size_t hidden_count;           /* 0: the paper's shape */
    bool figure[F0T_METHODS_MOST]; /* whose tags the page shows; none: it chooses */
} f0t_eval_plan;

f0t_status f0t_eval_plan_create(f0t_eval_plan *out, const f0t_eval_options *options);

struct f0t_eval {
    const f0t_dataset *dataset;
    f0t_eval_plan plan;
    f0t_eval_tags tags;
    uint64_t seed;
    f0t_values names;        /* of the values that every tested method has; the numbers are 0 */
    f0t_lock lock;           /* of the results file */
    bool keeps_others;       /* the results file has more than the cells below */
    uint32_t *samples;       /* [sample_count] places among the test images */
    uint32_t *sample_images; /* [sample_count] rows of the dataset */
    size_t sample_count;
    f0t_eval_cell *cells; /* [repeat x method_count x F0T_SCENARIOS] */
    f0t_eval_row *rows;
    size_t row_count;
    f0t_eval_value *values;           /* of all rows */
    char *knobs;                      /* of all rows, each NUL-terminated */
    f0t_eval_difference *differences; /* of all rows */
};

f0t_eval_cell *f0t_eval_cell_at(const f0t_eval *eval, size_t repeat, size_t method,
                                f0t_scenario scenario);

/* Chooses eval->samples by seed: with a seen and an unseen tag and a picture where there are such. */
f0t_status f0t_eval_choose_samples(f0t_eval *eval);

/* Makes the rows from the cells. */
f0t_status f0t_eval_summarise(f0t_eval *eval);

/* The results file: cells that are done. Loading a file that is not there does nothing; one of
 * another comparison fails with F0T_ERROR_MISMATCH, one whose lines are not those of this program with
 * F0T_ERROR_FORMAT. Cells of methods, scenarios or repeats that were
 * not asked for are kept in *others (a text, the caller's to free) and saved again. */
f0t_status f0t_results_load(f0t_eval *eval, char **others, const char *path, uint64_t identity,
                            const f0t_monitor *monitor);
f0t_status f0t_results_save(const f0t_eval *eval, const char *others, const char *path,
                            uint64_t identity);
/* The lines of a method's cells that are done, and back: what processes tell each other. */
f0t_status f0t_results_write(f0t_parcel *to, const f0t_eval *eval, size_t repeat, size_t method);
f0t_status f0t_results_read(f0t_eval *eval, const char *text, size_t size);
/* The curves of a cell as its line has them (NULL: null), and back: *out stays as it is where there are
 * none, and is the caller's to free, also after a failure. */
json_t *f0t_results_write_curves(const f0t_reliability_curves *curves);
f0t_status f0t_results_read_curves(f0t_reliability_curves **out, const json_t *line,
                                   const char *name);
/* Locks the file against other processes and makes sure that it can be written. */
f0t_status f0t_results_claim(f0t_eval *eval, const char *path);

#endif
