#include "onnx_exercise.h"

#include "base/alloc.h"
#include "onnx/head.h"
#include "onnx/quantise.h"
#include "onnx/schedule.h"
#include "onnx/summary.h"
#include "onnx_interpret.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What takes more than this many elements is made, not run: the fuzzer lives by many runs. */
enum { SMALL = 1 << 14, ENDS = 4, NODES = 64 };

static volatile double sink; /* keeps the compiler from leaving out what is read */

static void read_all(const f0t_onnx_array *array)
{
    double sum = 0;
    for (size_t k = 0; k < array->count; k++)
        sum += array->f ? (double)array->f[k] : (double)array->i[k];
    sink = sum;
}

/* Names, nodes and constants that were accepted can be touched. */
static void touch(const f0t_onnx_graph *graph)
{
    size_t sum = 0;
    for (size_t v = 0; v < graph->value_count; v++) {
        f0t_onnx_array copy;
        sum += strlen(graph->values[v].name);
        if (f0t_onnx_array_copy(&copy, &graph->values[v].constant) == F0T_OK) {
            if (f0t_onnx_array_known(&copy))
                read_all(&copy);
            f0t_onnx_array_clear(&copy);
        }
    }
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t k = 0; k < graph->nodes[n].input_count; k++)
            sum += graph->nodes[n].inputs[k];
    sink = (double)sum;
}

/* ---- Inputs -------------------------------------------------------------------------------------
 */

static void fill(float *to, size_t count, uint32_t seed)
{
    static const float odd[] = {NAN,   INFINITY, -INFINITY, 3e38F, -3e38F,        1e-40F,
                                -0.0F, 0,        1,         -1,    2147483648.0F, -9.3e18F};
    for (size_t k = 0; k < count; k++) {
        seed = seed * 1664525U + 1013904223U;
        uint32_t high = seed >> 8;
        to[k] = high % 16 == 0 ? odd[(high >> 4) % (sizeof odd / sizeof *odd)]
                               : ((float)(high % 4096) - 2048) / 512;
    }
}

/* Elements for every input, the open first dimension being `images`; false when they are not float or
 * not few. */
static bool make_inputs(f0t_onnx_array *inputs, const f0t_onnx_graph *graph, size_t images)
{
    for (size_t k = 0; k < graph->input_count; k++) {
        const f0t_onnx_port *end = &graph->inputs[k];
        size_t dims[F0T_ONNX_RANK];
        for (size_t d = 0; d < end->rank; d++)
            dims[d] = end->dims[d] ? end->dims[d] : d == 0 ? images : 2;
        if (end->type != F0T_ONNX_FLOAT ||
            f0t_onnx_array_shape(&inputs[k], F0T_ONNX_FLOAT, end->rank, dims) != F0T_OK ||
            inputs[k].count > SMALL || f0t_onnx_array_alloc(&inputs[k]) != F0T_OK)
            return false;
        fill(inputs[k].f, inputs[k].count, (uint32_t)(images * 31 + k));
    }
    return true;
}

/* ---- Running ------------------------------------------------------------------------------------
 */

static bool is_used(const f0t_onnx_graph *graph, size_t value)
{
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t k = 0; k < graph->nodes[n].input_count; k++)
            if (graph->nodes[n].inputs[k] == value)
                return true;
    for (size_t k = 0; k < graph->output_count; k++)
        if (graph->outputs[k].value == value)
            return true;
    return false;
}

/* A node that leads nowhere is not in the schedule, which was found to take little: the plain operators
 * would run it all the same, for as long as it takes. */
static bool all_nodes_count(const f0t_onnx_graph *graph)
{
    for (size_t n = 0; n < graph->node_count; n++) {
        bool used = false;
        for (size_t k = 0; k < graph->nodes[n].output_count; k++)
            used |= is_used(graph, graph->nodes[n].outputs[k]);
        if (!used)
            return false;
    }
    return true;
}

/* The plain operators give arrays of the same types and shapes. */
static void compare(const f0t_onnx_schedule *schedule, const f0t_onnx_graph *graph,
                    const f0t_onnx_array *inputs)
{
    f0t_onnx_array plain[ENDS] = {{0}};
    if (all_nodes_count(graph) && onnx_interpret(graph, inputs, plain) == F0T_OK)
        for (size_t k = 0; k < graph->output_count; k++) {
            const f0t_onnx_array *want = f0t_onnx_schedule_output(schedule, k);
            read_all(&plain[k]);
            if (plain[k].type != want->type || !f0t_onnx_array_same_shape(&plain[k], want))
                abort();
        }
    for (size_t k = 0; k < ENDS; k++)
        f0t_onnx_array_clear(&plain[k]);
}

