/* What methods are given: tasks and splits, seen through a method that looks at everything. */
#include "fixture.h"

#include <math.h>

static const collection_options plain = {.name = "split"};

/* What the looking method saw. */
static struct {
    size_t images, calls;
    bool told;                 /* true training tags */
    size_t true_tags, counted; /* counted: images that have the ranked tags */
    double longest, shortest;  /* of features */
} seen;

static f0t_status look(float *scores, const void *fitted, const f0t_task *task,
                       const f0t_candidates *tags, const f0t_queries *queries)
{
    size_t dim = f0t_task_features(task);
    (void)fitted;
    seen.calls++;
    seen.images += queries->count;
    seen.told = queries->relevant != NULL;
    if (seen.told)
        seen.true_tags += queries->offsets[queries->count];
    seen.counted = 0;
    for (size_t t = 0; tags->images && t < tags->count; t++)
        seen.counted += tags->images[t];
    for (size_t m = 0; m < queries->count; m++) {
        double square = 0;
        for (size_t j = 0; j < dim; j++)
            square +=
                (double)queries->features[m * dim + j] * (double)queries->features[m * dim + j];
        seen.longest = fmax(seen.longest, square);
        seen.shortest = fmin(seen.shortest, square);
        for (size_t t = 0; t < tags->count; t++)
            scores[m * tags->count + t] = queries->features[m * dim + t % dim];
    }
    return F0T_OK;
}

static void make_task(f0t_eval_task *task, const fixture *s, unsigned kinds)
{
    bool mask[C_TAGS];
    f0t_eval_tags_mask(mask, &s->tags, kinds);
    assert_ok(f0t_eval_task_create(task, &s->tags, mask));
}

static void make_split(f0t_eval_split *split, const f0t_eval_task *task, unsigned kinds)
{
    bool mask[C_TAGS];
    f0t_eval_tags_mask(mask, task->tags, kinds);
    assert_ok(f0t_eval_split_create(split, task, F0T_TEST, mask));
}

static f0t_status add_miap(void *user, size_t first, const f0t_ranking *block)
{
    (void)first;
    return f0t_miap_add(user, block);
}

static f0t_status miap_of(double *miap, const f0t_eval_split *split, const f0t_eval_fit *fit)
{
    f0t_miap sum = {0};
    F0T_TRY(f0t_eval_split_score(NULL, split, fit, add_miap, &sum));
    *miap = f0t_miap_get(&sum);
    return F0T_OK;
}

/* How many tags numbered from … to - 1 images of a part have. */
static size_t count_tags(const f0t_dataset *dataset, f0t_split split, size_t from, size_t to)
{
    size_t sum = 0, count;
    for (size_t m = 0; m < C_IMAGES; m++) {
        const uint32_t *tags = f0t_dataset_image_tags(&count, dataset, m);
        for (size_t i = 0; i < count && f0t_dataset_split(dataset)[m] == (uint8_t)split; i++)
            sum += tags[i] >= from && tags[i] < to;
    }
    return sum;
}

static void a_task_has_the_annotations_of_its_tags_alone(void **state)
{
    fixture s = fixture_open_with_tags(&plain, NULL);
    f0t_eval_task task;
    (void)state;
    make_task(&task, &s, F0T_TAG_SEEN);
    const f0t_task *base = &task.base;
    assert_int_equal(base->tags, C_SEEN);
    assert_int_equal(base->train.count, f0t_dataset_split_count(s.dataset, F0T_TRAIN));
    assert_int_equal(base->train.offsets[base->train.count],
                     count_tags(s.dataset, F0T_TRAIN, 0, C_SEEN));
    assert_int_equal(base->val.offsets[base->val.count], count_tags(s.dataset, F0T_VAL, 0, C_SEEN));
    for (size_t i = 0; i < C_TAGS; i++)
        assert_int_equal(task.place[i], i < C_SEEN ? i : F0T_NO_SAMPLE_TAG);
    assert_memory_equal(base->vectors, f0t_vocab_vectors(s.tags.vocab),
                        C_SEEN * C_DIM * sizeof(float));
    f0t_eval_task_free(&task);
    fixture_close(&s);
}

