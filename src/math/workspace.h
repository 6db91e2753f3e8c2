/* Scratch memory that calls borrow and give back, so that repeated calls allocate nothing. */
#ifndef F0T_MATH_WORKSPACE_H
#define F0T_MATH_WORKSPACE_H

#include "base/status.h"

typedef struct f0t_workspace {
    void *data; /* at 64-byte alignment */
    size_t size;
    struct f0t_workspace *next;
} f0t_workspace;

/* A workspace of at least `size` bytes with any content, the caller's alone until it is given back.
 */
f0t_status f0t_workspace_take(f0t_workspace **out, size_t size);
void f0t_workspace_give(f0t_workspace *workspace); /* takes NULL */

/* Frees those that nobody has. */
void f0t_workspace_clear(void);

#endif
