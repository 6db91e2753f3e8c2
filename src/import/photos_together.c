/* Features of pictures that several processes make. The first has the list of pictures and the file that keeps their features;
 * the others get the paths of those that are missing, and send rows. */
#include "import/photos.h"

#include "base/alloc.h"
#include "base/group.h"
#include "base/monitor.h"
#include "base/parcel.h"
#include "image/backbone.h"

#include <string.h>

enum { PIECE_MOST = 256 };

/* What is shared out. */
typedef struct sharing {
    const f0t_import_job *job;
    size_t dim, piece; /* numbers of a row; pictures of a piece */
    f0t_texts paths;   /* of the pictures that have no features yet */
    /* Of the first process: */
    f0t_photo_features *features;
    f0t_picture_stamp *stamps; /* [paths] */
    size_t *numbers;           /* [paths] among all pictures */
    f0t_stage stage;
} sharing;

static void release(sharing *s)
{
    f0t_texts_free(&s->paths);
    f0t_free(s->stamps);
    f0t_free(s->numbers);
}

/* ---- The list ------------------------------------------------------------------------------------ */

static f0t_status find_missing(sharing *s, const f0t_texts *pictures)
{
    F0T_TRY(f0t_alloc(&s->stamps, pictures->count, sizeof *s->stamps));
    F0T_TRY(f0t_alloc(&s->numbers, pictures->count, sizeof *s->numbers));
    for (size_t i = 0; i < pictures->count; i++) {
        const char *path = f0t_texts_get(pictures, i);
        if (!f0t_photo_features_lack(s->features, i, path, &s->stamps[s->paths.count]))
            continue;
        s->numbers[s->paths.count] = i;
        F0T_TRY(f0t_texts_add(&s->paths, path, strlen(path)));
    }
    return F0T_OK;
}

/* Texts from their bytes, each with its 0. */
static f0t_status split_texts(f0t_texts *out, const char *bytes, size_t size)
{
    for (const char *at = bytes, *end; at < bytes + size; at = end + 1) {
        end = memchr(at, 0, size - (size_t)(at - bytes));
        if (!end)
            return f0t_parcel_fail();
        F0T_TRY(f0t_texts_add(out, at, (size_t)(end - at)));
    }
    return F0T_OK;
}

static f0t_status receive_list(f0t_texts *texts, const f0t_group *group, size_t size)
{
    char *bytes;
    F0T_TRY(f0t_alloc(&bytes, size, 1));
    f0t_status status = f0t_group_broadcast(group, bytes, size);
    if (status == F0T_OK)
        status = split_texts(texts, bytes, size);
    f0t_free(bytes);
    return status;
}

f0t_status f0t_photo_list_share(f0t_texts *texts)
{
    const f0t_group *group = f0t_group_current();
    uint64_t size = texts->size;
    F0T_TRY(f0t_group_broadcast(group, &size, sizeof size));
    return group->rank > 0 ? receive_list(texts, group, (size_t)size)
                           : f0t_group_broadcast(group, texts->bytes, texts->size);
}

/* ---- Pieces -------------------------------------------------------------------------------------- */

/* What a process needs for a piece. */
typedef struct room {
    float *rows; /* [count x dim] */
    f0t_picture_source *sources;
    f0t_failure *failures;
    bool *good;
    size_t count;
} room;

static f0t_status make_room(room *r, const sharing *s, size_t first)
{
    const size_t left = s->paths.count - first;
    r->count = left < s->piece ? left : s->piece;
    F0T_TRY(f0t_alloc(&r->rows, r->count * s->dim, sizeof *r->rows));
    F0T_TRY(f0t_alloc(&r->sources, r->count, sizeof *r->sources));
    F0T_TRY(f0t_alloc_zero(&r->failures, r->count, sizeof *r->failures));
    F0T_TRY(f0t_alloc(&r->good, r->count, sizeof *r->good));
    for (size_t i = 0; i < r->count; i++)
        r->sources[i] = (f0t_picture_source){.path = f0t_texts_get(&s->paths, first + i),
                                             .failure = &r->failures[i]};
    return F0T_OK;
}

static void free_room(room *r)
{
    f0t_free(r->rows);
    f0t_free(r->sources);
    f0t_free(r->failures);
    f0t_free(r->good);
}

/* Before what a process sends of a picture: its row, or what is wrong with it. */
typedef struct head {
    uint64_t status, size; /* size: of the text of what is wrong, or 0 */
} head;