/* Outputs of exactly the size that the schedule says. */
static void run(f0t_onnx_schedule *schedule, const f0t_onnx_graph *graph,
                const f0t_onnx_array *inputs)
{
    const float *data[ENDS] = {NULL};
    void *memory[ENDS] = {NULL};
    f0t_onnx_array outputs[ENDS] = {{0}};
    bool ready = f0t_onnx_schedule_arena(schedule) <= SMALL * sizeof(float) * 4;
    for (size_t k = 0; k < graph->input_count; k++)
        data[k] = inputs[k].f;
    for (size_t k = 0; k < graph->output_count && ready; k++) {
        const f0t_onnx_array *shape = f0t_onnx_schedule_output(schedule, k);
        ready =
            shape->count <= SMALL &&
            f0t_onnx_array_shape(&outputs[k], shape->type, shape->rank, shape->dims) == F0T_OK &&
            f0t_onnx_array_alloc(&outputs[k]) == F0T_OK;
        memory[k] = outputs[k].f ? (void *)outputs[k].f : (void *)outputs[k].i;
    }
    if (ready && f0t_onnx_schedule_run(memory, schedule, data, NULL) == F0T_OK) {
        for (size_t k = 0; k < graph->output_count; k++)
            read_all(&outputs[k]);
        compare(schedule, graph, inputs);
    }
    for (size_t k = 0; k < ENDS; k++)
        f0t_onnx_array_clear(&outputs[k]);
}

/* The layer between the features and each of the outputs. */
static void take_heads(const f0t_onnx_graph *graph, const f0t_onnx_array *shapes)
{
    for (size_t k = 0; k < graph->output_count; k++) {
        f0t_onnx_head head;
        double sum = 0;
        if (f0t_onnx_head_read(&head, graph, shapes, f0t_onnx_graph_features(graph),
                               graph->outputs[k].value, NULL) != F0T_OK)
            continue;
        for (size_t c = 0; c < head.classes; c++)
            for (size_t d = 0; d < head.dim; d++)
                sum += (double)head.weights[c * head.dim + d] + (double)head.bias[c];
        sink = sum;
        f0t_onnx_head_clear(&head);
    }
}

static void schedule(const f0t_onnx_graph *graph, f0t_onnx_weights *weights, size_t images)
{
    f0t_onnx_array inputs[ENDS] = {{0}}, shapes[ENDS];
    size_t outputs[ENDS];
    f0t_onnx_schedule *made = NULL;
    bool ready = make_inputs(inputs, graph, images);
    for (size_t k = 0; k < graph->input_count; k++) {
        shapes[k] = inputs[k];
        shapes[k].f = NULL;
    }
    for (size_t k = 0; k < graph->output_count; k++)
        outputs[k] = graph->outputs[k].value;
    f0t_onnx_schedule_options options = {
        .inputs = shapes, .outputs = outputs, .output_count = graph->output_count};
    if (ready)
        take_heads(graph, shapes);
    if (ready && f0t_onnx_schedule_create(&made, graph, weights, &options) == F0T_OK)
        run(made, graph, inputs);
    f0t_onnx_schedule_free(made);
    for (size_t k = 0; k < ENDS; k++)
        f0t_onnx_array_clear(&inputs[k]);
}

/* ---- As a network of pictures -------------------------------------------------------------------
 */

enum { SIDE = 8, PICTURES = 3 };

typedef struct pictures {
    const f0t_onnx_graph *graph;
    const void *data;
    size_t size, output;
    f0t_onnx_picture picture;
    float *pixels; /* [PICTURES] pictures */
} pictures;

/* Whether it takes little to run. */
static bool is_small(const pictures *p)
{
    f0t_onnx_array *inputs;
    f0t_onnx_weights *weights = NULL;
    f0t_onnx_schedule *made = NULL;
    if (f0t_onnx_picture_inputs(&inputs, &p->picture, p->graph, 1) != F0T_OK)
        return false;
    const f0t_onnx_schedule_options options = {
        .inputs = inputs, .outputs = &p->output, .output_count = 1};
    bool small = inputs[p->picture.input].count <= SMALL &&
                 f0t_onnx_weights_create(&weights) == F0T_OK &&
                 f0t_onnx_schedule_create(&made, p->graph, weights, &options) == F0T_OK &&
                 f0t_onnx_schedule_arena(made) <= SMALL * sizeof(float) * 4 &&
                 f0t_onnx_schedule_output(made, 0)->count <= SMALL;
    f0t_onnx_schedule_free(made);
    if (weights)
        f0t_onnx_weights_free(weights);
    f0t_free(inputs);
    return small;
}

