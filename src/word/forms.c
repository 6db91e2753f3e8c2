#include "word/forms.h"

#include "base/alloc.h"
#include "word/inflect.h"

#include <string.h>

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

/* ---- Parts ------------------------------------------------------------------------------------
 */

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
    while (count < F0T_PARTS_MOST && f0t_normal_part(tag, length, &begin, &end)) {
        bool counts = !is_stop_word(tag + begin, end - begin);
        parts[count++] = (f0t_word_part){begin, end, counts};
        counting += counts;
        begin = end;
    }
    for (size_t i = 0; counting == 0 && i < count; i++)
        parts[i].counts = true;
    return count;
}

/* ---- Spellings ----------------------------------------------------------------------------------
 */

static f0t_status add_form(f0t_forms *forms, const char *text, size_t length, f0t_match how)
{
    uint32_t index;
    bool added;
    if (length == 0)
        return F0T_OK;
    F0T_TRY(f0t_grow(&forms->how, &forms->how_capacity, forms->list.view.count, 1, 1));
    F0T_TRY(f0t_names_add(&forms->list, text, length, &index, &added));
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
