/* Pictures whose bytes are in memory: the same as those in files. */
#include "one_worker.h"
#include "pictures.h"

#include "image/backbone.h"
#include "io/file.h"

#include <dirent.h>

/* The bytes of a file, to be freed. */
static f0t_picture_source read_source(const char *path)
{
    f0t_map map;
    assert_ok(f0t_map_open(&map, path));
    char *data = malloc(map.size + 1);
    assert_non_null(data);
    memcpy(data, map.data, map.size);
    const f0t_picture_source source = {.path = path, .data = data, .size = map.size};
    f0t_map_close(&map);
    return source;
}

static void free_source(const f0t_picture_source *source)
{
    union {
        const void *in;
        void *out;
    } cast = {.in = source->data};
    free(cast.out);
}

/* The .cr3 and the .raf are containers of metadata without pixels. */
static bool is_picture(const char *name)
{
    static const char *const others[] = {".md", ".py", ".cr3", ".raf"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(name, others[i]))
            return false;
    return name[0] != '.';
}

/* The bytes have a name without a folder. */
static void compare_one(const char *path)
{
    f0t_picture p;
    const f0t_picture_source source = read_source(path);
    assert_ok(f0t_worker_decode(&p, worker, path, 16, false));
    const size_t size = 3 * p.width * p.height, width = p.width;
    uint8_t *want = malloc(size);
    assert_non_null(want);
    memcpy(want, p.rgb, size);
    f0t_picture_source named = source;
    named.path = strrchr(path, '/') + 1;
    assert_ok(f0t_worker_decode_source(&p, worker, &named, 16, false));
    assert_int_equal(p.width, width);
    assert_int_equal(3 * p.width * p.height, size);
    assert_memory_equal(p.rgb, want, size);
    free(want);
    free_source(&source);
}

static void bytes_of_every_format_are_decoded_as_files_are(void **state)
{
    char folder[4096], path[8192];
    size_t count = 0;
    (void)state;
    snprintf(folder, sizeof folder, "%s", test_source("pictures"));
    DIR *all = opendir(folder);
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all));)
        if (is_picture(entry->d_name)) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            compare_one(path);
            count++;
        }
    closedir(all);
    assert_true(count > 20);
}

/* Its bytes go to the process before it is asked for. */
static void bytes_that_are_expected_come(void **state)
{
    char paths[2][4096];
    f0t_picture_source sources[2];
    f0t_picture p;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s",
                 test_source(i ? "pictures/turned.jpg" : "pictures/quarters.png"));
        sources[i] = read_source(paths[i]);
    }
    for (size_t i = 0; i < 6; i++) {
        assert_ok(f0t_worker_decode_source(&p, worker, &sources[i % 2], 16, false));
        assert_int_equal(p.width, 24);
        f0t_worker_expect(worker, &sources[(i + 1) % 2], 16, false);
        assert_int_equal(p.rgb[0] > 150, 1); /* red */
    }
    f0t_worker_expect_none(worker);
    for (size_t i = 0; i < 2; i++)
        free_source(&sources[i]);
}

static void bytes_that_are_no_picture_fail_alone(void **state)
{
    static const char text[] = "no picture at all, whatever it is called";
    const uint8_t pixels[48] = {9};
    f0t_picture p;
    (void)state;
    f0t_picture_source source = read_source(png_write("b.png", pixels, 4, 4, 3, 0));
    const size_t whole = source.size;
    source.path = "b.png";
    assert_ok(f0t_worker_decode_source(&p, worker, &source, 16, false));
    for (source.size = 0; source.size < whole - 12; source.size += 7)
        assert_true(f0t_worker_decode_source(&p, worker, &source, 16, false) != F0T_OK);
    assert_non_null(strstr(f0t_last_error(), "b.png: "));
    assert_null(strstr(f0t_last_error(), "/proc"));
    source.size = whole;
    assert_ok(f0t_worker_decode_source(&p, worker, &source, 16, false));
    source.size = (size_t)3 << 30; /* which nobody reads */
    assert_fails(F0T_ERROR_UNSUPPORTED, "b.png: has 3221225472 bytes",
                 f0t_worker_decode_source(&p, worker, &source, 16, false));
    free_source(&source);
    const f0t_picture_source other = {.path = "a.dng", .data = text, .size = sizeof text};
    assert_true(f0t_worker_decode_source(&p, worker, &other, 16, false) != F0T_OK);
    const f0t_picture_source large = read_source(png_write("l.png", pixels, 4, 4, 3, 32000));
    assert_fails(F0T_ERROR_UNSUPPORTED, "32000 x 32000 pixels",
                 f0t_worker_decode_source(&p, worker, &large, 16, false));
    free_source(&large);
}

static void features_of_bytes_are_those_of_files(void **state)
{
    const uint8_t pixels[48] = {200, 10, 10, 9, 240};
    f0t_backbone *backbone;
    (void)state;
    f0t_picture_source sources[3] = {read_source(png_write("f.png", pixels, 4, 4, 3, 0))};
    sources[1] = (f0t_picture_source){.path = sources[0].path};
    sources[2] = (f0t_picture_source){.path = "none", .data = ""};
    const f0t_backbone_options options = {.size = sizeof(f0t_backbone_options),
                                          .cache = test_path("cache")};
    assert_ok(f0t_backbone_open(&backbone, "builtin", &options, NULL));
    const size_t dim = f0t_backbone_dim(backbone);
    float *out = malloc(3 * dim * sizeof *out);
    bool good[3];
    assert_ok(f0t_backbone_run_sources(out, good, backbone, sources, 3, NULL));
    assert_true(good[0] && good[1] && !good[2]);
    assert_memory_equal(out, out + dim, dim * sizeof *out);
    free(out);
    free_source(&sources[0]);
    f0t_backbone_close(backbone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_every_format_are_decoded_as_files_are),
        cmocka_unit_test(bytes_that_are_expected_come),
        cmocka_unit_test(bytes_that_are_no_picture_fail_alone),
        cmocka_unit_test(features_of_bytes_are_those_of_files),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
