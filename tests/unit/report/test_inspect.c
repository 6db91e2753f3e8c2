#include "onnx_text.h"
#include "support.h"

#include "report/inspect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- Small files of every kind ------------------------------------------------------------- */

typedef struct bytes {
    const char *name; /* its kind */
    unsigned char data[2000];
    size_t size;
} bytes;

static void append(bytes *b, const void *data, size_t size)
{
    assert_true(b->size + size <= sizeof b->data);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static bytes npy_file(void)
{
    static const float numbers[] = {1, NAN, -3, INFINITY, 5, 6};
    char dict[119];
    bytes b = {.name = "npy"};
    memset(dict, ' ', sizeof dict);
    memcpy(dict, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 58);
    dict[117] = '\n';
    append(&b, "\x93NUMPY\1\0\x76\0", 10);
    append(&b, dict, 118);
    append(&b, numbers, sizeof numbers);
    return b;
}

static bytes safetensors_file(const char *kind, const char *format)
{
    char json[200];
    bytes b = {.name = kind};
    int n = snprintf(json, sizeof json,
                     "{\"__metadata__\":{\"format\":\"%s\"},\"w\":{\"dtype\":\"I32\",\"shape\":[2],"
                     "\"data_offsets\":[0,8]}}",
                     format);
    append(&b, (unsigned char[8]){(unsigned char)n}, 8);
    append(&b, json, (size_t)n);
    append(&b, (int32_t[]){7, -2}, 8);
    return b;
}

/* Field `number` with these bytes, inside `b`. */
static void field(bytes *b, unsigned number, const void *data, size_t size)
{
    append(b, (unsigned char[]){(unsigned char)(number << 3 | 2), (unsigned char)size}, 2);
    append(b, data, size);
}

static bytes onnx_file(void)
{
    bytes model = {.name = "onnx"}, graph = {0}, info = {0}, type = {0}, tensor = {0}, shape = {0},
          dim = {0}, named = {0};
    append(&dim, "\x08\x05", 2);
    field(&named, 2, "N", 1);
    field(&shape, 1, named.data, named.size);
    field(&shape, 1, dim.data, dim.size);
    append(&tensor, "\x08\x01", 2);
    field(&tensor, 2, shape.data, shape.size);
    field(&type, 1, tensor.data, tensor.size);
    field(&info, 1, "image", 5);
    field(&info, 2, type.data, type.size);
    field(&graph, 1, "\x22\x04Relu", 6);
    field(&graph, 2, "net", 3);
    field(&graph, 11, info.data, info.size);
    field(&graph, 12, "\x0A\x01y", 3);
    append(&model, "\x08\x07", 2);
    field(&model, 2, "hand", 4);
    field(&model, 7, graph.data, graph.size);
    field(&model, 8, "\x10\x0D", 2);
    return model;
}

static bytes text_file(const char *kind, const char *text)
{
    bytes b = {.name = kind};
    append(&b, text, strlen(text));
    return b;
}

static bytes packed(const bytes *from)
{
    bytes b = {.name = from->name};
    z_stream z = {.next_in = (Bytef *)(uintptr_t)from->data, .avail_in = (uInt)from->size};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_out = b.data;
    z.avail_out = sizeof b.data;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    b.size = sizeof b.data - z.avail_out;
    return b;
}

static f0t_inspection *look(const bytes *b, const f0t_inspect_options *options)
{
    f0t_inspection *found;
    assert_ok(f0t_inspect_memory(&found, b->data, b->size, "a file", options));
    assert_string_equal(found->kind, b->name);
    assert_string_equal(found->path, "a file");
    assert_int_equal(found->size, b->size);
    return found;
}

static const char *fact(const f0t_inspection *found, const char *name)
{
    for (size_t i = 0; i < found->fact_count; i++)
        if (!strcmp(found->facts[i].name, name))
            return found->facts[i].value;
    return "(none)";
}

/* ---- What is said of each ------------------------------------------------------------------ */

static void an_npy_file_is_described(void **state)
{
    (void)state;
    bytes b = npy_file();
    f0t_inspection *found = look(&b, NULL);
    assert_string_equal(found->title, "NumPy array, 2 x 3 float32");
    assert_string_equal(fact(found, "version"), "1");
    assert_string_equal(fact(found, "order"), "column-major (Fortran)");
    assert_int_equal(found->array_count, 1);
    const f0t_inspect_array *a = found->arrays;
    assert_true(a->measured && a->nan == 1 && a->infinite == 1);
    assert_true(a->min == -3 && a->max == 6 && a->mean == 9.0 / 4);
    assert_true(a->dims == 2 && a->shape[0] == 2 && a->shape[1] == 3);
    assert_string_equal(a->type, "float32");
    assert_int_equal(found->row_count, 2);
    assert_true(found->rows[0].count == 3 && found->rows[0].values[1] == -3);
    assert_true(found->rows[1].shown == 3 && isnan(found->rows[1].values[0]));
    assert_true(found->has_checksum);
    assert_int_equal(found->checksum, crc32(0, b.data, (uInt)b.size));
    f0t_inspection_free(found);
}

static void shapes_without_rows_and_single_numbers_are_described(void **state)
{
    static const struct {
        const char *shape, *title;
        size_t size, rows, count;
    } cases[] = {{"()", "NumPy array, single int32", 4, 1, 1},
                 {"(0,)", "NumPy array, 0 int32", 0, 0, 0},
                 {"(3, 0)", "NumPy array, 3 x 0 int32", 0, 0, 0},
                 {"(9,)", "NumPy array, 9 int32", 36, 1, 9},
                 {"(1, 2, 1)", "NumPy array, 1 x 2 x 1 int32", 8, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char dict[100];
        static const char zeros[40];
        bytes b = {.name = "npy"};
        int n = snprintf(dict, sizeof dict, "{'descr':'>i4','fortran_order':False,'shape':%s}",
                         cases[i].shape);
        append(&b, "\x93NUMPY\1\0", 8);
        append(&b, (unsigned char[]){(unsigned char)n, 0}, 2);
        append(&b, dict, (size_t)n);
        append(&b, zeros, cases[i].size);
        f0t_inspection *found = look(&b, NULL);
        assert_string_equal(found->title, cases[i].title);
        assert_string_equal(fact(found, "byte order"), "not that of this machine");
        assert_int_equal(found->row_count, cases[i].rows);
        if (cases[i].rows)
            assert_int_equal(found->rows[0].count, cases[i].count);
        assert_true(isnan(found->arrays[0].min) == (cases[i].size == 0));
        f0t_inspection_free(found);
    }
}

static void a_safetensors_file_is_described(void **state)
{
    (void)state;
    bytes b = safetensors_file("safetensors", "pt");
    f0t_inspection *found = look(&b, NULL);
    assert_string_equal(found->title, "safetensors, 1 tensors");
    assert_int_equal(found->metadata_count, 1);
    assert_string_equal(found->metadata[0].name, "format");
    assert_string_equal(found->metadata[0].value, "pt");
    assert_string_equal(found->arrays[0].name, "w");
    assert_true(found->arrays[0].min == -2 && found->arrays[0].max == 7);
    f0t_inspection_free(found);
    b = safetensors_file("model", "fast0tag-model");
    f0t_inspection_free(look(&b, NULL));
}

static void an_onnx_model_is_described(void **state)
{
    (void)state;
    bytes b = onnx_file();
    f0t_inspection *found = look(&b, NULL);
    assert_string_equal(found->title, "ONNX model, 1 nodes");
    assert_string_equal(fact(found, "IR version"), "7");
    assert_string_equal(fact(found, "opset"), "13");
    assert_string_equal(fact(found, "producer"), "hand ");
    assert_string_equal(fact(found, "graph"), "net");
    assert_string_equal(fact(found, "input"), "image: N x 5");
    assert_string_equal(fact(found, "output"), "y");
    f0t_inspection_free(found);
}

/* Names that lie beside a network belong to its classes. */
static void the_classes_of_a_network_are_shown(void **state)
{
    static const struct {
        const char *labels, *want;
    } rows[] = {
        {"dog, hound\ncat\n\ntree\n", "4, by one layer from the features: dog, hound; cat; ; …"},
        {"dog\ncat\n", "none of its outputs has 2 numbers"},
    };
    onnx_bytes net = onnx_from_text("x:float[N,3,8,8]; p=GlobalAveragePool(x); f=Flatten(p); "
                                    "w=float[3,4]{1..}; b=float[4]{1..}; y=Gemm(f,w,b); return y");
    (void)state;
    assert_ok(f0t_folder_create(test_path("net")));
    const char *path = test_file("net/net.onnx", net.data, net.size);
    onnx_bytes_free(&net);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        f0t_inspection *found;
        test_text("net/labels.txt", rows[k].labels);
        assert_ok(f0t_inspect(&found, path, NULL, NULL));
        assert_non_null(strstr(fact(found, "classes"), rows[k].want));
        f0t_inspection_free(found);
    }
}

static const char *make_dataset(void)
{
    assert_ok(f0t_folder_create(test_path("set")));
    test_text("set/tags.txt", "dog\tgrass\n\ncat\n");
    test_text("set/split.txt", "train\ntrain\ntest\n");
    test_text("set/images.txt", "a.jpg\nb.jpg\nc.jpg\n");
    test_text("set/unseen.txt", "cat\n");
    static const float features[] = {1, 2, 3, 4, 5, 9};
    char dict[119];
    bytes b = {0};
    memset(dict, ' ', sizeof dict);
    memcpy(dict, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)}", 57);
    append(&b, "\x93NUMPY\1\0\x76\0", 10);
    append(&b, dict, 118);
    append(&b, features, sizeof features);
    test_file("set/features.npy", b.data, b.size);
    return test_path("set");
}

