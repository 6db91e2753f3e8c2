#include "import/arff.h"

#include "base/alloc.h"
#include "io/number.h"
#include "io/text.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* ---- Tokens of a line ------------------------------------------------------------------------ */

/* A place in the line that was read last. */
typedef struct arff_cursor {
    const char *at, *end;
} arff_cursor;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool ends_word(char c)
{
    return is_blank(c) || c == ',' || c == '{' || c == '}' || c == '%';
}

/* Passes over blanks. Gives the character there, or NUL at the end of the line or at a comment. */
static char peek(arff_cursor *cursor)
{
    while (cursor->at < cursor->end && is_blank(*cursor->at))
        cursor->at++;
    return cursor->at == cursor->end || *cursor->at == '%' ? '\0' : *cursor->at;
}

/* Line ends and tabs inside a name are blanks to us. */
static char unescape(char c)
{
    return c == 'n' || c == 't' || c == 'r' ? ' ' : c;
}

static f0t_status read_quoted(f0t_arff *arff, arff_cursor *cursor, size_t *length)
{
    char quote = *cursor->at++;
    for (; cursor->at < cursor->end; cursor->at++) {
        char c = *cursor->at;
        if (c == quote) {
            cursor->at++;
            return F0T_OK;
        }
        if (c == '\\' && cursor->at + 1 < cursor->end)
            c = unescape(*++cursor->at);
        arff->token[(*length)++] = c;
    }
    return f0t_text_fail(arff->stream, "%s", "a quote is not closed");
}

/* Reads a word, or what stands in quotes, into arff->token; *quoted says which. Fails at the end of
 * the line and at a character that can begin neither. */
static f0t_status read_token(f0t_arff *arff, arff_cursor *cursor, size_t *length, bool *quoted)
{
    char c = peek(cursor);
    *length = 0;
    *quoted = c == '\'' || c == '"';
    F0T_TRY(f0t_grow(&arff->token, &arff->token_capacity, 0, (size_t)(cursor->end - cursor->at) + 1,
                     1));
    if (*quoted) {
        F0T_TRY(read_quoted(arff, cursor, length));
    } else {
        const char *start = cursor->at;
        while (cursor->at < cursor->end && !ends_word(*cursor->at))
            cursor->at++;
        *length = (size_t)(cursor->at - start);
        if (!*length)
            return f0t_text_fail(arff->stream, "a value is expected, and %s found",
                                 c == ','               ? "a comma is"
                                 : c == '{' || c == '}' ? "a brace is"
                                                        : "the end of the line");
        memcpy(arff->token, start, *length);
    }
    arff->token[*length] = '\0';
    return F0T_OK;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

enum { VALUES_MOST = 1 << 24 }; /* of a nominal attribute: their numbers are kept as float */

/* The next line that has something in it; cursor->at is NULL at the end. */
static f0t_status next_line(f0t_arff *arff, arff_cursor *cursor)
{
    const char *line;
    size_t length;
    do {
        F0T_TRY(f0t_text_line(&line, &length, arff->stream));
        *cursor = (arff_cursor){line, line ? line + length : NULL};
    } while (line && !peek(cursor));
    return F0T_OK;
}

/* A finite number that fills the text. */
static bool parse_number(const char *text, size_t length, float *out)
{
    return length && f0t_number_read(out, text, text + length) == text + length && isfinite(*out);
}

/* ---- Header ---------------------------------------------------------------------------------- */

static f0t_status set_numbers(f0t_arff_attribute *attribute)
{
    size_t count = f0t_names_count(&attribute->values);
    float *numbers;
    F0T_TRY(f0t_alloc(&numbers, count, sizeof *numbers));
    for (size_t i = 0; i < count; i++) {
        const char *text = f0t_names_get(&attribute->values, i);
        if (!parse_number(text, strlen(text), &numbers[i])) {
            f0t_free(numbers);
            return F0T_OK;
        }
    }
    attribute->numbers = numbers;
    return F0T_OK;
}

static f0t_status read_nominal(f0t_arff *arff, arff_cursor *cursor, f0t_arff_attribute *attribute)
{
    size_t length;
    uint32_t index;
    bool quoted, added;
    attribute->kind = F0T_ARFF_NOMINAL;
    cursor->at++;
    do {
        F0T_TRY(read_token(arff, cursor, &length, &quoted));
        F0T_TRY(f0t_names_add(&index, &added, &attribute->values, arff->token, length));
        if (!added)
            return f0t_text_fail(arff->stream, "the value '%.40s' is there twice", arff->token);
        if (index == VALUES_MOST)
            return f0t_text_fail(arff->stream, "more than %d values", VALUES_MOST);
        if (peek(cursor) == ',')
            cursor->at++;
    } while (peek(cursor) && peek(cursor) != '}');
    if (peek(cursor) != '}')
        return f0t_text_fail(arff->stream, "%s", "the list of values is not closed");
    return set_numbers(attribute);
}

static f0t_status read_type(f0t_arff *arff, arff_cursor *cursor, f0t_arff_attribute *attribute)
{
    static const struct {
        const char *word;
        f0t_arff_kind kind;
    } types[] = {{"numeric", F0T_ARFF_NUMERIC},
                 {"real", F0T_ARFF_NUMERIC},
                 {"integer", F0T_ARFF_NUMERIC},
                 {"string", F0T_ARFF_OTHER},
                 {"date", F0T_ARFF_OTHER}};
    size_t length;
    bool quoted;
    if (peek(cursor) == '{')
        return read_nominal(arff, cursor, attribute);
    F0T_TRY(read_token(arff, cursor, &length, &quoted));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcasecmp(types[i].word, arff->token)) {
            attribute->kind = types[i].kind;
            return F0T_OK;
        }
    return f0t_text_fail(arff->stream, "'%.40s': an attribute of this type is not supported",
                         arff->token);
}

