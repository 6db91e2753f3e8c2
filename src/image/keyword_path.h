/* Keywords that are paths although the list they are in has words: "Places/Europe/Paris". */
#ifndef F0T_IMAGE_KEYWORD_PATH_H
#define F0T_IMAGE_KEYWORD_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether the text has three levels or more, each with a letter in it: one slash may be part of a word
 * ("AC/DC", "black/white"), and so may those of a date ("12/05/2019") and an address ("http://a/b"). */
static inline bool f0t_keyword_is_slashed(const char *text, size_t length)
{
    size_t slashes = 0;
    bool letter = false;
    if (memchr(text, '|', length))
        return false;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i], lower = c | 0x20;
        if (c == '/' && !letter)
            return false;
        slashes += c == '/';
        letter = c != '/' && (letter || c >= 0x80 || (lower >= 'a' && lower <= 'z'));
    }
    return slashes > 1 && letter;
}

/* The word that a keyword stands for: the last part of its path. A copy of that part, in a list of words, must have
 * the same last part. */
static inline const char *f0t_keyword_word(const char *keyword)
{
    const char *bar = strrchr(keyword, '|'), *leaf = bar ? bar + 1 : keyword;
    if (f0t_keyword_is_slashed(leaf, strlen(leaf)))
        leaf = strrchr(leaf, '/') + 1;
    while (*leaf == ' ')
        leaf++;
    return leaf;
}

#endif
