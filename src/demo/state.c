/* The folder, and what the files in it were made from. */
#include "demo/demo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Raised when the clean-up, the split or the methods change: old files are made anew then. */
enum { RECIPE = 5 };

static const char STATE[] = "demo.state", WORDS[] = "words.state", BEGUN[] = "begun";
static const char TEMPORARY[] = ".fast0tag-", TEMPORARY_END[] = ".tmp"; /* as the library's own */

/* ---- Failures and the log ---------------------------------------------------------------------- */

enum { LINE_SIZE = 1024 };

f0t_status f0t_demo_fail(f0t_status status, const char *form, ...)
{
    char line[LINE_SIZE];
    va_list arguments;
    va_start(arguments, form);
    vsnprintf(line, sizeof line, form, arguments);
    va_end(arguments);
    return f0t_error_set(status, line);
}

f0t_status f0t_demo_fail_errno(const char *path, const char *what)
{
    const int code = errno;
    return f0t_demo_fail(code == ENOENT ? F0T_ERROR_NOT_FOUND : F0T_ERROR_IO, "%s: %s: %s", path,
                         what, strerror(code));
}

f0t_status f0t_demo_fail_memory(void)
{
    return f0t_error_set(F0T_ERROR_MEMORY, "no memory for the demo");
}

void f0t_demo_log(const f0t_demo_work *work, const char *form, ...)
{
    const f0t_monitor *monitor = f0t_context_monitor(work->context);
    char line[LINE_SIZE], escaped[LINE_SIZE];
    va_list arguments;
    if (!monitor || !monitor->log)
        return;
    va_start(arguments, form);
    vsnprintf(line, sizeof line, form, arguments);
    va_end(arguments);
    f0t_line_escape(escaped, sizeof escaped, line);
    monitor->log(monitor->user, F0T_LOG_INFO, escaped);
}

/* ---- Files of the folder ----------------------------------------------------------------------- */

const char *f0t_demo_path(char out[F0T_DEMO_PATH_SIZE], const f0t_demo_work *work, const char *name)
{
    const size_t length = strlen(work->output);
    const bool slash = length && work->output[length - 1] == '/';
    snprintf(out, F0T_DEMO_PATH_SIZE, "%s%s%s", work->output, slash ? "" : "/", name);
    return out;
}

f0t_status f0t_demo_write(const f0t_demo_work *work, const char *name, const char *const *texts,
                          size_t count, const char *end)
{
    char path[F0T_DEMO_PATH_SIZE], part[F0T_DEMO_PATH_SIZE], unique[64];
    snprintf(unique, sizeof unique, "%s%ld%s", TEMPORARY, (long)getpid(), TEMPORARY_END);
    f0t_demo_path(path, work, name);
    FILE *file = fopen(f0t_demo_path(part, work, unique), "w");
    bool good = file != NULL;
    for (size_t i = 0; i < count && good; i++)
        good = fputs(texts[i], file) >= 0 && fputs(end, file) >= 0;
    if (file)
        good = fclose(file) == 0 && good;
    if (good && rename(part, path) == 0)
        return F0T_OK;
    const f0t_status status = f0t_demo_fail_errno(path, "cannot be written");
    unlink(part);
    return status;
}

long long f0t_demo_size(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (long long)info.st_size : -1;
}

static f0t_status say(const f0t_demo_work *work, const char *name, const char *text)
{
    return f0t_demo_write(work, name, &text, 1, "\n");
}

/* Whether the first line of DIR/NAME is this one. */
static bool says(const f0t_demo_work *work, const char *name, const char *want)
{
    char path[F0T_DEMO_PATH_SIZE], line[F0T_DEMO_STATE_SIZE + 1];
    FILE *file = fopen(f0t_demo_path(path, work, name), "r");
    const bool read = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    if (!read)
        return false;
    line[strcspn(line, "\n")] = 0;
    return !strcmp(line, want);
}

static void forget(const f0t_demo_work *work, const char *name)
{
    char path[F0T_DEMO_PATH_SIZE];
    unlink(f0t_demo_path(path, work, name));
}

/* ---- The folder -------------------------------------------------------------------------------- */

/* Of a demo that was killed. */
static bool is_temporary(const char *name)
{
    const size_t length = strlen(name), end = sizeof TEMPORARY_END - 1;
    return !strncmp(name, TEMPORARY, sizeof TEMPORARY - 1) && length > end &&
           !strcmp(name + length - end, TEMPORARY_END);
}

