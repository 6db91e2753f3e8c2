/* TagProp's sigmoids: for each tag the α, β that maximise the likelihood with the weights fixed. */
#ifndef F0T_BASELINE_TAGPROP_SIGMOID_H
#define F0T_BASELINE_TAGPROP_SIGMOID_H

#include "baseline/tagprop_model.h"

f0t_status f0t_tagprop_learn_sigmoids(f0t_tagprop_model *model, const f0t_samples *samples,
                                      const f0t_best *neighbours);

/* One tag: the images near which it occurs have x = |values[i]| > 0, and the tag where values[i] is
 * positive; of the others, with x = 0, `with` have the tag and `without` do not. An image that has
 * it counts `plus`, one that has not `minus`. */
typedef struct f0t_tag_column {
    const float *values;
    size_t count;
    double with, without;
    double plus, minus;
} f0t_tag_column;

void f0t_sigmoid_fit(double *slope, double *shift, const f0t_tag_column *column);

/* The weighted log-likelihood with the penalty that f0t_sigmoid_fit puts on α. */
double f0t_sigmoid_value(double slope, double shift, const f0t_tag_column *column);

#endif
