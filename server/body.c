#include "body.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void body_free(body *b)
{
    params_free(&b->params);
    free(b->features);
    *b = (body){.rows = 0};
}

static f0t_status refuse(const char *line)
{
    return f0t_error_set(F0T_ERROR_ARGUMENT, line);
}

/* Each value takes some 30 to 100 bytes however short it is: they are counted before any is made. */
static bool has_too_many_values(const char *text, size_t size)
{
    size_t values = 1;
    for (size_t i = 0; i < size; i++)
        values += text[i] == ',' || text[i] == '[' || text[i] == '{';
    return values > BODY_VALUES_MOST;
}

/* ---- Features ------------------------------------------------------------------------------------------ */

static f0t_status read_row(float *to, const json_t *row, size_t dim, size_t number)
{
    char line[200];
    if (!json_is_array(row) || json_array_size(row) != dim) {
        snprintf(line, sizeof line, "features: row %zu is not an array of %zu numbers, as row 1 is",
                 number + 1, dim);
        return refuse(line);
    }
    for (size_t i = 0; i < dim; i++) {
        const json_t *value = json_array_get(row, i);
        to[i] = (float)json_number_value(value);
        if (json_is_number(value) && isfinite(to[i]))
            continue;
        snprintf(line, sizeof line, "features: row %zu, place %zu is not a number", number + 1,
                 i + 1);
        return refuse(line);
    }
    return F0T_OK;
}

static f0t_status read_features(body *b, const json_t *rows, size_t most)
{
    char line[200];
    b->rows = json_array_size(rows);
    b->dim = b->rows ? json_array_size(json_array_get(rows, 0)) : 0;
    if (!b->rows || !b->dim)
        return refuse("features: an array with one array of numbers per picture is expected");
    if (b->rows > most) {
        snprintf(line, sizeof line, "features: %zu rows; at most %zu", b->rows, most);
        return refuse(line);
    }
    b->features = calloc(b->rows, b->dim * sizeof *b->features);
    if (!b->features)
        return f0t_error_set(F0T_ERROR_MEMORY, "no memory for the features");
    for (size_t i = 0; i < b->rows; i++) {
        f0t_status status = read_row(b->features + i * b->dim, json_array_get(rows, i), b->dim, i);
        if (status != F0T_OK)
            return status;
    }
    return F0T_OK;
}

/* ---- The rest ------------------------------------------------------------------------------------------ */

static f0t_status read_words(params *p, const json_t *words)
{
    if (!json_is_array(words))
        return refuse("vocabulary: an array of words is expected");
    for (size_t i = 0; i < json_array_size(words); i++) {
        const json_t *word = json_array_get(words, i);
        if (!json_is_string(word))
            return refuse("vocabulary: an array of words is expected");
        f0t_status status = params_add_word(p, json_string_value(word), json_string_length(word));
        if (status != F0T_OK)
            return status;
    }
    return F0T_OK;
}

static f0t_status read_member(body *b, const char *name, const json_t *value, size_t rows)
{
    char line[200], shown[100];
    const double number = json_is_number(value) ? json_number_value(value) : -1;
    if (!strcmp(name, "features"))
        return read_features(b, value, rows);
    if (!strcmp(name, "vocabulary"))
        return read_words(&b->params, value);
    if (!strcmp(name, "k"))
        return params_set_k(&b->params, number);
    if (!strcmp(name, "confidence"))
        return params_set_confidence(&b->params, number);
    f0t_line_escape(shown, sizeof shown, name);
    snprintf(line, sizeof line,
             "there is no member '%s': features, vocabulary, k and confidence are known", shown);
    return refuse(line);
}

static f0t_status read_object(body *b, const json_t *object, size_t rows)
{
    union { /* the iterator wants it without const, and changes nothing */
        const json_t *in;
        json_t *out;
    } cast = {.in = object};
    if (!json_is_object(object))
        return refuse("the body is not a JSON object");
    for (void *at = json_object_iter(cast.out); at; at = json_object_iter_next(cast.out, at)) {
        f0t_status status =
            read_member(b, json_object_iter_key(at), json_object_iter_value(at), rows);
        if (status != F0T_OK)
            return status;
    }
    return b->rows ? F0T_OK : refuse("the body has no features");
}

f0t_status body_read(body *out, const char *text, size_t size, size_t rows)
{
    json_error_t error;
    char line[JSON_ERROR_TEXT_LENGTH + 100];
    *out = (body){.params = PARAMS_DEFAULT};
    if (has_too_many_values(text, size))
        return refuse("the body has too many values: send fewer rows at a time");
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!object) {
        snprintf(line, sizeof line, "the body is not JSON: line %d, column %d: %s", error.line,
                 error.column, error.text);
        return refuse(line);
    }
    f0t_status status = read_object(out, object, rows);
    json_decref(object);
    if (status != F0T_OK)
        body_free(out);
    return status;
}
