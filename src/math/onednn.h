/* Products prepared by oneDNN. Inside src/math/ only: others use matmul.h. */
#ifndef F0T_MATH_ONEDNN_H
#define F0T_MATH_ONEDNN_H

#include "math/matmul.h"

/* One prepared product: the compiled primitive and its arguments. Used by one thread at a time. */
typedef struct f0t_plan f0t_plan;

/* For sizes above 0 and types that f0t_onednn_type gives. `packed` is the layout of B, or NULL for
 * a plain B; it is copied. Prepared for the number of threads that OpenMP gives the caller now. */
f0t_status f0t_plan_create(f0t_plan **out, const f0t_matmul *op, bool bias,
                           const f0t_packed *packed);
void f0t_plan_free(f0t_plan *plan);

/* True when the plan was made for a B that lies as `packed` does (NULL: plain). */
bool f0t_plan_fits(const f0t_plan *plan, const f0t_packed *packed);

/* Bytes of scratch that a run needs, and the run itself. */
size_t f0t_plan_scratch(const f0t_plan *plan);
f0t_status f0t_plan_run(f0t_plan *plan, void *c, const void *a, const void *b, const float *bias,
                        void *scratch);

/* The elements of a packed matrix, and the type they have in memory (F32 instead of BF16 where
 * that is not native). */
const void *f0t_packed_data(const f0t_packed *packed);
f0t_dtype f0t_onednn_type(f0t_dtype type);
bool f0t_packed_matches(const f0t_packed *packed, const f0t_matmul *op);

#endif
