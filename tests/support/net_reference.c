#include "net_reference.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/* ---- Creation -----------------------------------------------------------------------------------
 */

static f0t_status create_array(f0t_net_ref *ref, const f0t_net *net, size_t i)
{
    f0t_model_array array = f0t_net_array(net, i);
    size_t n = ref->size[i] = array.rows * array.cols;
    float *values;
    F0T_TRY(f0t_alloc(&ref->w[i], n, sizeof(double)));
    F0T_TRY(f0t_alloc_zero(&ref->g[i], n, sizeof(double)));
    F0T_TRY(f0t_alloc_zero(&ref->m[i], n, sizeof(double)));
    F0T_TRY(f0t_alloc_zero(&ref->v[i], n, sizeof(double)));
    F0T_TRY(f0t_alloc(&values, n, sizeof(float)));
    f0t_status status = f0t_net_array_get(values, net, i);
    for (size_t j = 0; status == F0T_OK && j < n; j++)
        ref->w[i][j] = (double)values[j];
    f0t_free(values);
    return status;
}

static f0t_status create_arrays(f0t_net_ref *ref, const f0t_net *net)
{
    for (size_t i = 0; i < ref->count; i++)
        F0T_TRY(create_array(ref, net, i));
    return F0T_OK;
}

f0t_status f0t_net_ref_create(f0t_net_ref **out, const f0t_net *net)
{
    f0t_net_ref *ref;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&ref, 1, sizeof *ref));
    ref->shape = *f0t_net_get_shape(net);
    ref->count = f0t_net_array_count(net);
    f0t_status status = create_arrays(ref, net);
    if (status == F0T_OK)
        *out = ref;
    else
        f0t_net_ref_free(ref);
    return status;
}

void f0t_net_ref_free(f0t_net_ref *ref)
{
    if (!ref)
        return;
    for (size_t i = 0; i < ref->count; i++) {
        f0t_free(ref->w[i]);
        f0t_free(ref->g[i]);
        f0t_free(ref->m[i]);
        f0t_free(ref->v[i]);
    }
    f0t_free(ref);
}

/* ---- Forward and backward -----------------------------------------------------------------------
 */

static size_t weight_index(const f0t_net_ref *ref, size_t layer)
{
    return ref->shape.bias ? 2 * layer : layer;
}

/* h[l] is what layer l takes, after dropout; h[layers] the outputs. */
typedef struct activations {
    double *h[F0T_NET_HIDDEN_MAX + 2];
    double *d[F0T_NET_HIDDEN_MAX + 2]; /* gradients of what layer l - 1 gives before its ReLU */
} activations;

static void free_activations(activations *all)
{
    for (size_t l = 0; l < F0T_NET_HIDDEN_MAX + 2; l++) {
        f0t_free(all->h[l]);
        f0t_free(all->d[l]);
    }
}

static f0t_status create_activations(activations *all, const f0t_net_ref *ref, size_t rows)
{
    memset(all, 0, sizeof *all);
    for (size_t l = 0; l <= f0t_net_shape_layers(&ref->shape); l++) {
        size_t width = l < f0t_net_shape_layers(&ref->shape) ? f0t_net_shape_inputs(&ref->shape, l)
                                                             : ref->shape.outputs;
        F0T_TRY(f0t_alloc(&all->h[l], rows * width, sizeof(double)));
        F0T_TRY(f0t_alloc_zero(&all->d[l], rows * width, sizeof(double)));
    }
    return F0T_OK;
}

static void drop(double *h, const double *factors, size_t n)
{
    for (size_t i = 0; factors && i < n; i++)
        h[i] *= factors[i];
}

static void forward_layer(const f0t_net_ref *ref, size_t l, activations *all, size_t rows)
{
    size_t inputs = f0t_net_shape_inputs(&ref->shape, l);
    size_t outputs = f0t_net_shape_outputs(&ref->shape, l);
    const double *w = ref->w[weight_index(ref, l)];
    for (size_t r = 0; r < rows; r++)
        for (size_t o = 0; o < outputs; o++) {
            double sum = ref->shape.bias ? ref->w[2 * l + 1][o] : 0;
            for (size_t i = 0; i < inputs; i++)
                sum += w[o * inputs + i] * all->h[l][r * inputs + i];
            bool clipped = l < ref->shape.hidden_count && sum < 0;
            all->h[l + 1][r * outputs + o] = clipped ? 0 : sum;
        }
}

