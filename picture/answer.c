#include "picture.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void answer_add(answer *to, const char *text, size_t length)
{
    char *data = realloc(to->data, to->length + length + 1);
    if (!data)
        exit(1);
    if (length)
        memcpy(data + to->length, text, length);
    to->data = data;
    to->length += length;
}

void answer_fail(answer *to, f0t_status status, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    to->status = status;
    to->length = 0;
    answer_add(to, line, strlen(line));
}

/* ---- Files -------------------------------------------------------------------------------------- */

static bool get_size(answer *to, int fd, size_t *size)
{
    struct stat info;
    if (fstat(fd, &info) != 0) {
        answer_fail(to, F0T_ERROR_IO, "%s", strerror(errno));
        return false;
    }
    *size = (size_t)info.st_size;
    return true;
}

void *picture_file_read(answer *to, int fd, size_t *length)
{
    size_t size;
    *length = 0;
    if (!get_size(to, fd, &size))
        return NULL;
    if (size > F0T_PICTURE_TEXT_MAX) {
        answer_fail(to, F0T_ERROR_UNSUPPORTED, "has more than %u MB", F0T_PICTURE_TEXT_MAX >> 20);
        return NULL;
    }
    char *data = malloc(size + 1);
    ssize_t got = 0;
    while (data && *length < size &&
           ((got = pread(fd, data + *length, size - *length, (off_t)*length)) > 0 ||
            (got < 0 && errno == EINTR)))
        *length += got > 0 ? (size_t)got : 0;
    if (!data || got < 0) {
        answer_fail(to, F0T_ERROR_IO, "%s", strerror(errno));
        free(data);
        return NULL;
    }
    return data;
}

void *picture_file_map(answer *to, int fd, size_t *length)
{
    if (!get_size(to, fd, length))
        return NULL;
    void *data = *length ? mmap(NULL, *length, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (data != MAP_FAILED)
        return data;
    if (*length)
        answer_fail(to, F0T_ERROR_MEMORY, "is too large to be read: %s", strerror(errno));
    else
        answer_fail(to, F0T_ERROR_FORMAT, "is empty");
    return NULL;
}

void picture_file_unmap(void *data, size_t length)
{
    if (data)
        munmap(data, length);
}
