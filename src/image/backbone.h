/*
 * What turns pictures into features: the built-in descriptor, or a network. One backbone serves many
 * threads, each with a workspace of its own.
 */
#ifndef F0T_IMAGE_BACKBONE_H
#define F0T_IMAGE_BACKBONE_H

#include "image/cache.h"
#include "image/descriptor.h"
#include "image/preprocess.h"

#include <pthread.h>

/* The workspace of one thread: a worker that decodes, and scratch. */
typedef struct f0t_image_workspace {
    f0t_backbone *backbone;
    f0t_worker *worker;
    f0t_descriptor *descriptor;
    float *pixels; /* [batch x a picture's] of a network */
    f0t_preprocess_plan plan;
    struct f0t_image_workspace *next; /* that is idle */
} f0t_image_workspace;

struct f0t_backbone {
    f0t_network *network; /* NULL: the built-in descriptor */
    f0t_preprocess preprocess;
    char *description;
    f0t_feature_cache *cache; /* or NULL */
    pthread_mutex_t lock;     /* of the cache, and of */
    f0t_image_workspace *idle;
};

/* An idle workspace, or a new one; and back. The backbone keeps it: the next run finds its process
 * running. */
f0t_status f0t_image_workspace_acquire(f0t_image_workspace **out, f0t_backbone *backbone);
void f0t_image_workspace_release(f0t_image_workspace *workspace);
void f0t_image_workspace_free(f0t_image_workspace *workspace);

/* How many pictures are taken at a time at the most. */
size_t f0t_backbone_batch(const f0t_backbone *backbone);

/* Takes the picture at `path` as number i of a batch, while the one at `next` (or NULL) is decoded. Of
 * the descriptor its features go to out[i x dim] at once, of a network f0t_image_workspace_run gives those of
 * all `count`. */
f0t_status f0t_image_workspace_add(f0t_image_workspace *workspace, float *out, size_t i,
                                   const char *path, const char *next);
f0t_status f0t_image_workspace_run(f0t_image_workspace *workspace, float *out, size_t count,
                                   const f0t_monitor *monitor);

#endif
