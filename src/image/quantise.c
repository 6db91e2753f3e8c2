/* Quantising a network by the pictures of a collection: f0t_network_quantize. */
#include "image/backbone.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "image/request.h"
#include "io/file.h"
#include "io/json.h"
#include "onnx/network.h"
#include "onnx/quantise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct work {
    const f0t_quantize_options *options;
    const f0t_monitor *monitor;
    f0t_backbone *backbone;
    f0t_onnx_graph *graph;
    f0t_onnx_quantiser *quantiser;
    f0t_onnx_calibration how;
    size_t size, dim; /* numbers of a picture, and of its features */
    float *pixels;    /* [pictures x size] */
    float *wanted;    /* [pictures x dim], of the network of floats */
    float *got;
    size_t pictures;
    size_t *order; /* [layers], those that lose most first */
    bool *kept;
    size_t kept_count;
} work;

/* ---- Pictures -------------------------------------------------------------------------------- */

/* As many as are wanted, from all of them evenly. */
static f0t_status read_pictures(work *w, const char *const *paths, size_t count)
{
    const size_t most = w->options->pictures, used = count < most ? count : most;
    f0t_picture_source *sources;
    const f0t_preprocess *p = &w->backbone->preprocess;
    w->size = 3 * p->width * p->height;
    w->dim = f0t_backbone_dim(w->backbone);
    F0T_TRY(f0t_alloc(&w->pixels, used * w->size, sizeof *w->pixels));
    F0T_TRY(f0t_alloc_zero(&sources, used, sizeof *sources));
    for (size_t k = 0; k < used; k++)
        sources[k].path = paths[k * count / used];
    f0t_status status =
        f0t_backbone_read(w->pixels, &w->pictures, w->backbone, sources, used, w->monitor);
    f0t_free(sources);
    if (status == F0T_OK && !w->pictures)
        status = f0t_fail(F0T_ERROR_NOT_FOUND, "none of the %zu pictures can be read", count);
    return status;
}

/* ---- The network of floats ------------------------------------------------------------------- */

static f0t_status open_graph(work *w, const char *path)
{
    f0t_onnx_picture picture;
    size_t output;
    const f0t_preprocess *p = &w->backbone->preprocess;
    const char *name = f0t_network_output(w->backbone->network);
    F0T_TRY(f0t_onnx_graph_open(&w->graph, path, w->monitor));
    F0T_TRY(f0t_onnx_graph_output(&output, w->graph, *name ? name : NULL));
    F0T_TRY(f0t_onnx_picture_find(&picture, w->graph, output, p->height, p->width));
    if (picture.batch > 1)
        return f0t_fail(
            F0T_ERROR_UNSUPPORTED,
            "%s: takes %zu pictures at a time; a network that takes one, or any number, "
            "can be quantised",
            path, picture.batch);
    return f0t_onnx_quantiser_create(&w->quantiser, w->graph, &picture, output, w->monitor);
}

static f0t_status check_features(const work *w)
{
    for (size_t k = 0; k < w->pictures * w->dim; k++)
        if (!isfinite(w->wanted[k]))
            return f0t_fail(F0T_ERROR_UNSUPPORTED,
                            "%s: its features of a picture are no finite numbers, so that nothing "
                            "can be compared with them; check the preset",
                            w->graph->path);
    return F0T_OK;
}

static f0t_status observe(work *w)
{
    f0t_stage stage = f0t_stage_begin(w->monitor, "calibrating", "pictures", w->pictures);
    for (size_t k = 0; k < w->pictures; k++) {
        F0T_TRY(f0t_onnx_quantiser_observe(w->quantiser, w->pixels + k * w->size));
        F0T_TRY(f0t_stage_update(&stage, k + 1));
    }
    f0t_stage_end(&stage);
    F0T_TRY(f0t_alloc(&w->wanted, w->pictures * w->dim, sizeof *w->wanted));
    F0T_TRY(f0t_alloc(&w->got, w->pictures * w->dim, sizeof *w->got));
    F0T_TRY(f0t_network_run_watched(w->wanted, w->backbone->network, w->pixels, w->pictures,
                                    w->monitor));
    return check_features(w);
}

/* ---- The network of eight bits --------------------------------------------------------------- */