static void a_split_has_the_truth_and_says_which_tags_are_known(void **state)
{
    fixture s = fixture_open_with_tags(&plain, NULL);
    f0t_eval_task task;
    f0t_eval_split split;
    (void)state;
    make_task(&task, &s, F0T_TAG_SEEN);
    make_split(&split, &task, F0T_TAG_SEEN | F0T_TAG_UNSEEN);
    assert_int_equal(split.count, C_TAGS);
    for (size_t i = 0; i < C_TAGS; i++)
        assert_int_equal(split.known[i], i < C_SEEN ? i : F0T_NO_SAMPLE_TAG);
    f0t_eval_split_free(&split);
    make_split(&split, &task, F0T_TAG_UNSEEN);
    assert_int_equal(split.count, C_TAGS - C_SEEN);
    assert_int_equal(split.tags[0], C_SEEN);
    assert_int_equal(split.known[0], F0T_NO_SAMPLE_TAG);
    assert_int_equal(split.truth.offsets[split.truth.count],
                     count_tags(s.dataset, F0T_TEST, C_SEEN, C_TAGS));
    f0t_eval_split_free(&split);
    f0t_eval_task_free(&task);
    fixture_close(&s);
}

static void only_the_oracle_is_told_true_tags(void **state)
{
    fixture s = fixture_open_with_tags(&plain, NULL);
    f0t_eval_task task;
    f0t_eval_split split;
    double miap = 0, again = 0;
    (void)state;
    make_task(&task, &s, F0T_TAG_SEEN);
    make_split(&split, &task, F0T_TAG_UNSEEN);
    for (int oracle = 0; oracle < 2; oracle++) {
        f0t_ranker looker = {.score = look, .oracle = oracle, .whole = oracle};
        f0t_eval_fit fit = {&looker, &task.base, NULL};
        memset(&seen, 0, sizeof seen);
        seen.shortest = 9;
        assert_ok(miap_of(oracle ? &again : &miap, &split, &fit));
        assert_int_equal(seen.told, oracle);
        assert_int_equal(seen.true_tags, oracle ? count_tags(s.dataset, F0T_TEST, 0, C_SEEN) : 0);
        assert_int_equal(seen.images, C_IMAGES / 5);
        assert_true(fabs(seen.longest - 1) < 1e-5 && fabs(seen.shortest - 1) < 1e-5);
    }
    assert_true(miap > 0 && miap < 1 && miap == again);
    f0t_eval_split_free(&split);
    f0t_eval_task_free(&task);
    fixture_close(&s);
}

/* Given and asked tags are an image's tags; given ones come last in every ranking, whatever their score. */
static void half_of_the_tags_are_given_and_the_others_looked_for(void **state)
{
    fixture s = fixture_open_with_tags(&plain, NULL);
    f0t_eval_task task;
    f0t_eval_split whole, split, other;
    size_t differ = 0;
    double miap;
    (void)state;
    make_task(&task, &s, F0T_TAG_SEEN | F0T_TAG_UNSEEN);
    make_split(&whole, &task, F0T_TAG_SEEN | F0T_TAG_UNSEEN);
    make_split(&split, &task, F0T_TAG_SEEN | F0T_TAG_UNSEEN);
    make_split(&other, &task, F0T_TAG_SEEN | F0T_TAG_UNSEEN);
    assert_ok(f0t_eval_split_complete(&split, 1));
    assert_ok(f0t_eval_split_complete(&other, 2));
    for (size_t m = 0; m < whole.truth.count; m++) {
        bool found[C_TAGS] = {false};
        const size_t all = whole.truth.offsets[m + 1] - whole.truth.offsets[m];
        const size_t given = split.oracle.offsets[m + 1] - split.oracle.offsets[m];
        const size_t asked = split.truth.offsets[m + 1] - split.truth.offsets[m];
        assert_int_equal(given, all / 2);
        assert_int_equal(asked, all > 1 ? all - given : 0);
        for (size_t i = 0; i < given; i++)
            found[split.oracle.relevant[split.oracle.offsets[m] + i]] = true;
        for (size_t i = 0; i < asked; i++) {
            const uint32_t tag = split.truth.relevant[split.truth.offsets[m] + i];
            assert_false(found[tag]);
            found[tag] = true;
        }
        for (size_t i = 0; all > 1 && i < all; i++)
            assert_true(found[whole.truth.relevant[whole.truth.offsets[m] + i]]);
        differ +=
            memcmp(split.oracle.relevant + split.oracle.offsets[m],
                   other.oracle.relevant + other.oracle.offsets[m], given * sizeof(uint32_t)) != 0;
    }
    assert_true(differ > 0);
    f0t_ranker looker = {.score = look, .completes = true};
    f0t_eval_fit fit = {&looker, &task.base, NULL};
    memset(&seen, 0, sizeof seen);
    assert_ok(miap_of(&miap, &split, &fit));
    assert_int_equal(seen.true_tags, split.oracle.offsets[split.oracle.count]);
    memset(&seen, 0, sizeof seen);
    assert_ok(miap_of(&miap, &whole, &fit));
    assert_int_equal(seen.told, 0);
    f0t_eval_split_free(&whole);
    f0t_eval_split_free(&split);
    f0t_eval_split_free(&other);
    f0t_eval_task_free(&task);
    fixture_close(&s);
}

