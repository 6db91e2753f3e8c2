/* SVG: pictures without pixels of their own. */
#ifndef F0T_PICTURE_SVG_H
#define F0T_PICTURE_SVG_H

#include <stddef.h>
#include <stdint.h>
#include <vips/vips.h>

/* The picture whose file is text[length], drawn so that its shorter side is `side`, less where it would have more than `pixels`;
 * NULL, with the reason in libvips' buffer, when it cannot be. */
VipsImage *svg_draw(char *text, size_t length, size_t side, uint64_t pixels);

#endif