/* 0 where there is none, as of features that are no finite numbers. */
static double cosine(const float *x, const float *y, size_t n)
{
    double xy = 0, xx = 0, yy = 0;
    for (size_t k = 0; k < n; k++) {
        xy += (double)x[k] * (double)y[k];
        xx += (double)x[k] * (double)x[k];
        yy += (double)y[k] * (double)y[k];
    }
    if (!isfinite(xx) || !isfinite(yy))
        return 0;
    double c = xx == yy && xy == xx ? 1 : xy / sqrt(xx * yy);
    return isfinite(c) ? c : 0;
}

/* There is room for as much as the network of floats takes and gives. */
static f0t_status check_sizes(const f0t_network *network, const work *w, const char *name)
{
    const f0t_network_input *in = f0t_network_get_input(network);
    const size_t size = in->channels * in->height * in->width, dim = f0t_network_dim(network);
    return size == w->size && dim == w->dim
               ? F0T_OK
               : f0t_fail(F0T_ERROR_UNSUPPORTED,
                          "%s: in eight bits it takes %zu numbers and gives %zu, in floats %zu and "
                          "%zu; it cannot be quantised",
                          name, size, dim, w->size, w->dim);
}

static f0t_status compare(f0t_quantize_report *r, work *w, const f0t_onnx_pack *file,
                          const char *name, size_t pictures)
{
    f0t_network *network;
    const f0t_preprocess *p = &w->backbone->preprocess;
    const f0t_network_options options = {.size = sizeof options,
                                         .output = f0t_network_output(w->backbone->network),
                                         .height = p->height,
                                         .width = p->width};
    F0T_TRY(f0t_network_open_memory(&network, file->data, file->size, name, &options, NULL));
    f0t_status status = check_sizes(network, w, name);
    if (status == F0T_OK)
        status = f0t_network_run_watched(w->got, network, w->pixels, pictures, w->monitor);
    f0t_network_close(network);
    F0T_TRY(status);
    r->cosine = 0;
    r->cosine_least = 1;
    for (size_t k = 0; k < pictures; k++) {
        double one = cosine(w->wanted + k * w->dim, w->got + k * w->dim, w->dim);
        r->cosine += one / (double)pictures;
        r->cosine_least = one < r->cosine_least ? one : r->cosine_least;
    }
    return F0T_OK;
}

/* ---- Layers that stay in floats -------------------------------------------------------------- */

enum { RATED_MOST = 1024 }; /* each costs a network that is made, opened and run */

typedef struct rated {
    double loss;
    size_t layer;
} rated;

static int by_loss(const void *a, const void *b)
{
    const rated *x = a, *y = b;
    if (x->loss != y->loss)
        return x->loss < y->loss ? 1 : -1;
    return x->layer < y->layer ? -1 : 1;
}

/* What is lost where only this layer is in eight bits, on a few pictures. */
static f0t_status rate_one(double *loss, work *w, bool *kept, size_t layer, const char *name)
{
    enum { FEW = 8 };
    f0t_quantize_report r = {0};
    f0t_onnx_pack file;
    kept[layer] = false;
    f0t_status status = f0t_onnx_quantiser_write(&file, w->quantiser, kept, &w->how);
    kept[layer] = true;
    F0T_TRY(status);
    status = compare(&r, w, &file, name, w->pictures < FEW ? w->pictures : FEW);
    f0t_onnx_pack_clear(&file);
    *loss = 1 - r.cosine;
    return status;
}

static f0t_status rate_all(rated *list, work *w, bool *kept, size_t count, const char *name)
{
    f0t_stage stage = f0t_stage_begin(w->monitor, "rating layers", "layers", count);
    memset(kept, true, count * sizeof *kept);
    for (size_t k = 0; k < count; k++) {
        list[k].layer = k;
        F0T_TRY(rate_one(&list[k].loss, w, kept, k, name));
        F0T_TRY(f0t_stage_update(&stage, k + 1));
    }
    f0t_stage_end(&stage);
    qsort(list, count, sizeof *list, by_loss);
    for (size_t k = 0; k < count; k++)
        w->order[k] = list[k].layer;
    return F0T_OK;
}

