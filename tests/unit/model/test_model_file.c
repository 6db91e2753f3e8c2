#include "collection.h"

#include "base/dtype.h"
#include "base/fault.h"
#include "io/safetensors.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

/* A model of each kind, trained in no time. */
static f0t_model *train_tiny(f0t_method method)
{
    collection c = collection_create(&(collection_options){.name = "plain"});
    f0t_train_options o = collection_training(method);
    f0t_model *model;
    if (method != F0T_METHOD_LINEAR)
        o.epochs = 1;
    o.hidden[0] = 3;
    o.hidden[1] = 2;
    assert_ok(collection_train(&model, &c, &o, NULL));
    for (size_t i = 0; i < 2; i++) {
        bool added;
        assert_ok(f0t_model_add_alias(&added, model, i ? "sticker" : "label", "tag3"));
        assert_true(added);
    }
    return model;
}

/* From a file, and from memory at an odd address: both say the same. */
static f0t_status load_bytes(const void *data, size_t size)
{
    f0t_model *model;
    f0t_status status = f0t_model_load(&model, test_file("bytes.f0t", data, size), NULL);
    assert_true((status == F0T_OK) == (model != NULL));
    f0t_model_free(model);
    char *odd = malloc(size + 1);
    assert_non_null(odd);
    memcpy(odd + 1, data, size);
    assert_int_equal(f0t_model_load_memory(&model, odd + 1, size, "bytes.f0t", NULL), status);
    free(odd);
    assert_true((status == F0T_OK) == (model != NULL));
    f0t_model_free(model);
    return status;
}

static void a_model_comes_back_as_it_was_saved(void **state)
{
    (void)state;
    for (int method = F0T_METHOD_NET; method <= F0T_METHOD_LINEAR_RANK; method++) {
        f0t_model *model = train_tiny((f0t_method)method), *loaded;
        float x[2 * C_FEATURES], a[2 * C_DIM], b[2 * C_DIM];
        test_random_floats(x, 2 * C_FEATURES, 5);
        assert_ok(f0t_model_save(model, test_path("model.f0t")));
        assert_ok(f0t_model_load(&loaded, test_path("model.f0t"), NULL));
        assert_int_equal(f0t_model_method(loaded), method);
        assert_int_equal(f0t_model_input_dim(loaded), C_FEATURES);
        assert_int_equal(f0t_model_dim(loaded), C_DIM);
        assert_string_equal(f0t_model_training(loaded), f0t_model_training(model));
        assert_ok(f0t_model_check_vocab(model, f0t_model_vocab(loaded)));
        assert_string_equal(f0t_vocab_tag(f0t_model_vocab(loaded), 3), "tag3");
        assert_ok(f0t_model_directions(a, model, x, 2, NULL));
        assert_ok(f0t_model_directions(b, loaded, x, 2, NULL));
        assert_memory_equal(a, b, sizeof a);
        f0t_model_free(loaded);
        f0t_model_free(model);
        size_t size;
        char *bytes = test_read(test_path("model.f0t"), &size);
        assert_ok(load_bytes(bytes, size));
        f0t_free(bytes);
    }
}

static void a_cut_file_is_refused_wherever_it_is_cut(void **state)
{
    f0t_model *model = train_tiny(F0T_METHOD_NET);
    size_t size;
    (void)state;
    assert_ok(f0t_model_save(model, test_path("model.f0t")));
    char *bytes = test_read(test_path("model.f0t"), &size);
    for (size_t n = 0; n < size; n += n < 2000 || n > size - 2000 ? 1 : 499) {
        assert_int_not_equal(load_bytes(bytes, n), F0T_OK);
        assert_true(f0t_last_error()[0] != '\0');
    }
    f0t_free(bytes);
    f0t_model_free(model);
}

