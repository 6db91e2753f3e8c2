/* Dictionaries of dictd: the index, and what an entry says. */
#include "word/dictionary.h"

#include "base/alloc.h"
#include "io/file.h"
#include "io/text.h"
#include "word/normal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 1 << 29, INDEX_MOST = 1 << 28, TRANSLATION_MOST = 64 };

/* An entry, and the headword that it explains. */
typedef struct entry {
    size_t begin, end; /* in the text */
    uint32_t word;
} entry;

struct f0t_dictionary {
    char *name;
    char *text; /* of all entries */
    size_t size;
    f0t_names words;
    entry *entries; /* by headword, in the order of the text */
    size_t count, capacity;
    size_t *first; /* [words + 1]: the entries of each */
};

/* ---- Lines of an entry ------------------------------------------------------------------------- */

typedef struct span {
    const char *begin, *end;
} span;

static span trimmed(span s)
{
    while (s.begin < s.end && (*s.begin == ' ' || *s.begin == '\t' || *s.begin == '\r'))
        s.begin++;
    while (s.begin < s.end && (s.end[-1] == ' ' || s.end[-1] == '\t' || s.end[-1] == '\r'))
        s.end--;
    return s;
}

static bool next_line(span *line, span *rest)
{
    if (rest->begin == rest->end)
        return false;
    const char *end = memchr(rest->begin, '\n', (size_t)(rest->end - rest->begin));
    *line = (span){rest->begin, end ? end : rest->end};
    rest->begin = end ? end + 1 : rest->end;
    return true;
}

static bool begins_with(span s, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(s.end - s.begin) >= length && !memcmp(s.begin, word, length);
}

/* The headword: what stands before its pronunciation, grammar or a remark. */
static span headword_of(span line)
{
    for (const char *p = line.begin; p + 1 < line.end; p++)
        if (*p == ' ' && strchr("/<[(", p[1])) {
            line.end = p;
            break;
        }
    return trimmed(line);
}

/* Examples, references and notes. */
static bool is_remark(span line)
{
    static const char *const begins[] = {
        "\"",           "Synonym",   "Antonym",    "see:",  "Note:", "Usage:",
        "Abbreviation", "Cross-ref", "Alternate ", "Hint:", NULL};
    for (size_t i = 0; begins[i]; i++)
        if (begins_with(line, begins[i]))
            return true;
    return false;
}

/* Without "1. ", the number of a meaning. */
static span without_number(span line)
{
    const char *p = line.begin;
    while (p < line.end && *p >= '0' && *p <= '9')
        p++;
    if (p > line.begin && p < line.end && *p == '.')
        line.begin = p + 1;
    return trimmed(line);
}

/* ---- Translations ---------------------------------------------------------------------------------- */

static char closing(char c)
{
    return c == '[' ? ']' : c == '<' ? '>' : c == '(' ? ')' : c == '{' ? '}' : '\0';
}

/* One translation of a line, up to the next comma or semicolon, without what stands in brackets and without a
 * pronunciation ("room rm /ˌɛrˈɛm/"); `to` has TRANSLATION_MOST bytes. A longer one is none. */
static size_t take_translation(char *to, span *line)
{
    size_t length = 0;
    bool fits = true, spoken = false;
    for (; line->begin < line->end && *line->begin != ',' && *line->begin != ';'; line->begin++) {
        char c = *line->begin, close = closing(c);
        if (close) {
            const char *end = memchr(line->begin, close, (size_t)(line->end - line->begin));
            line->begin = end ? end : line->end - 1;
            continue;
        }
        spoken = spoken || (c == '/' && (length == 0 || to[length - 1] == ' '));
        if (spoken || (c == ' ' && (length == 0 || to[length - 1] == ' ')))
            continue;
        fits = fits && length < TRANSLATION_MOST;
        if (fits)
            to[length++] = c;
    }
    if (line->begin < line->end)
        line->begin++;
    while (length && to[length - 1] == ' ')
        length--;
    return fits ? length : 0;
}

static f0t_status add_translations(f0t_texts *out, span line)
{
    char word[TRANSLATION_MOST];
    while (line.begin < line.end) {
        size_t length = take_translation(word, &line);
        if (length && f0t_text_is_word(word, length))
            F0T_TRY(f0t_texts_add(out, word, length));
    }
    return F0T_OK;
}

