/* The pictures of the demo in a catalogue, for fast0tag serve. */
#ifndef F0T_CLI_SERVE_DEMO_H
#define F0T_CLI_SERVE_DEMO_H

#include "cli.h"

typedef struct serve_demo {
    char catalogue[4096], vectors[4096];
} serve_demo;

/* Runs the demo in `folder`, or takes what an earlier run left there, and brings its catalogue up to date. `pictures`
 * NULL: the clip art. */
f0t_status serve_demo_prepare(serve_demo *out, cli_context *cli, const char *folder,
                              const char *pictures);

#endif
