/* Files: mapped for reading, written whole or not at all. */
#ifndef F0T_IO_FILE_H
#define F0T_IO_FILE_H

#include "base/context.h"

#include <dirent.h>

/* ---- Reading ------------------------------------------------------------------------------- */

/* A regular file in memory, read-only. `data` is not NULL even for an empty file. A small file is copied; a larger one
 * is mapped, and where another program makes it shorter meanwhile, the bytes that are gone read as zeros:
 * f0t_map_check tells, after they were read. */
enum { F0T_MAP_COPIED = 1 << 23 }; /* bytes, at most */
typedef struct f0t_map {
    const unsigned char *data;
    size_t size;
    void *copy;                  /* what to free, of a small file */
    void *mapping;               /* what to unmap, of a larger one */
    struct f0t_map_guard *guard; /* of the mapping (io/map_guard.h) */
    int fd;                      /* of the mapping: tells whether the file is still as long */
    size_t stored; /* bytes that are not in holes: what a file of this size really holds */
    uint64_t device, inode;
} f0t_map;

f0t_status f0t_map_open(f0t_map *map, const char *path);
/* The file `path` in the folder or below: not absolute, without "..", and without a link on the way from
 * the folder, so that nobody who names a file can have another one read. */
f0t_status f0t_map_open_below(f0t_map *map, const char *folder, const char *path);
void f0t_map_close(f0t_map *map);

/* Fails when bytes of the file could not be read since it was opened, or it is shorter now. `path` is for the message. */
f0t_status f0t_map_check(const f0t_map *map, const char *path);

/* Closes it after all was read: `status`, or the failure of f0t_map_check, which explains any other. */
f0t_status f0t_map_finish(f0t_map *map, const char *path, f0t_status status);

/* Tells the system that the bytes will be read once, in order (true), or here and there. */
void f0t_map_advise(const f0t_map *map, bool sequential);

/* Lets go of the pages of the first `upto` bytes, which a pass over a huge file has done with. */
void f0t_map_release(const f0t_map *map, size_t upto);

/* Lets go of the pages that lie inside these bytes of the map; they come back from the file when they
 * are touched again. */
void f0t_map_forget(const f0t_map *map, const void *from, size_t size);

/* CRC-32 of all bytes, going on from `sum` (0: a new one). Pages are let go on the way: the file may be
 * large. */
uint32_t f0t_map_checksum(const f0t_map *map, uint32_t sum);

/* Bytes in a row, from a file or from memory, through gzip where the content begins with its magic.
 * A small gzip file cannot become a huge text: beyond F0T_UNPACKED_FREE bytes it may unpack to
 * F0T_UNPACKED_RATIO times its own size (texts of tags and numbers reach 5 to 20), else it fails;
 * what a reader lets go of (f0t_stream_let_go) does not count. */
typedef struct f0t_stream f0t_stream;
enum { F0T_UNPACKED_FREE = 1 << 24, F0T_UNPACKED_RATIO = 50 };

f0t_status f0t_stream_open(f0t_stream **out, const char *path);
f0t_status f0t_stream_open_memory(f0t_stream **out, const void *data, size_t size,
                                  const char *name);
void f0t_stream_close(f0t_stream *stream);

/* From here on reading, and waiting for a pipe, fails with F0T_ERROR_INTERRUPTED when the monitor's
 * stop flag is set. The monitor outlives the stream; both may be NULL. Opening reads nothing. */
void f0t_stream_watch(f0t_stream *stream, const f0t_monitor *monitor);

/* Nothing is kept of this many of the bytes that were read: the zeros of a sparse table, which gzip
 * packs to a hundredth and less, take no memory. */
void f0t_stream_let_go(f0t_stream *stream, size_t size);

/* Up to `size` bytes; *got is less only at the end. A cut gzip file fails. */
f0t_status f0t_stream_read(void *to, size_t *got, f0t_stream *stream, size_t size);

/* The next line without its "\n" or "\r\n", borrowed until the next call, NUL-terminated; *line is
 * NULL at the end. The line is writable. Lines beyond `F0T_LINE_MOST` bytes fail. */
enum { F0T_LINE_MOST = 1 << 28 };
f0t_status f0t_stream_line(char **line, size_t *length, f0t_stream *stream);

/* Number of the line that was read last, from 1; bytes of the file that were used, and in all, for
 * progress. */
