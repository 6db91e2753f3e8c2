#include "taggers.h"

#include "base/context.h"
#include "plain_compute.h"

#include <math.h>

/* What all tests tag with, and the features of its pictures. */
static f0t_model *model;
static f0t_tagger *tagger;
static float features[T_COLOURS * T_FEATURES];

static int start(void **state)
{
    (void)state;
    model = colour_model(false);
    f0t_free(colour_features(features));
    return f0t_tagger_create(&tagger, model, NULL, NULL) == F0T_OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    f0t_tagger_close(tagger);
    f0t_model_free(model);
    return 0;
}

static f0t_vocab *words(const char *const *tags, size_t count, bool centred)
{
    const f0t_vocab_options options = {.size = sizeof options, .centred = centred};
    f0t_vectors *vectors;
    f0t_vocab *vocab;
    assert_ok(f0t_vectors_open(&vectors, colour_vectors(), NULL, NULL));
    assert_ok(f0t_vocab_create(&vocab, tags, count, vectors, &options, NULL));
    f0t_vectors_close(vectors);
    return vocab;
}

/* Every result is the colour's own name, first of two. */
static void assert_colours(const f0t_tag_results *results)
{
    assert_int_equal(results->failed, 0);
    for (size_t i = 0; i < results->count; i++) {
        const f0t_tag_result *item = &results->items[i];
        assert_int_equal(item->input, i);
        assert_int_equal(item->status, F0T_OK);
        assert_null(item->error);
        assert_int_equal(item->count, 2);
        assert_string_equal(item->tags[0].tag, colour_names[i % T_COLOURS]);
        assert_string_equal(f0t_vocab_tag(f0t_tagger_vocab(tagger), item->tags[1].index),
                            item->tags[1].tag);
        assert_true(item->tags[0].score > item->tags[1].score);
    }
}

static f0t_tag_options two(void)
{
    f0t_tag_options options = F0T_TAG_OPTIONS;
    options.k = 2;
    return options;
}

/* ---- What is tagged --------------------------------------------------------------------------------- */

static void paths_bytes_and_features_give_the_same(void **state)
{
    const f0t_tag_options options = two();
    const char *paths[T_COLOURS];
    char *bytes[T_COLOURS];
    size_t sizes[T_COLOURS];
    f0t_tag_results *results[3];
    (void)state;
    for (size_t i = 0; i < T_COLOURS; i++) {
        paths[i] = colour_picture(i);
        bytes[i] = test_read(paths[i], &sizes[i]);
    }
    const f0t_tag_input inputs[] = {
        {.size = sizeof(f0t_tag_input), .count = T_COLOURS, .paths = paths},
        {.size = sizeof(f0t_tag_input),
         .count = T_COLOURS,
         .data = (const void *const *)bytes,
         .sizes = sizes},
        {.size = sizeof(f0t_tag_input), .count = T_COLOURS, .features = features}};
    for (size_t k = 0; k < 3; k++) {
        assert_ok(f0t_tagger_run(&results[k], tagger, &inputs[k], &options, NULL));
        assert_int_equal(results[k]->count, T_COLOURS);
        assert_colours(results[k]);
        for (size_t i = 0; i < T_COLOURS; i++)
            assert_memory_equal(&results[k]->items[i].tags[0].score,
                                &results[0]->items[i].tags[0].score, sizeof(float));
    }
    for (size_t k = 0; k < 3; k++)
        f0t_tag_results_free(results[k]);
    for (size_t i = 0; i < T_COLOURS; i++)
        f0t_free(bytes[i]);
}

/* Rows in any order get the tags that they have among all, however often. */
static void assert_chosen_rows(const f0t_tag_results *all, const f0t_tagger *opened,
                               const f0t_features *rows)
{
    enum { COUNT = 5 };
    const size_t which[COUNT] = {1, 2, 1099, 0, 1}, beyond[COUNT] = {0, 1100};
    const f0t_tag_options options = two();
    f0t_tag_input input = {.size = sizeof input, .count = COUNT, .rows = rows, .which = which};
    f0t_tag_results *chosen;
    assert_ok(f0t_tagger_run(&chosen, opened, &input, &options, NULL));
    assert_int_equal(chosen->count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const f0t_tag_result *got = &chosen->items[i], *want = &all->items[which[i]];
        assert_int_equal(got->input, i);
        assert_int_equal(got->tags[0].index, want->tags[0].index);
    }
    f0t_tag_results_free(chosen);
    input.which = beyond;
    assert_fails(F0T_ERROR_ARGUMENT, "f0t_tag_input: which[1] is 1100 of 1100 rows",
                 f0t_tagger_run(&chosen, opened, &input, &options, NULL));
}

