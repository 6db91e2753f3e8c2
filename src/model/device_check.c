#include "model/device_check.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "model/device_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS = F0T_CHECKED_UNITS, ROWS = F0T_CHECKED_ROWS, TAGS = F0T_CHECKED_TAGS };

/* The share of a training's time that its checks may take. */
static const double SHARE = 0.01;

/* ---- What may be wrong ------------------------------------------------------------------------- */

#define ADVICE \
    "; do not use what it has trained: train again with --device cpu, and report this line"

/* The chain of a step, and the layer that is looked at. */
typedef struct chain {
    const f0t_device_check *c;
    const f0t_checked_step *s;
    size_t l;
} chain;

static f0t_status fails(const chain *at, double found, double expected, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static f0t_status fails(const chain *at, double found, double expected, const char *format, ...)
{
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return f0t_fail(F0T_ERROR_IO,
                    "the device '%s' computes wrongly: %s is %.9g there and %.9g on the CPU, in "
                    "mini-batch %zu of epoch %zu" ADVICE,
                    at->c->step->net->compute->device, what, found, expected, at->s->batch + 1,
                    at->s->epoch + 1);
}

/* Numbers that a diverging training has left have no right value. */
static bool is_near(double found, double expected, double tolerance)
{
    return !(fabs(expected) < 1e38) || fabs(found - expected) <= tolerance;
}

static f0t_dtype precision_of(const chain *at)
{
    return at->c->step->net->precision;
}

/* ---- Forward ----------------------------------------------------------------------------------- */

static bool is_dropped(const f0t_dropout *d, size_t row, size_t width, size_t unit)
{
    const uint64_t e = d->first + (uint64_t)row * width + unit;
    return d->limit && f0t_dropout_number(&d->random, e) < d->limit;
}

static float scale_of(const f0t_dropout *d)
{
    return d->limit ? d->scale : 1;
}

static f0t_dropout dropout_of(const chain *at, size_t layer)
{
    return f0t_step_dropout(at->c->step, layer, at->c->step->count - 1);
}

static f0t_status check_row_of_features(const chain *at, size_t i)
{
    const f0t_device_check *c = at->c;
    const f0t_train_data *data = c->data;
    const size_t dim = data->condition->dim;
    const uint32_t image = data->train->images[at->s->samples[c->rows[i]]];
    f0t_dropout dropout = dropout_of(at, 0);
    dropout.first += (uint64_t)c->rows[i] * dim;
    F0T_TRY(f0t_condition_gather(c->features, data->condition, data->dataset, &image, 1));
    if (dropout.limit)
        f0t_layer_drop(c->features, F0T_F32, dim, &dropout);
    for (size_t j = 0; j < dim; j++) {
        const double found = (double)c->layers[0].x[i * dim + j];
        const double expected = (double)c->features[j];
        if (!is_near(found, expected, f0t_tolerance_rounded(expected, precision_of(at))))
            return fails(at, found, expected, "feature %zu of image %zu", j + 1, (size_t)image + 1);
    }
    return F0T_OK;
}

/* The output of unit o, which is number u of those that are looked at, for row i of these. */
static f0t_status check_output(const chain *at, size_t i, size_t u)
{
    const f0t_device_check *c = at->c;
    const f0t_net *net = c->step->net;
    const f0t_net_layer *layer = &net->layers[at->l];
    const f0t_checked_layer *own = &c->layers[at->l];
    const bool hidden = at->l + 1 < net->layer_count;
    const size_t o = c->units[at->l + 1][u];
    f0t_dot dot = f0t_dot_make(own->x + i * layer->inputs, 1, own->to_units + u * layer->inputs, 1,
                               layer->inputs);
    const double bias = layer->bias ? (double)own->bias.before[0][u] : 0;
    const f0t_dtype type = hidden ? net->precision : F0T_F32;
    const float *row = (hidden ? c->layers[at->l + 1].x : c->outputs) + i * layer->outputs;
    const double found = (double)row[o];
    double scale = 1;
    dot.sum += bias;
    dot.size += fabs(bias);
    dot.square += fabs(bias);
    double expected = dot.sum;
    if (hidden) {
        const f0t_dropout dropout = dropout_of(at, at->l + 1);
        const bool dropped = is_dropped(&dropout, c->rows[i], layer->outputs, o);
        scale = dropped ? 0 : (double)scale_of(&dropout);
        expected = expected > 0 ? expected * scale : 0;
    }
    return is_near(found, expected, scale * f0t_tolerance_dot(&dot, type, false))
               ? F0T_OK
               : fails(at, found, expected, "what unit %zu of layer %zu gives", o + 1, at->l + 1);
}

/* The score of one tag of row i of these. */
static f0t_status check_score(const chain *at, size_t i, size_t tag)
{
    const f0t_device_check *c = at->c;
    const size_t d = c->step->net->shape.outputs;
    const f0t_dot dot = f0t_dot_make(c->outputs + i * d, 1, c->objective->tags + tag * d, 1, d);
    const double found = (double)c->scores[i * c->columns + tag];
    return is_near(found, dot.sum, f0t_tolerance_dot(&dot, F0T_F32, precision_of(at) == F0T_BF16))
               ? F0T_OK
               : fails(at, found, dot.sum, "the score of tag %zu", tag + 1);
}

static f0t_status check_scores(const chain *at)
{
    const f0t_device_check *c = at->c;
    const f0t_random random = {c->seed, c->count};
    for (size_t i = 0; i < ROWS; i++)
        for (size_t t = 0; t < TAGS; t++)
            F0T_TRY(
                check_score(at, i, (size_t)f0t_random_below(&random, i * TAGS + t, c->columns)));
    return F0T_OK;
}

static f0t_status check_forward(chain at)
{
    for (size_t i = 0; i < ROWS; i++)
        F0T_TRY(check_row_of_features(&at, i));
    for (at.l = 0; at.l < at.c->step->net->layer_count; at.l++)
        for (size_t i = 0; i < ROWS; i++)
            for (size_t u = 0; u < UNITS; u++)
                F0T_TRY(check_output(&at, i, u));
    return at.c->objective->tags ? check_scores(&at) : F0T_OK;
}

/* ---- The loss ---------------------------------------------------------------------------------- */

/* By the CPU, of `rows` rows from row `first` of the part on. */
static f0t_status run_reference(f0t_loss_result *result, float *gradient, const chain *at,
                                const float *scores, size_t first, size_t rows)
{
    const f0t_checked_step *s = at->s;
    const f0t_objective *objective = at->c->objective;
    const f0t_loss_batch batch = {.images = rows,
                                  .tags = at->c->data->train->tags,
                                  .scores = scores,
                                  .offsets = s->offsets + first,
                                  .relevant = s->relevant,
                                  .number = at->c->step->count - 1,
                                  .first = s->first + first,
                                  .training = s->training};
    return objective->reference(objective->context, result, gradient, &batch, s->samples + first);
}

static double largest_of(const float *x, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs((double)x[i]));
    return largest;
}

