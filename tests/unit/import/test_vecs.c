#include "support.h"

#include "import/vecs.h"

#include <string.h>

static f0t_status read_last(const void *data, size_t size, const char *name, size_t *count,
                            size_t *dim, float *last)
{
    f0t_vecs vecs;
    f0t_status status = f0t_vecs_open_memory(&vecs, data, size, name);
    if (status == F0T_OK) {
        *count = vecs.count;
        *dim = vecs.dim;
        float row[8];
        assert_true(vecs.dim <= 8);
        status = f0t_vecs_read(row, &vecs, vecs.count - 1);
        *last = row[vecs.dim - 1];
    }
    f0t_vecs_close(&vecs);
    return status;
}

static void expect(const void *data, size_t size, const char *name, float want)
{
    size_t count, dim;
    float last;
    assert_ok(read_last(data, size, name, &count, &dim, &last));
    assert_int_equal(count, 2);
    assert_int_equal(dim, 3);
    assert_true(last == want);
}

static void every_form_is_told_by_its_bytes(void **state)
{
    static const uint16_t hvecs[] = {3, 1, 0, 7, 3, 4, 5, 65535};
    static const uint32_t wide[] = {3, 1, 0, 7, 3, 4, 5, 4000000000u};
    static const unsigned char long_header[] = {3, 0, 0, 0, 1, 0, 2, 0, 3, 0,
                                                3, 0, 0, 0, 1, 0, 2, 0, 9, 1};
    static const unsigned char bvecs[] = {3, 0, 0, 0, 1, 2, 3, 3, 0, 0, 0, 4, 5, 200};
    float fvec[8] = {0, 1, 2, 3, 0, 4, 5, -0.25f};
    const uint32_t three = 3;
    (void)state;
    memcpy(&fvec[0], &three, 4);
    memcpy(&fvec[4], &three, 4);
    expect(hvecs, sizeof hvecs, "a.hvecs", 65535);
    expect(wide, sizeof wide, "a.hvecs32", 4000000000.0f);
    expect(wide, sizeof wide, "a.hvecs", 4000000000.0f);
    expect(wide, sizeof wide, "a.ivecs", -294967296.0f);
    expect(fvec, sizeof fvec, "a.fvec", -0.25f);
    expect(fvec, sizeof fvec, "A.FVECS", -0.25f);
    expect(long_header, sizeof long_header, "a.hvecs", 265);
    expect(bvecs, sizeof bvecs, "a.bvecs", 200);
}

static void what_does_not_tile_the_file_is_refused(void **state)
{
    static const uint16_t mixed[] = {3, 1, 0, 7, 2, 4, 5, 6}, cut[] = {3, 1, 0}, none[] = {0, 0};
    static const uint32_t huge[] = {0xFFFFFFFFu, 1, 2, 3};
    size_t count, dim;
    float last;
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "a.hvecs: is no vector file",
                 read_last(mixed, sizeof mixed, "a.hvecs", &count, &dim, &last));
    assert_fails(F0T_ERROR_FORMAT, "6 bytes",
                 read_last(cut, sizeof cut, "a.hvecs", &count, &dim, &last));
    assert_fails(F0T_ERROR_FORMAT, "no form",
                 read_last(none, sizeof none, "a.hvecs", &count, &dim, &last));
    assert_fails(F0T_ERROR_FORMAT, "no form",
                 read_last(huge, sizeof huge, "a.fvec", &count, &dim, &last));
    assert_fails(F0T_ERROR_FORMAT, "no form", read_last("", 0, "a.fvec", &count, &dim, &last));
}

static void a_nan_is_found(void **state)
{
    static const uint32_t nan[] = {1, 0x7FC00000u};
    size_t count, dim;
    float last;
    (void)state;
    assert_fails(F0T_ERROR_NUMERIC, "a.fvec: row 0, column 0",
                 read_last(nan, sizeof nan, "a.fvec", &count, &dim, &last));
}

static f0t_status load(const void *data, size_t size)
{
    f0t_vecs vecs;
    f0t_status status = f0t_vecs_open_memory(&vecs, data, size, "a.hvecs");
    float *row = NULL;
    if (status == F0T_OK)
        status = f0t_alloc(&row, vecs.dim, sizeof *row);
    for (size_t i = 0; status == F0T_OK && i < vecs.count; i++)
        status = f0t_vecs_read(row, &vecs, i);
    f0t_free(row);
    f0t_vecs_close(&vecs);
    return status;
}

static bool whole_records(size_t size)
{
    return size == 8;
}

static void no_altered_or_cut_input_does_harm(void **state)
{
    static const uint16_t valid[] = {3, 1, 0, 7, 3, 4, 5, 6};
    (void)state;
    test_alter_everywhere(valid, sizeof valid, load);
    test_cut_everywhere(valid, sizeof valid, load, whole_records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_told_by_its_bytes),
        cmocka_unit_test(what_does_not_tile_the_file_is_refused),
        cmocka_unit_test(a_nan_is_found),
        cmocka_unit_test(no_altered_or_cut_input_does_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
