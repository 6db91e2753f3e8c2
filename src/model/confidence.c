#include "model/confidence.h"

#include <math.h>
#include <stdio.h>

/* ---- The curve ----------------------------------------------------------------------------- */

#define GRID_EDGE 6.906754778648553 /* the logit of 0.999 */
#define GRID_STEP (2 * GRID_EDGE / (F0T_RISK_GRID - 2))

double f0t_risk_grid(size_t g)
{
    return g ? f0t_confidence_of_logit(-GRID_EDGE + (double)(g - 1) * GRID_STEP) : 0;
}

/* A guess by the logit, then corrected. */
size_t f0t_risk_place(float confidence)
{
    if (!(confidence >= 0.0009F)) /* most are: spares them the logarithm */
        return 0;
    const double at = 1 + (f0t_logit_of_confidence((double)confidence) + GRID_EDGE) / GRID_STEP;
    size_t g = at > F0T_RISK_GRID - 1 ? F0T_RISK_GRID - 1 : at > 0 ? (size_t)at : 0;
    while (g + 1 < F0T_RISK_GRID && confidence >= (float)f0t_risk_grid(g + 1))
        g++;
    while (confidence < (float)f0t_risk_grid(g))
        g--;
    return g;
}

/* Of one image: tags whose highest threshold this is. */
typedef struct risk_counter {
    uint32_t written[F0T_RISK_GRID];
    uint32_t right[F0T_RISK_GRID];
} risk_counter;

static f0t_status count_image(risk_counter *c, const float *confidence, const f0t_samples *truth,
                              size_t m)
{
    size_t next = truth->offsets[m];
    for (size_t g = 0; g < F0T_RISK_GRID; g++)
        c->written[g] = c->right[g] = 0;
    for (size_t t = 0; t < truth->tags; t++) {
        const bool right = next < truth->offsets[m + 1] && truth->relevant[next] == t;
        next += right;
        if (isnan(confidence[t]))
            return f0t_fail(F0T_ERROR_NUMERIC, "image %zu, tag %zu: the confidence is NaN", m, t);
        const size_t g = f0t_risk_place(confidence[t]);
        c->written[g]++;
        c->right[g] += right;
    }
    return F0T_OK;
}

/* Adds an image that has been counted; means are sums so far. */
static void add_image(f0t_risk_curve *to, const risk_counter *c, size_t relevant)
{
    double written = 0, right = 0;
    to->truths += relevant > 0;
    to->relevant += (double)relevant;
    for (size_t g = F0T_RISK_GRID; g-- > 0;) {
        written += c->written[g];
        right += c->right[g];
        to->written[g] += written;
        to->right[g] += right;
        to->tagged[g] += written > 0;
        to->wrong[g] += written > 0 ? 1 - right / written : 0;
        to->missed[g] += relevant ? 1 - right / (double)relevant : 0;
    }
}

static void make_means(f0t_risk_curve *to)
{
    for (size_t g = 0; g < F0T_RISK_GRID; g++) {
        to->wrong[g] /= to->tagged[g] > 0 ? to->tagged[g] : 1;
        to->missed[g] /= to->truths > 0 ? to->truths : 1;
    }
}

f0t_status f0t_risk_curve_fit(f0t_risk_curve *out, const float *confidence,
                              const f0t_samples *truth)
{
    risk_counter counter;
    *out = (f0t_risk_curve){.images = (double)truth->count};
    for (size_t m = 0; m < truth->count; m++) {
        F0T_TRY(count_image(&counter, confidence + m * truth->tags, truth, m));
        add_image(out, &counter, truth->offsets[m + 1] - truth->offsets[m]);
    }
    make_means(out);
    return F0T_OK;
}

/* A whole number that is not above `most`. */
static bool is_count(double value, double most)
{
    return value >= 0 && value <= most && floor(value) == value;
}

bool f0t_risk_curve_is_valid(const f0t_risk_curve *curve)
{
    const double most = 1e15; /* whole numbers are exact up to here */
    if (!is_count(curve->images, most) || !is_count(curve->truths, curve->images) ||
        !is_count(curve->relevant, most))
        return false;
    for (size_t g = 0; g < F0T_RISK_GRID; g++) {
        const double before = g ? curve->tagged[g - 1] : curve->images;
        if (!is_count(curve->tagged[g], before) || !is_count(curve->written[g], most) ||
            !is_count(curve->right[g], fmin(curve->written[g], curve->relevant)) ||
            !(curve->wrong[g] >= 0 && curve->wrong[g] <= 1) ||
            !(curve->missed[g] >= 0 && curve->missed[g] <= 1))
            return false;
    }
    return true;
}

double f0t_risk_pooled_precision(const f0t_risk_curve *curve, size_t g)
{
    return curve->written[g] > 0 ? curve->right[g] / curve->written[g] : (double)NAN;
}

double f0t_risk_pooled_recall(const f0t_risk_curve *curve, size_t g)
{
    return curve->relevant > 0 ? curve->right[g] / curve->relevant : (double)NAN;
}

/* ---- The p-value ---------------------------------------------------------------------------- */

/* a log(a / b), 0 at a = 0. */
static double weighted_log(double a, double b)
{
    return a > 0 ? a * log(a / b) : 0;
}

/* P(X <= k), X binomial of n trials with probability p; 0 <= k, 0 < p < 1. */
static double binomial_below(double k, double n, double p)
{
    if (k >= n)
        return 1;
    double term =
        exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p));
    double sum = 0;
    for (double j = k; j >= 0 && term > 1e-12 * sum; j--) {
        sum += term;
        term *= j / (n - j + 1) * (1 - p) / p;
    }
    return fmin(sum, 1);
}

