#include "io/file.h"

#include "base/alloc.h"
#include "base/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { INPUT_SIZE = 1 << 18, START_SIZE = 1 << 18, WAIT_MS = 100 };

/* Bytes come from `fd` (through `input`) or from memory, and lie unpacked in text[begin, end). */
struct f0t_stream {
    char *name;
    int fd; /* -1: memory, all of it in next_in at once */
    const f0t_monitor *monitor;
    bool may_wait; /* a pipe or a terminal: nothing may be there to read for long */
    uint64_t size, consumed, line;
    uint64_t unpacked; /* out of gzip, but for what was let go */
    unsigned char *input;
    const unsigned char *next_in;
    size_t avail_in;
    bool started, gzip, member_open, at_end;
    z_stream z;
    char *text;
    size_t begin, end, capacity;
};

static f0t_status check_stop(const f0t_stream *s)
{
    return f0t_monitor_stopped(s->monitor)
               ? f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted while reading %s", s->name)
               : F0T_OK;
}

/* read(), but a pipe that nobody writes to does not keep us from looking at the stop flag. */
static f0t_status read_some(f0t_stream *s, void *to, size_t room, size_t *got)
{
    struct pollfd wait = {.fd = s->fd, .events = POLLIN};
    *got = 0;
    for (;;) {
        F0T_TRY(check_stop(s));
        int ready = s->may_wait ? poll(&wait, 1, WAIT_MS) : 1;
        ssize_t n = ready > 0 ? read(s->fd, to, room) : -1;
        if (n >= 0) {
            *got = (size_t)n;
            return F0T_OK;
        }
        if (ready && errno != EINTR && errno != EAGAIN)
            return f0t_fail_errno(errno, "%s: cannot be read", s->name);
    }
}

/* At least `least` bytes in the input, or what is left of the file. */
static f0t_status fill_input(f0t_stream *s, size_t least)
{
    if (s->avail_in >= least || s->fd < 0)
        return F0T_OK;
    if (s->avail_in)
        memmove(s->input, s->next_in, s->avail_in);
    s->next_in = s->input;
    for (size_t got = 1; s->avail_in < least && got;) {
        F0T_TRY(read_some(s, s->input + s->avail_in, INPUT_SIZE - s->avail_in, &got));
        s->avail_in += got;
        s->consumed += got;
    }
    return F0T_OK;
}

/* zlib's memory comes from where all other comes from. */
static void *allocate_for_zlib(void *opaque, uInt count, uInt size)
{
    void *memory;
    (void)opaque;
    (void)f0t_alloc(&memory, count, size);
    return memory;
}

static void free_for_zlib(void *opaque, void *memory)
{
    (void)opaque;
    f0t_free(memory);
}

/* Before the first byte, not when the file is opened: whoever reads may wait, and be stopped. */
static f0t_status start(f0t_stream *s)
{
    if (s->started)
        return F0T_OK;
    F0T_TRY(fill_input(s, 2)); /* a pipe may give one byte at first */
    s->started = true;
    s->z.zalloc = allocate_for_zlib;
    s->z.zfree = free_for_zlib;
    s->gzip = s->avail_in >= 2 && s->next_in[0] == 0x1F && s->next_in[1] == 0x8B;
    if (s->gzip && inflateInit2(&s->z, 15 + 16) != Z_OK)
        return f0t_fail(F0T_ERROR_MEMORY, "%s: no memory to unpack", s->name);
    s->member_open = s->gzip;
    return F0T_OK;
}

static f0t_status create(f0t_stream **out, const char *name)
{
    f0t_stream *s;
    F0T_TRY(f0t_alloc_zero(&s, 1, sizeof *s));
    s->fd = -1;
    f0t_status status = f0t_string_copy(&s->name, name, strlen(name));
    if (status == F0T_OK)
        status = f0t_alloc(&s->text, START_SIZE, 1);
    s->capacity = START_SIZE;
    if (status != F0T_OK)
        f0t_stream_close(s);
    else
        *out = s;
    return status;
}

