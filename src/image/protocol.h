/*
 * What the library and the program fast0tag-picture say to each other over a socket: a greeting, then requests
 * and their replies, one after the other. Pictures and metadata come from anywhere, and the libraries that
 * read them are large: they run in that program alone, which has limits on memory and time, has given up
 * its rights (picture/sandbox.h) and may die without harm. It opens no file that a request names: the library does,
 * and sends the descriptor.
 */
#ifndef F0T_IMAGE_PROTOCOL_H
#define F0T_IMAGE_PROTOCOL_H

#include <stdint.h>

/* Pixels of a picture at most, before (a request may ask for less) and after it is shrunk; its processor time
 * where a request does not say; bytes of a picture in memory, of a path, of
 * metadata; keywords of a file. */
#define F0T_PICTURE_PIXELS_MAX 400000000U
#define F0T_PICTURE_SECONDS 30U
/* Processor time of a process in all, after which the kernel ends it; the library does when half of it is used. */
#define F0T_PICTURE_LIFE 600U
#define F0T_PICTURE_SHRUNK_MAX 67108864U
#define F0T_PICTURE_BYTES_MAX 2147483647U
#define F0T_PICTURE_PATH_MAX 65536U
#define F0T_PICTURE_TEXT_MAX 16777216U
#define F0T_PICTURE_KEYWORDS_MAX 4096U
/* Bytes of the text of a request: lines, and a sidecar. */
#define F0T_PICTURE_REQUEST_MAX (2 * F0T_PICTURE_TEXT_MAX)
/* The longer side of a picture after it is shrunk: to bring a line of pixels to the size that is wanted takes
 * the other side's time. */
#define F0T_PICTURE_SIDE_MAX 65536U
/* The longer side of a thumbnail, and its bytes, at most. */
#define F0T_PICTURE_THUMBNAIL_SIDE 256
#define F0T_PICTURE_THUMBNAIL_MAX 1048576U

/* How the names of cameras' raw files end, of which the preview is read. */
#define F0T_PICTURE_RAW_ENDINGS                                                                 \
    ".3fr", ".arw", ".cr2", ".cr3", ".crw", ".dcr", ".dng", ".erf", ".fff", ".iiq", ".k25",     \
        ".kdc", ".mef", ".mos", ".mrw", ".nef", ".nrw", ".orf", ".pef", ".raf", ".rw2", ".rwl", \
        ".sr2", ".srf", ".srw", ".x3f"

/* What a process is for, its first argument. Each has the rights that it needs (picture/sandbox.c). */
#define F0T_PICTURE_ROLE_DECODE "decode" /* pixels and keywords of all formats but */
#define F0T_PICTURE_ROLE_BITMAP "bitmap" /* BMP: ImageMagick loads a hundred files for it */
#define F0T_PICTURE_ROLE_MERGE "merge"   /* XMP with other tags in it */
/* The second argument where a process that cannot give up its rights is to end. */
#define F0T_PICTURE_REQUIRE "require-sandbox"

/* The first bytes of a process, before it has seen any request. */
#define F0T_PICTURE_GREETING 0x46305403U /* changes with this file */
typedef struct f0t_picture_greeting {
    uint32_t greeting;
    uint32_t confined; /* 1: it has given up its rights */
} f0t_picture_greeting;

typedef enum f0t_picture_kind {
    F0T_PICTURE_DECODE = 1,   /* the pixels of the picture whose descriptor comes along */
    F0T_PICTURE_KEYWORDS = 2, /* the keywords that it, or a sidecar, carries */
    F0T_PICTURE_MERGE = 3,    /* a sidecar's text, after the lines and a NUL, with new tags */
    F0T_PICTURE_EMBED = 4     /* the same of a packet that is embedded in a picture */
} f0t_picture_kind;

/* Then the path and the text, neither NUL-terminated; the descriptor (SCM_RIGHTS) comes with the first byte. The path
 * is what the file is called: its ending tells raw files, SVG and sidecars. The text of a merge begins with lines: "+" and a tag that is
 * to be ours, "!" and one that is, also where somebody took it away, "=" and a keyword that a person gave the picture, wherever it is written, or "-": nothing of
 * ours is to stay. Tags and keywords are words, or paths of them ("People|woman"). */
typedef struct f0t_picture_request {
    uint32_t kind;
    uint32_t side;    /* of a picture to decode: its shorter side stays this long at the least */
    uint32_t plain;   /* 1: colours stay as they are in the file, whatever its profile says */
    uint32_t pixels;  /* of a picture at most; 0: F0T_PICTURE_PIXELS_MAX */
    uint32_t seconds; /* of processor time at most; 0: F0T_PICTURE_SECONDS */
    uint32_t
        details; /* 1: f0t_picture_details and a thumbnail, a JPEG in sRGB, follow the pixels */
    uint32_t path_length;
    uint32_t text_length;
} f0t_picture_request;

typedef struct f0t_picture_details {
    int64_t taken; /* seconds since 1970 by the clock of the camera; F0T_NO_DATE (fast0tag.h) */
    uint32_t width, height; /* of the whole picture, upright; 0: it has no size of its own */
    uint32_t thumbnail;     /* bytes that follow; 0: none could be made */
    uint32_t zero;
} f0t_picture_details;

/* Then `length` bytes. Of a picture: width * height pixels of three bytes (sRGB), row by row. Of
 * keywords: lines, each a source, a tab and a keyword; the source "removed" is of tags of ours that somebody took away. Of a merge: the new sidecar or packet, and `width` is
 * 1 where it differs from the old one; then its last `height` bytes are lines that say how, "-tag" and
 * "+tag"; no byte before them: nothing but ours was in it. Where status is not F0T_OK (fast0tag.h): a message. */
typedef struct f0t_picture_reply {
    uint32_t status;
    uint32_t width, height;
    uint32_t length;
} f0t_picture_reply;

#endif
