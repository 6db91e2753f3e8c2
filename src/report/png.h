/* Pixels as a PNG file (ISO/IEC 15948), for pages that carry their pictures inside. */
#ifndef F0T_REPORT_PNG_H
#define F0T_REPORT_PNG_H

#include "report/text.h"

/* Adds the file of rgb[height x width x 3], 8 bits each, to the text. Neither side may be 0 or above
 * F0T_PNG_SIDE_MOST. */
enum { F0T_PNG_SIDE_MOST = 16384 };
void f0t_png_write(f0t_text *to, const unsigned char *rgb, size_t width, size_t height);

#endif
