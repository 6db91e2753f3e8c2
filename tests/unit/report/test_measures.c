#include "support.h"

#include "report/measures.h"
#include "xml.h"

#include <string.h>

static void heads_of_tables_have_a_meaning(void **state)
{
    static const char *const heads[] = {"MiAP",  "MiAP, %", "MiAP of the seen tags, %",
                                        "K = 3", "P",       "P*",
                                        "R",     "F1",      "N+",
                                        "mAP",   "tune",    "train",
                                        "test"};
    (void)state;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (!f0t_measure_meaning(heads[i]))
            fail_msg("'%s' is not explained", heads[i]);
    assert_ptr_not_equal(f0t_measure_meaning("P"), f0t_measure_meaning("P*"));
    assert_ptr_equal(f0t_measure_meaning("K = 5"), f0t_measure_meaning("K"));
}

static void other_heads_have_none(void **state)
{
    static const char *const heads[] = {"",     "Method %", "Picture", "tests",
                                        "Kind", "MiAPs",    "seconds"};
    (void)state;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        assert_null(f0t_measure_meaning(heads[i]));
}

static void a_page_shows_them(void **state)
{
    static const char *const heads[] = {"P", "R"};
    f0t_text page = {0};
    (void)state;
    f0t_text_add(&page, "<p>");
    f0t_measure_write(&page, "MiAP");
    f0t_measure_write(&page, "<Method>");
    f0t_measures_explain(&page, heads, 2);
    f0t_text_add(&page, "</p>");
    assert_int_equal(xml_count(&page, "//abbr[.='MiAP'][string-length(@title) > 40]"), 1);
    assert_int_equal(xml_count(&page, "//dl/dt"), 2);
    assert_int_equal(xml_count(&page, "//dl/dd[starts-with(., 'precision')]"), 1);
    assert_non_null(strstr(page.bytes, "&lt;Method&gt;"));
    f0t_text_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_of_tables_have_a_meaning),
        cmocka_unit_test(other_heads_have_none),
        cmocka_unit_test(a_page_shows_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
