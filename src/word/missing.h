/* Tags of a dataset that have no vector, and what that costs. */
#ifndef F0T_WORD_MISSING_H
#define F0T_WORD_MISSING_H

#include "base/status.h"

/* Logs how many of the `asked` tags have no vector (missing[T], T the dataset's tags), how many images
 * lose by it, and which tags these are, those of the most images first. `consequence` reads on from "no
 * vector": "and are left out". Nothing is logged when none is missing. */
f0t_status f0t_missing_log(const f0t_dataset *dataset, const bool *missing, size_t asked,
                           const char *consequence, const f0t_monitor *monitor);

#endif
