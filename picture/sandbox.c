#include "sandbox.h"

#include "image/protocol.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <iconv.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- Limits ------------------------------------------------------------------------------------- */

#define MEMORY_LIMIT ((rlim_t)2 << 30)

/* Sanitizers that map terabytes: gcc has a macro for each, clang a question. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SANITIZED
#endif
#endif

static void limit(int resource, rlim_t value)
{
    const struct rlimit both = {value, value};
    setrlimit((__rlimit_resource_t)resource, &both);
}

/* The rights of root, where it is root's: to read what is others', and to raise its limits again. */
static void drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct have[2] = {{0}};
    const struct __user_cap_data_struct none[2] = {{0}};
    syscall(SYS_capget, &header, have);
    if (have[0].permitted ||
        have[1].permitted) /* where nothing can be dropped, some sandboxes end who tries */
        syscall(SYS_capset, &header, none);
}

/* From 5.14 on, RLIMIT_NPROC counts the threads of a user in each user namespace apart; before, all that the user has. */
static bool counts_apart(void)
{
    struct utsname kernel;
    unsigned major = 0, minor = 0;
    return uname(&kernel) == 0 && sscanf(kernel.release, "%u.%u", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 14));
}

/* In a namespace of its own, where its threads are the only ones; what it owns there it gives up below. Where none can be
 * had (in some containers), and for root, whom the kernel does not count, their number stays without a limit. */
static void limit_threads(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_CONF);
    if (counts_apart() && unshare(CLONE_NEWUSER) == 0)
        limit(RLIMIT_NPROC, (rlim_t)SANDBOX_THREADS(cores > 0 ? cores : 1));
}

/* In a build for scripts/coverage the process writes files of what ran: it keeps its rights. */
#ifdef F0T_COVERAGE
static const bool measures_coverage = true;
#else
static const bool measures_coverage = false;
#endif

void sandbox_limit(void)
{
    if (measures_coverage)
        return;
    limit_threads();
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    signal(SIGXFSZ, SIG_IGN);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_CPU, F0T_PICTURE_LIFE); /* where its signal is ignored; one that is less stays */
#ifndef SANITIZED
    limit(RLIMIT_AS, MEMORY_LIMIT);
#endif
    drop_capabilities();
}

/* ---- Landlock: the kernel's interface, for headers that are older than the kernel --------------------- */

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum {
    LANDLOCK_VERSION = 1,
    LANDLOCK_BENEATH = 1,
    LANDLOCK_READ_FILE = 4,
    LANDLOCK_READ_FOLDER = 8
};

typedef struct landlock_rules {
    uint64_t files;
    uint64_t network; /* since version 4; older kernels take the first member alone */
} landlock_rules;

typedef struct __attribute__((packed)) landlock_beneath {
    uint64_t allowed;
    int32_t parent;
} landlock_beneath;

/* The rights on files that a version knows: 13 at first, then one more in 2, 3 and 5. */
static uint64_t all_rights(long version)
{
    const int bits = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    return (UINT64_C(1) << bits) - 1;
}

static void allow(int rules, const char *path)
{
    landlock_beneath rule = {LANDLOCK_READ_FILE | LANDLOCK_READ_FOLDER,
                             open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent < 0)
        return;
    if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_BENEATH, &rule, 0) != 0) {
        rule.allowed = LANDLOCK_READ_FILE; /* it is no folder */
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_BENEATH, &rule, 0);
    }
    close(rule.parent);
}

/* ---- What stays readable ---------------------------------------------------------------------------- */

static const char *const fonts[] = {"/etc/fonts", "/usr/share/fonts", "/usr/share/fontconfig",
                                    "/usr/local/share/fonts", "/var/cache/fontconfig"};
static const char *const own_fonts[] = {".fonts", ".local/share/fonts", ".config/fontconfig",
                                        ".cache/fontconfig"};
