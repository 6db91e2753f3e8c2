/* Pages, and pictures inside them: as they are, or small. */
#include "../image/pictures.h"

#include "base/random.h"
#include "report/html.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static f0t_worker *worker;

static int start(void **state)
{
    f0t_text page = {0};
    (void)state;
    worker = f0t_html_worker_create(&page);
    return worker && page.status == F0T_OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    f0t_worker_free(worker);
    return 0;
}

/* ---- What a page has inside ------------------------------------------------------------------ */

static const char BOX[] = "<div class=\"nopicture\">a &quot;name&quot;</div>";
static const char PNG[] = "src=\"data:image/png;base64,";

static void check(f0t_worker *by, const char *path, const char *want)
{
    f0t_text page = {0};
    f0t_html_picture(&page, by, path, "a \"name\"");
    assert_ok(page.status);
    if (!strstr(page.bytes, want))
        fail_msg("%s: no '%s' in: %.200s", path, want, page.bytes);
    assert_non_null(strstr(page.bytes, "a &quot;name&quot;"));
    f0t_text_free(&page);
}

static unsigned six_bits(char c)
{
    static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(all, c);
    assert_non_null(at);
    return (unsigned)(at - all);
}

/* Writes what the base64 stands for (RFC 4648) to a file. */
static const char *unpack(const char *text, size_t length)
{
    uint8_t *bytes = malloc(length);
    size_t size = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < length; i++) {
        bits = (bits << 6 | six_bits(text[i])) & 0xFFFF;
        if (i % 4)
            bytes[size++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
    }
    const char *path = test_file("inside.png", bytes, size);
    free(bytes);
    return path;
}

/* The small picture that the page has inside; gives how many bytes the page is long. */
static size_t decode_inside(f0t_picture *out, const char *path)
{
    f0t_text page = {0};
    f0t_html_picture(&page, worker, path, "x");
    assert_ok(page.status);
    const char *at = strstr(page.bytes, PNG);
    if (!at)
        fail_msg("%s: %.200s", path, page.bytes);
    at += strlen(PNG);
    const char *inside = unpack(at, strcspn(at, "=\""));
    const size_t size = page.size;
    f0t_text_free(&page);
    assert_ok(f0t_worker_decode(out, worker, inside, 10000, true));
    return size;
}

static void assert_colour(const f0t_picture *p, size_t x, size_t y, const int want[3])
{
    const uint8_t *got = p->rgb + 3 * (y * p->width + x);
    for (int k = 0; k < 3; k++)
        if (abs(got[k] - want[k]) > 10)
            fail_msg("%d %d %d where %d %d %d is expected", got[0], got[1], got[2], want[0],
                     want[1], want[2]);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

static const int LEFT[3] = {200, 60, 60}, RIGHT[3] = {60, 60, 200};

/* A PNG with two halves and so much noise that it packs badly. */
static const char *photo(const char *name, size_t width, size_t height)
{
    const f0t_random random = {3, 0};
    uint8_t *pixels = malloc(width * height * 3);
    for (size_t i = 0; i < width * height * 3; i++) {
        const int *mean = i / 3 % width < width / 2 ? LEFT : RIGHT;
        pixels[i] = (uint8_t)(mean[i % 3] - 50 + (int)f0t_random_below(&random, i, 101));
    }
    const char *path = png_write(name, pixels, width, height, 3, 0);
    free(pixels);
    return path;
}

static const char *file_of(const char *name, const char *begin, size_t size)
{
    char *bytes = calloc(size, 1);
    memcpy(bytes, begin, strlen(begin));
    const char *path = test_file(name, bytes, size);
    free(bytes);
    return path;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void small_files_are_inside_as_they_are(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        f0t_worker *by = i ? worker : NULL;
        check(by, test_text("a.jpg", "\xFF\xD8\xFF\xE0x"), "src=\"data:image/jpeg;base64,/9j/4Hg=");
        check(by, test_file("b.gif", "\x89PNG\r\n\x1A\n", 8), "data:image/png;base64,iVBORw0KGgo=");
        check(by, test_file("c", "RIFF\0\0\0\0WEBPVP8 ", 16), "data:image/webp;base64,");
        check(by, file_of("d", "GIF89a", F0T_HTML_SMALL), "data:image/gif;base64,");
    }
}

static void what_is_no_picture_has_a_box(void **state)
{
    const char *pipe = test_path("pipe.jpg");
    (void)state;
    assert_int_equal(mkfifo(pipe, 0600), 0);
    for (int i = 0; i < 2; i++) {
        f0t_worker *by = i ? worker : NULL;
        check(by, test_text("secret.jpg", "root:x:0:0"), BOX);
        check(by, test_text("page.svg", "<?xml version='1.0'?><html><svg/></html>"), BOX);
        check(by, test_text("cut.svg", "<!-- <svg"), BOX);
        check(by, test_text("empty.jpg", ""), BOX);
        check(by, test_path("nowhere.jpg"), BOX);
        check(by, test_path("."), BOX);
        check(by, pipe, BOX);
        check(by, "", BOX);
    }
    check(worker, file_of("damaged.jpg", "\xFF\xD8\xFF\xE0", 2 * F0T_HTML_SMALL), BOX);
    check(worker, test_text("damaged.svg", "<svg><g></svg>"), BOX);
}

static void note(void *user, f0t_log_level level, const char *line)
{
    assert_int_equal(level, F0T_LOG_WARNING);
    snprintf(user, 512, "%s", line);
}

/* What is there and cannot be read is no picture that is not there: the page lacks it, and the log says so. */
static void a_picture_that_cannot_be_read_is_told(void **state)
{
    const char *loop = test_path("loop.jpg");
    char heard[512] = "";
    const f0t_monitor monitor = {.log = note, .user = heard};
    const f0t_context context = {.threads = 1, .monitor = &monitor};
    (void)state;
    F0T_ENTER(&context);
    check(NULL, test_path("nowhere.jpg"), BOX);
    assert_string_equal(heard, "");
    assert_int_equal(symlink("loop.jpg", loop), 0); /* to itself */
    check(NULL, loop, BOX);
    assert_non_null(strstr(heard, "loop.jpg: cannot be looked at: "));
    assert_non_null(strstr(heard, ": not shown"));
}

static void a_photograph_is_inside_as_a_small_picture(void **state)
{
    const char *path = photo("photo.png", 1200, 900);
    struct stat info;
    f0t_picture inside;
    (void)state;
    assert_int_equal(stat(path, &info), 0);
    assert_true(info.st_size > F0T_HTML_PICTURE_MOST);
    const size_t size = decode_inside(&inside, path);
    assert_true(size < 150000);
    assert_int_equal(inside.width, 200);
    assert_int_equal(inside.height, 150);
    assert_colour(&inside, 10, 75, LEFT);
    assert_colour(&inside, 190, 75, RIGHT);
}

static void long_pictures_are_small_too(void **state)
{
    f0t_picture inside;
    (void)state;
    assert_true(decode_inside(&inside, photo("wide.png", 3000, 200)) < 400000);
    assert_true(inside.width <= 640 && inside.width > 14 * inside.height);
    assert_true(decode_inside(&inside, photo("tall.png", 30, 6000)) < 400000);
    assert_true(inside.width * inside.height < 90000);
}

static void formats_that_browsers_do_not_show_are_shown(void **state)
{
    static const char *const names[] = {"pictures/quarters.heic", "pictures/quarters.tif"};
    static const int first[3] = {220, 30, 40}, last[3] = {240, 220, 90};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        f0t_picture inside;
        decode_inside(&inside, test_source(names[i]));
        assert_int_equal(inside.width, 48);
        assert_int_equal(inside.height, 32);
        assert_colour(&inside, 12, 8, first);
        assert_colour(&inside, 36, 24, last);
    }
}

