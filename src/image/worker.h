/*
 * A worker: one run of the program fast0tag-picture, which decodes pictures and reads and merges
 * metadata for one thread. It is started when it is first needed; where it dies, by its limits or by
 * a picture that it cannot bear, that picture fails and the next starts it again.
 */
#ifndef F0T_IMAGE_WORKER_H
#define F0T_IMAGE_WORKER_H

#include "base/status.h"

typedef struct f0t_worker f0t_worker;

/* The path of the program, the caller's to free: $F0T_PICTURE, or fast0tag-picture beside the library or the
 * running program, or in libexec/fast0tag of their prefix. Fails with F0T_ERROR_NOT_FOUND when it is nowhere,
 * as f0t_worker_create does. */
f0t_status f0t_worker_program(char **path);

f0t_status f0t_worker_create(f0t_worker **out);
void f0t_worker_free(f0t_worker *worker);
/* What a picture may cost from now on: pixels, and seconds of processor time; 0: what the protocol says. */
void f0t_worker_limit(f0t_worker *worker, size_t pixels, size_t seconds);

/* Pixels, three bytes each (sRGB), row by row. They are the worker's until its next call. */
typedef struct f0t_picture {
    size_t width, height;
    const uint8_t *rgb;
    /* Where a source has `extra`: what it gets. */
    int64_t taken;
    uint32_t whole_width, whole_height;
    const uint8_t *thumbnail;
    size_t thumbnail_size;
} f0t_picture;

/* The picture at `path`, upright, transparency on white; shrunk by a whole number where its shorter side
 * is at least twice `side`, so that it stays at least `side`. Its colours are sRGB; where `plain`, they
 * are what the file has, whatever its colour profile says. */
f0t_status f0t_worker_decode(f0t_picture *out, f0t_worker *worker, const char *path, size_t side,
                             bool plain);

/* What a catalogue keeps of a picture. */
typedef struct f0t_picture_extra {
    int64_t taken;          /* seconds since 1970 by the clock of the camera, or F0T_NO_DATE */
    uint32_t width, height; /* upright; 0: it has no size of its own */
    uint8_t *thumbnail;     /* [thumbnail_size] a JPEG, to be freed; NULL: none */
    size_t thumbnail_size;
} f0t_picture_extra;

/* A picture: the file at `path`, or, where `data` is not NULL, the bytes of one. Then `path` is what it is
 * called: in messages, and by its ending, which tells cameras' raw files and SVG. */
typedef struct f0t_picture_source {
    const char *path;
    const void *data; /* [size]; the caller's, and stays */
    size_t size;
    f0t_failure *failure; /* or NULL: where f0t_backbone_run_sources leaves why it cannot be read */
    f0t_picture_extra *extra; /* or NULL: where it leaves these */
} f0t_picture_source;

f0t_status f0t_worker_decode_source(f0t_picture *out, f0t_worker *worker,
                                    const f0t_picture_source *source, size_t side, bool plain);

/* Asks for a picture that the next f0t_worker_decode_source will want: the process decodes it meanwhile. What
 * was decoded last stays as it is. A failure shows with that next call. */
void f0t_worker_expect(f0t_worker *worker, const f0t_picture_source *source, size_t side,
                       bool plain);
/* Nothing is expected any more. */
void f0t_worker_expect_none(f0t_worker *worker);

/* The keywords of a picture, or of a sidecar (NAME.xmp): lines, each a source, a tab and a keyword, a word
 * or a path ("People|woman"). Sources: xmp, hierarchy, digikam, microsoft, iptc, svg; ours for tags that
 * f0t_worker_merge put there, carried for keywords of the person that it put there too. `*text` is the
 * worker's until its next call, NUL-terminated. */
f0t_status f0t_worker_keywords(const char **text, size_t *length, f0t_worker *worker,
                               const char *path);

/* XMP with other tags of ours than before. All is the worker's until its next call. */
typedef struct f0t_xmp_merged {
    const char *text;
    size_t length;      /* 0 where it changed: nothing but ours was in it */
    bool changed;       /* whether it differs from what was there */
    const char *change; /* lines: "-word" for one that goes, "+word" for one that comes */
} f0t_xmp_merged;

/* What the sidecar at `path` (it need not exist) is after these lines (protocol.h): "+tag" are ours in place
 * of those of the last time, "=keyword" are the person's, which every list that is made takes up, and "-"
 * takes all of ours away. Nothing is written. */
f0t_status f0t_worker_merge(f0t_xmp_merged *out, f0t_worker *worker, const char *path,
                            const char *lines);

/* The same for a packet, text[length], that is embedded in the picture at `path`; length 0: none is. */
f0t_status f0t_worker_embed(f0t_xmp_merged *out, f0t_worker *worker, const char *path,
                            const char *lines, const char *text, size_t length);

#endif