static bool is_empty(const char *folder)
{
    DIR *opened = opendir(folder);
    bool empty = opened != NULL;
    errno = 0; /* what cannot be listed is not empty */
    for (struct dirent *entry; opened && (entry = readdir(opened)) != NULL;)
        empty = empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
                          is_temporary(entry->d_name));
    empty = empty && !errno;
    if (opened)
        closedir(opened);
    return empty;
}

/* All that is written goes below the folder, whoever made it. */
static f0t_status refuse_links(const char *folder)
{
    f0t_status status = F0T_OK;
    DIR *opened = opendir(folder);
    struct stat info;
    if (!opened)
        return f0t_demo_fail_errno(folder, "cannot be read");
    errno = 0;
    for (struct dirent *entry; status == F0T_OK && (entry = readdir(opened)) != NULL; errno = 0)
        if (fstatat(dirfd(opened), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            status = f0t_demo_fail_errno(folder, "cannot be read");
        else if (S_ISLNK(info.st_mode))
            status = f0t_demo_fail(F0T_ERROR_IO, "%s/%s: is a link, which no demo makes; remove it",
                                   folder, entry->d_name);
    if (status == F0T_OK && errno)
        status = f0t_demo_fail_errno(folder, "cannot be listed");
    closedir(opened);
    return status;
}

f0t_status f0t_demo_open_folder(f0t_demo_work *work)
{
    char path[F0T_DEMO_PATH_SIZE];
    if (strlen(work->output) > F0T_DEMO_PATH_SIZE / 2)
        return f0t_error_set(F0T_ERROR_ARGUMENT, "the path of the folder is too long");
    if (mkdir(work->output, 0777) != 0 && errno != EEXIST)
        return f0t_demo_fail_errno(work->output, "the folder cannot be made");
    F0T_DEMO_TRY(refuse_links(work->output));
    if (access(f0t_demo_path(path, work, STATE), F_OK) == 0)
        return F0T_OK;
    if (!is_empty(work->output))
        return f0t_demo_fail(F0T_ERROR_IO,
                             "%s: is not empty, and not of an earlier demo: a new folder is needed",
                             work->output);
    return say(work, STATE, BEGUN);
}

/* ---- What it is of ----------------------------------------------------------------------------- */

f0t_status f0t_demo_compare_state(f0t_demo_work *work)
{
    uint64_t pictures;
    F0T_DEMO_TRY(f0t_pictures_fingerprint(&pictures, work->paths, work->path_count));
    snprintf(work->state, sizeof work->state,
             "recipe %d of fast0tag %s, seed %" PRIu64 ", epochs %zu, vectors %016" PRIx64
             ", pictures %016" PRIx64,
             RECIPE, f0t_version(), work->options.seed, work->options.epochs,
             f0t_vectors_fingerprint(work->vectors), pictures);
    work->same = says(work, STATE, work->state);
    if (work->same)
        return F0T_OK;
    F0T_DEMO_TRY(say(work, STATE, BEGUN));
    forget(work, "results.jsonl");
    forget(work, "model.f0t");
    return F0T_OK;
}

f0t_status f0t_demo_save_state(f0t_demo_work *work)
{
    return say(work, STATE, work->state);
}

/* ---- The words --------------------------------------------------------------------------------- */

static void describe_words(char out[F0T_DEMO_STATE_SIZE], const char *wordnet)
{
    char path[F0T_DEMO_PATH_SIZE];
    struct stat info = {0};
    snprintf(path, sizeof path, "%s/data.noun", wordnet);
    const bool there = stat(path, &info) == 0;
    snprintf(out, F0T_DEMO_STATE_SIZE, "fast0tag %s, %lld bytes of %lld.%09ld in %.150s",
             f0t_version(), there ? (long long)info.st_size : -1LL, (long long)info.st_mtim.tv_sec,
             info.st_mtim.tv_nsec, wordnet);
}

bool f0t_demo_has_words(const f0t_demo_work *work, const char *wordnet)
{
    char state[F0T_DEMO_STATE_SIZE];
    describe_words(state, wordnet);
    return says(work, WORDS, state);
}

f0t_status f0t_demo_save_words(const f0t_demo_work *work, const char *wordnet)
{
    char state[F0T_DEMO_STATE_SIZE];
    describe_words(state, wordnet);
    return say(work, WORDS, state);
}
