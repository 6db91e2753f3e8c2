/*
 * Features of pictures, kept from one command for the next: a file of records (feature_file.h) for each backbone
 * in a folder that may be removed at any time. Whatever is wrong with it, features are made as without it.
 */
#ifndef F0T_IMAGE_CACHE_H
#define F0T_IMAGE_CACHE_H

#include "image/feature_file.h"

typedef struct f0t_feature_cache f0t_feature_cache;

/* Opens the file for features of this backbone (what tells it from all others), which is made where it is
 * missing and begun anew where it is damaged. *out is NULL where that cannot be: while another process
 * works with it, or where nothing can be written. Fails for want of memory alone. */
f0t_status f0t_feature_cache_open(f0t_feature_cache **out, const char *folder, size_t dim,
                                  const char *backbone);
void f0t_feature_cache_close(f0t_feature_cache *cache);

/* The state of a picture before it is read. */
typedef struct f0t_feature_cache_key {
    f0t_picture_stamp stamp;
    bool lasting; /* false: it may change once more without a trace, or is not there */
} f0t_feature_cache_key;

/* The features of a picture in its present state; false where they are not here. Sets *key for
 * f0t_feature_cache_put, which keeps them once they are made, while there is room. Any number of threads
 * may call both: those that get do not wait for each other. */
bool f0t_feature_cache_get(f0t_feature_cache_key *key, float *row, f0t_feature_cache *cache,
                           const char *picture);
void f0t_feature_cache_put(f0t_feature_cache *cache, const f0t_feature_cache_key *key,
                           const float *row);

#endif
