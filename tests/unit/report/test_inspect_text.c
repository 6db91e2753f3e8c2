/* The files that datasets are imported from. */
#include "support.h"

#include "report/inspect.h"

#include <stdio.h>
#include <string.h>

static f0t_inspection *look(const void *data, size_t size, const char *kind)
{
    f0t_inspection *found;
    assert_ok(f0t_inspect_memory(&found, data, size, "a file", NULL));
    assert_string_equal(found->kind, kind);
    return found;
}

static f0t_inspection *look_text(const char *text, const char *kind)
{
    return look(text, strlen(text), kind);
}

static const char *fact(const f0t_inspection *found, const char *name)
{
    for (size_t i = 0; i < found->fact_count; i++)
        if (!strcmp(found->facts[i].name, name))
            return found->facts[i].value;
    return "(none)";
}

static const char arff[] = "% a comment\n\n@RELATION r\n@attribute a numeric\n@attribute b {0,1}\n"
                           "@attribute c string\n@data\n1,0,x\n{0 3}\n2,1,y\n";
static const char labels[] =
    "<?xml version=\"1.0\"?>\n<labels xmlns=\"http://mulan.sourceforge.net/"
    "labels\"><label name=\"sky\"/><label name=\"sea\"/></labels>";
static const char csv[] = "image,tags\na.jpg,\"dog, cat\"\n\"b\n.jpg\",grass\n";
static const unsigned char vecs[] = {2, 0, 5, 0, 7, 0, 2, 0, 1, 1, 0, 0};

static void arff_is_described(void **state)
{
    (void)state;
    f0t_inspection *found = look_text(arff, "arff");
    assert_string_equal(found->title, "ARFF, 3 rows of 3 attributes");
    assert_string_equal(fact(found, "numeric"), "1");
    assert_string_equal(fact(found, "nominal"), "1");
    assert_string_equal(fact(found, "other"), "1");
    assert_string_equal(fact(found, "first"), "a");
    assert_string_equal(fact(found, "last"), "c");
    assert_int_equal(found->row_count, 3);
    assert_true(found->rows[1].values[0] == 3);
    f0t_inspection_free(found);
}

static void labels_are_described(void **state)
{
    (void)state;
    f0t_inspection *found = look_text(labels, "mulan-labels");
    assert_string_equal(found->title, "label list of MULAN, 2 labels");
    assert_string_equal(found->rows[1].text, "sea");
    f0t_inspection_free(found);
}

static void separated_text_is_described(void **state)
{
    (void)state;
    f0t_inspection *found = look_text(csv, "csv");
    assert_string_equal(found->title, "comma-separated text, 3 records of 2 columns");
    assert_string_equal(found->rows[1].text, "a.jpg\tdog, cat");
    assert_string_equal(found->rows[2].text, "b?.jpg\tgrass");
    f0t_inspection_free(found);
    found = look_text("image\ttags\na.jpg\tdog,cat\n", "tsv");
    assert_string_equal(found->title, "tab-separated text, 2 records of 2 columns");
    f0t_inspection_free(found);
    f0t_inspection_free(look_text("dog\tcat\ngrass\n", "text"));
    f0t_inspection_free(look_text("only, one record\n", "text"));
    f0t_inspection_free(look_text("a,\"b\nc,d", "text"));
}

/* More than what is looked at first, and its end inside a cell. */
static void long_separated_text_is_described(void **state)
{
    enum { RECORDS = 3000 };
    (void)state;
    static char text[RECORDS * 64];
    size_t size = 0;
    for (int i = 0; i < RECORDS; i++)
        size +=
            (size_t)snprintf(text + size, sizeof text - size, "%d.jpg,\"dog\n\ncat\ngrass\"\n", i);
    f0t_inspection *found = look(text, size, "csv");
    assert_string_equal(fact(found, "records"), "3000");
    f0t_inspection_free(found);
}

