/* Tags that go together: for each training tag the tags that training images have most often beside it. */
#ifndef F0T_BASELINE_COOCCURRENCE_H
#define F0T_BASELINE_COOCCURRENCE_H

#include "baseline/ranker.h"

/* How the lists of several given tags become one. */
typedef enum f0t_gathering { F0T_GATHER_VOTE, F0T_GATHER_SUM, F0T_GATHER_PROMOTE } f0t_gathering;

typedef struct f0t_cooccurrence {
    size_t tags, most; /* entries of a list */
    uint32_t *
        list; /* [tags x most] the tags beside each, the most frequent first; F0T_NO_SAMPLE_TAG: no more */
    double *share; /* [tags x most] P(c | u), the share of the images with u that have c */
    double *count; /* [tags] training images */
    double images;
    double middle; /* mean log of the counts */
} f0t_cooccurrence;

f0t_status f0t_cooccurrence_create(f0t_cooccurrence **out, const f0t_task *task);
void f0t_cooccurrence_free(void *cooccurrence);

/* scores[tags of the task] for an image with the tags given[count]. Tags that are on no list come last, by
 * frequency. */
void f0t_cooccurrence_score(float *scores, const f0t_cooccurrence *c, const uint32_t *given,
                            size_t count, f0t_gathering how);

#endif
