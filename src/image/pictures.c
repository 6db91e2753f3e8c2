#include "image/pictures.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/monitor.h"
#include "image/feature_file.h"
#include "image/keywords.h"
#include "image/protocol.h"
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Deeper folders than this are a mistake, or an attack. */
enum { DEPTH_MAX = 64 };

static const char *const endings[] = {".jpg",  ".jpeg", ".jpe",  ".png",  ".webp", ".tif",
                                      ".tiff", ".gif",  ".heic", ".heif", ".avif", ".svg",
                                      ".bmp",  ".jp2",  ".j2k",  ".jpx",  ".jpf",  ".jxl"};

/* Of cameras' raw files. */
static const char *const raw_endings[] = {F0T_PICTURE_RAW_ENDINGS};

/* Other pictures, and videos. */
static const char *const other_endings[] = {
    ".exr", ".hif", ".jxr", ".ppm", ".psb", ".psd", ".raw", ".svgz", ".tga",  ".xcf",
    ".3gp", ".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpg", ".mts",  ".webm", ".wmv"};

static bool ends_with_one(const char *path, const char *const *list, size_t count)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < count; i++)
        if (!strcasecmp(dot, list[i]))
            return true;
    return false;
}

bool f0t_path_is_picture(const char *path)
{
    return ends_with_one(path, endings, sizeof endings / sizeof *endings) ||
           ends_with_one(path, raw_endings, sizeof raw_endings / sizeof *raw_endings);
}

bool f0t_path_has_sidecar(const char *path)
{
    return f0t_path_is_picture(path) ||
           ends_with_one(path, other_endings, sizeof other_endings / sizeof *other_endings);
}

/* ---- What is passed over ------------------------------------------------------------------------------- */

/* The ending in lower case; false where it is none that a person would know. */
static bool read_ending(char ending[F0T_SKIPPED_LONGEST], const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t length = 0;
    if (!dot || (slash && dot < slash) || !dot[1])
        return false;
    for (; dot[length] && length + 1 < F0T_SKIPPED_LONGEST; length++)
        ending[length] =
            dot[length] >= 'A' && dot[length] <= 'Z' ? (char)(dot[length] + 32) : dot[length];
    ending[length] = 0;
    return !dot[length];
}

static void skip(f0t_skipped_files *skipped, const char *path)
{
    char ending[F0T_SKIPPED_LONGEST];
    size_t i = 0;
    const bool known = read_ending(ending, path);
    if (known && !strcmp(ending, ".xmp"))
        return;
    while (known && i < skipped->kind_count && strcmp(ending, skipped->kinds[i].ending) != 0)
        i++;
    if (!known || i == F0T_SKIPPED_KINDS) {
        skipped->others++;
        return;
    }
    if (i == skipped->kind_count)
        memcpy(skipped->kinds[skipped->kind_count++].ending, ending, sizeof ending);
    skipped->kinds[i].count++;
}

/* The most frequent kind after the one of `count` files and the number `after`; ties by place. */
static size_t next_kind(const f0t_skipped_files *skipped, size_t count, size_t after)
{
    size_t best = F0T_NONE;
    for (size_t i = 0; i < skipped->kind_count; i++) {
        const size_t own = skipped->kinds[i].count;
        const bool later = own < count || (own == count && (after == F0T_NONE || i > after));
        if (later && (best == F0T_NONE || own > skipped->kinds[best].count))
            best = i;
    }
    return best;
}

