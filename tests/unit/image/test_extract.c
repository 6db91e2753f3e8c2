/* Pictures through a network, by any number of threads and in any company. */
#include "networks.h"
#include "pictures.h"

#include "image/backbone.h"
#include "image/worker.h"

#include <sys/stat.h>
#include <unistd.h>

enum { COUNT = 40, SIDE = 8, DIM = 3 * SIDE * SIDE };

static const char *paths[COUNT];

static bool is_bad(size_t i)
{
    return i % 7 == 3;
}

static void write_all(void)
{
    for (size_t i = 0; i < COUNT && !paths[i]; i++) {
        char name[32], path[4096];
        uint8_t pixels[DIM];
        memset(pixels, (int)(6 * i + 1), sizeof pixels);
        snprintf(name, sizeof name, "p%zu.png", i);
        snprintf(path, sizeof path, "%s", png_write(name, pixels, SIDE, SIDE, 3, 0));
        if (is_bad(i))
            test_text(name, "no picture");
        paths[i] = strdup(path);
        assert_non_null(paths[i]);
    }
}

static f0t_backbone *open_network(void)
{
    const float weight = 2;
    f0t_backbone *backbone;
    const char *path = network_write();
    test_file("weight", &weight, sizeof weight);
    assert_ok(f0t_backbone_open(&backbone, path, NULL, NULL));
    assert_int_equal(f0t_backbone_dim(backbone), DIM);
    return backbone;
}

static void assert_features(const float *out, const bool *good, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float want = is_bad(first + i) ? 0 : (float)(12 * (first + i) + 2);
        assert_true(good[i] == !is_bad(first + i));
        for (size_t k = 0; k < DIM; k++)
            assert_true(out[i * DIM + k] == want);
    }
}

/* One picture, fewer than threads, fewer batches than threads, more; with some that cannot be read. */
static void each_picture_has_its_features(void **state)
{
    static const size_t counts[] = {1, 2, 5, 8, 9, 17, COUNT};
    static float out[COUNT * DIM];
    bool good[COUNT];
    f0t_backbone *backbone = open_network();
    (void)state;
    write_all();
    for (int threads = 1; threads <= 5; threads++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            const size_t first = counts[k] < COUNT ? 3 * k : 0;
            test_threads(threads);
            assert_ok(f0t_backbone_run(out, good, backbone, paths + first, counts[k], NULL));
            assert_features(out, good, first, counts[k]);
        }
    test_threads(0);
    f0t_backbone_close(backbone);
}

static void a_picture_that_cannot_be_read_may_end_the_work(void **state)
{
    static float out[COUNT * DIM];
    f0t_backbone *backbone = open_network();
    (void)state;
    write_all();
    for (int threads = 1; threads <= 4; threads += 3) {
        test_threads(threads);
        assert_ok(f0t_backbone_run(out, NULL, backbone, paths, 3, NULL));
        assert_fails(F0T_ERROR_UNSUPPORTED, "p3.png",
                     f0t_backbone_run(out, NULL, backbone, paths, 5, NULL));
        assert_fails(F0T_ERROR_UNSUPPORTED, ".png",
                     f0t_backbone_run(out, NULL, backbone, paths, COUNT, NULL));
    }
    test_threads(0);
    f0t_backbone_close(backbone);
}

/* The program notes each of its starts. */
static void one_picture_needs_one_process(void **state)
{
    float out[DIM];
    char script[8192], note[4096], text[64] = "";
    char *real;
    f0t_backbone *backbone = open_network();
    (void)state;
    write_all();
    assert_ok(f0t_worker_program(&real));
    snprintf(note, sizeof note, "%s", test_path("starts"));
    snprintf(script, sizeof script, "#!/bin/sh\necho x >> '%s'\nexec '%s' \"$@\"\n", note, real);
    const char *program = test_text("counted", script);
    assert_int_equal(chmod(program, 0700), 0);
    setenv("F0T_PICTURE", program, 1);
    test_threads(4);
    assert_ok(f0t_backbone_run(out, NULL, backbone, paths, 1, NULL));
    test_threads(0);
    unsetenv("F0T_PICTURE");
    f0t_backbone_close(backbone);
    FILE *file = fopen(note, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text, file), 2);
    fclose(file);
    f0t_free(real);
}

static size_t count_idle(const f0t_backbone *backbone)
{
    size_t count = 0;
    for (const f0t_image_workspace *w = backbone->idle; w; w = w->next)
        count++;
    return count;
}

/* Each is a process. A large team's stay while such teams come, those of a caller that left do not. */
static void idle_processes_are_as_many_as_the_last_team_had(void **state)
{
    enum { LARGE = 12, KEPT = 8 };
    static float out[COUNT * DIM];
    bool good[COUNT];
    f0t_backbone *backbone = open_network();
    (void)state;
    write_all();
    test_threads(LARGE);
    assert_ok(f0t_backbone_run(out, good, backbone, paths, COUNT, NULL));
    assert_int_equal(count_idle(backbone), LARGE);
    assert_ok(f0t_backbone_run(out, good, backbone, paths, 1, NULL));
    assert_int_equal(count_idle(backbone), LARGE);
    test_threads(2);
    assert_ok(f0t_backbone_run(out, good, backbone, paths, 1, NULL));
    assert_int_equal(count_idle(backbone), KEPT);
    assert_ok(f0t_backbone_run(out, good, backbone, paths, COUNT, NULL));
    assert_features(out, good, 0, COUNT);
    assert_int_equal(count_idle(backbone), KEPT);
    test_threads(0);
    f0t_backbone_close(backbone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_picture_has_its_features),
        cmocka_unit_test(a_picture_that_cannot_be_read_may_end_the_work),
        cmocka_unit_test(one_picture_needs_one_process),
        cmocka_unit_test(idle_processes_are_as_many_as_the_last_team_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
