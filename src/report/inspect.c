#include "report/inspect.h"

#include "base/alloc.h"
#include "base/monitor.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* Those with a magic first, those that are told by elimination last. */
static const f0t_inspect_kind *const kinds[] = {
    &f0t_inspect_npy,    &f0t_inspect_safetensors, &f0t_inspect_onnx,    &f0t_inspect_json,
    &f0t_inspect_labels, &f0t_inspect_arff,        &f0t_inspect_vectors, &f0t_inspect_csv,
    &f0t_inspect_text,   &f0t_inspect_vecs,
};

f0t_status f0t_inspector_stream(const f0t_inspector *in, f0t_stream **out)
{
    return f0t_stream_open_memory(out, in->map.data, in->map.size, in->result.path);
}

f0t_status f0t_inspector_read(const f0t_inspector *in, char **out, size_t *size, size_t most)
{
    f0t_stream *stream;
    *out = NULL;
    F0T_TRY(f0t_inspector_stream(in, &stream));
    f0t_status status = f0t_stream_read_all(stream, out, size, most);
    f0t_stream_close(stream);
    return status;
}

static f0t_status read_head(f0t_inspector *in)
{
    f0t_stream *stream;
    char extra;
    size_t more = 0;
    const unsigned char *bytes = in->map.data;
    in->packed = in->map.size >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B;
    F0T_TRY(f0t_alloc(&in->head, F0T_INSPECT_HEAD + 1, 1));
    F0T_TRY(f0t_inspector_stream(in, &stream));
    f0t_status status = f0t_stream_read(stream, in->head, F0T_INSPECT_HEAD, &in->head_size);
    if (status == F0T_OK)
        status = f0t_stream_read(stream, &extra, 1, &more);
    in->head[in->head_size] = '\0';
    in->whole = more == 0;
    f0t_stream_close(stream);
    return status;
}

f0t_status f0t_inspect_sum(uint32_t *out, const void *data, size_t size, const f0t_monitor *monitor)
{
    enum { STEP = 1 << 22 };
    const unsigned char *bytes = data;
    uLong crc = crc32(0, NULL, 0);
    f0t_stage stage = f0t_stage_begin(monitor, "summing up the bytes", "bytes", size);
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < STEP ? size - done : STEP;
        crc = crc32_z(crc, bytes + done, part);
        F0T_TRY(f0t_stage_update(&stage, done + part));
    }
    f0t_stage_end(&stage);
    *out = (uint32_t)crc;
    return F0T_OK;
}

/* The first bytes, for the message about a file that is nothing known. */
static f0t_status refuse(const f0t_inspector *in)
{
    char bytes[40] = "";
    if (!in->map.size)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: is empty", in->result.path);
    for (size_t i = 0; i < 8 && i < in->map.size; i++)
        snprintf(bytes + 3 * i, sizeof bytes - 3 * i, " %02x", in->map.data[i]);
    return f0t_fail(F0T_ERROR_UNSUPPORTED,
                    "%s: is no kind of file that fast0tag knows (%zu bytes that begin with%s)",
                    in->result.path, in->map.size, bytes);
}

/* NULL: none. */
static f0t_status find_kind(const f0t_inspect_kind **out, const f0t_inspector *in)
{
    *out = NULL;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        bool yes = false;
        F0T_TRY(kinds[k]->matches(&yes, in));
        if (yes) {
            *out = kinds[k];
            return F0T_OK;
        }
    }
    return F0T_OK;
}

static f0t_status inspect_bytes(f0t_inspector *in)
{
    const f0t_inspect_kind *kind = NULL;
    in->result.size = in->map.size;
    F0T_TRY(read_head(in));
    F0T_TRY(find_kind(&kind, in));
    if (!kind)
        return refuse(in);
    F0T_TRY(kind->describe(in));
    if (in->packed)
        F0T_TRY(f0t_inspector_fact(in, "packed by", "gzip"));
    in->result.has_checksum = !in->quick;
    return in->quick
               ? F0T_OK
               : f0t_inspect_sum(&in->result.checksum, in->map.data, in->map.size, in->monitor);
}

static f0t_status inspect_path(f0t_inspector *in, const char *path)
{
    F0T_TRY(f0t_map_open(&in->map, path));
    return inspect_bytes(in);
}

static f0t_status create(f0t_inspector **out, const char *name, const f0t_inspect_options *options)
{
    f0t_inspector *in;
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    in = *out;
    in->quick = options && options->quick;
    in->rows = options && options->rows ? options->rows : 5;
    in->monitor = options ? options->monitor : NULL;
    return f0t_inspector_text(in, &in->result.path, "%s", name);
}

static f0t_status finish(f0t_inspection **out, f0t_inspector *in, f0t_status status)
{
    if (status != F0T_OK) {
        f0t_inspector_free(in);
        return status;
    }
    f0t_map_close(&in->map);
    f0t_free(in->head);
    in->head = NULL;
    *out = &in->result;
    return F0T_OK;
}

f0t_status f0t_inspect(f0t_inspection **out, const char *path, const f0t_inspect_options *options)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(path);
    f0t_inspector *in = NULL;
    f0t_status status = create(&in, path, options);
    if (status == F0T_OK)
        status = f0t_path_is_folder(path) ? f0t_inspect_folder(in, path) : inspect_path(in, path);
    return finish(out, in, status);
}

f0t_status f0t_inspect_memory(f0t_inspection **out, const void *data, size_t size, const char *name,
                              const f0t_inspect_options *options)
{
    f0t_inspector *in = NULL;
    *out = NULL;
    f0t_status status = create(&in, name, options);
    if (status == F0T_OK) {
        in->map = (f0t_map){.data = data, .size = size, .stored = size};
        status = inspect_bytes(in);
    }
    return finish(out, in, status);
}

void f0t_inspection_free(f0t_inspection *inspection)
{
    f0t_inspector_free((f0t_inspector *)(void *)inspection);
}
