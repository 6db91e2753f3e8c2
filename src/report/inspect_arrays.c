/* Files of arrays: npy, safetensors, INRIA's vector files. */
#include "report/inspect.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "import/vecs.h"
#include "io/npy.h"
#include "io/safetensors.h"
#include "io/vectors.h"
#include "model/blend_file.h"
#include "word/vocab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Numbers ------------------------------------------------------------------------------ */

enum { WIDEN_BLOCK = 4096 };

static void add_block(f0t_numbers *s, const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            s->nan += x[i] != x[i];
            s->infinite += x[i] == x[i];
            continue;
        }
        if (!s->finite || x[i] < s->min)
            s->min = x[i];
        if (!s->finite || x[i] > s->max)
            s->max = x[i];
        s->finite++;
        sum += x[i];
    }
    s->sum += sum;
}

#define WIDEN_EACH(type)                                       \
    for (size_t i = 0; i < n; i++) {                           \
        type value;                                            \
        memcpy(&value, from + i * sizeof value, sizeof value); \
        to[i] = (double)value;                                 \
    }                                                          \
    break

/* float32 would lose the whole numbers of 64 bits and the range of float64. */
static void widen(double *to, const char *from, f0t_dtype type, size_t n)
{
    float narrow[WIDEN_BLOCK];
    switch (type) {
    case F0T_F64:
        WIDEN_EACH(double);
    case F0T_I32:
        WIDEN_EACH(int32_t);
    case F0T_I64:
        WIDEN_EACH(int64_t);
    default:
        f0t_dtype_to_f32(narrow, from, type, n);
        for (size_t i = 0; i < n; i++)
            to[i] = (double)narrow[i];
    }
}

void f0t_numbers_add(f0t_numbers *s, const void *elements, f0t_dtype type, size_t n)
{
    double block[WIDEN_BLOCK];
    const char *from = elements;
    for (size_t done = 0, part; done < n; done += part) {
        part = n - done < WIDEN_BLOCK ? n - done : WIDEN_BLOCK;
        widen(block, from + done * f0t_dtype_size(type), type, part);
        add_block(s, block, part);
    }
}

/* ---- npy ---------------------------------------------------------------------------------- */

static f0t_status npy_matches(bool *yes, const f0t_inspector *in)
{
    *yes = in->head_size >= 6 && !memcmp(in->head, "\x93NUMPY", 6);
    return F0T_OK;
}

f0t_status f0t_inspect_measure(f0t_numbers *numbers, const f0t_npy *npy, const f0t_monitor *monitor)
{
    enum { BLOCK = 1 << 16 };
    char *block;
    f0t_dtype type = f0t_npy_dtype(npy);
    size_t count = f0t_npy_count(npy);
    f0t_stage stage = f0t_stage_begin(monitor, "reading the numbers", "numbers", count);
    F0T_TRY(f0t_alloc(&block, BLOCK, f0t_dtype_size(type)));
    f0t_status status = F0T_OK;
    for (size_t done = 0, part; done < count && status == F0T_OK; done += part) {
        part = count - done < BLOCK ? count - done : BLOCK;
        status = f0t_npy_read_elements(block, npy, done, part);
        f0t_numbers_add(numbers, block, type, part);
        if (status == F0T_OK)
            status = f0t_stage_update(&stage, done + part);
    }
    f0t_free(block);
    f0t_stage_end(&stage);
    return status;
}

static f0t_status add_npy_rows(f0t_inspector *in, const f0t_npy *npy, size_t rows, size_t cols)
{
    float *numbers;
    F0T_TRY(f0t_alloc(&numbers, rows, cols * sizeof *numbers));
    f0t_status status = f0t_npy_read_rows(numbers, npy, 0, rows);
    for (size_t r = 0; r < rows && status == F0T_OK; r++)
        status = f0t_inspector_row(in, "", 0, numbers + r * cols, cols);
    f0t_free(numbers);
    return status;
}

/* The first rows of a matrix. A vector is one row; what has more dimensions shows none. */
static f0t_status show_npy_rows(f0t_inspector *in, const f0t_npy *npy)
{
    float first[F0T_INSPECT_SHOWN];
    size_t rows, cols;
    if (f0t_npy_matrix(&rows, &cols, npy) != F0T_OK || !rows)
        return F0T_OK;
    if (f0t_npy_dims(npy) == 2)
        return add_npy_rows(in, npy, rows < in->rows ? rows : in->rows, cols);
    F0T_TRY(f0t_npy_read_rows(first, npy, 0, rows < F0T_INSPECT_SHOWN ? rows : F0T_INSPECT_SHOWN));
    return f0t_inspector_row(in, "", 0, first, rows);
}