static f0t_status read_attribute(f0t_arff *arff, arff_cursor *cursor)
{
    size_t length;
    uint32_t index;
    bool quoted, added;
    F0T_TRY(read_token(arff, cursor, &length, &quoted));
    F0T_TRY(f0t_names_add(&index, &added, &arff->names, arff->token, length));
    if (!added)
        return f0t_text_fail(arff->stream, "the attribute '%.60s' is there twice", arff->token);
    F0T_TRY(f0t_grow(&arff->attributes, &arff->capacity, arff->count, 1, sizeof *arff->attributes));
    arff->attributes[arff->count] = (f0t_arff_attribute){0};
    return read_type(arff, cursor, &arff->attributes[arff->count++]);
}

/* Up to @data, or the end of the file. */
static f0t_status read_header(f0t_arff *arff)
{
    arff_cursor cursor;
    size_t length;
    bool quoted;
    for (;;) {
        F0T_TRY(next_line(arff, &cursor));
        if (!cursor.at)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: has no @data: is it an ARFF file?",
                            f0t_stream_name(arff->stream));
        F0T_TRY(read_token(arff, &cursor, &length, &quoted));
        if (!strcasecmp(arff->token, "@data"))
            return F0T_OK;
        if (!strcasecmp(arff->token, "@attribute"))
            F0T_TRY(read_attribute(arff, &cursor));
        else if (strcasecmp(arff->token, "@relation") != 0)
            return f0t_text_fail(
                arff->stream, "'%.40s': @relation, @attribute or @data is expected", arff->token);
    }
}

