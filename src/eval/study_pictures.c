/* The offsets of single images, drawn in the plane: uncentred PCA, and t-SNE. */
#include "base/alloc.h"
#include "base/random.h"
#include "eval/pca.h"
#include "eval/study.h"
#include "eval/tsne.h"
#include "io/file.h"
#include "math/matmul.h"
#include "rank/ranksvm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EXACT_MOST = 2500, PICTURES_MOST = 100 };

/* ---- Which images ------------------------------------------------------------------------------ */

/* A line of images.txt, or a number from 1. */
static f0t_status find_image(size_t *out, const f0t_dataset *dataset, const char *name)
{
    const size_t images = f0t_dataset_image_count(dataset);
    size_t number = 0;
    for (size_t m = 0; m < images; m++) {
        const char *line = f0t_dataset_image(dataset, m);
        if (line && !strcmp(line, name)) {
            *out = m;
            return F0T_OK;
        }
    }
    for (const char *c = name; *c >= '0' && *c <= '9' && number <= images; c++) {
        number = 10 * number + (size_t)(*c - '0');
        if (!c[1] && number && number <= images) {
            *out = number - 1;
            return F0T_OK;
        }
    }
    return f0t_fail(F0T_ERROR_ARGUMENT,
                    "image '%s': neither a line of images.txt nor a number from 1 to %zu", name,
                    images);
}

static f0t_status find_given(uint32_t *rows, const f0t_study_task *task, const f0t_dataset *dataset)
{
    const f0t_study_options *o = task->options;
    for (size_t i = 0; i < o->image_count; i++) {
        size_t m = 0;
        F0T_TRY(find_image(&m, dataset, o->images[i]));
        const uint32_t rule = task->rules->seen->of_image[m];
        if (rule == F0T_NO_RULE || f0t_rule_size(task->rules->seen, rule) == task->tags->seen)
            return f0t_fail(F0T_ERROR_ARGUMENT,
                            "image '%s': it has no pair of a relevant and an irrelevant seen tag",
                            o->images[i]);
        rows[i] = (uint32_t)m;
    }
    return F0T_OK;
}

/* As in the paper's Figure 2: an image with 5 relevant tags, or as near to that as there is, and one
 * with many. */
static size_t find_typical(uint32_t rows[2], const f0t_study_task *task)
{
    const f0t_rules *rules = task->rules->seen;
    size_t best[2] = {F0T_NONE, F0T_NONE};
    double off = HUGE_VAL, most = 0;
    for (size_t r = 0; r < rules->count; r++) {
        const double size = (double)f0t_rule_size(rules, r);
        if (f0t_rule_size(rules, r) == rules->tags)
            continue;
        if (fabs(size - 5) < off) {
            off = fabs(size - 5);
            best[0] = r;
        }
        if (size > most) {
            most = size;
            best[1] = r;
        }
    }
    size_t count = 0;
    for (int i = 0; i < 2; i++)
        if (best[i] != F0T_NONE && (!count || best[1] != best[0]))
            rows[count++] = rules->images[rules->firsts[best[i]]];
    return count;
}

/* ---- One picture ------------------------------------------------------------------------------- */

/* What is needed while one picture is made. */
typedef struct maker {
    const f0t_study_task *task;
    const f0t_study_space *space;
    f0t_rules rule;       /* one */
    uint32_t *irrelevant; /* [picture->irrelevant] */
    float *offsets;       /* [points x dim] */
    float *w;             /* [dim] */
    double *room;         /* [3 x dim] */
} maker;

static void *constant(const void *text)
{
    return (void *)(uintptr_t)text;
}

static f0t_status name_image(f0t_study_picture *picture, const f0t_dataset *dataset, size_t m)
{
    char number[24];
    const char *line = f0t_dataset_image(dataset, m);
    snprintf(number, sizeof number, "%zu", m + 1);
    const char *name = line ? line : number;
    F0T_TRY(f0t_string_copy(constant(&picture->image), name, strlen(name)));
    if (!line)
        return F0T_OK;
    char *path;
    bool there;
    F0T_TRY(f0t_path_join(&path, f0t_dataset_path(dataset), line));
    f0t_status status = f0t_path_look(&there, path);
    if (there)
        picture->path = path;
    else
        f0t_free(path);
    return status;
}

static f0t_status name_tags(f0t_study_picture *picture, const maker *k)
{
    const char **tags;
    F0T_TRY(f0t_alloc_zero(&tags, k->rule.offsets[1] - k->rule.offsets[0], sizeof *tags));
    picture->tags = tags;
    for (size_t i = k->rule.offsets[0]; i < k->rule.offsets[1]; i++) {
        const char *name = k->task->tags->names[k->rule.relevant[i]];
        F0T_TRY(f0t_string_copy(constant(&tags[picture->tag_count]), name, strlen(name)));
        picture->tag_count++;
    }
    return F0T_OK;
}

