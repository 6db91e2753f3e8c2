/* The text files of NUS-WIDE: where they are, the images and words that they list, and which image
 * has which. */
#include "import/nuswide.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "io/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Files ----------------------------------------------------------------------------------- */

enum { DEEPEST = 4, NAME_LONGEST = 256 };

static f0t_status scan(f0t_nus_files *files, const char *folder, int depth);

static size_t lower(char *to, const char *name)
{
    size_t n = 0;
    for (; name[n] && n < NAME_LONGEST - 1; n++)
        to[n] = name[n] >= 'A' && name[n] <= 'Z' ? (char)(name[n] + 32) : name[n];
    to[n] = '\0';
    return n;
}

/* Of two files with one name the first counts: that nearer to the top, then by alphabet. */
static f0t_status enter(f0t_nus_files *files, const char *path, const char *name)
{
    char key[NAME_LONGEST];
    uint32_t index;
    size_t n = lower(key, name);
    if (n < 4 || (strcmp(key + n - 4, ".txt") != 0 && strcmp(key + n - 4, ".dat") != 0))
        return F0T_OK;
    if (f0t_names_find(&index, &files->names, key, n))
        return F0T_OK;
    F0T_TRY(f0t_texts_add(&files->paths, path, strlen(path)));
    return f0t_names_add(&index, NULL, &files->names, key, n);
}

static f0t_status visit(f0t_nus_files *files, const char *folder, const struct dirent *entry,
                        bool folders, int depth)
{
    char *path;
    if (entry->d_name[0] == '.' || (entry->d_type == DT_REG && folders) ||
        (entry->d_type == DT_DIR && !folders))
        return F0T_OK;
    F0T_TRY(f0t_path_join(&path, folder, entry->d_name));
    bool is_folder =
        entry->d_type == DT_DIR || (entry->d_type != DT_REG && f0t_path_is_folder(path));
    f0t_status status = F0T_OK;
    if (is_folder && folders && depth < DEEPEST)
        status = scan(files, path, depth + 1);
    else if (!is_folder && !folders)
        status = enter(files, path, entry->d_name);
    f0t_free(path);
    return status;
}

/* The files of a folder come before those of the folders in it. */
static f0t_status scan(f0t_nus_files *files, const char *folder, int depth)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0)
        return f0t_fail_errno(errno, "%s", folder);
    f0t_status status = F0T_OK;
    for (int i = 0; i < count && status == F0T_OK; i++)
        status = visit(files, folder, entries[i], false, depth);
    for (int i = 0; i < count && status == F0T_OK; i++)
        status = visit(files, folder, entries[i], true, depth);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return status;
}

f0t_status f0t_nus_files_scan(f0t_nus_files *files, const char *root)
{
    files->root = root;
    return scan(files, root, 0);
}

void f0t_nus_files_free(f0t_nus_files *files)
{
    f0t_names_free(&files->names);
    f0t_texts_free(&files->paths);
}

f0t_status f0t_nus_files_open(f0t_stream **out, const f0t_nus_files *files, const char *path)
{
    F0T_TRY(f0t_stream_open(out, path));
    f0t_stream_watch(*out, files->monitor);
    return F0T_OK;
}

const char *f0t_nus_files_find(const f0t_nus_files *files, const char *format, ...)
{
    static const char *const endings[] = {".txt", ".dat"};
    char name[NAME_LONGEST - 4], key[NAME_LONGEST];
    uint32_t index;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(name, sizeof name, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof name)
        return NULL;
    size_t length = lower(key, name);
    for (size_t i = 0; i < 2; i++) {
        memcpy(key + length, endings[i], 5);
        if (f0t_names_find(&index, &files->names, key, length + 4))
            return f0t_texts_get(&files->paths, index);
    }
    return NULL;
}

/* ---- Images and words ------------------------------------------------------------------------ */

void f0t_nus_photo_id(size_t *start, size_t *length, const char *text)
{
    const char *base = text;
    for (const char *c = text; *c; c++)
        if (*c == '/' || *c == '_')
            base = c + 1;
    const char *dot = strchr(base, '.');
    *start = (size_t)(base - text);
    *length = dot ? (size_t)(dot - base) : strlen(base);
}

f0t_status f0t_nus_read_words(f0t_names *words, f0t_stream *stream)
{
    const char *line;
    size_t length;
    uint32_t index;
    bool added;
    for (;;) {
        F0T_TRY(f0t_text_line_trimmed(&line, &length, stream));
        if (!line)
            return F0T_OK;
        if (!length)
            continue;
        if (memchr(line, '\t', length))
            return f0t_text_fail(stream, "'%.40s': one word per line is expected", line);
        F0T_TRY(f0t_names_add(&index, &added, words, line, length));
        if (!added)
            return f0t_text_fail(stream, "'%.*s' is there twice", (int)length, line);
    }
}

