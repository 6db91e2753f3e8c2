/* The sandbox from inside: a process that was taken over tries what it must not, and each call fails. The same calls
 * outside show that it is the sandbox that refuses them. */
#include "support.h"

#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LANDLOCK_CREATE_RULESET = 444 };

/* A file of the person's, an open descriptor of it, a socket; set before the process is confined. */
static char own[4096], other[4096], own_again[64];
static int own_fd, ends[2];

#define CALL(number, ...) ((int)syscall(number, __VA_ARGS__))

typedef struct attempt {
    const char *name;
    int (*make)(void);
    bool free; /* outside it succeeds, for whoever runs the tests */
} attempt;

#define TRY(name, expression)   \
    static int try_##name(void) \
    {                           \
        return (expression);    \
    }
/* clang-format off */
TRY(socket_unix, socket(AF_UNIX, SOCK_STREAM, 0))
TRY(socket_internet, socket(AF_INET, SOCK_STREAM, 0))
TRY(socketpair, socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){0}))
TRY(send, (int)send(ends[0], "x", 1, MSG_NOSIGNAL))
TRY(exec, CALL(SYS_execve, "/bin/true", (char *const[]){NULL}, (char *const[]){NULL}))
TRY(execveat, CALL(SYS_execveat, AT_FDCWD, "/bin/true", NULL, NULL, 0))
TRY(fork, CALL(SYS_clone, SIGCHLD, 0, 0, 0, 0))
TRY(ptrace, CALL(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0))
TRY(kill_parent, CALL(SYS_kill, getppid(), 0))
TRY(kill_self, CALL(SYS_kill, CALL(SYS_getpid, 0), 0))
TRY(tgkill, CALL(SYS_tgkill, CALL(SYS_getpid, 0), CALL(SYS_gettid, 0), 0))
TRY(sigqueue, CALL(SYS_rt_sigqueueinfo, getppid(), 0, &(siginfo_t){.si_code = SI_QUEUE}))
TRY(pidfd_open, CALL(SYS_pidfd_open, getppid(), 0))
TRY(peek, CALL(SYS_process_vm_readv, getppid(), &(struct iovec){own, 1}, 1UL, &(struct iovec){own, 1}, 1UL, 0UL))
TRY(unlink, unlink(other))
TRY(unlinkat, CALL(SYS_unlinkat, AT_FDCWD, other, 0))
TRY(rename, rename(own, other))
TRY(renameat2, CALL(SYS_renameat2, AT_FDCWD, own, AT_FDCWD, other, 0))
TRY(link, link(own, other))
TRY(symlink, symlink(own, other))
TRY(mkdir, mkdir(other, 0700))
TRY(mknod, mkfifo(other, 0600))
TRY(chmod, chmod(own, 0600))
TRY(fchmod, CALL(SYS_fchmod, own_fd, 0600))
TRY(chown, chown(own, getuid(), (gid_t)-1))
TRY(utimes, CALL(SYS_utimensat, AT_FDCWD, own, NULL, 0))
TRY(setxattr, CALL(SYS_setxattr, own, "user.a", "b", 1UL, 0))
TRY(truncate, CALL(SYS_truncate, own, 3L))
TRY(ftruncate, CALL(SYS_ftruncate, own_fd, 3L))
TRY(fallocate, CALL(SYS_fallocate, own_fd, 0, 0L, 100L))
TRY(open_for_writing, CALL(SYS_openat, AT_FDCWD, own, O_WRONLY))
TRY(open_for_both, CALL(SYS_openat, AT_FDCWD, own, O_RDWR))
TRY(open_and_cut, CALL(SYS_openat, AT_FDCWD, own, O_RDONLY | O_TRUNC))
TRY(open_and_make, CALL(SYS_openat, AT_FDCWD, other, O_RDONLY | O_CREAT, 0600))
TRY(open_nameless, CALL(SYS_openat, AT_FDCWD, "/tmp", O_TMPFILE | O_RDWR, 0600))
TRY(open_for_reading, CALL(SYS_openat, AT_FDCWD, own, O_RDONLY))
TRY(open_folder, CALL(SYS_openat, AT_FDCWD, "/tmp", O_RDONLY | O_DIRECTORY))
TRY(open_passwd, CALL(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY))
TRY(open_environment, CALL(SYS_openat, AT_FDCWD, "/proc/self/environ", O_RDONLY))
TRY(open_again, CALL(SYS_openat, AT_FDCWD, own_again, O_RDWR))
TRY(openat2, CALL(SYS_openat2, AT_FDCWD, own, (uint64_t[3]){O_RDONLY, 0, 0}, 24UL))
TRY(chdir, CALL(SYS_chdir, "/"))
TRY(chroot, CALL(SYS_chroot, "/"))
TRY(mount, CALL(SYS_mount, "none", "/tmp", "tmpfs", 0UL, NULL))
TRY(unshare, CALL(SYS_unshare, 0x10000000))
TRY(setuid, CALL(SYS_setuid, getuid()))
TRY(setsid, CALL(SYS_setsid, 0))
TRY(dumpable, CALL(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0))
TRY(limits_of_others, CALL(SYS_prlimit64, getppid(), RLIMIT_CORE, NULL, (struct rlimit[1]){{0, 0}}))
TRY(larger_limit, setrlimit(RLIMIT_CORE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}))
TRY(own_limit, setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}))
TRY(more_time, setrlimit(RLIMIT_CPU, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}))
TRY(setowner, CALL(SYS_fcntl, own_fd, F_SETOWN, getppid()))
TRY(setflags, CALL(SYS_fcntl, own_fd, F_SETFL, O_ASYNC))
TRY(ioctl, CALL(SYS_ioctl, ends[0], FIONREAD, (int[1]){0}))
TRY(memfd, CALL(SYS_memfd_create, "x", 0))
TRY(shared_memory, CALL(SYS_shmget, 0, 4096UL, 0600))
TRY(message_queue, CALL(SYS_msgget, 0, 0600))
TRY(bpf, CALL(SYS_bpf, 0, NULL, 0))
TRY(perf, CALL(SYS_perf_event_open, NULL, 0, -1, -1, 0UL))
TRY(io_uring, CALL(SYS_io_uring_setup, 1, (char[256]){0}))
TRY(userfaultfd, CALL(SYS_userfaultfd, 1))
TRY(keyctl, CALL(SYS_keyctl, 0, -3, 0))
TRY(inotify, CALL(SYS_inotify_init1, 0))
TRY(timer, setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL))
TRY(seccomp, CALL(SYS_seccomp, 2, 0, (unsigned[1]){0x7fff0000}))
TRY(code, mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0)
TRY(look, access(own, F_OK))
/* clang-format on */

