/* Texts from files on their way to a terminal. */
#include "cli.h"

#include <stdlib.h>

char *cli_shown(const char *text)
{
    size_t size = f0t_line_escape(NULL, 0, text) + 1;
    char *shown = cli_alloc(size);
    f0t_line_escape(shown, size, text);
    return shown;
}

void cli_print_shown(FILE *to, const char *text)
{
    char *shown = cli_shown(text);
    fputs(shown, to);
    free(shown);
}
