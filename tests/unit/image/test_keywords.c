#include "pictures.h"

#include "image/crew.h"
#include "image/keywords.h"

#include <pthread.h>

#define RDF                                                                                      \
    "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "                                              \
    "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' "     \
    "xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:lr='http://ns.adobe.com/lightroom/1.0/' " \
    "xmlns:digiKam='http://www.digikam.org/ns/1.0/'>"
#define END "</rdf:Description></rdf:RDF></x:xmpmeta>"

static const uint8_t pixel[3] = {9, 9, 9};

static void keywords_of_a_picture_and_both_sidecars_are_joined(void **state)
{
    f0t_worker *worker;
    f0t_texts words = {0};
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", png_write("k.png", pixel, 1, 1, 3, 0));
    test_text("k.png.xmp", RDF "<dc:subject><rdf:Bag><rdf:li>Sea</rdf:li><rdf:li>dog</rdf:li>"
                               "</rdf:Bag></dc:subject><lr:hierarchicalSubject><rdf:Bag><rdf:li>"
                               "animal|pet|Dog</rdf:li></rdf:Bag></lr:hierarchicalSubject>" END);
    test_text("k.xmp", RDF "<digiKam:TagsList><rdf:Seq><rdf:li>places/Rome</rdf:li></rdf:Seq>"
                           "</digiKam:TagsList>" END);
    assert_ok(f0t_worker_create(&worker));
    assert_ok(f0t_keywords_read(&words, worker, path, true));
    static const char *const want[] = {"Sea", "dog", "animal|pet|Dog", "places|Rome"};
    assert_int_equal(words.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(f0t_texts_get(&words, i), want[i]);
        assert_int_equal(f0t_keyword_first(&words, i), i == 2 ? 1 : i);
    }
    assert_string_equal(f0t_keyword_leaf(want[3]), "Rome");
    f0t_texts_free(&words);
    f0t_worker_free(worker);
}

static void what_we_wrote_is_no_keyword(void **state)
{
    f0t_worker *worker;
    f0t_texts words = {0};
    f0t_merged merged;
    (void)state;
    assert_ok(f0t_worker_create(&worker));
    const char *path = png_write("o.png", pixel, 1, 1, 3, 0);
    assert_ok(f0t_worker_merge(worker, &merged, test_path("o.png.xmp"), "+cat\n"));
    assert_true(merged.changed);
    test_file("o.png.xmp", merged.text, merged.length);
    assert_ok(f0t_keywords_read(&words, worker, path, true));
    assert_int_equal(words.count, 0);
    f0t_texts_free(&words);
    f0t_worker_free(worker);
}

static void sidecars_have_their_names(void **state)
{
    static const char *const cases[][3] = {{"a/b.jpg", "a/b.jpg.xmp", "a/b.xmp"},
                                           {"a.d/b", "a.d/b.xmp", "a.d/b.xmp"},
                                           {".x", ".x.xmp", ".x.xmp"},
                                           {"b.tar.png", "b.tar.png.xmp", "b.tar.xmp"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int plain = 0; plain < 2; plain++) {
            char *path;
            assert_ok(f0t_sidecar_path(&path, cases[i][0], plain));
            assert_string_equal(path, cases[i][1 + plain]);
            f0t_free(path);
        }
}

/* ---- The crew -------------------------------------------------------------------------------------- */

typedef struct counting {
    int seen[50], failed;
    size_t fail_at;
    f0t_status with, answer;
} counting;

static f0t_status count_one(void *context, const f0t_crew_piece *piece, f0t_crew_notes *notes)
{
    counting *c = context;
    const size_t i = piece->number;
    assert_true(piece->next == F0T_NONE || (piece->next > i && piece->next < 50));
    assert_true(piece->thread >= 0 && piece->thread < f0t_threads_get());
    c->seen[i]++;
    if (i % 10 == 3)
        assert_ok(f0t_crew_warn(notes, "three"));
    return i == c->fail_at ? f0t_fail(c->with, "number %zu", i) : F0T_OK;
}

static f0t_status hear(void *context, size_t i, f0t_status status, const char *message,
                       f0t_crew_notes *notes)
{
    counting *c = context;
    assert_int_equal(i, c->fail_at);
    assert_int_equal(status, c->with);
    assert_string_equal(message, "number 7");
    c->failed++;
    assert_ok(f0t_crew_warn(notes, message));
    return c->answer ? f0t_fail(c->answer, "strict: %s", message) : F0T_OK;
}

/* Counts lines, all from one thread. */
typedef struct listener {
    pthread_t thread;
    size_t lines;
} listener;

static void listen_to(void *user, f0t_log_level level, const char *line)
{
    listener *l = user;
    assert_true(pthread_equal(l->thread, pthread_self()));
    assert_int_equal(level, F0T_LOG_WARNING);
    assert_true(!strcmp(line, "three") || !strcmp(line, "number 7"));
    l->lines++;
}

static void a_crew_does_each_picture_once(void **state)
{
    counting c = {.fail_at = 7, .with = F0T_ERROR_FORMAT};
    listener l = {.thread = pthread_self()};
    const f0t_monitor monitor = {.log = listen_to, .user = &l};
    const f0t_crew crew = {50, 0, 3, "counting", &c, count_one, hear, &monitor};
    (void)state;
    f0t_threads_set(3);
    assert_ok(f0t_crew_run(&crew));
    f0t_threads_set(0);
    assert_int_equal(l.lines, 6);
    for (size_t i = 0; i < 50; i++)
        assert_int_equal(c.seen[i], 1);
    assert_int_equal(c.failed, 1);
}

static void a_crew_ends_when_it_shall(void **state)
{
    counting strict = {.fail_at = 7, .with = F0T_ERROR_FORMAT, .answer = F0T_ERROR_FORMAT};
    counting poor = {.fail_at = 7, .with = F0T_ERROR_MEMORY};
    volatile sig_atomic_t flag = 1;
    const f0t_monitor monitor = {.stop = &flag};
    f0t_crew crew = {50, 0, 3, "counting", &strict, count_one, hear, NULL};
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "strict: number 7", f0t_crew_run(&crew));
    crew.context = &poor;
    assert_fails(F0T_ERROR_MEMORY, "number 7", f0t_crew_run(&crew));
    assert_int_equal(poor.failed, 0);
    counting stopped = {.fail_at = 99};
    crew.context = &stopped;
    crew.monitor = &monitor;
    assert_fails(F0T_ERROR_INTERRUPTED, "", f0t_crew_run(&crew));
    assert_int_equal(stopped.seen[49], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keywords_of_a_picture_and_both_sidecars_are_joined),
        cmocka_unit_test(what_we_wrote_is_no_keyword),
        cmocka_unit_test(sidecars_have_their_names),
        cmocka_unit_test(a_crew_does_each_picture_once),
        cmocka_unit_test(a_crew_ends_when_it_shall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
