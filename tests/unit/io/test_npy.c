#include "support.h"

#include "base/dtype.h"
#include "io/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Files made byte by byte -------------------------------------------------------------- */

typedef struct file {
    unsigned char bytes[4096];
    size_t size;
} file;

/* Magic, version, length of the dictionary, the dictionary as it is, then the elements. */
static file make(int version, const char *dict, const void *elements, size_t size)
{
    file f = {{0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)version, 0}, 8};
    size_t length = strlen(dict), width = version == 1 ? 2 : 4;
    for (size_t i = 0; i < width; i++)
        f.bytes[f.size++] = (unsigned char)(length >> 8 * i);
    assert_true(f.size + length + size <= sizeof f.bytes);
    memcpy(f.bytes + f.size, dict, length);
    f.size += length;
    if (size)
        memcpy(f.bytes + f.size, elements, size);
    f.size += size;
    return f;
}

static f0t_status open_file(f0t_npy **out, const file *f)
{
    return f0t_npy_open_memory(out, f->bytes, f->size, "a.npy");
}

static void refuse(const char *dict, size_t size, f0t_status status, const char *text)
{
    static const char zeros[64];
    f0t_npy *npy;
    file f = make(1, dict, zeros, size);
    assert_fails(status, text, open_file(&npy, &f));
    assert_null(npy);
}

/* One small number in each element type, both byte orders. */
static size_t element(unsigned char *to, f0t_dtype type, bool swapped, int value)
{
    size_t size = f0t_dtype_size(type);
    float f32 = (float)value;
    double f64 = value;
    int32_t i32 = value;
    int64_t i64 = value;
    uint8_t u8 = (uint8_t)value, boolean = value != 0;
    uint16_t f16 = f0t_f32_to_f16_ref(f32);
    const void *from = type == F0T_F32   ? (const void *)&f32
                       : type == F0T_F64 ? (const void *)&f64
                       : type == F0T_I32 ? (const void *)&i32
                       : type == F0T_I64 ? (const void *)&i64
                       : type == F0T_U8  ? (const void *)&u8
                       : type == F0T_F16 ? (const void *)&f16
                                         : (const void *)&boolean;
    memcpy(to, from, size);
    if (swapped)
        f0t_swap_bytes(to, size, 1);
    return size;
}

/* A rows x cols file whose element (r, c) is 10 r + c. */
static file matrix(int version, f0t_dtype type, const char *code, bool swapped, bool fortran,
                   size_t rows, size_t cols)
{
    unsigned char data[2048];
    char dict[200];
    size_t size = 0;
    for (size_t i = 0; i < rows * cols; i++) {
        size_t r = fortran ? i % rows : i / cols, c = fortran ? i / rows : i % cols;
        size += element(data + size, type, swapped, (int)(10 * r + c));
    }
    snprintf(dict, sizeof dict, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (%zu, %zu), }\n",
             f0t_dtype_size(type) == 1 ? '|'
             : swapped                 ? '>'
                                       : '<',
             code, fortran ? "True" : "False", rows, cols);
    return make(version, dict, data, size);
}

static const struct {
    f0t_dtype type;
    const char *code;
} types[] = {{F0T_F32, "f4"}, {F0T_F16, "f2"}, {F0T_F64, "f8"}, {F0T_I32, "i4"},
             {F0T_I64, "i8"}, {F0T_U8, "u1"},  {F0T_BOOL, "b1"}};
enum { TYPES = sizeof types / sizeof *types };

/* ---- Reading ------------------------------------------------------------------------------ */

static void check_matrix(const file *f, f0t_dtype type, int version, bool swapped, bool fortran)
{
    f0t_npy *npy;
    size_t rows, cols;
    float got[5 * 7];
    assert_ok(open_file(&npy, f));
    assert_ok(f0t_npy_matrix(&rows, &cols, npy));
    assert_int_equal(rows, 5);
    assert_int_equal(cols, 7);
    assert_int_equal(f0t_npy_count(npy), 35);
    assert_int_equal(f0t_npy_dtype(npy), type);
    assert_int_equal(f0t_npy_version(npy), version);
    assert_int_equal(f0t_npy_fortran(npy), fortran);
    assert_int_equal(f0t_npy_swapped(npy), swapped && f0t_dtype_size(type) > 1);
    for (size_t first = 0; first <= rows; first++)
        for (size_t count = 0; first + count <= rows; count++) {
            assert_ok(f0t_npy_read_rows(got, npy, first, count));
            for (size_t i = 0; i < count * cols; i++) {
                size_t value = 10 * (first + i / cols) + i % cols;
                float want = type == F0T_BOOL ? (float)(value != 0) : (float)value;
                assert_true(got[i] == want);
            }
        }
    f0t_npy_close(npy);
}

