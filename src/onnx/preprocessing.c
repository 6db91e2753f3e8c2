#include "onnx/preprocessing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FILE_MOST = 1 << 16, SIZE_MOST = 1 << 14 };

static const char *const kernels[] = {"nearest", "linear", "cubic", "lanczos", "area"};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* ---- Presets --------------------------------------------------------------------------------------
 */

static const char *const names[] = {"imagenet", "caffe-vgg", "mobilenet", "clip", NULL};

/* imagenet: torchvision's models; caffe-vgg: the release of Simonyan and Zisserman, which subtracts the
 * mean of blue, green and red; mobilenet: TensorFlow's, to -1 … 1; clip: OpenAI's. */
static const f0t_preprocessing presets[] = {
    {.shorter_side = 256,
     .kernel = F0T_RESIZE_LINEAR,
     .crop = 224,
     .mean = {123.675F, 116.28F, 103.53F},
     .scale = {1 / 58.395F, 1 / 57.12F, 1 / 57.375F}},
    {.shorter_side = 256,
     .kernel = F0T_RESIZE_CUBIC,
     .crop = 224,
     .bgr = true,
     .mean = {103.939F, 116.779F, 123.68F},
     .scale = {1, 1, 1}},
    {.shorter_side = 256,
     .kernel = F0T_RESIZE_LINEAR,
     .crop = 224,
     .mean = {127.5F, 127.5F, 127.5F},
     .scale = {1 / 127.5F, 1 / 127.5F, 1 / 127.5F}},
    {.shorter_side = 224,
     .kernel = F0T_RESIZE_CUBIC,
     .crop = 224,
     .mean = {122.7709383F, 116.7460125F, 104.09373615F},
     .scale = {1 / 68.5005327F, 1 / 66.6321579F, 1 / 70.32316305F}},
};

const char *const *f0t_preprocessing_presets(void)
{
    return names;
}

f0t_status f0t_preprocessing_find(f0t_preprocessing *out, const char *preset)
{
    for (size_t k = 0; names[k]; k++)
        if (strcmp(names[k], preset) == 0) {
            *out = presets[k];
            return F0T_OK;
        }
    return f0t_fail(F0T_ERROR_NOT_FOUND,
                    "there is no preprocessing '%s'; there are imagenet, caffe-vgg, mobilenet and "
                    "clip",
                    preset);
}

/* ---- Reading --------------------------------------------------------------------------------------
 */

static f0t_status read_size(size_t *out, const json_t *object, const char *key, const char *name)
{
    int64_t value = (int64_t)*out;
    F0T_TRY(f0t_json_get_integer(&value, object, key, name));
    if (value < 0 || value > SIZE_MOST)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" is %lld, not a size of pictures", name, key,
                        (long long)value);
    *out = (size_t)value;
    return F0T_OK;
}

static f0t_status read_kernel(f0t_resize_kernel *out, const json_t *object, const char *name)
{
    const char *text = kernels[*out];
    F0T_TRY(f0t_json_get_string(&text, object, "kernel", name));
    for (size_t k = 0; k < KERNELS; k++)
        if (strcmp(text, kernels[k]) == 0) {
            *out = (f0t_resize_kernel)k;
            return F0T_OK;
        }
    return f0t_fail(F0T_ERROR_FORMAT,
                    "%s: kernel '%s'; there are nearest, linear, cubic, lanczos and area", name,
                    text);
}

static f0t_status read_resize(f0t_preprocessing *out, const json_t *object, const char *name)
{
    static const char *const keys[] = {"shorter_side", "width", "height", "kernel", NULL};
    json_t *resize = NULL;
    F0T_TRY(f0t_json_get_object(&resize, object, "resize", name));
    if (!resize)
        return F0T_OK;
    F0T_TRY(f0t_json_only(resize, keys, name));
    out->shorter_side = out->width = out->height = 0;
    F0T_TRY(read_size(&out->shorter_side, resize, "shorter_side", name));
    F0T_TRY(read_size(&out->width, resize, "width", name));
    F0T_TRY(read_size(&out->height, resize, "height", name));
    if (!out->width != !out->height || (out->width && out->shorter_side))
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: \"resize\" has either a shorter_side, or a width and a height", name);
    return read_kernel(&out->kernel, resize, name);
}

static f0t_status read_crop(f0t_preprocessing *out, const json_t *object, const char *name)
{
    static const char *const keys[] = {"centre", NULL};
    json_t *crop = NULL;
    F0T_TRY(f0t_json_get_object(&crop, object, "crop", name));
    if (!crop)
        return F0T_OK;
    F0T_TRY(f0t_json_only(crop, keys, name));
    return read_size(&out->crop, crop, "centre", name);
}

