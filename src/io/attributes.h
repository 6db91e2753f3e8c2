/* What a file is besides its bytes. */
#ifndef F0T_IO_ATTRIBUTES_H
#define F0T_IO_ATTRIBUTES_H

#include "base/status.h"

/* Gives the file `to` the owner, group, mode, access control list and extended attributes of `from`,
 * both descriptors. Fails where one of these cannot be kept; attributes that belong to the system
 * (security, trusted) are the system's to give. `path` is for messages. */
f0t_status f0t_attributes_copy(int to, int from, const char *path);

#endif
