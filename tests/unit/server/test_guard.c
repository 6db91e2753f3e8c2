#include "support.h"

#include "guard.h"

#include <string.h>

static void names_of_this_server_are_allowed(void **state)
{
    static const char *const names[] = {"tags.example", "10.0.0.7"};
    const guard g = {.host = "fe80::1", .names = names, .name_count = 2};
    static const char *const good[] = {"localhost", "LocalHost:8077", "127.0.0.1:1",
                                       "[::1]",     "[::1]:80",       "Tags.Example:443",
                                       "10.0.0.7",  "[fe80::1]:5"};
    static const char *const bad[] = {
        "",      ":80", "localhost.", "localhost.evil", "evil:localhost", "[::1", "[::1]x", "[]",
        "[]:80", "::1", "127.0.0.",   "127.0.0.1:1:2",  "tags.example/x", "a",    "fe80::1"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(guard_allows_host(&g, good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (guard_allows_host(&g, bad[i]))
            fail_msg("'%s' is allowed", bad[i]);
    assert_false(guard_allows_host(&g, NULL));
}

static void pages_of_other_sites_are_not(void **state)
{
    (void)state;
    assert_true(guard_allows_origin(NULL, NULL, "localhost:1"));
    assert_true(guard_allows_origin("https://LOCALHOST:1", "same-origin", "localhost:1"));
    assert_true(guard_allows_origin(NULL, "none", "localhost:1"));
    assert_false(guard_allows_origin("http://localhost:2", NULL, "localhost:1"));
    assert_false(guard_allows_origin("http://localhost", NULL, "localhost:1"));
    assert_false(guard_allows_origin("null", NULL, "null"));
    assert_false(guard_allows_origin("", NULL, ""));
    assert_false(guard_allows_origin("http://localhost:1", "cross-site", "localhost:1"));
    assert_false(guard_allows_origin(NULL, "same-site", "localhost:1"));
    assert_false(guard_allows_origin("http://a", NULL, NULL));
}

static void only_the_token_opens(void **state)
{
    guard g = {.token_length = 0};
    (void)state;
    assert_true(guard_allows_token(&g, NULL));
    assert_ok(guard_read_token(&g, test_text("token", "0123456789abcdef \n")));
    assert_true(guard_allows_token(&g, "Bearer 0123456789abcdef"));
    assert_true(guard_allows_token(&g, "bearer 0123456789abcdef"));
    static const char *const bad[] = {"",
                                      "Bearer",
                                      "Bearer ",
                                      "Bearer 0123456789abcde",
                                      "Bearer 0123456789abcdeg",
                                      "Bearer 0123456789abcdef0123456789abcdef",
                                      "Bearer  0123456789abcdef",
                                      "Basic 0123456789abcdef"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(guard_allows_token(&g, bad[i]));
    assert_false(guard_allows_token(&g, NULL));
}

static void a_token_must_be_worth_its_name(void **state)
{
    guard g = {.token_length = 0};
    char text[1100];
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "16 to 1024 characters",
                 guard_read_token(&g, test_text("token", "short\n")));
    assert_fails(F0T_ERROR_FORMAT, "16 to 1024 characters",
                 guard_read_token(&g, test_text("token", "")));
    assert_fails(F0T_ERROR_FORMAT, "printing characters",
                 guard_read_token(&g, test_text("token", "0123456789 abcdef")));
    assert_fails(F0T_ERROR_IO, "cannot be read", guard_read_token(&g, test_path("none")));
    memset(text, 'x', sizeof text);
    text[1025] = 0;
    assert_fails(F0T_ERROR_FORMAT, "16 to 1024 characters",
                 guard_read_token(&g, test_text("token", text)));
    text[1024] = 0;
    assert_ok(guard_read_token(&g, test_text("token", text)));
    assert_int_equal(g.token_length, 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_this_server_are_allowed),
        cmocka_unit_test(pages_of_other_sites_are_not),
        cmocka_unit_test(only_the_token_opens),
        cmocka_unit_test(a_token_must_be_worth_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