static f0t_status read_channels(bool *bgr, const json_t *object, const char *name)
{
    const char *order = *bgr ? "BGR" : "RGB";
    F0T_TRY(f0t_json_get_string(&order, object, "channels", name));
    *bgr = strcmp(order, "BGR") == 0;
    if (!*bgr && strcmp(order, "RGB") != 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: \"channels\" is '%s', not RGB or BGR", name, order);
    return F0T_OK;
}

static f0t_status read_three(float *out, const json_t *object, const char *key, const char *name)
{
    json_t *list = NULL;
    F0T_TRY(f0t_json_get_array(&list, object, key, name));
    if (!list)
        return F0T_OK;
    for (size_t k = 0; k < 3; k++) {
        const json_t *value = json_array_get(list, k);
        double number = json_is_number(value) ? json_number_value(value) : NAN;
        if (json_array_size(list) != 3 || !(fabs(number) < 1e6))
            return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" must be three numbers", name, key);
        out[k] = (float)number;
    }
    return F0T_OK;
}

static f0t_status read_name(char *out, size_t size, const json_t *object, const char *key,
                            const char *name)
{
    const char *text = out;
    F0T_TRY(f0t_json_get_string(&text, object, key, name));
    if (strlen(text) >= size)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" is longer than %zu bytes", name, key,
                        size - 1);
    if (text != out)
        snprintf(out, size, "%s", text);
    return F0T_OK;
}

f0t_status f0t_preprocessing_read(f0t_preprocessing *out, const json_t *object, const char *name)
{
    static const char *const keys[] = {"preset",   "input", "output", "resize", "crop",
                                       "channels", "mean",  "scale",  NULL};
    const char *preset = NULL;
    *out = (f0t_preprocessing){.kernel = F0T_RESIZE_LINEAR, .scale = {1, 1, 1}};
    F0T_TRY(f0t_json_only(object, keys, name));
    F0T_TRY(f0t_json_get_string(&preset, object, "preset", name));
    if (preset) {
        f0t_status status = f0t_preprocessing_find(out, preset);
        if (status != F0T_OK)
            return f0t_fail_prefix(status, "%s: ", name);
    }
    F0T_TRY(read_name(out->input, sizeof out->input, object, "input", name));
    F0T_TRY(read_name(out->output, sizeof out->output, object, "output", name));
    F0T_TRY(read_resize(out, object, name));
    F0T_TRY(read_crop(out, object, name));
    F0T_TRY(read_channels(&out->bgr, object, name));
    F0T_TRY(read_three(out->mean, object, "mean", name));
    return read_three(out->scale, object, "scale", name);
}

f0t_status f0t_preprocessing_parse(f0t_preprocessing *out, const void *text, size_t size,
                                   const char *name)
{
    json_t *object;
    F0T_TRY(f0t_json_parse(&object, text, size, name));
    f0t_status status = f0t_preprocessing_read(out, object, name);
    json_decref(object);
    return status;
}

f0t_status f0t_preprocessing_load(f0t_preprocessing *out, const char *path)
{
    json_t *object;
    F0T_TRY(f0t_json_load(&object, path, FILE_MOST));
    f0t_status status = f0t_preprocessing_read(out, object, path);
    json_decref(object);
    return status;
}

/* ---- Writing --------------------------------------------------------------------------------------
 */

static json_t *three(const float *values)
{
    return json_pack("[f,f,f]", (double)values[0], (double)values[1], (double)values[2]);
}

static json_t *resize_object(const f0t_preprocessing *p)
{
    if (p->shorter_side)
        return json_pack("{s:I,s:s}", "shorter_side", (json_int_t)p->shorter_side, "kernel",
                         kernels[p->kernel]);
    return json_pack("{s:I,s:I,s:s}", "width", (json_int_t)p->width, "height",
                     (json_int_t)p->height, "kernel", kernels[p->kernel]);
}

f0t_status f0t_preprocessing_write(json_t **out, const f0t_preprocessing *p)
{
    *out = json_pack("{s:s,s:s,s:o,s:{s:I},s:s,s:o,s:o}", "input", p->input, "output", p->output,
                     "resize", resize_object(p), "crop", "centre", (json_int_t)p->crop, "channels",
                     p->bgr ? "BGR" : "RGB", "mean", three(p->mean), "scale", three(p->scale));
    return *out ? F0T_OK : f0t_fail(F0T_ERROR_MEMORY, "no memory for JSON");
}

bool f0t_preprocessing_equal(const f0t_preprocessing *x, const f0t_preprocessing *y)
{
    return x->shorter_side == y->shorter_side && x->width == y->width && x->height == y->height &&
           x->kernel == y->kernel && x->crop == y->crop && x->bgr == y->bgr &&
           memcmp(x->mean, y->mean, sizeof x->mean) == 0 &&
           memcmp(x->scale, y->scale, sizeof x->scale) == 0;
}