static void every_type_order_and_version_is_read(void **state)
{
    (void)state;
    for (size_t t = 0; t < TYPES; t++)
        for (int version = 1; version <= 3; version++)
            for (int swapped = 0; swapped < 2; swapped++)
                for (int fortran = 0; fortran < 2; fortran++) {
                    file f = matrix(version, types[t].type, types[t].code, swapped, fortran, 5, 7);
                    check_matrix(&f, types[t].type, version, swapped, fortran);
                }
}

/* More rows and columns than a tile has, odd numbers of both, and blocks that begin anywhere. */
static void large_column_major_files_are_read_in_blocks(void **state)
{
    enum { ROWS = 613, COLS = 35 };
    (void)state;
    char dict[128];
    snprintf(dict, sizeof dict, "{'descr': '>f4', 'fortran_order': True, 'shape': (%d, %d)}\n",
             ROWS, COLS);
    size_t head = 10 + strlen(dict), size = head + ROWS * COLS * 4;
    unsigned char *data = malloc(size);
    float *rows = malloc(ROWS * COLS * sizeof *rows);
    file f = make(1, dict, NULL, 0);
    memcpy(data, f.bytes, f.size);
    for (size_t i = 0; i < ROWS * COLS; i++) {
        float value = (float)(i % ROWS * COLS + i / ROWS);
        memcpy(data + head + 4 * i, &value, 4);
        f0t_swap_bytes(data + head + 4 * i, 4, 1);
    }
    f0t_npy *npy;
    assert_ok(f0t_npy_open_memory(&npy, data, size, "f.npy"));
    assert_null(f0t_npy_data(npy));
    for (size_t first = 0, count = 1; first < ROWS; first += count, count = count * 3 % 401) {
        count = count > ROWS - first ? ROWS - first : count;
        assert_ok(f0t_npy_read_rows(rows, npy, first, count));
        for (size_t i = 0; i < count * COLS; i++)
            assert_true(rows[i] == (float)(first * COLS + i));
    }
    f0t_npy_close(npy);
    free(rows);
    free(data);
}

static void rows_outside_are_refused(void **state)
{
    (void)state;
    float to[64];
    f0t_npy *npy;
    file f = matrix(1, F0T_F32, "f4", false, false, 5, 7);
    assert_ok(open_file(&npy, &f));
    assert_fails(F0T_ERROR_ARGUMENT, "are expected, and there are 5",
                 f0t_npy_read_rows(to, npy, 6, 0));
    assert_fails(F0T_ERROR_ARGUMENT, "there are 5", f0t_npy_read_rows(to, npy, 3, 3));
    assert_fails(F0T_ERROR_ARGUMENT, "there are 5", f0t_npy_read_rows(to, npy, 1, SIZE_MAX));
    f0t_npy_close(npy);
}

static void elements_come_in_the_order_of_the_file(void **state)
{
    (void)state;
    int32_t got[35];
    f0t_npy *npy;
    file f = matrix(1, F0T_I32, "i4", true, true, 5, 7);
    assert_ok(open_file(&npy, &f));
    assert_ok(f0t_npy_read_elements(got, npy, 0, 35));
    for (int i = 0; i < 35; i++)
        assert_int_equal(got[i], 10 * (i % 5) + i / 5);
    assert_ok(f0t_npy_read_elements(got, npy, 34, 1));
    assert_int_equal(got[0], 46);
    assert_ok(f0t_npy_read_elements(NULL, npy, 35, 0));
    assert_fails(F0T_ERROR_ARGUMENT, "are expected, there are 35",
                 f0t_npy_read_elements(got, npy, 35, 1));
    assert_fails(F0T_ERROR_ARGUMENT, "there are 35", f0t_npy_read_elements(got, npy, 1, SIZE_MAX));
    f0t_npy_close(npy);
}

