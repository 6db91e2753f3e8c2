/* The XMP packet of JPEG and PNG files: found inside the file, or a place for it; and whether the file would pass as a
 * thumbnail, which has none. */
#include "fuzz.h"

#include "image/packet.h"
#include "image/thumbnail.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_xmp_packet p;
    const bool plain = f0t_thumbnail_is_plain(data, size);
    if (f0t_xmp_packet_find(&p, data, size, "fuzz") != F0T_OK)
        return 0;
    const uint8_t *text = (const uint8_t *)p.text;
    if (plain && p.length)
        abort();
    if (p.begin > p.end || p.end > size || (p.length == 0) != (p.begin == p.end))
        abort();
    if (p.length && (text < data + p.begin || text + p.length > data + p.end))
        abort();
    return 0;
}
