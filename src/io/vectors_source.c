/* The rows of a file in blocks, parsed by all threads while the next block is read and the last one is
 * taken. */
#include "io/vectors_rows.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/team.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

/* ---- Blocks ----------------------------------------------------------------------------------- */

enum { BLOCK_SIZE = 8 << 20, BLOCK_PIECES = 16 };
enum { PIECE_LEAST = 1 << 16, SHOWN_MOST = 40, SPARE = 64 };

typedef struct text_piece {
    const char *begin, *end;
    f0t_word_rows rows;
    uint64_t lines; /* gone through; the last one is where a failure is */
    bool cut;       /* its last row was cut and left out */
    f0t_failure failure;
} text_piece;

/* A stretch of the file that holds whole rows, cut into pieces that threads parse one by one. */
typedef struct text_block {
    char *text; /* [capacity] */
    size_t capacity;
    size_t size;       /* bytes read */
    size_t begin, end; /* the whole rows among them; the rest belongs to the next block */
    bool last;         /* nothing comes after it */
    text_piece pieces[BLOCK_PIECES];
    size_t piece_count;
} text_block;

/* Room for BLOCK_SIZE bytes, or for all of a file that is known to be smaller. */
static f0t_status block_init(text_block *block, const f0t_stream *stream)
{
    uint64_t size = f0t_stream_is_packed(stream) ? 0 : f0t_stream_size(stream);
    block->capacity = size && size < BLOCK_SIZE - SPARE ? (size_t)size + SPARE : BLOCK_SIZE;
    return f0t_alloc(&block->text, block->capacity, 1);
}

/* Reads until the block is full, after the `held` bytes that it has at its beginning. */
static f0t_status block_read(text_block *block, f0t_stream *stream, size_t held)
{
    size_t got;
    F0T_TRY(f0t_stream_read(block->text + held, &got, stream, block->capacity - held));
    block->size = held + got;
    block->begin = 0;
    block->last = block->size < block->capacity;
    return F0T_OK;
}

static void block_clear(text_block *block)
{
    for (size_t i = 0; i < BLOCK_PIECES; i++)
        f0t_word_rows_clear(&block->pieces[i].rows);
    f0t_free(block->text);
    block->text = NULL;
}

/* ---- Cutting ---------------------------------------------------------------------------------- */

/* The record at `p` of a binary file: a word, a space, `dim` numbers; a newline may stand before.
 * NULL when it is not whole; else what comes after it. */
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

