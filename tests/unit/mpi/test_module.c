/* The module of Open MPI itself. Alone it refuses what is not of its build; the rest is for the processes of
 * `mpirun -n 2 mpi_test_module` (tests/cli/mpi.sh), which make the same calls in the same order. */
#include "support.h"

#include "base/common.h"
#include "base/dtype.h"
#include "base/group.h"
#include "base/module.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const f0t_group *group;

static const f0t_module module = {.file = "fast0tag-mpi.so",
                                  .variable = "F0T_MPI",
                                  .what = "the module",
                                  .missing = "is tested",
                                  .entry = "f0t_group_module_open"};

static f0t_group_host host_of(const char *version)
{
    return (f0t_group_host){.size = sizeof(f0t_group_host),
                            .group_size = sizeof(f0t_group),
                            .version = version,
                            .fail = f0t_fail,
                            .to_bf16 = f0t_f32_to_bf16,
                            .to_f32 = f0t_dtype_to_f32,
                            .free_nothing = f0t_free_nothing};
}

/* ---- Before it is opened -------------------------------------------------------------------------- */

static void another_build_is_refused(void **state)
{
    f0t_group_open_function *open;
    f0t_group_host other = host_of("0.0.0"), larger = host_of(f0t_version()), wider = larger;
    const f0t_group *none = NULL;
    (void)state;
    if (f0t_module_load((void **)&open, &module) != F0T_OK)
        skip();
    larger.size++;
    wider.group_size++;
    assert_fails(F0T_ERROR_UNSUPPORTED, "the library of 0.0.0: install both", open(&none, &other));
    assert_fails(F0T_ERROR_UNSUPPORTED, "install both of one build", open(&none, &larger));
    assert_fails(F0T_ERROR_UNSUPPORTED, "install both of one build", open(&none, &wider));
    assert_null(none);
}

static void processes_join_once(void **state)
{
    const f0t_group *again;
    (void)state;
    assert_ok(f0t_group_open(&group, "mpi", "a task", false));
    assert_int_equal(group->size, 2);
    assert_fails(F0T_ERROR_UNSUPPORTED, "once", f0t_group_open(&again, "mpi", "a task", false));
}

/* ---- Exchanges ------------------------------------------------------------------------------------ */

/* None is begun: the other process waits for nothing. */
static void more_than_a_message_can_have_is_refused(void **state)
{
    static const size_t sizes[] = {(size_t)1 << 31, (size_t)1 << 62, SIZE_MAX};
    f0t_exchange *exchange = NULL;
    char nothing = 0;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t n = sizes[i];
        assert_fails(F0T_ERROR_ARGUMENT, "too many", group->sum(&exchange, NULL, n));
        assert_fails(F0T_ERROR_ARGUMENT, "too many", group->share(&exchange, NULL, n, 2));
        assert_fails(F0T_ERROR_ARGUMENT, "too many", group->total(&exchange, NULL, n));
        assert_fails(F0T_ERROR_ARGUMENT, "too many", group->broadcast(&exchange, &nothing, n));
        assert_fails(F0T_ERROR_ARGUMENT, "too many", group->send(0, &nothing, n));
    }
    assert_fails(F0T_ERROR_ARGUMENT, "of 8 bytes", group->share(&exchange, NULL, 1, 8));
    assert_null(exchange);
}

/* As large as one may be and larger, in several. */
static void long_arrays_travel_in_several_messages(void **state)
{
    enum { MANY = (1 << 22) + 3 };
    double *x;
    (void)state;
    assert_ok(f0t_alloc(&x, MANY, sizeof *x));
    for (size_t i = 0; i < MANY; i++)
        x[i] = (double)i;
    assert_ok(f0t_group_total(group, x, MANY));
    for (size_t i = 0; i < MANY; i += 1000)
        assert_true(x[i] == 2 * (double)i);
    assert_true(x[MANY - 1] == 2 * (double)(MANY - 1));
    f0t_free(x);
}

/* An array of fewer elements than processes leaves one of them without a part. */
static void parts_may_be_empty(void **state)
{
    (void)state;
    for (size_t n = 0; n < 4; n++) {
        float x[4] = {1, 2, 3, 4};
        f0t_exchange *exchange;
        assert_ok(group->sum(&exchange, x, n));
        assert_ok(group->wait(exchange));
        assert_ok(group->share(&exchange, x, n, sizeof *x));
        assert_ok(group->wait(exchange));
        for (size_t i = 0; i < 4; i++)
            assert_true(x[i] == (float)(i < n ? 2 * (i + 1) : i + 1));
    }
}

