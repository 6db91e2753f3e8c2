#include "image/cache.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "io/file.h"
#include "io/lock.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* At most so many bytes per file: 77,000 pictures with the built-in descriptor. */
#define LARGEST ((size_t)1 << 30)

struct f0t_feature_cache {
    f0t_lock lock; /* against other processes */
    size_t dim;
    size_t most;   /* records */
    bool was_full; /* when it was opened */
    atomic_size_t found, missed;
    pthread_rwlock_t of_file; /* read: records; write: adds one, or gives up */
    f0t_feature_file *file;   /* NULL: given up */
};

/* ---- Opening ----------------------------------------------------------------------------------------- */

/* No other process works with it: what cannot be opened is damaged, or of another version, and goes. */
static void open_file(f0t_feature_cache *cache, const char *path, size_t dim, const char *backbone)
{
    if (f0t_lock_take(&cache->lock, path) != F0T_OK)
        return;
    if (f0t_feature_file_open_quick(&cache->file, path, dim, backbone) != F0T_OK &&
        unlink(path) == 0)
        (void)f0t_feature_file_open_quick(&cache->file, path, dim, backbone);
}

static f0t_status file_name(char **out, const char *folder, const char *backbone)
{
    char name[40];
    snprintf(name, sizeof name, "features-%016" PRIx64,
             f0t_hash(F0T_HASH_START, backbone, strlen(backbone)));
    return f0t_path_join(out, folder, name);
}

f0t_status f0t_feature_cache_open(f0t_feature_cache **out, const char *folder, size_t dim,
                                  const char *backbone)
{
    f0t_feature_cache *cache;
    char *path;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&cache, 1, sizeof *cache));
    pthread_rwlock_init(&cache->of_file, NULL);
    f0t_status status = file_name(&path, folder, backbone);
    if (status == F0T_OK)
        open_file(cache, path, dim, backbone);
    f0t_free(path);
    if (!cache->file) {
        f0t_feature_cache_close(cache);
        return status;
    }
    cache->dim = dim;
    cache->most = LARGEST / f0t_feature_file_record_size(cache->file);
    cache->was_full = f0t_feature_file_count(cache->file) >= cache->most;
    *out = cache;
    return F0T_OK;
}

/* A full file of which more was missing than there goes: the next begins with what is used now. */
void f0t_feature_cache_close(f0t_feature_cache *cache)
{
    if (!cache)
        return;
    f0t_feature_file_close(cache->file, cache->was_full && cache->missed > cache->found);
    f0t_lock_release(&cache->lock);
    pthread_rwlock_destroy(&cache->of_file);
    f0t_free(cache);
}

/* ---- Features ---------------------------------------------------------------------------------------- */

/* By the whole path: commands run in different folders. A file that was written a moment ago may be
 * written again within what its file system calls the same time. */
static bool make_key(f0t_feature_cache_key *key, const char *picture)
{
    enum { COARSEST = 2 }; /* seconds, of FAT */
    struct stat info;
    char *whole = realpath(picture, NULL);
    const bool found =
        whole && stat(whole, &info) == 0 && f0t_picture_stamp_get(&key->stamp, whole);
    const time_t settled = time(NULL) - COARSEST;
    key->lasting = found && info.st_mtim.tv_sec < settled && info.st_ctim.tv_sec < settled;
    free(whole);
    return found;
}

/* No picture has features that are no numbers: such a file was made to do harm. */
static bool is_finite(const float *row, size_t dim)
{
    for (size_t k = 0; k < dim; k++)
        if (!isfinite(row[k]))
            return false;
    return true;
}

typedef enum found { FOUND, MISSED, DAMAGED } found;

static found look_up(float *row, const f0t_feature_cache *cache, const f0t_picture_stamp *stamp)
{
    const size_t record = cache->file ? f0t_feature_file_find(cache->file, stamp) : F0T_NONE;
    if (record == F0T_NONE)
        return MISSED;
    const f0t_status status = f0t_feature_file_read(row, cache->file, record);
    return status == F0T_OK && is_finite(row, cache->dim) ? FOUND : DAMAGED;
}

/* With the lock to write. */
static void give_up(f0t_feature_cache *cache)
{
    f0t_feature_file_close(cache->file, true);
    cache->file = NULL;
}

bool f0t_feature_cache_get(f0t_feature_cache_key *key, float *row, f0t_feature_cache *cache,
                           const char *picture)
{
    *key = (f0t_feature_cache_key){.lasting = false};
    if (!make_key(key, picture))
        return false;
    pthread_rwlock_rdlock(&cache->of_file);
    const found result = look_up(row, cache, &key->stamp);
    pthread_rwlock_unlock(&cache->of_file);
    if (result == DAMAGED) {
        pthread_rwlock_wrlock(&cache->of_file);
        give_up(cache); /* once or twice: another thread may have seen it, too */
        pthread_rwlock_unlock(&cache->of_file);
        return false;
    }
    atomic_fetch_add(result == FOUND ? &cache->found : &cache->missed, 1);
    return result == FOUND;
}

static void add(f0t_feature_cache *cache, const f0t_picture_stamp *stamp, const float *row)
{
    if (!cache->file || f0t_feature_file_count(cache->file) >= cache->most ||
        f0t_feature_file_find(cache->file, stamp) != F0T_NONE)
        return;
    if (f0t_feature_file_add(cache->file, stamp, row) != F0T_OK)
        give_up(cache);
}

void f0t_feature_cache_put(f0t_feature_cache *cache, const f0t_feature_cache_key *key,
                           const float *row)
{
    if (!key->lasting)
        return;
    pthread_rwlock_wrlock(&cache->of_file);
    add(cache, &key->stamp, row);
    pthread_rwlock_unlock(&cache->of_file);
}
