#include "image/part.h"

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
    f0t_stamp stamp;
    uint64_t sum; /* CRC-32 of the numbers */
} record;

struct f0t_part {
    char *path;
    FILE *file;
    size_t dim, size; /* of a record in bytes */
    f0t_stamp *stamps;
    size_t count, room;
    uint32_t *slots; /* hash table of record + 1 */
    size_t slot_count;
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
bool f0t_stamp_get(f0t_stamp *stamp, const char *picture)
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

static uint32_t *slot_of(const f0t_part *part, const f0t_stamp *stamp)
{
    size_t at = (size_t)(stamp->key[0] ^ stamp->key[1]) & (part->slot_count - 1);
    while (part->slots[at] && memcmp(&part->stamps[part->slots[at] - 1], stamp, sizeof *stamp) != 0)
        at = (at + 1) & (part->slot_count - 1);
    return &part->slots[at];
}

size_t f0t_part_find(const f0t_part *part, const f0t_stamp *stamp)
{
    const uint32_t found = part->slot_count ? *slot_of(part, stamp) : 0;
    return found ? found - 1 : F0T_NONE;
}

static f0t_status widen(f0t_part *part)
{
    uint32_t *slots;
    const size_t count = part->slot_count ? 2 * part->slot_count : 1024;
    F0T_TRY(f0t_alloc_zero(&slots, count, sizeof *slots));
    f0t_free(part->slots);
    part->slots = slots;
    part->slot_count = count;
    for (size_t i = 0; i < part->count; i++)
        *slot_of(part, &part->stamps[i]) = (uint32_t)i + 1;
    return F0T_OK;
}

static f0t_status remember(f0t_part *part, const f0t_stamp *stamp)
{
    if (2 * (part->count + 1) > part->slot_count)
        F0T_TRY(widen(part));
    F0T_TRY(f0t_grow(&part->stamps, &part->room, part->count, 1, sizeof *stamp));
    part->stamps[part->count++] = *stamp;
    *slot_of(part, stamp) = (uint32_t)part->count;
    return F0T_OK;
}

/* ---- Records --------------------------------------------------------------------------------------- */

static uint64_t sum_of(const void *numbers, size_t size)
{
    return crc32_z(crc32(0, NULL, 0), numbers, size);
}

static bool seek(const f0t_part *part, size_t number)
{
    const off_t at = (off_t)(sizeof(header) + number * part->size);
    return fseeko(part->file, at, SEEK_SET) == 0;
}

size_t f0t_part_count(const f0t_part *part)
{
    return part->count;
}

size_t f0t_part_record_size(const f0t_part *part)
{
    return part->size;
}

f0t_status f0t_part_read(const f0t_part *part, size_t number, float *row)
{
    record r;
    if (!seek(part, number) || fread(part->buffer, part->size, 1, part->file) != 1)
        return f0t_fail_errno(errno, "%s", part->path);
    memcpy(&r, part->buffer, sizeof r);
    if (sum_of(part->buffer + sizeof r, part->size - sizeof r) != r.sum)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: record %zu is damaged; remove the file", part->path,
                        number);
    memcpy(row, part->buffer + sizeof r, part->size - sizeof r);
    return F0T_OK;
}

f0t_status f0t_part_add(f0t_part *part, const f0t_stamp *stamp, const float *row)
{
    const record r = {*stamp, sum_of(row, part->dim * sizeof *row)};
    memcpy(part->buffer, &r, sizeof r);
    memcpy(part->buffer + sizeof r, row, part->dim * sizeof *row);
    if (f0t_fault_hit(F0T_FAULT_WRITE)
            ? (errno = ENOSPC, true)
            : !seek(part, part->count) || fwrite(part->buffer, part->size, 1, part->file) != 1 ||
                  fflush(part->file) != 0)
        return f0t_fail_errno(errno, "%s: cannot be written", part->path);
    return remember(part, stamp);
}