static void data_is_given_only_where_it_can_be_used_in_place(void **state)
{
    (void)state;
    f0t_npy *npy;
    _Alignas(64) unsigned char aligned[4096];
    file f = matrix(1, F0T_F32, "f4", false, false, 5, 7);
    size_t head = f.size - 5 * 7 * 4;
    for (size_t shift = 0; shift < 4; shift++) {
        memcpy(aligned + shift, f.bytes, f.size);
        assert_ok(f0t_npy_open_memory(&npy, aligned + shift, f.size, "a"));
        const void *data = f0t_npy_data(npy);
        assert_ptr_equal(data, (shift + head) % 4 ? NULL : aligned + shift + head);
        f0t_npy_close(npy);
    }
    f = matrix(1, F0T_U8, "u1", false, true, 1, 7); /* one row: both orders are the same */
    assert_ok(open_file(&npy, &f));
    assert_true(f0t_npy_fortran(npy));
    assert_non_null(f0t_npy_data(npy));
    f0t_npy_close(npy);
    f = matrix(1, F0T_U8, "u1", false, true, 2, 7);
    assert_ok(open_file(&npy, &f));
    assert_null(f0t_npy_data(npy));
    f0t_npy_close(npy);
}

static void check_shape(const char *shape, size_t elements, size_t dims, f0t_status as_matrix,
                        size_t want_rows, size_t want_cols)
{
    static const float numbers[24];
    char dict[200];
    f0t_npy *npy;
    size_t rows, cols;
    snprintf(dict, sizeof dict, "{'descr': '<f4', 'fortran_order': False, 'shape': %s}", shape);
    file f = make(1, dict, numbers, elements * sizeof *numbers);
    assert_ok(open_file(&npy, &f));
    assert_int_equal(f0t_npy_dims(npy), dims);
    assert_int_equal(f0t_npy_count(npy), elements);
    assert_int_equal(f0t_npy_matrix(&rows, &cols, npy), as_matrix);
    if (as_matrix == F0T_OK) {
        assert_int_equal(rows, want_rows);
        assert_int_equal(cols, want_cols);
    }
    f0t_npy_close(npy);
}

static void every_shape_is_a_matrix_or_says_why_not(void **state)
{
    (void)state;
    check_shape("()", 1, 0, F0T_OK, 1, 1);
    check_shape("(3,)", 3, 1, F0T_OK, 3, 1);
    check_shape("( 0 , )", 0, 1, F0T_OK, 0, 1);
    check_shape("(0, 5)", 0, 2, F0T_OK, 0, 5);
    check_shape("(4, 5,)", 20, 2, F0T_OK, 4, 5);
    check_shape("(3L, 2L)", 6, 2, F0T_OK, 3, 2);
    check_shape("(2, 3, 4)", 24, 3, F0T_ERROR_FORMAT, 0, 0);
    check_shape("(5, 0)", 0, 2, F0T_ERROR_FORMAT, 0, 0);
    check_shape("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", 1, 32,
                F0T_ERROR_FORMAT, 0, 0);
    f0t_npy *npy;
    size_t rows, cols;
    file f = make(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (5, 0)}", NULL, 0);
    assert_ok(open_file(&npy, &f));
    assert_fails(F0T_ERROR_FORMAT, "a.npy: has 5 rows without columns",
                 f0t_npy_matrix(&rows, &cols, npy));
    f0t_npy_close(npy);
}

