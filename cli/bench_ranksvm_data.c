#include "bench_ranksvm.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/random.h"
#include "io/file.h"
#include "io/npy.h"
#include "math/elementwise.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEEN = 925, DIMS = 300, PATH_SIZE = 4200 };

static const char vectors_name[] = "glove-300d-nuswide1006.txt";

/* A path below F0T_DATA, or false. */
static bool data_path(char *path, const char *name)
{
    const char *folder = getenv("F0T_DATA");
    return folder && snprintf(path, PATH_SIZE, "%s/%s", folder, name) < PATH_SIZE &&
           f0t_path_exists(path);
}

/* ---- Vectors ------------------------------------------------------------------------------------ */

/* The lines of a text file without blanks at their ends. The pointers go into `text`. */
static f0t_status read_lines(char **text, const char ***lines, size_t *count, const char *path)
{
    f0t_map map;
    *text = NULL;
    *lines = NULL;
    *count = 0;
    F0T_TRY(f0t_map_open(&map, path));
    *text = cli_alloc(map.size + 1);
    memcpy(*text, map.data, map.size);
    (*text)[map.size] = 0;
    F0T_TRY(f0t_map_finish(&map, path, F0T_OK));
    *lines = cli_alloc((strlen(*text) / 2 + 1) * sizeof **lines);
    for (char *line = strtok(*text, " \t\r\n"); line; line = strtok(NULL, " \t\r\n"))
        (*lines)[(*count)++] = line;
    return F0T_OK;
}

static f0t_status open_vectors(f0t_vectors **vectors)
{
    char path[PATH_SIZE];
    data_path(path, vectors_name);
    return f0t_vectors_open(vectors, path, NULL, NULL);
}

static f0t_status take_vectors(bench_tags *tags, const f0t_vocab *vocab)
{
    tags->count = f0t_vocab_count(vocab);
    tags->dims = f0t_vocab_dim(vocab);
    tags->real = true;
    F0T_TRY(f0t_alloc(&tags->vectors, tags->count * tags->dims, sizeof *tags->vectors));
    memcpy(tags->vectors, f0t_vocab_vectors(vocab),
           tags->count * tags->dims * sizeof *tags->vectors);
    return F0T_OK;
}

static f0t_status take_words(bench_tags *tags, const char *const *words, size_t count)
{
    f0t_vectors *vectors = NULL;
    f0t_vocab *vocab = NULL;
    f0t_status status = open_vectors(&vectors);
    if (status == F0T_OK)
        status = f0t_vocab_create(&vocab, words, count, vectors, NULL, NULL);
    if (status == F0T_OK)
        status = take_vectors(tags, vocab);
    f0t_vocab_free(vocab);
    f0t_vectors_close(vectors);
    return status;
}

static bool is_among(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(word, words[i]))
            return true;
    return false;
}

/* The 1,000 tags without the 81 concepts. */
static f0t_status load_seen(bench_tags *tags, const char *all_path, const char *concepts_path)
{
    char *texts[2] = {NULL, NULL};
    const char **all = NULL, **concepts = NULL;
    size_t count = 0, concept_count = 0, kept = 0;
    f0t_status status = read_lines(&texts[0], &all, &count, all_path);
    if (status == F0T_OK)
        status = read_lines(&texts[1], &concepts, &concept_count, concepts_path);
    for (size_t i = 0; status == F0T_OK && i < count; i++)
        if (!is_among(all[i], concepts, concept_count))
            all[kept++] = all[i];
    if (status == F0T_OK)
        status = take_words(tags, all, kept);
    free(texts[0]);
    free(texts[1]);
    free(all);
    free(concepts);
    return status;
}

static f0t_status draw_seen(bench_tags *tags)
{
    const f0t_random random = {.seed = 1};
    *tags = (bench_tags){.count = SEEN, .dims = DIMS};
    F0T_TRY(f0t_alloc(&tags->vectors, (size_t)SEEN * DIMS, sizeof *tags->vectors));
    for (size_t i = 0; i < (size_t)SEEN * DIMS; i++)
        tags->vectors[i] = (float)f0t_random_normal(&random, i);
    f0t_rows_normalise(tags->vectors, SEEN, DIMS);
    return F0T_OK;
}

f0t_status bench_tags_seen(cli_context *cli, bench_tags *tags)
{
    char vectors[PATH_SIZE], all[PATH_SIZE], concepts[PATH_SIZE];
    if (data_path(vectors, vectors_name) && data_path(all, "nuswide81/TagList1k.txt") &&
        data_path(concepts, "nuswide81/Concepts81.txt"))
        return load_seen(tags, all, concepts);
    f0t_log(cli->monitor, F0T_LOG_WARNING,
            "F0T_DATA is not set, or has no NUS-WIDE words: random vectors take their place");
    return draw_seen(tags);
}

void bench_tags_free(bench_tags *tags)
{
    f0t_free(tags->vectors);
    *tags = (bench_tags){0};
}

