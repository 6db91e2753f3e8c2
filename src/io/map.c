#include "io/file.h"

#include "base/alloc.h"
#include "io/map_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Where the file system does not know of holes, all is stored. */
static size_t stored_bytes(int fd, size_t size)
{
    enum { PIECES_MOST = 4096 };
    size_t stored = 0;
    off_t at = 0;
    for (int piece = 0; piece < PIECES_MOST && (size_t)at < size; piece++) {
        off_t data = lseek(fd, at, SEEK_DATA);
        if (data < 0)
            return errno == ENXIO ? stored : size;
        at = lseek(fd, data, SEEK_HOLE);
        if (at <= data)
            return size;
        stored += (size_t)(at - data);
    }
    return stored < size ? stored : size;
}

static f0t_status cut_meanwhile(const char *path)
{
    return f0t_fail(
        F0T_ERROR_IO,
        "%s: cannot be read to its end: another program has made it shorter, or the disk "
        "fails; open it again",
        path);
}

static f0t_status read_bytes(unsigned char *to, int fd, size_t size, const char *path)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(fd, to + done, size - done, (off_t)done);
        if (got == 0)
            return cut_meanwhile(path);
        if (got < 0 && errno != EINTR)
            return f0t_fail_errno(errno, "%s", path);
        done += got > 0 ? (size_t)got : 0;
    }
    return F0T_OK;
}

static f0t_status copy(f0t_map *map, int fd, const char *path)
{
    unsigned char *bytes;
    F0T_TRY(f0t_alloc(&bytes, map->size, 1));
    f0t_status status = read_bytes(bytes, fd, map->size, path);
    if (status == F0T_OK)
        map->data = map->copy = bytes;
    else
        f0t_free(bytes);
    return status;
}

static f0t_status map_guarded(f0t_map *map, int fd, const char *path)
{
    void *mapping = mmap(NULL, map->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapping == MAP_FAILED)
        return f0t_fail_errno(errno, "%s: cannot be mapped", path);
    f0t_status status = F0T_OK;
    const int kept = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (kept < 0)
        status = f0t_fail_errno(errno, "%s", path);
    if (status == F0T_OK)
        status = f0t_map_guard_take(&map->guard, mapping, map->size);
    if (status == F0T_OK) {
        map->data = map->mapping = mapping;
        map->fd = kept;
        return F0T_OK;
    }
    if (kept >= 0)
        close(kept);
    munmap(mapping, map->size);
    return status;
}

/* Nothing that another program does to a file changes what was copied. Holes are not: they would cost memory that
 * the file does not take on the disk. */
static bool is_copied(const f0t_map *map)
{
    return map->size <= F0T_MAP_COPIED && map->stored == map->size;
}

static f0t_status map_descriptor(f0t_map *map, int fd, const char *path)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return f0t_fail_errno(errno, "%s", path);
    if (!S_ISREG(info.st_mode))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: %s, a file is expected", path,
                        S_ISDIR(info.st_mode) ? "is a folder" : "is not a regular file");
    if (info.st_size == 0)
        return F0T_OK;
    f0t_map found = {.size = (size_t)info.st_size,
                     .stored = stored_bytes(fd, (size_t)info.st_size),
                     .device = (uint64_t)info.st_dev,
                     .inode = (uint64_t)info.st_ino};
    F0T_TRY(is_copied(&found) ? copy(&found, fd, path) : map_guarded(&found, fd, path));
    *map = found;
    return F0T_OK;
}

f0t_status f0t_map_open(f0t_map *map, const char *path)
{
    *map = (f0t_map){.data = (const unsigned char *)""};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not make us wait */
    if (fd < 0)
        return f0t_fail_errno(errno, "%s", path);
    f0t_status status = map_descriptor(map, fd, path);
    close(fd);
    return status;
}

static bool leaves(const char *path)
{
    bool out = *path == '/' || !*path;
    for (const char *part = path; !out && *part; part += *part == '/') {
        size_t length = strcspn(part, "/");
        out = length == 2 && part[0] == '.' && part[1] == '.';
        part += length;
    }
    return out;
}

