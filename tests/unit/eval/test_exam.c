/* What methods are given: classes and exams, seen through a method that looks at everything. */
#include "school.h"

#include <math.h>

static const collection_options plain = {.name = "examined"};

/* What the looking method saw. */
static struct {
    size_t images, calls;
    bool told; /* true training tags */
    size_t true_tags;
    double longest, shortest; /* of features */
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

static void make_class(f0t_class *class, const school *s, unsigned kinds)
{
    bool mask[C_TAGS];
    f0t_eval_tags_mask(mask, &s->tags, kinds);
    assert_ok(f0t_class_create(class, &s->tags, mask));
}

static void make_exam(f0t_exam *exam, const f0t_class *class, unsigned kinds)
{
    bool mask[C_TAGS];
    f0t_eval_tags_mask(mask, class->tags, kinds);
    assert_ok(f0t_exam_create(exam, class, F0T_TEST, mask));
}

/* How many tags numbered from … to - 1 images of a part have. */
static size_t count_tags(const f0t_dataset *dataset, f0t_split split, size_t from, size_t to)
{
    size_t sum = 0, count;
    for (size_t m = 0; m < C_IMAGES; m++) {
        const uint32_t *tags = f0t_dataset_image_tags(dataset, m, &count);
        for (size_t i = 0; i < count && f0t_dataset_split(dataset)[m] == (uint8_t)split; i++)
            sum += tags[i] >= from && tags[i] < to;
    }
    return sum;
}

static void a_class_has_the_annotations_of_its_tags_alone(void **state)
{
    school s = school_open(&plain, NULL);
    f0t_class class;
    (void)state;
    make_class(&class, &s, F0T_TAG_SEEN);
    const f0t_task *task = &class.task;
    assert_int_equal(task->tags, C_SEEN);
    assert_int_equal(task->train.count, f0t_dataset_split_count(s.dataset, F0T_TRAIN));
    assert_int_equal(task->train.offsets[task->train.count],
                     count_tags(s.dataset, F0T_TRAIN, 0, C_SEEN));
    assert_int_equal(task->val.offsets[task->val.count], count_tags(s.dataset, F0T_VAL, 0, C_SEEN));
    for (size_t i = 0; i < C_TAGS; i++)
        assert_int_equal(class.place[i], i < C_SEEN ? i : F0T_NO_SAMPLE_TAG);
    assert_memory_equal(task->vectors, f0t_vocab_vectors(s.tags.vocab),
                        C_SEEN * C_DIM * sizeof(float));
    f0t_class_free(&class);
    school_close(&s);
}

static void an_exam_has_the_answers_and_says_which_tags_are_known(void **state)
{
    school s = school_open(&plain, NULL);
    f0t_class class;
    f0t_exam exam;
    (void)state;
    make_class(&class, &s, F0T_TAG_SEEN);
    make_exam(&exam, &class, F0T_TAG_SEEN | F0T_TAG_UNSEEN);
    assert_int_equal(exam.count, C_TAGS);
    for (size_t i = 0; i < C_TAGS; i++)
        assert_int_equal(exam.known[i], i < C_SEEN ? i : F0T_NO_SAMPLE_TAG);
    f0t_exam_free(&exam);
    make_exam(&exam, &class, F0T_TAG_UNSEEN);
    assert_int_equal(exam.count, C_TAGS - C_SEEN);
    assert_int_equal(exam.tags[0], C_SEEN);
    assert_int_equal(exam.known[0], F0T_NO_SAMPLE_TAG);
    assert_int_equal(exam.answers.offsets[exam.answers.count],
                     count_tags(s.dataset, F0T_TEST, C_SEEN, C_TAGS));
    f0t_exam_free(&exam);
    f0t_class_free(&class);
    school_close(&s);
}

static void only_the_oracle_is_told_true_tags(void **state)
{
    school s = school_open(&plain, NULL);
    f0t_class class;
    f0t_exam exam;
    double miap, again;
    (void)state;
    make_class(&class, &s, F0T_TAG_SEEN);
    make_exam(&exam, &class, F0T_TAG_UNSEEN);
    for (int oracle = 0; oracle < 2; oracle++) {
        f0t_ranker looker = {.score = look, .oracle = oracle, .whole = oracle};
        f0t_candidate candidate = {&looker, &class.task, NULL};
        memset(&seen, 0, sizeof seen);
        seen.shortest = 9;
        assert_ok(f0t_exam_miap(oracle ? &again : &miap, &exam, &candidate));
        assert_int_equal(seen.told, oracle);
        assert_int_equal(seen.true_tags, oracle ? count_tags(s.dataset, F0T_TEST, 0, C_SEEN) : 0);
        assert_int_equal(seen.images, C_IMAGES / 5);
        assert_true(fabs(seen.longest - 1) < 1e-5 && fabs(seen.shortest - 1) < 1e-5);
    }
    assert_true(miap > 0 && miap < 1 && miap == again);
    f0t_exam_free(&exam);
    f0t_class_free(&class);
    school_close(&s);
}

static f0t_status make_both(void *context)
{
    const school *s = context;
    bool mask[C_TAGS];
    f0t_class class;
    f0t_exam exam;
    f0t_eval_tags_mask(mask, &s->tags, F0T_TAG_SEEN);
    f0t_status status = f0t_class_create(&class, &s->tags, mask);
    if (status != F0T_OK)
        return status;
    status = f0t_exam_create(&exam, &class, F0T_VAL, mask);
    if (status == F0T_OK)
        f0t_exam_free(&exam);
    f0t_class_free(&class);
    return status;
}

static void missing_memory_is_told(void **state)
{
    school s = school_open(&plain, NULL);
    (void)state;
    test_each_fault(F0T_FAULT_ALLOC, make_both, &s);
    school_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_has_the_annotations_of_its_tags_alone),
        cmocka_unit_test(an_exam_has_the_answers_and_says_which_tags_are_known),
        cmocka_unit_test(only_the_oracle_is_told_true_tags),
        cmocka_unit_test(missing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
