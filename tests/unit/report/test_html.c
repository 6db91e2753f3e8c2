#include "support.h"

#include "report/html.h"

#include <string.h>

static void a_page_has_head_sections_and_end(void **state)
{
    static const char *const ids[] = {"a", "b"}, *const titles[] = {"First", "<Second>"};
    f0t_text page = {0};
    (void)state;
    f0t_html_begin(&page, "A & B", "sub");
    f0t_html_contents(&page, ids, titles, 2);
    f0t_html_section(&page, "a", "First");
    f0t_html_paragraph(&page, "1 < 2");
    f0t_html_end(&page);
    assert_ok(page.status);
    assert_ptr_equal(strstr(page.bytes, "<!DOCTYPE html>"), page.bytes);
    assert_non_null(strstr(page.bytes, "<title>A &amp; B</title>"));
    assert_non_null(strstr(page.bytes, "<a href=\"#b\">&lt;Second&gt;</a>"));
    assert_non_null(strstr(page.bytes, "<h2 id=\"a\">First</h2>"));
    assert_non_null(strstr(page.bytes, "<p>1 &lt; 2</p>"));
    assert_non_null(strstr(page.bytes, "</html>"));
    f0t_text_free(&page);
}

static void tags_are_right_or_wrong(void **state)
{
    f0t_text page = {0};
    (void)state;
    f0t_html_tag(&page, "sea", true);
    f0t_html_tag(&page, "<b>", false);
    assert_ok(page.status);
    assert_string_equal(page.bytes, "<span class=\"right\">sea</span>"
                                    "<span class=\"wrong\">&lt;b&gt;</span>");
    f0t_text_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_head_sections_and_end),
        cmocka_unit_test(tags_are_right_or_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
