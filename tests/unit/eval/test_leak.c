/*
 * No annotation of an unseen tag reaches a method. The unseen tags of the training and validation
 * images are given to other images, or taken away: every method that is tested must give the same scores,
 * byte for byte, in every trial and in every test of zero-shot and seen-unseen.
 */
#include "fixture.h"

#include <math.h>

#include <zlib.h>

/* A method that is watched: its scores make a checksum. */
static struct {
    const f0t_ranker *inner;
    uLong sum;
    size_t calls;
} watched;

static f0t_status watch(float *scores, const void *fitted, const f0t_task *task,
                        const f0t_candidates *tags, const f0t_queries *queries)
{
    f0t_status status = watched.inner->score(scores, fitted, task, tags, queries);
    watched.sum =
        crc32_z(watched.sum, (const void *)scores, queries->count * tags->count * sizeof *scores);
    watched.calls++;
    return status;
}

static uLong sum_of_scores(const collection_options *o, const f0t_ranker *ranker)
{
    static const size_t cutoffs[] = {3};
    fixture s = fixture_open_with_tags(o, NULL);
    f0t_eval_protocol protocol;
    f0t_eval_cell cells[F0T_SCENARIOS];
    f0t_ranker spy = *ranker;
    f0t_eval_protocol_options options = {
        .trials = 4, .budget = INFINITY, .epochs = 4, .cutoffs = cutoffs, .cutoff_count = 1};
    bool asked[F0T_SCENARIOS] = {[F0T_ZERO_SHOT] = true, [F0T_SEEN_UNSEEN] = true};
    memset(cells, 0, sizeof cells);
    watched.inner = ranker;
    watched.sum = crc32(0, NULL, 0);
    watched.calls = 0;
    spy.score = watch;
    for (int set = F0T_LEARN_SEEN; set <= F0T_LEARN_FOR_BOTH; set++) {
        assert_ok(f0t_eval_protocol_create(&protocol, (f0t_training_set)set, &s.tags, asked, 0));
        assert_ok(f0t_eval_protocol_run(cells, &protocol, &spy, &options));
        f0t_eval_protocol_free(&protocol);
    }
    for (int i = 0; i < F0T_SCENARIOS; i++)
        f0t_eval_cell_free(&cells[i]);
    fixture_close(&s);
    return watched.sum;
}

static void no_method_sees_an_unseen_tag(void **state)
{
    static const collection_options plain = {.name = "as-it-is"};
    static const collection_options moved = {.name = "moved", .shuffle_unseen = true};
    size_t played = 0;
    (void)state;
    for (const f0t_ranker *const *r = f0t_rankers; *r; r++) {
        uLong want = sum_of_scores(&plain, *r);
        size_t calls = watched.calls;
        /* That which is told how common unseen tags are shows that the test can fail. */
        if ((sum_of_scores(&moved, *r) != want) != (*r)->told || watched.calls != calls)
            fail_msg("%s: its scores change with the annotations of unseen tags", (*r)->name);
        assert_int_equal(calls == 0, (*r)->closed);
        played += calls > 0;
    }
    assert_true(played >= 3);
}

/* The test can fail: a method that is told, through the oracle's door, would show. */
static void what_depends_on_seen_tags_does_show(void **state)
{
    static const collection_options plain = {.name = "with-tags"};
    static const collection_options bare = {.name = "without-validation", .no_validation = true};
    const f0t_ranker *linear;
    (void)state;
    assert_ok(f0t_ranker_find(&linear, "linear"));
    assert_true(sum_of_scores(&plain, linear) != sum_of_scores(&bare, linear));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_method_sees_an_unseen_tag),
        cmocka_unit_test(what_depends_on_seen_tags_does_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
