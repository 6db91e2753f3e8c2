/*
 * From the pixels of a picture to what a network takes: the shorter side brought to a size, the
 * middle cut out, each channel (value − mean) · scale. What it is comes from FILE.json beside
 * FILE.onnx, from a preset, or from the model file, where it is kept so that no other can be used by
 * mistake.
 */
#ifndef F0T_IMAGE_PREPROCESS_H
#define F0T_IMAGE_PREPROCESS_H

#include "image/worker.h"

#include <jansson.h>

typedef enum f0t_resample {
    F0T_RESAMPLE_AREA = 0,     /* the mean of what a new pixel covers */
    F0T_RESAMPLE_BILINEAR = 1, /* a triangle, widened when shrinking */
    F0T_RESAMPLE_BICUBIC = 2   /* Keys' cubic with a = -0.5, widened likewise */
} f0t_resample;

typedef struct f0t_preprocess {
    size_t side;          /* that the shorter side becomes; 0: both sides become the crop's */
    size_t width, height; /* of the middle that is cut out */
    f0t_resample resample;
    bool bgr;
    float mean[3], scale[3]; /* in the order of the channels */
} f0t_preprocess;

/* "imagenet" (torchvision's), "caffe-vgg", "mobilenet" (TensorFlow's), "clip". */
f0t_status f0t_preprocess_preset(f0t_preprocess *out, const char *name);

/* From and to JSON:
 * {"resize": {"shorter_side": 256, "kernel": "area"}, "crop": {"centre": 224}, "channels": "RGB",
 *  "mean": [128, 128, 128], "scale": [0.0078125, 0.0078125, 0.0078125]}
 * "crop" may be {"width": 224, "height": 192}; "input", "output", "classes" and "labels" are about the
 * network (request.h) and no concern of this; any other key is refused. `name` is for messages. */
f0t_status f0t_preprocess_parse(f0t_preprocess *out, const json_t *json, const char *name);
json_t *f0t_preprocess_describe(const f0t_preprocess *preprocess);

/* One direction of the way: `count` new pixels, the first at `first` of `whole`, from `from` old ones.
 * Each is a weighted sum of `taps` old ones. */
typedef struct f0t_preprocess_axis {
    size_t from, whole, first, count, taps;
    size_t *starts; /* [count] */
    float *weights; /* [count x taps] */
} f0t_preprocess_axis;

/* What the pictures of one size have in common, and scratch, for one thread. All zero but for
 * `preprocess` is a plan; it is made anew when a picture has another size than the one before. */
typedef struct f0t_preprocess_plan {
    const f0t_preprocess *preprocess;
    f0t_preprocess_axis x, y;
    float *row, *resized; /* of the old width, and of the new one */
} f0t_preprocess_plan;

void f0t_preprocess_plan_free(f0t_preprocess_plan *plan);

/* out[3 x height x width], or [height x width x 3] where `channels_last`. */
f0t_status f0t_preprocess_run(float *out, f0t_preprocess_plan *plan, const f0t_picture *picture,
                              bool channels_last);

#endif