/* ---- Rules ---------------------------------------------------------------------------------------- */

static f0t_status load_nuswide(bench_tags *tags, f0t_rules **rules, const f0t_dataset *dataset)
{
    const f0t_tag_sets sets = {f0t_dataset_offsets(dataset), f0t_dataset_indices(dataset),
                               f0t_dataset_image_count(dataset), f0t_dataset_tag_count(dataset)};
    const char **words = cli_alloc((sets.tags + 1) * sizeof *words);
    for (size_t t = 0; t < sets.tags; t++)
        words[t] = f0t_dataset_tag(dataset, t);
    f0t_status status = take_words(tags, words, sets.tags);
    free(words);
    F0T_TRY(status);
    if (tags->count != sets.tags)
        return f0t_fail(F0T_ERROR_MISMATCH, "%zu of %zu tags have a vector", tags->count,
                        sets.tags);
    return f0t_rules_create(rules, &sets, NULL, sets.tags);
}

f0t_status bench_tags_nuswide(cli_context *cli, bench_tags *tags, f0t_rules **rules)
{
    char vectors[PATH_SIZE], folder[PATH_SIZE];
    f0t_dataset *dataset = NULL;
    *rules = NULL;
    if (!data_path(vectors, vectors_name) || !data_path(folder, "nuswide81")) {
        f0t_log(cli->monitor, F0T_LOG_WARNING, "no nuswide81 in F0T_DATA: its rules are left out");
        return F0T_OK;
    }
    F0T_TRY(f0t_dataset_open(&dataset, folder, NULL, cli->context));
    f0t_status status = load_nuswide(tags, rules, dataset);
    f0t_dataset_close(dataset);
    return status;
}

f0t_status bench_rules_draw(f0t_rules **out, size_t count, size_t relevant, size_t tags)
{
    const f0t_random random = {.seed = 2, .stream = relevant};
    size_t *offsets = NULL;
    uint32_t *indices = NULL;
    *out = NULL;
    f0t_status status = f0t_alloc(&offsets, count + 1, sizeof *offsets);
    if (status == F0T_OK)
        status = f0t_alloc(&indices, count * relevant, sizeof *indices);
    for (size_t r = 0; status == F0T_OK && r <= count; r++)
        offsets[r] = r * relevant;
    const size_t part = tags / relevant;
    for (size_t i = 0; status == F0T_OK && i < count * relevant; i++)
        indices[i] = (uint32_t)(i % relevant * part + f0t_random_below(&random, i, part));
    const f0t_tag_sets sets = {offsets, indices, count, tags};
    if (status == F0T_OK)
        status = f0t_rules_create(out, &sets, NULL, tags);
    f0t_free(offsets);
    f0t_free(indices);
    return status;
}

/* ---- For the peer ----------------------------------------------------------------------------------- */

static f0t_status write_vectors(const bench_tags *tags, const char *folder)
{
    char path[PATH_SIZE];
    f0t_npy_writer *writer;
    snprintf(path, sizeof path, "%s/vectors.npy", folder);
    F0T_TRY(f0t_npy_create(&writer, path, F0T_F32, tags->dims));
    f0t_status status = f0t_npy_write_rows(writer, tags->vectors, tags->count);
    if (status == F0T_OK)
        return f0t_npy_commit(writer);
    f0t_npy_abort(writer);
    return status;
}

static json_t *describe(const bench_case *c)
{
    json_t *rules = json_array(), *objectives = json_array();
    for (size_t r = 0; r < c->count; r++) {
        json_t *relevant = json_array();
        for (size_t i = c->rules->offsets[r]; i < c->rules->offsets[r + 1]; i++)
            json_array_append_new(relevant, json_integer(c->rules->relevant[i]));
        json_array_append_new(rules, relevant);
        json_array_append_new(objectives, json_real(c->results[r].objective));
    }
    return json_pack("{s:f, s:b, s:o, s:o}", "lambda", c->lambda, "squared",
                     c->hinge == F0T_HINGE_SQUARED, "rules", rules, "objectives", objectives);
}

f0t_status bench_case_write(const bench_case *c, char *folder, size_t size)
{
    char path[PATH_SIZE];
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, size, "%s/fast0tag-bench-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return f0t_fail(F0T_ERROR_IO, "cannot make a folder in %s: %s",
                        temporary ? temporary : "/tmp", strerror(errno));
    F0T_TRY(write_vectors(c->tags, folder));
    snprintf(path, sizeof path, "%s/case.json", folder);
    json_t *json = describe(c);
    int failed = json ? json_dump_file(json, path, JSON_REAL_PRECISION(12)) : -1;
    json_decref(json);
    return failed ? f0t_fail(F0T_ERROR_IO, "cannot write %s", path) : F0T_OK;
}

void bench_case_remove(const char *folder)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/vectors.npy", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/case.json", folder);
    unlink(path);
    rmdir(folder);
}
