/* A table of images and tags: one record per image, with its tags in one cell or in one 0/1 column
 * per tag. */
#include "import/csv.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "image/pictures.h"
#include "import/hierarchy.h"
#include "import/import.h"
#include "io/text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NO_COLUMN = -1, NO_SPLIT = 0xFF };

/* State of a table that is being read. */
typedef struct reading {
    f0t_csv_table *to;
    const f0t_import_options *options;
    f0t_import_report *report;
    char *whole; /* the text of a pipe, which cannot be read twice */
    size_t whole_size;
    f0t_stream *stream;
    f0t_csv *csv;
    const char *separator;   /* of tags within a cell */
    uint64_t divided;        /* cells that it divides */
    long image, tags, split; /* columns, or NO_COLUMN */
    bool bare;               /* no header was found where one may be */
    uint32_t *column_tags;   /* [columns] with tag_columns */
    size_t splits_capacity;
    uint32_t *pair_image, *pair_tag; /* an image has a tag */
    size_t pairs, pair_image_capacity, pair_tag_capacity;
} reading;

static f0t_status open_table(reading *t, const char *path)
{
    F0T_TRY(t->whole ? f0t_stream_open_memory(&t->stream, t->whole, t->whole_size, path)
                     : f0t_stream_open(&t->stream, path));
    f0t_stream_watch(t->stream, f0t_context_monitor(NULL));
    return f0t_csv_open(&t->csv, t->stream, t->options->delimiter);
}

static void close_table(reading *t)
{
    f0t_csv_close(t->csv);
    f0t_stream_close(t->stream);
    t->csv = NULL;
    t->stream = NULL;
}

static void release(reading *t)
{
    close_table(t);
    f0t_free(t->whole);
    f0t_free(t->column_tags);
    f0t_free(t->pair_image);
    f0t_free(t->pair_tag);
}

#define fail_at(t, format, ...)                                                  \
    f0t_fail(F0T_ERROR_FORMAT, "%s:%llu: " format, f0t_stream_name((t)->stream), \
             (unsigned long long)f0t_csv_line((t)->csv), __VA_ARGS__)

/* ---- Columns --------------------------------------------------------------------------------- */

static bool is_number(const char *text, long *number)
{
    *number = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || *number > 1000000000)
            return false;
        *number = *number * 10 + (*c - '0');
    }
    return *text != '\0';
}

static bool cell_is(const f0t_csv_cell *cell, const char *name)
{
    const char *text = cell->text;
    size_t length = cell->length;
    f0t_text_trim(&text, &length);
    return length == strlen(name) && !strncasecmp(text, name, length);
}

static long find_name(const f0t_csv_cell *header, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (cell_is(&header[i], name))
            return (long)i;
    return NO_COLUMN;
}

/* `header` is NULL without one. */
static f0t_status find_column(const reading *t, const f0t_csv_cell *header, size_t count,
                              const char *column, long *out)
{
    *out = header ? find_name(header, count, column) : NO_COLUMN;
    if (*out != NO_COLUMN)
        return F0T_OK;
    if (is_number(column, out) && *out >= 1 && (size_t)*out <= count) {
        --*out;
        return F0T_OK;
    }
    return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: has no column '%s'; %s", f0t_stream_name(t->stream),
                    column,
                    header ? "a name of the header or a number from 1 is expected"
                           : "a number from 1 is expected where there is no header");
}

/* The first of these names that the header has, else `otherwise`. */
static long guess_column(const f0t_csv_cell *header, size_t count, const char *const *names,
                         long otherwise)
{
    for (; header && *names; names++) {
        long found = find_name(header, count, *names);
        if (found != NO_COLUMN)
            return found;
    }
    return otherwise;
}