/* The line with slashes, in place: a stream's line may be written to. */
static void turn_slashes(const char *line, size_t length)
{
    char *text = (char *)(uintptr_t)line;
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\\')
            text[i] = '/';
}

f0t_status f0t_nus_read_list(uint32_t **order, size_t *count, f0t_stream *stream, f0t_names *names,
                             bool known)
{
    const char *line;
    size_t length, capacity = 0;
    uint32_t index;
    bool added;
    for (*count = 0;; ++*count) {
        do {
            F0T_TRY(f0t_text_line_trimmed(&line, &length, stream));
            if (!line)
                return F0T_OK;
        } while (!length);
        turn_slashes(line, length);
        if (memchr(line, '\t', length))
            return f0t_text_fail(stream, "'%.60s': one path per line is expected", line);
        if (known && !f0t_names_find(&index, names, line, length))
            return f0t_text_fail(stream, "'%.*s' is not in Imagelist.txt", (int)length, line);
        if (!known) {
            F0T_TRY(f0t_names_add(&index, &added, names, line, length));
            if (!added)
                return f0t_text_fail(stream, "'%.*s' is there twice", (int)length, line);
        }
        if (order) {
            F0T_TRY(f0t_grow(order, &capacity, *count, 1, sizeof **order));
            (*order)[*count] = index;
        }
    }
}

static f0t_status read_file(const f0t_nus_files *files, const char *path, f0t_names *names,
                            bool known, uint32_t **order, size_t *count)
{
    f0t_stream *stream;
    F0T_TRY(f0t_nus_files_open(&stream, files, path));
    f0t_status status = f0t_nus_read_list(order, count, stream, names, known);
    f0t_stream_close(stream);
    return status;
}

/* Every image is train or test, or neither, and in its list once. */
static f0t_status set_split(f0t_nus_images *images)
{
    size_t count = f0t_names_count(&images->all);
    F0T_TRY(f0t_alloc(&images->split, count, 1));
    memset(images->split, F0T_NUS_NO_PART, count);
    for (size_t p = 0; p < F0T_NUS_PARTS; p++)
        for (size_t i = 0; i < images->counts[p]; i++) {
            uint8_t *split = &images->split[images->parts[p][i]];
            if (*split != F0T_NUS_NO_PART)
                return f0t_fail(F0T_ERROR_FORMAT,
                                "'%s' is in TrainImagelist.txt and TestImagelist.txt, or twice",
                                f0t_names_get(&images->all, images->parts[p][i]));
            *split = p ? F0T_TEST : F0T_TRAIN;
        }
    return F0T_OK;
}

f0t_status f0t_nus_images_read(f0t_nus_images *images, const f0t_nus_files *files)
{
    static const char *const names[F0T_NUS_PARTS] = {"TrainImagelist", "TestImagelist"};
    const char *all = f0t_nus_files_find(files, "Imagelist");
    size_t count;
    if (all)
        F0T_TRY(read_file(files, all, &images->all, false, NULL, &count));
    for (size_t p = 0; p < F0T_NUS_PARTS; p++) {
        const char *path = f0t_nus_files_find(files, "%s", names[p]);
        if (!path)
            return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: has no file %s.txt: is it NUS-WIDE's folder?",
                            files->root, names[p]);
        F0T_TRY(read_file(files, path, &images->all, all != NULL, &images->parts[p],
                          &images->counts[p]));
    }
    return set_split(images);
}

void f0t_nus_images_free(f0t_nus_images *images)
{
    f0t_names_free(&images->all);
    for (size_t p = 0; p < F0T_NUS_PARTS; p++)
        f0t_free(images->parts[p]);
    f0t_free(images->split);
}

/* ---- Marks as the files have them ------------------------------------------------------------ */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Most of a matrix is "0\t0\t0\t…": how many bytes of it, 16 at a time, begin here. */
static size_t skip_zeros(const char *at, const char *end)
{
    static const char tabs[17] = "0\t0\t0\t0\t0\t0\t0\t0\t", blanks[17] = "0 0 0 0 0 0 0 0 ";
    const char *start = at, *pattern = end - at > 1 && at[1] == ' ' ? blanks : tabs;
    while (end - at >= 16 && !memcmp(at, pattern, 16))
        at += 16;
    return (size_t)(at - start);
}

