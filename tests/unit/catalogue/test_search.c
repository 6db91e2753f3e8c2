/* Finding in a catalogue whose directions, suggestions and tags are known. */
#include "fresh.h"

#include "base/kernels.h"
#include "base/random.h"
#include "catalogue/query.h"
#include "model/model.h"
#include "model/presence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIM = 4, DAY = 86400 };

/* A model that has learned "dog" and "beach"; its vectors have three words more. */
static const char *const words[] = {"dog", "beach", "zebra", "red", "car"};
static const float vectors[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0.6F, 0.8F};
static float mean[DIM] = {0, 0, 0.1F, 0.1F};
static f0t_blend blend = {.space = {.dim = DIM, .mean = mean}, .word_calibration = {1, -2}};
static f0t_model model = {.blend = &blend};
static const char *vectors_path;

static int start(void **state)
{
    (void)state;
    f0t_vectors *v;
    static char text[512];
    for (size_t i = 0; i < 5; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s %g %g %g %g\n", words[i],
                 (double)vectors[4 * i], (double)vectors[4 * i + 1], (double)vectors[4 * i + 2],
                 (double)vectors[4 * i + 3]);
    vectors_path = test_text("vectors.txt", text);
    if (f0t_vectors_open(&v, vectors_path, NULL, NULL) != F0T_OK)
        return -1;
    f0t_status status = f0t_vocab_create(&model.vocab, words, 2, v, NULL, NULL);
    f0t_vectors_close(v);
    if (status == F0T_OK)
        status = f0t_model_know_tags(&model, &(f0t_aliases){0});
    return status == F0T_OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    f0t_vocab_free(model.vocab);
    f0t_same_free(&model.same);
    return 0;
}

static f0t_catalogue *create(const char *name)
{
    f0t_catalogue *c = fresh_catalogue(name);
    assert_ok(f0t_catalogue_set_model(c, "/model", 7));
    return c;
}

typedef struct picture {
    const char *path, *keyword;
    int64_t taken;
    float dog, beach; /* confidences of suggestions; 0: none */
    float direction[DIM];
} picture;

/* Logits of "zebra" are the third number of the direction less 2, and a bit for the mean. */
static const picture pictures[] = {
    {"/a.jpg", NULL, 10 * DAY, 0.9F, 0.05F, {0, 0, 0, 0}},
    {"/b.jpg", NULL, 20 * DAY, 0.8F, 0.7F, {0, 0, 4, 0}},
    {"/c.jpg", "Dog", 30 * DAY, 0, 0.2F, {0, 0, 3.5F, 0}},
    {"/d.jpg", "holiday", 40 * DAY, 0.2F, 0.6F, {0, 0, 1, 0}},
    {"/e.jpg", NULL, F0T_NO_DATE, 0.4F, 0, {0, 0, -5, 0}},
};
enum { PICTURES = sizeof pictures / sizeof *pictures };

static int64_t put(f0t_catalogue *c, const picture *p, const char *path)
{
    const f0t_catalogue_keyword keyword = {.keyword = p->keyword, .source = F0T_KEYWORD_XMP};
    f0t_tag_score suggestions[2];
    f0t_catalogue_record r = F0T_CATALOGUE_RECORD;
    int64_t id;
    r.picture.path = path;
    r.picture.taken = p->taken;
    r.keywords = &keyword;
    r.keyword_count = p->keyword != NULL;
    r.suggestions = suggestions;
    if (p->dog > 0)
        suggestions[r.suggestion_count++] = (f0t_tag_score){.tag = "dog", .confidence = p->dog};
    if (p->beach > 0)
        suggestions[r.suggestion_count++] = (f0t_tag_score){.tag = "beach", .confidence = p->beach};
    r.direction = p->direction;
    r.direction_dim = DIM;
    assert_ok(f0t_catalogue_put(&id, c, &r));
    return id;
}

static f0t_catalogue *create_filled(void)
{
    f0t_catalogue *c = create("filled");
    for (size_t i = 0; i < PICTURES; i++)
        put(c, &pictures[i], pictures[i].path);
    return c;
}

static f0t_finder *open_finder(f0t_catalogue *c)
{
    f0t_finder *f;
    f0t_finder_options options = F0T_FINDER_OPTIONS;
    options.model = &model;
    options.vectors = vectors_path;
    assert_ok(f0t_finder_open(&f, c, &options, NULL));
    return f;
}

