/*
 * The default method. Experts each say how probable the learned tags are for an image:
 *
 *     direction   f(x), as everywhere: the net's scores along the tags' vectors, with the tags' frequency
 *     tags        a net with an output per tag: learns what vectors cannot say, also of tags without one
 *     votes       the tags of the nearest training images (expert/votes.h)
 *     ridge       least squares onto tags from nearness to training images (expert/ridge.h)
 *     frequency   how often the tag was given, whatever the image
 *
 * and p = Σ w_e p_e with weights w >= 0 that were fitted on images held out. New words are scored along one
 * direction, the sum of
 *
 *     f(x);  the directions that explain the votes, and what the net of tags says: Σ_t s_t v_t (VᵀV + 1)⁻¹, s their
 *     standardised logarithms;  the one that explains how much more probable than elsewhere the learned tags are,
 *     s_t = Σ w_e (p_et - frequency of t) over tags, votes and ridge;  the classes that the backbone knows
 *     (fast0tag.h, f0t_classes);  and the one that explains the logarithm of the learned tags' frequencies, the
 *     same for every image
 *
 * with weights chosen on learned tags that were held out. Scores of both kinds are logits of probabilities, so
 * that they can be ranked together.
 */
#ifndef F0T_MODEL_BLEND_H
#define F0T_MODEL_BLEND_H

#include "expert/ridge.h"
#include "expert/votes.h"
#include "model/condition.h"
#include "model/confidence.h"
#include "model/net.h"

/* The experts that score learned tags come first. */
enum { F0T_LEARNED_EXPERTS = F0T_EXPERT_FREQUENCY + 1 };

/* What adds up to the direction of new words. */
enum {
    F0T_WORD_NET,
    F0T_WORD_VOTES,
    F0T_WORD_TAGS,
    F0T_WORD_CLASSES,
    F0T_WORD_PRIOR,
    F0T_WORD_LIKELY,
    F0T_WORD_PARTS
};

/* The learned tags that have a vector, as new words are placed among them. */
typedef struct f0t_word_space {
    size_t dim;
    float *mean;    /* [d] of their vectors */
    float *spread;  /* [d x d] their covariance: scores along g have the variance gᵀ·spread·g */
    float *inverse; /* [d x d] (VᵀV + 1)⁻¹ */
    float *prior;   /* [d] */
} f0t_word_space;

/* The backbone's classes as directions. */
typedef struct f0t_class_directions {
    size_t count;   /* C; 0: none */
    float *weights; /* [C x D], numbers of float16 */
    float *bias;    /* [C] */
    float *vectors; /* [C x d] */
    float *
        mean; /* [d] of the training images' directions: what all images have in common says nothing */
    float length; /* of the training images' features, in the mean */
} f0t_class_directions;

typedef struct f0t_blend {
    size_t features, tags, dim;     /* D, T, d */
    const f0t_condition *condition; /* of both nets, and */
    const f0t_net *net;             /* the direction's: the owner's */
    const float *vectors;           /* [T x d] the owner's; 0 for tags without one */

    f0t_net *own; /* the net with an output per tag; experts that are switched off are NULL */
    f0t_votes *votes;
    f0t_ridge *ridge;
    float *frequency;   /* [T] */
    float direction[3]; /* of its probability: of log frequency, of the score, and shift */
    float weights[F0T_LEARNED_EXPERTS];
    float calibration[2]; /* slope and shift: logit of p to that of the confidence */

    f0t_risk_curve
        risk; /* of the learned tags' confidences, on images that chose none of the above */

    f0t_word_space space;
    f0t_class_directions classes;
    f0t_risk_curve
        word_risk; /* of the new words', from learned tags held out; no images: not known */
    float word_weights[F0T_WORD_PARTS];
    float word_scales[F0T_WORD_PARTS]; /* 1 / the standard deviation of scores along them */
    float word_calibration[2];         /* slope and shift: score to logit */
    float word_offset; /* added to new words where they are ranked among learned tags */
} f0t_blend;