static void an_altered_file_is_refused(void **state)
{
    f0t_model *model = train_tiny(F0T_METHOD_NET);
    size_t size;
    uint64_t header;
    (void)state;
    assert_ok(f0t_model_save(model, test_path("model.f0t")));
    char *bytes = test_read(test_path("model.f0t"), &size);
    memcpy(&header, bytes, 8);
    for (size_t i = 8 + (size_t)header; i < size; i++) { /* every byte of the data */
        bytes[i] ^= 0x10;
        assert_int_equal(load_bytes(bytes, size), F0T_ERROR_FORMAT);
        bytes[i] ^= 0x10;
    }
    for (size_t i = 0; i < 8 + (size_t)header; i++) { /* of the header: no crash */
        if (i > 4000 && bytes[i] == ' ')
            continue;
        bytes[i] ^= 1;
        (void)load_bytes(bytes, size);
        bytes[i] ^= 1;
    }
    f0t_free(bytes);
    f0t_model_free(model);
}

/* Loads the file with `count` bytes at offset `at` of a tensor altered, and the checksum right again. */
static f0t_status load_altered(const char *tensor, size_t at, const void *bytes, size_t count)
{
    f0t_safetensors *file;
    size_t size;
    char *data = test_read(test_path("model.f0t"), &size), hex[17];
    uLong sum = crc32(0, NULL, 0);
    assert_ok(f0t_safetensors_open_memory(&file, data, size, "model"));
    const f0t_tensor *t = f0t_safetensors_find(file, tensor);
    memcpy((char *)(uintptr_t)t->data + at, bytes, count);
    for (size_t i = 0; i < f0t_safetensors_count(file); i++) {
        t = f0t_safetensors_at(file, i);
        sum = crc32_z(sum, t->data, t->count * f0t_dtype_size(t->dtype));
    }
    snprintf(hex, sizeof hex, "%016lx", sum);
    memcpy(memmem(data, size, f0t_safetensors_metadata(file, "checksum"), 16), hex, 16);
    f0t_safetensors_close(file);
    f0t_status status = load_bytes(data, size);
    f0t_free(data);
    return status;
}

/* Loads the file with a text of its header replaced by another of the same length. */
static void header_fails(f0t_status status, const char *text, const char *from, const char *to)
{
    size_t size;
    char *data = test_read(test_path("model.f0t"), &size),
         *at = memmem(data, size, from, strlen(from));
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    assert_fails(status, text, load_bytes(data, size));
    f0t_free(data);
}

static void every_field_of_the_header_is_checked(void **state)
{
    f0t_model *model = train_tiny(F0T_METHOD_NET);
    (void)state;
    assert_ok(f0t_paths_add(&model->paths, "Places|tag1", 11));
    assert_ok(f0t_model_save(model, test_path("model.f0t")));
    f0t_model_free(model);
    header_fails(F0T_ERROR_UNSUPPORTED, "is a model of version 9; this program reads version 1",
                 "\"version\":\"1\"", "\"version\":\"9\"");
    header_fails(F0T_ERROR_FORMAT, "the metadata has no 'method'", "\"method\":", "\"methox\":");
    header_fails(F0T_ERROR_FORMAT, "a number of the metadata is damaged", "\"checksum\":\"0",
                 "\"checksum\":\"x");
    header_fails(F0T_ERROR_FORMAT, "the tensor 'layer1.weight' is missing or not float32 [2-D]",
                 "\"layer1.weight\":{\"dtype\":\"F32\"", "\"layer1.weight\":{\"dtype\":\"I32\"");
    header_fails(F0T_ERROR_FORMAT, "'layer0.bias' is 3 x 1, 1 x 3 would fit",
                 "\"layer0.bias\":{\"dtype\":\"F32\",\"shape\":[1,3]",
                 "\"layer0.bias\":{\"dtype\":\"F32\",\"shape\":[3,1]");
    header_fails(F0T_ERROR_FORMAT, "the tensor 'vocab.tags' is missing or not uint8",
                 "\"vocab.tags\":{\"dtype\":\"U8\"", "\"vocab.tags\":{\"dtype\":\"I8\"");
    header_fails(F0T_ERROR_FORMAT, "the tensor 'vocab.paths' is not uint8",
                 "\"vocab.paths\":{\"dtype\":\"U8\"", "\"vocab.paths\":{\"dtype\":\"I8\"");
    assert_fails(F0T_ERROR_FORMAT, "'vocab.paths' does not end with a line",
                 load_altered("vocab.paths", 11, "x", 1));
    assert_fails(F0T_ERROR_FORMAT, "'vocab.tags' ends after 0 of ",
                 load_altered("vocab.tags", 1, "", 1));
}

