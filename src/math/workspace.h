/* Scratch memory that calls borrow and return, so that repeated calls allocate nothing. */
#ifndef F0T_MATH_WORKSPACE_H
#define F0T_MATH_WORKSPACE_H

#include "base/status.h"

typedef struct f0t_workspace {
    void *data; /* at 64-byte alignment */
    size_t size;
    struct f0t_workspace *next;
} f0t_workspace;

/* A workspace of at least `size` bytes with any content, exclusively the caller's until it is returned. */
f0t_status f0t_workspace_take(f0t_workspace **out, size_t size);
void f0t_workspace_give(f0t_workspace *workspace); /* accepts NULL */

/* Frees those that are not in use. */
void f0t_workspace_clear(void);

#endif