#define FREE(name)              \
    {                           \
#name, try_##name, true \
    }
#define SOME(name)               \
    {                            \
#name, try_##name, false \
    }
static const attempt attempts[] = {
    FREE(socket_unix),
    FREE(socket_internet),
    FREE(socketpair),
    FREE(send),
    SOME(exec),
    SOME(execveat),
    SOME(fork),
    SOME(ptrace),
    FREE(kill_parent),
    FREE(kill_self),
    FREE(tgkill),
    SOME(sigqueue),
    SOME(pidfd_open),
    SOME(peek),
    SOME(unlink),
    SOME(unlinkat),
    FREE(rename),
    SOME(renameat2),
    SOME(link),
    SOME(symlink),
    SOME(mkdir),
    SOME(mknod),
    SOME(chmod),
    FREE(fchmod),
    SOME(chown),
    SOME(utimes),
    SOME(setxattr),
    SOME(truncate),
    SOME(ftruncate),
    SOME(fallocate),
    SOME(open_for_writing),
    SOME(open_for_both),
    SOME(open_and_cut),
    FREE(open_and_make),
    SOME(open_nameless),
    FREE(open_for_reading),
    FREE(open_folder),
    FREE(open_passwd),
    FREE(open_environment),
    FREE(open_again),
    SOME(openat2),
    FREE(chdir),
    SOME(chroot),
    SOME(mount),
    SOME(unshare),
    FREE(setuid),
    FREE(setsid),
    FREE(dumpable),
    SOME(limits_of_others),
    SOME(setowner),
    FREE(setflags),
    FREE(ioctl),
    SOME(memfd),
    SOME(shared_memory),
    SOME(message_queue),
    SOME(bpf),
    SOME(perf),
    SOME(io_uring),
    SOME(userfaultfd),
    SOME(keyctl),
    FREE(inotify),
    FREE(timer),
    SOME(seccomp),
};
static const attempt of_merging[] = {FREE(code), FREE(look)};

