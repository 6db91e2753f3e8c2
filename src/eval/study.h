/*
 * Inside the study of rankability (fast0tag_tools.h): the tags, the spaces of vectors, the rules, and
 * what is asked of them. study.c puts the parts together.
 */
#ifndef F0T_EVAL_STUDY_H
#define F0T_EVAL_STUDY_H

#include "fast0tag_tools.h"
#include "rank/rules.h"

/* ---- Tags -------------------------------------------------------------------------------------- */

/* Tags that have a vector in every file: seen ones first, then unseen ones. */
typedef struct f0t_study_tags {
    const char **names; /* [seen + unseen], the dataset's */
    size_t seen, unseen, missing;
    uint32_t *number; /* [tags of the dataset] place in names, or F0T_NO_TAG */
    bool given;
} f0t_study_tags;

f0t_status f0t_study_tags_create(f0t_study_tags *out, const f0t_dataset *dataset,
                                 const f0t_vectors *const *vectors, size_t count,
                                 const f0t_study_options *options, const f0t_monitor *monitor);
void f0t_study_tags_free(f0t_study_tags *tags);

/* ---- Spaces ------------------------------------------------------------------------------------ */

/* The tags' vectors of one file, in some number of dimensions; rows have length 1. */
typedef struct f0t_study_space {
    size_t dim;
    float *vectors; /* [seen + unseen x dim] */
} f0t_study_space;

/* The file as it is. */
f0t_status f0t_study_space_create(f0t_study_space *out, const f0t_study_tags *tags,
                                  const f0t_vectors *vectors, bool centred);
void f0t_study_space_free(f0t_study_space *space);
/* The principal axes[dim x dim] of the words of the file, each word of length 1. */
f0t_status f0t_study_axes(float **axes, const f0t_vectors *vectors, bool centred,
                          const f0t_monitor *monitor);
/* The space cut to its first `dim` axes, of length 1 again. */
f0t_status f0t_study_space_cut(f0t_study_space *out, const f0t_study_space *whole,
                               const float *axes, size_t dim, size_t rows);

/* The vectors dealt out anew, by seed, among the seen tags and among the unseen ones. */
f0t_status f0t_study_space_shuffle(f0t_study_space *out, const f0t_study_space *space,
                                   const f0t_study_tags *tags, uint64_t seed);

/* ---- Rules ------------------------------------------------------------------------------------- */

/* A rule over the seen tags and one over the unseen tags that some images have together. */
typedef struct f0t_study_pair {
    uint32_t seen, unseen; /* rules */
    size_t images;
} f0t_study_pair;

typedef struct f0t_study_rules {
    f0t_rules *seen, *unseen; /* unseen NULL without unseen tags */
    f0t_study_pair *pairs;    /* by seen rule, then unseen rule */
    size_t pair_count;
    size_t *firsts; /* [seen rules + 1] the pairs of rule r are pairs[firsts[r], firsts[r + 1]) */
    size_t images, tested;
} f0t_study_rules;

/* `part` NULL: all images. */
f0t_status f0t_study_rules_create(f0t_study_rules *out, const f0t_dataset *dataset,
                                  const f0t_study_tags *tags, const char *part);
void f0t_study_rules_free(f0t_study_rules *rules);

/* Number of relevant tags, of images. */
static inline size_t f0t_rule_size(const f0t_rules *rules, size_t r)
{
    return rules->offsets[r + 1] - rules->offsets[r];
}
static inline size_t f0t_rule_images(const f0t_rules *rules, size_t r)
{
    return rules->firsts[r + 1] - rules->firsts[r];
}
/* Rules [first, first + count), borrowed; they know nothing of images. */
f0t_rules f0t_rules_slice(const f0t_rules *rules, size_t first, size_t count);

/* Numbers of the rules that `wanted` accepts, at most `most`, drawn by seed, ascending. */
typedef bool (*f0t_rule_test)(const f0t_study_rules *rules, size_t r);
f0t_status f0t_study_sample(uint32_t **out, size_t *count, const f0t_study_rules *rules,
                            f0t_rule_test wanted, size_t most, uint64_t seed);
/* These rules, in this order, as rules of their own; free with f0t_rules_free. */
f0t_status f0t_rules_pick(f0t_rules **out, const f0t_rules *rules, const uint32_t *picked,
                          size_t count);

/* Ranks unseen tags for the pairs of some rules. */
typedef struct f0t_pair_ranking {
    const f0t_study_rules *rules;
    double *precisions; /* [the most pairs that are asked for] */
    size_t chunk;       /* pairs that are ranked at a time */
    float *rows;        /* [chunk x unseen tags] */
    size_t *offsets;    /* [chunk + 1] */
    uint32_t *relevant; /* [chunk x the most relevant tags of an unseen rule] */
} f0t_pair_ranking;

