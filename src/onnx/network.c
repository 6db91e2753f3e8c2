/* Networks as the public header has them: schedules for each number of pictures, taken and given back
 * by the threads that share one. */
#include "onnx/network.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "base/team.h"
#include "onnx/keep.h"
#include "onnx/picture.h"
#include "onnx/schedule.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { IDLE_MOST = 8 }; /* or one for each core, if these are more */

/* Pictures are run together while their arrays take no more: several threads may do so at once. */
static const size_t RUN_BYTES = (size_t)256 << 20;

typedef struct idle {
    f0t_onnx_schedule *schedule;
    size_t images;
    struct idle *next;
} idle;

struct f0t_network {
    f0t_onnx_graph *graph;
    f0t_onnx_weights *weights;
    f0t_onnx_picture picture; /* what it takes */
    size_t output;            /* value */
    bool bf16;
    size_t most; /* pictures at a time */
    size_t room; /* pictures whose arrays together stay within the limit of a run */
    size_t dim;
    f0t_onnx_keep keep;
    f0t_onnx_prepared *prepared; /* or NULL */
    pthread_mutex_t lock;
    idle *first; /* last used first */
};

/* ---- Schedules ------------------------------------------------------------------------------------
 */

static f0t_status make_schedule(f0t_onnx_schedule **out, const f0t_network *net, size_t images,
                                const f0t_monitor *monitor)
{
    const f0t_onnx_graph *graph = net->graph;
    f0t_onnx_array *inputs;
    *out = NULL;
    F0T_TRY(f0t_onnx_picture_inputs(&inputs, &net->picture, graph, images));
    f0t_onnx_schedule_options options = {.inputs = inputs,
                                         .outputs = &net->output,
                                         .output_count = 1,
                                         .bf16 = net->bf16,
                                         .images = images,
                                         .monitor = monitor};
    f0t_status status = f0t_onnx_schedule_create(out, graph, net->weights, &options);
    f0t_free(inputs);
    return status;
}

static idle *take_idle(f0t_network *net, size_t images)
{
    idle *found = NULL;
    pthread_mutex_lock(&net->lock);
    for (idle **at = &net->first; *at; at = &(*at)->next)
        if ((*at)->images == images &&
            f0t_onnx_schedule_threads((*at)->schedule) == f0t_team_size()) {
            found = *at;
            *at = found->next;
            break;
        }
    pthread_mutex_unlock(&net->lock);
    return found;
}

static void free_idle(idle *one)
{
    while (one) {
        idle *next = one->next;
        f0t_onnx_schedule_free(one->schedule);
        f0t_free(one);
        one = next;
    }
}

static void give_idle(f0t_network *net, idle *one)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN),
               most = cores < IDLE_MOST ? IDLE_MOST : cores + 1;
    idle *surplus = NULL;
    pthread_mutex_lock(&net->lock);
    one->next = net->first;
    net->first = one;
    idle *last = one;
    for (long kept = 1; last && kept < most; kept++)
        last = last->next;
    if (last) {
        surplus = last->next;
        last->next = NULL;
    }
    pthread_mutex_unlock(&net->lock);
    free_idle(surplus);
}

static f0t_status need_schedule(idle **out, f0t_network *net, size_t images,
                                const f0t_monitor *monitor)
{
    *out = take_idle(net, images);
    if (*out)
        return F0T_OK;
    idle *made;
    F0T_TRY(f0t_alloc_zero(&made, 1, sizeof *made));
    made->images = images;
    f0t_status status = make_schedule(&made->schedule, net, images, monitor);
    if (status == F0T_OK)
        *out = made;
    else
        f0t_free(made);
    return status;
}

/* ---- Opening --------------------------------------------------------------------------------------
 */

/* Weights are read once for all pictures of a run, arrays for each: from where the arrays take more room than the
 * weights, further pictures but drive each other out of the caches. Where arrays are joined in place, which only
 * those of one picture can be, one is best. More than two gain nothing, unless most weights are those of dense layers, whose
 * products wait for memory: then four do, and eight pictures are two groups, one for each of two threads. docs/performance.md
 * has the measurements. */
