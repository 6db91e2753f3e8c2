/*
 * Maximum likelihood. By distance: one number, by the root of its derivative. By rank: the
 * likelihood is concave in γ; exponentiated gradient steps stay in the simplex (Kivinen, Warmuth
 * 1997), their length found by trial. The sigmoids: a logistic regression with two parameters for
 * each tag, by Newton steps. As in the paper, weights and sigmoids are learned in turn.
 */
#include "base/alloc.h"
#include "base/monitor.h"
#include "base/team.h"
#include "baseline/tagprop.h"

#include <math.h>
#include <string.h>

/* ---- Sigmoids ---------------------------------------------------------------------------------- */

enum { NEWTON_STEPS = 50 };

/* A tag that its x separates would have α without end: a weak prior of α keeps it finite. Its
 * weight is that of an image in 1000 with the tag. */
static double penalty(const f0t_tag_column *c)
{
    return 1e-3 * c->plus;
}

/* ---- The sigmoid of one tag -------------------------------------------------------------------- */

static double softplus(double z)
{
    return z > 0 ? z + log1p(exp(-z)) : log1p(exp(z));
}

double f0t_sigmoid_value(double slope, double shift, const f0t_tag_column *c)
{
    double sum = -c->plus * c->with * softplus(-shift) - c->minus * c->without * softplus(shift) -
                 penalty(c) / 2 * slope * slope;
    for (size_t i = 0; i < c->count; i++) {
        double z = slope * fabs((double)c->values[i]) + shift;
        sum -= c->values[i] > 0 ? c->plus * softplus(-z) : c->minus * softplus(z);
    }
    return sum;
}

/* Gradient and negative Hessian by (α, β). */
typedef struct newton {
    double a, b, aa, ab, bb;
} newton;

static void add(newton *n, double x, double z, double plus, double minus)
{
    const double p = 1 / (1 + exp(-z)), g = plus * (1 - p) - minus * p,
                 h = (plus + minus) * p * (1 - p);
    n->a += g * x;
    n->b += g;
    n->aa += h * x * x;
    n->ab += h * x;
    n->bb += h;
}

static newton derivatives(double slope, double shift, const f0t_tag_column *c)
{
    newton n = {.a = -penalty(c) * slope, .aa = penalty(c)};
    add(&n, 0, shift, c->plus * c->with, c->minus * c->without);
    for (size_t i = 0; i < c->count; i++) {
        double x = fabs((double)c->values[i]);
        bool has = c->values[i] > 0;
        add(&n, x, slope * x + shift, has ? c->plus : 0, has ? 0 : c->minus);
    }
    return n;
}

void f0t_sigmoid_fit(double *slope, double *shift, const f0t_tag_column *c)
{
    double value = f0t_sigmoid_value(*slope, *shift, c);
    for (int i = 0; i < NEWTON_STEPS; i++) {
        newton n = derivatives(*slope, *shift, c);
        double tiny = 1e-9 * (n.aa + n.bb) + 1e-300;
        double det = (n.aa + tiny) * (n.bb + tiny) - n.ab * n.ab;
        double a = ((n.bb + tiny) * n.a - n.ab * n.b) / det;
        double b = ((n.aa + tiny) * n.b - n.ab * n.a) / det;
        double length = 1, next = value;
        for (; length > 1e-6; length /= 2) {
            next = f0t_sigmoid_value(*slope + length * a, *shift + length * b, c);
            if (next >= value)
                break;
        }
        if (!(next > value))
            return;
        *slope += length * a;
        *shift += length * b;
        if (next - value < 1e-10 * fabs(value))
            return;
        value = next;
    }
}

/* ---- The sigmoids of all tags ------------------------------------------------------------------ */

/* The x of the tags near each image, by tag. */
typedef struct columns {
    size_t *offsets; /* [T + 1] */
    float *values;
    double *with; /* [T] images that have the tag, none of their neighbours */
    /* Of one image: */
    double *x;         /* [T] all 0 between images */
    double *weights;   /* [k] */
    uint32_t *touched; /* [T] */
    bool *has;         /* [T] */
} columns;

static size_t gather(columns *c, const f0t_tagprop_model *m, const f0t_samples *s,
                     const f0t_best *best, size_t image)
{
    const uint32_t *index = best->index + image * best->k;
    size_t near = best->count[image] < m->k ? best->count[image] : m->k, count = 0;
    f0t_tagprop_weights(c->weights, m, best->value + image * best->k, near);
    for (size_t i = 0; i < near; i++)
        for (size_t j = s->offsets[index[i]]; j < s->offsets[index[i] + 1]; j++) {
            uint32_t tag = s->relevant[j];
            if (c->x[tag] == 0)
                c->touched[count++] = tag;
            c->x[tag] += c->weights[i] + 1e-300;
        }
    return count;
}

