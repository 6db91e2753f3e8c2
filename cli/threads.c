/*
 * libgomp's threads wait for each other by spinning, for milliseconds by default. Where another
 * program wants the processor they spin in its way and in their own: a training beside one busy
 * program took 67 s with two threads where 5 s do with short waits. How long they spin is read from
 * the environment when libgomp is loaded, which is before main: so the program starts itself again.
 */
#include "cli.h"

#include <stdlib.h>
#include <unistd.h>

static const char restarted[] = "F0T_RESTARTED";

void cli_threads_calm(char **argv)
{
    char path[4096];
    if (getenv(restarted)) { /* libgomp has read it; programs that we start shall not */
        unsetenv(restarted);
        unsetenv("GOMP_SPINCOUNT");
        return;
    }
    if (getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY"))
        return;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return;
    path[length] = 0;
    setenv(restarted, "1", 1);
    setenv("GOMP_SPINCOUNT", "1000", 1);
    execv(path, argv);
    unsetenv(restarted); /* it goes on as it is */
    unsetenv("GOMP_SPINCOUNT");
}