/* A layer of 2^40 outputs without a weight: no byte of the file confirms that size, so no room is made for it. */
static void a_layer_is_as_large_as_the_file_says(void **state)
{
    static const char *const texts[][2] = {
        {"format", "fast0tag-model"}, {"version", "1"},   {"method", "net"},
        {"precision", "f32"},         {"training", "{}"}, {"centred", "no"}};
    const size_t one = 1, layer[] = {(size_t)1 << 40, 0};
    const float numbers[] = {1, 1};
    f0t_safetensors_writer *w;
    f0t_model *model;
    char hex[17];
    (void)state;
    assert_ok(f0t_safetensors_create(&w, test_path("wide.f0t"), 4096));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_ok(f0t_safetensors_set_metadata(w, texts[i][0], texts[i][1]));
    assert_ok(f0t_safetensors_write(w, numbers, sizeof *numbers));
    assert_ok(f0t_safetensors_end_tensor(w, "condition.shift", F0T_F32, 1, &one));
    assert_ok(f0t_safetensors_write(w, numbers, sizeof *numbers));
    assert_ok(f0t_safetensors_end_tensor(w, "condition.scale", F0T_F32, 1, &one));
    assert_ok(f0t_safetensors_end_tensor(w, "layer0.weight", F0T_F32, 2, layer));
    snprintf(hex, sizeof hex, "%016lx",
             crc32_z(crc32(0, NULL, 0), (const void *)numbers, sizeof numbers));
    assert_ok(f0t_safetensors_set_metadata(w, "checksum", hex));
    assert_ok(f0t_safetensors_commit(w));
    assert_fails(F0T_ERROR_FORMAT,
                 "'layer0.weight' is 1099511627776 x 0, 1099511627776 x 1 would fit",
                 f0t_model_load(&model, test_path("wide.f0t"), NULL));
}

static void numbers_that_are_none_and_tags_with_control_characters_are_refused(void **state)
{
    static const char *const tensors[] = {"condition.shift", "condition.scale", "layer0.weight",
                                          "layer0.bias", "vocab.vectors"};
    const float bad[] = {NAN, INFINITY};
    f0t_model *model = train_tiny(F0T_METHOD_NET);
    (void)state;
    assert_ok(f0t_model_save(model, test_path("model.f0t")));
    assert_ok(load_altered("vocab.tags", 0, "T", 1));
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        for (size_t k = 0; k < 2; k++)
            assert_fails(F0T_ERROR_NUMERIC, "holds NaN or infinity",
                         load_altered(tensors[i], 4, &bad[k], sizeof bad[k]));
    assert_fails(F0T_ERROR_FORMAT, "tag 1 of the model: a control character",
                 load_altered("vocab.tags", 1, "\x1B", 1));
    assert_fails(F0T_ERROR_FORMAT, "tag 1 of the model: a control character",
                 load_altered("vocab.tags", 1, "\t", 1));
    assert_fails(F0T_ERROR_FORMAT, "tag 1 of the model: not UTF-8",
                 load_altered("vocab.tags", 1, "\xFF", 1));
    assert_fails(F0T_ERROR_FORMAT, "tag 1 of the model: it is empty",
                 load_altered("vocab.tags", 0, "\n", 1));

    float *weights;
    const f0t_model_array array = f0t_net_array(model->net, 0);
    assert_ok(f0t_alloc_zero(&weights, array.rows * array.cols, sizeof *weights));
    weights[1] = NAN;
    assert_ok(f0t_net_array_set(model->net, 0, weights));
    f0t_free(weights);
    assert_fails(F0T_ERROR_NUMERIC, "'layer0.weight' of the model holds NaN",
                 f0t_model_save(model, test_path("bad.f0t")));
    f0t_model_free(model);
}

static void assert_means(const f0t_model *model, const char *text, const char *tag)
{
    size_t found;
    assert_ok(f0t_model_find_tag(&found, model, text));
    if (tag)
        assert_string_equal(f0t_vocab_tag(f0t_model_vocab(model), found), tag);
    else
        assert_int_equal(found, F0T_NONE);
}

