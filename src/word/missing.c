#include "word/missing.h"

#include "base/alloc.h"
#include "base/monitor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A tag without a vector. */
typedef struct missing_tag {
    size_t images;
    uint32_t tag;
} missing_tag;

/* What images lose. */
typedef struct loss {
    size_t some, all; /* images: with a tag missing, with no other tag */
} loss;

/* Those of most images first; equal ones in the dataset's order. */
static int compare(const void *a, const void *b)
{
    const missing_tag *x = a, *y = b;
    if (x->images != y->images)
        return x->images < y->images ? 1 : -1;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

/* Counts the images of each tag into images[T]. */
static loss count_images(size_t *images, const f0t_dataset *dataset, const bool *missing)
{
    loss lost = {0};
    for (size_t m = 0; m < f0t_dataset_image_count(dataset); m++) {
        size_t count, gone = 0;
        const uint32_t *tags = f0t_dataset_image_tags(&count, dataset, m);
        for (size_t i = 0; i < count; i++) {
            images[tags[i]]++;
            gone += missing[tags[i]];
        }
        lost.some += gone > 0;
        lost.all += gone > 0 && gone == count;
    }
    return lost;
}

/* "photo (1426 images), beach (3), …": as many as fit. */
static void name_tags(char *to, size_t size, const f0t_dataset *dataset, const missing_tag *tags,
                      size_t count)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = f0t_dataset_tag(dataset, tags[i].tag);
        if (used + strlen(name) + 48 >= size) {
            snprintf(to + used, size - used, "%s…", used ? ", " : "");
            return;
        }
        const char *unit = used ? "" : tags[i].images == 1 ? " image" : " images";
        used += (size_t)snprintf(to + used, size - used, "%s%s (%zu%s)", used ? ", " : "", name,
                                 tags[i].images, unit);
    }
}

static void tell(const f0t_dataset *dataset, missing_tag *tags, size_t count, loss lost,
                 size_t asked, const char *consequence, const f0t_monitor *monitor)
{
    char names[600] = "", whole[64] = "";
    qsort(tags, count, sizeof *tags, compare);
    name_tags(names, sizeof names, dataset, tags, count);
    if (lost.all)
        snprintf(whole, sizeof whole, ", %zu of them all of theirs", lost.all);
    f0t_log(monitor, F0T_LOG_WARNING,
            "%zu of %zu tags have no vector %s; %zu of %zu images lose tags%s: %s", count, asked,
            consequence, lost.some, f0t_dataset_image_count(dataset), whole, names);
}

f0t_status f0t_missing_log(const f0t_dataset *dataset, const bool *missing, size_t asked,
                           const char *consequence, const f0t_monitor *monitor)
{
    const size_t all = f0t_dataset_tag_count(dataset);
    size_t count = 0, *images = NULL;
    missing_tag *tags = NULL;
    for (size_t t = 0; t < all; t++)
        count += missing[t];
    if (!count)
        return F0T_OK;
    f0t_status status = f0t_alloc_zero(&images, all, sizeof *images);
    if (status == F0T_OK)
        status = f0t_alloc(&tags, count, sizeof *tags);
    if (status == F0T_OK) {
        const loss lost = count_images(images, dataset, missing);
        size_t at = 0;
        for (size_t t = 0; t < all; t++)
            if (missing[t])
                tags[at++] = (missing_tag){images[t], (uint32_t)t};
        tell(dataset, tags, count, lost, asked, consequence, monitor);
    }
    f0t_free(images);
    f0t_free(tags);
    return status;
}
