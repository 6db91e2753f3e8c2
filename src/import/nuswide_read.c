/* The text files of NUS-WIDE as they stand: the images and words that they list, and their marks. */
#include "import/nuswide.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "io/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