static void a_tag_is_found_by_its_aliases(void **state)
{
    f0t_model *model = train_tiny(F0T_METHOD_NET), *loaded;
    bool added;
    (void)state;
    assert_ok(f0t_model_save(model, test_path("model.f0t")));
    assert_ok(f0t_model_load(&loaded, test_path("model.f0t"), NULL));
    for (size_t i = 0; i < 2; i++) {
        const f0t_model *m = i ? loaded : model;
        assert_means(m, "TAG3", "tag3");
        assert_means(m, "Labels", "tag3");
        assert_means(m, "sticker", "tag3");
        assert_means(m, "tag4", "tag4");
        assert_means(m, "paper", NULL);
    }
    assert_ok(f0t_model_add_alias(&added, loaded, "label", "tag4")); /* it is tag3 */
    assert_false(added);
    assert_ok(f0t_model_add_alias(&added, loaded, "paper", "tag99")); /* which is none */
    assert_false(added);
    f0t_model_free(loaded);
    f0t_model_free(model);
}

/* "label, tab, tag3, line feed, sticker, tab, tag3, line feed" is in the file. */
static void damaged_aliases_are_refused(void **state)
{
    f0t_model *model = train_tiny(F0T_METHOD_NET);
    (void)state;
    assert_ok(f0t_model_save(model, test_path("model.f0t")));
    f0t_model_free(model);
    assert_ok(load_altered("vocab.aliases", 0, "paper", 5));
    assert_fails(F0T_ERROR_FORMAT, "'Label' in 'vocab.aliases' is not in its simple form",
                 load_altered("vocab.aliases", 0, "L", 1));
    assert_fails(F0T_ERROR_FORMAT, "an alias in 'vocab.aliases': not UTF-8",
                 load_altered("vocab.aliases", 0, "\xFF", 1));
    assert_fails(F0T_ERROR_FORMAT, "is not in its simple form",
                 load_altered("vocab.aliases", 0, "\t", 1));
    assert_fails(F0T_ERROR_FORMAT, "a line of 'vocab.aliases' has no tab",
                 load_altered("vocab.aliases", 5, "x", 1));
    assert_fails(F0T_ERROR_FORMAT, "'tag3' in 'vocab.aliases' is a tag already",
                 load_altered("vocab.aliases", 0, "tag3\ttag2", 9));
    assert_fails(F0T_ERROR_FORMAT, "or 'tagx' is none", load_altered("vocab.aliases", 9, "x", 1));
    assert_fails(F0T_ERROR_FORMAT, "'vocab.aliases' is not made of lines",
                 load_altered("vocab.aliases", 3, "\0", 1));
    assert_fails(F0T_ERROR_FORMAT, "'vocab.aliases' is not made of lines",
                 load_altered("vocab.aliases", 23, "x", 1));
    header_fails(F0T_ERROR_FORMAT, "'vocab.aliases' is not uint8", "\"U8\",\"shape\":[24]",
                 "\"I8\",\"shape\":[24]");
}

static void what_is_no_model_is_said_to_be_none(void **state)
{
    f0t_model *model;
    static const char other[] = "\x02\0\0\0\0\0\0\0{}";
    (void)state;
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere",
                 f0t_model_load(&model, "/nowhere/model.f0t", NULL));
    assert_fails(F0T_ERROR_FORMAT, "is no fast0tag model",
                 f0t_model_load(&model, test_file("other", other, sizeof other - 1), NULL));
}

static void loading_may_be_interrupted(void **state)
{
    f0t_model *model = train_tiny(F0T_METHOD_NET), *loaded = model;
    volatile sig_atomic_t stopped = 1;
    const f0t_monitor monitor = {.stop = &stopped};
    const f0t_context context = {.threads = 1, .monitor = &monitor};
    (void)state;
    assert_ok(f0t_model_save(model, test_path("model.f0t")));
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted while reading",
                 f0t_model_load(&loaded, test_path("model.f0t"), &context));
    assert_null(loaded);
    stopped = 0;
    assert_ok(f0t_model_load(&loaded, test_path("model.f0t"), &context));
    f0t_model_free(loaded);
    f0t_model_free(model);
}

