#include "one_worker.h"
#include "pictures.h"

#include "base/fault.h"
#include "io/file.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PACKET_BEGIN                                                                             \
    "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "                                              \
    "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' "     \
    "xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:lr='http://ns.adobe.com/lightroom/1.0/' " \
    "xmlns:my='http://example.org/my/' my:stars='4'>"
#define PACKET_END "</rdf:Description></rdf:RDF></x:xmpmeta>"

static void pixels_come_as_they_are(void **state)
{
    const uint8_t pixels[2 * 3 * 3] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    f0t_picture picture;
    (void)state;
    assert_ok(
        f0t_worker_decode(&picture, worker, png_write("small.png", pixels, 3, 2, 3, 0), 64, false));
    assert_int_equal(picture.width, 3);
    assert_int_equal(picture.height, 2);
    assert_memory_equal(picture.rgb, pixels, sizeof pixels);
}

static void transparency_is_on_white(void **state)
{
    const uint8_t pixels[2 * 4] = {200, 0, 0, 0, 10, 20, 30, 255};
    const uint8_t want[2 * 3] = {255, 255, 255, 10, 20, 30};
    f0t_picture picture;
    (void)state;
    assert_ok(
        f0t_worker_decode(&picture, worker, png_write("clear.png", pixels, 2, 1, 4, 0), 64, false));
    assert_memory_equal(picture.rgb, want, sizeof want);
}

static void the_shorter_side_is_shrunk(void **state)
{
    uint8_t *pixels = calloc(300 * 600, 3);
    f0t_picture picture;
    (void)state;
    memset(pixels, 77, 300 * 600 * 3);
    assert_ok(f0t_worker_decode(&picture, worker, png_write("wide.png", pixels, 600, 300, 3, 0),
                                100, false));
    assert_int_equal(picture.width, 200);
    assert_int_equal(picture.height, 100);
    for (size_t i = 0; i < 200 * 100 * 3; i++)
        assert_int_equal(picture.rgb[i], 77);
    free(pixels);
}

/* To bring its one row to the size that is wanted would take that many times as long. */
static void a_line_without_end_is_shrunk_along_it(void **state)
{
    uint8_t *pixels = calloc(100000, 3);
    f0t_picture picture;
    (void)state;
    assert_non_null(pixels);
    memset(pixels, 77, 300000);
    assert_ok(f0t_worker_decode(&picture, worker, png_write("line.png", pixels, 100000, 1, 3, 0),
                                100, false));
    assert_int_equal(picture.width, 50000);
    assert_int_equal(picture.height, 1);
    assert_int_equal(picture.rgb[3 * 49999], 77);
    free(pixels);
}

/* A page of 75 x 75 points is one of 100 x 100 pixels: what is drawn at its far end is there. */
static void svg_in_points_is_not_cut_off(void **state)
{
    const char *path = test_text("points.svg", "<svg xmlns='http://www.w3.org/2000/svg' "
                                               "width='75pt' height='75pt'><rect x='80' y='80' "
                                               "width='20' height='20' fill='#0000ff'/></svg>");
    f0t_picture picture;
    (void)state;
    assert_ok(f0t_worker_decode(&picture, worker, path, 50, false));
    assert_int_equal(picture.width, 50);
    assert_int_equal(picture.height, 50);
    assert_memory_equal(picture.rgb + 3 * (45 * 50 + 45), "\0\0\xFF", 3);
    assert_memory_equal(picture.rgb + 3 * (20 * 50 + 20), "\xFF\xFF\xFF", 3);
}

/* A second viewBox would be an error: one with blanks around its "=" is seen, too. */
static void svg_with_a_view_keeps_it(void **state)
{
    const char *path = test_text("view.svg", "<svg xmlns='http://www.w3.org/2000/svg' "
                                             "width='75pt' height='75pt' viewBox = "
                                             "\"0 0 10 10\"><rect width='5' height='5'/></svg>");
    f0t_picture picture;
    (void)state;
    assert_ok(f0t_worker_decode(&picture, worker, path, 50, false));
    assert_int_equal(picture.width, 50);
    assert_memory_equal(picture.rgb + 3 * (20 * 50 + 20), "\0\0\0", 3);
    assert_memory_equal(picture.rgb + 3 * (30 * 50 + 30), "\xFF\xFF\xFF", 3);
}

