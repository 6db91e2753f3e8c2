/* The program fast0tag-picture: reads pictures and their metadata for the library, which talks to it
 * over standard input and output (src/image/protocol.h). */
#ifndef F0T_PICTURE_H
#define F0T_PICTURE_H

#include "fast0tag.h"
#include "image/protocol.h"

#include <stdbool.h>
#include <stddef.h>

/* What becomes a reply. `data` is freed with free(). */
typedef struct answer {
    f0t_status status;
    size_t width, height;
    char *data;
    size_t length;
    size_t keywords; /* lines of them */
} answer;

/* answer.c. A failure with one line of text. */
void answer_fail(answer *to, f0t_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds text after the data. */
void answer_add(answer *to, const char *text, size_t length);

/* decode.c: the pixels of a picture; its embedded metadata, NULL where there is none. */
/* One that reads BMP reads nothing else. */
void decode_start(const char *program, bool bitmaps);
/* `name` is what the open file is called, which tells raw files and SVG; the request says how. */
void decode_picture(answer *to, int fd, const char *name, const f0t_picture_request *request);
typedef struct embedded {
    void *xmp, *iptc; /* copies, freed with free() */
    size_t xmp_length, iptc_length;
    bool is_svg;
} embedded;
/* False, with the reason in `to`, when it is no picture. */
bool decode_metadata(answer *to, embedded *out, int fd, const char *name);
/* Adds the XMP and IPTC of a JPEG in memory to what `out` lacks; nothing where it is none. */
void decode_jpeg_metadata(embedded *out, const void *data, size_t length);

/* containers.c: adds the XMP and IPTC of a whole file of JPEG 2000, JPEG XL, GIF, CR3 or TIFF to what `out` lacks. */
void embedded_find(embedded *out, const void *data, size_t length);
/* The same of a text in a PNG file, under its keyword. */
void embedded_of_png_text(embedded *out, const char *keyword, const char *text);
/* Keeps a copy of XMP where there is none yet; nothing of what is no RDF. */
void embedded_keep_xmp(embedded *out, const void *data, size_t length);
void embedded_free(embedded *embedded);
/* The JPEG in a raw file of Fuji (RAF), which has the metadata; false where it is no such file. */
bool raw_find_jpeg(const void **jpeg, size_t *jpeg_length, const void *data, size_t length);

/* raw.c: whether the file is named like a camera's raw file; its preview; its metadata, as
 * decode_metadata gives it. False, with the reason in `to`, where there is none. */
typedef struct preview {
    void *data; /* freed with free() */
    size_t length;
    unsigned width, height; /* of pixels of three bytes; 0: it is a JPEG file */
    int orientation;        /* as EXIF numbers it */
    int64_t taken;          /* as f0t_picture_details has it */
} preview;
bool raw_is_named(const char *name);
bool raw_preview(answer *to, preview *out, int fd);
bool raw_metadata(answer *to, embedded *out, int fd);

/* colour.c: pixels of this profile become sRGB; of none that can be read they stay as they are. */
void colour_to_srgb(unsigned char *rgb, size_t count, const void *data, size_t length);

/* details.c: what the header of a picture says; after its pixels in `to`, the details and a thumbnail of them, whose
 * colours are of this profile (NULL: sRGB). */
struct _VipsImage;
void details_of_header(f0t_picture_details *out, struct _VipsImage *header);
void details_add(answer *to, f0t_picture_details *details, const void *profile, size_t length);

/* metadata.c */
void keywords_read(answer *to, int fd, const char *name);

/* keywords.c: lines of source and keyword, from memory. */
void keywords_of_iptc(answer *to, const void *data, size_t length);
void keywords_of_svg(answer *to, const void *data, size_t length);

/* One such line, where there is a keyword between the blanks. Too many are a failure. */
void answer_keyword(answer *to, const char *source, const char *text, size_t length);

/* xmp.c */
bool xmp_start(void);
void keywords_of_xmp(answer *to, const void *data, size_t length);
/* The packet (length 0: none) as the lines (src/image/protocol.h) want it; no bytes where nothing but
 * ours was in it. `inside`: as it stands in a picture, between the marks that other programs look for. */
void xmp_merge(answer *to, const void *data, size_t length, const char *lines, size_t lines_length,
               bool inside);

/* answer.c: a whole file of at most F0T_PICTURE_TEXT_MAX bytes, freed with free(); NULL, with the reason in
 * `to`, when that cannot be. */
void *picture_file_read(answer *to, int fd, size_t *length);
/* The whole file, to be unmapped by picture_file_unmap; NULL, with the reason in `to`, when that cannot be. */
void *picture_file_map(answer *to, int fd, size_t *length);
void picture_file_unmap(void *data, size_t length);

#endif
