#include "support.h"

#include "base/fault.h"
#include "image/pictures.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(test_path(name), 0755), 0);
}

static int make_tree(void **state)
{
    (void)state;
    make_folder("p");
    make_folder("p/b");
    make_folder("p/b/deep");
    make_folder("p/.hidden");
    test_text("p/c.JPG", "");
    test_text("p/a.png", "");
    test_text("p/a.txt", "");
    test_text("p/.d.png", "");
    test_text("p/b/deep/z.svg", "");
    test_text("p/b/y.webp", "");
    test_text("p/.hidden/x.png", "");
    return symlink(test_path("p"), test_path("p/b/loop")) ||
           symlink(test_path("p/a.png"), test_path("p/b/link.png")) ||
           symlink("nowhere", test_path("p/b/gone.png"));
}

static void pictures_come_in_the_order_of_their_paths(void **state)
{
    static const char *const want[] = {"p/a.png", "p/b/deep/z.svg", "p/b/link.png", "p/b/y.webp",
                                       "p/c.JPG"};
    f0t_texts found = {0};
    f0t_skipped_files skipped = {0};
    (void)state;
    assert_ok(f0t_walk(&found, &skipped, test_path("p"), NULL));
    assert_int_equal(found.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(f0t_texts_get(&found, i), test_path(want[i]));
    f0t_texts_free(&found);
}

/* Whatever they are called by. */
static void pictures_of_folders_that_are_named_twice_are_found_once(void **state)
{
    char folder[4096], slash[4096], inner[4096], link[4096], file[4096];
    const char *paths[] = {folder, slash, folder, inner, link, file, file};
    f0t_pictures *pictures;
    size_t count;
    (void)state;
    snprintf(folder, sizeof folder, "%s", test_path("p"));
    snprintf(slash, sizeof slash, "%s", test_path("p/../p/"));
    snprintf(inner, sizeof inner, "%s", test_path("p/b"));
    snprintf(link, sizeof link, "%s", test_path("p/b/loop"));
    snprintf(file, sizeof file, "%s", test_path("p/a.png"));
    assert_ok(f0t_pictures_find(&pictures, paths, sizeof paths / sizeof *paths, NULL));
    const char *const *found = f0t_pictures_paths(&count, pictures);
    assert_int_equal(count, 5);
    assert_string_equal(found[0], test_path("p/a.png"));
    assert_string_equal(found[4], test_path("p/c.JPG"));
    f0t_pictures_free(pictures);
    assert_ok(f0t_pictures_find(&pictures, paths + 3, 3, NULL));
    found = f0t_pictures_paths(&count, pictures);
    assert_int_equal(count, 5); /* of the inner folder as it is called, then the others */
    assert_string_equal(found[0], test_path("p/b/deep/z.svg"));
    assert_string_equal(found[3], test_path("p/b/loop/a.png"));
    f0t_pictures_free(pictures);
}

static void keep_line(void *user, f0t_log_level level, const char *line)
{
    assert_int_equal(level, F0T_LOG_INFO);
    snprintf(user, 600, "%s", line);
}

static void what_is_passed_over_is_counted(void **state)
{
    static const char *const names[] = {"q/a.MOV", "q/b.mov",  "q/c.txt", "q/d",
                                        "q/e.xmp", "q/.f.mov", "q/g.",    "q/h.thisistoolong",
                                        "q/i.mp4", "q/j.png",  "q/k.mp4"};
    char line[600] = "";
    const f0t_monitor monitor = {.log = keep_line, .user = line};
    f0t_texts found = {0};
    f0t_skipped_files skipped = {0};
    (void)state;
    mkdir(test_path("q"), 0755);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        test_text(names[i], "");
    assert_ok(f0t_walk(&found, &skipped, test_path("q"), &monitor));
    assert_int_equal(found.count, 1);
    assert_string_equal(line, "");
    f0t_skipped_files_tell(&skipped, &monitor);
    assert_string_equal(line,
                        "8 files are no pictures that can be read, and skipped: 2 .mov, 2 .mp4, "
                        "1 .txt, 3 others");
    f0t_texts_free(&found);
}

/* More kinds than are kept, and than are shown. */
static void many_kinds_are_summed_up(void **state)
{
    char line[600] = "", name[32];
    const f0t_monitor monitor = {.log = keep_line, .user = line};
    f0t_texts found = {0};
    f0t_skipped_files skipped = {0};
    (void)state;
    mkdir(test_path("r"), 0755);
    for (int i = 0; i < F0T_SKIPPED_KINDS + 9; i++) {
        snprintf(name, sizeof name, "r/a.x%03d", i);
        test_text(name, "");
    }
    assert_ok(f0t_walk(&found, &skipped, test_path("r"), &monitor));
    f0t_skipped_files_tell(&skipped, &monitor);
    assert_int_equal(skipped.others, 9);
    assert_non_null(
        strstr(line, "73 files are no pictures that can be read, and skipped: 1 .x000, "));
    assert_non_null(strstr(line, "1 .x011, 61 others"));
    f0t_texts_free(&found);
}

static void folders_are_searched_to_a_depth(void **state)
{
    char name[300] = "deep";
    f0t_texts found = {0};
    f0t_skipped_files skipped = {0};
    (void)state;
    for (size_t depth = 0; depth < 67; depth++, strcat(name, "/d"))
        assert_int_equal(mkdir(test_path(name), 0777), 0);
    assert_ok(f0t_walk(&found, &skipped, test_path("deep"), NULL)); /* the others are read */
    assert_non_null(strstr(f0t_last_error(), ": more than 64 folders deep"));
    f0t_texts_free(&found);
}

static void a_file_is_itself_whatever_its_name(void **state)
{
    f0t_texts found = {0};
    f0t_skipped_files skipped = {0};
    (void)state;
    assert_ok(f0t_walk(&found, &skipped, test_path("p/a.txt"), NULL));
    assert_int_equal(found.count, 1);
    assert_fails(F0T_ERROR_NOT_FOUND, "nothing",
                 f0t_walk(&found, &skipped, test_path("nothing"), NULL));
    f0t_texts_free(&found);
}

static uint64_t print_of(const char *const *paths, size_t count)
{
    uint64_t print;
    assert_ok(f0t_pictures_fingerprint(&print, paths, count));
    return print;
}

static void what_changed_has_another_fingerprint(void **state)
{
    const char *paths[] = {test_text("p.svg", "<svg/>"), test_path("missing.svg")};
    const uint64_t print = print_of(paths, 2);
    (void)state;
    assert_true(print_of(paths, 2) == print);
    assert_true(print_of(paths, 1) != print);
    test_text("p.xmp", "<x/>");
    const uint64_t tagged = print_of(paths, 2);
    assert_true(tagged != print);
    test_text("p.svg.xmp", "<x/>");
    assert_true(print_of(paths, 2) != tagged);
}

static void a_stop_is_heard(void **state)
{
    volatile sig_atomic_t flag = 1;
    const f0t_monitor monitor = {.stop = &flag};
    f0t_texts found = {0};
    f0t_skipped_files skipped = {0};
    (void)state;
    assert_fails(F0T_ERROR_INTERRUPTED, "interrupted",
                 f0t_walk(&found, &skipped, test_path("p"), &monitor));
    f0t_texts_free(&found);
}

static f0t_status walk_once(void *context)
{
    f0t_texts found = {0};
    f0t_skipped_files skipped = {0};
    f0t_status status = f0t_walk(&found, &skipped, context, NULL);
    f0t_texts_free(&found);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", test_path("p"));
    test_each_fault(F0T_FAULT_ALLOC, walk_once, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_come_in_the_order_of_their_paths),
        cmocka_unit_test(pictures_of_folders_that_are_named_twice_are_found_once),
        cmocka_unit_test(what_is_passed_over_is_counted),
        cmocka_unit_test(many_kinds_are_summed_up),
        cmocka_unit_test(folders_are_searched_to_a_depth),
        cmocka_unit_test(a_file_is_itself_whatever_its_name),
        cmocka_unit_test(what_changed_has_another_fingerprint),
        cmocka_unit_test(a_stop_is_heard),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_tree, NULL);
}