static void svg_is_drawn_at_the_size_that_is_asked_for(void **state)
{
    const char *path = test_text("red.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='10' "
                                            "height='20'><rect width='10' height='10' "
                                            "fill='#ff0000'/></svg>");
    f0t_picture picture;
    (void)state;
    assert_ok(f0t_worker_decode(&picture, worker, path, 50, false));
    assert_int_equal(picture.width, 50);
    assert_int_equal(picture.height, 100);
    assert_memory_equal(picture.rgb, "\xFF\0\0", 3);
    assert_memory_equal(picture.rgb + 50 * 100 * 3 - 3, "\xFF\xFF\xFF", 3);
}

/* What libvips does not take for SVG by its beginning. */
static void svg_after_a_long_comment_is_drawn(void **state)
{
    char text[4000] = "<?xml version='1.0'?><!-- ";
    f0t_picture picture;
    const char *found;
    size_t length;
    (void)state;
    memset(text + strlen(text), 'x', 3000);
    strcat(text, " --><svg xmlns='http://www.w3.org/2000/svg' width='10' height='10'><dc:subject "
                 "xmlns:dc='d'><b><li>square</li></b></dc:subject><rect width='10' height='10' "
                 "fill='#00ff00'/></svg>");
    const char *path = test_text("late.svg", text);
    assert_ok(f0t_worker_decode(&picture, worker, path, 50, false));
    assert_int_equal(picture.width, 50);
    assert_memory_equal(picture.rgb, "\0\xFF\0", 3);
    assert_ok(f0t_worker_keywords(&found, &length, worker, path));
    assert_string_equal(found, "svg\tsquare\n");
    assert_fails(F0T_ERROR_FORMAT, "none.svg: ",
                 f0t_worker_decode(&picture, worker, test_text("none.svg", "nothing"), 50, false));
}

static void a_photo_is_decoded(void **state)
{
    (void)state;
    const char *path = test_data("flickr8k/thumbs");
    char file[4096];
    f0t_picture picture;
    snprintf(file, sizeof file, "ls %s/* | head -1 > %s", path, test_path("name"));
    assert_int_equal(system(file), 0);
    size_t size;
    char *name = test_read(test_path("name"), &size);
    name[strcspn(name, "\n")] = 0;
    assert_ok(f0t_worker_decode(&picture, worker, name, 64, false));
    assert_true(picture.width == 64 || picture.height == 64);
    f0t_free(name);
}

/* Not asked for: the process reads so many bytes at most. */
static void a_path_without_end_is_refused(void **state)
{
    static char path[70000];
    f0t_xmp_merged merged;
    (void)state;
    memset(path, 'a', sizeof path - 1);
    assert_fails(F0T_ERROR_ARGUMENT, "a path of 69999 bytes with 6 bytes of tags is too long",
                 f0t_worker_embed(&merged, worker, path, "+dog\n", NULL, 0));
}

static void what_is_no_picture_is_named(void **state)
{
    f0t_picture picture;
    const uint8_t pixel[3] = {0};
    (void)state;
    assert_fails(F0T_ERROR_UNSUPPORTED, "not a known file format",
                 f0t_worker_decode(&picture, worker, test_text("a.jpg", "no picture"), 64, false));
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere.png: No such file",
                 f0t_worker_decode(&picture, worker, test_path("nowhere.png"), 64, false));
    assert_fails(F0T_ERROR_UNSUPPORTED, "/: is a directory",
                 f0t_worker_decode(&picture, worker, "/", 64, false));
    assert_int_equal(mkfifo(test_path("pipe.png"), 0600), 0);
    assert_fails(F0T_ERROR_UNSUPPORTED, "pipe.png: is no ordinary file",
                 f0t_worker_decode(&picture, worker, test_path("pipe.png"), 64, false));
    assert_fails(F0T_ERROR_UNSUPPORTED, "60000 x 60000 pixels",
                 f0t_worker_decode(&picture, worker, png_write("huge.png", pixel, 1, 1, 3, 60000),
                                   64, false));
    assert_fails(F0T_ERROR_ARGUMENT, "a side of 0 pixels: it must be from 1 to 16384",
                 f0t_worker_decode(&picture, worker, "x", 0, false));
    assert_null(picture.rgb);
}

/* Ten levels of ten entities each, the last of which would be ten thousand million letters. */
static const char *write_bomb(const char *name, const char *rest)
{
    char text[3000] = "<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY a0 'xxxxxxxxxx'>";
    for (int i = 1; i < 10; i++) {
        char line[120], entity[8];
        snprintf(entity, sizeof entity, "&a%d;", i - 1);
        snprintf(line, sizeof line, "<!ENTITY a%d '%s%s%s%s%s%s%s%s%s%s'>", i, entity, entity,
                 entity, entity, entity, entity, entity, entity, entity, entity);
        strcat(text, line);
    }
    strcat(text, "]>");
    strcat(text, rest);
    return test_text(name, text);
}

