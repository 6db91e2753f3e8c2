/* The features of images, from a dataset, an npy file or standard input. */
#include "base/alloc.h"
#include "base/context.h"
#include "io/dataset.h"
#include "io/npy.h"

#include <string.h>

struct f0t_features {
    f0t_dataset *dataset; /* one of the two */
    f0t_npy *npy;
    char *memory; /* what standard input gave */
    size_t rows, dim;
};

static const size_t INPUT_MOST = (size_t)1 << 36;

static f0t_status open_input(f0t_features *f, const f0t_monitor *monitor)
{
    f0t_stream *stream;
    size_t size;
    F0T_TRY(f0t_stream_open(&stream, "/dev/stdin"));
    f0t_stream_watch(stream, monitor);
    f0t_status status = f0t_stream_read_all(&f->memory, &size, stream, INPUT_MOST);
    f0t_stream_close(stream);
    F0T_TRY(status);
    return f0t_npy_open_memory(&f->npy, f->memory, size, "standard input");
}

static f0t_status open_dataset(f0t_features *f, const char *path, const f0t_monitor *monitor)
{
    F0T_TRY(f0t_dataset_open(&f->dataset, path, NULL, F0T_WATCHED(monitor)));
    f->rows = f0t_dataset_image_count(f->dataset);
    f->dim = f0t_dataset_dim(f->dataset);
    return f->dim ? F0T_OK : f0t_fail(F0T_ERROR_FORMAT, "%s: has no features", path);
}

static f0t_status open_any(f0t_features *f, const char *path, const f0t_monitor *monitor)
{
    if (f0t_path_is_folder(path))
        return open_dataset(f, path, monitor);
    F0T_TRY(strcmp(path, "-") ? f0t_npy_open(&f->npy, path) : open_input(f, monitor));
    return f0t_npy_matrix(&f->rows, &f->dim, f->npy);
}

f0t_status f0t_features_open(f0t_features **out, const char *path, const f0t_context *context)
{
    F0T_ENTER(context);
    const f0t_monitor *monitor = f0t_context_monitor(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(path);
    f0t_features *f;
    F0T_TRY(f0t_alloc_zero(&f, 1, sizeof *f));
    f0t_status status = open_any(f, path, monitor);
    if (status != F0T_OK)
        f0t_features_close(f);
    else
        *out = f;
    return status;
}

void f0t_features_close(f0t_features *f)
{
    if (!f)
        return;
    f0t_dataset_close(f->dataset);
    f0t_npy_close(f->npy);
    f0t_free(f->memory);
    f0t_free(f);
}

size_t f0t_features_count(const f0t_features *f)
{
    return f->rows;
}

size_t f0t_features_dim(const f0t_features *f)
{
    return f->dim;
}

const char *f0t_features_image(const f0t_features *f, size_t m)
{
    return f->dataset ? f0t_dataset_image(f->dataset, m) : NULL;
}

const uint8_t *f0t_features_split(const f0t_features *f)
{
    return f->dataset && f->dataset->split_given ? f->dataset->split : NULL;
}

const f0t_dataset *f0t_features_dataset(const f0t_features *f)
{
    return f->dataset;
}

f0t_status f0t_features_read(float *to, const f0t_features *f, size_t first, size_t count)
{
    F0T_REQUIRE(f);
    F0T_REQUIRE(to || !count);
    return f->dataset ? f0t_dataset_read_features(to, f->dataset, first, count)
                      : f0t_npy_read_rows(to, f->npy, first, count);
}
