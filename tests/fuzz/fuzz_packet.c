/* The XMP packet of JPEG and PNG files: found inside the file, or a place for it; and whether the file would pass as a
 * thumbnail, which has none. Another packet in its place, or none, is what is found afterwards, and all other bytes stay. */
#include "fuzz.h"
#include "scratch.h"

#include "base/alloc.h"
#include "image/packet.h"
#include "image/thumbnail.h"

#include <string.h>
#include <unistd.h>

static char folder[4096], path[sizeof folder + 8];

static void clean(void)
{
    unlink(path);
    rmdir(folder);
}

static void prepare(void)
{
    if (*folder)
        return;
    make_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/new", folder);
    atexit(clean);
}

static char *write_new(size_t *size, const f0t_xmp_packet *p, const uint8_t *data, size_t old,
                       const char *text)
{
    f0t_writer *writer;
    char *new;
    need(f0t_writer_open(&writer, path) == F0T_OK);
    need(f0t_writer_finish(writer, f0t_xmp_packet_write(writer, p, data, old, text, strlen(text),
                                                        "fuzz")) == F0T_OK);
    need(f0t_file_read(&new, size, path, 1 << 24, NULL) == F0T_OK);
    return new;
}

static void check_replaced(const f0t_xmp_packet *p, const uint8_t *data, size_t size,
                           const char *text)
{
    f0t_xmp_packet again;
    size_t length;
    char *new = write_new(&length, p, data, size, text);
    const size_t rest = size - p->end;
    need(f0t_xmp_packet_find(&again, new, length, "fuzz") == F0T_OK);
    if (again.length != strlen(text) || memcmp(again.length ? again.text : "", text, again.length))
        abort();
    if (length < p->begin + rest || memcmp(new, data, p->begin) ||
        (rest && memcmp(new + length - rest, data + p->end, rest)))
        abort();
    f0t_free(new);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_xmp_packet p;
    const bool plain = f0t_thumbnail_is_plain(data, size);
    prepare();
    if (f0t_xmp_packet_find(&p, data, size, "fuzz") != F0T_OK)
        return 0;
    const uint8_t *text = (const uint8_t *)p.text;
    if (plain && p.length)
        abort();
    if (p.begin > p.end || p.end > size || (p.length == 0) != (p.begin == p.end))
        abort();
    if (p.length && (text < data + p.begin || text + p.length > data + p.end))
        abort();
    if (size % 8 == 0) /* writing takes a hundred times as long as reading */
        check_replaced(&p, data, size, size % 16 ? "" : "<x:xmpmeta/>");
    return 0;
}
