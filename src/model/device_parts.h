/* What the parts of the check of a device share: what it takes from there, and how it compares. */
#ifndef F0T_MODEL_DEVICE_PARTS_H
#define F0T_MODEL_DEVICE_PARTS_H

#include "compute/tolerance.h"
#include "model/device_check.h"
#include "model/step_parts.h"

/* How many units of a layer, rows of a mini-batch, and tags of a row are looked at. */
enum { F0T_CHECKED_UNITS = 8, F0T_CHECKED_ROWS = 8, F0T_CHECKED_TAGS = 16 };
enum { F0T_CHECKED_WEIGHTS = F0T_CHECKED_UNITS * F0T_CHECKED_UNITS };

/* Some numbers of an array of the net. */
typedef struct f0t_checked_array {
    size_t n;
    uint32_t index[F0T_CHECKED_WEIGHTS];
    float before[3][F0T_CHECKED_WEIGHTS]; /* w, m, v */
    float after[4][F0T_CHECKED_WEIGHTS];  /* and w in bfloat16 */
} f0t_checked_array;

typedef struct f0t_checked_layer {
    f0t_checked_array weight, bias;
    float *to_units;   /* [UNITS x inputs] weights of the units that it gives, before the step */
    float *from_units; /* [outputs x UNITS] of those that it takes; NULL: nothing is below */
    float *x,
        *dy; /* [ROWS x inputs], [ROWS x outputs] what it takes, and the gradient of what it gives */
    float *x_units, *dy_units; /* [batch x UNITS] */
    float *weight_gradient;    /* [WEIGHTS], or NULL where the device has none in memory */
    float bias_gradient[F0T_CHECKED_UNITS];
} f0t_checked_layer;

struct f0t_device_check {
    const f0t_step *step;
    const f0t_train_data *data;
    const f0t_objective *objective;
    uint64_t seed;
    size_t batch, columns; /* rows at most, and scores of a row */
    bool always;
    uint64_t count; /* checks so far */
    double spent;   /* seconds */
    f0t_checked_layer layers[F0T_NET_LAYERS_MAX];
    uint32_t units[F0T_NET_LAYERS_MAX + 1]
                  [F0T_CHECKED_UNITS]; /* that layer l takes, and the last one gives */
    uint32_t rows[F0T_CHECKED_ROWS];
    f0t_buffer *room[2];      /* in float32, and of the net's precision */
    uint32_t *index;          /* of what is gathered there */
    float *features;          /* [D] */
    float *outputs;           /* [ROWS x d] */
    float *scores, *gradient; /* [ROWS x columns] */
    float *expected[3];       /* [columns] */
    float *whole[2];          /* [batch x columns] scores and gradient; NULL: too many */
};

f0t_status f0t_device_check_allocate(f0t_device_check *check);

/* What a check is made of, drawn by seed. */
void f0t_device_check_draw_units(f0t_device_check *check);
void f0t_device_check_draw_rows(f0t_device_check *check, size_t rows);

/* Weights of `net` by the numbers that were drawn: before[0] or after[0] of each array. */
f0t_status f0t_device_check_take_weights(f0t_device_check *check, const f0t_net *net, bool after);
f0t_status f0t_device_check_take_before(f0t_device_check *check);
f0t_status f0t_device_check_take_after(f0t_device_check *check, size_t rows);

/* Whether the loss of the whole mini-batch is computed, too: of one check in eight, and where nothing less will do. */
bool f0t_device_check_is_whole(const f0t_device_check *check);

#endif