/* Losses are sums of as many terms as there are pairs, with exponentials: 13 bits of the largest number are sure. */
static double loss_tolerance(double largest)
{
    return 0x1p-13 * largest + F0T_TOLERANCE_LEAST;
}

/* The first entry of found[n] outside [low, high], or n. */
static size_t find_outside(const float *found, const float *low, const float *high, size_t n)
{
    const double near = loss_tolerance(fmax(largest_of(low, n), largest_of(high, n)));
    for (size_t i = 0; i < n; i++)
        if (!((double)found[i] >= (double)low[i] - near &&
              (double)found[i] <= (double)high[i] + near))
            return i;
    return n;
}

/* The gradient of a score jumps where a bracket of the loss becomes 0, and rounding may decide it: low and high are what
 * it is with relevant scores that are somewhat lower and higher. */
static f0t_status widen(float *low, float *high, const chain *at, const float *scores, size_t row)
{
    const f0t_device_check *c = at->c;
    float *moved = c->expected[2];
    const float by = (float)(0x1p-20 * (1 + largest_of(scores, c->columns)));
    for (int up = -1; up <= 1; up += 2) {
        f0t_loss_result result;
        memcpy(moved, scores, c->columns * sizeof *moved);
        for (size_t i = at->s->offsets[row]; i < at->s->offsets[row + 1]; i++)
            moved[at->s->relevant[i]] += (float)up * by;
        F0T_TRY(run_reference(&result, moved, at, moved, row, 1));
        for (size_t t = 0; t < c->columns; t++) {
            low[t] = fminf(low[t], moved[t]);
            high[t] = fmaxf(high[t], moved[t]);
        }
    }
    return F0T_OK;
}

