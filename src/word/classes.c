#include "word/classes.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/kernels.h"
#include "base/size.h"
#include "compute/scoring.h"
#include "io/text.h"
#include "math/elementwise.h"
#include "word/lookup.h"

#include <string.h>

/* ---- Making and freeing ---------------------------------------------------------------------------- */

static f0t_status check_label(const char *label, size_t length)
{
    const char *fault = length > F0T_TAG_MOST         ? "it is longer than 1024 bytes"
                        : memchr(label, '\t', length) ? "a control character"
                                                      : f0t_text_fault(label, length);
    return fault ? f0t_fail(F0T_ERROR_FORMAT, "%s", fault) : F0T_OK;
}

static f0t_status copy_labels(f0t_classes *classes, const char *const *labels)
{
    for (size_t c = 0; c < classes->count; c++) {
        const size_t length = strlen(labels[c]);
        f0t_status status = check_label(labels[c], length);
        if (status == F0T_OK)
            status = f0t_texts_add(&classes->labels, labels[c], length);
        if (status != F0T_OK)
            return f0t_fail_prefix(status, "class %zu: ", c + 1);
    }
    return F0T_OK;
}

static f0t_status copy_layer(f0t_classes *classes, const float *weights, const float *bias)
{
    const size_t count = classes->count, dim = classes->dim;
    F0T_TRY(f0t_alloc(&classes->weights, count * dim, sizeof *weights));
    F0T_TRY(f0t_alloc_zero(&classes->bias, count, sizeof *bias));
    memcpy(classes->weights, weights, count * dim * sizeof *weights);
    if (bias)
        memcpy(classes->bias, bias, count * sizeof *bias);
    if (!f0t_finite_f32(weights, count * dim) || !f0t_finite_f32(classes->bias, count))
        return f0t_fail(F0T_ERROR_NUMERIC, "the layer of the classes holds NaN or infinity");
    return F0T_OK;
}

f0t_status f0t_classes_create(f0t_classes **out, const char *const *labels, const float *weights,
                              const float *bias, size_t count, size_t dim)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_TRY(f0t_require_all(__func__, "labels", labels, count));
    F0T_REQUIRE(weights);
    size_t numbers;
    f0t_classes *classes;
    if (!count || !dim || !f0t_size_mul(&numbers, count, dim))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu classes of %zu features: there are none such",
                        count, dim);
    F0T_TRY(f0t_alloc_zero(&classes, 1, sizeof *classes));
    classes->count = count;
    classes->dim = dim;
    f0t_status status = copy_layer(classes, weights, bias);
    if (status == F0T_OK)
        status = copy_labels(classes, labels);
    if (status == F0T_OK)
        *out = classes;
    else
        f0t_classes_close(classes);
    return status;
}

void f0t_classes_close(f0t_classes *classes)
{
    if (!classes)
        return;
    f0t_free(classes->weights);
    f0t_free(classes->bias);
    f0t_texts_free(&classes->labels);
    f0t_free(classes);
}

size_t f0t_classes_count(const f0t_classes *classes)
{
    return classes->count;
}

size_t f0t_classes_dim(const f0t_classes *classes)
{
    return classes->dim;
}

const char *f0t_classes_label(const f0t_classes *classes, size_t c)
{
    return c < classes->count ? f0t_texts_get(&classes->labels, c) : NULL;
}

/* ---- Probabilities --------------------------------------------------------------------------------- */

f0t_status f0t_classes_logits(float *out, const f0t_classes *classes, const float *features,
                              size_t rows)
{
    const size_t count = classes->count;
    F0T_TRY(f0t_score_once(out, features, rows, classes->weights, count, classes->dim, true));
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < count; c++)
            out[r * count + c] += classes->bias[c];
        if (!f0t_finite_f32(out + r * count, count))
            return f0t_fail(F0T_ERROR_NUMERIC,
                            "the features of row %zu hold NaN, infinity or numbers too large for "
                            "the classes",
                            r + 1);
    }
    return F0T_OK;
}

