#include "support.h"

#include "base/kernels.h"
#include "base/random.h"
#include "catalogue/directions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 333, DIM = 13, STAMP = 77 };

static void make_rows(float *rows, int64_t *ids, size_t count, uint64_t seed)
{
    test_random_floats(rows, count * DIM, seed);
    for (size_t i = 0; i < count; i++)
        ids[i] = 3 * (int64_t)i + 1;
}

static f0t_status write_rows(f0t_directions **out, const char *path, const float *rows,
                             const int64_t *ids, size_t count)
{
    f0t_directions_writer *w;
    *out = NULL;
    F0T_TRY(f0t_directions_create(&w, path, DIM));
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < count && status == F0T_OK; i += 100)
        status = f0t_directions_add(w, ids + i, rows + i * DIM, count - i < 100 ? count - i : 100);
    if (status == F0T_OK)
        return f0t_directions_commit(out, w, STAMP);
    f0t_directions_abort(w);
    return status;
}

static int by_score(const void *left, const void *right)
{
    const struct {
        float score;
        uint32_t row;
    } *a = left, *b = right;
    return a->score != b->score ? (a->score < b->score ? 1 : -1)
                                : (a->row > b->row) - (a->row < b->row);
}

/* All products, sorted. */
static void assert_top_is_exact(const f0t_directions *d, const float *rows, const float *query,
                                size_t k)
{
    struct {
        float score;
        uint32_t row;
    } all[COUNT];
    uint32_t index[COUNT];
    float score[COUNT];
    for (size_t i = 0; i < d->count; i++) {
        all[i].score = (float)f0t_kernels()->exact_product(rows + i * DIM, query, DIM);
        all[i].row = (uint32_t)i;
    }
    qsort(all, d->count, sizeof *all, by_score);
    assert_ok(f0t_directions_top(index, score, k, d, query));
    for (size_t i = 0; i < k; i++) {
        assert_int_equal(index[i], all[i].row);
        assert_true(score[i] == all[i].score);
    }
}

/* Of random rows, of few different ones (ties), and of one dimension that is much larger than the others. */
static void the_first_are_those_of_all_products(void **state)
{
    (void)state;
    static float rows[COUNT * DIM];
    int64_t ids[COUNT];
    for (uint64_t seed = 0; seed < 30; seed++) {
        float query[DIM];
        f0t_directions *d;
        make_rows(rows, ids, COUNT, seed);
        test_random_floats(query, DIM, seed + 1000);
        for (size_t i = 0; i < COUNT && seed % 3 == 1; i++)
            memcpy(rows + i * DIM, rows + i % 5 * DIM, DIM * sizeof *rows);
        for (size_t i = 0; i < COUNT && seed % 3 == 2; i++)
            rows[i * DIM] = 1e4F + (float)(i % 7) * 1e-3F;
        assert_ok(write_rows(&d, seed ? NULL : test_path("exact"), rows, ids, COUNT));
        assert_int_equal(d->count, COUNT);
        assert_top_is_exact(d, rows, query, 1);
        assert_top_is_exact(d, rows, query, 20);
        assert_top_is_exact(d, rows, query, COUNT);
        f0t_directions_close(d);
    }
}

static void a_written_file_is_mapped(void **state)
{
    (void)state;
    static float rows[COUNT * DIM];
    int64_t ids[COUNT];
    const char *path = test_path("mapped");
    f0t_directions *d;
    make_rows(rows, ids, COUNT, 1);
    assert_ok(write_rows(&d, path, rows, ids, COUNT));
    f0t_directions_close(d);
    assert_ok(f0t_directions_open(&d, path, STAMP));
    assert_memory_equal(d->rows, rows, sizeof rows);
    assert_memory_equal(d->ids, ids, sizeof ids);
    assert_int_equal(f0t_directions_find(d, 1), 0);
    assert_int_equal(f0t_directions_find(d, 3 * (COUNT - 1) + 1), COUNT - 1);
    assert_int_equal(f0t_directions_find(d, 2), F0T_NONE);
    assert_int_equal(f0t_directions_find(d, INT64_MAX), F0T_NONE);
    f0t_directions_close(d);
    assert_fails(F0T_ERROR_MISMATCH, "another state", f0t_directions_open(&d, path, STAMP + 1));
    assert_fails(F0T_ERROR_NOT_FOUND, "none", f0t_directions_open(&d, test_path("none"), STAMP));
    assert_fails(F0T_ERROR_FORMAT, "other: not the directions of a catalogue",
                 f0t_directions_open(&d, test_file("other", "\2\0\0\0\0\0\0\0{}", 10), STAMP));
}

static void ids_must_ascend(void **state)
{
    (void)state;
    f0t_directions_writer *w;
    const float rows[2 * DIM] = {1};
    assert_ok(f0t_directions_create(&w, NULL, DIM));
    assert_ok(f0t_directions_add(w, (const int64_t[]){5}, rows, 1));
    assert_fails(F0T_ERROR_INTERNAL, "ascend",
                 f0t_directions_add(w, (const int64_t[]){5}, rows, 1));
    f0t_directions_abort(w);
}

static f0t_status load(const void *data, size_t size)
{
    f0t_directions *d;
    uint32_t index[4];
    float score[4];
    const float query[DIM] = {1, -1};
    F0T_TRY(f0t_directions_open_memory(&d, data, size, "hostile", STAMP));
    f0t_status status = d->dim == DIM ? f0t_directions_top(index, score, 4, d, query) : F0T_OK;
    (void)f0t_directions_find(d, 7);
    f0t_directions_close(d);
    return status;
}

static void a_hostile_file_is_refused_or_harmless(void **state)
{
    (void)state;
    float rows[20 * DIM];
    int64_t ids[20];
    const char *path = test_path("hostile");
    f0t_directions *d;
    make_rows(rows, ids, 20, 3);
    assert_ok(write_rows(&d, path, rows, ids, 20));
    f0t_directions_close(d);
    size_t size;
    char *data = test_read(path, &size);
    test_cut_everywhere(data, size, load, NULL);
    test_alter_everywhere(data, size, load);
    f0t_free(data);
}

static f0t_status write_some(void *path)
{
    float rows[20 * DIM];
    int64_t ids[20];
    f0t_directions *d;
    make_rows(rows, ids, 20, 3);
    f0t_status status = write_rows(&d, path, rows, ids, 20);
    f0t_directions_close(d);
    return status;
}

static void every_failure_leaves_the_old_file(void **state)
{
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s", test_path("faults"));
    f0t_directions *d;
    test_each_fault(F0T_FAULT_ALLOC, write_some, NULL);
    assert_ok(write_some(path));
    const size_t left = test_files_left();
    test_each_fault(F0T_FAULT_ALLOC, write_some, path);
    test_each_fault(F0T_FAULT_WRITE, write_some, path);
    assert_int_equal(test_files_left(), left);
    assert_ok(f0t_directions_open(&d, path, STAMP));
    f0t_directions_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_are_those_of_all_products),
        cmocka_unit_test(a_written_file_is_mapped),
        cmocka_unit_test(ids_must_ascend),
        cmocka_unit_test(a_hostile_file_is_refused_or_harmless),
        cmocka_unit_test(every_failure_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
