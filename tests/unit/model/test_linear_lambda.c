/* λ of many ranking SVMs is chosen by some of the images. */
#include "support.h"

#include "base/random.h"
#include "model/linear.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rules are few, so that it takes no time: of the many tags only the first have images. */
enum {
    TRAIN = 2400,
    VAL = 40,
    IMAGES = TRAIN + VAL,
    USED = 10,
    MOST = 4800,
    FEATURES = 12,
    DIM = 4
};

typedef struct many_case {
    size_t tags;
    float *vectors, *features;
    f0t_dataset *dataset;
    f0t_condition unit;
    f0t_samples train, val;
    f0t_train_data data;
    size_t solved[4], stages; /* ranking SVMs of each call of the solver */
} many_case;

static void on_progress(void *user, const f0t_progress *p)
{
    many_case *c = user;
    if (strcmp(p->stage, "solving ranking SVMs") || p->done != p->total)
        return;
    assert_true(c->stages < 4);
    c->solved[c->stages++] = (size_t)p->total;
}

static f0t_dataset *make_dataset(const many_case *c)
{
    static size_t offsets[IMAGES + 1];
    static uint32_t indices[IMAGES];
    static uint8_t split[IMAGES];
    static char names[MOST][24];
    static const char *tags[MOST];
    f0t_dataset_arrays arrays = F0T_DATASET_ARRAYS;
    f0t_dataset *dataset;
    for (size_t m = 0; m < IMAGES; m++) {
        offsets[m + 1] = m + 1;
        indices[m] = (uint32_t)(m * 7 / 5 % USED);
        split[m] = m < TRAIN ? F0T_TRAIN : F0T_VAL;
    }
    for (size_t t = 0; t < c->tags; t++) {
        snprintf(names[t], sizeof names[t], "t%zu", t);
        tags[t] = names[t];
    }
    arrays.images = IMAGES;
    arrays.features = c->features;
    arrays.dim = FEATURES;
    arrays.tags = tags;
    arrays.tag_count = c->tags;
    arrays.offsets = offsets;
    arrays.indices = indices;
    arrays.split = split;
    assert_ok(f0t_dataset_open_arrays(&dataset, &arrays, NULL, NULL));
    return dataset;
}

static void open_case(many_case *c, size_t tags)
{
    const f0t_random random = {5, 0};
    uint32_t number[MOST];
    *c = (many_case){.tags = tags};
    c->vectors = calloc(tags * DIM, sizeof *c->vectors);
    c->features = calloc((size_t)IMAGES * FEATURES, sizeof *c->features);
    assert_true(c->vectors && c->features);
    for (size_t i = 0; i < tags * DIM; i++)
        c->vectors[i] = (float)f0t_random_uniform(&random, i) - 0.5f;
    for (size_t i = 0; i < IMAGES * FEATURES; i++)
        c->features[i] = (float)f0t_random_uniform(&random, MOST * DIM + i) +
                         (float)(i / FEATURES * 7 / 5 % USED == i % FEATURES);
    for (uint32_t t = 0; t < tags; t++)
        number[t] = t;
    c->dataset = make_dataset(c);
    assert_ok(f0t_samples_create(&c->train, c->dataset, F0T_TRAIN, number, tags, false));
    assert_ok(f0t_samples_create(&c->val, c->dataset, F0T_VAL, number, tags, true));
    assert_ok(f0t_condition_create(&c->unit, F0T_CONDITION_UNIT, c->dataset, &c->train, NULL));
    c->data = (f0t_train_data){.dataset = c->dataset,
                               .condition = &c->unit,
                               .train = &c->train,
                               .val = &c->val,
                               .tags = c->vectors,
                               .dim = DIM};
}

static void close_case(many_case *c)
{
    f0t_samples_free(&c->train);
    f0t_samples_free(&c->val);
    f0t_condition_free(&c->unit);
    f0t_dataset_close(c->dataset);
    free(c->vectors);
    free(c->features);
}

/* The map of a fit, [DIM x FEATURES]. */
static f0t_linear_choice fit_map(float *map, many_case *c, double lambda)
{
    const f0t_net_shape shape = {.inputs = FEATURES, .outputs = DIM};
    const f0t_monitor monitor = {.progress = on_progress, .user = c};
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    f0t_linear_choice choice;
    f0t_net *net;
    options.lambda = lambda;
    c->stages = 0;
    assert_ok(f0t_net_create(&net, f0t_compute_current(), &shape, F0T_F32));
    assert_ok(f0t_linear_fit(&choice, net, &c->data, &options, &monitor));
    assert_ok(f0t_net_array_get(map, net, 0));
    f0t_net_free(net);
    return choice;
}

static void some_images_choose_and_all_are_learned_from(void **state)
{
    float chosen[DIM * FEATURES], given[DIM * FEATURES];
    many_case c;
    (void)state;
    open_case(&c, MOST);
    const f0t_linear_choice choice = fit_map(chosen, &c, F0T_AUTO);
    assert_int_equal(c.stages, 2);
    assert_int_equal(c.solved[0], USED * F0T_LINEAR_LAMBDAS);
    assert_int_equal(c.solved[1], USED);
    const f0t_linear_choice again = fit_map(given, &c, choice.lambda);
    assert_int_equal(c.stages, 1);
    assert_true(again.ridge == choice.ridge && again.miap == choice.miap);
    assert_memory_equal(chosen, given, sizeof given);
    close_case(&c);
}

static void with_fewer_tags_all_images_choose(void **state)
{
    float map[DIM * FEATURES];
    many_case c;
    (void)state;
    open_case(&c, MOST / 4);
    (void)fit_map(map, &c, F0T_AUTO);
    assert_int_equal(c.stages, 1);
    assert_int_equal(c.solved[0], USED * F0T_LINEAR_LAMBDAS);
    close_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_images_choose_and_all_are_learned_from),
        cmocka_unit_test(with_fewer_tags_all_images_choose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