static void the_dictionary_is_read_as_python_would(void **state)
{
    static const char *const dicts[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
        "{\"shape\":(2,),\"descr\":\"<f4\",\"fortran_order\":True}",
        "{ 'fortran_order' :False ,\n 'shape'\t: ( 2, ) , 'descr' : '<f4' , }   \n",
        "   {'shape': (2,), 'fortran_order': False, 'descr': '<f4'}\n\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof dicts / sizeof *dicts; i++)
        for (int version = 1; version <= 3; version++) {
            float got[2], numbers[2] = {1.5F, -2};
            f0t_npy *npy;
            file f = make(version, dicts[i], numbers, sizeof numbers);
            assert_ok(open_file(&npy, &f));
            assert_ok(f0t_npy_read_rows(got, npy, 0, 2));
            assert_memory_equal(got, numbers, sizeof got);
            f0t_npy_close(npy);
        }
}

/* ---- What is refused ---------------------------------------------------------------------- */

static void a_wrong_dictionary_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *dict, *says;
    } cases[] = {
        {"", "a dictionary"},
        {"[]", "a dictionary"},
        {"{}", "of the npy header: 'descr' is missing"},
        {"{'descr': '<f4', 'shape': (2,)}", "'fortran_order' is missing"},
        {"{'descr': '<f4', 'fortran_order': False}", "'shape' is missing"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", "none of 'descr'"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
         "a key that was there before"},
        {"{'shape': (2,), 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
         "a key that was there before"},
        {"{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}", "a comma or '}'"},
        {"{'descr': '<f4',, 'fortran_order': False, 'shape': (2,)}", "a key in quotes"},
        {"{, 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "a key in quotes"},
        {"{'descr' '<f4', 'fortran_order': False, 'shape': (2,)}", "':' is missing"},
        {"{descr: '<f4', 'fortran_order': False, 'shape': (2,)}", "a key in quotes"},
        {"{'descr: '<f4', 'fortran_order': False, 'shape': (2,)}", "none of 'descr'"},
        {"{'de\\x73cr': '<f4', 'fortran_order': False, 'shape': (2,)}",
         "a string that does not end, or with an escape"},
        {"{'descr': '<f4", "does not end"},
        {"{'descr': \"<f4', 'fortran_order': False, 'shape': (2,)}", "does not end"},
        {"{'descr': 4, 'fortran_order': False, 'shape': (2,)}", "must be a string"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", "True or False"},
        {"{'descr': '<f4', 'fortran_order': false, 'shape': (2,)}", "True or False"},
        {"{'descr': '<f4', 'fortran_order': Falsehood, 'shape': (2,)}", "True or False"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 2}", "a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': [2]}", "a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", "(3,) rather than (3)"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", "a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (02,)}",
         "'shape' must be a tuple of sizes"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2.0,)}", "a comma or ')'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 1)}", "a comma or ')'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,", "a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", "a comma or '}'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", "after the dictionary"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
         "a size in 'shape' is too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
         "1,1,1,1,1,1,1,1,1,1,1,1,1,2)}",
         "32 dimensions"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse(cases[i].dict, 8, F0T_ERROR_FORMAT, cases[i].says);
    file f = make(3, "{'descr': '<f4', 'fortran_order': False, 'shape': (1L,)}", "abcd", 4);
    f0t_npy *npy;
    assert_fails(F0T_ERROR_FORMAT,
                 "byte 64 of the npy header: a comma or ')' is missing in 'shape'",
                 open_file(&npy, &f));
}

static void a_type_that_cannot_be_read_is_named(void **state)
{
    (void)state;
    static const char *const descrs[] = {"<u2", "<i2", "|i1", "<c8", "<U5",  "|S3", "<M8[s]",
                                         "|V8", "=f4", "f4",  "|f4", "<f44", "",    "<u1 "};
    char dict[100];
    for (size_t i = 0; i < sizeof descrs / sizeof *descrs; i++) {
        snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': (2,)}",
                 descrs[i]);
        refuse(dict, 8, F0T_ERROR_UNSUPPORTED, descrs[i]);
        refuse(dict, 8, F0T_ERROR_UNSUPPORTED, "element type");
    }
    refuse("{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", 8, F0T_ERROR_UNSUPPORTED,
           "Python objects");
    refuse("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", 8,
           F0T_ERROR_UNSUPPORTED, "records");
    refuse("{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (2,)}", 8,
           F0T_ERROR_UNSUPPORTED, "records");
}

