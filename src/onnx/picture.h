/* A graph as a network of pictures: the one input that leads to what is wanted, and its shape. */
#ifndef F0T_ONNX_PICTURE_H
#define F0T_ONNX_PICTURE_H

#include "onnx/graph.h"

typedef struct f0t_onnx_picture {
    size_t input; /* its number */
    f0t_network_input shape;
    size_t batch;               /* pictures at a time that the file asks for; 0: any */
    size_t dims[F0T_ONNX_RANK]; /* for one picture, or `batch` */
    size_t rank;
} f0t_onnx_picture;

/* `output` is the value that is wanted; height and width (0: 224) count where the file leaves them open. */
f0t_status f0t_onnx_picture_find(f0t_onnx_picture *out, const f0t_onnx_graph *graph, size_t output,
                                 size_t height, size_t width);

/* The shapes of all inputs of the graph for so many pictures; the caller frees the array. */
f0t_status f0t_onnx_picture_inputs(f0t_onnx_array **out, const f0t_onnx_picture *picture,
                                   const f0t_onnx_graph *graph, size_t images);

#endif
