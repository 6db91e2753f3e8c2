#include "support.h"

#include "image/pictures.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

static void check(f0t_namesakes *n, const char *picture, const char *want)
{
    const char *other;
    assert_ok(f0t_namesakes_find(n, &other, test_path(picture)));
    if (want)
        assert_string_equal(other, want);
    else
        assert_null(other);
}

static void names_that_share_a_sidecar_are_found(void **state)
{
    static const char *const names[] = {
        "n/a.jpg",   "n/a.svg",   "n/a.xmp",   "n/a.jpg.xmp", "n/b.jpg", "n/b.txt",
        "n/b-1.jpg", "n/b 1.jpg", "n/b.x.jpg", "n/c.JPG",     "n/c.Cr2", "n/d.jpg.png",
        "n/d.jpg",   "n/e.heic",  "n/e.MOV",   "n/f.jpg",     "n/f",     "n/gä.jpg",
        "n/g.jpg",   "n/h.jpg",   "n/h.JPG",   "m/b.svg"};
    f0t_namesakes n = {0};
    (void)state;
    assert_ok(f0t_folder_create(test_path("n")));
    assert_ok(f0t_folder_create(test_path("m")));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        test_text(names[i], "");
    check(&n, "n/a.jpg", "a.svg");
    check(&n, "n/a.svg", "a.jpg");
    check(&n, "n/b.jpg", NULL);
    check(&n, "n/b-1.jpg", NULL);
    check(&n, "n/b.x.jpg", NULL);
    check(&n, "n/c.JPG", "c.Cr2");
    check(&n, "n/d.jpg.png", "d.jpg");
    check(&n, "n/d.jpg", NULL);
    check(&n, "n/e.heic", "e.MOV");
    check(&n, "n/f.jpg", NULL);
    check(&n, "n/g.jpg", NULL);
    check(&n, "n/h.jpg", "h.JPG");
    check(&n, "m/b.svg", NULL);
    const char *other;
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere",
                 f0t_namesakes_find(&n, &other, test_path("nowhere/a.jpg")));
    check(&n, "n/a.jpg", "a.svg");
    f0t_namesakes_free(&n);
}

static f0t_status find_once(void *context)
{
    f0t_namesakes n = {0};
    const char *other;
    f0t_status status = f0t_namesakes_find(&n, &other, context);
    f0t_namesakes_free(&n);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    char path[300];
    (void)state;
    snprintf(path, sizeof path, "%s", test_path("n/a.jpg"));
    test_each_fault(F0T_FAULT_ALLOC, find_once, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_share_a_sidecar_are_found),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
