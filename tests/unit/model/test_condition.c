#include "collection.h"

#include "base/alloc.h"
#include "model/condition.h"
#include "model/samples.h"

#include <math.h>

/* The training samples of the small collection, over all tags. */
static void open_samples(f0t_dataset **dataset, f0t_samples *train, bool all)
{
    collection c = collection_create(&(collection_options){.name = "plain"});
    uint32_t number[C_TAGS];
    for (uint32_t t = 0; t < C_TAGS; t++)
        number[t] = C_TAGS - 1 - t; /* another order than the dataset's */
    number[3] = F0T_NO_SAMPLE_TAG;
    number[4] = number[5]; /* two tags that are one */
    assert_ok(f0t_dataset_open(dataset, c.path, NULL, NULL));
    assert_ok(f0t_samples_create(train, *dataset, F0T_TRAIN, number, C_TAGS, all));
}

static void samples_have_the_tags_of_their_images(void **state)
{
    f0t_dataset *dataset;
    f0t_samples train;
    (void)state;
    open_samples(&dataset, &train, true);
    assert_int_equal(train.count, f0t_dataset_split_count(dataset, F0T_TRAIN));
    for (size_t i = 0; i < train.count; i++) {
        size_t count, found = 0;
        bool there[C_TAGS] = {false};
        const uint32_t *tags = f0t_dataset_image_tags(&count, dataset, train.images[i]);
        for (size_t k = 0; k < count; k++)
            if (tags[k] != 3)
                there[C_TAGS - 1 - (tags[k] == 4 ? 5 : tags[k])] = true;
        for (size_t k = train.offsets[i]; k < train.offsets[i + 1]; k++) {
            assert_true(there[train.relevant[k]]);
            assert_true(k == train.offsets[i] || train.relevant[k] > train.relevant[k - 1]);
            found++;
        }
        for (size_t t = 0; t < C_TAGS; t++)
            found -= there[t];
        assert_int_equal(found, 0);
    }
    f0t_samples_free(&train);
    f0t_dataset_close(dataset);
}

static void an_epoch_is_a_permutation_of_its_own(void **state)
{
    enum { N = 1000 };
    uint32_t a[N], b[N];
    bool there[N] = {false};
    (void)state;
    f0t_samples_shuffle(a, N, 1, 0);
    f0t_samples_shuffle(b, N, 1, 0);
    assert_memory_equal(a, b, sizeof a);
    f0t_samples_shuffle(b, N, 1, 1);
    assert_memory_not_equal(a, b, sizeof a);
    for (size_t i = 0; i < N; i++) {
        assert_false(there[a[i]]);
        there[a[i]] = true;
    }
}

/* So many that threads share them. */
static void many_rows_are_conditioned_as_each_alone(void **state)
{
    enum { ROWS = 5000 };
    f0t_dataset *dataset;
    f0t_samples train;
    f0t_condition c;
    float *all, *each;
    (void)state;
    open_samples(&dataset, &train, false);
    assert_ok(f0t_condition_create(&c, F0T_CONDITION_SCALE, dataset, &train, NULL));
    assert_ok(f0t_alloc(&all, (size_t)ROWS * C_FEATURES, sizeof *all));
    assert_ok(f0t_alloc(&each, (size_t)ROWS * C_FEATURES, sizeof *each));
    for (size_t k = 0; k < (size_t)ROWS * C_FEATURES; k++)
        all[k] = each[k] = (float)(k % 97) - 40;
    f0t_condition_apply(all, &c, ROWS);
    for (size_t r = 0; r < ROWS; r++)
        f0t_condition_apply(each + r * C_FEATURES, &c, 1);
    assert_memory_equal(all, each, (size_t)ROWS * C_FEATURES * sizeof *all);
    f0t_free(all);
    f0t_free(each);
    f0t_condition_free(&c);
    f0t_samples_free(&train);
    f0t_dataset_close(dataset);
}

static void features_get_the_length_that_was_asked_for(void **state)
{
    f0t_dataset *dataset;
    f0t_samples train;
    const double lengths[] = {1, 4}; /* 1, and the root of 16 features */
    (void)state;
    open_samples(&dataset, &train, false);
    for (int kind = F0T_CONDITION_UNIT; kind <= F0T_CONDITION_SCALE; kind++) {
        f0t_condition c;
        float x[C_FEATURES];
        double square = 0;
        assert_ok(f0t_condition_create(&c, (f0t_condition_kind)kind, dataset, &train, NULL));
        assert_ok(f0t_condition_gather(x, &c, dataset, train.images + 7, 1));
        for (size_t j = 0; j < C_FEATURES; j++)
            square += (double)x[j] * (double)x[j];
        assert_true(fabs(sqrt(square) - lengths[kind - F0T_CONDITION_UNIT]) < 1e-5);
        f0t_condition_free(&c);
    }
    f0t_samples_free(&train);
    f0t_dataset_close(dataset);
}

static void standardised_features_have_mean_0_and_variance_1(void **state)
{
    f0t_dataset *dataset;
    f0t_samples train;
    f0t_condition c;
    float *x;
    (void)state;
    open_samples(&dataset, &train, false);
    assert_ok(f0t_condition_create(&c, F0T_CONDITION_STANDARD, dataset, &train, NULL));
    assert_ok(f0t_alloc(&x, train.count * C_FEATURES, sizeof *x));
    assert_ok(f0t_condition_gather(x, &c, dataset, train.images, train.count));
    for (size_t j = 0; j < C_FEATURES; j++) {
        double sum = 0, square = 0, n = (double)train.count;
        for (size_t i = 0; i < train.count; i++) {
            sum += (double)x[i * C_FEATURES + j];
            square += (double)x[i * C_FEATURES + j] * (double)x[i * C_FEATURES + j];
        }
        assert_true(fabs(sum / n) < 1e-4);
        assert_true(fabs(square / n - 1) < 1e-3);
    }
    f0t_free(x);
    f0t_condition_free(&c);
    f0t_samples_free(&train);
    f0t_dataset_close(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_have_the_tags_of_their_images),
        cmocka_unit_test(an_epoch_is_a_permutation_of_its_own),
        cmocka_unit_test(many_rows_are_conditioned_as_each_alone),
        cmocka_unit_test(features_get_the_length_that_was_asked_for),
        cmocka_unit_test(standardised_features_have_mean_0_and_variance_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
