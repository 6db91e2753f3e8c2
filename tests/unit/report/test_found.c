#include "support.h"

#include "fast0tag_tools.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

static const f0t_find_word words[] = {
    {.word = "dog", .kind = F0T_FIND_LEARNED, .cut = 0.3F, .best = 0.9F, .tagged = 12},
    {.word = "<b>", .without = true, .kind = F0T_FIND_NEW, .cut = 0.1F, .best = 0.004F},
    {.word = "me", .kind = F0T_FIND_TAG, .cut = NAN, .best = NAN, .tagged = 1},
    {.word = "on", .kind = F0T_FIND_LEFT_OUT, .cut = NAN, .best = NAN},
};
static const char LINE[] = "dog: learned, from 30 %, 12 tagged; without <b>: new, from 10 %, "
                           "best 0.4 %; me: only as a tag, 1 tagged; on: left out";

static void words_are_described(void **state)
{
    (void)state;
    char line[256], small[8];
    const f0t_find_results found = {.words = words, .word_count = 4}, none = {.count = 0};
    assert_int_equal(f0t_find_describe(line, sizeof line, &found), sizeof LINE - 1);
    assert_string_equal(line, LINE);
    assert_int_equal(f0t_find_describe(small, sizeof small, &found), sizeof LINE - 1);
    assert_string_equal(small, "dog: le");
    assert_int_equal(f0t_find_describe(NULL, 0, &found), sizeof LINE - 1);
    assert_int_equal(f0t_find_describe(line, sizeof line, &none), 0);
    assert_string_equal(line, "");
}

/* Names, tags and the query come from anywhere. */
static void a_page_shows_pictures_and_runs_nothing(void **state)
{
    (void)state;
    static const unsigned char jpeg[] = {0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3};
    f0t_catalogue *c;
    f0t_catalogue_options create = F0T_CATALOGUE_OPTIONS;
    f0t_catalogue_record record = F0T_CATALOGUE_RECORD;
    int64_t ids[2];
    create.mode = F0T_CATALOGUE_CREATE;
    assert_ok(f0t_catalogue_open(&c, test_path("catalogue"), &create));
    record.picture.path = "/a/\"><script>alert(1)</script>\xff.jpg";
    record.thumbnail = jpeg;
    record.thumbnail_size = sizeof jpeg;
    assert_ok(f0t_catalogue_put(&ids[0], c, &record));
    record.picture.path = "/b.jpg";
    record.thumbnail = "<svg onload=\"alert(1)\">";
    record.thumbnail_size = 24;
    assert_ok(f0t_catalogue_put(&ids[1], c, &record));
    const f0t_find_result items[] = {
        {ids[0], "/a/\"><script>alert(1)</script>\xff.jpg", 86400, 0.25F, false, NAN, NULL},
        {ids[1], "/b.jpg", F0T_NO_DATE, 1, true, NAN, NULL}};
    const f0t_find_results found = {items, 2, true, words, 3};
    const char *path = test_path("page.html");
    assert_ok(f0t_find_page_save(path, c, &found, "<i>dog</i>"));
    size_t size;
    char *page = test_read(path, &size);
    assert_non_null(
        strstr(page, "Content-Security-Policy\" content=\"default-src 'none'; img-src data:;"));
    assert_non_null(strstr(page, "<h1>&lt;i&gt;dog&lt;/i&gt;</h1>"));
    assert_non_null(strstr(page, "src=\"data:image/jpeg;base64,/9j/4AECAw==\""));
    assert_non_null(
        strstr(page, "href=\"file:///a/%22%3E%3Cscript%3Ealert%281%29%3C/script%3E%FF.jpg\""));
    assert_non_null(strstr(page, "<b>25 %</b>"));
    assert_non_null(strstr(page, "1970-01-02"));
    assert_non_null(strstr(page, "<b>tagged</b>"));
    assert_non_null(strstr(page, "<div class=\"nopicture\">b.jpg</div>"));
    assert_non_null(strstr(page, "2 pictures, and there are more"));
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "<svg"));
    f0t_free(page);
    f0t_catalogue_close(c);
}

/* Not a page without pictures. */
static void thumbnails_that_cannot_be_read_are_told(void **state)
{
    (void)state;
    f0t_catalogue *c;
    f0t_catalogue_options create = F0T_CATALOGUE_OPTIONS;
    sqlite3 *other;
    create.mode = F0T_CATALOGUE_CREATE;
    assert_ok(f0t_catalogue_open(&c, test_path("broken"), &create));
    assert_int_equal(sqlite3_open(test_path("broken"), &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "DROP TABLE thumbnails", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    const f0t_find_result item = {1, "/a.jpg", F0T_NO_DATE, 1, true, NAN, NULL};
    const f0t_find_results found = {&item, 1, false, words, 3};
    assert_fails(F0T_ERROR_INTERNAL, "thumbnails",
                 f0t_find_page_save(test_path("none.html"), c, &found, "dog"));
    assert_int_not_equal(access(test_path("none.html"), F_OK), 0);
    f0t_catalogue_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_described),
        cmocka_unit_test(a_page_shows_pictures_and_runs_nothing),
        cmocka_unit_test(thumbnails_that_cannot_be_read_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
