/* Real files of every format, made with libvips and exiftool: tests/pictures. */
#include "one_worker.h"
#include "pictures.h"

#include "image/keywords.h"

static const char *file(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "pictures/%s", name);
    return test_source(path);
}

/* The colours of the four quarters. */
static const int quarters[4][3] = {{220, 30, 40}, {40, 180, 60}, {50, 70, 210}, {240, 220, 90}};

static const uint8_t *middle(const f0t_picture *p, int q)
{
    const size_t x = p->width * (q % 2 ? 3 : 1) / 4, y = p->height * (q / 2 ? 3 : 1) / 4;
    return p->rgb + 3 * (y * p->width + x);
}

static void assert_colour(const uint8_t *got, const int *want, int tolerance)
{
    for (int k = 0; k < 3; k++)
        if (abs(got[k] - want[k]) > tolerance)
            fail_msg("%d %d %d where %d %d %d is expected", got[0], got[1], got[2], want[0],
                     want[1], want[2]);
}

static void every_format_is_decoded(void **state)
{
    static const struct {
        const char *name;
        int tolerance;
    } files[] = {{"quarters.png", 0},  {"quarters.tif", 0},  {"quarters.gif", 2},
                 {"quarters.jpg", 4},  {"quarters.webp", 8}, {"quarters.avif", 6},
                 {"quarters.heic", 8}, {"deep.png", 1},      {"turned.jpg", 4},
                 {"quarters.bmp", 0},  {"quarters.jp2", 0},  {"quarters.jxl", 2},
                 {"quarters.dng", 4},  {"turned.dng", 6}};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        f0t_picture p;
        assert_ok(f0t_worker_decode(&p, worker, file(files[i].name), 64, false));
        assert_int_equal(p.width, 48);
        assert_int_equal(p.height, 32);
        for (int q = 0; q < 4; q++)
            assert_colour(middle(&p, q), quarters[q], files[i].tolerance);
    }
}

static void pictures_turned_by_exif_are_shrunk_upright(void **state)
{
    f0t_picture p;
    (void)state;
    assert_ok(f0t_worker_decode(&p, worker, file("turned.jpg"), 16, false));
    assert_int_equal(p.width, 24);
    assert_int_equal(p.height, 16);
    for (int q = 0; q < 4; q++)
        assert_colour(middle(&p, q), quarters[q], 6);
}

/* By a quarter: JPEG while it is read, the others after. */
static void every_format_is_shrunk(void **state)
{
    static const char *const files[] = {
        "quarters.png",  "quarters.tif",  "quarters.gif", "quarters.jpg", "quarters.webp",
        "quarters.avif", "quarters.heic", "deep.png",     "p3.jpg",       "turned.jpg",
        "quarters.bmp",  "quarters.jp2",  "quarters.jxl", "quarters.dng", "turned.dng"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        f0t_picture p;
        assert_ok(f0t_worker_decode(&p, worker, file(files[i]), 8, false));
        assert_int_equal(p.width, 12);
        assert_int_equal(p.height, 8);
        for (int q = 0; q < 4; q++)
            assert_colour(middle(&p, q), quarters[q], 8);
    }
}

/* Long and thin: no side is shorter than asked for, and it is far too many pixels. */
static void a_thin_picture_stays_within_bounds(void **state)
{
    enum { WIDTH = 3000000, HEIGHT = 40 };
    uint8_t *pixels = malloc((size_t)WIDTH * HEIGHT * 3);
    f0t_picture p;
    (void)state;
    memset(pixels, 99, (size_t)WIDTH * HEIGHT * 3);
    assert_ok(f0t_worker_decode(&p, worker, png_write("thin.png", pixels, WIDTH, HEIGHT, 3, 0), 256,
                                false));
    assert_int_equal(p.width, WIDTH / 46); /* at most 65536 */
    assert_int_equal(p.height, HEIGHT / 2);
    assert_int_equal(p.rgb[3 * p.width * p.height - 1], 99);
    free(pixels);
}

/* The last quarter is transparent. */
static void transparency_is_on_white(void **state)
{
    static const char *const files[] = {"clear.gif", "clear.webp"};
    const int white[3] = {255, 255, 255};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        f0t_picture p;
        assert_ok(f0t_worker_decode(&p, worker, file(files[i]), 64, false));
        assert_colour(middle(&p, 0), quarters[0], 2);
        assert_colour(middle(&p, 3), white, 0);
    }
}

