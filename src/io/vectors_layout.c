#include "io/vectors_layout.h"

#include "io/vectors_rows.h"
#include "io/vectors_text.h"

#include <string.h>
#include <utf8proc.h>

enum { SAMPLE = 256, BINARY_LOOK = 4096 };

bool f0t_layout_is_safetensors(const void *data, size_t size)
{
    /* Its length of the header is a 64-bit number below 100 MB: the high bytes are 0. */
    const unsigned char *bytes = data;
    return size > 8 && !bytes[4] && !bytes[5] && !bytes[6] && !bytes[7] && bytes[8] == '{';
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

/* Behind the word of a binary record come bytes that no text has: control characters, or what is
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

f0t_status f0t_layout_find(f0t_vectors_layout *out, const char *text, size_t size, bool whole,
                           const char *name)
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
        sample behind = take_sample(next, end, whole);
        header = header && is_header(out->rows, dim, &behind, whole);
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
