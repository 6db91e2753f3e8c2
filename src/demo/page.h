/* The page of the demo, part by part. */
#ifndef F0T_DEMO_PAGE_H
#define F0T_DEMO_PAGE_H

#include "demo/demo.h"
#include "image/worker.h"
#include "report/text.h"

enum { F0T_DEMO_TOP = 5 };

/* What the parts share: the model's answers for the pictures that are shown, and for all test ones. */
typedef struct f0t_demo_view {
    const f0t_demo_work *work;
    const f0t_demo *demo;
    f0t_worker *worker; /* decodes the pictures that are shown */
    size_t dim;
    float *shown;      /* [eval->sample_count x dim] directions of the pictures that are shown */
    uint32_t *open;    /* [eval->sample_count x F0T_DEMO_TOP, or all nouns] their first nouns */
    size_t test_count; /* test images */
    uint32_t *tests;   /* [test_count] rows of the collection */
    float *directions; /* [test_count x dim] of length 1 */
} f0t_demo_view;

f0t_status f0t_demo_view_create(f0t_demo_view *out, const f0t_demo_work *work,
                                const f0t_demo *demo);
void f0t_demo_view_free(f0t_demo_view *view);

/* The file name of row m of the collection, without folders and ending. */
void f0t_demo_title(char *out, size_t size, const f0t_demo_view *view, size_t m);

/* The picture of row m of the collection, small, inside the page. */
void f0t_demo_picture(f0t_text *page, const f0t_demo_view *view, size_t m);

/* True when row m has this tag of the comparison's vocabulary. */
bool f0t_demo_has_tag(const f0t_demo_view *view, size_t m, uint32_t tag);
/* True when somebody gave row m this word, also as a plural or as a tag that the clean-up left out for
 * being rare. */
bool f0t_demo_has_word(const f0t_demo_view *view, size_t m, const char *word);

/* Parts of the page, in files of their own. */
f0t_status f0t_demo_add_search(f0t_text *page, const f0t_demo_view *view);
f0t_status f0t_demo_add_direction(f0t_text *page, const f0t_demo_view *view);

#endif
