#include "io/vectors_block.h"

#include "base/alloc.h"
#include "io/vectors_text.h"

#include <stdio.h>
#include <string.h>

enum { PIECE_LEAST = 1 << 16, SHOWN_MOST = 40, SPARE = 64 };

void f0t_failure_keep(f0t_failure *failure, f0t_status status)
{
    failure->status = status;
    if (status != F0T_OK)
        snprintf(failure->message, sizeof failure->message, "%s", f0t_last_error());
}

f0t_status f0t_block_init(f0t_block *block, const f0t_stream *stream)
{
    uint64_t size = f0t_stream_is_packed(stream) ? 0 : f0t_stream_size(stream);
    block->capacity = size && size < F0T_BLOCK_SIZE - SPARE ? (size_t)size + SPARE : F0T_BLOCK_SIZE;
    return f0t_alloc(&block->text, block->capacity, 1);
}

f0t_status f0t_block_read(f0t_block *block, f0t_stream *stream, size_t held)
{
    size_t got;
    F0T_TRY(f0t_stream_read(stream, block->text + held, block->capacity - held, &got));
    block->size = held + got;
    block->begin = 0;
    block->last = block->size < block->capacity;
    return F0T_OK;
}

void f0t_block_clear(f0t_block *block)
{
    for (size_t i = 0; i < F0T_BLOCK_PIECES; i++)
        f0t_word_rows_clear(&block->pieces[i].rows);
    f0t_free(block->text);
    block->text = NULL;
}

/* ---- Cutting ----------------------------------------------------------------------------------
 */

/* The record at `p` of a binary file: a word, a space, `dim` numbers; a newline may stand before.
 * NULL when it is not whole; else what comes behind it. */
static const char *record_at(const char *p, const char *end, size_t dim, f0t_line *word)
{
    while (p < end && *p == '\n')
        p++;
    const char *space = memchr(p, ' ', (size_t)(end - p));
    if (!space || (size_t)(end - space) - 1 < dim * sizeof(float))
        return NULL;
    *word = (f0t_line){p, space};
    return space + 1 + dim * sizeof(float);
}

static const char *end_of_records(const f0t_block *block, const f0t_vectors_layout *layout,
                                  uint64_t *records)
{
    const char *p = block->text + block->begin, *end = block->text + block->size, *next;
    f0t_line word;
    while (*records < layout->rows && (next = record_at(p, end, layout->dim, &word))) {
        p = next;
        ++*records;
    }
    return p;
}

static const char *end_of_lines(const f0t_block *block)
{
    const char *begin = block->text + block->begin, *end = block->text + block->size;
    const char *newline = block->last ? NULL : memrchr(begin, '\n', (size_t)(end - begin));
    return block->last ? end : newline ? newline + 1 : begin;
}

/* Lines stay whole. */
static void cut_lines(f0t_block *block)
{
    const char *p = block->text + block->begin, *end = block->text + block->end;
    size_t most = (size_t)(end - p) / PIECE_LEAST;
    size_t count = most < 1 ? 1 : most > F0T_BLOCK_PIECES ? F0T_BLOCK_PIECES : most;
    size_t share = (size_t)(end - p) / count;
    for (size_t i = 0; i < count; i++) {
        const char *next = end;
        if (i + 1 < count && (size_t)(end - p) > share) {
            next = memchr(p + share, '\n', (size_t)(end - p) - share);
            next = next ? next + 1 : end;
        }
        block->pieces[i].begin = p;
        block->pieces[i].end = p = next;
    }
    block->piece_count = count;
}

f0t_status f0t_block_cut(f0t_block *block, const f0t_vectors_layout *layout, uint64_t *records)
{
    bool binary = layout->form == F0T_FORM_BINARY;
    const char *end = binary ? end_of_records(block, layout, records) : end_of_lines(block);
    block->end = (size_t)(end - block->text);
    if (block->end == block->begin && !block->last && !(binary && *records == layout->rows))
        return f0t_fail(F0T_ERROR_FORMAT, "a row of over %zu bytes", block->capacity);
    block->piece_count = 1;
    block->pieces[0].begin = block->text + block->begin;
    block->pieces[0].end = end;
    if (!binary)
        cut_lines(block);
    return F0T_OK;
}

/* ---- Parsing ----------------------------------------------------------------------------------
 */

static f0t_status parse_records(f0t_vectors_piece *piece, const f0t_vectors_layout *layout)
{
    size_t dim = layout->dim, row_size = dim * sizeof(float);
    const char *p = piece->begin, *next;
    f0t_line word;
    F0T_TRY(f0t_word_rows_reset(&piece->rows, dim, (size_t)(piece->end - p) / (row_size + 1) + 1));
    for (; (next = record_at(p, piece->end, dim, &word)); p = next) {
        piece->lines++;
        memcpy(f0t_word_rows_next(&piece->rows), next - row_size, row_size);
        f0t_word_rows_add(&piece->rows, word.begin, (size_t)(word.end - word.begin));
    }
    return F0T_OK;
}

static f0t_status fail_line(f0t_line_result result, f0t_line line, f0t_line bad, size_t dim)
{
    int length = bad.end - bad.begin > SHOWN_MOST ? SHOWN_MOST : (int)(bad.end - bad.begin);
    if (result == F0T_LINE_BAD)
        return f0t_fail(F0T_ERROR_FORMAT, "'%.*s' is not a number; the last %zu fields should be",
                        length, bad.begin, dim);
    return f0t_fail(F0T_ERROR_FORMAT, "has %zu numbers where %zu are wanted: is the file cut?",
                    f0t_line_numbers(line), dim);
}

/* `at_end` says that the file ends with this piece. */
static f0t_status parse_lines(f0t_vectors_piece *piece, const f0t_vectors_layout *layout,
                              bool at_end, bool tolerant)
{
    const char *p = piece->begin, *next;
    f0t_word_rows *rows = &piece->rows;
    f0t_line word, bad = {NULL, NULL};
    /* A number takes two bytes at least: a row cannot be shorter than 2 * dim. */
    F0T_TRY(
        f0t_word_rows_reset(rows, layout->dim, (size_t)(piece->end - p) / (2 * layout->dim) + 1));
    for (; p < piece->end; p = next) {
        f0t_line line = f0t_line_at(p, piece->end, &next);
        f0t_line_result result =
            f0t_line_parse(line, layout->dim, f0t_word_rows_next(rows), &word, &bad);
        piece->lines++;
        if (result == F0T_LINE_ROW)
            f0t_word_rows_add(rows, word.begin, (size_t)(word.end - word.begin));
        else if (result != F0T_LINE_BLANK && tolerant && at_end && next == piece->end)
            piece->cut = true;
        else if (result != F0T_LINE_BLANK)
            return fail_line(result, line, bad, layout->dim);
    }
    return F0T_OK;
}

void f0t_block_parse(f0t_block *block, size_t index, const f0t_vectors_layout *layout,
                     bool tolerant)
{
    f0t_vectors_piece *piece = &block->pieces[index];
    bool at_end = block->last && index + 1 == block->piece_count;
    piece->lines = 0;
    piece->cut = false;
    f0t_failure_keep(&piece->failure, layout->form == F0T_FORM_BINARY
                                          ? parse_records(piece, layout)
                                          : parse_lines(piece, layout, at_end, tolerant));
}
