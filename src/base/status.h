/* Failing: the thread's last error, and the macro that propagates a failure. */
#ifndef F0T_BASE_STATUS_H
#define F0T_BASE_STATUS_H

#include "fast0tag.h"

/* Records the message as the thread's last error and returns `status`. Control characters become
 * '?', a message that does not fit is truncated at a character. Allocates nothing. */
f0t_status f0t_fail(f0t_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same with ": " and the text of `errnum` after it, and NOT_FOUND instead of IO for ENOENT. */
f0t_status f0t_fail_errno(int errnum, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts text before the last error: a reader knows the row, its caller the file. Returns `status`.
 */
f0t_status f0t_fail_prefix(f0t_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A failure that one thread leaves for another: the last error belongs to a thread. */
typedef struct f0t_failure {
    f0t_status status;
    char message[512];
} f0t_failure;

/* Keeps the status and, where it is a failure, the thread's last error. */
void f0t_failure_keep(f0t_failure *failure, f0t_status status);
/* The same of the first failure of several threads that run a loop together: later ones are passed over. */
void f0t_failure_keep_first(f0t_failure *failure, f0t_status status);
/* Fails the same way in the calling thread; F0T_OK where it is no failure. */
f0t_status f0t_failure_raise(const f0t_failure *failure);

/* Chooses by name: *out is the i whose name_at(i) is `name` of `length` bytes; name_at gives NULL past the last.
 * Else fails with F0T_ERROR_NOT_FOUND and lists them: "no loss is called 'x': ranknet, hinge". */
f0t_status f0t_name_find(size_t *out, const char *kind, const char *name, size_t length,
                         const char *(*name_at)(size_t i));

/* Names and words from files reach messages: keeps `text` one line that a terminal only shows.
 * `cut`: its end was cut off, perhaps inside a character. */
void f0t_line_clean(char *text, bool cut);

/* A public function returns from here, with F0T_ERROR_ARGUMENT, where a pointer that it needs is NULL:
 * F0T_REQUIRE(path), F0T_REQUIRE(rows || !count). */
#define F0T_REQUIRE(what)                          \
    do {                                           \
        if (!(what))                               \
            return f0t_fail_null(__func__, #what); \
    } while (0)
f0t_status f0t_fail_null(const char *function, const char *what);
/* The same for a list of texts and each of its items. */
f0t_status f0t_require_all(const char *function, const char *name, const char *const *items,
                           size_t count);

/* Returns from the calling function when `expr` failed. */
#define F0T_TRY(expr)                        \
    do {                                     \
        f0t_status f0t_try_status_ = (expr); \
        if (f0t_try_status_ != F0T_OK)       \
            return f0t_try_status_;          \
    } while (0)

#endif
