/*
 * The raw files of cameras: the preview that the camera put into them, a JPEG in the camera's own
 * colours. To develop the sensor's values would take seconds for each picture, and tags are told by
 * what the photographer saw.
 */
#include "picture.h"

#include <libraw/libraw.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* Told by the name: most of these are TIFF inside, which other readers would take for the picture. */
static const char *const endings[] = {F0T_PICTURE_RAW_ENDINGS};

bool raw_is_named(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (!strcasecmp(dot, endings[i]))
            return true;
    return false;
}

/* A file that libraw reads, in memory. */
typedef struct raw_file {
    void *data;
    size_t length;
    libraw_data_t *raw;
} raw_file;

static void close_raw(raw_file *file)
{
    if (file->raw)
        libraw_close(file->raw);
    picture_file_unmap(file->data, file->length);
}

/* Both are to be closed either way. */
static bool map_raw(answer *to, raw_file *file, int fd)
{
    *file = (raw_file){0};
    file->data = picture_file_map(to, fd, &file->length);
    return file->data != NULL;
}

static bool open_raw(answer *to, raw_file *file)
{
    file->raw = libraw_init(0);
    const int failed = file->raw ? libraw_open_buffer(file->raw, file->data, file->length)
                                 : LIBRAW_UNSUFFICIENT_MEMORY;
    if (failed)
        answer_fail(to, F0T_ERROR_FORMAT, "cannot be read as a camera's raw file: %s",
                    libraw_strerror(failed));
    return !failed;
}

/* libraw's turns are those of dcraw: 3 half a turn, 5 to the left, 6 to the right; EXIF's numbers. */
static int orientation_of(const libraw_data_t *raw)
{
    return raw->sizes.flip == 3 ? 3 : raw->sizes.flip == 5 ? 8 : raw->sizes.flip == 6 ? 6 : 1;
}

/* libraw takes the clock of the camera for one of this machine's time zone. */
static int64_t date_of(const libraw_data_t *raw)
{
    struct tm clock;
    return raw->other.timestamp > 0 && localtime_r(&raw->other.timestamp, &clock) ? timegm(&clock)
                                                                                  : F0T_NO_DATE;
}

static void take(answer *to, preview *out, const libraw_data_t *raw)
{
    const libraw_thumbnail_t *thumb = &raw->thumbnail;
    const size_t pixels = (size_t)thumb->twidth * thumb->theight;
    const bool jpeg = thumb->tformat == LIBRAW_THUMBNAIL_JPEG;
    const bool bitmap = thumb->tformat == LIBRAW_THUMBNAIL_BITMAP && thumb->tcolors == 3 &&
                        pixels && thumb->tlength >= 3 * pixels;
    if (!thumb->thumb || !thumb->tlength || (!jpeg && !bitmap)) {
        answer_fail(to, F0T_ERROR_UNSUPPORTED, "has no preview that can be read");
        return;
    }
    out->data = malloc(thumb->tlength);
    if (!out->data) {
        answer_fail(to, F0T_ERROR_MEMORY, "no memory for its preview");
        return;
    }
    memcpy(out->data, thumb->thumb, thumb->tlength);
    out->length = thumb->tlength;
    out->width = jpeg ? 0 : thumb->twidth;
    out->height = jpeg ? 0 : thumb->theight;
    out->orientation = orientation_of(raw);
    out->taken = date_of(raw);
}

bool raw_preview(answer *to, preview *out, int fd)
{
    raw_file file;
    *out = (preview){0};
    if (map_raw(to, &file, fd) && open_raw(to, &file)) {
        const int failed = libraw_unpack_thumb(file.raw);
        if (failed)
            answer_fail(to, F0T_ERROR_UNSUPPORTED, "has no preview that can be read: %s",
                        libraw_strerror(failed));
        else
            take(to, out, file.raw);
    }
    close_raw(&file);
    return out->data != NULL;
}

static void find_metadata(embedded *out, const raw_file *file)
{
    const void *jpeg;
    size_t length;
    if (raw_find_jpeg(&jpeg, &length, file->data, file->length))
        decode_jpeg_metadata(out, jpeg, length);
    else
        embedded_find(out, file->data, file->length);
}

/* libraw knows no IPTC, and XMP in more places than we do. */
bool raw_metadata(answer *to, embedded *out, int fd)
{
    raw_file file;
    *out = (embedded){0};
    if (map_raw(to, &file, fd)) {
        find_metadata(out, &file);
        if (!out->xmp && open_raw(to, &file) && file.raw->idata.xmpdata)
            embedded_keep_xmp(out, file.raw->idata.xmpdata, file.raw->idata.xmplen);
    }
    close_raw(&file);
    if (to->status != F0T_OK)
        embedded_free(out);
    return to->status == F0T_OK;
}
