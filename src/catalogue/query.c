/*
 * The query language: terms, separated by blanks.
 *
 *     query = { ["-"] term }
 *     term  = text | "tag:" text | ("before:" | "after:") date | "date:" date [".." date] | "is:untagged"
 *     text  = characters without blank, quote and colon, the first of them no "-"  |  a quoted text
 *     date  = YYYY [-MM [-DD]]
 *
 * Words that no picture shows, as "with" in girl with umbrella, are left out unless they are quoted or the query has
 * nothing else.
 *
 * A quoted text stands between double quotes; \" and \\ in it are a quote and a backslash. An argument of a command
 * line, which a shell has already taken apart, is one term whatever blanks are in it, unless it has a quote.
 */
#include "catalogue/query.h"

#include "base/alloc.h"
#include "io/text.h"
#include "word/normal.h"

#include <stdio.h>
#include <string.h>

/* What stands before the colon; NULL: nothing. Help lists them in this order. */
static const char *const PREFIX[F0T_TERM_KINDS] = {
    [F0T_TERM_TAG] = "tag",   [F0T_TERM_BEFORE] = "before", [F0T_TERM_AFTER] = "after",
    [F0T_TERM_DATE] = "date", [F0T_TERM_UNTAGGED] = "is",
};
static const char UNTAGGED[] = "untagged";

typedef struct reader {
    const char *text; /* the whole, for the place in messages */
    const char *at, *end;
    bool whole; /* a blank ends no term */
    f0t_query *query;
} reader;

/* ---- Characters --------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_first_byte(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

/* Names the place, and shows what begins there. */
static f0t_status fail_at(const reader *r, const char *at, const char *what)
{
    enum { SHOWN = 32 };
    size_t character = 1;
    const char *end = r->end - at > SHOWN ? at + SHOWN : r->end;
    for (const char *p = r->text; p < at; p++)
        character += is_first_byte(*p);
    while (end < r->end && !is_first_byte(*end))
        end--;
    return f0t_fail(F0T_ERROR_ARGUMENT, "query, character %zu%s%.*s%s: %s", character,
                    at < end ? " ('" : "", (int)(end - at), at,
                    at == end      ? ""
                    : end < r->end ? "…')"
                                   : "')",
                    what);
}

static f0t_status check_text(const reader *r, const char *at, const char *text, size_t length)
{
    f0t_word_text key;
    if (length > F0T_TAG_MOST)
        return fail_at(r, at, "a word or tag of more than 1024 bytes");
    F0T_TRY(f0t_normal_key(&key, text, length));
    const bool empty = !key.length;
    f0t_free(key.data);
    return empty ? fail_at(r, at, "a word or tag is expected") : F0T_OK;
}

/* From the quote at r->at to behind the closing one. */
static f0t_status read_quoted(char **out, reader *r)
{
    const char *start = r->at++;
    size_t length = 0;
    F0T_TRY(f0t_alloc(out, (size_t)(r->end - start) + 1, 1));
    char *to = *out;
    while (r->at < r->end && *r->at != '"') {
        if (*r->at == '\\' && r->end - r->at > 1 && (r->at[1] == '"' || r->at[1] == '\\'))
            r->at++;
        to[length++] = *r->at++;
    }
    to[length] = 0;
    if (r->at == r->end)
        return fail_at(r, start, "the closing quote is missing");
    r->at++;
    if (r->at < r->end && !is_blank(*r->at))
        return fail_at(r, r->at, "a blank is expected after the closing quote");
    return check_text(r, start, to, length);
}

/* Where the term at r->at ends that is not quoted. */
static const char *plain_end(const reader *r)
{
    const char *p = r->at;
    while (p < r->end && (r->whole || !is_blank(*p)))
        p++;
    while (r->whole && p > r->at && is_blank(p[-1]))
        p--;
    return p;
}

static f0t_status read_plain(char **out, reader *r)
{
    const char *end = plain_end(r), *start = r->at;
    while (start < end && is_blank(*start))
        start++;
    const char *quote = memchr(start, '"', (size_t)(end - start));
    if (quote)
        return fail_at(r, quote, "a quote in the middle of a word");
    r->at = end;
    F0T_TRY(f0t_string_copy(out, start, (size_t)(end - start)));
    return check_text(r, start, *out, (size_t)(end - start));
}

