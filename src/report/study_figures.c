/* The figures of the study. */
#include "base/alloc.h"
#include "report/study.h"
#include "report/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CURVES_MOST = 60 };

static const char *const NAMES[F0T_STUDY_FIGURES] = {"existence", "satisfied", "generalisation",
                                                     "directions", "vocabulary"};
static const char *const TITLES[F0T_STUDY_FIGURES] = {
    "Existence: ranking SVMs rank the tags they were given", "Rules without a single violation",
    "Generalisation: the same directions rank unseen tags",
    "Unseen tags ranked along one direction or several",
    "Rules without a violation when irrelevant tags are a language"};

const char *f0t_study_figure_name(f0t_study_figure figure)
{
    return NAMES[figure];
}

bool f0t_study_figure_exists(const f0t_study *study, f0t_study_figure figure)
{
    return figure == F0T_FIGURE_GENERALISATION ? study->tested > 0
           : figure == F0T_FIGURE_GROUPS       ? study->groups.rules > 0
           : figure == F0T_FIGURE_SCALE        ? study->scale_count > 0
                                               : true;
}

void f0t_study_curve_name(f0t_text *to, const f0t_study *study, const f0t_study_curve *curve)
{
    bool one_file = true;
    char dim[24];
    for (size_t i = 1; i < study->curve_count; i++)
        one_file = one_file && !strcmp(study->curves[i].vectors, study->curves[0].vectors);
    if (!one_file || study->curve_count == 1) {
        f0t_text_add(to, curve->vectors);
        f0t_text_add(to, ", ");
    }
    snprintf(dim, sizeof dim, "%zu-D", curve->dim);
    f0t_text_add(to, dim);
    if (curve->control)
        f0t_text_add(to, ", control");
}

/* ---- Curves ------------------------------------------------------------------------------- */

/* A plot of curves while it is made. */
typedef struct curves {
    f0t_svg_series series[CURVES_MOST + 1];
    f0t_text names[CURVES_MOST];
    size_t count;
    double *level; /* [λ] of the random order */
} curves;

static const double *values_of(const f0t_study_curve *curve, f0t_study_figure figure)
{
    return figure == F0T_FIGURE_EXISTENCE   ? curve->existence
           : figure == F0T_FIGURE_SATISFIED ? curve->satisfied
                                            : curve->generalisation;
}

static void add_curves(curves *c, const f0t_study *study, f0t_study_figure figure)
{
    for (size_t i = 0; i < study->curve_count && c->count < CURVES_MOST; i++) {
        f0t_text *name = &c->names[c->count];
        f0t_study_curve_name(name, study, &study->curves[i]);
        c->series[c->count++] = (f0t_svg_series){.name = name->bytes,
                                                 .count = study->lambda_count,
                                                 .x = study->lambdas,
                                                 .y = values_of(&study->curves[i], figure)};
    }
}

static f0t_status add_random(curves *c, const f0t_study *study, double level)
{
    F0T_TRY(f0t_alloc(&c->level, study->lambda_count, sizeof *c->level));
    for (size_t i = 0; i < study->lambda_count; i++)
        c->level[i] = level;
    c->series[c->count++] = (f0t_svg_series){
        .name = "random order", .count = study->lambda_count, .x = study->lambdas, .y = c->level};
    return F0T_OK;
}

/* Axes begin at 0: the height over chance is what counts. */
static double ceiling_of(const curves *c, const f0t_study *study)
{
    double most = 10;
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < study->lambda_count; k++)
            most = fmax(most, c->series[i].y[k]);
    return fmin(100, 10 * ceil(most / 10));
}

static void draw_curves(f0t_text *to, const f0t_study *study, f0t_study_figure figure)
{
    curves c = {.count = 0};
    f0t_status status = F0T_OK;
    add_curves(&c, study, figure);
    if (figure != F0T_FIGURE_SATISFIED)
        status = add_random(&c, study,
                            figure == F0T_FIGURE_EXISTENCE ? study->random_existence
                                                           : study->random_generalisation);
    const f0t_svg_plot plot = {
        .title = TITLES[figure],
        .description = "one curve for each set of vectors, over the regularisation",
        .x = {.title = "λ, the regularisation of the ranking SVMs", .log = true},
        .y = {.title = figure == F0T_FIGURE_SATISFIED ? "rules (%)" : "MiAP (%)",
              .to = figure == F0T_FIGURE_GENERALISATION ? ceiling_of(&c, study) : 100},
        .series = c.series,
        .series_count = c.count};
    f0t_svg_lines(to, &plot);
    for (size_t i = 0; i < CURVES_MOST; i++) {
        if (to->status == F0T_OK)
            to->status = c.names[i].status;
        f0t_text_free(&c.names[i]);
    }
    if (to->status == F0T_OK)
        to->status = status;
    f0t_free(c.level);
}