/* The gradient of row i of those that are looked at against `expected`. */
static f0t_status compare_gradient(const chain *at, size_t i, const float *expected)
{
    const f0t_device_check *c = at->c;
    const size_t n = c->columns, row = c->rows[i];
    const float *found = c->gradient + i * n;
    float *low = c->expected[0], *high = c->expected[1];
    size_t bad = find_outside(found, expected, expected, n);
    if (bad == n)
        return F0T_OK;
    const double wanted = (double)expected[bad];
    memmove(low, expected, n * sizeof *low);
    memcpy(high, low, n * sizeof *high);
    if (c->objective->tags && c->objective->count)
        F0T_TRY(widen(low, high, at, c->scores + i * n, row));
    bad = find_outside(found, low, high, n);
    return bad == n ? F0T_OK
                    : fails(at, (double)found[bad], wanted,
                            "the gradient of the loss by score %zu of image %zu", bad + 1,
                            (size_t)c->data->train->images[at->s->samples[row]] + 1);
}

static f0t_status check_loss_of_rows(const chain *at)
{
    const f0t_device_check *c = at->c;
    for (size_t i = 0; i < ROWS && c->objective->count; i++) {
        f0t_loss_result result;
        F0T_TRY(
            run_reference(&result, c->expected[0], at, c->scores + i * c->columns, c->rows[i], 1));
        F0T_TRY(compare_gradient(at, i, c->expected[0]));
    }
    return F0T_OK;
}

/* Scores of up to `largest` are rounded in every term of the loss. */
static f0t_status check_whole_loss(const chain *at)
{
    const f0t_device_check *c = at->c;
    f0t_loss_result result;
    F0T_TRY(run_reference(&result, c->whole[1], at, c->whole[0], 0, at->s->rows));
    for (size_t i = 0; i < ROWS; i++)
        F0T_TRY(compare_gradient(at, i, c->whole[1] + c->rows[i] * c->columns));
    const double near = loss_tolerance(fabs(result.loss)) +
                        0x1p-18 * largest_of(c->whole[0], at->s->rows * c->columns);
    return is_near(at->s->loss, result.loss, near)
               ? F0T_OK
               : fails(at, at->s->loss, result.loss, "the loss");
}

/* Of a loss that the CPU computes: numbers that moved. */
static f0t_status check_moved(const chain *at)
{
    const f0t_device_check *c = at->c;
    const float *const there[] = {c->scores, c->gradient};
    static const char *const names[] = {"score", "gradient of the loss by score"};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < ROWS; i++)
            for (size_t t = 0; t < c->columns; t++) {
                const double found = (double)there[k][i * c->columns + t];
                const double expected = (double)at->s->moved[k][c->rows[i] * c->columns + t];
                if (!is_near(found, expected, 0))
                    return fails(at, found, expected, "a copy of %s %zu", names[k], t + 1);
            }
    return F0T_OK;
}

static f0t_status check_loss(const chain *at)
{
    if (at->s->moved)
        return check_moved(at);
    if (!at->c->objective->reference)
        return F0T_OK;
    return f0t_device_check_is_whole(at->c) ? check_whole_loss(at) : check_loss_of_rows(at);
}

/* ---- Gradients --------------------------------------------------------------------------------- */

/* By output u of those that are looked at, for row i of these. */
static f0t_status check_output_gradient(const chain *at, size_t i, size_t u)
{
    const f0t_device_check *c = at->c;
    const size_t d = c->step->net->shape.outputs, o = c->units[at->l + 1][u];
    const float *gradient = c->gradient + i * c->columns;
    const double found = (double)c->layers[at->l].dy[i * d + o];
    double expected = (double)gradient[o];
    double near = f0t_tolerance_rounded(expected, precision_of(at));
    if (c->objective->tags) {
        const f0t_dot dot = f0t_dot_make(gradient, 1, c->objective->tags + o, d, c->columns);
        expected = dot.sum;
        near = f0t_tolerance_dot(&dot, precision_of(at), precision_of(at) == F0T_BF16);
    }
    return is_near(found, expected, near)
               ? F0T_OK
               : fails(at, found, expected, "the gradient of the loss by output %zu", o + 1);
}

