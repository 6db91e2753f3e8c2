/*
 * Modules: shared objects beside the program, fast0tag-NAME.so, which are loaded when they are asked for and stay, so
 * that the library needs nothing of what a module is linked with. A module exports one function. What it uses of the
 * library comes in a table: it is linked with none of it, for the library may be part of the program.
 */
#ifndef F0T_BASE_MODULE_H
#define F0T_BASE_MODULE_H

#include "base/status.h"

typedef struct f0t_module {
    const char *file;     /* fast0tag-cuda.so */
    const char *variable; /* of the environment, which may hold its path: F0T_CUDA */
    const char *what;     /* "the module of the GPU" */
    const char *
        missing; /* what it does and how one gets it: ends the sentence "the module FILE, which …" */
    const char *entry; /* the function that it exports */
} f0t_module;

/* Its function. Fails, saying what is missing, where it is not installed, cannot be loaded, or is another user's. */
f0t_status f0t_module_load(void **entry, const f0t_module *module);

#define F0T_MODULE_TEXT(x) #x
#define F0T_MODULE_VERSION_TEXT(major, minor, patch) \
    F0T_MODULE_TEXT(major) "." F0T_MODULE_TEXT(minor) "." F0T_MODULE_TEXT(patch)
/* For the module, which compares it with that of the library. */
#define F0T_MODULE_VERSION \
    F0T_MODULE_VERSION_TEXT(F0T_VERSION_MAJOR, F0T_VERSION_MINOR, F0T_VERSION_PATCH)

#endif
