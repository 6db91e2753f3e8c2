/* Model files of blends whose tensors are not what they should be: one line, no crash. That a blend comes back as it
 * was saved is tested in test_blend.c. */
#include "blends.h"

#include "base/dtype.h"
#include "io/safetensors.h"

#include <math.h>
#include <zlib.h>

/* What is done to a tensor of the file. */
typedef enum { KEEP, DROP, SHORTEN, FLATTEN, RETYPE, ALTER, WIDEN, CUT } change;

typedef struct edit {
    const char *tensor;
    change what;
    size_t at; /* ALTER: these bytes; CUT: so many of its numbers stay */
    const void *bytes;
    size_t count;
} edit;

/* Numbers of float16 as float32. */
static f0t_status put_wide(f0t_safetensors_writer *w, uLong *sum, const f0t_tensor *t)
{
    float *data = malloc(t->count * sizeof *data);
    assert_non_null(data);
    assert_int_equal(t->dtype, F0T_F16);
    f0t_dtype_to_f32(data, t->data, t->dtype, t->count);
    *sum = crc32_z(*sum, (const void *)data, t->count * sizeof *data);
    f0t_status status = f0t_safetensors_write(w, data, t->count * sizeof *data);
    free(data);
    return status == F0T_OK ? f0t_safetensors_end_tensor(w, t->name, F0T_F32, t->dims, t->shape)
                            : status;
}

static f0t_status put(f0t_safetensors_writer *w, uLong *sum, const f0t_tensor *t, const edit *e)
{
    const size_t size = f0t_dtype_size(t->dtype),
                 shape[] = {t->shape[0], t->dims > 1 ? t->shape[1] : 0};
    size_t bytes = t->count * size, less[] = {shape[0] - 1, shape[1]}, flat[] = {t->count, 1, 1};
    if (e->what == WIDEN)
        return put_wide(w, sum, t);
    char *data = malloc(bytes + 1);
    assert_non_null(data);
    memcpy(data, t->data, bytes);
    if (e->what == ALTER)
        memcpy(data + e->at, e->bytes, e->count);
    if (e->what == CUT)
        less[0] = e->at;
    if (e->what == SHORTEN || e->what == CUT)
        bytes = bytes / shape[0] * less[0];
    *sum = crc32_z(*sum, (const void *)data, bytes);
    f0t_status status = f0t_safetensors_write(w, data, bytes);
    free(data);
    if (status != F0T_OK)
        return status;
    if (e->what == FLATTEN)
        return f0t_safetensors_end_tensor(w, t->name, t->dtype, t->dims == 1 ? 2 : 1, flat);
    const f0t_dtype other = t->dtype == F0T_F32   ? F0T_I32
                            : t->dtype == F0T_I32 ? F0T_F32
                                                  : F0T_BF16;
    if (e->what == RETYPE && (size == 4 || size == 2))
        return f0t_safetensors_end_tensor(w, t->name, other, t->dims, shape);
    return f0t_safetensors_end_tensor(w, t->name, t->dtype, t->dims,
                                      e->what == SHORTEN || e->what == CUT ? less : shape);
}

/* Loads a copy of the file with one change, its checksum right; tags what loads. */
static f0t_status load(const edit *e)
{
    static const char *const keys[] = {"format",   "version", "method",      "precision",
                                       "training", "centred", "vector_space"};
    f0t_safetensors *file;
    f0t_safetensors_writer *w;
    f0t_model *model;
    char hex[17];
    uLong sum = crc32(0, NULL, 0);
    const edit keep = {.what = KEEP};
    assert_ok(f0t_safetensors_open(&file, test_path("blend.f0t")));
    assert_ok(f0t_safetensors_create(&w, test_path("hostile.f0t"), 16384));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_ok(
            f0t_safetensors_set_metadata(w, keys[i], f0t_safetensors_metadata(file, keys[i])));
    for (size_t i = 0; i < f0t_safetensors_count(file); i++) {
        const f0t_tensor *t = f0t_safetensors_at(file, i);
        const bool this = !strcmp(t->name, e->tensor);
        if (!this || e->what != DROP)
            assert_ok(put(w, &sum, t, this ? e : &keep));
    }
    snprintf(hex, sizeof hex, "%016lx", sum);
    assert_ok(f0t_safetensors_set_metadata(w, "checksum", hex));
    assert_ok(f0t_safetensors_commit(w));
    f0t_safetensors_close(file);
    f0t_status status = f0t_model_load(&model, test_path("hostile.f0t"), NULL);
    assert_true((status == F0T_OK) == (model != NULL));
    if (status == F0T_OK) {
        float x[B_FEATURES] = {1}, learned[B_TAGS_MOST], direction[B_DIM], offset;
        assert_ok(f0t_blend_score(learned, direction, &offset, model->blend, NULL, x, 1));
    } else {
        assert_true(f0t_last_error()[0] != '\0');
    }
    f0t_model_free(model);
    return status;
}

