#include "files.h"

#include <string.h>

const server_file *server_file_find(const char *name)
{
    for (const server_file *file = server_files; file->name; file++)
        if (!strcmp(file->name, name))
            return file;
    return NULL;
}