uint64_t f0t_stream_line_number(const f0t_stream *stream);
uint64_t f0t_stream_position(const f0t_stream *stream);
uint64_t f0t_stream_size(const f0t_stream *stream);
const char *f0t_stream_name(const f0t_stream *stream);
/* True when the bytes come out of gzip; known once something was read. */
bool f0t_stream_is_packed(const f0t_stream *stream);

/* What is left of the stream, up to `most` bytes, NUL-terminated. */
f0t_status f0t_stream_read_all(char **out, size_t *size, f0t_stream *stream, size_t most);
/* All of a small file (up to `most` bytes), NUL-terminated. `monitor` may be NULL. */
f0t_status f0t_file_read(char **out, size_t *size, const char *path, size_t most,
                         const f0t_monitor *monitor);

/* ---- Writing ------------------------------------------------------------------------------- */

/* Writes into a temporary file beside `path`. commit() flushes, fsyncs, renames over `path` and
 * syncs the folder; until then the old file stays as it is. abort() (or a commit that failed)
 * removes the temporary file. Both free the writer. A link stays, what it points to is replaced;
 * folders, devices and pipes are refused. What replaces a file has its mode, and its owner and
 * attributes where they can be kept; until then nobody else may read it. A process that is killed
 * leaves the old file, and the temporary one (f0t_temporary_name). */
typedef struct f0t_writer f0t_writer;

f0t_status f0t_writer_open(f0t_writer **out, const char *path);
/* The same for a file in a folder that was named: what is in it may come from anybody, and a link at its
 * name is refused. */
f0t_status f0t_writer_open_nofollow(f0t_writer **out, const char *path);
/* The same for a file that only the user may read and write, from its first byte on and whatever the umask is. What is
 * there is replaced, be it a link or somebody else's, and its mode and owner are not kept. */
f0t_status f0t_writer_open_private(f0t_writer **out, const char *path);
f0t_status f0t_writer_write(f0t_writer *writer, const void *data, size_t size);
/* Up to 4095 bytes. Its numbers with a point depend on the locale of the process: keep to whole
 * ones. */
f0t_status f0t_writer_printf(f0t_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Overwrites bytes that were written before: a header whose numbers are known at the end. */
f0t_status f0t_writer_patch(f0t_writer *writer, uint64_t offset, const void *data, size_t size);
uint64_t f0t_writer_position(const f0t_writer *writer);
f0t_status f0t_writer_commit(f0t_writer *writer);
void f0t_writer_abort(f0t_writer *writer);

/* commit() when `status` is F0T_OK, else abort(); returns the first failure. `writer` may be NULL.
 */
f0t_status f0t_writer_finish(f0t_writer *writer, f0t_status status);

/* ---- Paths ------------------------------------------------------------------------------------
 */

/* folder/name, or name alone when it is absolute. */
f0t_status f0t_path_join(char **out, const char *folder, const char *name);
/* True also where the system cannot tell: opening it says why. */
bool f0t_path_exists(const char *path);
/* The same for what is not opened afterwards: fails where the system cannot tell. */
f0t_status f0t_path_look(bool *there, const char *path);
bool f0t_path_is_folder(const char *path);
/* False for pipes and devices, too, whose reading may never end. True where the system cannot tell. */
bool f0t_path_is_file(const char *path);
/* Makes the folder (not its parents); one that exists is fine. */
f0t_status f0t_folder_create(const char *path);
/* The next entry of an open folder. NULL at its end, and, with a failure in *status, where it cannot be read to its end:
 * what was not listed must not be taken for what is not there. */
struct dirent *f0t_folder_next(f0t_status *status, DIR *folder, const char *path);
/* A descriptor of the folder `name` in the folder `at`, with further flags of open(2); -1 with errno on
 * failure. Names can be found and made in it; reading and syncing need rights that it may lack. */
int f0t_folder_descriptor(int at, const char *name, int flags);

/* The name of a temporary file or folder, and whether a name is one. It is short, whatever it stands for,
 * since names end at 255 bytes, and begins with a dot, so that nobody takes it for a picture. Each call
 * gives another; a process that was killed may have left one that has the same. */
enum { F0T_TEMPORARY_SIZE = 48 };
void f0t_temporary_name(char name[F0T_TEMPORARY_SIZE]);
bool f0t_name_is_temporary(const char *name);

#endif
