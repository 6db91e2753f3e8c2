/* A catalogue that learns, the model that goes on with what people said, and the one before that comes back. */
#include "../catalogue/kinds.h"

#include "fast0tag_tools.h"
#include "io/file.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char *const NAMES[TAGS] = {"red", "green", "blue", "yellow"};
static const float DIRECTIONS[TAGS + 1][3] = {
    {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, -1, 0}, {0, -1, -1}};

static f0t_vectors *make_vectors(void)
{
    f0t_vectors *vectors;
    const char *words[TAGS + 1] = {NAMES[0], NAMES[1], NAMES[2], NAMES[3], "violet"};
    assert_ok(f0t_vectors_create(&vectors, words, &DIRECTIONS[0][0], TAGS + 1, 3, NULL));
    return vectors;
}

static const char *train(f0t_catalogue *c, const f0t_vectors *vectors, unsigned without)
{
    f0t_dataset *d;
    f0t_model *model;
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    const char *path = test_path("model");
    options.method = F0T_METHOD_BLEND;
    options.without = without;
    options.epochs = 2;
    assert_ok(f0t_catalogue_open_dataset(&d, c, NULL, NULL));
    assert_ok(f0t_train(&model, d, vectors, &options, NULL));
    assert_ok(f0t_model_save(model, path));
    f0t_model_free(model);
    f0t_dataset_close(d);
    return path;
}

static void suggest(f0t_catalogue *c, const char *model)
{
    f0t_index_options options = F0T_INDEX_OPTIONS;
    f0t_index_report report;
    options.model = model;
    assert_ok(f0t_catalogue_index(&report, c, NULL, 0, &options, NULL));
}

/* The catalogue's model goes on, and its suggestions are made; how many tags it has learned. */
static f0t_status refit(f0t_learned **out, f0t_catalogue *c, const char *path,
                        const f0t_vectors *vectors, const f0t_context *context)
{
    const f0t_refit_options refit = F0T_REFIT_OPTIONS;
    f0t_learn_options options = F0T_LEARN_OPTIONS;
    options.refit = &refit;
    options.output = path;
    return f0t_catalogue_learn(out, c, vectors, &options, context);
}

static size_t tags_of(const f0t_learned *learned)
{
    return f0t_vocab_count(f0t_model_vocab(learned->model));
}

static float confidence_of(f0t_catalogue *c, int64_t picture, const char *tag)
{
    f0t_catalogue_tags *tags;
    float confidence = 0;
    assert_ok(f0t_catalogue_get_tags(&tags, c, picture));
    for (size_t i = 0; i < tags->count; i++)
        if (!strcmp(tags->items[i].tag, tag) && !isnan(tags->items[i].confidence))
            confidence = tags->items[i].confidence;
    f0t_catalogue_tags_free(tags);
    return confidence;
}

static void test_a_refit_learns_what_was_accepted_and_rejected(void **state)
{
    f0t_catalogue *c = create();
    f0t_vectors *vectors = make_vectors();
    f0t_learned *learned;
    (void)state;
    for (size_t i = 0; i < 60; i++)
        put(c, i, i % TAGS, NAMES[i % TAGS]);
    const int64_t asked = put(c, 100, 5, NULL), same = put(c, 101, 0, NULL);
    const char *path = train(c, vectors, 0);
    suggest(c, path);
    const float before = confidence_of(c, same, "red");
    assert_true(before > 0.3F);
    assert_true(confidence_of(c, asked, "violet") == 0);
    for (size_t i = 0; i < 20;
         i++) { /* of a kind that the model has never seen, and a red one that is none */
        assert_ok(f0t_catalogue_decide(c, put(c, 200 + i, 5, NULL), "violet", F0T_ACCEPTED, "me"));
        assert_ok(f0t_catalogue_decide(c, put(c, 300 + i, 0, NULL), "red", F0T_REJECTED, "me"));
    }
    assert_ok(refit(&learned, c, NULL, vectors, NULL));
    assert_int_equal(learned->images, 100);
    assert_int_equal(tags_of(learned), TAGS + 1);
    assert_int_equal(learned->suggested, 102);
    assert_true(learned->seconds > 0);
    f0t_learned_free(learned);
    assert_string_equal(f0t_catalogue_model(c), path);
    assert_true(confidence_of(c, asked, "violet") > 0.3F);
    assert_true(confidence_of(c, same, "red") < before);
    f0t_vectors_close(vectors);
    f0t_catalogue_close(c);
}

