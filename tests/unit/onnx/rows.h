/*
 * Networks as rows of a table: text (onnx_text.h) and what comes of it, which both the plain operators
 * and the fast path must give. Input elements are 0, 1, 2, …
 */
#ifndef F0T_TESTS_ONNX_ROWS_H
#define F0T_TESTS_ONNX_ROWS_H

#include "onnx_text.h"
#include "support.h"

#include "onnx/schedule.h"
#include "onnx_interpret.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENDS = 4, LINE = 1 << 14 };

typedef struct row {
    const char *text; /* returns y, unless it says what */
    const char *want; /* types, shapes and elements of the outputs; '!' and part of a message; or
                         '=' when it is enough that the two agree */
} row;

/* ---- Running a row ------------------------------------------------------------------------------
 */

typedef struct net {
    onnx_bytes file;
    f0t_onnx_graph *graph;
    f0t_onnx_array inputs[ENDS];
} net;

static inline f0t_status open_net(net *n, const char *text)
{
    char *line = strstr(text, "return") ? strdup(text) : NULL;
    assert_true(line || asprintf(&line, "%s; return y", text) > 0);
    *n = (net){.file = onnx_from_text(line)};
    free(line);
    F0T_TRY(f0t_onnx_graph_open_memory(&n->graph, n->file.data, n->file.size, "made", NULL, NULL));
    assert_true(n->graph->input_count <= ENDS && n->graph->output_count <= ENDS);
    for (size_t k = 0; k < n->graph->input_count; k++) {
        const f0t_onnx_port *end = &n->graph->inputs[k];
        f0t_onnx_array *in = &n->inputs[k];
        F0T_TRY(f0t_onnx_array_shape(in, (f0t_onnx_array_type)end->type, end->rank, end->dims));
        F0T_TRY(f0t_onnx_array_alloc(in));
        for (size_t e = 0; e < in->count; e++)
            if (in->f)
                in->f[e] = (float)e;
            else
                in->i[e] = (int64_t)e;
    }
    return F0T_OK;
}

static inline void close_net(net *n)
{
    for (size_t k = 0; k < ENDS; k++)
        f0t_onnx_array_clear(&n->inputs[k]);
    f0t_onnx_graph_close(n->graph);
    onnx_bytes_free(&n->file);
}

/* "float32 2x3: 0 1 2 3 4 5", outputs after a "; ". */
static inline void show(char out[LINE], const f0t_onnx_array *arrays, size_t count)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t k = 0; k < count; k++) {
        const f0t_onnx_array *a = &arrays[k];
        char shape[96];
        f0t_onnx_array_print_shape(shape, sizeof shape, a);
        used += (size_t)snprintf(out + used, LINE - used, "%s%s %s:", k ? "; " : "",
                                 f0t_onnx_array_type_name((int)a->type), shape);
        for (size_t e = 0; e < a->count && used < LINE; e++)
            used += a->i ? (size_t)snprintf(out + used, LINE - used, " %lld", (long long)a->i[e])
                    : isnan(a->f[e]) /* of either sign */
                        ? (size_t)snprintf(out + used, LINE - used, " nan")
                        : (size_t)snprintf(out + used, LINE - used, " %.4g", (double)a->f[e] + 0.0);
    }
    assert_true(used < LINE);
}

static inline f0t_status interpret(net *n, char line[LINE])
{
    f0t_onnx_array outputs[ENDS] = {{0}};
    f0t_status status = onnx_interpret(n->graph, n->inputs, outputs);
    if (status == F0T_OK)
        show(line, outputs, n->graph->output_count);
    for (size_t k = 0; k < ENDS; k++)
        f0t_onnx_array_clear(&outputs[k]);
    return status;
}

