#include "image/feature_file.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "base/hash.h"
#include "base/size.h"
#include "io/original.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Says that the file is ours, and what its records are of. */
typedef struct header {
    char magic[8];
    uint64_t dim;
    uint64_t backbone; /* CRC-32 of its description */
    uint64_t sum;      /* CRC-32 of the above */
} header;

static const char magic[8] = {'f', '0', 't', 'p', 'a', 'r', 't', '3'};

/* Before the numbers of a record. */
typedef struct record {
    f0t_picture_stamp stamp;
    uint64_t sum; /* CRC-32 of the numbers */
} record;

struct f0t_feature_file {
    char *path;
    FILE *file;
    size_t dim, size; /* of a record in bytes */
    f0t_picture_stamp *stamps;
    size_t count, room;
    uint32_t *slots; /* hash table of record + 1 */
    size_t slot_count;
    uint64_t key; /* of its hash: a file may have stamps that were made to collide */
    char *buffer; /* one record */
    bool quick;   /* sums are not looked at when it is opened */
};

/* ---- Stamps ---------------------------------------------------------------------------------------- */

static uint64_t hash(uint64_t start, const void *data, size_t size)
{
    const uint64_t h = f0t_hash(start, data, size);
    return h ^ h >> 29;
}

/* Programs set the time of the last change back (cp -p); that of the inode they cannot. */
bool f0t_picture_stamp_get(f0t_picture_stamp *stamp, const char *picture)
{
    struct stat info;
    if (stat(picture, &info) != 0)
        return false;
    const int64_t state[] = {info.st_size,         (int64_t)info.st_ino, info.st_mtim.tv_sec,
                             info.st_mtim.tv_nsec, info.st_ctim.tv_sec,  info.st_ctim.tv_nsec};
    stamp->key[0] = hash(F0T_HASH_START, picture, strlen(picture));
    stamp->key[1] = hash(stamp->key[0] ^ UINT64_C(0x9e3779b97f4a7c15), state, sizeof state);
    return true;
}

/* ---- Finding --------------------------------------------------------------------------------------- */

static uint32_t *slot_of(const f0t_feature_file *features, const f0t_picture_stamp *stamp)
{
    size_t at =
        (size_t)f0t_siphash(stamp, sizeof *stamp, features->key, 0) & (features->slot_count - 1);
    while (features->slots[at] &&
           memcmp(&features->stamps[features->slots[at] - 1], stamp, sizeof *stamp) != 0)
        at = (at + 1) & (features->slot_count - 1);
    return &features->slots[at];
}

size_t f0t_feature_file_find(const f0t_feature_file *features, const f0t_picture_stamp *stamp)
{
    const uint32_t found = features->slot_count ? *slot_of(features, stamp) : 0;
    return found ? found - 1 : F0T_NONE;
}

static f0t_status widen(f0t_feature_file *features)
{
    uint32_t *slots;
    const size_t count = features->slot_count ? 2 * features->slot_count : 1024;
    F0T_TRY(f0t_alloc_zero(&slots, count, sizeof *slots));
    f0t_free(features->slots);
    features->slots = slots;
    features->slot_count = count;
    for (size_t i = 0; i < features->count; i++)
        *slot_of(features, &features->stamps[i]) = (uint32_t)i + 1;
    return F0T_OK;
}

static f0t_status remember(f0t_feature_file *features, const f0t_picture_stamp *stamp)
{
    if (2 * (features->count + 1) > features->slot_count)
        F0T_TRY(widen(features));
    F0T_TRY(f0t_grow(&features->stamps, &features->room, features->count, 1, sizeof *stamp));
    features->stamps[features->count++] = *stamp;
    *slot_of(features, stamp) = (uint32_t)features->count;
    return F0T_OK;
}

/* ---- Records --------------------------------------------------------------------------------------- */

static uint64_t sum_of(const void *numbers, size_t size)
{
    return crc32_z(crc32(0, NULL, 0), numbers, size);
}

static bool seek(const f0t_feature_file *features, size_t number)
{
    const off_t at = (off_t)(sizeof(header) + number * features->size);
    return fseeko(features->file, at, SEEK_SET) == 0;
}

