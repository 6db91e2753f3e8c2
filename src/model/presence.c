#include "model/presence.h"

#include "base/alloc.h"
#include "compute/scoring.h"
#include "model/blend.h"

#include <math.h>
#include <string.h>

enum {
    NEAREST = 3,
    TAGS_MOST = 512, /* whose nearness is measured, evenly spaced; to all tags */
    BLOCK = 64
};

/* Of one standard deviation of nearness, up to one above the mean: beyond, words are synonyms and hyponyms of learned
 * tags, which are as often absent as words in the middle. */
static const double LOGIT_OF_DEVIATION = 1, DEVIATIONS_MOST = 1;

/* Mean of the highest cosines but the one at `self`; tags without a vector have 0, and so has what is missing. */
static double mean_of_nearest(const float *cosine, size_t count, size_t self)
{
    double first[NEAREST] = {0};
    for (size_t i = 0; i < count; i++) {
        double c = i == self ? 0 : (double)cosine[i];
        for (size_t k = 0; k < NEAREST; k++)
            if (c > first[k]) {
                const double passed = first[k];
                first[k] = c;
                c = passed;
            }
    }
    return (first[0] + first[1] + first[2]) / NEAREST;
}

/* Adds up the nearness of tags[rows] and its square. */
static f0t_status add_nearness(double sums[2], const float *vectors, size_t count, size_t dim,
                               const size_t *tags, size_t rows)
{
    float *asked, *cosine;
    F0T_TRY(f0t_alloc(&asked, rows * (dim + count), sizeof *asked));
    cosine = asked + rows * dim;
    for (size_t r = 0; r < rows; r++)
        memcpy(asked + r * dim, vectors + tags[r] * dim, dim * sizeof *asked);
    f0t_status status = f0t_score_once(cosine, asked, rows, vectors, count, dim, false);
    for (size_t r = 0; r < rows && status == F0T_OK; r++) {
        const double nearness = mean_of_nearest(cosine + r * count, count, tags[r]);
        sums[0] += nearness;
        sums[1] += nearness * nearness;
    }
    f0t_free(asked);
    return status;
}

f0t_status f0t_presence_fit(f0t_presence *out, const float *vectors, size_t count, size_t dim)
{
    size_t tags[BLOCK], known = 0, rows = 0;
    const size_t step = count / TAGS_MOST + 1;
    double sums[2] = {0};
    *out = (f0t_presence){0};
    for (size_t i = 0; i < count; i += step) {
        if (f0t_has_vector(vectors + i * dim, dim))
            tags[rows++] = i;
        if (rows < BLOCK && i + step < count)
            continue;
        if (rows)
            F0T_TRY(add_nearness(sums, vectors, count, dim, tags, rows));
        known += rows;
        rows = 0;
    }
    if (known <= NEAREST)
        return F0T_OK;
    out->mean = sums[0] / (double)known;
    out->deviation = sqrt(fmax(0, sums[1] / (double)known - out->mean * out->mean));
    return F0T_OK;
}

f0t_status f0t_presence_logit(double *out, const f0t_presence *presence, const float *vectors,
                              size_t count, size_t dim, const float *vector)
{
    float *cosine;
    *out = 0;
    if (!(presence->deviation > 1e-6))
        return F0T_OK;
    F0T_TRY(f0t_alloc(&cosine, count, sizeof *cosine));
    f0t_status status = f0t_score_once(cosine, vector, 1, vectors, count, dim, false);
    if (status == F0T_OK) {
        const double nearness = mean_of_nearest(cosine, count, F0T_NONE);
        *out = LOGIT_OF_DEVIATION *
               fmin((nearness - presence->mean) / presence->deviation, DEVIATIONS_MOST);
    }
    f0t_free(cosine);
    return status;
}