static void vectors_of_tagprop_are_described(void **state)
{
    (void)state;
    f0t_inspection *found = look(vecs, sizeof vecs, "vecs");
    assert_string_equal(found->title, "vectors of TagProp's release, 2 x 2 uint16");
    assert_true(found->arrays[0].max == 257 && found->arrays[0].min == 0);
    assert_true(found->rows[0].values[1] == 7);
    f0t_inspection_free(found);
    assert_fails(F0T_ERROR_UNSUPPORTED, "no kind",
                 f0t_inspect_memory(&found, vecs, sizeof vecs - 1, "x", NULL));
    assert_fails(F0T_ERROR_UNSUPPORTED, "no kind", f0t_inspect_memory(&found, vecs, 6, "x", NULL));
}

static void quick_reads_no_more_than_it_shows(void **state)
{
    (void)state;
    f0t_inspect_options quick = {.size = sizeof(f0t_inspect_options), .quick = true, .rows = 1};
    const struct {
        const void *data;
        size_t size;
    } files[] = {{arff, sizeof arff - 1}, {csv, sizeof csv - 1}, {vecs, sizeof vecs}};
    for (size_t i = 0; i < 3; i++) {
        f0t_inspection *found;
        assert_ok(f0t_inspect_memory(&found, files[i].data, files[i].size, "x", &quick));
        assert_int_equal(found->row_count, 1);
        assert_string_equal(fact(found, "records"), "(none)");
        assert_string_equal(fact(found, "rows"), "(none)");
        f0t_inspection_free(found);
    }
}

static void real_files_are_described(void **state)
{
    static const struct {
        const char *path, *kind, *title;
    } files[] = {
        {"flickr8k", "dataset", "dataset flickr8k, 8091 images, 226 tags, with features"},
        {"flickr8k/features.npy", "npy", "NumPy array, 8091 x 1280 float16"},
        {"glove-300d-flickr8k.txt", "vectors", "word vectors, text, 1662 words x 300"},
        {"corel5k/Corel5k-train-sparse.arff", "arff", "ARFF, 4500 rows of 873 attributes"},
        {"corel5k/Corel5k.xml", "mulan-labels", "label list of MULAN, 374 labels"},
        {"mobilenet_v2/mobilenet_v2.onnx", "onnx", "ONNX model, 101 nodes"},
        {"mobilenet_v2/mobilenet_v2.json", "json", "JSON object, 7 members"},
        {"nuswide81/TagList1k.txt", "text", "text, 1000 lines"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        f0t_inspection *found;
        assert_ok(f0t_inspect(&found, test_data(files[i].path), NULL, NULL));
        assert_string_equal(found->kind, files[i].kind);
        assert_string_equal(found->title, files[i].title);
        f0t_inspection_free(found);
    }
}

static f0t_status load(const void *data, size_t size)
{
    f0t_inspection *found;
    F0T_TRY(f0t_inspect_memory(&found, data, size, "x", NULL));
    f0t_inspection_free(found);
    return F0T_OK;
}

typedef struct bytes {
    const void *data;
    size_t size;
} bytes;

static f0t_status load_again(void *context)
{
    const bytes *b = context;
    return load(b->data, b->size);
}

static void broken_files_and_failing_memory_never_hurt(void **state)
{
    (void)state;
    bytes files[] = {{arff, sizeof arff - 1},
                     {labels, sizeof labels - 1},
                     {csv, sizeof csv - 1},
                     {vecs, sizeof vecs}};
    for (size_t i = 0; i < 4; i++) {
        test_alter_everywhere(files[i].data, files[i].size, load);
        test_each_fault(F0T_FAULT_ALLOC, load_again, &files[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arff_is_described),
        cmocka_unit_test(labels_are_described),
        cmocka_unit_test(separated_text_is_described),
        cmocka_unit_test(long_separated_text_is_described),
        cmocka_unit_test(vectors_of_tagprop_are_described),
        cmocka_unit_test(quick_reads_no_more_than_it_shows),
        cmocka_unit_test(real_files_are_described),
        cmocka_unit_test(broken_files_and_failing_memory_never_hurt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
