/* What a search may change: the values of a trial, and where new ones come from. */
#ifndef F0T_MODEL_TUNE_SETTING_H
#define F0T_MODEL_TUNE_SETTING_H

#include "base/status.h"

enum { F0T_TUNE_MAX = 5 };

/* A value that is searched for. */
typedef struct f0t_tune_knob {
    const char *name;
    double low, high;
    bool is_log;   /* searched on a logarithmic scale */
    size_t offset; /* of a double in f0t_train_options; F0T_TUNE_CONDITION: 0.5 and above means
                      standardised features */
} f0t_tune_knob;

#define F0T_TUNE_CONDITION SIZE_MAX

/* The knobs whose values are "auto" in the options. */
typedef struct f0t_tune_space {
    const f0t_tune_knob *knobs[F0T_TUNE_MAX];
    size_t count;
} f0t_tune_space;

typedef struct f0t_tune_setting {
    double values[F0T_TUNE_MAX];
} f0t_tune_setting;

f0t_tune_space f0t_tune_space_of(const f0t_train_options *options);
/* From options that have no "auto" left, and into options. */
f0t_tune_setting f0t_tune_setting_get(const f0t_tune_space *space,
                                      const f0t_train_options *options);
void f0t_tune_setting_set(const f0t_tune_space *space, const f0t_tune_setting *setting,
                          f0t_train_options *options);

/* Setting of trial `trial` (from 1), given the best so far: every third anywhere in the space, the
 * others near the best. A pure function of its arguments. */
f0t_tune_setting f0t_tune_setting_draw(const f0t_tune_space *space, const f0t_tune_setting *best,
                                       uint64_t seed, size_t trial);

#endif
