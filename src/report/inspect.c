/* What a file is, detected by its content: the result that grows (f0t_inspector), and the search for the
 * kind. The kinds are in inspect_*.c. */
#include "report/inspect.h"

#include "base/alloc.h"
#include "base/monitor.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>
#include <zlib.h>

/* ---- The result as it grows --------------------------------------------------------------- */

/* Takes over `memory`, also on failure. */
static f0t_status own(f0t_inspector *in, void *memory)
{
    f0t_inspect_lists *l = &in->lists;
    f0t_status status =
        f0t_grow(&l->owned, &l->owned_capacity, l->owned_count, 1, sizeof *l->owned);
    if (status != F0T_OK)
        f0t_free(memory);
    else
        l->owned[l->owned_count++] = memory;
    return status;
}

static f0t_status copy(f0t_inspector *in, const char **out, const char *text, size_t length)
{
    char *memory;
    F0T_TRY(f0t_string_copy(&memory, text, length));
    *out = memory;
    return own(in, memory);
}

static bool is_control(utf8proc_int32_t c)
{
    return (c < 0x20 && c != '\t') || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

/* What comes from files need not be UTF-8; the result is, each text one line. */
static void clean(char *text)
{
    for (char *at = text; *at;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)at, -1, &c);
        size_t length = n < 1 ? 1 : (size_t)n;
        if (n < 1 || is_control(c))
            memset(at, '?', length);
        at += length;
    }
}

static f0t_status format_text(f0t_inspector *in, const char **out, const char *format, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    clean(text);
    return copy(in, out, text, strlen(text));
}

/* A text that lives as long as the result. */
__attribute__((format(printf, 3, 4))) static f0t_status
add_text(f0t_inspector *in, const char **out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    f0t_status status = format_text(in, out, format, args);
    va_end(args);
    return status;
}

f0t_status f0t_inspector_kind(f0t_inspector *in, const char *kind, const char *title, ...)
{
    va_list args;
    in->result.kind = kind;
    va_start(args, title);
    f0t_status status = format_text(in, &in->result.title, title, args);
    va_end(args);
    return status;
}

static f0t_status add_fact(f0t_inspector *in, const char *name, const char *value, bool is_number)
{
    f0t_inspection *r = &in->result;
    f0t_inspect_lists *l = &in->lists;
    F0T_TRY(f0t_grow(&l->facts, &l->fact_capacity, r->fact_count, 1, sizeof *l->facts));
    l->facts[r->fact_count++] = (f0t_inspect_fact){name, value, is_number};
    r->facts = l->facts;
    return F0T_OK;
}

f0t_status f0t_inspector_fact(f0t_inspector *in, const char *name, const char *format, ...)
{
    const char *held, *value = NULL;
    va_list args;
    F0T_TRY(copy(in, &held, name, strlen(name)));
    va_start(args, format);
    f0t_status status = format_text(in, &value, format, args);
    va_end(args);
    return status == F0T_OK ? add_fact(in, held, value, false) : status;
}

f0t_status f0t_inspector_count(f0t_inspector *in, const char *name, uint64_t value)
{
    const char *held, *text;
    F0T_TRY(copy(in, &held, name, strlen(name)));
    F0T_TRY(add_text(in, &text, "%llu", (unsigned long long)value));
    return add_fact(in, held, text, true);
}

f0t_status f0t_inspector_metadata(f0t_inspector *in, const char *name, const char *value)
{
    f0t_inspection *r = &in->result;
    f0t_inspect_lists *l = &in->lists;
    f0t_inspect_fact fact = {0};
    F0T_TRY(copy(in, &fact.name, name, strlen(name)));
    F0T_TRY(copy(in, &fact.value, value, strlen(value)));
    F0T_TRY(f0t_grow(&l->metadata, &l->metadata_capacity, r->metadata_count, 1, sizeof fact));
    l->metadata[r->metadata_count++] = fact;
    r->metadata = l->metadata;
    return F0T_OK;
}