static f0t_status load_path(void *path)
{
    f0t_inspection *found;
    F0T_TRY(f0t_inspect(&found, path, NULL, NULL));
    f0t_inspection_free(found);
    return F0T_OK;
}

static void a_dataset_is_described(void **state)
{
    (void)state;
    char path[200];
    f0t_inspection *found;
    snprintf(path, sizeof path, "%s", make_dataset());
    assert_ok(f0t_inspect(&found, path, NULL, NULL));
    assert_string_equal(found->kind, "dataset");
    assert_string_equal(found->title, "dataset set, 3 images, 3 tags, with features");
    assert_string_equal(fact(found, "tags.txt"), "15 bytes, crc32 34ce76c2");
    assert_string_equal(fact(found, "unseen"), "1");
    assert_string_equal(fact(found, "untagged"), "1");
    assert_string_equal(fact(found, "most"), "2");
    assert_string_equal(fact(found, "train"), "2");
    assert_string_equal(fact(found, "split"), "split.txt");
    assert_true(found->array_count == 1 && found->arrays[0].max == 9);
    assert_int_equal(found->row_count, 3);
    assert_string_equal(found->rows[0].text, "a.jpg: dog, grass");
    assert_string_equal(found->rows[1].text, "b.jpg: ");
    assert_true(found->size > 150 && !found->has_checksum);
    f0t_inspection_free(found);
    f0t_inspect_options quick = {.size = sizeof(f0t_inspect_options), .quick = true};
    assert_ok(f0t_inspect(&found, path, &quick, NULL));
    assert_string_equal(fact(found, "tags.txt"), "15 bytes");
    assert_false(found->arrays[0].measured);
    f0t_inspection_free(found);
    test_each_fault(F0T_FAULT_ALLOC, load_path, path);
    test_text("set/tags.txt", "dog\n");
    assert_int_not_equal(f0t_inspect(&found, path, NULL, NULL), F0T_OK);
    assert_null(found);
    assert_fails(F0T_ERROR_UNSUPPORTED, "is a folder, and no dataset: there is no tags.txt in it",
                 f0t_inspect(&found, test_path("."), NULL, NULL));
}

