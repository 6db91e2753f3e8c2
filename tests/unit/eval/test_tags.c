#include "fixture.h"

#include "model/samples.h"

static const collection_options plain = {.name = "plain"};

static size_t count_kind(const f0t_eval_tags *tags, unsigned kinds)
{
    bool mask[64];
    return f0t_eval_tags_mask(mask, tags, kinds);
}

static void the_lists_of_the_dataset_say_what_is_unseen(void **state)
{
    fixture s = fixture_open_with_tags(&plain, NULL);
    (void)state;
    assert_true(f0t_eval_tags_are_given(s.dataset, NULL));
    assert_int_equal(s.tags.count, C_TAGS);
    assert_int_equal(count_kind(&s.tags, F0T_TAG_SEEN), C_SEEN);
    assert_int_equal(count_kind(&s.tags, F0T_TAG_UNSEEN), C_TAGS - C_SEEN);
    assert_int_equal(count_kind(&s.tags, F0T_TAG_OTHER), 0);
    fixture_close(&s);
}

static void a_share_or_a_number_is_drawn_by_seed(void **state)
{
    fixture s = fixture_open_with_tags(&plain, "25%");
    uint8_t first[C_TAGS];
    bool differs = false;
    (void)state;
    assert_false(f0t_eval_tags_are_given(s.dataset, "25%"));
    assert_int_equal(count_kind(&s.tags, F0T_TAG_UNSEEN), 3);
    assert_ok(f0t_eval_tags_split(&s.tags, "4", 7));
    assert_int_equal(count_kind(&s.tags, F0T_TAG_UNSEEN), 4);
    memcpy(first, s.tags.kind, sizeof first);
    for (uint64_t seed = 8; seed < 12; seed++) {
        assert_ok(f0t_eval_tags_split(&s.tags, "4", seed));
        differs = differs || memcmp(first, s.tags.kind, sizeof first) != 0;
    }
    assert_true(differs);
    assert_ok(f0t_eval_tags_split(&s.tags, "4", 7));
    assert_memory_equal(first, s.tags.kind, sizeof first);
    fixture_close(&s);
}

/* How many training images have a tag of the vocabulary. */
static size_t count_images(const fixture *s, size_t tag)
{
    size_t images = 0, count;
    for (size_t m = 0; m < f0t_dataset_image_count(s->dataset); m++) {
        const uint32_t *has = f0t_dataset_image_tags(&count, s->dataset, m);
        for (size_t i = 0; i < count && f0t_dataset_split(s->dataset)[m] == F0T_TRAIN; i++)
            images += s->tags.index[has[i]] == tag;
    }
    return images;
}

/* Tags that are more common, or as common and before it. */
static size_t place_of(const fixture *s, size_t tag)
{
    size_t place = 0;
    const size_t images = count_images(s, tag);
    for (size_t i = 0; i < s->tags.count; i++) {
        const size_t others = count_images(s, i);
        place += others > images || (others == images && i < tag);
    }
    return place;
}

/* Of any stratum of tags that are about as common, one is drawn; and in the end every tag once. */
static void draws_are_balanced_by_how_common_tags_are(void **state)
{
    fixture s = fixture_open_with_tags(&plain, "3");
    bool ever[C_TAGS] = {false};
    (void)state;
    for (size_t unseen = 2; unseen <= C_TAGS - 2; unseen++)
        for (uint64_t seed = 0; seed < 40; seed++) {
            const size_t strata = unseen <= C_TAGS / 2 ? unseen : C_TAGS - unseen;
            const unsigned kind = unseen <= C_TAGS / 2 ? F0T_TAG_UNSEEN : F0T_TAG_SEEN;
            char text[24];
            size_t drawn[C_TAGS] = {0};
            snprintf(text, sizeof text, "%zu", unseen);
            assert_ok(f0t_eval_tags_split(&s.tags, text, seed));
            assert_int_equal(count_kind(&s.tags, F0T_TAG_UNSEEN), unseen);
            for (size_t place, i = 0; i < C_TAGS; i++)
                if (s.tags.kind[i] == kind) {
                    size_t stratum = 0;
                    for (place = place_of(&s, i); (stratum + 1) * C_TAGS / strata <= place;)
                        stratum++;
                    drawn[stratum]++;
                    ever[i] = true;
                }
            for (size_t stratum = 0; stratum < strata; stratum++)
                assert_int_equal(drawn[stratum], 1);
        }
    for (size_t i = 0; i < C_TAGS; i++)
        assert_true(ever[i]);
    fixture_close(&s);
}

