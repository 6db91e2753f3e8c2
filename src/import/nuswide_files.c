/* Where the text files of NUS-WIDE are, in whatever folders they were unpacked into. */
#include "import/nuswide.h"

#include "base/alloc.h"
#include "io/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 4, NAME_LONGEST = 256 };

static f0t_status scan(f0t_nus_files *files, const char *folder, int depth);

static size_t lower(char *to, const char *name)
{
    size_t n = 0;
    for (; name[n] && n < NAME_LONGEST - 1; n++)
        to[n] = name[n] >= 'A' && name[n] <= 'Z' ? (char)(name[n] + 32) : name[n];
    to[n] = '\0';
    return n;
}

/* Of two files with one name the first counts: that nearer to the top, then by alphabet. */
static f0t_status enter(f0t_nus_files *files, const char *path, const char *name)
{
    char key[NAME_LONGEST];
    uint32_t index;
    size_t n = lower(key, name);
    if (n < 4 || (strcmp(key + n - 4, ".txt") != 0 && strcmp(key + n - 4, ".dat") != 0))
        return F0T_OK;
    if (f0t_names_find(&index, &files->names, key, n))
        return F0T_OK;
    F0T_TRY(f0t_texts_add(&files->paths, path, strlen(path)));
    return f0t_names_add(&index, NULL, &files->names, key, n);
}

static f0t_status visit(f0t_nus_files *files, const char *folder, const struct dirent *entry,
                        bool folders, int depth)
{
    char *path;
    if (entry->d_name[0] == '.' || (entry->d_type == DT_REG && folders) ||
        (entry->d_type == DT_DIR && !folders))
        return F0T_OK;
    F0T_TRY(f0t_path_join(&path, folder, entry->d_name));
    bool is_folder =
        entry->d_type == DT_DIR || (entry->d_type != DT_REG && f0t_path_is_folder(path));
    f0t_status status = F0T_OK;
    if (is_folder && folders && depth < DEEPEST)
        status = scan(files, path, depth + 1);
    else if (!is_folder && !folders)
        status = enter(files, path, entry->d_name);
    f0t_free(path);
    return status;
}

/* The files of a folder come before those of the folders in it. */
static f0t_status scan(f0t_nus_files *files, const char *folder, int depth)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0)
        return f0t_fail_errno(errno, "%s", folder);
    f0t_status status = F0T_OK;
    for (int i = 0; i < count && status == F0T_OK; i++)
        status = visit(files, folder, entries[i], false, depth);
    for (int i = 0; i < count && status == F0T_OK; i++)
        status = visit(files, folder, entries[i], true, depth);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return status;
}

f0t_status f0t_nus_files_scan(f0t_nus_files *files, const char *root)
{
    files->root = root;
    return scan(files, root, 0);
}

void f0t_nus_files_free(f0t_nus_files *files)
{
    f0t_names_free(&files->names);
    f0t_texts_free(&files->paths);
}

f0t_status f0t_nus_files_open(f0t_stream **out, const f0t_nus_files *files, const char *path)
{
    F0T_TRY(f0t_stream_open(out, path));
    f0t_stream_watch(*out, files->monitor);
    return F0T_OK;
}

const char *f0t_nus_files_find(const f0t_nus_files *files, const char *format, ...)
{
    static const char *const endings[] = {".txt", ".dat"};
    char name[NAME_LONGEST - 4], key[NAME_LONGEST];
    uint32_t index;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(name, sizeof name, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof name)
        return NULL;
    size_t length = lower(key, name);
    for (size_t i = 0; i < 2; i++) {
        memcpy(key + length, endings[i], 5);
        if (f0t_names_find(&index, &files->names, key, length + 4))
            return f0t_texts_get(&files->paths, index);
    }
    return NULL;
}
