/* One tagger, used by two threads at the same time, each in a context of its own. */
#include "taggers.h"

#include <pthread.h>

enum { ROUNDS = 6, ROWS = 70 };

static f0t_tagger *tagger;
static float rows[ROWS * T_FEATURES];
static const char *paths[T_COLOURS];

static const f0t_tag_input inputs[] = {
    {.size = sizeof(f0t_tag_input), .count = ROWS, .features = rows},
    {.size = sizeof(f0t_tag_input), .count = T_COLOURS, .paths = paths}};

/* A caller: its context, and what it gets when nobody else works. */
typedef struct caller {
    f0t_context *context;
    f0t_tag_results *alone[2];
    size_t wrong;
    size_t lines; /* that its monitor was given */
    f0t_monitor monitor;
} caller;

static void count_line(void *user, f0t_log_level level, const char *line)
{
    (void)level;
    (void)line;
    ((caller *)user)->lines++;
}

static size_t differences(const f0t_tag_results *a, const f0t_tag_results *b)
{
    size_t count = a->count != b->count || a->failed != b->failed;
    for (size_t i = 0; i < a->count && !count; i++)
        for (size_t j = 0; j < a->items[i].count; j++)
            count += a->items[i].tags[j].index != b->items[i].tags[j].index ||
                     a->items[i].tags[j].score != b->items[i].tags[j].score;
    return count;
}

static void *tag(void *user)
{
    caller *c = user;
    f0t_tag_results *results;
    for (size_t i = 0; i < ROUNDS; i++) {
        if (f0t_tagger_run(&results, tagger, &inputs[i % 2], NULL, c->context) == F0T_OK)
            c->wrong += differences(c->alone[i % 2], results);
        else
            c->wrong++;
        f0t_tag_results_free(results);
    }
    return NULL;
}

static void caller_start(caller *c, int threads)
{
    f0t_context_options options = F0T_CONTEXT_OPTIONS;
    c->monitor = (f0t_monitor){.log = count_line, .user = c};
    options.threads = threads;
    options.monitor = &c->monitor;
    assert_ok(f0t_context_create(&c->context, &options));
    for (size_t i = 0; i < 2; i++)
        assert_ok(f0t_tagger_run(&c->alone[i], tagger, &inputs[i], NULL, c->context));
    c->lines = 0;
}

static void caller_end(caller *c)
{
    assert_int_equal(c->wrong, 0);
    assert_int_equal(c->lines, ROUNDS / 2); /* one bad picture per round of pictures */
    f0t_tag_results_free(c->alone[0]);
    f0t_tag_results_free(c->alone[1]);
    f0t_context_free(c->context);
}

static void two_threads_share_a_tagger(void **state)
{
    float features[T_COLOURS * T_FEATURES];
    caller callers[2] = {0};
    pthread_t threads[2];
    f0t_model *model = colour_model(false);
    (void)state;
    f0t_free(colour_features(features));
    test_random_floats(rows, ROWS * T_FEATURES, 5);
    for (size_t i = 0; i < ROWS * T_FEATURES; i++)
        rows[i] = 0.3F * rows[i] + features[i % (T_COLOURS * T_FEATURES)];
    for (size_t i = 0; i < T_COLOURS; i++)
        paths[i] = i == 1 ? test_text("bad.png", "nothing") : colour_picture(i);
    assert_ok(f0t_tagger_create(&tagger, model, NULL, NULL));
    caller_start(&callers[0], 1);
    caller_start(&callers[1], 3);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, tag, &callers[i]), 0);
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < 2; i++)
        caller_end(&callers[i]);
    f0t_tagger_close(tagger);
    f0t_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_threads_share_a_tagger)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