/* Goes on from the open folder *at to `part` of it. */
static f0t_status step_below(int *at, const char *part, bool last)
{
    struct stat info;
    int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | (last ? O_NONBLOCK : O_DIRECTORY);
    int next = openat(*at, part, flags), problem = errno;
    bool link =
        next < 0 && fstatat(*at, part, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
    close(*at);
    *at = next;
    if (next >= 0)
        return F0T_OK;
    return link ? f0t_fail(F0T_ERROR_FORMAT,
                           "'%s' is a link, which is not followed: put the %s itself there", part,
                           last ? "file" : "folder")
                : f0t_fail_errno(problem, "'%s'", part);
}

static f0t_status walk_below(int *at, const char *path)
{
    char part[NAME_MAX + 1];
    bool last = false;
    if (leaves(path))
        return f0t_fail(F0T_ERROR_FORMAT, "is outside the folder");
    for (const char *rest = path; !last; rest += strcspn(rest, "/") + 1) {
        size_t length = strcspn(rest, "/");
        last = !rest[length];
        if (length > NAME_MAX)
            return f0t_fail(F0T_ERROR_FORMAT, "a name of %zu bytes is too long", length);
        memcpy(part, rest, length);
        part[length] = '\0';
        if (length && strcmp(part, ".") != 0)
            F0T_TRY(step_below(at, part, last));
    }
    return F0T_OK;
}

f0t_status f0t_map_open_below(f0t_map *map, const char *folder, const char *path)
{
    *map = (f0t_map){.data = (const unsigned char *)""};
    int at = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    if (at < 0)
        return f0t_fail_errno(errno, "%s", folder);
    f0t_status status = walk_below(&at, path);
    if (status != F0T_OK)
        f0t_fail_prefix(status, "%s: ", path);
    else
        status = map_descriptor(map, at, path);
    if (at >= 0)
        close(at);
    return status;
}

void f0t_map_close(f0t_map *map)
{
    f0t_map_guard_drop(map->guard);
    if (map->mapping) {
        munmap(map->mapping, map->size);
        close(map->fd);
    }
    f0t_free(map->copy);
    *map = (f0t_map){.data = (const unsigned char *)""};
}

/* What is gone of a page whose beginning is still there reads as zeros without a fault. A descriptor that the program
 * closed behind our back says nothing. */
static bool is_shorter(const f0t_map *map)
{
    struct stat info;
    return map->mapping && fstat(map->fd, &info) == 0 && (uint64_t)info.st_dev == map->device &&
           (uint64_t)info.st_ino == map->inode && (size_t)info.st_size < map->size;
}

f0t_status f0t_map_check(const f0t_map *map, const char *path)
{
    return f0t_map_guard_is_cut(map->guard) || is_shorter(map) ? cut_meanwhile(path) : F0T_OK;
}

f0t_status f0t_map_finish(f0t_map *map, const char *path, f0t_status status)
{
    const f0t_status whole = f0t_map_check(map, path);
    f0t_map_close(map);
    return whole == F0T_OK ? status : whole;
}

void f0t_map_advise(const f0t_map *map, bool sequential)
{
    if (map->mapping)
        madvise(map->mapping, map->size, sequential ? MADV_SEQUENTIAL : MADV_RANDOM);
}

void f0t_map_release(const f0t_map *map, size_t upto)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (map->mapping && upto >= page)
        madvise(map->mapping, (upto < map->size ? upto : map->size) / page * page, MADV_DONTNEED);
}

uint32_t f0t_map_checksum(const f0t_map *map, uint32_t sum)
{
    enum { BLOCK = 1 << 24 };
    f0t_map_advise(map, true);
    for (size_t from = 0; from < map->size; from += BLOCK) {
        size_t size = map->size - from < BLOCK ? map->size - from : BLOCK;
        sum = (uint32_t)crc32_z(sum, map->data + from, size);
        f0t_map_release(map, from + size);
    }
    return sum;
}

void f0t_map_forget(const f0t_map *map, const void *from, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t begin = (size_t)((const unsigned char *)from - map->data), end = begin + size;
    begin = (begin + page - 1) / page * page;
    end = end / page * page;
    if (map->mapping && begin < end)
        madvise((unsigned char *)map->mapping + begin, end - begin, MADV_DONTNEED);
}
