#include "word/inflect.h"

#include "word/inflect_table.h"

#include <stdbool.h>
#include <string.h>

/* A word and what was guessed for it. */
typedef struct guess {
    const char *word;
    size_t length;
    f0t_inflections *out;
} guess;

static bool is_word(const guess *g, const char *word)
{
    return strlen(word) == g->length && memcmp(word, g->word, g->length) == 0;
}

static bool is_among(const guess *g, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(g, words[i]))
            return true;
    return false;
}

#define AMONG(g, table) is_among(g, table, sizeof(table) / sizeof *(table))

static bool ends_with(const guess *g, const char *ending)
{
    size_t n = strlen(ending);
    return g->length > n && memcmp(g->word + g->length - n, ending, n) == 0;
}

/* The word without its last `drop` bytes, with `ending`. */
static void add(const guess *g, size_t drop, const char *ending)
{
    size_t keep = g->length - drop, n = strlen(ending);
    if (keep + n >= F0T_INFLECT_LENGTH || g->out->count == F0T_INFLECT_MOST)
        return;
    char *to = g->out->text[g->out->count++];
    memcpy(to, g->word, keep);
    memcpy(to + keep, ending, n + 1);
}

/* From column `from` of a table to the other. */
static bool add_other(const guess *g, const char *const (*table)[2], size_t count, size_t from)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(g, table[i][from])) {
            add(g, g->length, table[i][1 - from]);
            return true;
        }
    return false;
}

static bool add_irregular(const guess *g, size_t from)
{
    return add_other(g, irregular, sizeof irregular / sizeof *irregular, from);
}

static bool is_vowel(char c)
{
    return strchr("aeiou", c) != NULL;
}

static bool is_consonant(char c)
{
    return c >= 'a' && c <= 'z' && !is_vowel(c);
}

/* ---- Plural to singular -------------------------------------------------------------------------
 */

/* -es behind a consonant that needs it. */
static bool add_without_es(const guess *g)
{
    if (ends_with(g, "ies")) {
        if (g->length > 4)
            add(g, 3, "y");
        add(g, 1, "");
    } else if (ends_with(g, "oes")) {
        if (!AMONG(g, plural_oe))
            add(g, 2, "");
        add(g, 1, "");
    } else if (ends_with(g, "ches") || ends_with(g, "shes") || ends_with(g, "sses") ||
               ends_with(g, "xes") || ends_with(g, "zzes")) {
        add(g, 2, "");
        add(g, 1, "");
    } else if (ends_with(g, "uses") && !ends_with(g, "ouses") && !ends_with(g, "auses") &&
               !AMONG(g, plural_use)) {
        add(g, 2, "");
        add(g, 1, "");
    } else if (ends_with(g, "ses") || ends_with(g, "zes")) {
        add(g, 1, "");
        add(g, 2, "");
    } else {
        return false;
    }
    return true;
}

/* Words in -s that are no plural by their end. */
static bool looks_singular(const guess *g)
{
    return ends_with(g, "ss") || (ends_with(g, "us") && !AMONG(g, plural_us)) ||
           (ends_with(g, "is") && !AMONG(g, plural_is)) ||
           (ends_with(g, "ics") && !AMONG(g, plural_ics)) || AMONG(g, ends_as) || AMONG(g, ends_s);
}

void f0t_singulars(f0t_inflections *out, const char *word, size_t length)
{
    guess g = {word, length, out};
    out->count = 0;
    if (length < 3 || length > F0T_INFLECT_LENGTH - 4 || AMONG(&g, invariant) ||
        add_irregular(&g, 0))
        return;
    if (ends_with(&g, "men") && !AMONG(&g, not_men)) {
        add(&g, 2, "an");
        return;
    }
    if (word[length - 1] != 's' || looks_singular(&g) || add_without_es(&g))
        return;
    /* "cds" and "tvs", but not "yes" and "gas". */
    if (length == 3 && !(is_consonant(word[0]) && is_consonant(word[1])))
        return;
    if (is_consonant(word[length - 2]) || is_vowel(word[length - 2]) ||
        (unsigned char)word[length - 2] >= 0x80)
        add(&g, 1, "");
}

