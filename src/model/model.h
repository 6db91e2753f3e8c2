/* What a model is made of. Its parts are only public through fast0tag.h. */
#ifndef F0T_MODEL_MODEL_H
#define F0T_MODEL_MODEL_H

#include "io/dataset.h"
#include "model/blend.h"
#include "model/condition.h"
#include "model/net.h"
#include "word/same.h"

struct f0t_model {
    f0t_method method;
    f0t_condition condition;
    f0t_net *net;
    f0t_blend *blend; /* of the method of that name, else NULL */
    f0t_vocab *vocab;
    char *training;      /* JSON */
    char *backbone;      /* JSON, or NULL */
    f0t_paths paths;     /* of tags in a hierarchy */
    f0t_aliases aliases; /* what else its tags are called in the collection */
    f0t_same same;       /* the tags and their aliases (f0t_model_know_tags) */
};

/* To be called when the vocabulary is complete: fills `same` from it and from `aliases`, of which those of other tags and
 * those that are tags themselves are left out. */
f0t_status f0t_model_know_tags(f0t_model *model, const f0t_aliases *aliases);
/* Adds one alias to `aliases` and `same`; *added is false where its form is known already, or it is of no tag. */
f0t_status f0t_model_add_alias(bool *added, f0t_model *model, const char *form, const char *tag);

/* What a model says beside its parts: how it was trained, and of the dataset the backbone, the hierarchy and the aliases. The
 * vocabulary must be complete. */
f0t_status f0t_model_describe(f0t_model *model, const f0t_train_options *options, double miap,
                              const f0t_dataset *dataset);

/* f0t_model_directions through a net that is a copy of the model's on another device, or its own. */
f0t_status f0t_model_directions_by(float *out, const f0t_model *model, const f0t_net *net,
                                   const float *features, size_t rows);

#endif
