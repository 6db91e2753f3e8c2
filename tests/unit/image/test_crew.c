#include "support.h"

#include "image/crew.h"

#include <stdatomic.h>

typedef struct seen {
    atomic_size_t pieces, beyond;
    int threads;
    f0t_progress last;
} seen;

static f0t_status look(void *context, const f0t_crew_piece *piece, f0t_crew_notes *notes)
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
    f0t_threads_set(6);
    for (int threads = 1; threads <= 3; threads++) {
        seen s = {.threads = threads};
        const f0t_crew crew = {.count = 200, .threads = threads, .context = &s, .run = look};
        assert_ok(f0t_crew_run(&crew));
        assert_int_equal(s.pieces, 200);
        assert_int_equal(s.beyond, 0);
    }
    f0t_threads_set(0);
}

static void progress_counts_pictures_and_not_whole_pieces(void **state)
{
    seen s = {.threads = 2};
    const f0t_monitor monitor = {.progress = keep_progress, .user = &s};
    f0t_crew crew = {.count = 2, .threads = 2, .context = &s, .run = look, .monitor = &monitor};
    (void)state;
    crew.pictures = 9;
    assert_ok(f0t_crew_run(&crew));
    assert_int_equal(s.last.total, 9);
    assert_int_equal(s.last.done, 9);
    crew.pictures = 0;
    assert_ok(f0t_crew_run(&crew));
    assert_int_equal(s.last.total, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_thread_is_beyond_the_room_that_there_is),
        cmocka_unit_test(progress_counts_pictures_and_not_whole_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
