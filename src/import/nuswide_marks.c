/* Which image of NUS-WIDE has which concepts and tags: the rows of its files, by image. */
#include "import/nuswide.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "io/text.h"

#include <stdlib.h>
#include <string.h>

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
