/* Files that are installed beside the program or the library and found from there: the program that reads pictures,
 * the modules of devices. */
#ifndef F0T_BASE_COMPANION_H
#define F0T_BASE_COMPANION_H

#include "base/status.h"

/* The path of `name`, the caller's to free: that in the environment variable `variable`, or the first place beside
 * the program or the library where access(2) allows `mode`; *out is NULL where there is none. */
f0t_status f0t_companion_find(char **out, const char *name, const char *variable, int mode);

#endif
