/*
 * Faults of the system, for programs as they are: LD_PRELOAD=faults.so F0T_FAULT=CALLS:N:WHAT PROGRAM…
 *
 * CALLS  a kind of the table below; change: write, sync and name, all that a file on the disk can see; any: every kind;
 *        else the name of a call
 * N      the number of the call, from 1, that fails; N+: it and all after it
 * WHAT   kill (SIGKILL instead of the call), short (half of the bytes), or the name of an error
 *
 * F0T_FAULT_COUNT=FILE has the number of calls written there when the program ends; F0T_FAULT_TRACE=FILE one line for
 * each as it is made: its kind, its name, and a number that is the same for calls from the same place. F0T_FAULT_STOP=N
 * has SIGTERM come, besides, with the N-th flush of a stream of the program's own, a line of --log: what it does when it is
 * told to end meets faults, too. Without F0T_FAULT nothing fails. Only the program itself is meant: what it starts does not have these variables.
 * Behind the sandbox of fast0tag-picture F0T_FAULT_TRACE must be a pipe: no file can be written there.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind {
    WRITE,  /* bytes into files and streams, lengths of files */
    SYNC,   /* fsync */
    NAME,   /* rename, unlink, mkdir, link */
    OPEN,   /* open, fopen */
    READ,   /* bytes out of files */
    MAP,    /* mmap of a file */
    STAT,   /* stat and its like */
    PATH,   /* realpath, readlink, access, getcwd */
    FOLDER, /* opendir, readdir */
    LOCK,   /* flock, fcntl */
    CLOSE,  /* fclose, whose last bytes may be lost */
    SPAWN,  /* posix_spawn, fork, waitpid */
    THREAD, /* pthread_create */
    SOCKET, /* socket, bind, listen, accept and what belongs to them */
    TALK,   /* send, recv, poll */
    MPI,    /* MPI_* that move data */
    MEMORY, /* memfd_create */
    KINDS
};
enum { KILL = -1, SHORT = -2 };

static const char *const kinds[KINDS] = {"write",  "sync",   "name",   "open", "read",  "map",
                                         "stat",   "path",   "folder", "lock", "close", "spawn",
                                         "thread", "socket", "talk",   "mpi",  "memory"};
static const struct {
    const char *name;
    int value;
} errors[] = {{"kill", KILL},     {"short", SHORT},   {"ENOSPC", ENOSPC}, {"EIO", EIO},
              {"EINTR", EINTR},   {"EMFILE", EMFILE}, {"ENOMEM", ENOMEM}, {"EACCES", EACCES},
              {"EAGAIN", EAGAIN}, {"EPIPE", EPIPE}};

static bool watched[KINDS];
static char only[128]; /* the name of a call, or "" */
static long nth, stop_at;
static int what;
static bool forever, counts;
static char count_path[4096];
static int trace = -1;
static atomic_long calls, flushes;

static void watch(const char *name)
{
    const bool change = !strcmp(name, "change"), any = !strcmp(name, "any");
    bool known = any || change;
    for (int k = 0; k < KINDS; k++) {
        watched[k] = any || !strcmp(name, kinds[k]) || (change && k <= NAME);
        known |= watched[k];
    }
    snprintf(only, sizeof only, "%s", known ? "" : name);
}