static f0t_status read_row(f0t_stream *stream, f0t_rows *rows, size_t columns, const char *at,
                           size_t length)
{
    const char *end = at + length;
    size_t column = 0;
    for (;;) {
        while (at < end && is_blank(*at))
            at++;
        size_t zeros = skip_zeros(at, end);
        at += zeros;
        column += zeros / 2;
        f0t_stream_let_go(stream, zeros);
        if (zeros)
            continue;
        if (at == end)
            break;
        if ((*at != '0' && *at != '1') || (at + 1 < end && !is_blank(at[1])))
            return f0t_text_fail(stream, "column %zu: 0 or 1 is expected", column + 1);
        if (column >= columns)
            break;
        if (*at == '1')
            F0T_TRY(f0t_rows_add(rows, (uint32_t)column));
        column++;
        at++;
    }
    if (column != columns || at != end)
        return f0t_text_fail(stream, "%s%zu columns, %zu are expected", at != end ? "over " : "",
                             column, columns);
    return f0t_rows_end(rows);
}

f0t_status f0t_nus_read_matrix(f0t_rows *rows, f0t_stream *stream, size_t columns,
                               const f0t_monitor *monitor)
{
    f0t_stage stage =
        f0t_stage_begin(monitor, f0t_stream_name(stream), "bytes", f0t_stream_size(stream));
    char *line;
    size_t length;
    for (;;) {
        F0T_TRY(f0t_stream_line(&line, &length, stream));
        if (!line)
            break;
        if (!length)
            continue;
        F0T_TRY(read_row(stream, rows, columns, line, length));
        if (rows->count % 256 == 0)
            F0T_TRY(f0t_stage_update(&stage, f0t_stream_position(stream)));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

f0t_status f0t_nus_read_column(uint8_t *column, f0t_stream *stream, size_t stride, size_t count)
{
    char *line;
    size_t length, i = 0;
    for (;;) {
        F0T_TRY(f0t_stream_line(&line, &length, stream));
        if (!line)
            break;
        const char *text = line;
        f0t_text_trim(&text, &length);
        if (!length)
            continue;
        if (length != 1 || (*text != '0' && *text != '1'))
            return f0t_text_fail(stream, "'%.*s': 0 or 1 is expected",
                                 length < 40 ? (int)length : 40, text);
        if (i < count)
            column[i * stride] = *text == '1';
        i++;
    }
    if (i != count)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s has %zu lines, but its image list has %zu images",
                        f0t_stream_name(stream), i, count);
    return F0T_OK;
}

/* ---- Raw tags as the file has them ----------------------------------------------------------- */

/* Words of the line from `at` on; what is not in the list may be of any bytes. */
static f0t_status read_raw_row(f0t_rows *rows, const f0t_names *words, const char *at,
                               const char *end, uint64_t *others)
{
    while (at < end) {
        const char *start = at;
        uint32_t index;
        while (at < end && !is_blank(*at))
            at++;
        if (at > start) {
            if (f0t_names_find(&index, words, start, (size_t)(at - start)))
                F0T_TRY(f0t_rows_add(rows, index));
            else
                ++*others;
        }
        at++;
    }
    return f0t_rows_end(rows);
}

f0t_status f0t_nus_read_raw(f0t_texts *ids, f0t_rows *rows, uint64_t *others, f0t_stream *stream,
                            const f0t_names *words, const f0t_monitor *monitor)
{
    f0t_stage stage =
        f0t_stage_begin(monitor, f0t_stream_name(stream), "bytes", f0t_stream_size(stream));
    char *line;
    size_t length;
    for (;;) {
        F0T_TRY(f0t_stream_line(&line, &length, stream));
        if (!line)
            break;
        const char *text = line;
        f0t_text_trim(&text, &length);
        if (!length)
            continue;
        size_t id = 0;
        while (id < length && !is_blank(text[id]))
            id++;
        F0T_TRY(f0t_texts_add(ids, text, id));
        F0T_TRY(read_raw_row(rows, words, text + id, text + length, others));
        if (rows->count % 256 == 0)
            F0T_TRY(f0t_stage_update(&stage, f0t_stream_position(stream)));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

/* ---- Marks by image -------------------------------------------------------------------------- */

static const uint32_t NONE = UINT32_MAX;
static const char *const parts[F0T_NUS_PARTS] = {"Train", "Test"};

void f0t_nus_marks_free(f0t_nus_marks *marks)
{
    f0t_rows_free(&marks->rows);
    f0t_free(marks->row_of);
}

const uint32_t *f0t_nus_marks_get(size_t *count, const f0t_nus_marks *marks, size_t m)
{
    size_t row = marks->row_of ? marks->row_of[m] : m;
    *count = 0;
    return row == NONE ? NULL : f0t_rows_get(count, &marks->rows, row);
}

/* Rows are those of the train list, then those of the test list. */
static f0t_status order_by_part(f0t_nus_marks *marks, const f0t_nus_images *images)
{
    size_t count = f0t_names_count(&images->all), row = 0;
    F0T_TRY(f0t_alloc(&marks->row_of, count, sizeof *marks->row_of));
    for (size_t m = 0; m < count; m++)
        marks->row_of[m] = NONE;
    for (size_t p = 0; p < F0T_NUS_PARTS; p++)
        for (size_t i = 0; i < images->counts[p]; i++)
            marks->row_of[images->parts[p][i]] = (uint32_t)row++;
    return F0T_OK;
}

/* ---- Concepts -------------------------------------------------------------------------------- */

static f0t_status read_column(const f0t_nus_files *files, const char *name, const char *ending,
                              uint8_t *column, size_t stride, size_t count)
{
    const char *path = f0t_nus_files_find(files, "Labels_%s%s", name, ending);
    f0t_stream *stream;
    if (!path)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: has no file Labels_%s%s.txt", files->root, name,
                        ending);
    F0T_TRY(f0t_nus_files_open(&stream, files, path));
    f0t_status status = f0t_nus_read_column(column, stream, stride, count);
    f0t_stream_close(stream);
    return status;
}

static f0t_status read_concept(uint8_t *matrix, const f0t_nus_files *files,
                               const f0t_nus_images *images, const f0t_names *concepts, size_t c,
                               bool by_part)
{
    const char *name = f0t_names_get(concepts, c);
    size_t stride = f0t_names_count(concepts), train = images->counts[0];
    if (!by_part)
        return read_column(files, name, "", matrix + c, stride, f0t_names_count(&images->all));
    F0T_TRY(read_column(files, name, "_Train", matrix + c, stride, train));
    return read_column(files, name, "_Test", matrix + train * stride + c, stride,
                       images->counts[1]);
}

static f0t_status to_rows(f0t_rows *rows, const uint8_t *matrix, size_t count, size_t columns)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < columns; c++)
            if (matrix[i * columns + c])
                F0T_TRY(f0t_rows_add(rows, (uint32_t)c));
        F0T_TRY(f0t_rows_end(rows));
    }
    return F0T_OK;
}

