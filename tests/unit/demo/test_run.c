#include "support.h"

#include "demo/demo.h"

#include <stdio.h>
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
    assert_string_equal(demo->model, test_path("shown/untuned.f0t"));
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
    /* What a whole demo has left there is better. */
    assert_int_equal(rename(demo->model, test_path("shown/model.f0t")), 0);
    f0t_demo_free(demo);
    demo = make_model(&options);
    assert_string_equal(demo->model, test_path("shown/model.f0t"));
    assert_int_not_equal(access(test_path("shown/untuned.f0t"), F_OK), 0);
    f0t_demo_free(demo);
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
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