static f0t_status alter(const char *tensor, size_t at, const void *bytes, size_t count)
{
    return load(&(edit){tensor, ALTER, at, bytes, count});
}

static int start(void **state)
{
    const char *labels[] = {"tag0", "tag3", ""};
    float weights[3 * B_FEATURES];
    blend_data *d = blend_open((blend_made){.images = 60, .tags = 12, .without = 3});
    f0t_train_options o = blend_training(1);
    f0t_classes *classes;
    (void)state;
    test_random_floats(weights, 3 * B_FEATURES, 4);
    assert_ok(f0t_classes_create(&classes, labels, weights, NULL, 3, B_FEATURES));
    o.classes = classes;
    f0t_model *model = blend_train(d, &o);
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
        model->blend->weights[e] = 0.2F; /* each is wanted */
    assert_ok(f0t_model_save(model, test_path("blend.f0t")));
    f0t_model_free(model);
    f0t_classes_close(classes);
    blend_close(d);
    return 0;
}

static const char *const tensors[] = {
    "blend.frequency",    "blend.numbers",    "tags.layer0.weight", "tags.layer0.bias",
    "tags.layer1.weight", "tags.layer1.bias", "votes.map",          "votes.shift",
    "votes.scales",       "votes.offsets",    "votes.relevant",     "votes.rows",
    "ridge.nearness",     "ridge.weights",    "ridge.base",         "words.mean",
    "words.spread",       "words.inverse",    "words.prior",        "classes.weights",
    "classes.bias",       "classes.vectors",  "classes.mean",       "ridge.landmarks"};

static void tensors_that_are_missing_or_of_another_shape_are_refused(void **state)
{
    size_t refused = 0;
    (void)state;
    assert_ok(load(&(edit){.tensor = "", .what = KEEP}));
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        for (change what = DROP; what <= RETYPE; what++) {
            const f0t_status status = load(&(edit){.tensor = tensors[i], .what = what});
            const bool same = what == RETYPE && (!strcmp(tensors[i], "votes.offsets") ||
                                                 !strcmp(tensors[i], "votes.rows"));
            if (same != (status == F0T_OK))
                print_error("%s, change %d: %d\n", tensors[i], (int)what, (int)status);
            assert_int_equal(status, same ? F0T_OK : F0T_ERROR_FORMAT);
            refused += !same && strstr(f0t_last_error(), "is missing or not what it should be");
        }
    assert_in_range(refused, 60,
                    4 * sizeof tensors / sizeof *tensors - 2); /* others, as tensors of any net */
}

static void class_weights_may_be_float32(void **state)
{
    (void)state;
    assert_ok(load(&(edit){.tensor = "classes.weights", .what = WIDEN}));
}

static void numbers_that_are_none_are_refused(void **state)
{
    const float bad[] = {NAN, INFINITY};
    (void)state;
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        for (size_t k = 0; k < 2; k++)
            if (strcmp(tensors[i], "votes.offsets") && strcmp(tensors[i], "votes.relevant") &&
                strcmp(tensors[i], "votes.rows") && strcmp(tensors[i], "ridge.landmarks"))
                assert_fails(F0T_ERROR_NUMERIC, "holds NaN or infinity",
                             alter(tensors[i], 4, &bad[k], sizeof bad[k]));
}

