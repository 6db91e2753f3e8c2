/* From bytes to rows: a line, the form of a file, and rows with what was left out. */
#include "io/vectors_rows.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "io/number.h"
#include "io/text.h"

#include <string.h>
#include <utf8proc.h>

/* ---- One line of text ------------------------------------------------------------------------- */

f0t_line f0t_line_at(const char *p, const char *end, const char **next)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    f0t_line line = {p, newline ? newline : end};
    *next = newline ? newline + 1 : end;
    if (line.end > line.begin && line.end[-1] == '\r')
        line.end--;
    while (line.end > line.begin && line.end[-1] == ' ')
        line.end--;
    return line;
}

/* The last field of the line, which does not end with a space. */
static f0t_line last_field(f0t_line line)
{
    const char *p = line.end;
    while (p > line.begin && p[-1] != ' ')
        p--;
    return (f0t_line){p, line.end};
}

static f0t_line before_field(f0t_line line, f0t_line field)
{
    line.end = field.begin;
    while (line.end > line.begin && line.end[-1] == ' ')
        line.end--;
    return line;
}

static bool read_field(f0t_line field, float *value)
{
    return f0t_number_read(value, field.begin, field.end) == field.end;
}

size_t f0t_line_numbers(f0t_line line)
{
    size_t count = 0;
    float value;
    while (line.end > line.begin) {
        f0t_line field = last_field(line);
        if (field.begin == line.begin || !read_field(field, &value))
            break;
        line = before_field(line, field);
        count++;
    }
    return count;
}

/* The usual case, in one pass: a word without spaces, then `dim` numbers and the end. */
static bool parse_simple(f0t_line line, size_t dim, float *values, f0t_line *word)
{
    const char *p = memchr(line.begin, ' ', (size_t)(line.end - line.begin));
    if (!p)
        return false;
    *word = (f0t_line){line.begin, p};
    for (size_t i = 0; i < dim; i++) {
        if (p >= line.end || *p != ' ')
            return false;
        p = f0t_number_read(&values[i], p + 1, line.end);
        if (!p)
            return false;
    }
    return p == line.end;
}

/* Words with spaces in them, fields that several spaces separate: from the end. */
static f0t_line_result parse_backwards(f0t_line line, size_t dim, float *values, f0t_line *word,
                                       f0t_line *bad)
{
    for (size_t i = dim; i > 0; i--) {
        f0t_line field = last_field(line);
        if (field.begin == line.begin)
            return F0T_LINE_SHORT;
        if (!read_field(field, &values[i - 1])) {
            *bad = field;
            return F0T_LINE_BAD;
        }
        line = before_field(line, field);
    }
    *word = line;
    return F0T_LINE_ROW;
}

f0t_line_result f0t_line_parse(float *values, f0t_line *word, f0t_line *bad, f0t_line line,
                               size_t dim)
{
    if (line.begin == line.end)
        return F0T_LINE_BLANK;
    if (parse_simple(line, dim, values, word))
        return F0T_LINE_ROW;
    return parse_backwards(line, dim, values, word, bad);
}

/* ---- The form of a file ----------------------------------------------------------------------- */

enum { SAMPLE = 256, BINARY_LOOK = 4096 };

const char *f0t_vectors_form_name(f0t_vectors_form form)
{
    static const char *const names[] = {"text", "text with header", "word2vec binary"};
    return names[form];
}

static const char *read_whole_number(const char *p, const char *end, uint64_t *out)
{
    const char *begin = p;
    uint64_t value = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            return NULL;
    *out = value;
    return p > begin ? p : NULL;
}

/* "400000 300" */
static bool read_header(f0t_line line, uint64_t *rows, uint64_t *dim)
{
    const char *p = read_whole_number(line.begin, line.end, rows);
    if (!p || p == line.end || *p != ' ')
        return false;
    while (p < line.end && *p == ' ')
        p++;
    p = read_whole_number(p, line.end, dim);
    return p == line.end;
}

/* After the word of a binary record come bytes that no text has: control characters, or what is
 * not UTF-8. */
static bool looks_binary(const char *p, const char *end, uint64_t dim)
{
    size_t left = (size_t)(end - p) < BINARY_LOOK ? (size_t)(end - p) : BINARY_LOOK;
    const char *space = memchr(p, ' ', left);
    if (!space)
        return false;
    left = (size_t)(end - space) - 1;
    left = left / 4 < dim ? left : (size_t)dim * 4;
    p = space + 1;
    while (left) {
        utf8proc_int32_t c;
        utf8proc_ssize_t n =
            utf8proc_iterate((const utf8proc_uint8_t *)p, (utf8proc_ssize_t)left, &c);
        if (n <= 0 || (c < ' ' && c != '\t' && c != '\n' && c != '\r'))
            return true;
        p += n;
        left -= (size_t)n;
    }
    return false;
}

/* The rows that can be seen, and how many numbers most of the first ones have. */
typedef struct sample {
    size_t rows;       /* lines that are not blank */
    size_t second;     /* numbers of the first such line */
    bool second_whole; /* a newline ends it */
    size_t usual;      /* the number of numbers that most lines have */
} sample;

