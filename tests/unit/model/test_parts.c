/* Which images a model has learned from. */
#include "support.h"

#include "io/dataset.h"
#include "model/model.h"

#include <string.h>

enum { IMAGES = 40 };

/* A dataset of IMAGES images, with a split.txt that says "test" of the first only, or without one. */
static f0t_features *make(bool split)
{
    const f0t_dataset_info info = {sizeof info, .dim = 1, .replace = true};
    f0t_dataset_writer *w;
    f0t_features *features;
    assert_ok(f0t_dataset_create(&w, test_path("photos"), &info));
    for (int m = 0; m < IMAGES; m++) {
        const float x = 1;
        const f0t_dataset_row row = {.size = sizeof row,
                                     .has_split = split,
                                     .split = m ? F0T_TRAIN : F0T_TEST,
                                     .features = &x};
        assert_ok(f0t_dataset_write(w, &row));
    }
    assert_ok(f0t_dataset_commit(w));
    assert_ok(f0t_features_open(&features, test_path("photos"), NULL));
    return features;
}

static size_t count_part(const f0t_model *model, const f0t_features *features, f0t_split part)
{
    bool in[IMAGES];
    size_t count = 0;
    assert_ok(f0t_model_part(in, model, features, part));
    for (size_t m = 0; m < IMAGES; m++)
        count += in[m];
    return count;
}

static void a_split_that_is_given_decides(void **state)
{
    char training[] = "{\"split\": {\"images\": 40, \"seed\": 0, \"val\": 0.1, \"test\": 0.2}}";
    const f0t_model model = {.training = training};
    f0t_features *features = make(true);
    bool in[IMAGES];
    (void)state;
    assert_int_equal(count_part(&model, features, F0T_TEST), 1);
    assert_int_equal(count_part(&model, features, F0T_VAL), 0);
    assert_ok(f0t_model_part(in, &model, features, F0T_TRAIN));
    assert_false(in[0]);
    assert_true(in[1]);
    assert_fails(F0T_ERROR_ARGUMENT, "3 is no part of a dataset",
                 f0t_model_part(in, &model, features, (f0t_split)3));
    f0t_features_close(features);
}

/* As the dataset draws them that is opened with the options of the training. */
static void without_one_the_training_is_asked(void **state)
{
    char training[] = "{\"split\": {\"images\": 40, \"seed\": 7, \"val\": 0.1, \"test\": 0.3}}";
    const f0t_model model = {.training = training};
    const f0t_dataset_options drawn = {sizeof drawn, .seed = 7, .val = 0.1, .test = 0.3};
    f0t_features *features = make(false);
    f0t_dataset *dataset;
    (void)state;
    assert_ok(f0t_dataset_open(&dataset, test_path("photos"), &drawn, NULL));
    for (int part = F0T_TRAIN; part <= F0T_TEST; part++) {
        bool in[IMAGES];
        assert_ok(f0t_model_part(in, &model, features, (f0t_split)part));
        for (size_t m = 0; m < IMAGES; m++)
            assert_int_equal(in[m], f0t_dataset_split(dataset)[m] == part);
    }
    assert_int_equal(count_part(&model, features, F0T_TEST), 12);
    f0t_dataset_close(dataset);
    f0t_features_close(features);
}

static void what_nobody_knows_is_refused(void **state)
{
    static const struct {
        const char *training, *told;
    } cases[] = {{"{}", "does not say which of its images it has learned from"},
                 {"{\"split\": {\"images\": -1}}", "does not say which of its images"},
                 {"{\"split\": {\"images\": 41, \"test\": 0.2}}", "its 40 images are not the 41"},
                 {"{\"split\": {\"images\": 40, \"val\": 0.1, \"test\": 0}}", "train --test 0.2"},
                 {"{\"split\": {\"images\": 40, \"val\": 0.1, \"test\": 7}}", "are no parts"},
                 {"no JSON", "the model's training"}};
    f0t_features *features = make(false);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char training[100];
        bool in[IMAGES];
        strcpy(training, cases[i].training);
        const f0t_model model = {.training = training};
        const f0t_status status = f0t_model_part(in, &model, features, F0T_TEST);
        assert_true(status == F0T_ERROR_ARGUMENT || status == F0T_ERROR_FORMAT);
        assert_non_null(strstr(f0t_last_error(), cases[i].told));
    }
    f0t_features_close(features);
}

static void a_bare_matrix_has_no_parts(void **state)
{
    char training[] = "{\"split\": {\"images\": 40, \"seed\": 7, \"val\": 0.1, \"test\": 0.3}}";
    const f0t_model model = {.training = training};
    f0t_features *features = make(true);
    bool in[IMAGES];
    (void)state;
    f0t_features_close(features);
    assert_ok(f0t_features_open(&features, test_path("photos/features.npy"), NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "a bare matrix has no parts: a dataset has",
                 f0t_model_part(in, &model, features, F0T_TEST));
    f0t_features_close(features);
}

static f0t_status ask(void *features)
{
    char training[] = "{\"split\": {\"images\": 40, \"seed\": 7, \"val\": 0.1, \"test\": 0.3}}";
    const f0t_model model = {.training = training};
    bool in[IMAGES];
    return f0t_model_part(in, &model, features, F0T_TEST);
}

static void a_lack_of_memory_is_reported(void **state)
{
    f0t_features *features = make(false);
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, ask, features);
    f0t_features_close(features);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_split_that_is_given_decides),
        cmocka_unit_test(without_one_the_training_is_asked),
        cmocka_unit_test(what_nobody_knows_is_refused),
        cmocka_unit_test(a_bare_matrix_has_no_parts),
        cmocka_unit_test(a_lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
