#include "scenes.h"

#include "image/descriptor.h"

#include <stdio.h>

static f0t_descriptor *descriptor;
static size_t dim;

static int set_up(void **state)
{
    (void)state;
    dim = f0t_descriptor_dim();
    return f0t_descriptor_create(&descriptor) != F0T_OK;
}

static int tear_down(void **state)
{
    (void)state;
    f0t_descriptor_free(descriptor);
    return 0;
}

/* Free with f0t_free. */
static float *describe(const scene *s)
{
    uint8_t *rgb = scene_draw(s);
    float *out;
    assert_ok(f0t_alloc(&out, dim, sizeof *out));
    assert_ok(f0t_descriptor_run(out, descriptor, rgb, s->width, s->height));
    f0t_free(rgb);
    return out;
}

/* Cosine of the descriptors of two scenes, over the named part or over all. */
static double likeness(const scene *a, const scene *b, const char *part)
{
    size_t count, first = 0, n = dim;
    const f0t_descriptor_block *blocks = f0t_descriptor_blocks(&count);
    for (size_t i = 0; part && i < count; i++)
        if (!strcmp(blocks[i].name, part)) {
            first = blocks[i].first;
            n = blocks[i].count;
        }
    float *x = describe(a), *y = describe(b);
    double cosine = cosine_of(x + first, y + first, n);
    f0t_free(x);
    f0t_free(y);
    return cosine;
}

/* Length 1, no NaN, and every part has its share. */
static void check_vector(const float *x)
{
    size_t count;
    const f0t_descriptor_block *blocks = f0t_descriptor_blocks(&count);
    double all = 0, weights = 0;
    for (size_t i = 0; i < count; i++)
        weights += (double)blocks[i].weight * blocks[i].weight;
    for (size_t i = 0; i < count; i++) {
        double squares = 0;
        for (size_t j = 0; j < blocks[i].count; j++) {
            assert_true(isfinite(x[blocks[i].first + j]));
            squares += pow(x[blocks[i].first + j], 2);
        }
        all += squares;
        assert_true(fabs(squares - pow(blocks[i].weight, 2) / weights) < 1e-4);
    }
    assert_true(fabs(all - 1) < 1e-5);
}

static void the_parts_cover_the_vector(void **state)
{
    (void)state;
    size_t count, next = 0;
    const f0t_descriptor_block *blocks = f0t_descriptor_blocks(&count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(blocks[i].first, next);
        assert_true(blocks[i].count > 0 && blocks[i].weight > 0);
        next += blocks[i].count;
    }
    assert_int_equal(next, dim);
    assert_string_equal(f0t_descriptor_version(), "builtin-1");
}

static void every_size_has_a_descriptor(void **state)
{
    (void)state;
    const size_t sizes[][2] = {{1, 1},     {1, 5000},  {5000, 1},  {2, 3},     {127, 129},
                               {128, 128}, {512, 512}, {513, 511}, {1030, 520}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        float *x = describe(&(scene){.width = sizes[i][0], .height = sizes[i][1]});
        check_vector(x);
        f0t_free(x);
    }
}

/* A picture of one colour, white and black among them, has no gradient at all. */
static void pictures_of_one_colour_have_a_descriptor(void **state)
{
    (void)state;
    static uint8_t rgb[40 * 30 * 3];
    float *x, *first;
    assert_ok(f0t_alloc(&x, dim, sizeof *x));
    assert_ok(f0t_alloc(&first, dim, sizeof *first));
    for (int value = 0; value < 256; value += 51) {
        memset(rgb, value, sizeof rgb);
        assert_ok(f0t_descriptor_run(value ? x : first, descriptor, rgb, 40, 30));
        if (value == 0)
            assert_true(isfinite(first[0]));
        else {
            check_vector(x);
            assert_true(cosine_of(x, first, dim) < 0.9999);
        }
    }
    f0t_free(x);
    f0t_free(first);
}

static void a_picture_without_pixels_is_refused(void **state)
{
    (void)state;
    uint8_t rgb[3] = {0};
    float *x;
    assert_ok(f0t_alloc(&x, dim, sizeof *x));
    assert_fails(F0T_ERROR_ARGUMENT, "a picture of 0 x 5 pixels has no descriptor",
                 f0t_descriptor_run(x, descriptor, rgb, 0, 5));
    assert_fails(F0T_ERROR_ARGUMENT, "5 x 0 pixels", f0t_descriptor_run(x, descriptor, rgb, 5, 0));
    f0t_free(x);
}

