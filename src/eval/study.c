#include "eval/study.h"

#include "base/alloc.h"
#include "base/monitor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LAMBDAS[] = {0.001, 0.01, 0.1, 1, 10, 100, 1000};

enum { LAMBDAS_MOST = 100, DIMS_MOST = 100, ROWS = 5 };

/* The caller's study, and what it points to. */
typedef struct work {
    f0t_study study; /* must be first: it is what the caller gets, and frees */
    f0t_study_tags tags;
    f0t_study_rules rules;
    const char **names; /* copies of all tags */
    size_t name_count;
    char *dataset;
    double *lambdas;
    f0t_study_curve *curves;
    size_t curve_capacity;
    double **numbers; /* [curves] of one curve each */
    size_t number_capacity;
    f0t_study_picture *pictures;
    f0t_study_scales scales;
    char **findings;
} work;

static void *constant(const void *text)
{
    return (void *)(uintptr_t)text;
}

/* ---- Options ------------------------------------------------------------------------------------- */

static f0t_status check_options(const f0t_study_options *o)
{
    if (!o->lambda_count || o->lambda_count > LAMBDAS_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu values of lambda: from 1 to %d are expected",
                        o->lambda_count, LAMBDAS_MOST);
    for (size_t i = 0; i < o->lambda_count; i++)
        if (!(o->lambdas[i] >= 1e-6) || !(o->lambdas[i] <= 1e6) ||
            (i && o->lambdas[i] <= o->lambdas[i - 1]))
            return f0t_fail(F0T_ERROR_ARGUMENT,
                            "values of lambda must ascend from 1e-6 to 1e6; value %zu does not fit",
                            i + 1);
    if (o->dim_count > DIMS_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu dimensions: at most %d", o->dim_count, DIMS_MOST);
    for (size_t i = 0; i < o->dim_count; i++)
        if (!o->dims[i])
            return f0t_fail(F0T_ERROR_ARGUMENT, "vectors of 0 dimensions");
    for (size_t i = 0; i < o->vocabulary_size_count; i++)
        if (!o->vocabulary_sizes[i] || (i && o->vocabulary_sizes[i] <= o->vocabulary_sizes[i - 1]))
            return f0t_fail(F0T_ERROR_ARGUMENT,
                            "sizes of vocabularies must ascend from 1; size %zu does not fit",
                            i + 1);
    if (!(o->perplexity >= 2) || !(o->perplexity <= 1000))
        return f0t_fail(F0T_ERROR_ARGUMENT, "the perplexity must be from 2 to 1000");
    if (!o->sample || o->offsets < 100 || o->offsets > 200000)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s",
                        o->sample ? "offsets in a picture must be from 100 to 200000"
                                  : "the sample must have a rule");
    return F0T_OK;
}

/* ---- Curves -------------------------------------------------------------------------------------- */

static f0t_status add_curve(work *w, const f0t_study_task *task, const f0t_study_space *space,
                            const f0t_vectors *vectors, bool control)
{
    const size_t n = task->options->lambda_count;
    const char *source = f0t_vectors_source(vectors);
    const char *slash = strrchr(source, '/');
    const char *file = slash ? slash + 1 : source;
    size_t *count = &w->study.curve_count;
    char *name, stage[100];
    double *room;
    F0T_TRY(f0t_grow(&w->curves, &w->curve_capacity, *count, 1, sizeof *w->curves));
    F0T_TRY(f0t_grow(&w->numbers, &w->number_capacity, *count, 1, sizeof *w->numbers));
    F0T_TRY(f0t_alloc_zero(&room, ROWS * n, sizeof *room));
    f0t_status status = f0t_string_copy(&name, file, strlen(file));
    if (status != F0T_OK) {
        f0t_free(room);
        return status;
    }
    const bool tested = task->rules->pair_count > 0;
    const f0t_study_curve_room to = {room, room + n, room + 2 * n, room + 3 * n, room + 4 * n};
    w->numbers[*count] = room;
    w->curves[*count] =
        (f0t_study_curve){.vectors = name,
                          .file_dim = f0t_vectors_dim(vectors),
                          .dim = space->dim,
                          .control = control,
                          .existence = to.existence,
                          .existence_images = to.existence_images,
                          .satisfied = to.satisfied,
                          .generalisation = tested ? to.generalisation : NULL,
                          .generalisation_rules = tested ? to.generalisation_rules : NULL};
    ++*count;
    snprintf(stage, sizeof stage, "solving ranking SVMs, %.40s, %zu dimensions%s", name, space->dim,
             control ? ", control" : "");
    return f0t_study_curves(&to, task, space, stage);
}

