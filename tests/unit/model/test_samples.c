/* Samples cut, joined and renumbered. That they have the tags of their images is tested with the condition. */
#include "support.h"

#include "model/samples.h"

#include <string.h>

enum { N = 23, T = 7 };

/* Image i, numbered 100 + i, has i % T tags: i % 3, i % 3 + 1, … below T. */
typedef struct made {
    uint32_t images[N], relevant[N * T];
    size_t offsets[N + 1];
    f0t_samples samples;
} made;

static f0t_samples *make(made *m)
{
    m->offsets[0] = 0;
    for (size_t i = 0; i < N; i++) {
        size_t at = m->offsets[i];
        m->images[i] = (uint32_t)(100 + i);
        for (size_t k = 0; k < i % T; k++)
            if (i % 3 + k < T)
                m->relevant[at++] = (uint32_t)(i % 3 + k);
        m->offsets[i + 1] = at;
    }
    m->samples = (f0t_samples){N, T, m->images, m->offsets, m->relevant};
    return &m->samples;
}

static void assert_same_sample(const f0t_samples *a, size_t i, const f0t_samples *b, size_t j)
{
    const size_t count = a->offsets[i + 1] - a->offsets[i];
    assert_int_equal(a->images[i], b->images[j]);
    assert_int_equal(count, b->offsets[j + 1] - b->offsets[j]);
    assert_memory_equal(a->relevant + a->offsets[i], b->relevant + b->offsets[j],
                        count * sizeof *a->relevant);
}

static void joined_samples_are_those_of_both(void **state)
{
    made m;
    const f0t_samples *all = make(&m);
    const f0t_samples none = {.tags = T, .offsets = (size_t[]){0}};
    f0t_samples joined;
    (void)state;
    assert_ok(f0t_samples_join(&joined, all, all));
    assert_int_equal(joined.count, 2 * N);
    assert_int_equal(joined.tags, T);
    for (size_t i = 0; i < 2 * N; i++)
        assert_same_sample(&joined, i, all, i % N);
    f0t_samples_free(&joined);
    assert_ok(f0t_samples_join(&joined, &none, all));
    assert_int_equal(joined.count, N);
    assert_same_sample(&joined, N - 1, all, N - 1);
    f0t_samples_free(&joined);
    assert_ok(f0t_samples_join(&joined, &none, &none));
    assert_int_equal(joined.count, 0);
    assert_int_equal(joined.offsets[0], 0);
    f0t_samples_free(&joined);
}

static void folds_part_the_samples(void **state)
{
    made m;
    const f0t_samples *all = make(&m);
    (void)state;
    for (size_t folds = 1; folds < N + 3; folds++) {
        size_t seen = 0;
        for (size_t fold = 0; fold < folds; fold++) {
            f0t_samples in, out;
            assert_ok(f0t_samples_fold(&in, all, fold, folds, true));
            assert_ok(f0t_samples_fold(&out, all, fold, folds, false));
            assert_int_equal(in.count + out.count, N);
            for (size_t i = 0; i < in.count; i++)
                assert_same_sample(&in, i, all, fold + i * folds);
            for (size_t i = 0, at = 0; i < N; i++)
                if (i % folds != fold)
                    assert_same_sample(&out, at++, all, i);
            seen += in.count;
            f0t_samples_free(&in);
            f0t_samples_free(&out);
        }
        assert_int_equal(seen, N);
    }
}

static void thinned_samples_are_evenly_spaced(void **state)
{
    made m;
    const f0t_samples *all = make(&m);
    (void)state;
    for (size_t most = 0; most < N + 5; most++) {
        f0t_samples thin;
        size_t place = 0;
        assert_ok(f0t_samples_thin(&thin, all, most));
        assert_int_equal(thin.count, most < N ? most : N);
        for (size_t i = 0; i < thin.count; i++) {
            const size_t before = place;
            place = thin.images[i] - 100;
            assert_same_sample(&thin, i, all, place);
            if (i == 0)
                assert_int_equal(place, 0);
            else
                assert_true(place - before == N / thin.count ||
                            place - before == (N + thin.count - 1) / thin.count);
        }
        if (thin.count) /* also to the end */
            assert_true(N - place <= (N + thin.count - 1) / thin.count);
        f0t_samples_free(&thin);
    }
}

