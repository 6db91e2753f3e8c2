#include "answers.h"

#include "baseline/fitting.h"
#include "baseline/losses.h"

static const double KNOBS[] = {4, 0.1, 1e-2, 0.2}; /* T, decay, rate, dropout */

static void it_learns_tags_and_ranks_others(void **state)
{
    (void)state;
    assert_true(miap_after(&f0t_ranker_conse, KNOBS, C_SEEN, 0, C_SEEN) > 0.6);
    assert_true(miap_after(&f0t_ranker_conse, KNOBS, C_SEEN, C_SEEN, 3) > 0.7);
    needs_no_validation(&f0t_ranker_conse, KNOBS, 0.6);
}

/* ---- The combination ----------------------------------------------------------------------- */

static f0t_status softmax(void *context, f0t_loss_result *result, float *gradient,
                          const f0t_loss_batch *batch, const uint32_t *samples)
{
    (void)context;
    (void)samples;
    return f0t_softmax_loss_run(result, gradient, batch);
}

/* The same classifier, trained here. */
static f0t_scorer *train_classifier(const f0t_task *task)
{
    const f0t_objective objective = {.host_loss = softmax};
    f0t_fitting f;
    f0t_scorer *scorer;
    f0t_train_options o = F0T_TRAIN_OPTIONS;
    o.method = F0T_METHOD_LINEAR_RANK;
    o.decay = KNOBS[1];
    o.rate = KNOBS[2];
    assert_ok(f0t_fitting_begin(&f, task, &o));
    f.data.tags = NULL;
    f.data.dim = C_SEEN;
    assert_ok(f0t_fitting_run(&f, C_SEEN, true, &objective));
    f0t_fitting_end(&scorer, &f);
    return scorer;
}

/* The cosine of a tag's vector with Σ p_t v_t over the `top` most probable tags, in double. */
static double cosine(const float *outputs, const float *vectors, const float *tag, size_t top)
{
    double direction[C_DIM] = {0}, dot = 0, square = 0;
    bool used[C_SEEN] = {false};
    for (size_t i = 0; i < top; i++) {
        size_t most = C_SEEN;
        for (size_t t = 0; t < C_SEEN; t++)
            if (!used[t] && (most == C_SEEN || outputs[t] > outputs[most]))
                most = t;
        used[most] = true;
        for (size_t k = 0; k < C_DIM; k++)
            direction[k] += exp((double)outputs[most]) * (double)vectors[most * C_DIM + k];
    }
    for (size_t k = 0; k < C_DIM; k++) {
        dot += direction[k] * (double)tag[k];
        square += direction[k] * direction[k];
    }
    return dot / sqrt(square);
}

static void check_scores(const question *q, const f0t_task *task, f0t_scorer *scorer, size_t top)
{
    for (size_t r = 0; r < q->images.count; r++) {
        float x[C_FEATURES], outputs[C_SEEN];
        memcpy(x, q->features + r * C_FEATURES, sizeof x);
        f0t_condition_apply(x, &scorer->condition, 1);
        assert_ok(f0t_net_apply(outputs, scorer->net, x, 1));
        for (size_t i = 0; i < C_TAGS; i++) {
            double want = cosine(outputs, task->vectors, q->tags.vectors + i * C_DIM, top);
            assert_true(fabs((double)q->scores[r * C_TAGS + i] - want) < 1e-4);
        }
    }
}

/* Trials share the classifier; each has the T of its own, also after a later one. */
static void scores_are_cosines_with_the_combination_of_the_first_tags(void **state)
{
    static const double tops[] = {1, 4, 1000};
    small_task t;
    question q;
    void *shared, *fitted[3];
    (void)state;
    task_open(&t, &(collection_options){.name = "convex"}, C_SEEN);
    t.task.epochs = 5;
    question_open(&q, &t, 0, C_TAGS);
    f0t_scorer *scorer = train_classifier(&t.task);
    assert_ok(f0t_ranker_conse.prepare(&shared, &t.task));
    for (size_t i = 0; i < 3; i++) {
        double knobs[] = {tops[i], KNOBS[1], KNOBS[2], KNOBS[3]};
        assert_ok(f0t_ranker_conse.fit(&fitted[i], &t.task, shared, knobs));
    }
    f0t_ranker_conse.release(shared);
    for (size_t i = 0; i < 3; i++) {
        assert_ok(f0t_ranker_conse.score(q.scores, fitted[i], &t.task, &q.tags, &q.queries));
        check_scores(&q, &t.task, scorer, tops[i] < C_SEEN ? (size_t)tops[i] : C_SEEN);
        f0t_ranker_conse.free(fitted[i]);
    }
    f0t_scorer_free(scorer);
    question_close(&q);
    task_close(&t);
}

/* A trial with other knobs, or more effort, has a classifier of its own. */
static void other_trials_train_anew(void **state)
{
    const double other[] = {4, 0.1, 1e-3, 0.2};
    small_task t;
    question fresh, shared_one;
    void *shared, *fitted;
    (void)state;
    task_open(&t, &(collection_options){.name = "anew"}, C_SEEN);
    t.task.epochs = 2;
    question_open(&fresh, &t, 0, C_TAGS);
    question_open(&shared_one, &t, 0, C_TAGS);
    assert_ok(f0t_ranker_conse.prepare(&shared, &t.task));
    assert_ok(f0t_ranker_conse.fit(&fitted, &t.task, shared, KNOBS));
    f0t_ranker_conse.free(fitted);
    for (int round = 0; round < 2; round++) {
        t.task.epochs += (size_t)round;
        assert_ok(f0t_ranker_conse.fit(&fitted, &t.task, shared, other));
        assert_ok(f0t_ranker_conse.score(shared_one.scores, fitted, &t.task, &shared_one.tags,
                                         &shared_one.queries));
        assert_ok(answer(&fresh, &f0t_ranker_conse, &t.task, other));
        assert_same_scores(&fresh, &shared_one);
        f0t_ranker_conse.free(fitted);
    }
    f0t_ranker_conse.release(shared);
    question_close(&fresh);
    question_close(&shared_one);
    task_close(&t);
}

static void its_bytes_depend_on_neither_threads_nor_blocks(void **state)
{
    (void)state;
    keeps_its_bytes(&f0t_ranker_conse, KNOBS);
}

static void failures_leak_nothing(void **state)
{
    (void)state;
    survives_faults(&f0t_ranker_conse, KNOBS);
    refuses_untagged(&f0t_ranker_conse, KNOBS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_learns_tags_and_ranks_others),
        cmocka_unit_test(scores_are_cosines_with_the_combination_of_the_first_tags),
        cmocka_unit_test(other_trials_train_anew),
        cmocka_unit_test(its_bytes_depend_on_neither_threads_nor_blocks),
        cmocka_unit_test(failures_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