static const char *end_of_records(const text_block *block, const f0t_vectors_layout *layout,
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

static const char *end_of_lines(const text_block *block)
{
    const char *begin = block->text + block->begin, *end = block->text + block->size;
    const char *newline = block->last ? NULL : memrchr(begin, '\n', (size_t)(end - begin));
    return block->last ? end : newline ? newline + 1 : begin;
}

/* Lines stay whole. */
static void cut_lines(text_block *block)
{
    const char *p = block->text + block->begin, *end = block->text + block->end;
    size_t most = (size_t)(end - p) / PIECE_LEAST;
    size_t count = most < 1 ? 1 : most > BLOCK_PIECES ? BLOCK_PIECES : most;
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

/* Finds `end`, and cuts [begin, end) into pieces. `*records` counts those of a binary file. */
static f0t_status block_cut(text_block *block, const f0t_vectors_layout *layout, uint64_t *records)
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

/* ---- Parsing ---------------------------------------------------------------------------------- */

static f0t_status parse_records(text_piece *piece, const f0t_vectors_layout *layout)
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
    return f0t_fail(F0T_ERROR_FORMAT, "has %zu numbers where %zu are expected: is the file cut?",
                    f0t_line_numbers(line), dim);
}

/* `at_end` says that the file ends with this piece. */
static f0t_status parse_lines(text_piece *piece, const f0t_vectors_layout *layout, bool at_end,
                              bool tolerant)
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
            f0t_line_parse(f0t_word_rows_next(rows), &word, &bad, line, layout->dim);
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

/* Parses one piece; failures stay in it. `tolerant`: the last row of the file may be cut. */
static void block_parse(text_block *block, size_t index, const f0t_vectors_layout *layout,
                        bool tolerant)
{
    text_piece *piece = &block->pieces[index];
    bool at_end = block->last && index + 1 == block->piece_count;
    piece->lines = 0;
    piece->cut = false;
    f0t_failure_keep(&piece->failure, layout->form == F0T_FORM_BINARY
                                          ? parse_records(piece, layout)
                                          : parse_lines(piece, layout, at_end, tolerant));
}

/* ---- The source ------------------------------------------------------------------------------- */

enum { BLOCKS = 3, READ_JOB = 0, TAKE_JOB = 1, PARSE_JOB = 2 };

struct f0t_source {
    f0t_stream *stream;
    f0t_vectors_layout layout;
    bool tolerant;
    text_block blocks[BLOCKS]; /* one is read while one is parsed and one is taken */
    uint64_t records;          /* of a binary file, that blocks were cut for */
    uint64_t rows, lines_done; /* of the blocks that were parsed */
    bool cut;
    f0t_source_take take;
    void *context;
    f0t_failure reading, taking;
    char stage[300];
};

static const char *name_of(const f0t_source *s)
{
    return f0t_stream_name(s->stream);
}

static f0t_status start(f0t_source *s, const char *peek, size_t peeked)
{
    text_block *first = &s->blocks[0];
    F0T_TRY(block_init(first, s->stream));
    if (peeked)
        memcpy(first->text, peek, peeked);
    F0T_TRY(block_read(first, s->stream, peeked));
    F0T_TRY(f0t_vectors_layout_find(&s->layout, first->text, first->size, first->last, name_of(s)));
    first->begin = s->layout.begin;
    s->lines_done = s->layout.lines_before;
    f0t_status status = block_cut(first, &s->layout, &s->records);
    return status ? f0t_fail_prefix(status, "%s: ", name_of(s)) : F0T_OK;
}

f0t_status f0t_source_open(f0t_source **out, f0t_stream *stream, const char *peek, size_t peeked,
                           bool tolerant)
{
    f0t_source *s;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&s, 1, sizeof *s));
    s->stream = stream;
    s->tolerant = tolerant;
    f0t_status status = start(s, peek, peeked);
    if (status != F0T_OK)
        f0t_source_close(s);
    else
        *out = s;
    return status;
}

void f0t_source_close(f0t_source *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < BLOCKS; i++)
        block_clear(&s->blocks[i]);
    f0t_free(s);
}

const f0t_vectors_layout *f0t_source_layout(const f0t_source *s)
{
    return &s->layout;
}

/* A binary file ends where its header says; a newline may follow. */
static f0t_status check_rest(f0t_source *s, text_block *block)
{
    char more;
    size_t got = 0;
    if (s->layout.form != F0T_FORM_BINARY || s->records < s->layout.rows)
        return F0T_OK;
    const char *p = block->text + block->end, *end = block->text + block->size;
    while (p < end && *p == '\n')
        p++;
    if (!block->last)
        F0T_TRY(f0t_stream_read(&more, &got, s->stream, 1));
    block->last = true;
    if ((p < end || got) && !s->tolerant)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: more bytes after the %llu rows that its first line promises",
                        name_of(s), (unsigned long long)s->layout.rows);
    return F0T_OK;
}

/* Reads the block that comes after `before`. */
static f0t_status read_block(f0t_source *s, text_block *block, const text_block *before)
{
    size_t held = before->size - before->end;
    if (!block->text)
        F0T_TRY(block_init(block, s->stream));
    memcpy(block->text, before->text + before->end, held);
    F0T_TRY(block_read(block, s->stream, held));
    f0t_status status = block_cut(block, &s->layout, &s->records);
    if (status != F0T_OK)
        return f0t_fail_prefix(status, "%s: ", name_of(s));
    return check_rest(s, block);
}

