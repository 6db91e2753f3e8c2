/* Dataset directories. */
#include "report/inspect.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

static const char *const files[] = {"features.npy", "tags.txt",   "split.txt", "images.txt",
                                    "seen.txt",     "unseen.txt", "paths.txt", "dataset.json"};
enum { FILES = sizeof files / sizeof *files };

/* One of the files of the dataset: its size and checksum. */
static f0t_status add_file(f0t_inspector *in, const char *path, const char *name)
{
    f0t_map map;
    uint32_t sum = 0;
    F0T_TRY(f0t_map_open(&map, path));
    in->result.size += map.size;
    f0t_status status = F0T_OK;
    if (!in->quick)
        status = f0t_inspect_sum(&sum, map.data, map.size, in->monitor);
    if (status == F0T_OK && in->quick)
        status = f0t_inspector_fact(in, name, "%zu bytes", map.size);
    else if (status == F0T_OK)
        status = f0t_inspector_fact(in, name, "%zu bytes, crc32 %08x", map.size, sum);
    return f0t_map_finish(&map, path, status);
}

static f0t_status add_files(f0t_inspector *in, const char *folder, size_t *found)
{
    *found = 0;
    for (size_t i = 0; i < FILES; i++) {
        char *path;
        f0t_status status = F0T_OK;
        F0T_TRY(f0t_path_join(&path, folder, files[i]));
        if (f0t_path_exists(path)) {
            status = add_file(in, path, files[i]);
            ++*found;
        }
        f0t_free(path);
        F0T_TRY(status);
    }
    return F0T_OK;
}

static f0t_status add_tag_counts(f0t_inspector *in, const f0t_dataset *d)
{
    size_t images = f0t_dataset_image_count(d), untagged = 0, most = 0, seen = 0, unseen = 0;
    uint64_t marks = 0;
    for (size_t m = 0; m < images; m++) {
        size_t count;
        (void)f0t_dataset_image_tags(&count, d, m);
        untagged += !count;
        most = count > most ? count : most;
        marks += count;
    }
    F0T_TRY(f0t_inspector_count(in, "tags", f0t_dataset_tag_count(d)));
    if (f0t_dataset_seen(&seen, d) && f0t_dataset_unseen(&unseen, d)) {
        F0T_TRY(f0t_inspector_count(in, "seen", seen));
        F0T_TRY(f0t_inspector_count(in, "unseen", unseen));
    }
    F0T_TRY(f0t_inspector_count(in, "tags given", marks));
    F0T_TRY(f0t_inspector_count(in, "most", most));
    return f0t_inspector_count(in, "untagged", untagged);
}

static f0t_status add_split(f0t_inspector *in, const f0t_dataset *d)
{
    F0T_TRY(f0t_inspector_fact(in, "split", "%s",
                               f0t_dataset_split_is_given(d) ? "split.txt" : "by seed"));
    F0T_TRY(f0t_inspector_count(in, "train", f0t_dataset_split_count(d, F0T_TRAIN)));
    F0T_TRY(f0t_inspector_count(in, "val", f0t_dataset_split_count(d, F0T_VAL)));
    return f0t_inspector_count(in, "test", f0t_dataset_split_count(d, F0T_TEST));
}

static f0t_status add_features(f0t_inspector *in, const f0t_dataset *d)
{
    f0t_npy *npy;
    f0t_numbers numbers = {0};
    const char *path = f0t_dataset_features_path(d);
    if (!path)
        return F0T_OK;
    F0T_TRY(f0t_npy_open(&npy, path));
    f0t_status status = in->quick ? F0T_OK : f0t_inspect_measure(&numbers, npy, in->monitor);
    if (status == F0T_OK)
        status =
            f0t_inspector_array(in, "features", f0t_dtype_name(f0t_npy_dtype(npy)),
                                f0t_npy_dims(npy), f0t_npy_shape(npy), in->quick ? NULL : &numbers);
    f0t_npy_close(npy);
    return status;
}

/* "photo.jpg: dog, grass", cut where it is long. */
static f0t_status add_image(f0t_inspector *in, const f0t_dataset *d, size_t m)
{
    char text[1000];
    const char *image = f0t_dataset_image(d, m);
    size_t count, used = 0;
    const uint32_t *tags = f0t_dataset_image_tags(&count, d, m);
    if (image)
        used = (size_t)snprintf(text, sizeof text, "%s: ", image);
    for (size_t i = 0; i < count && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "",
                                 f0t_dataset_tag(d, tags[i]));
    return f0t_inspector_row(in, text, used < sizeof text ? used : sizeof text - 1, NULL, 0);
}

static f0t_status describe(f0t_inspector *in, const f0t_dataset *d)
{
    size_t images = f0t_dataset_image_count(d);
    F0T_TRY(f0t_inspector_kind(in, "dataset", "dataset %s, %zu images, %zu tags, %s",
                               f0t_dataset_name(d), images, f0t_dataset_tag_count(d),
                               f0t_dataset_dim(d) ? "with features" : "without features"));
    F0T_TRY(f0t_inspector_count(in, "images", images));
    F0T_TRY(add_tag_counts(in, d));
    F0T_TRY(add_split(in, d));
    if (f0t_dataset_features_path(d))
        F0T_TRY(f0t_inspector_fact(in, "features", "%s", f0t_dataset_features_path(d)));
    if (f0t_dataset_backbone(d))
        F0T_TRY(f0t_inspector_metadata(in, "backbone", f0t_dataset_backbone(d)));
    F0T_TRY(add_features(in, d));
    for (size_t m = 0; m < images && m < in->rows; m++)
        F0T_TRY(add_image(in, d, m));
    return F0T_OK;
}

f0t_status f0t_inspect_folder(f0t_inspector *in, const char *path)
{
    f0t_dataset *dataset;
    size_t found;
    F0T_TRY(add_files(in, path, &found));
    if (!found)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: is a folder, and no dataset: there is no tags.txt in it", path);
    F0T_TRY(f0t_dataset_open(&dataset, path, NULL, NULL));
    f0t_status status = describe(in, dataset);
    f0t_dataset_close(dataset);
    return status;
}