/* In the ranking that is measured, given tags are behind all others. */
static f0t_status check_given_are_last(void *user, size_t first, const f0t_ranking *block)
{
    const f0t_eval_split *split = user;
    for (size_t m = 0; m < block->images; m++) {
        bool given[C_TAGS] = {false};
        const float *row = block->scores + m * block->tags;
        const f0t_samples *told = &split->oracle;
        for (size_t i = told->offsets[first + m]; i < told->offsets[first + m + 1]; i++)
            given[told->relevant[i]] = true;
        for (size_t a = 0; a < block->tags; a++)
            for (size_t b = 0; given[a] && b < block->tags; b++)
                assert_true(given[b] || row[a] < row[b]);
    }
    return F0T_OK;
}

static void given_tags_are_never_ranked_and_the_seed_says_which(void **state)
{
    fixture s = fixture_open_with_tags(&plain, NULL);
    f0t_eval_task task;
    f0t_eval_split split, again;
    (void)state;
    make_task(&task, &s, F0T_TAG_SEEN | F0T_TAG_UNSEEN);
    make_split(&split, &task, F0T_TAG_SEEN | F0T_TAG_UNSEEN);
    make_split(&again, &task, F0T_TAG_SEEN | F0T_TAG_UNSEEN);
    assert_ok(f0t_eval_split_complete(&split, 7));
    assert_ok(f0t_eval_split_complete(&again, 7));
    const size_t given = split.oracle.offsets[split.oracle.count];
    assert_int_equal(again.oracle.offsets[again.oracle.count], given);
    assert_memory_equal(split.oracle.relevant, again.oracle.relevant, given * sizeof(uint32_t));
    f0t_ranker looker = {.score = look};
    f0t_eval_fit fit = {&looker, &task.base, NULL};
    assert_ok(f0t_eval_split_score(NULL, &split, &fit, check_given_are_last, &split));
    f0t_eval_split_free(&split);
    f0t_eval_split_free(&again);
    f0t_eval_task_free(&task);
    fixture_close(&s);
}

static void who_may_know_is_told_how_common_tags_are(void **state)
{
    fixture s = fixture_open_with_tags(&plain, NULL);
    f0t_eval_task task;
    f0t_eval_split split;
    double miap;
    (void)state;
    make_task(&task, &s, F0T_TAG_SEEN);
    make_split(&split, &task, F0T_TAG_UNSEEN);
    for (int told = 0; told < 2; told++) {
        f0t_ranker looker = {.score = look, .told = told};
        f0t_eval_fit fit = {&looker, &task.base, NULL};
        assert_ok(miap_of(&miap, &split, &fit));
        assert_int_equal(seen.counted, told ? count_tags(s.dataset, F0T_TRAIN, C_SEEN, C_TAGS) : 0);
    }
    f0t_eval_split_free(&split);
    f0t_eval_task_free(&task);
    fixture_close(&s);
}

static f0t_status make_both(void *context)
{
    const fixture *s = context;
    bool mask[C_TAGS];
    f0t_eval_task task;
    f0t_eval_split split;
    f0t_eval_tags_mask(mask, &s->tags, F0T_TAG_SEEN);
    f0t_status status = f0t_eval_task_create(&task, &s->tags, mask);
    if (status != F0T_OK)
        return status;
    status = f0t_eval_split_create(&split, &task, F0T_VAL, mask);
    if (status == F0T_OK)
        f0t_eval_split_free(&split);
    f0t_eval_task_free(&task);
    return status;
}

static void missing_memory_is_told(void **state)
{
    fixture s = fixture_open_with_tags(&plain, NULL);
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, make_both, &s);
    fixture_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_has_the_annotations_of_its_tags_alone),
        cmocka_unit_test(a_split_has_the_truth_and_says_which_tags_are_known),
        cmocka_unit_test(only_the_oracle_is_told_true_tags),
        cmocka_unit_test(half_of_the_tags_are_given_and_the_others_looked_for),
        cmocka_unit_test(given_tags_are_never_ranked_and_the_seed_says_which),
        cmocka_unit_test(who_may_know_is_told_how_common_tags_are),
        cmocka_unit_test(missing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
