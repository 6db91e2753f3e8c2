#include "networks.h"
#include "pictures.h"

#include "base/fault.h"
#include "image/protocol.h"
#include "image/worker.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t red[3] = {255, 0, 0};

static void the_descriptor_describes_pictures_and_passes_over_others(void **state)
{
    f0t_backbone *backbone;
    bool good[3];
    (void)state;
    assert_ok(f0t_backbone_open(&backbone, "builtin", NULL, NULL));
    const size_t dim = f0t_backbone_dim(backbone);
    float *out = malloc(3 * dim * sizeof *out), *one = malloc(dim * sizeof *one);
    char first[4096];
    snprintf(first, sizeof first, "%s", png_write("a.png", red, 1, 1, 3, 0));
    const char *paths[3] = {first, test_text("b.png", "nothing"), first};
    assert_ok(f0t_backbone_run(out, good, backbone, paths, 3, NULL));
    assert_true(good[0] && !good[1] && good[2]);
    assert_memory_equal(out, out + 2 * dim, dim * sizeof *out);
    double length = 0;
    for (size_t i = 0; i < dim; i++) {
        length += (double)out[i] * (double)out[i];
        assert_true(out[dim + i] == 0);
    }
    assert_true(fabs(length - 1) < 1e-4);
    assert_fails(F0T_ERROR_UNSUPPORTED, "b.png",
                 f0t_backbone_run(out, NULL, backbone, paths, 3, NULL));
    free(out);
    free(one);
    f0t_backbone_close(backbone);
}

static void a_backbone_is_known_by_its_description(void **state)
{
    f0t_backbone *backbone, *again;
    (void)state;
    assert_ok(f0t_backbone_open(&backbone, "builtin", NULL, NULL));
    assert_ok(f0t_backbone_open(&again, f0t_backbone_description(backbone), NULL, NULL));
    assert_ok(f0t_backbone_check(again, f0t_backbone_description(backbone)));
    assert_fails(F0T_ERROR_MISMATCH, "the features were made by another backbone: its name is ",
                 f0t_backbone_check(again, "{\"name\": \"builtin-0\"}"));
    assert_fails(F0T_ERROR_MISMATCH, "crc32",
                 f0t_backbone_check(again, "{\"name\": \"a.onnx\", \"crc32\": \"00\"}"));
    f0t_backbone_close(again);
    assert_fails(F0T_ERROR_UNSUPPORTED,
                 "the features came from 'other', which is not here: give the backbone",
                 f0t_backbone_open(&again, "{\"name\": \"other\"}", NULL, NULL));
    assert_fails(F0T_ERROR_FORMAT, "description", f0t_backbone_open(&again, "{", NULL, NULL));
    assert_fails(F0T_ERROR_NOT_FOUND,
                 "how pictures are prepared for it is not known: name a preset",
                 f0t_backbone_open(&again, test_path("none.onnx"), NULL, NULL));
    assert_null(again);
    f0t_backbone_close(backbone);
}

/* The network's own file stays as it is. */
static void other_weights_beside_a_network_are_another_backbone(void **state)
{
    const float weights[] = {2, 3};
    f0t_backbone *first, *second;
    const char *path = network_write();
    (void)state;
    test_file("weight", &weights[0], sizeof *weights);
    assert_ok(f0t_backbone_open(&first, path, NULL, NULL));
    assert_ok(f0t_backbone_open(&second, f0t_backbone_description(first), NULL, NULL));
    f0t_backbone_close(second);
    unlink(test_path("weight")); /* the first has it mapped */
    test_file("weight", &weights[1], sizeof *weights);
    assert_ok(f0t_backbone_open(&second, path, NULL, NULL));
    assert_string_not_equal(f0t_backbone_description(first), f0t_backbone_description(second));
    assert_fails(F0T_ERROR_MISMATCH, "external_crc32",
                 f0t_backbone_check(second, f0t_backbone_description(first)));
    f0t_backbone_close(second);
    assert_fails(F0T_ERROR_MISMATCH, "external_crc32",
                 f0t_backbone_open(&second, f0t_backbone_description(first), NULL, NULL));
    assert_null(second);
    f0t_backbone_close(first);
}

/* Rather than to take no notice of them. */
static void options_of_a_network_are_refused_without_one(void **state)
{
    const f0t_backbone_options given[] = {{.size = sizeof *given, .preset = "clip"},
                                          {.size = sizeof *given, .output = "pool"},
                                          {.size = sizeof *given, .bf16 = true}};
    f0t_backbone *backbone, *again;
    (void)state;
    assert_ok(f0t_backbone_open(&backbone, "builtin", NULL, NULL));
    for (size_t i = 0; i < 3; i++) {
        assert_fails(F0T_ERROR_ARGUMENT,
                     " is about a network, and the features are those of the built-in descriptor",
                     f0t_backbone_open(&again, "builtin", &given[i], NULL));
        assert_fails(
            F0T_ERROR_ARGUMENT, "about a network",
            f0t_backbone_open(&again, f0t_backbone_description(backbone), &given[i], NULL));
    }
    assert_fails(
        F0T_ERROR_ARGUMENT,
        "a.onnx is as the features were made with it: a preset and an output go with a network "
        "that is named",
        f0t_backbone_open(&again, "{\"name\": \"a\", \"file\": \"a.onnx\"}", &given[0], NULL));
    f0t_backbone_close(backbone);
}

