/* Methods of a comparison that several processes learn and test. */
#ifndef F0T_EVAL_SHARE_H
#define F0T_EVAL_SHARE_H

#include "base/group.h"
#include "eval/eval.h"

typedef struct f0t_eval_sharing {
    f0t_eval *eval;
    size_t repeat;
    void *user;
    /* Tunes, fits and tests a method: into its cells. `together`: all processes do. */
    f0t_status (*run)(void *user, size_t method, bool together);
    /* A method's cells are there. */
    f0t_status (*keep)(void *user, size_t method);
} f0t_eval_sharing;

/* Runs the methods of a repeat that have cells which are not done; then all processes have all cells. Whole methods are
 * handed out. Of fewer methods than processes, those that can be divided (f0t_ranker.divided) are learned by all together,
 * one after the other. */
f0t_status f0t_eval_share_methods(const f0t_eval_sharing *sharing, const f0t_group *group);

/* The samples and all cells of process 0 to the others. */
f0t_status f0t_eval_share_cells(f0t_eval *eval, const f0t_group *group);

#endif