static f0t_status choose_columns(reading *t, const f0t_csv_cell *header, size_t count)
{
    static const char *const image_names[] = {"image", "path",       "file",     "filename",
                                              "id",    "image_path", "image_id", NULL};
    static const char *const tags_names[] = {"tags",     "tag",     "labels", "label",
                                             "keywords", "keyword", NULL};
    static const char *const split_names[] = {"split", NULL};
    const f0t_import_options *o = t->options;
    t->image = guess_column(header, count, image_names, 0);
    t->tags = guess_column(header, count, tags_names, t->image == 1 ? 0 : 1);
    t->split = guess_column(header, count, split_names, NO_COLUMN);
    if (o->image_column)
        F0T_TRY(find_column(t, header, count, o->image_column, &t->image));
    if (o->tags_column)
        F0T_TRY(find_column(t, header, count, o->tags_column, &t->tags));
    if (o->split_column)
        F0T_TRY(find_column(t, header, count, o->split_column, &t->split));
    if (o->tag_columns)
        t->tags = NO_COLUMN;
    if (count < 2)
        return fail_at(t, "%s", "has one column; is the delimiter right?");
    if (t->image == t->tags || t->image == t->split || (t->tags == t->split && t->tags >= 0))
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "%s: image, tags and split must be three columns; say which they are",
                        f0t_stream_name(t->stream));
    return F0T_OK;
}

static bool is_name(const char *column)
{
    long number;
    return column && !is_number(column, &number);
}

/* Chooses the columns by the first record; *header says whether it is one. A record with a picture's
 * name among the images is none, unless the options name a column of it. */
static f0t_status read_first(reading *t, const f0t_csv_cell *cells, size_t count, bool *header)
{
    const f0t_import_options *o = t->options;
    *header = !o->no_header;
    F0T_TRY(choose_columns(t, *header ? cells : NULL, count));
    if (o->no_header || o->tag_columns || is_name(o->image_column) || is_name(o->tags_column) ||
        is_name(o->split_column) || !f0t_path_is_picture(cells[t->image].text))
        return F0T_OK;
    *header = false;
    t->bare = true;
    return choose_columns(t, NULL, count);
}

static bool is_tag_column(const reading *t, size_t i)
{
    return (long)i != t->image && (long)i != t->split;
}

/* The names of the columns become tags. */
static f0t_status enter_tag_columns(reading *t, const f0t_csv_cell *header, size_t count)
{
    bool found;
    F0T_TRY(f0t_alloc_zero(&t->column_tags, count, sizeof *t->column_tags));
    for (size_t i = 0; i < count; i++) {
        if (!is_tag_column(t, i))
            continue;
        F0T_TRY(f0t_collection_tag(&t->column_tags[i], &found, &t->to->collection, header[i].text,
                                   header[i].length));
        if (!found)
            return fail_at(t, "column %zu has no name", i + 1);
    }
    return F0T_OK;
}

/* ---- Records --------------------------------------------------------------------------------- */

static f0t_status add_pair(reading *t, uint32_t image, uint32_t tag)
{
    F0T_TRY(f0t_grow(&t->pair_image, &t->pair_image_capacity, t->pairs, 1, sizeof *t->pair_image));
    F0T_TRY(f0t_grow(&t->pair_tag, &t->pair_tag_capacity, t->pairs, 1, sizeof *t->pair_tag));
    t->pair_image[t->pairs] = image;
    t->pair_tag[t->pairs++] = tag;
    return F0T_OK;
}

static f0t_status read_tags_cell(reading *t, uint32_t image, const f0t_csv_cell *cell)
{
    const char *at = cell->text, *end = at + cell->length;
    const size_t width = strlen(t->separator);
    t->divided += memmem(at, cell->length, t->separator, width) != NULL;
    while (at < end) {
        const char *next = memmem(at, (size_t)(end - at), t->separator, width);
        const char *stop = next ? next : end;
        uint32_t tag;
        bool found;
        f0t_status status =
            f0t_collection_tag(&tag, &found, &t->to->collection, at, (size_t)(stop - at));
        if (status == F0T_ERROR_FORMAT)
            return f0t_fail_prefix(status, "%s:%llu: ", f0t_stream_name(t->stream),
                                   (unsigned long long)f0t_csv_line(t->csv));
        F0T_TRY(status);
        if (found)
            F0T_TRY(add_pair(t, image, tag));
        at = stop + width;
    }
    return F0T_OK;
}

static f0t_status read_tag_columns(reading *t, uint32_t image, const f0t_csv_cell *cells,
                                   size_t count)
{
    size_t unused = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_tag_column(t, i))
            continue;
        if (cell_is(&cells[i], "1") || cell_is(&cells[i], "true") || cell_is(&cells[i], "1.0"))
            F0T_TRY(add_pair(t, image, t->column_tags[i]));
        else if (!cell_is(&cells[i], "0") && !cell_is(&cells[i], "") &&
                 !cell_is(&cells[i], "false") && !cell_is(&cells[i], "0.0"))
            return fail_at(t, "column %zu: '%.40s': 0 or 1 is expected", i + 1, cells[i].text);
        else
            unused += cells[i].length + 1;
    }
    f0t_stream_let_go(t->stream, unused);
    return F0T_OK;
}

