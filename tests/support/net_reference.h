/* The net, its gradients and the optimisers in plain loops and double: what the fast ones are
 * compared with. Always compiled. */
#ifndef F0T_MODEL_NET_REFERENCE_H
#define F0T_MODEL_NET_REFERENCE_H

#include "compute/dropout.h"
#include "compute/optimizer.h"
#include "model/net.h"

/* Arrays in the order of f0t_net_array: weights, biases, …; `count` of them, size[i] numbers each. */
typedef struct f0t_net_ref {
    f0t_net_shape shape;
    size_t count;
    size_t size[2 * (F0T_NET_HIDDEN_MAX + 1)];
    double *w[2 * (F0T_NET_HIDDEN_MAX + 1)]; /* parameters */
    double *g[2 * (F0T_NET_HIDDEN_MAX + 1)]; /* gradients */
    double *m[2 * (F0T_NET_HIDDEN_MAX + 1)]; /* moments */
    double *v[2 * (F0T_NET_HIDDEN_MAX + 1)];
} f0t_net_ref;

/* With the parameters of `net`; the rest is 0. */
f0t_status f0t_net_ref_create(f0t_net_ref **out, const f0t_net *net);
void f0t_net_ref_free(f0t_net_ref *ref);

/* What a mini-batch x[rows x D] meets: factors[l][rows x inputs of layer l] are those of dropout (0,
 * or the scale), NULL for none. */
typedef struct f0t_batch_ref {
    const double *x;
    size_t rows;
    const double *factors[F0T_NET_HIDDEN_MAX + 1];
} f0t_batch_ref;

/* f[rows x d]; and, for df[rows x d], the gradients of Σ df·f into ref->g. */
f0t_status f0t_net_ref_forward(const f0t_net_ref *ref, double *f, const f0t_batch_ref *batch);
f0t_status f0t_net_ref_backward(f0t_net_ref *ref, const double *df, const f0t_batch_ref *batch);

/* One step, t from 1, by the gradients in ref->g. */
void f0t_net_ref_update(f0t_net_ref *ref, const f0t_optimizer *optimizer, uint64_t t, double rate);

/* The same for one array of n numbers. */
void f0t_optimizer_update_ref(double *w, double *m, double *v, const double *g, size_t n,
                              bool decays, const f0t_optimizer *optimizer, uint64_t t, double rate);

/* Factors of the first n elements of a layer. */
void f0t_dropout_factors_ref(double *factors, size_t n, const f0t_dropout *dropout);

#endif
