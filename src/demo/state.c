/* What the files in the folder were made from, as a number. */
#include "base/alloc.h"
#include "demo/demo.h"
#include "image/keywords.h"
#include "io/file.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Raised when the clean-up, the split or the methods change: old files are made anew then. */
enum { RECIPE = 1, STATE_MOST = 64 };

static const char STATE[] = "demo.state";

/* FNV-1a (Fowler, Noll and Vo). */
static void add_bytes(uint64_t *hash, const void *bytes, size_t size)
{
    for (const unsigned char *c = bytes; size--; c++)
        *hash = (*hash ^ *c) * UINT64_C(0x100000001B3);
}

static void add_file(uint64_t *hash, const char *path)
{
    struct stat info;
    uint64_t numbers[3] = {0};
    if (!stat(path, &info)) {
        numbers[0] = (uint64_t)info.st_size;
        numbers[1] = (uint64_t)info.st_mtim.tv_sec;
        numbers[2] = (uint64_t)info.st_mtim.tv_nsec;
    }
    add_bytes(hash, path, strlen(path) + 1);
    add_bytes(hash, numbers, sizeof numbers);
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

static f0t_status write_number(char out[STATE_MOST], const f0t_demo_work *work)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    const uint64_t numbers[] = {RECIPE, work->options.seed, work->options.epochs,
                                f0t_vectors_fingerprint(work->vectors)};
    add_bytes(&hash, f0t_version(), strlen(f0t_version()) + 1);
    add_bytes(&hash, numbers, sizeof numbers);
    for (size_t i = 0; i < work->paths.count; i++)
        F0T_TRY(add_picture(&hash, f0t_texts_get(&work->paths, i)));
    snprintf(out, STATE_MOST, "%016" PRIx64 "\n", hash);
    return F0T_OK;
}

/* ---- The folder -------------------------------------------------------------------------------- */

static f0t_status write_state(const f0t_demo_work *work, const char *text)
{
    char *path;
    f0t_writer *writer;
    F0T_TRY(f0t_demo_path(&path, work, STATE));
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
        empty = empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
    if (opened)
        closedir(opened);
    return empty;
}

f0t_status f0t_demo_open_folder(f0t_demo_work *work)
{
    char *path;
    F0T_TRY(f0t_folder_create(work->output));
    F0T_TRY(f0t_demo_path(&path, work, STATE));
    const bool ours = f0t_path_exists(path);
    f0t_free(path);
    if (ours)
        return F0T_OK;
    if (!is_empty(work->output))
        return f0t_fail(F0T_ERROR_IO,
                        "%s: is not empty, and not of an earlier demo: a new folder is wanted",
                        work->output);
    return write_state(work, "begun\n");
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
    char *path, *text = NULL, want[STATE_MOST];
    size_t size;
    F0T_TRY(write_number(want, work));
    F0T_TRY(f0t_demo_path(&path, work, STATE));
    work->same = f0t_path_exists(path) && f0t_file_read(&text, &size, path, STATE_MOST) == F0T_OK &&
                 !strcmp(text, want);
    f0t_free(text);
    f0t_free(path);
    if (work->same)
        return F0T_OK;
    F0T_TRY(write_state(work, "begun\n"));
    F0T_TRY(forget(work, "results.jsonl"));
    return forget(work, "model.f0t");
}

f0t_status f0t_demo_save_state(f0t_demo_work *work)
{
    char text[STATE_MOST];
    F0T_TRY(write_number(text, work));
    return write_state(work, text);
}
