#include "nets.h"

/* The loss of these tests: Σ (s - target)² / (2 rows) over the scores. */
typedef struct task {
    const net_case *c;
    f0t_net *net;
    f0t_step *step;
    float *x, *tags, *target;
    f0t_step_options options;
} task;

static task make_task(const net_case *c, f0t_dtype precision, const f0t_step_options *options)
{
    task t = {.c = c, .options = *options};
    t.net = make_net(&c->shape, precision, 31);
    t.x = make_floats(c->rows * c->shape.inputs, 1);
    t.tags = make_floats(c->tags * c->shape.outputs, 2);
    t.target = make_floats(c->rows * c->tags, 3);
    t.options.batch = c->rows;
    t.options.tags = t.tags;
    t.options.tag_count = c->tags;
    assert_ok(f0t_step_create(&t.step, t.net, &t.options));
    return t;
}

static void free_task(task *t)
{
    f0t_step_free(t->step);
    f0t_net_free(t->net);
    f0t_free(t->x);
    f0t_free(t->tags);
    f0t_free(t->target);
}

static void run_step(task *t, size_t rows, double rate)
{
    float *gradient = floats_of(f0t_step_gradient(t->step));
    assert_ok(f0t_step_forward(t->step, t->x, rows, 0));
    for (size_t i = 0; i < rows * t->c->tags; i++)
        gradient[i] = (floats_of(f0t_step_scores(t->step))[i] - t->target[i]) / (float)rows;
    assert_ok(step_back(t->step, rate));
}

/* The same step in double. */
static void run_reference(const task *t, f0t_net_ref *ref, uint64_t count, size_t rows, double rate)
{
    const f0t_net_shape *shape = &t->c->shape;
    size_t d = shape->outputs, tags = t->c->tags;
    double *x = make_doubles(t->x, rows * shape->inputs);
    f0t_batch_ref batch = {.x = x, .rows = rows};
    double *factors[F0T_NET_HIDDEN_MAX + 1] = {NULL};
    for (size_t l = 0; l < f0t_net_shape_layers(shape); l++) {
        size_t n = rows * f0t_net_shape_inputs(shape, l);
        f0t_dropout dropout = f0t_dropout_make(
            l ? t->options.hidden_dropout : t->options.input_dropout, t->options.seed, count, l);
        assert_ok(f0t_alloc(&factors[l], n, sizeof(double)));
        f0t_dropout_factors_ref(factors[l], n, &dropout);
        batch.factors[l] = factors[l];
    }
    double *f = NULL, *df = NULL;
    assert_ok(f0t_alloc(&f, rows * d, sizeof(double)));
    assert_ok(f0t_alloc_zero(&df, rows * d, sizeof(double)));
    assert_ok(f0t_net_ref_forward(ref, f, &batch));
    for (size_t i = 0; i < rows * tags; i++) {
        const float *tag = t->tags + i % tags * d;
        double ds = -(double)t->target[i];
        for (size_t j = 0; j < d; j++)
            ds += f[i / tags * d + j] * (double)tag[j];
        for (size_t j = 0; j < d; j++)
            df[i / tags * d + j] += ds / (double)rows * (double)tag[j];
    }
    assert_ok(f0t_net_ref_backward(ref, df, &batch));
    f0t_net_ref_update(ref, &t->options.optimizer, count + 1, rate);
    for (size_t l = 0; l <= F0T_NET_HIDDEN_MAX; l++)
        f0t_free(factors[l]);
    f0t_free(f);
    f0t_free(df);
    f0t_free(x);
}

/* Distance of what array i has moved by from what the reference's has moved by. */
static double moved_apart(const task *t, const f0t_net_ref *ref, const f0t_net_ref *start, size_t i)
{
    float *now = make_floats(ref->size[i], 0);
    double *want = NULL;
    assert_ok(f0t_alloc(&want, ref->size[i], sizeof(double)));
    assert_ok(f0t_net_array_get(now, t->net, i));
    for (size_t j = 0; j < ref->size[i]; j++) {
        want[j] = ref->w[i][j] - start->w[i][j];
        now[j] = (float)((double)now[j] - start->w[i][j]);
    }
    double distance = relative_distance(now, want, ref->size[i]);
    f0t_free(now);
    f0t_free(want);
    return distance;
}

