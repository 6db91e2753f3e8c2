/*
 * A method as the comparison sees it: something that learns from a task and then scores tags for
 * images. Each lives in a file of its own, which cites its source and says what was chosen where
 * that is silent.
 *
 *     ranker->prepare(&shared, task)             what all trials of one task have in common
 *     ranker->fit(&fitted, task, shared, knobs)  once for each setting that is tried
 *     ranker->score(scores, fitted, task, tags, images)
 */
#ifndef F0T_BASELINE_RANKER_H
#define F0T_BASELINE_RANKER_H

#include "model/condition.h"
#include "model/tune.h"

/* What a method learns from: the training and validation images and their annotations with the
 * training tags. Annotations of any other tag are not in it, nor is any test image. */
typedef struct f0t_task {
    const f0t_dataset *dataset; /* for f0t_task_read alone */
    const f0t_condition *unit;  /* features of length 1 */
    f0t_samples train;          /* all images of the part, also those without a relevant tag */
    f0t_samples val;            /* the same; count 0 where there is none */
    size_t tags;                /* T, the training tags */
    size_t dim;                 /* d */
    const float *vectors;       /* V[T x d], each of length 1; NULL for ranker->closed alone */
    uint64_t seed;
    double effort; /* 1: as long as it takes; less: that share of the epochs, for a trial */
    size_t
        epochs; /* of what iterates; 0: as the method likes (times effort), with early stopping */
    bool bf16;  /* matrix products of bfloat16 */
    struct f0t_neighbour_store *store; /* baseline/neighbours.h; NULL: none */
    const size_t *
        hidden; /* [hidden_count] units of net's and warp's hidden layers; NULL: as training chooses */
    size_t hidden_count;
    const f0t_classes *classes; /* of the network that made the features; NULL: none; with */
    const float *class_vectors; /* [C x d] */
    const f0t_monitor *monitor;
    /* For a method that is not one of ours (eval/own.h): which one it is, and the words. place[i] is the
     * number among the training tags of word i of the vocabulary, or F0T_NO_SAMPLE_TAG. */
    const struct f0t_ranker *ranker;
    const f0t_vocab *vocab;
    const uint32_t *place;
} f0t_task;

/* Features, each row of length 1, of these images of the dataset into to[count x D]. */
f0t_status f0t_task_read(float *to, const f0t_task *task, const uint32_t *images, size_t count);
/* D. */
size_t f0t_task_features(const f0t_task *task);

/* The tags to rank. */
typedef struct f0t_candidates {
    size_t count;
    const float *vectors;  /* [count x d] */
    const uint32_t *known; /* [count] number among the training tags, or F0T_NO_SAMPLE_TAG */
    const size_t *images; /* [count] training images that have the tag: for f0t_ranker.told alone */
    const uint32_t *tags; /* [count] their numbers in the vocabulary */
} f0t_candidates;

/* The images to rank them for. */
typedef struct f0t_queries {
    size_t count;
    const float *features; /* [count x D], each row of length 1 */
    const size_t *offsets; /* [count + 1], and */
    const uint32_t
        *relevant; /* the images' true training tags: for the oracle alone. Where a list of tags is
                                 completed, those that are given: for what completes, too */
    size_t first, all;    /* these are images [first, first + count) of `all` to be ranked */
    const uint32_t *rows; /* [count] of the dataset */
    const char *part;     /* the scenario that is tested; NULL: a trial */
} f0t_queries;

