/*
 * What a process gives up before it sees the first byte of a stranger's file. Landlock takes the files away, but for
 * those that its libraries open late; seccomp takes the calls away that are not in a list.
 *
 * | role   | files that can be opened, for reading alone                              | calls                        |
 * |--------|--------------------------------------------------------------------------|------------------------------|
 * | decode | fonts, encodings of text, what draws pictures inside an SVG              | memory, threads, those files |
 * | bitmap | shared libraries and the settings of ImageMagick, which loads them late  | the same                     |
 * | merge  | none                                                                     | memory; no new code          |
 *
 * All roles: the socket to the library and the descriptors that it sends are what is left. No socket, program,
 * process, signal to another process, tracing, name in a folder, no file opened for writing or made longer or
 * shorter.
 */
#ifndef F0T_PICTURE_SANDBOX_H
#define F0T_PICTURE_SANDBOX_H

#include <stdbool.h>

typedef enum sandbox_role { SANDBOX_DECODE, SANDBOX_BITMAP, SANDBOX_MERGE } sandbox_role;

/* Threads that a process may have: libvips and ImageMagick start some for each core. */
#define SANDBOX_THREADS(cores) (64 + 4 * (cores))

/* Memory, threads, files, no core, no tracing: what every kernel can. To be called first, in a process of one thread. */
void sandbox_limit(void);
/* Gives the rest up, for good, in a process of one thread. False where the kernel or the build has no means to. */
bool sandbox_enter(sandbox_role role);

/* filter.c: the calls. */
bool filter_enter(sandbox_role role);

#endif