#define DRAWING                                                                                \
    "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='40'><script>alert(1)</script>" \
    "<rect width='40' height='40' fill='rgb(60,60,200)'/></svg>"

static void a_drawing_is_known_after_what_may_stand_before_it(void **state)
{
    static const char *const before[] = {
        "",
        "\xEF\xBB\xBF",
        "<?xml version='1.0' encoding='UTF-8'?>\r\n",
        "\n<!-- by <svg> -> hand -->\n",
        "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://w3.org/1.1/DTD/svg11.dtd'>\n",
        "<?xml version='1.0'?><!-- x --><!DOCTYPE svg [\n<!ENTITY ns 'http://x.org/'>\n]>\n"};
    (void)state;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        char text[600];
        f0t_picture inside;
        snprintf(text, sizeof text, "%s%s", before[i], DRAWING);
        const char *path = test_text("drawing.svg", text);
        check(NULL, path, "src=\"data:image/svg+xml;base64,");
        decode_inside(&inside, path); /* by a worker: pixels, no scripts */
        assert_colour(&inside, inside.width / 2, inside.height / 2, RIGHT);
    }
}

static void without_the_program_files_are_inside_as_they_are(void **state)
{
    f0t_text page = {0};
    (void)state;
    setenv("F0T_PICTURE", "/nowhere/fast0tag-picture", 1);
    f0t_worker *missing = f0t_html_worker_create(&page);
    unsetenv("F0T_PICTURE");
    assert_ok(page.status);
    for (int i = 0; i < 2; i++) {
        f0t_worker *by = i ? missing : NULL;
        check(by, file_of("most.gif", "GIF89a", F0T_HTML_PICTURE_MOST), "data:image/gif;base64,");
        check(by, file_of("more.gif", "GIF89a", F0T_HTML_PICTURE_MOST + 1), BOX);
        check(by, test_source("pictures/quarters.heic"), BOX);
        check(by, test_text("drawing.svg", DRAWING), "src=\"data:image/svg+xml;base64,");
    }
    f0t_worker_free(missing);
}

static f0t_status add_picture(void *path)
{
    f0t_text page = {0};
    f0t_worker *own = f0t_html_worker_create(&page);
    f0t_html_picture(&page, own, path, "x");
    f0t_status status = page.status;
    f0t_worker_free(own);
    f0t_text_free(&page);
    return status;
}

static void a_lack_of_memory_is_reported(void **state)
{
    char path[300];
    (void)state;
    snprintf(path, sizeof path, "%s", test_source("pictures/quarters.tif"));
    test_each_fault(F0T_FAULT_ALLOC, add_picture, path);
    snprintf(path, sizeof path, "%s", test_source("pictures/quarters.jpg"));
    test_each_fault(F0T_FAULT_ALLOC, add_picture, path);
}

/* ---- The page ------------------------------------------------------------------------------ */

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
        cmocka_unit_test(small_files_are_inside_as_they_are),
        cmocka_unit_test(what_is_no_picture_has_a_box),
        cmocka_unit_test(a_picture_that_cannot_be_read_is_told),
        cmocka_unit_test(a_photograph_is_inside_as_a_small_picture),
        cmocka_unit_test(long_pictures_are_small_too),
        cmocka_unit_test(formats_that_browsers_do_not_show_are_shown),
        cmocka_unit_test(a_drawing_is_known_after_what_may_stand_before_it),
        cmocka_unit_test(without_the_program_files_are_inside_as_they_are),
        cmocka_unit_test(a_lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
