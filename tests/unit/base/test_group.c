#include "support.h"

#include "base/group.h"
#include "base/parcel.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* ---- Alone ------------------------------------------------------------------------------------ */

static void a_process_alone_has_what_it_had(void **state)
{
    const f0t_group *group = f0t_group_current();
    f0t_exchange *exchange;
    float x[] = {1, 2, 3};
    double sum = 4;
    (void)state;
    assert_ptr_equal(group, &f0t_group_alone);
    assert_ok(group->sum(&exchange, x, 3));
    assert_ok(group->wait(exchange));
    assert_ok(group->share(&exchange, x, 3, sizeof *x));
    assert_ok(group->wait(exchange));
    assert_ok(f0t_group_total(group, &sum, 1));
    assert_ok(f0t_group_broadcast(group, x, sizeof x));
    assert_ok(f0t_group_same(group, "this", x, sizeof x));
    assert_true(x[0] == 1 && x[1] == 2 && x[2] == 3 && sum == 4);
    assert_false(group->failed());
}

static void its_end_is_its_own(void **state)
{
    f0t_context *context;
    (void)state;
    assert_ok(f0t_context_create(&context, NULL));
    assert_ok(f0t_context_agree(context, F0T_OK, NULL));
    assert_fails(F0T_ERROR_IO, "no disk", f0t_context_agree(context, F0T_ERROR_IO, "no disk"));
    (void)f0t_fail(F0T_ERROR_MEMORY, "no room");
    assert_fails(F0T_ERROR_MEMORY, "no room", f0t_context_agree(context, F0T_ERROR_MEMORY, NULL));
    f0t_context_free(context);
    assert_int_equal(f0t_context_processes(NULL), 1);
    assert_int_equal(f0t_context_rank(NULL), 0);
}

#ifdef _OPENMP
static void it_has_all_threads_that_it_was_given(void **state)
{
    const int before = omp_get_max_threads(), more = (int)sysconf(_SC_NPROCESSORS_ONLN) + 3;
    f0t_context *context;
    (void)state;
    omp_set_num_threads(more); /* as OMP_NUM_THREADS does */
    assert_ok(f0t_context_create(&context, NULL));
    assert_int_equal(f0t_context_threads(context), more);
    f0t_context_free(context);
    omp_set_num_threads(before);
}
#endif

static void parts_cover_an_array_and_are_nearly_equal(void **state)
{
    (void)state;
    for (size_t n = 0; n < 20; n++)
        for (size_t size = 1; size < 7; size++) {
            assert_int_equal(f0t_group_part(n, 0, size), 0);
            assert_int_equal(f0t_group_part(n, size, size), n);
            for (size_t r = 0; r < size; r++) {
                size_t length = f0t_group_part(n, r + 1, size) - f0t_group_part(n, r, size);
                assert_true(length == n / size || length == n / size + 1);
            }
        }
}

static void unknown_processes_are_refused(void **state)
{
    f0t_context *context;
    f0t_context_options options = F0T_CONTEXT_OPTIONS;
    (void)state;
    options.processes = "carrier pigeons";
    assert_fails(F0T_ERROR_UNSUPPORTED, "there are no processes by 'carrier pigeons",
                 f0t_context_create(&context, &options));
    assert_null(context);
}

/* ---- Work in pieces ----------------------------------------------------------------------------- */

typedef struct work {
    size_t taken;
    uint64_t fails;    /* at this piece */
    bool lost;         /* the other process has failed */
    uint64_t order[5]; /* in which they were taken, where any will do */
} work;

static f0t_status square(void *user, uint64_t piece, void **out, size_t *bytes)
{
    const work *w = user;
    uint64_t *result;
    assert_int_equal(f0t_group_current()->size, 1);
    assert_int_equal(f0t_group_current()->failed(), w->lost);
    if (piece == w->fails)
        return f0t_fail(F0T_ERROR_NUMERIC, "piece %d", (int)piece);
    F0T_TRY(f0t_alloc(&result, 1, sizeof *result));
    *result = piece * piece;
    *out = result;
    *bytes = sizeof *result;
    return F0T_OK;
}

