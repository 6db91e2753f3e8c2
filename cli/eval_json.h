/* The rows of a comparison as JSON. */
#ifndef F0T_CLI_EVAL_JSON_H
#define F0T_CLI_EVAL_JSON_H

#include "cli.h"

/* Prints a list with an object for each row; a method that could not play has null for each value. */
f0t_status cli_eval_print_json(cli_context *cli, const f0t_eval *eval);

#endif