size_t f0t_feature_file_count(const f0t_feature_file *features)
{
    return features->count;
}

size_t f0t_feature_file_record_size(const f0t_feature_file *features)
{
    return features->size;
}

/* *got is less than `size` at the end of the file alone. */
static f0t_status read_at(size_t *got, const f0t_feature_file *features, void *to, size_t size,
                          off_t at)
{
    ssize_t n = 1;
    for (*got = 0; *got < size && n != 0; *got += n > 0 ? (size_t)n : 0) {
        n = pread(fileno(features->file), (char *)to + *got, size - *got, at + (off_t)*got);
        if (n < 0 && errno != EINTR)
            return f0t_fail_errno(errno, "%s", features->path);
    }
    return F0T_OK;
}

f0t_status f0t_feature_file_read(float *row, const f0t_feature_file *features, size_t number)
{
    record r;
    const size_t size = features->dim * sizeof *row;
    const off_t at = (off_t)(sizeof(header) + number * features->size);
    size_t got;
    F0T_TRY(read_at(&got, features, &r, sizeof r, at));
    if (got == sizeof r) {
        F0T_TRY(read_at(&got, features, row, size, at + (off_t)sizeof r));
        got += sizeof r;
    }
    if (got != features->size || sum_of(row, size) != r.sum)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: record %zu is damaged; remove the file",
                        features->path, number);
    return F0T_OK;
}

f0t_status f0t_feature_file_add(f0t_feature_file *features, const f0t_picture_stamp *stamp,
                                const float *row)
{
    const record r = {*stamp, sum_of(row, features->dim * sizeof *row)};
    memcpy(features->buffer, &r, sizeof r);
    memcpy(features->buffer + sizeof r, row, features->dim * sizeof *row);
    if (f0t_fault_hit(F0T_FAULT_WRITE)
            ? (errno = ENOSPC, true)
            : !seek(features, features->count) ||
                  fwrite(features->buffer, features->size, 1, features->file) != 1 ||
                  fflush(features->file) != 0)
        return f0t_fail_errno(errno, "%s: cannot be written", features->path);
    return remember(features, stamp);
}

/* Whether the file under the name is still the one that is open. */
static bool is_there(const f0t_feature_file *features)
{
    struct stat ours, named;
    return fstat(fileno(features->file), &ours) == 0 && lstat(features->path, &named) == 0 &&
           ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

/* The stamps alone of as many records as the file has room for. */
static f0t_status read_stamps(f0t_feature_file *features)
{
    struct stat info;
    record r;
    if (fstat(fileno(features->file), &info) != 0)
        return f0t_fail_errno(errno, "%s", features->path);
    const size_t whole = ((size_t)info.st_size - sizeof(header)) / features->size;
    for (size_t i = 0; i < whole && i < UINT32_MAX - 1; i++) {
        const off_t at = (off_t)(sizeof(header) + i * features->size);
        size_t got;
        F0T_TRY(read_at(&got, features, &r, sizeof r, at));
        if (got != sizeof r)
            return f0t_fail(F0T_ERROR_IO, "%s: another process has just made it shorter; try again",
                            features->path);
        F0T_TRY(remember(features, &r.stamp));
    }
    return F0T_OK;
}

/* Up to the first record that is not whole: the next is written over it. */
static f0t_status read_records(f0t_feature_file *features)
{
    if (features->quick)
        return read_stamps(features);
    while (seek(features, features->count) &&
           fread(features->buffer, features->size, 1, features->file) == 1) {
        record r;
        memcpy(&r, features->buffer, sizeof r);
        if (sum_of(features->buffer + sizeof r, features->size - sizeof r) != r.sum)
            break;
        F0T_TRY(remember(features, &r.stamp));
    }
    clearerr(features->file);
    return F0T_OK;
}

/* ---- Opening --------------------------------------------------------------------------------------- */

/* It is there with its header or not at all: a file without one is not ours. Of two processes that make
 * it at once the second finds that of the first, and its lock. */
static f0t_status make_file(const f0t_feature_file *features, const header *wanted)
{
    f0t_original none;
    f0t_writer *writer;
    F0T_TRY(f0t_original_open(&none, features->path, NULL));
    f0t_status status = F0T_OK;
    if (none.fd < 0) {
        status = f0t_original_replace(&writer, &none, false);
        if (status == F0T_OK)
            status = f0t_writer_finish(writer, f0t_writer_write(writer, wanted, sizeof *wanted));
        if (status != F0T_OK && f0t_path_exists(features->path))
            status = F0T_OK;
    }
    f0t_original_close(&none);
    return status;
}

static f0t_status check_header(const f0t_feature_file *features, const header *wanted)
{
    header found;
    const bool whole = fread(&found, sizeof found, 1, features->file) == 1;
    if (!whole || memcmp(found.magic, wanted->magic, sizeof magic - 1) != 0)
        return f0t_fail(
            F0T_ERROR_IO,
            "%s: is no record of features, and in the way of one; move it away, or name "
            "another output",
            features->path);
    if (found.magic[sizeof magic - 1] != wanted->magic[sizeof magic - 1] ||
        found.sum != sum_of(&found, offsetof(header, sum)))
        return f0t_fail(
            F0T_ERROR_IO,
            "%s: is damaged, or of another version of fast0tag; remove it to begin anew",
            features->path);
    if (memcmp(&found, wanted, sizeof found) != 0)
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "%s: has features of a run with another backbone, which was interrupted; "
                        "go on with that one, or remove the file",
                        features->path);
    return F0T_OK;
}