static f0t_status open_descriptor(f0t_stream *s, const char *path)
{
    struct stat info;
    s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not make us wait here */
    if (s->fd < 0 || fstat(s->fd, &info) != 0)
        return f0t_fail_errno(errno, "%s", path);
    if (S_ISDIR(info.st_mode))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: is a folder, a file is expected", path);
    s->may_wait = !S_ISREG(info.st_mode);
    s->size = s->may_wait ? 0 : (uint64_t)info.st_size;
    return f0t_alloc(&s->input, INPUT_SIZE, 1);
}

f0t_status f0t_stream_open(f0t_stream **out, const char *path)
{
    f0t_stream *s = NULL;
    *out = NULL;
    F0T_TRY(create(&s, path));
    f0t_status status = open_descriptor(s, path);
    if (status != F0T_OK)
        f0t_stream_close(s);
    else
        *out = s;
    return status;
}

f0t_status f0t_stream_open_memory(f0t_stream **out, const void *data, size_t size, const char *name)
{
    f0t_stream *s = NULL;
    *out = NULL;
    F0T_TRY(create(&s, name));
    s->next_in = data;
    s->avail_in = size;
    s->size = s->consumed = size;
    *out = s;
    return F0T_OK;
}

void f0t_stream_watch(f0t_stream *s, const f0t_monitor *monitor)
{
    if (s)
        s->monitor = monitor;
}

void f0t_stream_close(f0t_stream *s)
{
    if (!s)
        return;
    if (s->gzip)
        inflateEnd(&s->z);
    if (s->fd >= 0)
        close(s->fd);
    f0t_free(s->name);
    f0t_free(s->input);
    f0t_free(s->text);
    f0t_free(s);
}

static f0t_status read_plain(f0t_stream *s, char *to, size_t room, size_t *got)
{
    F0T_TRY(fill_input(s, 1));
    *got = s->avail_in < room ? s->avail_in : room;
    if (*got)
        memcpy(to, s->next_in, *got);
    s->next_in += *got;
    s->avail_in -= *got;
    return F0T_OK;
}

/* A gzip file may be several members in a row. */
static f0t_status inflate_some(f0t_stream *s, char *to, size_t room, size_t *got)
{
    uInt in = s->avail_in < UINT32_MAX ? (uInt)s->avail_in : UINT32_MAX;
    uInt out = room < UINT32_MAX ? (uInt)room : UINT32_MAX;
    s->z.next_in = (Bytef *)(uintptr_t)s->next_in;
    s->z.avail_in = in;
    s->z.next_out = (Bytef *)to;
    s->z.avail_out = out;
    int result = inflate(&s->z, Z_NO_FLUSH);
    s->next_in += in - s->z.avail_in;
    s->avail_in -= in - s->z.avail_in;
    *got = out - s->z.avail_out;
    if (result == Z_STREAM_END)
        s->member_open = false;
    else if (result == Z_MEM_ERROR)
        return f0t_fail(F0T_ERROR_MEMORY, "%s: no memory to unpack", s->name);
    else if (result != Z_OK && result != Z_BUF_ERROR)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: damaged gzip data", s->name);
    return F0T_OK;
}

static f0t_status check_unpacked(f0t_stream *s, size_t more)
{
    s->unpacked += more;
    if (s->unpacked > F0T_UNPACKED_FREE &&
        s->unpacked / F0T_UNPACKED_RATIO > f0t_stream_position(s))
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: gzip data that unpacks to over %d times its size is not accepted; "
                        "where it is meant to, unpack it first (gunzip)",
                        s->name, F0T_UNPACKED_RATIO);
    return F0T_OK;
}

void f0t_stream_let_go(f0t_stream *s, size_t size)
{
    s->unpacked -= size < s->unpacked ? size : s->unpacked;
}

static f0t_status read_gzip(f0t_stream *s, char *to, size_t room, size_t *got)
{
    *got = 0;
    while (*got == 0) {
        F0T_TRY(fill_input(s, 1));
        if (!s->avail_in && s->member_open)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: gzip data is cut", s->name);
        if (!s->avail_in)
            return F0T_OK;
        if (!s->member_open && inflateReset(&s->z) != Z_OK)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: damaged gzip data", s->name);
        s->member_open = true;
        F0T_TRY(inflate_some(s, to, room, got));
    }
    return check_unpacked(s, *got);
}

