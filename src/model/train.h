/* Training as the library's other parts use it. */
#ifndef F0T_MODEL_TRAIN_H
#define F0T_MODEL_TRAIN_H

#include "base/status.h"

/* f0t_train; *options has the values that were used afterwards, none of them "auto". */
f0t_status f0t_train_run(f0t_model **out, f0t_train_options *options, const f0t_dataset *dataset,
                         const f0t_vectors *vectors, const f0t_monitor *monitor);

#endif
