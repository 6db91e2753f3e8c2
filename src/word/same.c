#include "word/same.h"

#include "base/alloc.h"
#include "word/form.h"
#include "word/normal.h"

#include <string.h>

/* ---- Forms of a text --------------------------------------------------------------------------------- */

/* Leaves *out empty for what is no tag: not UTF-8, or longer than any. */
static f0t_status make_key(f0t_word_text *out, const char *text)
{
    f0t_status status = f0t_normal_key(out, text, strlen(text));
    if (status != F0T_ERROR_FORMAT)
        return status;
    *out = (f0t_word_text){0};
    return F0T_OK;
}

static f0t_status add_keys(f0t_texts *out, const f0t_word_text *key, const f0t_texts *forms)
{
    F0T_TRY(f0t_texts_add(out, key->data, key->length));
    if (!forms->count || !strcmp(f0t_texts_get(forms, 0), key->data))
        return F0T_OK;
    return f0t_texts_add(out, f0t_texts_get(forms, 0), f0t_texts_length(forms, 0));
}

f0t_status f0t_same_keys(f0t_texts *out, const char *text)
{
    f0t_word_text key;
    f0t_texts forms = {0};
    F0T_TRY(make_key(&key, text));
    f0t_status status = key.length ? f0t_clean_whole(&forms, text, strlen(text)) : F0T_OK;
    if (status == F0T_OK && key.length)
        status = add_keys(out, &key, &forms);
    f0t_texts_free(&forms);
    f0t_free(key.data);
    return status;
}

f0t_status f0t_same_join(char **out, const char *form)
{
    F0T_TRY(f0t_alloc(out, strlen(form) + 1, 1));
    char *to = *out;
    for (const char *c = form; *c; c++)
        if (*c != ' ')
            *to++ = *c;
    *to = '\0';
    return F0T_OK;
}

/* The form without its spaces, its last word in the singular. */
static f0t_status join_singular(char **out, const char *form)
{
    const char *space = strrchr(form, ' '), *word = space ? space + 1 : form;
    const size_t begin = (size_t)(word - form);
    f0t_inflections singulars;
    char *whole;
    f0t_singulars(&singulars, word, strlen(word));
    const char *last = singulars.count ? singulars.text[0] : word;
    F0T_TRY(f0t_alloc(&whole, begin + strlen(last) + 1, 1));
    memcpy(whole, form, begin);
    memcpy(whole + begin, last, strlen(last) + 1);
    f0t_status status = f0t_same_join(out, whole);
    f0t_free(whole);
    return status;
}

f0t_status f0t_same_root(char **out, const char *text)
{
    f0t_texts keys = {0};
    f0t_status status = f0t_same_keys(&keys, text);
    if (status == F0T_OK)
        status = join_singular(out, keys.count ? f0t_texts_get(&keys, keys.count - 1) : "");
    f0t_texts_free(&keys);
    return status;
}

/* The form with another last word. */
static f0t_status add_variant(f0t_texts *out, const char *form, size_t begin, const char *word)
{
    char text[F0T_TAG_MOST + F0T_INFLECT_LENGTH];
    const size_t length = strlen(word);
    if (begin + length >= sizeof text)
        return F0T_OK;
    memcpy(text, form, begin);
    memcpy(text + begin, word, length);
    return f0t_texts_add(out, text, begin + length);
}

/* Singulars, likeliest first, then plurals of the last word. A plural must be one of this word: "axes", which is said of
 * axes and of an axis, is that of "axe" to f0t_singulars. */
static f0t_status add_numbers(f0t_texts *out, const char *form)
{
    const char *space = strrchr(form, ' '), *word = space ? space + 1 : form;
    const size_t begin = (size_t)(word - form);
    f0t_inflections guesses;
    f0t_singulars(&guesses, word, strlen(word));
    for (size_t i = 0; i < guesses.count; i++)
        F0T_TRY(add_variant(out, form, begin, guesses.text[i]));
    f0t_plurals(&guesses, word, strlen(word));
    for (size_t i = 0; i < guesses.count; i++)
        if (f0t_clean_same(guesses.text[i], word))
            F0T_TRY(add_variant(out, form, begin, guesses.text[i]));
    return F0T_OK;
}

/* The key, the form, and what the form is the singular or plural of. */
static f0t_status list_candidates(f0t_texts *out, const char *text)
{
    char *form;
    F0T_TRY(f0t_same_keys(out, text));
    if (!out->count)
        return F0T_OK;
    const size_t last = out->count - 1;
    F0T_TRY(f0t_string_copy(&form, f0t_texts_get(out, last), f0t_texts_length(out, last)));
    f0t_status status = add_numbers(out, form);
    f0t_free(form);
    return status;
}

/* ---- The rule ------------------------------------------------------------------------------------------ */