void f0t_skipped_files_tell(const f0t_skipped_files *skipped, const f0t_monitor *monitor)
{
    enum { SHOWN = 12 };
    char names[SHOWN * (F0T_SKIPPED_LONGEST + 24)] = "";
    size_t used = 0, left = skipped->others, all = skipped->others, shown = 0;
    for (size_t i = 0; i < skipped->kind_count; i++)
        all += skipped->kinds[i].count;
    for (size_t i = next_kind(skipped, SIZE_MAX, F0T_NONE); i != F0T_NONE;
         i = next_kind(skipped, skipped->kinds[i].count, i)) {
        if (shown++ < SHOWN)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%zu %s", used ? ", " : "",
                                 skipped->kinds[i].count, skipped->kinds[i].ending);
        else
            left += skipped->kinds[i].count;
    }
    if (left)
        snprintf(names + used, sizeof names - used, "%s%zu other%s", used ? ", " : "", left,
                 left == 1 ? "" : "s");
    if (all)
        f0t_log(monitor, F0T_LOG_INFO, "%zu file%s %s that can be read, and skipped: %s", all,
                all == 1 ? "" : "s", all == 1 ? "is no picture" : "are no pictures", names);
}

/* ---- One folder -------------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    const char *x, *y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return strcmp(x, y);
}

static f0t_status read_names(f0t_texts *names, const char *path)
{
    f0t_status status = F0T_OK;
    DIR *folder = opendir(path);
    if (!folder)
        return f0t_fail_errno(errno, "%s", path);
    for (struct dirent *entry;
         status == F0T_OK && (entry = f0t_folder_next(&status, folder, path));)
        if (entry->d_name[0] != '.')
            status = f0t_texts_add(names, entry->d_name, strlen(entry->d_name));
    closedir(folder);
    return status;
}

/* Pointers into `names`, in order. */
static f0t_status sort_names(const char ***sorted, const f0t_texts *names)
{
    F0T_TRY(f0t_alloc(sorted, names->count, sizeof **sorted));
    for (size_t i = 0; i < names->count; i++)
        (*sorted)[i] = f0t_texts_get(names, i);
    qsort(*sorted, names->count, sizeof **sorted, compare_names);
    return F0T_OK;
}

f0t_status f0t_walk_names(f0t_texts *names, const char ***sorted, const char *path)
{
    *sorted = NULL;
    F0T_TRY(read_names(names, path));
    return sort_names(sorted, names);
}

/* ---- All below it ------------------------------------------------------------------------------------ */

/* A walk in progress. */
typedef struct walk {
    f0t_texts *out;
    f0t_skipped_files *skipped;
    const f0t_monitor *monitor;
} walk;

static f0t_status walk_folder(const walk *w, const char *path, int depth);

/* Nothing is said of what went away meanwhile, or of a link that leads nowhere. */
static f0t_status pass_over(const walk *w, const char *path)
{
    if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
        f0t_log(w->monitor, F0T_LOG_WARNING, "%s: %s: passed over", path, strerror(errno));
    return F0T_OK;
}

static f0t_status visit(const walk *w, const char *path, int depth)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return pass_over(w, path);
    if (S_ISDIR(info.st_mode)) {
        f0t_status status = walk_folder(w, path, depth + 1);
        if (status != F0T_ERROR_IO && status != F0T_ERROR_NOT_FOUND)
            return status;
        f0t_log(w->monitor, F0T_LOG_WARNING, "%s: passed over", f0t_last_error());
        return F0T_OK;
    }
    if (S_ISLNK(info.st_mode) && stat(path, &info) != 0)
        return pass_over(w, path);
    if (!S_ISREG(info.st_mode))
        return F0T_OK;
    if (f0t_path_is_picture(path))
        return f0t_texts_add(w->out, path, strlen(path));
    skip(w->skipped, path);
    return F0T_OK;
}

static f0t_status visit_all(const walk *w, const char *path, const char *const *names, size_t count,
                            int depth)
{
    f0t_status status = F0T_OK;
    for (size_t i = 0; status == F0T_OK && i < count; i++) {
        char *joined;
        status = f0t_path_join(&joined, path, names[i]);
        if (status == F0T_OK)
            status = visit(w, joined, depth);
        f0t_free(joined);
    }
    return status;
}

