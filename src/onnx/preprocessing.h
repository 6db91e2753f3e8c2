/*
 * What is done to a picture before a network sees it, as data: named presets, and a small JSON file
 * beside the network. docs/onnx.md describes both.
 *
 *   {"resize": {"shorter_side": 256, "kernel": "area"}, "crop": {"centre": 224},
 *    "channels": "RGB", "mean": [128, 128, 128], "scale": [0.0078125, 0.0078125, 0.0078125]}
 */
#ifndef F0T_ONNX_PREPROCESSING_H
#define F0T_ONNX_PREPROCESSING_H

#include "io/json.h"

typedef enum f0t_resize_kernel {
    F0T_RESIZE_NEAREST,
    F0T_RESIZE_LINEAR,
    F0T_RESIZE_CUBIC,
    F0T_RESIZE_LANCZOS,
    F0T_RESIZE_AREA
} f0t_resize_kernel;

/* Steps in this order: resize, crop, (pixel - mean)·scale with pixels of 0 … 255. */
typedef struct f0t_preprocessing {
    size_t shorter_side;  /* resized so that this is the shorter side; 0: see width and height */
    size_t width, height; /* resized to exactly this; both 0: not resized */
    f0t_resize_kernel kernel;
    size_t crop;                  /* side of the square in the centre; 0: not cropped */
    bool bgr;                     /* blue comes first */
    float mean[3], scale[3];      /* in the order of the channels */
    char input[128], output[128]; /* names in the network; empty: its own */
} f0t_preprocessing;

/* "imagenet", "caffe-vgg", "mobilenet" or "clip"; fails with F0T_ERROR_NOT_FOUND and the list. */
f0t_status f0t_preprocessing_find(f0t_preprocessing *out, const char *preset);
/* The names, ending with NULL. */
const char *const *f0t_preprocessing_presets(void);

/* From an object, a text or a file; `name` is for messages. Unknown keys are refused: a step that is
 * overlooked gives wrong features and no error. {"preset": "clip"} takes a preset, and other keys
 * change it. */
f0t_status f0t_preprocessing_read(f0t_preprocessing *out, const json_t *object, const char *name);
f0t_status f0t_preprocessing_parse(f0t_preprocessing *out, const void *text, size_t size,
                                   const char *name);
f0t_status f0t_preprocessing_load(f0t_preprocessing *out, const char *path);

/* The same as an object that f0t_preprocessing_read takes, to be stored in a model. */
f0t_status f0t_preprocessing_write(json_t **out, const f0t_preprocessing *preprocessing);
bool f0t_preprocessing_equal(const f0t_preprocessing *x, const f0t_preprocessing *y);

#endif
