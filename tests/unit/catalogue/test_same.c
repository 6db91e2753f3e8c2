/* Tags of a catalogue that are one: asked by all that compares tags. */
#include "fresh.h"

#include "catalogue/catalogue.h"
#include "catalogue/same.h"
#include "model/model.h"
#include "word/vocab.h"

#include <string.h>

/* A model that has learned these, with "bike" for "bicycle" and "trees" for "tree"; "glass" and "glasses" are two. */
static const char *const LEARNED[] = {"dog", "tree", "glass", "glasses", "bicycle", "sea gull"};
enum { COUNT = sizeof LEARNED / sizeof *LEARNED };

static f0t_model make_model(void)
{
    static float vectors[COUNT * COUNT];
    f0t_model model = {.method = F0T_METHOD_BLEND};
    f0t_aliases aliases = {0};
    bool added;
    for (size_t i = 0; i < COUNT; i++)
        vectors[i * COUNT + i] = 1;
    assert_ok(f0t_vocab_restore(
        &model.vocab,
        &(f0t_vocab_parts){.tags = LEARNED, .count = COUNT, .vectors = vectors, .dim = COUNT}));
    assert_ok(f0t_aliases_add(&aliases, &added, "bike", "bicycle"));
    assert_ok(f0t_aliases_add(&aliases, &added, "trees", "tree"));
    assert_ok(f0t_model_know_tags(&model, &aliases));
    f0t_aliases_free(&aliases);
    return model;
}

static void free_model(f0t_model *model)
{
    f0t_vocab_free(model->vocab);
    f0t_aliases_free(&model->aliases);
    f0t_same_free(&model->same);
}

/* As the index does. */
static f0t_catalogue *create(void)
{
    f0t_catalogue *c = fresh_catalogue("same");
    f0t_model model = make_model();
    assert_ok(f0t_catalogue_set_model(c, "/model", 7));
    assert_ok(f0t_same_follow(&c->sql, &model));
    free_model(&model);
    return c;
}

/* Keywords are separated by "|"; each of the learned tags is suggested, the first the surest. */
static int64_t put(f0t_catalogue *c, const char *path, const char *keywords)
{
    char text[200];
    f0t_catalogue_keyword given[8];
    f0t_tag_score suggested[COUNT];
    f0t_catalogue_record record = F0T_CATALOGUE_RECORD;
    int64_t id;
    record.picture.path = path;
    record.keywords = given;
    record.suggestions = suggested;
    record.suggestion_count = COUNT;
    strcpy(text, keywords);
    for (char *word = strtok(text, "|"); word; word = strtok(NULL, "|"))
        given[record.keyword_count++] =
            (f0t_catalogue_keyword){.keyword = word, .source = F0T_KEYWORD_XMP};
    for (size_t i = 0; i < COUNT; i++)
        suggested[i] = (f0t_tag_score){.tag = LEARNED[i], .confidence = 0.9F - 0.1F * (float)i};
    assert_ok(f0t_catalogue_put(&id, c, &record));
    return id;
}

/* Tags of a picture that wait for a decision, joined by "|". */
static const char *offered(f0t_catalogue *c, int64_t picture)
{
    static char text[200];
    f0t_catalogue_tags *tags;
    text[0] = 0;
    assert_ok(f0t_catalogue_get_tags(&tags, c, picture));
    for (size_t i = 0; i < tags->count; i++)
        if (tags->items[i].source == F0T_KEYWORD_NONE && !tags->items[i].decision) {
            strcat(text, *text ? "|" : "");
            strcat(text, tags->items[i].tag);
        }
    f0t_catalogue_tags_free(tags);
    return text;
}

static size_t count(f0t_catalogue *c, const char *tag, const char *suggested)
{
    f0t_catalogue_query query = F0T_CATALOGUE_QUERY;
    size_t found;
    query.tag = tag;
    query.suggested = suggested;
    assert_ok(f0t_catalogue_count(&found, c, &query));
    return found;
}

static void a_suggestion_never_repeats_what_a_person_said(void **state)
{
    f0t_catalogue *c = create();
    (void)state;
    const int64_t a = put(c, "/a.jpg", "Dogs|TREES|bikes|glasses");
    const int64_t b = put(c, "/b.jpg", "");
    assert_string_equal(offered(c, a), "sea gull"); /* two tags, but glass says nothing new */
    assert_string_equal(offered(c, b), "dog|tree|glass|glasses|bicycle|sea gull");
    assert_ok(f0t_catalogue_decide(c, b, "DOGS", F0T_REJECTED, "me"));
    assert_ok(f0t_catalogue_decide(c, b, "Seagulls", F0T_ACCEPTED, "me"));
    assert_ok(f0t_catalogue_decide(c, b, "glass", F0T_ACCEPTED, "me"));
    assert_string_equal(offered(c, b), "tree|bicycle");
    assert_int_equal(count(c, NULL, "dogs"), 0);
    assert_int_equal(count(c, NULL, "Trees"), 1);
    assert_int_equal(count(c, NULL, "glass"), 0);
    assert_int_equal(count(c, NULL, "sea gulls"), 1);
    const int64_t d = put(c, "/d.jpg", "");
    assert_ok(f0t_catalogue_decide(c, d, "glasses", F0T_REJECTED, "me"));
    assert_string_equal(offered(c, d), "dog|tree|glass|bicycle|sea gull");
    f0t_catalogue_close(c);
}