static void votes_out_of_bounds_are_refused(void **state)
{
    const int64_t offsets[] = {1, -1, INT64_MAX, 1 << 20};
    const uint32_t tags[] = {12, UINT32_MAX};
    const float scales[] = {-1, 1e30F,
                            0.02F}; /* the last: longer than 1 with one byte that is 127 */
    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (size_t at = 0; at < 3; at++)
            if (i || !at) /* the second may be 1 */
                assert_fails(F0T_ERROR_FORMAT, "votes.offsets",
                             alter("votes.offsets", 8 * at, &offsets[i], 8));
    for (size_t i = 0; i < 2; i++)
        assert_fails(F0T_ERROR_FORMAT, "votes.offsets", alter("votes.relevant", 4, &tags[i], 4));
    for (size_t i = 0; i < 3; i++)
        assert_fails(F0T_ERROR_FORMAT, "votes.scales", alter("votes.scales", 4, &scales[i], 4));
    assert_ok(alter("votes.scales", 4, &(float){0}, 4));
}

/* 48 of the 60 images are there to learn from, or fewer. */
static void landmarks_that_no_vote_is_of_are_refused(void **state)
{
    const uint32_t images[] = {60, UINT32_MAX};
    (void)state;
    for (size_t i = 0; i < 2; i++)
        assert_fails(F0T_ERROR_FORMAT, "ridge.landmarks",
                     alter("ridge.landmarks", 4, &images[i], 4));
    assert_ok(alter("ridge.landmarks", 4, &(uint32_t){0}, 4));
}

/* Files had 27 numbers before new words had a direction of the likely tags. */
static void a_model_without_likely_tags_loads(void **state)
{
    (void)state;
    assert_ok(load(&(edit){.tensor = "blend.numbers", .what = CUT, .at = 27}));
    assert_fails(F0T_ERROR_FORMAT, "blend.numbers",
                 load(&(edit){.tensor = "blend.numbers", .what = CUT, .at = 26}));
}

/* Each of the single numbers, and frequencies. */
static void odd_numbers_are_refused_or_harmless(void **state)
{
    const float odd[] = {0, -1, 3e38F, -3e38F, 1e9F};
    /* the last five: k, sharpness, λ; weight and scale of the likely tags */
    enum { K = 29 - 5, SHARPNESS, NUMBERS = 29 };
    (void)state;
    for (size_t at = 0; at < NUMBERS; at++)
        for (size_t i = 0; i < 5; i++)
            (void)alter("blend.numbers", 4 * at, &odd[i], 4);
    for (size_t i = 0; i < 5; i++)
        assert_fails(F0T_ERROR_FORMAT, "blend.numbers", alter("blend.numbers", 4 * K, &odd[i], 4));
    assert_fails(F0T_ERROR_FORMAT, "blend.numbers",
                 alter("blend.numbers", 4 * SHARPNESS, &odd[1], 4));
    for (size_t i = 1; i < 5; i++)
        assert_fails(F0T_ERROR_FORMAT, "blend.frequency", alter("blend.frequency", 4, &odd[i], 4));
}

static f0t_status load_and_save(void *context)
{
    f0t_model *model;
    (void)context;
    f0t_status status = f0t_model_load(&model, test_path("blend.f0t"), NULL);
    if (status == F0T_OK)
        status = f0t_model_save(model, test_path("again.f0t"));
    f0t_model_free(model);
    return status;
}

static void every_allocation_and_write_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, load_and_save, NULL);
    test_each_fault(F0T_FAULT_WRITE, load_and_save, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_that_are_missing_or_of_another_shape_are_refused),
        cmocka_unit_test(class_weights_may_be_float32),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(votes_out_of_bounds_are_refused),
        cmocka_unit_test(landmarks_that_no_vote_is_of_are_refused),
        cmocka_unit_test(a_model_without_likely_tags_loads),
        cmocka_unit_test(odd_numbers_are_refused_or_harmless),
        cmocka_unit_test(every_allocation_and_write_may_fail),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
