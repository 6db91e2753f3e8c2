#include "support.h"

#include "base/context.h"

#include "image/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct seen {
    atomic_size_t pieces, beyond;
    int threads;
    f0t_progress last;
} seen;

static f0t_status look(void *context, const f0t_parallel_piece *piece, f0t_parallel_notes *notes)
{
    seen *s = context;
    (void)notes;
    atomic_fetch_add(&s->pieces, 1);
    atomic_fetch_add(&s->beyond, piece->thread >= s->threads);
    return F0T_OK;
}

static void keep_progress(void *user, const f0t_progress *progress)
{
    seen *s = user;
    assert_true(progress->done <= progress->total);
    s->last = *progress;
}

/* Another thread may raise the library's number after the callers made room for theirs. */
static void no_thread_is_beyond_the_room_that_there_is(void **state)
{
    (void)state;
    test_threads(6);
    for (int threads = 1; threads <= 3; threads++) {
        seen s = {.threads = threads};
        const f0t_parallel loop = {.count = 200, .threads = threads, .context = &s, .run = look};
        assert_ok(f0t_parallel_for(&loop));
        assert_int_equal(s.pieces, 200);
        assert_int_equal(s.beyond, 0);
    }
    test_threads(0);
}

static void progress_counts_pictures_and_not_whole_pieces(void **state)
{
    seen s = {.threads = 2};
    const f0t_monitor monitor = {.progress = keep_progress, .user = &s};
    f0t_parallel loop = {.count = 2, .threads = 2, .context = &s, .run = look, .monitor = &monitor};
    (void)state;
    loop.pictures = 9;
    assert_ok(f0t_parallel_for(&loop));
    assert_int_equal(s.last.total, 9);
    assert_int_equal(s.last.done, 9);
    loop.pictures = 0;
    assert_ok(f0t_parallel_for(&loop));
    assert_int_equal(s.last.total, 2);
}

typedef struct counting {
    int seen[50], failed;
    size_t fail_at;
    f0t_status with, answer;
} counting;

static f0t_status count_one(void *context, const f0t_parallel_piece *piece,
                            f0t_parallel_notes *notes)
{
    counting *c = context;
    const size_t i = piece->number;
    assert_true(piece->next == F0T_NONE || (piece->next > i && piece->next < 50));
    assert_true(piece->thread >= 0 && piece->thread < 3);
    c->seen[i]++;
    if (i % 10 == 3)
        assert_ok(f0t_parallel_warn(notes, "three"));
    return i == c->fail_at ? f0t_fail(c->with, "number %zu", i) : F0T_OK;
}

static f0t_status hear(void *context, size_t i, f0t_status status, const char *message,
                       f0t_parallel_notes *notes)
{
    counting *c = context;
    assert_int_equal(i, c->fail_at);
    assert_int_equal(status, c->with);
    assert_string_equal(message, "number 7");
    c->failed++;
    assert_ok(f0t_parallel_warn(notes, message));
    return c->answer ? f0t_fail(c->answer, "strict: %s", message) : F0T_OK;
}

/* Counts lines, all from one thread. */
typedef struct listener {
    pthread_t thread;
    size_t lines;
} listener;

static void listen_to(void *user, f0t_log_level level, const char *line)
{
    listener *l = user;
    assert_true(pthread_equal(l->thread, pthread_self()));
    assert_int_equal(level, F0T_LOG_WARNING);
    assert_true(!strcmp(line, "three") || !strcmp(line, "number 7"));
    l->lines++;
}

static void each_piece_is_done_once(void **state)
{
    counting c = {.fail_at = 7, .with = F0T_ERROR_FORMAT};
    listener l = {.thread = pthread_self()};
    const f0t_monitor monitor = {.log = listen_to, .user = &l};
    const f0t_parallel loop = {50, 0, 3, "counting", &c, count_one, hear, &monitor};
    (void)state;
    test_threads(3);
    assert_ok(f0t_parallel_for(&loop));
    test_threads(0);
    assert_int_equal(l.lines, 6);
    for (size_t i = 0; i < 50; i++)
        assert_int_equal(c.seen[i], 1);
    assert_int_equal(c.failed, 1);
}

static void it_ends_when_it_shall(void **state)
{
    counting strict = {.fail_at = 7, .with = F0T_ERROR_FORMAT, .answer = F0T_ERROR_FORMAT};
    counting poor = {.fail_at = 7, .with = F0T_ERROR_MEMORY};
    volatile sig_atomic_t flag = 1;
    const f0t_monitor monitor = {.stop = &flag};
    f0t_parallel loop = {50, 0, 3, "counting", &strict, count_one, hear, NULL};
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "strict: number 7", f0t_parallel_for(&loop));
    loop.context = &poor;
    assert_fails(F0T_ERROR_MEMORY, "number 7", f0t_parallel_for(&loop));
    assert_int_equal(poor.failed, 0);
    counting stopped = {.fail_at = 99};
    loop.context = &stopped;
    loop.monitor = &monitor;
    assert_fails(F0T_ERROR_INTERRUPTED, "", f0t_parallel_for(&loop));
    assert_int_equal(stopped.seen[49], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_thread_is_beyond_the_room_that_there_is),
        cmocka_unit_test(progress_counts_pictures_and_not_whole_pieces),
        cmocka_unit_test(each_piece_is_done_once),
        cmocka_unit_test(it_ends_when_it_shall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
