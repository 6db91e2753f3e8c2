/* Pictures, their tags and decisions: what is put is what is read. */
#include "fresh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int64_t put(f0t_catalogue *c, const char *path, int64_t taken, const char *keyword,
                   const char *suggestion)
{
    int64_t id;
    const f0t_catalogue_keyword given = {.keyword = keyword, .source = F0T_KEYWORD_IPTC};
    const f0t_tag_score score = {.tag = suggestion, .confidence = 0.75F};
    f0t_catalogue_record record = F0T_CATALOGUE_RECORD;
    record.picture.path = path;
    record.picture.taken = taken;
    record.keywords = &given;
    record.keyword_count = keyword != NULL;
    record.suggestions = &score;
    record.suggestion_count = suggestion != NULL;
    assert_ok(f0t_catalogue_put(&id, c, &record));
    return id;
}

/* The paths that a query gives, one after the other. */
static const char *list(f0t_catalogue *c, const f0t_catalogue_query *query)
{
    static char text[256];
    f0t_catalogue_pictures *pictures;
    f0t_catalogue_query all = *query;
    size_t count;
    text[0] = '\0';
    assert_ok(f0t_catalogue_list(&pictures, c, query));
    for (size_t i = 0; i < pictures->count; i++)
        strcat(text, pictures->items[i].path);
    if (!query->after && !query->limit) {
        assert_ok(f0t_catalogue_count(&count, c, &all));
        assert_int_equal(count, pictures->count);
    }
    f0t_catalogue_pictures_free(pictures);
    return text;
}

/* "tag source confidence decision written" of each tag of a picture. */
static const char *show(f0t_catalogue *c, int64_t id)
{
    static char text[1024];
    f0t_catalogue_tags *tags;
    size_t length = 0;
    text[0] = '\0';
    assert_ok(f0t_catalogue_get_tags(&tags, c, id));
    for (size_t i = 0; i < tags->count; i++) {
        const f0t_catalogue_tag *t = &tags->items[i];
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %d %g %d %d",
                                   i ? ", " : "", t->place ? t->place : t->tag, (int)t->source,
                                   isnan(t->confidence) ? -1 : (double)t->confidence,
                                   (int)t->decision, t->written);
        assert_true((t->who != NULL) == (t->decision != F0T_UNDECIDED));
    }
    f0t_catalogue_tags_free(tags);
    return text;
}

