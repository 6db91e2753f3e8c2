/*
 * Features that were made so far: DATASET.part, a record a picture, which a run that was interrupted
 * leaves for the next. A record counts when it is whole and the picture has not changed since.
 */
#ifndef F0T_IMAGE_PART_H
#define F0T_IMAGE_PART_H

#include "base/status.h"

typedef struct f0t_part f0t_part;

/* Opens or creates the file at `path` for features of this backbone (its description). What is there and
 * is no such file, or of another backbone, is refused and left alone; so is one that another process works
 * with. */
f0t_status f0t_part_open(f0t_part **out, const char *path, size_t dim, const char *backbone);
/* The same, for a file that may be large: numbers are looked at when they are read, not before. */
f0t_status f0t_part_open_quick(f0t_part **out, const char *path, size_t dim, const char *backbone);
/* The file stays, or goes. */
void f0t_part_close(f0t_part *part, bool remove);

/* What tells one state of a picture from another; false when it is not there. */
typedef struct f0t_stamp {
    uint64_t key[2];
} f0t_stamp;
bool f0t_stamp_get(f0t_stamp *stamp, const char *picture);

/* The number of the record of this state of a picture, or F0T_NONE. */
size_t f0t_part_find(const f0t_part *part, const f0t_stamp *stamp);
size_t f0t_part_count(const f0t_part *part);
/* Bytes of each. */
size_t f0t_part_record_size(const f0t_part *part);
f0t_status f0t_part_read(const f0t_part *part, size_t record, float *row);
f0t_status f0t_part_add(f0t_part *part, const f0t_stamp *stamp, const float *row);

#endif
