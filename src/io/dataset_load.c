/* Reading a dataset's files, wherever they are. */
#include "io/dataset.h"

#include "base/alloc.h"
#include "base/random.h"
#include "io/json.h"
#include "io/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- dataset.json ----------------------------------------------------------------------------- */

enum { LARGEST = 1 << 20 }; /* bytes of a dataset.json */

static f0t_status get_text(char **out, const json_t *object, const char *key, const char *file)
{
    const char *text = NULL;
    F0T_TRY(f0t_json_get_string(&text, object, key, file));
    if (!text)
        return F0T_OK;
    if (!*text || f0t_text_fault(text, strlen(text)))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" must be a text of one line", file, key);
    return f0t_string_copy(out, text, strlen(text));
}

/* jansson allocates by itself; what a dataset keeps is ours. */
static f0t_status copy_dump(char **out, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    if (!text)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory to keep JSON");
    f0t_status status = f0t_string_copy(out, text, strlen(text));
    free(text);
    return status;
}

static f0t_status take(f0t_dataset *dataset, const json_t *object, const char *file)
{
    json_t *backbone = NULL;
    F0T_TRY(get_text(&dataset->name, object, "name", file));
    F0T_TRY(get_text(&dataset->features_path, object, "features", file));
    F0T_TRY(f0t_json_get_object(&backbone, object, "backbone", file));
    return backbone ? copy_dump(&dataset->backbone, backbone) : F0T_OK;
}

static f0t_status parse(f0t_dataset *dataset, const char *text, size_t size, const char *file)
{
    json_t *object;
    F0T_TRY(f0t_json_parse(&object, text, size, file));
    f0t_status status = take(dataset, object, file);
    json_decref(object);
    return status;
}

/* Sets the dataset's name, backbone and features_path (as written there). Keys that are not known are left
 * alone: other programs may keep theirs there. */
static f0t_status read_json(f0t_dataset *dataset, f0t_stream *stream)
{
    const char *file = f0t_stream_name(stream);
    char *text;
    size_t size;
    F0T_TRY(f0t_stream_read_all(&text, &size, stream, LARGEST));
    f0t_status status = parse(dataset, text, size, file);
    f0t_free(text);
    return status;
}

/* ---- The split that is drawn ------------------------------------------------------------------ */

enum { SPLIT_STREAM = 0x73706C69 }; /* "spli": apart from whatever else the seed draws */

static f0t_status check_parts(const f0t_dataset_options *options)
{
    double val = options->val, test = options->test;
    if (!(val >= 0 && test >= 0 && val + test <= 1))
        return f0t_fail(
            F0T_ERROR_ARGUMENT,
            "val %g and test %g are no parts of the images: each is expected from 0 to 1, "
            "and together at most 1",
            val, test);
    return F0T_OK;
}

f0t_status f0t_dataset_draw_split(uint8_t *split, size_t count, const f0t_dataset_options *options)
{
    f0t_random random = {options->seed, SPLIT_STREAM};
    uint32_t *order;
    F0T_TRY(check_parts(options));
    F0T_TRY(f0t_alloc(&order, count, sizeof *order));
    for (size_t m = 0; m < count; m++)
        order[m] = (uint32_t)m;
    f0t_random_shuffle(order, count, &random);
    size_t test = (size_t)floor(options->test * (double)count + 0.5);
    size_t val = (size_t)floor(options->val * (double)count + 0.5);
    for (size_t i = 0; i < count; i++)
        split[order[i]] = i < test ? F0T_TEST : i < test + val ? F0T_VAL : F0T_TRAIN;
    f0t_free(order);
    return F0T_OK;
}

/* ---- Files ------------------------------------------------------------------------------------ */

typedef struct part {
    f0t_dataset *dataset;
    f0t_stream *stream;
} part;