/* By unit u of those that layer l takes. */
static f0t_status check_unit_gradient(const chain *at, size_t i, size_t u)
{
    const f0t_device_check *c = at->c;
    const f0t_net_layer *layer = &c->step->net->layers[at->l];
    const f0t_checked_layer *own = &c->layers[at->l];
    const size_t unit = c->units[at->l][u];
    const f0t_dropout dropout = dropout_of(at, at->l);
    const bool passes = own->x[i * layer->inputs + unit] > 0;
    const double scale = passes ? (double)dropout.scale : 0;
    const f0t_dot dot =
        f0t_dot_make(own->dy + i * layer->outputs, 1, own->from_units + u, UNITS, layer->outputs);
    const double found = (double)c->layers[at->l - 1].dy[i * layer->inputs + unit];
    return is_near(found, dot.sum * scale, scale * f0t_tolerance_dot(&dot, precision_of(at), false))
               ? F0T_OK
               : fails(at, found, dot.sum * scale,
                       "the gradient of the loss by unit %zu of layer %zu", unit + 1, at->l);
}

static f0t_status check_row_gradients(chain at)
{
    for (at.l = at.c->step->net->layer_count; at.l-- > 0;)
        for (size_t i = 0; i < ROWS; i++)
            for (size_t u = 0; u < UNITS; u++) {
                if (at.l + 1 == at.c->step->net->layer_count)
                    F0T_TRY(check_output_gradient(&at, i, u));
                if (at.l)
                    F0T_TRY(check_unit_gradient(&at, i, u));
            }
    return F0T_OK;
}

/* Sums of all rows, in bfloat16 of numbers that were rounded since. */
static f0t_status check_bias_gradient(const chain *at, size_t u)
{
    static const float one = 1;
    const f0t_checked_layer *own = &at->c->layers[at->l];
    const f0t_dot dot = f0t_dot_make(own->dy_units + u, UNITS, &one, 0, at->s->rows);
    const double found = (double)own->bias_gradient[u];
    const double near = f0t_tolerance_sum(dot.terms, dot.size) +
                        (precision_of(at) == F0T_BF16 ? 0x1p-8 * dot.size : 0);
    return is_near(found, dot.sum, near)
               ? F0T_OK
               : fails(at, found, dot.sum, "the gradient of bias %u of layer %zu",
                       at->c->units[at->l + 1][u] + 1, at->l + 1);
}

/* ---- The update -------------------------------------------------------------------------------- */

/* A number of the net, by number i of those of its array. */
typedef struct parameter {
    const f0t_checked_array *array;
    size_t i;
    const char *name; /* of the array */
    double gradient, near;
    bool decays, halved;
} parameter;

static f0t_status compare_parameter(const chain *at, const parameter *p, size_t k, double expected,
                                    double near)
{
    static const char *const names[] = {"", "the first moment of ", "the second moment of ",
                                        "the bfloat16 of "};
    const double found = (double)p->array->after[k][p->i];
    return is_near(found, expected, near)
               ? F0T_OK
               : fails(at, found, expected, "%s'%s', number %zu, after its update", names[k],
                       p->name, (size_t)p->array->index[p->i] + 1);
}

static f0t_status check_adam(const chain *at, const parameter *p, const f0t_update_factors *f)
{
    const f0t_checked_array *a = p->array;
    const double g = p->gradient, w = (double)a->before[0][p->i];
    const double old[] = {(double)f->beta1 * (double)a->before[1][p->i],
                          (double)f->beta2 * (double)a->before[2][p->i]};
    const double more[] = {(double)f->rest1 * g, (double)f->rest2 * g * g};
    const double m = (double)a->after[1][p->i], v = (double)a->after[2][p->i];
    const double by = (double)f->rate * m / (sqrt(v) * (double)f->root + (double)f->epsilon);
    F0T_TRY(compare_parameter(at, p, 1, old[0] + more[0],
                              f0t_tolerance_few(fabs(old[0]) + fabs(more[0])) +
                                  (double)f->rest1 * p->near));
    F0T_TRY(compare_parameter(at, p, 2, old[1] + more[1],
                              f0t_tolerance_few(old[1] + more[1]) +
                                  (double)f->rest2 * p->near * (2 * fabs(g) + p->near)));
    return compare_parameter(at, p, 0, (double)f->keep * w - by,
                             f0t_tolerance_few(w) + 0x1p-14 * fabs(by));
}

