#include "devices.h"

#include "compute/scoring.h"

/* Rows of random numbers, of few different ones, of one, with NaN and infinities. */
static float *make_rows(size_t rows, size_t n)
{
    float *x = random_floats(rows * n, n);
    for (size_t i = 0; i < rows * n; i++) {
        const size_t r = i / n;
        if (r % 4 == 1)
            x[i] = x[i] < 0 ? -0.0F : floorf(x[i] * 3) * 0.5F;
        if (r % 4 == 2)
            x[i] = 7;
        if (r % 4 == 3)
            x[i] = x[i] < -0.5F ? NAN : x[i] > 0.9F ? INFINITY : x[i] < -0.3F ? -INFINITY : x[i];
    }
    return x;
}

static void check_top(size_t rows, size_t n, size_t k)
{
    const f0t_compute *const computes[] = {&f0t_compute_cpu, gpu()};
    const size_t kept = k < n ? k : n;
    float *x = make_rows(rows, n), *value[2];
    uint32_t *index[2];
    for (int i = 0; i < 2; i++) {
        f0t_buffer *scores = buffer_of(computes[i], F0T_F32, x, rows * n);
        assert_ok(f0t_alloc(&index[i], rows * kept, sizeof *index[i]));
        assert_ok(f0t_alloc(&value[i], rows * kept, sizeof *value[i]));
        assert_ok(computes[i]->top(index[i], value[i], scores, rows, n, k));
        assert_ok(computes[i]->top(index[i], NULL, scores, rows, n, k));
        f0t_buffer_free(scores);
    }
    assert_memory_equal(index[0], index[1], rows * kept * sizeof *index[0]);
    for (size_t i = 0; i < rows * kept; i++)
        assert_true(value[0][i] == value[1][i] || (isnan(value[0][i]) && isnan(value[1][i])));
    for (int i = 0; i < 2; i++) {
        f0t_free(index[i]);
        f0t_free(value[i]);
    }
    f0t_free(x);
}

static void the_first_are_the_cpus(void **state)
{
    const size_t counts[] = {1, 5, 255, 257, 8192, 8193, 100000};
    const size_t ks[] = {1, 5, 10, 100, 128, 129, 1000};
    (void)state;
    for (size_t s = 0; s < 7; s++)
        for (size_t j = 0; j < 7; j++)
            check_top(8, counts[s], ks[j]);
    check_top(1, 1000000, 10);
    check_top(1, 1000000, 128);
    const size_t sorted[][2] = {{2047, 2047}, {2048, 200},    {2049, 2048},  {4097, 4097},
                                {10241, 200}, {10241, 10241}, {13000, 5000}, {100000, 99999}};
    for (size_t s = 0; s < 8; s++)
        check_top(8, sorted[s][0], sorted[s][1]);
    check_top(1, 1000000, 1000);
    check_top(150, 30000, 30000); /* more than are sorted at a time */
    check_top(3000, 100, 3);
}

/* ---- Places ------------------------------------------------------------------------------------ */

static f0t_place count_place(const float *row, size_t n, uint32_t tag)
{
    f0t_place place = {0};
    for (size_t t = 0; t < n; t++) {
        place.above += row[t] > row[tag];
        place.equal += row[t] == row[tag];
    }
    return place;
}

/* Up to 11 relevant tags per row, scores of 50 values. */
static void check_places(size_t rows, size_t n)
{
    const f0t_compute *cuda = gpu();
    float *x = random_floats(rows * n, n);
    size_t *offsets;
    uint32_t *relevant;
    f0t_place *places;
    assert_ok(f0t_alloc(&offsets, rows + 1, sizeof *offsets));
    assert_ok(f0t_alloc(&relevant, 7 + rows * 11, sizeof *relevant));
    assert_ok(f0t_alloc_zero(&places, rows * 11 + 1, sizeof *places));
    offsets[0] = 7;
    for (size_t r = 0; r < rows; r++) {
        offsets[r + 1] = offsets[r] + r % 12;
        for (size_t i = 0; i < r % 12; i++)
            relevant[offsets[r] + i] = (uint32_t)((r * 131 + i * 17) % n);
    }
    for (size_t i = 0; i < rows * n; i++)
        x[i] = roundf(x[i] * 12) / 12;
    f0t_buffer *scores = buffer_of(cuda, F0T_F32, x, rows * n);
    assert_ok(cuda->places(places, scores, rows, n, offsets, relevant));
    for (size_t r = 0; r < rows; r++)
        for (size_t i = offsets[r]; i < offsets[r + 1]; i++) {
            const f0t_place wanted = count_place(x + r * n, n, relevant[i]);
            assert_memory_equal(&wanted, &places[i - 7], sizeof wanted);
        }
    x[(rows - 1) * n] = NAN;
    assert_ok(cuda->upload(scores, 0, x, rows * n));
    assert_fails(F0T_ERROR_NUMERIC, "a score is NaN",
                 cuda->places(places, scores, rows, n, offsets, relevant));
    f0t_buffer_free(scores);
    f0t_free(places);
    f0t_free(relevant);
    f0t_free(offsets);
    f0t_free(x);
}

static void places_are_counted(void **state)
{
    (void)state;
    check_places(1, 1);
    check_places(30, 33);
    check_places(1000, 925);
    check_places(12, 70001);
}

/* ---- The first of many words ------------------------------------------------------------------- */

enum { WORDS = 70000, DIM = 300, ALONG = 300, FIRST = 10 };

/* The same bytes as the CPU's screen gives. */
static void many_words_are_ranked_as_on_the_cpu(void **state)
{
    const f0t_compute *const computes[] = {&f0t_compute_cpu, gpu()};
    float *words = random_floats((size_t)WORDS * DIM, 1), *along = random_floats(ALONG * DIM, 2);
    static uint32_t index[2][ALONG * FIRST];
    static float score[2][ALONG * FIRST];
    (void)state;
    memcpy(words + 5000 * DIM, words, 1000 * DIM * sizeof *words); /* ties */
    for (int i = 0; i < 2; i++) {
        f0t_scoring scoring;
        assert_ok(f0t_scoring_open(&scoring, computes[i], words, WORDS, DIM,
                                   &(f0t_scoring_options){.screened = true}));
        assert_int_equal(i == 1, scoring.sieve != NULL);
        assert_ok(f0t_scoring_top(index[i], score[i], FIRST, &scoring, along, ALONG));
        f0t_scoring_close(&scoring);
    }
    assert_memory_equal(index[0], index[1], sizeof index[0]);
    assert_memory_equal(score[0], score[1], sizeof score[0]);
    f0t_free(words);
    f0t_free(along);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_are_the_cpus),
        cmocka_unit_test(places_are_counted),
        cmocka_unit_test(many_words_are_ranked_as_on_the_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
