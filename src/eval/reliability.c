#include "eval/reliability.h"

#include "base/alloc.h"
#include "math/topk.h"

#include <math.h>

/* Sets along the thresholds of the grid; counts are of tags whose highest threshold it is. */
typedef struct set_counts {
    double images, relevant;
    double written[F0T_RISK_GRID], right[F0T_RISK_GRID];
} set_counts;

struct f0t_eval_reliability {
    size_t threshold; /* of the grid; F0T_RISK_GRID: nothing to choose it by */
    f0t_reliability parts[F0T_RELIABILITY_PARTS];
    set_counts sets;
};

double f0t_curve_threshold(size_t i)
{
    return f0t_risk_grid(i * (F0T_RISK_GRID / F0T_CURVE_POINTS));
}

/* ---- Sets ----------------------------------------------------------------------------------- */

static void add_tag(set_counts *to, double logit, double right)
{
    const size_t g = f0t_risk_place((float)f0t_confidence_of_logit(logit));
    to->written[g]++;
    to->right[g] += right;
    to->relevant += right;
}

/* P = Σ right / Σ written, R = Σ right / Σ relevant. */
static f0t_prf prf_at(double *tags_per_image, const set_counts *sets, size_t threshold)
{
    double written = 0, right = 0;
    for (size_t g = threshold; g < F0T_RISK_GRID; g++) {
        written += sets->written[g];
        right += sets->right[g];
    }
    *tags_per_image = sets->images > 0 ? written / sets->images : (double)NAN;
    return (f0t_prf){.p = written > 0 ? right / written : (double)NAN,
                     .r = sets->relevant > 0 ? right / sets->relevant : (double)NAN,
                     .f =
                         sets->relevant > 0 ? 2 * right / (written + sets->relevant) : (double)NAN};
}

static size_t best_threshold(const set_counts *sets)
{
    double best = 0, tags;
    size_t found = F0T_RISK_GRID;
    for (size_t g = F0T_RISK_GRID; g-- > 0;) {
        const double f = prf_at(&tags, sets, g).f;
        if (f > best) {
            best = f;
            found = g;
        }
    }
    return found;
}

/* ---- Choosing the threshold ----------------------------------------------------------------- */

typedef struct chooser {
    set_counts sets;
    bool learned; /* every tag: then annotations may be looked at */
} chooser;

static f0t_status add_choice(void *user, size_t first, const f0t_ranking *block)
{
    chooser *c = user;
    (void)first;
    c->sets.images += (double)block->images;
    for (size_t m = 0; m < block->images; m++) {
        size_t next = block->offsets[m];
        for (size_t t = 0; t < block->tags; t++) {
            const double logit = (double)block->scores[m * block->tags + t];
            const bool right = next < block->offsets[m + 1] && block->relevant[next] == t;
            next += right;
            add_tag(&c->sets, logit, c->learned ? right : f0t_confidence_of_logit(logit));
        }
    }
    return F0T_OK;
}

/* The candidates of the test, for the validation images. */
static f0t_status create_validation(f0t_eval_split *out, const f0t_eval_split *test)
{
    bool *mask;
    F0T_TRY(f0t_alloc_zero(&mask, test->task->tags->count, sizeof *mask));
    for (size_t t = 0; t < test->count; t++)
        mask[test->tags[t]] = true;
    f0t_status status = f0t_eval_split_create(out, test->task, F0T_VAL, mask);
    f0t_free(mask);
    return status;
}

static f0t_status choose(size_t *threshold, const f0t_eval_split *test, const f0t_eval_fit *fit)
{
    chooser c = {.learned = true};
    f0t_eval_split validation;
    for (size_t t = 0; t < test->count; t++)
        c.learned = c.learned && test->known[t] != F0T_NO_SAMPLE_TAG;
    F0T_TRY(create_validation(&validation, test));
    f0t_status status = f0t_eval_split_score(NULL, &validation, fit, add_choice, &c);
    f0t_eval_split_free(&validation);
    *threshold = best_threshold(&c.sets);
    return status;
}

f0t_status f0t_eval_reliability_create(f0t_eval_reliability **out, const f0t_eval_split *test,
                                       const f0t_eval_fit *fit)
{
    *out = NULL;
    f0t_eval_reliability *r;
    F0T_TRY(f0t_alloc_zero(&r, 1, sizeof *r));
    f0t_status status = choose(&r->threshold, test, fit);
    if (status == F0T_OK)
        *out = r;
    else
        f0t_free(r);
    return status;
}

void f0t_eval_reliability_free(f0t_eval_reliability *reliability)
{
    f0t_free(reliability);
}

/* ---- Testing -------------------------------------------------------------------------------- */

static bool is_relevant(const f0t_ranking *block, size_t m, uint32_t tag)
{
    for (size_t i = block->offsets[m]; i < block->offsets[m + 1]; i++)
        if (block->relevant[i] == tag)
            return true;
    return false;
}

static void add_first(f0t_reliability *to, const f0t_ranking *block, size_t m)
{
    uint32_t first[F0T_FIRST_TAGS];
    const float *scores = block->scores + m * block->tags;
    const size_t found = f0t_topk_row(first, NULL, scores, block->tags, F0T_FIRST_TAGS);
    for (size_t k = 0; k < found; k++)
        f0t_reliability_add(to, (double)scores[first[k]], is_relevant(block, m, first[k]));
}

f0t_status f0t_eval_reliability_add(f0t_eval_reliability *r, const f0t_ranking *block)
{
    for (size_t m = 0; m < block->images; m++) {
        size_t next = block->offsets[m];
        for (size_t t = 0; t < block->tags; t++) {
            const double logit = (double)block->scores[m * block->tags + t];
            const bool right = next < block->offsets[m + 1] && block->relevant[next] == t;
            next += right;
            if (isnan(logit))
                return f0t_fail(F0T_ERROR_NUMERIC, "a score is NaN");
            f0t_reliability_add(&r->parts[F0T_ALL_PAIRS], logit, right);
            add_tag(&r->sets, logit, right);
        }
        add_first(&r->parts[F0T_FIRST_PAIRS], block, m);
    }
    r->sets.images += (double)block->images;
    return F0T_OK;
}

void f0t_eval_reliability_get(f0t_confidence_values *values, f0t_reliability_curves *curves,
                              const f0t_eval_reliability *r)
{
    double tags;
    *values = (f0t_confidence_values){
        .ece = f0t_reliability_error(&r->parts[F0T_ALL_PAIRS]),
        .ece_first = f0t_reliability_error(&r->parts[F0T_FIRST_PAIRS]),
        .brier = f0t_reliability_brier(&r->parts[F0T_ALL_PAIRS]),
        .threshold = (double)NAN,
        .tags = (double)NAN,
        .sets = {(double)NAN, (double)NAN, (double)NAN},
    };
    if (r->threshold < F0T_RISK_GRID) {
        values->threshold = f0t_risk_grid(r->threshold);
        values->sets = prf_at(&values->tags, &r->sets, r->threshold);
    }
    for (int part = 0; part < F0T_RELIABILITY_PARTS; part++)
        curves->bin_counts[part] = f0t_reliability_bins(curves->bins[part], &r->parts[part]);
    for (size_t i = 0; i < F0T_CURVE_POINTS; i++)
        curves->sets[i] = prf_at(&tags, &r->sets, i * (F0T_RISK_GRID / F0T_CURVE_POINTS));
}
