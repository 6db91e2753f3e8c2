#include "io/file.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { INPUT_SIZE = 1 << 18, START_SIZE = 1 << 18 };

/* Bytes come from `fd` (through `input`) or from memory, and lie unpacked in text[begin, end). */
struct f0t_stream {
    char *name;
    int fd; /* -1: memory, all of it in next_in at once */
    uint64_t size, consumed, line;
    unsigned char *input;
    const unsigned char *next_in;
    size_t avail_in;
    bool gzip, member_open, at_end;
    z_stream z;
    char *text;
    size_t begin, end, capacity;
};

/* At least `least` bytes in the input, or what is left of the file. */
static f0t_status fill_input(f0t_stream *s, size_t least)
{
    if (s->avail_in >= least || s->fd < 0)
        return F0T_OK;
    if (s->avail_in)
        memmove(s->input, s->next_in, s->avail_in);
    s->next_in = s->input;
    while (s->avail_in < least) {
        ssize_t got = read(s->fd, s->input + s->avail_in, INPUT_SIZE - s->avail_in);
        if (got < 0 && errno != EINTR)
            return f0t_fail_errno(errno, "%s: cannot be read", s->name);
        if (got == 0)
            break;
        s->avail_in += got > 0 ? (size_t)got : 0;
        s->consumed += got > 0 ? (uint64_t)got : 0;
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

static f0t_status start_gzip(f0t_stream *s)
{
    F0T_TRY(fill_input(s, 2)); /* a pipe may give one byte at first */
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
    s->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0 || fstat(s->fd, &info) != 0)
        return f0t_fail_errno(errno, "%s", path);
    if (S_ISDIR(info.st_mode))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: is a folder, a file is wanted", path);
    s->size = S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
    F0T_TRY(f0t_alloc(&s->input, INPUT_SIZE, 1));
    return start_gzip(s);
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
    f0t_status status = start_gzip(s);
    if (status != F0T_OK)
        f0t_stream_close(s);
    else
        *out = s;
    return status;
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
    return F0T_OK;
}

/* More text behind text[end). Keeps a byte free for the 0 behind a line. */
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
    F0T_TRY((s->gzip ? read_gzip : read_plain)(s, s->text + s->end, room, &got));
    s->end += got;
    s->at_end = got == 0;
    return F0T_OK;
}

f0t_status f0t_stream_read(f0t_stream *s, void *to, size_t size, size_t *got)
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

f0t_status f0t_stream_line(f0t_stream *s, char **line, size_t *length)
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
        F0T_TRY(f0t_stream_read(s, *out + *size, capacity - *size - 1, &got));
        *size += got;
        if (*size > most)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: is over %zu bytes long", s->name, most);
    } while (got);
    (*out)[*size] = '\0';
    return F0T_OK;
}

f0t_status f0t_stream_read_all(f0t_stream *s, char **out, size_t *size, size_t most)
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

f0t_status f0t_file_read(char **out, size_t *size, const char *path, size_t most)
{
    f0t_stream *s;
    *out = NULL;
    *size = 0;
    F0T_TRY(f0t_stream_open(&s, path));
    f0t_status status = f0t_stream_read_all(s, out, size, most);
    f0t_stream_close(s);
    return status;
}
