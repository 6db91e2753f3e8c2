#include "image/preprocess.h"

#include "base/alloc.h"
#include "base/kernels.h"
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

static const char *name_at(size_t i)
{
    return i < sizeof PRESETS / sizeof *PRESETS ? PRESETS[i].name : NULL;
}

f0t_status f0t_preprocess_preset(f0t_preprocess *out, const char *name)
{
    size_t found;
    F0T_TRY(f0t_name_find(&found, "preset", name, strlen(name), name_at));
    *out = PRESETS[found].how;
    return F0T_OK;
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
    return f0t_fail(F0T_ERROR_FORMAT,
                    "%s: \"kernel\" is '%s': area, bilinear or bicubic is expected", name, kernel);
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
    static const char *const keys[] = {"input", "output",   "classes", "labels", "resize",
                                       "crop",  "channels", "mean",    "scale",  NULL};
    const char *channels = "RGB";
    *out = (f0t_preprocess){.side = 0};
    F0T_TRY(f0t_json_only(json, keys, name)); /* a step that is overlooked gives wrong features */
    F0T_TRY(parse_resize(out, json, name));
    F0T_TRY(parse_crop(out, json, name));
    F0T_TRY(f0t_json_get_string(&channels, json, "channels", name));
    if (strcmp(channels, "RGB") != 0 && strcmp(channels, "BGR") != 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: \"channels\" is '%s': RGB or BGR is expected", name,
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

/* ---- Resampling ------------------------------------------------------------------------------------ */

/* Resampling of the part that is cut out alone: a new row is a sum of old ones, its pixels are sums
 * along it. */

typedef f0t_preprocess_axis axis;

static double weight_of(f0t_resample resample, double x)
{
    x = fabs(x);
    if (resample == F0T_RESAMPLE_BILINEAR)
        return x < 1 ? 1 - x : 0;
    if (x < 1)
        return (1.5 * x - 2.5) * x * x + 1;
    return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
}

/* How much of old pixel k the new pixel from `low` to `high` covers. */
static double covered(double low, double high, double k)
{
    const double part = fmin(high, k + 1) - fmax(low, k);
    return part > 0 ? part : 0;
}

/* How far from its centre a new pixel looks. */
static double reach_of(f0t_resample resample, double wide)
{
    return resample == F0T_RESAMPLE_AREA       ? 0.5 * wide
           : resample == F0T_RESAMPLE_BILINEAR ? wide
                                               : 2 * wide;
}

static void fill_weights(axis *a, f0t_resample resample)
{
    const double scale = (double)a->from / (double)a->whole;
    const double wide = scale > 1 ? scale : 1, reach = reach_of(resample, wide);
    for (size_t i = 0; i < a->count; i++) {
        const double centre = ((double)(a->first + i) + 0.5) * scale;
        double low = floor(centre - reach), sum = 0;
        low = low < 0 ? 0 : low;
        if (low > (double)(a->from - a->taps))
            low = (double)(a->from - a->taps);
        a->starts[i] = (size_t)low;
        for (size_t t = 0; t < a->taps; t++) {
            const double k = low + (double)t;
            const double w = resample == F0T_RESAMPLE_AREA
                                 ? covered(centre - 0.5 * wide, centre + 0.5 * wide, k)
                                 : weight_of(resample, (k + 0.5 - centre) / wide);
            a->weights[i * a->taps + t] = (float)w;
            sum += w;
        }
        for (size_t t = 0; t < a->taps; t++)
            a->weights[i * a->taps + t] /= (float)sum;
    }
}

static f0t_status axis_fill(axis *a, size_t from, f0t_resample resample)
{
    const double scale = (double)from / (double)a->whole;
    const size_t taps = (size_t)ceil(2 * reach_of(resample, scale > 1 ? scale : 1)) + 1;
    a->from = from;
    a->taps = taps < from ? taps : from;
    F0T_TRY(f0t_alloc(&a->starts, a->count, sizeof *a->starts));
    F0T_TRY(f0t_alloc(&a->weights, a->count * a->taps, sizeof *a->weights));
    fill_weights(a, resample);
    return F0T_OK;
}

static void axis_free(axis *a)
{
    f0t_free(a->starts);
    f0t_free(a->weights);
}

/* ---- Plans ------------------------------------------------------------------------------------- */

static void plan_clear(f0t_preprocess_plan *plan)
{
    const f0t_preprocess *preprocess = plan->preprocess;
    f0t_preprocess_plan_free(plan);
    *plan = (f0t_preprocess_plan){.preprocess = preprocess};
}

void f0t_preprocess_plan_free(f0t_preprocess_plan *plan)
{
    axis_free(&plan->x);
    axis_free(&plan->y);
    f0t_free(plan->row);
    f0t_free(plan->resized);
}

/* The sizes of the whole picture after resizing, as torchvision rounds them. */
static void resized(const f0t_preprocess *p, const f0t_picture *picture, size_t *width,
                    size_t *height)
{
    const size_t w = picture->width, h = picture->height;
    *width = p->side ? p->side : p->width;
    *height = p->side ? p->side : p->height;
    if (p->side && w > h)
        *width = (p->side * w + h / 2) / h;
    else if (p->side)
        *height = (p->side * h + w / 2) / w;
}

static f0t_status plan_make(f0t_preprocess_plan *plan, const f0t_picture *picture)
{
    const f0t_preprocess *p = plan->preprocess;
    size_t width, height;
    resized(p, picture, &width, &height);
    plan_clear(plan);
    plan->x = (axis){.whole = width, .count = p->width, .first = (width - p->width) / 2};
    plan->y = (axis){.whole = height, .count = p->height, .first = (height - p->height) / 2};
    F0T_TRY(axis_fill(&plan->x, picture->width, p->resample));
    F0T_TRY(axis_fill(&plan->y, picture->height, p->resample));
    F0T_TRY(f0t_alloc(&plan->row, 3 * picture->width, sizeof *plan->row));
    return f0t_alloc(&plan->resized, 3 * p->width, sizeof *plan->resized);
}

/* ---- Pixels ------------------------------------------------------------------------------------ */

/* Row r of the new height at the old width, but for what no new pixel looks at. */
static void sum_rows(const f0t_preprocess_plan *plan, const f0t_picture *picture, size_t r)
{
    const axis *x = &plan->x, *y = &plan->y;
    const size_t from = 3 * x->starts[0];
    const size_t n = 3 * (x->starts[x->count - 1] + x->taps) - from;
    memset(plan->row + from, 0, n * sizeof *plan->row);
    for (size_t t = 0; t < y->taps; t++)
        f0t_kernels()->descriptor_add_bytes(
            plan->row + from, picture->rgb + 3 * (y->starts[r] + t) * picture->width + from,
            y->weights[r * y->taps + t], n);
}

static void sum_columns(const f0t_preprocess_plan *plan)
{
    const axis *x = &plan->x;
    for (size_t c = 0; c < x->count; c++) {
        const float *from = plan->row + 3 * x->starts[c], *weights = x->weights + c * x->taps;
        float r = 0, g = 0, b = 0;
        for (size_t t = 0; t < x->taps; t++, from += 3) {
            r += weights[t] * from[0];
            g += weights[t] * from[1];
            b += weights[t] * from[2];
        }
        plan->resized[3 * c] = r;
        plan->resized[3 * c + 1] = g;
        plan->resized[3 * c + 2] = b;
    }
}

/* One channel of a row; its numbers stand `step` apart. */
static void put(float *out, size_t step, const float *from, size_t count, float mean, float scale)
{
    for (size_t c = 0; c < count; c++) {
        const float value = from[3 * c], clamped = value < 0 ? 0 : value > 255 ? 255 : value;
        /* Resized pictures are of bytes, as where the networks were trained. */
        out[c * step] = ((float)(int)(clamped + 0.5F) - mean) * scale;
    }
}

f0t_status f0t_preprocess_run(float *out, f0t_preprocess_plan *plan, const f0t_picture *picture,
                              bool channels_last)
{
    const f0t_preprocess *p = plan->preprocess;
    if (!plan->resized || plan->x.from != picture->width || plan->y.from != picture->height) {
        f0t_status status = plan_make(plan, picture);
        if (status != F0T_OK) {
            plan_clear(plan);
            return status;
        }
    }
    for (size_t r = 0; r < p->height; r++) {
        sum_rows(plan, picture, r);
        sum_columns(plan);
        for (size_t k = 0; k < 3; k++)
            put(channels_last ? out + 3 * r * p->width + k : out + (k * p->height + r) * p->width,
                channels_last ? 3 : 1, plan->resized + (p->bgr ? 2 - k : k), p->width, p->mean[k],
                p->scale[k]);
    }
    return F0T_OK;
}
