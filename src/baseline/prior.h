/* How common tags are, as log-odds. */
#ifndef F0T_BASELINE_PRIOR_H
#define F0T_BASELINE_PRIOR_H

#include "baseline/ranker.h"

/* Of a tag that `with` of so many images have, with half an image more on either side: where there is none it is
 * finite. */
double f0t_prior_odds(size_t with, size_t images);
/* (*odds)[task->tags] of the training tags on the training images; the caller's to free, also after a failure. */
f0t_status f0t_prior_count(double **odds, const f0t_task *task);

#endif
