/* Vocabularies: made of tags and vectors, searched, ranked along directions, and joined. */
#include "word/vocab.h"

#include "base/alloc.h"
#include "base/interner.h"
#include "base/monitor.h"
#include "base/size.h"
#include "compute/scoring.h"
#include "word/lookup.h"
#include "word/normal.h"
#include "word/spelling.h"

#include <string.h>

enum { SUGGESTIONS = 100 };

/* ---- Making one ------------------------------------------------------------------------------ */

static void free_text(const char *text)
{
    f0t_free((void *)(uintptr_t)text);
}

void f0t_vocab_free(f0t_vocab *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->entry_count; i++) {
        free_text(v->entries[i].tag);
        free_text(v->entries[i].used);
        free_text(v->entries[i].missing);
        free_text(v->entries[i].nearest);
    }
    f0t_free(v->entries);
    f0t_free(v->first);
    f0t_free(v->given);
    f0t_free(v->own_vectors);
    f0t_safetensors_close(v->file);
    f0t_names_free(&v->keys);
    f0t_free(v);
}

/* Looks the tag up; its vector becomes the next row. */
static f0t_status fill_entry(f0t_vocab *v, f0t_vocab_entry *entry, const f0t_lookup *lookup)
{
    f0t_found found;
    size_t index = v->size;
    F0T_TRY(f0t_lookup_tag(&found, v->own_vectors + index * v->dim, lookup, entry->tag,
                           strlen(entry->tag)));
    entry->match = found.match;
    entry->used = found.used;
    entry->missing = found.missing;
    if (found.match == F0T_MATCH_NONE)
        return F0T_OK;
    entry->index = index;
    v->given[index] = (size_t)(entry - v->entries);
    v->size++;
    return F0T_OK;
}

/* The same tag as one before it shares what that one has. */
static f0t_status repeat_entry(const f0t_vocab *v, f0t_vocab_entry *entry, size_t before)
{
    const f0t_vocab_entry *first = &v->entries[before];
    entry->index = first->index;
    entry->match = first->match == F0T_MATCH_NONE ? F0T_MATCH_NONE : F0T_MATCH_SAME;
    if (!first->missing)
        return F0T_OK;
    return f0t_string_copy((char **)(uintptr_t)&entry->missing, first->missing,
                           strlen(first->missing));
}

/* A new entry at the end. *before is the entry that had the same tag first, or the new one. */
static f0t_status add_entry(f0t_vocab *v, const char *tag, size_t *before)
{
    f0t_word_text key;
    const size_t number = v->entry_count;
    uint32_t index = 0;
    bool added = false;
    f0t_vocab_entry *entry = &v->entries[number];
    *entry = (f0t_vocab_entry){.match = F0T_MATCH_NONE, .index = F0T_NONE};
    F0T_TRY(f0t_string_copy((char **)(uintptr_t)&entry->tag, tag, strlen(tag)));
    v->entry_count++;
    F0T_TRY(f0t_normal_key(&key, tag, strlen(tag)));
    f0t_status status = f0t_names_add(&index, &added, &v->keys, key.data, key.length);
    f0t_free(key.data);
    F0T_TRY(status);
    if (added)
        v->first[index] = number;
    *before = v->first[index];
    return F0T_OK;
}

static f0t_status add_tag(f0t_vocab *v, const char *tag, const f0t_lookup *lookup)
{
    size_t before;
    F0T_TRY(add_entry(v, tag, &before));
    f0t_vocab_entry *entry = &v->entries[v->entry_count - 1];
    if (entry != &v->entries[before])
        return repeat_entry(v, entry, before);
    return fill_entry(v, entry, lookup);
}

