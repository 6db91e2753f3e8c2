/*
 * A vocabulary as a file that is mapped and ranked where it lies: safetensors with
 *
 *   vectors      F32 [N, d]       of length 1
 *   padding      U8               up to a multiple of 64 bytes, where it is needed
 *   codes        U8 [B, G, 16, 4] the screen's, B blocks of 16 words and G groups of 4 dimensions,
 *   bounds       F32 [B, 3, 16]   and what it knows of each word: compute/screen.h
 *   tag_offsets  I64 [N + 1]      where each tag begins in `tags`
 *   key_offsets  I64 [N + 1]      where each key begins in `keys`
 *   index        I32 [S]          hash table over the keys: base/interner.h
 *   tags         U8               each with a 0 after it
 *   keys         U8               the tags in one spelling each (word/normal.h), each with a newline after it
 *
 * and in __metadata__ the format, its version, the seed of the hash, the space of the vectors, whether they are
 * centred, and a checksum of all tensors' bytes. Types and shapes are checked when it is opened, texts and slots where
 * they are used, and the checksum when somebody asks (f0t_vocab_check): it takes reading all of the file.
 */
#include "word/vocab.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "io/text.h"
#include "io/vectors.h"
#include "word/lookup.h"
#include "word/normal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1, HEADER_ROOM = 2048 };

/* ---- Writing --------------------------------------------------------------------------------------- */

enum { BLOCK = 4096 }; /* rows that are written at a time */

/* Rows go through: only what stands after the vectors in the file is kept in memory, codes above all. */
typedef struct writing {
    f0t_safetensors_writer *file;
    size_t dim, count;
    float *rows; /* [BLOCK x dim] */
    size_t filled;
    f0t_screen *screen;
    f0t_texts tags;
    f0t_names keys;
} writing;

static f0t_status open_writing(writing *w, const char *path, size_t dim)
{
    f0t_names_init_stored(&w->keys);
    w->dim = dim;
    F0T_TRY(f0t_alloc(&w->rows, BLOCK * dim, sizeof *w->rows));
    F0T_TRY(f0t_screen_create(&w->screen, dim));
    F0T_TRY(f0t_safetensors_create(&w->file, path, HEADER_ROOM));
    f0t_safetensors_sign(w->file);
    return F0T_OK;
}

static f0t_status close_writing(writing *w, f0t_status status)
{
    if (w->file && status == F0T_OK)
        status = f0t_safetensors_commit(w->file);
    else if (w->file)
        f0t_safetensors_abort(w->file);
    f0t_screen_free(w->screen);
    f0t_texts_free(&w->tags);
    f0t_names_free(&w->keys);
    f0t_free(w->rows);
    return status;
}

static f0t_status flush_rows(writing *w)
{
    const size_t rows = w->filled;
    w->filled = 0;
    F0T_TRY(f0t_screen_append(w->screen, w->rows, rows));
    return f0t_safetensors_write(w->file, w->rows, rows * w->dim * sizeof *w->rows);
}

/* A tag, its key that no tag before it has, and its vector: the next row of w->rows. */
static f0t_status add_row(writing *w, const char *tag, const f0t_word_text *key)
{
    uint32_t index;
    bool added;
    F0T_TRY(f0t_texts_add(&w->tags, tag, strlen(tag)));
    F0T_TRY(f0t_names_add(&index, &added, &w->keys, key->data, key->length));
    if (!added)
        return f0t_fail(F0T_ERROR_FORMAT, "the tag '%s' is there twice", tag);
    w->count++;
    return ++w->filled == BLOCK ? flush_rows(w) : F0T_OK;
}

static f0t_status write_tensor(writing *w, const char *name, f0t_dtype dtype, const void *data,
                               size_t dims, const size_t *shape)
{
    size_t bytes = f0t_dtype_size(dtype);
    for (size_t i = 0; i < dims; i++)
        bytes *= shape[i];
    F0T_TRY(f0t_safetensors_write(w->file, data, bytes));
    return f0t_safetensors_end_tensor(w->file, name, dtype, dims, shape);
}

static f0t_status write_list(writing *w, const char *name, f0t_dtype dtype, const void *data,
                             size_t count)
{
    return write_tensor(w, name, dtype, data, 1, &count);
}

