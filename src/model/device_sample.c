/* What a check of a device looks at, and takes from there. */
#include "base/alloc.h"
#include "model/device_parts.h"

enum {
    UNITS = F0T_CHECKED_UNITS,
    ROWS = F0T_CHECKED_ROWS,
    WHOLE = 1 << 24, /* scores of a mini-batch at most whose loss is computed */
    WHOLE_EVERY = 8
};

/* ---- Memory ------------------------------------------------------------------------------------ */

static size_t larger(size_t x, size_t y)
{
    return x > y ? x : y;
}

static f0t_status allocate_layer(f0t_device_check *c, size_t l)
{
    const f0t_net_layer *net = &c->step->net->layers[l];
    f0t_checked_layer *layer = &c->layers[l];
    F0T_TRY(f0t_alloc(&layer->to_units, UNITS * net->inputs, sizeof *layer->to_units));
    if (l)
        F0T_TRY(f0t_alloc(&layer->from_units, UNITS * net->outputs, sizeof *layer->from_units));
    if (!f0t_step_descends(c->step))
        F0T_TRY(f0t_alloc(&layer->weight_gradient, UNITS * UNITS, sizeof *layer->weight_gradient));
    F0T_TRY(f0t_alloc(&layer->x, ROWS * net->inputs, sizeof *layer->x));
    F0T_TRY(f0t_alloc(&layer->dy, ROWS * net->outputs, sizeof *layer->dy));
    F0T_TRY(f0t_alloc(&layer->x_units, c->batch * UNITS, sizeof *layer->x_units));
    return f0t_alloc(&layer->dy_units, c->batch * UNITS, sizeof *layer->dy_units);
}

/* Numbers that are gathered at once, at most. */
static size_t most_gathered(const f0t_device_check *c)
{
    const f0t_net *net = c->step->net;
    size_t widest = larger(c->batch, c->columns);
    for (size_t l = 0; l < net->layer_count; l++)
        widest = larger(widest, larger(net->layers[l].inputs, net->layers[l].outputs));
    return larger(UNITS, ROWS) * widest;
}

static f0t_status allocate_rows(f0t_device_check *c)
{
    const size_t table = ROWS * c->columns;
    F0T_TRY(f0t_alloc(&c->features, c->step->net->shape.inputs, sizeof *c->features));
    F0T_TRY(f0t_alloc(&c->outputs, ROWS * c->step->net->shape.outputs, sizeof *c->outputs));
    F0T_TRY(f0t_alloc(&c->scores, table, sizeof *c->scores));
    F0T_TRY(f0t_alloc(&c->gradient, table, sizeof *c->gradient));
    for (size_t i = 0; i < 3; i++)
        F0T_TRY(f0t_alloc(&c->expected[i], c->columns, sizeof *c->expected[i]));
    for (size_t i = 0; i < 2 && c->objective->reference && c->batch * c->columns <= WHOLE; i++)
        F0T_TRY(f0t_alloc(&c->whole[i], c->batch * c->columns, sizeof *c->whole[i]));
    return F0T_OK;
}

f0t_status f0t_device_check_allocate(f0t_device_check *c)
{
    const f0t_net *net = c->step->net;
    const size_t most = most_gathered(c);
    for (size_t l = 0; l < net->layer_count; l++)
        F0T_TRY(allocate_layer(c, l));
    F0T_TRY(allocate_rows(c));
    F0T_TRY(f0t_alloc(&c->index, most, sizeof *c->index));
    F0T_TRY(f0t_buffer_create(&c->room[0], net->compute, F0T_F32, most));
    return net->precision == F0T_F32
               ? F0T_OK
               : f0t_buffer_create(&c->room[1], net->compute, net->precision, most);
}

void f0t_device_check_free(f0t_device_check *c)
{
    if (!c)
        return;
    for (size_t l = 0; l < F0T_NET_LAYERS_MAX; l++) {
        f0t_checked_layer *layer = &c->layers[l];
        float *arrays[] = {
            layer->to_units, layer->from_units,     layer->x, layer->dy, layer->x_units,
            layer->dy_units, layer->weight_gradient};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
            f0t_free(arrays[i]);
    }
    float *tables[] = {c->features,    c->outputs,     c->scores,   c->gradient, c->expected[0],
                       c->expected[1], c->expected[2], c->whole[0], c->whole[1]};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        f0t_free(tables[i]);
    f0t_free(c->index);
    f0t_buffer_free(c->room[0]);
    f0t_buffer_free(c->room[1]);
    f0t_free(c);
}

/* ---- Drawing ----------------------------------------------------------------------------------- */

enum { DRAWN_UNITS = 1 << 8, DRAWN_ROWS };

static void draw(uint32_t *to, size_t n, const f0t_device_check *c, uint64_t stream, size_t of)
{
    const f0t_random random = {c->seed, c->count << 16 | stream};
    for (size_t i = 0; i < n; i++)
        to[i] = (uint32_t)f0t_random_below(&random, i, of);
}

void f0t_device_check_draw_units(f0t_device_check *c)
{
    const f0t_net *net = c->step->net;
    for (size_t l = 0; l <= net->layer_count; l++)
        draw(c->units[l], UNITS, c, DRAWN_UNITS + 2 * l,
             l < net->layer_count ? net->layers[l].inputs : net->shape.outputs);
    for (size_t l = 0; l < net->layer_count; l++) {
        f0t_checked_layer *layer = &c->layers[l];
        layer->weight.n = UNITS * UNITS;
        layer->bias.n = UNITS;
        for (size_t o = 0; o < UNITS; o++) {
            layer->bias.index[o] = c->units[l + 1][o];
            for (size_t i = 0; i < UNITS; i++)
                layer->weight.index[o * UNITS + i] =
                    (uint32_t)(c->units[l + 1][o] * net->layers[l].inputs + c->units[l][i]);
        }
    }
}