/* Whether the file under the name is still the one that is open. */
static bool is_there(const f0t_part *part)
{
    struct stat ours, named;
    return fstat(fileno(part->file), &ours) == 0 && lstat(part->path, &named) == 0 &&
           ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

/* The stamps alone of as many records as the file has room for. */
static f0t_status read_stamps(f0t_part *part)
{
    struct stat info;
    record r;
    if (fstat(fileno(part->file), &info) != 0)
        return f0t_fail_errno(errno, "%s", part->path);
    const size_t whole = ((size_t)info.st_size - sizeof(header)) / part->size;
    for (size_t i = 0; i < whole && i < UINT32_MAX - 1; i++) {
        const off_t at = (off_t)(sizeof(header) + i * part->size);
        if (pread(fileno(part->file), &r, sizeof r, at) != (ssize_t)sizeof r)
            return f0t_fail_errno(errno, "%s", part->path);
        F0T_TRY(remember(part, &r.stamp));
    }
    return F0T_OK;
}

/* Up to the first record that is not whole: the next is written over it. */
static f0t_status read_records(f0t_part *part)
{
    if (part->quick)
        return read_stamps(part);
    while (seek(part, part->count) && fread(part->buffer, part->size, 1, part->file) == 1) {
        record r;
        memcpy(&r, part->buffer, sizeof r);
        if (sum_of(part->buffer + sizeof r, part->size - sizeof r) != r.sum)
            break;
        F0T_TRY(remember(part, &r.stamp));
    }
    clearerr(part->file);
    return F0T_OK;
}

/* ---- Opening --------------------------------------------------------------------------------------- */

/* It is there with its header or not at all: a file without one is not ours. Of two processes that make
 * it at once the second finds that of the first, and its lock. */
static f0t_status make_file(const f0t_part *part, const header *wanted)
{
    f0t_original none;
    f0t_writer *writer;
    F0T_TRY(f0t_original_open(&none, part->path, NULL));
    f0t_status status = F0T_OK;
    if (none.fd < 0) {
        status = f0t_original_replace(&writer, &none, false);
        if (status == F0T_OK)
            status = f0t_writer_finish(writer, f0t_writer_write(writer, wanted, sizeof *wanted));
        if (status != F0T_OK && f0t_path_exists(part->path))
            status = F0T_OK;
    }
    f0t_original_close(&none);
    return status;
}

static f0t_status check_header(const f0t_part *part, const header *wanted)
{
    header found;
    const bool whole = fread(&found, sizeof found, 1, part->file) == 1;
    if (!whole || memcmp(found.magic, wanted->magic, sizeof magic - 1) != 0)
        return f0t_fail(
            F0T_ERROR_IO,
            "%s: is no record of features, and in the way of one; move it away, or name "
            "another output",
            part->path);
    if (found.magic[sizeof magic - 1] != wanted->magic[sizeof magic - 1] ||
        found.sum != sum_of(&found, offsetof(header, sum)))
        return f0t_fail(
            F0T_ERROR_IO,
            "%s: is damaged, or of another version of fast0tag; remove it to begin anew",
            part->path);
    if (memcmp(&found, wanted, sizeof found) != 0)
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "%s: has features of a run with another backbone, which was interrupted; "
                        "go on with that one, or remove the file",
                        part->path);
    return F0T_OK;
}

/* The system lets go of the lock when the process ends, however it does. */
static f0t_status open_file(f0t_part *part, const header *wanted)
{
    F0T_TRY(make_file(part, wanted));
    part->file = fopen(part->path, "r+be");
    if (!part->file)
        return f0t_fail_errno(errno, "%s", part->path);
    if (flock(fileno(part->file), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return f0t_fail(F0T_ERROR_IO,
                        "%s: another process works with it; wait until it ends, or name another "
                        "output",
                        part->path);
    if (!is_there(part))
        return f0t_fail(F0T_ERROR_IO, "%s: another process has just removed it; try again",
                        part->path);
    F0T_TRY(check_header(part, wanted));
    return read_records(part);
}

static f0t_status open_all(f0t_part *part, const char *path, const char *backbone)
{
    header wanted = {.dim = part->dim, .backbone = sum_of(backbone, strlen(backbone))};
    memcpy(wanted.magic, magic, sizeof magic);
    wanted.sum = sum_of(&wanted, offsetof(header, sum));
    F0T_TRY(f0t_string_copy(&part->path, path, strlen(path)));
    F0T_TRY(f0t_alloc(&part->buffer, part->size, 1));
    return open_file(part, &wanted);
}

static f0t_status open_part(f0t_part **out, const char *path, size_t dim, const char *backbone,
                            bool quick)
{
    f0t_part *part;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&part, 1, sizeof *part));
    part->dim = dim;
    part->quick = quick;
    part->size = sizeof(record) + dim * sizeof(float);
    f0t_status status = open_all(part, path, backbone);
    if (status == F0T_OK)
        *out = part;
    else
        f0t_part_close(part, false);
    return status;
}

f0t_status f0t_part_open(f0t_part **out, const char *path, size_t dim, const char *backbone)
{
    return open_part(out, path, dim, backbone, false);
}

f0t_status f0t_part_open_quick(f0t_part **out, const char *path, size_t dim, const char *backbone)
{
    return open_part(out, path, dim, backbone, true);
}

void f0t_part_close(f0t_part *part, bool remove)
{
    if (!part)
        return;
    if (remove && is_there(part)) /* before the lock is let go */
        unlink(part->path);
    if (part->file)
        fclose(part->file);
    f0t_free(part->path);
    f0t_free(part->stamps);
    f0t_free(part->slots);
    f0t_free(part->buffer);
    f0t_free(part);
}
