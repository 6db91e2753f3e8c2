#include "params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MOST = 1024 };

void params_free(params *p)
{
    free(p->text);
    *p = (params)PARAMS_DEFAULT;
}

static f0t_status refuse(const char *format, double most)
{
    char line[200];
    snprintf(line, sizeof line, format, most);
    return f0t_error_set(F0T_ERROR_ARGUMENT, line);
}

f0t_status params_set_k(params *p, double k)
{
    if (!(k >= 1 && k <= PARAMS_K_MOST) || k != (double)(size_t)k)
        return refuse("k: a whole number from 1 to %g is expected", PARAMS_K_MOST);
    p->k = (size_t)k;
    return F0T_OK;
}

f0t_status params_set_confidence(params *p, double confidence)
{
    if (!(confidence >= 0 && confidence <= 1))
        return refuse("confidence: a number from 0 to %g is expected", 1);
    p->confidence = confidence;
    return F0T_OK;
}

static f0t_status make_room(params *p, size_t size)
{
    if (size <= p->room)
        return F0T_OK;
    const size_t room = size > 128 ? 2 * size : 256;
    char *text = realloc(p->text, room);
    if (!text)
        return f0t_error_set(F0T_ERROR_MEMORY, "no memory for the vocabulary");
    p->text = text;
    p->room = room;
    return F0T_OK;
}

f0t_status params_add_word(params *p, const char *word, size_t length)
{
    if (!length || length > WORD_MOST || memchr(word, 0, length))
        return refuse("vocabulary: words of 1 to %g bytes are expected", WORD_MOST);
    if (p->words >= PARAMS_WORDS_MOST)
        return refuse("vocabulary: at most %g words", PARAMS_WORDS_MOST);
    if (p->text_size + length + 1 > PARAMS_TEXT_MOST)
        return refuse("vocabulary: at most %.0f bytes of words", PARAMS_TEXT_MOST);
    f0t_status status = make_room(p, p->text_size + length + 1);
    if (status != F0T_OK)
        return status;
    memcpy(p->text + p->text_size, word, length);
    p->text_size += length + 1;
    p->text[p->text_size - 1] = 0;
    p->words++;
    return F0T_OK;
}

const char **params_words(const params *p)
{
    const char **words = malloc((p->words + 1) * sizeof *words);
    const char *at = p->text;
    for (size_t i = 0; words && i < p->words; i++) {
        words[i] = at;
        at += strlen(at) + 1;
    }
    return words;
}

/* ---- Text --------------------------------------------------------------------------------------------- */

/* A number as JSON writes it, without hexadecimal, infinity or spaces; the locale is "C" (cli/main.c sets none). */
static bool read_number(double *out, const char *text)
{
    char *end;
    if (!*text || strlen(text) > 32 || strspn(text, "0123456789.eE+-") != strlen(text))
        return false;
    *out = strtod(text, &end);
    return !*end;
}

static f0t_status add_words(params *p, const char *text)
{
    for (;;) {
        const size_t length = strcspn(text, ",");
        const char *word = text;
        size_t n = length;
        while (n && *word == ' ')
            word++, n--;
        while (n && word[n - 1] == ' ')
            n--;
        if (n) {
            f0t_status status = params_add_word(p, word, n);
            if (status != F0T_OK)
                return status;
        }
        if (!text[length])
            return F0T_OK;
        text += length + 1;
    }
}

f0t_status params_set(params *p, bool *known, const char *name, const char *value)
{
    double number;
    *known = true;
    if (!strcmp(name, "vocabulary"))
        return add_words(p, value);
    if (!strcmp(name, "k"))
        return params_set_k(p, read_number(&number, value) ? number : -1);
    if (!strcmp(name, "confidence"))
        return params_set_confidence(p, read_number(&number, value) ? number : -1);
    *known = false;
    return F0T_OK;
}
