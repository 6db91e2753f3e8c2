/* The sentences and the table of the demo, for the terminal and for the page. */
#ifndef F0T_DEMO_STORY_H
#define F0T_DEMO_STORY_H

#include "demo/demo.h"
#include "report/eval_tables.h"

/* 6712 → "6,712". */
enum { F0T_COUNT_SIZE = 32 };
const char *f0t_demo_count(char out[F0T_COUNT_SIZE], size_t number);

/* What a scenario gives over a baseline. */
typedef struct f0t_demo_gain {
    double miap;    /* of the method that is shown */
    double against; /* of the baseline */
    double times;   /* miap / against */
} f0t_demo_gain;

/* New tags alone over chance; all tags learned, and a fifth of them new, over ranking by frequency. The
 * frequencies are those of conventional tagging, which knows how often the new tags are used: the
 * same pictures and tags. */
f0t_demo_gain f0t_demo_gain_of(const f0t_eval *eval, f0t_scenario scenario);

/* MiAP of each method in the three scenarios. */
f0t_status f0t_demo_table(f0t_table **out, const f0t_eval *eval);

/* The three gains, in two sentences. */
void f0t_demo_tell_gains(f0t_text *to, const f0t_eval *eval);

/* How the tags were cleaned, in a few sentences. */
void f0t_demo_tell_cleaning(f0t_text *to, const f0t_demo_work *work, const f0t_demo *demo);

#endif
