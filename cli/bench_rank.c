/* The first of many rows along directions, beside NumPy, FAISS, and what memory can do. */
#include "bench.h"
#include "bench_child.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/kernels.h"
#include "base/random.h"
#include "compute/scoring.h"
#include "compute/screen.h"
#include "math/elementwise.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { DIM = 300, TOP = 10, MOST = 4096, THREADS_MOST = 256 };

static const struct {
    const char *name;
    size_t directions, rows;
    bool device; /* on a device of its own alone */
} cases[] = {
    {"1 in 20000x300", 1, 20000, false},          {"256 in 20000x300", 256, 20000, false},
    {"1 in 1000000x300", 1, 1000000, false},      {"256 in 1000000x300", 256, 1000000, false},
    {"4096 in 1000000x300", MOST, 1000000, true},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct ranking {
    size_t count, directions;
    float *rows, *along;
    f0t_screen *screen;
    f0t_scoring plain;
    uint32_t index[MOST * TOP];
    size_t threads;
    atomic_int read; /* so that it is */
} ranking;

/* ---- Threads ------------------------------------------------------------------------------------- */

typedef struct part {
    ranking *ranking;
    size_t first, end;
    void (*run)(const struct part *part);
} part;

static void *run_part(void *given)
{
    const part *p = given;
    p->run(p);
    return NULL;
}

/* As many parts of [0, count) as the context has threads, at once; in turn where a thread cannot start. */
static void in_parts(ranking *r, size_t count, void (*run)(const part *part))
{
    const size_t threads = r->threads < THREADS_MOST ? r->threads : THREADS_MOST;
    pthread_t started[THREADS_MOST];
    part parts[THREADS_MOST];
    bool runs[THREADS_MOST];
    for (size_t i = 0; i < threads; i++) {
        parts[i] = (part){r, count * i / threads, count * (i + 1) / threads, run};
        runs[i] = pthread_create(&started[i], NULL, run_part, &parts[i]) == 0;
        if (!runs[i])
            run_part(&parts[i]);
    }
    for (size_t i = 0; i < threads; i++)
        if (runs[i])
            pthread_join(started[i], NULL);
}

/* ---- Contenders --------------------------------------------------------------------------------- */

static f0t_status run_screen(void *context)
{
    ranking *r = context;
    return f0t_screen_top(r->index, NULL, TOP, r->screen, r->rows, r->along, r->directions);
}

static f0t_status run_plain(void *context)
{
    ranking *r = context;
    return f0t_scoring_top(r->index, NULL, TOP, &r->plain, r->along, r->directions);
}

static void read_part(const part *p)
{
    const size_t each = p->end - p->first, words = f0t_screen_block_bytes(DIM) / sizeof(float);
    const f0t_screen *screen = p->ranking->screen;
    const float *codes = (const float *)(const void *)screen->codes;
    atomic_fetch_add(&p->ranking->read,
                     f0t_kernels()->finite_f32(codes + p->first * words, each * words) +
                         f0t_kernels()->finite_f32((const float *)&screen->bounds[p->first],
                                                   each * sizeof *screen->bounds / sizeof(float)));
}

/* Reads codes and bounds once, which is what a search along one direction cannot be faster than. */
static f0t_status run_reading(void *context)
{
    ranking *r = context;
    in_parts(r, f0t_screen_blocks(r->count), read_part);
    return F0T_OK;
}

/* ---- Measuring ---------------------------------------------------------------------------------- */

static void fill_rows(float *rows, size_t first, size_t end, uint64_t seed)
{
    const f0t_random random = {.seed = seed};
    for (size_t i = first * DIM; i < end * DIM; i++)
        rows[i] = (float)f0t_random_normal(&random, i);
}

static void fill_part(const part *p)
{
    fill_rows(p->ranking->rows, p->first, p->end, 1);
}

static void clean_up(ranking *r)
{
    f0t_scoring_close(&r->plain);
    f0t_screen_free(r->screen);
    f0t_free(r->rows);
    f0t_free(r->along);
    r->screen = NULL;
    r->rows = r->along = NULL;
    r->count = 0;
}

static f0t_status prepare(ranking *r, size_t count)
{
    if (r->count == count)
        return F0T_OK;
    clean_up(r);
    F0T_TRY(f0t_alloc(&r->rows, count, DIM * sizeof *r->rows));
    F0T_TRY(f0t_alloc(&r->along, MOST, DIM * sizeof *r->along));
    in_parts(r, count, fill_part);
    fill_rows(r->along, 0, MOST, 2);
    f0t_rows_normalise(r->rows, count, DIM);
    F0T_TRY(f0t_screen_create(&r->screen, DIM));
    F0T_TRY(f0t_screen_append(r->screen, r->rows, count));
    r->count = count;
    /* The plain product, beside the screen; on a device of its own a sieve where a tagger would have one. */
    const bool sieved = !f0t_compute_current()->shares_memory && count >= 1 << 16;
    return f0t_scoring_open(&r->plain, f0t_compute_current(), r->rows, count, DIM,
                            &(f0t_scoring_options){.screened = sieved});
}

static bench_child *start_peer(const cli_context *cli, const char *kind, const ranking *r)
{
    enum { NUMBERS = 5 };
    const size_t values[NUMBERS] = {(size_t)f0t_context_threads(cli->context), r->count, DIM,
                                    r->directions, TOP};
    char numbers[NUMBERS][16];
    const char *words[NUMBERS + 2] = {kind};
    for (size_t i = 0; i < NUMBERS; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%zu", values[i]);
        words[1 + i] = numbers[i];
    }
    return bench_child_start(cli, "rank_peer.py", words);
}

static f0t_status measure(const cli_context *cli, bench_report *report, ranking *r, size_t i)
{
    static const char *const kinds[] = {"numpy", "faiss", "torch"};
    const bool shared = f0t_compute_current()->shares_memory;
    bench_child *peers[3] = {NULL};
    bench_contender contenders[5] = {{NULL, shared ? run_screen : run_plain, r, 0},
                                     {"the plain product", run_plain, r, 0},
                                     {"reading its codes", run_reading, r, 0}};
    size_t count = shared ? 3 : 1;
    r->directions = cases[i].directions;
    for (size_t p = shared ? 0 : 2; p < (shared ? 2 : 3); p++)
        if ((peers[p] = start_peer(cli, kinds[p], r)))
            contenders[count++] =
                (bench_contender){bench_child_name(peers[p]), bench_child_run, peers[p], 0};
    f0t_status status = bench_measure(contenders, count);
    if (status == F0T_OK)
        bench_report_add(report, cases[i].name, "rankings/s", (double)r->directions, contenders,
                         count);
    for (size_t p = 0; p < 3; p++)
        bench_child_end(peers[p]);
    return status;
}

f0t_status bench_rank(cli_context *cli, const void *options)
{
    F0T_ENTER(cli->context); /* what is measured is inside of the library */
    bench_report *report = bench_report_create("rank");
    ranking *r = cli_alloc(sizeof *r);
    r->threads = (size_t)f0t_context_threads(cli->context);
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < CASES && status == F0T_OK; i++) {
        if (!bench_wanted(options, cases[i].name) ||
            (cases[i].device && f0t_compute_current()->shares_memory))
            continue;
        status = prepare(r, cases[i].rows);
        if (status == F0T_OK)
            status = measure(cli, report, r, i);
    }
    if (status == F0T_OK)
        status = bench_report_print(cli, report, options);
    clean_up(r);
    free(r);
    bench_report_free(report);
    return status;
}
