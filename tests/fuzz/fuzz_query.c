/* A query as text; what parses must print as what parses to the same. */
#include "fuzz.h"

#include "fast0tag.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_query *once = NULL, *twice = NULL;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    if (f0t_query_parse(&once, text) == F0T_OK &&
        (f0t_query_parse(&twice, f0t_query_text(once)) != F0T_OK ||
         strcmp(f0t_query_text(once), f0t_query_text(twice)) != 0))
        abort();
    f0t_query_free(once);
    f0t_query_free(twice);
    twice = NULL;
    const char *argument = text;
    if (f0t_query_parse_arguments(&once, &argument, 1) == F0T_OK &&
        f0t_query_parse(&twice, f0t_query_text(once)) != F0T_OK)
        abort();
    f0t_query_free(once);
    f0t_query_free(twice);
    free(text);
    return 0;
}
