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
    f0t_preprocess_plan plan;
    struct f0t_image_workspace *next; /* that is idle */
} f0t_image_workspace;

struct f0t_backbone {
    f0t_network *network; /* NULL: the built-in descriptor */
    f0t_preprocess preprocess;
    size_t pixels, seconds; /* of a picture at most; 0: as workers have it */
    char *description;
    f0t_feature_cache *cache; /* or NULL */
    pthread_mutex_t lock;     /* of */
    f0t_image_workspace *idle;
};

/* This one and all after it. */
void f0t_image_workspaces_free(f0t_image_workspace *first);

/* f0t_backbone_run of pictures in files or in memory. The cache knows files alone. */
f0t_status f0t_backbone_run_sources(float *out, bool *good, f0t_backbone *backbone,
                                    const f0t_picture_source *pictures, size_t count,
                                    const f0t_monitor *monitor);

/* The pixels of pictures as the network takes them, one after the other: pixels[count x 3 x height x width]. Those that
 * cannot be read are logged and left out; *read says how many there are. */
f0t_status f0t_backbone_read(float *pixels, size_t *read, f0t_backbone *backbone,
                             const f0t_picture_source *pictures, size_t count,
                             const f0t_monitor *monitor);

#endif
