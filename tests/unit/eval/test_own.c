/* Methods of somebody else's as methods: what they say of themselves, their scores, their programs. */
#include "fixture.h"

#include "eval/own.h"
#include "eval/scenario.h"
#include "io/file.h"
#include "io/npy.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { TESTED = C_IMAGES / 5, UNSEEN = C_TAGS - C_SEEN };

/* ---- What they are --------------------------------------------------------------------------- */

static f0t_status create(f0t_own *own, const f0t_eval_own *from)
{
    return f0t_own_create(own, from, 1, 1, 0);
}

static void a_name_is_short_and_plain(void **state)
{
    static const char *const wrong[] = {
        "",         "a b", "a/b",
        "a,b",      "all", "a\n",
        "\xC3\xA4", "a=b", "0123456789012345678901234567890123456789"};
    f0t_own own;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(F0T_ERROR_ARGUMENT, "cannot be the name of a method",
                     create(&own, &(f0t_eval_own){.name = wrong[i], .tasks = "x"}));
    assert_fails(F0T_ERROR_ARGUMENT, "cannot be the name of a method",
                 create(&own, &(f0t_eval_own){.tasks = "x"}));
    assert_ok(create(&own, &(f0t_eval_own){.name = "k-NN_2.0+", .tasks = "x"}));
    assert_string_equal(own.ranker.name, "k-NN_2.0+");
}

static void one_path_is_given(void **state)
{
    f0t_own own;
    (void)state;
    assert_fails(F0T_ERROR_ARGUMENT, "mine: one of scores, program and tasks",
                 create(&own, &(f0t_eval_own){.name = "mine"}));
    assert_fails(F0T_ERROR_ARGUMENT, "mine: one of scores, program and tasks",
                 create(&own, &(f0t_eval_own){.name = "mine", .scores = "a", .program = "b"}));
    assert_fails(F0T_ERROR_ARGUMENT, "mine: an empty path",
                 create(&own, &(f0t_eval_own){.name = "mine", .program = ""}));
    assert_fails(F0T_ERROR_NOT_FOUND, "no such file of scores",
                 create(&own, &(f0t_eval_own){.name = "mine", .scores = "/nowhere"}));
    assert_fails(F0T_ERROR_IO, "cannot be run",
                 create(&own, &(f0t_eval_own){.name = "mine", .program = "/nowhere"}));
    const f0t_eval_own file = {.name = "mine", .scores = test_text("one.npy", "")};
    assert_fails(F0T_ERROR_ARGUMENT, "has zero-shot.npy", f0t_own_create(&own, &file, 2, 1, 0));
    assert_fails(F0T_ERROR_ARGUMENT, "has run-1/zero-shot.npy",
                 f0t_own_create(&own, &file, 1, 2, 0));
}

/* ---- What a program says of itself ----------------------------------------------------------- */

static f0t_status describe(f0t_own *own, const char *json)
{
    const char *program = test_script("program", "");
    test_text("program.json", json);
    return create(own, &(f0t_eval_own){.name = "mine", .program = program});
}

static void a_program_names_its_knobs(void **state)
{
    f0t_own own;
    (void)state;
    assert_ok(describe(&own, "{\"title\": \"k-NN\", \"source\": \"a book\", \"closed\": true, "
                             "\"knobs\": {\"k\": [5, 10, 20, 50], \"rate\": [-0.5, 2e3]}, "
                             "\"first\": {\"k\": 50}}"));
    const f0t_ranker *r = &own.ranker;
    assert_string_equal(r->title, "k-NN");
    assert_string_equal(r->source, "a book");
    assert_true(r->closed && r->whole && r->knob_count == 2);
    assert_string_equal(r->knobs[0].name, "k");
    assert_int_equal(r->knobs[0].count, 4);
    assert_int_equal(r->knobs[0].first, 3);
    assert_true(r->knobs[1].values[1] == 2000 && r->knobs[1].first == 0);
    assert_ok(describe(&own, "{}"));
    assert_true(own.ranker.knob_count == 0 && !own.ranker.closed);
    assert_string_equal(own.ranker.title, "mine");
    assert_int_equal(own.timeout, 3600);
}