enum { GROUP_MOST = 2, DENSE_GROUP_MOST = 4 };

static size_t choose_group(const f0t_network *net, const f0t_onnx_schedule *one)
{
    const size_t arena = f0t_onnx_schedule_arena(one) + 1,
                 weights = f0t_onnx_weights_bytes(net->weights);
    const size_t group = (weights < RUN_BYTES ? weights : RUN_BYTES) / arena,
                 most = f0t_onnx_schedule_dense(one) > weights / 2 ? DENSE_GROUP_MOST : GROUP_MOST;
    if (f0t_onnx_schedule_joins(one) || !group)
        return 1;
    return group < most ? group : most;
}

/* A first schedule shows whether everything fits, and what comes out. */
static f0t_status try_it(f0t_network *net, const f0t_monitor *monitor)
{
    idle *one;
    size_t images = net->picture.batch ? net->picture.batch : 1;
    F0T_TRY(need_schedule(&one, net, images, monitor));
    const f0t_onnx_array *out = f0t_onnx_schedule_output(one->schedule, 0);
    f0t_status status = F0T_OK;
    if (!f0t_onnx_array_type_is_float(out->type) || out->rank < 1 || out->dims[0] != images ||
        !out->count)
        status = f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: '%s' is no row of numbers for each picture",
                          net->graph->path, net->graph->values[net->output].name);
    net->dim = out->count / images;
    net->most = net->picture.batch ? net->picture.batch : choose_group(net, one->schedule);
    net->room = f0t_onnx_schedule_arena_most(one->schedule) /
                (f0t_onnx_schedule_arena(one->schedule) / images + 1);
    give_idle(net, one);
    return status;
}

/* Weights that an earlier start has left. */
static f0t_status use_kept(f0t_network *net, const char *folder)
{
    const f0t_onnx_keep_options how = {.output = net->output, .bf16 = net->bf16};
    F0T_TRY(f0t_onnx_keep_fill(&net->keep, folder, net->graph, &net->picture, &how));
    if (net->keep.path)
        F0T_TRY(f0t_onnx_prepared_open(&net->prepared, net->keep.path, net->keep.key));
    f0t_onnx_weights_use(net->weights, net->prepared);
    return F0T_OK;
}

static f0t_status write_kept(f0t_network *net, const f0t_onnx_piece *pieces, size_t count)
{
    f0t_onnx_sums sums = {0};
    bool beside;
    F0T_TRY(f0t_network_checksum(&sums.file, net));
    F0T_TRY(f0t_network_external_checksum(&sums.beside, &beside, net));
    F0T_TRY(f0t_onnx_graph_check(net->graph));
    return f0t_onnx_prepared_write(net->keep.path, net->keep.key, sums, pieces, count,
                                   net->prepared);
}

/* Leaves them for the next start, where some were made anew. That they cannot be written is no failure of the network's:
 * it is logged, and tried again when the network is closed. */
static void keep_weights(f0t_network *net, const f0t_monitor *monitor)
{
    f0t_onnx_piece *pieces;
    size_t count;
    if (!net->keep.path ||
        f0t_onnx_weights_list(&pieces, &count, net->weights, net->graph) != F0T_OK)
        return;
    if (count && write_kept(net, pieces, count) != F0T_OK) {
        f0t_log(monitor, F0T_LOG_WARNING, "the prepared network is not kept: %s", f0t_last_error());
        f0t_onnx_weights_unlist(net->weights);
    }
    f0t_free(pieces);
}

static f0t_status fill(f0t_network *net, const f0t_network_options *o)
{
    net->bf16 = o->bf16;
    if (net->bf16)
        f0t_matmul_bf16_notice(f0t_context_monitor(NULL));
    F0T_TRY(f0t_onnx_weights_create(&net->weights));
    F0T_TRY(f0t_onnx_graph_output(&net->output, net->graph, o->output));
    F0T_TRY(f0t_onnx_picture_find(&net->picture, net->graph, net->output, o->height, o->width));
    if (o->cache && net->graph->folder)
        F0T_TRY(use_kept(net, o->cache));
    F0T_TRY(try_it(net, f0t_context_monitor(NULL)));
    keep_weights(net, f0t_context_monitor(NULL));
    f0t_free_unused(); /* weights on their way into their layouts */
    return F0T_OK;
}

