#include "support.h"

#include "demo/demo.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PICTURES = 72, HUES = 6, SHAPES = 6 };

static const char *const NAMES[HUES + SHAPES] = {"red",  "gold", "green", "cyan", "blue", "pink",
                                                 "lamp", "bird", "wing",  "pack", "door", "tree"};

static const char *make_pictures(void)
{
    char path[64], text[1000];
    mkdir(test_path("art"), 0755);
    for (int i = 0; i < PICTURES; i++) {
        const int hue = i % HUES, shape = i / 2 % SHAPES;
        snprintf(path, sizeof path, "art/p%03d.svg", i);
        snprintf(
            text, sizeof text,
            "<svg xmlns='http://www.w3.org/2000/svg' width='64' height='64'><dc:subject "
            "xmlns:dc='d'><b><li>%s</li><li>%s</li></b></dc:subject><g fill='hsl(%d,90%%,50%%)'>"
            "<rect x='%d' y='8' width='%d' height='48'/></g></svg>",
            NAMES[hue], NAMES[HUES + shape], hue * 60 + i % 7, shape * 8, 5 + shape * 3);
        test_text(path, text);
    }
    return test_path("art");
}

static const char *make_vectors(void)
{
    char text[1000] = "";
    for (size_t i = 0; i < HUES + SHAPES; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s %d %d %d %d\n", NAMES[i],
                 (int)(i * 7 % 5) - 2, (int)(i * 3 % 7) - 3, i < HUES, i >= HUES);
    return test_text("words.txt", text);
}

static f0t_demo *make_model(const f0t_demo_options *options)
{
    f0t_demo *demo;
    assert_ok(f0t_demo_run(&demo, test_path("shown"), options, NULL));
    assert_null(demo->page);
    assert_null(demo->story);
    assert_null(demo->eval);
    assert_int_equal(demo->images, PICTURES);
    assert_int_equal(demo->nouns, 0);
    return demo;
}

static void the_model_alone_is_made_once(void **state)
{
    struct stat first, second;
    f0t_demo_options options = F0T_DEMO_OPTIONS;
    (void)state;
    options.pictures = make_pictures();
    options.vectors = make_vectors();
    options.wordnet = test_source("wordnet");
    options.epochs = 1;
    options.only_model = true;
    f0t_demo *demo = make_model(&options);
    assert_string_equal(demo->model, test_path("shown/model.f0t"));
    f0t_model *model;
    assert_ok(f0t_model_load(&model, demo->model, NULL));
    assert_int_equal(f0t_model_method(model), F0T_METHOD_BLEND);
    f0t_model_free(model);
    assert_int_equal(stat(demo->model, &first), 0);
    assert_int_not_equal(access(test_path("shown/index.html"), F_OK), 0);
    assert_int_not_equal(access(test_path("shown/results.jsonl"), F_OK), 0);
    f0t_demo_free(demo);
    demo = make_model(&options);
    assert_int_equal(stat(demo->model, &second), 0);
    assert_int_equal(first.st_ino, second.st_ino); /* a new one would be another file */
    f0t_demo_free(demo);
}

/* ---- The page, as it grows ------------------------------------------------------------------------------- */

enum { VERSIONS = 4 };

typedef struct versions {
    size_t count;
    char *pages[VERSIONS]; /* NUL-terminated */
    volatile sig_atomic_t stop;
    size_t stop_after; /* so many of them; 0: never */
} versions;

static void keep_version(void *user, const char *page, const char *to_come, double seconds)
{
    versions *v = user;
    size_t size;
    assert_true(v->count < VERSIONS && seconds >= 0);
    char *bytes = test_read(page, &size), *text = malloc(size + 1);
    memcpy(text, bytes, size);
    text[size] = '\0';
    free(bytes);
    assert_true((*to_come != '\0') == (strstr(text, "not complete") != NULL));
    v->pages[v->count++] = text;
    v->stop = v->count == v->stop_after;
}

static void free_versions(versions *v)
{
    for (size_t i = 0; i < v->count; i++)
        free(v->pages[i]);
    *v = (versions){0};
}

