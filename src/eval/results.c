/* The results file: lines of JSON. The first names the comparison, by a number that tells it from any other so
 * that results are never mixed up; the others are one cell each. */
#include "base/alloc.h"
#include "base/monitor.h"
#include "eval/eval.h"
#include "io/file.h"
#include "io/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DUMP = JSON_COMPACT | JSON_REAL_PRECISION(17) };

/* ---- Writing ------------------------------------------------------------------------------- */

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *values_json(const f0t_eval_cell *cell)
{
    json_t *object = json_object();
    for (size_t i = 0; i < cell->values.count; i++)
        json_object_set_new(object, cell->values.names[i], number_or_null(cell->values.values[i]));
    return object;
}

static json_t *knobs_json(const f0t_eval_cell *cell)
{
    json_t *object = json_object();
    for (size_t i = 0; i < cell->knob_count; i++)
        json_object_set_new(object, cell->knob_names[i], json_real(cell->knobs[i]));
    return object;
}

static json_t *top_json(const f0t_eval_cell *cell)
{
    json_t *array = json_array();
    for (size_t i = 0; cell->top && i < cell->top_count; i++)
        json_array_append_new(
            array, json_integer(cell->top[i] == F0T_NO_SAMPLE_TAG ? -1 : (json_int_t)cell->top[i]));
    return array;
}

static json_t *precisions_json(const int32_t *precisions, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_integer(precisions[i]));
    return array;
}

static f0t_status write_line(f0t_parcel *to, json_t *line)
{
    char *text = line ? json_dumps(line, DUMP) : NULL;
    json_decref(line);
    if (!text)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for a line of results");
    f0t_status status = f0t_parcel_add(to, text, strlen(text));
    if (status == F0T_OK)
        status = f0t_parcel_add(to, "\n", 1);
    free(text);
    return status;
}

static f0t_status write_cell(f0t_parcel *to, const f0t_eval *e, size_t repeat, size_t method,
                             f0t_scenario s)
{
    const f0t_eval_cell *cell = f0t_eval_cell_at(e, repeat, method, s);
    if (!cell->done)
        return F0T_OK;
    return write_line(
        to, json_pack("{s:I, s:s, s:s, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "repeat",
                      (json_int_t)repeat, "method", f0t_ranker_key(e->plan.methods[method]),
                      "scenario", f0t_scenario_name(s), "images", (json_int_t)cell->images, "tags",
                      (json_int_t)cell->tags, "refusal", cell->refusal, "values", values_json(cell),
                      "knobs", knobs_json(cell), "top", top_json(cell), "curves",
                      f0t_results_write_curves(cell->curves), "precisions",
                      precisions_json(cell->precisions, cell->precision_count), "tag_precisions",
                      precisions_json(cell->tag_precisions, cell->tag_precision_count)));
}

static json_t *samples_json(const f0t_eval *e)
{
    json_t *array = json_array();
    for (size_t i = 0; i < e->sample_count; i++)
        json_array_append_new(array, json_integer((json_int_t)e->sample_images[i]));
    return array;
}

f0t_status f0t_results_write(f0t_parcel *to, const f0t_eval *e, size_t repeat, size_t method)
{
    for (int s = 0; s < F0T_SCENARIOS; s++)
        F0T_TRY(write_cell(to, e, repeat, method, (f0t_scenario)s));
    return F0T_OK;
}

static f0t_status write_all(f0t_parcel *to, const f0t_eval *e, const char *others,
                            uint64_t identity)
{
    char name[24];
    snprintf(name, sizeof name, "%016" PRIx64, identity);
    F0T_TRY(write_line(to, json_pack("{s:s, s:i, s:s, s:o}", "fast0tag", "comparison", "version", 2,
                                     "identity", name, "samples", samples_json(e))));
    for (size_t r = 0; r < e->plan.repeat; r++)
        for (size_t m = 0; m < e->plan.method_count; m++)
            F0T_TRY(f0t_results_write(to, e, r, m));
    return others ? f0t_parcel_add(to, others, strlen(others)) : F0T_OK;
}

