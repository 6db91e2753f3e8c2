/* oneDNN inside src/math/: what onednn.c (products) gives matmul.c, and what it shares with the files of layers. No
 * other file includes oneDNN's header, and no other part includes this one. */
#ifndef F0T_MATH_ONEDNN_H
#define F0T_MATH_ONEDNN_H

#include "math/matmul.h"

#include <dnnl.h>

#if DNNL_VERSION_MAJOR != 2
#error "written for oneDNN 2; the first comment of onednn.c says what to change for 3"
#endif

/* ---- Engine, errors, layouts ------------------------------------------------------------------ */

/* The CPU engine, started once. */
f0t_status f0t_onednn_engine(dnnl_engine_t *out);

/* F0T_OK, or a failure to do `what`. */
f0t_status f0t_onednn_status(dnnl_status_t status, const char *what);

/* Rewrites memory in another layout. */
f0t_status f0t_onednn_reorder(const dnnl_memory_desc_t *to_layout, void *to,
                              const dnnl_memory_desc_t *from_layout, void *from);

#define DNN_TRY(call, what) F0T_TRY(f0t_onednn_status((call), (what)))

static inline dnnl_data_type_t f0t_onednn_data_type(f0t_dtype type)
{
    return type == F0T_BF16 ? dnnl_bf16
           : type == F0T_U8 ? dnnl_u8
           : type == F0T_I8 ? dnnl_s8
                            : dnnl_f32;
}

/* oneDNN takes inputs as memory that it could write. */
static inline void *f0t_onednn_writable(const void *memory)
{
    union {
        const void *in;
        void *out;
    } cast = {memory};
    return cast.out;
}

/* ---- Prepared products ------------------------------------------------------------------------ */

/* One prepared product: the compiled primitive and its arguments. Used by one thread at a time. */
typedef struct f0t_plan f0t_plan;

/* For sizes above 0, bfloat16 only where f0t_matmul_has_bf16. `packed` is the layout of B, or NULL for
 * a plain B; it is copied. Prepared for the number of threads that OpenMP gives the caller now. */
f0t_status f0t_plan_create(f0t_plan **out, const f0t_matmul *op, bool bias,
                           const f0t_packed *packed);
void f0t_plan_free(f0t_plan *plan);

/* True when the plan was made for a B that lies as `packed` does (NULL: plain). */
bool f0t_plan_fits(const f0t_plan *plan, const f0t_packed *packed);

/* Bytes of scratch that a run needs, and the run itself. */
size_t f0t_plan_scratch(const f0t_plan *plan);
f0t_status f0t_plan_run(void *c, f0t_plan *plan, const void *a, const void *b, const float *bias,
                        void *scratch);

/* The elements of a packed matrix, and the type they have in memory (F32 instead of BF16 where
 * that does not pay). */
const void *f0t_packed_data(const f0t_packed *packed);
f0t_dtype f0t_packed_type(const f0t_packed *packed);
/* The elements where they are tiles (math/tiles.h), else NULL. */
const uint16_t *f0t_packed_tiles(const f0t_packed *packed);
/* The same of panels (math/panels.h). */
const float *f0t_packed_panels(const f0t_packed *packed);
/* A number that only equal layouts have in common. (layout.c) */
uint64_t f0t_onednn_fingerprint(const dnnl_memory_desc_t *layout);
bool f0t_packed_matches(const f0t_packed *packed, const f0t_matmul *op);

#endif
