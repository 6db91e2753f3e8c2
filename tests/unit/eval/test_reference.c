/* Frequency and neighbours beside a model. */
#include "../model/collection.h"
#include "rankings.h"

#include "fast0tag_tools.h"

#include <math.h>

typedef struct reference_case {
    f0t_dataset *dataset;
    f0t_vectors *vectors;
    f0t_model *model;
    f0t_train_options options;
} reference_case;

static void open_case_of(reference_case *c, const collection_options *how, f0t_method method)
{
    collection files = collection_create(how);
    c->options = (f0t_train_options)F0T_TRAIN_OPTIONS;
    c->options.method = method;
    if (method == F0T_METHOD_LINEAR)
        c->options.lambda = c->options.ridge = 1;
    else
        c->options.epochs = 2;
    assert_ok(f0t_dataset_open(&c->dataset, files.path, NULL, NULL));
    assert_ok(f0t_vectors_open(&c->vectors, files.vectors, NULL, NULL));
    assert_ok(f0t_train(&c->model, c->dataset, c->vectors, &c->options, NULL));
}

static void open_case(reference_case *c, const collection_options *how)
{
    open_case_of(c, how, F0T_METHOD_LINEAR);
}

static void close_case(reference_case *c)
{
    f0t_model_free(c->model);
    f0t_vectors_close(c->vectors);
    f0t_dataset_close(c->dataset);
}

/* A tag's place in the vocabulary, which is where training put it, or F0T_NONE. */
static size_t place_of(const reference_case *c, uint32_t tag)
{
    size_t count, place = F0T_NONE;
    const uint32_t *seen = f0t_dataset_seen(&count, c->dataset);
    for (size_t i = 0; i < count; i++)
        if (seen[i] == tag)
            assert_ok(f0t_vocab_find(&place, f0t_model_vocab(c->model),
                                     f0t_dataset_tag(c->dataset, tag)));
    return place;
}

/* The average precision of a list for image m; below 0 where it has no tag, or all. */
static double precision_of(const reference_case *c, size_t m, const double *scores, size_t tags)
{
    float list[C_TAGS];
    bool relevant[C_TAGS] = {false};
    size_t count, found = 0;
    const uint32_t *own = f0t_dataset_image_tags(&count, c->dataset, m);
    for (size_t t = 0; t < tags; t++)
        list[t] = (float)scores[t];
    for (size_t i = 0; i < count; i++)
        if (place_of(c, own[i]) != F0T_NONE) {
            relevant[place_of(c, own[i])] = true;
            found++;
        }
    return found < tags ? slow_precision(list, relevant, tags, 1) : -1;
}

static void add_tags(double *counts, const reference_case *c, size_t image)
{
    size_t count;
    const uint32_t *own = f0t_dataset_image_tags(&count, c->dataset, image);
    for (size_t i = 0; i < count; i++)
        if (place_of(c, own[i]) != F0T_NONE)
            counts[place_of(c, own[i])] += 1;
}

static void count_tags(const reference_case *c, double *counts)
{
    const uint8_t *split = f0t_dataset_split(c->dataset);
    for (size_t m = 0; m < f0t_dataset_image_count(c->dataset); m++)
        if (split[m] == F0T_TRAIN)
            add_tags(counts, c, m);
}

static void frequency_is_as_counted_and_the_model_is_ahead(void **state)
{
    reference_case c;
    f0t_reference found;
    double counts[C_TAGS] = {0}, sum = 0;
    size_t ranked = 0;
    (void)state;
    open_case(&c, &(collection_options){.name = "plain"});
    assert_ok(f0t_reference_measure(&found, c.model, c.dataset, &c.options, NULL));
    const size_t tags = f0t_vocab_count(f0t_model_vocab(c.model));
    count_tags(&c, counts);
    for (size_t m = 0; m < f0t_dataset_image_count(c.dataset); m++) {
        const double precision =
            f0t_dataset_split(c.dataset)[m] == F0T_VAL ? precision_of(&c, m, counts, tags) : -1;
        sum += precision >= 0 ? precision : 0;
        ranked += precision >= 0;
    }
    assert_int_equal(found.images, ranked);
    assert_true(fabs(found.frequency - 100 * sum / (double)ranked) < 1e-6);
    assert_true(found.model > found.frequency + 5);
    assert_true(found.neighbours > found.frequency + 5);
    assert_true(strstr(f0t_model_training(c.model), "validation_miap") != NULL);
    close_case(&c);
}