static void prepare(void)
{
    snprintf(own, sizeof own, "%s", test_text("own.txt", "a person's"));
    snprintf(other, sizeof other, "%s", test_path("other"));
    unlink(other);
    own_fd = open(own, O_RDWR);
    assert_true(own_fd >= 0);
    snprintf(own_again, sizeof own_again, "/proc/self/fd/%d", own_fd);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
}

static void clean_up(void)
{
    close(own_fd);
    close(ends[0]);
    close(ends[1]);
}

enum { SUCCEEDED = 0, REFUSED = 1, FAILED = 2, NO_SANDBOX = 3 };

static int run_attempt(const attempt *a)
{
    errno = 0;
    if (a->make() >= 0)
        return SUCCEEDED;
    return errno == EPERM || errno == EACCES || errno == ENOSYS ? REFUSED : FAILED;
}

/* What becomes of it in a process of its own. */
static int outcome(const attempt *a, int role)
{
    int status;
    prepare();
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (role >= 0) {
            sandbox_limit();
            if (!sandbox_enter((sandbox_role)role))
                _exit(NO_SANDBOX);
        }
        _exit(run_attempt(a));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    clean_up();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const attempt nothing = {"nothing", getpid, true};

/* Asks the kernel, not the sandbox, which might be broken. */
static bool can_have_sandbox(void)
{
#ifdef F0T_SECCOMP
    const unsigned refuse = SECCOMP_RET_ERRNO;
    return CALL(LANDLOCK_CREATE_RULESET, NULL, 0, 1) >= 1 &&
           CALL(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &refuse) == 0;
#else
    return false;
#endif
}

/* Whether there is one here: where the kernel or the build has none, there is nothing to test. */
static void need_sandbox(void)
{
    if (!can_have_sandbox())
        test_skip("this kernel or build has no Landlock and seccomp");
    for (sandbox_role role = SANDBOX_DECODE; role <= SANDBOX_MERGE; role++)
        assert_int_equal(outcome(&nothing, (int)role), SUCCEEDED);
}

static void check_files(void)
{
    size_t size;
    char *text = test_read(own, &size);
    assert_string_equal(text, "a person's");
    f0t_free(text);
    assert_int_not_equal(access(other, F_OK), 0);
}

static void check_refused(const attempt *all, size_t count, sandbox_role role)
{
    for (size_t i = 0; i < count; i++) {
        const int inside = outcome(&all[i], (int)role);
        if (inside != REFUSED)
            fail_msg("role %d: %s gave %d", (int)role, all[i].name, inside);
        check_files();
        if (all[i].free && outcome(&all[i], -1) != SUCCEEDED)
            fail_msg("%s fails outside of the sandbox, too", all[i].name);
    }
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void every_forbidden_call_is_refused(void **state)
{
    (void)state;
    need_sandbox();
    for (sandbox_role role = SANDBOX_DECODE; role <= SANDBOX_MERGE; role++)
        check_refused(attempts, COUNT(attempts), role);
    check_refused(of_merging, COUNT(of_merging), SANDBOX_MERGE);
}

static void *in_thread(void *result)
{
    *(int *)result = try_open_passwd() < 0 ? errno : 0;
    return NULL;
}

/* A thread that starts inside is inside. */
static int try_thread(void)
{
    pthread_t thread;
    int result = 0;
    if (pthread_create(&thread, NULL, in_thread, &result) != 0)
        return 0;
    pthread_join(thread, NULL);
    errno = result;
    return result ? -1 : 0;
}

static int read_own(void)
{
    char byte;
    return pread(own_fd, &byte, 1, 0) == 1 ? 0 : -1;
}

static int map_own(void)
{
    return mmap(NULL, 4, PROT_READ, MAP_PRIVATE, own_fd, 0) == MAP_FAILED ? -1 : 0;
}

static int answer_socket(void)
{
    return (int)write(ends[0], "x", 1);
}

static int limit_time(void)
{
    struct rlimit now;
    if (getrlimit(RLIMIT_CPU, &now) != 0 || now.rlim_max == RLIM_INFINITY)
        return -1;
    now.rlim_cur = now.rlim_max - 1;
    return setrlimit(RLIMIT_CPU, &now);
}

static int read_fonts(void)
{
    return open("/etc/fonts", O_RDONLY | O_DIRECTORY);
}

static void what_decoding_needs_is_left(void **state)
{
    static const attempt needed[] = {{"read", read_own, true},
                                     {"map", map_own, true},
                                     {"write", answer_socket, true},
                                     {"time", limit_time, false}};
    const attempt thread = {"thread", try_thread, false}, fonts = {"fonts", read_fonts, false};
    (void)state;
    need_sandbox();
    for (sandbox_role role = SANDBOX_DECODE; role <= SANDBOX_MERGE; role++)
        for (size_t i = 0; i < COUNT(needed); i++)
            assert_int_equal(outcome(&needed[i], (int)role), SUCCEEDED);
    assert_int_equal(outcome(&thread, SANDBOX_DECODE), REFUSED);
    if (access("/etc/fonts", R_OK) == 0) {
        assert_int_equal(outcome(&fonts, SANDBOX_DECODE), SUCCEEDED);
        assert_int_equal(outcome(&fonts, SANDBOX_BITMAP), REFUSED);
    }
}

static void limits_cannot_be_raised_again(void **state)
{
    static const attempt limits[] = {SOME(larger_limit), SOME(own_limit), SOME(more_time)};
    (void)state;
    need_sandbox();
    for (size_t i = 0; i < COUNT(limits); i++)
        assert_int_equal(outcome(&limits[i], SANDBOX_DECODE), REFUSED);
}

static void *wait_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

/* How many threads can be started: 0 where more than are allowed, 1 where all of these and no more. */
static int try_threads(void)
{
    const long most = SANDBOX_THREADS(sysconf(_SC_NPROCESSORS_CONF));
    long count = 1;
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 19); /* what a sanitizer keeps for each has room */
    while (count <= most && pthread_create(&thread, &small, wait_for_ever, NULL) == 0)
        count++;
    errno = EPERM;
    return count == most ? -1 : 0;
}

/* The kernel counts everybody's threads but root's. */
static int as_nobody(int (*make)(void))
{
    int status;
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(FAILED);
        sandbox_limit();
        const attempt one = {"threads", make, false};
        _exit(sandbox_enter(SANDBOX_DECODE) ? run_attempt(&one) : NO_SANDBOX);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int try_namespace(void)
{
    return CALL(SYS_unshare, 0x10000000); /* CLONE_NEWUSER */
}

static bool can_have_namespace(void)
{
    int status;
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit((geteuid() == 0 && setuid(65534) != 0) || try_namespace() != 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status == 0;
}

static void threads_are_limited(void **state)
{
    (void)state;
    need_sandbox();
    if (!can_have_namespace())
        test_skip("no user namespace can be had here");
    assert_int_equal(as_nobody(try_threads), REFUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_limited),
        cmocka_unit_test(every_forbidden_call_is_refused),
        cmocka_unit_test(what_decoding_needs_is_left),
        cmocka_unit_test(limits_cannot_be_raised_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
