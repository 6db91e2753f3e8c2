/* Files that are part of the program: openapi.json and the page. The build makes them from server/. */
#ifndef F0T_SERVER_FILES_H
#define F0T_SERVER_FILES_H

#include <stddef.h>

typedef struct server_file {
    const char *name; /* NULL ends the table */
    const char *type;
    const char *data; /* [size] */
    size_t size;
} server_file;

extern const server_file server_files[];

/* NULL: there is none of this name. */
const server_file *server_file_find(const char *name);

#endif