static f0t_status describe_array(f0t_inspector *in, const f0t_npy *npy)
{
    char shape[200];
    f0t_numbers numbers = {0};
    const char *type = f0t_dtype_name(f0t_npy_dtype(npy));
    f0t_inspect_shape(shape, sizeof shape, f0t_npy_dims(npy), f0t_npy_shape(npy));
    F0T_TRY(f0t_inspector_kind(in, "npy", "NumPy array, %s %s", shape, type));
    F0T_TRY(f0t_inspector_count(in, "version", (uint64_t)f0t_npy_version(npy)));
    F0T_TRY(f0t_inspector_fact(in, "order", "%s",
                               f0t_npy_fortran(npy) ? "column-major (Fortran)" : "row-major (C)"));
    if (f0t_npy_swapped(npy))
        F0T_TRY(f0t_inspector_fact(in, "byte order", "not that of this machine"));
    if (!in->quick)
        F0T_TRY(f0t_inspect_measure(&numbers, npy, in->monitor));
    F0T_TRY(f0t_inspector_array(in, "", type, f0t_npy_dims(npy), f0t_npy_shape(npy),
                                in->quick ? NULL : &numbers));
    return show_npy_rows(in, npy);
}

static f0t_status describe_npy(f0t_inspector *in)
{
    f0t_npy *npy;
    if (in->packed)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: is an npy file packed by gzip: unpack it first",
                        in->result.path);
    F0T_TRY(f0t_npy_open_memory(&npy, in->map.data, in->map.size, in->result.path));
    f0t_status status = describe_array(in, npy);
    f0t_npy_close(npy);
    return status;
}

const f0t_inspect_kind f0t_inspect_npy = {npy_matches, describe_npy};

/* ---- safetensors -------------------------------------------------------------------------- */

/* A length below 2^32 in eight bytes and '{': text never begins so. */
static f0t_status safetensors_matches(bool *yes, const f0t_inspector *in)
{
    *yes = in->head_size >= 9 && in->head[8] == '{' && !memcmp(in->head + 4, "\0\0\0\0", 4);
    return F0T_OK;
}

/* "tags 0.40, votes 0.25": those that count. */
static f0t_status add_weights(f0t_inspector *in, const char *key, const float *weights,
                              const char *const *names, size_t count)
{
    char line[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (weights[i] != 0 && used < sizeof line)
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s %.2f", used ? ", " : "",
                                     names[i], (double)weights[i]);
    return f0t_inspector_fact(in, key, "%s", used ? line : "none");
}

/* How much each expert of a blend counts. A file without the numbers is not loaded either: its tensors are
 * shown all the same. */
static f0t_status add_blend(f0t_inspector *in, const f0t_safetensors *file)
{
    const char *method = f0t_safetensors_metadata(file, "method");
    const char *learned[F0T_LEARNED_EXPERTS];
    const char *const words[F0T_WORD_PARTS] = {
        [F0T_WORD_NET] = f0t_expert_name(F0T_EXPERT_DIRECTION),
        [F0T_WORD_VOTES] = f0t_expert_name(F0T_EXPERT_VOTES),
        [F0T_WORD_TAGS] = f0t_expert_name(F0T_EXPERT_TAGS),
        [F0T_WORD_CLASSES] = f0t_expert_name(F0T_EXPERT_CLASSES),
        [F0T_WORD_PRIOR] = f0t_expert_name(F0T_EXPERT_PRIOR),
        [F0T_WORD_LIKELY] = "likely tags"};
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
        learned[e] = f0t_expert_name((f0t_expert)e);
    f0t_blend blend = {0};
    if (!method || strcmp(method, f0t_method_name(F0T_METHOD_BLEND)) != 0 ||
        f0t_blend_load_numbers(&blend, file) != F0T_OK)
        return F0T_OK;
    F0T_TRY(add_weights(in, "experts", blend.weights, learned, F0T_LEARNED_EXPERTS));
    return add_weights(in, "new words", blend.word_weights, words, F0T_WORD_PARTS);
}

/* The files that this project writes say what they are in their metadata. */
static f0t_status name_kind(f0t_inspector *in, const f0t_safetensors *file)
{
    const char *format = f0t_safetensors_metadata(file, "format");
    size_t count = f0t_safetensors_count(file);
    if (format && !strcmp(format, F0T_VECTORS_FORMAT))
        return f0t_inspect_own_vectors(in);
    if (format && !strcmp(format, "fast0tag-model")) {
        F0T_TRY(f0t_inspector_kind(in, "model", "model of fast0tag, %zu tensors", count));
        return add_blend(in, file);
    }
    if (format && !strcmp(format, F0T_VOCAB_FORMAT))
        return f0t_inspector_kind(in, "vocabulary", "vocabulary of fast0tag, %zu tensors", count);
    return f0t_inspector_kind(in, "safetensors", "safetensors, %zu tensors", count);
}