static void open_trace(const char *path)
{
    void *place;
    (void)backtrace(&place, 1); /* loads what it needs before anything is counted */
    trace =
        (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

__attribute__((constructor)) static void start(void)
{
    char text[128], *n, *w, *end;
    const char *given = getenv("F0T_FAULT"), *path = getenv("F0T_FAULT_COUNT"),
               *traced = getenv("F0T_FAULT_TRACE"), *stop = getenv("F0T_FAULT_STOP");
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
    if (!what)
        abort();
    counts = path && strlen(path) < sizeof count_path;
    if (counts)
        snprintf(count_path, sizeof count_path, "%s", path);
    if (traced)
        open_trace(traced);
    stop_at = stop ? strtol(stop, NULL, 10) : 0;
    watch(text);
    unsetenv("LD_PRELOAD");
    unsetenv("F0T_FAULT");
    unsetenv("F0T_FAULT_COUNT");
    unsetenv("F0T_FAULT_TRACE");
    unsetenv("F0T_FAULT_STOP");
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

/* Where the call came from: the modules and offsets of the callers, which do not depend on where they are loaded. */
static unsigned long place(void)
{
    void *callers[10]; /* as far as what was asked for; beyond is who asked */
    unsigned long sum = 5381;
    Dl_info info;
    const int count = backtrace(callers, 10);
    for (int i = 2; i < count; i++)
        if (dladdr(callers[i], &info))
            sum = sum * 33 + ((uintptr_t)callers[i] - (uintptr_t)info.dli_fbase);
    return sum & 0xFFFFFFFF;
}

static void note(enum kind kind, const char *name)
{
    char line[96];
    const int error = errno;
    const int length = snprintf(line, sizeof line, "%s %s %lx\n", kinds[kind], name, place());
    (void)!syscall(SYS_write, trace, line, (size_t)length);
    errno = error;
}

/* Whether this call is to fail; it has set errno then. SHORT is left to those that can. */
static bool hit(enum kind kind, const char *name, bool *cut)
{
    *cut = false;
    if (*only ? strcmp(only, name) != 0 : !watched[kind])
        return false;
    const long now = atomic_fetch_add(&calls, 1) + 1;
    if (trace >= 0)
        note(kind, name);
    if ((forever ? now < nth : now != nth) || !nth)
        return false;
    if (what == KILL) {
        kill(getpid(), SIGKILL);
        syscall(SYS_exit_group, 137); /* the sandbox of pictures has no signals */
    }
    *cut = what == SHORT;
    errno = what > 0 ? what : errno;
    return what > 0;
}

#define REAL(name)                                                         \
    __extension__({                                                        \
        static __typeof__(&name) real;                                     \
        real ? real : (real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)); \
    })

/* Calls that take a number of bytes at `size`. */
#define BYTES(type, name, kind, parameters, size, ...) \
    type name parameters                               \
    {                                                  \
        bool cut;                                      \
        if (hit(kind, #name, &cut))                    \
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
        if (hit(kind, #name, &cut))                      \
            return failed;                               \
        return REAL(name)(__VA_ARGS__);                  \
    }

/* What threads of one process wake each other by, an eventfd, is no file: such a write fails for no disk, and libmicrohttpd
 * ends the process where it does. */
static bool is_file(int fd)
{
    struct stat info;
    return syscall(SYS_newfstatat, fd, "", &info, AT_EMPTY_PATH) != 0 ||
           (info.st_mode & S_IFMT) != 0;
}

ssize_t write(int fd, const void *data, size_t size)
{
    bool cut = false;
    if (is_file(fd) && hit(WRITE, "write", &cut))
        return -1;
    return REAL(write)(fd, data, cut && size > 1 ? size / 2 : size);
}

/* clang-format off */
BYTES(ssize_t, pwrite, WRITE, (int fd, const void *data, size_t size, off_t at), size, fd, data, size, at)
BYTES(ssize_t, pwrite64, WRITE, (int fd, const void *data, size_t size, off64_t at), size, fd, data, size, at)
WHOLE(int, ftruncate, WRITE, -1, (int fd, off_t size), fd, size)
WHOLE(int, ftruncate64, WRITE, -1, (int fd, off64_t size), fd, size)
WHOLE(int, fsync, SYNC, -1, (int fd), fd)
WHOLE(int, fdatasync, SYNC, -1, (int fd), fd)
WHOLE(int, rename, NAME, -1, (const char *a, const char *b), a, b)
WHOLE(int, renameat, NAME, -1, (int f, const char *a, int g, const char *b), f, a, g, b)
WHOLE(int, renameat2, NAME, -1, (int f, const char *a, int g, const char *b, unsigned flags), f, a, g, b, flags)
WHOLE(int, link, NAME, -1, (const char *a, const char *b), a, b)
WHOLE(int, linkat, NAME, -1, (int f, const char *a, int g, const char *b, int flags), f, a, g, b, flags)
WHOLE(int, symlink, NAME, -1, (const char *a, const char *b), a, b)
WHOLE(int, unlink, NAME, -1, (const char *a), a)
WHOLE(int, unlinkat, NAME, -1, (int f, const char *a, int flags), f, a, flags)
WHOLE(int, mkdir, NAME, -1, (const char *a, mode_t mode), a, mode)
WHOLE(int, rmdir, NAME, -1, (const char *a), a)
WHOLE(char *, mkdtemp, NAME, NULL, (char *a), a)
BYTES(ssize_t, read, READ, (int fd, void *data, size_t size), size, fd, data, size)
BYTES(ssize_t, pread, READ, (int fd, void *data, size_t size, off_t at), size, fd, data, size, at)
BYTES(ssize_t, pread64, READ, (int fd, void *data, size_t size, off64_t at), size, fd, data, size, at)
WHOLE(ssize_t, getrandom, READ, -1, (void *data, size_t size, unsigned flags), data, size, flags)
WHOLE(off_t, lseek, READ, -1, (int fd, off_t at, int how), fd, at, how)
WHOLE(int, stat, STAT, -1, (const char *path, struct stat *info), path, info)
WHOLE(int, stat64, STAT, -1, (const char *path, struct stat64 *info), path, info)
WHOLE(int, lstat, STAT, -1, (const char *path, struct stat *info), path, info)
WHOLE(int, lstat64, STAT, -1, (const char *path, struct stat64 *info), path, info)
WHOLE(int, fstat, STAT, -1, (int fd, struct stat *info), fd, info)
WHOLE(int, fstat64, STAT, -1, (int fd, struct stat64 *info), fd, info)
WHOLE(int, fstatat, STAT, -1, (int at, const char *path, struct stat *info, int flags), at, path, info, flags)
WHOLE(int, fstatat64, STAT, -1, (int at, const char *path, struct stat64 *info, int flags), at, path, info, flags)
WHOLE(int, access, PATH, -1, (const char *path, int mode), path, mode)
WHOLE(int, faccessat, PATH, -1, (int at, const char *path, int mode, int flags), at, path, mode, flags)
WHOLE(ssize_t, readlink, PATH, -1, (const char *path, char *to, size_t size), path, to, size)
WHOLE(char *, realpath, PATH, NULL, (const char *path, char *to), path, to)
WHOLE(char *, getcwd, PATH, NULL, (char *to, size_t size), to, size)
WHOLE(DIR *, opendir, FOLDER, NULL, (const char *path), path)
WHOLE(DIR *, fdopendir, FOLDER, NULL, (int fd), fd)
WHOLE(struct dirent *, readdir, FOLDER, NULL, (DIR *folder), folder)
WHOLE(struct dirent64 *, readdir64, FOLDER, NULL, (DIR *folder), folder)
WHOLE(int, inotify_init1, FOLDER, -1, (int flags), flags)
WHOLE(int, flock, LOCK, -1, (int fd, int how), fd, how)
WHOLE(int, memfd_create, MEMORY, -1, (const char *name, unsigned flags), name, flags)
WHOLE(FILE *, fopen, OPEN, NULL, (const char *path, const char *mode), path, mode)
WHOLE(FILE *, fopen64, OPEN, NULL, (const char *path, const char *mode), path, mode)
WHOLE(FILE *, fdopen, OPEN, NULL, (int fd, const char *mode), fd, mode)
WHOLE(pid_t, fork, SPAWN, -1, (void), )
WHOLE(pid_t, waitpid, SPAWN, -1, (pid_t pid, int *status, int flags), pid, status, flags)
WHOLE(int, posix_spawn, SPAWN, errno, (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]), pid, path, actions, attributes, arguments, environment)
WHOLE(int, posix_spawnp, SPAWN, errno, (pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]), pid, path, actions, attributes, arguments, environment)
WHOLE(int, pthread_create, THREAD, errno, (pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with), thread, how, run, with)
WHOLE(int, socketpair, SOCKET, -1, (int a, int b, int c, int ends[2]), a, b, c, ends)
WHOLE(int, pipe2, SOCKET, -1, (int ends[2], int flags), ends, flags)
WHOLE(int, socket, SOCKET, -1, (int a, int b, int c), a, b, c)
WHOLE(int, bind, SOCKET, -1, (int fd, const struct sockaddr *to, socklen_t size), fd, to, size)
WHOLE(int, listen, SOCKET, -1, (int fd, int most), fd, most)
WHOLE(int, accept, SOCKET, -1, (int fd, struct sockaddr *from, socklen_t *size), fd, from, size)
WHOLE(int, accept4, SOCKET, -1, (int fd, struct sockaddr *from, socklen_t *size, int flags), fd, from, size, flags)
WHOLE(int, setsockopt, SOCKET, -1, (int fd, int level, int name, const void *value, socklen_t size), fd, level, name, value, size)
WHOLE(int, getsockname, SOCKET, -1, (int fd, struct sockaddr *to, socklen_t *size), fd, to, size)
WHOLE(int, getaddrinfo, SOCKET, EAI_SYSTEM, (const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **out), host, port, hints, out)
WHOLE(int, epoll_create1, SOCKET, -1, (int flags), flags)
WHOLE(int, eventfd, SOCKET, -1, (unsigned start_at, int flags), start_at, flags)
BYTES(ssize_t, send, TALK, (int fd, const void *data, size_t size, int flags), size, fd, data, size, flags)
BYTES(ssize_t, recv, TALK, (int fd, void *data, size_t size, int flags), size, fd, data, size, flags)
WHOLE(ssize_t, sendmsg, TALK, -1, (int fd, const struct msghdr *message, int flags), fd, message, flags)
WHOLE(ssize_t, recvmsg, TALK, -1, (int fd, struct msghdr *message, int flags), fd, message, flags)
WHOLE(int, poll, TALK, -1, (struct pollfd *fds, nfds_t count, int limit), fds, count, limit)
WHOLE(int, epoll_wait, TALK, -1, (int fd, struct epoll_event *events, int most, int limit), fd, events, most, limit)
/* clang-format on */

/* Parts of a vector are shortened by leaving out the last of them. */
#define VECTORS(name, kind)                                              \
    ssize_t name(int fd, const struct iovec *parts, int count, off_t at) \
    {                                                                    \
        bool cut;                                                        \
        if (hit(kind, #name, &cut))                                      \
            return -1;                                                   \
        return REAL(name)(fd, parts, cut && count > 1 ? 1 : count, at);  \
    }
VECTORS(preadv, READ)
VECTORS(preadv64, READ)
VECTORS(pwritev, WRITE)
VECTORS(pwritev64, WRITE)

/* Of files: what libraries do when there is no memory is their own affair. */
void *mmap(void *at, size_t size, int rights, int flags, int fd, off_t from)
{
    bool cut;
    if (fd >= 0 && hit(MAP, "mmap", &cut))
        return MAP_FAILED;
    return REAL(mmap)(at, size, rights, flags, fd, from);
}

/* Taking away does not fail. */
int epoll_ctl(int fd, int how, int other, struct epoll_event *event)
{
    bool cut;
    if (how == EPOLL_CTL_ADD && hit(SOCKET, "epoll_ctl", &cut))
        return -1;
    return REAL(epoll_ctl)(fd, how, other, event);
}

#define OPEN_CALL(name, parameters, last, ...)    \
    int name parameters                           \
    {                                             \
        va_list rest;                             \
        bool cut;                                 \
        va_start(rest, last);                     \
        const mode_t mode = va_arg(rest, mode_t); \
        va_end(rest);                             \
        if (hit(OPEN, #name, &cut))               \
            return -1;                            \
        return REAL(name)(__VA_ARGS__, mode);     \
    }
OPEN_CALL(open, (const char *path, int flags, ...), flags, path, flags)
OPEN_CALL(open64, (const char *path, int flags, ...), flags, path, flags)
OPEN_CALL(openat, (int folder, const char *path, int flags, ...), flags, folder, path, flags)
OPEN_CALL(openat64, (int folder, const char *path, int flags, ...), flags, folder, path, flags)

#define FCNTL(name)                                                          \
    int name(int fd, int how, ...)                                           \
    {                                                                        \
        va_list rest;                                                        \
        bool cut;                                                            \
        va_start(rest, how);                                                 \
        void *with = va_arg(rest, void *);                                   \
        va_end(rest);                                                        \
        if ((how == F_SETLK || how == F_SETLKW || how == F_DUPFD_CLOEXEC) && \
            hit(LOCK, #name, &cut))                                          \
            return -1;                                                       \
        return REAL(name)(fd, how, with);                                    \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

/* ---- Streams: their own buffers hide which call fails, so the stream has failed, as after a write in between ------- */

static void stop_maybe(const char *name, const FILE *file)
{
    if (stop_at && !strcmp(name, "fflush") && file && file != stderr && file != stdout &&
        atomic_fetch_add(&flushes, 1) + 1 == stop_at)
        raise(SIGTERM);
}

/* Messages must get out; of results it is the last flush that tells. What is short or interrupted the C library does
 * again. */
static bool hit_stream(enum kind kind, const char *name, FILE *file)
{
    bool cut;
    stop_maybe(name, file);
    if (what == SHORT || what == EINTR || file == stderr ||
        (file == stdout && strcmp(name, "fflush") != 0) || !hit(kind, name, &cut))
        return false;
    if (file) {
        const int error = errno;
        __fpurge(file);
        file->_flags |= 0x20; /* what ferror looks at */
        errno = error;
    }
    return true;
}

size_t fwrite(const void *data, size_t size, size_t count, FILE *file)
{
    return hit_stream(WRITE, "fwrite", file) ? 0 : REAL(fwrite)(data, size, count, file);
}

int fputs(const char *text, FILE *file)
{
    return hit_stream(WRITE, "fputs", file) ? EOF : REAL(fputs)(text, file);
}

int fflush(FILE *file)
{
    return hit_stream(WRITE, "fflush", file) ? EOF : REAL(fflush)(file);
}

int fclose(FILE *file)
{
    const bool fails = hit_stream(CLOSE, "fclose", file);
    const int error = errno, closed = REAL(fclose)(file);
    errno = fails ? error : errno;
    return fails ? EOF : closed;
}

size_t fread(void *data, size_t size, size_t count, FILE *file)
{
    return hit_stream(READ, "fread", file) ? 0 : REAL(fread)(data, size, count, file);
}

char *fgets(char *text, int size, FILE *file)
{
    return hit_stream(READ, "fgets", file) ? NULL : REAL(fgets)(text, size, file);
}

ssize_t getline(char **line, size_t *size, FILE *file)
{
    return hit_stream(READ, "getline", file) ? -1 : REAL(getline)(line, size, file);
}

int __fprintf_chk(FILE *file, int flag, const char *format, ...);
int __vfprintf_chk(FILE *file, int flag, const char *format, va_list with);
int __fprintf_chk(FILE *file, int flag, const char *format, ...)
{
    va_list with;
    if (hit_stream(WRITE, "fprintf", file))
        return -1;
    va_start(with, format);
    const int n = __vfprintf_chk(file, flag, format, with);
    va_end(with);
    return n;
}

/* ---- MPI: integers and pointers alone, so that one form fits all; 16 is MPI_ERR_OTHER ------------------------------- */

/* Its library is loaded by a module, for that module alone. */
static void *in_mpi(const char *name)
{
    void *library = dlopen("libmpi.so.40", RTLD_LAZY | RTLD_NOLOAD);
    void *call = library ? dlsym(library, name) : NULL;
    if (!call)
        abort();
    return call;
}

#define MPI_CALL(name)                                                                        \
    int name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j); \
    int name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)  \
    {                                                                                         \
        bool cut;                                                                             \
        __typeof__(&name) real = (__typeof__(&name))in_mpi(#name);                            \
        return hit(MPI, #name, &cut) ? 16 : real(a, b, c, d, e, f, g, h, i, j);               \
    }
MPI_CALL(MPI_Init_thread)
MPI_CALL(MPI_Comm_dup)
MPI_CALL(MPI_Comm_split_type)
MPI_CALL(MPI_Iallgatherv)
MPI_CALL(MPI_Iallreduce)
MPI_CALL(MPI_Ialltoallv)
MPI_CALL(MPI_Ibcast)
MPI_CALL(MPI_Igather)
MPI_CALL(MPI_Irecv)
MPI_CALL(MPI_Isend)
MPI_CALL(MPI_Recv)
MPI_CALL(MPI_Send)
MPI_CALL(MPI_Test)