/* The same colours as Display P3 has them: other numbers, which the profile explains. */
static void colour_profiles_are_heeded_unless_plain(void **state)
{
    static const char *const files[] = {"p3.png", "p3.jpg"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        f0t_picture p;
        assert_ok(f0t_worker_decode(&p, worker, file(files[i]), 64, false));
        for (int q = 0; q < 4; q++)
            assert_colour(middle(&p, q), quarters[q], 6);
        assert_ok(f0t_worker_decode(&p, worker, file(files[i]), 64, true));
        assert_true(abs(middle(&p, 0)[0] - quarters[0][0]) > 12);
    }
}

static void other_channels_become_rgb(void **state)
{
    f0t_picture p;
    (void)state;
    assert_ok(f0t_worker_decode(&p, worker, file("grey.png"), 64, false));
    const uint8_t *grey = middle(&p, 1);
    assert_true(grey[0] == grey[1] && grey[1] == grey[2] && grey[0] > 100 && grey[0] < 200);
    for (int plain = 0; plain < 2; plain++) {
        assert_ok(f0t_worker_decode(&p, worker, file("cmyk.jpg"), 64, plain));
        for (int q = 0; q < 4; q++) /* print has paler ones; red stays red */
            assert_colour(middle(&p, q), quarters[q], 90);
    }
}

static void assert_keywords(const char *name, const char *want)
{
    f0t_texts words = {0};
    char text[400] = "";
    assert_ok(f0t_keywords_read(&words, worker, file(name), true));
    for (size_t i = 0; i < words.count; i++) {
        strcat(text, i ? ", " : "");
        strcat(text, f0t_texts_get(&words, i));
    }
    assert_string_equal(text, want);
    f0t_texts_free(&words);
}

static void embedded_keywords_are_read(void **state)
{
    (void)state;
    assert_keywords("keywords-xmp.jpg", "dog, München, animals|dog, places|Rome, people|Anna");
    assert_keywords("keywords-xmp.png", "dog, München, animals|dog, places|Rome, people|Anna");
    assert_keywords("keywords-xmp.tif", "dog, München, animals|dog, places|Rome, people|Anna");
    assert_keywords("keywords-xmp.webp", "dog, München, animals|dog, places|Rome, people|Anna");
    assert_keywords("keywords-xmp.dng", "dog, München, animals|dog, places|Rome, people|Anna");
    assert_keywords("keywords-xmp.avif", "dog, München, animals|dog, places|Rome, people|Anna");
    assert_keywords("keywords-xmp.heic", "dog, München, animals|dog, places|Rome, people|Anna");
    assert_keywords("keywords-xmp.gif", "dog, München, animals|dog, places|Rome, people|Anna");
    assert_keywords("keywords-xmp.jp2", "dog, München, animals|dog, places|Rome, people|Anna");
    assert_keywords("keywords-xmp.jxl", "dog, München, animals|dog, places|Rome, people|Anna");
    assert_keywords("keywords-brotli.jxl", "dog, München, animals|dog, places|Rome, people|Anna");
    assert_keywords("keywords-xmp.cr3", "dog, München, animals|dog, places|Rome, people|Anna");
    assert_keywords("keywords-both.raf",
                    "dog, München, animals|dog, places|Rome, people|Anna, cat");
    assert_keywords("quarters.dng", "");
    assert_keywords("quarters.bmp", "");
    assert_keywords("keywords-iptc.jpg", "cat, palm tree, Köln");
    assert_keywords("keywords-iptc.jp2", "cat, palm tree, Köln");
    assert_keywords("keywords-iptc.png", "cat, palm tree, Köln");
    assert_keywords("keywords-iptc.dng", "cat, palm tree, Köln");
    assert_keywords("quarters.jpg", "");
}

/* ---- Hostile ones ---------------------------------------------------------------------------------- */

/* Whatever size the file claims: it was shrunk as far as it could be, and every byte may be read. */
static void assert_is_whole(const f0t_picture *p, size_t side)
{
    volatile uint8_t last = 0;
    assert_in_range(p->width < p->height ? p->width : p->height, 1, 2 * side);
    for (size_t i = 0; i < 3 * p->width * p->height; i++)
        last = p->rgb[i];
    (void)last;
}

static f0t_status read_both(const char *name, const void *data, size_t size)
{
    f0t_picture picture;
    const char *text, *path = test_file(name, data, size);
    size_t length;
    f0t_status status = f0t_worker_decode(&picture, worker, path, 16, false);
    if (status == F0T_OK)
        assert_is_whole(&picture, 16);
    f0t_status words = f0t_worker_keywords(&text, &length, worker, path);
    return status == F0T_OK ? words : status;
}