static void forward(const f0t_net_ref *ref, activations *all, const f0t_batch_ref *batch)
{
    memcpy(all->h[0], batch->x, batch->rows * ref->shape.inputs * sizeof(double));
    for (size_t l = 0; l < f0t_net_shape_layers(&ref->shape); l++) {
        drop(all->h[l], batch->factors[l], batch->rows * f0t_net_shape_inputs(&ref->shape, l));
        forward_layer(ref, l, all, batch->rows);
    }
}

static void backward_layer(f0t_net_ref *ref, size_t l, activations *all, size_t rows)
{
    size_t inputs = f0t_net_shape_inputs(&ref->shape, l);
    size_t outputs = f0t_net_shape_outputs(&ref->shape, l), at = weight_index(ref, l);
    for (size_t r = 0; r < rows; r++)
        for (size_t o = 0; o < outputs; o++) {
            double d = all->d[l + 1][r * outputs + o];
            if (ref->shape.bias)
                ref->g[at + 1][o] += d;
            for (size_t i = 0; i < inputs; i++) {
                ref->g[at][o * inputs + i] += d * all->h[l][r * inputs + i];
                all->d[l][r * inputs + i] += d * ref->w[at][o * inputs + i];
            }
        }
}

static void backward(f0t_net_ref *ref, activations *all, const f0t_batch_ref *batch)
{
    for (size_t l = f0t_net_shape_layers(&ref->shape); l-- > 0;) {
        backward_layer(ref, l, all, batch->rows);
        size_t n = l ? batch->rows * f0t_net_shape_inputs(&ref->shape, l) : 0;
        drop(all->d[l], batch->factors[l], n);
        for (size_t i = 0; i < n; i++)
            if (all->h[l][i] <= 0)
                all->d[l][i] = 0;
    }
}

f0t_status f0t_net_ref_forward(const f0t_net_ref *ref, double *f, const f0t_batch_ref *batch)
{
    activations all;
    size_t last = f0t_net_shape_layers(&ref->shape);
    f0t_status status = create_activations(&all, ref, batch->rows);
    if (status == F0T_OK) {
        forward(ref, &all, batch);
        memcpy(f, all.h[last], batch->rows * ref->shape.outputs * sizeof(double));
    }
    free_activations(&all);
    return status;
}

f0t_status f0t_net_ref_backward(f0t_net_ref *ref, const double *df, const f0t_batch_ref *batch)
{
    activations all;
    size_t last = f0t_net_shape_layers(&ref->shape);
    for (size_t i = 0; i < ref->count; i++)
        memset(ref->g[i], 0, ref->size[i] * sizeof(double));
    f0t_status status = create_activations(&all, ref, batch->rows);
    if (status == F0T_OK) {
        forward(ref, &all, batch);
        memcpy(all.d[last], df, batch->rows * ref->shape.outputs * sizeof(double));
        backward(ref, &all, batch);
    }
    free_activations(&all);
    return status;
}

/* ---- Optimisers and dropout ---------------------------------------------------------------------
 */

static void update_adam(double *w, double *m, double *v, double g, double decay,
                        const f0t_optimizer *o, uint64_t t, double rate)
{
    *m = o->beta1 * *m + (1 - o->beta1) * g;
    *v = o->beta2 * *v + (1 - o->beta2) * g * g;
    double mean = *m / (1 - pow(o->beta1, (double)t));
    double square = *v / (1 - pow(o->beta2, (double)t));
    *w -= rate * decay * *w;
    *w -= rate * mean / (sqrt(square) + o->epsilon);
}

void f0t_optimizer_update_ref(double *w, double *m, double *v, const double *g, size_t n,
                              bool decays, const f0t_optimizer *optimizer, uint64_t t, double rate)
{
    double decay = decays ? optimizer->decay : 0;
    for (size_t i = 0; i < n; i++) {
        if (optimizer->kind == F0T_OPTIMIZER_ADAM) {
            update_adam(&w[i], &m[i], &v[i], g[i], decay, optimizer, t, rate);
        } else {
            m[i] = optimizer->momentum * m[i] + g[i] + decay * w[i];
            w[i] -= rate * m[i];
        }
    }
}

void f0t_net_ref_update(f0t_net_ref *ref, const f0t_optimizer *optimizer, uint64_t t, double rate)
{
    for (size_t i = 0; i < ref->count; i++) {
        bool weight = !ref->shape.bias || i % 2 == 0;
        f0t_optimizer_update_ref(ref->w[i], ref->m[i], ref->v[i], ref->g[i], ref->size[i], weight,
                                 optimizer, t, rate);
    }
}

void f0t_dropout_factors_ref(double *factors, size_t n, const f0t_dropout *dropout)
{
    for (size_t i = 0; i < n; i++)
        factors[i] =
            f0t_dropout_number(&dropout->random, i) < dropout->limit ? 0 : (double)dropout->scale;
}