/* What comes after the rows. */
static f0t_status write_tensors(writing *w)
{
    static const char zeros[64];
    const f0t_words *keys = &w->keys.view;
    const size_t blocks = f0t_screen_blocks(w->count), bytes = w->count * w->dim * sizeof(float);
    const size_t shape[] = {w->count, w->dim}, bounds[] = {blocks, 3, F0T_SCREEN_BLOCK};
    const size_t codes[] = {blocks,
                            f0t_screen_block_bytes(w->dim) / F0T_SCREEN_BLOCK / F0T_SCREEN_GROUP,
                            F0T_SCREEN_BLOCK, F0T_SCREEN_GROUP};
    F0T_TRY(f0t_safetensors_end_tensor(w->file, "vectors", F0T_F32, 2, shape));
    if (bytes % 64)
        F0T_TRY(write_list(w, "padding", F0T_U8, zeros, 64 - bytes % 64));
    F0T_TRY(write_tensor(w, "codes", F0T_U8, w->screen->codes, 4, codes));
    F0T_TRY(write_tensor(w, "bounds", F0T_F32, w->screen->bounds, 3, bounds));
    F0T_TRY(write_list(w, "tag_offsets", F0T_I64, w->tags.starts, w->count + 1));
    F0T_TRY(write_list(w, "key_offsets", F0T_I64, keys->offsets, w->count + 1));
    F0T_TRY(write_list(w, "index", F0T_I32, keys->slots, keys->slot_count));
    F0T_TRY(write_list(w, "tags", F0T_U8, w->tags.bytes, w->tags.size));
    return write_list(w, "keys", F0T_U8, keys->text, keys->size);
}

static f0t_status write_metadata(const writing *w, uint64_t fingerprint, bool centred)
{
    char text[32];
    F0T_TRY(f0t_safetensors_set_metadata(w->file, "format", F0T_VOCAB_FORMAT));
    snprintf(text, sizeof text, "%d", VERSION);
    F0T_TRY(f0t_safetensors_set_metadata(w->file, "version", text));
    snprintf(text, sizeof text, "%" PRIu64, w->keys.view.seed);
    F0T_TRY(f0t_safetensors_set_metadata(w->file, "index_seed", text));
    snprintf(text, sizeof text, "%016" PRIx64, fingerprint);
    F0T_TRY(f0t_safetensors_set_metadata(w->file, "fingerprint", text));
    return f0t_safetensors_set_metadata(w->file, "centred", centred ? "true" : "false");
}

static f0t_status finish_writing(writing *w, uint64_t fingerprint, bool centred)
{
    F0T_TRY(flush_rows(w));
    F0T_TRY(write_tensors(w));
    return write_metadata(w, fingerprint, centred);
}

/* ---- Of a vocabulary -------------------------------------------------------------------------------- */

static f0t_status write_vocab(writing *w, const f0t_vocab *v)
{
    for (size_t i = 0; i < v->size; i++) {
        const char *tag = f0t_vocab_tag(v, i);
        f0t_word_text key;
        F0T_TRY(f0t_normal_key(&key, tag, strlen(tag)));
        memcpy(w->rows + w->filled * w->dim, v->vectors + i * v->dim, v->dim * sizeof *w->rows);
        f0t_status status = add_row(w, tag, &key);
        f0t_free(key.data);
        F0T_TRY(status);
    }
    F0T_TRY(f0t_vocab_whole(v));
    return finish_writing(w, v->fingerprint, v->centred);
}

f0t_status f0t_vocab_save(const f0t_vocab *vocab, const char *path, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(vocab);
    F0T_REQUIRE(path);
    if (!vocab->size)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: a vocabulary without tags", path);
    writing w = {0};
    f0t_status status = open_writing(&w, path, vocab->dim);
    if (status == F0T_OK)
        status = write_vocab(&w, vocab);
    return close_writing(&w, status);
}

/* ---- Of tags, one after the other --------------------------------------------------------------------- */

typedef struct preparing {
    writing *to;
    f0t_lookup lookup;
    f0t_names missing; /* keys of tags without a vector: the next spelling of one has none either */
} preparing;

static f0t_status prepare_key(preparing *p, const char *tag, const f0t_word_text *key)
{
    f0t_found found;
    uint32_t index;
    writing *w = p->to;
    if (f0t_names_find(&index, &w->keys, key->data, key->length) ||
        f0t_names_find(&index, &p->missing, key->data, key->length))
        return F0T_OK;
    F0T_TRY(f0t_lookup_tag(&found, w->rows + w->filled * w->dim, &p->lookup, tag, strlen(tag)));
    f0t_free(found.used);
    f0t_free(found.missing);
    return found.match == F0T_MATCH_NONE
               ? f0t_names_add(&index, NULL, &p->missing, key->data, key->length)
               : add_row(w, tag, key);
}