static f0t_status read_split(reading *t, uint32_t image, const f0t_csv_cell *cell)
{
    static const struct {
        const char *word;
        uint8_t split;
    } words[] = {{"train", F0T_TRAIN},    {"val", F0T_VAL}, {"valid", F0T_VAL},
                 {"validation", F0T_VAL}, {"dev", F0T_VAL}, {"test", F0T_TEST}};
    size_t i = 0, n = sizeof words / sizeof *words;
    while (i < n && !cell_is(cell, words[i].word))
        i++;
    if (i == n)
        return fail_at(t, "column %ld: '%.40s': train, val or test is expected", t->split + 1,
                       cell->text);
    if (t->to->splits[image] != NO_SPLIT && t->to->splits[image] != words[i].split)
        return fail_at(t, "'%.100s' had another split before",
                       f0t_names_get(&t->to->images, image));
    t->to->splits[image] = words[i].split;
    return F0T_OK;
}

/* The number of the record's image: a new one, or one that was there before. */
static f0t_status read_image(reading *t, const f0t_csv_cell *cell, uint32_t *image)
{
    char *name =
        (char *)(uintptr_t)cell->text; /* the reader's own buffer, which it gives up next */
    const char *text = name;
    size_t length = cell->length;
    bool added;
    for (char *c = name; *c; c++)
        if (*c == '\\')
            *c = '/';
    f0t_text_trim(&text, &length);
    for (; length > 2 && text[0] == '.' && text[1] == '/'; text += 2) /* as find prints them */
        length -= 2;
    if (!length || f0t_text_fault(text, length) || memchr(text, '\t', length))
        return fail_at(t, "column %ld: a path or an id is expected", t->image + 1);
    F0T_TRY(f0t_names_add(image, &added, &t->to->images, text, length));
    t->to->merged += !added;
    F0T_TRY(f0t_grow(&t->to->splits, &t->splits_capacity, *image, 1, 1));
    if (added)
        t->to->splits[*image] = NO_SPLIT;
    return F0T_OK;
}

static f0t_status read_record(reading *t, const f0t_csv_cell *cells, size_t count)
{
    uint32_t image;
    F0T_TRY(read_image(t, &cells[t->image], &image));
    if (t->split != NO_COLUMN)
        F0T_TRY(read_split(t, image, &cells[t->split]));
    if (t->column_tags)
        return read_tag_columns(t, image, cells, count);
    return read_tags_cell(t, image, &cells[t->tags]);
}

static f0t_status read_records(reading *t)
{
    f0t_stage stage = f0t_stage_begin(f0t_context_monitor(NULL), "reading the table", "bytes",
                                      f0t_stream_size(t->stream));
    const f0t_csv_cell *cells;
    size_t count;
    for (bool first = true;; first = false) {
        F0T_TRY(f0t_csv_next(&cells, &count, t->csv));
        if (!count)
            break;
        bool header = false;
        if (first)
            F0T_TRY(read_first(t, cells, count, &header));
        if (first && t->options->tag_columns)
            F0T_TRY(enter_tag_columns(t, cells, count));
        if (!header)
            F0T_TRY(read_record(t, cells, count));
        F0T_TRY(f0t_stage_update(&stage, f0t_stream_position(t->stream)));
    }
    f0t_stage_end(&stage);
    if (!f0t_names_count(&t->to->images))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has no images", f0t_stream_name(t->stream));
    return F0T_OK;
}

/* ---- By image -------------------------------------------------------------------------------- */

/* A counting sort keeps the order of an image's tags. */
static f0t_status sort_pairs(const reading *t)
{
    f0t_csv_table *to = t->to;
    const size_t images = f0t_names_count(&to->images);
    F0T_TRY(f0t_alloc_zero(&to->starts, images + 2, sizeof *to->starts));
    F0T_TRY(f0t_alloc(&to->tags, t->pairs, sizeof *to->tags));
    for (size_t i = 0; i < t->pairs; i++)
        to->starts[t->pair_image[i] + 2]++;
    for (size_t m = 0; m < images; m++)
        to->starts[m + 2] += to->starts[m + 1];
    for (size_t i = 0; i < t->pairs; i++)
        to->tags[to->starts[t->pair_image[i] + 1]++] = t->pair_tag[i];
    return F0T_OK;
}

