#include "eval/own.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "eval/program.h"
#include "eval/scenario.h"
#include "eval/task_folder.h"
#include "io/dataset_folder.h"
#include "io/file.h"
#include "io/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT = 3600, JSON_MOST = 1 << 16, PATH_SIZE = 4096 };

static const f0t_own *own_of(const f0t_task *task)
{
    return (const f0t_own *)(const void *)task->ranker;
}

/* What is learned is the setting alone: programs learn and score in one go. */
static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    double *kept;
    (void)shared;
    F0T_TRY(f0t_alloc_zero(&kept, F0T_KNOBS_MAX, sizeof *kept));
    memcpy(kept, knobs, task->ranker->knob_count * sizeof *kept);
    *fitted = kept;
    return F0T_OK;
}

static void forget(void *fitted)
{
    f0t_free(fitted);
}

/* folder/NAME, or folder/run-2/NAME where there are several runs. */
static f0t_status place_in(char path[PATH_SIZE], const f0t_own *own, const char *name)
{
    char run[32] = "";
    if (own->runs > 1)
        snprintf(run, sizeof run, "run-%zu/", own->run + 1);
    if (snprintf(path, PATH_SIZE, "%s/%s%s", own->path, run, name) >= PATH_SIZE)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: the path is too long", own->path);
    return F0T_OK;
}

/* ---- Given scores -------------------------------------------------------------------------- */

/* The file itself, or SCENARIO.npy in the folder; where that of open is missing, zero-shot's: most datasets
 * have no tags but the seen and the unseen ones. */
static f0t_status scores_path(char path[PATH_SIZE], const f0t_own *own, const char *scenario)
{
    char name[64];
    if (!f0t_path_is_folder(own->path)) {
        snprintf(path, PATH_SIZE, "%s", own->path);
        return F0T_OK;
    }
    snprintf(name, sizeof name, "%s.npy", scenario);
    F0T_TRY(place_in(path, own, name));
    if (!strcmp(scenario, f0t_scenario_name(F0T_OPEN)) && !f0t_path_exists(path))
        return scores_path(path, own, f0t_scenario_name(F0T_ZERO_SHOT));
    return F0T_OK;
}

static bool lacks_scores(char *why, size_t size, const f0t_ranker *ranker, const char *scenario)
{
    char path[PATH_SIZE];
    const f0t_own *own = (const f0t_own *)(const void *)ranker;
    *why = 0;
    if (scores_path(path, own, scenario) != F0T_OK || !f0t_path_exists(path))
        snprintf(why, size, "no scores were given for it");
    return *why != 0;
}

static f0t_status give_scores(float *scores, const void *fitted, const f0t_task *task,
                              const f0t_candidates *tags, const f0t_queries *queries)
{
    char path[PATH_SIZE];
    (void)fitted;
    F0T_TRY(scores_path(path, own_of(task), queries->part ? queries->part : "validation"));
    return f0t_task_scores_read(scores, path, tags, queries);
}

/* ---- Programs ------------------------------------------------------------------------------ */

static f0t_status run_in(float *scores, const char *folder, const double *knobs,
                         const f0t_task *task, const f0t_candidates *tags,
                         const f0t_queries *queries)
{
    const f0t_own *own = own_of(task);
    char path[PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/scores.npy", folder) >= PATH_SIZE)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: the path is too long", folder);
    F0T_TRY(f0t_task_folder_write(folder, task, tags, queries, knobs));
    F0T_TRY(f0t_program_run(own->path, folder, own->timeout, task->monitor));
    if (!f0t_path_is_file(path))
        return f0t_fail(F0T_ERROR_FORMAT, "wrote no scores.npy into its folder");
    return f0t_task_scores_read(scores, path, tags, queries);
}

static f0t_status run_program(float *scores, const void *fitted, const f0t_task *task,
                              const f0t_candidates *tags, const f0t_queries *queries)
{
    char folder[PATH_SIZE];
    const char *where = getenv("TMPDIR");
    if (snprintf(folder, sizeof folder, "%s/fast0tag-task-XXXXXX",
                 where && *where ? where : "/var/tmp") >= PATH_SIZE)
        return f0t_fail(F0T_ERROR_IO, "TMPDIR: the path is too long");
    if (!mkdtemp(folder))
        return f0t_fail(F0T_ERROR_IO, "%s: cannot be created: %s", folder, strerror(errno));
    f0t_status status = run_in(scores, folder, fitted, task, tags, queries);
    f0t_folder_remove(folder);
    return status;
}

/* ---- Tasks that are only written ----------------------------------------------------------- */