/* The largest becomes 0 before it is scaled, so that no number overflows. */
static void soften(float *row, size_t n, float scale)
{
    float top = row[0];
    for (size_t c = 1; c < n; c++)
        top = row[c] > top ? row[c] : top;
    for (size_t c = 0; c < n; c++)
        row[c] = (row[c] - top) * scale;
    f0t_kernels()->row_softmax(row, row, n);
}

f0t_status f0t_classes_probabilities(float *out, const f0t_classes *classes, const float *features,
                                     size_t rows, double temperature, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out || !rows);
    F0T_REQUIRE(classes);
    F0T_REQUIRE(features || !rows);
    if (!(temperature >= 0.01 && temperature <= 100))
        return f0t_fail(F0T_ERROR_ARGUMENT, "a temperature is from 0.01 to 100, not %g",
                        temperature);
    F0T_TRY(f0t_classes_logits(out, classes, features, rows));
    for (size_t r = 0; r < rows; r++)
        soften(out + r * classes->count, classes->count, (float)(1 / temperature));
    return F0T_OK;
}

/* ---- Vectors of the classes -------------------------------------------------------------------------- */

/* "n01440764 tench, Tinca tinca": lists of ImageNet's classes may begin with WordNet's number. */
static const char *skip_number(const char *label)
{
    return label[0] == 'n' && strspn(label + 1, "0123456789") == 8 && label[9] == ' ' ? label + 10
                                                                                      : label;
}

/* The next name of a list with commas, without blanks around it; false at its end. */
static bool next_name(const char **at, const char **name, size_t *length)
{
    if (!*at)
        return false;
    const char *comma = strchr(*at, ',');
    *name = *at;
    *length = comma ? (size_t)(comma - *at) : strlen(*at);
    f0t_text_trim(name, length);
    *at = comma ? comma + 1 : NULL;
    return true;
}

static f0t_status find_name(bool *found, float *vector, const f0t_lookup *lookup, const char *name,
                            size_t length)
{
    f0t_found what;
    F0T_TRY(f0t_lookup_tag(&what, vector, lookup, name, length));
    f0t_free(what.used);
    f0t_free(what.missing);
    *found = what.match != F0T_MATCH_NONE;
    return F0T_OK;
}

/* "setter" of "English setter": what it is a kind of. */
static f0t_status find_last_word(bool *found, float *vector, const f0t_lookup *lookup,
                                 const char *name, size_t length)
{
    f0t_word_part parts[F0T_PARTS_MOST];
    const size_t count = f0t_forms_parts(parts, name, length);
    if (count < 2)
        return F0T_OK;
    const f0t_word_part *last = &parts[count - 1];
    return find_name(found, vector, lookup, name + last->begin, last->end - last->begin);
}

/* The first of its names that has a vector; else the last word of the first that has one. */
static f0t_status find_label(bool *found, float *vector, const f0t_lookup *lookup,
                             const char *label)
{
    static f0t_status (*const ways[])(bool *, float *, const f0t_lookup *, const char *,
                                      size_t) = {find_name, find_last_word};
    const char *name;
    size_t length;
    *found = false;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (const char *at = skip_number(label); !*found && next_name(&at, &name, &length);)
            F0T_TRY(ways[w](found, vector, lookup, name, length));
    return F0T_OK;
}

f0t_status f0t_classes_vectors(float *out, bool *found, const f0t_classes *classes,
                               const f0t_vectors *vectors, bool centred, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    F0T_REQUIRE(classes);
    F0T_REQUIRE(vectors);
    const f0t_lookup lookup = {vectors, centred};
    const size_t dim = f0t_vectors_dim(vectors);
    for (size_t c = 0; c < classes->count; c++) {
        bool has;
        f0t_status status = find_label(&has, out + c * dim, &lookup, f0t_classes_label(classes, c));
        if (status != F0T_OK)
            return f0t_fail_prefix(status, "class %zu: ", c + 1);
        if (!has)
            memset(out + c * dim, 0, dim * sizeof *out);
        if (found)
            found[c] = has;
    }
    return F0T_OK;
}