/* Room for the pairs of any `block` rules in a row that begin at a multiple of it. */
f0t_status f0t_pair_ranking_create(f0t_pair_ranking *out, const f0t_study_rules *rules,
                                   size_t block);
void f0t_pair_ranking_free(f0t_pair_ranking *ranking);
/* The average precisions of the pairs of rules [first, first + count), from the scores of the unseen
 * tags for each rule, scores[count x unseen tags]. */
f0t_status f0t_pair_ranking_run(f0t_pair_ranking *ranking, const float *scores, size_t first,
                                size_t count);

/* The average precision that a random order of n tags has in expectation when r are relevant. */
double f0t_random_precision(size_t r, size_t n);

/* ---- Questions --------------------------------------------------------------------------------- */

/* Curves of one space into arrays[lambda_count] of `curve`, which are there (generalisation only
 * with unseen tags). */
typedef struct f0t_study_curve_room {
    double *existence, *existence_images, *satisfied, *generalisation, *generalisation_rules;
} f0t_study_curve_room;

typedef struct f0t_study_task {
    const f0t_study_tags *tags;
    const f0t_study_rules *rules;
    const f0t_study_options *options; /* with λs set */
    const f0t_monitor *monitor;
} f0t_study_task;

f0t_status f0t_study_curves(const f0t_study_curve_room *to, const f0t_study_task *task,
                            const f0t_study_space *space, const char *stage);

/* Ever larger vocabularies, of the first file: fast0tag_tools.h. */
typedef struct f0t_study_scales {
    f0t_study_scale *items;
    size_t count, capacity;
    size_t rules; /* of the sample */
} f0t_study_scales;

/* `out` begins as all zero; nothing is done where no sizes are asked for. */
f0t_status f0t_study_scales_find(f0t_study_scales *out, const f0t_study_task *task,
                                 const f0t_dataset *dataset, const f0t_vectors *vectors,
                                 const f0t_study_space *whole);
void f0t_study_scales_free(f0t_study_scales *scales);

/* Expected MiAP of random orders: over rules, and over images for unseen tags. */
double f0t_study_random_existence(const f0t_study_rules *rules);
double f0t_study_random_generalisation(const f0t_study_rules *rules);

/* The offsets of one rule. */
typedef struct f0t_offsets_numbers {
    double common, common_random, explained, explained_random,
        angle; /* as in f0t_study_structure */
} f0t_offsets_numbers;

/* vectors[tags x dim] of length 1, total[dim] their sum; room[2 x dim] is scratch. A rule with one
 * relevant tag has no angle (NaN). */
f0t_offsets_numbers f0t_offsets_measure(const float *vectors, size_t tags, size_t dim,
                                        const uint32_t *relevant, size_t count, const double *total,
                                        double *room);
/* Mean cosine of the offsets with direction w[dim], and the percent that point along it. */
f0t_status f0t_offsets_along(double *cosine, double *ahead, const float *vectors, size_t tags,
                             size_t dim, const uint32_t *relevant, size_t count, const float *w);

f0t_status f0t_study_structure_find(f0t_study_structure *out, const f0t_study_task *task,
                                    const f0t_study_space *space);
f0t_status f0t_study_groups_find(f0t_study_groups *out, const f0t_study_task *task,
                                 const f0t_study_space *space);

/* Ward's clustering of the vectors of points[count]: merge i joins the group whose first point is b
 * to the one whose first point is a. room[count x count + count] is scratch. */
typedef struct f0t_merge {
    uint32_t a, b;
} f0t_merge;
void f0t_ward(f0t_merge *merges, const float *vectors, size_t dim, const uint32_t *points,
              size_t count, double *room);
/* The group of each point, 0 … k - 1, when there are k of them; k is at most `count`. */
void f0t_ward_cut(uint32_t *group, const f0t_merge *merges, size_t count, size_t k);

/* The λ in the middle, for what is shown with one alone. */
double f0t_study_middle(const f0t_study_options *options);

/* ---- Pictures and words -------------------------------------------------------------------------- */

f0t_status f0t_study_pictures_find(f0t_study_picture **out, size_t *count,
                                   const f0t_study_task *task, const f0t_dataset *dataset,
                                   const f0t_study_space *space);
void f0t_study_pictures_free(f0t_study_picture *pictures, size_t count);

/* Sentences about what is in the study; the caller frees each and the list. */
f0t_status f0t_study_findings(char ***out, size_t *count, const f0t_study *study);

#endif