static f0t_status write_task(float *scores, const void *fitted, const f0t_task *task,
                             const f0t_candidates *tags, const f0t_queries *queries)
{
    const f0t_own *own = own_of(task);
    char path[PATH_SIZE];
    memset(scores, 0, queries->count * tags->count * sizeof *scores);
    F0T_TRY(f0t_folder_create(own->path));
    if (own->runs > 1) {
        F0T_TRY(place_in(path, own, ""));
        path[strlen(path) - 1] = 0;
        F0T_TRY(f0t_folder_create(path));
    }
    F0T_TRY(place_in(path, own, queries->part ? queries->part : "validation"));
    F0T_TRY(f0t_folder_create(path));
    return f0t_task_folder_write(path, task, tags, queries, fitted);
}

/* ---- What a program says of itself --------------------------------------------------------- */

static f0t_status read_values(f0t_own *own, size_t knob, const json_t *array, const char *name)
{
    const size_t count = json_array_size(array);
    double *values = own->knob_values[knob];
    if (count == 0 || count > F0T_OWN_VALUES)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: knob \"%s\" has %zu values; 1 to %d are expected",
                        name, own->knob_names[knob], count, F0T_OWN_VALUES);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        values[i] = json_is_number(value) ? json_number_value(value) : (double)NAN;
        if (!isfinite(values[i]) || (i && values[i] <= values[i - 1]))
            return f0t_fail(F0T_ERROR_FORMAT, "%s: knob \"%s\": rising numbers are expected", name,
                            own->knob_names[knob]);
    }
    own->knobs[knob] = (f0t_knob){
        .name = own->knob_names[knob], .values = values, .count = count, .first = (count - 1) / 2};
    return F0T_OK;
}

static f0t_status read_first(f0t_knob *knob, const json_t *first, const char *name)
{
    double value = knob->values[knob->first];
    if (first)
        F0T_TRY(f0t_json_get_number(&value, first, knob->name, name));
    for (size_t i = 0; i < knob->count; i++)
        if (knob->values[i] == value) {
            knob->first = i;
            return F0T_OK;
        }
    return f0t_fail(F0T_ERROR_FORMAT, "%s: \"first\" of knob \"%s\" is none of its values", name,
                    knob->name);
}

static f0t_status read_knobs(f0t_own *own, json_t *knobs, const json_t *first, const char *name)
{
    const char *key;
    json_t *value;
    size_t count = 0;
    json_object_foreach(knobs, key, value)
    {
        if (count == F0T_KNOBS_MAX)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: more than %d knobs", name, F0T_KNOBS_MAX);
        if (!json_is_array(value) || strlen(key) >= F0T_OWN_NAME)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: knob \"%.40s\": a list of values is expected",
                            name, key);
        snprintf(own->knob_names[count], F0T_OWN_NAME, "%s", key);
        F0T_TRY(read_values(own, count, value, name));
        F0T_TRY(read_first(&own->knobs[count], first, name));
        count++;
    }
    own->ranker.knobs = own->knobs;
    own->ranker.knob_count = count;
    return F0T_OK;
}

static f0t_status read_about(f0t_own *own, const json_t *about, const char *name)
{
    static const char *const keys[] = {"title", "source", "closed", "knobs", "first", NULL};
    const char *title = own->name, *source = own->path;
    json_t *knobs = NULL, *first = NULL;
    F0T_TRY(f0t_json_only(about, keys, name));
    F0T_TRY(f0t_json_get_string(&title, about, "title", name));
    F0T_TRY(f0t_json_get_string(&source, about, "source", name));
    F0T_TRY(f0t_json_get_bool(&own->ranker.closed, about, "closed", name));
    F0T_TRY(f0t_json_get_object(&knobs, about, "knobs", name));
    F0T_TRY(f0t_json_get_object(&first, about, "first", name));
    f0t_line_clean(own->title,
                   snprintf(own->title, sizeof own->title, "%s", title) >= (int)sizeof own->title);
    f0t_line_clean(own->source, snprintf(own->source, sizeof own->source, "%s", source) >=
                                    (int)sizeof own->source);
    return knobs ? read_knobs(own, knobs, first, name) : F0T_OK;
}

/* PROGRAM.json, which need not be there. */
static f0t_status describe_program(f0t_own *own)
{
    char path[PATH_SIZE];
    json_t *about;
    if (strchr(own->path, '/') && access(own->path, X_OK) != 0)
        return f0t_fail(F0T_ERROR_IO, "%s: cannot be run: %s", own->path, strerror(errno));
    if (snprintf(path, sizeof path, "%s.json", own->path) >= PATH_SIZE || !f0t_path_is_file(path))
        return F0T_OK;
    F0T_TRY(f0t_json_load(&about, path, JSON_MOST, NULL));
    f0t_status status = read_about(own, about, path);
    json_decref(about);
    return status;
}

/* ---- Making one ---------------------------------------------------------------------------- */