/* All irrelevant tags, or some drawn by seed. */
static f0t_status choose_irrelevant(f0t_study_picture *picture, maker *k, size_t m)
{
    const f0t_random random = {k->task->options->seed, UINT64_C(0x6F666673) + m}; /* "offs" */
    const uint32_t *relevant = k->rule.relevant + k->rule.offsets[0];
    const size_t tags = k->rule.tags, room = k->task->options->offsets / picture->tag_count;
    F0T_TRY(f0t_alloc(&k->irrelevant, tags, sizeof *k->irrelevant));
    for (uint32_t t = 0, next = 0; t < tags; t++)
        if (next < picture->tag_count && relevant[next] == t)
            next++;
        else
            k->irrelevant[picture->irrelevant_all++] = t;
    picture->irrelevant = picture->irrelevant_all;
    if (room < picture->irrelevant_all) {
        f0t_random_shuffle(k->irrelevant, picture->irrelevant_all, &random);
        picture->irrelevant = room ? room : 1;
    }
    return F0T_OK;
}

static f0t_status make_offsets(const f0t_study_picture *picture, maker *k)
{
    const size_t dim = k->space->dim, points = picture->tag_count * picture->irrelevant;
    F0T_TRY(f0t_alloc(&k->offsets, points * dim, sizeof *k->offsets));
    for (size_t i = 0; i < points; i++) {
        const uint32_t p = k->rule.relevant[k->rule.offsets[0] + i / picture->irrelevant];
        const uint32_t n = k->irrelevant[i % picture->irrelevant];
        for (size_t j = 0; j < dim; j++)
            k->offsets[i * dim + j] =
                k->space->vectors[p * dim + j] - k->space->vectors[n * dim + j];
    }
    return F0T_OK;
}

static f0t_status find_direction(f0t_study_picture *picture, maker *k)
{
    const f0t_ranksvm_options options = {.hinge = k->task->options->hinge};
    f0t_ranksvm *svm;
    F0T_TRY(f0t_alloc(&k->w, k->space->dim, sizeof *k->w));
    F0T_TRY(f0t_ranksvm_create(&svm, k->space->vectors, k->rule.tags, k->space->dim));
    f0t_status status =
        f0t_ranksvm_solve(k->w, NULL, svm, &k->rule, &picture->lambda, 1, &options, NULL);
    f0t_ranksvm_free(svm);
    return status;
}

static f0t_status measure(f0t_study_picture *picture, maker *k)
{
    const size_t dim = k->space->dim, tags = k->rule.tags;
    const uint32_t *relevant = k->rule.relevant + k->rule.offsets[0];
    F0T_TRY(f0t_alloc_zero(&k->room, 3 * dim, sizeof *k->room));
    double *total = k->room + 2 * dim;
    for (size_t t = 0; t < tags; t++)
        for (size_t j = 0; j < dim; j++)
            total[j] += (double)k->space->vectors[t * dim + j];
    const f0t_offsets_numbers n = f0t_offsets_measure(k->space->vectors, tags, dim, relevant,
                                                      picture->tag_count, total, k->room);
    picture->common = n.common;
    picture->explained = picture->tag_count > 1 ? n.explained : (double)NAN;
    picture->angle = n.angle;
    return f0t_offsets_along(&picture->cosine, &picture->ahead, k->space->vectors, tags, dim,
                             relevant, picture->tag_count, k->w);
}

/* ---- Drawing ------------------------------------------------------------------------------------- */

static double project(const float *axis, const float *v, size_t dim)
{
    double sum = 0;
    for (size_t j = 0; j < dim; j++)
        sum += (double)axis[j] * (double)v[j];
    return sum;
}

/* Axes point to where the direction does: pictures can be compared. */
static void turn_axes(f0t_study_picture *picture, float *axes, const maker *k)
{
    const size_t dim = k->space->dim;
    const double length = sqrt(project(k->w, k->w, dim));
    for (int a = 0; a < 2; a++) {
        const double along = project(axes + (size_t)a * dim, k->w, dim);
        for (size_t j = 0; along < 0 && j < dim; j++)
            axes[(size_t)a * dim + j] = -axes[(size_t)a * dim + j];
        picture->arrow[a] = length > 0 ? fabs(along) / length : 0;
    }
}

static f0t_status find_axes(f0t_study_picture *picture, float *axes, const maker *k, size_t points)
{
    double values[2], total;
    f0t_pca pca;
    F0T_TRY(f0t_pca_create(&pca, k->space->dim));
    f0t_status status = f0t_pca_add(&pca, k->offsets, points);
    if (status == F0T_OK)
        status = f0t_pca_finish(axes, values, &total, &pca, 2);
    f0t_pca_free(&pca);
    F0T_TRY(status);
    for (int a = 0; a < 2; a++)
        picture->pca_share[a] = total > 0 ? 100 * values[a] / total : 0;
    turn_axes(picture, axes, k);
    return F0T_OK;
}