f0t_status f0t_results_save(const f0t_eval *e, const char *others, const char *path,
                            uint64_t identity)
{
    f0t_parcel all = {0};
    f0t_writer *w;
    f0t_status status = write_all(&all, e, others, identity);
    if (status == F0T_OK)
        status = f0t_writer_open(&w, path);
    if (status == F0T_OK)
        status = f0t_writer_finish(w, f0t_writer_write(w, all.data, all.bytes));
    f0t_free(all.data);
    return status;
}

f0t_status f0t_results_claim(f0t_eval *e, const char *path)
{
    f0t_writer *probe;
    F0T_TRY(f0t_lock_take(&e->lock, path));
    F0T_TRY(f0t_writer_open(&probe, path));
    f0t_writer_abort(probe);
    return F0T_OK;
}

/* ---- Reading ------------------------------------------------------------------------------- */

static f0t_status read_numbers(f0t_values *values, json_t *object, const char *name)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (!json_is_number(value) && !json_is_null(value))
            return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" must be a number", name, key);
        f0t_values_add(values, key, json_is_null(value) ? (double)NAN : json_number_value(value));
    }
    return F0T_OK;
}

/* All that a tested method has, and nothing else: a value under another name would be shown as what it
 * is not. One that was refused has none. */
static f0t_status read_values(f0t_values *values, const json_t *object, const f0t_values *names,
                              bool tested, const char *name)
{
    size_t wanted = tested ? names->count : 0;
    if (json_object_size(object) != wanted)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: \"values\" has %zu numbers, not %zu", name,
                        json_object_size(object), wanted);
    for (size_t i = 0; i < wanted; i++) {
        const json_t *value = json_object_get(object, names->names[i]);
        if (!json_is_number(value) && !json_is_null(value))
            return f0t_fail(F0T_ERROR_FORMAT, "%s: \"values\" has no number \"%s\"", name,
                            names->names[i]);
        f0t_values_add(values, names->names[i],
                       json_is_null(value) ? (double)NAN : json_number_value(value));
    }
    return F0T_OK;
}

static f0t_status read_top(f0t_eval_cell *cell, const f0t_eval *e, const json_t *array,
                           const char *name)
{
    size_t count = json_array_size(array);
    if (*cell->refusal)
        return F0T_OK;
    if (count != e->sample_count * F0T_SAMPLE_TOP)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: \"top\" has %zu tags, not %zu", name, count,
                        e->sample_count * F0T_SAMPLE_TOP);
    F0T_TRY(f0t_alloc(&cell->top, count, sizeof *cell->top));
    cell->top_count = count;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(array, i);
        json_int_t tag = json_is_integer(item) ? json_integer_value(item) : -2;
        if (tag < -1 || tag >= (json_int_t)e->tags.count)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: \"top\" has no tag at place %zu", name, i);
        cell->top[i] = tag < 0 ? F0T_NO_SAMPLE_TAG : (uint32_t)tag;
    }
    return F0T_OK;
}

/* In millionths, -1 where nothing is relevant: `wanted` of them. */
static f0t_status read_precisions(int32_t **out, size_t *out_count, size_t wanted,
                                  const json_t *line, const char *key, const char *name)
{
    json_t *array = NULL;
    F0T_TRY(f0t_json_get_array(&array, line, key, name));
    const size_t count = json_array_size(array);
    if (count != wanted)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" has %zu numbers, not %zu", name, key, count,
                        wanted);
    F0T_TRY(f0t_alloc(out, count, sizeof **out));
    for (; *out_count < count; ++*out_count) {
        const json_t *item = json_array_get(array, *out_count);
        const json_int_t value = json_is_integer(item) ? json_integer_value(item) : -2;
        if (value < -1 || value > 1000000)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" has no share at place %zu", name, key,
                            *out_count);
        (*out)[*out_count] = (int32_t)value;
    }
    return F0T_OK;
}

