/* What the program writes about itself when it is built: manual pages and shell completions. */
#ifndef F0T_CLI_PAGES_H
#define F0T_CLI_PAGES_H

#include "cli.h"

enum { CLI_NAME_SIZE = 64 };

/* fast0tag.1 and a fast0tag-VERB.1 for each verb into the folder. Gives an exit code. */
int cli_write_manual_pages(const char *folder);

/* The completion script for bash, zsh or fish on standard output. Gives an exit code. */
int cli_write_completion(const char *shell);

void cli_completion_bash(FILE *to);
void cli_completion_zsh(FILE *to);
void cli_completion_fish(FILE *to);

/* Calls `each` for every option that the verb has, its own and the common ones. */
void cli_each_option(FILE *to, const cli_verb *verb, void (*each)(FILE *to, const cli_option *o));

/* The names of the verbs, or the choices of an option, with a blank between them. */
void cli_put_names(FILE *to, const cli_verb *const *verbs);
void cli_put_choices(FILE *to, const char *choices);

/* The first sentence of a text, inside single quotes of a shell: `special` characters get a
 * backslash, a quote becomes `quote`. */
void cli_put_sentence(FILE *to, const char *text, const char *special, const char *quote);

#endif