static void check_steps(const net_case *c, f0t_dtype precision, const f0t_step_options *options,
                        uint64_t steps, double tolerance)
{
    task t = make_task(c, precision, options);
    f0t_net_ref *ref = NULL, *start = NULL;
    assert_ok(f0t_net_ref_create(&ref, t.net));
    assert_ok(f0t_net_ref_create(&start, t.net));
    for (uint64_t step = 0; step < steps; step++) {
        size_t rows = step == 1 ? (c->rows + 1) / 2 : c->rows;
        run_step(&t, rows, 0.01);
        run_reference(&t, ref, step, rows, 0.01);
    }
    assert_int_equal(f0t_step_count(t.step), steps);
    for (size_t i = 0; i < ref->count; i++) {
        double distance = moved_apart(&t, ref, start, i);
        if (!(distance < tolerance))
            fail_msg("%zu rows, %zu inputs, %s: off by %g", c->rows, c->shape.inputs,
                     f0t_net_array(t.net, i).name, distance);
    }
    f0t_net_ref_free(ref);
    f0t_net_ref_free(start);
    free_task(&t);
}

static f0t_step_options plain_sgd(void)
{
    f0t_step_options options = {.optimizer = f0t_optimizer_default(F0T_OPTIMIZER_SGD), .seed = 9};
    options.optimizer.decay = 0.01;
    return options;
}

static f0t_step_options with_dropout(f0t_step_options options)
{
    options.input_dropout = 0.2;
    options.hidden_dropout = 0.3;
    return options;
}

/* Where a gradient is tiny, Adam divides rounding errors by it: a larger epsilon keeps them small.
 */
static f0t_step_options calm_adam(void)
{
    f0t_step_options options = {.optimizer = f0t_optimizer_default(F0T_OPTIMIZER_ADAM), .seed = 9};
    options.optimizer.epsilon = 0.01;
    options.optimizer.decay = 0.01;
    return options;
}

static void steps_match_the_reference(void **state)
{
    f0t_step_options sgd = plain_sgd(), adam = calm_adam();
    (void)state;
    for (size_t i = 0; i < case_count(); i++) {
        check_steps(&odd_cases[i], F0T_F32, &sgd, 3, 1e-3);
        check_steps(&odd_cases[i], F0T_F32, &adam, 3, 1e-3);
    }
}

static void steps_with_dropout_match_the_reference(void **state)
{
    f0t_step_options sgd = with_dropout(plain_sgd()), adam = with_dropout(calm_adam());
    (void)state;
    for (size_t i = 0; i < case_count(); i++) {
        check_steps(&odd_cases[i], F0T_F32, &sgd, 3, 1e-3);
        check_steps(&odd_cases[i], F0T_F32, &adam, 3, 1e-3);
    }
}

static void large_steps_match_the_reference(void **state)
{
    net_case large = {513, 40, {515, 2, {1030, 513}, 30, true}};
    f0t_step_options options = with_dropout(plain_sgd());
    (void)state;
    if (small_only())
        return;
    check_steps(&large, F0T_F32, &options, 1, 1e-3);
}

/* Where rounding moves a unit across 0, ReLU turns its whole gradient on or off: with a share p of
 * such units the gradient is off by about sqrt(p). Without hidden layers only rounding is left. */
static void steps_in_bfloat16_are_near_the_reference(void **state)
{
    f0t_step_options sgd = with_dropout(plain_sgd());
    (void)state;
    for (size_t i = 4; i < case_count(); i++)
        check_steps(&odd_cases[i], F0T_BF16, &sgd, 1, odd_cases[i].shape.hidden_count ? 0.1 : 0.01);
}

/* ---- Slower hidden layers ------------------------------------------------------------------------
 */

/* How far array i of the net has moved from `start`. */
static double moved(const task *t, const f0t_net_ref *start, size_t i)
{
    const f0t_model_array array = f0t_net_array(t->net, i);
    const size_t n = array.rows * array.cols;
    float *now = malloc(n * sizeof *now);
    double sum = 0;
    assert_non_null(now);
    assert_ok(f0t_net_array_get(now, t->net, i));
    for (size_t k = 0; k < n; k++)
        sum += pow((double)now[k] - start->w[i][k], 2);
    free(now);
    return sqrt(sum);
}