static f0t_status read_text(f0t_term *to, reader *r)
{
    to->quoted = r->at < r->end && *r->at == '"';
    return to->quoted ? read_quoted(&to->text, r) : read_plain(&to->text, r);
}

/* ---- Dates -------------------------------------------------------------------------------------- */

typedef struct day {
    int year, month, day; /* 0: not given */
} day;

static int month_days(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

static bool read_digits(int *out, const char **at, const char *end, int digits)
{
    *out = 0;
    for (int i = 0; i < digits; i++, (*at)++) {
        if (*at == end || **at < '0' || **at > '9')
            return false;
        *out = *out * 10 + (**at - '0');
    }
    return true;
}

static bool read_day(day *out, const char **at, const char *end)
{
    *out = (day){0};
    if (!read_digits(&out->year, at, end, 4) || !out->year)
        return false;
    if (*at == end || **at != '-')
        return true;
    ++*at;
    if (!read_digits(&out->month, at, end, 2) || !out->month || out->month > 12)
        return false;
    if (*at == end || **at != '-')
        return true;
    ++*at;
    return read_digits(&out->day, at, end, 2) && out->day &&
           out->day <= month_days(out->year, out->month);
}

static void print_day(char to[F0T_DAY_SIZE], day d)
{
    if (d.year > 9999) {
        memcpy(to, F0T_DAY_END, F0T_DAY_SIZE);
        return;
    }
    const int parts[] = {d.year / 100, d.year % 100, d.month, d.day};
    char *at = to;
    for (int i = 0; i < 4; i++) {
        if (i > 1)
            *at++ = '-';
        *at++ = (char)('0' + parts[i] / 10 % 10);
        *at++ = (char)('0' + parts[i] % 10);
    }
    *at = 0;
}

static day first_day(day d)
{
    return (day){d.year, d.month ? d.month : 1, d.day ? d.day : 1};
}

/* The first day after the year, month or day. */
static day day_after(day d)
{
    day next = first_day(d);
    if (d.day && ++next.day <= month_days(d.year, d.month))
        return next;
    next.day = 1;
    if (d.month && ++next.month <= 12)
        return next;
    return (day){d.year + 1, 1, 1};
}

/* Days of the years before, with a leap day in every fourth of them but three centuries of four. */
int64_t f0t_day_seconds(const char *text)
{
    const char *at = text;
    day d;
    if (!read_day(&d, &at, text + strlen(text)) || !d.day)
        return INT64_MAX;
    const int64_t years = d.year - 1;
    int64_t days = years * 365 + years / 4 - years / 100 + years / 400 - 719162 + d.day - 1;
    for (int month = 1; month < d.month; month++)
        days += month_days(d.year, month);
    return days * 86400;
}

static f0t_status read_dates(f0t_term *to, reader *r)
{
    static const char expected[] = "a date is expected, as 2020, 2020-02 or 2020-02-29";
    const char *start = r->at, *end = plain_end(r);
    day from, last;
    if (!read_day(&from, &r->at, end))
        return fail_at(r, start, expected);
    last = from;
    if (to->kind == F0T_TERM_DATE && end - r->at > 2 && !memcmp(r->at, "..", 2)) {
        r->at += 2;
        if (!read_day(&last, &r->at, end))
            return fail_at(r, start, expected);
    }
    if (r->at != end)
        return fail_at(r, start, expected);
    print_day(to->from, first_day(from));
    print_day(to->to, day_after(last));
    if (strcmp(to->from, to->to) >= 0)
        return fail_at(r, start, "the range ends before it begins");
    if (to->kind == F0T_TERM_BEFORE)
        *to->to = 0;
    if (to->kind == F0T_TERM_AFTER)
        *to->from = 0;
    return F0T_OK;
}

/* ---- Terms -------------------------------------------------------------------------------------- */

/* Past "tag:" and the like; a word has none. */
static f0t_status read_prefix(f0t_term *to, reader *r)
{
    const char *end = plain_end(r), *colon = memchr(r->at, ':', (size_t)(end - r->at));
    if (*r->at == '"' || !colon)
        return F0T_OK;
    const size_t length = (size_t)(colon - r->at);
    for (size_t k = 0; k < F0T_TERM_KINDS; k++)
        if (PREFIX[k] && strlen(PREFIX[k]) == length && !memcmp(PREFIX[k], r->at, length)) {
            to->kind = (f0t_term_kind)k;
            r->at = colon + 1;
            return F0T_OK;
        }
    return fail_at(r, r->at,
                   "there are tag:, before:, after:, date: and is:untagged; a word with a colon "
                   "goes in quotes");
}

static f0t_status read_untagged(reader *r)
{
    const char *start = r->at, *end = plain_end(r);
    if ((size_t)(end - start) != sizeof UNTAGGED - 1 ||
        memcmp(start, UNTAGGED, sizeof UNTAGGED - 1) != 0)
        return fail_at(r, start, "after is: comes untagged");
    r->at = end;
    return F0T_OK;
}

static f0t_status read_term(f0t_term *to, reader *r)
{
    const char *start = r->at;
    to->without = *r->at == '-';
    r->at += to->without;
    if (r->at == r->end || is_blank(*r->at))
        return fail_at(r, start, "a word is expected after '-'");
    if (*r->at == '-')
        return fail_at(r, r->at, "a second '-'; a word that begins with it goes in quotes");
    F0T_TRY(read_prefix(to, r));
    switch (to->kind) {
    case F0T_TERM_BEFORE:
    case F0T_TERM_AFTER:
    case F0T_TERM_DATE:
        return read_dates(to, r);
    case F0T_TERM_UNTAGGED:
        return read_untagged(r);
    default:
        return read_text(to, r);
    }
}

static f0t_status read_terms(reader *r)
{
    f0t_query *q = r->query;
    for (;;) {
        while (r->at < r->end && is_blank(*r->at))
            r->at++;
        if (r->at == r->end)
            return F0T_OK;
        if (q->count == F0T_QUERY_TERMS_MOST)
            return fail_at(r, r->at, "more than 64 terms");
        F0T_TRY(f0t_grow(&q->terms, &q->capacity, q->count, 1, sizeof *q->terms));
        q->terms[q->count] = (f0t_term){.kind = F0T_TERM_WORD};
        F0T_TRY(read_term(&q->terms[q->count++], r));
    }
}

static f0t_status read_line(f0t_query *q, const char *text, bool whole)
{
    const size_t length = strlen(text);
    const char *fault;
    if (length > F0T_QUERY_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a query of more than %d bytes", F0T_QUERY_MOST);
    fault = f0t_text_fault(text, length);
    if (fault)
        return f0t_fail(F0T_ERROR_ARGUMENT, "query: %s", fault);
    return read_terms(
        &(reader){.text = text, .at = text, .end = text + length, .whole = whole, .query = q});
}

/* ---- Words that no picture shows ------------------------------------------------------------------ */

/* Articles, prepositions and the like in small letters, sorted. Not "without", "no", "not" and "or": who writes them means
 * something that leaving them out would turn round. */
static const char *const STOP_WORDS[] = {
    "a",      "above", "across", "against", "along",   "among", "an",      "and",     "are",
    "around", "as",    "at",     "behind",  "below",   "by",    "beneath", "beside",  "between",
    "for",    "from",  "her",    "his",     "in",      "into",  "is",      "its",     "my",
    "near",   "of",    "on",     "onto",    "our",     "over",  "some",    "that",    "the",
    "their",  "these", "this",   "those",   "through", "to",    "toward",  "towards", "under",
    "upon",   "which", "while",  "who",     "with",    "your"};

static bool is_stop_word(const char *text)
{
    char small[16];
    const size_t length = strlen(text);
    if (length >= sizeof small)
        return false;
    for (size_t i = 0; i <= length; i++)
        small[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
    for (size_t i = 0; i < sizeof STOP_WORDS / sizeof *STOP_WORDS; i++)
        if (!strcmp(small, STOP_WORDS[i]))
            return true;
    return false;
}

static void leave_out_stop_words(f0t_query *q)
{
    size_t left = 0;
    for (size_t i = 0; i < q->count; i++) {
        f0t_term *t = &q->terms[i];
        t->left_out =
            t->kind == F0T_TERM_WORD && !t->quoted && !t->without && is_stop_word(t->text);
        left += !t->left_out;
    }
    for (size_t i = 0; i < q->count && !left; i++)
        q->terms[i].left_out = false;
}

/* ---- Printing ----------------------------------------------------------------------------------- */

/* Text that grows. */
typedef struct line {
    char *text;
    size_t length, capacity;
} line;

static f0t_status add(line *to, const char *text, size_t length)
{
    F0T_TRY(f0t_grow(&to->text, &to->capacity, to->length, length + 1, 1));
    memcpy(to->text + to->length, text, length);
    to->length += length;
    to->text[to->length] = 0;
    return F0T_OK;
}

static bool is_plain(const char *text)
{
    return *text != '-' && !strpbrk(text, " \t\n\r\":");
}

static f0t_status add_quoted(line *to, const char *text)
{
    F0T_TRY(add(to, "\"", 1));
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            F0T_TRY(add(to, "\\", 1));
        F0T_TRY(add(to, text, 1));
    }
    return add(to, "\"", 1);
}

/* The day before, which ends a printed range. */
static void last_day(char to[F0T_DAY_SIZE], const char *end)
{
    const char *at = end;
    day d;
    if (!strcmp(end, F0T_DAY_END))
        d = (day){9999, 12, 31};
    else
        (void)(read_day(&d, &at, end + F0T_DAY_SIZE - 1) && --d.day);
    if (!d.day) {
        d.month = d.month > 1 ? d.month - 1 : 12;
        d.year -= d.month == 12;
        d.day = month_days(d.year, d.month);
    }
    print_day(to, d);
}

static f0t_status add_dates(line *to, const f0t_term *term)
{
    char last[F0T_DAY_SIZE] = "";
    if (*term->to)
        last_day(last, term->to);
    F0T_TRY(add(to, term->from, strlen(term->from)));
    if (term->kind == F0T_TERM_DATE)
        F0T_TRY(add(to, "..", 2));
    return add(to, last, strlen(last));
}

static f0t_status add_term(line *to, const f0t_term *term)
{
    const char *prefix = PREFIX[term->kind];
    if (term->without)
        F0T_TRY(add(to, "-", 1));
    if (prefix) {
        F0T_TRY(add(to, prefix, strlen(prefix)));
        F0T_TRY(add(to, ":", 1));
    }
    if (term->kind == F0T_TERM_UNTAGGED)
        return add(to, UNTAGGED, sizeof UNTAGGED - 1);
    if (!term->text)
        return add_dates(to, term);
    const bool kept = !term->left_out && !term->without && term->kind == F0T_TERM_WORD &&
                      is_stop_word(term->text);
    return is_plain(term->text) && !kept ? add(to, term->text, strlen(term->text))
                                         : add_quoted(to, term->text);
}

static f0t_status print(f0t_query *q)
{
    line all = {0};
    f0t_status status = add(&all, "", 0);
    for (size_t i = 0; i < q->count && status == F0T_OK; i++) {
        if (i)
            status = add(&all, " ", 1);
        if (status == F0T_OK)
            status = add_term(&all, &q->terms[i]);
    }
    q->text = all.text;
    return status;
}

/* ---- Public ------------------------------------------------------------------------------------- */

static f0t_status finish(f0t_query **out, f0t_query *q, f0t_status status)
{
    if (status == F0T_OK && !q->count)
        status = f0t_fail(F0T_ERROR_ARGUMENT, "the query is empty: name a word");
    if (status == F0T_OK) {
        leave_out_stop_words(q);
        status = print(q);
    }
    if (status == F0T_OK)
        *out = q;
    else
        f0t_query_free(q);
    return status;
}

f0t_status f0t_query_parse(f0t_query **out, const char *text)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(text);
    f0t_query *q;
    F0T_TRY(f0t_alloc_zero(&q, 1, sizeof *q));
    return finish(out, q, read_line(q, text, false));
}

f0t_status f0t_query_parse_arguments(f0t_query **out, const char *const *arguments, size_t count)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_TRY(f0t_require_all(__func__, "arguments", arguments, count));
    f0t_query *q;
    F0T_TRY(f0t_alloc_zero(&q, 1, sizeof *q));
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < count && status == F0T_OK; i++)
        status = read_line(q, arguments[i], !strchr(arguments[i], '"'));
    return finish(out, q, status);
}

const char *f0t_query_text(const f0t_query *query)
{
    return query->text;
}

void f0t_query_free(f0t_query *query)
{
    if (!query)
        return;
    for (size_t i = 0; i < query->count; i++)
        f0t_free(query->terms[i].text);
    f0t_free(query->terms);
    f0t_free(query->text);
    f0t_free(query);
}