/* Calls read() on the file of this name, when there is one. */
static f0t_status with_file(f0t_dataset *dataset, const f0t_dataset_source *source,
                            const char *name, bool *found, f0t_status (*read)(part *p))
{
    part p = {dataset, NULL};
    *found = false;
    F0T_TRY(source->open(source->context, name, &p.stream));
    if (!p.stream)
        return F0T_OK;
    *found = true;
    f0t_stream_watch(p.stream, f0t_context_monitor(NULL));
    f0t_status status = read(&p);
    f0t_stream_close(p.stream);
    return status;
}

/* ---- Tags ------------------------------------------------------------------------------------------ */

static f0t_status add_tag(part *p, const char *tag, size_t length)
{
    uint32_t index;
    f0t_text_trim(&tag, &length);
    if (!length)
        return F0T_OK;
    if (length > F0T_TAG_LONGEST)
        return f0t_text_fail(p->stream, "a tag of %zu bytes; tags are separated by tabs", length);
    F0T_TRY(f0t_names_add(&index, NULL, &p->dataset->tags, tag, length));
    return f0t_rows_add(&p->dataset->rows, index);
}

static f0t_status add_tags(part *p, const char *line, size_t length)
{
    const char *end = line + length;
    while (line < end) {
        const char *tab = memchr(line, '\t', (size_t)(end - line));
        const char *stop = tab ? tab : end;
        F0T_TRY(add_tag(p, line, (size_t)(stop - line)));
        line = stop + 1;
    }
    return f0t_rows_end(&p->dataset->rows);
}

static f0t_status read_tags(part *p)
{
    const char *line;
    size_t length;
    for (;;) {
        F0T_TRY(f0t_text_line(&line, &length, p->stream));
        if (!line)
            break;
        if (p->dataset->rows.count == UINT32_MAX)
            return f0t_text_fail(p->stream, "more than %u images", UINT32_MAX);
        F0T_TRY(add_tags(p, line, length));
    }
    if (!p->dataset->rows.count)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: is empty: a dataset has at least one image",
                        f0t_stream_name(p->stream));
    return F0T_OK;
}

/* ---- One line per image --------------------------------------------------------------------------------- */

static f0t_status wrong_count(const part *p, uint64_t lines)
{
    return f0t_fail(F0T_ERROR_MISMATCH, "%s has %s%llu lines, but tags.txt has %zu images",
                    f0t_stream_name(p->stream), lines > p->dataset->rows.count ? "over " : "",
                    (unsigned long long)(lines > p->dataset->rows.count ? lines - 1 : lines),
                    p->dataset->rows.count);
}

static bool find_split(const char *word, size_t length, uint8_t *split)
{
    static const char *const words[] = {"train", "val", "test"};
    for (uint8_t i = 0; i < 3; i++)
        if (strlen(words[i]) == length && !memcmp(words[i], word, length)) {
            *split = i;
            return true;
        }
    return false;
}

static f0t_status read_split(part *p)
{
    size_t count = p->dataset->rows.count, length;
    const char *word;
    F0T_TRY(f0t_alloc(&p->dataset->split, count, 1));
    for (size_t m = 0;; m++) {
        F0T_TRY(f0t_text_line_trimmed(&word, &length, p->stream));
        if (!word)
            return m == count ? F0T_OK : wrong_count(p, m);
        if (m == count)
            return wrong_count(p, m + 1);
        if (!find_split(word, length, &p->dataset->split[m]))
            return f0t_text_fail(p->stream, "'%.40s': train, val or test is expected", word);
    }
}

static f0t_status read_images(part *p)
{
    const char *line;
    size_t length;
    p->dataset->has_images = true;
    for (size_t m = 0;; m++) {
        F0T_TRY(f0t_text_line_trimmed(&line, &length, p->stream));
        if (!line)
            return m == p->dataset->rows.count ? F0T_OK : wrong_count(p, m);
        if (m == p->dataset->rows.count)
            return wrong_count(p, m + 1);
        if (!length)
            return f0t_text_fail(p->stream, "%s", "is empty: a path or an id is expected");
        F0T_TRY(f0t_texts_add(&p->dataset->images, line, length));
    }
}