/* One step from the same weights: hidden layers go that share of the way, the last layer all of it. */
static void hidden_layers_may_learn_slower(void **state)
{
    const net_case *c = &odd_cases[case_count() - 1];
    const double slower[] = {0, 0.75, 1};
    double way[3][2 * F0T_NET_LAYERS_MAX] = {{0}};
    size_t arrays = 0;
    (void)state;
    assert_true(c->shape.hidden_count > 0);
    for (size_t s = 0; s < 3; s++) {
        f0t_step_options options = calm_adam();
        options.hidden_slower = slower[s];
        task t = make_task(c, F0T_F32, &options);
        f0t_net_ref *start = NULL;
        assert_ok(f0t_net_ref_create(&start, t.net));
        run_step(&t, c->rows, 0.01);
        arrays = f0t_net_array_count(t.net);
        for (size_t i = 0; i < arrays; i++)
            way[s][i] = moved(&t, start, i);
        f0t_net_ref_free(start);
        free_task(&t);
    }
    const size_t hidden = arrays / (c->shape.hidden_count + 1) * c->shape.hidden_count;
    for (size_t i = 0; i < arrays; i++) {
        assert_true(way[0][i] > 0);
        assert_true(fabs(way[1][i] / way[0][i] - (i < hidden ? 0.25 : 1)) < 0.01);
        assert_true(i < hidden ? way[2][i] == 0 : way[2][i] == way[0][i]);
    }
}

/* ---- What stays the same ------------------------------------------------------------------------
 */

/* All arrays of a step, one after the other. */
static float *copy_state(const f0t_step *step, size_t *total)
{
    float *all = NULL;
    size_t capacity = 0;
    *total = 0;
    for (size_t i = 0; i < f0t_step_array_count(step); i++) {
        f0t_model_array array = f0t_step_array(step, i);
        size_t n = array.rows * array.cols;
        assert_ok(f0t_grow(&all, &capacity, *total, n, sizeof *all));
        assert_ok(f0t_step_array_get(all + *total, step, i));
        *total += n;
    }
    return all;
}

static void set_state(f0t_step *step, const float *all)
{
    for (size_t i = 0; i < f0t_step_array_count(step); i++) {
        f0t_model_array array = f0t_step_array(step, i);
        assert_ok(f0t_step_array_set(step, i, all));
        all += array.rows * array.cols;
    }
}

static float *state_after(const net_case *c, f0t_dtype precision, int threads, size_t *total)
{
    f0t_step_options options = with_dropout(calm_adam());
    test_threads(threads);
    task t = make_task(c, precision, &options);
    for (int i = 0; i < 3; i++)
        run_step(&t, c->rows, 0.01);
    float *all = copy_state(t.step, total);
    free_task(&t);
    test_threads(0);
    return all;
}

static void check_same_bytes(const net_case *c, f0t_dtype precision, int one, int other)
{
    size_t n, m;
    float *a = state_after(c, precision, one, &n), *b = state_after(c, precision, other, &m);
    assert_int_equal(n, m);
    for (size_t i = 0; i < n; i++)
        if (memcmp(a + i, b + i, sizeof *a))
            fail_msg("%d and %d threads, %s, %zu rows: number %zu of %zu is %.9g and %.9g", one,
                     other, f0t_dtype_name(precision), c->rows, i, n, (double)a[i], (double)b[i]);
    f0t_free(a);
    f0t_free(b);
}

static void the_same_seed_and_threads_give_the_same_bytes(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        check_same_bytes(&odd_cases[ODD_CASES - 1], F0T_F32, threads, threads);
        check_same_bytes(&odd_cases[ODD_CASES - 1], F0T_BF16, threads, threads);
    }
}

/* Holds for oneDNN's AVX-512 kernels, which share out rows and columns. Its older ones may share out
 * a sum, by the number of threads: docs/performance.md. */
static void one_and_two_threads_give_the_same_bytes(void **state)
{
    net_case large = {513, 40, {515, 2, {1030, 513}, 30, true}};
    (void)state;
    if (!f0t_matmul_has_bf16())
        test_skip("no AVX512_BF16 here");
    for (size_t i = 0; i < case_count(); i++) {
        check_same_bytes(&odd_cases[i], F0T_F32, 1, 2);
        check_same_bytes(&odd_cases[i], F0T_BF16, 1, 2);
    }
    if (small_only())
        return;
    check_same_bytes(&large, F0T_F32, 1, 2);
    check_same_bytes(&large, F0T_BF16, 1, 2);
    check_same_bytes(&large, F0T_F32, 1, 5);
}