/* ---- Singular to plural -------------------------------------------------------------------------
 */

static void add_s(const guess *g)
{
    char last = g->word[g->length - 1], before = g->word[g->length - 2];
    if (ends_with(g, "ch") || ends_with(g, "sh") || last == 'x' || last == 'z') {
        add(g, 0, "es");
    } else if (last == 'y' && is_consonant(before)) {
        add(g, 1, "ies");
    } else {
        add(g, 0, "s");
        if (last == 'o' && is_consonant(before))
            add(g, 0, "es");
    }
}

/* A word in -s has a plural only if it is a singular. */
static void add_behind_s(const guess *g)
{
    if (!looks_singular(g) || ends_with(g, "ics"))
        return;
    if (ends_with(g, "is"))
        add(g, 2, "es");
    add(g, 0, "es");
}

void f0t_plurals(f0t_inflections *out, const char *word, size_t length)
{
    guess g = {word, length, out};
    out->count = 0;
    if (length < 2 || length > F0T_INFLECT_LENGTH - 4 || AMONG(&g, invariant) ||
        add_irregular(&g, 1))
        return;
    if (ends_with(&g, "man") && !AMONG(&g, not_man))
        add(&g, 2, "en");
    else if (word[length - 1] == 's')
        add_behind_s(&g);
    else
        add_s(&g);
}

/* ---- Verb form to base --------------------------------------------------------------------------
 */

static bool has_vowel(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (is_vowel(word[i]) || word[i] == 'y')
            return true;
    return false;
}

/* One vowel and one consonant at the end: "hop" comes from "hope"; that of "hop" would be "hopp". */
static bool wants_e(const char *stem, size_t n)
{
    return n >= 2 && is_consonant(stem[n - 1]) && !strchr("wxy", stem[n - 1]) &&
           is_vowel(stem[n - 2]) && (n == 2 || !is_vowel(stem[n - 3]));
}

/* What comes before an ending of `drop` letters, as it may have been without it. */
static void add_stem(const guess *g, size_t drop)
{
    const size_t n = g->length - drop;
    const char last = g->word[n - 1];
    if (n > 3 && last == g->word[n - 2] && is_consonant(last) && !strchr("flsz", last)) {
        add(g, drop + 1, ""); /* "stopp", while "fill" and "pass" have two of their own */
        add(g, drop, "");
    } else if (wants_e(g->word, n)) {
        add(g, drop, "e");
        add(g, drop, "");
    } else {
        add(g, drop, "");
        add(g, drop, "e");
        if (n > 3 && last == g->word[n - 2] && last == 'l')
            add(g, drop + 1, ""); /* "travelled" */
    }
}

static void add_bases(const guess *g)
{
    if (ends_with(g, "eed")) { /* "agreed", but not "seed" */
        if (g->length > 5)
            add(g, 1, "");
    } else if (ends_with(g, "ied")) {
        if (g->length > 4)
            add(g, 3, "y");
        add(g, 1, "");
    } else {
        const size_t drop = ends_with(g, "ed") ? 2 : ends_with(g, "ing") ? 3 : 0;
        const size_t n = g->length - drop;
        if (drop && has_vowel(g->word, n) && (n > 2 || wants_e(g->word, n)))
            add_stem(g, drop);
    }
}

void f0t_bases(f0t_inflections *out, const char *word, size_t length)
{
    const guess g = {word, length, out};
    out->count = 0;
    if (length > F0T_INFLECT_LENGTH - 4 || AMONG(&g, not_verb))
        return;
    for (size_t i = 0; i < length; i++)
        if (word[i] < 'a' || word[i] > 'z')
            return;
    if (!add_other(&g, irregular_verbs, sizeof irregular_verbs / sizeof *irregular_verbs, 0))
        add_bases(&g);
}
