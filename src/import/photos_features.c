/* Features of the pictures of an import, made block by block and kept in DATASET.part. */
#include "import/photos.h"

#include "base/alloc.h"
#include "base/group.h"
#include "base/monitor.h"
#include "io/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* What an interruption may cost, and how often progress shows: blocks begin small and grow while they
 * take less than a second. */
enum { BLOCK = 256, FIRST_BLOCK = 16 };

/* ---- From a dataset that is there ------------------------------------------------------------ */

/* Whether the file at `path` was last changed before `time`. */
static bool is_older(const char *path, const struct timespec *time)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return false;
    return info.st_mtim.tv_sec < time->tv_sec ||
           (info.st_mtim.tv_sec == time->tv_sec && info.st_mtim.tv_nsec < time->tv_nsec);
}

static f0t_status take_over(f0t_photo_features *f, const f0t_dataset *old)
{
    struct stat made;
    float *row;
    f0t_status status = F0T_OK;
    if (stat(f0t_dataset_features_path(old), &made) != 0)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&row, f->dim, sizeof *row));
    for (size_t m = 0; status == F0T_OK && m < f0t_dataset_image_count(old); m++) {
        const char *path = f0t_dataset_image(old, m);
        f0t_picture_stamp stamp;
        if (!path || !is_older(path, &made.st_mtim) || !f0t_picture_stamp_get(&stamp, path) ||
            f0t_feature_file_find(f->part, &stamp) != F0T_NONE)
            continue;
        status = f0t_dataset_read_features(row, old, m, 1);
        if (status == F0T_OK)
            status = f0t_feature_file_add(f->part, &stamp, row);
    }
    f0t_free(row);
    return status;
}

/* A dataset that cannot be opened, or has other features, gives nothing. */
static f0t_status use_old(f0t_photo_features *f, const f0t_import_job *job)
{
    f0t_dataset *old;
    f0t_status status = F0T_OK;
    if (!f0t_path_is_folder(job->output) ||
        f0t_dataset_open(&old, job->output, NULL, NULL) != F0T_OK)
        return F0T_OK;
    const char *backbone = f0t_dataset_backbone(old);
    if (f0t_dataset_dim(old) == f->dim && backbone &&
        f0t_backbone_check(job->options->extract, backbone) == F0T_OK)
        status = take_over(f, old);
    f0t_dataset_close(old);
    return status;
}

/* ---- Making them ----------------------------------------------------------------------------- */

bool f0t_photo_features_lack(f0t_photo_features *f, size_t i, const char *path,
                             f0t_picture_stamp *stamp)
{
    f->records[i] = F0T_NONE;
    if (!f0t_picture_stamp_get(stamp, path)) {
        f0t_log(f0t_context_monitor(NULL), F0T_LOG_WARNING, "%s: %s: left out", path,
                strerror(errno));
        return false;
    }
    f->records[i] = f0t_feature_file_find(f->part, stamp);
    return f->records[i] == F0T_NONE;
}

f0t_status f0t_photo_features_keep(f0t_photo_features *f, size_t i, const f0t_picture_stamp *stamp,
                                   const float *row)
{
    f->records[i] = f0t_feature_file_find(f->part, stamp);
    if (f->records[i] != F0T_NONE)
        return F0T_OK; /* the same picture twice */
    F0T_TRY(f0t_feature_file_add(f->part, stamp, row));
    f->records[i] = f0t_feature_file_find(f->part, stamp);
    return F0T_OK;
}

/* Some pictures that have no features yet. */
typedef struct block {
    const char *paths[BLOCK];
    f0t_picture_stamp stamps[BLOCK];
    size_t numbers[BLOCK];
    bool good[BLOCK];
    size_t count, size;
    float *rows; /* [BLOCK x dim] */
} block;