static void json_and_text_are_described(void **state)
{
    (void)state;
    bytes b =
        text_file("json", " \n{\"name\": \"x\", \"n\": 3, \"l\": [], \"o\": {}, \"b\": true}");
    f0t_inspection *found = look(&b, NULL);
    assert_string_equal(found->title, "JSON object, 5 members");
    assert_string_equal(found->metadata[0].value, "x");
    assert_string_equal(found->metadata[1].value, "number");
    f0t_inspection_free(found);
    b = text_file("text", "dog\tgrass\n\ncafé\r\n1\n2\n3\n4");
    found = look(&b, NULL);
    assert_string_equal(found->title, "text, 7 lines");
    assert_string_equal(fact(found, "empty lines"), "1");
    assert_string_equal(fact(found, "longest line"), "9");
    assert_int_equal(found->row_count, 5);
    assert_string_equal(found->rows[0].text, "dog\tgrass");
    assert_string_equal(found->rows[2].text, "café");
    f0t_inspection_free(found);
}

static void packed_text_is_unpacked_and_said_to_be_packed(void **state)
{
    (void)state;
    bytes b = text_file("text", "one\ntwo\n"), j = text_file("json", "{\"a\": 1}"), n = npy_file();
    bytes g = packed(&b);
    f0t_inspection *found = look(&g, NULL);
    assert_string_equal(found->title, "text, 2 lines");
    assert_string_equal(fact(found, "packed by"), "gzip");
    f0t_inspection_free(found);
    g = packed(&j);
    f0t_inspection_free(look(&g, NULL));
    g = packed(&n);
    assert_fails(F0T_ERROR_UNSUPPORTED, "packed by gzip: unpack it first",
                 f0t_inspect_memory(&found, g.data, g.size, "a.npy.gz", NULL));
    assert_null(found);
}