/* The photos' features in flickr8k were made by this network elsewhere. */
static void a_network_gives_the_features_that_it_gives_elsewhere(void **state)
{
    (void)state;
    const char *network = test_data("mobilenet_v2/mobilenet_v2.onnx");
    f0t_dataset *dataset;
    f0t_backbone *backbone;
    f0t_pictures *pictures;
    const char *folder = test_data("photos");
    size_t count;
    assert_ok(f0t_dataset_open(&dataset, test_data("flickr8k"), NULL, NULL));
    assert_ok(f0t_backbone_open(&backbone, network, NULL, NULL));
    assert_ok(f0t_pictures_find(&pictures, &folder, 1, NULL));
    const char *const *paths = f0t_pictures_paths(&count, pictures);
    const size_t dim = f0t_backbone_dim(backbone);
    assert_int_equal(dim, f0t_dataset_dim(dataset));
    float *out = malloc(count * dim * sizeof *out), *row = malloc(dim * sizeof *row);
    assert_ok(f0t_backbone_run(out, NULL, backbone, paths, count, NULL));
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t m = 0; m < f0t_dataset_image_count(dataset); m++) {
            const char *name = strrchr(f0t_dataset_image(dataset, m), '/');
            name = name ? name + 1 : f0t_dataset_image(dataset, m);
            const char *own = strrchr(paths[i], '/') + 1;
            if (strncmp(name, own, strcspn(own, ".")) != 0)
                continue;
            double ab = 0, aa = 0, bb = 0;
            assert_ok(f0t_dataset_read_features(row, dataset, m, 1));
            for (size_t k = 0; k < dim; k++) {
                ab += (double)row[k] * (double)out[i * dim + k];
                aa += (double)out[i * dim + k] * (double)out[i * dim + k];
                bb += (double)row[k] * (double)row[k];
            }
            assert_true(ab / sqrt(aa * bb) > 0.98);
            found++;
            break;
        }
    assert_int_equal(found, count);
    free(out);
    free(row);
    f0t_pictures_free(pictures);
    f0t_backbone_close(backbone);
    f0t_dataset_close(dataset);
}

/* The second run needs no program: that of the first still runs. A process costs as much to start as
 * a dozen photos to decode. */
static void processes_are_kept_between_runs(void **state)
{
    f0t_backbone *backbone;
    (void)state;
    assert_ok(f0t_backbone_open(&backbone, "builtin", NULL, NULL));
    float *out = malloc(f0t_backbone_dim(backbone) * sizeof *out);
    const char *path = png_write("kept.png", red, 1, 1, 3, 0);
    test_threads(1);
    assert_ok(f0t_backbone_run(out, NULL, backbone, &path, 1, NULL));
    setenv("F0T_PICTURE", "/nowhere/fast0tag-picture", 1);
    assert_ok(f0t_backbone_run(out, NULL, backbone, &path, 1, NULL));
    unsetenv("F0T_PICTURE");
    test_threads(0);
    free(out);
    f0t_backbone_close(backbone);
}

/* One picture of a batch ends its process: it alone is lost, also where it was asked for early. */
static void a_process_that_dies_costs_one_picture(void **state)
{
    enum { COUNT = 5 };
    f0t_backbone *backbone;
    char *real, text[8400], bomb[4096];
    bool good[COUNT];
    (void)state;
    snprintf(bomb, sizeof bomb, "%s", png_write("bomb.png", red, 1, 1, 3, 0));
    const char *fine = png_write("fine.png", red, 1, 1, 3, 0);
    const char *paths[COUNT] = {fine, fine, bomb, fine, fine};
    /* Reads along, and ends when the bomb is asked for. */
    assert_ok(f0t_worker_program(&real));
    snprintf(text, sizeof text,
             "#!/usr/bin/env python3\nimport os, socket, struct, subprocess, sys\n"
             "outer = socket.socket(fileno=0)\n"
             "ours, theirs = socket.socketpair()\n"
             "inner = subprocess.Popen(['%s'] + sys.argv[1:], stdin=theirs, stdout=1)\n"
             "theirs.close()\n"
             "while True:\n"
             "    head, files, _, _ = socket.recv_fds(outer, %zu, 1, socket.MSG_WAITALL)\n"
             "    if not head: break\n"
             "    path = outer.recv(struct.unpack_from('<I', head, %zu)[0], socket.MSG_WAITALL)\n"
             "    if b'bomb' in path: break\n"
             "    socket.send_fds(ours, [head + path], files)\n"
             "    for file in files: os.close(file)\n"
             "inner.kill()\nos._exit(1)\n",
             real, sizeof(f0t_picture_request), offsetof(f0t_picture_request, path_length));
    test_text("program", text);
    assert_int_equal(chmod(test_path("program"), 0755), 0);
    setenv("F0T_PICTURE", test_path("program"), 1);
    test_threads(1);
    assert_ok(f0t_backbone_open(&backbone, "builtin", NULL, NULL));
    float *out = malloc(COUNT * f0t_backbone_dim(backbone) * sizeof *out);
    assert_ok(f0t_backbone_run(out, good, backbone, paths, COUNT, NULL));
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(good[i], i != 2);
    unsetenv("F0T_PICTURE");
    test_threads(0);
    free(out);
    f0t_free(real);
    f0t_backbone_close(backbone);
}

static f0t_status open_once(void *context)
{
    f0t_backbone *backbone;
    (void)context;
    F0T_TRY(f0t_backbone_open(&backbone, "builtin", NULL, NULL));
    f0t_backbone_close(backbone);
    return F0T_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, open_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_a_network_are_refused_without_one),
        cmocka_unit_test(the_descriptor_describes_pictures_and_passes_over_others),
        cmocka_unit_test(a_backbone_is_known_by_its_description),
        cmocka_unit_test(other_weights_beside_a_network_are_another_backbone),
        cmocka_unit_test(a_network_gives_the_features_that_it_gives_elsewhere),
        cmocka_unit_test(processes_are_kept_between_runs),
        cmocka_unit_test(a_process_that_dies_costs_one_picture),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