static f0t_status take(void *user, uint64_t piece, const void *data, size_t bytes)
{
    work *w = user;
    uint64_t result;
    assert_int_equal(bytes, sizeof result);
    memcpy(&result, data, bytes);
    assert_int_equal(piece, w->taken);
    assert_int_equal(result, piece * piece);
    w->taken++;
    return F0T_OK;
}

static void pieces_come_in_their_order(void **state)
{
    work w = {.fails = UINT64_MAX};
    const f0t_group_work all = {.pieces = 5, .user = &w, .run = square, .take = take};
    (void)state;
    assert_ok(f0t_group_run(&f0t_group_alone, &all));
    assert_int_equal(w.taken, 5);
}

static f0t_status run_pieces(void *user)
{
    work w = {.fails = UINT64_MAX};
    const f0t_group_work all = {.pieces = 3, .user = &w, .run = square, .take = take};
    (void)user;
    return f0t_group_run(&f0t_group_alone, &all);
}

static void a_piece_that_fails_ends_the_work(void **state)
{
    work w = {.fails = 2};
    const f0t_group_work all = {.pieces = 5, .user = &w, .run = square, .take = take};
    (void)state;
    assert_fails(F0T_ERROR_NUMERIC, "piece 2", f0t_group_run(&f0t_group_alone, &all));
    assert_int_equal(w.taken, 2);
    test_each_fault(F0T_FAULT_ALLOC, run_pieces, NULL);
}

/* ---- Two processes, the other of which is played ------------------------------------------------- */

static uint64_t handed_out;
static const uint64_t *sent; /* the pieces that the other one sends, up to one beyond the last */
static bool late;            /* they arrive only when they are waited for */

static f0t_status take_even(uint64_t *piece, uint64_t round)
{
    (void)round;
    *piece = handed_out;
    handed_out += 2;
    return F0T_OK;
}

static f0t_status receive_sent(uint64_t *piece, void **data, size_t *bytes, bool waits)
{
    *data = NULL;
    if (!waits && (late || *sent == UINT64_MAX))
        return F0T_OK;
    if (*sent == UINT64_MAX)
        return f0t_fail(F0T_ERROR_INTERRUPTED, "nothing comes");
    *piece = *sent++;
    *bytes = sizeof *piece;
    *data = malloc(*bytes);
    assert_non_null(*data);
    memcpy(*data, &(uint64_t){*piece * *piece}, *bytes);
    return F0T_OK;
}

/* The first of two processes, where the other sends `pieces`. */
static f0t_status run_as_first(const uint64_t *pieces, work *w)
{
    f0t_group group = f0t_group_alone;
    const f0t_group_work all = {.pieces = 5, .user = w, .run = square, .take = take};
    group.size = 2;
    group.take = take_even;
    group.receive = receive_sent;
    handed_out = 0;
    sent = pieces;
    return f0t_group_run(&group, &all);
}

static void pieces_of_others_are_taken_as_they_come(void **state)
{
    static const uint64_t pieces[] = {3, 1, UINT64_MAX};
    (void)state;
    for (int i = 0; i < 2; i++) {
        work w = {.fails = UINT64_MAX};
        late = i == 1;
        assert_ok(run_as_first(pieces, &w));
        assert_int_equal(w.taken, 5);
    }
    late = false;
}

static bool has_failed(void)
{
    return true;
}

static void a_piece_knows_of_a_failure_elsewhere(void **state)
{
    f0t_group group = f0t_group_alone;
    work w = {.fails = UINT64_MAX, .lost = true};
    const f0t_group_work all = {.pieces = 1, .user = &w, .run = square, .take = take};
    (void)state;
    group.size = 2;
    group.take = take_even;
    group.failed = has_failed;
    handed_out = 0;
    assert_ok(f0t_group_run(&group, &all));
    assert_int_equal(w.taken, 1);
}

static void pieces_that_cannot_be_are_refused(void **state)
{
    static const uint64_t far[] = {1, 5, UINT64_MAX}, twice[] = {3, 3, UINT64_MAX},
                          own[] = {0, UINT64_MAX};
    work w = {.fails = UINT64_MAX};
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "another process has sent a piece that nobody asked for",
                 run_as_first(far, &w));
    w.taken = 0;
    assert_fails(F0T_ERROR_FORMAT, "nobody asked for", run_as_first(twice, &w));
    w.taken = 0;
    assert_fails(F0T_ERROR_FORMAT, "nobody asked for", run_as_first(own, &w));
}

