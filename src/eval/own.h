/*
 * Methods that are not ours, in the same comparison: scores that somebody made, and programs that are given a
 * task (eval/task_folder.h) and return scores. A third kind only writes the tasks.
 */
#ifndef F0T_EVAL_OWN_H
#define F0T_EVAL_OWN_H

#include "baseline/ranker.h"
#include "fast0tag_tools.h"

enum { F0T_OWN_MOST = 16, F0T_OWN_NAME = 40, F0T_OWN_VALUES = 32 };

typedef struct f0t_own {
    f0t_ranker ranker; /* the first member: a task's ranker is the method itself */
    char name[F0T_OWN_NAME], title[F0T_OWN_NAME], source[120];
    char key[F0T_OWN_NAME + 32]; /* the name, and a checksum of what the method is */
    const char *path;            /* scores, program or folder for tasks; the caller's */
    size_t timeout;              /* seconds that a program may take */
    size_t runs, run;            /* how many, and which, from 0 */
    f0t_knob knobs[F0T_KNOBS_MAX];
    char knob_names[F0T_KNOBS_MAX][F0T_OWN_NAME];
    double knob_values[F0T_KNOBS_MAX][F0T_OWN_VALUES];
} f0t_own;

/* `out` stays where it is: its ranker points into it. `scenarios` are tested, in each of `runs`. Reads
 * PROGRAM.json where there is one. */
f0t_status f0t_own_create(f0t_own *out, const f0t_eval_own *from, size_t scenarios, size_t runs,
                          size_t timeout);
/* Sets the key, from the bytes of the scores or of the program: results of others are not taken for its. */
f0t_status f0t_own_identify(f0t_own *own);

#endif
