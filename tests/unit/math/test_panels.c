/* Products with panels: their kernels run on every CPU, and the library takes them where they are the fastest. */
#include "products.h"

#include "math/panels.h"

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
    static const size_t shapes[][3] = {{1, 1, 1},      {6, 16, 8},     {11, 17, 7},
                                       {13, 150, 385}, {205, 33, 801}, {1640, 20, 9}};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int form = 0; form < 32; form += s < 4 ? 1 : 7) {
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
        cmocka_unit_test(a_row_does_not_depend_on_the_others),
        cmocka_unit_test(a_matrix_in_parts_is_the_same),
        cmocka_unit_test(what_no_memory_holds_has_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
