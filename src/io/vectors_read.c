#include "io/vectors.h"

#include "base/alloc.h"
#include "io/vectors_gather.h"
#include "io/vectors_source.h"

#include <string.h>

const char *f0t_vectors_form_name(f0t_vectors_form form)
{
    static const char *const names[] = {"text", "text with header", "word2vec binary"};
    return names[form];
}

const char *f0t_vectors_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Chunks in place of one array that grows: nothing is copied, nothing is there twice. */
static f0t_status add_chunk(f0t_vectors *v)
{
    F0T_TRY(f0t_grow(&v->chunks, &v->chunk_capacity, v->chunk_count, 1, sizeof *v->chunks));
    F0T_TRY(f0t_alloc(&v->chunks[v->chunk_count], v->chunk_rows, v->dim * sizeof(float)));
    v->chunk_count++;
    return F0T_OK;
}

static f0t_status put_rows(void *context, const float *values, size_t rows)
{
    f0t_vectors *v = context;
    while (rows) {
        size_t used = v->words.count % v->chunk_rows;
        if (used == 0)
            F0T_TRY(add_chunk(v));
        size_t n = v->chunk_rows - used < rows ? v->chunk_rows - used : rows;
        memcpy(v->chunks[v->chunk_count - 1] + used * v->dim, values, n * v->dim * sizeof *values);
        v->words.count += n;
        values += n * v->dim;
        rows -= n;
    }
    return F0T_OK;
}

static f0t_status read_rows(f0t_vectors *v, f0t_source *source, f0t_gather *gather,
                            const char *name, const f0t_monitor *monitor)
{
    bool cut;
    F0T_TRY(f0t_source_run(source, f0t_gather_take, gather, &cut, monitor));
    gather->counts.cut = cut;
    F0T_TRY(f0t_alloc(&v->mean, v->dim, sizeof *v->mean));
    F0T_TRY(f0t_gather_finish(gather, name, v->mean));
    f0t_gather_log(&gather->counts, name, monitor);
    v->list = gather->kept;
    memset(&gather->kept, 0, sizeof gather->kept);
    v->words = v->list.view;
    v->fingerprint = gather->fingerprint;
    v->counts = gather->counts;
    return F0T_OK;
}

static f0t_status read_source(f0t_vectors *v, f0t_source *source, const char *name,
                              const f0t_monitor *monitor)
{
    f0t_gather gather;
    const f0t_layout *layout = f0t_source_layout(source);
    v->dim = layout->dim;
    v->dtype = F0T_F32;
    v->chunk_rows = v->dim < F0T_VECTORS_CHUNK ? F0T_VECTORS_CHUNK / v->dim : 1;
    v->format = f0t_vectors_form_name(layout->form);
    const char *base = f0t_vectors_base_name(name);
    F0T_TRY(f0t_string_copy(&v->source, base, strlen(base)));
    F0T_TRY(f0t_gather_init(&gather, v->dim, NULL, put_rows, v));
    f0t_status status = read_rows(v, source, &gather, name, monitor);
    f0t_gather_clear(&gather);
    return status;
}

f0t_status f0t_vectors_read(f0t_vectors *v, f0t_stream *stream, const char *peek, size_t peeked,
                            const f0t_vectors_options *options)
{
    f0t_source *source;
    F0T_TRY(f0t_source_open(&source, stream, peek, peeked, options->tolerant));
    f0t_status status = read_source(v, source, f0t_stream_name(stream), options->monitor);
    f0t_source_close(source);
    return status;
}