static f0t_status check_sgd(const chain *at, const parameter *p, const f0t_update_factors *f)
{
    const f0t_checked_array *a = p->array;
    const double w = (double)a->before[0][p->i];
    const double old = (double)f->momentum * (double)a->before[1][p->i];
    const double decay = (double)f->decay * w, m = (double)a->after[1][p->i];
    F0T_TRY(compare_parameter(at, p, 1, old + p->gradient + decay,
                              f0t_tolerance_few(fabs(old) + fabs(p->gradient) + fabs(decay)) +
                                  p->near));
    return compare_parameter(at, p, 0, w - (double)f->rate * m,
                             f0t_tolerance_few(fabs(w) + fabs((double)f->rate * m)));
}

static f0t_status check_parameter(const chain *at, const parameter *p)
{
    const f0t_step *step = at->c->step;
    const f0t_optimizer *optimizer = &step->options.optimizer;
    const float w = p->array->after[0][p->i];
    const f0t_update_factors factors = f0t_update_factors_make(
        optimizer, p->decays, step->count, f0t_step_rate(step, at->l, at->s->rate));
    F0T_TRY(optimizer->kind == F0T_OPTIMIZER_ADAM ? check_adam(at, p, &factors)
                                                  : check_sgd(at, p, &factors));
    return p->halved
               ? compare_parameter(at, p, 3, (double)f0t_bf16_to_f32_ref(f0t_f32_to_bf16_ref(w)), 0)
               : F0T_OK;
}

/* Weight o, i of those that are looked at: its gradient, by all rows, and its update by that. */
static f0t_status check_weight(const chain *at, size_t o, size_t i)
{
    const f0t_net_layer *layer = &at->c->step->net->layers[at->l];
    const f0t_checked_layer *own = &at->c->layers[at->l];
    const f0t_dot dot =
        f0t_dot_make(own->dy_units + o, UNITS, own->x_units + i, UNITS, at->s->rows);
    parameter p = {.array = &own->weight,
                   .i = o * UNITS + i,
                   .name = layer->weight_name,
                   .gradient = dot.sum,
                   .near = f0t_tolerance_dot(&dot, F0T_F32, false),
                   .decays = true,
                   .halved = layer->weight16 != NULL};
    if (own->weight_gradient) {
        const double found = (double)own->weight_gradient[p.i];
        if (!is_near(found, dot.sum, p.near))
            return fails(at, found, dot.sum, "the gradient of '%s', number %zu", p.name,
                         (size_t)own->weight.index[p.i] + 1);
        p.gradient = found;
        p.near = 0;
    }
    return check_parameter(at, &p);
}

static f0t_status check_layer(const chain *at)
{
    const f0t_net_layer *layer = &at->c->step->net->layers[at->l];
    const f0t_checked_layer *own = &at->c->layers[at->l];
    for (size_t u = 0; u < UNITS; u++) {
        const parameter bias = {.array = &own->bias,
                                .i = u,
                                .name = layer->bias_name,
                                .gradient = (double)own->bias_gradient[u]};
        F0T_TRY(check_bias_gradient(at, u));
        if (layer->bias)
            F0T_TRY(check_parameter(at, &bias));
    }
    for (size_t o = 0; o < UNITS; o++)
        for (size_t i = 0; i < UNITS; i++)
            F0T_TRY(check_weight(at, o, i));
    return F0T_OK;
}

static f0t_status check_updates(chain at)
{
    for (at.l = at.c->step->net->layer_count; at.l-- > 0;)
        F0T_TRY(check_layer(&at));
    return F0T_OK;
}

/* ---- All of it --------------------------------------------------------------------------------- */

static f0t_status check_resident(const chain *at)
{
    static const char *const parts[] = {"training", "validation"};
    for (size_t i = 0; i < 2; i++) {
        f0t_resident_fault fault;
        if (!at->s->resident[i])
            continue;
        F0T_TRY(f0t_resident_check(&fault, at->s->resident[i]));
        if (fault.row != F0T_NONE)
            return fails(at, fault.found, fault.expected,
                         "the checksum of the features of %s image %zu", parts[i], fault.row + 1);
    }
    return F0T_OK;
}

static f0t_status check_all(const f0t_device_check *c, const f0t_checked_step *s)
{
    const chain at = {c, s, 0};
    F0T_TRY(check_forward(at));
    F0T_TRY(check_loss(&at));
    F0T_TRY(check_row_gradients(at));
    F0T_TRY(check_updates(at));
    return check_resident(&at);
}

