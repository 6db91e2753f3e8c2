/* The options of fast0tag train, and what the library makes of them. */
#ifndef F0T_CLI_TRAIN_OPTIONS_H
#define F0T_CLI_TRAIN_OPTIONS_H

#include "cli.h"
#include "experts.h"
#include "raw_tags.h"

typedef struct train_settings {
    const char *vectors, *output, *log, *labels, *catalogue;
    const char *method, *loss, *pairs, *target, *tags, *condition, *hidden;
    const char *optimizer, *schedule, *arithmetic, *hinge, *backbone;
    f0t_backbone_options extract;
    f0t_import_options import; /* of a folder of pictures */
    raw_tags_options raw_tags;
    experts_options experts;
    size_t batch, epochs, patience;
    double rate, hidden_rate, decay, init, input_dropout, dropout, lambda, ridge, tune, test;
    bool keep_mean, resume, no_cache, refit, undo;
} train_settings;

extern const train_settings cli_train_defaults;
extern const cli_option cli_train_table[];

/* Fails where a value, or an option that the method does not use, is a mistake. */
f0t_status cli_train_convert(cli_context *cli, f0t_train_options *to, const train_settings *o);

#endif
