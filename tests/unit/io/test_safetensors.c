#include "support.h"

#include "io/safetensors.h"

#include <stdio.h>
#include <string.h>

typedef struct file {
    unsigned char bytes[4096];
    size_t size;
} file;

static file make_sized(uint64_t length, const char *json, size_t data)
{
    file f = {.size = 8};
    for (size_t i = 0; i < 8; i++)
        f.bytes[i] = (unsigned char)(length >> 8 * i);
    size_t n = strlen(json);
    assert_true(8 + n + data <= sizeof f.bytes);
    memcpy(f.bytes + 8, json, n);
    f.size += n;
    for (size_t i = 0; i < data; i++)
        f.bytes[f.size++] = (unsigned char)i;
    return f;
}

static file make(const char *json, size_t data)
{
    return make_sized(strlen(json), json, data);
}

static f0t_status open_file(f0t_safetensors **out, const file *f)
{
    return f0t_safetensors_open_memory(out, f->bytes, f->size, "a.safetensors");
}

static void refuse(const char *json, size_t data, f0t_status status, const char *text)
{
    f0t_safetensors *got;
    file f = make(json, data);
    assert_fails(status, text, open_file(&got, &f));
    assert_null(got);
}

/* The header is 8 + 152 bytes long: tensors of 8 bytes an element are aligned. */
static const char small[] =
    "{\"__metadata__\":{\"made\":\"by hand\",\"é\":\"\\u00e9\"},"
    "\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[8,11]},"
    "\"a\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]}}     ";

static void tensors_and_metadata_are_found(void **state)
{
    (void)state;
    f0t_safetensors *got;
    _Alignas(8) file f = make(small, 11);
    assert_ok(open_file(&got, &f));
    assert_int_equal(f0t_safetensors_count(got), 2);
    const f0t_tensor *a = f0t_safetensors_at(got, 0), *b = f0t_safetensors_find(got, "b");
    assert_string_equal(a->name, "a");
    assert_int_equal(a->dtype, F0T_F32);
    assert_int_equal(a->dims, 2);
    assert_int_equal(a->shape[0], 2);
    assert_int_equal(a->shape[1], 1);
    assert_int_equal(a->count, 2);
    assert_ptr_equal(b, f0t_safetensors_at(got, 1));
    assert_memory_equal(b->data, "\x08\x09\x0A", 3);
    assert_null(f0t_safetensors_find(got, "c"));
    assert_null(f0t_safetensors_find(got, "__metadata__"));
    assert_int_equal(f0t_safetensors_metadata_count(got), 2);
    assert_string_equal(f0t_safetensors_metadata(got, "made"), "by hand");
    assert_null(f0t_safetensors_metadata(got, "none"));
    const char *key, *value;
    f0t_safetensors_metadata_at(got, 1, &key, &value);
    assert_string_equal(key, "é");
    assert_string_equal(value, "é");
    assert_string_equal(f0t_safetensors_path(got), "a.safetensors");
    f0t_safetensors_close(got);
}

static void every_type_is_read(void **state)
{
    static const struct {
        const char *name;
        f0t_dtype type;
        size_t size;
    } types[] = {{"F64", F0T_F64, 8},   {"F32", F0T_F32, 4}, {"F16", F0T_F16, 2},
                 {"BF16", F0T_BF16, 2}, {"I64", F0T_I64, 8}, {"I32", F0T_I32, 4},
                 {"U8", F0T_U8, 1},     {"I8", F0T_I8, 1},   {"BOOL", F0T_BOOL, 1}};
    (void)state;
    assert_int_equal(sizeof types / sizeof *types, F0T_DTYPES);
    for (size_t i = 0; i < F0T_DTYPES; i++) {
        char json[200];
        f0t_safetensors *got;
        snprintf(json, sizeof json,
                 "{\"t\":{\"dtype\":\"%s\",\"shape\":[3],\"data_offsets\":[0,%zu]}}", types[i].name,
                 3 * types[i].size);
        file f = make(json, 3 * types[i].size);
        assert_ok(open_file(&got, &f));
        assert_int_equal(f0t_safetensors_at(got, 0)->dtype, types[i].type);
        f0t_safetensors_close(got);
    }
}

static void an_unaligned_tensor_is_given_aligned(void **state)
{
    (void)state;
    for (size_t pad = 0; pad < 8; pad++) {
        char json[200];
        f0t_safetensors *got;
        snprintf(json, sizeof json,
                 "{\"t\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[1,17]},"
                 "\"u\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}%*s",
                 (int)pad, "");
        file f = make(json, 17);
        assert_ok(open_file(&got, &f));
        const f0t_tensor *t = f0t_safetensors_find(got, "t");
        assert_int_equal((uintptr_t)t->data % 8, 0);
        assert_memory_equal(t->data, f.bytes + f.size - 16, 16);
        assert_int_equal(f0t_safetensors_find(got, "u")->count, 1);
        f0t_safetensors_close(got);
    }
}

