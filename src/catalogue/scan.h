/* What is to be done with pictures: those on the disk compared with those of the catalogue. */
#ifndef F0T_CATALOGUE_SCAN_H
#define F0T_CATALOGUE_SCAN_H

#include "base/interner.h"
#include "catalogue/catalogue.h"

/* A file as the system shows it. */
typedef struct f0t_file_stamp {
    uint64_t bytes;
    int64_t mtime; /* nanoseconds */
    uint64_t
        seen; /* a hash of size, mtime and ctime, never 0: ctime shows a file that was put in the place
                          of another of the same size and mtime. Inode numbers change with each mount of some disks */
    uint64_t sidecars; /* f0t_sidecars_stamp */
} f0t_file_stamp;

/* Without `sidecars`. False, with errno set, where there is no such file. */
bool f0t_file_stamp_get(f0t_file_stamp *out, const char *path);

/* A hash of the sizes and times of the XMP sidecars of a picture, PATH.xmp and PATH with .xmp in place of its ending; 0: it
 * has none. */
f0t_status f0t_sidecars_stamp(uint64_t *out, const char *path);
/* Dates a sidecar a microsecond later, as far as the file system keeps that, so that the stamp is another. */
f0t_status f0t_sidecars_postdate(const char *path);

/* A hash of all bytes of a file, never 0. */
f0t_status f0t_file_hash(uint64_t *out, const char *path);

typedef enum f0t_scan_work {
    F0T_SCAN_READ,     /* everything: it is new, has changed, or has no features */
    F0T_SCAN_KEYWORDS, /* its sidecars have changed */
    F0T_SCAN_SCORE,    /* the model is another one */
    F0T_SCAN_NOTHING   /* it is known to be what it was (catalogue/identity.h) */
} f0t_scan_work;

typedef struct f0t_scan_item {
    size_t path; /* in `paths` */
    int64_t id;  /* the picture that the catalogue has at this path; 0: none */
    f0t_scan_work work;
    f0t_file_stamp stamp;
    bool
        changed; /* the file is not the one that the catalogue saw there, or was not readable then */
    bool moved;  /* the picture was at another path before */
    bool doubtful; /* other content than the picture had: edited, or another picture */
    bool failed;   /* its content could not be read */
    uint64_t hash; /* of its content; 0: not known */
} f0t_scan_item;

typedef struct f0t_scan_seen {
    int64_t id;
    uint64_t seen;
} f0t_scan_seen;

typedef struct f0t_scan {
    f0t_texts paths;
    f0t_scan_item *items; /* [count] in the order of their paths */
    size_t count, capacity;
    int64_t *gone; /* [gone_count] pictures whose files are not there any more, by their ids */
    size_t gone_count, gone_capacity;
    int64_t *back; /* [back_count] pictures that were missing and are as they were */
    size_t back_count, back_capacity;
    f0t_scan_seen
        *seen; /* [seen_count] pictures as they were whose stamp an older version did not keep */
    size_t seen_count, seen_capacity;
    size_t found, unchanged,
        unreadable; /* pictures: all; as they were; not readable then, and the same since */
} f0t_scan;

/* Compares what is at these paths, which must exist; without any, finds what has no suggestions of the model. `again`: pictures that could not be read are to be read once more. */
f0t_status f0t_scan_run(f0t_scan *scan, f0t_catalogue *catalogue, const char *const *paths,
                        size_t count, bool again, const f0t_monitor *monitor);
void f0t_scan_free(f0t_scan *scan);

static inline const char *f0t_scan_path(const f0t_scan *scan, const f0t_scan_item *item)
{
    return f0t_texts_get(&scan->paths, item->path);
}

#endif