static f0t_status add_tensor(f0t_inspector *in, const f0t_tensor *t, f0t_stage *stage,
                             uint64_t *done)
{
    enum { BLOCK = 1 << 18 };
    f0t_numbers numbers = {0};
    size_t size = f0t_dtype_size(t->dtype);
    for (size_t at = 0, part; !in->quick && at < t->count; at += part) {
        part = t->count - at < BLOCK ? t->count - at : BLOCK;
        f0t_numbers_add(&numbers, (const char *)t->data + at * size, t->dtype, part);
        *done += part * size;
        F0T_TRY(f0t_stage_update(stage, *done));
    }
    return f0t_inspector_array(in, t->name, f0t_dtype_name(t->dtype), t->dims, t->shape,
                               in->quick ? NULL : &numbers);
}

/* Of our own files, whose checksum is that of all tensors' bytes. */
static f0t_status add_intact(f0t_inspector *in, const f0t_safetensors *file)
{
    const char *format = f0t_safetensors_metadata(file, "format");
    if (in->quick || !format || strncmp(format, "fast0tag-", 9) != 0 ||
        !f0t_safetensors_metadata(file, "checksum"))
        return F0T_OK;
    return f0t_inspector_fact(in, "intact",
                              f0t_safetensors_check(file) == F0T_OK
                                  ? "yes, by its checksum"
                                  : "no: the checksum does not match");
}

static f0t_status describe_tensors(f0t_inspector *in, const f0t_safetensors *file)
{
    uint64_t done = 0;
    f0t_stage stage =
        f0t_stage_begin(in->monitor, "reading the tensors", "bytes", in->quick ? 0 : in->map.size);
    F0T_TRY(name_kind(in, file));
    F0T_TRY(add_intact(in, file));
    for (size_t i = 0; i < f0t_safetensors_metadata_count(file); i++) {
        const char *key, *value;
        f0t_safetensors_metadata_at(file, i, &key, &value);
        F0T_TRY(f0t_inspector_metadata(in, key, value));
    }
    for (size_t i = 0; i < f0t_safetensors_count(file); i++)
        F0T_TRY(add_tensor(in, f0t_safetensors_at(file, i), &stage, &done));
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status describe_safetensors(f0t_inspector *in)
{
    f0t_safetensors *file;
    if (in->packed)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: is a safetensors file packed by gzip: unpack it first",
                        in->result.path);
    F0T_TRY(f0t_safetensors_open_memory(&file, in->map.data, in->map.size, in->result.path));
    f0t_status status = describe_tensors(in, file);
    f0t_safetensors_close(file);
    return status;
}

const f0t_inspect_kind f0t_inspect_safetensors = {safetensors_matches, describe_safetensors};

/* ---- Vectors of TagProp's release --------------------------------------------------------- */

static f0t_status vecs_matches(bool *yes, const f0t_inspector *in)
{
    f0t_vecs vecs = {0};
    f0t_status status = f0t_vecs_open_memory(&vecs, in->map.data, in->map.size, in->result.path);
    *yes = status == F0T_OK && vecs.count > 1 && vecs.dim > 0;
    f0t_vecs_close(&vecs);
    return status == F0T_ERROR_MEMORY ? status : F0T_OK;
}

static const char *vecs_type(const f0t_vecs *v)
{
    return v->is_float     ? "float32"
           : v->width == 1 ? "uint8"
           : v->width == 2 ? "uint16"
           : v->is_signed  ? "int32"
                           : "uint32";
}

static f0t_status measure_vecs(f0t_inspector *in, const f0t_vecs *v, f0t_numbers *numbers,
                               float *row)
{
    f0t_stage stage = f0t_stage_begin(in->monitor, "reading the vectors", "vectors", v->count);
    for (size_t i = 0; i < v->count; i++) {
        if (in->quick && i >= in->rows)
            break;
        F0T_TRY(f0t_vecs_read(row, v, i));
        f0t_numbers_add(numbers, row, F0T_F32, v->dim);
        if (i < in->rows)
            F0T_TRY(f0t_inspector_row(in, "", 0, row, v->dim));
        F0T_TRY(f0t_stage_update(&stage, i + 1));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status describe_vecs(f0t_inspector *in, const f0t_vecs *v)
{
    float *row;
    f0t_numbers numbers = {0};
    const size_t shape[] = {v->count, v->dim};
    F0T_TRY(f0t_inspector_kind(in, "vecs", "vectors of TagProp's release, %zu x %zu %s", v->count,
                               v->dim, vecs_type(v)));
    F0T_TRY(f0t_alloc(&row, v->dim, sizeof *row));
    f0t_status status = measure_vecs(in, v, &numbers, row);
    f0t_free(row);
    F0T_TRY(status);
    return f0t_inspector_array(in, "", vecs_type(v), 2, shape, in->quick ? NULL : &numbers);
}

static f0t_status describe_vecs_file(f0t_inspector *in)
{
    f0t_vecs vecs = {0};
    f0t_status status = f0t_vecs_open_memory(&vecs, in->map.data, in->map.size, in->result.path);
    if (status == F0T_OK)
        status = describe_vecs(in, &vecs);
    f0t_vecs_close(&vecs);
    return status;
}

const f0t_inspect_kind f0t_inspect_vecs = {vecs_matches, describe_vecs_file};
