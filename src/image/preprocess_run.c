/* Resampling in two passes, rows and then columns, of the part that is cut out alone. */
#include "image/preprocess.h"

#include "base/alloc.h"

#include <math.h>

/* One axis: `count` new pixels, the first at `first` of `whole`, from `from` old ones. Each is a
 * weighted sum of `taps` old ones. */
typedef struct axis {
    size_t from, whole, first, count;
    size_t taps;
    size_t *starts; /* [count] */
    float *weights; /* [count x taps] */
} axis;

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

static f0t_status axis_create(axis *a, f0t_resample resample)
{
    const double scale = (double)a->from / (double)a->whole;
    const size_t taps = (size_t)ceil(2 * reach_of(resample, scale > 1 ? scale : 1)) + 1;
    a->taps = taps < a->from ? taps : a->from;
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

/* ---- The two passes ---------------------------------------------------------------------------- */

/* rows[(old rows) x columns x 3] from the picture. */
static void pass_rows(float *rows, const f0t_picture *picture, const axis *x)
{
    for (size_t r = 0; r < picture->height; r++)
        for (size_t c = 0; c < x->count; c++) {
            const uint8_t *from = picture->rgb + (r * picture->width + x->starts[c]) * 3;
            const float *weights = x->weights + c * x->taps;
            float sum[3] = {0, 0, 0};
            for (size_t t = 0; t < x->taps; t++)
                for (size_t k = 0; k < 3; k++)
                    sum[k] += weights[t] * (float)from[3 * t + k];
            for (size_t k = 0; k < 3; k++)
                rows[(r * x->count + c) * 3 + k] = sum[k];
        }
}

static void put(float *out, const f0t_preprocess *p, bool last, size_t r, size_t c,
                const float *rgb)
{
    for (size_t k = 0; k < 3; k++) {
        /* Resized pictures are of bytes, as where the networks were trained. */
        const float byte = rintf(fminf(fmaxf(rgb[p->bgr ? 2 - k : k], 0), 255));
        const float value = (byte - p->mean[k]) * p->scale[k];
        out[last ? (r * p->width + c) * 3 + k : (k * p->height + r) * p->width + c] = value;
    }
}

static void pass_columns(float *out, const f0t_preprocess *p, bool last, const float *rows,
                         const axis *y)
{
    for (size_t r = 0; r < y->count; r++)
        for (size_t c = 0; c < p->width; c++) {
            float sum[3] = {0, 0, 0};
            for (size_t t = 0; t < y->taps; t++) {
                const float *from = rows + ((y->starts[r] + t) * p->width + c) * 3;
                for (size_t k = 0; k < 3; k++)
                    sum[k] += y->weights[r * y->taps + t] * from[k];
            }
            put(out, p, last, r, c, sum);
        }
}

static f0t_status resample(float *out, const f0t_preprocess *p, const f0t_picture *picture,
                           bool last, axis *x, axis *y)
{
    float *rows;
    F0T_TRY(axis_create(x, p->resample));
    F0T_TRY(axis_create(y, p->resample));
    F0T_TRY(f0t_alloc(&rows, picture->height * x->count * 3, sizeof *rows));
    pass_rows(rows, picture, x);
    pass_columns(out, p, last, rows, y);
    f0t_free(rows);
    return F0T_OK;
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

f0t_status f0t_preprocess_run(float *out, const f0t_preprocess *p, const f0t_picture *picture,
                              bool channels_last)
{
    size_t width, height;
    resized(p, picture, &width, &height);
    axis x = {.from = picture->width, .whole = width, .count = p->width};
    axis y = {.from = picture->height, .whole = height, .count = p->height};
    x.first = (width - p->width) / 2;
    y.first = (height - p->height) / 2;
    f0t_status status = resample(out, p, picture, channels_last, &x, &y);
    axis_free(&x);
    axis_free(&y);
    return status;
}