/* The same where the environment has them elsewhere. What a configuration names besides is not read. */
static const struct {
    const char *variable, *name;
} moved_fonts[] = {{"FONTCONFIG_FILE", ""},
                   {"FONTCONFIG_PATH", ""},
                   {"XDG_DATA_HOME", "fonts"},
                   {"XDG_CONFIG_HOME", "fontconfig"},
                   {"XDG_CACHE_HOME", "fontconfig"}};
/* Beside the C library: encodings of text, what reads the pictures inside an SVG, decoders of HEIC where they are
 * plug-ins. */
static const char *const beside[] = {"gconv", "gdk-pixbuf-2.0", "libheif"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void allow_in(int rules, const char *folder, const char *name)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path)
        allow(rules, path);
}

static void allow_fonts(int rules)
{
    const char *home = getenv("HOME");
    for (size_t i = 0; i < COUNT(fonts); i++)
        allow(rules, fonts[i]);
    for (size_t i = 0; home && *home == '/' && i < COUNT(own_fonts); i++)
        allow_in(rules, home, own_fonts[i]);
    for (size_t i = 0; i < COUNT(moved_fonts); i++) {
        const char *value = getenv(moved_fonts[i].variable), *name = moved_fonts[i].name;
        if (value && *value == '/' && *name)
            allow_in(rules, value, name);
        else if (value && *value == '/')
            allow(rules, value);
    }
}

/* The folder of the system's shared libraries; false where it cannot be told. */
static bool find_libraries(char folder[4096])
{
    Dl_info info;
    union {
        iconv_t (*function)(const char *, const char *);
        void *address;
    } cast = {.function = iconv_open};
    char *real =
        dladdr(cast.address, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
    char *slash = real ? strrchr(real, '/') : NULL;
    if (slash)
        snprintf(folder, 4096, "%.*s", (int)(slash - real), real);
    free(real);
    return slash != NULL;
}

static void allow_beside(int rules)
{
    char folder[4096];
    for (size_t i = 0; find_libraries(folder) && i < COUNT(beside); i++)
        allow_in(rules, folder, beside[i]);
    allow(rules, "/usr/share/mime/mime.cache");
}

static void allow_named(int rules, const char *folder, const char *begin)
{
    DIR *all = opendir(folder);
    for (struct dirent *entry; all && (entry = readdir(all));)
        if (!strncmp(entry->d_name, begin, strlen(begin)))
            allow_in(rules, folder, entry->d_name);
    if (all)
        closedir(all);
}

static void allow_magick(int rules)
{
    char folder[4096];
    if (find_libraries(folder))
        allow(rules, folder);
    allow(rules, "/etc/ld.so.cache");
    allow_named(rules, "/etc", "ImageMagick-");
    allow_named(rules, "/usr/share", "ImageMagick-");
}

/* ---- Entering ----------------------------------------------------------------------------------------- */

static bool leave_files(sandbox_role role)
{
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);
    if (version < 1)
        return false;
    const landlock_rules all = {all_rights(version), version >= 4 ? 3 : 0};
    const int rules = (int)syscall(SYS_landlock_create_ruleset, &all,
                                   version >= 4 ? sizeof all : sizeof all.files, 0);
    if (rules < 0)
        return false;
    if (role == SANDBOX_DECODE) {
        allow_fonts(rules);
        allow_beside(rules);
    } else if (role == SANDBOX_BITMAP) {
        allow_magick(rules);
    }
    const bool left = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return left;
}

/* Landlock binds the calling thread, and those that it starts. */
static bool is_alone(void)
{
    size_t count = 0;
    DIR *all = opendir("/proc/self/task");
    for (struct dirent *entry; all && (entry = readdir(all));)
        count += entry->d_name[0] != '.';
    if (all)
        closedir(all);
    return count == 1;
}

bool sandbox_enter(sandbox_role role)
{
    if (measures_coverage)
        return true;
    tzset(); /* reads a file */
    const bool files = is_alone() && leave_files(role), calls = filter_enter(role);
    return files && calls;
}
