/* What the files in the folder were made from, as a number. */
#include "base/alloc.h"
#include "base/hash.h"
#include "demo/demo.h"
#include "image/feature_file.h"
#include "image/keywords.h"
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Raised when the clean-up, the split or the methods change: old files are made anew then. */
enum { RECIPE = 3 };

static const char STATE[] = "demo.state", WORDS[] = "words.state";

static void add_bytes(uint64_t *hash, const void *bytes, size_t size)
{
    *hash = f0t_hash(*hash, bytes, size);
}

static void add_file(uint64_t *hash, const char *path)
{
    f0t_picture_stamp stamp = {{0}};
    f0t_picture_stamp_get(&stamp, path); /* what is not there stays 0 */
    add_bytes(hash, path, strlen(path) + 1);
    add_bytes(hash, &stamp, sizeof stamp);
}

/* Keywords may be in a sidecar, and change while the picture does not. */
static f0t_status add_picture(uint64_t *hash, const char *path)
{
    add_file(hash, path);
    for (int plain = 0; plain < 2; plain++) {
        char *sidecar;
        F0T_TRY(f0t_sidecar_path(&sidecar, path, plain));
        add_file(hash, sidecar);
        f0t_free(sidecar);
    }
    return F0T_OK;
}

static void print(char out[F0T_DEMO_STATE_SIZE], uint64_t hash)
{
    snprintf(out, F0T_DEMO_STATE_SIZE, "%016" PRIx64 "\n", hash);
}

static f0t_status take_state(f0t_demo_work *work)
{
    uint64_t hash = F0T_HASH_START;
    const uint64_t numbers[] = {RECIPE, work->options.seed, work->options.epochs,
                                f0t_vectors_fingerprint(work->vectors)};
    add_bytes(&hash, f0t_version(), strlen(f0t_version()) + 1);
    add_bytes(&hash, numbers, sizeof numbers);
    for (size_t i = 0; i < work->paths.count; i++)
        F0T_TRY(add_picture(&hash, f0t_texts_get(&work->paths, i)));
    print(work->state, hash);
    return F0T_OK;
}

/* ---- The folder -------------------------------------------------------------------------------- */

static bool says(const f0t_demo_work *work, const char *name, const char *want)
{
    char *path, *text = NULL;
    size_t size;
    if (f0t_demo_path(&path, work, name) != F0T_OK)
        return false;
    const bool same = f0t_path_exists(path) &&
                      f0t_file_read(&text, &size, path, F0T_DEMO_STATE_SIZE, NULL) == F0T_OK &&
                      !strcmp(text, want);
    f0t_free(text);
    f0t_free(path);
    return same;
}

static f0t_status say(const f0t_demo_work *work, const char *name, const char *text)
{
    char *path;
    f0t_writer *writer;
    F0T_TRY(f0t_demo_path(&path, work, name));
    f0t_status status = f0t_writer_open(&writer, path);
    if (status == F0T_OK)
        status = f0t_writer_finish(writer, f0t_writer_write(writer, text, strlen(text)));
    f0t_free(path);
    return status;
}

static bool is_empty(const char *folder)
{
    DIR *opened = opendir(folder);
    bool empty = opened != NULL;
    for (struct dirent *entry; opened && (entry = readdir(opened)) != NULL;)
        empty = empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
                          f0t_name_is_temporary(entry->d_name)); /* of a demo that was killed */
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
        return f0t_fail_errno(errno, "%s", folder);
    for (struct dirent *entry; status == F0T_OK && (entry = readdir(opened)) != NULL;)
        if (fstatat(dirfd(opened), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISLNK(info.st_mode))
            status = f0t_fail(F0T_ERROR_IO, "%s/%s: is a link, which no demo makes; remove it",
                              folder, entry->d_name);
    closedir(opened);
    return status;
}

f0t_status f0t_demo_open_folder(f0t_demo_work *work)
{
    char *path;
    F0T_TRY(f0t_folder_create(work->output));
    F0T_TRY(refuse_links(work->output));
    F0T_TRY(f0t_demo_path(&path, work, STATE));
    const bool ours = f0t_path_exists(path);
    f0t_free(path);
    if (ours)
        return F0T_OK;
    if (!is_empty(work->output))
        return f0t_fail(F0T_ERROR_IO,
                        "%s: is not empty, and not of an earlier demo: a new folder is wanted",
                        work->output);
    return say(work, STATE, "begun\n");
}

/* ---- What it is of ----------------------------------------------------------------------------- */

static f0t_status forget(const f0t_demo_work *work, const char *name)
{
    char *path;
    F0T_TRY(f0t_demo_path(&path, work, name));
    unlink(path);
    f0t_free(path);
    return F0T_OK;
}

f0t_status f0t_demo_compare_state(f0t_demo_work *work)
{
    F0T_TRY(take_state(work));
    work->same = says(work, STATE, work->state);
    if (work->same)
        return F0T_OK;
    F0T_TRY(say(work, STATE, "begun\n"));
    F0T_TRY(forget(work, "results.jsonl"));
    return forget(work, "model.f0t");
}

f0t_status f0t_demo_save_state(f0t_demo_work *work)
{
    return say(work, STATE, work->state);
}

/* ---- The words --------------------------------------------------------------------------------- */

static f0t_status take_words(char out[F0T_DEMO_STATE_SIZE], const char *wordnet)
{
    uint64_t hash = F0T_HASH_START;
    char *path;
    F0T_TRY(f0t_path_join(&path, wordnet, "data.noun"));
    add_bytes(&hash, f0t_version(), strlen(f0t_version()) + 1);
    add_file(&hash, path);
    print(out, hash);
    f0t_free(path);
    return F0T_OK;
}

bool f0t_demo_has_words(const f0t_demo_work *work, const char *wordnet)
{
    char state[F0T_DEMO_STATE_SIZE];
    return take_words(state, wordnet) == F0T_OK && says(work, WORDS, state);
}

f0t_status f0t_demo_save_words(const f0t_demo_work *work, const char *wordnet)
{
    char state[F0T_DEMO_STATE_SIZE];
    F0T_TRY(take_words(state, wordnet));
    return say(work, WORDS, state);
}
