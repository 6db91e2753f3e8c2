#include "word/lookup.h"

#include "base/alloc.h"
#include "word/forms.h"

#include <math.h>
#include <string.h>

/* Brings v[n] to length 1; false when it has no direction. */
static bool make_unit(float *v, size_t n)
{
    double square = 0;
    for (size_t i = 0; i < n; i++)
        square += (double)v[i] * (double)v[i];
    if (!isfinite(square) || square <= 0)
        return false;
    double scale = 1 / sqrt(square);
    for (size_t i = 0; i < n; i++)
        v[i] = (float)((double)v[i] * scale);
    return true;
}

static bool get_unit(float *to, const f0t_lookup *lookup, size_t index)
{
    size_t dim = f0t_vectors_dim(lookup->vectors);
    const float *mean = f0t_vectors_mean(lookup->vectors);
    if (f0t_vectors_get(lookup->vectors, index, 1, to) != F0T_OK)
        return false;
    bool zero = true;
    for (size_t i = 0; zero && i < dim; i++)
        zero = to[i] == 0;
    for (size_t i = 0; lookup->centred && i < dim; i++)
        to[i] -= mean[i];
    return !zero && make_unit(to, dim);
}

/* The first of the spellings that the file has a direction for. */
static f0t_status find_spelling(f0t_found *found, float *vector, const f0t_lookup *lookup,
                                const f0t_forms *forms)
{
    const f0t_words *words = &forms->list.view;
    found->match = F0T_MATCH_NONE;
    for (size_t i = 0; i < words->count; i++) {
        size_t length;
        const char *form = f0t_words_at(words, i, &length);
        size_t index = f0t_vectors_find(lookup->vectors, form, length);
        if (index == F0T_NONE || !get_unit(vector, lookup, index))
            continue;
        found->match = (f0t_match)forms->how[i];
        return f0t_string_copy(&found->used, form, length);
    }
    return F0T_OK;
}

/* A word, or a phrase that has a vector of its own. */
static f0t_status lookup_whole(f0t_found *found, float *vector, const f0t_lookup *lookup,
                               const char *tag, size_t length)
{
    f0t_forms forms;
    size_t index = f0t_vectors_find(lookup->vectors, tag, length);
    if (index != F0T_NONE &&
        get_unit(vector, lookup, index)) { /* most tags need no other spelling */
        found->match = F0T_MATCH_EXACT;
        return f0t_string_copy(&found->used, tag, length);
    }
    f0t_forms_init(&forms);
    f0t_status status = f0t_forms_add(&forms, tag, length);
    if (status == F0T_OK)
        status = find_spelling(found, vector, lookup, &forms);
    f0t_forms_clear(&forms);
    return status;
}

/* "palm" and "tree" make "palm + tree". */
static f0t_status append_used(char **used, const char *word)
{
    char *longer;
    size_t n = *used ? strlen(*used) : 0, m = strlen(word);
    F0T_TRY(f0t_alloc(&longer, n + m + 4, 1));
    if (n) {
        memcpy(longer, *used, n);
        memcpy(longer + n, " + ", 3);
        n += 3;
    }
    memcpy(longer + n, word, m + 1);
    f0t_free(*used);
    *used = longer;
    return F0T_OK;
}

/* Adds the unit vector of one word to sum[dim]. */
static f0t_status add_part(f0t_found *found, float *sum, float *vector, const f0t_lookup *lookup,
                           const char *word, size_t length)
{
    size_t dim = f0t_vectors_dim(lookup->vectors);
    f0t_found part = {F0T_MATCH_NONE, NULL, NULL};
    F0T_TRY(lookup_whole(&part, vector, lookup, word, length));
    if (part.match == F0T_MATCH_NONE)
        return f0t_string_copy(&found->missing, word, length);
    for (size_t i = 0; i < dim; i++)
        sum[i] += vector[i];
    f0t_status status = append_used(&found->used, part.used);
    f0t_free(part.used);
    return status;
}

static f0t_status lookup_parts(f0t_found *found, float *sum, float *vector,
                               const f0t_lookup *lookup, const char *tag, size_t length)
{
    f0t_word_part parts[F0T_PARTS_MOST];
    size_t count = f0t_forms_parts(parts, tag, length), dim = f0t_vectors_dim(lookup->vectors);
    memset(sum, 0, dim * sizeof *sum);
    for (size_t i = 0; i < count && count > 1 && !found->missing; i++)
        if (parts[i].counts)
            F0T_TRY(add_part(found, sum, vector, lookup, tag + parts[i].begin,
                             parts[i].end - parts[i].begin));
    memcpy(vector, sum, dim * sizeof *sum);
    if (!found->missing && make_unit(vector, dim)) {
        found->match = F0T_MATCH_PARTS;
        return F0T_OK;
    }
    f0t_free(found->used);
    found->used = NULL;
    return found->missing ? F0T_OK : f0t_string_copy(&found->missing, tag, length);
}

static f0t_status lookup_any(f0t_found *found, float *vector, const f0t_lookup *lookup,
                             const char *tag, size_t length)
{
    float *sum;
    F0T_TRY(lookup_whole(found, vector, lookup, tag, length));
    if (found->match != F0T_MATCH_NONE)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&sum, f0t_vectors_dim(lookup->vectors), sizeof *sum));
    f0t_status status = lookup_parts(found, sum, vector, lookup, tag, length);
    f0t_free(sum);
    return status;
}

f0t_status f0t_lookup_tag(f0t_found *found, float *vector, const f0t_lookup *lookup,
                          const char *tag, size_t length)
{
    *found = (f0t_found){F0T_MATCH_NONE, NULL, NULL};
    f0t_status status = lookup_any(found, vector, lookup, tag, length);
    if (status != F0T_OK) {
        f0t_free(found->used);
        f0t_free(found->missing);
        *found = (f0t_found){F0T_MATCH_NONE, NULL, NULL};
    }
    return status;
}
