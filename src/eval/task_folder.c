#include "eval/task_folder.h"

#include "base/alloc.h"
#include "base/kernels.h"
#include "io/file.h"
#include "io/json.h"
#include "io/npy.h"
#include "model/samples.h"

#include <stdlib.h>
#include <string.h>

/* Rows at a time. */
enum { BLOCK = 512 };

typedef struct folder {
    const char *path;
    const f0t_task *task;
} folder;

/* ---- Matrices ------------------------------------------------------------------------------ */

/* Rows [first, first + count) into to[count x cols]. */
typedef f0t_status (*fill_rows)(float *to, const void *from, const f0t_task *task, size_t first,
                                size_t count, size_t cols);

static f0t_status write_rows(f0t_npy_writer *w, const folder *f, fill_rows fill, const void *from,
                             size_t rows, size_t cols)
{
    float *block;
    F0T_TRY(f0t_alloc(&block, BLOCK * cols, sizeof *block));
    f0t_status status = F0T_OK;
    for (size_t first = 0; first < rows && status == F0T_OK; first += BLOCK) {
        const size_t count = rows - first < BLOCK ? rows - first : BLOCK;
        status = fill(block, from, f->task, first, count, cols);
        if (status == F0T_OK)
            status = f0t_npy_write_rows(w, block, count);
    }
    f0t_free(block);
    return status;
}

static f0t_status write_matrix(const folder *f, const char *name, f0t_dtype type, fill_rows fill,
                               const void *from, size_t rows, size_t cols)
{
    char *path;
    f0t_npy_writer *w = NULL;
    F0T_TRY(f0t_path_join(&path, f->path, name));
    f0t_status status = f0t_npy_create(&w, path, type, cols);
    f0t_free(path);
    F0T_TRY(status);
    status = write_rows(w, f, fill, from, rows, cols);
    if (status == F0T_OK)
        return f0t_npy_commit(w);
    f0t_npy_abort(w);
    return status;
}

static f0t_status fill_copy(float *to, const void *from, const f0t_task *task, size_t first,
                            size_t count, size_t cols)
{
    (void)task;
    memcpy(to, (const float *)from + first * cols, count * cols * sizeof *to);
    return F0T_OK;
}

static f0t_status fill_features(float *to, const void *from, const f0t_task *task, size_t first,
                                size_t count, size_t cols)
{
    const f0t_samples *samples = from;
    (void)cols;
    return f0t_task_read(to, task, samples->images + first, count);
}

static f0t_status fill_labels(float *to, const void *from, const f0t_task *task, size_t first,
                              size_t count, size_t cols)
{
    const f0t_samples *samples = from;
    (void)task;
    memset(to, 0, count * cols * sizeof *to);
    for (size_t m = 0; m < count; m++)
        for (size_t i = samples->offsets[first + m]; i < samples->offsets[first + m + 1]; i++)
            to[m * cols + samples->relevant[i]] = 1;
    return F0T_OK;
}

static f0t_status write_samples(const folder *f, const char *features, const char *labels,
                                const f0t_samples *samples)
{
    if (!samples->count)
        return F0T_OK;
    F0T_TRY(write_matrix(f, features, F0T_F32, fill_features, samples, samples->count,
                         f0t_task_features(f->task)));
    return write_matrix(f, labels, F0T_F16, fill_labels, samples, samples->count, f->task->tags);
}

/* ---- Lists --------------------------------------------------------------------------------- */

/* One line for each; NULL: an empty line. */
typedef const char *(*name_of)(const folder *f, const void *from, size_t i);

static f0t_status write_list(const folder *f, const char *name, name_of get, const void *from,
                             size_t count)
{
    char *path;
    f0t_writer *w = NULL;
    F0T_TRY(f0t_path_join(&path, f->path, name));
    f0t_status status = f0t_writer_open(&w, path);
    f0t_free(path);
    for (size_t i = 0; i < count && status == F0T_OK; i++) {
        const char *text = get(f, from, i);
        if (text)
            status = f0t_writer_write(w, text, strlen(text));
        if (status == F0T_OK)
            status = f0t_writer_write(w, "\n", 1);
    }
    return f0t_writer_finish(w, status);
}

static const char *ranked_name(const folder *f, const void *from, size_t i)
{
    const f0t_candidates *tags = from;
    return f0t_vocab_tag(f->task->vocab, tags->tags[i]);
}

/* The training tags are numbered in the order of the vocabulary. */
static const char *learned_name(const folder *f, const void *from, size_t i)
{
    const uint32_t *words = from;
    return f0t_vocab_tag(f->task->vocab, words[i]);
}

static const char *image_name(const folder *f, const void *from, size_t i)
{
    const f0t_queries *queries = from;
    return f0t_dataset_image(f->task->dataset, queries->rows[i]);
}

