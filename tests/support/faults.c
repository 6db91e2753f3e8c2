/*
 * Faults of the system, for programs as they are: LD_PRELOAD=faults.so F0T_FAULT=CALLS:N:WHAT PROGRAM…
 *
 * CALLS  write, sync, name (rename, unlink, mkdir), open, read, map, stat, spawn, socket; or change: the first
 *        three, all that a file on the disk can see
 * N      the number of the call, from 1, that fails; N+: it and all after it
 * WHAT   kill (SIGKILL instead of the call), short (half of the bytes), or the name of an error: ENOSPC, EIO, EINTR, EMFILE,
 *        ENOMEM, EACCES
 *
 * F0T_FAULT_COUNT=FILE has the number of calls written there when the program ends; without F0T_FAULT nothing fails.
 * Only the program itself is meant: what it starts does not have these variables.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum kind { WRITE, SYNC, NAME, OPEN, READ, MAP, STAT, SPAWN, SOCKET, KINDS };
enum { KILL = -1, SHORT = -2 };

static const char *const kinds[KINDS] = {"write", "sync", "name",  "open",  "read",
                                         "map",   "stat", "spawn", "socket"};
static const struct {
    const char *name;
    int value;
} errors[] = {{"kill", KILL},   {"short", SHORT},   {"ENOSPC", ENOSPC}, {"EIO", EIO},
              {"EINTR", EINTR}, {"EMFILE", EMFILE}, {"ENOMEM", ENOMEM}, {"EACCES", EACCES}};

static bool watched[KINDS];
static long nth;
static int what;
static bool forever, counts;
static char count_path[4096];
static atomic_long calls;

static void watch(const char *name)
{
    const bool change = !strcmp(name, "change");
    for (int k = 0; k < KINDS; k++)
        watched[k] = !strcmp(name, kinds[k]) || (change && k <= NAME);
}

__attribute__((constructor)) static void start(void)
{
    char text[128], *n, *w, *end;
    const char *given = getenv("F0T_FAULT"), *path = getenv("F0T_FAULT_COUNT");
    if (!given || strlen(given) >= sizeof text)
        return;
    snprintf(text, sizeof text, "%s", given);
    n = strchr(text, ':');
    w = n ? strchr(n + 1, ':') : NULL;
    if (!w)
        abort();
    *n = *w = 0;
    nth = strtol(n + 1, &end, 10);
    forever = *end == '+';
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (!strcmp(w + 1, errors[i].name))
            what = errors[i].value;
    counts = path && strlen(path) < sizeof count_path;
    if (counts)
        snprintf(count_path, sizeof count_path, "%s", path);
    watch(text);
}

__attribute__((destructor)) static void finish(void)
{
    char text[32];
    if (!counts)
        return;
    const int fd =
        (int)syscall(SYS_openat, AT_FDCWD, count_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
    if (fd >= 0)
        (void)!syscall(SYS_write, fd, text, (size_t)length);
}

/* Whether this call is to fail; it has set errno then. SHORT is left to those that can. */
static bool hit(enum kind kind, bool *cut)
{
    *cut = false;
    if (!watched[kind])
        return false;
    const long now = atomic_fetch_add(&calls, 1) + 1;
    if (!what || (forever ? now < nth : now != nth) || !nth)
        return false;
    if (what == KILL)
        kill(getpid(), SIGKILL);
    *cut = what == SHORT;
    errno = what > 0 ? what : errno;
    return what > 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Calls that take a number of bytes at `size`. */
#define BYTES(type, name, kind, parameters, size, ...) \
    type name parameters                               \
    {                                                  \
        bool cut;                                      \
        if (hit(kind, &cut))                           \
            return -1;                                 \
        if (cut && size > 1)                           \
            size /= 2;                                 \
        return REAL(name)(__VA_ARGS__);                \
    }
/* Calls that are done or not. */
#define WHOLE(type, name, kind, failed, parameters, ...) \
    type name parameters                                 \
    {                                                    \
        bool cut;                                        \
        if (hit(kind, &cut))                             \
            return failed;                               \
        return REAL(name)(__VA_ARGS__);                  \
    }

/* clang-format off */
BYTES(ssize_t, write, WRITE, (int fd, const void *data, size_t size), size, fd, data, size)
BYTES(ssize_t, pwrite, WRITE, (int fd, const void *data, size_t size, off_t at), size, fd, data, size, at)
BYTES(ssize_t, pwrite64, WRITE, (int fd, const void *data, size_t size, off64_t at), size, fd, data, size, at)
WHOLE(size_t, fwrite, WRITE, 0, (const void *data, size_t size, size_t count, FILE *file), data, size, count, file)
WHOLE(int, fflush, WRITE, EOF, (FILE *file), file)
WHOLE(int, ftruncate, WRITE, -1, (int fd, off_t size), fd, size)
WHOLE(int, ftruncate64, WRITE, -1, (int fd, off64_t size), fd, size)
WHOLE(int, fsync, SYNC, -1, (int fd), fd)
WHOLE(int, fdatasync, SYNC, -1, (int fd), fd)
WHOLE(int, rename, NAME, -1, (const char *a, const char *b), a, b)
WHOLE(int, renameat, NAME, -1, (int f, const char *a, int g, const char *b), f, a, g, b)
WHOLE(int, renameat2, NAME, -1, (int f, const char *a, int g, const char *b, unsigned flags), f, a, g, b, flags)
WHOLE(int, unlink, NAME, -1, (const char *a), a)
WHOLE(int, unlinkat, NAME, -1, (int f, const char *a, int flags), f, a, flags)
WHOLE(int, mkdir, NAME, -1, (const char *a, mode_t mode), a, mode)
BYTES(ssize_t, read, READ, (int fd, void *data, size_t size), size, fd, data, size)
BYTES(ssize_t, pread, READ, (int fd, void *data, size_t size, off_t at), size, fd, data, size, at)
BYTES(ssize_t, pread64, READ, (int fd, void *data, size_t size, off64_t at), size, fd, data, size, at)
WHOLE(int, fstat, STAT, -1, (int fd, struct stat *info), fd, info)
WHOLE(int, fstat64, STAT, -1, (int fd, struct stat64 *info), fd, info)
WHOLE(int, socketpair, SOCKET, -1, (int a, int b, int c, int ends[2]), a, b, c, ends)
WHOLE(int, posix_spawn, SPAWN, errno, (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]), pid, path, actions, attributes, arguments, environment)
/* clang-format on */

/* Of files: what libraries do when there is no memory is their own affair. */
void *mmap(void *at, size_t size, int rights, int flags, int fd, off_t from)
{
    bool cut;
    if (fd >= 0 && hit(MAP, &cut))
        return MAP_FAILED;
    return REAL(mmap)(at, size, rights, flags, fd, from);
}

#define OPEN_CALL(name, parameters, last, ...)    \
    int name parameters                           \
    {                                             \
        va_list rest;                             \
        bool cut;                                 \
        va_start(rest, last);                     \
        const mode_t mode = va_arg(rest, mode_t); \
        va_end(rest);                             \
        if (hit(OPEN, &cut))                      \
            return -1;                            \
        return REAL(name)(__VA_ARGS__, mode);     \
    }
OPEN_CALL(open, (const char *path, int flags, ...), flags, path, flags)
OPEN_CALL(open64, (const char *path, int flags, ...), flags, path, flags)
OPEN_CALL(openat, (int folder, const char *path, int flags, ...), flags, folder, path, flags)
OPEN_CALL(openat64, (int folder, const char *path, int flags, ...), flags, folder, path, flags)
