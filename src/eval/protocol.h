/*
 * The protocol of a comparison, for one training set: what is learned, the folds of validation images
 * that tune a method, and the splits of test images that test it. Where every tag that is ranked is
 * learned, the validation images judge. Where unseen tags will be ranked, a fifth of the seen ones
 * stands in for them: trials learn from the others, and are judged by how they rank the held-out tags,
 * or all seen ones where the test ranks both kinds together. Which tags are held out matters more than
 * most settings do, so several fifths take their turn: what a method has without tuning is left for others that are
 * better by a t-test over the folds (model/tune.h). Where nothing is held out, the folds are fifths of the
 * validation images.
 */
#ifndef F0T_EVAL_PROTOCOL_H
#define F0T_EVAL_PROTOCOL_H

#include "eval/reliability.h"
#include "eval/values.h"

enum { F0T_SAMPLE_TOP = 5, F0T_FOLDS = F0T_TUNE_PARTS, F0T_PRECISIONS_MOST = 20000 };

/* What trials are judged by: the ranking of the held-out tags alone, or that of all. */
typedef enum f0t_eval_criterion {
    F0T_CRITERION_HELD_OUT,
    F0T_CRITERION_ALL,
    F0T_CRITERIA
} f0t_eval_criterion;

/* What trials learn, and the validation images that judge them. */
typedef struct f0t_eval_fold {
    f0t_eval_task own;         /* where it is not the protocol's task */
    const f0t_eval_task *task; /* `own`, or the protocol's */
    f0t_eval_split validation; /* all tags of the training set, also those held out */
    uint32_t *held;            /* [held_count] which of its candidates are held out */
    size_t held_count;
} f0t_eval_fold;

typedef struct f0t_eval_protocol {
    f0t_training_set training_set;
    f0t_eval_task task;             /* what is learned in the end */
    char refusal[F0T_REFUSAL_SIZE]; /* why no method can learn it; "": they can */
    f0t_eval_fold folds[F0T_FOLDS];
    size_t fold_count; /* 0 where nothing can be tuned */
    f0t_eval_criterion criterion;
    bool asked[F0T_SCENARIOS];
    f0t_eval_split tests[F0T_SCENARIOS]; /* of those asked for */
} f0t_eval_protocol;

/* `asked` are the scenarios that are expected; those with another training set are left out. Where the
 * data cannot teach it, refusal says why, and every method is refused. */
f0t_status f0t_eval_protocol_create(f0t_eval_protocol *out, f0t_training_set training_set,
                                    const f0t_eval_tags *tags, const bool asked[F0T_SCENARIOS],
                                    uint64_t seed);
void f0t_eval_protocol_free(f0t_eval_protocol *protocol);

/* What the training sets of one method share: LEARN_SEEN and LEARN_FOR_BOTH try the same settings on
 * the same folds, and differ in the criterion alone; where they choose the same, one fit is for both. */
typedef struct f0t_eval_memo {
    struct f0t_eval_memo_trial {
        double knobs[F0T_KNOBS_MAX];
        double scores[F0T_CRITERIA][F0T_FOLDS];
        size_t done; /* folds that have scores */
        bool failed; /* the next one could not be fitted */
    } * trials;
    size_t count, capacity;
    struct f0t_eval_kept *kept; /* the last fit; NULL: none */
} f0t_eval_memo;

/* Before the protocols that it was used with. */
void f0t_eval_memo_free(f0t_eval_memo *memo);

typedef struct f0t_eval_protocol_options {
    uint64_t seed;
    size_t trials; /* of tuning, at most; 0: none */
    double budget; /* of all trials, in seconds as f0t_eval_tune counts them; INFINITY: no limit */
    size_t epochs, blend_epochs;
    const size_t *hidden; /* [hidden_count] of net and warp; NULL: the paper's shape */
    size_t hidden_count;
    const f0t_classes *classes; /* of blend; NULL: none; with */
    const float *class_vectors; /* [C x d] */
    bool bf16;
    const size_t *cutoffs;
    size_t cutoff_count;
    const uint32_t
        *samples; /* [sample_count] places among the test images whose first tags are kept */
    size_t sample_count;
    f0t_eval_memo *memo;               /* NULL: nothing is shared */
    struct f0t_neighbour_store *store; /* between methods and training sets; NULL: none */
    const char *
        model; /* where the fit to the seen tags is saved, if it is one (f0t_ranker.save); NULL: nowhere */
    const f0t_monitor *monitor;
} f0t_eval_protocol_options;

/* The result of a method in a scenario. */
typedef struct f0t_eval_cell {
    bool done;                      /* it was tested or refused; else it is still to be run */
    char refusal[F0T_REFUSAL_SIZE]; /* why the scenario does not apply to it; "" when it does */
    size_t images, tags;
    f0t_values values;
    size_t knob_count;
    char knob_names[F0T_KNOBS_MAX][F0T_VALUE_NAME_MOST];
    double knobs[F0T_KNOBS_MAX];
    uint32_t *top; /* [sample_count x F0T_SAMPLE_TOP] vocabulary numbers, F0T_NO_SAMPLE_TAG past the
                      last; NULL when it was refused */
    size_t top_count;
    f0t_reliability_curves *curves; /* NULL when scores are no probabilities */
    int32_t *
        precisions; /* [precision_count] average precisions of test images in millionths, -1 for those
                            without a relevant tag; NULL when it was refused */
    size_t
        precision_count; /* all test images, or F0T_PRECISIONS_MOST evenly from the first to the last */
    int32_t
        *tag_precisions; /* [tag_precision_count] the same of the images that each tag ranks, -1 for
                                a tag without one */
    size_t tag_precision_count;
} f0t_eval_cell;

void f0t_eval_cell_free(f0t_eval_cell *cell);
/* `to` may have been filled before, and stays as it was after a failure. */
f0t_status f0t_eval_cell_copy(f0t_eval_cell *to, const f0t_eval_cell *from);
/* Tests a method: sets cost->test_s, and of the cell all that was measured. */
f0t_status f0t_eval_cell_test(f0t_eval_cell *cell, f0t_eval_cost *cost, const f0t_eval_split *split,
                              const f0t_eval_fit *fit, const f0t_eval_protocol_options *options);

/* Fails where the features of images [first, end) hold what is no number. */
f0t_status f0t_eval_check_features(const f0t_dataset *dataset, size_t first, size_t end);

/* Tunes, fits once, and tests every scenario that was asked for: into cells[scenario], those that are
 * not done. A test that is the same as another (open, where every other tag is unseen) is not run
 * twice. The processes of a group make the same trials and the same fit together, and each tests. */
f0t_status f0t_eval_protocol_run(f0t_eval_cell cells[F0T_SCENARIOS],
                                 const f0t_eval_protocol *protocol, const f0t_ranker *ranker,
                                 const f0t_eval_protocol_options *options);

#endif
