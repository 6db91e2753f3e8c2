/* What the program writes about itself when it is built: manual pages and shell completions. */
#ifndef F0T_CLI_PAGES_H
#define F0T_CLI_PAGES_H

#include "cli.h"

enum { CLI_NAME_SIZE = 64 };

/* Writes fast0tag.1 and one fast0tag-VERB.1 per verb into the folder. Returns an exit code. */
int cli_write_manual_pages(const char *folder);

/* The completion script for bash, zsh or fish on standard output. Returns an exit code. */
int cli_write_completion(const char *shell);

/* Calls `each` for every option that the verb has, its own and the common ones. */
void cli_each_option(FILE *to, const cli_verb *verb, void (*each)(FILE *to, const cli_option *o));

#endif