static void a_model_file_is_opened_and_rows_are_read_block_by_block(void **state)
{
    enum { ROWS = 1100 };
    const f0t_tag_options options = two();
    f0t_dataset_info info = {.size = sizeof info, .dim = T_FEATURES, .replace = true};
    f0t_dataset_writer *writer;
    f0t_features *rows;
    f0t_tag_results *results;
    f0t_tagger *opened;
    (void)state;
    assert_ok(f0t_dataset_create(&writer, test_path("many"), &info));
    for (size_t m = 0; m < ROWS; m++)
        assert_ok(f0t_dataset_write(
            writer, &(f0t_dataset_row){.size = sizeof(f0t_dataset_row),
                                       .features = features + m % T_COLOURS * T_FEATURES}));
    assert_ok(f0t_dataset_commit(writer));
    assert_ok(f0t_model_save(model, test_path("m.f0t")));
    assert_ok(f0t_tagger_open(&opened, test_path("m.f0t"), NULL, NULL));
    assert_string_equal(f0t_model_backbone(f0t_tagger_model(opened)), f0t_model_backbone(model));
    assert_ok(f0t_features_open(&rows, test_path("many"), NULL));
    const f0t_tag_input input = {.size = sizeof input, .count = ROWS, .rows = rows};
    assert_ok(f0t_tagger_run(&results, opened, &input, &options, NULL));
    assert_int_equal(results->count, ROWS);
    assert_colours(results);
    assert_chosen_rows(results, opened, rows);
    f0t_tag_results_free(results);
    assert_fails(F0T_ERROR_ARGUMENT, "f0t_tag_input: 1101 rows of 1100",
                 f0t_tagger_run(&results, opened,
                                &(f0t_tag_input){
                                    .size = sizeof(f0t_tag_input), .count = ROWS + 1, .rows = rows},
                                NULL, NULL));
    f0t_features_close(rows);
    f0t_tagger_close(opened);
    assert_fails(F0T_ERROR_NOT_FOUND, "none.f0t",
                 f0t_tagger_open(&opened, test_path("none.f0t"), NULL, NULL));
    assert_null(opened);
}