static f0t_status write_learned(const folder *f)
{
    const f0t_task *task = f->task;
    uint32_t *words;
    F0T_TRY(f0t_alloc(&words, task->tags, sizeof *words));
    for (size_t i = 0; i < f0t_vocab_count(task->vocab); i++)
        if (task->place[i] != F0T_NO_SAMPLE_TAG)
            words[task->place[i]] = (uint32_t)i;
    f0t_status status = write_list(f, "learned.txt", learned_name, words, task->tags);
    f0t_free(words);
    if (status == F0T_OK)
        status = write_matrix(f, "learned_vectors.npy", F0T_F32, fill_copy, task->vectors,
                              task->tags, task->dim);
    return status;
}

/* ---- What it is about ---------------------------------------------------------------------- */

static json_t *knobs_json(const f0t_ranker *ranker, const double *knobs)
{
    json_t *object = json_object();
    for (size_t i = 0; i < ranker->knob_count; i++)
        json_object_set_new(object, ranker->knobs[i].name, json_real(knobs[i]));
    return object;
}

static f0t_status write_json(const folder *f, const f0t_candidates *tags,
                             const f0t_queries *queries, const double *knobs)
{
    const f0t_task *task = f->task;
    json_t *json =
        json_pack("{s:s, s:i, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:o}", "fast0tag",
                  "task", "version", 1, "part", queries->part ? queries->part : "validation",
                  "images", (json_int_t)queries->count, "ranked", (json_int_t)tags->count,
                  "learned", (json_int_t)task->tags, "train", (json_int_t)task->train.count, "val",
                  (json_int_t)task->val.count, "features", (json_int_t)f0t_task_features(task),
                  "dim", (json_int_t)task->dim, "seed", (json_int_t)task->seed, "effort",
                  task->effort, "knobs", knobs_json(task->ranker, knobs));
    char *text = json ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL, *path;
    f0t_writer *w = NULL;
    json_decref(json);
    if (!text)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for a task");
    f0t_status status = f0t_path_join(&path, f->path, "task.json");
    if (status == F0T_OK) {
        status = f0t_writer_open(&w, path);
        f0t_free(path);
    }
    if (status == F0T_OK)
        status = f0t_writer_write(w, text, strlen(text));
    free(text);
    return f0t_writer_finish(w, status);
}

f0t_status f0t_task_folder_write(const char *path, const f0t_task *task, const f0t_candidates *tags,
                                 const f0t_queries *queries, const double *knobs)
{
    const folder f = {path, task};
    F0T_TRY(write_learned(&f));
    F0T_TRY(write_samples(&f, "train_features.npy", "train_labels.npy", &task->train));
    F0T_TRY(write_samples(&f, "val_features.npy", "val_labels.npy", &task->val));
    F0T_TRY(write_list(&f, "ranked.txt", ranked_name, tags, tags->count));
    F0T_TRY(write_matrix(&f, "ranked_vectors.npy", F0T_F32, fill_copy, tags->vectors, tags->count,
                         task->dim));
    F0T_TRY(write_list(&f, "images.txt", image_name, queries, queries->count));
    F0T_TRY(write_matrix(&f, "features.npy", F0T_F32, fill_copy, queries->features, queries->count,
                         f0t_task_features(task)));
    return write_json(&f, tags, queries, knobs);
}

/* ---- Scores -------------------------------------------------------------------------------- */

static f0t_status read_scores(float *scores, const f0t_npy *npy, const char *path,
                              const f0t_candidates *tags, const f0t_queries *queries)
{
    size_t rows, cols;
    F0T_TRY(f0t_npy_matrix(&rows, &cols, npy));
    if (rows != queries->all || cols != tags->count)
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "%s: has %zu x %zu scores; %s has %zu images and %zu tags to rank", path,
                        rows, cols, queries->part ? queries->part : "the trial", queries->all,
                        tags->count);
    F0T_TRY(f0t_npy_read_rows(scores, npy, queries->first, queries->count));
    for (size_t m = 0; m < queries->count; m++)
        if (!f0t_kernels()->finite_f32(scores + m * cols, cols))
            return f0t_fail(F0T_ERROR_FORMAT, "%s: a score in row %zu is no finite number", path,
                            queries->first + m + 1);
    return F0T_OK;
}

f0t_status f0t_task_scores_read(float *scores, const char *path, const f0t_candidates *tags,
                                const f0t_queries *queries)
{
    f0t_npy *npy;
    F0T_TRY(f0t_npy_open(&npy, path));
    f0t_status status = read_scores(scores, npy, path, tags, queries);
    f0t_npy_close(npy);
    return status;
}
