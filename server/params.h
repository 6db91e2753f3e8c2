/*
 * What a request wants: how many tags, how sure, of which words. From the query string and the fields of a form,
 * where values are text, or from the body where that is JSON.
 */
#ifndef F0T_SERVER_PARAMS_H
#define F0T_SERVER_PARAMS_H

#include "fast0tag.h"

enum {
    PARAMS_K_MOST = 1000,
    PARAMS_WORDS_MOST = 20000,
    PARAMS_TEXT_MOST = 1 << 20 /* bytes of all words of a request, with one after each */
};

typedef struct params {
    size_t k;               /* tags per picture */
    double confidence;      /* the least; 0: any */
    char *text;             /* the words, each NUL-terminated, one after the other, */
    size_t text_size, room; /* bytes of them, and for them, */
    size_t words;           /* how many; 0: the server's */
} params;

#define PARAMS_DEFAULT \
    {                  \
        .k = 5         \
    }

void params_free(params *p);

/* Sets "k", "confidence" or "vocabulary" (words with commas between them); *known says whether the name is one of
 * them. Fails with F0T_ERROR_ARGUMENT and a line that names it. */
f0t_status params_set(params *p, bool *known, const char *name, const char *value);
/* One more word, `length` bytes. */
f0t_status params_add_word(params *p, const char *word, size_t length);
f0t_status params_set_k(params *p, double k);
f0t_status params_set_confidence(params *p, double confidence);

/* The words as an array into the text, to be freed with free(). */
const char **params_words(const params *p);

#endif
