#include "onnx/keep.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "math/layers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

typedef struct text {
    char *data;
    size_t size, capacity;
    f0t_status status;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    const size_t size = length < 0 ? 0 : (size_t)length;
    if (t->status == F0T_OK && size < sizeof line)
        t->status = f0t_grow(&t->data, &t->capacity, t->size, size + 1, 1);
    if (t->status != F0T_OK || size >= sizeof line)
        return;
    memcpy(t->data + t->size, line, size + 1);
    t->size += size;
}

/* The state of the file that is mapped; false where it is another by now, or may change once more without a trace: a
 * file that was written a moment ago may be written again within what its file system calls the same time. */
static bool add_stamp(text *t, const char *path, const f0t_map *map)
{
    enum { COARSEST = 2 }; /* seconds, of FAT */
    const time_t settled = time(NULL) - COARSEST;
    struct stat info;
    if (stat(path, &info) != 0 || (uint64_t)info.st_dev != map->device ||
        (uint64_t)info.st_ino != map->inode || (size_t)info.st_size != map->size ||
        info.st_mtim.tv_sec >= settled || info.st_ctim.tv_sec >= settled)
        return false;
    add(t, " %ju:%ju:%zu:%jd.%09ld:%jd.%09ld", (uintmax_t)info.st_dev, (uintmax_t)info.st_ino,
        map->size, (intmax_t)info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
        (intmax_t)info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
    return t->status == F0T_OK;
}

static bool add_beside(text *t, const f0t_onnx_graph *graph, const f0t_onnx_file *file)
{
    char *path = NULL;
    if (t->status == F0T_OK)
        t->status = f0t_path_join(&path, graph->folder, file->location);
    const bool added = t->status == F0T_OK && add_stamp(t, path, &file->map);
    f0t_free(path);
    return added;
}

static bool add_files(text *t, const f0t_onnx_graph *graph)
{
    if (!add_stamp(t, graph->path, &graph->map))
        return false;
    for (size_t k = 0; k < graph->file_count; k++)
        if (!graph->folder || !add_beside(t, graph, &graph->files[k]))
            return false;
    return true;
}

/* One file for each network and way to use it: a newer preparation replaces an older one. *out stays NULL where the whole path
 * of the network is not known: by another name nobody would find it again. */
static f0t_status name_file(char **out, const char *folder, const f0t_onnx_graph *graph,
                            const f0t_onnx_picture *picture, const f0t_onnx_keep_options *o)
{
    char name[40], *whole = realpath(graph->path, NULL);
    const uint64_t numbers[] = {o->output, o->bf16, picture->dims[2], picture->dims[3]};
    if (!whole)
        return F0T_OK;
    uint64_t hash = f0t_hash(F0T_HASH_START, whole, strlen(whole));
    hash = f0t_hash(hash, numbers, sizeof numbers);
    snprintf(name, sizeof name, "network-%016" PRIx64, hash);
    free(whole);
    return f0t_path_join(out, folder, name);
}

f0t_status f0t_onnx_keep_fill(f0t_onnx_keep *out, const char *folder, const f0t_onnx_graph *graph,
                              const f0t_onnx_picture *picture, const f0t_onnx_keep_options *o)
{
    text t = {.status = F0T_OK};
    *out = (f0t_onnx_keep){NULL, NULL};
    add(&t, "%s %016" PRIx64 " %zu %d %zu %zu", f0t_version(), f0t_layer_fingerprint(), o->output,
        o->bf16, picture->dims[2], picture->dims[3]);
    const bool lasting = add_files(&t, graph);
    f0t_status status = t.status;
    if (status == F0T_OK && lasting) {
        (void)!mkdir(folder, S_IRWXU); /* where it cannot be made, nothing can be written */
        status = name_file(&out->path, folder, graph, picture, o);
    }
    if (status == F0T_OK && out->path)
        out->key = t.data;
    else
        f0t_free(t.data);
    return status;
}

void f0t_onnx_keep_clear(f0t_onnx_keep *keep)
{
    f0t_free(keep->path);
    f0t_free(keep->key);
    *keep = (f0t_onnx_keep){NULL, NULL};
}