/* Numbers for each picture, that are all there; 0: it is no such network. */
static size_t run_pictures(const pictures *p, const void *data, size_t size)
{
    const f0t_network_options options = {.size = sizeof options,
                                         .output = p->graph->values[p->output].name,
                                         .height = SIDE,
                                         .width = SIDE};
    f0t_network *network;
    if (f0t_network_open_memory(&network, data, size, "pictures.onnx", &options, NULL) != F0T_OK)
        return 0;
    const size_t dim = f0t_network_dim(network);
    float *out = malloc(PICTURES * dim * sizeof *out);
    if (out && f0t_network_run(out, network, p->pixels, PICTURES, NULL) == F0T_OK)
        read_all(&(f0t_onnx_array){.count = PICTURES * dim, .f = out});
    free(out);
    f0t_network_close(network);
    return dim;
}

/* In eight bits it gives as many numbers, where it can be run. */
static void quantise(const pictures *p, size_t dim)
{
    static const f0t_onnx_calibration hows[] = {{.percentile = 99, .narrow = true},
                                                {.entropy = true, .percentile = 100}};
    f0t_onnx_quantiser *q;
    f0t_onnx_pack file;
    bool kept[NODES] = {false};
    if (f0t_onnx_quantiser_create(&q, p->graph, &p->picture, p->output, NULL) != F0T_OK)
        return;
    for (size_t k = 0; k < 2 && f0t_onnx_quantiser_observe(q, p->pixels) == F0T_OK; k++) {
        kept[0] = k && f0t_onnx_quantiser_layers(q) > 1;
        if (f0t_onnx_quantiser_write(&file, q, kept, &hows[k]) != F0T_OK)
            continue;
        const size_t eight = run_pictures(p, file.data, file.size);
        if (eight && eight != dim)
            abort();
        f0t_onnx_pack_clear(&file);
    }
    f0t_onnx_quantiser_free(q);
}

static void take_pictures(pictures *p)
{
    const f0t_onnx_graph *graph = p->graph;
    if (f0t_onnx_graph_output(&p->output, graph, NULL) != F0T_OK ||
        f0t_onnx_picture_find(&p->picture, graph, p->output, SIDE, SIDE) != F0T_OK ||
        p->picture.batch > 1 || !is_small(p))
        return;
    const size_t *dims = p->picture.dims, count = PICTURES * dims[1] * dims[2] * dims[3];
    p->pixels = malloc(count * sizeof *p->pixels);
    if (!p->pixels)
        return;
    fill(p->pixels, count, 5);
    const size_t dim = run_pictures(p, p->data, p->size);
    if (dim)
        quantise(p, dim);
    free(p->pixels);
}

f0t_status onnx_exercise(const void *data, size_t size)
{
    f0t_onnx_graph *graph;
    f0t_onnx_summary summary;
    f0t_onnx_weights *weights;
    F0T_TRY(f0t_onnx_graph_open_memory(&graph, data, size, "exercised.onnx", NULL, NULL));
    touch(graph);
    if (f0t_onnx_summary_create(&summary, graph, NULL) == F0T_OK)
        f0t_onnx_summary_clear(&summary);
    if (graph->input_count <= ENDS && graph->output_count <= ENDS && graph->node_count <= NODES &&
        f0t_onnx_weights_create(&weights) == F0T_OK) {
        schedule(graph, weights, 1);
        schedule(graph, weights, 3);
        f0t_onnx_weights_free(weights);
    }
    f0t_onnx_graph_close(graph);
    return F0T_OK;
}

f0t_status onnx_exercise_pictures(const void *data, size_t size)
{
    pictures p = {.data = data, .size = size};
    f0t_onnx_graph *graph;
    F0T_TRY(f0t_onnx_graph_open_memory(&graph, data, size, "pictures.onnx", NULL, NULL));
    p.graph = graph;
    if (graph->node_count <= NODES)
        take_pictures(&p);
    f0t_onnx_graph_close(graph);
    return F0T_OK;
}
