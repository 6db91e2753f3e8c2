#include "support.h"

#include "image/xmp_wide.h"

#include <string.h>

typedef struct text {
    const char *data;
    size_t length;
} text;
#define TEXT(literal)                \
    {                                \
        literal, sizeof(literal) - 1 \
    }

static void utf16_and_utf32_of_either_order_are_read(void **state)
{
    static const text texts[] = {
        TEXT("\xFF\xFE<\0a\0\xE4\0\x3D\xD8\x36\xDC"),
        TEXT("\xFE\xFF\0<\0a\0\xE4\xD8\x3D\xDC\x36"),
        TEXT("<\0a\0\xE4\0\x3D\xD8\x36\xDC"),
        TEXT("\0<\0a\0\xE4\xD8\x3D\xDC\x36"),
        TEXT("\xFF\xFE\0\0<\0\0\0a\0\0\0\xE4\0\0\0\x36\xF4\1\0"),
        TEXT("\0\0\xFE\xFF\0\0\0<\0\0\0a\0\0\0\xE4\0\1\xF4\x36"),
        TEXT("<\0\0\0a\0\0\0\xE4\0\0\0\x36\xF4\1\0"),
        TEXT("\0\0\0<\0\0\0a\0\0\0\xE4\0\1\xF4\x36"),
        TEXT("\xFF\xFE<\0a\0\xE4\0\x3D\xD8\x36\xDC\0\0\0\0"), /* filled up */
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *narrow;
        size_t length;
        assert_true(f0t_xmp_is_wide(texts[i].data, texts[i].length));
        assert_ok(f0t_xmp_narrow(&narrow, &length, texts[i].data, texts[i].length));
        assert_non_null(narrow);
        assert_int_equal(length, 8);
        assert_memory_equal(narrow, "<a\xC3\xA4\xF0\x9F\x90\xB6", 8);
        f0t_free(narrow);
    }
    assert_false(f0t_xmp_is_wide("<a", 2));
    assert_false(f0t_xmp_is_wide("\xEF\xBB\xBF<", 4));
    assert_false(f0t_xmp_is_wide("", 1));
}

static void a_declaration_is_left_out(void **state)
{
    static const char wide[] = "<\0?\0x\0m\0l\0 \0e\0?\0>\0<\0a\0/\0>";
    char *narrow;
    size_t length;
    (void)state;
    assert_ok(f0t_xmp_narrow(&narrow, &length, wide, sizeof wide));
    assert_int_equal(length, 4);
    assert_memory_equal(narrow, "<a/>", 4);
    f0t_free(narrow);
}

static void what_is_no_text_is_not_read(void **state)
{
    static const text texts[] = {
        TEXT("\xFF\xFE<"),               /* half a unit */
        TEXT("\xFF\xFE\x3D\xD8"),        /* half a pair */
        TEXT("\xFF\xFE\x3D\xD8<\0"),     /* another half */
        TEXT("\xFF\xFE\x36\xDC<\0"),     /* its second half alone */
        TEXT("\xFF\xFE<\0\0\0a\0"),      /* a zero inside */
        TEXT("<\0\0\0\0\0\x11\0"),       /* beyond Unicode */
        TEXT("<\0\0\0\0\xD8\0\0"),       /* a surrogate in UTF-32 */
        TEXT("\0\0\0<\xFF\xFF\xFF\xFF"), /* far beyond */
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *narrow;
        size_t length;
        assert_ok(f0t_xmp_narrow(&narrow, &length, texts[i].data, texts[i].length));
        assert_null(narrow);
    }
}

static f0t_status load(const void *data, size_t size)
{
    char *narrow;
    size_t length;
    F0T_TRY(f0t_xmp_narrow(&narrow, &length, data, size));
    f0t_free(narrow);
    return F0T_OK;
}

static void altered_text_does_no_harm(void **state)
{
    static const char wide[] = "<\0?\0x\0m\0l\0 \0?\0>\0\x3D\xD8\x36\xDC";
    (void)state;
    for (size_t size = 2; size < sizeof wide; size++)
        assert_ok(load(wide, size));
    test_alter_everywhere(wide, sizeof wide - 1, load);
}

static f0t_status load_once(void *context)
{
    (void)context;
    return load("<\0a\0", 4);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, load_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf16_and_utf32_of_either_order_are_read),
        cmocka_unit_test(a_declaration_is_left_out),
        cmocka_unit_test(what_is_no_text_is_not_read),
        cmocka_unit_test(altered_text_does_no_harm),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
