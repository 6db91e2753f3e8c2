#include "support.h"

#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *parse(const char *text)
{
    json_t *root;
    assert_ok(f0t_json_parse(&root, text, strlen(text), "a.json"));
    return root;
}

static void members_are_got_by_type(void **state)
{
    (void)state;
    json_t *root =
        parse("{\"s\":\"x\",\"i\":-3,\"r\":2.5,\"b\":true,\"o\":{},\"a\":[1],\"n\":null}");
    const char *s = NULL;
    int64_t i = 0;
    double r = 0, whole = 0;
    bool b = false;
    json_t *o = NULL, *a = NULL;
    assert_ok(f0t_json_get_bool(&b, root, "b", "a.json"));
    assert_true(b);
    assert_ok(f0t_json_get_string(&s, root, "s", "a.json"));
    assert_ok(f0t_json_get_integer(&i, root, "i", "a.json"));
    assert_ok(f0t_json_get_number(&r, root, "r", "a.json"));
    assert_ok(f0t_json_get_number(&whole, root, "i", "a.json"));
    assert_ok(f0t_json_get_object(&o, root, "o", "a.json"));
    assert_ok(f0t_json_get_array(&a, root, "a", "a.json"));
    assert_string_equal(s, "x");
    assert_true(i == -3 && r == 2.5 && whole == -3 && o && json_array_size(a) == 1);
    json_decref(root);
}

static void a_missing_member_leaves_the_default(void **state)
{
    (void)state;
    json_t *root = parse("{\"n\":null}");
    static const char *const keys[] = {"n", "none"};
    for (size_t k = 0; k < 2; k++) {
        const char *s = "default";
        int64_t i = 7;
        double r = 7;
        bool b = true;
        json_t *o = root, *a = root;
        assert_ok(f0t_json_get_bool(&b, root, keys[k], "a"));
        assert_true(b);
        assert_ok(f0t_json_get_string(&s, root, keys[k], "a"));
        assert_ok(f0t_json_get_integer(&i, root, keys[k], "a"));
        assert_ok(f0t_json_get_number(&r, root, keys[k], "a"));
        assert_ok(f0t_json_get_object(&o, root, keys[k], "a"));
        assert_ok(f0t_json_get_array(&a, root, keys[k], "a"));
        assert_string_equal(s, "default");
        assert_true(i == 7 && r == 7 && o == root && a == root);
        assert_fails(F0T_ERROR_FORMAT, "a.json: \"n", f0t_json_need(root, keys[k], "a.json"));
    }
    json_decref(root);
}

static void a_member_of_another_type_is_refused(void **state)
{
    (void)state;
    json_t *root = parse("{\"s\":\"x\",\"i\":1.5}");
    const char *s = NULL;
    int64_t i = 0;
    double r = 0;
    json_t *o = NULL;
    assert_fails(F0T_ERROR_FORMAT, "a.json: \"i\" must be a text",
                 f0t_json_get_string(&s, root, "i", "a.json"));
    assert_fails(F0T_ERROR_FORMAT, "\"i\" must be a whole number",
                 f0t_json_get_integer(&i, root, "i", "a"));
    assert_fails(F0T_ERROR_FORMAT, "\"s\" must be a number",
                 f0t_json_get_number(&r, root, "s", "a"));
    bool b = false;
    assert_fails(F0T_ERROR_FORMAT, "\"s\" must be true or false",
                 f0t_json_get_bool(&b, root, "s", "a"));
    assert_fails(F0T_ERROR_FORMAT, "an object", f0t_json_get_object(&o, root, "s", "a"));
    assert_fails(F0T_ERROR_FORMAT, "a list", f0t_json_get_array(&o, root, "s", "a"));
    assert_true(!s && !o && i == 0 && r == 0);
    assert_ok(f0t_json_need(root, "s", "a"));
    static const char *const both[] = {"s", "i", NULL}, *const one[] = {"s", NULL};
    assert_ok(f0t_json_only(root, both, "a"));
    assert_fails(F0T_ERROR_FORMAT, "\"i\" is not known", f0t_json_only(root, one, "a"));
    json_decref(root);
}