static f0t_find_results *find(f0t_finder *f, const char *text, const f0t_find_options *options)
{
    f0t_query *q = NULL;
    f0t_find_results *found;
    if (text)
        assert_ok(f0t_query_parse(&q, text));
    assert_ok(f0t_finder_run(&found, f, q, options, NULL));
    f0t_query_free(q);
    return found;
}

/* The letters of the pictures in their order, "+" where there are more; "*" after one that is tagged. */
static const char *letters(const f0t_find_results *found)
{
    static char text[64];
    size_t n = 0;
    for (size_t i = 0; i < found->count; i++) {
        text[n++] = found->items[i].path[1];
        if (found->items[i].tagged)
            text[n++] = '*';
    }
    if (found->more)
        text[n++] = '+';
    text[n] = '\0';
    return text;
}

static void assert_finds(f0t_finder *f, const char *query, const char *expected)
{
    f0t_find_results *found = find(f, query, NULL);
    assert_string_equal(letters(found), expected);
    f0t_find_results_free(found);
}

static void a_learned_word_is_ranked_by_suggestions_and_tags_are_certain(void **state)
{
    (void)state;
    f0t_catalogue *c = create_filled();
    f0t_finder *f = open_finder(c);
    f0t_find_results *found = find(f, "dog", NULL); /* the cut is a third of 0.9 */
    assert_string_equal(letters(found), "c*abe");
    assert_int_equal(found->word_count, 1);
    assert_string_equal(found->words[0].word, "dog");
    assert_int_equal(found->words[0].kind, F0T_FIND_LEARNED);
    assert_int_equal(found->words[0].tagged, 1);
    assert_float_equal(found->words[0].best, 0.9, 1e-6);
    assert_float_equal(found->words[0].cut, 0.3, 1e-6);
    assert_float_equal(found->items[0].confidence, 1, 0);
    assert_float_equal(found->items[1].confidence, 0.9, 1e-6);
    assert_true(isnan(found->items[0].similarity));
    f0t_find_results_free(found);
    f0t_finder_close(f);
    f0t_catalogue_close(c);
}

/* Three with the tag and three of one confidence: the latest first, those without a date last, then as they were found. */
static void equally_sure_pictures_are_in_the_order_of_their_dates(void **state)
{
    static const picture ties[] = {
        {"/a.jpg", "dog", 10 * DAY, 0, 0, {0}},      {"/b.jpg", NULL, 20 * DAY, 0.8F, 0, {0}},
        {"/c.jpg", "dog", 30 * DAY, 0.8F, 0, {0}},   {"/d.jpg", NULL, F0T_NO_DATE, 0.8F, 0, {0}},
        {"/e.jpg", "dog", F0T_NO_DATE, 0, 0, {0}},   {"/f.jpg", NULL, 40 * DAY, 0.8F, 0, {0}},
        {"/g.jpg", NULL, F0T_NO_DATE, 0.8F, 0, {0}},
    };
    f0t_catalogue *c = create("ties");
    (void)state;
    for (size_t i = 0; i < sizeof ties / sizeof *ties; i++)
        put(c, &ties[i], ties[i].path);
    f0t_finder *f = open_finder(c);
    assert_finds(f, "dog", "c*a*e*fbdg");
    f0t_finder_close(f);
    f0t_catalogue_close(c);
}

static void a_new_word_is_ranked_along_directions(void **state)
{
    (void)state;
    f0t_catalogue *c = create_filled();
    f0t_finder *f = open_finder(c);
    f0t_find_results *found = find(f, "zebra", NULL);
    assert_string_equal(letters(found), "bc");
    assert_int_equal(found->words[0].kind, F0T_FIND_NEW);
    const double logit = 4 * 0.9 - 2; /* 4 along the vector less the mean, and the shift */
    const float confidence = (float)(F0T_PRESENCE_SUREST / (1 + exp(-logit)));
    assert_float_equal(found->items[0].confidence, confidence, 1e-6);
    assert_float_equal(found->items[0].words[0], confidence, 1e-6);
    f0t_find_results_free(found);
    f0t_find_options all = F0T_FIND_OPTIONS;
    all.nearest = true;
    found = find(f, "zebra", &all);
    assert_string_equal(letters(found), "bcdae");
    assert_true(isnan(found->words[0].cut));
    f0t_find_results_free(found);
    all.k = 2;
    found = find(f, "zebra", &all);
    assert_string_equal(letters(found), "bc+");
    f0t_find_results_free(found);
    all = (f0t_find_options)F0T_FIND_OPTIONS;
    all.confidence = 0.41;
    found = find(f, "zebra", &all);
    assert_string_equal(letters(found), "b");
    f0t_find_results_free(found);
    f0t_finder_close(f);
    f0t_catalogue_close(c);
}

