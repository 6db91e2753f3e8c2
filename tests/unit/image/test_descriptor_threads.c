#include "scenes.h"

#include "image/descriptor.h"

#include <pthread.h>

enum { THREADS = 4 };

static const scene pictures[] = {{.kind = 0, .width = 150, .height = 128},
                                 {.kind = 1, .width = 128, .height = 190},
                                 {.kind = 2, .width = 60, .height = 40}};

enum { PICTURES = sizeof pictures / sizeof *pictures };

typedef struct work {
    uint8_t *rgb[PICTURES];
    float *out; /* [PICTURES x dim] */
    f0t_status status;
} work;

static f0t_status describe_all(work *w)
{
    f0t_descriptor *descriptor;
    F0T_TRY(f0t_descriptor_create(&descriptor));
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < PICTURES && status == F0T_OK; i++)
        status = f0t_descriptor_run(w->out + i * f0t_descriptor_dim(), descriptor, w->rgb[i],
                                    pictures[i].width, pictures[i].height);
    f0t_descriptor_free(descriptor);
    return status;
}

static void *describe_in_thread(void *argument)
{
    work *w = argument;
    w->status = describe_all(w);
    return NULL;
}

static void threads_with_descriptors_of_their_own_agree(void **state)
{
    (void)state;
    work works[THREADS] = {0};
    pthread_t threads[THREADS];
    size_t bytes = PICTURES * f0t_descriptor_dim() * sizeof(float);
    for (size_t i = 0; i < PICTURES; i++)
        works[0].rgb[i] = scene_draw(&pictures[i]);
    for (size_t t = 0; t < THREADS; t++) {
        memcpy(works[t].rgb, works[0].rgb, sizeof works[0].rgb);
        assert_ok(f0t_alloc(&works[t].out, bytes, 1));
        assert_int_equal(pthread_create(&threads[t], NULL, describe_in_thread, &works[t]), 0);
    }
    for (size_t t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(threads[t], NULL), 0);
    for (size_t t = 0; t < THREADS; t++) {
        assert_int_equal(works[t].status, F0T_OK);
        assert_memory_equal(works[t].out, works[0].out, bytes);
    }
    for (size_t t = 0; t < THREADS; t++)
        f0t_free(works[t].out);
    for (size_t i = 0; i < PICTURES; i++)
        f0t_free(works[0].rgb[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_with_descriptors_of_their_own_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
