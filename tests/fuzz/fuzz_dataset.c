/* The text files of a dataset directory, one after the other, separated by a 0: tags, split, images,
 * seen, unseen, dataset.json. */
#include "fuzz.h"

#include "base/alloc.h"
#include "io/dataset.h"

#include <string.h>

typedef struct bundle {
    const char *at, *end;
} bundle;

static f0t_status open_part(void *context, const char *name, f0t_stream **out)
{
    static const char *const names[] = {"tags.txt", "split.txt",  "images.txt",
                                        "seen.txt", "unseen.txt", "dataset.json"};
    bundle b = *(const bundle *)context;
    *out = NULL;
    for (size_t i = 0; i < 6 && b.at <= b.end; i++) {
        const char *zero = b.at < b.end ? memchr(b.at, 0, (size_t)(b.end - b.at)) : NULL;
        const char *stop = zero ? zero : b.end;
        if (!strcmp(names[i], name))
            return f0t_stream_open_memory(out, b.at, (size_t)(stop - b.at), name);
        b.at = stop + 1;
    }
    return F0T_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bundle b = {(const char *)data, (const char *)data + size};
    f0t_dataset_source source = {open_part, &b};
    f0t_dataset_options options = F0T_DATASET_OPTIONS;
    f0t_dataset *dataset;
    if (f0t_alloc_zero(&dataset, 1, sizeof *dataset) != F0T_OK)
        return 0;
    if (f0t_string_copy(&dataset->path, "x", 1) == F0T_OK)
        (void)!f0t_dataset_load(dataset, &source, &options);
    f0t_dataset_close(dataset);
    return 0;
}