static f0t_status add_tags(f0t_vocab *v, const char *const *tags, size_t count,
                           const f0t_lookup *lookup, const f0t_monitor *monitor)
{
    f0t_stage stage = f0t_stage_begin(monitor, "looking up tags", "tags", count);
    for (size_t i = 0; i < count; i++) {
        f0t_status status = add_tag(v, tags[i], lookup);
        if (status != F0T_OK)
            return f0t_fail_prefix(status, "tag %zu: ", i + 1);
        F0T_TRY(f0t_stage_update(&stage, i + 1));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status suggest(f0t_vocab *v, const f0t_vectors *vectors, const f0t_monitor *monitor)
{
    const char *texts[SUGGESTIONS];
    size_t nearest[SUGGESTIONS], entries[SUGGESTIONS], count = 0, length;
    for (size_t i = 0; i < v->entry_count && count < SUGGESTIONS; i++)
        if (v->entries[i].missing) {
            texts[count] = v->entries[i].missing;
            entries[count++] = i;
        }
    if (count == 0)
        return F0T_OK;
    F0T_TRY(f0t_spelling_nearest(nearest, texts, count, vectors, monitor));
    for (size_t i = 0; i < count; i++) {
        const char *word =
            nearest[i] == F0T_NONE ? NULL : f0t_vectors_word(&length, vectors, nearest[i]);
        if (word)
            F0T_TRY(
                f0t_string_copy((char **)(uintptr_t)&v->entries[entries[i]].nearest, word, length));
    }
    return F0T_OK;
}

static f0t_status allocate(f0t_vocab *v, size_t count)
{
    F0T_TRY(f0t_alloc(&v->entries, count, sizeof *v->entries));
    F0T_TRY(f0t_alloc(&v->first, count, sizeof *v->first));
    F0T_TRY(f0t_alloc(&v->given, count, sizeof *v->given));
    F0T_TRY(f0t_alloc(&v->own_vectors, count, v->dim * sizeof *v->own_vectors));
    v->vectors = v->own_vectors;
    return F0T_OK;
}

static f0t_status fill(f0t_vocab *v, const char *const *tags, size_t count,
                       const f0t_vectors *vectors, const f0t_vocab_options *options)
{
    const f0t_lookup lookup = {vectors, options->centred};
    v->dim = f0t_vectors_dim(vectors);
    v->centred = options->centred;
    v->fingerprint = f0t_vectors_fingerprint(vectors);
    F0T_TRY(allocate(v, count));
    F0T_TRY(add_tags(v, tags, count, &lookup, f0t_context_monitor(NULL)));
    return options->no_suggestions ? F0T_OK : suggest(v, vectors, f0t_context_monitor(NULL));
}

f0t_status f0t_vocab_create(f0t_vocab **out, const char *const *tags, size_t count,
                            const f0t_vectors *vectors, const f0t_vocab_options *options,
                            const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_TRY(f0t_require_all(__func__, "tags", tags, count));
    F0T_REQUIRE(vectors);
    F0T_READ_OPTIONS(f0t_vocab_options, F0T_VOCAB_OPTIONS, options);
    f0t_vocab *v;
    F0T_TRY(f0t_alloc_zero(&v, 1, sizeof *v));
    f0t_status status = fill(v, tags, count, vectors, options);
    if (status != F0T_OK)
        f0t_vocab_free(v);
    else
        *out = v;
    return status;
}

static f0t_status refill(f0t_vocab *v, const f0t_vocab_parts *parts)
{
    size_t before;
    F0T_TRY(allocate(v, parts->count));
    for (size_t i = 0; i < parts->count; i++) {
        F0T_TRY(add_entry(v, parts->tags[i], &before));
        if (before != i)
            return f0t_fail(F0T_ERROR_FORMAT, "the tag '%s' is there twice", parts->tags[i]);
        v->entries[i].match = F0T_MATCH_EXACT;
        v->entries[i].index = v->given[i] = i;
        v->size++;
    }
    if (parts->count)
        memcpy(v->own_vectors, parts->vectors, parts->count * v->dim * sizeof *v->own_vectors);
    return F0T_OK;
}

f0t_status f0t_vocab_restore(f0t_vocab **out, const f0t_vocab_parts *parts)
{
    f0t_vocab *v;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&v, 1, sizeof *v));
    v->dim = parts->dim;
    v->centred = parts->centred;
    v->fingerprint = parts->fingerprint;
    f0t_status status = refill(v, parts);
    if (status != F0T_OK)
        f0t_vocab_free(v);
    else
        *out = v;
    return status;
}

/* ---- Looking into it ------------------------------------------------------------------------- */

size_t f0t_vocab_count(const f0t_vocab *v)
{
    return v->size;
}

size_t f0t_vocab_dim(const f0t_vocab *v)
{
    return v->dim;
}

const char *f0t_vocab_tag(const f0t_vocab *v, size_t i)
{
    if (i >= v->size)
        return NULL;
    return v->file ? f0t_vocab_mapped_tag(v, i) : v->entries[v->given[i]].tag;
}

f0t_status f0t_vocab_whole(const f0t_vocab *vocab)
{
    return vocab->file ? f0t_safetensors_whole(vocab->file) : F0T_OK;
}

f0t_status f0t_vocab_find(size_t *index, const f0t_vocab *v, const char *tag)
{
    F0T_REQUIRE(index);
    *index = F0T_NONE;
    F0T_REQUIRE(v);
    F0T_REQUIRE(tag);
    f0t_word_text key;
    f0t_status status = f0t_normal_key(&key, tag, strlen(tag));
    if (status == F0T_ERROR_FORMAT) /* no UTF-8, or longer than any tag: no vocabulary has it */
        return F0T_OK;
    F0T_TRY(status);
    size_t i = f0t_words_find(v->file ? &v->mapped_keys : &v->keys.view, key.data, key.length);
    f0t_free(key.data);
    if (v->file)
        *index = i;
    else if (i != F0T_NONE)
        *index = v->entries[v->first[i]].index;
    return f0t_vocab_whole(v);
}

const float *f0t_vocab_vectors(const f0t_vocab *v)
{
    return v->vectors;
}

