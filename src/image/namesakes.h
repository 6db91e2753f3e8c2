/* Pictures of one folder whose names differ in their endings alone, and so would share a sidecar NAME.xmp. */
#ifndef F0T_IMAGE_NAMESAKES_H
#define F0T_IMAGE_NAMESAKES_H

#include "base/interner.h"

/* The names of the folder that was asked for last: all zero at first. */
typedef struct f0t_namesakes {
    char *folder;
    f0t_texts names;
    const char **sorted;
} f0t_namesakes;

/* The name of another file in the folder of `picture` that photo programs would keep in the same NAME.xmp,
 * whether or not we can read it: a.svg, a.cr2 or a.mov beside a.jpg; NULL where there is none. */
f0t_status f0t_namesakes_find(f0t_namesakes *namesakes, const char **other, const char *picture);
void f0t_namesakes_free(f0t_namesakes *namesakes);

#endif