static f0t_status create(f0t_network **out, f0t_onnx_graph *graph,
                         const f0t_network_options *options)
{
    f0t_network *net;
    f0t_status status = f0t_alloc_zero(&net, 1, sizeof *net);
    if (status != F0T_OK) {
        f0t_onnx_graph_close(graph);
        return status;
    }
    net->graph = graph;
    pthread_mutex_init(&net->lock, NULL);
    status = fill(net, options);
    if (status == F0T_OK)
        *out = net;
    else
        f0t_network_close(net);
    return status;
}

f0t_status f0t_network_open(f0t_network **out, const char *path, const f0t_network_options *options,
                            const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(path);
    F0T_READ_OPTIONS(f0t_network_options, F0T_NETWORK_OPTIONS, options);
    f0t_onnx_graph *graph;
    F0T_TRY(f0t_onnx_graph_open(&graph, path, f0t_context_monitor(NULL)));
    return create(out, graph, options);
}

f0t_status f0t_network_open_memory(f0t_network **out, const void *data, size_t size,
                                   const char *name, const f0t_network_options *options,
                                   const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(data || !size);
    F0T_REQUIRE(name);
    F0T_READ_OPTIONS(f0t_network_options, F0T_NETWORK_OPTIONS, options);
    f0t_onnx_graph *graph;
    F0T_TRY(f0t_onnx_graph_open_memory(&graph, data, size, name, NULL, f0t_context_monitor(NULL)));
    return create(out, graph, options);
}

void f0t_network_close(f0t_network *net)
{
    if (!net)
        return;
    if (net->most)
        keep_weights(net, NULL); /* those for other numbers of pictures */
    free_idle(net->first);
    f0t_onnx_weights_free(net->weights);
    f0t_onnx_prepared_close(net->prepared);
    f0t_onnx_keep_clear(&net->keep);
    f0t_onnx_graph_close(net->graph);
    pthread_mutex_destroy(&net->lock);
    f0t_free(net);
}

const f0t_network_input *f0t_network_get_input(const f0t_network *network)
{
    return &network->picture.shape;
}

const char *f0t_network_output(const f0t_network *network)
{
    return network->graph->values[network->output].name;
}

f0t_status f0t_network_checksum(uint32_t *sum, const f0t_network *network)
{
    if (network->prepared) {
        *sum = f0t_onnx_prepared_sums(network->prepared).file;
        return F0T_OK;
    }
    *sum = f0t_map_checksum(&network->graph->map, 0);
    return f0t_map_check(&network->graph->map, network->graph->path);
}

f0t_status f0t_network_external_checksum(uint32_t *sum, bool *any, const f0t_network *network)
{
    if (!network->prepared)
        return f0t_onnx_graph_external_checksum(sum, any, network->graph);
    *sum = f0t_onnx_prepared_sums(network->prepared).beside;
    *any = network->graph->file_count > 0;
    return F0T_OK;
}

size_t f0t_network_dim(const f0t_network *network)
{
    return network->dim;
}

/* ---- Running --------------------------------------------------------------------------------------
 */

static f0t_status run_chunk(float *out, f0t_network *net, const float *pixels, size_t images,
                            const f0t_monitor *monitor)
{
    idle *one;
    F0T_TRY(need_schedule(&one, net, images, monitor));
    f0t_status status = F0T_OK;
    const float **inputs;
    void *results[] = {out};
    if (f0t_onnx_schedule_output(one->schedule, 0)->count != images * net->dim)
        status = f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: cannot take %zu pictures at a time",
                          net->graph->path, images);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&inputs, net->graph->input_count, sizeof *inputs);
    if (status == F0T_OK) {
        inputs[net->picture.input] = pixels;
        status = f0t_onnx_schedule_run(results, one->schedule, inputs, monitor);
        f0t_free(inputs);
    }
    if (status == F0T_OK)
        status = f0t_onnx_prepared_check(net->prepared);
    give_idle(net, one);
    return status;
}

