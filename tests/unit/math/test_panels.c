/* Products with panels: their kernels run on every CPU, and the library takes them where they are the fastest. */
#include "products.h"

#include "base/cpu.h"
#include "math/onednn.h"
#include "math/panels.h"

#include <string.h>

static float *pack(const float *b, const f0t_matmul *op)
{
    float *panels = make(f0t_panels_room(op->k, op->n), sizeof *panels);
    f0t_panels_pack(panels, op->k, op->n, b, 0, op->n, op->b_transposed);
    return panels;
}

static void check(const product *p)
{
    const f0t_matmul *op = &p->op;
    const size_t results = op->m * op->n;
    float *a = make_matrix(op->m * op->k, F0T_F32, 1), *b = make_matrix(op->k * op->n, F0T_F32, 2);
    float *bias = p->bias ? make_matrix(op->n, F0T_F32, 3) : NULL, *panels = pack(b, op);
    float *c = make_matrix(results, F0T_F32, 4);
    double *want = make(results, sizeof *want), *magnitude = make(results, sizeof *want);
    for (size_t i = 0; i < results && op->accumulate; i++)
        want[i] = (double)c[i];
    assert_ok(f0t_panels_run(c, a, panels, bias, op));
    f0t_matmul_ref(want, magnitude, a, b, bias, op);
    assert_near(c, want, magnitude, op);
    void *all[] = {a, b, bias, panels, c, want, magnitude};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        f0t_free(all[k]);
}

/* Borders of strips, panels, blocks of k, of depth, of shared panels and of rows that are packed together. */
static void every_form_matches_the_reference(void **state)
{
    static const size_t shapes[][3] = {{1, 1, 1},    {6, 16, 8},     {11, 17, 7},  {13, 150, 385},
                                       {29, 48, 40}, {205, 33, 801}, {1640, 20, 9}};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        test_threads((int)(s % 3) + 1);
        for (int form = 0; form < 32; form += s < 5 ? 1 : 7) {
            const product p = {{.m = shapes[s][0],
                                .n = shapes[s][1],
                                .k = shapes[s][2],
                                .type = F0T_F32,
                                .result = F0T_F32,
                                .a_transposed = form & 1,
                                .b_transposed = form & 2,
                                .accumulate = form & 4,
                                .relu = form & 8},
                               form & 16};
            check(&p);
        }
    }
    test_threads(0);
}

/* Threads share the panels, so that their number says where kernels take one or two, or end inside of one. */
static void threads_change_no_byte(void **state)
{
    enum { M = 29, N = 90, K = 801 };
    const f0t_matmul op = {.m = M, .n = N, .k = K, .relu = true};
    float *a = make_matrix((size_t)M * K, F0T_F32, 1), *b = make_matrix((size_t)K * N, F0T_F32, 2);
    float *bias = make_matrix(N, F0T_F32, 3), *panels = pack(b, &op);
    float *c[2] = {make((size_t)M * N, sizeof **c), make((size_t)M * N, sizeof **c)};
    (void)state;
    for (int threads = 1; threads <= 6; threads++) {
        test_threads(threads);
        memset(c[threads > 1], 0, (size_t)M * N * sizeof **c);
        assert_ok(f0t_panels_run(c[threads > 1], a, panels, bias, &op));
        assert_memory_equal(c[threads > 1], c[0], (size_t)M * N * sizeof **c);
    }
    test_threads(0);
    void *all[] = {a, b, bias, panels, c[0], c[1]};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        f0t_free(all[k]);
}

