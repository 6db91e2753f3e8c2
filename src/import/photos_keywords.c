/* Keywords of the pictures of an import, by all threads, and by all processes. */
#include "import/photos.h"

#include "base/alloc.h"
#include "base/group.h"
#include "base/monitor.h"
#include "base/parcel.h"
#include "image/keywords.h"
#include "image/parallel.h"
#include "io/text.h"

#include <string.h>

/* ---- Some pictures -------------------------------------------------------------------------------- */

/* Pictures [first, first + count) of the list. */
typedef struct reading {
    const f0t_texts *pictures;
    size_t first, count;
    bool strict;
    f0t_texts *keywords; /* [count] */
    char **wrong;        /* [count] what is wrong with a picture; NULL: nothing */
    f0t_status *why;     /* [count] and the status that it is wrong by */
    f0t_worker **workers;
    size_t worker_count;
    const f0t_monitor *monitor;
} reading;

static f0t_status reading_create(reading *r, size_t first, size_t count)
{
    r->first = first;
    r->count = count;
    F0T_TRY(f0t_alloc_zero(&r->keywords, count, sizeof *r->keywords));
    F0T_TRY(f0t_alloc_zero(&r->wrong, count, sizeof *r->wrong));
    F0T_TRY(f0t_alloc_zero(&r->why, count, sizeof *r->why));
    F0T_TRY(f0t_alloc_zero(&r->workers, (size_t)f0t_context_wanted(), sizeof *r->workers));
    for (; r->worker_count < (size_t)f0t_context_wanted(); r->worker_count++)
        F0T_TRY(f0t_worker_create(&r->workers[r->worker_count]));
    return F0T_OK;
}

static void reading_free(reading *r)
{
    for (size_t i = 0; r->keywords && i < r->count; i++)
        f0t_texts_free(&r->keywords[i]);
    for (size_t i = 0; r->wrong && i < r->count; i++)
        f0t_free(r->wrong[i]);
    for (size_t i = 0; i < r->worker_count; i++)
        f0t_worker_free(r->workers[i]);
    f0t_free(r->keywords);
    f0t_free(r->wrong);
    f0t_free(r->why);
    f0t_free(r->workers);
}

static f0t_status read_one(void *context, const f0t_parallel_piece *piece,
                           f0t_parallel_notes *notes)
{
    const reading *r = context;
    const char *path = f0t_texts_get(r->pictures, r->first + piece->number);
    const char *fault = f0t_text_fault(path, strlen(path));
    (void)notes;
    if (fault || strchr(path, '\t'))
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: %s in its name, which a list of images cannot hold: rename it", path,
                        fault ? fault : "a tab");
    return f0t_keywords_read(&r->keywords[piece->number], r->workers[piece->thread], path, true);
}

static f0t_status note_failure(void *context, size_t i, f0t_status status, const char *message,
                               f0t_parallel_notes *notes)
{
    const reading *r = context;
    if (r->strict)
        return f0t_fail(status, "%s", message);
    r->why[i] = status;
    F0T_TRY(f0t_parallel_warn(notes, message));
    return f0t_string_copy(&r->wrong[i], message, strlen(message));
}

static f0t_status read_some(reading *r, size_t first, size_t count)
{
    F0T_TRY(reading_create(r, first, count));
    const f0t_parallel loop = {.count = count,
                               .threads = (int)r->worker_count,
                               .stage = "reading keywords",
                               .context = r,
                               .run = read_one,
                               .failed = note_failure,
                               .monitor = r->monitor};
    return f0t_parallel_for(&loop);
}

/* ---- All, in this process -------------------------------------------------------------------------- */

static f0t_status take_failure(f0t_photo_keywords *to, size_t i, const char *wrong)
{
    to->unreadable[i] = true;
    return to->failures++ ? F0T_OK : f0t_string_copy(&to->example, wrong, strlen(wrong));
}

static f0t_status read_here(f0t_photo_keywords *to, reading *r)
{
    F0T_TRY(read_some(r, 0, to->count));
    for (size_t i = 0; i < to->count; i++) {
        to->keywords[i] = r->keywords[i];
        r->keywords[i] = (f0t_texts){0};
        if (r->wrong[i])
            F0T_TRY(take_failure(to, i, r->wrong[i]));
    }
    return F0T_OK;
}

/* ---- All, by several processes --------------------------------------------------------------------- */

enum { PIECE_MOST = 1024 };

typedef struct sharing {
    const f0t_import_job *job;
    f0t_texts pictures;
    size_t piece;
    f0t_photo_keywords *to; /* of the first process */
    f0t_stage stage;
} sharing;

/* Of each picture the length of what is wrong with it, its status, and that; or 0, the number of its keywords, and each with
 * its length. */
static f0t_status pack(f0t_parcel *parcel, const reading *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const f0t_texts *keywords = &r->keywords[i];
        const uint64_t head[2] = {r->wrong[i] ? strlen(r->wrong[i]) + 1 : 0,
                                  r->wrong[i] ? (uint64_t)r->why[i] : keywords->count};
        F0T_TRY(f0t_parcel_add(parcel, head, sizeof head));
        F0T_TRY(f0t_parcel_add(parcel, r->wrong[i], head[0]));
        for (size_t k = 0; !r->wrong[i] && k < head[1]; k++) {
            const uint64_t size = f0t_texts_length(keywords, k) + 1;
            F0T_TRY(f0t_parcel_add(parcel, &size, sizeof size));
            F0T_TRY(f0t_parcel_add(parcel, f0t_texts_get(keywords, k), size));
        }
    }
    return F0T_OK;
}