static void test_a_record_comes_back(void **state)
{
    f0t_catalogue *c = fresh_catalogue("catalogue");
    f0t_catalogue_pictures *got;
    const f0t_catalogue_keyword keywords[] = {{"dog", F0T_KEYWORD_XMP},
                                              {"animals|dog", F0T_KEYWORD_SIDECAR},
                                              {"x' OR 1; DROP TABLE tags; --", F0T_KEYWORD_SVG},
                                              {"", F0T_KEYWORD_XMP}};
    const f0t_tag_score suggestions[] = {{.tag = "dog", .confidence = 0.5F},
                                         {.tag = "b\"each", .confidence = 0.25F},
                                         {.tag = "cat", .confidence = 1}};
    const float features[] = {1, -0.5F, 65504, 0}, direction[] = {0.25F, 2};
    float room[4];
    const void *data;
    size_t size;
    int64_t id;
    f0t_catalogue_record r = {.size = sizeof r,
                              .picture = {.path = "/'quoted'\n\xFF.jpg",
                                          .bytes = UINT64_C(1) << 40,
                                          .mtime = -5,
                                          .hash = UINT64_MAX,
                                          .sidecars = 3,
                                          .taken = 1000,
                                          .width = 4000,
                                          .height = 3000},
                              .keywords = keywords,
                              .keyword_count = 4,
                              .thumbnail = "\xFF\xD8\0\0",
                              .thumbnail_size = 4,
                              .features = features,
                              .dim = 4,
                              .direction = direction,
                              .direction_dim = 2,
                              .suggestions = suggestions,
                              .suggestion_count = 3};
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "no backbone", f0t_catalogue_put(&id, c, &r));
    assert_ok(f0t_catalogue_set_backbone(c, "{}"));
    assert_fails(F0T_ERROR_ARGUMENT, "no model", f0t_catalogue_put(&id, c, &r));
    assert_ok(f0t_catalogue_set_model(c, "/m.f0t", 1));
    assert_ok(f0t_catalogue_put(&id, c, &r));
    assert_ok(f0t_catalogue_get(&got, c, id));
    const f0t_catalogue_picture *p = got->items;
    assert_string_equal(p->path, r.picture.path);
    assert_true(p->bytes == r.picture.bytes && p->mtime == -5 && p->hash == UINT64_MAX);
    assert_true(p->sidecars == 3 && p->taken == 1000 && p->width == 4000 && p->height == 3000);
    assert_null(p->error);
    f0t_catalogue_pictures_free(got);
    assert_string_equal(show(c, id),
                        "animals|dog 1 0.5 0 0, x' OR 1; DROP TABLE tags; -- 3 -1 0 0, "
                        "cat 0 1 0 0, b\"each 0 0.25 0 0");
    assert_ok(f0t_catalogue_get_thumbnail(&data, &size, c, id));
    assert_int_equal(size, 4);
    assert_memory_equal(data, "\xFF\xD8\0\0", 4);
    assert_ok(f0t_catalogue_get_features(room, &size, 4, c, id));
    assert_int_equal(size, 4);
    assert_memory_equal(room, features, sizeof features);
    assert_fails(F0T_ERROR_ARGUMENT, "room for 3",
                 f0t_catalogue_get_features(room, &size, 3, c, id));
    assert_ok(f0t_catalogue_get_direction(room, &size, 4, c, id));
    assert_int_equal(size, 2);
    assert_ok(f0t_catalogue_set_model(c, "/n.f0t", 2)); /* another space */
    assert_ok(f0t_catalogue_get_direction(room, &size, 4, c, id));
    assert_int_equal(size, 0);
    f0t_catalogue_close(c);
}

static void test_a_picture_that_is_put_again_keeps_decisions(void **state)
{
    f0t_catalogue *c = fresh_catalogue("catalogue");
    f0t_catalogue_record r = F0T_CATALOGUE_RECORD;
    const int64_t id = put(c, "/a.jpg", 1, "dog", "cat");
    int64_t again;
    (void)state;
    assert_ok(f0t_catalogue_decide(c, id, "cat", F0T_REJECTED, "me"));
    assert_int_equal(put(c, "/a.jpg", 2, "sea", "sky"), id);
    assert_string_equal(show(c, id), "sea 2 -1 0 0, cat 0 -1 2 0, sky 0 0.75 0 0");
    r.picture.path = "/moved.jpg";
    r.picture.id = id;
    r.picture.state = F0T_PICTURE_UNREADABLE;
    r.picture.error = "why";
    assert_ok(f0t_catalogue_put(&again, c, &r));
    assert_int_equal(again, id);
    assert_string_equal(show(c, id), "cat 0 -1 2 0");
    r.picture.id = 99;
    assert_fails(F0T_ERROR_NOT_FOUND, "no picture 99", f0t_catalogue_put(&again, c, &r));
    f0t_catalogue_close(c);
}

static void test_wrong_records_are_refused(void **state)
{
    f0t_catalogue *c = fresh_catalogue("catalogue");
    char tag[F0T_TAG_SIZE + 1];
    f0t_catalogue_record r = F0T_CATALOGUE_RECORD;
    f0t_tag_score score = {.tag = "dog", .confidence = NAN};
    const float huge[] = {1e6F};
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "not absolute", f0t_catalogue_put(NULL, c, &r));
    r.picture.path = "a.jpg";
    assert_fails(F0T_ERROR_ARGUMENT, "not absolute", f0t_catalogue_put(NULL, c, &r));
    r.picture.path = "/a.jpg";
    r.suggestions = &score;
    r.suggestion_count = 1;
    assert_fails(F0T_ERROR_ARGUMENT, "confidence of 'dog'", f0t_catalogue_put(NULL, c, &r));
    score = (f0t_tag_score){.tag = "", .confidence = 0.5F};
    assert_fails(F0T_ERROR_ARGUMENT, "empty", f0t_catalogue_put(NULL, c, &r));
    memset(tag, 'a', F0T_TAG_SIZE);
    tag[F0T_TAG_SIZE] = '\0';
    score.tag = tag;
    assert_fails(F0T_ERROR_ARGUMENT, "more than 1023 bytes", f0t_catalogue_put(NULL, c, &r));
    r.suggestion_count = 0;
    r.features = huge;
    r.dim = 1;
    assert_ok(f0t_catalogue_set_backbone(c, "{}"));
    assert_fails(F0T_ERROR_NUMERIC, "hold 1e+06", f0t_catalogue_put(NULL, c, &r));
    f0t_catalogue_close(c);
}