/* First pass: offsets count; second: values are put. */
static void visit(columns *c, const f0t_tagprop_model *m, const f0t_samples *s,
                  const f0t_best *best, bool put)
{
    for (size_t image = 0; image < s->count; image++) {
        size_t count = gather(c, m, s, best, image);
        for (size_t j = s->offsets[image]; j < s->offsets[image + 1]; j++) {
            c->has[s->relevant[j]] = true;
            if (put && c->x[s->relevant[j]] == 0)
                c->with[s->relevant[j]]++;
        }
        for (size_t i = 0; i < count; i++) {
            uint32_t tag = c->touched[i];
            float x = fmaxf((float)c->x[tag], 1e-30F);
            if (put)
                c->values[c->offsets[tag]++] = c->has[tag] ? x : -x;
            else
                c->offsets[tag + 1]++;
            c->x[tag] = 0;
        }
        for (size_t j = s->offsets[image]; j < s->offsets[image + 1]; j++)
            c->has[s->relevant[j]] = false;
    }
}

static f0t_status columns_fill(columns *c, const f0t_tagprop_model *m, const f0t_samples *s,
                               const f0t_best *best)
{
    F0T_TRY(f0t_alloc_zero(&c->offsets, m->tags + 1, sizeof *c->offsets));
    F0T_TRY(f0t_alloc_zero(&c->with, m->tags, sizeof *c->with));
    F0T_TRY(f0t_alloc_zero(&c->x, m->tags, sizeof *c->x));
    F0T_TRY(f0t_alloc(&c->weights, m->k, sizeof *c->weights));
    F0T_TRY(f0t_alloc(&c->touched, m->tags, sizeof *c->touched));
    F0T_TRY(f0t_alloc_zero(&c->has, m->tags, sizeof *c->has));
    visit(c, m, s, best, false);
    for (size_t t = 0; t < m->tags; t++)
        c->offsets[t + 1] += c->offsets[t];
    F0T_TRY(f0t_alloc(&c->values, c->offsets[m->tags], sizeof *c->values));
    visit(c, m, s, best, true);
    memmove(c->offsets + 1, c->offsets, m->tags * sizeof *c->offsets);
    c->offsets[0] = 0;
    return F0T_OK;
}

static void columns_free(columns *c)
{
    f0t_free(c->offsets);
    f0t_free(c->values);
    f0t_free(c->with);
    f0t_free(c->x);
    f0t_free(c->weights);
    f0t_free(c->touched);
    f0t_free(c->has);
}

static void fit_all(f0t_tagprop_model *m, const columns *c, const f0t_samples *s)
{
    const double positive = (double)s->offsets[s->count];
    const double negative = (double)s->count * (double)m->tags - positive;
    int threads = f0t_team_size();
    (void)threads;
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
    for (size_t t = 0; t < m->tags; t++) {
        size_t count = c->offsets[t + 1] - c->offsets[t];
        const f0t_tag_column column = {.values = c->values + c->offsets[t],
                                       .count = count,
                                       .with = c->with[t],
                                       .without = (double)(s->count - count) - c->with[t],
                                       .plus = 1 / fmax(positive, 1),
                                       .minus = 1 / fmax(negative, 1)};
        f0t_sigmoid_fit(&m->slope[t], &m->shift[t], &column);
    }
}

static f0t_status learn_sigmoids(f0t_tagprop_model *m, const f0t_samples *s, const f0t_best *best)
{
    columns c = {0};
    f0t_status status = columns_fill(&c, m, s, best);
    if (status == F0T_OK)
        fit_all(m, &c, s);
    columns_free(&c);
    return status;
}

/* ---- Weights ----------------------------------------------------------------------------------- */

enum { TURNS = 3, DOUBLINGS = 10, SCALE_STEPS = 20, RANK_STEPS = 25 };

typedef struct learning {
    f0t_tagprop_model *m;
    const f0t_samples *s;
    const f0t_best *best;
} learning;

/* ---- Weights by distance ----------------------------------------------------------------------- */

/* The derivative by ln s, which the model takes. */
static f0t_status slope_at(double *slope, const learning *l, double log_scale)
{
    f0t_tagprop_sums sums = {0};
    l->m->scale = exp(log_scale);
    F0T_TRY(f0t_tagprop_likelihood(&sums, l->m, l->s, l->best));
    *slope = sums.scale * l->m->scale;
    return F0T_OK;
}

/* Two values of ln s with the derivatives there: the likelihood rises at low and falls at high. */
typedef struct bracket {
    double low, high;
    double rise, fall;
} bracket;

/* Steps of a factor 2 from where it is, until the derivative has changed its sign. */
static f0t_status find_bracket(bracket *b, const learning *l)
{
    double at = log(l->m->scale), slope;
    F0T_TRY(slope_at(&slope, l, at));
    const bool up = slope > 0;
    *b = (bracket){at, at, slope, slope};
    for (int i = 0; i < DOUBLINGS && (slope > 0) == up; i++) {
        double next = at + (up ? log(2) : -log(2));
        F0T_TRY(slope_at(&slope, l, next));
        bracket to_next = {up ? at : next, up ? next : at, up ? b->fall : slope,
                           up ? slope : b->rise};
        *b = to_next;
        at = next;
    }
    return F0T_OK;
}

