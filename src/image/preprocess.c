#include "image/preprocess.h"

#include "io/json.h"

#include <math.h>
#include <string.h>

static const char *const KERNELS[] = {"area", "bilinear", "bicubic"};

/* ---- Presets ----------------------------------------------------------------------------------- */

/* Means and deviations of ImageNet as torchvision gives them for values from 0 to 1; Simonyan and
 * Zisserman's means of BGR; OpenAI's of CLIP. */
static const struct {
    const char *name;
    f0t_preprocess how;
} PRESETS[] = {
    {"imagenet",
     {256,
      224,
      224,
      F0T_RESAMPLE_BILINEAR,
      false,
      {0.485F * 255, 0.456F * 255, 0.406F * 255},
      {1 / (0.229F * 255), 1 / (0.224F * 255), 1 / (0.225F * 255)}}},
    {"caffe-vgg",
     {256, 224, 224, F0T_RESAMPLE_BILINEAR, true, {103.939F, 116.779F, 123.68F}, {1, 1, 1}}},
    {"mobilenet",
     {256,
      224,
      224,
      F0T_RESAMPLE_AREA,
      false,
      {128, 128, 128},
      {1 / 128.0F, 1 / 128.0F, 1 / 128.0F}}},
    {"clip",
     {224,
      224,
      224,
      F0T_RESAMPLE_BICUBIC,
      false,
      {0.48145466F * 255, 0.4578275F * 255, 0.40821073F * 255},
      {1 / (0.26862954F * 255), 1 / (0.26130258F * 255), 1 / (0.27577711F * 255)}}},
};

f0t_status f0t_preprocess_preset(f0t_preprocess *out, const char *name)
{
    for (size_t i = 0; i < sizeof PRESETS / sizeof *PRESETS; i++)
        if (!strcmp(PRESETS[i].name, name)) {
            *out = PRESETS[i].how;
            return F0T_OK;
        }
    return f0t_fail(F0T_ERROR_NOT_FOUND,
                    "there is no preset '%s'; there are imagenet, caffe-vgg, mobilenet and clip",
                    name);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

enum { SIDE_MAX = 4096 };

static f0t_status get_size(size_t *out, const json_t *object, const char *key, const char *name)
{
    int64_t value = 0;
    F0T_TRY(f0t_json_get_integer(&value, object, key, name));
    if (value < 1 || value > SIDE_MAX)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" must be from 1 to %d", name, key, SIDE_MAX);
    *out = (size_t)value;
    return F0T_OK;
}

static f0t_status parse_resize(f0t_preprocess *out, const json_t *json, const char *name)
{
    json_t *resize = NULL;
    const char *kernel = "bilinear";
    F0T_TRY(f0t_json_get_object(&resize, json, "resize", name));
    if (!resize)
        return F0T_OK;
    F0T_TRY(f0t_json_only(resize, (const char *const[]){"shorter_side", "kernel", NULL}, name));
    F0T_TRY(f0t_json_get_string(&kernel, resize, "kernel", name));
    F0T_TRY(get_size(&out->side, resize, "shorter_side", name));
    for (size_t i = 0; i < 3; i++)
        if (!strcmp(kernel, KERNELS[i])) {
            out->resample = (f0t_resample)i;
            return F0T_OK;
        }
    return f0t_fail(F0T_ERROR_FORMAT, "%s: \"kernel\" is '%s': area, bilinear or bicubic is wanted",
                    name, kernel);
}

static f0t_status parse_crop(f0t_preprocess *out, const json_t *json, const char *name)
{
    json_t *crop = NULL;
    F0T_TRY(f0t_json_need(json, "crop", name));
    F0T_TRY(f0t_json_get_object(&crop, json, "crop", name));
    if (json_object_get(crop, "centre")) {
        F0T_TRY(get_size(&out->width, crop, "centre", name));
        out->height = out->width;
    } else {
        F0T_TRY(get_size(&out->width, crop, "width", name));
        F0T_TRY(get_size(&out->height, crop, "height", name));
    }
    if (out->side && (out->side < out->width || out->side < out->height))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: the crop is larger than the shorter side", name);
    return F0T_OK;
}

static f0t_status parse_numbers(float *out, const json_t *json, const char *key, const char *name)
{
    json_t *list = NULL;
    F0T_TRY(f0t_json_need(json, key, name));
    F0T_TRY(f0t_json_get_array(&list, json, key, name));
    for (size_t i = 0; i < 3; i++) {
        const json_t *item = json_array_get(list, i);
        const double value = json_is_number(item) ? json_number_value(item) : (double)NAN;
        if (json_array_size(list) != 3 || !(fabs(value) <= 1e6))
            return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" must be three numbers", name, key);
        out[i] = (float)value;
    }
    return F0T_OK;
}

f0t_status f0t_preprocess_parse(f0t_preprocess *out, const json_t *json, const char *name)
{
    static const char *const keys[] = {"input",    "output", "resize", "crop",
                                       "channels", "mean",   "scale",  NULL};
    const char *channels = "RGB";
    *out = (f0t_preprocess){.side = 0};
    F0T_TRY(f0t_json_only(json, keys, name)); /* a step that is overlooked gives wrong features */
    F0T_TRY(parse_resize(out, json, name));
    F0T_TRY(parse_crop(out, json, name));
    F0T_TRY(f0t_json_get_string(&channels, json, "channels", name));
    if (strcmp(channels, "RGB") != 0 && strcmp(channels, "BGR") != 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: \"channels\" is '%s': RGB or BGR is wanted", name,
                        channels);
    out->bgr = channels[0] == 'B';
    F0T_TRY(parse_numbers(out->mean, json, "mean", name));
    return parse_numbers(out->scale, json, "scale", name);
}

json_t *f0t_preprocess_describe(const f0t_preprocess *p)
{
    json_t *resize = p->side ? json_pack("{s:I, s:s}", "shorter_side", (json_int_t)p->side,
                                         "kernel", KERNELS[p->resample])
                             : json_null();
    return json_pack("{s:o, s:{s:I, s:I}, s:s, s:[f, f, f], s:[f, f, f]}", "resize", resize, "crop",
                     "width", (json_int_t)p->width, "height", (json_int_t)p->height, "channels",
                     p->bgr ? "BGR" : "RGB", "mean", (double)p->mean[0], (double)p->mean[1],
                     (double)p->mean[2], "scale", (double)p->scale[0], (double)p->scale[1],
                     (double)p->scale[2]);
}