static f0t_status run_piece(void *user, uint64_t piece, void **out, size_t *bytes)
{
    const sharing *s = user;
    const f0t_monitor *monitor = f0t_context_monitor(NULL);
    const f0t_monitor silent = {.stop = monitor ? monitor->stop : NULL};
    const size_t first = (size_t)piece * s->piece, left = s->pictures.count - first;
    reading r = {.pictures = &s->pictures, .monitor = &silent};
    f0t_parcel parcel = {0};
    f0t_status status = read_some(&r, first, left < s->piece ? left : s->piece);
    if (status == F0T_OK)
        status = pack(&parcel, &r);
    reading_free(&r);
    *out = parcel.data;
    *bytes = parcel.bytes;
    return status;
}

/* What is wrong with a picture is logged here, whoever has seen it, or is the end: pieces come in order, so that the first bad
 * picture is named. */
static f0t_status take_one(f0t_photo_keywords *to, size_t i, f0t_parcel_reader *from, bool strict)
{
    uint64_t head[2], size;
    F0T_TRY(f0t_parcel_read(head, from, sizeof head));
    const char *wrong = head[0] ? f0t_parcel_take_text(from, head[0]) : NULL;
    if (head[0] && (!wrong || head[1] < F0T_ERROR_MEMORY || head[1] > F0T_ERROR_INTERNAL))
        return f0t_parcel_fail();
    if (wrong && strict)
        return f0t_fail((f0t_status)head[1], "%s", wrong);
    if (wrong) {
        f0t_log(f0t_context_monitor(NULL), F0T_LOG_WARNING, "%s", wrong);
        return take_failure(to, i, wrong);
    }
    for (uint64_t k = 0; k < head[1]; k++) {
        F0T_TRY(f0t_parcel_read(&size, from, sizeof size));
        const char *keyword = f0t_parcel_take_text(from, size);
        if (!keyword)
            return f0t_parcel_fail();
        F0T_TRY(f0t_texts_add(&to->keywords[i], keyword, size - 1));
    }
    return F0T_OK;
}

static f0t_status take_piece(void *user, uint64_t piece, const void *data, size_t bytes)
{
    sharing *s = user;
    f0t_parcel_reader from = {data, bytes};
    size_t i = (size_t)piece * s->piece;
    const size_t end = s->to->count - i < s->piece ? s->to->count : i + s->piece;
    for (; i < end; i++)
        F0T_TRY(take_one(s->to, i, &from, s->job->options->strict));
    return from.left ? f0t_parcel_fail() : f0t_stage_update(&s->stage, end);
}

static f0t_status read_together(sharing *s)
{
    const f0t_group *group = f0t_group_current();
    F0T_TRY(f0t_photo_list_share(&s->pictures));
    s->piece = f0t_group_piece(group, s->pictures.count, PIECE_MOST);
    s->stage = f0t_stage_begin(f0t_context_monitor(NULL), "reading keywords", "pictures",
                               s->pictures.count);
    const f0t_group_work work = {.pieces = (s->pictures.count + s->piece - 1) / s->piece,
                                 .user = s,
                                 .run = run_piece,
                                 .take = take_piece};
    F0T_TRY(f0t_group_run(group, &work));
    f0t_stage_end(&s->stage);
    return F0T_OK;
}

f0t_status f0t_photo_keywords_help(const f0t_import_job *job)
{
    sharing s = {.job = job};
    f0t_status status = read_together(&s);
    f0t_texts_free(&s.pictures);
    return status;
}

/* ---- Either ---------------------------------------------------------------------------------------- */

static f0t_status read_all(f0t_photo_keywords *to, const f0t_import_job *job,
                           const f0t_texts *pictures)
{
    sharing s = {.job = job, .pictures = *pictures, .to = to};
    reading r = {
        .pictures = pictures, .strict = job->options->strict, .monitor = f0t_context_monitor(NULL)};
    if (f0t_group_current()->size > 1)
        return read_together(&s);
    f0t_status status = read_here(to, &r);
    reading_free(&r);
    return status;
}

f0t_status f0t_photo_keywords_read(f0t_photo_keywords *to, const f0t_import_job *job,
                                   const f0t_texts *pictures)
{
    *to = (f0t_photo_keywords){.count = pictures->count};
    F0T_TRY(f0t_alloc_zero(&to->keywords, to->count, sizeof *to->keywords));
    F0T_TRY(f0t_alloc_zero(&to->unreadable, to->count, sizeof *to->unreadable));
    return read_all(to, job, pictures);
}

void f0t_photo_keywords_free(f0t_photo_keywords *k)
{
    for (size_t i = 0; k->keywords && i < k->count; i++)
        f0t_texts_free(&k->keywords[i]);
    f0t_free(k->keywords);
    f0t_free(k->unreadable);
    f0t_free(k->example);
}
