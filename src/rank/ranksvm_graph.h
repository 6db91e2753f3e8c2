/* The bipartite graph of the pairs in the zone, on a working set, and the Newton step it gives. */
#ifndef F0T_RANK_RANKSVM_GRAPH_H
#define F0T_RANK_RANKSVM_GRAPH_H

#include "base/status.h"
#include "rank/ranksvm_kernels.h"

/* Nodes are tags that have a pair in the zone, known by their places in the working set. In each
 * connected component one relevant tag is the ground; the other nodes are listed. */
typedef struct f0t_svm_graph {
    size_t room;             /* tags of a working set at most */
    size_t relevant;         /* listed relevant nodes */
    size_t irrelevant;       /* listed irrelevant nodes */
    size_t count;            /* both: the relevant ones first */
    size_t *places;          /* [room] of the listed nodes */
    size_t *grounds;         /* [room] the places of their grounds */
    size_t *parents;         /* [room] while components are joined */
    double *degrees;         /* [room] of all tags of the set, by place */
    double *pairs;           /* [room²/4] 1 where a relevant and an irrelevant tag are a pair */
    double *links;           /* [room²/4] the same for listed nodes */
    double *shares;          /* [room²/4] links divided by the degree of the irrelevant node */
    double *spread;          /* [room²/4] inverse · shares */
    double *schur, *inverse; /* [room²] of relevant nodes */
    double *system;          /* [room²] */
    double *solution;        /* [room] */
    double *columns;         /* [8 x room] */
} f0t_svm_graph;

/* A working set, relevant tags first. */
typedef struct f0t_svm_set {
    const double *scores; /* [count] */
    size_t relevant;
    size_t count;
    /* Row i of the Gram matrix, [count]. */
    const double *(*gram_row)(void *context, size_t i);
    void *context;
} f0t_svm_set;

f0t_status f0t_svm_graph_create(f0t_svm_graph **out, size_t room);
void f0t_svm_graph_free(f0t_svm_graph *graph);

/* Adds to step[count] the e of (λ I + k L K) e = −k L scores', where scores' are those of the
 * gradient step: together they are the Newton step. False when rounding makes the system
 * singular. */
bool f0t_svm_graph_bend(f0t_svm_graph *graph, double *step, const double *gradient_scores,
                        const f0t_svm_set *set, double lambda, f0t_svm_loss loss);

#endif
