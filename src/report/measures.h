/* The measures of comparisons in plain words, for readers who know none of them. */
#ifndef F0T_REPORT_MEASURES_H
#define F0T_REPORT_MEASURES_H

#include "report/text.h"

/* What the head of a column ("MiAP", "MiAP, %", "K = 3") means, in a sentence or two; NULL for heads
 * that need none. */
const char *f0t_measure_meaning(const char *head);

/* A word with its meaning as a tooltip; as it is where it needs none. */
void f0t_measure_write(f0t_text *page, const char *head);

/* The words of heads[count] with their meanings, as a list. */
void f0t_measures_explain(f0t_text *page, const char *const *heads, size_t count);

#endif