/* A blend of few images holds out each fifth of all in turn: so does what it is compared with. */
static void a_blend_is_compared_on_the_images_that_it_held_out(void **state)
{
    enum { FOLDS = 5 };
    reference_case c;
    f0t_reference found;
    size_t order[C_IMAGES], all = 0, ranked = 0;
    double sum = 0;
    (void)state;
    open_case_of(&c, &(collection_options){.name = "folds"}, F0T_METHOD_BLEND);
    assert_ok(f0t_reference_measure(&found, c.model, c.dataset, &c.options, NULL));
    for (int part = F0T_TRAIN; part <= F0T_VAL; part++)
        for (size_t m = 0; m < f0t_dataset_image_count(c.dataset); m++)
            if (f0t_dataset_split(c.dataset)[m] == part)
                order[all++] = m;
    assert_true(all < C_IMAGES); /* the others are for testing */
    for (size_t i = 0; i < all; i++) {
        double counts[C_TAGS] = {0};
        for (size_t j = 0; j < all; j++)
            if (j % FOLDS != i % FOLDS)
                add_tags(counts, &c, order[j]);
        const double precision =
            precision_of(&c, order[i], counts, f0t_vocab_count(f0t_model_vocab(c.model)));
        sum += precision >= 0 ? precision : 0;
        ranked += precision >= 0;
    }
    assert_int_equal(found.images, ranked);
    assert_true(fabs(found.frequency - 100 * sum / (double)ranked) < 1e-6);
    assert_true(found.neighbours > found.frequency + 5 && found.neighbours < 99);
    close_case(&c);
}

/* All features are the same: neighbours know no more than frequency does, and nor does the model. */
static void features_that_say_nothing_make_neighbours_a_list(void **state)
{
    reference_case c;
    f0t_reference found;
    (void)state;
    open_case(&c, &(collection_options){.name = "alike", .alike = true});
    assert_ok(f0t_reference_measure(&found, c.model, c.dataset, &c.options, NULL));
    assert_true(found.neighbours <= found.frequency + 5);
    close_case(&c);
}

static void without_validation_there_is_nothing_to_say(void **state)
{
    reference_case c;
    f0t_reference found;
    (void)state;
    open_case(&c, &(collection_options){.name = "none", .no_validation = true});
    assert_ok(f0t_reference_measure(&found, c.model, c.dataset, &c.options, NULL));
    assert_int_equal(found.images, 0);
    assert_true(isnan(found.model) && isnan(found.frequency) && isnan(found.neighbours));
    close_case(&c);
}

static f0t_status measure(void *context)
{
    const reference_case *c = context;
    f0t_reference found;
    return f0t_reference_measure(&found, c->model, c->dataset, &c->options, NULL);
}

static void every_allocation_may_fail(void **state)
{
    reference_case c;
    (void)state;
    open_case(&c, &(collection_options){.name = "faults"});
    test_each_fault(F0T_FAULT_ALLOC, measure, &c);
    close_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequency_is_as_counted_and_the_model_is_ahead),
        cmocka_unit_test(a_blend_is_compared_on_the_images_that_it_held_out),
        cmocka_unit_test(features_that_say_nothing_make_neighbours_a_list),
        cmocka_unit_test(without_validation_there_is_nothing_to_say),
        cmocka_unit_test(every_allocation_may_fail),
    };
    test_threads(1); /* faults come in one order */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