/* ---- The separator of tags ------------------------------------------------------------------- */

/* What tables have between tags, the likeliest first. */
static const char *const separators[] = {";", "|", ","};
enum { SEPARATORS = sizeof separators / sizeof *separators, LOOKED_AT = 1000, PIPE_MOST = 1 << 30 };

/* How often the tags of the first lines have each of them. */
typedef struct habits {
    size_t cells, with[SEPARATORS];
    char example[80]; /* a cell with a comma */
} habits;

static void look_at(habits *seen, const f0t_csv_cell *cell)
{
    seen->cells += cell->length > 0;
    for (size_t i = 0; i < SEPARATORS; i++) {
        if (!memmem(cell->text, cell->length, separators[i], 1))
            continue;
        if (i == SEPARATORS - 1 && !seen->with[i]) {
            snprintf(seen->example, sizeof seen->example, "%s", cell->text);
            f0t_line_clean(seen->example, cell->length >= sizeof seen->example);
        }
        seen->with[i]++;
    }
}

static f0t_status look_ahead(reading *t, habits *seen)
{
    const f0t_csv_cell *cells;
    size_t count;
    for (size_t line = 0; line < LOOKED_AT; line++) {
        F0T_TRY(f0t_csv_next(&cells, &count, t->csv));
        if (!count)
            break;
        bool header = false;
        if (line == 0)
            F0T_TRY(read_first(t, cells, count, &header));
        if (!header)
            look_at(seen, &cells[t->tags]);
    }
    return F0T_OK;
}

/* The first that a cell has, but for '|' and ',' only where they are no part of a few names ("Paris,
 * France"): where a fifth of the cells have them. */
static const char *choose_separator(const habits *seen)
{
    for (size_t i = 0; i < SEPARATORS; i++)
        if (seen->with[i] && (i == 0 || 5 * seen->with[i] >= seen->cells))
            return separators[i];
    return separators[0];
}

/* The separator is found out from the bytes that are read after it: of a pipe they are kept. */
static f0t_status keep_pipe(reading *t, const char *path)
{
    return f0t_path_is_file(path) ? F0T_OK
                                  : f0t_file_read(&t->whole, &t->whole_size, path, PIPE_MOST,
                                                  f0t_context_monitor(NULL));
}

static f0t_status find_separator(reading *t, const char *path)
{
    habits seen = {0};
    t->separator = t->options->separator;
    if (t->separator || t->options->tag_columns)
        return F0T_OK;
    F0T_TRY(keep_pipe(t, path));
    f0t_status status = open_table(t, path);
    if (status == F0T_OK)
        status = look_ahead(t, &seen);
    close_table(t);
    F0T_TRY(status);
    t->separator = choose_separator(&seen);
    if (t->separator[0] == ',' || !seen.with[SEPARATORS - 1])
        return F0T_OK;
    return f0t_import_report_say(t->report, seen.with[SEPARATORS - 1],
                                 "{cell of tags has|cells of tags have} a comma, which is taken as "
                                 "part of a tag, unless it is the separator",
                                 seen.example);
}

