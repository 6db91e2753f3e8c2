/* What every method reached on every test image and for every tag, as CSV: for tests made elsewhere. */
#ifndef F0T_EVAL_DETAILS_H
#define F0T_EVAL_DETAILS_H

#include "eval/eval.h"
#include "io/file.h"

/* SCENARIO-images.csv and SCENARIO-tags.csv in a folder. Zero-initialise. */
typedef struct f0t_details {
    f0t_writer *images[F0T_SCENARIOS], *tags[F0T_SCENARIOS];
} f0t_details;

/* Makes the folder where there is none. */
f0t_status f0t_details_open(f0t_details *details, const f0t_eval *eval, const char *folder);
/* The lines of a run: its cells are done, `split` is what they were tested on. */
f0t_status f0t_details_add(f0t_details *details, const f0t_eval *eval, size_t run,
                           f0t_scenario scenario, const f0t_eval_split *split);
/* Puts the files in their places if status is F0T_OK, else removes them; gives the first failure. */
f0t_status f0t_details_finish(f0t_details *details, f0t_status status);

#endif
