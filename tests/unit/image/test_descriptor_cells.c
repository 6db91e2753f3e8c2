#include "support.h"

#include "image/descriptor.h"

#include <math.h>
#include <string.h>

enum { SIDE = F0T_WORK_SIDE, N = F0T_CELLS };

static float picture[3 * F0T_WORK_PIXELS], cells[N * N * F0T_CELL_SIZE];
static f0t_cell_scratch scratch;

static float *pixel(size_t channel, size_t y, size_t x)
{
    return picture + channel * F0T_WORK_PIXELS + y * F0T_WORK_STRIDE + x + 1;
}

static void repeat_border(void)
{
    for (size_t i = 0; i < 3 * SIDE; i++) {
        float *row = picture + i * F0T_WORK_STRIDE;
        row[0] = row[1];
        row[SIDE + 1] = row[SIDE];
    }
}

/* The gradient as parts along the two of 8 directions that enclose it: by its angle. */
static void plain_directions(double out[8], size_t y, size_t x)
{
    double best = -1, gx = 0, gy = 0;
    for (size_t c = 0; c < 3; c++) {
        double u = (double)*pixel(c, y, x + 1) - *(pixel(c, y, x) - 1);
        double v = (double)*pixel(c, y < SIDE - 1 ? y + 1 : y, x) - *pixel(c, y ? y - 1 : y, x);
        if (u * u + v * v > best) {
            best = u * u + v * v;
            gx = u;
            gy = v;
        }
    }
    const double step = acos(-1) / 4;
    double angle = atan2(gy, gx), length = hypot(gx, gy), turn = floor(angle / step);
    double rest = angle - turn * step;
    memset(out, 0, 8 * sizeof *out);
    out[((int)turn + 8) % 8] = length * sin(step - rest) / sin(step);
    out[((int)turn + 9) % 8] = length * sin(rest) / sin(step);
}

static void plain_pixel(double out[F0T_CELL_PLANES], size_t y, size_t x)
{
    double r = *pixel(0, y, x), g = *pixel(1, y, x), b = *pixel(2, y, x);
    double opponents[3] = {(r + g + b) / 3, (r - g) / 2, (r + g) / 4 - b / 2};
    plain_directions(out, y, x);
    for (size_t c = 0; c < 3; c++) {
        out[8 + c] = opponents[c];
        out[11 + c] = opponents[c] * opponents[c];
    }
}

/* A pixel counts for a cell by its distance to the cell's middle, up to one cell. */
static double reach(size_t p, size_t cell)
{
    return fmax(0, 1 - fabs(((double)p + 0.5) / 4 - ((double)cell + 0.5)));
}

static void plain_cell(double out[F0T_CELL_PLANES], size_t cy, size_t cx)
{
    double all = 0, values[F0T_CELL_PLANES];
    memset(out, 0, F0T_CELL_PLANES * sizeof *out);
    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++) {
            double weight = reach(y, cy) * reach(x, cx);
            if (weight == 0)
                continue;
            plain_pixel(values, y, x);
            for (size_t i = 0; i < F0T_CELL_PLANES; i++)
                out[i] += weight * values[i];
            all += weight;
        }
    for (size_t i = 0; i < F0T_CELL_PLANES; i++)
        out[i] /= all;
    for (size_t i = 0; i < 3; i++)
        out[11 + i] = sqrt(fmax(0, out[11 + i] - out[8 + i] * out[8 + i]));
}

static void cells_are_weighted_means_of_their_pixels(void **state)
{
    (void)state;
    test_random_floats(picture, 3 * F0T_WORK_PIXELS, 7);
    for (size_t i = 0; i < 3 * F0T_WORK_PIXELS; i++)
        picture[i] = 0.5F + 0.5F * picture[i];
    repeat_border();
    f0t_cells_fill(cells, &scratch, picture);
    for (size_t i = 0; i < 60; i++) {
        size_t y = i < 2 ? i * (N - 1) : i * 7 % N, x = i < 4 ? i / 2 * (N - 1) : i * 11 % N;
        double want[F0T_CELL_PLANES];
        plain_cell(want, y, x);
        for (size_t j = 0; j < F0T_CELL_PLANES; j++)
            assert_true(fabs(cells[(y * N + x) * F0T_CELL_SIZE + j] - want[j]) < 2e-5);
    }
}

static void a_slope_has_one_direction_in_every_cell(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3 * SIDE * SIDE; i++)
        *pixel(i / SIDE / SIDE, i / SIDE % SIDE, i % SIDE) = (float)(i % SIDE) / SIDE;
    repeat_border();
    f0t_cells_fill(cells, &scratch, picture);
    for (size_t i = 0; i < N * N; i++)
        for (size_t j = 0; j < 8; j++) {
            double want = j || i % N == 0 || i % N == N - 1 ? 0 : 2.0 / SIDE;
            bool inside = i % N > 0 && i % N < N - 1;
            if (inside || j)
                assert_true(fabs(cells[i * F0T_CELL_SIZE + j] - want) < 1e-6);
        }
}

static void a_second_picture_forgets_the_first(void **state)
{
    (void)state;
    float first[8];
    memset(picture, 0, sizeof picture);
    f0t_cells_fill(cells, &scratch, picture);
    memcpy(first, cells + 5 * F0T_CELL_SIZE, sizeof first);
    test_random_floats(picture, 3 * F0T_WORK_PIXELS, 8);
    f0t_cells_fill(cells, &scratch, picture);
    assert_memory_not_equal(first, cells + 5 * F0T_CELL_SIZE, sizeof first);
    memset(picture, 0, sizeof picture);
    f0t_cells_fill(cells, &scratch, picture);
    assert_memory_equal(first, cells + 5 * F0T_CELL_SIZE, sizeof first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_weighted_means_of_their_pixels),
        cmocka_unit_test(a_slope_has_one_direction_in_every_cell),
        cmocka_unit_test(a_second_picture_forgets_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
