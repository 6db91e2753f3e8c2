/* The recipe of a training, from a dataset. */
#include "support.h"

#include "base/alloc.h"
#include "base/context.h"
#include "fast0tag_tools.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { IMAGES = 40, DIM = 6, TAGS = 3 };

static const char *const WORDS[TAGS] = {"cat", "dog", "sea"};

/* Images of three kinds; some have the plural, and each a number from the camera. */
static f0t_dataset *make_dataset(const char *seen)
{
    f0t_dataset_memory memory = F0T_DATASET_MEMORY;
    const f0t_dataset_options all = {.size = sizeof all, .val = 0.25};
    static float features[IMAGES * DIM]; /* which are not copied */
    char tags[IMAGES * 40], *to = tags;
    f0t_dataset *made;
    test_random_floats(features, IMAGES * DIM, 1);
    for (size_t m = 0; m < IMAGES; m++) {
        features[m * DIM + m % TAGS] += 3;
        to += sprintf(to, "%s%s\tIMG_%04zu\n", WORDS[m % TAGS], m < 3 ? "s" : "", m);
    }
    memory.tags = tags;
    memory.features = features;
    memory.rows = IMAGES;
    memory.dim = DIM;
    memory.seen = seen;
    assert_ok(f0t_dataset_open_memory(&made, &memory, &all, NULL));
    return made;
}

static f0t_vectors *make_vectors(void)
{
    static const float rows[TAGS][TAGS] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    f0t_vectors *vectors;
    assert_ok(f0t_vectors_create(&vectors, WORDS, &rows[0][0], TAGS, TAGS, NULL));
    return vectors;
}

static f0t_dataset *dataset;
static f0t_vectors *vectors;
static f0t_train_options quick;

static int open_all(void **state)
{
    (void)state;
    dataset = make_dataset(NULL);
    vectors = make_vectors();
    quick = (f0t_train_options)F0T_TRAIN_OPTIONS;
    quick.method = F0T_METHOD_BLEND;
    quick.without = 1U << F0T_EXPERT_TAGS;
    quick.epochs = 1;
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    f0t_dataset_close(dataset);
    f0t_vectors_close(vectors);
    return 0;
}

static f0t_learned *learn(const f0t_learn_options *options)
{
    f0t_learned *learned;
    assert_ok(f0t_learn(&learned, dataset, vectors, options, NULL));
    return learned;
}

static size_t tags_of(const f0t_learned *learned)
{
    return f0t_vocab_count(f0t_model_vocab(learned->model));
}

/* ---- Cases ------------------------------------------------------------------------------------------- */

static void test_keywords_are_cleaned_unless_they_are_to_be_kept(void **state)
{
    f0t_learn_options options = F0T_LEARN_OPTIONS;
    const f0t_prepare_options plurals = {.size = sizeof plurals,
                                         .plurals = F0T_PREPARE_PLURALS_KEEP};
    (void)state;
    options.train = &quick;
    f0t_learned *l = learn(&options);
    assert_int_equal(tags_of(l), TAGS);
    assert_int_equal(l->prepared->keywords, 2 * TAGS + IMAGES);
    assert_int_equal(l->prepared->least, 1); /* of a blend */
    assert_int_equal(l->images, IMAGES);
    assert_int_equal(l->reference.images, IMAGES);
    assert_int_equal(l->tuning.trials, 0);
    f0t_learned_free(l);
    options.clean = &plurals;
    options.no_reference = true;
    l = learn(&options);
    assert_int_equal(tags_of(l), 2 * TAGS);
    assert_true(isnan(l->reference.model));
    f0t_learned_free(l);
    options.keep_tags = true;
    l = learn(&options);
    assert_int_equal(tags_of(l), 2 * TAGS + IMAGES);
    assert_null(l->prepared);
    f0t_learned_free(l);
}

/* Somebody has made lists of tags: they stay as they are. */
static void test_listed_tags_stay(void **state)
{
    f0t_learn_options options = F0T_LEARN_OPTIONS;
    (void)state;
    f0t_dataset_close(dataset);
    dataset = make_dataset("cat\ncats\ndog\nsea\n");
    options.train = &quick;
    f0t_learned *l = learn(&options);
    assert_int_equal(tags_of(l), 4);
    assert_null(l->prepared);
    f0t_learned_free(l);
}

