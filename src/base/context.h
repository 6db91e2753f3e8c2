/*
 * The context that the calling thread works in: a public function enters its caller's context, and whatever it
 * calls finds threads and device there. Nothing is set for the process, so that two threads of a program
 * may work in different contexts at the same time.
 */
#ifndef F0T_BASE_CONTEXT_H
#define F0T_BASE_CONTEXT_H

#include "base/status.h"

struct f0t_compute; /* compute/compute.h */
struct f0t_group;   /* base/group.h */

struct f0t_context {
    int threads; /* above 0 */
    const f0t_monitor *monitor;
    const struct f0t_compute *compute; /* NULL: the CPU */
    const struct f0t_group *group;     /* NULL: this process works alone */
};

/* What the calling thread is in; NULL: no context, that is all CPUs. */
const f0t_context *f0t_context_current(void);

/* Sets it, and returns the one before. NULL changes nothing: what the library calls for itself belongs
 * to the context that it works in. */
const f0t_context *f0t_context_enter(const f0t_context *context);
void f0t_context_leave(const f0t_context *const *before);

/* Around a callback: what the caller's own functions do is no part of the work. Returns the context, for
 * f0t_context_leave. */
const f0t_context *f0t_context_suspend(void);

/* At the top of a public function: enters, and leaves where the function returns. */
#define F0T_ENTER(context)                                                                     \
    __attribute__((cleanup(f0t_context_leave), unused)) const f0t_context *const f0t_before_ = \
        f0t_context_enter(context)

/* Threads of the current context. */
int f0t_context_wanted(void);

/* The current context with another number of threads and another monitor, for a call inside the library. It lives as
 * long as the block around it. */
#define F0T_CONTEXT_WITH(number, m)                                                          \
    (&(const f0t_context){.threads = (number),                                               \
                          .monitor = (m),                                                    \
                          .compute =                                                         \
                              f0t_context_current() ? f0t_context_current()->compute : NULL, \
                          .group = f0t_context_current() ? f0t_context_current()->group : NULL})

/* With another monitor, for a call of a public function. */
#define F0T_WATCHED(m) F0T_CONTEXT_WITH(f0t_context_wanted(), m)

/* With one thread, for work that is too small to share: on a busy machine each region of several threads waits for all of
 * them to have had their turn. */
#define F0T_ALONE F0T_CONTEXT_WITH(1, f0t_context_monitor(NULL))

/* Options: copies those that the caller gave over `to`, which has `size` bytes and the default values. Both begin
 * with their size, so that a program that was built with an older header, whose options have fewer
 * members, gets the defaults of the rest; `from` may be NULL. Fails with F0T_ERROR_ARGUMENT where the size
 * is not set, and with F0T_ERROR_UNSUPPORTED where a member is set
 * that this version does not know; `name` is that of the structure. A new member begins where the old structure
 * ended, never in its padding, which callers do not set. */
f0t_status f0t_options_read(void *to, size_t size, const void *from, const char *name);

/* And back, as many members as the caller's have; its size stays. */
void f0t_options_write(void *to, const void *from, size_t size);

/* In a public function, whose parameter `options` then points to a complete copy:
 * F0T_READ_OPTIONS(f0t_vocab_options, F0T_VOCAB_OPTIONS, options); */
#define F0T_READ_OPTIONS(type, defaults, options)                                    \
    type own_##options = defaults;                                                   \
    F0T_TRY(f0t_options_read(&own_##options, sizeof own_##options, options, #type)); \
    (options) = &own_##options

#endif
