/* Prepared products, kept for the next call of the same shape. */
#ifndef F0T_MATH_PLAN_CACHE_H
#define F0T_MATH_PLAN_CACHE_H

#include "math/onednn.h"

/* A plan and what it was made for. */
typedef struct f0t_cached_plan {
    f0t_matmul op;
    bool bias;
    int threads;
    f0t_plan *plan;
    struct f0t_cached_plan *next;
} f0t_cached_plan;

/* Most plans that are kept while nobody uses them; the longest unused go first. */
enum { F0T_PLANS_KEPT = 64 };

/* Takes a plan out of the cache, or makes one: it is the caller's alone until given back. */
f0t_status f0t_plan_take(f0t_cached_plan **out, const f0t_matmul *op, bool bias,
                         const f0t_packed *packed);
void f0t_plan_give(f0t_cached_plan *cached);

/* How many are kept now; and frees them. */
size_t f0t_plans_count(void);
void f0t_plans_clear(void);

#endif