static void nonsense_is_refused(void **state)
{
    static const char *const wrong[] = {"", "x", "20 %", "-3", "2.5", "1e300", "%", "nan", "20%%"};
    static const char *const many[] = {"1", "11", "100%", "0.1%", "99999"};
    fixture s = fixture_open_with_tags(&plain, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(F0T_ERROR_ARGUMENT, "a share such as 20%",
                     f0t_eval_tags_split(&s.tags, wrong[i], 0));
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        assert_fails(F0T_ERROR_ARGUMENT, "two at least must be unseen, and two seen",
                     f0t_eval_tags_split(&s.tags, many[i], 0));
    fixture_close(&s);
}

static void a_fifth_of_the_seen_tags_is_held_out(void **state)
{
    fixture s = fixture_open_with_tags(&plain, NULL);
    bool mask[C_TAGS], held[C_TAGS], again[C_TAGS];
    size_t taken;
    (void)state;
    f0t_eval_tags_mask(mask, &s.tags, F0T_TAG_SEEN);
    assert_ok(f0t_eval_tags_hold_out(&taken, mask, held, &s.tags, 3, 0));
    assert_int_equal(taken, 2);
    for (size_t i = 0; i < C_TAGS; i++) {
        assert_false(mask[i] && held[i]);
        assert_int_equal(mask[i] || held[i], s.tags.kind[i] == F0T_TAG_SEEN);
    }
    assert_ok(f0t_eval_tags_hold_out(&taken, mask, again, &s.tags, 3, 0));
    assert_memory_equal(held, again, sizeof held);
    for (size_t fold = 1; fold < C_SEEN / 2; fold++) { /* nine tags: the last fold has one more */
        assert_ok(f0t_eval_tags_hold_out(&taken, mask, again, &s.tags, 3, fold));
        assert_int_equal(taken, fold + 1 < C_SEEN / 2 ? 2 : 3);
        for (size_t i = 0; i < C_TAGS; i++) {
            assert_false(held[i] && again[i]);
            held[i] |= again[i];
        }
    }
    assert_ok(f0t_eval_tags_hold_out(&taken, mask, again, &s.tags, 3, C_SEEN / 2));
    assert_int_equal(taken, 0);
    fixture_close(&s);
}

/* 244 tags have fifths of 48 and 49: five of 49 they have not. */
static void each_seen_tag_is_held_out_once(void **state)
{
    static const size_t counts[] = {10, 13, 181, 244};
    enum { MOST = 244, FIFTHS = 5 };
    uint8_t kind[MOST];
    (void)state;
    memset(kind, F0T_TAG_SEEN, sizeof kind);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        const f0t_eval_tags tags = {.count = counts[c], .kind = kind};
        bool mask[MOST] = {false}, held[MOST];
        size_t times[MOST] = {0}, taken;
        for (size_t fold = 0; fold < FIFTHS; fold++) {
            assert_ok(f0t_eval_tags_hold_out(&taken, mask, held, &tags, 3, fold));
            assert_in_range(taken, counts[c] / FIFTHS, (counts[c] + FIFTHS - 1) / FIFTHS);
            for (size_t i = 0; i < counts[c]; i++)
                times[i] += held[i];
        }
        for (size_t i = 0; i < counts[c]; i++)
            assert_int_equal(times[i], 1);
        assert_ok(f0t_eval_tags_hold_out(&taken, mask, held, &tags, 3, FIFTHS));
        assert_int_equal(taken, 0);
    }
}

/* A dataset whose tags need care: "Dog" is seen and "dog" unseen, "zzz" has no vector. */
static f0t_dataset *careful_dataset(bool lists)
{
    static const char *const lines[] = {"Dog\tcat", "dog\tsea", "zzz\tsky", "cat\tsky\tother"};
    static const char *const seen[] = {"Dog", "cat"}, *const unseen[] = {"dog", "sea", "sky"};
    f0t_dataset_info info = {.size = sizeof(f0t_dataset_info), .dim = 1, .replace = true};
    f0t_dataset_writer *w;
    f0t_dataset *dataset;
    const char *path = test_path("careful");
    assert_ok(f0t_dataset_create(&w, path, &info));
    for (size_t m = 0; m < 4; m++) {
        char line[32], *tags[4];
        size_t count = 0;
        strcpy(line, lines[m]);
        for (char *t = strtok(line, "\t"); t; t = strtok(NULL, "\t"))
            tags[count++] = t;
        f0t_dataset_row row = {.size = sizeof(f0t_dataset_row),
                               .tags = (const char *const *)tags,
                               .tag_count = count,
                               .features = &(float){1}};
        assert_ok(f0t_dataset_write(w, &row));
    }
    if (lists) {
        assert_ok(f0t_dataset_write_seen(w, seen, 2));
        assert_ok(f0t_dataset_write_unseen(w, unseen, 3));
    }
    assert_ok(f0t_dataset_commit(w));
    assert_ok(f0t_dataset_open(&dataset, path, NULL, NULL));
    return dataset;
}

