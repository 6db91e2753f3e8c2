/* What a model is made of. Its parts are only public through fast0tag.h. */
#ifndef F0T_MODEL_MODEL_H
#define F0T_MODEL_MODEL_H

#include "io/dataset.h"
#include "model/blend.h"
#include "model/condition.h"
#include "model/net.h"

struct f0t_model {
    f0t_method method;
    f0t_condition condition;
    f0t_net *net;
    f0t_blend *blend; /* of the method of that name, else NULL */
    f0t_vocab *vocab;
    char *training;  /* JSON */
    char *backbone;  /* JSON, or NULL */
    f0t_paths paths; /* of tags in a hierarchy */
};

/* f0t_model_directions through a net that is a copy of the model's on another device, or its own. */
f0t_status f0t_model_directions_by(float *out, const f0t_model *model, const f0t_net *net,
                                   const float *features, size_t rows);

#endif
