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

static void check_picture(const char *path, const char *want)
{
    f0t_text page = {0};
    f0t_html_picture(&page, path, "a \"name\"");
    assert_ok(page.status);
    assert_non_null(strstr(page.bytes, want));
    assert_non_null(strstr(page.bytes, "a &quot;name&quot;"));
    f0t_text_free(&page);
}

static void pictures_are_inside_by_their_content(void **state)
{
    (void)state;
    check_picture(test_text("a.jpg", "\xFF\xD8\xFF\xE0x"), "src=\"data:image/jpeg;base64,/9j/4Hg=");
    check_picture(test_file("b.gif", "\x89PNG\r\n\x1A\n", 8), "data:image/png;base64,iVBORw0KGgo=");
    check_picture(test_file("c", "RIFF\0\0\0\0WEBPVP8 ", 16), "data:image/webp;base64,");
    check_picture(test_text("secret.jpg", "root:x:0:0"), "<div class=\"nopicture\">");
    check_picture(test_text("empty.jpg", ""), "<div class=\"nopicture\">");
    check_picture(test_path("nowhere.jpg"), "<div class=\"nopicture\">");
    check_picture(test_path("."), "<div class=\"nopicture\">");
}

static void a_picture_that_is_too_large_is_named(void **state)
{
    size_t size = F0T_HTML_PICTURE_MOST + 1;
    char *bytes;
    (void)state;
    assert_ok(f0t_alloc_zero(&bytes, size, 1));
    memcpy(bytes, "GIF89a", 6);
    check_picture(test_file("large.gif", bytes, size), "<div class=\"nopicture\">");
    f0t_free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_head_sections_and_end),
        cmocka_unit_test(tags_are_right_or_wrong),
        cmocka_unit_test(pictures_are_inside_by_their_content),
        cmocka_unit_test(a_picture_that_is_too_large_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