f0t_status f0t_arff_open(f0t_arff *arff, f0t_stream *stream)
{
    *arff = (f0t_arff){.stream = stream};
    F0T_TRY(read_header(arff));
    if (!arff->count)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has no @attribute", f0t_stream_name(stream));
    F0T_TRY(f0t_alloc_zero(&arff->values, arff->count, sizeof *arff->values));
    return f0t_alloc_zero(&arff->stamps, arff->count, sizeof *arff->stamps);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static f0t_status set_value(f0t_arff *arff, size_t i, size_t length, bool quoted)
{
    const f0t_arff_attribute *attribute = &arff->attributes[i];
    uint32_t index;
    if (!quoted && length == 1 && arff->token[0] == '?')
        arff->values[i] = NAN;
    else if (attribute->kind == F0T_ARFF_OTHER)
        arff->values[i] = 0;
    else if (attribute->kind == F0T_ARFF_NUMERIC) {
        if (!parse_number(arff->token, length, &arff->values[i]))
            return f0t_text_fail(arff->stream, "'%.40s' of attribute '%.60s' is no number",
                                 arff->token, f0t_names_get(&arff->names, i));
    } else if (f0t_names_find(&index, &attribute->values, arff->token, length)) {
        arff->values[i] = (float)index;
    } else {
        return f0t_text_fail(arff->stream, "'%.40s' is no value of attribute '%.60s'", arff->token,
                             f0t_names_get(&arff->names, i));
    }
    return F0T_OK;
}

/* Values are separated by a comma or by blanks. */
static f0t_status read_dense(f0t_arff *arff, arff_cursor *cursor)
{
    size_t length, i = 0;
    bool quoted;
    for (; peek(cursor); i++) {
        if (i == arff->count)
            return f0t_text_fail(arff->stream, "more values than the %zu attributes", arff->count);
        F0T_TRY(read_token(arff, cursor, &length, &quoted));
        F0T_TRY(set_value(arff, i, length, quoted));
        if (peek(cursor) == ',')
            cursor->at++;
    }
    if (i != arff->count)
        return f0t_text_fail(arff->stream, "%zu values, but there are %zu attributes", i,
                             arff->count);
    return F0T_OK;
}

static f0t_status read_index(f0t_arff *arff, arff_cursor *cursor, size_t *index)
{
    size_t length, value = 0;
    bool quoted;
    F0T_TRY(read_token(arff, cursor, &length, &quoted));
    for (const char *c = arff->token; *c; c++) {
        if (*c < '0' || *c > '9')
            return f0t_text_fail(arff->stream, "'%.40s': the number of an attribute is expected",
                                 arff->token);
        value = value >= arff->count ? arff->count : value * 10 + (size_t)(*c - '0');
    }
    if (quoted || !length || value >= arff->count)
        return f0t_text_fail(arff->stream,
                             "attribute %.40s is asked for, but there are %zu (from 0)",
                             arff->token, arff->count);
    if (arff->stamps[value] == arff->rows)
        return f0t_text_fail(arff->stream, "attribute %zu is there twice", value);
    arff->stamps[value] = arff->rows;
    *index = value;
    return F0T_OK;
}

static f0t_status read_sparse(f0t_arff *arff, arff_cursor *cursor)
{
    size_t index = 0, length;
    bool quoted;
    memset(arff->values, 0, arff->count * sizeof *arff->values);
    for (cursor->at++; peek(cursor) != '}';) {
        F0T_TRY(read_index(arff, cursor, &index));
        F0T_TRY(read_token(arff, cursor, &length, &quoted));
        F0T_TRY(set_value(arff, index, length, quoted));
        if (peek(cursor) == ',')
            cursor->at++;
        else if (peek(cursor) != '}')
            return f0t_text_fail(arff->stream, "%s", "the row is not closed");
    }
    cursor->at++;
    if (peek(cursor))
        return f0t_text_fail(arff->stream, "%s", "text after the row (weights are not supported)");
    return F0T_OK;
}

f0t_status f0t_arff_next(bool *found, f0t_arff *arff)
{
    arff_cursor cursor;
    F0T_TRY(next_line(arff, &cursor));
    *found = cursor.at != NULL;
    if (!*found)
        return F0T_OK;
    arff->rows++;
    return peek(&cursor) == '{' ? read_sparse(arff, &cursor) : read_dense(arff, &cursor);
}

void f0t_arff_close(f0t_arff *arff)
{
    for (size_t i = 0; i < arff->count; i++) {
        f0t_names_free(&arff->attributes[i].values);
        f0t_free(arff->attributes[i].numbers);
    }
    f0t_names_free(&arff->names);
    f0t_free(arff->attributes);
    f0t_free(arff->values);
    f0t_free(arff->stamps);
    f0t_free(arff->token);
    *arff = (f0t_arff){0};
}