static f0t_status say_separator(const reading *t)
{
    char what[120];
    if (t->options->separator || t->options->tag_columns || t->separator[0] == ';')
        return F0T_OK;
    snprintf(what, sizeof what,
             "{cell of tags is|cells of tags are} divided at '%s', unless a separator is given",
             t->separator);
    return f0t_import_report_say(t->report, t->divided, what, NULL);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static f0t_status read_all(reading *t, const char *path)
{
    const f0t_import_options *o = t->options;
    if (o->tag_columns && (o->no_header || o->tags_column || o->separator))
        return f0t_fail(F0T_ERROR_ARGUMENT, "with one column per tag the header names the tags");
    if (o->separator && !*o->separator)
        return f0t_fail(F0T_ERROR_ARGUMENT, "the separator of tags is empty");
    F0T_TRY(find_separator(t, path));
    F0T_TRY(open_table(t, path));
    F0T_TRY(read_records(t));
    F0T_TRY(f0t_import_report_say(t->report, t->bare,
                                  "table has no header: its first line names a picture", NULL));
    F0T_TRY(say_separator(t));
    t->to->has_split = t->split != NO_COLUMN;
    return sort_pairs(t);
}

f0t_status f0t_csv_table_load(f0t_csv_table *table, const char *path,
                              const f0t_import_options *options, const f0t_synonym_index *synonyms,
                              f0t_import_report *report)
{
    reading t = {.to = table, .options = options, .report = report};
    *table = (f0t_csv_table){.collection.synonyms = synonyms};
    f0t_status status = read_all(&t, path);
    release(&t);
    return status;
}

void f0t_csv_table_free(f0t_csv_table *table)
{
    f0t_names_free(&table->images);
    f0t_collection_free(&table->collection);
    f0t_free(table->splits);
    f0t_free(table->starts);
    f0t_free(table->tags);
    *table = (f0t_csv_table){0};
}

/* ---- The import ------------------------------------------------------------------------------ */

static f0t_status end_row(f0t_csv_table *t, size_t m)
{
    const char *name = f0t_names_get(&t->images, m);
    return f0t_collection_end_row(&t->collection, name, strlen(name),
                                  t->has_split ? t->splits[m] : -1);
}

static f0t_status add_rows(f0t_csv_table *t)
{
    for (size_t m = 0; m < f0t_names_count(&t->images); m++) {
        for (size_t i = t->starts[m]; i < t->starts[m + 1]; i++)
            F0T_TRY(f0t_rows_add(&t->collection.rows, t->tags[i]));
        F0T_TRY(end_row(t, m));
    }
    return F0T_OK;
}

static bool has_paths(const f0t_hierarchy *hierarchy)
{
    return f0t_names_count(&hierarchy->roots) > 0;
}

/* The tags of image m, of which some are paths. */
static f0t_status add_path_row(f0t_csv_table *t, f0t_hierarchy *hierarchy, const f0t_names *given,
                               size_t m)
{
    f0t_texts keywords = {0};
    f0t_status status = F0T_OK;
    for (size_t i = t->starts[m]; i < t->starts[m + 1] && status == F0T_OK; i++) {
        const char *tag = f0t_names_get(given, t->tags[i]);
        status = f0t_texts_add(&keywords, tag, strlen(tag));
    }
    if (status == F0T_OK)
        status = f0t_hierarchy_add(hierarchy, &t->collection, &keywords);
    f0t_texts_free(&keywords);
    return status == F0T_OK ? end_row(t, m) : status;
}

/* The same where some of the tags are paths: the collection has those that they give instead. */
static f0t_status add_path_rows(f0t_csv_table *t, f0t_hierarchy *hierarchy)
{
    f0t_names given = t->collection.tags;
    f0t_status status = F0T_OK;
    t->collection.tags = (f0t_names){0};
    for (size_t m = 0; m < f0t_names_count(&t->images) && status == F0T_OK; m++)
        status = add_path_row(t, hierarchy, &given, m);
    f0t_names_free(&given);
    return status == F0T_OK ? f0t_hierarchy_end(hierarchy, &t->collection) : status;
}

static f0t_status make_rows(f0t_csv_table *t, bool levels)
{
    f0t_hierarchy hierarchy = {.levels = levels};
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < f0t_names_count(&t->collection.tags) && status == F0T_OK; i++)
        status = f0t_hierarchy_see(&hierarchy, f0t_names_get(&t->collection.tags, i));
    if (status == F0T_OK)
        status = has_paths(&hierarchy) ? add_path_rows(t, &hierarchy) : add_rows(t);
    f0t_hierarchy_free(&hierarchy);
    return status;
}

static f0t_status run(f0t_import_job *job, f0t_csv_table *t)
{
    F0T_TRY(f0t_csv_table_load(t, job->sources[0], job->options, &job->synonyms, job->report));
    F0T_TRY(f0t_import_report_say(
        job->report, t->merged,
        "{line belongs|lines belong} to an image of a line before and {is|are} merged", NULL));
    F0T_TRY(make_rows(t, f0t_import_learns_levels(job)));
    return f0t_import_finish(job, &t->collection, NULL);
}

f0t_status f0t_import_csv(f0t_import_job *job)
{
    f0t_csv_table t;
    f0t_status status = run(job, &t);
    f0t_csv_table_free(&t);
    return status;
}