static void broken_json_says_where(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {{"", "line 1"},
                 {"{\n\"a\": }", "a.json: line 2, column 6 of the JSON:"},
                 {"{\"a\":1,\"a\":2}", "duplicate"},
                 {"[1]", "the JSON is no object { … }"},
                 {"7", "JSON"},
                 {"{} {}", "end of file"},
                 {"{\"a\":\"\xFF\"}", "decode byte 0xff"},
                 {"{\"a\":1e999}", "real number overflow"},
                 {"{\"a\":NaN}", "JSON"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *root;
        assert_fails(F0T_ERROR_FORMAT, cases[i].says,
                     f0t_json_parse(&root, cases[i].text, strlen(cases[i].text), "a.json"));
        assert_null(root);
    }
}

static f0t_status load(void *path)
{
    json_t *root;
    F0T_TRY(f0t_json_load(&root, path, 100, NULL));
    json_decref(root);
    return F0T_OK;
}

/* "{"a":[[],[],…]}" with this many values in all. */
static char *lists(size_t values)
{
    char *text = malloc(values * 3 + 20), *at = text + sprintf(text, "{\"a\":[[]");
    for (size_t i = 3; i < values; i++)
        at += sprintf(at, ",[]");
    sprintf(at, "]}");
    return text;
}

static void values_are_counted_before_any_is_made(void **state)
{
    (void)state;
    json_t *root;
    char *bomb = lists((size_t)4 * F0T_JSON_VALUES);
    /* The count may be above the truth (an empty list counts as one with a value), not below. */
    char *half = lists(F0T_JSON_VALUES / 2);
    assert_ok(f0t_json_parse(&root, half, strlen(half), "half"));
    json_decref(root);
    assert_fails(F0T_ERROR_FORMAT, "bomb: its JSON has more than 262144 values",
                 f0t_json_parse(&root, bomb, strlen(bomb), "bomb"));
    assert_null(root);
    free(half);
    free(bomb);
    /* Commas and brackets inside texts are no values. */
    size_t n = (size_t)2 * F0T_JSON_VALUES;
    char *text = malloc(n + 20);
    memcpy(text, "{\"\\\"\":\"", 7);
    memset(text + 7, '[', n);
    memcpy(text + 7 + n, "\"}", 3);
    assert_ok(f0t_json_parse(&root, text, n + 9, "text"));
    json_decref(root);
    free(text);
}

static void a_file_is_loaded(void **state)
{
    (void)state;
    char path[200];
    json_t *root;
    snprintf(path, sizeof path, "%s", test_text("d.json", "{\"name\": \"flickr8k\"}\n"));
    assert_ok(f0t_json_load(&root, path, 100, NULL));
    assert_int_equal(json_object_size(root), 1);
    json_decref(root);
    test_each_fault(F0T_FAULT_ALLOC, load, path);
    assert_fails(F0T_ERROR_FORMAT, "over 3 bytes", f0t_json_load(&root, path, 3, NULL));
    assert_null(root);
    assert_fails(F0T_ERROR_NOT_FOUND, "none.json",
                 f0t_json_load(&root, test_path("none.json"), 9, NULL));
}

/* One after a number, which jansson passes over. */
static void a_byte_of_zero_is_refused(void **state)
{
    static const char text[] = "{\"a\": [1\0, 2]}";
    json_t *root;
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "a.json: its JSON has a byte of 0",
                 f0t_json_parse(&root, text, sizeof text - 1, "a.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_got_by_type),
        cmocka_unit_test(a_missing_member_leaves_the_default),
        cmocka_unit_test(a_member_of_another_type_is_refused),
        cmocka_unit_test(broken_json_says_where),
        cmocka_unit_test(values_are_counted_before_any_is_made),
        cmocka_unit_test(a_file_is_loaded),
        cmocka_unit_test(a_byte_of_zero_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
