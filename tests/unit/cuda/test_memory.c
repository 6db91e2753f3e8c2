#include "devices.h"

/* bfloat16 as the CPU rounds it, parts of a buffer, and zeros at the beginning. */
static void numbers_come_back_as_the_cpu_stores_them(void **state)
{
    enum { N = 10007, FIRST = 13, PART = 9001 };
    const f0t_compute *cuda = gpu();
    (void)state;
    for (int type = 0; type < 2; type++) {
        const f0t_dtype of = type ? F0T_BF16 : F0T_F32;
        float *x = random_floats(N, 3), *y = random_floats(N, 4), *z = random_floats(N, 5);
        f0t_buffer *ours = buffer_of(cuda, of, NULL, N);
        f0t_buffer *theirs = buffer_of(&f0t_compute_cpu, of, NULL, N);
        x[17] = INFINITY;
        x[18] = -0.0F;
        x[19] = 1e-42F;
        assert_ok(cuda->upload(ours, FIRST, x, PART));
        assert_ok(f0t_compute_cpu.upload(theirs, FIRST, x, PART));
        assert_ok(cuda->download(y, ours, 0, N));
        assert_ok(f0t_compute_cpu.download(z, theirs, 0, N));
        assert_memory_equal(y, z, N * sizeof *y);
        free_all((f0t_buffer *[]){ours, theirs}, 2);
        f0t_free(x);
        f0t_free(y);
        f0t_free(z);
    }
}

static void rows_are_gathered(void **state)
{
    const f0t_compute *cuda = gpu();
    const uint32_t index[] = {4, 0, 4, 6, 1};
    (void)state;
    for (size_t cols = 1; cols < 40; cols += 7)
        for (int type = 0; type < 2; type++) {
            const f0t_dtype of = type ? F0T_BF16 : F0T_F32;
            float *x = random_floats(7 * cols, cols), *y = random_floats(5 * cols, 1);
            f0t_buffer *from = buffer_of(cuda, of, x, 7 * cols);
            f0t_buffer *to = buffer_of(cuda, of, NULL, 5 * cols);
            assert_ok(cuda->gather(to, from, index, 5, cols));
            assert_ok(cuda->download(y, to, 0, 5 * cols));
            assert_ok(cuda->download(x, from, 0, 7 * cols));
            for (size_t r = 0; r < 5; r++)
                assert_memory_equal(y + r * cols, x + index[r] * cols, cols * sizeof *y);
            free_all((f0t_buffer *[]){from, to}, 2);
            f0t_free(x);
            f0t_free(y);
        }
}

/* More batches than there is pinned memory for: what was staged first must not be overwritten too early. */
static void many_gathers_follow_each_other(void **state)
{
    enum { ROWS = 512, COLS = 64, TIMES = 200 };
    const f0t_compute *cuda = gpu();
    float *x = random_floats(ROWS * COLS, 1), *y = random_floats(ROWS * COLS, 2);
    f0t_buffer *from = buffer_of(cuda, F0T_F32, x, ROWS * COLS), *to[TIMES];
    uint32_t index[ROWS];
    (void)state;
    for (uint32_t t = 0; t < TIMES; t++) {
        for (uint32_t r = 0; r < ROWS; r++)
            index[r] = (r * 7 + t) % ROWS;
        to[t] = buffer_of(cuda, F0T_F32, NULL, ROWS * COLS);
        assert_ok(cuda->gather(to[t], from, index, ROWS, COLS));
    }
    for (uint32_t t = 0; t < TIMES; t++) {
        assert_ok(cuda->download(y, to[t], 0, ROWS * COLS));
        for (uint32_t r = 0; r < ROWS; r++)
            assert_memory_equal(y + r * COLS, x + (r * 7 + t) % ROWS * COLS, COLS * sizeof *y);
    }
    free_all(to, TIMES);
    f0t_buffer_free(from);
    f0t_free(x);
    f0t_free(y);
}

/* ---- Numbers that come with every batch ---------------------------------------------------------- */

typedef struct source {
    const float *from;
    f0t_status status;
} source;

