/* Images around a few centres, whose tags go with the centres: what the experts' tests learn from. */
#ifndef F0T_TESTS_EXPERT_MADE_H
#define F0T_TESTS_EXPERT_MADE_H

#include "support.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct made {
    size_t count, features, tags;
    float *rows; /* [count x features] of length 1 */
    size_t *offsets;
    uint32_t *relevant;
} made;

static inline made made_create(size_t count, size_t features, size_t tags, uint64_t seed)
{
    const f0t_random random = {seed, 0}, other = {seed, 1};
    made m = {count, features, tags, NULL, NULL, NULL};
    assert_ok(f0t_alloc(&m.rows, count * features, sizeof *m.rows));
    assert_ok(f0t_alloc(&m.offsets, count + 1, sizeof *m.offsets));
    assert_ok(f0t_alloc(&m.relevant, count * tags, sizeof *m.relevant));
    m.offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        double norm = 0, x;
        size_t end = m.offsets[i];
        for (size_t j = 0; j < features; j++) {
            x = (j % 7 == i % 7) + 0.4 * f0t_random_normal(&random, i * features + j);
            m.rows[i * features + j] = (float)x;
            norm += x * x;
        }
        for (size_t j = 0; j < features; j++)
            m.rows[i * features + j] /= (float)sqrt(norm);
        for (size_t t = 0; t < tags; t++)
            if (f0t_random_normal(&other, i * tags + t) > (t % 7 == i % 7 ? 0 : 1.5))
                m.relevant[end++] = (uint32_t)t;
        m.offsets[i + 1] = end;
    }
    return m;
}

static inline bool made_has(const made *m, size_t image, size_t tag)
{
    for (size_t at = m->offsets[image]; at < m->offsets[image + 1]; at++)
        if (m->relevant[at] == tag)
            return true;
    return false;
}

static inline void made_free(made *m)
{
    f0t_free(m->rows);
    f0t_free(m->offsets);
    f0t_free(m->relevant);
}

#endif