static f0t_status add_curves(work *w, const f0t_study_task *task, const f0t_study_space *space,
                             const f0t_vectors *vectors)
{
    f0t_study_space dealt;
    F0T_TRY(add_curve(w, task, space, vectors, false));
    if (!task->options->control)
        return F0T_OK;
    F0T_TRY(f0t_study_space_shuffle(&dealt, space, task->tags, task->options->seed));
    f0t_status status = add_curve(w, task, &dealt, vectors, true);
    f0t_study_space_free(&dealt);
    return status;
}

/* The file as it is where no dimensions are given, or one of them is its own. */
static f0t_status add_cuts(work *w, const f0t_study_task *task, const f0t_study_space *whole,
                           const f0t_vectors *vectors)
{
    const f0t_study_options *o = task->options;
    const size_t rows = task->tags->seen + task->tags->unseen;
    float *axes = NULL;
    f0t_status status = F0T_OK;
    for (size_t i = 0; status == F0T_OK && i < o->dim_count; i++) {
        f0t_study_space cut = {0};
        if (o->dims[i] >= whole->dim) {
            if (o->dims[i] == whole->dim)
                status = add_curves(w, task, whole, vectors);
            continue;
        }
        if (!axes)
            status = f0t_study_axes(&axes, vectors, o->centred, task->monitor);
        if (status == F0T_OK)
            status = f0t_study_space_cut(&cut, whole, axes, o->dims[i], rows);
        if (status == F0T_OK)
            status = add_curves(w, task, &cut, vectors);
        f0t_study_space_free(&cut);
    }
    f0t_free(axes);
    return status;
}

/* Also what is asked of the first file alone. */
static f0t_status study_file(work *w, const f0t_study_task *task, const f0t_dataset *dataset,
                             const f0t_vectors *vectors, bool first)
{
    f0t_study_space whole = {0};
    f0t_status status = f0t_study_space_create(&whole, task->tags, vectors, task->options->centred);
    if (status == F0T_OK)
        status = task->options->dim_count ? add_cuts(w, task, &whole, vectors)
                                          : add_curves(w, task, &whole, vectors);
    if (status == F0T_OK && first)
        status = f0t_study_structure_find(&w->study.structure, task, &whole);
    if (status == F0T_OK && first)
        status = f0t_study_groups_find(&w->study.groups, task, &whole);
    if (status == F0T_OK && first)
        status =
            f0t_study_pictures_find(&w->pictures, &w->study.picture_count, task, dataset, &whole);
    if (status == F0T_OK && first)
        status = f0t_study_scales_find(&w->scales, task, dataset, vectors, &whole);
    f0t_study_space_free(&whole);
    return status;
}

/* ---- What the caller sees ------------------------------------------------------------------------ */

static f0t_status copy_names(work *w)
{
    const size_t count = w->tags.seen + w->tags.unseen;
    F0T_TRY(f0t_alloc(&w->names, count, sizeof *w->names));
    for (size_t i = 0; i < count; i++) {
        const char *name = w->tags.names[i];
        F0T_TRY(f0t_string_copy(constant(&w->names[i]), name, strlen(name)));
        w->name_count++;
    }
    w->study.seen = w->names;
    w->study.unseen = w->names + w->tags.seen;
    return F0T_OK;
}