static void test_what_cannot_be_refitted_is_refused(void **state)
{
    f0t_catalogue *c = create();
    f0t_vectors *vectors = make_vectors();
    f0t_dataset *d;
    f0t_model *model;
    f0t_refit_options options = F0T_REFIT_OPTIONS;
    (void)state;
    for (size_t i = 0; i < 40; i++)
        put(c, i, i % TAGS, NAMES[i % TAGS]);
    const char *path = train(c, vectors, 1U << F0T_EXPERT_TAGS);
    f0t_catalogue_close(c);
    c = create();
    for (size_t i = 0; i < 10; i++)
        put(c, i, i % TAGS, NAMES[i % TAGS]);
    assert_ok(f0t_catalogue_open_dataset(&d, c, NULL, NULL));
    assert_fails(F0T_ERROR_MISMATCH, "would forget", f0t_model_refit(&model, path, d, NULL, NULL));
    options.weight = 0;
    assert_fails(F0T_ERROR_ARGUMENT, "f0t_refit_options: weight is 0; from 1 to 100 is expected",
                 f0t_model_refit(&model, path, d, &options, NULL));
    f0t_dataset_close(d);
    f0t_vectors_close(vectors);
    f0t_catalogue_close(c);
}

/* The file has these bytes still, which are freed. */
static void assert_unchanged(const char *path, char *before, size_t size)
{
    size_t after;
    char *now = test_read(path, &after);
    assert_int_equal(size, after);
    assert_memory_equal(before, now, size);
    f0t_free(before);
    f0t_free(now);
}

/* A path of its own: the model before stays, and the catalogue has the new one. */
static void test_a_refit_may_be_another_file(void **state)
{
    f0t_catalogue *c = create();
    f0t_vectors *vectors = make_vectors();
    f0t_learned *learned;
    size_t size;
    (void)state;
    for (size_t i = 0; i < 40; i++)
        put(c, i, i % TAGS, NAMES[i % TAGS]);
    const char *path = train(c, vectors, 1U << F0T_EXPERT_TAGS);
    suggest(c, path);
    char *before = test_read(path, &size);
    put(c, 100, 1, NAMES[1]);
    assert_ok(refit(&learned, c, test_path("next"), NULL, NULL));
    assert_int_equal(learned->images, 41);
    f0t_learned_free(learned);
    assert_string_equal(f0t_catalogue_model(c), test_path("next"));
    assert_unchanged(path, before, size);
    f0t_vectors_close(vectors);
    f0t_catalogue_close(c);
}

/* What fails leaves the model as it was. */
static void test_a_refit_that_fails_changes_nothing(void **state)
{
    static const volatile sig_atomic_t stop = 1;
    const f0t_monitor monitor = {.stop = &stop};
    f0t_catalogue *c = create();
    f0t_vectors *vectors = make_vectors();
    f0t_learned *learned;
    size_t size;
    (void)state;
    assert_fails(F0T_ERROR_NOT_FOUND, "has no model to go on with",
                 refit(&learned, c, NULL, NULL, NULL));
    for (size_t i = 0; i < 40; i++)
        put(c, i, i % TAGS, NAMES[i % TAGS]);
    const char *path = train(c, vectors, 1U << F0T_EXPERT_TAGS);
    suggest(c, path);
    char *before = test_read(path, &size);
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere",
                 refit(&learned, c, test_path("nowhere/model"), NULL, NULL));
    assert_int_equal(refit(&learned, c, NULL, NULL, F0T_WATCHED(&monitor)), F0T_ERROR_INTERRUPTED);
    assert_null(learned);
    assert_string_equal(f0t_catalogue_model(c), path);
    assert_unchanged(path, before, size);
    f0t_vectors_close(vectors);
    f0t_catalogue_close(c);
}

static void assert_file(const char *path, const char *want, size_t size)
{
    size_t got;
    char *now = test_read(path, &got);
    assert_int_equal(got, size);
    assert_memory_equal(now, want, size);
    f0t_free(now);
}

/* Words of one kind have one tag, as in a training: a refit brings no other form of it, and nothing about files. */
static void test_a_refit_learns_words_as_a_training_does(void **state)
{
    f0t_catalogue *c = create();
    f0t_vectors *vectors = make_vectors();
    f0t_learned *learned;
    size_t tag;
    (void)state;
    for (size_t i = 0; i < 40; i++)
        put(c, i, i % TAGS, NAMES[i % TAGS]);
    suggest(c, train(c, vectors, 1U << F0T_EXPERT_TAGS));
    for (size_t i = 0; i < 20; i++)
        put(c, 100 + i, 0, "Reds"); /* by themselves too many for a slip */
    put(c, 200, 1, "IMG_0042");
    assert_ok(refit(&learned, c, NULL, vectors, NULL));
    assert_int_equal(tags_of(learned), TAGS);
    assert_int_equal(learned->prepared->keywords, TAGS + 2);
    assert_ok(f0t_model_find_tag(&tag, learned->model, "reds"));
    assert_string_equal(f0t_vocab_tag(f0t_model_vocab(learned->model), tag), "red");
    f0t_learned_free(learned);
    f0t_vectors_close(vectors);
    f0t_catalogue_close(c);
}