typedef struct f0t_ranker {
    const char *name;
    const char *title;  /* as tables print it */
    const char *source; /* authors, title, venue */
    bool closed;        /* ranks only tags that it was trained with */
    bool oracle;        /* looks at the true training tags of the test images */
    bool completes;     /* ranks by some true tags of an image: for the scenario completion alone */
    bool told;       /* is told how many training images have each tag, also one it may not learn */
    bool needs_new;  /* says something only where tags are ranked that were not learned */
    bool calibrated; /* scores are logits of the probability that an image has the tag */
    bool whole;      /* wants all images in one call of score (transductive) */
    bool divided;    /* several processes (base/group.h) fit it together faster than one */
    size_t most_tags; /* refuses to rank more; 0: no limit */
    const f0t_knob *knobs;
    size_t knob_count; /* at most F0T_KNOBS_MAX */
    const char *key;   /* what tells its results from those of others; NULL: its name */
    /* Whether it has nothing for this scenario, and why. NULL: it has. */
    bool (*lacks)(char *why, size_t size, const struct f0t_ranker *ranker, const char *scenario);

    /* Either may be NULL: nothing to share. */
    f0t_status (*prepare)(void **shared, const f0t_task *task);
    void (*release)(void *shared);

    /* Without tuning: the values that the method chooses from the validation images by itself, as
     * "fast0tag train" does; tuning begins there. NULL: the first of each knob. */
    f0t_status (*choose)(double *knobs, const f0t_task *task, void *shared);

    /* What a fit costs: arithmetic operations as a core does them in matrix products; slower ones count for more. An
     * estimate from the sizes of the task, its effort and the knobs alone, so that tuning spends the same on every machine
     * (eval/tuning.h). NULL: next to nothing, or not known. */
    double (*cost)(const f0t_task *task, const double *knobs);

    /* knobs[knob_count] are values. */
    f0t_status (*fit)(void **fitted, const f0t_task *task, void *shared, const double *knobs);
    void (*free)(void *fitted);

    /* The fit as the file of a model that f0t_train could have made. NULL: it is none. */
    f0t_status (*save)(const void *fitted, const f0t_task *task, const char *path);
    /* scores[queries->count x tags->count]: higher is better. Of a closed method every tag is known.
     * Repeated calls with the same tags are blocks of one test; same bytes for any blocks
     * (with AVX-512; else the same but for rounding). */
    f0t_status (*score)(float *scores, const void *fitted, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries);
} f0t_ranker;

/* ---- The methods ------------------------------------------------------------------------------- */

/* Each is defined in the file of its name. */
extern const f0t_ranker f0t_ranker_random;
extern const f0t_ranker f0t_ranker_frequency;
extern const f0t_ranker f0t_ranker_frequency_told;
extern const f0t_ranker f0t_ranker_frequency_predicted;
extern const f0t_ranker f0t_ranker_vote; /* cooccurrence.c */
extern const f0t_ranker f0t_ranker_sum;
extern const f0t_ranker f0t_ranker_promote;
extern const f0t_ranker f0t_ranker_completion;
extern const f0t_ranker f0t_ranker_cca;
extern const f0t_ranker f0t_ranker_wsabie;
extern const f0t_ranker f0t_ranker_tagprop;
extern const f0t_ranker f0t_ranker_warp;
extern const f0t_ranker f0t_ranker_fasttag;
extern const f0t_ranker f0t_ranker_seen2unseen;
extern const f0t_ranker f0t_ranker_labelem;
extern const f0t_ranker f0t_ranker_labelem_plus;
extern const f0t_ranker f0t_ranker_conse;
extern const f0t_ranker f0t_ranker_linear;
extern const f0t_ranker f0t_ranker_linear_rank;
extern const f0t_ranker f0t_ranker_net;
extern const f0t_ranker f0t_ranker_sdl;
extern const f0t_ranker f0t_ranker_blend;
extern const f0t_ranker f0t_ranker_ranksvm;
extern const f0t_ranker f0t_ranker_ranksvm_plain;
extern const f0t_ranker f0t_ranker_fu2015_direct;
extern const f0t_ranker f0t_ranker_fu2015;

/* All, in the order of the tables, with NULL past the end. */
extern const f0t_ranker *const f0t_rankers[];
/* Seen2Unseen over other methods than TagProp, seen2unseen:NAME: only for who asks by name. NULL past the end. */
extern const f0t_ranker *const f0t_rankers_seen2unseen[];
/* Fails with F0T_ERROR_NOT_FOUND and the list of names. */
f0t_status f0t_ranker_find(const f0t_ranker **out, const char *name);
/* Its key, or else its name. */
const char *f0t_ranker_key(const f0t_ranker *ranker);
/* False for what is told what no method may know: it is shown beside the methods, and wins nothing. */
bool f0t_ranker_competes(const f0t_ranker *ranker);

#endif