static void the_size_of_a_picture_changes_little(void **state)
{
    (void)state;
    const size_t widths[] = {227, 341, 666}, heights[] = {170, 256, 500};
    for (unsigned kind = 0; kind < 2; kind++)
        for (size_t i = 0; i < 3; i++) {
            scene small = {.kind = kind, .width = 171, .height = 128};
            scene large = {.kind = kind, .width = widths[i], .height = heights[i]};
            assert_true(likeness(&small, &large, NULL) > 0.97);
        }
}

static void a_small_shift_changes_less_than_another_picture(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        scene one = {.kind = kind, .width = 171, .height = 128}, other = one, shifted = one;
        shifted.shift_x = 2.0 / 171;
        shifted.shift_y = -1.0 / 128;
        other.kind = kind + 1;
        double near = likeness(&one, &shifted, NULL), far = likeness(&one, &other, NULL);
        if (near < 0.97 || 1 - far < 4 * (1 - near))
            fail_msg("shifted %.3f, another picture %.3f", near, far);
    }
}

static void a_mirrored_picture_has_the_same_colours(void **state)
{
    (void)state;
    static const char *const parts[] = {"colours", "colours of halves", "layout", "shape"};
    scene one = {.kind = 2, .width = 200, .height = 150}, mirrored = one;
    mirrored.mirror = true;
    for (size_t i = 0; i < 4; i++)
        assert_true(likeness(&one, &mirrored, parts[i]) > 1 - 1e-6);
    double patches = likeness(&one, &mirrored, "patches");
    assert_true(patches > 0.5 && patches < 0.999);
}

static void the_mirror_image_of_a_symmetric_picture_is_the_same(void **state)
{
    (void)state;
    scene one = {.kind = 1, .width = 256, .height = 160, .symmetric = true}, mirrored = one;
    mirrored.mirror = true;
    assert_true(likeness(&one, &mirrored, NULL) > 1 - 1e-6);
}

static void upside_down_is_another_picture(void **state)
{
    (void)state;
    scene one = {.kind = 1, .width = 200, .height = 150};
    uint8_t *rgb = scene_draw(&one), swap[600];
    float *x = describe(&one), *y;
    assert_ok(f0t_alloc(&y, dim, sizeof *y));
    for (size_t i = 0; i < 75; i++) {
        memcpy(swap, rgb + i * 600, 600);
        memcpy(rgb + i * 600, rgb + (149 - i) * 600, 600);
        memcpy(rgb + (149 - i) * 600, swap, 600);
    }
    assert_ok(f0t_descriptor_run(y, descriptor, rgb, 200, 150));
    assert_true(cosine_of(x, y, dim) < 0.9);
    f0t_free(rgb);
    f0t_free(x);
    f0t_free(y);
}

static void the_same_picture_gives_the_same_bytes(void **state)
{
    (void)state;
    const scene one = {.kind = 3, .width = 300, .height = 180},
                other = {.width = 30, .height = 900};
    float *x = describe(&one), *between = describe(&other), *y = describe(&one);
    assert_memory_equal(x, y, dim * sizeof *x);
    assert_memory_not_equal(x, between, dim * sizeof *x);
    f0t_free(x);
    f0t_free(between);
    f0t_free(y);
}

static void a_run_allocates_nothing(void **state)
{
    (void)state;
    static uint8_t rgb[1000 * 20 * 3];
    float *x;
    assert_ok(f0t_alloc(&x, dim, sizeof *x));
    f0t_fault_set(F0T_FAULT_ALLOC, 0);
    assert_ok(f0t_descriptor_run(x, descriptor, rgb, 1000, 20));
    assert_int_equal(f0t_fault_count(F0T_FAULT_ALLOC), 0);
    f0t_free(x);
}

static f0t_status create_and_free(void *context)
{
    (void)context;
    f0t_descriptor *made;
    f0t_status status = f0t_descriptor_create(&made);
    assert_true((made == NULL) == (status != F0T_OK));
    f0t_descriptor_free(made);
    return status;
}

static void each_failed_allocation_is_reported(void **state)
{
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, create_and_free, NULL);
    f0t_descriptor_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_cover_the_vector),
        cmocka_unit_test(every_size_has_a_descriptor),
        cmocka_unit_test(pictures_of_one_colour_have_a_descriptor),
        cmocka_unit_test(a_picture_without_pixels_is_refused),
        cmocka_unit_test(the_size_of_a_picture_changes_little),
        cmocka_unit_test(a_small_shift_changes_less_than_another_picture),
        cmocka_unit_test(a_mirrored_picture_has_the_same_colours),
        cmocka_unit_test(the_mirror_image_of_a_symmetric_picture_is_the_same),
        cmocka_unit_test(upside_down_is_another_picture),
        cmocka_unit_test(the_same_picture_gives_the_same_bytes),
        cmocka_unit_test(a_run_allocates_nothing),
        cmocka_unit_test(each_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
