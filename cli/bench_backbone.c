/* Backbones beside PyTorch and OpenCV: pictures of 224 x 224 through VGG-19 and MobileNetV2. */
#include "bench.h"
#include "bench_child.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/random.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name, *network;
    bool bf16;
    size_t batch;
} cases[] = {
    {"mobilenet_v2 f32", "mobilenet_v2", false, 1},
    {"mobilenet_v2 bf16", "mobilenet_v2", true, 1},
    {"mobilenet_v2 f32, 8 pictures", "mobilenet_v2", false, 8},
    {"mobilenet_v2 bf16, 8 pictures", "mobilenet_v2", true, 8},
    {"vgg19 f32", "vgg19", false, 1},
    {"vgg19 bf16", "vgg19", true, 1},
    {"vgg19 f32, 8 pictures", "vgg19", false, 8},
    {"vgg19 bf16, 8 pictures", "vgg19", true, 8},
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- Where the networks are -----------------------------------------------------------------------
 */

typedef struct files {
    char folder[64]; /* of what was made here, removed at the end; or empty */
    char path[512];  /* of the network that is measured now */
    char made[512];  /* file in `folder`, or empty */
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
    *f->made = '\0';
}

/* The script writes it, with random weights: they cost the same time. */
static bool make(const cli_context *cli, files *f, const char *network)
{
    if (!*f->folder) {
        const char *place = getenv("TMPDIR");
        snprintf(f->folder, sizeof f->folder, "%.40s/f0t-bench-XXXXXX", place ? place : "/tmp");
        if (!mkdtemp(f->folder))
            *f->folder = '\0';
    }
    remove_made(f);
    snprintf(f->path, sizeof f->path, "%s/%s.onnx", f->folder, network);
    const char *words[] = {"make", network, f->path, NULL};
    bench_child *child = bench_child_start(cli, "backbone_peer.py", words);
    bench_child_end(child);
    if (access(f->path, R_OK) != 0)
        return false;
    memcpy(f->made, f->path, sizeof f->made);
    return true;
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
    const f0t_random random = {.seed = 1};
    b->batch = batch;
    F0T_TRY(f0t_network_open(&b->network, path, &options, b->context));
    const f0t_network_input *in = f0t_network_get_input(b->network);
    size_t count = batch * in->channels * in->height * in->width;
    F0T_TRY(f0t_alloc(&b->pixels, count, sizeof *b->pixels));
    for (size_t k = 0; k < count; k++)
        b->pixels[k] = (float)f0t_random_normal(&random, k);
    return f0t_alloc(&b->features, batch * f0t_network_dim(b->network), sizeof *b->features);
}

static void clean_up(backbone *b)
{
    f0t_network_close(b->network);
    f0t_free(b->pixels);
    f0t_free(b->features);
}

static bench_child *start_peer(const cli_context *cli, const char *runtime, const char *network,
                               size_t k)
{
    char threads[16], batch[16];
    snprintf(threads, sizeof threads, "%d", f0t_context_threads(cli->context));
    snprintf(batch, sizeof batch, "%zu", cases[k].batch);
    const char *words[] = {runtime, network, cases[k].bf16 ? "bf16" : "f32", threads, batch, NULL};
    return bench_child_start(cli, "backbone_peer.py", words);
}

static f0t_status measure(const cli_context *cli, bench_report *report, const files *f, size_t k)
{
    backbone ours = {.context = cli->context};
    bench_contender contenders[3] = {{NULL, run_network, &ours, 0}};
    size_t count = 1;
    f0t_status status = prepare(&ours, f->path, cases[k].bf16, cases[k].batch);
    bench_child *torch = NULL, *opencv = NULL;
    if (status == F0T_OK) {
        torch = start_peer(cli, "torch", cases[k].network, k);
        opencv = cases[k].bf16 ? NULL : start_peer(cli, "opencv", f->path, k);
    }
    if (torch)
        contenders[count++] = (bench_contender){bench_child_name(torch), bench_child_run, torch, 0};
    if (opencv)
        contenders[count++] =
            (bench_contender){bench_child_name(opencv), bench_child_run, opencv, 0};
    if (status == F0T_OK)
        status = bench_measure(contenders, count);
    if (status == F0T_OK)
        bench_report_add(report, cases[k].name, "pictures/s", (double)cases[k].batch, contenders,
                         count);
    clean_up(&ours);
    bench_child_end(torch);
    bench_child_end(opencv);
    return status;
}

static f0t_status measure_all(cli_context *cli, const bench_options *options, bench_report *report,
                              files *f)
{
    const char *network = "";
    bool there = false;
    for (size_t k = 0; k < CASES; k++) {
        if (!bench_wanted(options, cases[k].name))
            continue;
        if (strcmp(network, cases[k].network) != 0) {
            network = cases[k].network;
            there = find_real(f, network) || make(cli, f, network);
        }
        if (!there)
            return f0t_fail(F0T_ERROR_NOT_FOUND,
                            "no %s to measure: run it where bench/backbone_peer.py is", network);
        F0T_TRY(measure(cli, report, f, k));
    }
    return F0T_OK;
}

f0t_status bench_backbone(cli_context *cli, const void *options)
{
    F0T_ENTER(cli->context); /* what is measured is inside of the library */
    bench_report *report = bench_report_create("backbone");
    files f = {.folder = ""};
    f0t_status status = measure_all(cli, options, report, &f);
    remove_made(&f);
    if (*f.folder)
        rmdir(f.folder);
    if (status == F0T_OK)
        status = bench_report_print(cli, report, options);
    bench_report_free(report);
    return status;
}
