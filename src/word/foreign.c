#include "word/foreign.h"

#include "base/alloc.h"
#include "base/context.h"
#include "io/file.h"
#include "word/normal.h"
#include "word/spelling.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { INDEX_MOST = 1 << 26, SLIP_LETTERS = 5 };

/* ---- Dictionaries ------------------------------------------------------------------------------- */

/* Whether the headword is the word with this key. Few are looked at closely: those of about its length that begin with
 * the same letter, or with one that is not ASCII. */
static f0t_status is_word(bool *same, const char *headword, size_t length, const f0t_word_text *key)
{
    enum { LENGTHS_APART = 2 };
    f0t_word_text other;
    const unsigned char first = (unsigned char)*headword, wanted = (unsigned char)*key->data;
    *same = false;
    if (!length || length > F0T_TAG_MOST || length + LENGTHS_APART < key->length ||
        length > key->length + LENGTHS_APART ||
        (first < 0x80 && wanted < 0x80 && tolower(first) != wanted))
        return F0T_OK;
    f0t_status status = f0t_normal_key(&other, headword, length);
    if (status == F0T_ERROR_FORMAT)
        return F0T_OK;
    F0T_TRY(status);
    *same = other.length == key->length && !memcmp(other.data, key->data, key->length);
    f0t_free(other.data);
    return F0T_OK;
}

/* A line of an index is a headword, a tab, and where its entry is. A file that cannot be read knows no word. */
static f0t_status look_into(bool *found, const char *path, const f0t_word_text *key)
{
    char *index;
    size_t size;
    *found = false;
    f0t_status status = f0t_file_read(&index, &size, path, INDEX_MOST, f0t_context_monitor(NULL));
    if (status != F0T_OK)
        return status == F0T_ERROR_MEMORY || status == F0T_ERROR_INTERRUPTED ? status : F0T_OK;
    for (const char *line = index, *end = index + size;
         line < end && !*found && status == F0T_OK;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        const char *tab = memchr(line, '\t', (size_t)(stop - line));
        if (tab)
            status = is_word(found, line, (size_t)(tab - line), key);
        line = stop + 1;
    }
    f0t_free(index);
    return status;
}

/* The languages of the dictionaries that have the word, as "dan, deu": as many as there is room for. */
static f0t_status find_languages(char *languages, size_t size, size_t *count, const glob_t *indexes,
                                 const char *word)
{
    f0t_word_text key;
    *languages = '\0';
    *count = 0;
    F0T_TRY(f0t_normal_key(&key, word, strlen(word)));
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < indexes->gl_pathc && status == F0T_OK && key.length; i++) {
        const char *path = indexes->gl_pathv[i];
        const char *language = path + strlen(path) - strlen("deu-eng.index");
        const size_t used = strlen(languages);
        bool found;
        status = look_into(&found, path, &key);
        if (status != F0T_OK || !found || used + sizeof ", deu" > size)
            continue;
        snprintf(languages + used, size - used, "%s%.3s", used ? ", " : "", language);
        ++*count;
    }
    f0t_free(key.data);
    return status;
}

/* ---- Typing errors ------------------------------------------------------------------------------- */

static bool has_same_letters(const char *a, const char *b)
{
    int count[256] = {0};
    for (; *a; a++)
        count[tolower((unsigned char)*a)]++;
    for (; *b; b++)
        count[tolower((unsigned char)*b)]--;
    for (size_t i = 0; i < 256; i++)
        if (count[i])
            return false;
    return true;
}

/* Two letters swapped, or a longer word with one letter more, less or other, but not the first; of eight letters, two. */
static bool is_slip(const char *word, const char *nearest)
{
    const size_t length = strlen(word);
    const int most = length < SLIP_LETTERS ? 0 : length < 8 ? 1 : 2;
    if (has_same_letters(word, nearest))
        return true;
    return most && !strncasecmp(word, nearest, 1) &&
           f0t_spelling_distance(word, length, nearest, strlen(nearest), most) <= most;
}

/* ---- All of it ------------------------------------------------------------------------------------ */

f0t_status f0t_foreign_advise(char advice[F0T_ADVICE_SIZE], const char *word, const char *nearest,
                              const char *folder)
{
    char pattern[4096], languages[64];
    size_t count;
    glob_t indexes = {0};
    *advice = '\0';
    snprintf(pattern, sizeof pattern, "%s/freedict-[a-z][a-z][a-z]-eng.index", folder);
    if (glob(pattern, 0, NULL, &indexes) == GLOB_NOSPACE)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for the list of dictionaries");
    f0t_status status = find_languages(languages, sizeof languages, &count, &indexes, word);
    if (count)
        snprintf(advice, F0T_ADVICE_SIZE,
                 "; a dictionary has it (%s): 'fast0tag vectors translate VECTORS --dictionary %s "
                 "-o FILE' gives its words vectors; then name FILE as the word vectors",
                 languages, count == 1 ? languages : "LANGUAGE");
    else if (nearest && (indexes.gl_pathc || is_slip(word, nearest)))
        snprintf(advice, F0T_ADVICE_SIZE, "; did you mean '%.200s'?", nearest);
    else if (!indexes.gl_pathc)
        snprintf(advice, F0T_ADVICE_SIZE,
                 "; if it is of another language, install its dictionary, as Debian's "
                 "dict-freedict-deu-eng for German, and see 'fast0tag vectors translate -h'");
    globfree(&indexes);
    return status;
}
