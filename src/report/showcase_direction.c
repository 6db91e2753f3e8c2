/* The principal direction of one picture, drawn: tags along it, and across. */
#include "base/alloc.h"
#include "report/html.h"
#include "report/showcase.h"
#include "report/svg.h"

#include <math.h>

enum { NAMED = 5 };

/* Tags in the plane of the direction and of what spreads them most across it. */
typedef struct plane {
    const f0t_showcase_view *view;
    size_t row, tags, dim;
    const float *vectors; /* [tags x dim] */
    double *x, *y;        /* [tags] along it and across */
} plane;

/* ---- Drawing ----------------------------------------------------------------------------------- */

typedef enum kind { LEARNED, NEW, OTHERS, KINDS } kind;

/* The others are grey, and below: the seventh colour of the plots. */
enum { GREY = 6, SERIES = GREY + 1 };

static kind kind_of(const plane *p, uint32_t tag)
{
    if (!f0t_showcase_has_tag(p->view, p->row, tag))
        return OTHERS;
    return p->view->eval->tags.kind[tag] == F0T_TAG_UNSEEN ? NEW : LEARNED;
}

/* The points of one kind in a row of their own. */
static size_t gather(const plane *p, kind wanted, double *x, double *y)
{
    size_t count = 0;
    for (size_t t = 0; t < p->tags; t++)
        if (kind_of(p, (uint32_t)t) == wanted) {
            x[count] = p->x[t];
            y[count++] = p->y[t];
        }
    return count;
}

static f0t_svg_note note_of(const plane *p, size_t t, double height)
{
    return (f0t_svg_note){.text = f0t_vocab_tag(p->view->eval->tags.vocab, t),
                          .x = p->x[t],
                          .y = p->y[t] + 0.028 * height};
}

/* The picture's own tags first, then those that are farthest along it and against it. */
static size_t name_tags(const plane *p, f0t_svg_note *notes, bool *named, double height)
{
    size_t count = 0;
    for (size_t t = 0; t < p->tags; t++)
        if (kind_of(p, (uint32_t)t) != OTHERS) {
            notes[count++] = note_of(p, t, height);
            named[t] = true;
        }
    for (int round = 0; round < 2 * NAMED; round++) {
        size_t best = F0T_NONE;
        const double sign = round % 2 ? -1 : 1;
        for (size_t t = 0; t < p->tags; t++)
            if (!named[t] && (best == F0T_NONE || sign * p->x[t] > sign * p->x[best]))
                best = t;
        if (best == F0T_NONE)
            break;
        notes[count++] = note_of(p, best, height);
        named[best] = true;
    }
    return count;
}

typedef struct room {
    double *x, *y; /* [tags] for the series, one after the other */
    f0t_svg_note *notes;
    bool *named;
} room;

static void draw(f0t_text *page, const plane *p, room *r)
{
    static const char *const names[KINDS] = {"its tags that training saw",
                                             "its tags that were held out", "all other tags"};
    f0t_svg_series series[SERIES] = {{0}};
    size_t used = 0;
    double low = 0, high = 0, left = 0, right = 0;
    for (size_t t = 0; t < p->tags; t++) {
        low = fmin(low, p->y[t]);
        high = fmax(high, p->y[t]);
        left = fmin(left, p->x[t]);
        right = fmax(right, p->x[t]);
    }
    for (int k = 0; k < KINDS; k++) {
        const size_t count = gather(p, (kind)k, r->x + used, r->y + used);
        series[k == OTHERS ? GREY : k] = (f0t_svg_series){
            .name = count ? names[k] : NULL, .count = count, .x = r->x + used, .y = r->y + used};
        used += count;
    }
    size_t notes = name_tags(p, r->notes, r->named, high - low);
    r->notes[notes++] = (f0t_svg_note){.text = "the picture's direction",
                                       .x = right + 0.1 * (right - left),
                                       .y = 0,
                                       .arrow = true,
                                       .from_x = left,
                                       .from_y = 0};
    const f0t_svg_plot plot = {
        .description = "tags as points: the further right, the better they fit the picture",
        .width = 860,
        .height = 520,
        .x = {.title = "along the direction: fits →"},
        .y = {.bare = true},
        .series = series,
        .series_count = SERIES,
        .notes = r->notes,
        .note_count = notes};
    f0t_svg_scatter(page, &plot);
}

static f0t_status draw_plane(f0t_text *page, plane *p)
{
    room r = {0};
    f0t_status status = f0t_alloc(&r.x, p->tags, sizeof *r.x);
    if (status == F0T_OK)
        status = f0t_alloc(&r.y, p->tags, sizeof *r.y);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&r.named, p->tags, sizeof *r.named);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&r.notes, p->tags + 1, sizeof *r.notes);
    if (status == F0T_OK)
        draw(page, p, &r);
    f0t_free(r.x);
    f0t_free(r.y);
    f0t_free(r.named);
    f0t_free(r.notes);
    return status;
}

/* How far up the picture's own tags come along its direction, 0 … 1 on average; pictures with one tag
 * show little. */
static double height_of(const plane *p)
{
    double sum = 0;
    size_t own = 0;
    for (size_t t = 0; t < p->tags; t++) {
        if (kind_of(p, (uint32_t)t) == OTHERS)
            continue;
        size_t below = 0;
        for (size_t k = 0; k < p->tags; k++)
            below += p->x[k] < p->x[t];
        sum += (double)below / (double)p->tags;
        own++;
    }
    return own > 1 ? sum / (double)own : 0;
}

static f0t_status plane_create(plane *p, const f0t_showcase_view *view)
{
    const f0t_eval *eval = view->eval;
    *p = (plane){.view = view,
                 .tags = eval->tags.count,
                 .dim = view->dim,
                 .vectors = f0t_vocab_vectors(eval->tags.vocab)};
    F0T_TRY(f0t_alloc(&p->x, p->tags, sizeof *p->x));
    return f0t_alloc(&p->y, p->tags, sizeof *p->y);
}

static void plane_free(plane *p)
{
    f0t_free(p->x);
    f0t_free(p->y);
}

/* `across`: where to put what is across it; NULL: nowhere. */
static f0t_status look_at(plane *p, size_t sample, double *across)
{
    p->row = p->view->eval->sample_images[sample];
    return f0t_direction_plane(p->x, across, p->view->shown + sample * p->dim, p->vectors, p->tags,
                               p->dim);
}

/* The picture that shows it best: whose own tags come furthest up. */
static f0t_status choose(plane *p)
{
    size_t best = 0;
    double most = -1;
    for (size_t i = 0; i < p->view->eval->sample_count; i++) {
        if (look_at(p, i, NULL) != F0T_OK)
            continue; /* it has no direction */
        const double height = height_of(p);
        if (height > most) {
            most = height;
            best = i;
        }
    }
    return look_at(p, best, p->y);
}

static f0t_status draw_best(f0t_text *page, plane *p)
{
    F0T_TRY(choose(p));
    f0t_text_add(page, "<div class=\"beside\">");
    f0t_showcase_picture(page, p->view, p->row);
    f0t_html_chart_begin(page);
    f0t_status status = draw_plane(page, p);
    f0t_html_chart_end(page);
    f0t_text_add(page, "</div>\n");
    return status;
}

f0t_status f0t_showcase_add_direction(f0t_text *page, const f0t_showcase_view *view)
{
    plane p;
    if (!view->eval->sample_count)
        return F0T_OK;
    f0t_status status = plane_create(&p, view);
    if (status == F0T_OK)
        status = draw_best(page, &p);
    plane_free(&p);
    return status;
}
