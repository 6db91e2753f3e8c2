#include "support.h"

#include "demo/demo.h"
#include "import/clean.h"

#include <string.h>

static void generated_shapes_are_told_by_their_folder(void **state)
{
    (void)state;
    assert_true(f0t_clipart_is_generated("/usr/share/openclipart/svg/shapes/stars/star_5_20.svg"));
    assert_false(f0t_clipart_is_generated("/usr/share/openclipart/svg/shapes/star_01.svg"));
    assert_false(f0t_clipart_is_generated("/usr/share/openclipart/svg/science/stars/sun.svg"));
}

static void check_series(const char *path, const char *want)
{
    assert_int_equal(f0t_clipart_series(path), strlen(want));
    assert_memory_equal(path, want, strlen(want));
}

static void names_that_differ_in_numbers_are_a_series(void **state)
{
    (void)state;
    check_series("/a/smiley_104.svg", "/a/smiley");
    check_series("/a/smiley_7.svg", "/a/smiley");
    check_series("/a/smiley.svg", "/a/smiley");
    check_series("/a/b.c/12.svg", "/a/b.c/");
    check_series("12", "1");
}

static void its_list_drops_themes_and_shelves(void **state)
{
    f0t_clean_list list;
    list.drop = f0t_clipart_drop(&list.count);
    (void)state;
    assert_int_equal(f0t_clean_flaw("theme", &list), F0T_FLAW_LISTED);
    assert_int_equal(f0t_clean_flaw("lemon theme icon", &list), F0T_FLAW_LISTED);
    assert_int_equal(f0t_clean_flaw("mime types", &list), F0T_FLAW_LISTED);
    assert_int_equal(f0t_clean_flaw("signs and symbols", &list), F0T_FLAW_LISTED);
    assert_int_equal(f0t_clean_flaw("lemon", &list), F0T_FLAW_NONE);
    assert_int_equal(f0t_clean_flaw("sign", &list), F0T_FLAW_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_shapes_are_told_by_their_folder),
        cmocka_unit_test(names_that_differ_in_numbers_are_a_series),
        cmocka_unit_test(its_list_drops_themes_and_shelves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