static f0t_status read_all_precisions(f0t_eval_cell *cell, const json_t *line, const char *name)
{
    const size_t images = cell->images > F0T_PRECISIONS_MOST ? F0T_PRECISIONS_MOST : cell->images;
    const bool tested = !*cell->refusal;
    F0T_TRY(read_precisions(&cell->precisions, &cell->precision_count, tested ? images : 0, line,
                            "precisions", name));
    return read_precisions(&cell->tag_precisions, &cell->tag_precision_count,
                           tested ? cell->tags : 0, line, "tag_precisions", name);
}

static f0t_status read_cell(f0t_eval_cell *cell, const f0t_eval *e, const json_t *line,
                            const char *name)
{
    json_t *values = NULL, *knobs = NULL, *top = NULL;
    const char *refusal = "";
    int64_t images = 0, tags = 0;
    f0t_values named = {0};
    F0T_TRY(f0t_json_get_object(&values, line, "values", name));
    F0T_TRY(f0t_json_get_object(&knobs, line, "knobs", name));
    F0T_TRY(f0t_json_get_array(&top, line, "top", name));
    F0T_TRY(f0t_json_get_string(&refusal, line, "refusal", name));
    F0T_TRY(f0t_json_get_integer(&images, line, "images", name));
    F0T_TRY(f0t_json_get_integer(&tags, line, "tags", name));
    f0t_eval_cell_free(cell);
    snprintf(cell->refusal, sizeof cell->refusal, "%s", refusal);
    cell->images = images < 0 ? 0 : (size_t)images;
    cell->tags = tags < 0 ? 0 : (size_t)tags;
    F0T_TRY(read_values(&cell->values, values, &e->names, !*refusal, name));
    F0T_TRY(read_numbers(&named, knobs, name));
    cell->knob_count = named.count < F0T_KNOBS_MAX ? named.count : F0T_KNOBS_MAX;
    for (size_t i = 0; i < cell->knob_count; i++) {
        memcpy(cell->knob_names[i], named.names[i], sizeof cell->knob_names[i]);
        cell->knobs[i] = named.values[i];
    }
    F0T_TRY(read_top(cell, e, top, name));
    F0T_TRY(f0t_results_read_curves(&cell->curves, line, name));
    F0T_TRY(read_all_precisions(cell, line, name));
    cell->done = true;
    return F0T_OK;
}

/* The cell that a line is about; NULL when it was not asked for. */
static f0t_status find_cell(f0t_eval_cell **out, const f0t_eval *e, const json_t *line,
                            const char *name)
{
    const char *method = "", *scenario = "";
    int64_t repeat = -1;
    *out = NULL;
    F0T_TRY(f0t_json_get_string(&method, line, "method", name));
    F0T_TRY(f0t_json_get_string(&scenario, line, "scenario", name));
    F0T_TRY(f0t_json_get_integer(&repeat, line, "repeat", name));
    if (repeat < 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: no \"repeat\"", name);
    for (size_t m = 0; m < e->plan.method_count && repeat < (int64_t)e->plan.repeat; m++)
        for (int s = 0; s < F0T_SCENARIOS; s++)
            if (!strcmp(f0t_ranker_key(e->plan.methods[m]), method) && e->plan.asked[s] &&
                !strcmp(f0t_scenario_name((f0t_scenario)s), scenario))
                *out = f0t_eval_cell_at(e, (size_t)repeat, m, (f0t_scenario)s);
    return F0T_OK;
}

/* The images of the figure depend on which pictures are there. */
static bool has_samples(const f0t_eval *e, const json_t *array)
{
    bool same = json_array_size(array) == e->sample_count;
    for (size_t i = 0; same && i < e->sample_count; i++)
        same = json_integer_value(json_array_get(array, i)) == (json_int_t)e->sample_images[i];
    return same;
}