typedef struct heard {
    char line[300];
} heard;

static void hear(void *user, f0t_log_level level, const char *line)
{
    heard *h = user;
    if (level == F0T_LOG_WARNING)
        snprintf(h->line, sizeof h->line, "%s", line);
}

static void spellings_of_one_word_do_not_leak_and_missing_vectors_are_told(void **state)
{
    f0t_dataset *dataset = careful_dataset(true);
    f0t_vectors *vectors;
    f0t_eval_tags tags;
    heard h = {""};
    f0t_monitor monitor = {.log = hear, .user = &h};
    size_t t;
    (void)state;
    assert_ok(f0t_vectors_open(
        &vectors, test_text("v.txt", "dog 1 2\ncat 2 1\nsea 0 1\nsky 1 0\nother 3 1\n"), NULL,
        NULL));
    assert_ok(f0t_eval_tags_create(&tags, dataset, vectors, false, &monitor));
    assert_non_null(strstr(h.line, "1 of 7 tags have no vector"));
    assert_non_null(strstr(h.line, "zzz"));
    assert_ok(f0t_eval_tags_split(&tags, NULL, 0));
    assert_int_equal(tags.count, 5);
    assert_true(f0t_dataset_find_tag(&t, dataset, "Dog"));
    assert_int_equal(tags.kind[tags.index[t]], F0T_TAG_SEEN);
    assert_true(f0t_dataset_find_tag(&t, dataset, "dog"));
    assert_int_equal(tags.index[t], F0T_NO_SAMPLE_TAG);
    assert_true(f0t_dataset_find_tag(&t, dataset, "other"));
    assert_int_equal(tags.kind[tags.index[t]], F0T_TAG_OTHER);
    f0t_eval_tags_free(&tags);
    f0t_vectors_close(vectors);
    f0t_dataset_close(dataset);
}

/* How many tags are unseen, with the vectors of this text; -1 when the split fails. */
static int split_with(const f0t_dataset *dataset, const char *text)
{
    f0t_vectors *vectors;
    f0t_eval_tags tags;
    assert_ok(f0t_vectors_open(&vectors, test_text("few.txt", text), NULL, NULL));
    assert_ok(f0t_eval_tags_create(&tags, dataset, vectors, false, NULL));
    f0t_status status = f0t_eval_tags_split(&tags, NULL, 0);
    int unseen = status == F0T_OK ? (int)count_kind(&tags, F0T_TAG_UNSEEN) : -1;
    f0t_eval_tags_free(&tags);
    f0t_vectors_close(vectors);
    return unseen;
}

/* Whether there are enough for a scenario is the protocol's to say. */
static void few_tags_need_no_split(void **state)
{
    f0t_dataset *given = careful_dataset(true);
    (void)state;
    assert_int_equal(split_with(given, "dog 1 2\n"), -1);
    assert_non_null(strstr(f0t_last_error(), "1 of its tags have a vector; a comparison needs 2"));
    assert_int_equal(split_with(given, "dog 1 2\ncat 2 1\n"), 0);
    assert_int_equal(split_with(given, "dog 1 2\ncat 2 1\nother 3 1\nsea 1 9\n"), 1);
    f0t_dataset_close(given);
    f0t_dataset *plain_tags = careful_dataset(false);
    assert_int_equal(split_with(plain_tags, "dog 1 2\ncat 2 1\nsea 1 9\n"), 0);
    assert_int_equal(split_with(plain_tags, "dog 1 2\ncat 2 1\nother 3 1\nsea 1 9\n"), 2);
    f0t_dataset_close(plain_tags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lists_of_the_dataset_say_what_is_unseen),
        cmocka_unit_test(a_share_or_a_number_is_drawn_by_seed),
        cmocka_unit_test(draws_are_balanced_by_how_common_tags_are),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(a_fifth_of_the_seen_tags_is_held_out),
        cmocka_unit_test(each_seen_tag_is_held_out_once),
        cmocka_unit_test(spellings_of_one_word_do_not_leak_and_missing_vectors_are_told),
        cmocka_unit_test(few_tags_need_no_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