static void what_it_says_wrongly_is_refused(void **state)
{
    static const char *const wrong[][2] = {
        {"[]", "program.json"},
        {"{\"nob\": 1}", "program.json"},
        {"{\"title\": 1}", "\"title\" must be"},
        {"{\"closed\": 1}", "\"closed\" must be"},
        {"{\"closed\": \"no\"}", "\"closed\" must be"},
        {"{\"knobs\": [1]}", "\"knobs\" must be"},
        {"{\"knobs\": {\"k\": 1}}", "knob \"k\": a list of values is expected"},
        {"{\"knobs\": {\"k\": []}}", "knob \"k\" has 0 values; 1 to 32"},
        {"{\"knobs\": {\"k\": [3, 2]}}", "knob \"k\": rising numbers are expected"},
        {"{\"knobs\": {\"k\": [2, 2]}}", "rising numbers"},
        {"{\"knobs\": {\"k\": [\"2\"]}}", "rising numbers"},
        {"{\"knobs\": {\"k\": [null]}}", "rising numbers"},
        {"{\"knobs\": {\"k\": [1e999]}}", "program.json"},
        {"{\"knobs\": {\"k\": [NaN]}}", "program.json"},
        {"{\"knobs\": {\"k\": [1]}, \"first\": {\"k\": 2}}", "is none of its values"},
        {"{\"knobs\": {\"k\": [1]}, \"first\": {\"k\": \"1\"}}", "\"k\" must be"},
        {"{\"knobs\": {\"k\": [1], \"k\": [2]}}", "program.json"},
        {"{\"knobs\": {\"0123456789012345678901234567890123456789\": [1]}}", "is expected"},
        {"{\"title\": \"\xFF\"}", "program.json"},
    };
    char many[2048] = "{\"knobs\": {\"k\": [0";
    f0t_own own;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(F0T_ERROR_FORMAT, wrong[i][1], describe(&own, wrong[i][0]));
    for (size_t i = 1; i <= F0T_OWN_VALUES; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), ", %zu", i);
    strcat(many, "]}}");
    assert_fails(F0T_ERROR_FORMAT, "knob \"k\" has 33 values; 1 to 32 are expected",
                 describe(&own, many));
    strcpy(many, "{\"knobs\": {\"k\": [0]");
    for (size_t i = 0; i < F0T_KNOBS_MAX; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), ", \"k%zu\": [0]", i);
    strcat(many, "}}");
    assert_fails(F0T_ERROR_FORMAT, " knobs", describe(&own, many));
}

/* A title goes into tables: one line, and no more than fits. */
static void a_title_is_one_clean_line(void **state)
{
    f0t_own own;
    (void)state;
    assert_ok(describe(&own, "{\"title\": \"a\\nb\\u001b[2J"
                             "01234567890123456789012345678901234567890123456789\"}"));
    assert_true(strlen(own.title) < sizeof own.title);
    for (const char *c = own.title; *c; c++)
        assert_true((unsigned char)*c >= ' ');
}

static f0t_status load_about(const void *data, size_t size)
{
    f0t_own own;
    const char *program = test_path("program");
    test_file("program.json", data, size);
    return create(&own, &(f0t_eval_own){.name = "mine", .program = program});
}

static void a_cut_description_is_refused_wherever_it_ends(void **state)
{
    static const char whole[] = "{\"closed\": true, \"knobs\": {\"k\": [5, 10]}}";
    (void)state;
    test_script("program", "");
    test_cut_everywhere(whole, strlen(whole), load_about, NULL);
    test_alter_everywhere(whole, strlen(whole), load_about);
}

/* ---- What tells results apart ------------------------------------------------------------------ */

static const char *key_of(f0t_own *own, const f0t_eval_own *from)
{
    assert_ok(create(own, from));
    assert_ok(f0t_own_identify(own));
    assert_ptr_equal(own->ranker.key, own->key);
    return own->key;
}

static void results_are_known_by_the_bytes_of_scores_and_programs(void **state)
{
    f0t_own a, b;
    const f0t_eval_own scores = {.name = "mine", .scores = test_text("a.npy", "one")};
    (void)state;
    key_of(&a, &scores);
    assert_int_equal(strncmp(a.key, "mine@", 5), 0);
    assert_string_equal(key_of(&b, &scores), a.key);
    test_text("a.npy", "two");
    assert_string_not_equal(key_of(&b, &scores), a.key);
    const f0t_eval_own program = {.name = "mine", .program = test_script("other", "exit 0")};
    key_of(&a, &program);
    assert_string_equal(key_of(&b, &program), a.key);
    test_text("other.json", "{}");
    assert_string_not_equal(key_of(&b, &program), a.key);
    key_of(&a, &program);
    test_script("other", "exit 1");
    assert_string_not_equal(key_of(&b, &program), a.key);
}