/* The system lets go of the lock when the process ends, however it does. */
static f0t_status open_file(f0t_feature_file *features, const header *wanted)
{
    F0T_TRY(make_file(features, wanted));
    features->file = fopen(features->path, "r+be");
    if (!features->file)
        return f0t_fail_errno(errno, "%s", features->path);
    if (flock(fileno(features->file), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return f0t_fail(F0T_ERROR_IO,
                        "%s: another process works with it; wait until it ends, or name another "
                        "output",
                        features->path);
    if (!is_there(features))
        return f0t_fail(F0T_ERROR_IO, "%s: another process has just removed it; try again",
                        features->path);
    F0T_TRY(check_header(features, wanted));
    return read_records(features);
}

static f0t_status open_all(f0t_feature_file *features, const char *path, const char *backbone)
{
    header wanted = {.dim = features->dim, .backbone = sum_of(backbone, strlen(backbone))};
    memcpy(wanted.magic, magic, sizeof magic);
    wanted.sum = sum_of(&wanted, offsetof(header, sum));
    F0T_TRY(f0t_string_copy(&features->path, path, strlen(path)));
    F0T_TRY(f0t_alloc(&features->buffer, features->size, 1));
    return open_file(features, &wanted);
}

static f0t_status open_part(f0t_feature_file **out, const char *path, size_t dim,
                            const char *backbone, bool quick)
{
    f0t_feature_file *features;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&features, 1, sizeof *features));
    features->dim = dim;
    features->key = f0t_siphash_draw_key();
    features->quick = quick;
    features->size = sizeof(record) + dim * sizeof(float);
    f0t_status status = open_all(features, path, backbone);
    if (status == F0T_OK)
        *out = features;
    else
        f0t_feature_file_close(features, false);
    return status;
}

f0t_status f0t_feature_file_open(f0t_feature_file **out, const char *path, size_t dim,
                                 const char *backbone)
{
    return open_part(out, path, dim, backbone, false);
}

f0t_status f0t_feature_file_open_quick(f0t_feature_file **out, const char *path, size_t dim,
                                       const char *backbone)
{
    return open_part(out, path, dim, backbone, true);
}

void f0t_feature_file_close(f0t_feature_file *features, bool remove)
{
    if (!features)
        return;
    if (remove && is_there(features)) /* before the lock is let go */
        unlink(features->path);
    if (features->file)
        fclose(features->file);
    f0t_free(features->path);
    f0t_free(features->stamps);
    f0t_free(features->slots);
    f0t_free(features->buffer);
    f0t_free(features);
}
