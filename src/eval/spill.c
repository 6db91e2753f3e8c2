#include "eval/spill.h"

#include "base/alloc.h"
#include "base/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

f0t_status f0t_spill_create(f0t_spill *spill, size_t rows, size_t columns, size_t limit)
{
    size_t fit = columns ? limit / sizeof(float) / columns : rows;
    *spill = (f0t_spill){.columns = columns, .memory_rows = rows < fit ? rows : fit, .file = -1};
    return f0t_alloc(&spill->memory, spill->memory_rows * columns, sizeof *spill->memory);
}

void f0t_spill_free(f0t_spill *spill)
{
    f0t_free(spill->memory);
    if (spill->file >= 0)
        close(spill->file);
    *spill = (f0t_spill){.file = -1};
}

static f0t_status open_file(f0t_spill *spill)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    if (spill->file >= 0)
        return F0T_OK;
    if (!folder || !*folder)
        folder = "/var/tmp"; /* /tmp may be memory, which is what there is too little of */
    int length = snprintf(path, sizeof path, "%s/fast0tag-scores.XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof path)
        return f0t_fail(F0T_ERROR_IO, "TMPDIR: its name is too long");
    spill->file = mkostemp(path, O_CLOEXEC);
    if (spill->file < 0)
        return f0t_fail_errno(errno, "%s: a temporary file for scores could not be made", folder);
    unlink(path);
    return F0T_OK;
}

static f0t_status write_file(const f0t_spill *spill, const float *rows, size_t first, size_t count)
{
    const char *from = (const char *)rows;
    size_t left = count * spill->columns * sizeof *rows;
    off_t at = (off_t)((first - spill->memory_rows) * spill->columns * sizeof *rows);
    while (left) {
        errno = EIO;
        ssize_t n = f0t_fault_hit(F0T_FAULT_WRITE) ? -1 : pwrite(spill->file, from, left, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return f0t_fail_errno(errno, "a temporary file for scores could not be written");
        from += n;
        at += n;
        left -= (size_t)n;
    }
    return F0T_OK;
}

f0t_status f0t_spill_add(f0t_spill *spill, const float *rows, size_t count)
{
    size_t room = spill->rows < spill->memory_rows ? spill->memory_rows - spill->rows : 0;
    size_t kept = count < room ? count : room;
    if (kept)
        memcpy(spill->memory + spill->rows * spill->columns, rows,
               kept * spill->columns * sizeof *rows);
    if (kept < count) {
        F0T_TRY(open_file(spill));
        F0T_TRY(write_file(spill, rows + kept * spill->columns, spill->rows + kept, count - kept));
    }
    spill->rows += count;
    return F0T_OK;
}

static f0t_status read_file(const f0t_spill *spill, float *to, size_t first, size_t count)
{
    char *at = (char *)to;
    size_t left = count * spill->columns * sizeof *to;
    off_t from = (off_t)((first - spill->memory_rows) * spill->columns * sizeof *to);
    while (left) {
        ssize_t n = pread(spill->file, at, left, from);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return f0t_fail_errno(n < 0 ? errno : EIO,
                                  "a temporary file for scores could not be read");
        at += n;
        from += n;
        left -= (size_t)n;
    }
    return F0T_OK;
}

f0t_status f0t_spill_read(float *to, const f0t_spill *spill, size_t first, size_t count)
{
    size_t room = first < spill->memory_rows ? spill->memory_rows - first : 0;
    size_t kept = count < room ? count : room;
    if (count == 0)
        return F0T_OK;
    if (kept)
        memcpy(to, spill->memory + first * spill->columns, kept * spill->columns * sizeof *to);
    return kept < count ? read_file(spill, to + kept * spill->columns, first + kept, count - kept)
                        : F0T_OK;
}