static f0t_status describe(work *w, const f0t_dataset *dataset, const f0t_study_options *o)
{
    static const char *const parts[] = {"train", "val", "test"};
    f0t_study *s = &w->study;
    const char *name = f0t_dataset_name(dataset);
    F0T_TRY(copy_names(w));
    F0T_TRY(f0t_string_copy(&w->dataset, name, strlen(name)));
    F0T_TRY(f0t_alloc(&w->lambdas, o->lambda_count, sizeof *w->lambdas));
    memcpy(w->lambdas, o->lambdas, o->lambda_count * sizeof *w->lambdas);
    s->part = "all";
    for (int i = 0; i < 3; i++)
        if (o->part && !strcmp(o->part, parts[i]))
            s->part = parts[i];
    s->dataset = w->dataset;
    s->lambdas = w->lambdas;
    s->lambda_count = o->lambda_count;
    s->seed = o->seed;
    s->hinge = o->hinge;
    s->centred = o->centred;
    s->given = w->tags.given;
    s->seen_count = w->tags.seen;
    s->unseen_count = w->tags.unseen;
    s->missing = w->tags.missing;
    s->images = w->rules.images;
    s->tested = w->rules.tested;
    s->rules = w->rules.seen->count;
    s->random_existence = f0t_study_random_existence(&w->rules);
    s->random_generalisation = f0t_study_random_generalisation(&w->rules);
    return F0T_OK;
}

static f0t_status run(work *w, const f0t_dataset *dataset, const f0t_vectors *const *vectors,
                      size_t count, const f0t_study_options *o, const f0t_monitor *monitor)
{
    const f0t_study_task task = {&w->tags, &w->rules, o, monitor};
    F0T_TRY(f0t_study_tags_create(&w->tags, dataset, vectors, count, o, monitor));
    F0T_TRY(f0t_study_rules_create(&w->rules, dataset, &w->tags, o->part));
    F0T_TRY(describe(w, dataset, o));
    for (size_t i = 0; i < count; i++)
        F0T_TRY(study_file(w, &task, dataset, vectors[i], i == 0));
    w->study.curves = w->curves;
    w->study.pictures = w->pictures;
    w->study.scales = w->scales.items;
    w->study.scale_count = w->scales.count;
    w->study.scale_rules = w->scales.rules;
    if (!w->study.curve_count)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "no vector file has as many dimensions as were asked for");
    F0T_TRY(f0t_study_findings(&w->findings, &w->study.finding_count, &w->study));
    w->study.findings = (const char *const *)w->findings;
    return F0T_OK;
}

f0t_status f0t_study_run(f0t_study **out, const f0t_dataset *dataset,
                         const f0t_vectors *const *vectors, size_t count,
                         const f0t_study_options *options, const f0t_context *context)
{
    F0T_ENTER(context);
    const f0t_monitor *monitor = f0t_context_monitor(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(dataset);
    F0T_REQUIRE(vectors || !count);
    for (size_t i = 0; i < count; i++)
        F0T_REQUIRE(vectors[i]);
    F0T_READ_OPTIONS(f0t_study_options, F0T_STUDY_OPTIONS, options);
    const double began = f0t_time();
    work *w;
    const f0t_study_options *o = options;
    if (!own_options.lambdas) {
        own_options.lambdas = LAMBDAS;
        own_options.lambda_count = sizeof LAMBDAS / sizeof *LAMBDAS;
    }
    if (!count)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a study needs word vectors");
    F0T_TRY(check_options(o));
    F0T_TRY(f0t_alloc_zero(&w, 1, sizeof *w));
    f0t_status status = run(w, dataset, vectors, count, o, monitor);
    w->study.seconds = f0t_time() - began;
    if (status == F0T_OK)
        *out = &w->study;
    else
        f0t_study_free(&w->study);
    return status;
}

void f0t_study_free(f0t_study *study)
{
    work *w = (work *)study;
    if (!w)
        return;
    for (size_t i = 0; i < w->study.curve_count; i++) {
        f0t_free(w->numbers[i]);
        f0t_free(constant(w->curves[i].vectors));
    }
    for (size_t i = 0; i < w->name_count; i++)
        f0t_free(constant(w->names[i]));
    for (size_t i = 0; w->findings && i < w->study.finding_count; i++)
        f0t_free(w->findings[i]);
    f0t_study_pictures_free(w->pictures, w->study.picture_count);
    f0t_study_scales_free(&w->scales);
    f0t_study_tags_free(&w->tags);
    f0t_study_rules_free(&w->rules);
    f0t_free(w->names);
    f0t_free(w->dataset);
    f0t_free(w->lambdas);
    f0t_free(w->curves);
    f0t_free(w->numbers);
    f0t_free(w->findings);
    f0t_free(w);
}
