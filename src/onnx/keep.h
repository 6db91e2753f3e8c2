/* Where the prepared weights of a network are kept, and what tells them from all others. */
#ifndef F0T_ONNX_KEEP_H
#define F0T_ONNX_KEEP_H

#include "onnx/picture.h"
#include "onnx/prepared.h"

/* All zero: nothing is kept. */
typedef struct f0t_onnx_keep {
    char *path, *key;
} f0t_onnx_keep;

/* What the weights depend on besides the network's files. */
typedef struct f0t_onnx_keep_options {
    size_t output; /* value */
    bool bf16;
} f0t_onnx_keep_options;

/* In this folder, which is made where it is missing. Stays zero where the network's files cannot be told from later
 * ones: they are gone, or were written a moment ago. Fails for want of memory alone. */
f0t_status f0t_onnx_keep_fill(f0t_onnx_keep *out, const char *folder, const f0t_onnx_graph *graph,
                              const f0t_onnx_picture *picture,
                              const f0t_onnx_keep_options *options);
void f0t_onnx_keep_clear(f0t_onnx_keep *keep);

#endif
