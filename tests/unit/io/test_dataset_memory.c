#include "support.h"

#include "io/npy.h"

#include <math.h>
#include <string.h>

static const float rows[6] = {1, 2, 3, 4, 5, 6};

static f0t_dataset_memory three_images(void)
{
    return (f0t_dataset_memory){.size = sizeof(f0t_dataset_memory),
                                .features = rows,
                                .rows = 3,
                                .dim = 2,
                                .tags = "dog\tcat\n\ncat\tpalm tree\n"};
}

static f0t_status try_open(const f0t_dataset_memory *memory)
{
    f0t_dataset *dataset;
    f0t_status status = f0t_dataset_open_memory(&dataset, memory, NULL, NULL);
    assert_true((status == F0T_OK) == (dataset != NULL));
    f0t_dataset_close(dataset);
    return status;
}

static void a_matrix_and_texts_make_a_dataset(void **state)
{
    f0t_dataset_memory memory = three_images();
    f0t_dataset *d;
    float x[4];
    size_t count;
    (void)state;
    memory.split = "train\nval\ntest\n";
    memory.images = "a.jpg\nb.jpg\nc.jpg\n";
    memory.unseen = "cat\n";
    memory.json = "{\"name\": \"pets\", \"backbone\": {\"name\": \"builtin-1\"}}";
    assert_ok(f0t_dataset_open_memory(&d, &memory, NULL, NULL));
    assert_int_equal(f0t_dataset_image_count(d), 3);
    assert_int_equal(f0t_dataset_tag_count(d), 3);
    assert_string_equal(f0t_dataset_tag(d, 0), "cat");
    assert_string_equal(f0t_dataset_image(d, 2), "c.jpg");
    assert_int_equal(f0t_dataset_split(d)[1], F0T_VAL);
    assert_true(f0t_dataset_unseen(&count, d) && count == 1);
    assert_true(f0t_dataset_seen(&count, d) && count == 2);
    assert_string_equal(f0t_dataset_name(d), "pets");
    assert_string_equal(f0t_dataset_path(d), "memory");
    assert_string_equal(f0t_dataset_backbone(d), "{\"name\":\"builtin-1\"}");
    assert_int_equal(f0t_dataset_dim(d), 2);
    assert_null(f0t_dataset_features_path(d));
    assert_ok(f0t_dataset_read_features(x, d, 1, 2));
    assert_memory_equal(x, rows + 2, sizeof x);
    f0t_dataset_close(d);
}

static void features_may_be_of_other_types_or_missing(void **state)
{
    const double wide[6] = {1, 2, 3, 4, 5, 6};
    const uint16_t half[6] = {0x3C00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600};
    const void *features[] = {wide, half};
    const char *names[] = {"float64", "float16"};
    f0t_dataset_memory memory = three_images();
    f0t_dataset *d;
    float x[6];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        memory.features = features[i];
        memory.dtype = names[i];
        assert_ok(f0t_dataset_open_memory(&d, &memory, NULL, NULL));
        assert_ok(f0t_dataset_read_features(x, d, 0, 3));
        assert_memory_equal(x, rows, sizeof x);
        f0t_dataset_close(d);
    }
    memory.features = NULL;
    assert_ok(f0t_dataset_open_memory(&d, &memory, NULL, NULL));
    assert_int_equal(f0t_dataset_dim(d), 0);
    assert_fails(F0T_ERROR_NOT_FOUND, "memory: the dataset has no features",
                 f0t_dataset_read_features(x, d, 0, 1));
    f0t_dataset_close(d);
}

static void the_split_is_drawn_as_for_a_directory(void **state)
{
    f0t_dataset_memory memory = {.size = sizeof(f0t_dataset_memory),
                                 .tags = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"};
    const char *path = test_text("tags-alone.txt", memory.tags);
    f0t_dataset_options options = {
        .size = sizeof(f0t_dataset_options), .seed = 7, .val = 0.2, .test = 0.3};
    f0t_dataset *here, *there;
    (void)state;
    assert_ok(f0t_dataset_open_memory(&here, &memory, &options, NULL));
    assert_ok(f0t_dataset_open_files(&there, NULL, path, &options, NULL));
    assert_memory_equal(f0t_dataset_split(here), f0t_dataset_split(there), 10);
    f0t_dataset_close(here);
    f0t_dataset_close(there);
}

static void what_does_not_belong_together_is_refused(void **state)
{
    f0t_dataset_memory memory = three_images();
    (void)state;
    memory.rows = 4;
    assert_fails(F0T_ERROR_MISMATCH, "memory: there are features of 4 images and tags of 3",
                 try_open(&memory));
    memory = three_images();
    memory.dim = 0;
    assert_fails(F0T_ERROR_ARGUMENT, "empty", try_open(&memory));
    memory = three_images();
    memory.dim = SIZE_MAX / 2;
    assert_fails(F0T_ERROR_ARGUMENT, "more than memory can hold", try_open(&memory));
    memory = three_images();
    memory.dtype = "int8";
    assert_fails(F0T_ERROR_ARGUMENT, "'int8': float32, float16 or float64 is expected",
                 try_open(&memory));
    memory = three_images();
    memory.split = "train\n";
    assert_fails(F0T_ERROR_MISMATCH, "split.txt has 1 lines", try_open(&memory));
    memory = three_images();
    memory.tags = NULL;
    assert_fails(F0T_ERROR_NOT_FOUND, "memory: is no dataset", try_open(&memory));
    memory = three_images();
    memory.tags = "dog\n\x1b[2J\n\n";
    assert_fails(F0T_ERROR_FORMAT, "tags.txt:2:", try_open(&memory));
    memory = three_images();
    memory.json = "{\"features\": \"other.npy\"}";
    assert_fails(F0T_ERROR_ARGUMENT, "names a features file", try_open(&memory));
}

static void a_feature_that_is_no_number_is_named(void **state)
{
    const float wrong[6] = {1, 2, 3, NAN, 5, 6};
    f0t_dataset_memory memory = three_images();
    f0t_dataset *d;
    float x[6];
    (void)state;
    memory.path = "pets";
    memory.features = wrong;
    assert_ok(f0t_dataset_open_memory(&d, &memory, NULL, NULL));
    assert_fails(F0T_ERROR_NUMERIC, "pets: row 1, column 1 (from 0) is NaN",
                 f0t_dataset_read_features(x, d, 0, 3));
    f0t_dataset_close(d);
}

static f0t_status open_once(void *context)
{
    return try_open(context);
}

static void every_allocation_may_fail(void **state)
{
    f0t_dataset_memory memory = three_images();
    (void)state;
    memory.seen = "dog\n";
    memory.images = "a\nb\nc\n";
    test_each_fault(F0T_FAULT_ALLOC, open_once, &memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_and_texts_make_a_dataset),
        cmocka_unit_test(features_may_be_of_other_types_or_missing),
        cmocka_unit_test(the_split_is_drawn_as_for_a_directory),
        cmocka_unit_test(what_does_not_belong_together_is_refused),
        cmocka_unit_test(a_feature_that_is_no_number_is_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
