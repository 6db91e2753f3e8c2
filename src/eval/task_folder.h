/* A task as a folder of files, for programs: docs/evaluation.md has the list. */
#ifndef F0T_EVAL_TASK_FOLDER_H
#define F0T_EVAL_TASK_FOLDER_H

#include "baseline/ranker.h"

/* Writes into the folder, which exists. knobs[task->ranker->knob_count] are the values to use. Annotations are
 * those of the task; of the images to rank there is nothing but features and names. */
f0t_status f0t_task_folder_write(const char *folder, const f0t_task *task,
                                 const f0t_candidates *tags, const f0t_queries *queries,
                                 const double *knobs);

/* The scores for them that are in the file, into scores[queries->count x tags->count]: fails when they are not
 * queries->all x tags->count finite numbers. */
f0t_status f0t_task_scores_read(float *scores, const char *path, const f0t_candidates *tags,
                                const f0t_queries *queries);

#endif