static void check_resume(f0t_dtype precision, f0t_step_options options)
{
    const net_case *c = &odd_cases[6];
    size_t n, m, saved_size;
    options = with_dropout(options);
    task first = make_task(c, precision, &options), second = make_task(c, precision, &options);
    for (int i = 0; i < 2; i++)
        run_step(&first, c->rows, 0.01);
    float *saved = copy_state(first.step, &saved_size);
    uint64_t count = f0t_step_count(first.step);
    run_step(&second, c->rows, 0.3);
    set_state(second.step, saved);
    f0t_step_set_count(second.step, count);
    for (int i = 0; i < 2; i++) {
        run_step(&first, c->rows, 0.01);
        run_step(&second, c->rows, 0.01);
    }
    float *a = copy_state(first.step, &n), *b = copy_state(second.step, &m);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n * sizeof *a);
    f0t_free(saved);
    f0t_free(a);
    f0t_free(b);
    free_task(&first);
    free_task(&second);
}

static void a_restored_state_goes_on_bit_for_bit(void **state)
{
    (void)state;
    check_resume(F0T_F32, calm_adam());
    check_resume(F0T_BF16, calm_adam());
    check_resume(F0T_F32, plain_sgd());
}

static void the_state_names_weights_and_moments(void **state)
{
    f0t_step_options adam = calm_adam(), sgd = plain_sgd();
    (void)state;
    task t = make_task(&odd_cases[1], F0T_F32, &adam);
    assert_int_equal(f0t_step_array_count(t.step), 18);
    assert_string_equal(f0t_step_array(t.step, 0).name, "layer0.weight");
    assert_string_equal(f0t_step_array(t.step, 6).name, "layer0.weight.m");
    assert_string_equal(f0t_step_array(t.step, 7).name, "layer0.weight.v");
    assert_string_equal(f0t_step_array(t.step, 17).name, "layer2.bias.v");
    free_task(&t);
    t = make_task(&odd_cases[4], F0T_F32, &sgd);
    assert_int_equal(f0t_step_array_count(t.step), 2);
    assert_string_equal(f0t_step_array(t.step, 1).name, "layer0.weight.m");
    free_task(&t);
}

static void outputs_without_dropout_are_those_of_apply(void **state)
{
    const net_case *c = &odd_cases[6];
    f0t_step_options options = plain_sgd();
    const size_t n = c->rows * c->shape.outputs;
    f0t_net *net = make_net(&c->shape, F0T_F32, 1);
    f0t_step *step = NULL;
    float *x = make_floats(c->rows * c->shape.inputs, 1), *f = make_floats(n, 1);
    (void)state;
    options.batch = c->rows;
    assert_ok(f0t_step_create(&step, net, &options));
    assert_ok(f0t_step_forward(step, x, c->rows, 0));
    memcpy(floats_of(f0t_step_gradient(step)), f, n * sizeof *f);
    assert_ok(step_back(step, 0.01));
    assert_ok(f0t_net_apply(f, net, x, c->rows));
    assert_ok(f0t_step_forward(step, x, c->rows, 0));
    assert_memory_equal(f, floats_of(f0t_step_scores(step)), n * sizeof *f);
    f0t_step_free(step);
    f0t_net_free(net);
    f0t_free(x);
    f0t_free(f);
}

/* ---- Parts of a mini-batch --------------------------------------------------------------------- */

/* Forward and gradients of the rows [first, first + rows), dS being given; the gradients of all arrays are
 * added to sums. */
static void add_part(task *t, double *sums, const float *dscores, size_t first, size_t rows)
{
    const size_t D = t->net->shape.inputs, T = t->options.tag_count;
    size_t at = 0;
    assert_ok(f0t_step_forward(t->step, t->x + first * D, rows, first));
    memcpy(floats_of(f0t_step_gradient(t->step)), dscores + first * T, rows * T * sizeof *dscores);
    assert_ok(f0t_step_gradients(t->step));
    for (size_t i = 0; i < f0t_net_array_count(t->net); i++) {
        const f0t_model_array array = f0t_net_array(t->net, i);
        const size_t n = array.rows * array.cols;
        float *gradient = make_floats(n, 1);
        assert_ok(f0t_step_gradient_get(gradient, t->step, i));
        for (size_t k = 0; k < n; k++)
            sums[at + k] += (double)gradient[k];
        f0t_free(gradient);
        at += n;
    }
}