/* ---- Seen and unseen --------------------------------------------------------------------------------- */

/* The lists are read before tags.txt, and give the tags their first numbers. */
static f0t_status read_list(part *p, f0t_tag_list *list)
{
    size_t capacity = 0, length;
    const char *line;
    bool added;
    list->given = true;
    for (;;) {
        F0T_TRY(f0t_text_line_trimmed(&line, &length, p->stream));
        if (!line)
            return F0T_OK;
        if (!length)
            continue;
        if (memchr(line, '\t', length) || length > F0T_TAG_LONGEST)
            return f0t_text_fail(p->stream, "'%.40s…': one tag per line is expected", line);
        F0T_TRY(f0t_grow(&list->tags, &capacity, list->count, 1, sizeof *list->tags));
        F0T_TRY(f0t_names_add(&list->tags[list->count], &added, &p->dataset->tags, line, length));
        if (!added)
            return f0t_text_fail(
                p->stream, "'%.40s' is %s already", line,
                list->tags[list->count] < p->dataset->seen.count ? "in seen.txt" : "in unseen.txt");
        list->count++;
    }
}

static f0t_status read_seen(part *p)
{
    return read_list(p, &p->dataset->seen);
}

static f0t_status read_unseen(part *p)
{
    return read_list(p, &p->dataset->unseen);
}

/* With one list alone, which has the first numbers, the other is all the rest. */
static f0t_status complete(f0t_dataset *dataset, f0t_tag_list *list, const f0t_tag_list *other)
{
    if (list->given || !other->given)
        return F0T_OK;
    list->given = true;
    size_t count = f0t_names_count(&dataset->tags) - other->count;
    F0T_TRY(f0t_alloc(&list->tags, count, sizeof *list->tags));
    for (size_t i = 0; i < count; i++)
        list->tags[i] = (uint32_t)(other->count + i);
    list->count = count;
    return F0T_OK;
}

/* ---- Hierarchy ------------------------------------------------------------------------------------------- */

static f0t_status read_paths(part *p)
{
    const char *line;
    size_t length;
    for (;;) {
        F0T_TRY(f0t_text_line_trimmed(&line, &length, p->stream));
        if (!line)
            return F0T_OK;
        f0t_status status = f0t_paths_add(&p->dataset->paths, line, length);
        if (status == F0T_ERROR_FORMAT)
            return f0t_text_fail(p->stream, "%s", "is no path of a tag");
        F0T_TRY(status);
    }
}

/* ---- All of it ------------------------------------------------------------------------------------------ */

static f0t_status read_about(part *p)
{
    return read_json(p->dataset, p->stream);
}

f0t_status f0t_dataset_load(f0t_dataset *dataset, const f0t_dataset_source *source,
                            const f0t_dataset_options *options)
{
    bool found;
    F0T_TRY(with_file(dataset, source, "dataset.json", &found, read_about));
    F0T_TRY(with_file(dataset, source, "seen.txt", &found, read_seen));
    F0T_TRY(with_file(dataset, source, "unseen.txt", &found, read_unseen));
    F0T_TRY(with_file(dataset, source, "tags.txt", &found, read_tags));
    if (!found)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: is no dataset: it has no tags.txt",
                        dataset->path);
    F0T_TRY(complete(dataset, &dataset->seen, &dataset->unseen));
    F0T_TRY(complete(dataset, &dataset->unseen, &dataset->seen));
    F0T_TRY(with_file(dataset, source, "images.txt", &found, read_images));
    F0T_TRY(with_file(dataset, source, "paths.txt", &found, read_paths));
    F0T_TRY(with_file(dataset, source, "split.txt", &dataset->split_given, read_split));
    if (dataset->split_given)
        return F0T_OK;
    dataset->drawn = *options;
    F0T_TRY(f0t_alloc(&dataset->split, dataset->rows.count, 1));
    return f0t_dataset_draw_split(dataset->split, dataset->rows.count, options);
}