/* ---- Scores -------------------------------------------------------------------------------------- */

/* Zero-shot, with the method in the task as the comparison has it. */
typedef struct contest {
    fixture data;
    f0t_eval_task task;
    f0t_eval_split split;
    f0t_own own;
} contest;

static void contest_open(contest *c, const f0t_eval_own *from, size_t scenarios, size_t runs)
{
    bool mask[C_TAGS];
    c->data = fixture_open_with_tags(&(collection_options){.name = "own"}, NULL);
    f0t_eval_tags_mask(mask, &c->data.tags, F0T_TAG_SEEN);
    assert_ok(f0t_eval_task_create(&c->task, &c->data.tags, mask));
    f0t_eval_tags_mask(mask, &c->data.tags, F0T_TAG_UNSEEN);
    assert_ok(f0t_eval_split_create(&c->split, &c->task, F0T_TEST, mask));
    assert_ok(f0t_own_create(&c->own, from, scenarios, runs, 1));
    c->split.part = "zero-shot";
    c->task.base.ranker = &c->own.ranker;
    c->task.base.vocab = c->data.tags.vocab;
    c->task.base.place = c->task.place;
}

static void contest_close(contest *c)
{
    f0t_eval_split_free(&c->split);
    f0t_eval_task_free(&c->task);
    fixture_close(&c->data);
}

static f0t_status take(void *user, size_t first, const f0t_ranking *block)
{
    float *to = user;
    memcpy(to + first * UNSEEN, block->scores, block->images * UNSEEN * sizeof *to);
    return F0T_OK;
}

static f0t_status play(float *scores, contest *c)
{
    static const double knobs[F0T_KNOBS_MAX] = {7};
    const f0t_ranker *r = &c->own.ranker;
    f0t_eval_fit fit = {r, &c->task.base, NULL};
    F0T_TRY(r->fit(&fit.fitted, &c->task.base, NULL, knobs));
    f0t_status status = f0t_eval_split_score(NULL, &c->split, &fit, take, scores);
    r->free(fit.fitted);
    return status;
}

static const char *write_scores(const char *name, float from)
{
    f0t_npy_writer *w;
    const char *path = test_path(name);
    assert_ok(f0t_npy_create(&w, path, F0T_F32, UNSEEN));
    for (size_t m = 0; m < TESTED; m++) {
        const float row[UNSEEN] = {from, (float)m, 0};
        assert_ok(f0t_npy_write_rows(w, row, 1));
    }
    assert_ok(f0t_npy_commit(w));
    return path;
}

static void given_scores_are_those_of_the_scenario_and_run(void **state)
{
    float scores[TESTED * UNSEEN];
    char why[80];
    contest c;
    (void)state;
    assert_ok(f0t_folder_create(test_path("given")));
    assert_ok(f0t_folder_create(test_path("given/run-1")));
    assert_ok(f0t_folder_create(test_path("given/run-2")));
    write_scores("given/run-1/zero-shot.npy", 1);
    write_scores("given/run-2/zero-shot.npy", 2);
    contest_open(&c, &(f0t_eval_own){.name = "mine", .scores = test_path("given")}, 3, 2);
    const f0t_ranker *r = &c.own.ranker;
    for (c.own.run = 0; c.own.run < 2; c.own.run++) {
        assert_ok(play(scores, &c));
        assert_true(scores[0] == (float)(c.own.run + 1) && scores[5 * UNSEEN + 1] == 5);
    }
    c.own.run = 0;
    assert_false(r->lacks(why, sizeof why, r, "zero-shot"));
    assert_false(r->lacks(why, sizeof why, r, "open")); /* takes those of zero-shot */
    assert_true(r->lacks(why, sizeof why, r, "seen-unseen"));
    assert_string_equal(why, "no scores were given for it");
    c.split.part = "open";
    assert_ok(play(scores, &c));
    assert_true(scores[0] == 1);
    contest_close(&c);
}

/* ---- Programs ------------------------------------------------------------------------------------ */

static size_t entries(const char *path)
{
    size_t count = 0;
    DIR *opened = opendir(path);
    while (readdir(opened))
        count++;
    closedir(opened);
    return count - 2;
}