static f0t_status pack(f0t_parcel *parcel, const room *r, size_t dim)
{
    for (size_t i = 0; i < r->count; i++) {
        const char *wrong = r->failures[i].message;
        const bool failed = r->failures[i].status != F0T_OK;
        const head h = {(uint64_t)r->failures[i].status, failed ? strlen(wrong) + 1 : 0};
        F0T_TRY(f0t_parcel_add(parcel, &h, sizeof h));
        F0T_TRY(failed ? f0t_parcel_add(parcel, wrong, h.size)
                       : f0t_parcel_add(parcel, r->rows + i * dim, dim * sizeof *r->rows));
    }
    return F0T_OK;
}

static f0t_status describe(f0t_parcel *parcel, room *r, const sharing *s, size_t first)
{
    const f0t_import_options *o = s->job->options;
    const f0t_monitor *monitor = f0t_context_monitor(NULL);
    const f0t_monitor silent = {.stop = monitor ? monitor->stop : NULL};
    F0T_TRY(make_room(r, s, first));
    F0T_TRY(f0t_backbone_run_sources(r->rows, r->good, o->extract, r->sources, r->count, &silent));
    return pack(parcel, r, s->dim);
}

static f0t_status run_piece(void *user, uint64_t piece, void **out, size_t *bytes)
{
    const sharing *s = user;
    f0t_parcel parcel = {0};
    room r = {0};
    f0t_status status = describe(&parcel, &r, s, (size_t)piece * s->piece);
    free_room(&r);
    *out = parcel.data;
    *bytes = parcel.bytes;
    return status;
}

/* The row of picture i of the list, or what is wrong with it, which is logged here, or the end, whoever has seen it: pieces
 * are taken in order, so that the first bad picture is named. */
static f0t_status take_row(const sharing *s, size_t i, f0t_parcel_reader *from, float *row)
{
    head h;
    F0T_TRY(f0t_parcel_read(&h, from, sizeof h));
    if (!h.size) {
        F0T_TRY(f0t_parcel_read(row, from, s->dim * sizeof *row));
        return f0t_photo_features_keep(s->features, s->numbers[i], &s->stamps[i], row);
    }
    const char *wrong = f0t_parcel_take_text(from, h.size);
    if (!wrong || h.status < F0T_ERROR_MEMORY || h.status > F0T_ERROR_INTERNAL)
        return f0t_parcel_fail();
    if (s->job->options->strict)
        return f0t_fail((f0t_status)h.status, "%s", wrong);
    f0t_log(f0t_context_monitor(NULL), F0T_LOG_WARNING, "%s", wrong);
    return F0T_OK;
}

static f0t_status take_piece(void *user, uint64_t piece, const void *data, size_t bytes)
{
    sharing *s = user;
    f0t_parcel_reader from = {data, bytes};
    size_t i = (size_t)piece * s->piece;
    const size_t end = s->paths.count - i < s->piece ? s->paths.count : i + s->piece;
    float *row;
    F0T_TRY(f0t_alloc(&row, s->dim, sizeof *row));
    f0t_status status = F0T_OK;
    for (; i < end && status == F0T_OK; i++)
        status = take_row(s, i, &from, row);
    f0t_free(row);
    if (status == F0T_OK && from.left)
        status = f0t_parcel_fail();
    return status == F0T_OK ? f0t_stage_update(&s->stage, s->numbers[end - 1] + 1) : status;
}

/* ---- All of them --------------------------------------------------------------------------------- */

static f0t_status run(sharing *s)
{
    const f0t_group *group = f0t_group_current();
    const char *backbone = f0t_backbone_description(s->job->options->extract);
    F0T_TRY(f0t_group_same(group, "the backbone", backbone, strlen(backbone)));
    F0T_TRY(f0t_photo_list_share(&s->paths));
    s->piece = f0t_group_piece(group, s->paths.count, PIECE_MOST);
    const f0t_group_work work = {.pieces = (s->paths.count + s->piece - 1) / s->piece,
                                 .user = s,
                                 .run = run_piece,
                                 .take = take_piece};
    return f0t_group_run(group, &work);
}

f0t_status f0t_photo_features_share(f0t_photo_features *features, const f0t_import_job *job,
                                    const f0t_texts *pictures)
{
    sharing s = {.job = job,
                 .dim = features->dim,
                 .features = features,
                 .stage = f0t_stage_begin(f0t_context_monitor(NULL), "features", "pictures",
                                          pictures->count)};
    f0t_status status = find_missing(&s, pictures);
    if (status == F0T_OK)
        status = run(&s);
    if (status == F0T_OK)
        f0t_stage_end(&s.stage);
    release(&s);
    return status;
}

f0t_status f0t_photo_features_help(const f0t_import_job *job)
{
    sharing s = {.job = job, .dim = f0t_backbone_dim(job->options->extract)};
    f0t_status status = run(&s);
    release(&s);
    return status;
}