static f0t_status walk_folder(const walk *w, const char *path, int depth)
{
    f0t_texts names = {0};
    const char **sorted;
    if (depth > DEPTH_MAX)
        return f0t_fail(F0T_ERROR_IO, "%s: more than %d folders deep", path, DEPTH_MAX);
    if (f0t_monitor_stopped(w->monitor))
        return f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted in %s", path);
    f0t_status status = f0t_walk_names(&names, &sorted, path);
    if (status == F0T_OK)
        status = visit_all(w, path, sorted, names.count, depth);
    f0t_free(sorted);
    f0t_texts_free(&names);
    return status;
}

f0t_status f0t_walk(f0t_texts *out, f0t_skipped_files *skipped, const char *path,
                    const f0t_monitor *monitor)
{
    const walk w = {out, skipped, monitor};
    struct stat info;
    if (stat(path, &info) != 0)
        return f0t_fail_errno(errno, "%s", path);
    if (!S_ISDIR(info.st_mode))
        return f0t_texts_add(out, path, strlen(path));
    return walk_folder(&w, path, 0);
}

/* ---- As the public header has them ----------------------------------------------------------------- */

struct f0t_pictures {
    f0t_texts texts;
    f0t_skipped_files skipped;
    const char **paths;
};

/* The absolute path of a file or folder that was named. A link to a picture is a picture of its own. */
static f0t_status whole_path(char **out, const char *path)
{
    struct stat info;
    const bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *start = NULL, *real;
    *out = NULL;
    F0T_TRY(f0t_string_copy(&start, path, folder ? strlen(path) : (size_t)(name - path)));
    real = realpath(*start ? start : ".", NULL);
    f0t_free(start);
    f0t_status status = !real    ? f0t_fail_errno(errno, "%s", path)
                        : folder ? f0t_string_copy(out, real, strlen(real))
                                 : f0t_path_join(out, real, name);
    free(real);
    return status;
}

/* Adds a picture that was found below a folder of whole path `whole` (or is that itself), of which `named`
 * bytes are what the caller wrote, unless it is known. */
static f0t_status add_once(f0t_pictures *pictures, f0t_names *known, const char *whole,
                           const char *found, size_t named)
{
    uint32_t number;
    bool added;
    char *key;
    const char *rest = found + named + strspn(found + named, "/");
    F0T_TRY(*rest ? f0t_path_join(&key, whole, rest) : f0t_string_copy(&key, whole, strlen(whole)));
    f0t_status status = f0t_names_add(&number, &added, known, key, strlen(key));
    f0t_free(key);
    if (status == F0T_OK && added)
        status = f0t_texts_add(&pictures->texts, found, strlen(found));
    return status;
}

/* A picture that was named twice, or lies in two of the folders, is found once. */
static f0t_status find_one(f0t_pictures *pictures, f0t_names *known, const char *path,
                           const f0t_monitor *monitor)
{
    f0t_texts found = {0};
    char *whole = NULL;
    f0t_status status = f0t_walk(&found, &pictures->skipped, path, monitor);
    if (status == F0T_OK)
        status = whole_path(&whole, path);
    for (size_t i = 0; status == F0T_OK && i < found.count; i++)
        status = add_once(pictures, known, whole, f0t_texts_get(&found, i), strlen(path));
    f0t_free(whole);
    f0t_texts_free(&found);
    return status;
}

static f0t_status find_all(f0t_pictures *pictures, const char *const *paths, size_t count,
                           const f0t_monitor *monitor)
{
    f0t_names known = {0};
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < count && status == F0T_OK; i++)
        status = find_one(pictures, &known, paths[i], monitor);
    f0t_names_free(&known);
    F0T_TRY(status);
    f0t_skipped_files_tell(&pictures->skipped, monitor);
    F0T_TRY(f0t_alloc(&pictures->paths, pictures->texts.count, sizeof *pictures->paths));
    for (size_t i = 0; i < pictures->texts.count; i++)
        pictures->paths[i] = f0t_texts_get(&pictures->texts, i);
    return F0T_OK;
}