static void empty_files_and_empty_tensors_are_valid(void **state)
{
    (void)state;
    f0t_safetensors *got;
    file f = make("{}", 0);
    assert_ok(open_file(&got, &f));
    assert_int_equal(f0t_safetensors_count(got), 0);
    assert_int_equal(f0t_safetensors_metadata_count(got), 0);
    f0t_safetensors_close(got);
    f = make("{\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
             "\"a\":{\"dtype\":\"F32\",\"shape\":[0,5],\"data_offsets\":[0,0]},"
             "\"c\":{\"dtype\":\"F32\",\"shape\":[5,0],\"data_offsets\":[2,2]}}",
             2);
    assert_ok(open_file(&got, &f));
    assert_int_equal(f0t_safetensors_count(got), 3);
    assert_int_equal(f0t_safetensors_find(got, "c")->count, 0);
    f0t_safetensors_close(got);
}

#define TENSOR(dtype, shape, offsets) \
    "{\"t\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

static void a_wrong_header_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *json, *says;
    } cases[] = {
        {" {}", "byte 8 is not '{'"},
        {"[]", "byte 8 is not '{'"},
        {"{", "JSON"},
        {"{}}", "JSON"},
        {"{} x", "JSON"},
        {"{\"t\":1}", "must be an object"},
        {"{\"t\":null}", "must be an object"},
        {"{\"\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
         "a tensor has an empty name"},
        {"{\"\\ud800\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", "JSON"},
        {"{\"a\\u0000\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", "JSON"},
        {"{\"\xFF\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", "decode byte 0xff"},
        {"{\"t\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
         "\"t\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
         "duplicate"},
        {"{\"t\":{\"dtype\":\"U8\",\"shape\":[4],\"shape\":[4],\"data_offsets\":[0,4]}}",
         "duplicate"},
        {"{\"t\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4],\"x\":1}}", "not known"},
        {"{\"t\":{\"shape\":[4],\"data_offsets\":[0,4]}}", "\"dtype\""},
        {"{\"t\":{\"dtype\":\"U8\",\"data_offsets\":[0,4]}}", "\"shape\""},
        {"{\"t\":{\"dtype\":\"U8\",\"shape\":[4]}}", "\"data_offsets\""},
        {TENSOR("7", "[4]", "[0,4]"), "\"dtype\""},
        {TENSOR("\"U8\"", "4", "[0,4]"), "\"shape\""},
        {TENSOR("\"U8\"", "[4.0]", "[0,4]"), "\"shape\""},
        {TENSOR("\"U8\"", "[-4]", "[0,4]"), "\"shape\""},
        {TENSOR("\"U8\"", "[\"4\"]", "[0,4]"), "\"shape\""},
        {TENSOR("\"U8\"", "[4]", "[0]"), "\"data_offsets\""},
        {TENSOR("\"U8\"", "[4]", "[0,4,4]"), "\"data_offsets\""},
        {TENSOR("\"U8\"", "[4]", "{}"), "\"data_offsets\""},
        {TENSOR("\"U8\"", "[4]", "[4,0]"), "\"data_offsets\""},
        {TENSOR("\"U8\"", "[4]", "[-1,3]"), "\"data_offsets\""},
        {TENSOR("\"U8\"", "[4]", "[0,4.0]"), "\"data_offsets\""},
        {TENSOR("\"U8\"", "[4]", "[0,9223372036854775807]"), "the file is cut"},
        {TENSOR("\"U8\"", "[4]", "[0,5]"), "the file is cut"},
        {TENSOR("\"U8\"", "[3]", "[0,4]"), "make 3 bytes, the offsets 4"},
        {TENSOR("\"F32\"", "[4]", "[0,4]"), "make 16 bytes, the offsets 4"},
        {TENSOR("\"U8\"", "[3]", "[0,3]"), "take 3 bytes, and 4"},
        {TENSOR("\"U8\"", "[3]", "[1,4]"), "leaving a hole"},
        {TENSOR("\"U8\"", "[0]", "[0,0]"), "take 0 bytes, and 4"},
        {"{}", "take 0 bytes, and 4"},
        {TENSOR("\"U8\"", "[9223372036854775807,9223372036854775807]", "[0,4]"), "too much"},
        {TENSOR("\"U8\"", "[9223372036854775808,9223372036854775808]", "[0,4]"), "JSON"},
        {TENSOR("\"F32\"", "[4294967296,4294967297]", "[0,4]"), "too much"},
        {TENSOR("\"F32\"", "[4611686018427387905]", "[0,4]"), "too much"},
        {TENSOR("\"F32\"", "[0,9223372036854775807,9223372036854775807]", "[0,0]"), "too much"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
         "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}",
         "tensor \"b\" begins at byte 2 of the data, inside the one before it, which ends at 3"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
         "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
         "inside"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
         "\"b\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[2,2]}}",
         "inside"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
         "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}",
         "leaving a hole"},
        {"{\"__metadata__\":[]}", "\"__metadata__\""},
        {"{\"__metadata__\":null}", "\"__metadata__\""},
        {"{\"__metadata__\":{\"a\":1}}", "\"a\" of \"__metadata__\" must be a text"},
        {"{\"__metadata__\":{\"a\":{}}}", "must be a text"},
        {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"1\"}}", "duplicate"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse(cases[i].json, 4, F0T_ERROR_FORMAT, cases[i].says);
    refuse(TENSOR("\"F8_E4M3\"", "[4]", "[0,4]"), 4, F0T_ERROR_UNSUPPORTED,
           "F8_E4M3\" is none of F64, F32, F16, BF16, I64, I32, U8 and BOOL");
    refuse(TENSOR("\"f32\"", "[1]", "[0,4]"), 4, F0T_ERROR_UNSUPPORTED, "f32");
    refuse(TENSOR("\"U8\"", "[1,1,1,1,1,1,1,1,4]", "[0,4]"), 4, F0T_ERROR_UNSUPPORTED,
           "9 dimensions are over");
}

static void a_wrong_length_of_the_header_is_refused(void **state)
{
    (void)state;
    f0t_safetensors *got;
    static const uint64_t lengths[] = {3, 100000001, 1ull << 32, 1ull << 63, UINT64_MAX - 7};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        file f = make_sized(lengths[i], "{}", 0);
        assert_fails(F0T_ERROR_FORMAT, "bytes long, and 2 are there", open_file(&got, &f));
    }
    file f = make_sized(0, "{}", 0);
    assert_fails(F0T_ERROR_FORMAT, "no safetensors file: byte 8 is not '{'", open_file(&got, &f));
    f = make_sized(1, "{}", 0);
    assert_fails(F0T_ERROR_FORMAT, "JSON", open_file(&got, &f));
    f.size = 7;
    assert_fails(F0T_ERROR_FORMAT, "too few", open_file(&got, &f));
    assert_fails(F0T_ERROR_NOT_FOUND, "none", f0t_safetensors_open(&got, test_path("none")));
}

