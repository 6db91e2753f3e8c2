/* The unit tests of a part, for its main program: a table that CMake makes, and that an entry without a name ends. */
#ifndef F0T_TESTS_PART_H
#define F0T_TESTS_PART_H

typedef struct test_entry {
    const char *name;
    int (*run)(void); /* NULL: run_with */
    int (*run_with)(int argc, char **argv);
} test_entry;

extern const test_entry test_entries[];

#endif