static void test_the_model_is_saved_and_may_be_taken_over(void **state)
{
    f0t_learn_options options = F0T_LEARN_OPTIONS;
    f0t_model *model;
    (void)state;
    options.train = &quick;
    options.output = test_path("model");
    options.trials = test_file("trials", "", 0);
    quick.checkpoint = test_path("checkpoint");
    f0t_learned *l = learn(&options);
    assert_false(f0t_path_exists(quick.checkpoint)); /* of no use any more */
    assert_false(f0t_path_exists(options.trials));
    assert_ok(f0t_model_load(&model, test_path("model"), NULL));
    assert_int_equal(f0t_vocab_count(f0t_model_vocab(model)), TAGS);
    f0t_model_free(model);
    model = l->model;
    l->model = NULL;
    f0t_learned_free(l);
    f0t_model_free(model);
}

static void test_a_search_comes_first(void **state)
{
    f0t_learn_options options = F0T_LEARN_OPTIONS;
    (void)state;
    quick = (f0t_train_options)F0T_TRAIN_OPTIONS;
    quick.method = F0T_METHOD_LINEAR;
    options.train = &quick;
    options.keep_tags = true;
    options.tune = 1e-3;
    f0t_learned *l = learn(&options);
    assert_true(l->tuning.trials > 0);
    f0t_learned_free(l);
}

static void on_progress(void *user, const f0t_progress *p)
{
    uint64_t *last = user;
    assert_string_equal(p->stage, "learning");
    assert_string_equal(p->unit, "%");
    assert_true(p->done > *last && p->done <= p->total);
    *last = p->done;
}

static void test_progress_is_one_stage(void **state)
{
    uint64_t last = 0;
    const f0t_monitor monitor = {.progress = on_progress, .user = &last};
    f0t_learn_options options = F0T_LEARN_OPTIONS;
    f0t_learned *l;
    (void)state;
    options.train = &quick;
    quick.without = 0;
    assert_ok(f0t_learn(&l, dataset, vectors, &options, F0T_WATCHED(&monitor)));
    assert_int_equal(last, 1000);
    f0t_learned_free(l);
}

static void test_mistakes_are_refused(void **state)
{
    const f0t_refit_options refit = F0T_REFIT_OPTIONS;
    f0t_learn_options options = F0T_LEARN_OPTIONS;
    f0t_learned *l;
    (void)state;
    options.refit = &refit;
    assert_fails(F0T_ERROR_ARGUMENT, "refit is for f0t_catalogue_learn",
                 f0t_learn(&l, dataset, vectors, &options, NULL));
    assert_null(l);
    options = (f0t_learn_options)F0T_LEARN_OPTIONS;
    options.tune = -1;
    assert_fails(F0T_ERROR_ARGUMENT, "tune is -1 seconds; 0 or more is expected",
                 f0t_learn(&l, dataset, vectors, &options, NULL));
    options = (f0t_learn_options)F0T_LEARN_OPTIONS;
    options.train = &quick;
    options.classes = "none.onnx";
    assert_fails(F0T_ERROR_NOT_FOUND, "none.onnx", f0t_learn(&l, dataset, vectors, &options, NULL));
    quick.without |= 1U << F0T_EXPERT_CLASSES;
    assert_fails(F0T_ERROR_ARGUMENT, "classes are for the blend",
                 f0t_learn(&l, dataset, vectors, &options, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_keywords_are_cleaned_unless_they_are_to_be_kept,
                                        open_all, close_all),
        cmocka_unit_test_setup_teardown(test_listed_tags_stay, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_the_model_is_saved_and_may_be_taken_over, open_all,
                                        close_all),
        cmocka_unit_test_setup_teardown(test_a_search_comes_first, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_progress_is_one_stage, open_all, close_all),
        cmocka_unit_test_setup_teardown(test_mistakes_are_refused, open_all, close_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