static void quick_looks_at_nothing_twice(void **state)
{
    (void)state;
    bytes files[] = {npy_file(), safetensors_file("safetensors", "pt"), onnx_file(),
                     text_file("text", "a\nb\nc\n")};
    f0t_inspect_options quick = {.size = sizeof(f0t_inspect_options), .quick = true, .rows = 2};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        f0t_inspection *found = look(&files[i], &quick);
        assert_false(found->has_checksum);
        for (size_t k = 0; k < found->array_count; k++)
            assert_false(found->arrays[k].measured);
        assert_true(found->row_count <= 2);
        f0t_inspection_free(found);
    }
}

static void texts_of_the_result_are_utf8_and_one_line(void **state)
{
    (void)state;
    f0t_inspection *found;
    static const char text[] = "plain\nwide \xE2\x80\xA8 \xC2\xA0\n";
    assert_ok(f0t_inspect_memory(&found, text, sizeof text - 1, "a\xFF\x1B\nb", NULL));
    assert_string_equal(found->path, "a???b");
    assert_string_equal(found->rows[1].text, "wide ??? \xC2\xA0");
    f0t_inspection_free(found);
}

/* ---- What is refused ----------------------------------------------------------------------- */

static void what_is_not_known_is_said(void **state)
{
    (void)state;
    f0t_inspection *found;
    assert_fails(F0T_ERROR_UNSUPPORTED,
                 "x: is no kind of file that fast0tag knows (4 bytes that "
                 "begin with 7f 45 4c 46)",
                 f0t_inspect_memory(&found,
                                    "\x7F"
                                    "ELF",
                                    4, "x", NULL));
    assert_null(found);
    assert_fails(F0T_ERROR_UNSUPPORTED, "x: is empty",
                 f0t_inspect_memory(&found, "", 0, "x", NULL));
    assert_fails(F0T_ERROR_UNSUPPORTED, "is no kind of file that fast0tag knows (",
                 f0t_inspect_memory(&found, "a\0b", 3, "x", NULL));
    assert_fails(F0T_ERROR_UNSUPPORTED, "no kind",
                 f0t_inspect_memory(&found, "a\xFF", 2, "x", NULL));
    assert_fails(F0T_ERROR_NOT_FOUND, "none", f0t_inspect(&found, test_path("none"), NULL, NULL));
    assert_fails(F0T_ERROR_FORMAT, "JSON", f0t_inspect_memory(&found, "{\"a\"", 4, "x", NULL));
    f0t_inspection_free(NULL);
}

