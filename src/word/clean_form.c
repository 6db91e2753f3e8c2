/* One tag: its forms, and what is wrong with one by its looks. */
#include "base/alloc.h"
#include "word/clean.h"
#include "word/clean_words.h"
#include "word/inflect.h"
#include "word/normal.h"

#include <string.h>

enum { WORDS_MOST = 3, LENGTH_MOST = 40 };

const char *f0t_flaw_name(f0t_flaw flaw)
{
    static const char *const names[F0T_FLAWS] = {"kept",
                                                 "that are no words",
                                                 "about the file",
                                                 "about keeping files",
                                                 "in the collection's own list",
                                                 "without a word vector",
                                                 "on too many pictures",
                                                 "on too few pictures"};
    return names[flaw];
}

/* ---- Forms ------------------------------------------------------------------------------------- */

static bool is_punctuation(char c)
{
    return c > 0 && strchr(" .,;:!?\"'`#*+-_=~^|/\\<>()[]{}&", c) != NULL;
}

static f0t_status add_form(f0t_texts *out, const char *text, size_t length)
{
    f0t_word_text key;
    f0t_status status = f0t_normal_key(&key, text, length);
    if (status == F0T_ERROR_FORMAT) /* no UTF-8, or longer than any tag: nothing to learn from */
        return F0T_OK;
    F0T_TRY(status);
    const char *begin = key.data, *end = key.data + key.length;
    while (begin < end && is_punctuation(*begin))
        begin++;
    while (end > begin && is_punctuation(end[-1]))
        end--;
    if (begin < end)
        status = f0t_texts_add(out, begin, (size_t)(end - begin));
    f0t_free(key.data);
    return status;
}

f0t_status f0t_clean_form(f0t_texts *out, const char *tag, size_t length)
{
    for (size_t begin = 0, end; begin <= length; begin = end + 1) {
        end = begin;
        while (end < length && !strchr(",;", tag[end]))
            end++;
        F0T_TRY(add_form(out, tag + begin, end - begin));
    }
    return F0T_OK;
}

static bool is_plural(const char *plural, const char *singular)
{
    f0t_inflections guesses;
    f0t_singulars(&guesses, plural, strlen(plural));
    for (size_t i = 0; i < guesses.count; i++)
        if (!strcmp(guesses.text[i], singular))
            return true;
    return false;
}

bool f0t_clean_same(const char *a, const char *b)
{
    return !strcmp(a, b) || is_plural(a, b) || is_plural(b, a);
}

/* ---- Flaws ------------------------------------------------------------------------------------- */

/* Letters, single spaces and what stands inside of words: all else is a number, a code, an address or
 * the name of a file. */
static bool is_wordlike(const char *form)
{
    size_t words = 1, letters = 0, length = strlen(form);
    for (const char *c = form; *c; c++) {
        const bool letter = (*c >= 'a' && *c <= 'z') || (unsigned char)*c >= 0x80;
        if (!letter && *c != ' ' && *c != '\'' && *c != '-')
            return false;
        letters += letter;
        words += *c == ' ';
    }
    return letters > 1 && words <= WORDS_MOST && length <= LENGTH_MOST;
}

static bool is_among(const char *const *words, size_t count, const char *text, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == length && !memcmp(words[i], text, length))
            return true;
    return false;
}

#define AMONG(list, text, length) is_among(list, sizeof(list) / sizeof *(list), text, length)

static bool is_listed(const f0t_clean_list *list, const char *form)
{
    for (size_t i = 0; list && i < list->count; i++) {
        const size_t length = strlen(list->drop[i]);
        const bool all = length && list->drop[i][length - 1] == '*';
        if (all ? !strncmp(form, list->drop[i], length - 1) : !strcmp(form, list->drop[i]))
            return true;
    }
    return false;
}

f0t_flaw f0t_clean_flaw(const char *form, const f0t_clean_list *list)
{
    const size_t length = strlen(form);
    const size_t singular = length > 1 && form[length - 1] == 's' ? length - 1 : length;
    if (is_listed(list, form))
        return F0T_FLAW_LISTED;
    if (!is_wordlike(form))
        return F0T_FLAW_FORM;
    if (AMONG(file_words, form, length) || AMONG(file_words, form, singular))
        return F0T_FLAW_FILE;
    if (AMONG(keeping_words, form, length) || AMONG(keeping_words, form, singular))
        return F0T_FLAW_KEEPING;
    return F0T_FLAW_NONE;
}