f0t_status f0t_dictionary_translations(f0t_texts *out, const f0t_dictionary *d, size_t word,
                                       size_t meaning)
{
    const entry *e = &d->entries[d->first[word] + meaning];
    span rest = {d->text + e->begin, d->text + e->end}, line;
    next_line(&line, &rest); /* the headword */
    while (next_line(&line, &rest)) {
        line = trimmed(line);
        if (line.begin < line.end && !is_remark(line))
            F0T_TRY(add_translations(out, without_number(line)));
    }
    return F0T_OK;
}

/* ---- The index ----------------------------------------------------------------------------------- */

/* A number of base 64, most significant digit first. */
static bool read_number(size_t *out, span text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    *out = 0;
    if (text.begin == text.end || text.end - text.begin > 8)
        return false;
    for (const char *p = text.begin; p < text.end; p++) {
        const char *digit = *p ? strchr(digits, *p) : NULL;
        if (!digit)
            return false;
        *out = *out * 64 + (size_t)(digit - digits);
    }
    return true;
}

static bool next_field(span *field, span *line)
{
    if (line->begin > line->end)
        return false;
    const char *tab = memchr(line->begin, '\t', (size_t)(line->end - line->begin));
    *field = (span){line->begin, tab ? tab : line->end};
    line->begin = tab ? tab + 1 : line->end + 1;
    return true;
}

/* Of one line of the index: key, place, length. */
static f0t_status read_place(entry *out, bool *wanted, const f0t_dictionary *d, span line,
                             size_t number)
{
    span key, place, length;
    size_t begin, size;
    if (!next_field(&key, &line) || !next_field(&place, &line) || !next_field(&length, &line) ||
        !read_number(&begin, place) || !read_number(&size, trimmed(length)))
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: line %zu of the index is not a word, a place and a length", d->name,
                        number);
    if (begin > d->size || size > d->size - begin)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: line %zu of the index points outside the entries: the two files do "
                        "not belong together",
                        d->name, number);
    *wanted = size > 0 && !begins_with(key, "00database") && !begins_with(key, "00-database");
    *out = (entry){begin, begin + size, 0};
    return F0T_OK;
}

static int by_place(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int by_word(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->word != y->word ? (x->word > y->word) - (x->word < y->word) : by_place(a, b);
}

static f0t_status read_index(f0t_dictionary *d, const char *index, size_t size)
{
    span rest = {index, index + size}, line;
    for (size_t number = 1; next_line(&line, &rest); number++) {
        entry e;
        bool wanted = false;
        if (line.begin == line.end)
            continue;
        F0T_TRY(read_place(&e, &wanted, d, line, number));
        if (!wanted)
            continue;
        F0T_TRY(f0t_grow(&d->entries, &d->capacity, d->count, 1, sizeof *d->entries));
        d->entries[d->count++] = e;
    }
    return F0T_OK;
}

/* Several lines of an index may lead to one entry. */
static void drop_repeated(f0t_dictionary *d)
{
    size_t kept = 0;
    if (d->count)
        qsort(d->entries, d->count, sizeof *d->entries, by_place);
    for (size_t i = 0; i < d->count; i++)
        if (kept == 0 || d->entries[i].begin != d->entries[kept - 1].begin)
            d->entries[kept++] = d->entries[i];
    d->count = kept;
}

/* An entry without a word that can be one is dropped. */
static f0t_status find_headwords(f0t_dictionary *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->count; i++) {
        entry e = d->entries[i];
        span rest = {d->text + e.begin, d->text + e.end}, line = rest;
        next_line(&line, &rest);
        line = headword_of(line);
        size_t length = (size_t)(line.end - line.begin);
        if (length == 0 || length > F0T_TAG_MOST || !f0t_text_is_word(line.begin, length))
            continue;
        F0T_TRY(f0t_names_add(&e.word, NULL, &d->words, line.begin, length));
        d->entries[kept++] = e;
    }
    d->count = kept;
    return F0T_OK;
}

static f0t_status sort_by_headword(f0t_dictionary *d)
{
    size_t words = f0t_names_count(&d->words);
    F0T_TRY(f0t_alloc_zero(&d->first, words + 1, sizeof *d->first));
    if (d->count)
        qsort(d->entries, d->count, sizeof *d->entries, by_word);
    for (size_t i = 0; i < d->count; i++)
        d->first[d->entries[i].word + 1]++;
    for (size_t w = 0; w < words; w++)
        d->first[w + 1] += d->first[w];
    return F0T_OK;
}