static f0t_status check_head(const f0t_eval *e, const json_t *line, const char *name,
                             uint64_t identity)
{
    const char *kind = "", *found = "";
    char wanted[24];
    int64_t version = 0;
    json_t *samples = NULL;
    F0T_TRY(f0t_json_get_string(&kind, line, "fast0tag", name));
    F0T_TRY(f0t_json_get_integer(&version, line, "version", name));
    F0T_TRY(f0t_json_get_string(&found, line, "identity", name));
    F0T_TRY(f0t_json_get_array(&samples, line, "samples", name));
    if (strcmp(kind, "comparison") != 0 || version != 2)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: no results of a comparison that this version knows",
                        name);
    snprintf(wanted, sizeof wanted, "%016" PRIx64, identity);
    if (strcmp(found, wanted) != 0 || !has_samples(e, samples))
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "%s: has results of another comparison (other data, pictures, vectors or "
                        "options); "
                        "remove it or name another file",
                        name);
    return F0T_OK;
}

typedef struct kept {
    char *text;
    size_t size, capacity;
} kept;

static f0t_status keep(kept *k, const char *line, size_t length)
{
    F0T_TRY(f0t_grow(&k->text, &k->capacity, k->size, length + 2, 1));
    memcpy(k->text + k->size, line, length);
    memcpy(k->text + k->size + length, "\n", 2);
    k->size += length + 1;
    return F0T_OK;
}

static f0t_status read_line(f0t_eval *e, kept *k, const char *line, size_t length, const char *name)
{
    json_t *object;
    f0t_eval_cell *cell;
    F0T_TRY(f0t_json_parse(&object, line, length, name));
    f0t_status status = find_cell(&cell, e, object, name);
    if (status == F0T_OK)
        status = cell ? read_cell(cell, e, object, name)
                 : k  ? keep(k, line, length)
                      : f0t_parcel_fail();
    json_decref(object);
    return status;
}

f0t_status f0t_results_read(f0t_eval *e, const char *text, size_t size)
{
    for (const char *at = text, *end; at < text + size; at = end + 1) {
        end = memchr(at, '\n', size - (size_t)(at - text));
        if (!end)
            return f0t_parcel_fail();
        F0T_TRY(read_line(e, NULL, at, (size_t)(end - at), "the results of another process"));
    }
    return F0T_OK;
}

static f0t_status read_head(const f0t_eval *e, const char *line, size_t length, const char *name,
                            uint64_t identity)
{
    json_t *object;
    F0T_TRY(f0t_json_parse(&object, line, length, name));
    f0t_status status = check_head(e, object, name, identity);
    json_decref(object);
    return status;
}

static f0t_status read_lines(f0t_eval *e, kept *k, f0t_stream *s, const char *path,
                             uint64_t identity)
{
    char *line, name[300];
    size_t length;
    for (bool head = true;; head = false) {
        F0T_TRY(f0t_stream_line(&line, &length, s));
        if (!line && head)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: empty, no results of a comparison", path);
        if (!line)
            return F0T_OK;
        snprintf(name, sizeof name, "%s line %" PRIu64, path, f0t_stream_line_number(s));
        if (head)
            F0T_TRY(read_head(e, line, length, path, identity));
        else
            F0T_TRY(read_line(e, k, line, length, name));
    }
}

f0t_status f0t_results_load(f0t_eval *e, char **others, const char *path, uint64_t identity,
                            const f0t_monitor *monitor)
{
    f0t_stream *s;
    kept k = {0};
    *others = NULL;
    if (!f0t_path_exists(path))
        return F0T_OK;
    F0T_TRY(f0t_stream_open(&s, path));
    f0t_stream_watch(s, monitor);
    f0t_status status = read_lines(e, &k, s, path, identity);
    f0t_stream_close(s);
    if (status != F0T_OK)
        f0t_free(k.text);
    else
        *others = k.text;
    return status;
}