static void a_size_that_the_file_does_not_have_is_refused_with_both_numbers(void **state)
{
    (void)state;
    refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 8, F0T_ERROR_FORMAT,
           "3 float32, 12 bytes, and 8 are there");
    refuse("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", 0, F0T_ERROR_FORMAT,
           "one float32, 4 bytes, and 0 are there");
    refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 8, F0T_ERROR_FORMAT,
           "4 bytes follow the array");
    refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 7)}", 1, F0T_ERROR_FORMAT,
           "1 bytes follow");
    static const char *const shapes[] = {
        "(9223372036854775808, 9223372036854775808)",
        "(4611686018427387904,)",
        "(4294967296, 4294967296)",
        "(18446744073709551615,)",
        "(18446744073709551615, 0)",
        "(0, 9223372036854775807)",
    };
    char dict[200];
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        snprintf(dict, sizeof dict, "{'descr': '<f4', 'fortran_order': False, 'shape': %s}",
                 shapes[i]);
        refuse(dict, 8, F0T_ERROR_FORMAT, "multiply to too much");
    }
}

static void a_wrong_magic_version_or_length_is_refused(void **state)
{
    (void)state;
    f0t_npy *npy;
    const file good = matrix(1, F0T_F32, "f4", false, false, 2, 2);
    file f = good;
    f.bytes[0] = 'x';
    assert_fails(F0T_ERROR_FORMAT, "no npy file", open_file(&npy, &f));
    for (int version = 0; version < 256; version++)
        if (version < 1 || version > 3) {
            f = good;
            f.bytes[6] = (unsigned char)version;
            assert_fails(F0T_ERROR_UNSUPPORTED, "version", open_file(&npy, &f));
        }
    f = good;
    f.bytes[7] = 1;
    assert_fails(F0T_ERROR_UNSUPPORTED, "version 1.1 is not 1.0, 2.0 or 3.0", open_file(&npy, &f));
    f = good;
    f.bytes[9] = 0xFF;
    assert_fails(F0T_ERROR_FORMAT, "bytes long", open_file(&npy, &f));
    assert_fails(F0T_ERROR_FORMAT, "no npy file", f0t_npy_open_memory(&npy, "", 0, "empty"));
    assert_fails(F0T_ERROR_NOT_FOUND, "none.npy", f0t_npy_open(&npy, test_path("none.npy")));
    assert_fails(F0T_ERROR_FORMAT, "is a folder", f0t_npy_open(&npy, test_path(".")));
}

static f0t_status load(const void *data, size_t size)
{
    f0t_npy *npy;
    size_t rows, cols;
    float *to;
    F0T_TRY(f0t_npy_open_memory(&npy, data, size, "a.npy"));
    f0t_status status = f0t_npy_matrix(&rows, &cols, npy);
    if (status == F0T_OK)
        status = f0t_alloc(&to, f0t_npy_count(npy), sizeof *to);
    if (status == F0T_OK) {
        status = f0t_npy_read_rows(to, npy, 0, rows);
        f0t_free(to);
    }
    f0t_npy_close(npy);
    return status;
}

static void a_cut_or_altered_file_never_hurts(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++)
        for (int fortran = 0; fortran < 2; fortran++) {
            file f = matrix(version, F0T_F16, "f2", true, fortran, 3, 5);
            test_cut_everywhere(f.bytes, f.size, load, NULL);
            test_alter_everywhere(f.bytes, f.size, load);
        }
}

static f0t_status load_again(void *file_)
{
    const file *f = file_;
    return load(f->bytes, f->size);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    file f = matrix(1, F0T_F32, "f4", false, true, 5, 7);
    test_each_fault(F0T_FAULT_ALLOC, load_again, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_order_and_version_is_read),
        cmocka_unit_test(large_column_major_files_are_read_in_blocks),
        cmocka_unit_test(rows_outside_are_refused),
        cmocka_unit_test(elements_come_in_the_order_of_the_file),
        cmocka_unit_test(data_is_given_only_where_it_can_be_used_in_place),
        cmocka_unit_test(every_shape_is_a_matrix_or_says_why_not),
        cmocka_unit_test(the_dictionary_is_read_as_python_would),
        cmocka_unit_test(a_wrong_dictionary_is_refused),
        cmocka_unit_test(a_type_that_cannot_be_read_is_named),
        cmocka_unit_test(a_size_that_the_file_does_not_have_is_refused_with_both_numbers),
        cmocka_unit_test(a_wrong_magic_version_or_length_is_refused),
        cmocka_unit_test(a_cut_or_altered_file_never_hurts),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