f0t_status f0t_pictures_find(f0t_pictures **out, const char *const *paths, size_t count,
                             const f0t_context *context)
{
    F0T_ENTER(context);
    const f0t_monitor *monitor = f0t_context_monitor(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_TRY(f0t_require_all(__func__, "paths", paths, count));
    f0t_pictures *pictures;
    F0T_TRY(f0t_alloc_zero(&pictures, 1, sizeof *pictures));
    f0t_status status = find_all(pictures, paths, count, monitor);
    if (status == F0T_OK)
        *out = pictures;
    else
        f0t_pictures_free(pictures);
    return status;
}

void f0t_pictures_free(f0t_pictures *pictures)
{
    if (!pictures)
        return;
    f0t_texts_free(&pictures->texts);
    f0t_free(pictures->paths);
    f0t_free(pictures);
}

const char *const *f0t_pictures_paths(size_t *count, const f0t_pictures *pictures)
{
    *count = pictures->texts.count;
    return pictures->paths;
}

/* ---- Namesakes ------------------------------------------------------------------------------------- */

void f0t_namesakes_free(f0t_namesakes *n)
{
    f0t_free(n->folder);
    f0t_free(n->sorted);
    f0t_texts_free(&n->names);
    *n = (f0t_namesakes){0};
}

static f0t_status read_folder(f0t_namesakes *n, const char *picture, size_t length)
{
    if (n->folder && strlen(n->folder) == length && !memcmp(n->folder, picture, length))
        return F0T_OK;
    f0t_namesakes_free(n);
    F0T_TRY(f0t_string_copy(&n->folder, picture, length));
    f0t_status status = f0t_walk_names(&n->names, &n->sorted, length ? n->folder : ".");
    if (status != F0T_OK)
        f0t_namesakes_free(n);
    return status;
}

/* The first name that is not before these bytes. */
static size_t lower_bound(const f0t_namesakes *n, const char *text, size_t length)
{
    size_t low = 0, high = n->names.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strncmp(n->sorted[middle], text, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* `stem` bytes of the name stand before its ending: files of the same stem, and the one that the stem
 * itself names (a.jpg beside a.jpg.png), whose sidecar with the full name is this one. */
static const char *find(const f0t_namesakes *n, const char *name, size_t stem)
{
    for (size_t i = lower_bound(n, name, stem); i < n->names.count; i++) {
        const char *other = n->sorted[i];
        if (strncmp(other, name, stem) != 0 || (unsigned char)other[stem] > '.')
            break;
        const bool shares = other[stem] == '.' ? !strchr(other + stem + 1, '.') : !other[stem];
        if (shares && strcmp(other, name) != 0 && f0t_path_has_sidecar(other))
            return other;
    }
    return NULL;
}

f0t_status f0t_namesakes_find(f0t_namesakes *n, const char **other, const char *picture)
{
    const char *slash = strrchr(picture, '/'), *name = slash ? slash + 1 : picture;
    const char *dot = strrchr(name, '.');
    *other = NULL;
    F0T_TRY(read_folder(n, picture, (size_t)(name - picture)));
    *other = find(n, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
    return F0T_OK;
}

/* ---- Whether they changed -------------------------------------------------------------------- */

static void add_file(uint64_t *hash, const char *path)
{
    f0t_picture_stamp stamp = {{0}};
    f0t_picture_stamp_get(&stamp, path); /* what is not there stays 0 */
    *hash = f0t_hash(*hash, path, strlen(path) + 1);
    *hash = f0t_hash(*hash, &stamp, sizeof stamp);
}

/* Keywords may be in a sidecar, and change while the picture does not. */
f0t_status f0t_pictures_fingerprint(uint64_t *out, const char *const *paths, size_t count)
{
    F0T_REQUIRE(out);
    F0T_REQUIRE(paths);
    *out = F0T_HASH_START;
    for (size_t i = 0; i < count; i++) {
        add_file(out, paths[i]);
        for (int plain = 0; plain < 2; plain++) {
            char *sidecar;
            F0T_TRY(f0t_sidecar_path(&sidecar, paths[i], plain));
            add_file(out, sidecar);
            f0t_free(sidecar);
        }
    }
    return F0T_OK;
}