/* Weights that come from memory, with few rows: as the products that a network asks for have them. */
static void packed_weights_are_panels_where_they_pay(void **state)
{
    static const struct {
        size_t m, k, n;
        bool few; /* for AVX-512 */
    } rows[] = {
        {50, 800, 700, true}, {5, 800, 700, false}, {300, 800, 700, false}, {50, 80, 70, false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        f0t_packed *packed;
        assert_ok(f0t_packed_create(&packed, rows[i].k, rows[i].n, F0T_F32, rows[i].m));
        const bool few = rows[i].few && f0t_cpu_level() == F0T_CPU_WIDEST;
        assert_int_equal(f0t_packed_panels(packed) != NULL, few || f0t_panels_native());
        f0t_packed_free(packed);
    }
}

/* Whole, or in parts of which one ends with an odd panel. */
static void packed_products_match_the_reference(void **state)
{
    enum { M = 50, K = 800, N = 700, PART = 336 };
    const product p = {
        {.m = M, .n = N, .k = K, .type = F0T_F32, .result = F0T_F32, .b_transposed = true}, false};
    float *a = make_matrix((size_t)M * K, F0T_F32, 1), *b = make_matrix((size_t)K * N, F0T_F32, 2);
    float *c = make((size_t)M * N, sizeof *c);
    double *want = make((size_t)M * N, sizeof *want),
           *magnitude = make((size_t)M * N, sizeof *want);
    (void)state;
    memset(want, 0, (size_t)M * N * sizeof *want);
    f0t_matmul_ref(want, magnitude, a, b, NULL, &p.op);
    for (int parts = 0; parts < 2; parts++) {
        f0t_packed *packed;
        assert_ok(f0t_packed_create(&packed, K, N, F0T_F32, M));
        if (parts && f0t_packed_panels(packed)) {
            assert_ok(f0t_packed_set_columns(packed, b, 0, PART));
            assert_ok(f0t_packed_set_columns(packed, b + (size_t)PART * K, PART, N - PART));
        } else {
            assert_ok(f0t_packed_set(packed, b, true));
        }
        assert_ok(f0t_matmul_run_packed(c, a, packed, NULL, &p.op));
        assert_near(c, want, magnitude, &p.op);
        f0t_packed_free(packed);
    }
    void *all[] = {a, b, c, want, magnitude};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        f0t_free(all[k]);
}

/* Other rows and columns of the same matrices give the same bytes. */
static void a_row_does_not_depend_on_the_others(void **state)
{
    enum { M = 17, N = 40, K = 400 };
    const f0t_matmul op = {.m = M, .n = N, .k = K};
    float *a = make_matrix((size_t)M * K, F0T_F32, 1), *b = make_matrix((size_t)K * N, F0T_F32, 2);
    float *panels = pack(b, &op), *c = make((size_t)M * N, sizeof *c), *row = make(N, sizeof *row);
    (void)state;
    assert_ok(f0t_panels_run(c, a, panels, NULL, &op));
    for (size_t i = 0; i < M; i++) {
        const f0t_matmul one = {.m = 1, .n = N, .k = K};
        assert_ok(f0t_panels_run(row, a + i * K, panels, NULL, &one));
        assert_memory_equal(row, c + i * N, N * sizeof *row);
    }
    f0t_free(a);
    f0t_free(b);
    f0t_free(panels);
    f0t_free(c);
    f0t_free(row);
}

static void a_matrix_in_parts_is_the_same(void **state)
{
    enum { N = 75, K = 390, PART = 48 };
    const f0t_matmul op = {.m = 1, .n = N, .k = K, .b_transposed = true};
    const size_t room = f0t_panels_room(K, N);
    float *b = make_matrix((size_t)K * N, F0T_F32, 2), *whole = pack(b, &op);
    float *parts = make(room, sizeof *parts);
    (void)state;
    f0t_panels_pack(parts, K, N, b, 0, PART, true);
    f0t_panels_pack(parts, K, N, b + (size_t)PART * K, PART, N - PART, true);
    assert_memory_equal(parts, whole, room * sizeof *parts);
    f0t_free(b);
    f0t_free(whole);
    f0t_free(parts);
}

static void what_no_memory_holds_has_no_room(void **state)
{
    (void)state;
    assert_int_equal(f0t_panels_room(9, 17), 16 * 32);
    assert_int_equal(f0t_panels_room(SIZE_MAX / 8, 16), 0);
    assert_int_equal(f0t_panels_room((size_t)1 << 32, (size_t)1 << 32), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_matches_the_reference),
        cmocka_unit_test(threads_change_no_byte),
        cmocka_unit_test(packed_weights_are_panels_where_they_pay),
        cmocka_unit_test(packed_products_match_the_reference),
        cmocka_unit_test(a_row_does_not_depend_on_the_others),
        cmocka_unit_test(a_matrix_in_parts_is_the_same),
        cmocka_unit_test(what_no_memory_holds_has_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
