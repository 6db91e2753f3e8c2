/* Thumbnails come from a process that a picture may have taken over, and go to catalogues and browsers. */
#ifndef F0T_IMAGE_THUMBNAIL_H
#define F0T_IMAGE_THUMBNAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether it is a JPEG of F0T_PICTURE_THUMBNAIL_SIDE pixels a side at most with nothing in it but pixels: no
 * metadata, nothing behind its end. Its pixels are not decoded. */
bool f0t_thumbnail_is_plain(const uint8_t *jpeg, size_t size);

#endif