static void an_entity_bomb_does_no_harm(void **state)
{
    f0t_picture picture;
    const char *found;
    size_t length;
    (void)state;
    const char *path = write_bomb(
        "bomb.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><dc:subject "
                    "xmlns:dc='d'><b><li>&a9;</li></b></dc:subject></svg>");
    assert_fails(F0T_ERROR_FORMAT, "bomb.svg",
                 f0t_worker_decode(&picture, worker, path, 64, false));
    assert_ok(f0t_worker_keywords(&found, &length, worker, path));
    assert_int_equal(length, 0);
}

static void an_entity_bomb_in_a_sidecar_does_no_harm(void **state)
{
    const char *found, *path = write_bomb("bomb.xmp", PACKET_BEGIN
                                          "<dc:subject><rdf:Bag><rdf:li>&a9;</rdf:li></rdf:Bag>"
                                          "</dc:subject>" PACKET_END);
    size_t length;
    f0t_xmp_merged merged;
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "bomb.xmp", f0t_worker_keywords(&found, &length, worker, path));
    assert_fails(F0T_ERROR_FORMAT, "it stays as it is",
                 f0t_worker_merge(&merged, worker, path, "+dog\n"));
}

/* Lists of keywords are gone through many times. */
static void more_keywords_than_anybody_has_are_refused(void **state)
{
    enum { COUNT = 5000, ITEM = 32 };
    static char text[2000 + COUNT * ITEM];
    const char *found;
    size_t length, at = 0;
    f0t_xmp_merged merged;
    (void)state;
    at += (size_t)sprintf(text, PACKET_BEGIN "<dc:subject><rdf:Bag>");
    for (int i = 0; i < COUNT; i++)
        at += (size_t)sprintf(text + at, "<rdf:li>%d</rdf:li>", i);
    sprintf(text + at, "</rdf:Bag></dc:subject>" PACKET_END);
    const char *path = test_text("many.xmp", text);
    assert_fails(F0T_ERROR_UNSUPPORTED, "more than 4096 keywords",
                 f0t_worker_keywords(&found, &length, worker, path));
    assert_fails(F0T_ERROR_UNSUPPORTED, "it stays as it is",
                 f0t_worker_merge(&merged, worker, path, "+dog\n"));
}

static void what_is_no_sidecar_is_named(void **state)
{
    const char *found, *path = test_path("folder.xmp");
    size_t length;
    f0t_xmp_merged merged;
    (void)state;
    assert_int_equal(mkdir(path, 0755), 0);
    assert_fails(F0T_ERROR_UNSUPPORTED, "folder.xmp: is a directory",
                 f0t_worker_merge(&merged, worker, path, "+dog\n"));
    path = test_text("large.xmp", "");
    assert_int_equal(truncate(path, 17 << 20), 0);
    assert_fails(F0T_ERROR_UNSUPPORTED, "has more than 16 MB",
                 f0t_worker_keywords(&found, &length, worker, path));
}

/* A picture that is asked for early, another one in its place, one that cannot be read. */
static void pictures_are_decoded_ahead(void **state)
{
    const uint8_t pixels[2][3] = {{1, 2, 3}, {4, 5, 6}};
    f0t_picture picture;
    char a[4096], b[4096];
    (void)state;
    snprintf(a, sizeof a, "%s", png_write("a.png", pixels[0], 1, 1, 3, 0));
    snprintf(b, sizeof b, "%s", png_write("b.png", pixels[1], 1, 1, 3, 0));
    for (int i = 0; i < 3; i++) {
        assert_ok(f0t_worker_decode(&picture, worker, a, 64, false));
        f0t_worker_expect(worker, &(f0t_picture_source){.path = b}, 64, false);
        assert_memory_equal(picture.rgb, pixels[0], 3);
        const bool kept = i == 0;
        assert_ok(f0t_worker_decode(&picture, worker, kept ? b : a, 64, i == 1));
        assert_memory_equal(picture.rgb, pixels[kept], 3);
    }
    f0t_worker_expect(worker, &(f0t_picture_source){.path = test_path("nowhere.png")}, 64, false);
    assert_fails(F0T_ERROR_NOT_FOUND, "nowhere.png",
                 f0t_worker_decode(&picture, worker, test_path("nowhere.png"), 64, false));
    f0t_worker_expect(worker, &(f0t_picture_source){.path = a}, 64, false);
    assert_ok(f0t_worker_decode(&picture, worker, a, 64, false));
}