static f0t_status read_concepts(f0t_nus_marks *marks, const f0t_nus_files *files,
                                const f0t_nus_images *images, const f0t_names *concepts,
                                bool by_part, f0t_stage *stage)
{
    size_t columns = f0t_names_count(concepts);
    size_t count = by_part ? images->counts[0] + images->counts[1] : f0t_names_count(&images->all);
    uint8_t *matrix;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_alloc(&matrix, count, columns));
    for (size_t c = 0; c < columns && status == F0T_OK; c++) {
        status = f0t_stage_update(stage, c);
        if (status == F0T_OK)
            status = read_concept(matrix, files, images, concepts, c, by_part);
    }
    if (status == F0T_OK)
        status = to_rows(&marks->rows, matrix, count, columns);
    f0t_free(matrix);
    return status;
}

f0t_status f0t_nus_concepts_read(f0t_nus_marks *marks, bool *found, const f0t_nus_files *files,
                                 const f0t_nus_images *images, const f0t_names *concepts)
{
    const char *first = f0t_names_get(concepts, 0);
    f0t_stage stage = f0t_stage_begin(files->monitor, "reading the ground truth", "concepts",
                                      f0t_names_count(concepts));
    bool by_part = !f0t_nus_files_find(files, "Labels_%s", first);
    *found = !by_part || f0t_nus_files_find(files, "Labels_%s_Train", first);
    if (!*found)
        return F0T_OK;
    F0T_TRY(read_concepts(marks, files, images, concepts, by_part, &stage));
    f0t_stage_end(&stage);
    return by_part ? order_by_part(marks, images) : F0T_OK;
}

/* ---- The 1,000 tags -------------------------------------------------------------------------- */

static f0t_status read_matrix(const f0t_nus_files *files, const char *path, f0t_rows *rows,
                              size_t columns, size_t want)
{
    f0t_stream *stream;
    size_t before = rows->count;
    F0T_TRY(f0t_nus_files_open(&stream, files, path));
    f0t_status status = f0t_nus_read_matrix(rows, stream, columns, files->monitor);
    f0t_stream_close(stream);
    if (status == F0T_OK && rows->count - before != want)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s has %zu lines, but its image list has %zu images",
                        path, rows->count - before, want);
    return status;
}