/* Of the pictures that are there. */
static f0t_status show(const char *folder, versions *v)
{
    f0t_demo_options options = F0T_DEMO_OPTIONS;
    f0t_context_options settings = F0T_CONTEXT_OPTIONS;
    const f0t_monitor monitor = {.stop = &v->stop};
    f0t_context *context;
    f0t_demo *demo;
    settings.monitor = &monitor;
    assert_ok(f0t_context_create(&context, &settings));
    options.pictures = test_path("art");
    options.vectors = test_path("words.txt");
    options.wordnet = test_source("wordnet");
    options.epochs = 1;
    options.methods = "conse";
    options.written = keep_version;
    options.user = v;
    const f0t_status status = f0t_demo_run(&demo, test_path(folder), &options, context);
    f0t_demo_free(demo);
    f0t_context_free(context);
    return status;
}

/* Whether a version has this text. */
static bool has(const versions *v, size_t i, const char *text)
{
    return strstr(v->pages[i], text) != NULL;
}

static void the_page_grows_until_it_is_complete(void **state)
{
    versions v = {0}, again = {0};
    (void)state;
    make_pictures();
    make_vectors();
    assert_ok(show("grown", &v));
    assert_int_equal(v.count, VERSIONS);
    for (size_t i = 0; i < VERSIONS; i++) {
        const bool last = i + 1 == VERSIONS;
        assert_true(has(&v, i, "data:image/png") && has(&v, i, "Fast0Tag (lin.)"));
        assert_true(has(&v, i, "http-equiv=\"refresh\"") != last);
        assert_true(has(&v, i, "Still to come") != last);
        assert_true(has(&v, i, "id=\"search\"") == last && has(&v, i, "Fast0Tag (blend)") == last);
        assert_true(has(&v, i, "a fifth is new</dt>") == (i > 0));
        assert_true(has(&v, i, "ConSE") == (i > 1));
    }
    /* Nothing is new: one page, the same. */
    assert_ok(show("grown", &again));
    assert_int_equal(again.count, 1);
    assert_string_equal(again.pages[0], v.pages[VERSIONS - 1]);
    free_versions(&v);
    free_versions(&again);
}

static void an_interrupted_run_goes_on(void **state)
{
    versions first = {.stop_after = 2}, second = {0}, whole = {0};
    size_t size;
    (void)state;
    make_pictures();
    make_vectors();
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted", show("stopped", &first));
    assert_int_equal(first.count, 2);
    char *page = test_read(test_path("stopped/index.html"), &size);
    assert_int_equal(size, strlen(first.pages[1]));
    assert_memory_equal(page, first.pages[1], size);
    free(page);
    assert_ok(show("stopped", &second));
    assert_int_equal(second.count, VERSIONS - 2);
    assert_ok(show("whole", &whole));
    assert_string_equal(second.pages[1], whole.pages[VERSIONS - 1]);
    free_versions(&first);
    free_versions(&second);
    free_versions(&whole);
}

static void wrong_calls_are_refused(void **state)
{
    f0t_demo_options options = {0};
    f0t_demo *demo;
    char many[8000];
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "f0t_demo_run: output is NULL",
                 f0t_demo_run(&demo, NULL, NULL, NULL));
    assert_fails(F0T_ERROR_ARGUMENT,
                 "f0t_demo_options: its size is not set; begin with F0T_DEMO_OPTIONS",
                 f0t_demo_run(&demo, test_path("none"), &options, NULL));
    options = (f0t_demo_options)F0T_DEMO_OPTIONS;
    memset(many, 'a', sizeof many);
    many[sizeof many - 1] = '\0';
    options.methods = many;
    assert_fails(F0T_ERROR_ARGUMENT, "the list of methods is too long",
                 f0t_demo_run(&demo, test_path("none"), &options, NULL));
    options.methods = NULL;
    options.wordnet = "/nowhere";
    assert_fails(F0T_ERROR_NOT_FOUND,
                 "/nowhere: has no WordNet (data.noun): Debian's package is wordnet-base",
                 f0t_demo_run(&demo, test_path("none"), &options, NULL));
    assert_null(demo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_alone_is_made_once),
        cmocka_unit_test(the_page_grows_until_it_is_complete),
        cmocka_unit_test(an_interrupted_run_goes_on),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
