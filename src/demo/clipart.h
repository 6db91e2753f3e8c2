/* What is special about Debian's clip art (package openclipart-svg): docs/demo.md. */
#ifndef F0T_DEMO_CLIPART_H
#define F0T_DEMO_CLIPART_H

#include "word/clean.h"

/* Pictures that a program made in bulk: 1,400 star shapes that differ in numbers alone. */
bool f0t_clipart_is_generated(const char *path);

/* How many bytes of the path are those of its series: pictures whose names differ in their numbers
 * alone are often the same drawing once more. */
size_t f0t_clipart_series(const char *path);

/* Tags that say nothing about what the picture shows. */
f0t_clean_list f0t_clipart_list(void);

#endif
