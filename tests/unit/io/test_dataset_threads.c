#include "support.h"

#include "io/npy.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

enum { THREADS = 8, IMAGES = 64, DIM = 16 };

static f0t_dataset *dataset;
static float expected[IMAGES * DIM];

/* Asks everything; gives the number of wrong answers. */
static void *ask(void *context)
{
    float got[4 * DIM];
    size_t wrong = 0, count, t;
    for (size_t m = 0; m + 4 <= IMAGES; m++) {
        wrong += f0t_dataset_read_features(got, dataset, m, 4) != F0T_OK;
        wrong += memcmp(got, expected + m * DIM, sizeof got) != 0;
        const uint32_t *tags = f0t_dataset_image_tags(&count, dataset, m);
        wrong += count != 1 || strcmp(f0t_dataset_tag(dataset, tags[0]), m % 2 ? "odd" : "even");
        wrong += !f0t_dataset_find_tag(&t, dataset, "odd");
        /* Each thread has its own last error. */
        wrong += f0t_dataset_read_features(got, dataset, IMAGES + m, 1) != F0T_ERROR_ARGUMENT;
        wrong += !strstr(f0t_last_error(), "it has 64");
    }
    *(size_t *)context = wrong;
    return NULL;
}

static void many_threads_share_one_dataset(void **state)
{
    char tags[IMAGES * 8] = "";
    f0t_npy_writer *npy;
    pthread_t threads[THREADS];
    size_t wrong[THREADS];
    (void)state;
    mkdir(test_path("shared"), 0777);
    for (size_t m = 0; m < IMAGES; m++)
        strcat(tags, m % 2 ? "odd\n" : "even\n");
    test_text("shared/tags.txt", tags);
    test_random_floats(expected, IMAGES * DIM, 1);
    assert_ok(f0t_npy_create(&npy, test_path("shared/features.npy"), F0T_F32, DIM));
    assert_ok(f0t_npy_write_rows(npy, expected, IMAGES));
    assert_ok(f0t_npy_commit(npy));
    assert_ok(f0t_dataset_open(&dataset, test_path("shared"), NULL, NULL));
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &wrong[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(wrong[i], 0);
    }
    f0t_dataset_close(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_threads_share_one_dataset)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
