/* Many threads share a network; each of its allocations may fail. */
#include "support.h"

#include "math/matmul.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 5, PIXELS = 2 * 6 * 6, DIM = 4 };

static const char *corpus(const char *name)
{
    char file[64];
    snprintf(file, sizeof file, "%s.onnx", name);
    return test_corpus("onnx", file);
}

typedef struct job {
    f0t_network *network;
    const float *pixels;
    float got[3 * DIM];
    size_t images;
    f0t_status status;
} job;

static void *work(void *context)
{
    job *j = context;
    for (size_t k = 0; k < ROUNDS && j->status == F0T_OK; k++)
        j->status = f0t_network_run(j->got, j->network, j->pixels, j->images, NULL);
    return NULL;
}

static void threads_share_a_network(void **state)
{
    f0t_network *network;
    float pixels[3 * PIXELS], want[3 * DIM];
    job jobs[THREADS];
    pthread_t threads[THREADS];
    (void)state;
    test_random_floats(pixels, 3 * PIXELS, 1);
    test_threads(1);
    assert_ok(f0t_network_open(&network, corpus("convolutions"), NULL, NULL));
    assert_int_equal(f0t_network_dim(network), DIM);
    assert_string_equal(f0t_network_output(network), "features");
    assert_ok(f0t_network_run(want, network, pixels, 3, NULL));
    for (size_t k = 0; k < THREADS; k++) {
        jobs[k] = (job){.network = network, .pixels = pixels, .images = 1 + k % 3};
        assert_int_equal(pthread_create(&threads[k], NULL, work, &jobs[k]), 0);
    }
    for (size_t k = 0; k < THREADS; k++) {
        pthread_join(threads[k], NULL);
        assert_int_equal(jobs[k].status, F0T_OK);
        for (size_t e = 0; e < jobs[k].images * DIM; e++)
            assert_true(jobs[k].got[e] - want[e] < 1e-5F && want[e] - jobs[k].got[e] < 1e-5F);
    }
    f0t_network_close(network);
    test_threads(0);
}

static f0t_status open_and_run(void *context)
{
    f0t_network *network;
    float pixels[PIXELS] = {0}, out[DIM];
    f0t_matmul_clear();
    F0T_TRY(f0t_network_open(&network, context, NULL, NULL));
    f0t_status status = f0t_network_run(out, network, pixels, 1, NULL);
    f0t_network_close(network);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    char path[256];
    (void)state;
    snprintf(path, sizeof path, "%s", corpus("convolutions"));
    test_each_fault(F0T_FAULT_ALLOC, open_and_run, path);
}

static void what_cannot_be_is_refused(void **state)
{
    f0t_network *network;
    f0t_network_options options = {.size = sizeof(f0t_network_options), .output = "nothing"};
    (void)state;
    assert_fails(F0T_ERROR_NOT_FOUND, "there is no value 'nothing'",
                 f0t_network_open(&network, corpus("convolutions"), &options, NULL));
    assert_null(network);
    assert_fails(F0T_ERROR_UNSUPPORTED, "not float32 of N x C x H x W",
                 f0t_network_open(&network, corpus("places"), NULL, NULL));
    assert_fails(F0T_ERROR_NOT_FOUND, "none.onnx",
                 f0t_network_open(&network, test_path("none.onnx"), NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_a_network),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
