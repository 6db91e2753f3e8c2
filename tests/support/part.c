/*
 * The main program of a part's unit tests. Each tests/unit/PART/test_NAME.c has a `main` that CMake renames to
 * test_PART_NAME; unit_PART NAME [ARGUMENT...] calls it. Without a name each runs in a process of its own, so that no test
 * sees what another one left behind.
 */
#include "part.h"

#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_in_a_process(char *program, const char *name)
{
    char *argv[] = {program, strdupa(name), NULL};
    int status;
    pid_t child;
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ) != 0 ||
        waitpid(child, &status, 0) != child)
        return 1;
    if (status != 0)
        fprintf(stderr, "%s %s: failed\n", program, name);
    return status != 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (const test_entry *test = test_entries; argc > 1 && test->name; test++)
        if (strcmp(argv[1], test->name) == 0)
            return test->run ? test->run() : test->run_with(argc - 1, argv + 1);
    if (argc > 1) {
        fprintf(stderr, "%s: there is no test '%s'\n", argv[0], argv[1]);
        return 2;
    }
    for (const test_entry *test = test_entries; test->name; test++)
        failed += run_in_a_process(argv[0], test->name);
    return failed != 0;
}
