/* Training options: names, checks, and what "auto" means for given data. */
#ifndef F0T_MODEL_OPTIONS_H
#define F0T_MODEL_OPTIONS_H

#include "base/status.h"

/* Epochs without a better validation MiAP before a training of so many ends, where none are given. */
size_t f0t_train_patience(size_t epochs);

/* Whether images without a relevant or without an irrelevant tag train too. */
bool f0t_train_options_take_all(const f0t_train_options *options);

/* Replaces every "auto" that the method uses by a value, for `images` training images with `features`
 * features and word vectors of `dim` dimensions; λ and ridge of linear are left to the fit. */
void f0t_train_options_resolve(f0t_train_options *options, size_t images, size_t features,
                               size_t dim);

/* All options as a JSON object with sorted keys, and the validation MiAP (NaN: null); the caller's
 * to free. */
f0t_status f0t_train_options_describe(char **out, const f0t_train_options *options, double miap,
                                      const f0t_dataset *dataset);

/* The same followed by `data`, which says what is trained on: it identifies a run. */
f0t_status f0t_train_options_identify(char **out, const f0t_train_options *options,
                                      const char *data);

#endif