/* The last pictures of a network that wants more at a time: the others are empty. */
static f0t_status run_part(float *out, f0t_network *net, const float *pixels, size_t images,
                           size_t size, const f0t_monitor *monitor)
{
    float *padded, *results = NULL;
    F0T_TRY(f0t_alloc_zero(&padded, net->picture.batch * size, sizeof *padded));
    f0t_status status = f0t_alloc(&results, net->picture.batch * net->dim, sizeof *results);
    memcpy(padded, pixels, images * size * sizeof *padded);
    if (status == F0T_OK)
        status = run_chunk(results, net, padded, net->picture.batch, monitor);
    if (status == F0T_OK)
        memcpy(out, results, images * net->dim * sizeof *out);
    f0t_free(padded);
    f0t_free(results);
    return status;
}

/* Pictures that are run, `step` at a time. */
typedef struct batch {
    f0t_network *net;
    const float *pixels;
    float *out;
    size_t images, step, size; /* size: of a picture */
} batch;

/* Those from `first` on. */
static f0t_status run_some(const batch *p, size_t first, const f0t_monitor *monitor)
{
    const f0t_network *net = p->net;
    const size_t left = p->images - first;
    const float *pixels = p->pixels + first * p->size;
    float *out = p->out + first * net->dim;
    return left < net->picture.batch
               ? run_part(out, p->net, pixels, left, p->size, monitor)
               : run_chunk(out, p->net, pixels, left < p->step ? left : p->step, monitor);
}

/* The first `images`, a multiple of the steps of all threads: each thread runs pictures of its own. Only the calling
 * thread calls the monitor. */
static f0t_status run_apart(const batch *p, size_t images, int threads, const f0t_monitor *monitor)
{
    const f0t_monitor quiet = {.stop = monitor ? monitor->stop : NULL};
    f0t_failure failure = {.status = F0T_OK};
    atomic_bool failed = false;
    (void)threads;
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (size_t first = 0; first < images; first += p->step) {
        if (failed)
            continue;
        f0t_status one = run_some(p, first, f0t_team_member() ? &quiet : monitor);
        f0t_failure_keep_first(&failure, one);
        if (one != F0T_OK)
            failed = true;
    }
    return f0t_failure_raise(&failure);
}

static size_t step_of(const f0t_network *net, size_t images)
{
    return net->picture.batch || images > net->most ? net->most : images;
}

int f0t_network_threads_apart(const f0t_network *net, size_t images)
{
    const size_t step = step_of(net, images), threads = (size_t)f0t_team_size();
    const size_t room = step ? net->room / step : 0, apart = room < threads ? room : threads;
    return apart > 1 && images >= step * apart ? (int)apart : 1;
}

f0t_status f0t_network_run_watched(float *out, f0t_network *net, const float *pixels, size_t images,
                                   const f0t_monitor *monitor)
{
    if (!images)
        return F0T_OK;
    batch p = {.net = net, .pixels = pixels, .out = out, .images = images};
    p.size = net->picture.dims[1] * net->picture.dims[2] * net->picture.dims[3];
    p.step = step_of(net, images);
    const int threads = f0t_network_threads_apart(net, images);
    size_t done = images / (p.step * (size_t)threads) * p.step * (size_t)threads;
    if (threads > 1)
        F0T_TRY(run_apart(&p, done, threads, monitor));
    else
        done = 0;
    for (; done < images; done += p.step)
        F0T_TRY(run_some(&p, done, monitor));
    return F0T_OK;
}

f0t_status f0t_network_run(float *out, f0t_network *network, const float *pixels, size_t images,
                           const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out || !images);
    F0T_REQUIRE(network);
    F0T_REQUIRE(pixels || !images);
    return f0t_network_run_watched(out, network, pixels, images, f0t_context_monitor(context));
}