/* More text after text[end). Keeps a byte free for the NUL after a line. */
static f0t_status fill_text(f0t_stream *s)
{
    size_t got;
    if (s->begin) {
        memmove(s->text, s->text + s->begin, s->end - s->begin);
        s->end -= s->begin;
        s->begin = 0;
    }
    F0T_TRY(f0t_grow(&s->text, &s->capacity, s->end, START_SIZE / 2, 1));
    size_t room = s->capacity - s->end - 1;
    F0T_TRY(check_stop(s));
    F0T_TRY(start(s));
    F0T_TRY((s->gzip ? read_gzip : read_plain)(s, s->text + s->end, room, &got));
    s->end += got;
    s->at_end = got == 0;
    return F0T_OK;
}

f0t_status f0t_stream_read(void *to, size_t *got, f0t_stream *s, size_t size)
{
    *got = 0;
    while (*got < size) {
        if (s->begin == s->end && !s->at_end)
            F0T_TRY(fill_text(s));
        if (s->begin == s->end)
            break;
        size_t n = s->end - s->begin < size - *got ? s->end - s->begin : size - *got;
        memcpy((char *)to + *got, s->text + s->begin, n);
        s->begin += n;
        *got += n;
    }
    return F0T_OK;
}

f0t_status f0t_stream_line(char **line, size_t *length, f0t_stream *s)
{
    size_t searched = 0;
    char *newline = NULL;
    *line = NULL;
    *length = 0;
    while (!(newline = memchr(s->text + s->begin + searched, '\n', s->end - s->begin - searched))) {
        searched = s->end - s->begin;
        if (s->at_end)
            break;
        if (searched > F0T_LINE_MOST)
            return f0t_fail(F0T_ERROR_FORMAT, "%s:%llu: a line of over %d bytes", s->name,
                            (unsigned long long)s->line + 1, F0T_LINE_MOST);
        F0T_TRY(fill_text(s));
    }
    if (!newline && s->begin == s->end)
        return F0T_OK;
    size_t n = newline ? (size_t)(newline - s->text) - s->begin : searched;
    *line = s->text + s->begin;
    s->begin += n + (newline != NULL);
    s->line++;
    if (n && (*line)[n - 1] == '\r')
        n--;
    (*line)[n] = '\0';
    *length = n;
    return F0T_OK;
}

uint64_t f0t_stream_line_number(const f0t_stream *s)
{
    return s->line;
}

uint64_t f0t_stream_position(const f0t_stream *s)
{
    return s->consumed - s->avail_in;
}

uint64_t f0t_stream_size(const f0t_stream *s)
{
    return s->size;
}

const char *f0t_stream_name(const f0t_stream *s)
{
    return s->name;
}

bool f0t_stream_is_packed(const f0t_stream *s)
{
    return s->gzip;
}

static f0t_status read_whole(f0t_stream *s, char **out, size_t *size, size_t most)
{
    size_t capacity = 0, got;
    do {
        F0T_TRY(f0t_grow(out, &capacity, *size, START_SIZE, 1));
        F0T_TRY(f0t_stream_read(*out + *size, &got, s, capacity - *size - 1));
        *size += got;
        if (*size > most)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: is over %zu bytes long", s->name, most);
    } while (got);
    (*out)[*size] = '\0';
    return F0T_OK;
}

f0t_status f0t_stream_read_all(char **out, size_t *size, f0t_stream *s, size_t most)
{
    *out = NULL;
    *size = 0;
    f0t_status status = read_whole(s, out, size, most);
    if (status != F0T_OK) {
        f0t_free(*out);
        *out = NULL;
        *size = 0;
    }
    return status;
}

f0t_status f0t_file_read(char **out, size_t *size, const char *path, size_t most,
                         const f0t_monitor *monitor)
{
    f0t_stream *s;
    *out = NULL;
    *size = 0;
    F0T_TRY(f0t_stream_open(&s, path));
    f0t_stream_watch(s, monitor);
    f0t_status status = f0t_stream_read_all(out, size, s, most);
    f0t_stream_close(s);
    return status;
}
