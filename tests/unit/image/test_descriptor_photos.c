/* The descriptor on real photos, decoded at several sizes as programs will. */
#include "scenes.h"

#include "image/descriptor.h"
#include "image/worker.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { PHOTOS = 12 };

static f0t_worker *worker;
static f0t_descriptor *descriptor;

static int set_up(void **state)
{
    (void)state;
    return f0t_worker_create(&worker) != F0T_OK || f0t_descriptor_create(&descriptor) != F0T_OK;
}

static int tear_down(void **state)
{
    (void)state;
    f0t_worker_free(worker);
    f0t_descriptor_free(descriptor);
    return 0;
}

static int is_photo(const struct dirent *entry)
{
    return strstr(entry->d_name, ".jpg") != NULL;
}

/* out[PHOTOS x dim] of the first photos below `folder`, by name. */
static void describe(float *out, struct dirent *const *names, const char *folder, size_t side)
{
    for (size_t i = 0; i < PHOTOS; i++) {
        char path[1024];
        f0t_picture picture;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        assert_ok(f0t_worker_decode(&picture, worker, path, side, false));
        assert_ok(f0t_descriptor_run(out + i * f0t_descriptor_dim(), descriptor, picture.rgb,
                                     picture.width, picture.height));
    }
}

static double likeness(const float *a, size_t i, const float *b, size_t j)
{
    size_t dim = f0t_descriptor_dim();
    return cosine_of(a + i * dim, b + j * dim, dim);
}

/* Shrinking while decoding costs a little; another JPEG of 128 pixels costs more, by its noise. */
static void a_photo_is_known_again_at_any_size(void **state)
{
    (void)state;
    char folder[1024], thumbs[1024];
    struct dirent **names;
    float *large, *other;
    size_t all = PHOTOS * f0t_descriptor_dim();
    snprintf(folder, sizeof folder, "%s", test_data("photos"));
    snprintf(thumbs, sizeof thumbs, "%s", test_data("flickr8k/thumbs"));
    int found = scandir(folder, &names, is_photo, alphasort);
    assert_true(found >= PHOTOS);
    assert_ok(f0t_alloc(&large, all, sizeof *large));
    assert_ok(f0t_alloc(&other, all, sizeof *other));
    describe(large, names, folder, 4096);
    const size_t sides[] = {256, 160, 128};
    for (size_t s = 0; s < 3; s++) {
        describe(other, names, folder, sides[s]);
        for (size_t i = 0; i < PHOTOS; i++)
            if (likeness(large, i, other, i) < 0.95)
                fail_msg("%s at %zu: %.3f", names[i]->d_name, sides[s],
                         likeness(large, i, other, i));
    }
    describe(other, names, thumbs, 128);
    for (size_t i = 0; i < PHOTOS; i++)
        for (size_t j = 0; j < PHOTOS; j++)
            assert_true(i == j ||
                        likeness(large, i, other, i) > likeness(large, i, other, j) + 0.1);
    for (int i = 0; i < found; i++)
        free(names[i]);
    free(names);
    f0t_free(large);
    f0t_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_photo_is_known_again_at_any_size),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