static f0t_status load_saved(void *context)
{
    f0t_model *model;
    (void)context;
    f0t_status status = f0t_model_load(&model, test_path("model.f0t"), NULL);
    f0t_model_free(model);
    return status;
}

static f0t_status save_again(void *context)
{
    return f0t_model_save(context, test_path("model.f0t"));
}

static void every_allocation_and_write_may_fail(void **state)
{
    f0t_model *model = train_tiny(F0T_METHOD_NET);
    size_t size, after;
    (void)state;
    assert_ok(f0t_model_save(model, test_path("model.f0t")));
    char *bytes = test_read(test_path("model.f0t"), &size);
    size_t files = test_files_left();
    test_each_fault(F0T_FAULT_ALLOC, load_saved, NULL);
    f0t_fault_set(F0T_FAULT_WRITE, 1);
    assert_int_equal(save_again(model), F0T_ERROR_IO);
    f0t_fault_set(F0T_FAULT_WRITE, 0);
    char *still = test_read(test_path("model.f0t"), &after);
    assert_int_equal(size, after);
    assert_memory_equal(bytes, still, size);
    test_each_fault(F0T_FAULT_WRITE, save_again, model);
    test_each_fault(F0T_FAULT_ALLOC, save_again, model);
    assert_int_equal(test_files_left(), files);
    f0t_free(bytes);
    f0t_free(still);
    f0t_model_free(model);
}

static void another_space_is_refused(void **state)
{
    f0t_model *model = train_tiny(F0T_METHOD_LINEAR);
    f0t_vectors *vectors;
    f0t_vocab *vocab;
    const char *words[] = {"tag1", "tag20"};
    f0t_vocab_options centred = {.size = sizeof(f0t_vocab_options), .centred = true};
    (void)state;
    assert_ok(f0t_vectors_open(
        &vectors, test_text("foreign.txt", "tag1 1 2 3 4 5 6 7 8\ntag20 8 7 6 5 4 3 2 1\n"), NULL,
        NULL));
    assert_ok(f0t_vocab_create(&vocab, words, 2, vectors, &centred, NULL));
    assert_fails(F0T_ERROR_MISMATCH, "are not those that the model was trained with",
                 f0t_model_check_vocab(model, vocab));
    f0t_vocab_free(vocab);
    f0t_vectors_close(vectors);
    assert_ok(
        f0t_vectors_open(&vectors, test_text("flat.txt", "tag1 1 2\ntag20 8 7\n"), NULL, NULL));
    assert_ok(f0t_vocab_create(&vocab, words, 2, vectors, &centred, NULL));
    assert_fails(F0T_ERROR_MISMATCH, "the vocabulary's vectors have 2 dimensions, the model's 8",
                 f0t_model_check_vocab(model, vocab));
    f0t_vocab_free(vocab);
    f0t_vectors_close(vectors);
    assert_ok(f0t_vectors_open(&vectors, collection_vectors(), NULL, NULL));
    assert_ok(f0t_vocab_create(&vocab, words, 2, vectors, NULL, NULL));
    assert_fails(F0T_ERROR_MISMATCH, "is not centred", f0t_model_check_vocab(model, vocab));
    f0t_vocab_free(vocab);
    assert_ok(f0t_vocab_create(&vocab, words, 2, vectors, &centred, NULL));
    assert_ok(f0t_model_check_vocab(model, vocab));
    f0t_vocab_free(vocab);
    f0t_vectors_close(vectors);
    f0t_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_comes_back_as_it_was_saved),
        cmocka_unit_test(a_cut_file_is_refused_wherever_it_is_cut),
        cmocka_unit_test(an_altered_file_is_refused),
        cmocka_unit_test(every_field_of_the_header_is_checked),
        cmocka_unit_test(a_layer_is_as_large_as_the_file_says),
        cmocka_unit_test(numbers_that_are_none_and_tags_with_control_characters_are_refused),
        cmocka_unit_test(a_tag_is_found_by_its_aliases),
        cmocka_unit_test(damaged_aliases_are_refused),
        cmocka_unit_test(what_is_no_model_is_said_to_be_none),
        cmocka_unit_test(loading_may_be_interrupted),
        cmocka_unit_test(every_allocation_and_write_may_fail),
        cmocka_unit_test(another_space_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