double f0t_risk_p_value(double mean, double count, double bound)
{
    if (!(count > 0) || !(mean < bound))
        return 1;
    const double divergence = weighted_log(mean, bound) + weighted_log(1 - mean, 1 - bound);
    const double hoeffding = exp(-count * divergence);
    /* A mean of k / count that rounding put a little above it is not k + 1. */
    const double bentkus = exp(1) * binomial_below(ceil(count * mean - 1e-9), count, bound);
    return fmin(hoeffding, bentkus);
}

/* ---- The search for a threshold ------------------------------------------------------------- */

enum { NO_THRESHOLD = F0T_RISK_GRID };

/* What is asked for; `scale` times as many images as there are. */
typedef struct promise {
    const f0t_risk_curve *curve;
    double target, level, scale;
} promise;

/* The share of the error that testing begins with at threshold g. Tags whose confidence is at least the target
 * are right as often as asked for, if confidences are true: there most of it is spent. A start above is
 * for confidences that promise too much, one below for those that few images reach. */
static double start_share(double target, size_t g)
{
    const struct {
        double confidence, share;
    } starts[] = {{(1 + target) / 2, 0.25}, {target, 0.5}, {0.75 * target, 0.25}};
    const double here = f0t_risk_grid(g), below = g ? f0t_risk_grid(g - 1) : -1;
    double sum = 0;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        const double start = fmin(starts[i].confidence, f0t_risk_grid(F0T_RISK_GRID - 1));
        sum += below < start && start <= here ? starts[i].share : 0;
    }
    return sum;
}

/* The fallback procedure: a hypothesis that was rejected hands its share of the error on. */
static size_t find_precise(const promise *p)
{
    size_t found = NO_THRESHOLD;
    double budget = 0;
    for (size_t g = F0T_RISK_GRID; g-- > 0;) {
        budget += (1 - p->level) * start_share(p->target, g);
        if (budget == 0)
            continue;
        const double count = floor(p->scale * p->curve->tagged[g]);
        if (f0t_risk_p_value(p->curve->wrong[g], count, 1 - p->target) <= budget)
            found = g;
        else
            budget = 0;
    }
    return found;
}

/* One sequence from the bottom, where no tag is missed, to the first that does not pass. */
static size_t find_complete(const promise *p)
{
    const double count = floor(p->scale * p->curve->truths), bound = 1 - p->target;
    size_t g = 0;
    while (g < F0T_RISK_GRID && f0t_risk_p_value(p->curve->missed[g], count, bound) <= 1 - p->level)
        g++;
    return g ? g - 1 : NO_THRESHOLD;
}

/* ---- What is said when there is none --------------------------------------------------------- */

typedef size_t (*finder)(const promise *p);

/* The most, in hundredths, that can be promised; 0: nothing. */
static int best_target(promise p, finder find)
{
    for (int percent = (int)ceil(100 * p.target) - 1; percent > 0; percent--) {
        p.target = percent / 100.0;
        if (find(&p) != NO_THRESHOLD)
            return percent;
    }
    return 0;
}

/* About how many images like these would do; 0: none. */
static double images_needed(promise p, finder find)
{
    const double most = 1e7, images = fmax(p.curve->images, 1);
    for (; p.scale * images < most; p.scale *= 1.1)
        if (find(&p) != NO_THRESHOLD)
            return p.scale * images;
    return 0;
}

/* Two digits: it is an estimate. */
static double round_up(double value)
{
    const double unit = pow(10, fmax(floor(log10(value)) - 1, 0));
    return ceil(value / unit) * unit;
}

static f0t_status say_none(const char *what, const promise *p, finder find)
{
    char best[80] = "they promise nothing", needed[80] = "more images like these would not help";
    if (p->curve->images == 0)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "a %s of %g cannot be promised: no image was held out from the training",
                        what, p->target);
    const int percent = best_target(*p, find);
    const double count = images_needed(*p, find);
    if (percent > 0)
        snprintf(best, sizeof best, "%.2f is the most they promise", percent / 100.0);
    if (count > 0)
        snprintf(needed, sizeof needed, "it takes about %.0f", round_up(count));
    return f0t_fail(F0T_ERROR_UNSUPPORTED,
                    "a %s of %g cannot be promised from %.0f held-out image%s: %s, and %s", what,
                    p->target, p->curve->images, p->curve->images == 1 ? "" : "s", best, needed);
}

static f0t_status find_threshold(float *threshold, const char *what, const promise *p, finder find)
{
    if (!(p->target > 0 && p->target < 1))
        return f0t_fail(F0T_ERROR_ARGUMENT, "a %s of %g is not between 0 and 1", what, p->target);
    if (!(p->level > 0 && p->level < 1))
        return f0t_fail(F0T_ERROR_ARGUMENT, "a level of %g is not between 0 and 1", p->level);
    const size_t found = find(p);
    if (found == NO_THRESHOLD)
        return say_none(what, p, find);
    *threshold = (float)f0t_risk_grid(found);
    return F0T_OK;
}

f0t_status f0t_risk_threshold_precision(float *threshold, const f0t_risk_curve *curve,
                                        double target, double level)
{
    const promise p = {.curve = curve, .target = target, .level = level, .scale = 1};
    return find_threshold(threshold, "precision", &p, find_precise);
}

f0t_status f0t_risk_threshold_recall(float *threshold, const f0t_risk_curve *curve, double target,
                                     double level)
{
    const promise p = {.curve = curve, .target = target, .level = level, .scale = 1};
    return find_threshold(threshold, "recall", &p, find_complete);
}