/* Gathered numbers are counted in 32 bits. */
static bool can_count(const f0t_step *step)
{
    for (size_t l = 0; l < step->net->layer_count; l++) {
        const f0t_net_layer *layer = &step->net->layers[l];
        const size_t wider = layer->inputs > layer->outputs ? layer->inputs : layer->outputs;
        if (layer->weight->count > UINT32_MAX || wider * step->options.batch > UINT32_MAX)
            return false;
    }
    return true;
}

f0t_status f0t_device_check_create(f0t_device_check **out, const f0t_step *step,
                                   const f0t_train_data *data, const f0t_objective *objective,
                                   const f0t_train_options *options)
{
    const char *wish = getenv("F0T_DEVICE_CHECK");
    const f0t_compute *compute = step->net->compute;
    f0t_device_check *c;
    *out = NULL;
    if (compute->shares_memory || !compute->gather || !can_count(step) ||
        (wish && strcmp(wish, "0") == 0))
        return F0T_OK;
    F0T_TRY(f0t_alloc_zero(&c, 1, sizeof *c));
    *c = (f0t_device_check){.step = step,
                            .data = data,
                            .objective = objective,
                            .seed = options->seed ^ 0xc4ec,
                            .batch = options->batch,
                            .columns = f0t_step_scores(step)->count / options->batch,
                            .always = wish && strcmp(wish, "all") == 0};
    f0t_status status = f0t_device_check_allocate(c);
    if (status == F0T_OK)
        *out = c;
    else
        f0t_device_check_free(c);
    return status;
}

bool f0t_device_check_chooses(const f0t_device_check *c, size_t epoch, size_t batch, size_t batches)
{
    const f0t_random random = {c->seed, UINT64_MAX};
    return c->always || batch == f0t_random_below(&random, epoch, batches);
}

bool f0t_device_check_has_time(const f0t_device_check *c, double seconds)
{
    return c->always || !c->count || c->spent <= SHARE * seconds;
}

f0t_status f0t_device_check_before(f0t_device_check *c)
{
    const double began = f0t_time();
    f0t_device_check_draw_units(c);
    f0t_status status = f0t_device_check_take_before(c);
    c->spent += f0t_time() - began;
    return status;
}

f0t_status f0t_device_check_after(f0t_device_check *c, const f0t_checked_step *s)
{
    const double began = f0t_time();
    f0t_device_check_draw_rows(c, s->rows);
    f0t_status status = f0t_device_check_take_after(c, s->rows);
    if (status == F0T_OK)
        status = check_all(c, s);
    c->spent += f0t_time() - began;
    c->count++;
    return status;
}

/* ---- Between steps ----------------------------------------------------------------------------- */

f0t_status f0t_device_check_hold(f0t_device_check *c, const f0t_net *net)
{
    const double began = f0t_time();
    f0t_device_check_draw_units(c);
    f0t_status status = f0t_device_check_take_weights(c, net, false);
    c->spent += f0t_time() - began;
    return status;
}

static f0t_status compare_held(const f0t_device_check *c, const f0t_checked_array *a,
                               const char *name, const char *when)
{
    for (size_t i = 0; i < a->n; i++)
        if (memcmp(&a->before[0][i], &a->after[0][i], sizeof(float)) != 0)
            return f0t_fail(F0T_ERROR_IO,
                            "the device '%s' computes wrongly: '%s', number %zu, was %.9g and is "
                            "%.9g %s, which changes no weight" ADVICE,
                            c->step->net->compute->device, name, (size_t)a->index[i] + 1,
                            (double)a->before[0][i], (double)a->after[0][i], when);
    return F0T_OK;
}

f0t_status f0t_device_check_same(f0t_device_check *c, const f0t_net *net, const char *when)
{
    const double began = f0t_time();
    f0t_status status = f0t_device_check_take_weights(c, net, true);
    for (size_t l = 0; l < net->layer_count && status == F0T_OK; l++) {
        const f0t_net_layer *layer = &net->layers[l];
        status = compare_held(c, &c->layers[l].weight, layer->weight_name, when);
        if (status == F0T_OK && layer->bias)
            status = compare_held(c, &c->layers[l].bias, layer->bias_name, when);
    }
    c->spent += f0t_time() - began;
    return status;
}

uint64_t f0t_device_check_count(const f0t_device_check *c, double *seconds)
{
    *seconds = c->spent;
    return c->count;
}
