/* A directory with one dataset, or with several over one features file, that is there whole or not
 * at all: written beside its place, then renamed. */
#ifndef F0T_IO_DATASET_FOLDER_H
#define F0T_IO_DATASET_FOLDER_H

#include "io/file.h"

typedef struct f0t_folder {
    char *path;      /* where it shall be */
    char *temporary; /* where its files are written */
    bool replace;
} f0t_folder;

/* Makes the temporary directory. What is at `path` may be nothing or an empty directory; with
 * `replace` also an old dataset (or several in one directory), and nothing besides: a directory with
 * any other file in it is refused. The caller ends it with commit or abort, also after a failure. */
f0t_status f0t_folder_begin(f0t_folder *folder, const char *path, bool replace);
/* Puts it in place. On failure the old one stays. */
f0t_status f0t_folder_commit(f0t_folder *folder);
/* Removes the temporary directory, where there is one, and frees. Also after commit. */
void f0t_folder_end(f0t_folder *folder);

/* True when the file lies in the directory, or would once links are followed. */
bool f0t_folder_contains(const char *folder, const char *file);

/* How `to` is named from within the directory `from`: "../features.npy". Both exist. */
f0t_status f0t_path_relative(char **out, const char *from, const char *to);

/* Removes a folder with all that is in it, eight folders deep; says nothing. */
void f0t_folder_remove(const char *path);

#endif