static f0t_status rate_layers(work *w, const char *name)
{
    const size_t count = f0t_onnx_quantiser_layers(w->quantiser);
    rated *list = NULL;
    bool *kept = NULL;
    if (count > RATED_MOST)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: of its %zu layers at most %d can be tried one by one; ask for a lower "
                        "cosine",
                        name, count, (int)RATED_MOST);
    F0T_TRY(f0t_alloc(&w->order, count, sizeof *w->order));
    f0t_status status = f0t_alloc(&list, count, sizeof *list);
    if (status == F0T_OK)
        status = f0t_alloc(&kept, count, sizeof *kept);
    if (status == F0T_OK)
        status = rate_all(list, w, kept, count, name);
    f0t_free(list);
    f0t_free(kept);
    return status;
}

/* More and more of the layers that lose most stay in floats, until the features are what they were. */
static f0t_status search(f0t_onnx_pack *file, f0t_quantize_report *r, work *w, const char *name)
{
    const size_t layers = f0t_onnx_quantiser_layers(w->quantiser);
    F0T_TRY(f0t_alloc_zero(&w->kept, layers, sizeof *w->kept));
    for (;;) {
        F0T_TRY(f0t_onnx_quantiser_write(file, w->quantiser, w->kept, &w->how));
        F0T_TRY(compare(r, w, file, name, w->pictures));
        f0t_log(w->monitor, F0T_LOG_INFO, "%zu of %zu layers in eight bits: cosine %.5f",
                layers - w->kept_count, layers, r->cosine);
        if (r->cosine >= w->options->cosine)
            return F0T_OK;
        if (w->kept_count + 1 >= layers)
            return f0t_fail(F0T_ERROR_UNSUPPORTED,
                            "%s: even one layer in eight bits leaves a cosine of %.5f to the "
                            "features of floats, below the %g asked for",
                            name, r->cosine, w->options->cosine);
        f0t_onnx_pack_clear(file);
        if (!w->order)
            F0T_TRY(rate_layers(w, name));
        size_t next = w->kept_count + 1 + w->kept_count / 2;
        for (next = next < layers ? next : layers - 1; w->kept_count < next; w->kept_count++)
            w->kept[w->order[w->kept_count]] = true;
    }
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* What goes beside the new network: what is beside the old one, and what the caller said in its place. */
static f0t_status describe(json_t **out, const work *w, const char *network)
{
    f0t_network_request r = {.path = network, .prepared = true};
    F0T_TRY(f0t_request_read_beside(&r, w->monitor));
    json_t *json = r.json ? json_copy(r.json) : json_object();
    json_t *prepared =
        w->options->preset ? f0t_preprocess_describe(&w->backbone->preprocess) : json_object();
    bool whole = json && prepared && json_object_update(json, prepared) == 0;
    if (whole && w->options->output)
        whole = json_object_set_new(json, "output", json_string(w->options->output)) == 0;
    json_decref(prepared);
    f0t_request_clear(&r);
    *out = whole ? json : NULL;
    if (whole)
        return F0T_OK;
    json_decref(json);
    return f0t_fail(F0T_ERROR_MEMORY, "no memory to describe the network");
}

/* A file that is there is kept where it says the same, and is another network's where it does not. */
static f0t_status check_beside(bool *there, const char *path, const json_t *json,
                               const f0t_monitor *monitor)
{
    enum { LARGEST = 1 << 20 };
    json_t *old;
    *there = f0t_path_exists(path);
    if (!*there)
        return F0T_OK;
    F0T_TRY(f0t_json_load(&old, path, LARGEST, monitor));
    const bool same = json_equal(old, json);
    json_decref(old);
    return same ? F0T_OK
                : f0t_fail(F0T_ERROR_ARGUMENT,
                           "%s is there already, and prepares pictures otherwise or names another "
                           "output: remove it, or give the new network another name",
                           path);
}

/* What is beside the new network. */
typedef struct beside {
    char *path, *text;
    bool there; /* already */
} beside;

static f0t_status plan_beside(beside *b, const work *w, const char *to, const char *network)
{
    json_t *json;
    F0T_TRY(describe(&json, w, network));
    f0t_status status = f0t_request_beside(&b->path, to);
    if (status == F0T_OK)
        status = check_beside(&b->there, b->path, json, w->monitor);
    if (status == F0T_OK) {
        b->text = json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
        if (!b->text)
            status = f0t_fail(F0T_ERROR_MEMORY, "no memory to describe the network");
    }
    json_decref(json);
    return status;
}

static void clear_beside(beside *b)
{
    f0t_free(b->path);
    free(b->text);
}

/* Both or none: neither gets its name before both are written. */
static f0t_status write_both(const char *to, const f0t_onnx_pack *file, const beside *b)
{
    const bool fresh = !f0t_path_exists(to);
    f0t_writer *network, *json = NULL;
    F0T_TRY(f0t_writer_open(&network, to));
    f0t_status status = f0t_writer_write(network, file->data, file->size);
    if (status == F0T_OK && !b->there)
        status = f0t_writer_open(&json, b->path);
    if (status == F0T_OK && json)
        status = f0t_writer_write(json, b->text, strlen(b->text));
    if (status == F0T_OK && json)
        status = f0t_writer_write(json, "\n", 1);
    const f0t_status first = f0t_writer_finish(network, status);
    if (!json)
        return first;
    status = f0t_writer_finish(json, first);
    if (first == F0T_OK && status != F0T_OK && fresh)
        unlink(to);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static f0t_status make(f0t_quantize_report *r, work *w, const char *to, const beside *b,
                       const char *network, const char *const *pictures, size_t count)
{
    f0t_onnx_pack file = {0};
    F0T_TRY(read_pictures(w, pictures, count));
    F0T_TRY(open_graph(w, network));
    F0T_TRY(observe(w));
    f0t_status status = search(&file, r, w, network);
    if (status == F0T_OK)
        status = write_both(to, &file, b);
    r->layers = f0t_onnx_quantiser_layers(w->quantiser);
    r->kept = w->kept_count;
    r->pictures = w->pictures;
    r->bytes_before = f0t_onnx_graph_file_bytes(w->graph);
    r->bytes = file.size;
    f0t_onnx_pack_clear(&file);
    return status;
}

static void clear(work *w)
{
    f0t_onnx_quantiser_free(w->quantiser);
    f0t_onnx_graph_close(w->graph);
    f0t_backbone_close(w->backbone);
    f0t_free(w->pixels);
    f0t_free(w->wanted);
    f0t_free(w->got);
    f0t_free(w->order);
    f0t_free(w->kept);
}

static f0t_status check_options(const f0t_quantize_options *o, size_t count)
{
    if (!(o->percentile > 50 && o->percentile <= 100))
        return f0t_fail(F0T_ERROR_ARGUMENT, "a percentile of %g (above 50, at most 100)",
                        o->percentile);
    if (!(o->cosine <= 1))
        return f0t_fail(F0T_ERROR_ARGUMENT, "a cosine of %g (at most 1)", o->cosine);
    if (!o->pictures || !count)
        return f0t_fail(F0T_ERROR_ARGUMENT, "no pictures to calibrate with");
    return F0T_OK;
}

f0t_status f0t_network_quantize(f0t_quantize_report *report, const char *to, const char *network,
                                const char *const *pictures, size_t count,
                                const f0t_quantize_options *options, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(report);
    F0T_REQUIRE(to);
    F0T_REQUIRE(network);
    F0T_REQUIRE(pictures || !count);
    F0T_READ_OPTIONS(f0t_quantize_options, F0T_QUANTIZE_OPTIONS, options);
    F0T_TRY(check_options(options, count));
    *report = (f0t_quantize_report){.size = sizeof *report};
    work w = {.options = options,
              .monitor = f0t_context_monitor(context),
              .how = {options->entropy, options->percentile, options->narrow}};
    const f0t_backbone_options backbone = {
        .size = sizeof backbone, .preset = options->preset, .output = options->output};
    f0t_status status = f0t_backbone_open(&w.backbone, network, &backbone, NULL);
    if (status == F0T_OK && !w.backbone->network)
        status = f0t_fail(F0T_ERROR_ARGUMENT, "'%s' is no network", network);
    beside b = {0};
    if (status == F0T_OK)
        status = plan_beside(&b, &w, to, network);
    if (status == F0T_OK)
        status = make(report, &w, to, &b, network, pictures, count);
    clear_beside(&b);
    clear(&w);
    return status;
}