static void what_is_no_longer_expected_is_read_anew(void **state)
{
    const uint8_t pixels[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const char *path = png_write("a.png", pixels[0], 1, 1, 3, 0);
    f0t_picture picture;
    (void)state;
    assert_ok(f0t_worker_decode(&picture, worker, path, 64, false));
    f0t_worker_expect(worker, &(f0t_picture_source){.path = path}, 64, false);
    f0t_worker_expect_none(worker);
    assert_ok(
        f0t_worker_decode(&picture, worker, png_write("a.png", pixels[1], 1, 1, 3, 0), 64, false));
    assert_memory_equal(picture.rgb, pixels[1], 3);
}

/* A program that ends at once, and in its place the real one. */
static void a_worker_that_died_is_started_again(void **state)
{
    const uint8_t pixel[3] = {1, 2, 3};
    const char *path = png_write("one.png", pixel, 1, 1, 3, 0);
    char *real, text[4200];
    f0t_worker *other;
    f0t_picture picture;
    (void)state;
    assert_ok(f0t_worker_program(&real));
    setenv("F0T_PICTURE", test_text("program", "#!/bin/sh\nexit 1\n"), 1);
    assert_ok(f0t_worker_create(&other));
    unsetenv("F0T_PICTURE");
    assert_int_equal(chmod(test_path("program"), 0755), 0);
    assert_fails(F0T_ERROR_IO, "program: ended as it started",
                 f0t_worker_decode(&picture, other, path, 64, false));
    snprintf(text, sizeof text, "#!/bin/sh\nexec '%s' \"$@\"\n", real);
    test_text("program", text);
    assert_ok(f0t_worker_decode(&picture, other, path, 64, false));
    assert_memory_equal(picture.rgb, pixel, 3);
    f0t_worker_free(other);
    f0t_free(real);
}

/* One that somebody ends while nothing is asked of it costs no picture. */
static void a_worker_that_is_killed_while_it_waits_is_started_again(void **state)
{
    const uint8_t pixel[3] = {1, 2, 3};
    const char *path = png_write("one.png", pixel, 1, 1, 3, 0);
    char text[4200], *real, *end;
    f0t_worker *other;
    f0t_picture picture;
    f0t_map map;
    (void)state;
    assert_ok(f0t_worker_program(&real));
    snprintf(text, sizeof text, "#!/bin/sh\necho $$ >'%s'\nexec '%s' \"$@\"\n", test_path("pid"),
             real);
    setenv("F0T_PICTURE", test_text("program", text), 1);
    assert_ok(f0t_worker_create(&other));
    unsetenv("F0T_PICTURE");
    assert_int_equal(chmod(test_path("program"), 0755), 0);
    assert_ok(f0t_worker_decode(&picture, other, path, 64, false));
    assert_ok(f0t_map_open(&map, test_path("pid")));
    const pid_t pid = (pid_t)strtol((const char *)map.data, &end, 10);
    f0t_map_close(&map);
    siginfo_t ended;
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
    assert_ok(f0t_worker_decode(&picture, other, path, 64, false));
    assert_memory_equal(picture.rgb, pixel, 3);
    f0t_worker_free(other);
    f0t_free(real);
}

/* A child has the parent's end of the connection: two that talk would get each other's pictures. */
static int use_in_child(const char *path)
{
    f0t_picture picture;
    f0t_worker *own;
    if (f0t_worker_decode(&picture, worker, path, 64, false) != F0T_ERROR_UNSUPPORTED ||
        !strstr(f0t_last_error(), "forked"))
        return 1;
    f0t_worker_free(worker);
    if (f0t_worker_create(&own) != F0T_OK ||
        f0t_worker_decode(&picture, own, path, 64, false) != F0T_OK || picture.rgb[2] != 3)
        return 2;
    f0t_worker_free(own);
    return 0;
}

static void a_child_of_fork_harms_nobody(void **state)
{
    const uint8_t pixel[3] = {1, 2, 3};
    const char *path = png_write("one.png", pixel, 1, 1, 3, 0);
    f0t_picture picture;
    int status;
    (void)state;
    assert_ok(f0t_worker_decode(&picture, worker, path, 64, false));
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(use_in_child(path));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_ok(f0t_worker_decode(&picture, worker, path, 64, false));
    assert_memory_equal(picture.rgb, pixel, 3);
}

static void *decode_in_thread(void *path)
{
    f0t_picture picture;
    return f0t_worker_decode(&picture, worker, path, 64, false) == F0T_OK ? path : NULL;
}

static void a_worker_outlives_the_thread_that_started_it(void **state)
{
    const uint8_t pixel[3] = {1, 2, 3};
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", png_write("one.png", pixel, 1, 1, 3, 0));
    f0t_worker *before = worker;
    assert_ok(f0t_worker_create(&worker));
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        void *done;
        assert_int_equal(pthread_create(&thread, NULL, decode_in_thread, path), 0);
        assert_int_equal(pthread_join(thread, &done), 0);
        assert_non_null(done);
    }
    f0t_worker_free(worker);
    worker = before;
}

