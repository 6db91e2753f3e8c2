#include "baseline/combinations.h"

#include "base/alloc.h"
#include "math/elementwise.h"

#include <math.h>
#include <string.h>

static size_t lowest_tag(size_t combination)
{
    size_t tag = 0;
    while (!(combination >> tag & 1))
        tag++;
    return tag;
}

f0t_status f0t_combinations_create(float **to, const float *vectors, size_t tags, size_t dim)
{
    *to = NULL;
    if (tags > F0T_COMBINED_TAGS)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%zu tags have 2^%zu combinations, each with a prototype; at most %d tags "
                        "are feasible",
                        tags, tags, F0T_COMBINED_TAGS);
    const size_t count = (size_t)1 << tags;
    F0T_TRY(f0t_alloc_zero(to, (count - 1) * dim, sizeof **to));
    for (size_t c = 1; c < count; c++) {
        const size_t rest = c & (c - 1);
        float *row = *to + (c - 1) * dim;
        if (rest)
            memcpy(row, *to + (rest - 1) * dim, dim * sizeof *row);
        for (size_t k = 0; k < dim; k++)
            row[k] += vectors[lowest_tag(c) * dim + k];
    }
    f0t_rows_normalise(*to, count - 1, dim);
    return F0T_OK;
}

void f0t_combinations_marginals(float *to, float *similarity, size_t tags, double temperature)
{
    const size_t count = ((size_t)1 << tags) - 1;
    double sums[F0T_COMBINED_TAGS] = {0}, total = 0;
    float most = -INFINITY;
    for (size_t c = 0; c < count; c++)
        most = fmaxf(most, similarity[c]);
    for (size_t c = 0; c < count; c++)
        similarity[c] = (float)((double)(similarity[c] - most) / temperature);
    f0t_exp(similarity, similarity, count);
    for (size_t c = 0; c < count; c++) {
        total += (double)similarity[c];
        for (size_t t = 0; t < tags; t++)
            sums[t] += (c + 1) >> t & 1 ? (double)similarity[c] : 0;
    }
    for (size_t t = 0; t < tags; t++)
        to[t] = (float)(sums[t] / total);
}
