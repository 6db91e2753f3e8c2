/* Parameters as a query string or a form brings them (server/params.h), and the headers that say who asks
 * (server/guard.h): lines of a name, '=' and a value. */
#include "fuzz.h"

#include "guard.h"
#include "params.h"

#include <stdlib.h>
#include <string.h>

static void set(params *p, char *line)
{
    bool known;
    char *value = strchr(line, '=');
    if (value)
        *value++ = 0;
    (void)params_set(p, &known, line, value ? value : "");
}

static void check(const params *p)
{
    const char **words = params_words(p);
    size_t bytes = 0;
    for (size_t i = 0; words && i < p->words; i++)
        bytes += strlen(words[i]) + 1;
    if (words && bytes != p->text_size)
        abort();
    if (!p->k || p->k > PARAMS_K_MOST || !(p->confidence >= 0 && p->confidence <= 1))
        abort();
    free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"tags.example"};
    const guard g = {.token = "0123456789abcdef",
                     .token_length = 16,
                     .host = "::1",
                     .names = names,
                     .name_count = 1};
    params p = PARAMS_DEFAULT;
    char *text = malloc(size + 1), *rest = text;
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    (void)guard_allows_host(&g, text);
    (void)guard_allows_origin(text, NULL, "localhost");
    if (guard_allows_token(&g, text) && !strstr(text, g.token))
        abort();
    for (char *line; (line = strsep(&rest, "\n"));)
        set(&p, line);
    check(&p);
    params_free(&p);
    free(text);
    return 0;
}
