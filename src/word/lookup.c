/* From a tag to its vector: the spellings under which it is looked up, the lookup, and the words of a
 * vector file that some tags need. */
#include "word/lookup.h"

#include "base/alloc.h"
#include "base/context.h"
#include "io/vectors.h"
#include "word/inflect.h"

#include <math.h>
#include <string.h>

/* ---- Spellings: the list --------------------------------------------------------------------- */

void f0t_forms_init(f0t_forms *forms)
{
    memset(forms, 0, sizeof *forms);
}

void f0t_forms_clear(f0t_forms *forms)
{
    f0t_names_free(&forms->list);
    f0t_free(forms->how);
    memset(forms, 0, sizeof *forms);
}

/* ---- The words of a phrase ------------------------------------------------------------------- */

/* Words that say little about a picture and would pull a phrase's mean towards each other. */
static bool is_stop_word(const char *word, size_t length)
{
    static const char *const stop[] = {"a",  "an", "and", "at", "by",  "for", "from",
                                       "in", "of", "on",  "or", "the", "to",  "with"};
    char lower[8];
    if (length >= sizeof lower)
        return false;
    for (size_t i = 0; i < length; i++)
        lower[i] = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] | 0x20 : word[i]);
    for (size_t i = 0; i < sizeof stop / sizeof *stop; i++)
        if (strlen(stop[i]) == length && memcmp(stop[i], lower, length) == 0)
            return true;
    return false;
}

size_t f0t_forms_parts(f0t_word_part *parts, const char *tag, size_t length)
{
    size_t count = 0, counting = 0, begin = 0, end = 0;
    while (count < F0T_PARTS_MOST && f0t_normal_part(&begin, &end, tag, length)) {
        bool counts = !is_stop_word(tag + begin, end - begin);
        parts[count++] = (f0t_word_part){begin, end, counts};
        counting += counts;
        begin = end;
    }
    for (size_t i = 0; counting == 0 && i < count; i++)
        parts[i].counts = true;
    return count;
}

/* ---- Spellings of a tag ---------------------------------------------------------------------- */

static f0t_status add_form(f0t_forms *forms, const char *text, size_t length, f0t_match how)
{
    uint32_t index;
    bool added;
    if (length == 0)
        return F0T_OK;
    F0T_TRY(f0t_grow(&forms->how, &forms->how_capacity, forms->list.view.count, 1, 1));
    F0T_TRY(f0t_names_add(&index, &added, &forms->list, text, length));
    if (added)
        forms->how[index] = (unsigned char)how;
    return F0T_OK;
}

/* The parts of the text with this separator between them. */
static size_t join(char *to, const char *text, const f0t_word_part *parts, size_t count,
                   const char *separator)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && *separator)
            to[n++] = *separator;
        memcpy(to + n, text + parts[i].begin, parts[i].end - parts[i].begin);
        n += parts[i].end - parts[i].begin;
    }
    return n;
}

static bool has_stop_word(const f0t_word_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!parts[i].counts)
            return true;
    return false;
}

/* The text as it is, then with every separator. */
static f0t_status add_joined(f0t_forms *forms, const f0t_word_text *text, f0t_match how)
{
    static const char *const separators[] = {" ", "_", "-", ""};
    f0t_word_part parts[F0T_PARTS_MOST];
    size_t count = f0t_forms_parts(parts, text->data, text->length);
    char *joined;
    F0T_TRY(add_form(forms, text->data, text->length, how));
    if (count == 0 || count == F0T_PARTS_MOST)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&joined, text->length + count, 1));
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < 4 && status == F0T_OK; i++)
        if (*separators[i] || !has_stop_word(parts, count))
            status = add_form(forms, joined, join(joined, text->data, parts, count, separators[i]),
                              how <= F0T_MATCH_CASE && count > 1 ? F0T_MATCH_JOINED : how);
    f0t_free(joined);
    return status;
}

static f0t_status add_case(f0t_forms *forms, const char *tag, size_t length, f0t_case how,
                           f0t_match match)
{
    f0t_word_text text;
    F0T_TRY(f0t_normal_case(&text, tag, length, how));
    f0t_status status = add_joined(forms, &text, match);
    f0t_free(text.data);
    return status;
}

