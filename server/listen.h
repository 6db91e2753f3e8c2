/* The socket that requests come to, and a word to systemd. */
#ifndef F0T_SERVER_LISTEN_H
#define F0T_SERVER_LISTEN_H

#include "fast0tag.h"

enum { LISTEN_URL_MOST = 128 };

/* Listens on `host`, a name or an address, and `port` (0: any that is free). *loopback: it can be reached from this
 * machine alone. `url` is the address as a browser takes it. */
f0t_status listen_open(int *out, bool *loopback, char url[LISTEN_URL_MOST], const char *host,
                       size_t port);

/* Tells the service manager ("READY=1"), where one has started us and wants to know: sd_notify(3). */
void listen_notify(const char *state);

#endif
