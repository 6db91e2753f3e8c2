/* What a showcase is made from; tests/cli/demo.sh makes one. */
#include "support.h"

#include "fast0tag_tools.h"

static void what_is_not_filled_in_is_refused(void **state)
{
    f0t_showcase showcase = {0};
    f0t_report *report;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "f0t_showcase.size",
                 f0t_showcase_save(&showcase, test_path("page.html"), NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "f0t_showcase.size",
                 f0t_showcase_report(&report, &showcase, "page.html"));
    showcase = (f0t_showcase)F0T_SHOWCASE;
    assert_fails(F0T_ERROR_ARGUMENT, "eval",
                 f0t_showcase_save(&showcase, test_path("page.html"), NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "eval", f0t_showcase_report(&report, &showcase, "page.html"));
    assert_null(report);
}

static void a_page_without_a_model_must_say_what_is_to_come(void **state)
{
    f0t_showcase showcase = F0T_SHOWCASE;
    int any = 0;
    f0t_report *report;
    (void)state;
    showcase.eval = (const void *)&any; /* not looked into */
    assert_fails(F0T_ERROR_ARGUMENT, "model",
                 f0t_showcase_save(&showcase, test_path("page.html"), NULL));
    showcase.to_come = "a model";
    assert_fails(F0T_ERROR_ARGUMENT, "pictures",
                 f0t_showcase_save(&showcase, test_path("page.html"), NULL));
    assert_fails(F0T_ERROR_ARGUMENT, "pictures",
                 f0t_showcase_report(&report, &showcase, "page.html"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_without_a_model_must_say_what_is_to_come),
        cmocka_unit_test(what_is_not_filled_in_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