static void tags_are_found_in_all_forms(void **state)
{
    f0t_catalogue *c = create();
    (void)state;
    put(c, "/a.jpg", "dogs");
    put(c, "/b.jpg", "Dog|kitten");
    put(c, "/c.jpg", "DOG|dogs|Kittens|bike");
    assert_ok(f0t_catalogue_decide(c, put(c, "/d.jpg", "glasses"), "bicycles", F0T_ACCEPTED, "me"));
    assert_int_equal(count(c, "DOGS", NULL), 3);
    assert_int_equal(count(c, "kittens", NULL), 2);
    assert_int_equal(count(c, "bicycle", NULL), 2);
    assert_int_equal(count(c, "glass", NULL), 0);
    assert_int_equal(count(c, "glasses", NULL), 1);
    assert_int_equal(count(c, "horse", NULL), 0);
    f0t_catalogue_close(c);
}

/* The last decision about a tag counts, whatever it was called; the one before counts again when it is taken back. */
static void decisions_are_about_the_tag_not_its_spelling(void **state)
{
    f0t_catalogue *c = create();
    f0t_catalogue_undone undone = {.size = sizeof undone};
    (void)state;
    const int64_t id = put(c, "/a.jpg", "");
    assert_ok(f0t_catalogue_decide(c, id, "dogs", F0T_REJECTED, "me"));
    assert_ok(f0t_catalogue_decide(c, id, "Dog", F0T_ACCEPTED, "me"));
    assert_int_equal(count(c, "dogs", NULL), 1);
    assert_ok(f0t_catalogue_undo(&undone, c, "me"));
    assert_string_equal(undone.tag, "Dog");
    assert_int_equal(undone.was, F0T_ACCEPTED);
    assert_int_equal(undone.is, F0T_REJECTED);
    assert_int_equal(count(c, "dogs", NULL), 0);
    assert_string_equal(offered(c, id), "tree|glass|glasses|bicycle|sea gull");
    assert_ok(f0t_catalogue_decide(c, id, "dog", F0T_UNDECIDED, "me"));
    assert_string_equal(offered(c, id), "dog|tree|glass|glasses|bicycle|sea gull");
    f0t_catalogue_close(c);
}

static void the_list_has_each_tag_once_as_it_is_spelled_most(void **state)
{
    f0t_catalogue *c = create();
    f0t_catalogue_words *words;
    (void)state;
    put(c, "/a.jpg", "Dogs");
    put(c, "/b.jpg", "Dogs|dog");
    put(c, "/c.jpg", "Dogs|glass");
    assert_ok(f0t_catalogue_decide(c, put(c, "/d.jpg", "Dogs"), "dog", F0T_ACCEPTED, "me"));
    assert_ok(f0t_catalogue_decide(c, put(c, "/e.jpg", ""), "DOGS", F0T_ACCEPTED, "me"));
    assert_ok(f0t_catalogue_get_words(&words, c, "dog", 0));
    assert_int_equal(words->count, 1);
    assert_string_equal(words->items[0].tag, "Dogs");
    assert_int_equal(words->items[0].given, 5);
    f0t_catalogue_words_free(words);
    assert_ok(f0t_catalogue_get_words(&words, c, "glass", 0));
    assert_int_equal(words->count, 2);
    assert_string_equal(words->items[0].tag, "glass");
    assert_string_equal(words->items[1].tag, "glasses");
    f0t_catalogue_words_free(words);
    f0t_catalogue_close(c);
}

/* Without a model the rule alone says it; another model says it anew; and a catalogue says it without its model. */
static void a_model_says_which_tags_are_one(void **state)
{
    f0t_catalogue *c = fresh_catalogue("same");
    f0t_model model = make_model();
    bool follows;
    (void)state;
    put(c, "/a.jpg", "glasses|Bike");
    put(c, "/b.jpg", "glass|bicycle");
    assert_int_equal(count(c, "glass", NULL), 2);
    assert_int_equal(count(c, "bicycle", NULL), 1);
    assert_ok(f0t_catalogue_set_model(c, "/model", 7));
    assert_ok(f0t_same_follows(&follows, &c->sql));
    assert_false(follows);
    assert_ok(f0t_same_follow(&c->sql, &model));
    assert_ok(f0t_same_follows(&follows, &c->sql));
    assert_true(follows);
    free_model(&model);
    f0t_catalogue_close(c);
    assert_ok(f0t_catalogue_open(&c, test_path("same"), NULL));
    assert_int_equal(count(c, "Glass", NULL), 1);
    assert_int_equal(count(c, "bicycle", NULL), 2);
    f0t_catalogue_close(c);
}

/* Tags that stand for none: those of a catalogue that was made before there was `same`. */
static void tags_of_an_older_catalogue_are_made_one(void **state)
{
    f0t_catalogue *c = fresh_catalogue("same");
    (void)state;
    put(c, "/a.jpg", "Dogs");
    put(c, "/b.jpg", "dog");
    assert_ok(f0t_sql_execute(&c->sql, "DELETE FROM words; UPDATE tags SET same = NULL"));
    assert_int_equal(count(c, "dogs", NULL), 0);
    assert_ok(f0t_same_fill(&c->sql));
    assert_int_equal(count(c, "dogs", NULL), 2);
    f0t_catalogue_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_suggestion_never_repeats_what_a_person_said),
        cmocka_unit_test(tags_are_found_in_all_forms),
        cmocka_unit_test(decisions_are_about_the_tag_not_its_spelling),
        cmocka_unit_test(the_list_has_each_tag_once_as_it_is_spelled_most),
        cmocka_unit_test(a_model_says_which_tags_are_one),
        cmocka_unit_test(tags_of_an_older_catalogue_are_made_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
