/* What fuzz targets need that use files, or a collection to work with. */
#ifndef F0T_TESTS_FUZZ_SCRATCH_H
#define F0T_TESTS_FUZZ_SCRATCH_H

#include "fast0tag.h"

#include <stdio.h>
#include <stdlib.h>

/* What the target itself does must succeed. */
static inline void need(bool fine)
{
    if (!fine) {
        fprintf(stderr, "%s\n", f0t_last_error());
        abort();
    }
}

/* A folder of its own, in memory where that can be: the caller removes it. */
static inline void make_folder(char *folder, size_t size)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, size, "%s/f0t-fuzz-XXXXXX", temporary ? temporary : "/dev/shm");
    if (!mkdtemp(folder)) {
        snprintf(folder, size, "/tmp/f0t-fuzz-XXXXXX");
        need(mkdtemp(folder) != NULL);
    }
}

enum { WINDS = 4, WIND_IMAGES = 20, WIND_FEATURES = 3 };
static const char *const wind_names[WINDS] = {"east", "north", "west", "south"};

/* Twenty images, one tag each, of the parts that the caller has; `unseen` may be NULL. */
static inline f0t_dataset *open_winds(const uint8_t split[WIND_IMAGES], const bool *unseen)
{
    static float features[WIND_IMAGES * WIND_FEATURES];
    static uint8_t labels[WIND_IMAGES * WINDS];
    f0t_dataset *dataset;
    for (size_t i = 0; i < WIND_IMAGES; i++) {
        labels[i * WINDS + i % WINDS] = 1;
        for (size_t k = 0; k < WIND_FEATURES; k++)
            features[i * WIND_FEATURES + k] = (float)((i * 7 + k * 5) % 11) - 5;
    }
    const f0t_dataset_arrays arrays = {.size = sizeof arrays,
                                       .images = WIND_IMAGES,
                                       .features = features,
                                       .dim = WIND_FEATURES,
                                       .tags = wind_names,
                                       .tag_count = WINDS,
                                       .labels = labels,
                                       .unseen = unseen,
                                       .split = split};
    need(f0t_dataset_open_arrays(&dataset, &arrays, NULL, NULL) == F0T_OK);
    return dataset;
}

#endif
