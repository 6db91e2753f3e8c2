/* Stands in for the C library's renameat2, for tests of what happens in the very moment of a rename. */
#ifndef F0T_TESTS_RENAME_H
#define F0T_TESTS_RENAME_H

#include <stdbool.h>

typedef struct test_rename {
    void (*before)(unsigned flags); /* runs before each rename; NULL: nothing does */
    bool plain; /* the file system can only rename: calls with flags fail with EINVAL */
} test_rename;

extern test_rename test_renames;

#endif
