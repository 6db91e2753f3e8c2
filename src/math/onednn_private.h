/* What the files that touch oneDNN share: onednn.c (products) and onednn_lay*.c (layers). No other file
 * includes its header; onednn.c says how version 3 differs. */
#ifndef F0T_MATH_ONEDNN_PRIVATE_H
#define F0T_MATH_ONEDNN_PRIVATE_H

#include "base/dtype.h"
#include "base/status.h"

#include <dnnl.h>

#if DNNL_VERSION_MAJOR != 2
#error "written for oneDNN 2; the first comment of onednn.c says what to change for 3"
#endif

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
    return type == F0T_BF16 ? dnnl_bf16 : dnnl_f32;
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

#endif
