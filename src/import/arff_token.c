#include "import/arff_token.h"

#include "base/alloc.h"
#include "io/text.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool ends_word(char c)
{
    return is_blank(c) || c == ',' || c == '{' || c == '}' || c == '%';
}

char f0t_arff_peek(f0t_arff_cursor *cursor)
{
    while (cursor->at < cursor->end && is_blank(*cursor->at))
        cursor->at++;
    return cursor->at == cursor->end || *cursor->at == '%' ? '\0' : *cursor->at;
}

/* Line ends and tabs inside a name are blanks to us. */
static char unescape(char c)
{
    return c == 'n' || c == 't' || c == 'r' ? ' ' : c;
}

static f0t_status read_quoted(f0t_arff *arff, f0t_arff_cursor *cursor, size_t *length)
{
    char quote = *cursor->at++;
    for (; cursor->at < cursor->end; cursor->at++) {
        char c = *cursor->at;
        if (c == quote) {
            cursor->at++;
            return F0T_OK;
        }
        if (c == '\\' && cursor->at + 1 < cursor->end)
            c = unescape(*++cursor->at);
        arff->token[(*length)++] = c;
    }
    return f0t_text_fail(arff->stream, "%s", "a quote is not closed");
}

f0t_status f0t_arff_token(f0t_arff *arff, f0t_arff_cursor *cursor, size_t *length, bool *quoted)
{
    char c = f0t_arff_peek(cursor);
    *length = 0;
    *quoted = c == '\'' || c == '"';
    F0T_TRY(f0t_grow(&arff->token, &arff->token_capacity, 0, (size_t)(cursor->end - cursor->at) + 1,
                     1));
    if (*quoted) {
        F0T_TRY(read_quoted(arff, cursor, length));
    } else {
        const char *start = cursor->at;
        while (cursor->at < cursor->end && !ends_word(*cursor->at))
            cursor->at++;
        *length = (size_t)(cursor->at - start);
        if (!*length)
            return f0t_text_fail(arff->stream, "a value is wanted, and %s found",
                                 c == ','               ? "a comma is"
                                 : c == '{' || c == '}' ? "a brace is"
                                                        : "the end of the line");
        memcpy(arff->token, start, *length);
    }
    arff->token[*length] = '\0';
    return F0T_OK;
}