static f0t_status search_joined(int64_t *tag, f0t_same_lookup lookup, void *known, const char *form)
{
    char *joined;
    F0T_TRY(f0t_same_join(&joined, form));
    f0t_status status = lookup(tag, known, joined, true);
    f0t_free(joined);
    return status;
}

static f0t_status search_all(int64_t *tag, f0t_same_lookup lookup, void *known,
                             const f0t_texts *candidates)
{
    for (size_t i = 0; i < candidates->count && *tag == F0T_SAME_NONE; i++)
        F0T_TRY(lookup(tag, known, f0t_texts_get(candidates, i), false));
    for (size_t i = 0; i < candidates->count && *tag == F0T_SAME_NONE; i++)
        F0T_TRY(search_joined(tag, lookup, known, f0t_texts_get(candidates, i)));
    return F0T_OK;
}

f0t_status f0t_same_search(int64_t *tag, f0t_same_lookup lookup, void *known, const char *text)
{
    f0t_texts candidates = {0};
    *tag = F0T_SAME_NONE;
    f0t_status status = list_candidates(&candidates, text);
    if (status == F0T_OK)
        status = search_all(tag, lookup, known, &candidates);
    f0t_texts_free(&candidates);
    return status;
}

/* ---- In memory ----------------------------------------------------------------------------------------- */

static f0t_status add_to(f0t_names *names, uint32_t **tags, size_t *capacity, bool *added,
                         const char *form, uint32_t tag)
{
    uint32_t index;
    F0T_TRY(f0t_names_add(&index, added, names, form, strlen(form)));
    if (!*added)
        return F0T_OK;
    F0T_TRY(f0t_grow(tags, capacity, index, 1, sizeof **tags));
    (*tags)[index] = tag;
    return F0T_OK;
}

f0t_status f0t_same_add(f0t_same *same, bool *added, const char *form, uint32_t tag)
{
    char *joined;
    bool first;
    F0T_TRY(add_to(&same->keys, &same->tags, &same->capacity, added, form, tag));
    if (!*added)
        return F0T_OK;
    F0T_TRY(f0t_same_join(&joined, form));
    f0t_status status =
        add_to(&same->joined, &same->joined_tags, &same->joined_capacity, &first, joined, tag);
    f0t_free(joined);
    return status;
}

/* The i-th of a tag's keys, where it has so many. */
static f0t_status add_key(f0t_same *same, const char *text, size_t i, uint32_t tag)
{
    f0t_texts keys = {0};
    bool added;
    f0t_status status = f0t_same_keys(&keys, text);
    if (status == F0T_OK && i < keys.count)
        status = f0t_same_add(same, &added, f0t_texts_get(&keys, i), tag);
    f0t_texts_free(&keys);
    return status;
}

f0t_status f0t_same_add_tags(f0t_same *same, const char *const *tags, size_t count)
{
    for (size_t key = 0; key < 2; key++) /* "dog" is itself, whatever comes after "dog!" */
        for (size_t t = 0; t < count; t++)
            F0T_TRY(add_key(same, tags[t], key, (uint32_t)t));
    return F0T_OK;
}

static f0t_status look_up(int64_t *tag, void *known, const char *form, bool joined)
{
    const f0t_same *same = known;
    uint32_t index;
    if (f0t_names_find(&index, &same->keys, form, strlen(form)))
        *tag = same->tags[index];
    else if (joined && f0t_names_find(&index, &same->joined, form, strlen(form)))
        *tag = same->joined_tags[index];
    return F0T_OK;
}

f0t_status f0t_same_find(size_t *tag, const f0t_same *same, const char *text)
{
    int64_t found;
    F0T_TRY(f0t_same_search(&found, look_up, (void *)(uintptr_t)same, text));
    *tag = found == F0T_SAME_NONE ? F0T_NONE : (size_t)found;
    return F0T_OK;
}

static f0t_status are_by_rule(bool *out, const char *a, const char *b)
{
    f0t_same alone = {0};
    size_t found = F0T_NONE;
    f0t_status status = f0t_same_add_tags(&alone, &a, 1);
    if (status == F0T_OK)
        status = f0t_same_find(&found, &alone, b);
    f0t_same_free(&alone);
    *out = found != F0T_NONE;
    return status;
}

f0t_status f0t_same_are(bool *out, const f0t_same *same, const char *a, const char *b)
{
    size_t left, right;
    *out = false;
    F0T_TRY(f0t_same_find(&left, same, a));
    F0T_TRY(f0t_same_find(&right, same, b));
    if (left == F0T_NONE && right == F0T_NONE)
        return are_by_rule(out, a, b);
    *out = left == right;
    return F0T_OK;
}

void f0t_same_free(f0t_same *same)
{
    f0t_names_free(&same->keys);
    f0t_names_free(&same->joined);
    f0t_free(same->tags);
    f0t_free(same->joined_tags);
    *same = (f0t_same){0};
}