static void test_pictures_are_found(void **state)
{
    f0t_catalogue *c = fresh_catalogue("catalogue");
    f0t_catalogue_pictures *got;
    (void)state;
    put(c, "/a/1", 10, NULL, NULL);
    assert_ok(f0t_catalogue_find_path(&got, c, "/a/1"));
    assert_int_equal(got->count, 1);
    f0t_catalogue_pictures_free(got);
    assert_fails(F0T_ERROR_NOT_FOUND, "fast0tag index adds it",
                 f0t_catalogue_find_path(&got, c, "/a/2"));
    assert_fails(F0T_ERROR_NOT_FOUND, "no picture 7", f0t_catalogue_get(&got, c, 7));
    f0t_catalogue_close(c);
}

/* It may be there: what its name leads to is not known. */
static void test_a_path_that_leads_nowhere_is_told(void **state)
{
    f0t_catalogue *c = fresh_catalogue("loop.f0c");
    f0t_catalogue_pictures *got;
    (void)state;
    unlink(test_path("loop"));
    assert_int_equal(symlink("loop", test_path("loop")), 0);
    assert_fails(F0T_ERROR_IO, "loop: cannot be looked at",
                 f0t_catalogue_find_path(&got, c, test_path("loop")));
    put(c, test_path("loop"), 10, NULL, NULL); /* it is known by this name, whatever it is now */
    assert_ok(f0t_catalogue_find_path(&got, c, test_path("loop")));
    f0t_catalogue_pictures_free(got);
    f0t_catalogue_close(c);
}

#define QUERY(...) \
    (&(f0t_catalogue_query){.size = sizeof(f0t_catalogue_query), NO_DATES, __VA_ARGS__})
#define NO_DATES .from = F0T_NO_DATE, .before = F0T_NO_DATE

static void test_queries(void **state)
{
    f0t_catalogue *c = fresh_catalogue("catalogue");
    f0t_catalogue_pictures *page;
    f0t_catalogue_query dates = F0T_CATALOGUE_QUERY, before = F0T_CATALOGUE_QUERY;
    (void)state;
    dates.from = 10;
    dates.before = before.before = 30;
    const int64_t a = put(c, "/a/1", 10, "dog", "sea"), b = put(c, "/a/2", 30, NULL, "sea"),
                  d = put(c, "/a0", F0T_NO_DATE, NULL, NULL), e = put(c, "/b", 20, "cat", "dog");
    assert_string_equal(list(c, QUERY(.limit = 0)), "/a/1/a/2/a0/b");
    assert_string_equal(list(c, QUERY(.order = F0T_ORDER_DATE)), "/a/2/b/a/1/a0");
    assert_string_equal(list(c, QUERY(.order = F0T_ORDER_DATE, .after = b, .limit = 2)), "/b/a/1");
    assert_string_equal(list(c, QUERY(.order = F0T_ORDER_DATE, .after = a)), "/a0");
    assert_string_equal(list(c, QUERY(.order = F0T_ORDER_PATH, .after = d)), "/b");
    assert_string_equal(list(c, QUERY(.after = b, .limit = 1)), "/a0");
    assert_string_equal(list(c, QUERY(.folder = "/a")), "/a/1/a/2");
    assert_string_equal(list(c, QUERY(.folder = "/a/")), "/a/1/a/2");
    assert_string_equal(list(c, QUERY(.folder = "/")), "/a/1/a/2/a0/b");
    assert_string_equal(list(c, QUERY(.tag = "dog")), "/a/1");
    assert_string_equal(list(c, QUERY(.tag = "' OR 1 --")), "");
    assert_string_equal(list(c, QUERY(.suggested = "sea")), "/a/1/a/2");
    assert_string_equal(list(c, QUERY(.suggested = "sea", .confidence = 0.8)), "");
    assert_string_equal(list(c, QUERY(.untagged = true)), "/a/2/a0");
    assert_string_equal(list(c, QUERY(.undecided = true)), "/a/1/a/2/b");
    assert_string_equal(list(c, &dates), "/a/1/b");
    assert_string_equal(list(c, &before), "/a/1/b");
    assert_ok(f0t_catalogue_decide(c, b, "sea", F0T_ACCEPTED, "me"));
    assert_ok(f0t_catalogue_decide(c, e, "dog", F0T_REJECTED, "me"));
    assert_string_equal(list(c, QUERY(.tag = "sea")), "/a/2");
    assert_string_equal(list(c, QUERY(.untagged = true)), "/a0");
    assert_string_equal(list(c, QUERY(.undecided = true)), "/a/1");
    assert_string_equal(list(c, QUERY(.suggested = "dog")), "");
    assert_fails(F0T_ERROR_ARGUMENT, "no order 9", f0t_catalogue_list(&page, c, QUERY(.order = 9)));
    f0t_catalogue_close(c);
}