static void retagged_samples_have_the_tags_that_are_left(void **state)
{
    const uint32_t place[T] = {2, F0T_NO_SAMPLE_TAG, 0, 1, F0T_NO_SAMPLE_TAG, F0T_NO_SAMPLE_TAG, 3};
    made m;
    const f0t_samples *all = make(&m);
    f0t_samples out;
    (void)state;
    assert_ok(f0t_samples_retag(&out, all, place, 4));
    assert_int_equal(out.count, N);
    assert_int_equal(out.tags, 4);
    for (size_t i = 0; i < N; i++) {
        size_t at = out.offsets[i];
        assert_int_equal(out.images[i], all->images[i]);
        for (size_t k = all->offsets[i]; k < all->offsets[i + 1]; k++)
            if (place[all->relevant[k]] != F0T_NO_SAMPLE_TAG)
                assert_int_equal(out.relevant[at++], place[all->relevant[k]]);
        assert_int_equal(at, out.offsets[i + 1]);
    }
    f0t_samples_free(&out);
}

static void picked_samples_make_a_pair(void **state)
{
    made m;
    f0t_samples *all = make(&m), out;
    size_t at = 0;
    (void)state;
    all->tags = 5; /* some have them all */
    assert_ok(f0t_samples_pick(&out, all, true));
    assert_int_equal(out.count, N);
    f0t_samples_free(&out);
    assert_ok(f0t_samples_pick(&out, all, false));
    for (size_t i = 0; i < N; i++) {
        const size_t count = all->offsets[i + 1] - all->offsets[i];
        if (count != 0 && count != 5)
            assert_same_sample(&out, at++, all, i);
    }
    assert_int_equal(out.count, at);
    assert_true(at > 5 && at < N - 4);
    f0t_samples_free(&out);
}

static f0t_status run_all(void *context)
{
    const uint32_t place[T] = {0};
    const f0t_samples *all = context;
    f0t_samples out[5] = {0};
    f0t_status status = f0t_samples_join(&out[0], all, all);
    if (status == F0T_OK)
        status = f0t_samples_fold(&out[1], all, 0, 2, true);
    if (status == F0T_OK)
        status = f0t_samples_thin(&out[2], all, 4);
    if (status == F0T_OK)
        status = f0t_samples_retag(&out[3], all, place, 1);
    if (status == F0T_OK)
        status = f0t_samples_pick(&out[4], all, false);
    for (size_t i = 0; i < 5; i++)
        f0t_samples_free(&out[i]);
    return status;
}

static void untagged_images_are_dropped(void **state)
{
    f0t_dataset_memory memory = F0T_DATASET_MEMORY;
    const f0t_dataset_options none = {.size = sizeof none};
    const uint32_t number[] = {0, F0T_NO_SAMPLE_TAG, 1};
    f0t_dataset *dataset;
    f0t_samples s;
    (void)state;
    memory.tags = "\na\tb\n\n\nb\nc\n\n";
    assert_ok(f0t_dataset_open_memory(&dataset, &memory, &none, NULL));
    assert_ok(f0t_samples_create(&s, dataset, F0T_TRAIN, number, 2, true));
    assert_int_equal(s.count, 7);
    assert_int_equal(f0t_samples_drop_untagged(&s, dataset), 4);
    assert_int_equal(s.count, 3);
    assert_memory_equal(s.images, ((uint32_t[]){1, 4, 5}), 3 * sizeof *s.images);
    assert_memory_equal(s.offsets, ((size_t[]){0, 1, 1, 2}), 4 * sizeof *s.offsets);
    assert_memory_equal(s.relevant, ((uint32_t[]){0, 1}), 2 * sizeof *s.relevant);
    assert_int_equal(f0t_samples_drop_untagged(&s, dataset), 0);
    assert_int_equal(s.count, 3);
    f0t_samples_free(&s);
    f0t_dataset_close(dataset);
}

static void every_allocation_may_fail(void **state)
{
    made m;
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, run_all, make(&m));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_samples_are_those_of_both),
        cmocka_unit_test(folds_part_the_samples),
        cmocka_unit_test(thinned_samples_are_evenly_spaced),
        cmocka_unit_test(retagged_samples_have_the_tags_that_are_left),
        cmocka_unit_test(picked_samples_make_a_pair),
        cmocka_unit_test(untagged_images_are_dropped),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
