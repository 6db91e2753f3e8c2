#include "rank/ranksvm_pairs.h"

#include "base/alloc.h"
#include "rank/ranksvm_sorted.h"

#include <string.h>

struct f0t_svm_pairs {
    const f0t_kernel_table *kernels;
    float *irrelevant; /* [tags] scores, those of relevant tags far below any margin */
    float *relevant;   /* [tags] */
    float *x, *y;      /* [tags] of relevant tags */
    f0t_svm_sorted *sorted;
};

/* From here on a sort of all tags costs less than a pass over them for each relevant tag. */
enum { WIDE = 768 };

/* A score that puts every pair of its tag out of the zone and out of the loss. */
static const float far_below = -1e30F;

bool f0t_svm_rule_is_wide(const f0t_svm_rule *rule)
{
    return rule->count > WIDE && rule->tags - rule->count > WIDE / 8;
}

f0t_status f0t_svm_pairs_create(f0t_svm_pairs **out, size_t tags, bool wide)
{
    f0t_svm_pairs *pairs = NULL;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&pairs, 1, sizeof *pairs));
    pairs->kernels = f0t_kernels();
    f0t_status status = f0t_alloc(&pairs->irrelevant, tags, sizeof(float));
    if (status == F0T_OK)
        status = f0t_alloc(&pairs->relevant, tags, sizeof(float));
    if (status == F0T_OK)
        status = f0t_alloc(&pairs->x, tags, sizeof(float));
    if (status == F0T_OK)
        status = f0t_alloc(&pairs->y, tags, sizeof(float));
    if (status == F0T_OK && wide)
        status = f0t_svm_sorted_create(&pairs->sorted, tags);
    if (status == F0T_OK)
        *out = pairs;
    else
        f0t_svm_pairs_free(pairs);
    return status;
}

void f0t_svm_pairs_free(f0t_svm_pairs *pairs)
{
    if (!pairs)
        return;
    f0t_free(pairs->irrelevant);
    f0t_free(pairs->relevant);
    f0t_free(pairs->x);
    f0t_free(pairs->y);
    f0t_svm_sorted_free(pairs->sorted);
    f0t_free(pairs);
}

static void part(f0t_svm_pairs *pairs, const float *scores, const f0t_svm_rule *rule)
{
    memcpy(pairs->irrelevant, scores, rule->tags * sizeof(float));
    for (size_t i = 0; i < rule->count; i++) {
        pairs->relevant[i] = scores[rule->relevant[i]];
        pairs->irrelevant[rule->relevant[i]] = far_below;
    }
}

void f0t_svm_pairs_gradient(f0t_svm_pairs *pairs, f0t_svm_sums *sums, float *weights,
                            const float *scores, const f0t_svm_rule *rule, f0t_svm_loss loss)
{
    if (pairs->sorted && f0t_svm_rule_is_wide(rule)) {
        f0t_svm_sorted_gradient(pairs->sorted, sums, weights, scores, rule, loss);
        return;
    }
    part(pairs, scores, rule);
    pairs->kernels->svm_pairs_f32(sums, pairs->y, weights, pairs->relevant, rule->count,
                                  pairs->irrelevant, rule->tags, loss);
    for (size_t t = 0; t < rule->tags; t++)
        weights[t] = -weights[t];
    for (size_t i = 0; i < rule->count; i++)
        weights[rule->relevant[i]] = pairs->y[i];
}

double f0t_svm_pairs_hessian(f0t_svm_pairs *pairs, float *weights, const float *x,
                             const float *scores, const f0t_svm_rule *rule, f0t_svm_loss loss)
{
    if (pairs->sorted && f0t_svm_rule_is_wide(rule)) {
        f0t_svm_sorted_hessian(pairs->sorted, weights, x, scores, rule, loss);
    } else {
        const f0t_svm_zone zone = {pairs->relevant, pairs->irrelevant, rule->count, rule->tags,
                                   loss};
        part(pairs, scores, rule);
        for (size_t i = 0; i < rule->count; i++)
            pairs->x[i] = x[rule->relevant[i]];
        pairs->kernels->svm_zone_product(pairs->y, weights, pairs->x, x, &zone);
        for (size_t i = 0; i < rule->count; i++)
            weights[rule->relevant[i]] = pairs->y[i];
        for (size_t t = 0; t < rule->tags; t++)
            weights[t] *= (float)loss.k;
    }
    return pairs->kernels->svm_dot(x, weights, rule->tags);
}