static void test_decisions_can_be_taken_back(void **state)
{
    f0t_catalogue *c = fresh_catalogue("catalogue");
    f0t_catalogue_undone undone;
    (void)state;
    const int64_t a = put(c, "/a", 1, NULL, "sea");
    assert_ok(f0t_catalogue_decide(c, a, "sea", F0T_ACCEPTED, "me"));
    assert_ok(f0t_catalogue_decide(c, a, "sea", F0T_REJECTED, "you"));
    assert_ok(f0t_catalogue_decide(c, a, "new", F0T_ACCEPTED, "me"));
    assert_string_equal(show(c, a), "sea 0 0.75 2 0, new 0 -1 1 0");
    assert_ok(f0t_catalogue_undo(&undone, c, "me"));
    assert_true(undone.picture == a && undone.was == F0T_ACCEPTED && undone.is == F0T_UNDECIDED);
    assert_string_equal(undone.tag, "new");
    assert_ok(f0t_catalogue_undo(&undone, c, "me")); /* yours is later, and stays */
    assert_string_equal(undone.tag, "sea");
    assert_true(undone.is == F0T_REJECTED);
    assert_string_equal(show(c, a), "sea 0 0.75 2 0");
    assert_ok(f0t_catalogue_undo(&undone, c, "me"));
    assert_true(undone.picture == 0);
    assert_ok(f0t_catalogue_decide(c, a, "sea", F0T_UNDECIDED, "me"));
    assert_string_equal(show(c, a), "sea 0 0.75 0 0");
    assert_ok(f0t_catalogue_undo(&undone, c, NULL));
    assert_string_equal(show(c, a), "sea 0 0.75 2 0");
    assert_ok(f0t_catalogue_undo(&undone, c, NULL));
    assert_string_equal(show(c, a), "sea 0 0.75 0 0");
    assert_fails(F0T_ERROR_ARGUMENT, "empty", f0t_catalogue_decide(c, a, "", F0T_ACCEPTED, "me"));
    assert_fails(F0T_ERROR_ARGUMENT, "no decision", f0t_catalogue_decide(c, a, "x", 9, "me"));
    f0t_catalogue_close(c);
}

