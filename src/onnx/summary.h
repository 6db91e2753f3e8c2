/* What a network is, in numbers. */
#ifndef F0T_ONNX_SUMMARY_H
#define F0T_ONNX_SUMMARY_H

#include "onnx/graph.h"

typedef struct f0t_onnx_summary {
    uint64_t parameters; /* float numbers among the constants */
    bool runs;           /* the features of one picture can be computed */
    char reason[512];    /* why not */
    double arithmetic; /* floating-point operations for one picture: of convolutions and products */
    size_t features;   /* the value, and how many numbers it has */
    size_t dim;
    const char *picture; /* "1x3x224x224", what was assumed of the input */
    char picture_text[96];
    f0t_names operators; /* names */
    size_t *counts;      /* of each */
    bool *supported;
} f0t_onnx_summary;

/* A network that cannot run is described all the same. */
f0t_status f0t_onnx_summary_create(f0t_onnx_summary *out, const f0t_onnx_graph *graph,
                                   const f0t_monitor *monitor);
void f0t_onnx_summary_clear(f0t_onnx_summary *summary);

#endif
