/* bench descriptor: the built-in descriptor and its steps, on one thread. */
#include "bench.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "image/descriptor.h"

/* Pictures come with a shorter side of 256 to 511 pixels, or smaller as they are. */
enum { WIDTH = 341, HEIGHT = 256, SMALL_WIDTH = 171, SMALL_HEIGHT = 128 };
enum { PHOTO_WIDTH = 500, PHOTO_HEIGHT = 375, LARGE_WIDTH = 766, LARGE_HEIGHT = 511 };

/* What the steps hand on: those of a descriptor, which keeps its own to itself. */
typedef struct steps {
    f0t_descriptor *descriptor;
    float *out;
    uint8_t *rgb; /* [LARGE_HEIGHT x LARGE_WIDTH x 3]; the others are its beginning */
    f0t_work_scratch work;
    float picture[3 * F0T_WORK_PIXELS];
    f0t_cell_scratch cell;
    float cells[F0T_CELLS * F0T_CELLS * F0T_CELL_SIZE];
    float basis[F0T_PATCH_SIZE * F0T_PATCH_WAVES];
    float gradients[F0T_PLACES * F0T_PATCH_SIZE];
    float patches[F0T_PLACES][F0T_PLACES * F0T_PATCH_STRIDE];
    f0t_fisher fisher;
    f0t_colour_curves curves;
} steps;

static f0t_status whole(void *context)
{
    steps *s = context;
    return f0t_descriptor_run(s->out, s->descriptor, s->rgb, WIDTH, HEIGHT);
}

static f0t_status whole_small(void *context)
{
    steps *s = context;
    return f0t_descriptor_run(s->out, s->descriptor, s->rgb, SMALL_WIDTH, SMALL_HEIGHT);
}

static f0t_status whole_photo(void *context)
{
    steps *s = context;
    return f0t_descriptor_run(s->out, s->descriptor, s->rgb, PHOTO_WIDTH, PHOTO_HEIGHT);
}

static f0t_status whole_large(void *context)
{
    steps *s = context;
    return f0t_descriptor_run(s->out, s->descriptor, s->rgb, LARGE_WIDTH, LARGE_HEIGHT);
}

static f0t_status resize(void *context)
{
    steps *s = context;
    f0t_work_resize(s->picture, &s->work, s->rgb, WIDTH, HEIGHT);
    return F0T_OK;
}

static f0t_status cells(void *context)
{
    steps *s = context;
    f0t_cells_fill(s->cells, &s->cell, s->picture);
    return F0T_OK;
}

static f0t_status patches(void *context)
{
    steps *s = context;
    for (size_t y = 0; y < F0T_PLACES; y++)
        f0t_patches_fill(s->patches[y], s->gradients, s->basis, s->cells, y);
    return F0T_OK;
}

static f0t_status fisher(void *context)
{
    steps *s = context;
    f0t_fisher_clear(&s->fisher);
    for (size_t y = 0; y < F0T_PLACES; y++)
        f0t_fisher_add(&s->fisher, s->patches[y]);
    f0t_fisher_get(s->out, &s->fisher);
    return F0T_OK;
}

static f0t_status colours(void *context)
{
    steps *s = context;
    float *bins = s->out, *halves = bins + F0T_BINS, *layout = halves + F0T_HALVES * F0T_BINS;
    f0t_colour_fill(bins, halves, layout, &s->curves, s->picture);
    return F0T_OK;
}

static const struct {
    const char *name;
    f0t_status (*run)(void *context);
} cases[] = {
    {"whole, 341x256", whole},          {"whole, 171x128", whole_small},
    {"whole, 500x375", whole_photo},    {"whole, 766x511", whole_large},
    {"step 1, resize 341x256", resize}, {"step 2, cells", cells},
    {"step 3, patches", patches},       {"step 4, Fisher vector", fisher},
    {"step 5, colours", colours},
};

enum { CASES = sizeof cases / sizeof *cases };

/* Every step runs once, so that each has what the one before it gives. */
static f0t_status prepare(steps *s)
{
    F0T_TRY(f0t_descriptor_create(&s->descriptor));
    F0T_TRY(f0t_alloc(&s->out, f0t_descriptor_dim(), sizeof *s->out));
    F0T_TRY(f0t_alloc(&s->rgb, LARGE_WIDTH * LARGE_HEIGHT, 3));
    for (size_t i = 0; i < LARGE_WIDTH * LARGE_HEIGHT; i++)
        for (size_t c = 0; c < 3; c++)
            s->rgb[i * 3 + c] =
                (uint8_t)((i % WIDTH * (c + 1) ^ i / WIDTH * 3) + (i * 2654435761U >> 28));
    f0t_patch_basis(s->basis);
    f0t_fisher_prepare(&s->fisher);
    f0t_colour_prepare(&s->curves);
    for (size_t i = 0; i < CASES; i++)
        F0T_TRY(cases[i].run(s));
    return F0T_OK;
}

static f0t_status run_all(cli_context *cli, const bench_options *options, bench_report *report,
                          steps *s)
{
    F0T_TRY(prepare(s));
    f0t_stage stage = f0t_stage_begin(cli->monitor, "measuring", "cases", CASES);
    for (size_t i = 0; i < CASES; i++) {
        bench_contender ours = {NULL, cases[i].run, s, 0};
        F0T_TRY(f0t_stage_update(&stage, i));
        if (!bench_wanted(options, cases[i].name))
            continue;
        F0T_TRY(bench_measure(&ours, 1));
        bench_report_add(report, cases[i].name, "pictures/s", 1, &ours, 1);
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

f0t_status bench_descriptor(cli_context *cli, const void *options)
{
    F0T_ENTER(cli->context); /* what is measured is inside of the library */
    steps *s;
    F0T_TRY(f0t_alloc_zero(&s, 1, sizeof *s));
    bench_report *report = bench_report_create("descriptor");
    f0t_status status = run_all(cli, options, report, s);
    if (status == F0T_OK)
        status = bench_report_print(cli, report, options);
    bench_report_free(report);
    f0t_descriptor_free(s->descriptor);
    f0t_free(s->out);
    f0t_free(s->rgb);
    f0t_free(s);
    return status;
}