static void deep_json_is_refused(void **state)
{
    (void)state;
    static char json[100000];
    memset(json, '[', sizeof json);
    memcpy(json, "{\"a\":", 5);
    unsigned char *bytes;
    f0t_safetensors *got;
    assert_ok(f0t_alloc_zero(&bytes, sizeof json + 8, 1));
    bytes[0] = sizeof json & 0xFF;
    bytes[1] = sizeof json >> 8 & 0xFF;
    bytes[2] = sizeof json >> 16;
    memcpy(bytes + 8, json, sizeof json);
    assert_fails(F0T_ERROR_FORMAT, "depth",
                 f0t_safetensors_open_memory(&got, bytes, sizeof json + 8, "deep"));
    f0t_free(bytes);
}

static f0t_status load(const void *data, size_t size)
{
    f0t_safetensors *got;
    F0T_TRY(f0t_safetensors_open_memory(&got, data, size, "a.safetensors"));
    size_t sum = 0;
    for (size_t i = 0; i < f0t_safetensors_count(got); i++) {
        const f0t_tensor *t = f0t_safetensors_at(got, i);
        for (size_t k = 0; k < t->count * f0t_dtype_size(t->dtype); k++)
            sum += ((const unsigned char *)t->data)[k];
    }
    assert_true(sum < 1 << 20);
    f0t_safetensors_close(got);
    return F0T_OK;
}

static void a_cut_or_altered_file_never_hurts(void **state)
{
    (void)state;
    file f = make(small, 11);
    test_cut_everywhere(f.bytes, f.size, load, NULL);
    test_alter_everywhere(f.bytes, f.size, load);
}

static f0t_status load_again(void *file_)
{
    const file *f = file_;
    return load(f->bytes, f->size);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    file f = make("{\"t\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[1,17]},"
                  "\"u\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}",
                  17);
    test_each_fault(F0T_FAULT_ALLOC, load_again, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_and_metadata_are_found),
        cmocka_unit_test(every_type_is_read),
        cmocka_unit_test(an_unaligned_tensor_is_given_aligned),
        cmocka_unit_test(empty_files_and_empty_tensors_are_valid),
        cmocka_unit_test(a_wrong_header_is_refused),
        cmocka_unit_test(a_wrong_length_of_the_header_is_refused),
        cmocka_unit_test(deep_json_is_refused),
        cmocka_unit_test(a_cut_or_altered_file_never_hurts),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
