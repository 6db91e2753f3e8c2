#include "sandbox.h"

/* The list is that of these machines. */
#if !defined(F0T_SECCOMP) || !(defined(__x86_64__) || defined(__aarch64__))

bool filter_enter(sandbox_role role)
{
    (void)role;
    return false;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* What a call of a list may be is up to the process: it reads what it has been given, and it computes. */
static const char *const always[] = {
    /* the socket, and descriptors that came by it */
    "read", "readv", "pread64", "preadv", "recvmsg", "recvfrom", "write", "writev", "close",
    "fstat", "lseek", "dup", "poll", "ppoll",
    /* memory */
    "brk", "munmap", "mremap", "madvise",
    /* threads and signals of its own */
    "futex", "set_robust_list", "get_robust_list", "rseq", "sched_yield", "sched_getaffinity",
    "membarrier", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack",
    "restart_syscall", "exit", "exit_group",
    /* what time it is, who and where it is */
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time",
    "times", "getrusage", "getpid", "gettid", "getuid", "geteuid", "getgid", "getegid", "uname",
    "sysinfo", "getcwd", "getrandom", "getcpu"};

/* Names of files, which Landlock lets nobody open but those of sandbox.c. */
static const char *const with_files[] = {
    "stat",     "lstat",      "newfstatat", "statx",      "access",   "faccessat", "faccessat2",
    "readlink", "readlinkat", "getdents",   "getdents64", "eventfd2", "fstatfs",   "statfs"};

/* Callers have another way, which the list knows. */
static const char *const missing[] = {"clone3", "openat2", "memfd_create"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A call that this machine does not have is in no need of a rule. */
static bool allow(scmp_filter_ctx filter, const char *name)
{
    const int call = seccomp_syscall_resolve_name(name);
    return call < 0 || seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0;
}

static bool allow_all(scmp_filter_ctx filter, const char *const *names, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count; i++)
        good = good && allow(filter, names[i]);
    return good;
}

static bool allow_if(scmp_filter_ctx filter, const char *name, struct scmp_arg_cmp condition)
{
    const int call = seccomp_syscall_resolve_name(name);
    return call < 0 || seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &condition) == 0;
}

static struct scmp_arg_cmp equals(unsigned argument, uint64_t value)
{
    return (struct scmp_arg_cmp){argument, SCMP_CMP_EQ, value, 0};
}

/* Of these bits it has those. */
static struct scmp_arg_cmp has(unsigned argument, uint64_t bits, uint64_t those)
{
    return (struct scmp_arg_cmp){argument, SCMP_CMP_MASKED_EQ, bits, those};
}

static bool allow_reading(scmp_filter_ctx filter)
{
    const uint64_t writes = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
    return allow_all(filter, with_files, COUNT(with_files)) &&
           allow_if(filter, "open", has(1, writes, 0)) &&
           allow_if(filter, "openat", has(2, writes, 0));
}

/* libvips compiles some of its loops as it runs; ImageMagick loads libraries. */
static bool allow_memory(scmp_filter_ctx filter, bool code)
{
    return code ? allow(filter, "mmap") && allow(filter, "mprotect")
                : allow_if(filter, "mmap", has(2, PROT_EXEC, 0)) &&
                      allow_if(filter, "mprotect", has(2, PROT_EXEC, 0));
}

/* Limits can be read, and that of processor time changed, up to the hard one. */
static bool allow_limits(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp time[] = {equals(0, 0), equals(1, RLIMIT_CPU)},
                              reading[] = {equals(0, 0), equals(2, 0)};
    const int call = seccomp_syscall_resolve_name("prlimit64");
    return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 2, time) == 0 &&
           seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 2, reading) == 0 &&
           allow(filter, "getrlimit") && allow_if(filter, "setrlimit", equals(0, RLIMIT_CPU));
}

/* F_SETOWN would send signals to others. */
static bool allow_own(scmp_filter_ctx filter)
{
    static const int commands[] = {F_GETFD, F_SETFD, F_GETFL, F_DUPFD, F_DUPFD_CLOEXEC};
    bool good = true;
    for (size_t i = 0; i < COUNT(commands); i++)
        good = good && allow_if(filter, "fcntl", equals(1, (uint64_t)commands[i]));
    return good && allow_limits(filter) && allow_if(filter, "prctl", equals(0, PR_SET_NAME)) &&
           allow_if(filter, "clone", has(0, CLONE_THREAD, CLONE_THREAD));
}

static bool refuse_politely(scmp_filter_ctx filter)
{
    bool good = true;
    for (size_t i = 0; i < COUNT(missing); i++) {
        const int call = seccomp_syscall_resolve_name(missing[i]);
        good = good && (call < 0 || seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), call, 0) == 0);
    }
    return good;
}

bool filter_enter(sandbox_role role)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    const bool files = role != SANDBOX_MERGE;
    const bool entered = filter && seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
                         seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0 &&
                         allow_all(filter, always, COUNT(always)) && allow_own(filter) &&
                         allow_memory(filter, files) && (!files || allow_reading(filter)) &&
                         refuse_politely(filter) && seccomp_load(filter) == 0;
    if (filter)
        seccomp_release(filter);
    return entered;
}

#endif
