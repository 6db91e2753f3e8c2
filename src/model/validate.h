/* How well directions rank the tags of images: MiAP of a part of a dataset. */
#ifndef F0T_MODEL_VALIDATE_H
#define F0T_MODEL_VALIDATE_H

#include "model/condition.h"
#include "model/net.h"
#include "model/resident.h"

/* What a training is made from. */
typedef struct f0t_train_data {
    const f0t_dataset *dataset;
    const f0t_condition *condition;
    const f0t_samples *train;
    const f0t_samples *val; /* all images of the part; count 0 where there is none */
    const float *tags;      /* V[T x d], T = train->tags; NULL: the outputs are the scores, d = T */
    size_t dim;             /* d */
    const f0t_net_list
        *done; /* nets that its checkpoint keeps beside the one that is trained; or NULL */
    size_t
        directions; /* of an image, with `tags`: outputs [directions x d]; a tag has the highest of its scores
                          along them [0: one] */
} f0t_train_data;

/* MiAP in percent of several nets at once over the validation part: the features are read once.
 * NaN where no image of it has a relevant tag. */
f0t_status f0t_validate(double *miap, const f0t_net *const *nets, size_t count,
                        const f0t_train_data *data);

/* The same again and again on the device of a net that is trained: scores stay there, and features where there is room for
 * them. *out is NULL where the device or the data are not made for it, or several processes share the work; `data` must
 * stay. */
typedef struct f0t_validation f0t_validation;
f0t_status f0t_validation_open(f0t_validation **out, const f0t_train_data *data, const f0t_net *net,
                               const f0t_monitor *monitor);
void f0t_validation_close(f0t_validation *validation);
/* The features that stay there, or NULL. */
const f0t_resident *f0t_validation_resident(const f0t_validation *validation);
/* Of a net of the same shape and device. */
f0t_status f0t_validation_run(double *miap, f0t_validation *validation, const f0t_net *net);

#endif