/* The text with another last word, in lower case and with capitals. */
static f0t_status add_inflected(f0t_forms *forms, const f0t_word_text *text, size_t last,
                                const f0t_inflections *words, f0t_match how)
{
    char other[F0T_TAG_MOST];
    for (size_t i = 0; i < words->count; i++) {
        size_t n = strlen(words->text[i]);
        if (last + n > sizeof other)
            continue;
        memcpy(other, text->data, last);
        memcpy(other + last, words->text[i], n);
        F0T_TRY(add_case(forms, other, last + n, F0T_CASE_GIVEN, how));
        F0T_TRY(add_case(forms, other, last + n, F0T_CASE_TITLE, how));
    }
    return F0T_OK;
}

static f0t_status add_other_words(f0t_forms *forms, const f0t_word_text *lower)
{
    f0t_word_part parts[F0T_PARTS_MOST];
    f0t_inflections words;
    size_t count = f0t_forms_parts(parts, lower->data, lower->length);
    if (count == 0 || count == F0T_PARTS_MOST)
        return F0T_OK;
    const f0t_word_part *last = &parts[count - 1];
    f0t_singulars(&words, lower->data + last->begin, last->end - last->begin);
    F0T_TRY(add_inflected(forms, lower, last->begin, &words, F0T_MATCH_SINGULAR));
    f0t_plurals(&words, lower->data + last->begin, last->end - last->begin);
    F0T_TRY(add_inflected(forms, lower, last->begin, &words, F0T_MATCH_PLURAL));
    f0t_bases(&words, lower->data + last->begin, last->end - last->begin);
    return add_inflected(forms, lower, last->begin, &words, F0T_MATCH_BASE);
}

f0t_status f0t_forms_add(f0t_forms *forms, const char *tag, size_t length)
{
    f0t_word_text lower;
    F0T_TRY(f0t_normal_case(&lower, tag, length, F0T_CASE_LOWER));
    f0t_status status = add_form(forms, tag, length, F0T_MATCH_EXACT);
    for (int how = F0T_CASE_GIVEN; how < F0T_CASES && status == F0T_OK; how++)
        status = add_case(forms, tag, length, (f0t_case)how, F0T_MATCH_CASE);
    if (status == F0T_OK)
        status = add_other_words(forms, &lower);
    f0t_free(lower.data);
    return status;
}

/* ---- The vector of a tag --------------------------------------------------------------------- */

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
    if (f0t_vectors_get(to, lookup->vectors, index, 1) != F0T_OK)
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
        const char *form = f0t_words_at(&length, words, i);
        size_t index = f0t_vectors_find(lookup->vectors, form, length);
        if (index == F0T_NONE || !get_unit(vector, lookup, index))
            continue;
        found->match = (f0t_match)forms->how[i];
        return f0t_string_copy(&found->used, form, length);
    }
    return f0t_vectors_whole(lookup->vectors);
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

/* ---- The vectors that tags need -------------------------------------------------------------- */

/* Every spelling under which the tag, or a word of it, may be looked up. */
static f0t_status want_tag(f0t_forms *wanted, const char *tag)
{
    f0t_word_part parts[F0T_PARTS_MOST];
    size_t length = strlen(tag), count = f0t_forms_parts(parts, tag, length);
    F0T_TRY(f0t_forms_add(wanted, tag, length));
    for (size_t i = 0; i < count && count > 1; i++)
        if (parts[i].counts)
            F0T_TRY(f0t_forms_add(wanted, tag + parts[i].begin, parts[i].end - parts[i].begin));
    return F0T_OK;
}

f0t_status f0t_lookup_want(f0t_forms *wanted, const char *const *tags, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        f0t_status status = want_tag(wanted, tags[i]);
        if (status != F0T_OK)
            return f0t_fail_prefix(status, "tag %zu: ", i + 1);
    }
    return F0T_OK;
}

f0t_status f0t_vectors_trim(f0t_vectors_counts *counts, const char *to, const char *from,
                            const char *const *tags, size_t tag_count,
                            const f0t_convert_options *options, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(to);
    F0T_REQUIRE(from);
    F0T_TRY(f0t_require_all(__func__, "tags", tags, tag_count));
    F0T_READ_OPTIONS(f0t_convert_options, F0T_CONVERT_OPTIONS, options);
    f0t_forms wanted;
    f0t_forms_init(&wanted);
    f0t_status status = f0t_lookup_want(&wanted, tags, tag_count);
    if (status == F0T_OK)
        status = f0t_vectors_rewrite(counts, to, from, &wanted.list.view, options);
    f0t_forms_clear(&wanted);
    return status;
}