/* Some forty bytes wrong, each in one of four ways, and the file cut there. */
static void break_everywhere(const char *name)
{
    size_t size;
    char *data = test_read(file(name), &size);
    char hostile[16] = "hostile"; /* raw files are known by their names */
    if (strstr(name, ".dng") || strstr(name, ".cr3") || strstr(name, ".raf"))
        strcat(hostile, strrchr(name, '.'));
    for (size_t i = 0; i < size; i += size / 40) {
        const char old = data[i];
        data[i] = (char)(i % 4 == 0 ? 0 : i % 4 == 1 ? 0xFF : old ^ (i % 4 == 2 ? 0x80 : 1));
        if (read_both(hostile, data, size) != F0T_OK)
            assert_non_null(strstr(f0t_last_error(), hostile));
        data[i] = old;
        if (read_both(hostile, data, i) != F0T_OK)
            assert_non_null(strstr(f0t_last_error(), hostile));
    }
    if (!strcmp(hostile, "hostile") || strstr(name, ".dng")) /* the others have no pixels */
        assert_ok(read_both(hostile, data, size));
    f0t_free(data);
}

static void cut_and_altered_pictures_do_no_harm(void **state)
{
    static const char *const files[] = {
        "quarters.png",        "quarters.gif",      "keywords-iptc.jpg", "quarters.webp",
        "quarters.avif",       "quarters.tif",      "quarters.bmp",      "quarters.jp2",
        "quarters.jxl",        "keywords-xmp.dng",  "keywords-xmp.gif",  "keywords-xmp.jp2",
        "keywords-brotli.jxl", "keywords-xmp.heic", "keywords-xmp.cr3",  "keywords-both.raf",
        "keywords-iptc.dng",   "keywords-iptc.png"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        break_everywhere(files[i]);
}

/* What a preview says that it is, a JPEG, must be one: nothing else is tried on it. And ImageMagick reads
 * BMP alone, whatever a file is called. */
static void disguises_are_seen_through(void **state)
{
    static const char mvg[] = "push graphic-context\nviewbox 0 0 64 64\nimage over 0,0 0,0 "
                              "'label:@/etc/hostname'\npop graphic-context\n";
    f0t_picture p;
    size_t size;
    char *data = test_read(file("quarters.dng"), &size);
    char *jpeg = memmem(data, size, "\xFF\xD8\xFF", 3);
    (void)state;
    assert_non_null(jpeg);
    memcpy(jpeg, mvg, sizeof mvg);
    assert_int_not_equal(f0t_worker_decode(&p, worker, test_file("mvg.dng", data, size), 16, false),
                         F0T_OK);
    f0t_free(data);
    assert_fails(F0T_ERROR_UNSUPPORTED, "is not a known file format",
                 f0t_worker_decode(&p, worker, test_file("a.bmp", mvg, sizeof mvg), 16, false));
    assert_fails(F0T_ERROR_UNSUPPORTED, "is not a known file format",
                 f0t_worker_decode(&p, worker, test_file("a.mvg", mvg, sizeof mvg), 16, false));
    assert_fails(F0T_ERROR_FORMAT, "cannot be read as a camera's raw file",
                 f0t_worker_decode(&p, worker, test_file("a.cr2", mvg, sizeof mvg), 16, false));
}

/* Half a picture is no picture: grey where its rest was would be learned from. */
static void half_a_picture_is_named(void **state)
{
    static const char *const files[] = {"quarters.png",  "quarters.jpg",  "quarters.gif",
                                        "quarters.webp", "quarters.avif", "quarters.heic",
                                        "quarters.tif",  "quarters.bmp",  "quarters.jp2"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t size;
        f0t_picture picture;
        char *data = test_read(file(files[i]), &size);
        const char *path = test_file("half", data, size - size / 4);
        f0t_free(data);
        if (f0t_worker_decode(&picture, worker, path, 16, false) == F0T_OK)
            fail_msg("three quarters of %s were taken for a picture", files[i]);
        assert_non_null(strstr(f0t_last_error(), "half: "));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_is_decoded),
        cmocka_unit_test(pictures_turned_by_exif_are_shrunk_upright),
        cmocka_unit_test(every_format_is_shrunk),
        cmocka_unit_test(a_thin_picture_stays_within_bounds),
        cmocka_unit_test(transparency_is_on_white),
        cmocka_unit_test(colour_profiles_are_heeded_unless_plain),
        cmocka_unit_test(other_channels_become_rgb),
        cmocka_unit_test(embedded_keywords_are_read),
        cmocka_unit_test(disguises_are_seen_through),
        cmocka_unit_test(cut_and_altered_pictures_do_no_harm),
        cmocka_unit_test(half_a_picture_is_named),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
