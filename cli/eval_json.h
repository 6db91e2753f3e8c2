#ifndef F0T_CLI_EVAL_JSON_H
#define F0T_CLI_EVAL_JSON_H

#include "cli.h"

/* Appends one object per row; a method that does not apply has null for each value. `train_images` other than 0 is
 * said in each. */
void cli_eval_list_rows(json_t *list, const cli_context *cli, const f0t_eval *eval,
                        size_t train_images);

#endif