static void check_parts(const net_case *c, f0t_dtype precision, double tolerance)
{
    f0t_step_options options = with_dropout(plain_sgd());
    task t = make_task(c, precision, &options);
    float *dscores = make_floats(c->rows * c->tags, 5);
    double whole[40000] = {0}, parts[40000] = {0}, far = 0, size = 0;
    add_part(&t, whole, dscores, 0, c->rows);
    for (size_t first = 0, rows = 1; first < c->rows; first += rows, rows = 2 * rows + 1)
        add_part(&t, parts, dscores, first, c->rows - first < rows ? c->rows - first : rows);
    for (size_t i = 0; i < 40000; i++) {
        far += (whole[i] - parts[i]) * (whole[i] - parts[i]);
        size += whole[i] * whole[i];
    }
    assert_true(size > 0 && sqrt(far / size) < tolerance);
    f0t_free(dscores);
    free_task(&t);
}

/* Rows are numbered as the whole has them: the same masks, so the same sums, but for their order. */
static void a_divided_batch_gives_the_same_gradients(void **state)
{
    (void)state;
    check_parts(&odd_cases[5], F0T_F32, 1e-6);
    check_parts(&odd_cases[6], F0T_F32, 1e-6);
    check_parts(&odd_cases[6], F0T_BF16, 1e-2);
}

static void gradients_of_outputs_train_without_tags(void **state)
{
    const net_case *c = &odd_cases[6];
    f0t_step_options options = plain_sgd();
    f0t_net *net = make_net(&c->shape, F0T_F32, 1);
    f0t_step *step = NULL;
    float *x = make_floats(c->rows * c->shape.inputs, 1);
    double first = 0, last = 0;
    size_t n = c->rows * c->shape.outputs;
    (void)state;
    options.batch = c->rows;
    assert_ok(f0t_step_create(&step, net, &options));
    for (int i = 0; i < 60; i++) {
        assert_ok(f0t_step_forward(step, x, c->rows, 0));
        float *gradient = floats_of(f0t_step_gradient(step));
        last = 0;
        for (size_t j = 0; j < n; j++) {
            gradient[j] = (floats_of(f0t_step_scores(step))[j] - 1) / (float)n;
            last += (double)(gradient[j] * gradient[j]);
        }
        first = i ? first : last;
        assert_ok(step_back(step, 0.05));
    }
    assert_true(last < 0.3 * first);
    f0t_step_free(step);
    f0t_net_free(net);
    f0t_free(x);
}

/* ---- Wrong uses ---------------------------------------------------------------------------------
 */

static void wrong_options_are_refused(void **state)
{
    f0t_net_shape shape = {2, 0, {0}, 2, true};
    f0t_net *net = make_net(&shape, F0T_F32, 1);
    f0t_step *step;
    float tags[4] = {1, 2, 3, 4};
    f0t_step_options good = {.batch = 4,
                             .tags = tags,
                             .tag_count = 2,
                             .optimizer = f0t_optimizer_default(F0T_OPTIMIZER_ADAM)};
    f0t_step_options bad = good;
    (void)state;
    bad.batch = 0;
    assert_fails(F0T_ERROR_ARGUMENT, "a mini-batch needs at least one image",
                 f0t_step_create(&step, net, &bad));
    bad.batch = SIZE_MAX / 4;
    assert_fails(F0T_ERROR_ARGUMENT, " images is too large", f0t_step_create(&step, net, &bad));
    bad = good;
    bad.tag_count = 0;
    assert_fails(F0T_ERROR_ARGUMENT, "there are no tags to train on",
                 f0t_step_create(&step, net, &bad));
    bad = good;
    bad.input_dropout = 1;
    assert_fails(F0T_ERROR_ARGUMENT,
                 "the dropout of the inputs is 1: it must be at least 0 and below 1",
                 f0t_step_create(&step, net, &bad));
    bad = good;
    bad.hidden_dropout = (double)NAN;
    assert_fails(F0T_ERROR_ARGUMENT, "hidden layers", f0t_step_create(&step, net, &bad));
    bad = good;
    bad.hidden_slower = 1.5;
    assert_fails(F0T_ERROR_ARGUMENT,
                 "hidden layers learn slower by 1.5: it must be at least 0 and at most 1",
                 f0t_step_create(&step, net, &bad));
    bad = good;
    bad.optimizer.beta1 = 2;
    assert_fails(F0T_ERROR_ARGUMENT, "first decay rate", f0t_step_create(&step, net, &bad));
    assert_null(step);
    f0t_net_free(net);
}