/* What the program of these lines gives; no folder of its task stays. */
static f0t_status play_program(float *scores, const char *lines)
{
    contest c;
    const char *rooms = test_path("rooms");
    unlink(test_path("player.json"));
    assert_ok(f0t_folder_create(rooms));
    setenv("TMPDIR", rooms, 1);
    contest_open(&c, &(f0t_eval_own){.name = "mine", .program = test_script("player", lines)}, 1,
                 1);
    f0t_status status = play(scores, &c);
    contest_close(&c);
    unsetenv("TMPDIR");
    assert_int_equal(entries(rooms), 0);
    return status;
}

static void a_program_is_given_the_task_and_returns_scores(void **state)
{
    float scores[TESTED * UNSEEN];
    char lines[8192];
    (void)state;
    write_scores("ready.npy", 3);
    snprintf(lines, sizeof lines, "cp \"$1/task.json\" '%s' && cp '%s' \"$1/scores.npy\"",
             test_path("seen.json"), test_path("ready.npy"));
    assert_ok(play_program(scores, lines));
    assert_true(scores[0] == 3 && scores[(TESTED - 1) * UNSEEN + 1] == TESTED - 1);
    assert_true(f0t_path_is_file(test_path("seen.json")));
}

static void what_a_program_does_wrong_is_told_and_leaves_nothing(void **state)
{
    float scores[TESTED * UNSEEN];
    char lines[8192];
    (void)state;
    assert_fails(F0T_ERROR_IO, "exited with 7: why", play_program(scores, "echo why; exit 7"));
    assert_fails(F0T_ERROR_FORMAT, "wrote no scores.npy", play_program(scores, "exit 0"));
    assert_fails(F0T_ERROR_FORMAT, "wrote no scores.npy",
                 play_program(scores, "mkdir \"$1/scores.npy\""));
    assert_fails(F0T_ERROR_FORMAT, "wrote no scores.npy",
                 play_program(scores, "mkfifo \"$1/scores.npy\""));
    assert_fails(F0T_ERROR_FORMAT, "scores.npy", play_program(scores, "echo 1 >\"$1/scores.npy\""));
    assert_fails(F0T_ERROR_MISMATCH, "scores; zero-shot has 120 images and 3 tags to rank",
                 play_program(scores, "cp \"$1/features.npy\" \"$1/scores.npy\""));
    snprintf(lines, sizeof lines, "head -c 900 '%s' >\"$1/scores.npy\"",
             write_scores("cut.npy", 1));
    assert_fails(F0T_ERROR_FORMAT, "scores.npy", play_program(scores, lines));
    snprintf(lines, sizeof lines, "cp '%s' \"$1/scores.npy\"", write_scores("nan.npy", NAN));
    assert_fails(F0T_ERROR_FORMAT, "row 1 is no finite number", play_program(scores, lines));
    assert_fails(F0T_ERROR_IO, "took longer than 1 s", play_program(scores, "exec sleep 60"));
}

/* ---- Tasks ------------------------------------------------------------------------------------------ */

static void tasks_are_written_per_run_and_scenario(void **state)
{
    float scores[TESTED * UNSEEN];
    const char *folder = test_path("tasks");
    contest c;
    (void)state;
    contest_open(&c, &(f0t_eval_own){.name = "tasks", .tasks = folder}, 2, 2);
    c.own.run = 1;
    assert_ok(play(scores, &c));
    assert_true(f0t_path_is_file(test_path("tasks/run-2/zero-shot/task.json")));
    assert_false(f0t_path_exists(test_path("tasks/run-1")));
    contest_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_short_and_plain),
        cmocka_unit_test(one_path_is_given),
        cmocka_unit_test(a_program_names_its_knobs),
        cmocka_unit_test(what_it_says_wrongly_is_refused),
        cmocka_unit_test(a_title_is_one_clean_line),
        cmocka_unit_test(a_cut_description_is_refused_wherever_it_ends),
        cmocka_unit_test(results_are_known_by_the_bytes_of_scores_and_programs),
        cmocka_unit_test(given_scores_are_those_of_the_scenario_and_run),
        cmocka_unit_test(a_program_is_given_the_task_and_returns_scores),
        cmocka_unit_test(what_a_program_does_wrong_is_told_and_leaves_nothing),
        cmocka_unit_test(tasks_are_written_per_run_and_scenario),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
