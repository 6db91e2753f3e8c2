#include "word/normal.h"

#include "base/alloc.h"

#include <string.h>
#include <utf8proc.h>

enum { ROUNDS = 4 };

typedef struct points {
    utf8proc_int32_t *data;
    size_t count;
} points;

static f0t_status fail_text(const char *text, size_t length)
{
    if (length > F0T_TAG_MOST)
        return f0t_fail(F0T_ERROR_FORMAT, "a tag of %zu bytes; %d is the most", length,
                        F0T_TAG_MOST);
    return f0t_fail(F0T_ERROR_FORMAT, "'%.*s' is not valid UTF-8", (int)length, text);
}

/* The code points of the text, normalised as `options` say. */
static f0t_status decode(points *out, const char *text, size_t length, utf8proc_option_t options)
{
    const utf8proc_uint8_t *bytes = (const utf8proc_uint8_t *)text;
    utf8proc_ssize_t n = -1;
    if (length <= F0T_TAG_MOST * 32)
        n = utf8proc_decompose(bytes, (utf8proc_ssize_t)length, NULL, 0, options);
    if (n < 0)
        return fail_text(text, length);
    F0T_TRY(f0t_alloc(&out->data, (size_t)n, sizeof *out->data));
    n = utf8proc_decompose(bytes, (utf8proc_ssize_t)length, out->data, n, options);
    if (n > 0)
        n = utf8proc_normalize_utf32(out->data, n, options);
    out->count = (size_t)n;
    return F0T_OK;
}

static f0t_status encode(f0t_word_text *out, const points *from)
{
    F0T_TRY(f0t_alloc(&out->data, from->count * 4 + 1, 1));
    out->length = 0;
    for (size_t i = 0; i < from->count; i++)
        out->length += (size_t)utf8proc_encode_char(from->data[i],
                                                    (utf8proc_uint8_t *)out->data + out->length);
    out->data[out->length] = '\0';
    return F0T_OK;
}

static bool is_space(utf8proc_int32_t c)
{
    utf8proc_category_t category = utf8proc_category(c);
    return c == '_' || (c >= '\t' && c <= '\r') || c == 0x85 || category == UTF8PROC_CATEGORY_ZS ||
           category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

/* The hyphen, and the two that are meant for nothing else. */
static bool is_hyphen(utf8proc_int32_t c)
{
    return c == '-' || c == 0x2010 || c == 0x2011;
}

static bool is_between(const points *p, size_t i)
{
    return i > 0 && i + 1 < p->count && !is_space(p->data[i - 1]) && !is_space(p->data[i + 1]) &&
           !is_hyphen(p->data[i - 1]) && !is_hyphen(p->data[i + 1]);
}

static void apply_case(points *p, f0t_case how)
{
    bool begins = true;
    for (size_t i = 0; i < p->count; i++) {
        utf8proc_int32_t c = p->data[i];
        bool separates = is_space(c) || is_hyphen(c);
        if (how == F0T_CASE_UPPER)
            p->data[i] = utf8proc_toupper(c);
        else if (how == F0T_CASE_TITLE && begins)
            p->data[i] = utf8proc_totitle(c);
        else if (how == F0T_CASE_LOWER || how == F0T_CASE_TITLE)
            p->data[i] = utf8proc_tolower(c);
        begins = separates;
    }
}

static const utf8proc_option_t NFC = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
static const utf8proc_option_t FOLDED =
    UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE;

f0t_status f0t_normal_case(f0t_word_text *out, const char *text, size_t length, f0t_case how)
{
    points p;
    memset(out, 0, sizeof *out);
    if (length > F0T_TAG_MOST)
        return fail_text(text, length);
    F0T_TRY(decode(&p, text, length, how == F0T_CASE_FOLDED ? FOLDED : NFC));
    apply_case(&p, how);
    f0t_status status = encode(out, &p);
    f0t_free(p.data);
    return status;
}

/* Separators to single spaces, control characters away. */
static void join_separators(points *p)
{
    size_t n = 0;
    bool pending = false;
    for (size_t i = 0; i < p->count; i++) {
        utf8proc_int32_t c = p->data[i];
        if (is_space(c) || (is_hyphen(c) && is_between(p, i))) {
            pending = n > 0;
            continue;
        }
        if (utf8proc_category(c) == UTF8PROC_CATEGORY_CC)
            continue;
        if (pending)
            p->data[n++] = ' ';
        pending = false;
        p->data[n++] = c;
    }
    p->count = n;
}

static f0t_status key_once(f0t_word_text *out, const char *text, size_t length)
{
    points p;
    F0T_TRY(decode(&p, text, length, FOLDED));
    join_separators(&p);
    f0t_status status = encode(out, &p);
    f0t_free(p.data);
    return status;
}

/* Folding can make characters that compose, and composing ones that fold: until nothing changes. */
f0t_status f0t_normal_key(f0t_word_text *out, const char *text, size_t length)
{
    f0t_word_text next;
    memset(out, 0, sizeof *out);
    if (length > F0T_TAG_MOST)
        return fail_text(text, length);
    F0T_TRY(key_once(out, text, length));
    for (int round = 0; round < ROUNDS; round++) {
        f0t_status status = key_once(&next, out->data, out->length);
        if (status != F0T_OK) {
            f0t_free(out->data);
            memset(out, 0, sizeof *out);
            return status;
        }
        bool same = next.length == out->length && memcmp(next.data, out->data, next.length) == 0;
        f0t_free(out->data);
        *out = next;
        if (same)
            break;
    }
    return F0T_OK;
}

static size_t point_at(const char *text, size_t length, size_t at, utf8proc_int32_t *c)
{
    utf8proc_ssize_t n =
        utf8proc_iterate((const utf8proc_uint8_t *)text + at, (utf8proc_ssize_t)(length - at), c);
    return n > 0 ? (size_t)n : 1;
}

/* A hyphen at `at`, inside of a part, ends it when a part can follow. */
static bool hyphen_ends(const char *text, size_t length, size_t at, utf8proc_int32_t before)
{
    utf8proc_int32_t c, next;
    at += point_at(text, length, at, &c);
    if (!is_hyphen(c) || is_hyphen(before) || at >= length)
        return false;
    point_at(text, length, at, &next);
    return !is_space(next) && !is_hyphen(next);
}

bool f0t_normal_part(size_t *begin, size_t *end, const char *text, size_t length)
{
    utf8proc_int32_t c = 0, before = 0;
    size_t i = *begin, n;
    if (i > 0 && i < length && (n = point_at(text, length, i, &c)) && is_hyphen(c))
        i += n;
    while (i < length && (n = point_at(text, length, i, &c)) && is_space(c))
        i += n;
    *begin = i;
    while (i < length) {
        n = point_at(text, length, i, &c);
        if (is_space(c) || (i > *begin && hyphen_ends(text, length, i, before)))
            break;
        before = c;
        i += n;
    }
    *end = i;
    return i > *begin;
}
