/* A catalogue's model that goes on with what people said. */
#include "kinds.h"

#include <math.h>
#include <signal.h>
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
    f0t_refit_options options = F0T_REFIT_OPTIONS;
    f0t_refit_report report;
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
    options.vectors = vectors;
    assert_ok(f0t_catalogue_refit(&report, c, NULL, &options, NULL));
    assert_int_equal(report.pictures, 100);
    assert_int_equal(report.tags, TAGS + 1);
    assert_int_equal(report.suggested, 102);
    assert_true(report.seconds > 0);
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
    f0t_refit_report report;
    size_t size;
    (void)state;
    for (size_t i = 0; i < 40; i++)
        put(c, i, i % TAGS, NAMES[i % TAGS]);
    const char *path = train(c, vectors, 1U << F0T_EXPERT_TAGS);
    suggest(c, path);
    char *before = test_read(path, &size);
    put(c, 100, 1, NAMES[1]);
    assert_ok(f0t_catalogue_refit(&report, c, test_path("next"), NULL, NULL));
    assert_int_equal(report.pictures, 41);
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
    f0t_refit_report report;
    size_t size;
    (void)state;
    assert_fails(F0T_ERROR_NOT_FOUND, "has no model to go on with",
                 f0t_catalogue_refit(&report, c, NULL, NULL, NULL));
    for (size_t i = 0; i < 40; i++)
        put(c, i, i % TAGS, NAMES[i % TAGS]);
    const char *path = train(c, vectors, 1U << F0T_EXPERT_TAGS);
    suggest(c, path);
    char *before = test_read(path, &size);
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere",
                 f0t_catalogue_refit(&report, c, test_path("nowhere/model"), NULL, NULL));
    assert_int_equal(f0t_catalogue_refit(&report, c, NULL, NULL, F0T_WATCHED(&monitor)),
                     F0T_ERROR_INTERRUPTED);
    assert_string_equal(f0t_catalogue_model(c), path);
    assert_unchanged(path, before, size);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