/* ---- Opening --------------------------------------------------------------------------------------- */

/* Takes over `text`. */
static f0t_status build(f0t_dictionary **out, const char *index, size_t index_size, char *text,
                        size_t size, const char *name)
{
    f0t_dictionary *d;
    f0t_status status = f0t_alloc_zero(&d, 1, sizeof *d);
    if (status != F0T_OK) {
        f0t_free(text);
        return status;
    }
    d->text = text;
    d->size = size;
    status = f0t_string_copy(&d->name, name, strlen(name));
    if (status == F0T_OK)
        status = read_index(d, index, index_size);
    drop_repeated(d);
    if (status == F0T_OK)
        status = find_headwords(d);
    if (status == F0T_OK)
        status = sort_by_headword(d);
    if (status == F0T_OK && d->count == 0)
        status = f0t_fail(F0T_ERROR_FORMAT, "%s: the dictionary has no entry", name);
    if (status != F0T_OK)
        f0t_dictionary_close(d);
    else
        *out = d;
    return status;
}

f0t_status f0t_dictionary_read(f0t_dictionary **out, const char *index, size_t index_size,
                               const char *entries, size_t size, const char *name)
{
    char *text;
    F0T_TRY(f0t_alloc(&text, size + 1, 1));
    memcpy(text, entries, size);
    return build(out, index, index_size, text, size, name);
}

static bool is_language(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if (name[i] < 'a' || name[i] > 'z')
            return false;
    return length == 3;
}

/* The path of the index without ".index". */
static f0t_status find_stem(char *stem, size_t size, const char *name)
{
    const char *ending = strrchr(name, '.');
    int n = is_language(name)
                ? snprintf(stem, size, "%s/freedict-%s-eng", F0T_DICTIONARY_FOLDER, name)
            : ending && !strcmp(ending, ".index")
                ? snprintf(stem, size, "%.*s", (int)(ending - name), name)
                : -1;
    if (n < 0)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "dictionary '%s': give a language of three letters such as deu, or a file "
                        "that ends in .index",
                        name);
    if ((size_t)n >= size)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: the path is too long", name);
    return F0T_OK;
}

static f0t_status read_file(char **text, size_t *size, const char *stem, const char *ending,
                            size_t most)
{
    char path[4096 + 16];
    snprintf(path, sizeof path, "%s%s", stem, ending);
    return f0t_file_read(text, size, path, most, f0t_context_monitor(NULL));
}

f0t_status f0t_dictionary_open(f0t_dictionary **out, const char *name)
{
    char stem[4096], *index, *text = NULL;
    size_t index_size, size = 0;
    F0T_TRY(find_stem(stem, sizeof stem, name));
    f0t_status status = read_file(&index, &index_size, stem, ".index", INDEX_MOST);
    if (status == F0T_ERROR_NOT_FOUND && is_language(name))
        return f0t_fail(status,
                        "there is no dictionary %s.index: install one (Debian's package "
                        "dict-freedict-%s-eng), or name a file",
                        stem, name);
    F0T_TRY(status);
    status = read_file(&text, &size, stem, ".dict.dz", FILE_MOST);
    if (status == F0T_ERROR_NOT_FOUND)
        status = read_file(&text, &size, stem, ".dict", FILE_MOST);
    const char *base = strrchr(stem, '/');
    if (status == F0T_OK)
        status = build(out, index, index_size, text, size, base ? base + 1 : stem);
    f0t_free(index);
    return status;
}

void f0t_dictionary_close(f0t_dictionary *d)
{
    if (!d)
        return;
    f0t_free(d->name);
    f0t_free(d->text);
    f0t_free(d->entries);
    f0t_free(d->first);
    f0t_names_free(&d->words);
    f0t_free(d);
}

const char *f0t_dictionary_name(const f0t_dictionary *d)
{
    return d->name;
}

size_t f0t_dictionary_count(const f0t_dictionary *d)
{
    return f0t_names_count(&d->words);
}

const char *f0t_dictionary_word(const f0t_dictionary *d, size_t word)
{
    return f0t_names_get(&d->words, word);
}

size_t f0t_dictionary_meanings(const f0t_dictionary *d, size_t word)
{
    return d->first[word + 1] - d->first[word];
}
