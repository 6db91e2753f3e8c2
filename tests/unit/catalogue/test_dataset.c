/* What people said of pictures, as a dataset; and a model that learns from it again. */
#include "support.h"

#include "io/dataset.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DIM = 8, TAGS = 4 };
static const char *const NAMES[TAGS] = {"red", "green", "blue", "yellow"};
static const float DIRECTIONS[TAGS + 1][3] = {
    {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, -1, 0}, {0, -1, -1}};

static f0t_catalogue *create(void)
{
    f0t_catalogue *c;
    f0t_catalogue_options options = F0T_CATALOGUE_OPTIONS;
    const char *path = test_path("catalogue");
    unlink(path);
    options.mode = F0T_CATALOGUE_CREATE;
    assert_ok(f0t_catalogue_open(&c, path, &options));
    assert_ok(f0t_catalogue_set_backbone(c, "{\"name\": \"numbers\"}"));
    return c;
}

/* A picture of kind `kind`, with this keyword (NULL: none). */
static int64_t put(f0t_catalogue *c, size_t number, size_t kind, const char *keyword)
{
    char path[32];
    float features[DIM];
    int64_t id;
    const f0t_catalogue_keyword given = {.keyword = keyword, .source = F0T_KEYWORD_XMP};
    f0t_catalogue_record record = F0T_CATALOGUE_RECORD;
    test_random_floats(features, DIM, number);
    for (size_t i = 0; i < DIM; i++)
        features[i] *= 0.2F;
    features[kind] += 1;
    snprintf(path, sizeof path, "/%zu.jpg", number);
    record.picture.path = path;
    record.features = features;
    record.dim = DIM;
    record.keywords = &given;
    record.keyword_count = keyword != NULL;
    assert_ok(f0t_catalogue_put(&id, c, &record));
    return id;
}

static const char *tags_of(const f0t_dataset *d, size_t m)
{
    static char text[256];
    size_t count;
    const uint32_t *tags = f0t_dataset_image_tags(&count, d, m);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        strcat(text, i ? "+" : "");
        strcat(text, f0t_dataset_tag(d, tags[i]));
    }
    return text;
}

static void test_keywords_and_decisions_are_what_is_learned(void **state)
{
    f0t_catalogue *c = create();
    f0t_dataset *d;
    float row[DIM], kept[DIM];
    size_t dim;
    (void)state;
    assert_fails(F0T_ERROR_NOT_FOUND, "nothing to learn from",
                 f0t_catalogue_open_dataset(&d, c, NULL, NULL));
    const int64_t a = put(c, 0, 0, "colours|red"), b = put(c, 1, 1, "green");
    put(c, 2, 2, NULL);
    const int64_t e = put(c, 3, 3, NULL), f = put(c, 4, 0, NULL);
    assert_ok(f0t_catalogue_decide(c, a, "warm", F0T_ACCEPTED, "me"));
    assert_ok(f0t_catalogue_decide(c, b, "green", F0T_REJECTED, "me"));
    assert_ok(f0t_catalogue_decide(c, e, "a\tb", F0T_ACCEPTED, "me"));
    assert_ok(f0t_catalogue_decide(c, f, "red", F0T_ACCEPTED, "me"));
    assert_ok(f0t_catalogue_decide(c, f, "red", F0T_UNDECIDED, "me"));
    assert_ok(f0t_catalogue_open_dataset(&d, c, NULL, NULL));
    assert_ok(f0t_catalogue_get_features(kept, &dim, DIM, c, b));
    f0t_catalogue_close(c);
    assert_int_equal(f0t_dataset_image_count(d), 3);
    assert_string_equal(tags_of(d, 0), "red+warm");
    assert_string_equal(tags_of(d, 1), "");
    assert_string_equal(tags_of(d, 2), "");
    assert_true(f0t_dataset_is_reviewed(d, 0) && f0t_dataset_is_reviewed(d, 1));
    assert_string_equal(f0t_dataset_image(d, 1), "/1.jpg");
    assert_non_null(strstr(f0t_dataset_backbone(d), "numbers"));
    assert_ok(f0t_dataset_read_features(row, d, 1, 1));
    assert_memory_equal(row, kept, sizeof kept);
    assert_string_equal(f0t_paths_find(&d->paths, "red"), "colours|red");
    f0t_dataset_close(d);
}

/* Foreign keys are checked by whoever writes: a file from elsewhere may have features of no backbone. */
static void test_features_of_no_backbone_are_none(void **state)
{
    f0t_catalogue *c = create();
    f0t_dataset *d;
    sqlite3 *db;
    (void)state;
    put(c, 0, 0, "red");
    f0t_catalogue_close(c);
    assert_int_equal(sqlite3_open(test_path("catalogue"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA foreign_keys = OFF; UPDATE chosen SET backbone = NULL;"
                                  "UPDATE features SET backbone = 0",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    assert_ok(f0t_catalogue_open(&c, test_path("catalogue"), NULL));
    assert_fails(F0T_ERROR_NOT_FOUND, "no features of pictures",
                 f0t_catalogue_open_dataset(&d, c, NULL, NULL));
    f0t_catalogue_close(c);
}

/* ---- Learning again -------------------------------------------------------------------------------- */

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
    f0t_dataset *d;
    f0t_model *model;
    f0t_refit_options options = F0T_REFIT_OPTIONS;
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
    assert_ok(f0t_catalogue_open_dataset(&d, c, NULL, NULL));
    assert_ok(f0t_model_refit(&model, path, d, &options, NULL));
    assert_int_equal(f0t_vocab_count(f0t_model_vocab(model)), TAGS + 1);
    assert_ok(f0t_model_save(model, path));
    suggest(c, path);
    assert_true(confidence_of(c, asked, "violet") > 0.3F);
    assert_true(confidence_of(c, same, "red") < before);
    f0t_model_free(model);
    f0t_dataset_close(d);
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
    assert_fails(F0T_ERROR_ARGUMENT, "weight", f0t_model_refit(&model, path, d, &options, NULL));
    f0t_dataset_close(d);
    f0t_vectors_close(vectors);
    f0t_catalogue_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keywords_and_decisions_are_what_is_learned),
        cmocka_unit_test(test_features_of_no_backbone_are_none),
        cmocka_unit_test(test_a_refit_learns_what_was_accepted_and_rejected),
        cmocka_unit_test(test_what_cannot_be_refitted_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