static f0t_status draw_pca(f0t_study_picture *picture, const maker *k, float *x, float *y)
{
    const size_t dim = k->space->dim, points = picture->tag_count * picture->irrelevant;
    float *axes;
    F0T_TRY(f0t_alloc(&axes, 2 * dim, sizeof *axes));
    f0t_status status = find_axes(picture, axes, k, points);
    for (size_t i = 0; status == F0T_OK && i < points; i++) {
        x[i] = (float)project(axes, k->offsets + i * dim, dim);
        y[i] = (float)project(axes + dim, k->offsets + i * dim, dim);
    }
    f0t_free(axes);
    return status;
}

/* From the picture of PCA on, shaken a little by seed: equal points must part. */
static f0t_status draw_tsne(f0t_study_picture *picture, const maker *k, float *x, float *y)
{
    const f0t_study_options *o = k->task->options;
    const size_t points = picture->tag_count * picture->irrelevant;
    const f0t_random random = {o->seed, UINT64_C(0x74736E65)}; /* "tsne" */
    const f0t_tsne_options options = {.perplexity = o->perplexity, .exact = EXACT_MOST};
    for (size_t i = 0; i < points; i++) {
        x[i] = picture->pca_x[i] + (float)(0.01 * f0t_random_normal(&random, 2 * i));
        y[i] = picture->pca_y[i] + (float)(0.01 * f0t_random_normal(&random, 2 * i + 1));
    }
    picture->exact = points <= EXACT_MOST;
    return f0t_tsne_run(x, y, &picture->divergence, k->offsets, points, k->space->dim, &options,
                        k->task->monitor);
}

static f0t_status draw(f0t_study_picture *picture, const maker *k)
{
    const size_t points = picture->tag_count * picture->irrelevant;
    float *columns[4];
    const float **to[4] = {&picture->pca_x, &picture->pca_y, &picture->tsne_x, &picture->tsne_y};
    for (int i = 0; i < 4; i++) {
        F0T_TRY(f0t_alloc(&columns[i], points, sizeof *columns[i]));
        *to[i] = columns[i];
    }
    F0T_TRY(draw_pca(picture, k, columns[0], columns[1]));
    return draw_tsne(picture, k, columns[2], columns[3]);
}

static f0t_status make(f0t_study_picture *picture, maker *k, const f0t_dataset *dataset, size_t m)
{
    F0T_TRY(name_image(picture, dataset, m));
    F0T_TRY(name_tags(picture, k));
    F0T_TRY(choose_irrelevant(picture, k, m));
    F0T_TRY(make_offsets(picture, k));
    F0T_TRY(find_direction(picture, k));
    F0T_TRY(measure(picture, k));
    return draw(picture, k);
}

static f0t_status make_picture(f0t_study_picture *picture, const f0t_study_task *task,
                               const f0t_dataset *dataset, const f0t_study_space *space, size_t m)
{
    const f0t_rules *rules = task->rules->seen;
    maker k = {.task = task, .space = space, .rule = f0t_rules_slice(rules, rules->of_image[m], 1)};
    *picture = (f0t_study_picture){.lambda = f0t_study_middle(task->options)};
    f0t_status status = make(picture, &k, dataset, m);
    f0t_free(k.irrelevant);
    f0t_free(k.offsets);
    f0t_free(k.w);
    f0t_free(k.room);
    return status;
}

f0t_status f0t_study_pictures_find(f0t_study_picture **out, size_t *count,
                                   const f0t_study_task *task, const f0t_dataset *dataset,
                                   const f0t_study_space *space)
{
    uint32_t rows[PICTURES_MOST];
    size_t wanted = task->options->image_count;
    if (wanted > PICTURES_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu images to draw: at most %d", wanted,
                        PICTURES_MOST);
    if (task->options->images)
        F0T_TRY(find_given(rows, task, dataset));
    else
        wanted = find_typical(rows, task);
    F0T_TRY(f0t_alloc_zero(out, wanted, sizeof **out));
    for (*count = 0; *count < wanted;) {
        f0t_study_picture *next = &(*out)[(*count)++];
        F0T_TRY(make_picture(next, task, dataset, space, rows[*count - 1]));
    }
    return F0T_OK;
}

void f0t_study_pictures_free(f0t_study_picture *pictures, size_t count)
{
    for (size_t i = 0; pictures && i < count; i++) {
        f0t_study_picture *p = &pictures[i];
        for (size_t t = 0; t < p->tag_count; t++)
            f0t_free(constant(p->tags[t]));
        f0t_free(constant(p->tags));
        f0t_free(constant(p->image));
        f0t_free(constant(p->path));
        f0t_free(constant(p->pca_x));
        f0t_free(constant(p->pca_y));
        f0t_free(constant(p->tsne_x));
        f0t_free(constant(p->tsne_y));
    }
    f0t_free(pictures);
}