static inline f0t_status run_schedule(f0t_onnx_schedule *s, const net *n, f0t_onnx_array *outputs)
{
    const float *data[ENDS] = {NULL};
    void *memory[ENDS] = {NULL};
    for (size_t k = 0; k < n->graph->input_count; k++)
        data[k] = n->inputs[k].f;
    for (size_t k = 0; k < n->graph->output_count; k++) {
        const f0t_onnx_array *shape = f0t_onnx_schedule_output(s, k);
        F0T_TRY(f0t_onnx_array_shape(&outputs[k], shape->type, shape->rank, shape->dims));
        F0T_TRY(f0t_onnx_array_alloc(&outputs[k]));
        memory[k] = outputs[k].f ? (void *)outputs[k].f : (void *)outputs[k].i;
    }
    return f0t_onnx_schedule_run(memory, s, data, NULL);
}

/* Float inputs vary, the others are constants. */
static inline f0t_status make_schedule_as(f0t_onnx_schedule **s, const net *n,
                                          f0t_onnx_weights *weights, bool bf16)
{
    f0t_onnx_array shapes[ENDS];
    size_t wanted[ENDS];
    for (size_t k = 0; k < ENDS; k++) {
        shapes[k] = n->inputs[k];
        shapes[k].f = NULL;
    }
    for (size_t k = 0; k < n->graph->output_count; k++)
        wanted[k] = n->graph->outputs[k].value;
    f0t_onnx_schedule_options options = {
        .inputs = shapes, .outputs = wanted, .output_count = n->graph->output_count, .bf16 = bf16};
    return f0t_onnx_schedule_create(s, n->graph, weights, &options);
}

static inline f0t_status make_schedule(f0t_onnx_schedule **s, const net *n,
                                       f0t_onnx_weights *weights)
{
    return make_schedule_as(s, n, weights, false);
}

static inline size_t count_steps(const char *text)
{
    f0t_onnx_weights *weights;
    f0t_onnx_schedule *s;
    net n;
    assert_ok(open_net(&n, text));
    assert_ok(f0t_onnx_weights_create(&weights));
    assert_ok(make_schedule(&s, &n, weights));
    const size_t steps = f0t_onnx_schedule_steps(s);
    f0t_onnx_schedule_free(s);
    f0t_onnx_weights_free(weights);
    close_net(&n);
    return steps;
}

static inline f0t_status schedule(net *n, char line[LINE])
{
    f0t_onnx_array outputs[ENDS] = {{0}};
    f0t_onnx_weights *weights;
    f0t_onnx_schedule *s = NULL;
    F0T_TRY(f0t_onnx_weights_create(&weights));
    f0t_status status = make_schedule(&s, n, weights);
    if (status == F0T_OK)
        status = run_schedule(s, n, outputs);
    if (status == F0T_OK)
        show(line, outputs, n->graph->output_count);
    f0t_onnx_schedule_free(s);
    f0t_onnx_weights_free(weights);
    for (size_t k = 0; k < ENDS; k++)
        f0t_onnx_array_clear(&outputs[k]);
    return status;
}

/* Whether the result is what the row wants; says so when not. */
static inline bool is_wanted(const row *r, const char *how, f0t_status status, const char *line)
{
    bool failed = status != F0T_OK, should = r->want[0] == '!';
    bool right = failed
                     ? should && strstr(f0t_last_error(), r->want + 1) && status != F0T_ERROR_MEMORY
                     : !should && strcmp(line, r->want) == 0;
    if (!right)
        print_error("%s\n  %s: %s\n  wanted: %s\n", r->text, how, failed ? f0t_last_error() : line,
                    r->want);
    return right;
}

static inline void check(const row *rows, size_t count)
{
    size_t wrong = 0;
    for (size_t k = 0; k < count; k++) {
        static char plain[LINE];
        char line[LINE] = "";
        net n;
        f0t_status status = open_net(&n, rows[k].text);
        if (status != F0T_OK) {
            wrong += !is_wanted(&rows[k], "read", status, line);
        } else {
            row r = rows[k];
            status = interpret(&n, line);
            if (r.want[0] == '=' && status == F0T_OK)
                r.want = memcpy(plain, line, sizeof plain);
            wrong += !is_wanted(&r, "plain", status, line);
            wrong += !is_wanted(&r, "fast", schedule(&n, line), line);
        }
        close_net(&n);
    }
    assert_int_equal(wrong, 0);
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))

#endif
