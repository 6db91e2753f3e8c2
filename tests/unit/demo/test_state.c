#include "support.h"

#include "demo/demo.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const OUTPUT = "demo";

static f0t_demo_work start(void)
{
    static const char *picture;
    f0t_demo_work work = {.output = test_path(OUTPUT), .paths = &picture, .path_count = 1};
    picture = test_text("picture.svg", "<svg/>");
    assert_ok(
        f0t_vectors_open(&work.vectors, test_text("v.txt", "dog 1 0\ncat 0 1\n"), NULL, NULL));
    assert_ok(f0t_demo_open_folder(&work));
    return work;
}

static void end(f0t_demo_work *work)
{
    f0t_vectors_close(work->vectors);
}

static bool exists(const char *name)
{
    char path[F0T_DEMO_PATH_SIZE];
    f0t_demo_work work = {.output = test_path(OUTPUT)};
    return access(f0t_demo_path(path, &work, name), F_OK) == 0;
}

static void the_same_pictures_and_options_are_recognised(void **state)
{
    f0t_demo_work work = start();
    (void)state;
    assert_ok(f0t_demo_compare_state(&work));
    assert_false(work.same);
    assert_ok(f0t_demo_save_state(&work));
    assert_ok(f0t_demo_compare_state(&work));
    assert_true(work.same);
    end(&work);
}

static void what_changed_makes_results_and_model_go(void **state)
{
    f0t_demo_work work = start();
    (void)state;
    assert_ok(f0t_demo_compare_state(&work));
    assert_ok(f0t_demo_save_state(&work));
    test_text("demo/results.jsonl", "x");
    test_text("demo/model.f0t", "x");
    assert_ok(f0t_demo_compare_state(&work));
    assert_true(work.same && exists("results.jsonl") && exists("model.f0t"));
    work.options.seed = 1;
    assert_ok(f0t_demo_compare_state(&work));
    assert_false(work.same || exists("results.jsonl") || exists("model.f0t"));
    work.options.seed = 0; /* what was forgotten stays so */
    assert_ok(f0t_demo_compare_state(&work));
    assert_false(work.same);
    assert_ok(f0t_demo_save_state(&work));
    test_text("picture.svg", "<svg> </svg>");
    assert_ok(f0t_demo_compare_state(&work));
    assert_false(work.same);
    end(&work);
}

static void a_picture_that_changes_during_the_run_is_seen_by_the_next(void **state)
{
    f0t_demo_work work = start();
    (void)state;
    assert_ok(f0t_demo_compare_state(&work));
    test_text("picture.svg", "<svg>  </svg>");
    assert_ok(f0t_demo_save_state(&work));
    assert_ok(f0t_demo_compare_state(&work));
    assert_false(work.same);
    end(&work);
}

/* The sidecar comes, changes and goes; the picture stays as it is. */
static void a_changed_sidecar_is_a_change(void **state)
{
    static const char *const names[] = {"picture.svg.xmp", "picture.xmp"};
    f0t_demo_work work = start();
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int step = 0; step < 3; step++) {
            assert_ok(f0t_demo_compare_state(&work));
            assert_ok(f0t_demo_save_state(&work));
            assert_ok(f0t_demo_compare_state(&work));
            assert_true(work.same);
            if (step < 2)
                test_text(names[i], step ? "two" : "1");
            else
                assert_int_equal(unlink(test_path(names[i])), 0);
            assert_ok(f0t_demo_compare_state(&work));
            assert_false(work.same);
        }
    end(&work);
}

static void words_are_of_one_wordnet(void **state)
{
    f0t_demo_work work = start();
    const char *here = test_path("wordnet"), *other = test_path("other");
    (void)state;
    assert_false(f0t_demo_has_words(&work, here));
    assert_ok(f0t_demo_save_words(&work, here));
    assert_true(f0t_demo_has_words(&work, here));
    assert_false(f0t_demo_has_words(&work, other));
    assert_int_equal(mkdir(here, 0777), 0);
    test_text("wordnet/data.noun", "a newer one");
    assert_false(f0t_demo_has_words(&work, here));
    end(&work);
}

static void a_folder_of_somebody_else_is_left_alone(void **state)
{
    f0t_demo_work work = {.output = test_path("other")};
    (void)state;
    assert_int_equal(mkdir(work.output, 0777), 0);
    test_text("other/model.f0t", "mine");
    assert_fails(F0T_ERROR_IO, ": is not empty, and not of an earlier demo: a new folder is needed",
                 f0t_demo_open_folder(&work));
    assert_int_equal(unlink(test_path("other/model.f0t")), 0);
    test_text("other/.fast0tag-1-0.tmp", "of a demo that was killed");
    assert_ok(f0t_demo_open_folder(&work));
    assert_int_equal(symlink("../elsewhere", test_path("other/model.f0t")), 0);
    assert_fails(F0T_ERROR_IO, "other/model.f0t: is a link, which no demo makes; remove it",
                 f0t_demo_open_folder(&work));
    assert_int_equal(unlink(test_path("other/model.f0t")), 0);
    assert_ok(f0t_demo_open_folder(&work));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_pictures_and_options_are_recognised),
        cmocka_unit_test(what_changed_makes_results_and_model_go),
        cmocka_unit_test(a_picture_that_changes_during_the_run_is_seen_by_the_next),
        cmocka_unit_test(a_changed_sidecar_is_a_change),
        cmocka_unit_test(words_are_of_one_wordnet),
        cmocka_unit_test(a_folder_of_somebody_else_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
