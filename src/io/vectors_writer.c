#include "io/vectors_file.h"

#include "base/alloc.h"
#include "io/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HEADER_ROOM = 8192, HALVES = 256, SOURCE_MOST = 1024 };

f0t_status f0t_vectors_writer_open(f0t_vectors_writer *w, const char *path, size_t dim, bool f16)
{
    memset(w, 0, sizeof *w);
    w->path = path;
    w->dim = dim;
    w->f16 = f16;
    if (f16)
        F0T_TRY(f0t_alloc(&w->halves, HALVES, dim * sizeof *w->halves));
    f0t_status status = f0t_safetensors_create(&w->file, path, HEADER_ROOM);
    if (status != F0T_OK)
        f0t_free(w->halves);
    return status;
}

static f0t_status put_halves(f0t_vectors_writer *w, const float *values, size_t rows)
{
    size_t n = rows * w->dim;
    f0t_f32_to_f16(w->halves, values, n);
    for (size_t i = 0; i < n; i++)
        if ((w->halves[i] & 0x7C00) == 0x7C00)
            return f0t_fail(F0T_ERROR_NUMERIC,
                            "%s: word %zu has the number %g, too large for float16", w->path,
                            w->rows + i / w->dim + 1, (double)values[i]);
    return f0t_safetensors_write(w->file, w->halves, n * sizeof *w->halves);
}

f0t_status f0t_vectors_writer_put(void *writer, const float *values, size_t rows)
{
    f0t_vectors_writer *w = writer;
    size_t most = w->f16 ? HALVES : rows;
    for (size_t done = 0; done < rows; done += most) {
        size_t n = rows - done < most ? rows - done : most;
        const float *from = values + done * w->dim;
        F0T_TRY(w->f16 ? put_halves(w, from, n)
                       : f0t_safetensors_write(w->file, from, n * w->dim * sizeof *from));
        w->rows += n;
    }
    return F0T_OK;
}

static f0t_status write_tensor(f0t_vectors_writer *w, const char *name, f0t_dtype dtype,
                               size_t count, const void *data)
{
    F0T_TRY(f0t_safetensors_write(w->file, data, count * f0t_dtype_size(dtype)));
    return f0t_safetensors_end_tensor(w->file, name, dtype, 1, &count);
}

static f0t_status write_tensors(f0t_vectors_writer *w, const f0t_vectors_rest *rest)
{
    static const char zeros[8];
    const f0t_words *words = rest->words;
    const f0t_dtype dtype = w->f16 ? F0T_F16 : F0T_F32;
    const size_t shape[] = {w->rows, w->dim};
    size_t over = w->rows * w->dim * f0t_dtype_size(dtype) % 8;
    F0T_TRY(f0t_safetensors_end_tensor(w->file, "vectors", dtype, 2, shape));
    if (over)
        F0T_TRY(write_tensor(w, "padding", F0T_U8, 8 - over, zeros));
    F0T_TRY(write_tensor(w, "offsets", F0T_I64, words->count + 1, words->offsets));
    F0T_TRY(write_tensor(w, "index", F0T_I32, words->slot_count, words->slots));
    F0T_TRY(write_tensor(w, "mean", F0T_F32, w->dim, rest->mean));
    return write_tensor(w, "words", F0T_U8, words->size, words->text);
}

static f0t_status set_number(f0t_vectors_writer *w, const char *key, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return f0t_safetensors_set_metadata(w->file, key, text);
}

/* Names of files need not be UTF-8; metadata must. */
static f0t_status set_source(f0t_vectors_writer *w, const char *source)
{
    size_t length = strlen(source);
    bool fits = length <= SOURCE_MOST && f0t_text_is_word(source, length);
    return f0t_safetensors_set_metadata(w->file, "source", fits ? source : "?");
}

static f0t_status write_metadata(f0t_vectors_writer *w, const f0t_vectors_rest *rest)
{
    char text[32];
    const f0t_vectors_counts *counts = &rest->counts;
    F0T_TRY(f0t_safetensors_set_metadata(w->file, "format", F0T_VECTORS_FORMAT));
    F0T_TRY(set_number(w, "version", F0T_VECTORS_VERSION));
    F0T_TRY(set_number(w, "index_seed", rest->words->seed));
    snprintf(text, sizeof text, "%016" PRIx64, rest->fingerprint);
    F0T_TRY(f0t_safetensors_set_metadata(w->file, "fingerprint", text));
    F0T_TRY(set_source(w, rest->source));
    F0T_TRY(set_number(w, "rows", counts->rows));
    F0T_TRY(set_number(w, "duplicates", counts->duplicates));
    F0T_TRY(set_number(w, "empty", counts->empty));
    F0T_TRY(set_number(w, "invalid", counts->invalid));
    F0T_TRY(set_number(w, "not_finite", counts->not_finite));
    return set_number(w, "zero", counts->zero);
}

f0t_status f0t_vectors_writer_finish(f0t_vectors_writer *w, const f0t_vectors_rest *rest,
                                     f0t_status status)
{
    if (status == F0T_OK)
        status = write_tensors(w, rest);
    if (status == F0T_OK)
        status = write_metadata(w, rest);
    if (status == F0T_OK)
        status = f0t_safetensors_commit(w->file);
    else
        f0t_safetensors_abort(w->file);
    f0t_free(w->halves);
    memset(w, 0, sizeof *w);
    return status;
}
