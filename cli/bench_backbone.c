/* Backbones beside ONNX Runtime, PyTorch and OpenCV: pictures of 224 x 224 through a network of each family. */
#include "bench.h"
#include "bench_child.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/random.h"
#include "base/status.h"
#include "io/file.h"
#include "onnx/quantise.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum precision { F32, BF16, INT8 } precision;

static const char *const precisions[] = {"f32", "bf16", "int8"};

/* What is measured of each: a bit for each precision. */
static const struct {
    const char *name;
    bool all_peers; /* PyTorch and OpenCV as well as ONNX Runtime */
    unsigned how;
} networks[] = {
    {"mobilenet_v2", true, 1 << F32 | 1 << BF16 | 1 << INT8},
    {"vgg19", true, 1 << F32 | 1 << BF16 | 1 << INT8},
    {"resnet50", false, 1 << F32 | 1 << BF16 | 1 << INT8},
    {"mobilenet_v3", false, 1 << F32 | 1 << BF16},
    {"efficientnet", false, 1 << F32 | 1 << BF16},
    {"densenet121", false, 1 << F32 | 1 << BF16},
    {"resnext50", false, 1 << F32 | 1 << BF16},
    {"convnext", false, 1 << F32 | 1 << BF16},
    {"vit", false, 1 << F32 | 1 << BF16},
    {"clip", false, 1 << F32 | 1 << BF16},
};
enum { NETWORKS = sizeof networks / sizeof *networks, BATCHES = 2, TEAMS = 2, NAME = 64 };

static const size_t batches[BATCHES] = {1, 8};

typedef struct one_case {
    size_t network, batch;
    precision how;
    const f0t_context *context;
    char name[NAME];
} one_case;

/* With all threads and with one. */
typedef struct teams {
    const f0t_context *list[TEAMS];
    size_t count;
} teams;

static one_case make_case(size_t network, precision how, size_t batch, const f0t_context *context)
{
    one_case c = {network, batch, how, context, ""};
    const int threads = f0t_context_threads(context);
    snprintf(c.name, sizeof c.name, "%s %s%s, %d thread%s", networks[network].name, precisions[how],
             batch > 1 ? ", 8 pictures" : "", threads, threads > 1 ? "s" : "");
    return c;
}

/* ---- Where the networks are -----------------------------------------------------------------------
 */

typedef struct files {
    char folder[4096]; /* of what was made here, removed at the end; or empty */
    char path[4200];   /* of the network that is measured now */
    char made[4200];   /* file in `folder`, or empty */
    char eight[4200];  /* the same network in eight bits, or empty */
} files;

static bool find_real(files *f, const char *network)
{
    const char *data = getenv("F0T_DATA");
    snprintf(f->path, sizeof f->path, "%s/%s/%s.onnx", data ? data : "", network, network);
    return data && access(f->path, R_OK) == 0;
}

static void remove_made(files *f)
{
    if (*f->made)
        unlink(f->made);
    if (*f->eight)
        unlink(f->eight);
    *f->made = *f->eight = '\0';
}

/* A path that does not fit is that of no folder. */
static f0t_status need_folder(files *f)
{
    const char *place = getenv("TMPDIR");
    if (*f->folder)
        return F0T_OK;
    snprintf(f->folder, sizeof f->folder, "%s/f0t-bench-XXXXXX", place ? place : "/tmp");
    if (mkdtemp(f->folder))
        return F0T_OK;
    *f->folder = '\0';
    return f0t_fail(F0T_ERROR_IO, "cannot make a folder in %s: %s", place ? place : "/tmp",
                    strerror(errno));
}

/* The script writes it, with random weights: they cost the same time. */
static f0t_status make(const cli_context *cli, files *f, const char *network)
{
    F0T_TRY(need_folder(f));
    snprintf(f->path, sizeof f->path, "%s/%s.onnx", f->folder, network);
    const char *words[] = {"make", network, f->path, NULL};
    bench_child *child = bench_child_start(cli, "backbone_peer.py", words);
    bench_child_end(child);
    if (access(f->path, R_OK) != 0)
        return f0t_fail(F0T_ERROR_NOT_FOUND,
                        "no %s to measure: run it where bench/backbone_peer.py is", network);
    memcpy(f->made, f->path, sizeof f->made);
    return F0T_OK;
}

/* ---- In eight bits -------------------------------------------------------------------------------- */