static size_t most_common(const size_t *counts, size_t n)
{
    size_t best = 0, best_votes = 0;
    for (size_t i = 0; i < n; i++) {
        size_t votes = 0;
        for (size_t j = 0; j < n; j++)
            votes += counts[j] == counts[i];
        if (votes > best_votes || (votes == best_votes && counts[i] > best)) {
            best = counts[i];
            best_votes = votes;
        }
    }
    return best;
}

/* A cut last line is looked at only where there is nothing else. */
static sample take_sample(const char *p, const char *end, bool whole)
{
    sample s = {0};
    size_t counts[SAMPLE], taken = 0;
    const char *next;
    for (; p < end; p = next) {
        f0t_line line = f0t_line_at(p, end, &next);
        bool ended = next[-1] == '\n';
        if (line.begin == line.end || (!ended && !whole && taken))
            continue;
        s.rows++;
        if (taken == SAMPLE)
            continue;
        counts[taken] = f0t_line_numbers(line);
        if (taken++ == 0) {
            s.second = counts[0];
            s.second_whole = ended;
        }
    }
    s.usual = most_common(counts, taken);
    return s;
}

/* Two whole numbers in the first line are a header, or a word such as "2024" in a file of one
 * dimension: what follows decides. */
static bool is_header(uint64_t rows, uint64_t dim, const sample *s, bool whole)
{
    if (dim == 1)
        return s->second == 0 || !whole || rows == s->rows;
    return s->usual != 1 || !s->second_whole;
}

static f0t_status check_dim(uint64_t dim, const char *name)
{
    if (dim == 0)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: not word vectors: no line has a word and numbers, separated by spaces",
                        name);
    if (dim > F0T_VECTORS_DIM_MOST)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: vectors of %llu dimensions; %d is the most",
                        name, (unsigned long long)dim, F0T_VECTORS_DIM_MOST);
    return F0T_OK;
}

static size_t line_numbers_at(const char *p, const char *end)
{
    const char *next;
    return f0t_line_numbers(f0t_line_at(p, end, &next));
}

static size_t mark_length(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

f0t_status f0t_vectors_layout_find(f0t_vectors_layout *out, const char *text, size_t size,
                                   bool whole, const char *name)
{
    const char *begin = text + mark_length(text, size), *end = text + size, *next = end;
    uint64_t dim = 0;
    memset(out, 0, sizeof *out);
    f0t_line first = f0t_line_at(begin, end, &next);
    if (first.begin == first.end && next == end)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: is empty", name);
    bool header = read_header(first, &out->rows, &dim);
    bool binary =
        header && dim > 0 && line_numbers_at(next, end) < dim && looks_binary(next, end, dim);
    if (!binary) {
        sample after = take_sample(next, end, whole);
        header = header && is_header(out->rows, dim, &after, whole);
        if (!header)
            dim = take_sample(begin, end, whole).usual;
    }
    F0T_TRY(check_dim(dim, name));
    out->dim = (size_t)dim;
    out->form = binary ? F0T_FORM_BINARY : header ? F0T_FORM_HEADER_TEXT : F0T_FORM_TEXT;
    out->begin = (size_t)((header ? next : begin) - text);
    out->lines_before = header;
    return F0T_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------- */

f0t_status f0t_word_rows_reset(f0t_word_rows *rows, size_t dim, size_t most)
{
    rows->dim = dim;
    rows->count = 0;
    memset(&rows->lost, 0, sizeof rows->lost);
    if (most <= rows->capacity)
        return F0T_OK;
    f0t_word_rows_clear(rows);
    rows->dim = dim;
    F0T_TRY(f0t_alloc(&rows->rows, most, sizeof *rows->rows));
    F0T_TRY(f0t_alloc(&rows->values, most, dim * sizeof *rows->values));
    rows->capacity = most;
    return F0T_OK;
}

void f0t_word_rows_clear(f0t_word_rows *rows)
{
    f0t_free(rows->rows);
    f0t_free(rows->values);
    memset(rows, 0, sizeof *rows);
}

float *f0t_word_rows_next(f0t_word_rows *rows)
{
    return rows->values + rows->count * rows->dim;
}

/* Infinity and NaN have all bits of the exponent set. */
static bool all_finite(const float *values, size_t dim)
{
    uint32_t bad = 0;
    for (size_t i = 0; i < dim; i++) {
        uint32_t bits;
        memcpy(&bits, values + i, sizeof bits);
        bad |= (bits & 0x7F800000) == 0x7F800000;
    }
    return !bad;
}

static uint64_t hash_row(const char *word, size_t length, const float *values, size_t dim)
{
    return f0t_siphash(values, dim * sizeof *values, f0t_siphash(word, length, 0, 0), dim);
}

void f0t_word_rows_add(f0t_word_rows *rows, const char *word, size_t length)
{
    const float *values = f0t_word_rows_next(rows);
    rows->lost.rows++;
    if (length == 0) {
        rows->lost.empty++;
    } else if (!f0t_text_is_word(word, length)) {
        rows->lost.invalid++;
    } else if (!all_finite(values, rows->dim)) {
        rows->lost.not_finite++;
    } else {
        f0t_word_row *row = &rows->rows[rows->count++];
        row->word = word;
        row->length = length;
        row->hash = hash_row(word, length, values, rows->dim);
    }
}