static void all_words_hold_and_none_with_a_minus(void **state)
{
    (void)state;
    f0t_catalogue *c = create_filled();
    f0t_finder *f = open_finder(c);
    assert_finds(f, "beach", "bd"); /* c has 0.2, below a third of 0.7 */
    assert_finds(f, "beach dog", "b");
    assert_finds(f, "dog zebra", "cb");
    assert_finds(f, "dog -zebra", "ae");
    assert_finds(f, "-dog", "d");
    assert_finds(f, "-dog -beach", "");
    f0t_finder_close(f);
    f0t_catalogue_close(c);
}

static void a_word_that_is_left_out_changes_nothing(void **state)
{
    (void)state;
    f0t_catalogue *c = create_filled();
    f0t_finder *f = open_finder(c);
    f0t_find_results *found = find(f, "dog with beach", NULL), *none;
    f0t_query *alone;
    assert_string_equal(letters(found), "b");
    assert_int_equal(found->word_count, 3);
    assert_string_equal(found->words[1].word, "with");
    assert_int_equal(found->words[1].kind, F0T_FIND_LEFT_OUT);
    assert_false(found->words[1].without);
    assert_true(isnan(found->words[1].cut) && isnan(found->words[1].best));
    assert_true(isnan(found->items[0].words[1]));
    assert_float_equal(found->items[0].confidence, 0.8F * 0.7F, 1e-6);
    f0t_find_results_free(found);
    assert_finds(f, "zebra on the", "bc");
    assert_finds(f, "-zebra in date:1970", "da");
    assert_ok(f0t_query_parse(&alone, "with"));
    assert_fails(F0T_ERROR_NOT_FOUND, "'with' is neither a tag nor learned",
                 f0t_finder_run(&none, f, alone, NULL, NULL));
    f0t_query_free(alone);
    f0t_finder_close(f);
    f0t_catalogue_close(c);
}

static void tags_and_dates_are_filters(void **state)
{
    (void)state;
    f0t_catalogue *c = create_filled();
    f0t_finder *f = open_finder(c);
    assert_finds(f, "tag:DOG", "c");
    assert_finds(f, "-tag:dog", "dbae");
    assert_finds(f, "is:untagged", "bae");
    assert_finds(f, "before:1970-01-21", "a");
    assert_finds(f, "after:1970-01-21", "dc");
    assert_finds(f, "date:1970-01-21..1970-01-31", "cb");
    assert_finds(f, "-before:1971", "e");
    assert_finds(f, "dog before:1970-01-25", "ab");
    assert_finds(f, "beach tag:holiday", "d");
    assert_finds(f, "tag:nobody", "");
    f0t_finder_close(f);
    f0t_catalogue_close(c);
}

static void decisions_count(void **state)
{
    (void)state;
    f0t_catalogue *c = create_filled();
    f0t_finder *f = open_finder(c);
    assert_ok(f0t_catalogue_decide(c, 1, "dog", F0T_REJECTED, "me"));
    assert_ok(f0t_catalogue_decide(c, 5, "zebra", F0T_ACCEPTED, "me"));
    assert_finds(f, "dog", "c*be");
    assert_finds(f, "zebra", "e*bc");
    assert_ok(f0t_catalogue_decide(c, 2, "zebra", F0T_REJECTED, "me"));
    assert_finds(f, "zebra", "e*c");
    f0t_finder_close(f);
    f0t_catalogue_close(c);
}

/* The model is surest of pictures that it learned the word from: they would hide the others. */
static void the_cut_is_that_of_pictures_that_nobody_decided_about(void **state)
{
    (void)state;
    static const picture learned_from[] = {
        {"/t.jpg", "beach", 0, 0, 0.95F, {0, 0, -5, 0}}, {"/r.jpg", NULL, 0, 0, 0.9F, {0, 0, 7, 0}},
        {"/u.jpg", NULL, 0, 0, 0.22F, {0, 0, -5, 0}},    {"/z.jpg", "zebra", 0, 0, 0, {0, 0, 8, 0}},
        {"/v.jpg", NULL, 0, 0, 0, {0, 0, 1.4F, 0}},
    };
    f0t_catalogue *c = create("learned-from");
    for (size_t i = 0; i < 5; i++)
        put(c, &learned_from[i], learned_from[i].path);
    assert_ok(f0t_catalogue_decide(c, 2, "beach", F0T_REJECTED, "me"));
    assert_ok(f0t_catalogue_decide(c, 2, "zebra", F0T_REJECTED, "me"));
    f0t_finder *f = open_finder(c);
    assert_finds(f, "beach is:untagged", "u");
    assert_finds(f, "beach", "t*u");
    assert_finds(f, "zebra is:untagged", "v");
    f0t_finder_close(f);
    f0t_catalogue_close(c);
}