static f0t_status write_numbers(void *user, float *to, size_t n)
{
    const source *s = user;
    memcpy(to, s->from, n * sizeof *to);
    return s->status;
}

/* More batches than there are places, of sizes that grow and shrink, with work between them. */
static void streamed_numbers_are_the_uploaded_ones(void **state)
{
    enum { N = 300000, TIMES = 40 };
    const f0t_compute *cuda = gpu();
    float *x = random_floats(N, 1), *y = random_floats(N, 2), *z = random_floats(N, 3);
    (void)state;
    for (int type = 0; type < 2; type++) {
        const f0t_dtype of = type ? F0T_BF16 : F0T_F32;
        f0t_buffer *ours[TIMES], *plain = buffer_of(cuda, of, NULL, N);
        for (size_t t = 0; t < TIMES; t++) {
            const size_t first = t * 7, n = N / 2 + t * 6 % 40 * 1000;
            ours[t] = buffer_of(cuda, of, NULL, N);
            x[t] = (float)t;
            assert_ok(cuda->stream(ours[t], first, n, write_numbers, &(source){x, F0T_OK}));
            x[t] = -1; /* it has been read */
        }
        assert_ok(cuda->upload(plain, 0, x, N));
        for (size_t t = 0; t < TIMES; t++) {
            const size_t first = t * 7, n = N / 2 + t * 6 % 40 * 1000;
            assert_ok(cuda->download(y, ours[t], first, n));
            assert_ok(cuda->download(z, plain, 0, n));
            assert_true(y[t] == (float)t);
            assert_memory_equal(y + TIMES, z + TIMES, (n - TIMES) * sizeof *y);
        }
        free_all(ours, TIMES);
        f0t_buffer_free(plain);
    }
    f0t_free(x);
    f0t_free(y);
    f0t_free(z);
}

static void what_cannot_be_written_is_not_sent(void **state)
{
    const f0t_compute *cuda = gpu();
    float x[3] = {1, 2, 3}, y[3];
    f0t_buffer *to = buffer_of(cuda, F0T_F32, x, 3);
    (void)state;
    assert_int_equal(
        cuda->stream(to, 0, 3, write_numbers, &(source){(float[]){4, 5, 6}, F0T_ERROR_FORMAT}),
        F0T_ERROR_FORMAT);
    assert_ok(cuda->download(y, to, 0, 3));
    assert_memory_equal(x, y, sizeof x);
    f0t_buffer_free(to);
}

static void memory_that_is_not_there_is_one_line(void **state)
{
    const f0t_compute *cuda = gpu();
    f0t_buffer *buffer;
    (void)state;
    assert_fails(F0T_ERROR_MEMORY, "no memory on the GPU",
                 f0t_buffer_create(&buffer, cuda, F0T_F32, (size_t)1 << 42));
    assert_null(buffer);
    assert_fails(F0T_ERROR_MEMORY, "no memory on the GPU",
                 f0t_buffer_create(&buffer, cuda, F0T_F32, SIZE_MAX / 2));
    buffer = buffer_of(cuda, F0T_F32, NULL, 3); /* and it goes on */
    f0t_buffer_free(buffer);
    assert_in_range(cuda->room(), 1 << 20, (size_t)1 << 42);
}

static void a_context_names_it(void **state)
{
    const f0t_compute *cuda = gpu();
    f0t_context_options options = F0T_CONTEXT_OPTIONS;
    f0t_context *context;
    (void)state;
    options.device = "cuda";
    assert_ok(f0t_context_create(&context, &options));
    assert_ptr_equal(context->compute, cuda);
    f0t_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back_as_the_cpu_stores_them),
        cmocka_unit_test(rows_are_gathered),
        cmocka_unit_test(many_gathers_follow_each_other),
        cmocka_unit_test(streamed_numbers_are_the_uploaded_ones),
        cmocka_unit_test(what_cannot_be_written_is_not_sent),
        cmocka_unit_test(memory_that_is_not_there_is_one_line),
        cmocka_unit_test(a_context_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
