/* The experts of a blend, as options. */
#ifndef F0T_CLI_EXPERTS_H
#define F0T_CLI_EXPERTS_H

#include "cli.h"

typedef struct experts_options {
    const char *without; /* "votes,ridge" */
    const char *classes; /* FILE.onnx */
} experts_options;

/* Bits of f0t_train_options.without. */
f0t_status cli_experts_without(unsigned *out, cli_context *cli, const experts_options *o);

#endif