const f0t_screen *f0t_vocab_screen(const f0t_vocab *v)
{
    return v->screen.count ? &v->screen : NULL;
}

bool f0t_vocab_centred(const f0t_vocab *v)
{
    return v->centred;
}

uint64_t f0t_vocab_fingerprint(const f0t_vocab *v)
{
    return v->fingerprint;
}

size_t f0t_vocab_entry_count(const f0t_vocab *v)
{
    return v->entry_count;
}

const f0t_vocab_entry *f0t_vocab_get_entry(const f0t_vocab *v, size_t i)
{
    return i < v->entry_count ? &v->entries[i] : NULL;
}

const char *f0t_match_name(f0t_match match)
{
    static const char *const names[] = {"exact", "case", "joined", "singular", "plural",
                                        "parts", "same", "none",   "base"};
    return (size_t)match < sizeof names / sizeof *names ? names[match] : "unknown";
}

/* ---- Ranking --------------------------------------------------------------------------------- */

f0t_status f0t_vocab_rank(uint32_t *index, float *score, size_t k, const f0t_vocab *vocab,
                          const float *directions, size_t rows, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(index || !rows);
    F0T_REQUIRE(vocab);
    F0T_REQUIRE(directions || !rows);
    f0t_scoring scoring;
    f0t_status status = f0t_scoring_open(&scoring, f0t_compute_current(), f0t_vocab_vectors(vocab),
                                         f0t_vocab_count(vocab), f0t_vocab_dim(vocab),
                                         &(f0t_scoring_options){.screen = f0t_vocab_screen(vocab)});
    if (status == F0T_OK)
        status = f0t_scoring_top(index, score, k, &scoring, directions, rows);
    f0t_scoring_close(&scoring);
    return status == F0T_OK ? f0t_vocab_whole(vocab) : status;
}

/* ---- Joining two ----------------------------------------------------------------------------- */

/* Tags and vectors of both; `b` without what `a` has. */
static f0t_status join(f0t_vocab **out, const f0t_vocab *a, const f0t_vocab *b, const char **tags,
                       float *vectors)
{
    size_t count = f0t_vocab_count(a), dim = f0t_vocab_dim(a), bytes = dim * sizeof *vectors;
    for (size_t i = 0; i < count; i++)
        tags[i] = f0t_vocab_tag(a, i);
    memcpy(vectors, f0t_vocab_vectors(a), count * bytes);
    for (size_t i = 0; i < f0t_vocab_count(b); i++) {
        size_t there;
        F0T_TRY(f0t_vocab_find(&there, a, f0t_vocab_tag(b, i)));
        if (there != F0T_NONE)
            continue;
        memcpy(vectors + count * dim, f0t_vocab_vectors(b) + i * dim, bytes);
        tags[count++] = f0t_vocab_tag(b, i);
    }
    f0t_vocab_parts parts = {.tags = tags,
                             .count = count,
                             .vectors = vectors,
                             .dim = dim,
                             .centred = f0t_vocab_centred(a),
                             .fingerprint = f0t_vocab_fingerprint(a)};
    return f0t_vocab_restore(out, &parts);
}

f0t_status f0t_vocab_join_any(f0t_vocab **out, const f0t_vocab *a, const f0t_vocab *b)
{
    const char **tags = NULL;
    float *vectors = NULL;
    size_t both;
    *out = NULL;
    if (f0t_vocab_dim(a) != f0t_vocab_dim(b))
        return f0t_fail(F0T_ERROR_MISMATCH, "vectors of %zu and of %zu dimensions cannot be joined",
                        f0t_vocab_dim(a), f0t_vocab_dim(b));
    if (!f0t_size_add(&both, f0t_vocab_count(a), f0t_vocab_count(b)))
        return f0t_fail(F0T_ERROR_MEMORY, "too many tags");
    f0t_status status = f0t_alloc(&tags, both, sizeof *tags);
    if (status == F0T_OK)
        status = f0t_alloc(&vectors, both, f0t_vocab_dim(a) * sizeof *vectors);
    if (status == F0T_OK)
        status = join(out, a, b, tags, vectors);
    f0t_free(tags);
    f0t_free(vectors);
    const f0t_status first = f0t_vocab_whole(a),
                     whole = first == F0T_OK ? f0t_vocab_whole(b) : first;
    if (whole != F0T_OK) {
        f0t_vocab_free(*out);
        *out = NULL;
    }
    return whole == F0T_OK ? status : whole;
}

f0t_status f0t_vocab_join(f0t_vocab **out, const f0t_vocab *a, const f0t_vocab *b)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(a);
    F0T_REQUIRE(b);
    if (f0t_vocab_dim(a) != f0t_vocab_dim(b) ||
        f0t_vocab_fingerprint(a) != f0t_vocab_fingerprint(b) ||
        f0t_vocab_centred(a) != f0t_vocab_centred(b))
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "two vocabularies of different vector spaces cannot be one");
    return f0t_vocab_join_any(out, a, b);
}