static void what_is_like_a_picture(void **state)
{
    (void)state;
    f0t_catalogue *c = create_filled();
    f0t_finder *f = open_finder(c);
    f0t_find_options options = F0T_FIND_OPTIONS;
    options.like = "/b.jpg";
    f0t_find_results *found = find(f, NULL, &options);
    assert_string_equal(letters(found), "cdae"); /* along the one dimension, from the mean */
    assert_float_equal(found->items[0].similarity, 1, 1e-6);
    assert_float_equal(found->items[3].similarity, -1, 1e-6);
    f0t_find_results_free(found);
    found = find(f, "dog", &options);
    assert_string_equal(letters(found), "c*ae");
    f0t_find_results_free(found);
    options.like = "/nowhere.jpg";
    assert_fails(F0T_ERROR_NOT_FOUND, "not in the catalogue",
                 f0t_finder_run(&found, f, NULL, &options, NULL));
    f0t_finder_close(f);
    f0t_catalogue_close(c);
}

static void words_that_mean_nothing_fail(void **state)
{
    (void)state;
    f0t_catalogue *c = create_filled();
    f0t_finder *f = open_finder(c), *bare;
    f0t_query *q;
    f0t_find_results *found;
    f0t_finder_options options = F0T_FINDER_OPTIONS;
    assert_ok(f0t_query_parse(&q, "zebbra"));
    assert_fails(F0T_ERROR_NOT_FOUND, "has no vector; did you mean 'zebra'?",
                 f0t_finder_run(&found, f, q, NULL, NULL));
    assert_null(found);
    f0t_query_free(q);
    options.model = &model;
    assert_ok(f0t_finder_open(&bare, c, &options, NULL));
    assert_ok(f0t_query_parse(&q, "zebra"));
    assert_fails(F0T_ERROR_NOT_FOUND, "find --vectors",
                 f0t_finder_run(&found, bare, q, NULL, NULL));
    f0t_query_free(q);
    assert_finds(bare, "holiday", "d*"); /* a tag, without a vector */
    assert_fails(F0T_ERROR_ARGUMENT, "query is NULL", f0t_finder_run(&found, f, NULL, NULL, NULL));
    f0t_finder_close(bare);
    f0t_finder_close(f);
    f0t_catalogue_close(c);
}

static void what_changes_in_the_catalogue_is_seen(void **state)
{
    (void)state;
    f0t_catalogue *c = create_filled();
    f0t_finder *f = open_finder(c);
    picture moved = pictures[0];
    assert_finds(f, "zebra", "bc");
    moved.direction[2] = 9;
    put(c, &moved, "/a.jpg");
    assert_finds(f, "zebra", "abc");
    put(c, &moved, "/f.jpg");
    assert_finds(f, "zebra", "afbc");
    f0t_finder_close(f);
    f = open_finder(c);
    assert_finds(f, "zebra", "afbc"); /* from the file beside it */
    f0t_finder_close(f);
    f0t_catalogue_close(c);
    char beside[4096];
    snprintf(beside, sizeof beside, "%s.directions", test_path("filled"));
    assert_int_equal(access(beside, R_OK), 0);
    assert_int_equal(truncate(beside, 100), 0); /* damaged: it is made again */
    f0t_catalogue_options write = F0T_CATALOGUE_OPTIONS;
    assert_ok(f0t_catalogue_open(&c, test_path("filled"), &write));
    f = open_finder(c);
    assert_finds(f, "zebra", "afbc");
    f0t_finder_close(f);
    f0t_catalogue_close(c);
}

static void the_vectors_are_remembered(void **state)
{
    (void)state;
    f0t_catalogue *c = create_filled();
    f0t_finder *f;
    f0t_finder_options options = F0T_FINDER_OPTIONS;
    assert_null(f0t_catalogue_vectors(c));
    assert_ok(f0t_catalogue_set_vectors(c, vectors_path));
    assert_string_equal(f0t_catalogue_vectors(c), vectors_path);
    options.model = &model;
    assert_ok(f0t_finder_open(&f, c, &options, NULL));
    assert_finds(f, "zebra", "bc");
    f0t_finder_close(f);
    f0t_catalogue_close(c);
}

