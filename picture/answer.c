#include "picture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int picture_file_open(answer *to, const char *path, size_t *size)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &info) != 0)
        answer_fail(to, errno == ENOENT ? F0T_ERROR_NOT_FOUND : F0T_ERROR_IO, "%s",
                    strerror(errno));
    else if (!S_ISREG(info.st_mode))
        answer_fail(to, F0T_ERROR_UNSUPPORTED,
                    S_ISDIR(info.st_mode) ? "is a directory" : "is no ordinary file");
    else
        *size = (size_t)info.st_size;
    if (fd >= 0 && to->status != F0T_OK) {
        close(fd);
        return -1;
    }
    return fd;
}

static void *read_open(answer *to, int fd, size_t size, size_t *length)
{
    if (size > F0T_PICTURE_TEXT_MAX) {
        answer_fail(to, F0T_ERROR_UNSUPPORTED, "has more than %u MB", F0T_PICTURE_TEXT_MAX >> 20);
        return NULL;
    }
    char *data = malloc(size + 1);
    ssize_t got = 0;
    while (data && *length < size && (got = read(fd, data + *length, size - *length)) > 0)
        *length += (size_t)got;
    if (!data || got < 0) {
        answer_fail(to, F0T_ERROR_IO, "%s", strerror(errno));
        free(data);
        return NULL;
    }
    return data;
}

void *picture_file_read(answer *to, const char *path, size_t *length)
{
    size_t size = 0;
    *length = 0;
    const int fd = picture_file_open(to, path, &size);
    if (fd < 0) {
        if (to->status == F0T_ERROR_NOT_FOUND)
            *to = (answer){.status = F0T_OK, .data = to->data};
        return NULL;
    }
    void *data = read_open(to, fd, size, length);
    close(fd);
    return data;
}