static void draw_groups(f0t_text *to, const f0t_study *study)
{
    static const char *const groups[] = {"random", "1 direction", "2", "3", "4"};
    static const char *const series[] = {"MiAP (%)"};
    const f0t_study_groups *g = &study->groups;
    double values[1 + F0T_STUDY_GROUPS] = {g->random}, errors[1 + F0T_STUDY_GROUPS] = {0};
    for (size_t k = 0; k < F0T_STUDY_GROUPS; k++) {
        values[1 + k] = g->miap[k];
        errors[1 + k] = g->error[k];
    }
    const f0t_svg_bar_chart chart = {.title = TITLES[F0T_FIGURE_GROUPS],
                                     .description = "MiAP of unseen tags; bars: the standard error "
                                                    "of the difference to one direction",
                                     .groups = groups,
                                     .group_count = 1 + F0T_STUDY_GROUPS,
                                     .series = series,
                                     .series_count = 1,
                                     .values = values,
                                     .spreads = errors,
                                     .axis = {.title = "MiAP of unseen tags (%)"},
                                     .decimals = 2};
    f0t_svg_bars(to, &chart);
}

/* ---- Vocabularies ------------------------------------------------------------------------- */

enum { SCALE_KINDS = 4, SCALE_DIMS_MOST = 12 };

static double best_of(const double *values, size_t count)
{
    double best = 0;
    for (size_t i = 0; i < count; i++)
        best = fmax(best, values[i]);
    return best;
}

static double scale_value(const f0t_study *study, const f0t_study_scale *s, int kind)
{
    const f0t_study_curve *kinds[] = {&s->real, &s->control, &s->any_words};
    return kind < 3 ? best_of(kinds[kind]->satisfied, study->lambda_count) : s->chance;
}

/* One curve per kind and number of dimensions: sizes of one number of dimensions stand together. */
static size_t add_scales(f0t_svg_series *series, f0t_text *names, double *x, double *y,
                         const f0t_study *study)
{
    static const char *const kinds[] = {"the images' tags", "any tags", "any words",
                                        "dimension alone"};
    size_t used = 0;
    for (size_t first = 0, end; first < study->scale_count; first = end) {
        const size_t dim = study->scales[first].real.dim;
        for (end = first; end < study->scale_count && study->scales[end].real.dim == dim; end++)
            x[end] = (double)study->scales[end].tags;
        for (int kind = 0; kind < SCALE_KINDS && used < SCALE_KINDS * SCALE_DIMS_MOST; kind++) {
            double *values = y + (size_t)kind * study->scale_count;
            char label[24];
            for (size_t i = first; i < end; i++)
                values[i] = scale_value(study, &study->scales[i], kind);
            snprintf(label, sizeof label, "%zu-D, ", dim);
            f0t_text_add(&names[used], label);
            f0t_text_add(&names[used], kinds[kind]);
            series[used] = (f0t_svg_series){.name = names[used].bytes,
                                            .count = end - first,
                                            .x = x + first,
                                            .y = values + first};
            used++;
        }
    }
    return used;
}

static void draw_scales(f0t_text *to, const f0t_study *study)
{
    f0t_svg_series series[SCALE_KINDS * SCALE_DIMS_MOST];
    f0t_text names[SCALE_KINDS * SCALE_DIMS_MOST] = {{0}};
    double *numbers;
    f0t_status status =
        f0t_alloc(&numbers, (1 + SCALE_KINDS) * study->scale_count, sizeof *numbers);
    if (status == F0T_OK) {
        const f0t_svg_plot plot = {
            .title = TITLES[F0T_FIGURE_SCALE],
            .description = "percent of the rules, over the number of tags and words",
            .x = {.title = "seen tags and words", .log = true},
            .y = {.title = "rules (%)", .to = 100},
            .series = series,
            .series_count =
                add_scales(series, names, numbers, numbers + study->scale_count, study)};
        f0t_svg_lines(to, &plot);
        f0t_free(numbers);
    }
    for (size_t i = 0; i < SCALE_KINDS * SCALE_DIMS_MOST; i++) {
        if (to->status == F0T_OK)
            to->status = names[i].status;
        f0t_text_free(&names[i]);
    }
    if (to->status == F0T_OK)
        to->status = status;
}