static void test_decisions_of_one_begin_are_taken_back_together(void **state)
{
    f0t_catalogue *c = fresh_catalogue("catalogue");
    f0t_catalogue_undone undone;
    (void)state;
    const int64_t a = put(c, "/a", 1, NULL, "sea"), b = put(c, "/b", 2, NULL, "dog");
    assert_ok(f0t_catalogue_decide(c, a, "sea", F0T_REJECTED, "me"));
    assert_ok(f0t_catalogue_begin(c));
    assert_ok(f0t_catalogue_decide(c, a, "sea", F0T_ACCEPTED, "me"));
    assert_fails(F0T_ERROR_ARGUMENT, "empty", f0t_catalogue_decide(c, a, "", F0T_ACCEPTED, "me"));
    assert_ok(f0t_catalogue_decide(c, b, "dog", F0T_ACCEPTED, "me"));
    assert_ok(f0t_catalogue_decide(c, b, "sky", F0T_ACCEPTED, "you"));
    assert_ok(f0t_catalogue_decide(c, b, "dog", F0T_REJECTED, "me"));
    assert_ok(f0t_catalogue_commit(c));
    assert_ok(f0t_catalogue_decide(c, b, "new", F0T_ACCEPTED, "me"));
    assert_ok(f0t_catalogue_undo(&undone, c, "me"));
    assert_true(undone.picture == b && undone.count == 1);
    assert_ok(f0t_catalogue_undo(&undone, c, "me"));
    assert_true(undone.picture == a && undone.count == 3 && undone.was == F0T_ACCEPTED);
    assert_true(undone.is == F0T_REJECTED);
    assert_string_equal(undone.tag, "sea");
    assert_string_equal(show(c, a), "sea 0 0.75 2 0");
    assert_string_equal(show(c, b), "sky 0 -1 1 0, dog 0 0.75 0 0");
    assert_ok(f0t_catalogue_undo(&undone, c, "me"));
    assert_true(undone.picture == a && undone.count == 1);
    assert_ok(f0t_catalogue_undo(&undone, c, "me"));
    assert_true(undone.picture == 0 && undone.count == 0);
    f0t_catalogue_close(c);
}

static void test_what_was_written_is_known(void **state)
{
    f0t_catalogue *c = fresh_catalogue("catalogue");
    const char *tags[] = {"sea", "sky", "sea"};
    (void)state;
    const int64_t a = put(c, "/a", 1, NULL, "sea");
    assert_ok(f0t_catalogue_set_written(c, a, tags, 3));
    assert_string_equal(show(c, a), "sea 0 0.75 0 1, sky 0 -1 0 1");
    assert_ok(f0t_catalogue_set_written(c, a, NULL, 0));
    assert_string_equal(show(c, a), "sea 0 0.75 0 0");
    f0t_catalogue_close(c);
}

static void test_words(void **state)
{
    f0t_catalogue *c = fresh_catalogue("catalogue");
    f0t_catalogue_words *words;
    (void)state;
    const int64_t a = put(c, "/a", 1, "Sea", "sun");
    put(c, "/b", 1, "Sea", "s%n");
    put(c, "/c", 1, "dog", NULL);
    assert_ok(f0t_catalogue_decide(c, a, "Sea", F0T_ACCEPTED, "me")); /* counts once */
    assert_ok(f0t_catalogue_decide(c, a, "sun", F0T_ACCEPTED, "me"));
    assert_ok(f0t_catalogue_decide(c, a, "unused", F0T_REJECTED, "me"));
    assert_ok(f0t_catalogue_get_words(&words, c, "s", 0));
    assert_int_equal(words->count, 3);
    assert_string_equal(words->items[0].tag, "Sea");
    assert_true(words->items[0].given == 2 && words->items[0].suggested == 0);
    assert_string_equal(words->items[1].tag, "sun");
    assert_true(words->items[1].given == 1 && words->items[1].suggested == 1);
    f0t_catalogue_words_free(words);
    assert_ok(f0t_catalogue_get_words(&words, c, "s%", 0));
    assert_int_equal(words->count, 1);
    f0t_catalogue_words_free(words);
    assert_ok(f0t_catalogue_get_words(&words, c, NULL, 2));
    assert_int_equal(words->count, 2);
    f0t_catalogue_words_free(words);
    f0t_catalogue_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_record_comes_back),
        cmocka_unit_test(test_a_picture_that_is_put_again_keeps_decisions),
        cmocka_unit_test(test_wrong_records_are_refused),
        cmocka_unit_test(test_pictures_are_found),
        cmocka_unit_test(test_a_path_that_leads_nowhere_is_told),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_decisions_can_be_taken_back),
        cmocka_unit_test(test_decisions_of_one_begin_are_taken_back_together),
        cmocka_unit_test(test_what_was_written_is_known),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
