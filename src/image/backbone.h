/*
 * What turns pictures into features: the built-in descriptor, or a network. One backbone serves many
 * threads, each with a bench of its own.
 */
#ifndef F0T_IMAGE_BACKBONE_H
#define F0T_IMAGE_BACKBONE_H

#include "image/descriptor.h"
#include "image/preprocess.h"

struct f0t_backbone {
    f0t_network *network; /* NULL: the built-in descriptor */
    f0t_preprocess preprocess;
    char *description;
};

/* The scratch of one thread. */
typedef struct f0t_bench {
    f0t_backbone *backbone;
    f0t_descriptor *descriptor;
    float *pixels; /* [batch x a picture's] of a network */
} f0t_bench;

f0t_status f0t_bench_create(f0t_bench *bench, f0t_backbone *backbone);
void f0t_bench_free(f0t_bench *bench);

/* The shorter side that pictures are decoded at, and how many are given at a time at the most. */
size_t f0t_backbone_side(const f0t_backbone *backbone);
size_t f0t_backbone_batch(const f0t_backbone *backbone);

/* Takes a picture as number i of a batch. Of the descriptor its features go to out[i x dim] at once,
 * of a network f0t_bench_finish gives those of all `count`. */
f0t_status f0t_bench_take(f0t_bench *bench, float *out, const f0t_picture *picture, size_t i);
f0t_status f0t_bench_finish(f0t_bench *bench, float *out, size_t count);

#endif