/* ---- Memory in common ------------------------------------------------------------------------------ */

static void what_one_writes_the_other_reads(void **state)
{
    enum { MANY = 5000 };
    f0t_common *common;
    (void)state;
    assert_ok(f0t_common_create(&common, group, MANY * sizeof(int)));
    assert_non_null(common);
    int *own = f0t_common_at(common, group->rank);
    const int *other = f0t_common_at(common, 1 - group->rank);
    assert_true(own[0] == 0 && own[MANY - 1] == 0);
    for (int round = 1; round < 100; round++) {
        own[0] = own[MANY - 1] = 2 * round + (int)group->rank;
        assert_ok(f0t_common_meet(common));
        assert_ok(f0t_common_wait(common));
        assert_int_equal(other[0], 2 * round + 1 - (int)group->rank);
        assert_int_equal(other[MANY - 1], 2 * round + 1 - (int)group->rank);
        assert_ok(f0t_common_meet(common)); /* both have read */
        assert_ok(f0t_common_wait(common));
        assert_ok(f0t_common_wait(common)); /* nothing to wait for */
    }
    f0t_common_free(common);
    assert_ok(f0t_common_create(&common, group, 0));
    assert_null(common);
}

/* A process that has no descriptor left for its memory: neither has any, and both go on. */
static void memory_that_one_cannot_have_is_had_by_none(void **state)
{
    f0t_common *common = (f0t_common *)&group;
    struct rlimit before, none;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
    if (group->rank == 1)
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_ok(f0t_common_create(&common, group, 1000));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_null(common);
    f0t_common_free(common);
}

static void processes_of_several_machines_have_none(void **state)
{
    f0t_common *common;
    f0t_group apart = *group;
    (void)state;
    apart.beside = 1;
    assert_ok(f0t_common_create(&common, &apart, 1000));
    assert_null(common);
}

/* ---- What must be the same, and the end ------------------------------------------------------------ */

static void another_version_is_seen_by_both(void **state)
{
    (void)state;
    assert_ok(f0t_group_same(group, "the version", "1.0", 3));
    assert_fails(F0T_ERROR_MISMATCH, "the version of process 1 is not that of process 0",
                 f0t_group_same(group, "the version", group->rank ? "1.1" : "1.0", 3));
}

/* The first has done its work and would save it: it hears of the other before. The last of all cases. */
static void none_has_succeeded_where_one_has_failed(void **state)
{
    double x = 1;
    uint64_t piece;
    (void)state;
    assert_ok(group->agree(F0T_OK, NULL));
    const f0t_status own = group->rank ? F0T_ERROR_IO : F0T_OK;
    for (int i = 0; i < 2; i++) { /* and it stays so */
        assert_fails(F0T_ERROR_IO, "process 1 of 2: the disk is full",
                     group->agree(own, "the disk is full"));
        assert_true(group->failed());
    }
    assert_fails(F0T_ERROR_INTERRUPTED, "another process has failed",
                 f0t_group_total(group, &x, 1));
    assert_fails(F0T_ERROR_INTERRUPTED, "another process has failed", group->take(&piece, 99));
    group->close();
}

int main(void)
{
    const struct CMUnitTest alone[] = {cmocka_unit_test(another_build_is_refused)};
    const struct CMUnitTest both[] = {
        cmocka_unit_test(another_build_is_refused),
        cmocka_unit_test(processes_join_once),
        cmocka_unit_test(more_than_a_message_can_have_is_refused),
        cmocka_unit_test(long_arrays_travel_in_several_messages),
        cmocka_unit_test(parts_may_be_empty),
        cmocka_unit_test(what_one_writes_the_other_reads),
        cmocka_unit_test(memory_that_one_cannot_have_is_had_by_none),
        cmocka_unit_test(processes_of_several_machines_have_none),
        cmocka_unit_test(another_version_is_seen_by_both),
        cmocka_unit_test(none_has_succeeded_where_one_has_failed),
    };
    return getenv("OMPI_COMM_WORLD_SIZE") ? cmocka_run_group_tests(both, NULL, NULL)
                                          : cmocka_run_group_tests(alone, NULL, NULL);
}