void f0t_device_check_draw_rows(f0t_device_check *c, size_t rows)
{
    draw(c->rows, ROWS, c, DRAWN_ROWS, rows);
}

bool f0t_device_check_is_whole(const f0t_device_check *c)
{
    return c->whole[1] && (!c->objective->count || c->count % WHOLE_EVERY == 0);
}

/* ---- Taking ------------------------------------------------------------------------------------ */

/* Rows index[n] of `from` as a matrix of `cols` columns. */
static f0t_status take(float *to, const f0t_device_check *c, const f0t_buffer *from,
                       const uint32_t *index, size_t n, size_t cols)
{
    const f0t_compute *compute = from->compute;
    f0t_buffer *room = c->room[from->type != F0T_F32];
    F0T_TRY(compute->gather(room, from, index, n, cols));
    return compute->download(to, room, 0, n * cols);
}

/* Columns units[UNITS] of from[rows x cols]. */
static f0t_status take_columns(float *to, const f0t_device_check *c, const f0t_buffer *from,
                               const uint32_t *units, size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t u = 0; u < UNITS; u++)
            c->index[r * UNITS + u] = (uint32_t)(r * cols + units[u]);
    return take(to, c, from, c->index, rows * UNITS, 1);
}

static f0t_status take_array(float to[][F0T_CHECKED_WEIGHTS], const f0t_device_check *c,
                             const f0t_checked_array *array, const f0t_buffer *w,
                             const f0t_step_moments *moments)
{
    F0T_TRY(take(to[0], c, w, array->index, array->n, 1));
    F0T_TRY(take(to[1], c, moments->m, array->index, array->n, 1));
    return moments->v ? take(to[2], c, moments->v, array->index, array->n, 1) : F0T_OK;
}

f0t_status f0t_device_check_take_before(f0t_device_check *c)
{
    const f0t_net *net = c->step->net;
    for (size_t l = 0; l < net->layer_count; l++) {
        const f0t_net_layer *layer = &net->layers[l];
        const f0t_step_layer *state = &c->step->layers[l];
        const f0t_buffer *operand = f0t_net_layer_operand(layer);
        f0t_checked_layer *to = &c->layers[l];
        F0T_TRY(take(to->to_units, c, operand, c->units[l + 1], UNITS, layer->inputs));
        if (l)
            F0T_TRY(take_columns(to->from_units, c, operand, c->units[l], layer->outputs,
                                 layer->inputs));
        F0T_TRY(take_array(to->weight.before, c, &to->weight, layer->weight, &state->weight));
        if (layer->bias)
            F0T_TRY(take_array(to->bias.before, c, &to->bias, layer->bias, &state->bias));
    }
    return F0T_OK;
}

static f0t_status take_layer(f0t_checked_layer *to, const f0t_device_check *c, size_t l,
                             size_t rows)
{
    const f0t_net_layer *layer = &c->step->net->layers[l];
    const f0t_step_layer *state = &c->step->layers[l];
    F0T_TRY(take(to->x, c, state->x, c->rows, ROWS, layer->inputs));
    F0T_TRY(take(to->dy, c, state->dy, c->rows, ROWS, layer->outputs));
    F0T_TRY(take_columns(to->x_units, c, state->x, c->units[l], rows, layer->inputs));
    F0T_TRY(take_columns(to->dy_units, c, state->dy, c->units[l + 1], rows, layer->outputs));
    F0T_TRY(take_array(to->weight.after, c, &to->weight, layer->weight, &state->weight));
    if (layer->weight16)
        F0T_TRY(take(to->weight.after[3], c, layer->weight16, to->weight.index, to->weight.n, 1));
    if (to->weight_gradient)
        F0T_TRY(take(to->weight_gradient, c, state->weight.gradient, to->weight.index, to->weight.n,
                     1));
    F0T_TRY(take(to->bias_gradient, c, state->bias.gradient, to->bias.index, UNITS, 1));
    return layer->bias ? take_array(to->bias.after, c, &to->bias, layer->bias, &state->bias)
                       : F0T_OK;
}

f0t_status f0t_device_check_take_after(f0t_device_check *c, size_t rows)
{
    const f0t_step *step = c->step;
    const f0t_buffer *scores = f0t_step_scores(step);
    for (size_t l = 0; l < step->net->layer_count; l++)
        F0T_TRY(take_layer(&c->layers[l], c, l, rows));
    F0T_TRY(take(c->outputs, c, step->outputs, c->rows, ROWS, step->net->shape.outputs));
    F0T_TRY(take(c->scores, c, scores, c->rows, ROWS, c->columns));
    F0T_TRY(take(c->gradient, c, step->gradient, c->rows, ROWS, c->columns));
    return f0t_device_check_is_whole(c)
               ? scores->compute->download(c->whole[0], scores, 0, rows * c->columns)
               : F0T_OK;
}

f0t_status f0t_device_check_take_weights(f0t_device_check *c, const f0t_net *net, bool after)
{
    for (size_t l = 0; l < net->layer_count; l++) {
        const f0t_net_layer *layer = &net->layers[l];
        f0t_checked_array *weight = &c->layers[l].weight, *bias = &c->layers[l].bias;
        F0T_TRY(take(after ? weight->after[0] : weight->before[0], c, layer->weight, weight->index,
                     weight->n, 1));
        if (layer->bias)
            F0T_TRY(take(after ? bias->after[0] : bias->before[0], c, layer->bias, bias->index,
                         bias->n, 1));
    }
    return F0T_OK;
}
