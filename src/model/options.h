/* Training options: names, checks, and what "auto" means for given data. */
#ifndef F0T_MODEL_OPTIONS_H
#define F0T_MODEL_OPTIONS_H

#include "base/status.h"

/* Replaces every "auto" by a value, for `images` training images with `features` features. */
void f0t_train_options_resolve(f0t_train_options *options, size_t images, size_t features);

/* All options as a JSON object with sorted keys, and the validation MiAP (NaN: null); the caller's
 * to free. */
f0t_status f0t_train_options_describe(char **out, const f0t_train_options *options, double miap);

/* The same with `data`, which says what is trained on, behind: what tells one run from another. */
f0t_status f0t_train_options_identify(char **out, const f0t_train_options *options,
                                      const char *data);

#endif
