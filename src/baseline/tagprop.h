/* TagProp as a method, and as the first half of seen2unseen. */
#ifndef F0T_BASELINE_TAGPROP_H
#define F0T_BASELINE_TAGPROP_H

#include "baseline/neighbours.h"
#include "baseline/tagprop_model.h"

enum { F0T_TAGPROP_MOST = 400 }; /* neighbours that a knob may ask for */

/* A learned TagProp with the images it votes with. */
typedef struct f0t_tagprop {
    f0t_neighbours *neighbours; /* shared with others */
    f0t_tagprop_model *model;
    size_t users; /* who else frees it */
} f0t_tagprop;

typedef struct f0t_tagprop_options {
    size_t k;
    bool by_distance;
    bool modulated;
} f0t_tagprop_options;

f0t_status f0t_tagprop_create(f0t_tagprop **out, const f0t_task *task, f0t_neighbours *neighbours,
                              const f0t_tagprop_options *options);
void f0t_tagprop_free(f0t_tagprop *tagprop);

/* Probabilities of the training tags, to[queries->count x T]. */
f0t_status f0t_tagprop_predict(float *to, const f0t_tagprop *tagprop, const f0t_task *task,
                               const f0t_queries *queries);

#endif