static f0t_status prepare_tag(preparing *p, const char *tag)
{
    f0t_word_text key;
    F0T_TRY(f0t_normal_key(&key, tag, strlen(tag)));
    f0t_status status = prepare_key(p, tag, &key);
    f0t_free(key.data);
    return status;
}

/* Word i of the file as a tag; one that is damaged is left out. */
static f0t_status prepare_word(preparing *p, size_t i)
{
    size_t length;
    char *tag;
    const char *word = f0t_vectors_word(&length, p->lookup.vectors, i);
    if (!word)
        return F0T_OK;
    F0T_TRY(f0t_string_copy(&tag, word, length));
    f0t_status status = prepare_tag(p, tag);
    f0t_free(tag);
    return status;
}

static f0t_status prepare_all(preparing *p, const char *const *tags, size_t count)
{
    f0t_stage stage = f0t_stage_begin(f0t_context_monitor(NULL), "looking up tags", "tags", count);
    for (size_t i = 0; i < count; i++) {
        f0t_status status = tags ? prepare_tag(p, tags[i]) : prepare_word(p, i);
        if (status != F0T_OK)
            return f0t_fail_prefix(status, "tag %zu: ", i + 1);
        if (i % BLOCK == BLOCK - 1)
            f0t_vectors_let_go(p->lookup.vectors);
        F0T_TRY(f0t_stage_update(&stage, i + 1));
    }
    f0t_stage_end(&stage);
    F0T_TRY(f0t_vectors_whole(p->lookup.vectors));
    return p->to->count ? F0T_OK
                        : f0t_fail(F0T_ERROR_FORMAT, "none of the %zu tags has a vector", count);
}

static f0t_status prepare(writing *w, const char *const *tags, size_t count,
                          const f0t_vectors *vectors, bool centred)
{
    preparing p = {.to = w, .lookup = {vectors, centred}};
    f0t_status status = prepare_all(&p, tags, count);
    f0t_names_free(&p.missing);
    return status == F0T_OK ? finish_writing(w, f0t_vectors_fingerprint(vectors), centred) : status;
}

f0t_status f0t_vocab_prepare(size_t *kept, const char *path, const char *const *tags, size_t count,
                             const f0t_vectors *vectors, const f0t_vocab_options *options,
                             const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(path);
    F0T_REQUIRE(vectors);
    if (tags)
        F0T_TRY(f0t_require_all(__func__, "tags", tags, count));
    F0T_READ_OPTIONS(f0t_vocab_options, F0T_VOCAB_OPTIONS, options);
    writing w = {0};
    f0t_status status = open_writing(&w, path, f0t_vectors_dim(vectors));
    if (status == F0T_OK)
        status =
            prepare(&w, tags, tags ? count : f0t_vectors_count(vectors), vectors, options->centred);
    if (kept)
        *kept = w.count;
    return close_writing(&w, status);
}

/* ---- Reading --------------------------------------------------------------------------------------- */

/* `shape` has `dims` sizes; 0 stands for any. */
static f0t_status find_tensor(const f0t_tensor **out, const f0t_vocab *v, const char *name,
                              f0t_dtype dtype, size_t dims, const size_t *shape)
{
    const f0t_tensor *t = *out = f0t_safetensors_find(v->file, name);
    if (!t)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: tensor \"%s\" is missing",
                        f0t_safetensors_path(v->file), name);
    bool fits = t->dtype == dtype && t->dims == dims;
    for (size_t i = 0; fits && i < dims; i++)
        fits = !shape[i] || t->shape[i] == shape[i];
    return fits ? F0T_OK
                : f0t_fail(F0T_ERROR_FORMAT,
                           "%s: tensor \"%s\" is not %s of the shape that it needs",
                           f0t_safetensors_path(v->file), name, f0t_dtype_name(dtype));
}

static f0t_status attach_metadata(f0t_vocab *v)
{
    uint64_t version;
    const char *path = f0t_safetensors_path(v->file);
    const char *format = f0t_safetensors_metadata(v->file, "format"),
               *centred = f0t_safetensors_metadata(v->file, "centred");
    if (!format || strcmp(format, F0T_VOCAB_FORMAT) != 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: a safetensors file, but not a vocabulary", path);
    F0T_TRY(f0t_safetensors_number(&version, v->file, "version", 10));
    if (version != VERSION)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: version %" PRIu64 " of the format; this program knows version %d",
                        path, version, VERSION);
    if (!centred || (strcmp(centred, "true") != 0 && strcmp(centred, "false") != 0))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: metadata \"centred\" is neither true nor false",
                        path);
    v->centred = *centred == 't';
    F0T_TRY(f0t_safetensors_number(&v->mapped_keys.seed, v->file, "index_seed", 10));
    return f0t_safetensors_number(&v->fingerprint, v->file, "fingerprint", 16);
}

