/* The pictures of the demo in a catalogue, for fast0tag serve. */
#ifndef F0T_CLI_SERVE_DEMO_H
#define F0T_CLI_SERVE_DEMO_H

#include "cli.h"

typedef struct serve_demo {
    char catalogue[4096], vectors[4096];
} serve_demo;

/* Learns the demo's model in `folder`, or takes the one that an earlier run left there, and brings its catalogue up to
 * date. `pictures` NULL: the clip art. */
f0t_status serve_demo_prepare(serve_demo *out, cli_context *cli, const char *folder,
                              const char *pictures);

#endif