/* ---- Against all products ------------------------------------------------------------------------------ */

enum { MANY = 600 };

typedef struct scored {
    float score;
    int64_t id;
} scored;

static int by_score(const void *left, const void *right)
{
    const scored *a = left, *b = right;
    return a->score != b->score ? (a->score < b->score ? 1 : -1)
                                : (a->id > b->id) - (a->id < b->id);
}

/* Numbers of a quarter each: many directions are the same, and float16 has them all. */
static void draw_direction(float *to, uint64_t seed, size_t i)
{
    const f0t_random random = {.seed = seed, .stream = i};
    for (size_t d = 0; d < DIM; d++)
        to[d] = (float)((double)f0t_random_below(&random, d, 9) - 4) / (seed % 2 ? 1 : 4) * 4;
}

static void what_is_found_is_what_all_products_give(void **state)
{
    (void)state;
    static scored all[MANY];
    const float query[DIM] = {0 - mean[0], 0 - mean[1], 0.6F - mean[2], 0.8F - mean[3]};
    for (uint64_t seed = 0; seed < 4; seed++) {
        f0t_catalogue *c = create("many");
        f0t_find_options options = F0T_FIND_OPTIONS;
        assert_ok(f0t_catalogue_begin(c));
        for (size_t i = 0; i < MANY; i++) {
            char path[32];
            picture p = {.taken = F0T_NO_DATE};
            snprintf(path, sizeof path, "/%zu.jpg", i);
            draw_direction(p.direction, seed, i);
            all[i].id = put(c, &p, path);
            all[i].score = (float)f0t_kernels()->exact_product(p.direction, query, DIM);
        }
        assert_ok(f0t_catalogue_commit(c));
        qsort(all, MANY, sizeof *all, by_score);
        f0t_finder *f = open_finder(c);
        options.nearest = seed < 2;
        options.k = seed % 2 ? MANY : 50;
        f0t_find_results *found = find(f, "car", &options);
        const double best = 1 / (1 + exp(2 - (double)all[0].score));
        for (size_t i = 0; i < found->count; i++)
            assert_int_equal(found->items[i].id, all[i].id);
        if (options.nearest)
            assert_int_equal(found->count, options.k);
        else
            for (size_t i = 0; i < MANY && i < options.k; i++)
                assert_int_equal(i < found->count, 1 / (1 + exp(2 - (double)all[i].score)) >=
                                                       (double)(float)fmax(0.1, best / 3));
        f0t_find_results_free(found);
        f0t_finder_close(f);
        f0t_catalogue_close(c);
    }
}

static f0t_status find_once(void *catalogue)
{
    f0t_finder *f = NULL;
    f0t_query *q = NULL;
    f0t_find_results *found = NULL;
    f0t_finder_options options = F0T_FINDER_OPTIONS;
    options.model = &model;
    options.vectors = vectors_path;
    f0t_status status = f0t_finder_open(&f, catalogue, &options, NULL);
    if (status == F0T_OK)
        status = f0t_query_parse(&q, "dog zebra -\"red car\" -tag:holiday before:2000");
    if (status == F0T_OK)
        status = f0t_finder_run(&found, f, q, NULL, NULL);
    f0t_find_results_free(found);
    f0t_query_free(q);
    f0t_finder_close(f);
    return status;
}

static void every_failed_allocation_is_an_error(void **state)
{
    (void)state;
    f0t_catalogue *c = create_filled();
    test_each_fault(F0T_FAULT_ALLOC, find_once, c);
    f0t_catalogue_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_learned_word_is_ranked_by_suggestions_and_tags_are_certain),
        cmocka_unit_test(equally_sure_pictures_are_in_the_order_of_their_dates),
        cmocka_unit_test(a_new_word_is_ranked_along_directions),
        cmocka_unit_test(all_words_hold_and_none_with_a_minus),
        cmocka_unit_test(a_word_that_is_left_out_changes_nothing),
        cmocka_unit_test(tags_and_dates_are_filters),
        cmocka_unit_test(decisions_count),
        cmocka_unit_test(the_cut_is_that_of_pictures_that_nobody_decided_about),
        cmocka_unit_test(what_is_like_a_picture),
        cmocka_unit_test(words_that_mean_nothing_fail),
        cmocka_unit_test(what_changes_in_the_catalogue_is_seen),
        cmocka_unit_test(the_vectors_are_remembered),
        cmocka_unit_test(what_is_found_is_what_all_products_give),
        cmocka_unit_test(every_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
