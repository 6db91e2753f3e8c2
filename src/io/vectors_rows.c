#include "io/vectors_rows.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "io/text.h"

#include <string.h>

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
