/* XMP in UTF-16 or UTF-32, which old programs write: as UTF-8, to be parsed and compared as any other. */
#ifndef F0T_IMAGE_XMP_WIDE_H
#define F0T_IMAGE_XMP_WIDE_H

#include "base/status.h"

/* Whether it begins as UTF-16 or UTF-32 does. */
bool f0t_xmp_is_wide(const char *text, size_t length);

/* *out[*out_length] is a wide text as UTF-8, without its byte order mark and the XML declaration, which names the old encoding; to be
 * freed with f0t_free. NULL where it is not valid. Fails only for want of memory. */
f0t_status f0t_xmp_narrow(char **out, size_t *out_length, const char *text, size_t length);

#endif
