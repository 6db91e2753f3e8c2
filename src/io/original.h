/*
 * A file that is read, changed and written back, which other programs may write at the same time. No
 * link is followed at its name, and none in the folders below the one that a person named: a folder of
 * pictures may come from anybody.
 */
#ifndef F0T_IO_ORIGINAL_H
#define F0T_IO_ORIGINAL_H

#include "io/file.h"

#include <sys/stat.h>

typedef struct f0t_original {
    char *path;       /* for messages */
    const char *name; /* its last part */
    int folder;       /* the folder that `name` is in, a descriptor */
    int fd;           /* the file, for reading; -1: there is none yet */
    struct stat was;  /* what it was when it was opened */
} f0t_original;

/* Opens the file at `path`, which need not exist. `below` is the folder that was named, with which
 * `path` begins, or NULL where the file itself was. Refused: links, files that are not regular, those
 * that may not be written, and those with several names (hard links), which a new file in the place of
 * one would part. */
f0t_status f0t_original_open(f0t_original *original, const char *path, const char *below);
/* One that is zero-initialised, or was closed, is fine. */
void f0t_original_close(f0t_original *original);

/* All its bytes, up to `most`; the caller's to free. They are read, not mapped: another program may cut
 * the file meanwhile. */
f0t_status f0t_original_read(char **out, size_t *size, const f0t_original *original, size_t most);

/* Whether something else is under its name by now, or it has changed. */
bool f0t_original_has_changed(const f0t_original *original);
/* Whether `info` is of the file that was opened, as it was; its name may be another by now. */
bool f0t_original_is(const f0t_original *original, const struct stat *info);

/* A writer of what shall be in its place; `original` must outlive it. The new file has the owner, group,
 * mode, access control list and extended attributes of the old one, and with `keep_time` the time of its
 * last change. Committing fails with F0T_ERROR_IO where f0t_original_has_changed, and what is there
 * stays. */
f0t_status f0t_original_replace(f0t_writer **out, const f0t_original *original, bool keep_time);

/* Deletes the file; fails with F0T_ERROR_IO where f0t_original_has_changed. */
f0t_status f0t_original_remove(const f0t_original *original);

#endif