static void nothing_gives_nothing(void **state)
{
    const f0t_tag_input none = F0T_TAG_INPUT, one = {.size = sizeof one, .count = 1};
    const f0t_tag_input two_kinds = {
        .size = sizeof two_kinds, .paths = colour_names, .features = features};
    const f0t_tag_input without = {
        .size = sizeof without, .count = 1, .data = (const void *const *)colour_names};
    const f0t_tag_input nulls = {
        .size = sizeof nulls, .count = 1, .paths = (const char *const[]){NULL}};
    f0t_tag_results *results;
    f0t_tag_options options = F0T_TAG_OPTIONS;
    (void)state;
    assert_ok(f0t_tagger_run(&results, tagger, &none, NULL, NULL));
    assert_int_equal(results->count, 0);
    f0t_tag_results_free(results);
    assert_fails(F0T_ERROR_ARGUMENT, "one of paths, data, features and rows must be set, not 0",
                 f0t_tagger_run(&results, tagger, &one, NULL, NULL));
    assert_null(results);
    assert_fails(F0T_ERROR_ARGUMENT, "not 2",
                 f0t_tagger_run(&results, tagger, &two_kinds, NULL, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "f0t_tag_input: data needs sizes, which is NULL",
                 f0t_tagger_run(&results, tagger, &without, NULL, NULL));
    const void *const no_data[] = {NULL};
    const size_t no_size[] = {0};
    assert_fails(
        F0T_ERROR_ARGUMENT, "f0t_tag_input: data[0] is NULL",
        f0t_tagger_run(
            &results, tagger,
            &(f0t_tag_input){.size = sizeof none, .data = no_data, .sizes = no_size, .count = 1},
            NULL, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "paths[0]",
                 f0t_tagger_run(&results, tagger, &nulls, NULL, NULL));
    options.k = 0;
    assert_ok(f0t_tagger_run(
        &results, tagger,
        &(f0t_tag_input){.size = sizeof(f0t_tag_input), .count = 2, .features = features}, &options,
        NULL));
    assert_int_equal(results->items[1].count, 0);
    f0t_tag_results_free(results);
}

/* ---- What cannot be read ---------------------------------------------------------------------------- */

static void count_line(void *user, f0t_log_level level, const char *line)
{
    assert_int_equal(level, F0T_LOG_WARNING);
    assert_non_null(line);
    *(size_t *)user += 1;
}

static void a_bad_picture_does_not_fail_the_others(void **state)
{
    const char *paths[] = {colour_picture(0), test_text("bad.png", "nothing"), colour_picture(2),
                           test_path("none.png")};
    f0t_tag_input input = {.size = sizeof input, .count = 4, .paths = paths};
    f0t_tag_options strict = two();
    f0t_context_options options = F0T_CONTEXT_OPTIONS;
    size_t lines = 0;
    const f0t_monitor monitor = {.log = count_line, .user = &lines};
    f0t_tag_results *results;
    f0t_context *context;
    (void)state;
    options.monitor = &monitor;
    assert_ok(f0t_context_create(&context, &options));
    assert_ok(f0t_tagger_run(&results, tagger, &input, NULL, context));
    assert_int_equal(lines, 2);
    assert_int_equal(results->failed, 2);
    assert_string_equal(results->items[0].tags[0].tag, "red");
    assert_string_equal(results->items[2].tags[0].tag, "blue");
    assert_int_equal(results->items[1].status, F0T_ERROR_UNSUPPORTED);
    assert_int_equal(results->items[1].count, 0);
    assert_non_null(strstr(results->items[1].error, "bad.png"));
    assert_int_equal(results->items[3].status, F0T_ERROR_NOT_FOUND);
    assert_non_null(strstr(results->items[3].error, "none.png"));
    f0t_tag_results_free(results);
    strict.strict = true;
    input.count = 3; /* of two, either may be found first */
    assert_fails(F0T_ERROR_UNSUPPORTED, "bad.png",
                 f0t_tagger_run(&results, tagger, &input, &strict, context));
    assert_null(results);
    f0t_context_free(context);
}

/* What a cache has is not read again; what it has not is told as without one. */
static void a_cache_changes_no_result(void **state)
{
    const char *paths[] = {colour_picture(0), test_text("bad.png", "nothing"), colour_picture(2)};
    const f0t_tag_input input = {.size = sizeof input, .count = 3, .paths = paths};
    f0t_tagger_options options = F0T_TAGGER_OPTIONS;
    f0t_tag_results *results;
    f0t_tagger *cached;
    (void)state;
    options.cache = test_path("cache");
    assert_ok(f0t_tagger_create(&cached, model, &options, NULL));
    for (int i = 0; i < 2; i++) {
        assert_ok(f0t_tagger_run(&results, cached, &input, NULL, NULL));
        assert_int_equal(results->failed, 1);
        assert_non_null(strstr(results->items[1].error, "bad.png"));
        assert_string_equal(results->items[0].tags[0].tag, "red");
        assert_string_equal(results->items[2].tags[0].tag, "blue");
        f0t_tag_results_free(results);
    }
    f0t_tagger_close(cached);
}

static void bad_bytes_have_a_name_and_bad_features_a_number(void **state)
{
    const void *data[] = {"nothing", "neither"};
    const size_t sizes[] = {7, 7};
    f0t_tag_input input = {.size = sizeof input, .count = 2, .data = data, .sizes = sizes};
    float rows[3 * T_FEATURES];
    f0t_tag_options strict = two();
    f0t_tag_results *results;
    (void)state;
    assert_ok(f0t_tagger_run(&results, tagger, &input, NULL, NULL));
    assert_int_equal(results->failed, 2);
    assert_non_null(strstr(results->items[1].error, "picture 2"));
    f0t_tag_results_free(results);
    input.names = (const char *const[]){"upload-7.jpg", "upload-8.jpg"};
    assert_ok(f0t_tagger_run(&results, tagger, &input, NULL, NULL));
    assert_non_null(strstr(results->items[1].error, "upload-8.jpg"));
    f0t_tag_results_free(results);
    memcpy(rows, features, sizeof rows);
    rows[T_FEATURES + 5] = NAN;
    input = (f0t_tag_input){.size = sizeof(f0t_tag_input), .count = 3, .features = rows};
    assert_ok(f0t_tagger_run(&results, tagger, &input, NULL, NULL));
    assert_int_equal(results->failed, 1);
    assert_int_equal(results->items[1].status, F0T_ERROR_NUMERIC);
    assert_string_equal(results->items[2].tags[0].tag, "blue");
    f0t_tag_results_free(results);
    strict.strict = true;
    assert_fails(F0T_ERROR_NUMERIC, "row 2",
                 f0t_tagger_run(&results, tagger, &input, &strict, NULL));
}

/* ---- One by one ------------------------------------------------------------------------------------- */

typedef struct seen {
    size_t count, most;
} seen;

static bool take(void *user, const f0t_tag_result *result)
{
    seen *s = user;
    assert_int_equal(result->input, s->count);
    return ++s->count < s->most;
}

static void results_come_in_order_until_the_caller_ends_it(void **state)
{
    const f0t_tag_input input = {.size = sizeof input, .count = T_COLOURS, .features = features};
    seen all = {.most = 100}, some = {.most = 2};
    volatile sig_atomic_t stopped = 1;
    const f0t_monitor monitor = {.stop = &stopped};
    const f0t_context context = {.threads = 1, .monitor = &monitor};
    (void)state;
    assert_ok(f0t_tagger_each(tagger, &input, NULL, take, &all, NULL));
    assert_int_equal(all.count, T_COLOURS);
    assert_fails(F0T_ERROR_INTERRUPTED, "ended by the caller after 2 of 4 images",
                 f0t_tagger_each(tagger, &input, NULL, take, &some, NULL));
    assert_int_equal(some.count, 2);
    all.count = 0;
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted after 0 of 4 images",
                 f0t_tagger_each(tagger, &input, NULL, take, &all, &context));
}

/* ---- Options ---------------------------------------------------------------------------------------- */

static void assert_first_tag(const f0t_tagger_options *options, size_t colour, const char *tag)
{
    f0t_tagger *other;
    f0t_tag_results *results;
    assert_ok(f0t_tagger_create(&other, model, options, NULL));
    assert_ok(f0t_tagger_run(&results, other,
                             &(f0t_tag_input){.size = sizeof(f0t_tag_input),
                                              .count = 1,
                                              .features = features + colour * T_FEATURES},
                             NULL, NULL));
    assert_string_equal(results->items[0].tags[0].tag, tag);
    f0t_tag_results_free(results);
    f0t_tagger_close(other);
}

static void other_words_are_ranked(void **state)
{
    f0t_tagger_options options = F0T_TAGGER_OPTIONS;
    f0t_tagger *other;
    f0t_vocab *vocab = words((const char *const[]){"navy", "crimson"}, 2, true);
    f0t_vocab *plain = words((const char *const[]){"navy", "crimson"}, 2, false);
    (void)state;
    options.vocab = vocab;
    assert_first_tag(&options, 0, "crimson");
    options.with_model_tags = true;
    assert_first_tag(&options, 1, "green");
    options = (f0t_tagger_options)F0T_TAGGER_OPTIONS;
    options.vocab = plain;
    assert_fails(F0T_ERROR_MISMATCH, "centred", f0t_tagger_create(&other, model, &options, NULL));
    assert_null(other);
    options.any_space = true;
    assert_first_tag(&options, 0, "crimson");
    options.with_model_tags = true;
    assert_first_tag(&options, 1, "green");
    options.any_space = false;
    assert_fails(F0T_ERROR_MISMATCH, "centred", f0t_tagger_create(&other, model, &options, NULL));
    options.size = 3;
    assert_fails(F0T_ERROR_ARGUMENT, "f0t_tagger_options.size",
                 f0t_tagger_create(&other, model, &options, NULL));
    f0t_vocab_free(vocab);
    f0t_vocab_free(plain);
}

static void another_backbone_is_refused(void **state)
{
    f0t_tagger_options options = F0T_TAGGER_OPTIONS;
    const char *path = colour_picture(0);
    const f0t_tag_input input = {.size = sizeof input, .count = 1, .paths = &path};
    f0t_tag_results *results;
    f0t_tagger *other;
    f0t_model *bare = colour_model(true);
    (void)state;
    options.backbone = "builtin";
    assert_fails(F0T_ERROR_MISMATCH, "another backbone",
                 f0t_tagger_create(&other, model, &options, NULL));
    assert_fails(F0T_ERROR_MISMATCH, "the backbone makes",
                 f0t_tagger_create(&other, bare, &options, NULL));
    options.backbone = network_write();
    assert_ok(f0t_tagger_create(&other, model, &options, NULL));
    f0t_tagger_close(other);
    assert_ok(f0t_tagger_create(&other, bare, &options, NULL));
    assert_ok(f0t_tagger_run(&results, other, &input, NULL, NULL));
    assert_string_equal(results->items[0].tags[0].tag, "red");
    f0t_tag_results_free(results);
    f0t_tagger_close(other);
    assert_ok(f0t_tagger_create(&other, bare, NULL, NULL));
    assert_fails(
        F0T_ERROR_ARGUMENT,
        "this tagger takes features only: it was made without a backbone, which makes them",
        f0t_tagger_run(&results, other, &input, NULL, NULL));
    f0t_tagger_close(other);
    options = (f0t_tagger_options)F0T_TAGGER_OPTIONS;
    options.features_only = true;
    assert_ok(f0t_tagger_create(&other, model, &options, NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "features only",
                 f0t_tagger_run(&results, other, &input, NULL, NULL));
    f0t_tagger_close(other);
    f0t_model_free(bare);
}

/* ---- Another device, keywords, faults ---------------------------------------------------------------- */

static void a_tagger_of_another_device_gives_the_same(void **state)
{
    const f0t_context context = {.threads = 1, .compute = &plain_compute};
    const f0t_tag_options options = two();
    const f0t_tag_input input = {.size = sizeof input, .count = T_COLOURS, .features = features};
    f0t_tag_results *ours, *plain;
    f0t_tagger *other;
    (void)state;
    plain_count = (plain_counts){0};
    assert_ok(f0t_tagger_create(&other, model, NULL, &context));
    assert_ok(f0t_tagger_run(&plain, other, &input, &options, NULL));
    assert_ok(f0t_tagger_run(&ours, tagger, &input, &options, NULL));
    assert_true(plain_count.products > 0 && plain_count.tops == 1);
    assert_colours(plain);
    for (size_t i = 0; i < T_COLOURS; i++)
        assert_true(fabsf(plain->items[i].tags[0].score - ours->items[i].tags[0].score) < 1e-4F);
    f0t_tag_results_free(ours);
    f0t_tag_results_free(plain);
    f0t_tagger_close(other);
    assert_int_equal(plain_count.allocs, plain_count.releases);
}

static void tags_become_keywords(void **state)
{
    const char *picture = colour_picture(1), *path;
    const f0t_tag_input input = {.size = sizeof input, .count = 1, .paths = &picture};
    f0t_tag_options one = two();
    f0t_tag_result bad = {.status = F0T_ERROR_FORMAT, .error = "is broken"};
    f0t_tag_results *results;
    f0t_sidecars *sidecars;
    bool changed;
    size_t size;
    (void)state;
    one.k = 1;
    assert_ok(f0t_sidecars_open(&sidecars, NULL));
    assert_ok(f0t_tagger_run(&results, tagger, &input, &one, NULL));
    assert_ok(f0t_tagger_write(&path, &changed, tagger, results->items, sidecars, picture));
    assert_true(changed);
    char *text = test_read(path, &size);
    assert_non_null(strstr(text, "<rdf:li>green</rdf:li>"));
    assert_null(strstr(text, "red"));
    f0t_free(text);
    assert_fails(F0T_ERROR_FORMAT, "is broken",
                 f0t_tagger_write(&path, &changed, tagger, &bad, sidecars, picture));
    f0t_tag_results_free(results);
    f0t_sidecars_close(sidecars);
}

static void features_come_by_themselves(void **state)
{
    const char *paths[] = {colour_picture(0), test_text("bad.png", "nothing"), colour_picture(2)};
    f0t_tag_input input = {.size = sizeof input, .count = 3, .paths = paths};
    static const float none[T_FEATURES];
    float rows[3 * T_FEATURES];
    f0t_tag_results *results;
    (void)state;
    assert_ok(f0t_tagger_features(rows, &results, tagger, &input, NULL));
    assert_memory_equal(rows, features, sizeof none);
    assert_memory_equal(rows + T_FEATURES, none, sizeof none);
    assert_memory_equal(rows + 2 * T_FEATURES, features + 2 * T_FEATURES, sizeof none);
    assert_int_equal(results->failed, 1);
    assert_int_equal(results->items[0].count, 0);
    assert_int_equal(results->items[1].status, F0T_ERROR_UNSUPPORTED);
    assert_non_null(strstr(results->items[1].error, "bad.png"));
    f0t_tag_results_free(results);
    input = (f0t_tag_input){.size = sizeof input, .count = 1, .features = features};
    assert_fails(F0T_ERROR_ARGUMENT,
                 "f0t_tag_input: features are made from pictures: paths or data",
                 f0t_tagger_features(rows, &results, tagger, &input, NULL));
    assert_null(results);
}

static void a_picture_with_more_pixels_than_allowed_fails(void **state)
{
    const char *path = colour_picture(0);
    const f0t_tag_input input = {.size = sizeof input, .count = 1, .paths = &path};
    f0t_tagger_options options = F0T_TAGGER_OPTIONS;
    f0t_tag_results *results;
    f0t_tagger *limited;
    (void)state;
    options.picture_seconds = 5;
    for (size_t less = 0; less < 2; less++) {
        options.picture_pixels = T_SIDE * T_SIDE - less;
        assert_ok(f0t_tagger_create(&limited, model, &options, NULL));
        assert_ok(f0t_tagger_run(&results, limited, &input, NULL, NULL));
        assert_int_equal(results->failed, less);
        if (less)
            assert_non_null(strstr(results->items[0].error, "has 8 x 8 pixels: at most 6.3e-05"));
        f0t_tag_results_free(results);
        f0t_tagger_close(limited);
    }
}

static f0t_status run_once(const f0t_tagger *with, const f0t_tag_input *input)
{
    f0t_tag_results *results = NULL;
    f0t_status status = f0t_tagger_run(&results, with, input, NULL, NULL);
    f0t_tag_results_free(results);
    return status;
}

static f0t_status features_once(const f0t_tagger *with, const char *const *paths)
{
    const f0t_tag_input input = {.size = sizeof input, .count = 1, .paths = paths};
    float row[T_FEATURES];
    f0t_tag_results *results;
    f0t_status status = f0t_tagger_features(row, &results, with, &input, NULL);
    f0t_tag_results_free(results);
    return status;
}

/* Pictures one by one: with several, the next is asked for early where there is memory for that. */
static f0t_status make_and_run(void *context)
{
    const char *const *paths = context;
    f0t_tagger *other = NULL;
    f0t_status status = f0t_tagger_open(&other, test_path("faults.f0t"), NULL, NULL);
    for (size_t i = 0; i < 2 && status == F0T_OK; i++)
        status = run_once(
            other, &(f0t_tag_input){.size = sizeof(f0t_tag_input), .count = 1, .paths = paths + i});
    if (status == F0T_OK)
        status = features_once(other, paths);
    if (status == F0T_OK)
        status = run_once(other, &(f0t_tag_input){.size = sizeof(f0t_tag_input),
                                                  .count = T_COLOURS,
                                                  .features = features});
    f0t_tagger_close(other);
    return status;
}

static void every_allocation_fails_in_turn(void **state)
{
    const char *paths[] = {colour_picture(0), test_text("bad.png", "nothing")};
    (void)state;
    assert_ok(f0t_model_save(model, test_path("faults.f0t")));
    test_threads(1);
    test_each_fault(F0T_FAULT_ALLOC, make_and_run, paths);
    test_threads(0);
}

/* ---- Tags that repeat each other -------------------------------------------------------------------- */

static f0t_tag_results *tag_reds(const f0t_tagger *of, double diverse, size_t k)
{
    const f0t_tag_input input = {.size = sizeof input, .count = 1, .features = features};
    f0t_tag_options options = F0T_TAG_OPTIONS;
    f0t_tag_results *results;
    options.k = k;
    options.diverse = diverse;
    assert_ok(f0t_tagger_run(&results, of, &input, &options, NULL));
    assert_int_equal(results->items[0].count, k);
    return results;
}

static void a_tag_like_one_before_it_gives_way_to_another(void **state)
{
    static const char *const names[] = {"red", "crimson", "green", "blue", "white"};
    f0t_tagger_options options = F0T_TAGGER_OPTIONS;
    f0t_tagger *reds;
    (void)state;
    f0t_vocab *vocab = words(names, 5, f0t_vocab_centred(f0t_model_vocab(model)));
    options.vocab = vocab;
    options.features_only = true;
    assert_ok(f0t_tagger_create(&reds, model, &options, NULL));
    f0t_tag_results *plain = tag_reds(reds, 0, 2), *diverse = tag_reds(reds, 2, 2),
                    *all = tag_reds(reds, 2, 5);
    assert_string_equal(plain->items[0].tags[0].tag, "crimson");
    assert_string_equal(plain->items[0].tags[1].tag, "red");
    assert_string_equal(diverse->items[0].tags[0].tag, "crimson");
    assert_string_not_equal(diverse->items[0].tags[1].tag, "red");
    assert_string_equal(diverse->items[0].tags[1].tag, all->items[0].tags[1].tag);
    assert_string_equal(all->items[0].tags[4].tag, "red"); /* with the score that it has */
    assert_true(all->items[0].tags[4].score == plain->items[0].tags[1].score);
    f0t_tag_results_free(plain);
    f0t_tag_results_free(diverse);
    f0t_tag_results_free(all);
    f0t_tagger_close(reds);
    f0t_vocab_free(vocab);
}

static void what_is_lost_is_not_negative(void **state)
{
    const f0t_tag_input input = {.size = sizeof input, .count = 1, .features = features};
    f0t_tag_options options = F0T_TAG_OPTIONS;
    f0t_tag_results *results;
    (void)state;
    options.diverse = -0.1;
    assert_fails(F0T_ERROR_ARGUMENT, "diverse is -0.1; 0 or more is expected",
                 f0t_tagger_run(&results, tagger, &input, &options, NULL));
    options.diverse = (double)NAN;
    assert_fails(F0T_ERROR_ARGUMENT, "diverse is",
                 f0t_tagger_run(&results, tagger, &input, &options, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tag_like_one_before_it_gives_way_to_another),
        cmocka_unit_test(what_is_lost_is_not_negative),
        cmocka_unit_test(paths_bytes_and_features_give_the_same),
        cmocka_unit_test(a_model_file_is_opened_and_rows_are_read_block_by_block),
        cmocka_unit_test(nothing_gives_nothing),
        cmocka_unit_test(a_bad_picture_does_not_fail_the_others),
        cmocka_unit_test(a_cache_changes_no_result),
        cmocka_unit_test(bad_bytes_have_a_name_and_bad_features_a_number),
        cmocka_unit_test(results_come_in_order_until_the_caller_ends_it),
        cmocka_unit_test(other_words_are_ranked),
        cmocka_unit_test(another_backbone_is_refused),
        cmocka_unit_test(a_tagger_of_another_device_gives_the_same),
        cmocka_unit_test(tags_become_keywords),
        cmocka_unit_test(features_come_by_themselves),
        cmocka_unit_test(a_picture_with_more_pixels_than_allowed_fails),
        cmocka_unit_test(every_allocation_fails_in_turn),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
