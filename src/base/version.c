#include "fast0tag.h"

#define TEXT(x) #x
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *f0t_version(void)
{
    return VERSION(F0T_VERSION_MAJOR, F0T_VERSION_MINOR, F0T_VERSION_PATCH);
}