f0t_status f0t_inspector_array(f0t_inspector *in, const char *name, const char *type, size_t dims,
                               const size_t *shape, const f0t_numbers *s)
{
    f0t_inspection *r = &in->result;
    f0t_inspect_lists *l = &in->lists;
    f0t_inspect_array a = {.type = type, .dims = dims, .measured = s != NULL};
    size_t *sizes;
    F0T_TRY(copy(in, &a.name, name, strlen(name)));
    F0T_TRY(f0t_alloc(&sizes, dims, sizeof *sizes));
    if (dims)
        memcpy(sizes, shape, dims * sizeof *sizes);
    a.shape = sizes;
    F0T_TRY(own(in, sizes));
    if (s) {
        a.nan = s->nan;
        a.infinite = s->infinite;
        a.min = s->finite ? s->min : (double)NAN;
        a.max = s->finite ? s->max : (double)NAN;
        a.mean = s->finite ? s->sum / (double)s->finite : (double)NAN;
    }
    F0T_TRY(f0t_grow(&l->arrays, &l->array_capacity, r->array_count, 1, sizeof a));
    l->arrays[r->array_count++] = a;
    r->arrays = l->arrays;
    return F0T_OK;
}

f0t_status f0t_inspector_row(f0t_inspector *in, const char *text, size_t length,
                             const float *values, size_t count)
{
    enum { TEXT_MOST = 1000 };
    f0t_inspection *r = &in->result;
    f0t_inspect_lists *l = &in->lists;
    f0t_inspect_row row = {.count = count};
    double *kept;
    char *line;
    row.shown = count < F0T_INSPECT_SHOWN ? count : F0T_INSPECT_SHOWN;
    F0T_TRY(f0t_string_copy(&line, text, length < TEXT_MOST ? length : TEXT_MOST));
    row.text = line;
    F0T_TRY(own(in, line));
    clean(line);
    F0T_TRY(f0t_alloc(&kept, row.shown, sizeof *kept));
    for (size_t i = 0; i < row.shown; i++)
        kept[i] = (double)values[i];
    row.values = kept;
    F0T_TRY(own(in, kept));
    F0T_TRY(f0t_grow(&l->rows, &l->row_capacity, r->row_count, 1, sizeof row));
    l->rows[r->row_count++] = row;
    r->rows = l->rows;
    return F0T_OK;
}

void f0t_inspector_free(f0t_inspector *in)
{
    if (!in)
        return;
    f0t_inspect_lists *l = &in->lists;
    for (size_t i = 0; i < l->owned_count; i++)
        f0t_free(l->owned[i]);
    f0t_free(l->owned);
    f0t_free(l->facts);
    f0t_free(l->metadata);
    f0t_free(l->arrays);
    f0t_free(l->rows);
    f0t_free(in->head);
    f0t_map_close(&in->map);
    f0t_free(in);
}

void f0t_inspect_shape(char *out, size_t size, size_t dims, const size_t *shape)
{
    size_t used = 0;
    snprintf(out, size, "single");
    for (size_t i = 0; i < dims && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%zu", i ? " x " : "", shape[i]);
}

/* ---- The file, and which kind it is ------------------------------------------------------- */

/* Those with a magic number first, those that are found by elimination last. */
static const f0t_inspect_kind *const kinds[] = {
    &f0t_inspect_npy,    &f0t_inspect_safetensors, &f0t_inspect_onnx,    &f0t_inspect_json,
    &f0t_inspect_labels, &f0t_inspect_arff,        &f0t_inspect_vectors, &f0t_inspect_csv,
    &f0t_inspect_text,   &f0t_inspect_vecs,
};

f0t_status f0t_inspector_stream(f0t_stream **out, const f0t_inspector *in)
{
    return f0t_stream_open_memory(out, in->map.data, in->map.size, in->result.path);
}

f0t_status f0t_inspector_read(char **out, size_t *size, const f0t_inspector *in, size_t most)
{
    f0t_stream *stream;
    *out = NULL;
    F0T_TRY(f0t_inspector_stream(&stream, in));
    f0t_status status = f0t_stream_read_all(out, size, stream, most);
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
    F0T_TRY(f0t_inspector_stream(&stream, in));
    f0t_status status = f0t_stream_read(in->head, &in->head_size, stream, F0T_INSPECT_HEAD);
    if (status == F0T_OK)
        status = f0t_stream_read(&extra, &more, stream, 1);
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
    F0T_TRY(inspect_bytes(in));
    return f0t_map_check(&in->map, path);
}

static f0t_status create(f0t_inspector **out, const char *name, const f0t_inspect_options *options)
{
    f0t_inspector *in;
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    in = *out;
    in->quick = options && options->quick;
    in->rows = options && options->rows ? options->rows : 5;
    in->monitor = f0t_context_monitor(NULL);
    return add_text(in, &in->result.path, "%s", name);
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

f0t_status f0t_inspect(f0t_inspection **out, const char *path, const f0t_inspect_options *options,
                       const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(path);
    F0T_READ_OPTIONS(f0t_inspect_options, F0T_INSPECT_OPTIONS, options);
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
