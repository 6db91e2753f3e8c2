/*
 * The XMP packet inside a JPEG or PNG file: where it is, or would be, and the file with another one.
 * All other bytes of the file stay as they are. exempi can do this too, but only in a file that it may
 * write, and it changes what it knows of EXIF and IPTC on the way.
 */
#ifndef F0T_IMAGE_PACKET_H
#define F0T_IMAGE_PACKET_H

#include "io/file.h"

typedef struct f0t_xmp_packet {
    bool is_png;
    size_t begin,
        end;          /* bytes of the file that a new packet takes the place of: none where equal */
    const char *text; /* the packet that is there, in the file's bytes */
    size_t length;    /* 0: there is none */
} f0t_xmp_packet;

/* Fails where the file is neither JPEG nor PNG, is cut, or has a packet that cannot be replaced without
 * loss. `name` is for messages. */
f0t_status f0t_xmp_packet_find(f0t_xmp_packet *packet, const void *data, size_t size,
                               const char *name);

/* Writes the file that data[size] becomes with this packet; length 0: with none. */
f0t_status f0t_xmp_packet_write(f0t_writer *writer, const f0t_xmp_packet *place, const void *data,
                                size_t size, const char *text, size_t length, const char *name);

#endif