enum { PIXELS = 3 * 224 * 224 };

static void fill_pixels(float *pixels, size_t count)
{
    const f0t_random random = {.seed = 1};
    for (size_t k = 0; k < count; k++)
        pixels[k] = (float)f0t_random_normal(&random, k);
}

static f0t_status write_eight(f0t_onnx_pack *file, const f0t_onnx_graph *graph, const float *pixels)
{
    const f0t_onnx_calibration how = {.percentile = 100};
    f0t_onnx_quantiser *quantiser;
    f0t_onnx_picture picture;
    bool *kept;
    size_t output;
    F0T_TRY(f0t_onnx_graph_output(&output, graph, NULL));
    F0T_TRY(f0t_onnx_picture_find(&picture, graph, output, 0, 0));
    F0T_TRY(f0t_onnx_quantiser_create(&quantiser, graph, &picture, output, NULL));
    f0t_status status = f0t_onnx_quantiser_observe(quantiser, pixels);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&kept, f0t_onnx_quantiser_layers(quantiser), sizeof *kept);
    if (status == F0T_OK) {
        status = f0t_onnx_quantiser_write(file, quantiser, kept, &how);
        f0t_free(kept);
    }
    f0t_onnx_quantiser_free(quantiser);
    return status;
}

/* Every layer of it, by the numbers of noise: what it costs is what counts here. */
static f0t_status make_eight(files *f)
{
    f0t_onnx_graph *graph;
    f0t_onnx_pack file = {0};
    f0t_writer *writer;
    float *pixels = NULL;
    F0T_TRY(need_folder(f));
    F0T_TRY(f0t_onnx_graph_open(&graph, f->path, NULL));
    f0t_status status = f0t_alloc(&pixels, PIXELS, sizeof *pixels);
    if (status == F0T_OK) {
        fill_pixels(pixels, PIXELS);
        status = write_eight(&file, graph, pixels);
    }
    f0t_free(pixels);
    f0t_onnx_graph_close(graph);
    snprintf(f->eight, sizeof f->eight, "%s/eight.onnx", f->folder);
    if (status == F0T_OK)
        status = f0t_writer_open(&writer, f->eight);
    if (status == F0T_OK)
        status = f0t_writer_finish(writer, f0t_writer_write(writer, file.data, file.size));
    f0t_onnx_pack_clear(&file);
    return status;
}

/* ---- Measuring ------------------------------------------------------------------------------------
 */

typedef struct backbone {
    const f0t_context *context;
    f0t_network *network;
    float *pixels, *features;
    size_t batch;
} backbone;

static f0t_status run_network(void *context)
{
    backbone *b = context;
    return f0t_network_run(b->features, b->network, b->pixels, b->batch, b->context);
}

static f0t_status prepare(backbone *b, const char *path, bool bf16, size_t batch)
{
    const f0t_network_options options = {.size = sizeof(f0t_network_options), .bf16 = bf16};
    b->batch = batch;
    F0T_TRY(f0t_network_open(&b->network, path, &options, b->context));
    const f0t_network_input *in = f0t_network_get_input(b->network);
    size_t count = batch * in->channels * in->height * in->width;
    F0T_TRY(f0t_alloc(&b->pixels, count, sizeof *b->pixels));
    fill_pixels(b->pixels, count);
    return f0t_alloc(&b->features, batch * f0t_network_dim(b->network), sizeof *b->features);
}

static void clean_up(backbone *b)
{
    f0t_network_close(b->network);
    f0t_free(b->pixels);
    f0t_free(b->features);
}

static bench_child *start_peer(const cli_context *cli, const char *runtime, const char *network,
                               const one_case *c)
{
    char threads[16], batch[16];
    snprintf(threads, sizeof threads, "%d", f0t_context_threads(c->context));
    snprintf(batch, sizeof batch, "%zu", c->batch);
    const char *words[] = {runtime, network, precisions[c->how], threads, batch, NULL};
    return bench_child_start(cli, "backbone_peer.py", words);
}

enum { PEERS = 4 };

/* ONNX Runtime has no bfloat16 on CPUs: its float32 is what stands beside ours. */
static void start_peers(bench_child **out, const cli_context *cli, const files *f,
                        const one_case *c)
{
    const bool all = networks[c->network].all_peers && c->how != INT8;
    if (all)
        out[0] = start_peer(cli, "torch", networks[c->network].name, c);
    if (all && c->how == F32)
        out[1] = start_peer(cli, "opencv", f->path, c);
    out[2] = start_peer(cli, "onnxruntime", c->how == INT8 ? f->eight : f->path, c);
}