static void test_the_model_before_comes_back(void **state)
{
    f0t_catalogue *c = create();
    f0t_vectors *vectors = make_vectors();
    f0t_learned *learned;
    char beside[PATH_MAX];
    size_t size, new_size, suggested;
    (void)state;
    assert_fails(F0T_ERROR_NOT_FOUND, "has no model before this one to bring back",
                 f0t_catalogue_restore_model(NULL, c, NULL));
    for (size_t i = 0; i < 40; i++)
        put(c, i, i % TAGS, NAMES[i % TAGS]);
    const int64_t asked = put(c, 100, 5, NULL);
    const char *path = train(c, vectors, 1U << F0T_EXPERT_TAGS);
    snprintf(beside, sizeof beside, "%s.before", path);
    suggest(c, path);
    char *before = test_read(path, &size);
    for (size_t i = 0; i < 10; i++)
        put(c, 200 + i, 5, "violet");
    assert_ok(refit(&learned, c, NULL, vectors, NULL));
    f0t_learned_free(learned);
    char *now = test_read(path, &new_size);
    assert_file(beside, before, size);
    assert_true(confidence_of(c, asked, "violet") > 0);
    assert_ok(f0t_catalogue_restore_model(&suggested, c, NULL));
    assert_int_equal(suggested, 51);
    assert_file(path, before, size);
    assert_file(beside, now, new_size);
    assert_true(confidence_of(c, asked, "violet") == 0);
    assert_ok(f0t_catalogue_restore_model(NULL, c, NULL)); /* and the new one again */
    assert_file(path, now, new_size);
    assert_true(confidence_of(c, asked, "violet") > 0);
    f0t_free(before);
    f0t_free(now);
    f0t_vectors_close(vectors);
    f0t_catalogue_close(c);
}

/* A model in a file of its own: the catalogue goes back to the old file, and to its vectors. */
static void test_a_file_before_is_chosen_again(void **state)
{
    f0t_catalogue *c = create();
    f0t_vectors *vectors = make_vectors();
    f0t_learn_options options = F0T_LEARN_OPTIONS;
    f0t_learned *learned;
    (void)state;
    for (size_t i = 0; i < 40; i++)
        put(c, i, i % TAGS, NAMES[i % TAGS]);
    const char *path = train(c, vectors, 1U << F0T_EXPERT_TAGS);
    suggest(c, path);
    assert_ok(f0t_catalogue_set_vectors(c, path)); /* any file */
    options.output = options.vectors_path = test_path("next");
    test_file("next", "old", 3);
    assert_ok(f0t_catalogue_learn(&learned, c, vectors, &options, NULL));
    assert_true(learned->reference.images > 0);
    f0t_learned_free(learned);
    assert_string_equal(f0t_catalogue_model(c), test_path("next"));
    assert_string_equal(f0t_catalogue_vectors(c), test_path("next"));
    assert_ok(f0t_catalogue_restore_model(NULL, c, NULL));
    assert_string_equal(f0t_catalogue_model(c), path);
    assert_string_equal(f0t_catalogue_vectors(c), path);
    assert_ok(f0t_catalogue_restore_model(NULL, c, NULL));
    assert_string_equal(f0t_catalogue_model(c), test_path("next"));
    f0t_vectors_close(vectors);
    f0t_catalogue_close(c);
}

/* What learning or its undoing cannot keep, it does not replace. */
static void test_files_that_cannot_be_kept_stay(void **state)
{
    f0t_catalogue *c = create();
    f0t_vectors *vectors = make_vectors();
    f0t_learn_options options = F0T_LEARN_OPTIONS;
    f0t_learned *learned;
    char beside[PATH_MAX];
    size_t size;
    (void)state;
    for (size_t i = 0; i < 40; i++)
        put(c, i, i % TAGS, NAMES[i % TAGS]);
    const char *path = train(c, vectors, 1U << F0T_EXPERT_TAGS);
    suggest(c, path);
    assert_fails(F0T_ERROR_ARGUMENT, "learning anew needs word vectors",
                 f0t_catalogue_learn(&learned, c, NULL, &options, NULL));
    snprintf(beside, sizeof beside, "%s.before", path);
    remove(beside);
    assert_ok(f0t_folder_create(beside));
    char *before = test_read(path, &size);
    assert_fails(F0T_ERROR_IO, ".before: cannot be replaced",
                 refit(&learned, c, NULL, vectors, NULL));
    assert_unchanged(path, before, size);
    assert_int_equal(remove(beside), 0);
    assert_ok(refit(&learned, c, NULL, vectors, NULL));
    f0t_learned_free(learned);
    assert_int_equal(remove(path), 0);
    assert_fails(F0T_ERROR_NOT_FOUND, "cannot take the place of",
                 f0t_catalogue_restore_model(NULL, c, NULL));
    assert_true(f0t_path_exists(beside));
    f0t_vectors_close(vectors);
    f0t_catalogue_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_refit_learns_what_was_accepted_and_rejected),
        cmocka_unit_test(test_what_cannot_be_refitted_is_refused),
        cmocka_unit_test(test_a_refit_may_be_another_file),
        cmocka_unit_test(test_a_refit_that_fails_changes_nothing),
        cmocka_unit_test(test_a_refit_learns_words_as_a_training_does),
        cmocka_unit_test(test_the_model_before_comes_back),
        cmocka_unit_test(test_a_file_before_is_chosen_again),
        cmocka_unit_test(test_files_that_cannot_be_kept_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
