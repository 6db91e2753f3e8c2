/*
 * Maximum likelihood. By distance: one number, by the root of its derivative. By rank: the
 * likelihood is concave in γ; exponentiated gradient steps stay in the simplex (Kivinen, Warmuth
 * 1997), their length found by trial. The sigmoids: a logistic regression with two parameters for
 * each tag, by Newton steps. As in the paper, weights and sigmoids are learned in turn.
 */
#include "base/alloc.h"
#include "base/monitor.h"
#include "baseline/tagprop_model.h"
#include "baseline/tagprop_sigmoid.h"

#include <math.h>
#include <string.h>

enum { TURNS = 3, DOUBLINGS = 10, SCALE_STEPS = 20, RANK_STEPS = 25 };

typedef struct learning {
    f0t_tagprop_model *m;
    const f0t_samples *s;
    const f0t_best *best;
} learning;

/* ---- By distance --------------------------------------------------------------------------------- */

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

/* ---- By rank ------------------------------------------------------------------------------------- */

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

/* ---- Both ------------------------------------------------------------------------------------------ */

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
            F0T_TRY(f0t_tagprop_learn_sigmoids(m, s, best));
        F0T_TRY(learn_weights(&l));
    }
    if (m->slope)
        F0T_TRY(f0t_tagprop_learn_sigmoids(m, s, best));
    f0t_stage_end(&stage);
    return F0T_OK;
}