static f0t_status set_name(f0t_own *own, const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+";
    const size_t length = name ? strlen(name) : 0;
    if (!length || length >= F0T_OWN_NAME || strspn(name, allowed) != length ||
        !strcmp(name, "all"))
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "'%.60s' cannot be the name of a method: 1 to %d letters, digits, - _ . +",
                        name ? name : "", F0T_OWN_NAME - 1);
    memcpy(own->name, name, length + 1);
    memcpy(own->title, name, length + 1);
    return F0T_OK;
}

static f0t_status check_scores(const f0t_own *own, size_t scenarios)
{
    if (!f0t_path_exists(own->path))
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: no such file of scores", own->path);
    if (!f0t_path_is_folder(own->path) && (scenarios > 1 || own->runs > 1))
        return f0t_fail(
            F0T_ERROR_ARGUMENT,
            "%s: one file of scores is for one scenario and one run; name a folder that "
            "has %s.npy",
            own->path, own->runs > 1 ? "run-1/zero-shot" : "zero-shot");
    return F0T_OK;
}

f0t_status f0t_own_create(f0t_own *own, const f0t_eval_own *from, size_t scenarios, size_t runs,
                          size_t timeout)
{
    const char *const paths[] = {from->scores, from->program, from->tasks};
    const size_t given = (size_t)(!!paths[0] + !!paths[1] + !!paths[2]);
    *own = (f0t_own){.runs = runs, .timeout = timeout ? timeout : TIMEOUT};
    F0T_TRY(set_name(own, from->name));
    if (given != 1)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: one of scores, program and tasks is expected",
                        own->name);
    own->path = paths[0] ? paths[0] : paths[1] ? paths[1] : paths[2];
    if (!*own->path)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: an empty path", own->name);
    snprintf(own->source, sizeof own->source, "%.100s", own->path);
    f0t_line_clean(own->source, false);
    own->ranker = (f0t_ranker){.name = own->name,
                               .title = own->title,
                               .source = own->source,
                               .whole = !from->scores,
                               .fit = fit,
                               .free = forget,
                               .score = from->scores    ? give_scores
                                        : from->program ? run_program
                                                        : write_task,
                               .lacks = from->scores ? lacks_scores : NULL};
    return from->scores    ? check_scores(own, scenarios)
           : from->program ? describe_program(own)
                           : F0T_OK;
}

/* ---- What tells its results from others' --------------------------------------------------- */

static f0t_status add_file(uint64_t *hash, const char *path)
{
    f0t_map map;
    if (!f0t_path_is_file(path))
        return F0T_OK;
    F0T_TRY(f0t_map_open(&map, path));
    const uint64_t numbers[] = {map.size, f0t_map_checksum(&map, 0)};
    F0T_TRY(f0t_map_finish(&map, path, F0T_OK));
    *hash = f0t_hash(*hash, numbers, sizeof numbers);
    return F0T_OK;
}

static f0t_status add_scores(uint64_t *hash, f0t_own *own)
{
    char path[PATH_SIZE];
    for (own->run = 0; own->run < own->runs; own->run++)
        for (int s = 0; s < F0T_SCENARIOS; s++) {
            F0T_TRY(scores_path(path, own, f0t_scenario_name((f0t_scenario)s)));
            F0T_TRY(add_file(hash, path));
        }
    own->run = 0;
    return F0T_OK;
}

f0t_status f0t_own_identify(f0t_own *own)
{
    uint64_t hash = F0T_HASH_START;
    char path[PATH_SIZE];
    if (own->ranker.lacks) {
        F0T_TRY(add_scores(&hash, own));
    } else if (own->ranker.score == run_program) {
        F0T_TRY(add_file(&hash, own->path));
        if (snprintf(path, sizeof path, "%s.json", own->path) < PATH_SIZE)
            F0T_TRY(add_file(&hash, path));
    }
    snprintf(own->key, sizeof own->key, "%s@%016" PRIx64, own->name, hash);
    own->ranker.key = own->key;
    return F0T_OK;
}

/* ---- The tasks of a comparison -------------------------------------------------------------- */

f0t_status f0t_eval_save_tasks(const char *folder, const f0t_dataset *dataset,
                               const f0t_vectors *vectors, const f0t_eval_options *options,
                               const f0t_context *context)
{
    F0T_REQUIRE(folder);
    F0T_REQUIRE(dataset);
    F0T_REQUIRE(vectors);
    F0T_READ_OPTIONS(f0t_eval_options, F0T_EVAL_OPTIONS, options);
    const f0t_eval_own writer = {.name = "tasks", .tasks = folder};
    f0t_eval_options alone = *options;
    f0t_eval *eval;
    alone.own = &writer;
    alone.own_count = 1;
    alone.results = alone.figure = alone.details = NULL;
    F0T_TRY(f0t_eval_run(&eval, dataset, vectors, &alone, context));
    f0t_eval_free(eval);
    return F0T_OK;
}
