/* Shell completions: what the three writers share. */
#include "pages.h"

#include <string.h>

void cli_each_option(FILE *to, const cli_verb *verb, void (*each)(FILE *to, const cli_option *o))
{
    for (const cli_option *o = verb->options; o && o->name; o++)
        each(to, o);
    for (const cli_option *o = cli_common_options; o->name; o++)
        if (cli_common_applies(o, verb))
            each(to, o);
}

void cli_put_names(FILE *to, const cli_verb *const *verbs)
{
    for (const cli_verb *const *v = verbs; *v; v++)
        fprintf(to, "%s%s", v == verbs ? "" : " ", (*v)->name);
}

void cli_put_choices(FILE *to, const char *choices)
{
    for (; *choices; choices++)
        fputc(*choices == '|' ? ' ' : *choices, to);
}

void cli_put_sentence(FILE *to, const char *text, const char *special, const char *quote)
{
    for (; *text; text++) {
        bool last = *text == '.' && (!text[1] || text[1] == ' ' || text[1] == '\n');
        if (last || *text == ';')
            return;
        if (*text == '\'')
            fputs(quote, to);
        else if (strchr(special, *text))
            fprintf(to, "\\%c", *text);
        else
            fputc(*text == '\n' ? ' ' : *text, to);
    }
}

int cli_write_completion(const char *shell)
{
    static const struct {
        const char *shell;
        void (*write)(FILE *to);
    } shells[] = {
        {"bash", cli_completion_bash}, {"zsh", cli_completion_zsh}, {"fish", cli_completion_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (!strcmp(shells[i].shell, shell)) {
            shells[i].write(stdout);
            return CLI_DONE;
        }
    fprintf(stderr, "fast0tag: --completion is for bash, zsh or fish, not '%s'\n", shell);
    return CLI_USAGE;
}
