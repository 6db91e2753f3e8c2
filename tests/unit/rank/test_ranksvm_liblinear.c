/* The same problems given to liblinear: the differences of all pairs as examples, every other one
 * turned around with the label −1, no bias, C = 1/λ. Its objective is ours divided by λ. */
#include "ranksvm_plain.h"

#include <linear.h>

typedef struct examples {
    struct problem problem;
    struct feature_node *nodes;
} examples;

static void say_nothing(const char *text)
{
    (void)text;
}

static examples examples_create(const plain *p)
{
    examples e = {.problem = {.l = (int)p->count, .n = (int)p->dims, .bias = -1}};
    assert_ok(f0t_alloc(&e.problem.y, p->count, sizeof *e.problem.y));
    assert_ok(f0t_alloc(&e.problem.x, p->count, sizeof *e.problem.x));
    assert_ok(f0t_alloc(&e.nodes, p->count * (p->dims + 1), sizeof *e.nodes));
    for (size_t i = 0; i < p->count; i++) {
        struct feature_node *row = e.nodes + i * (p->dims + 1);
        const double sign = i % 2 ? -1 : 1;
        for (size_t j = 0; j < p->dims; j++) {
            row[j].index = (int)j + 1;
            row[j].value = sign * p->pairs[i * p->dims + j];
        }
        row[p->dims].index = -1;
        e.problem.x[i] = row;
        e.problem.y[i] = sign;
    }
    return e;
}

static void examples_free(examples *e)
{
    f0t_free(e->problem.y);
    f0t_free(e->problem.x);
    f0t_free(e->nodes);
}

/* The objective of liblinear's solution. */
static double train_liblinear(const plain *p, const examples *e, double lambda, f0t_hinge hinge,
                              int solver)
{
    const struct parameter parameter = {
        .solver_type = solver, .C = 1 / lambda, .eps = 1e-6, .p = 0.1};
    assert_null(check_parameter(&e->problem, &parameter));
    struct model *model = train(&e->problem, &parameter);
    double w[512];
    for (size_t j = 0; j < p->dims; j++)
        w[j] = model->label[0] == 1 ? model->w[j] : -model->w[j];
    free_and_destroy_model(&model);
    return plain_objective(p, w, lambda, hinge);
}

static void check_rule(const float *vectors, size_t tags, size_t dims, size_t relevant,
                       double lambda, f0t_hinge hinge, int solver)
{
    const f0t_ranksvm_options options = {.hinge = hinge, .gap = 2e-4};
    f0t_rules *rules = plain_rules(tags, 1, relevant);
    plain p = plain_create(vectors, tags, dims, rules->relevant, relevant);
    examples e = examples_create(&p);
    f0t_ranksvm_result result;
    f0t_ranksvm *svm;
    float direction[512];
    assert_ok(f0t_ranksvm_create(&svm, vectors, tags, dims));
    assert_ok(f0t_ranksvm_solve(direction, &result, svm, rules, &lambda, 1, &options, NULL));
    const double ours = plain_objective_f32(&p, direction, lambda, hinge);
    const double theirs = train_liblinear(&p, &e, lambda, hinge, solver);
    if (!(fabs(ours - theirs) <= 1e-3 * theirs) || !(ours <= theirs * (1 + 3e-4)))
        fail_msg("%zu of %zu tags, lambda %g: %.9g, liblinear %.9g", relevant, tags, lambda, ours,
                 theirs);
    if (!(result.gap <= 2e-4))
        fail_msg("%zu of %zu tags, lambda %g: gap %g after %u rounds", relevant, tags, lambda,
                 result.gap, result.rounds);
    f0t_ranksvm_free(svm);
    f0t_rules_free(rules);
    examples_free(&e);
    plain_free(&p);
}

/* 300 tags do not fit a working set: few and many near the margin, small and large λ. */
static void check_shapes(f0t_hinge hinge, int solver)
{
    const double lambdas[] = {0.03, 1, 30, 1000};
    const size_t relevant[] = {1, 4, 15};
    float *vectors = plain_vectors(300, 24, 5);
    set_print_string_function(say_nothing);
    for (size_t i = 0; i < 3; i++)
        for (size_t l = 0; l < 4; l++)
            check_rule(vectors, 300, 24, relevant[i], lambdas[l], hinge, solver);
    f0t_free(vectors);
}

static void the_squared_hinge_agrees_with_the_primal_solver(void **state)
{
    (void)state;
    check_shapes(F0T_HINGE_SQUARED, L2R_L2LOSS_SVC);
}

static void the_squared_hinge_agrees_with_the_dual_solver(void **state)
{
    (void)state;
    check_shapes(F0T_HINGE_SQUARED, L2R_L2LOSS_SVC_DUAL);
}

static void the_hinge_agrees_with_the_dual_solver(void **state)
{
    (void)state;
    check_shapes(F0T_HINGE_PLAIN, L2R_L1LOSS_SVC_DUAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_squared_hinge_agrees_with_the_primal_solver),
        cmocka_unit_test(the_squared_hinge_agrees_with_the_dual_solver),
        cmocka_unit_test(the_hinge_agrees_with_the_dual_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
