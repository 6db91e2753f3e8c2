/* What all methods keep to, whatever the data. */
#include "answers.h"

#include <math.h>

/* The true training tags of the test images, and how common tags are: for the oracles. */
static f0t_samples tell(question *q, const small_task *t)
{
    static const size_t images[C_TAGS];
    q->tags.images = images;
    f0t_samples told;
    uint32_t number[C_TAGS];
    for (uint32_t i = 0; i < C_TAGS; i++)
        number[i] = i < t->task.tags ? i : F0T_NO_SAMPLE_TAG;
    assert_ok(f0t_samples_create(&told, t->dataset, F0T_TEST, number, t->task.tags, true));
    q->queries.offsets = told.offsets;
    q->queries.relevant = told.relevant;
    return told;
}

/* Centred, such features have no variance at all. */
static void features_that_are_all_the_same_are_no_failure(void **state)
{
    static const size_t sizes[] = {C_FEATURES, C_FEATURES_MOST};
    (void)state;
    for (size_t s = 0; s < 2; s++)
        for (size_t r = 0; f0t_rankers[r]; r++) {
            small_task t;
            question q;
            double knobs[F0T_KNOBS_MAX];
            const f0t_ranker *ranker = f0t_rankers[r];
            task_open(&t,
                      &(collection_options){.name = "alike", .alike = true, .features = sizes[s]},
                      C_SEEN);
            t.task.epochs = 1;
            question_open(&q, &t, 0, C_SEEN);
            f0t_samples told = tell(&q, &t);
            first_knobs(knobs, ranker);
            f0t_status status = answer(&q, ranker, &t.task, knobs);
            if (status != F0T_OK)
                fail_msg("%s: %s", ranker->name, f0t_last_error());
            for (size_t i = 0; i < q.images.count * C_SEEN; i++)
                assert_true(isfinite(q.scores[i]));
            f0t_samples_free(&told);
            question_close(&q);
            task_close(&t);
        }
}

/* OpenBLAS may sum in another order for another number of threads; all else keeps its bytes. */
static void threads_change_no_score_by_more_than_rounding(void **state)
{
    static const f0t_ranker *const rankers[] = {
        &f0t_ranker_cca,    &f0t_ranker_fasttag,       &f0t_ranker_tagprop, &f0t_ranker_seen2unseen,
        &f0t_ranker_fu2015, &f0t_ranker_fu2015_direct, &f0t_ranker_ranksvm};
    (void)state;
    for (size_t r = 0; r < sizeof rankers / sizeof *rankers; r++) {
        small_task t;
        question one, two;
        double knobs[F0T_KNOBS_MAX], most = 0, size = 0;
        task_open(&t, &(collection_options){.name = "threads", .features = C_FEATURES_MOST},
                  C_SEEN);
        question_open(&one, &t, 0, C_SEEN);
        question_open(&two, &t, 0, C_SEEN);
        f0t_samples told = tell(&one, &t);
        two.queries = one.queries;
        first_knobs(knobs, rankers[r]);
        test_threads(1);
        assert_ok(answer(&one, rankers[r], &t.task, knobs));
        test_threads(2);
        assert_ok(answer(&two, rankers[r], &t.task, knobs));
        for (size_t i = 0; i < one.images.count * C_SEEN; i++) {
            most = fmax(most, fabs((double)one.scores[i] - (double)two.scores[i]));
            size = fmax(size, fabs((double)one.scores[i]));
        }
        assert_true(most <= 1e-4 * size);
        f0t_samples_free(&told);
        question_close(&one);
        question_close(&two);
        task_close(&t);
    }
    test_threads(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_that_are_all_the_same_are_no_failure),
        cmocka_unit_test(threads_change_no_score_by_more_than_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