static void wrong_calls_are_refused(void **state)
{
    f0t_step_options options = plain_sgd();
    task t = make_task(&odd_cases[4], F0T_F32, &options);
    float *gradient = floats_of(f0t_step_gradient(t.step));
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "a backward pass needs a forward pass before it",
                 step_back(t.step, 0.1));
    assert_fails(F0T_ERROR_ARGUMENT, "a mini-batch of 4 images: it may have 1 to 3",
                 f0t_step_forward(t.step, t.x, 4, 0));
    assert_fails(F0T_ERROR_ARGUMENT, "1 to 3", f0t_step_forward(t.step, t.x, 0, 0));
    assert_ok(f0t_step_forward(t.step, t.x, 3, 0));
    memset(gradient, 0, 3 * 17 * sizeof *gradient);
    assert_ok(f0t_step_gradients(t.step));
    assert_fails(F0T_ERROR_ARGUMENT, "the learning rate is nan: it must not be negative",
                 f0t_step_apply(t.step, (double)NAN));
    assert_ok(f0t_step_apply(t.step, 0.1));
    assert_fails(F0T_ERROR_ARGUMENT, "there are no gradients to apply",
                 f0t_step_apply(t.step, 0.1));
    assert_fails(F0T_ERROR_ARGUMENT, "forward", step_back(t.step, 0.1));
    free_task(&t);
}

static f0t_status create_and_run(void *context)
{
    const net_case *c = &odd_cases[5];
    f0t_net *net = context;
    f0t_step *step = NULL;
    static const float tags[33 * 12] = {1}, x[2 * 31] = {1};
    f0t_step_options options = {.batch = 2,
                                .tags = tags,
                                .tag_count = c->tags,
                                .hidden_dropout = 0.5,
                                .optimizer = f0t_optimizer_default(F0T_OPTIMIZER_ADAM)};
    f0t_matmul_clear();
    f0t_status status = f0t_step_create(&step, net, &options);
    if (status == F0T_OK)
        status = f0t_step_forward(step, x, 2, 0);
    if (status == F0T_OK)
        status = step_back(step, 0.1);
    f0t_step_free(step);
    return status;
}

static void every_failed_allocation_is_reported(void **state)
{
    f0t_net *net = make_net(&odd_cases[5].shape, F0T_BF16, 1);
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, create_and_run, net);
    f0t_net_free(net);
}

static void steps_after_the_first_allocate_nothing(void **state)
{
    f0t_step_options options = with_dropout(calm_adam());
    (void)state;
    for (int precision = 0; precision < 2; precision++) {
        task t = make_task(&odd_cases[7], precision ? F0T_BF16 : F0T_F32, &options);
        run_step(&t, t.c->rows, 0.01);
        run_step(&t, t.c->rows, 0.01);
        f0t_fault_set(F0T_FAULT_ALLOC, 0);
        uint64_t before = f0t_fault_count(F0T_FAULT_ALLOC);
        run_step(&t, t.c->rows, 0.01);
        assert_int_equal(f0t_fault_count(F0T_FAULT_ALLOC), before);
        free_task(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_match_the_reference),
        cmocka_unit_test(steps_with_dropout_match_the_reference),
        cmocka_unit_test(hidden_layers_may_learn_slower),
        cmocka_unit_test(large_steps_match_the_reference),
        cmocka_unit_test(steps_in_bfloat16_are_near_the_reference),
        cmocka_unit_test(the_same_seed_and_threads_give_the_same_bytes),
        cmocka_unit_test(one_and_two_threads_give_the_same_bytes),
        cmocka_unit_test(a_restored_state_goes_on_bit_for_bit),
        cmocka_unit_test(the_state_names_weights_and_moments),
        cmocka_unit_test(outputs_without_dropout_are_those_of_apply),
        cmocka_unit_test(gradients_of_outputs_train_without_tags),
        cmocka_unit_test(a_divided_batch_gives_the_same_gradients),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(every_failed_allocation_is_reported),
        cmocka_unit_test(steps_after_the_first_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