/* A program in whose place stands, meanwhile, one that ends at once. */
static void a_process_is_replaced_after_some_thousand_pictures(void **state)
{
    char *real, text[4200];
    f0t_worker *other;
    const char *found;
    size_t length, asked = 0;
    (void)state;
    assert_ok(f0t_worker_program(&real));
    snprintf(text, sizeof text, "#!/bin/sh\nexec '%s' \"$@\"\n", real);
    const char *program = test_text("brief", text), *path = test_text("empty.xmp", "");
    assert_int_equal(chmod(program, 0755), 0);
    setenv("F0T_PICTURE", program, 1);
    assert_ok(f0t_worker_create(&other));
    unsetenv("F0T_PICTURE");
    assert_ok(f0t_worker_keywords(&found, &length, other, path));
    test_text("brief", "#!/bin/sh\nexit 1\n");
    while (asked < 5000 && f0t_worker_keywords(&found, &length, other, path) == F0T_OK)
        asked++;
    assert_int_equal(asked, 4095);
    test_text("brief", text);
    assert_ok(f0t_worker_keywords(&found, &length, other, path));
    f0t_worker_free(other);
    f0t_free(real);
}

static void a_program_that_is_not_there_is_named(void **state)
{
    f0t_worker *other;
    f0t_picture picture;
    (void)state;
    setenv("F0T_PICTURE", "/nowhere/fast0tag-picture", 1);
    assert_ok(f0t_worker_create(&other));
    unsetenv("F0T_PICTURE");
    assert_fails(F0T_ERROR_IO, "/nowhere/fast0tag-picture",
                 f0t_worker_decode(&picture, other, test_text("x", ""), 64, false));
    f0t_worker_free(other);
}

static const char packet[] = PACKET_BEGIN
    "<dc:subject><rdf:Bag><rdf:li>holiday</rdf:li><rdf:li>Dog</rdf:li></rdf:Bag></dc:subject>"
    "<lr:hierarchicalSubject><rdf:Bag><rdf:li>Animals|Dog</rdf:li></rdf:Bag>"
    "</lr:hierarchicalSubject>" PACKET_END;

static void keywords_of_a_sidecar_are_read(void **state)
{
    const char *text;
    size_t length;
    (void)state;
    assert_ok(f0t_worker_keywords(&text, &length, worker, test_text("p.jpg.xmp", packet)));
    assert_string_equal(text, "xmp\tholiday\nxmp\tDog\nhierarchy\tAnimals|Dog\n");
    assert_fails(F0T_ERROR_FORMAT, "no XMP that can be read",
                 f0t_worker_keywords(&text, &length, worker, test_text("q.xmp", "<x")));
}

static char change[200];

/* Merges into the file itself, as a program would; says whether it changed. */
static bool merge(const char *path, const char *tags)
{
    f0t_xmp_merged merged;
    assert_ok(f0t_worker_merge(&merged, worker, path, tags));
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(merged.text, 1, merged.length, file), merged.length);
    fclose(file);
    snprintf(change, sizeof change, "%s", merged.change);
    return merged.changed;
}

static const char *keywords(const char *path)
{
    const char *text;
    size_t length;
    assert_ok(f0t_worker_keywords(&text, &length, worker, path));
    return text;
}