static f0t_status take_block(f0t_source *s, const text_block *block)
{
    for (size_t i = 0; i < block->piece_count; i++)
        F0T_TRY(s->take(s->context, &block->pieces[i].rows));
    return F0T_OK;
}

/* One step of the pipeline: block n + 1 is read, block n parsed, block n - 1 taken. */
static void run_step(f0t_source *s, size_t n)
{
    text_block *reading = &s->blocks[(n + 1) % BLOCKS], *parsing = &s->blocks[n % BLOCKS];
    const text_block *taking = &s->blocks[(n + 2) % BLOCKS];
    long jobs = PARSE_JOB + (long)parsing->piece_count;
    bool more = !parsing->last;
#pragma omp parallel for schedule(dynamic, 1) num_threads(f0t_team_size())
    for (long job = 0; job < jobs; job++) {
        if (job == READ_JOB && more)
            f0t_failure_keep(&s->reading, read_block(s, reading, parsing));
        else if (job == TAKE_JOB && n > 0)
            f0t_failure_keep(&s->taking, take_block(s, taking));
        else if (job >= PARSE_JOB)
            block_parse(parsing, (size_t)(job - PARSE_JOB), &s->layout, s->tolerant);
    }
}

/* The failure that comes first in the file. */
static f0t_status check_step(f0t_source *s, const text_block *parsed)
{
    if (s->taking.status != F0T_OK)
        return f0t_failure_raise(&s->taking);
    for (size_t i = 0; i < parsed->piece_count; i++) {
        const text_piece *piece = &parsed->pieces[i];
        s->lines_done += piece->lines;
        s->rows += piece->rows.lost.rows;
        s->cut = s->cut || piece->cut;
        if (piece->failure.status == F0T_ERROR_FORMAT)
            return f0t_fail(F0T_ERROR_FORMAT, "%s:%llu: %s", name_of(s),
                            (unsigned long long)s->lines_done, piece->failure.message);
        if (piece->failure.status != F0T_OK)
            return f0t_failure_raise(&piece->failure);
    }
    return s->reading.status == F0T_OK ? F0T_OK : f0t_failure_raise(&s->reading);
}

static f0t_status check_count(f0t_source *s, const f0t_monitor *monitor)
{
    char text[200];
    if (s->layout.form != F0T_FORM_TEXT && s->rows != s->layout.rows) {
        snprintf(text, sizeof text, "has %llu rows, its first line promises %llu",
                 (unsigned long long)s->rows, (unsigned long long)s->layout.rows);
        if (!s->tolerant)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: %s", name_of(s), text);
        f0t_log(monitor, F0T_LOG_WARNING, "%s: %s", name_of(s), text);
        s->cut = s->cut || s->rows < s->layout.rows;
    }
    return F0T_OK;
}

f0t_status f0t_source_run(bool *cut, f0t_source *s, f0t_source_take take, void *context,
                          const f0t_monitor *monitor)
{
    s->take = take;
    s->context = context;
    snprintf(s->stage, sizeof s->stage, "reading %s", name_of(s));
    f0t_stage stage = f0t_stage_begin(monitor, s->stage, "bytes", f0t_stream_size(s->stream));
    F0T_TRY(check_rest(s, &s->blocks[0]));
    for (size_t n = 0;; n++) {
        run_step(s, n);
        F0T_TRY(check_step(s, &s->blocks[n % BLOCKS]));
        F0T_TRY(f0t_stage_update(&stage, f0t_stream_position(s->stream)));
        if (s->blocks[n % BLOCKS].last) {
            F0T_TRY(take_block(s, &s->blocks[n % BLOCKS]));
            break;
        }
    }
    f0t_stage_end(&stage);
    *cut = s->cut;
    return check_count(s, monitor);
}
