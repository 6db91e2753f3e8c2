#include "io/dataset_load.h"

#include "base/alloc.h"
#include "io/dataset_json.h"
#include "io/text.h"

#include <string.h>

enum { TAG_LONGEST = 1024 }; /* bytes: a whole text in place of a tag is a wrong separator */

typedef struct part {
    f0t_dataset *dataset;
    f0t_stream *stream;
} part;

/* Calls read() on the file of this name, when there is one. */
static f0t_status with_file(f0t_dataset *dataset, const f0t_dataset_source *source,
                            const f0t_dataset_options *options, const char *name, bool *found,
                            f0t_status (*read)(part *p))
{
    part p = {dataset, NULL};
    *found = false;
    F0T_TRY(source->open(source->context, name, &p.stream));
    if (!p.stream)
        return F0T_OK;
    *found = true;
    f0t_stream_watch(p.stream, options->monitor);
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
    if (length > TAG_LONGEST)
        return f0t_text_fail(p->stream, "a tag of %zu bytes; tags are separated by tabs", length);
    F0T_TRY(f0t_names_add(&p->dataset->tags, tag, length, &index, NULL));
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
        F0T_TRY(f0t_text_line(p->stream, &line, &length));
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

/* ---- A line an image --------------------------------------------------------------------------------- */

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
        F0T_TRY(f0t_text_line_trimmed(p->stream, &word, &length));
        if (!word)
            return m == count ? F0T_OK : wrong_count(p, m);
        if (m == count)
            return wrong_count(p, m + 1);
        if (!find_split(word, length, &p->dataset->split[m]))
            return f0t_text_fail(p->stream, "'%.40s': train, val or test is wanted", word);
    }
}

static f0t_status read_images(part *p)
{
    const char *line;
    size_t length;
    p->dataset->has_images = true;
    for (size_t m = 0;; m++) {
        F0T_TRY(f0t_text_line_trimmed(p->stream, &line, &length));
        if (!line)
            return m == p->dataset->rows.count ? F0T_OK : wrong_count(p, m);
        if (m == p->dataset->rows.count)
            return wrong_count(p, m + 1);
        if (!length)
            return f0t_text_fail(p->stream, "%s", "is empty: a path or an id is wanted");
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
        F0T_TRY(f0t_text_line_trimmed(p->stream, &line, &length));
        if (!line)
            return F0T_OK;
        if (!length)
            continue;
        if (memchr(line, '\t', length) || length > TAG_LONGEST)
            return f0t_text_fail(p->stream, "'%.40s…': one tag a line is wanted", line);
        F0T_TRY(f0t_grow(&list->tags, &capacity, list->count, 1, sizeof *list->tags));
        F0T_TRY(f0t_names_add(&p->dataset->tags, line, length, &list->tags[list->count], &added));
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
        F0T_TRY(f0t_text_line_trimmed(p->stream, &line, &length));
        if (!line)
            return F0T_OK;
        f0t_status status = f0t_paths_add(&p->dataset->paths, line, length);
        if (status == F0T_ERROR_FORMAT)
            return f0t_text_fail(p->stream, "%s", "is no path of a tag");
        F0T_TRY(status);
    }
}

/* ---- All of it ------------------------------------------------------------------------------------------ */

static f0t_status read_json(part *p)
{
    return f0t_dataset_json_read(p->dataset, p->stream);
}

f0t_status f0t_dataset_load(f0t_dataset *dataset, const f0t_dataset_source *source,
                            const f0t_dataset_options *options)
{
    bool found;
    F0T_TRY(with_file(dataset, source, options, "dataset.json", &found, read_json));
    F0T_TRY(with_file(dataset, source, options, "seen.txt", &found, read_seen));
    F0T_TRY(with_file(dataset, source, options, "unseen.txt", &found, read_unseen));
    F0T_TRY(with_file(dataset, source, options, "tags.txt", &found, read_tags));
    if (!found)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: is no dataset: it has no tags.txt",
                        dataset->path);
    F0T_TRY(complete(dataset, &dataset->seen, &dataset->unseen));
    F0T_TRY(complete(dataset, &dataset->unseen, &dataset->seen));
    F0T_TRY(with_file(dataset, source, options, "images.txt", &found, read_images));
    F0T_TRY(with_file(dataset, source, options, "paths.txt", &found, read_paths));
    F0T_TRY(with_file(dataset, source, options, "split.txt", &dataset->split_given, read_split));
    if (dataset->split_given)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&dataset->split, dataset->rows.count, 1));
    return f0t_dataset_draw_split(dataset->split, dataset->rows.count, options);
}
