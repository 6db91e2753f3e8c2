/*
 * A file of features, one record per picture: DATASET.part, which a run that was interrupted leaves for the
 * next, and the files of the cache. A record counts when it is whole and the picture has not changed since.
 */
#ifndef F0T_IMAGE_FEATURE_FILE_H
#define F0T_IMAGE_FEATURE_FILE_H

#include "base/status.h"

typedef struct f0t_feature_file f0t_feature_file;

/* Opens or creates the file at `path` for features of this backbone (its description). What is there and
 * is no such file, or of another backbone, is refused and left alone; so is one that another process works
 * with. */
f0t_status f0t_feature_file_open(f0t_feature_file **out, const char *path, size_t dim,
                                 const char *backbone);
/* The same, for a file that may be large: numbers are looked at when they are read, not before. */
f0t_status f0t_feature_file_open_quick(f0t_feature_file **out, const char *path, size_t dim,
                                       const char *backbone);
/* The file stays, or goes. */
void f0t_feature_file_close(f0t_feature_file *features, bool remove);

/* What tells one state of a picture from another; false when it is not there. */
typedef struct f0t_picture_stamp {
    uint64_t key[2];
} f0t_picture_stamp;
bool f0t_picture_stamp_get(f0t_picture_stamp *stamp, const char *picture);

/* The number of the record of this state of a picture, or F0T_NONE. */
size_t f0t_feature_file_find(const f0t_feature_file *features, const f0t_picture_stamp *stamp);
size_t f0t_feature_file_count(const f0t_feature_file *features);
/* Bytes of each. */
size_t f0t_feature_file_record_size(const f0t_feature_file *features);
/* Many threads may find and read at once, while none adds. */
f0t_status f0t_feature_file_read(float *row, const f0t_feature_file *features, size_t record);
f0t_status f0t_feature_file_add(f0t_feature_file *features, const f0t_picture_stamp *stamp,
                                const float *row);

#endif
