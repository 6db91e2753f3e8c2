/* What f0t_study_save (fast0tag_tools.h) writes: figures, numbers, the page. */
#ifndef F0T_REPORT_STUDY_H
#define F0T_REPORT_STUDY_H

#include "fast0tag_tools.h"
#include "report/text.h"

/* ---- Figures ------------------------------------------------------------------------------ */

typedef enum f0t_study_figure {
    F0T_FIGURE_EXISTENCE,
    F0T_FIGURE_SATISFIED,
    F0T_FIGURE_GENERALISATION, /* nothing without unseen tags */
    F0T_FIGURE_GROUPS,         /* nothing without a rule to try them on */
    F0T_FIGURE_SCALE,          /* nothing without sizes of vocabularies */
    F0T_STUDY_FIGURES
} f0t_study_figure;

/* "existence", … */
const char *f0t_study_figure_name(f0t_study_figure figure);
bool f0t_study_figure_exists(const f0t_study *study, f0t_study_figure figure);
void f0t_study_figure_draw(f0t_text *to, const f0t_study *study, f0t_study_figure figure);

/* The offsets of one image by PCA, or by t-SNE. */
void f0t_study_picture_draw(f0t_text *to, const f0t_study_picture *picture, bool tsne);

/* ---- Numbers ------------------------------------------------------------------------------ */

/* One line per curve and λ; one per offset. */
void f0t_study_csv(f0t_text *to, const f0t_study *study);
void f0t_study_scale_csv(f0t_text *to, const f0t_study *study);
void f0t_study_picture_csv(f0t_text *to, const f0t_study_picture *picture);
/* Everything but the offsets. */
void f0t_study_json(f0t_text *to, const f0t_study *study);

/* "glove.txt, 300-D" */
void f0t_study_curve_name(f0t_text *to, const f0t_study *study, const f0t_study_curve *curve);

/* ---- The page ----------------------------------------------------------------------------- */

void f0t_study_page(f0t_text *to, const f0t_study *study);

#endif
