#include "scenes.h"

#include "image/descriptor.h"

static void check_parts(const float *x, const double *want)
{
    size_t count;
    const f0t_descriptor_block *blocks = f0t_descriptor_blocks(&count);
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (size_t j = 0; j < blocks[i].count; j++)
            sum += x[blocks[i].first + j] * cos(1.7 * (double)j * (double)(j + 1));
        if (fabs(sum - want[i]) > 2e-4)
            fail_msg("%s: %.6f instead of %.6f", blocks[i].name, sum, want[i]);
    }
}

/* Descriptors are stored in datasets and models: what changes these numbers by more than rounding
 * needs a new version. They hold for every CPU level. */
static void version_1_gives_these_numbers(void **state)
{
    (void)state;
    static const double want[3][5] = {{-0.671968, -0.010691, 0.029372, -0.106777, 0.048092},
                                      {-1.130339, 0.243641, 0.358601, -0.214360, 0.048092},
                                      {-1.040282, 0.081721, 0.150198, -0.117870, 0.048092}};
    f0t_descriptor *descriptor;
    float *x;
    assert_string_equal(f0t_descriptor_version(), "builtin-1");
    assert_ok(f0t_descriptor_create(&descriptor));
    assert_ok(f0t_alloc(&x, f0t_descriptor_dim(), sizeof *x));
    for (unsigned kind = 0; kind < 3; kind++) {
        uint8_t *rgb = scene_draw(&(scene){.kind = kind, .width = 240, .height = 150});
        assert_ok(f0t_descriptor_run(x, descriptor, rgb, 240, 150));
        check_parts(x, want[kind]);
        f0t_free(rgb);
    }
    f0t_free(x);
    f0t_descriptor_free(descriptor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_1_gives_these_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