static f0t_status attach_vectors(f0t_vocab *v)
{
    const f0t_tensor *t, *bounds;
    F0T_TRY(find_tensor(&t, v, "vectors", F0T_F32, 2, (const size_t[]){0, 0}));
    if (!t->shape[0] || t->shape[0] >= INT32_MAX || !t->shape[1] ||
        t->shape[1] > F0T_SCREEN_DIM_MOST)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: %zu words with vectors of %zu dimensions",
                        f0t_safetensors_path(v->file), t->shape[0], t->shape[1]);
    v->size = t->shape[0];
    v->dim = t->shape[1];
    v->vectors = t->data;
    const size_t blocks = f0t_screen_blocks(v->size);
    const size_t groups = f0t_screen_block_bytes(v->dim) / F0T_SCREEN_BLOCK / F0T_SCREEN_GROUP;
    F0T_TRY(find_tensor(&t, v, "codes", F0T_U8, 4,
                        (const size_t[]){blocks, groups, F0T_SCREEN_BLOCK, F0T_SCREEN_GROUP}));
    F0T_TRY(find_tensor(&bounds, v, "bounds", F0T_F32, 3,
                        (const size_t[]){blocks, 3, F0T_SCREEN_BLOCK}));
    v->screen =
        (f0t_screen){.count = v->size, .dim = v->dim, .codes = t->data, .bounds = bounds->data};
    return F0T_OK;
}

static f0t_status attach_texts(f0t_words *words, const f0t_vocab *v, const char *text,
                               const char *offsets)
{
    const f0t_tensor *t;
    F0T_TRY(find_tensor(&t, v, text, F0T_U8, 1, (const size_t[]){0}));
    words->text = t->data;
    words->size = t->count;
    F0T_TRY(find_tensor(&t, v, offsets, F0T_I64, 1, (const size_t[]){v->size + 1}));
    words->offsets = t->data;
    words->count = v->size;
    return F0T_OK;
}

static f0t_status attach(f0t_vocab *v)
{
    const f0t_tensor *index;
    F0T_TRY(attach_metadata(v));
    F0T_TRY(attach_vectors(v));
    F0T_TRY(attach_texts(&v->tags, v, "tags", "tag_offsets"));
    F0T_TRY(attach_texts(&v->mapped_keys, v, "keys", "key_offsets"));
    F0T_TRY(find_tensor(&index, v, "index", F0T_I32, 1, (const size_t[]){0}));
    if (index->count <= v->size || (index->count & (index->count - 1)) != 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: an index of %zu slots for %zu words",
                        f0t_safetensors_path(v->file), index->count, v->size);
    v->mapped_keys.slots = index->data;
    v->mapped_keys.slot_count = index->count;
    return F0T_OK;
}

/* Takes over `file`. */
static f0t_status open_file(f0t_vocab **out, f0t_safetensors *file)
{
    f0t_vocab *v;
    f0t_status status = f0t_alloc_zero(&v, 1, sizeof *v);
    if (status != F0T_OK) {
        f0t_safetensors_close(file);
        return status;
    }
    v->file = file;
    status = attach(v);
    if (status == F0T_OK)
        *out = v;
    else
        f0t_vocab_free(v);
    return status;
}

f0t_status f0t_vocab_open_memory(f0t_vocab **out, const void *data, size_t size, const char *name)
{
    f0t_safetensors *file;
    *out = NULL;
    F0T_TRY(f0t_safetensors_open_memory(&file, data, size, name));
    return open_file(out, file);
}

f0t_status f0t_vocab_open(f0t_vocab **out, const char *path, const f0t_context *context)
{
    F0T_ENTER(context);
    f0t_safetensors *file;
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(path);
    F0T_TRY(f0t_safetensors_open(&file, path));
    return open_file(out, file);
}

const char *f0t_vocab_mapped_tag(const f0t_vocab *v, size_t i)
{
    size_t length;
    const char *tag = f0t_words_at(&length, &v->tags, i);
    return tag && length && !tag[length] && !f0t_text_fault(tag, length) ? tag : "?";
}

f0t_status f0t_vocab_check(const f0t_vocab *vocab)
{
    F0T_REQUIRE(vocab);
    return vocab->file ? f0t_safetensors_check(vocab->file) : F0T_OK;
}
