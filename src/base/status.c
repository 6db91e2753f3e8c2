#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024 };

static _Thread_local char last_error[MESSAGE_SIZE];

const char *f0t_last_error(void)
{
    return last_error;
}

f0t_status f0t_error_set(f0t_status status, const char *line)
{
    F0T_REQUIRE(line);
    return f0t_fail(status, "%s", line);
}

const char *f0t_status_name(f0t_status status)
{
    switch (status) {
    case F0T_OK:
        return "ok";
    case F0T_ERROR_MEMORY:
        return "no memory";
    case F0T_ERROR_IO:
        return "input/output error";
    case F0T_ERROR_FORMAT:
        return "bad format";
    case F0T_ERROR_ARGUMENT:
        return "bad argument";
    case F0T_ERROR_MISMATCH:
        return "mismatch";
    case F0T_ERROR_NOT_FOUND:
        return "not found";
    case F0T_ERROR_UNSUPPORTED:
        return "not supported";
    case F0T_ERROR_NUMERIC:
        return "numeric failure";
    case F0T_ERROR_INTERRUPTED:
        return "interrupted";
    case F0T_ERROR_INTERNAL:
        return "internal error";
    }
    return "unknown status";
}

/* A cut may have split a character: drop its first bytes. */
static void drop_partial_character(char *text)
{
    size_t n = strlen(text), back = 0;
    while (back < 3 && back < n && ((unsigned char)text[n - 1 - back] & 0xC0) == 0x80)
        back++;
    if (back == n)
        return;
    unsigned char lead = (unsigned char)text[n - 1 - back];
    size_t want = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (want > back + 1)
        text[n - 1 - back] = '\0';
}

/* The bytes of the UTF-8 sequence that begins here; 0 where none does: such bytes are characters of
 * another encoding, and control characters to some terminals. */
static size_t sequence_length(const unsigned char *c)
{
    size_t n = c[0] < 0x80 ? 1 : c[0] < 0xC2 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    return c[0] > 0xF4 ? 0 : n;
}

/* C0 and C1 control characters (U+0080 to U+009F are C2 80 to C2 9F), the line and paragraph
 * separators, the marks that turn the direction of text (U+202A to U+202E, U+2066 to U+2069), and bytes
 * that are not UTF-8. Returns the bytes that it takes, or 0. */
static size_t control_length(const unsigned char *c)
{
    if (!sequence_length(c) || c[0] < 0x20 || c[0] == 0x7F)
        return 1;
    if (c[0] == 0xC2 && c[1] <= 0x9F)
        return 2;
    bool turns = c[0] == 0xE2 && ((c[1] == 0x80 && c[2] >= 0xA8 && c[2] <= 0xAE) ||
                                  (c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9));
    return turns ? 3 : 0;
}

static size_t escape_byte(char to[5], unsigned char byte)
{
    const char *known = byte ? strchr("n\nt\tr\r", byte) : NULL;
    return (size_t)(known ? snprintf(to, 5, "\\%c", known[-1]) : snprintf(to, 5, "\\x%02x", byte));
}

size_t f0t_line_escape(char *to, size_t size, const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t used = 0;
    while (*c) {
        size_t control = control_length(c), n = control ? control : sequence_length(c);
        for (size_t i = 0; i < n; i++, c++) {
            char bytes[5] = {(char)*c};
            size_t count = control ? escape_byte(bytes, *c) : 1;
            for (size_t k = 0; k < count; k++, used++)
                if (used + 1 < size)
                    to[used] = bytes[k];
        }
    }
    if (size)
        to[used < size ? used : size - 1] = '\0';
    return used;
}

void f0t_line_clean(char *text, bool cut)
{
    if (cut)
        drop_partial_character(text);
    for (char *c = text; *c;) {
        size_t control = control_length((const unsigned char *)c);
        memset(c, '?', control);
        c += control ? control : sequence_length((const unsigned char *)c);
    }
}

static void finish(f0t_status status, bool cut)
{
    f0t_line_clean(last_error, cut);
    if (!last_error[0])
        snprintf(last_error, sizeof last_error, "%s", f0t_status_name(status));
}

f0t_status f0t_fail(f0t_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    finish(status, length >= MESSAGE_SIZE);
    return status;
}

f0t_status f0t_fail_errno(int errnum, const char *format, ...)
{
    f0t_status status = errnum == ENOENT   ? F0T_ERROR_NOT_FOUND
                        : errnum == ENOMEM ? F0T_ERROR_MEMORY
                                           : F0T_ERROR_IO;
    char reason[128];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    if (length >= 0 && length < MESSAGE_SIZE)
        length += snprintf(last_error + length, sizeof last_error - (size_t)length, ": %s",
                           strerror_r(errnum, reason, sizeof reason));
    finish(status, length >= MESSAGE_SIZE);
    return status;
}

f0t_status f0t_fail_prefix(f0t_status status, const char *format, ...)
{
    char rest[MESSAGE_SIZE];
    memcpy(rest, last_error, sizeof rest);
    va_list args;
    va_start(args, format);
    int length = vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    if (length >= 0 && length < MESSAGE_SIZE)
        length += snprintf(last_error + length, sizeof last_error - (size_t)length, "%s", rest);
    finish(status, length >= MESSAGE_SIZE);
    return status;
}

f0t_status f0t_fail_null(const char *function, const char *what)
{
    return f0t_fail(F0T_ERROR_ARGUMENT, "%s: %.*s is NULL", function, (int)strcspn(what, " "),
                    what);
}

f0t_status f0t_require_all(const char *function, const char *name, const char *const *items,
                           size_t count)
{
    if (!items && count)
        return f0t_fail_null(function, name);
    for (size_t i = 0; i < count; i++)
        if (!items[i])
            return f0t_fail(F0T_ERROR_ARGUMENT, "%s: %s[%zu] is NULL", function, name, i);
    return F0T_OK;
}

void f0t_failure_keep(f0t_failure *failure, f0t_status status)
{
    failure->status = status;
    if (status != F0T_OK)
        snprintf(failure->message, sizeof failure->message, "%s", f0t_last_error());
}

void f0t_failure_keep_first(f0t_failure *failure, f0t_status status)
{
    if (status == F0T_OK)
        return;
#pragma omp critical(f0t_failure)
    if (failure->status == F0T_OK)
        f0t_failure_keep(failure, status);
}

f0t_status f0t_failure_raise(const f0t_failure *failure)
{
    return failure->status == F0T_OK ? F0T_OK : f0t_fail(failure->status, "%s", failure->message);
}

f0t_status f0t_name_find(size_t *out, const char *kind, const char *name, size_t length,
                         const char *(*name_at)(size_t i))
{
    char names[400] = "";
    size_t used = 0;
    for (size_t i = 0; name_at(i); i++) {
        if (strlen(name_at(i)) == length && !memcmp(name_at(i), name, length)) {
            *out = i;
            return F0T_OK;
        }
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                     name_at(i));
    }
    return f0t_fail(F0T_ERROR_NOT_FOUND, "no %s is called '%.*s': %s", kind, (int)length, name,
                    names);
}