/* What a blend is learned from. */
typedef struct f0t_blend_data {
    const f0t_dataset *dataset;
    const f0t_samples *train, *val; /* all images of the parts */
    const float *vectors;           /* [T x d]; borrowed by the blend */
    size_t dim;
    const f0t_classes *classes;     /* NULL: none; with */
    const float *class_vectors;     /* [C x d] */
    const f0t_condition *condition; /* borrowed by the blend */
    const char *identity;           /* of the training, for its checkpoint; NULL: "" */
} f0t_blend_data;

/* Learns all experts and their weights; *net is the direction's. *miap is that of the held-out images, in
 * percent. What each expert gives is logged. */
f0t_status f0t_blend_fit(f0t_blend **out, f0t_net **net, double *miap, const f0t_blend_data *data,
                         const f0t_train_options *options, const f0t_monitor *monitor);
void f0t_blend_free(f0t_blend *blend);

/* For features[rows x D] of any length: logits of the learned tags into learned[rows x T], and of a new word
 * with vector v for row r: v · directions[r x d] + offsets[r]. Each output may be NULL. `net` NULL: the blend's. */
f0t_status f0t_blend_score(float *learned, float *directions, float *offsets,
                           const f0t_blend *blend, const f0t_net *net, const float *features,
                           size_t rows);

/* ---- Inside, for its fit ------------------------------------------------------------------------- */

/* Probabilities by each learned expert of rows of length 1 into to[e][rows x T], NULL where it is off. That of
 * F0T_EXPERT_DIRECTION is the standardised score, not yet a probability. */
f0t_status f0t_blend_experts(float *const to[F0T_LEARNED_EXPERTS], const f0t_blend *blend,
                             const f0t_net *net, const float *rows, size_t count);
/* The direction's standardised scores become its probabilities, in place. */
f0t_status f0t_blend_direction_probabilities(float *scores, const f0t_blend *blend, size_t rows);

/* Probabilities become logits of the confidence, in place; and the logarithms of frequencies as the direction has
 * them. */
void f0t_blend_logits(float *p, const f0t_blend *blend, size_t n);
void f0t_blend_log_frequencies(float *logs, const float *frequency, size_t n);

/* Tags without a vector have 0. */
bool f0t_has_vector(const float *vector, size_t dim);

/* From vectors[count x d] of tags with these frequencies; those without a vector are passed over. */
f0t_status f0t_word_space_create(f0t_word_space *out, const float *vectors, const float *frequency,
                                 size_t count, size_t dim);
void f0t_word_space_free(f0t_word_space *space);

/* What the parts of the new words' direction are made from. */
typedef struct f0t_word_sources {
    const f0t_word_space *space;
    const float *vectors, *frequency; /* [T x d], [T] of the tags that the space is of */
    size_t tags;
    size_t count;            /* images */
    const float *rows;       /* [images x D] of length 1 */
    const float *directions; /* [images x d] the net's */
    const float *votes;      /* [images x T]; NULL where that part is off, and */
    const float *own;        /* [images x T] by the net of tags: the same */
    const float *likely;     /* [images x T] q (f0t_blend_likely): the same, and */
    float share;             /* what it would be for a tag that is certain */
} f0t_word_sources;

/* Whether this expert is one of those that q = Σ w_e p_e is of, and Σ w_e of them. Not the direction: f(x) is there as itself. */
bool f0t_blend_is_likely(const f0t_blend *blend, f0t_expert expert);
float f0t_blend_likely_share(const f0t_blend *blend);
/* q[rows x T] of probabilities by each of these experts. */
void f0t_blend_likely(float *q, float *const from[F0T_LEARNED_EXPERTS], const f0t_blend *blend,
                      size_t rows);

/* The parts of the new words' direction into to[part][images x d]; NULL: not wanted. */
f0t_status f0t_word_parts(float *const to[F0T_WORD_PARTS], const f0t_blend *blend,
                          const f0t_word_sources *from);

/* Mean and standard deviation of the learned tags' scores along each of directions[count x d]; either output may be
 * NULL. */
f0t_status f0t_word_space_moments(float *mean, float *deviation, const f0t_word_space *space,
                                  const float *directions, size_t count);

#endif