void f0t_study_figure_draw(f0t_text *to, const f0t_study *study, f0t_study_figure figure)
{
    if (figure == F0T_FIGURE_GROUPS)
        draw_groups(to, study);
    else if (figure == F0T_FIGURE_SCALE)
        draw_scales(to, study);
    else
        draw_curves(to, study, figure);
}

/* ---- Offsets ------------------------------------------------------------------------------ */

/* A picture while it is drawn. */
typedef struct cloud {
    double *x, *y; /* [points] */
    f0t_svg_series *series;
    f0t_svg_note *notes;
    size_t note_count;
} cloud;

static f0t_status cloud_create(cloud *c, const f0t_study_picture *p, bool tsne)
{
    const size_t points = p->tag_count * p->irrelevant;
    const float *x = tsne ? p->tsne_x : p->pca_x, *y = tsne ? p->tsne_y : p->pca_y;
    F0T_TRY(f0t_alloc(&c->x, points, sizeof *c->x));
    F0T_TRY(f0t_alloc(&c->y, points, sizeof *c->y));
    F0T_TRY(f0t_alloc_zero(&c->series, p->tag_count, sizeof *c->series));
    F0T_TRY(f0t_alloc_zero(&c->notes, p->tag_count + 1, sizeof *c->notes));
    for (size_t i = 0; i < points; i++) {
        c->x[i] = (double)x[i];
        c->y[i] = (double)y[i];
    }
    return F0T_OK;
}

static void cloud_free(cloud *c)
{
    f0t_free(c->x);
    f0t_free(c->y);
    f0t_free(c->series);
    f0t_free(c->notes);
}

/* A series and its name in the middle for each relevant tag. Gives how far the points reach. */
static double add_tags(cloud *c, const f0t_study_picture *p)
{
    double reach = 0;
    for (size_t t = 0; t < p->tag_count; t++) {
        const double *x = c->x + t * p->irrelevant, *y = c->y + t * p->irrelevant;
        f0t_svg_note note = {.text = p->tags[t]};
        for (size_t i = 0; i < p->irrelevant; i++) {
            note.x += x[i] / (double)p->irrelevant;
            note.y += y[i] / (double)p->irrelevant;
            reach = fmax(reach, hypot(x[i], y[i]));
        }
        c->series[t] = (f0t_svg_series){.name = p->tags[t], .count = p->irrelevant, .x = x, .y = y};
        c->notes[c->note_count++] = note;
    }
    return reach;
}

/* From the origin, as long as the cloud is wide: the direction counts, not the length. */
static void add_arrow(cloud *c, const f0t_study_picture *p, double reach)
{
    const double length = hypot(p->arrow[0], p->arrow[1]);
    if (length > 0)
        c->notes[c->note_count++] = (f0t_svg_note){.text = "SVM's direction",
                                                   .x = 1.05 * reach * p->arrow[0] / length,
                                                   .y = 1.05 * reach * p->arrow[1] / length,
                                                   .arrow = true};
}

static void axis_title(f0t_text *to, const char *which, double share)
{
    f0t_text_add(to, which);
    f0t_text_add(to, " axis (");
    f0t_text_number(to, share, 1);
    f0t_text_add(to, " % of the mean square)");
}

void f0t_study_picture_draw(f0t_text *to, const f0t_study_picture *p, bool tsne)
{
    cloud c = {0};
    f0t_text first = {0}, second = {0};
    f0t_status status = cloud_create(&c, p, tsne);
    if (status == F0T_OK) {
        const double reach = add_tags(&c, p);
        if (!tsne)
            add_arrow(&c, p, reach);
        axis_title(&first, "first", p->pca_share[0]);
        axis_title(&second, "second", p->pca_share[1]);
        const f0t_svg_plot plot = {
            .title = tsne ? "Offsets by t-SNE" : "Offsets by uncentred PCA",
            .description = "offsets from irrelevant tags to relevant ones, one colour for each "
                           "relevant tag",
            .height = 480,
            .x = {.title = tsne ? NULL : first.bytes, .bare = tsne},
            .y = {.title = tsne ? NULL : second.bytes, .bare = tsne},
            .series = c.series,
            .series_count = p->tag_count,
            .origin = !tsne,
            .equal = true,
            .notes = c.notes,
            .note_count = c.note_count};
        f0t_svg_scatter(to, &plot);
    }
    if (to->status == F0T_OK)
        to->status = status != F0T_OK ? status : first.status ? first.status : second.status;
    f0t_text_free(&first);
    f0t_text_free(&second);
    cloud_free(&c);
}
