/* The tables of a comparison, for reports and pages. */
#ifndef F0T_REPORT_EVAL_TABLES_H
#define F0T_REPORT_EVAL_TABLES_H

#include "eval/eval.h"
#include "eval/paper.h"
#include "report/table.h"

/* What rows a table is made of: those of one scenario. */
typedef struct f0t_eval_slice {
    const f0t_eval *eval;
    f0t_scenario scenario;
    const f0t_eval_row *rows; /* [count] */
    size_t count;
} f0t_eval_slice;

/* count 0 when the scenario was not asked for. */
f0t_eval_slice f0t_eval_slice_of(const f0t_eval *eval, f0t_scenario scenario);

/* NaN when there is no such value. */
const f0t_eval_value *f0t_eval_row_value(const f0t_eval_row *row, const char *name);
double f0t_eval_row_mean(const f0t_eval_row *row, const char *name);

/* MiAP, pooled precision, recall and F1 at each K, mAP, seconds; or the means over tags. `paper` may
 * be NULL. */
f0t_status f0t_eval_table(f0t_table **out, const f0t_eval_slice *slice, const f0t_published *paper);
f0t_status f0t_eval_class_table(f0t_table **out, const f0t_eval_slice *slice);
/* MiAP with its interval, and each method beside its rival. */
f0t_status f0t_eval_chance_table(f0t_table **out, const f0t_eval_slice *slice);
/* Methods whose scores are probabilities: whether these are true, and the sets that they choose beside the
 * first K tags. */
f0t_status f0t_eval_confidence_table(f0t_table **out, const f0t_eval_slice *slice);
bool f0t_eval_has_confidence(const f0t_eval_slice *slice);
/* Confidence against the share that is right; precision and recall along the threshold. */
f0t_status f0t_eval_confidence_plots(f0t_text *page, const f0t_eval_slice *slice);

/* Mean ranks over the runs with the critical difference: where there are several runs and more than two methods
 * compete. */
bool f0t_eval_has_ranks(const f0t_eval_slice *slice);
f0t_status f0t_eval_rank_plot(f0t_text *to, const f0t_eval_slice *slice);

/* "– Frequency, CCA: ranks only …" for what has a dash: one line per reason, with `before` and
 * `after` around it. `escaped`: for HTML. */
void f0t_eval_refusals(f0t_text *to, const f0t_eval_slice *slice, const char *before,
                       const char *after, bool escaped);

#endif
