/* Pictures that can be drawn at any size: sky, hills, stripes and discs, smoothed by 2 x 2 samples a
 * pixel. */
#ifndef F0T_TESTS_IMAGE_SCENES_H
#define F0T_TESTS_IMAGE_SCENES_H

#include "support.h"

#include <math.h>
#include <string.h>

typedef struct scene {
    unsigned kind;
    size_t width, height;
    double shift_x, shift_y; /* in shares of the picture */
    bool mirror, symmetric;
} scene;

static inline void scene_colour(double colour[3], unsigned kind, double x, double y)
{
    double k = (double)kind, hill = 0.55 + 0.1 * sin(7 * x + k) + 0.05 * sin(19 * x + 2 * k);
    double sky[3] = {0.45 + 0.2 * y, 0.6 + 0.2 * y, 0.95 - 0.1 * y};
    double land[3] = {0.3 + 0.1 * sin(40 * x * y + k), 0.4 + 0.15 * sin(60 * x + 25 * y), 0.2};
    memcpy(colour, y < hill ? sky : land, sizeof sky);
    for (unsigned i = 0; i < 4; i++) {
        double cx = 0.5 + 0.4 * sin(k * 1.7 + i * 2.1), cy = 0.5 + 0.4 * cos(k * 0.9 + i * 1.3);
        double radius = 0.06 + 0.03 * i, far = hypot(x - cx, y - cy);
        double disc[3] = {fabs(sin(k + i)), fabs(sin(k * 2 + i * 3.0)), fabs(cos(k + i * 2.0))};
        if (far < radius)
            memcpy(colour, disc, sizeof disc);
        else if (far < 1.3 * radius && fmod(atan2(y - cy, x - cx) * 8 + 100, 2) < 1)
            colour[0] = colour[1] = colour[2] = 0.1;
    }
}

/* rgb[height x width x 3]; free with f0t_free. */
static inline uint8_t *scene_draw(const scene *s)
{
    uint8_t *rgb;
    assert_ok(f0t_alloc(&rgb, s->width * s->height, 3));
    for (size_t i = 0; i < s->height * s->width; i++) {
        double sum[3] = {0};
        for (unsigned sample = 0; sample < 4; sample++) {
            double x = ((double)(i % s->width) + (sample % 2 + 0.5) / 2) / (double)s->width;
            double y = ((double)(i / s->width) + (sample / 2 + 0.5) / 2) / (double)s->height;
            double colour[3];
            x = s->mirror ? 1 - x : x;
            x = s->symmetric && x > 0.5 ? 1 - x : x;
            scene_colour(colour, s->kind, x + s->shift_x, y + s->shift_y);
            for (size_t c = 0; c < 3; c++)
                sum[c] += colour[c] / 4;
        }
        for (size_t c = 0; c < 3; c++)
            rgb[i * 3 + c] = (uint8_t)lrint(255 * fmin(fmax(sum[c], 0), 1));
    }
    return rgb;
}

static inline double cosine_of(const float *a, const float *b, size_t n)
{
    double ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < n; i++) {
        ab += (double)a[i] * b[i];
        aa += (double)a[i] * a[i];
        bb += (double)b[i] * b[i];
    }
    return ab / sqrt(aa * bb);
}

#endif