/* Eight bits are also measured against our own bfloat16. */
static f0t_status measure(const cli_context *cli, bench_report *report, const files *f,
                          const one_case *c)
{
    backbone ours = {.context = c->context}, half = {.context = c->context};
    bench_contender contenders[1 + PEERS] = {{NULL, run_network, &ours, 0}};
    bench_child *peers[PEERS] = {NULL};
    size_t count = 1;
    f0t_status status =
        prepare(&ours, c->how == INT8 ? f->eight : f->path, c->how == BF16, c->batch);
    if (status == F0T_OK && c->how == INT8) {
        status = prepare(&half, f->path, true, c->batch);
        contenders[count++] = (bench_contender){"our bf16", run_network, &half, 0};
    }
    if (status == F0T_OK)
        start_peers(peers, cli, f, c);
    for (size_t k = 0; k < PEERS; k++)
        if (peers[k])
            contenders[count++] =
                (bench_contender){bench_child_name(peers[k]), bench_child_run, peers[k], 0};
    if (status == F0T_OK)
        status = bench_measure(contenders, count);
    if (status == F0T_OK)
        bench_report_add(report, c->name, "pictures/s", (double)c->batch, contenders, count);
    clean_up(&ours);
    clean_up(&half);
    for (size_t k = 0; k < PEERS; k++)
        bench_child_end(peers[k]);
    return status;
}

/* The cases of a network in one precision. */
static size_t list_cases(one_case out[BATCHES * TEAMS], const bench_options *options,
                         const teams *t, size_t network, precision how)
{
    size_t count = 0;
    for (size_t k = 0; k < BATCHES * t->count && (networks[network].how >> how & 1); k++) {
        out[count] = make_case(network, how, batches[k % BATCHES], t->list[k / BATCHES]);
        count += bench_wanted(options, out[count].name);
    }
    return count;
}

static bool is_wanted(const bench_options *options, const teams *t, size_t network, precision how)
{
    one_case cases[BATCHES * TEAMS];
    return list_cases(cases, options, t, network, how) > 0;
}

static f0t_status measure_network(const cli_context *cli, const bench_options *options,
                                  bench_report *report, files *f, const teams *t, size_t network)
{
    const char *name = networks[network].name;
    one_case cases[BATCHES * TEAMS];
    if (!find_real(f, name))
        F0T_TRY(make(cli, f, name));
    if (is_wanted(options, t, network, INT8))
        F0T_TRY(make_eight(f));
    for (precision how = F32; how <= INT8; how++) {
        const size_t count = list_cases(cases, options, t, network, how);
        for (size_t k = 0; k < count; k++)
            F0T_TRY(measure(cli, report, f, &cases[k]));
    }
    return F0T_OK;
}

static f0t_status measure_all(const cli_context *cli, const bench_options *options,
                              bench_report *report, files *f, const teams *t)
{
    for (size_t k = 0; k < NETWORKS; k++) {
        if (!is_wanted(options, t, k, F32) && !is_wanted(options, t, k, BF16) &&
            !is_wanted(options, t, k, INT8))
            continue;
        F0T_TRY(measure_network(cli, options, report, f, t, k));
        remove_made(f);
    }
    return F0T_OK;
}

f0t_status bench_backbone(cli_context *cli, const void *options)
{
    F0T_ENTER(cli->context); /* what is measured is inside of the library */
    bench_report *report = bench_report_create("backbone");
    files f = {.folder = ""};
    teams t = {{cli->context}, 1};
    f0t_context *alone = NULL;
    f0t_context_options one = F0T_CONTEXT_OPTIONS;
    one.threads = 1;
    f0t_status status = f0t_context_create(&alone, &one);
    if (status == F0T_OK && f0t_context_threads(cli->context) > 1)
        t.list[t.count++] = alone;
    if (status == F0T_OK)
        status = measure_all(cli, options, report, &f, &t);
    f0t_context_free(alone);
    remove_made(&f);
    if (*f.folder)
        rmdir(f.folder);
    if (status == F0T_OK)
        status = bench_report_print(cli, report, options);
    bench_report_free(report);
    return status;
}
