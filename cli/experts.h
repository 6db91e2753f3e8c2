/* The experts of a blend: those that are switched off, and the classes that the backbone knows. */
#ifndef F0T_CLI_EXPERTS_H
#define F0T_CLI_EXPERTS_H

#include "cli.h"

typedef struct experts_options {
    const char *without; /* "votes,ridge" */
    const char *classes; /* FILE.onnx */
} experts_options;

/* Bits of f0t_train_options.without. */
f0t_status cli_experts_without(unsigned *out, cli_context *cli, const experts_options *o);

/* The classes of the network that was given, else of the one that made the dataset's features: where that has
 * none, *out is NULL and the reason is logged. To be closed after the training. */
f0t_status cli_experts_classes(f0t_classes **out, cli_context *cli, const experts_options *o,
                               const f0t_train_options *to, const f0t_dataset *dataset);

#endif
