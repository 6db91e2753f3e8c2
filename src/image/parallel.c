#include "image/parallel.h"

#include "base/alloc.h"
#include "base/interner.h"
#include "base/monitor.h"
#include "base/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct f0t_parallel_notes {
    pthread_mutex_t lock;
    f0t_texts lines;
};

/* What the threads share. Of the failures that end the work that of the first piece is kept: pieces are claimed
 * in order, and those before it are still done, so that it does not depend on the threads which one is told. */
typedef struct state {
    const f0t_parallel *loop;
    f0t_parallel_notes notes;
    f0t_stage stage;
    atomic_size_t next, done;
    atomic_size_t last;   /* the piece that failed; those after it are not done */
    atomic_bool ended;    /* nothing more is done */
    pthread_mutex_t lock; /* of what follows, and of loop->failed */
    f0t_status status;
    char message[512];
} state;

/* ---- Notes ------------------------------------------------------------------------------------------ */

f0t_status f0t_parallel_warn(f0t_parallel_notes *notes, const char *line)
{
    pthread_mutex_lock(&notes->lock);
    f0t_status status = f0t_texts_add(&notes->lines, line, strlen(line));
    pthread_mutex_unlock(&notes->lock);
    return status;
}

/* For the thread that the monitor belongs to. */
static void tell_notes(state *s)
{
    f0t_texts lines;
    pthread_mutex_lock(&s->notes.lock);
    lines = s->notes.lines;
    s->notes.lines = (f0t_texts){0};
    pthread_mutex_unlock(&s->notes.lock);
    for (size_t i = 0; i < lines.count; i++)
        f0t_log(s->loop->monitor, F0T_LOG_WARNING, "%s", f0t_texts_get(&lines, i));
    f0t_texts_free(&lines);
}

/* ---- Failures --------------------------------------------------------------------------------------- */

static void keep_failure(state *s, f0t_status status)
{
    s->status = status;
    snprintf(s->message, sizeof s->message, "%s", f0t_last_error());
}

static void end_work(state *s, f0t_status status)
{
    pthread_mutex_lock(&s->lock);
    if (!atomic_exchange(&s->ended, true))
        keep_failure(s, status);
    pthread_mutex_unlock(&s->lock);
}

static void end_after(state *s, size_t piece, f0t_status status)
{
    pthread_mutex_lock(&s->lock);
    if (!atomic_load(&s->ended) && piece < atomic_load(&s->last)) {
        atomic_store(&s->last, piece);
        keep_failure(s, status);
    }
    pthread_mutex_unlock(&s->lock);
}

static bool ends_all(f0t_status status)
{
    return status == F0T_ERROR_MEMORY || status == F0T_ERROR_INTERRUPTED ||
           status == F0T_ERROR_INTERNAL;
}

static void piece_failed(state *s, size_t i, f0t_status status)
{
    char message[512];
    f0t_status answer;
    snprintf(message, sizeof message, "%s", f0t_last_error());
    pthread_mutex_lock(&s->lock);
    answer = s->loop->failed(s->loop->context, i, status, message, &s->notes);
    pthread_mutex_unlock(&s->lock);
    if (answer != F0T_OK)
        end_after(s, i, answer);
}

/* ---- Work ------------------------------------------------------------------------------------------- */

/* How many pictures so many pieces have, for the monitor. */
static size_t pictures_of(const f0t_parallel *loop, size_t pieces)
{
    return loop->pictures ? loop->pictures * pieces / loop->count : pieces;
}

static void run_one(state *s, const f0t_parallel_piece *piece)
{
    f0t_status status = s->loop->run(s->loop->context, piece, &s->notes);
    if (ends_all(status))
        end_work(s, status);
    else if (status != F0T_OK)
        piece_failed(s, piece->number, status);
    size_t done = atomic_fetch_add(&s->done, 1) + 1;
    if (piece->thread != 0)
        return;
    tell_notes(s);
    status = f0t_stage_update(&s->stage, pictures_of(s->loop, done)); /* one thread speaks */
    if (status != F0T_OK)
        end_work(s, status);
}

static size_t claim(state *s)
{
    const size_t i = atomic_fetch_add(&s->next, 1);
    return i < s->loop->count ? i : F0T_NONE;
}

/* A piece is claimed while the one before it is done: its first picture can be asked for early. Nobody
 * claims a second one before everybody has had the chance of a first. */
static void run_thread(state *s, int thread)
{
    f0t_parallel_piece piece = {claim(s), F0T_NONE, thread};
#pragma omp barrier
    for (; piece.number != F0T_NONE; piece.number = piece.next) {
        if (f0t_monitor_stopped(s->loop->monitor))
            end_work(s, f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted"));
        if (atomic_load(&s->ended) || piece.number > atomic_load(&s->last))
            break;
        piece.next = claim(s);
        run_one(s, &piece);
    }
}

f0t_status f0t_parallel_for(const f0t_parallel *loop)
{
    state s = {.loop = loop,
               .notes = {.lock = PTHREAD_MUTEX_INITIALIZER},
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .last = SIZE_MAX,
               .status = F0T_OK};
    if (!loop->count)
        return F0T_OK;
    const int team = f0t_team_size(), threads = team < loop->threads ? team : loop->threads;
    (void)threads;
    s.stage =
        f0t_stage_begin(loop->monitor, loop->stage, "pictures", pictures_of(loop, loop->count));
#pragma omp parallel num_threads(threads)
    run_thread(&s, f0t_team_member());
    tell_notes(&s);
    if (s.status != F0T_OK)
        return f0t_fail(s.status, "%s", s.message);
    f0t_stage_end(&s.stage);
    return F0T_OK;
}
