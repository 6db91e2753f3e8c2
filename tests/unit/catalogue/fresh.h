/* A catalogue that is new, for tests. */
#ifndef F0T_TESTS_FRESH_H
#define F0T_TESTS_FRESH_H

#include "support.h"

#include <unistd.h>

/* An empty one of this name in the folder of test_path; what was there goes. */
static inline f0t_catalogue *fresh_catalogue(const char *name)
{
    f0t_catalogue *c;
    f0t_catalogue_options options = F0T_CATALOGUE_OPTIONS;
    const char *path = test_path(name);
    unlink(path);
    options.mode = F0T_CATALOGUE_CREATE;
    assert_ok(f0t_catalogue_open(&c, path, &options));
    return c;
}

#endif