static void merging_keeps_what_others_wrote_and_replaces_ours(void **state)
{
    const char *path = test_text("m.xmp", packet);
    size_t size;
    (void)state;
    assert_true(merge(path, "+dog\n+beach\n+sea\n"));
    assert_string_equal(keywords(path),
                        "xmp\tholiday\nxmp\tDog\nours\tbeach\nours\tsea\n"
                        "hierarchy\tAnimals|Dog\nours\tbeach\nours\tsea\n"
                        "carried\tholiday\ncarried\tAnimals|Dog\nours\tbeach\nours\tsea\n");
    assert_false(merge(path, "+dog\n+beach\n+sea\n"));
    assert_string_equal(change, "");
    assert_true(merge(path, "+boat\n+sea\n"));
    assert_string_equal(change, "-beach\n+boat\n");
    assert_string_equal(keywords(path),
                        "xmp\tholiday\nxmp\tDog\nours\tboat\nours\tsea\n"
                        "hierarchy\tAnimals|Dog\nours\tboat\nours\tsea\n"
                        "carried\tholiday\ncarried\tAnimals|Dog\nours\tboat\nours\tsea\n");
    char *text = test_read(path, &size);
    assert_non_null(strstr(text, "stars"));
    f0t_free(text);
    assert_true(merge(path, ""));
    assert_string_equal(keywords(path), "xmp\tholiday\nxmp\tDog\nhierarchy\tAnimals|Dog\n");
}

static void a_tag_that_a_person_took_away_stays_away(void **state)
{
    const char *path = test_path("r.xmp");
    size_t size;
    (void)state;
    assert_true(merge(path, "+dog\n+cat\n"));
    char *text = test_read(path, &size), *at = strstr(text, "<rdf:li>dog</rdf:li>");
    memset(at, ' ', strlen("<rdf:li>dog</rdf:li>")); /* in dc:subject, the first */
    test_file("r.xmp", text, size);
    f0t_free(text);
    assert_true(merge(path, "+dog\n+cat\n"));
    assert_string_equal(keywords(path), "ours\tcat\nours\tcat\nours\tcat\nremoved\tdog\n");
    assert_false(merge(path, "+dog\n+cat\n"));
}

static void a_sidecar_that_cannot_be_read_is_left_alone(void **state)
{
    f0t_xmp_merged merged;
    (void)state;
    assert_fails(F0T_ERROR_FORMAT, "it stays as it is",
                 f0t_worker_merge(&merged, worker, test_text("bad.xmp", "<rdf"), "+dog\n"));
}

static f0t_status decode_once(void *context)
{
    f0t_worker *other;
    f0t_picture picture;
    F0T_TRY(f0t_worker_create(&other));
    f0t_status status = f0t_worker_decode(&picture, other, context, 64, false);
    f0t_worker_free(other);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    const uint8_t pixel[3] = {1, 2, 3};
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", png_write("one.png", pixel, 1, 1, 3, 0));
    test_each_fault(F0T_FAULT_ALLOC, decode_once, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_come_as_they_are),
        cmocka_unit_test(transparency_is_on_white),
        cmocka_unit_test(the_shorter_side_is_shrunk),
        cmocka_unit_test(a_line_without_end_is_shrunk_along_it),
        cmocka_unit_test(svg_in_points_is_not_cut_off),
        cmocka_unit_test(svg_with_a_view_keeps_it),
        cmocka_unit_test(svg_is_drawn_at_the_size_that_is_asked_for),
        cmocka_unit_test(svg_after_a_long_comment_is_drawn),
        cmocka_unit_test(a_photo_is_decoded),
        cmocka_unit_test(a_path_without_end_is_refused),
        cmocka_unit_test(what_is_no_picture_is_named),
        cmocka_unit_test(an_entity_bomb_does_no_harm),
        cmocka_unit_test(an_entity_bomb_in_a_sidecar_does_no_harm),
        cmocka_unit_test(more_keywords_than_anybody_has_are_refused),
        cmocka_unit_test(what_is_no_sidecar_is_named),
        cmocka_unit_test(pictures_are_decoded_ahead),
        cmocka_unit_test(what_is_no_longer_expected_is_read_anew),
        cmocka_unit_test(a_worker_that_died_is_started_again),
        cmocka_unit_test(a_worker_that_is_killed_while_it_waits_is_started_again),
        cmocka_unit_test(a_child_of_fork_harms_nobody),
        cmocka_unit_test(a_worker_outlives_the_thread_that_started_it),
        cmocka_unit_test(a_process_is_replaced_after_some_thousand_pictures),
        cmocka_unit_test(a_program_that_is_not_there_is_named),
        cmocka_unit_test(keywords_of_a_sidecar_are_read),
        cmocka_unit_test(merging_keeps_what_others_wrote_and_replaces_ours),
        cmocka_unit_test(a_tag_that_a_person_took_away_stays_away),
        cmocka_unit_test(a_sidecar_that_cannot_be_read_is_left_alone),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