/* ---- Results for all processes --------------------------------------------------------------------- */

static f0t_parcel told; /* by the first process to the others */
static size_t heard;    /* of it */

static f0t_status tell(f0t_exchange **out, void *x, size_t bytes)
{
    *out = NULL;
    return f0t_parcel_add(&told, x, bytes);
}

static f0t_status hear(f0t_exchange **out, void *x, size_t bytes)
{
    *out = NULL;
    assert_true(heard + bytes <= told.bytes);
    memcpy(x, told.data + heard, bytes);
    heard += bytes;
    return F0T_OK;
}

static f0t_status take_none(uint64_t *piece, uint64_t round)
{
    (void)round;
    *piece = UINT64_MAX;
    return F0T_OK;
}

/* Whatever their order. */
static f0t_status take_any(void *user, uint64_t piece, const void *data, size_t bytes)
{
    work *w = user;
    uint64_t result;
    assert_int_equal(bytes, sizeof result);
    memcpy(&result, data, bytes);
    assert_int_equal(result, piece * piece);
    w->order[w->taken++] = piece;
    return F0T_OK;
}

static f0t_status run_for_all(size_t rank, work *w)
{
    static const uint64_t pieces[] = {3, 1, UINT64_MAX};
    f0t_group group = f0t_group_alone;
    const f0t_group_work all = {
        .pieces = 5, .user = w, .run = square, .take = take_any, .any_order = true, .to_all = true};
    group.rank = rank;
    group.size = 2;
    group.take = rank ? take_none : take_even;
    group.receive = receive_sent;
    group.broadcast = rank ? hear : tell;
    handed_out = heard = 0;
    sent = pieces;
    return f0t_group_run(&group, &all);
}

static void all_processes_take_what_the_first_has_taken(void **state)
{
    work first = {.fails = UINT64_MAX}, second = {.fails = UINT64_MAX};
    (void)state;
    told = (f0t_parcel){0};
    assert_ok(run_for_all(0, &first));
    assert_int_equal(first.taken, 5);
    assert_int_equal(first.order[1], 3); /* it came before the second of its own */
    assert_ok(run_for_all(1, &second));
    assert_int_equal(second.taken, 5);
    assert_memory_equal(first.order, second.order, sizeof first.order);
    told.data[sizeof(uint64_t)] = 9; /* a piece that there is not */
    assert_fails(F0T_ERROR_FORMAT, "cut or mixed up", run_for_all(1, &second));
    f0t_free(told.data);
}

/* The first process fails at its first piece; what the other has done is not lost. */
static void what_others_have_done_is_taken_where_a_piece_fails(void **state)
{
    work w = {.fails = 0};
    (void)state;
    told = (f0t_parcel){0};
    assert_fails(F0T_ERROR_NUMERIC, "piece 0", run_for_all(0, &w));
    assert_int_equal(w.taken, 2);
    assert_int_equal(w.order[0], 3);
    assert_int_equal(w.order[1], 1);
}

static void pieces_are_several_for_each(void **state)
{
    f0t_group group = f0t_group_alone;
    (void)state;
    group.size = 4;
    assert_int_equal(f0t_group_piece(&group, 0, 256), 1);
    assert_int_equal(f0t_group_piece(&group, 320, 256), 11);
    assert_int_equal(f0t_group_piece(&group, 100000, 256), 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_alone_has_what_it_had),
        cmocka_unit_test(its_end_is_its_own),
#ifdef _OPENMP
        cmocka_unit_test(it_has_all_threads_that_it_was_given),
#endif
        cmocka_unit_test(parts_cover_an_array_and_are_nearly_equal),
        cmocka_unit_test(unknown_processes_are_refused),
        cmocka_unit_test(pieces_come_in_their_order),
        cmocka_unit_test(a_piece_that_fails_ends_the_work),
        cmocka_unit_test(pieces_of_others_are_taken_as_they_come),
        cmocka_unit_test(a_piece_knows_of_a_failure_elsewhere),
        cmocka_unit_test(pieces_that_cannot_be_are_refused),
        cmocka_unit_test(all_processes_take_what_the_first_has_taken),
        cmocka_unit_test(what_others_have_done_is_taken_where_a_piece_fails),
        cmocka_unit_test(pieces_are_several_for_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