f0t_status f0t_nus_tags_read(f0t_nus_marks *marks, bool *found, const f0t_nus_files *files,
                             const f0t_nus_images *images, const f0t_names *tags)
{
    const char *all = f0t_nus_files_find(files, "AllTags1k"), *paths[F0T_NUS_PARTS];
    size_t columns = f0t_names_count(tags);
    *found = true;
    if (all)
        return read_matrix(files, all, &marks->rows, columns, f0t_names_count(&images->all));
    for (size_t p = 0; p < F0T_NUS_PARTS; p++) {
        paths[p] = f0t_nus_files_find(files, "%s_Tags1k", parts[p]);
        *found &= paths[p] != NULL;
    }
    for (size_t p = 0; p < F0T_NUS_PARTS && *found; p++)
        F0T_TRY(read_matrix(files, paths[p], &marks->rows, columns, images->counts[p]));
    return *found ? order_by_part(marks, images) : F0T_OK;
}

/* ---- Raw tags -------------------------------------------------------------------------------- */

/* Which line of All_Tags.txt an id is on; of several the first. */
typedef struct id_table {
    f0t_texts ids; /* one per line */
    f0t_names names;
    uint32_t *lines; /* of each name */
    size_t capacity;
} id_table;

static f0t_status fill_table(id_table *table)
{
    uint32_t index;
    bool added;
    for (size_t i = 0; i < table->ids.count; i++) {
        F0T_TRY(f0t_names_add(&index, &added, &table->names, f0t_texts_get(&table->ids, i),
                              f0t_texts_length(&table->ids, i)));
        F0T_TRY(f0t_grow(&table->lines, &table->capacity, index, 1, sizeof *table->lines));
        if (added)
            table->lines[index] = (uint32_t)i;
    }
    return F0T_OK;
}

static void free_table(id_table *table)
{
    f0t_texts_free(&table->ids);
    f0t_names_free(&table->names);
    f0t_free(table->lines);
}

/* The file is in the order of Imagelist.txt; where it is not, the photo's id finds the line. */
static uint32_t find_line(const id_table *table, const char *image, size_t m)
{
    size_t start, length;
    uint32_t index;
    f0t_nus_photo_id(&start, &length, image);
    if (m < table->ids.count && f0t_texts_length(&table->ids, m) == length &&
        !memcmp(f0t_texts_get(&table->ids, m), image + start, length))
        return (uint32_t)m;
    return f0t_names_find(&index, &table->names, image + start, length) ? table->lines[index]
                                                                        : NONE;
}

static f0t_status order_by_id(f0t_nus_marks *marks, const f0t_nus_images *images, id_table *table,
                              f0t_import_job *job)
{
    size_t count = f0t_names_count(&images->all), lacking = 0, first = 0;
    F0T_TRY(fill_table(table));
    F0T_TRY(f0t_alloc(&marks->row_of, count, sizeof *marks->row_of));
    for (size_t m = 0; m < count; m++) {
        marks->row_of[m] = find_line(table, f0t_names_get(&images->all, m), m);
        if (marks->row_of[m] == NONE && !lacking++)
            first = m;
    }
    return f0t_import_report_say(job->report, lacking,
                                 "{image has|images have} no line in All_Tags.txt, so no raw tags",
                                 lacking ? f0t_names_get(&images->all, first) : NULL);
}

static f0t_status read_raw(f0t_nus_marks *marks, const f0t_nus_files *files, const char *path,
                           const f0t_names *words, f0t_texts *ids, f0t_import_job *job)
{
    uint64_t others = 0;
    f0t_stream *stream;
    F0T_TRY(f0t_nus_files_open(&stream, files, path));
    f0t_status status =
        f0t_nus_read_raw(ids, &marks->rows, &others, stream, words, f0t_context_monitor(NULL));
    f0t_stream_close(stream);
    F0T_TRY(status);
    return f0t_import_report_say(job->report, others,
                                 "raw {tag of All_Tags.txt is|tags of All_Tags.txt are} in no tag "
                                 "list and {is|are} left out",
                                 NULL);
}

f0t_status f0t_nus_raw_read(f0t_nus_marks *marks, bool *found, const f0t_nus_files *files,
                            const f0t_nus_images *images, const f0t_names *words,
                            f0t_import_job *job)
{
    const char *path = f0t_nus_files_find(files, "All_Tags");
    id_table table = {0};
    *found = path != NULL;
    if (!path)
        return F0T_OK;
    f0t_status status = read_raw(marks, files, path, words, &table.ids, job);
    if (status == F0T_OK)
        status = order_by_id(marks, images, &table, job);
    free_table(&table);
    return status;
}