static f0t_status load(const void *data, size_t size)
{
    f0t_inspection *found;
    F0T_TRY(f0t_inspect_memory(&found, data, size, "x", NULL));
    f0t_inspection_free(found);
    return F0T_OK;
}

/* The first byte of a length may be a letter, and a letter alone is text. */
static bool cut_ok(size_t size)
{
    return size == 1;
}

static void cut_and_altered_files_never_hurt(void **state)
{
    (void)state;
    bytes files[] = {npy_file(), safetensors_file("safetensors", "pt"), onnx_file(),
                     text_file("json", "{\"a\": 1}"), text_file("text", "a\nb\n")};
    for (size_t i = 0; i < 3; i++)
        test_cut_everywhere(files[i].data, files[i].size, load, cut_ok);
    for (size_t i = 0; i < 5; i++)
        test_alter_everywhere(files[i].data, files[i].size, load);
}

static f0t_status load_again(void *file)
{
    const bytes *b = file;
    return load(b->data, b->size);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char path[200];
    bytes files[] = {npy_file(), safetensors_file("safetensors", "pt"), onnx_file(),
                     text_file("json", "{\"a\": 1}"), text_file("text", "a\nb\n")};
    for (size_t i = 0; i < 5; i++)
        test_each_fault(F0T_FAULT_ALLOC, load_again, &files[i]);
    snprintf(path, sizeof path, "%s", test_file("a", files[0].data, files[0].size));
    test_each_fault(F0T_FAULT_ALLOC, load_path, path);
}

static void the_stop_flag_ends_it(void **state)
{
    (void)state;
    volatile sig_atomic_t stop = 1;
    f0t_monitor monitor = {.stop = &stop};
    f0t_inspect_options options = {.size = sizeof(f0t_inspect_options)};
    F0T_ENTER(F0T_WATCHED(&monitor));
    bytes files[] = {npy_file(), safetensors_file("safetensors", "pt"), onnx_file(),
                     text_file("text", "a\nb\n")};
    for (size_t i = 0; i < 4; i++) {
        f0t_inspection *found;
        assert_fails(F0T_ERROR_INTERRUPTED, "interrupted",
                     f0t_inspect_memory(&found, files[i].data, files[i].size, "x", &options));
        assert_null(found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_npy_file_is_described),
        cmocka_unit_test(shapes_without_rows_and_single_numbers_are_described),
        cmocka_unit_test(a_safetensors_file_is_described),
        cmocka_unit_test(an_onnx_model_is_described),
        cmocka_unit_test(the_classes_of_a_network_are_shown),
        cmocka_unit_test(a_dataset_is_described),
        cmocka_unit_test(json_and_text_are_described),
        cmocka_unit_test(packed_text_is_unpacked_and_said_to_be_packed),
        cmocka_unit_test(quick_looks_at_nothing_twice),
        cmocka_unit_test(texts_of_the_result_are_utf8_and_one_line),
        cmocka_unit_test(what_is_not_known_is_said),
        cmocka_unit_test(cut_and_altered_files_never_hurt),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(the_stop_flag_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