static f0t_status run_block(f0t_photo_features *f, const f0t_import_job *job, block *b)
{
    const double began = f0t_time();
    const f0t_monitor *monitor = f0t_context_monitor(NULL);
    const f0t_monitor quiet = {.log = monitor ? monitor->log : NULL,
                               .user = monitor ? monitor->user : NULL,
                               .stop = monitor ? monitor->stop : NULL};
    if (!b->count)
        return F0T_OK;
    F0T_TRY(f0t_backbone_run(b->rows, job->options->strict ? NULL : b->good, job->options->extract,
                             b->paths, b->count, F0T_WATCHED(&quiet)));
    for (size_t i = 0; i < b->count; i++) {
        if (!job->options->strict && !b->good[i])
            continue;
        F0T_TRY(f0t_photo_features_keep(f, b->numbers[i], &b->stamps[i], b->rows + i * f->dim));
    }
    if (b->count == b->size && f0t_time() - began < 1 && 2 * b->size <= BLOCK)
        b->size *= 2;
    b->count = 0;
    return F0T_OK;
}

static f0t_status make_missing(f0t_photo_features *f, const f0t_import_job *job,
                               const f0t_texts *pictures, block *b)
{
    f0t_stage stage =
        f0t_stage_begin(f0t_context_monitor(NULL), "features", "pictures", pictures->count);
    for (size_t i = 0; i < pictures->count; i++) {
        const char *path = f0t_texts_get(pictures, i);
        f0t_picture_stamp stamp;
        if (!f0t_photo_features_lack(f, i, path, &stamp))
            continue;
        b->paths[b->count] = path;
        b->stamps[b->count] = stamp;
        b->numbers[b->count++] = i;
        if (b->count == b->size) {
            F0T_TRY(run_block(f, job, b));
            F0T_TRY(f0t_stage_update(&stage, i + 1));
        }
    }
    F0T_TRY(run_block(f, job, b));
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status make_here(f0t_photo_features *f, const f0t_import_job *job,
                            const f0t_texts *pictures)
{
    block *b;
    F0T_TRY(f0t_alloc_zero(&b, 1, sizeof *b));
    b->size = FIRST_BLOCK;
    f0t_status status = f0t_alloc(&b->rows, BLOCK * f->dim, sizeof *b->rows);
    if (status == F0T_OK)
        status = make_missing(f, job, pictures, b);
    f0t_free(b->rows);
    f0t_free(b);
    return status;
}

/* ---- As rows of the dataset ------------------------------------------------------------------ */

static f0t_status read_row(void *context, size_t m, float *row)
{
    const f0t_photo_features *f = context;
    return f0t_feature_file_read(row, f->part, f->rows[m]);
}

void f0t_photo_features_use(f0t_photo_features *f, size_t i)
{
    f->rows[f->row_count++] = f->records[i];
}

static f0t_status part_path(char **out, const char *output)
{
    size_t length = strlen(output);
    while (length > 1 && output[length - 1] == '/')
        length--;
    F0T_TRY(f0t_alloc(out, length + sizeof ".part", 1));
    memcpy(*out, output, length);
    memcpy(*out + length, ".part", sizeof ".part");
    return F0T_OK;
}

static f0t_status open_part(f0t_photo_features *f, const f0t_import_job *job)
{
    char *path;
    F0T_TRY(part_path(&path, job->output));
    f0t_status status = f0t_feature_file_open(&f->part, path, f->dim,
                                              f0t_backbone_description(job->options->extract));
    f0t_free(path);
    return status;
}

f0t_status f0t_photo_features_make(f0t_photo_features *f, const f0t_import_job *job,
                                   const f0t_texts *pictures)
{
    *f = (f0t_photo_features){.dim = f0t_backbone_dim(job->options->extract)};
    f->source = (f0t_feature_source){.dim = f->dim, .read = read_row, .context = f};
    F0T_TRY(f0t_alloc(&f->records, pictures->count, sizeof *f->records));
    F0T_TRY(f0t_alloc(&f->rows, pictures->count, sizeof *f->rows));
    F0T_TRY(open_part(f, job));
    F0T_TRY(use_old(f, job));
    return f0t_group_current()->size > 1 ? f0t_photo_features_share(f, job, pictures)
                                         : make_here(f, job, pictures);
}

void f0t_photo_features_free(f0t_photo_features *f, bool done)
{
    f0t_feature_file_close(f->part, done);
    f0t_free(f->records);
    f0t_free(f->rows);
    *f = (f0t_photo_features){0};
}