/* False position, in the Illinois form: an end that stays twice counts half. */
static f0t_status learn_scale(const learning *l)
{
    bracket b;
    int last = 0;
    F0T_TRY(find_bracket(&b, l));
    for (int i = 0; i < SCALE_STEPS && b.high - b.low > 0.004 && b.rise > 0 && b.fall < 0; i++) {
        double slope, at = b.low + (b.high - b.low) * b.rise / (b.rise - b.fall);
        double least = fmin(fabs(b.rise), fabs(b.fall));
        F0T_TRY(slope_at(&slope, l, at));
        if (slope > 0) {
            b.low = at;
            b.rise = slope;
            b.fall /= last > 0 ? 2 : 1;
        } else {
            b.high = at;
            b.fall = slope;
            b.rise /= last < 0 ? 2 : 1;
        }
        last = slope > 0 ? 1 : -1;
        if (fabs(slope) < 1e-3 * least)
            return F0T_OK;
    }
    return F0T_OK;
}

/* ---- Weights by rank --------------------------------------------------------------------------- */

/* γ ∝ from · exp(rate · gradient). */
static void move(double *to, const double *from, const double *gradient, double rate, size_t k)
{
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < k; i++)
        most = fmax(most, gradient[i]);
    for (size_t i = 0; i < k; i++)
        sum += to[i] = from[i] * exp(rate * (gradient[i] - most));
    for (size_t i = 0; i < k; i++)
        to[i] /= sum;
}

/* What the steps need beside γ itself. */
typedef struct climb {
    double *from;          /* [k] γ before the step */
    f0t_tagprop_sums here; /* there */
    f0t_tagprop_sums next;
} climb;

static f0t_status take_steps(const learning *l, climb *c)
{
    const size_t k = l->m->k;
    double rate = 1;
    F0T_TRY(f0t_tagprop_likelihood(&c->here, l->m, l->s, l->best));
    for (int i = 0; i < RANK_STEPS && rate > 1e-6; i++) {
        memcpy(c->from, l->m->ranks, k * sizeof *c->from);
        move(l->m->ranks, c->from, c->here.ranks, rate, k);
        F0T_TRY(f0t_tagprop_likelihood(&c->next, l->m, l->s, l->best));
        double gain = c->next.likelihood - c->here.likelihood;
        if (gain < 0) {
            memcpy(l->m->ranks, c->from, k * sizeof *c->from);
            rate /= 4;
            continue;
        }
        f0t_tagprop_sums old = c->here;
        c->here = c->next;
        c->next = old;
        rate *= 2;
        if (gain < 1e-6 * fabs(c->here.likelihood))
            break;
    }
    return F0T_OK;
}

static f0t_status learn_ranks(const learning *l)
{
    climb c = {0};
    f0t_status status = f0t_alloc(&c.from, l->m->k, sizeof *c.from);
    if (status == F0T_OK)
        status = f0t_alloc(&c.here.ranks, l->m->k, sizeof *c.here.ranks);
    if (status == F0T_OK)
        status = f0t_alloc(&c.next.ranks, l->m->k, sizeof *c.next.ranks);
    if (status == F0T_OK)
        status = take_steps(l, &c);
    f0t_free(c.from);
    f0t_free(c.here.ranks);
    f0t_free(c.next.ranks);
    return status;
}

/* ---- Weights and sigmoids ---------------------------------------------------------------------- */

static f0t_status learn_weights(const learning *l)
{
    return l->m->ranks ? learn_ranks(l) : learn_scale(l);
}

/* Frequencies break ties between tags that no neighbour has. */
static void set_prior(f0t_tagprop_model *m, const f0t_samples *s)
{
    for (size_t i = 0; i < s->offsets[s->count]; i++)
        m->prior[s->relevant[i]] += 1e-6 / (double)s->count;
}

f0t_status f0t_tagprop_learn(f0t_tagprop_model *m, const f0t_samples *s, const f0t_best *best,
                             const f0t_monitor *monitor)
{
    const learning l = {m, s, best};
    const int turns = m->slope ? TURNS : 1;
    f0t_stage stage =
        f0t_stage_begin(monitor, "learning the weights of neighbours", "turns", (uint64_t)turns);
    set_prior(m, s);
    for (int i = 0; i < turns && m->k > 0; i++) {
        F0T_TRY(f0t_stage_update(&stage, (uint64_t)i));
        if (m->slope)
            F0T_TRY(learn_sigmoids(m, s, best));
        F0T_TRY(learn_weights(&l));
    }
    if (m->slope)
        F0T_TRY(learn_sigmoids(m, s, best));
    f0t_stage_end(&stage);
    return F0T_OK;
}
