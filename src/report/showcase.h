/* The showcase (fast0tag_tools.h): its page part by part, and its sentences. */
#ifndef F0T_REPORT_SHOWCASE_H
#define F0T_REPORT_SHOWCASE_H

#include "image/worker.h"
#include "report/eval_tables.h"

enum { F0T_SHOWCASE_TOP = 5 };

/* What the parts share: the model's answers for the pictures that are shown, and for all test ones. */
typedef struct f0t_showcase_view {
    const f0t_showcase *given;
    const f0t_eval *eval;
    const f0t_dataset *collection;
    f0t_worker *worker; /* decodes the pictures that are shown */
    size_t dim;
    float *shown;      /* [eval->sample_count x dim] directions of the pictures that are shown */
    uint32_t *open;    /* [eval->sample_count x F0T_SHOWCASE_TOP, or all words] their first words */
    size_t test_count; /* test images */
    uint32_t *tests;   /* [test_count] rows of the collection */
    float *directions; /* [test_count x dim] of length 1 */
} f0t_showcase_view;

/* The file name of row m of the collection, without folders and extension. */
void f0t_showcase_title(char *out, size_t size, const f0t_showcase_view *view, size_t m);

/* The picture of row m of the collection, small, inside the page. */
void f0t_showcase_picture(f0t_text *page, const f0t_showcase_view *view, size_t m);

/* True when row m has this tag of the comparison's vocabulary. */
bool f0t_showcase_has_tag(const f0t_showcase_view *view, size_t m, uint32_t tag);

/* Parts of the page, in files of their own. */
f0t_status f0t_showcase_add_search(f0t_text *page, const f0t_showcase_view *view);
f0t_status f0t_showcase_add_direction(f0t_text *page, const f0t_showcase_view *view);

/* ---- The sentences and the table, for the terminal and for the page ---------------------------- */

/* Fails where something is missing. */
f0t_status f0t_showcase_check(const f0t_showcase *showcase);

/* The method whose tags are shown, whichever was best: the blend, which `train` learns unless told otherwise; before that is
 * compared, the linear map, which is learned in seconds. */
const char *f0t_showcase_method(const f0t_eval *eval);
bool f0t_showcase_has_blend(const f0t_eval *eval);
/* It in words: "the linear map, …". */
const char *f0t_showcase_shown(const f0t_eval *eval);

/* 6712 → "6,712". */
enum { F0T_SHOWCASE_COUNT_SIZE = 32 };
const char *f0t_showcase_count(char out[F0T_SHOWCASE_COUNT_SIZE], size_t number);

/* What a scenario gives over a baseline. */
typedef struct f0t_showcase_gain {
    double miap;    /* of the method that is shown */
    double against; /* of the baseline */
    double times;   /* miap / against */
} f0t_showcase_gain;

/* New tags alone over chance; all tags learned, and a fifth of them new, over ranking by frequency. The
 * frequencies are those of conventional tagging, which knows how often the new tags are used: the
 * same pictures and tags. */
f0t_showcase_gain f0t_showcase_gain_of(const f0t_eval *eval, f0t_scenario scenario);

/* MiAP of each method in the three scenarios. */
f0t_status f0t_showcase_table(f0t_table **out, const f0t_eval *eval);

/* The three gains, in two sentences. */
void f0t_showcase_tell_gains(f0t_text *to, const f0t_eval *eval);

/* How the tags were cleaned, in a few sentences. */
void f0t_showcase_tell_cleaning(f0t_text *to, const f0t_showcase *given);

/* Tags of the collection, those of them that training did not see, images. */
size_t f0t_showcase_tags(const f0t_showcase *given);
size_t f0t_showcase_unseen(const f0t_showcase *given);
size_t f0t_showcase_images(const f0t_showcase *given);

#endif
