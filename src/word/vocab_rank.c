/* Ranking a vocabulary along directions, and joining two vocabularies. */
#include "base/alloc.h"
#include "base/size.h"
#include "math/matmul.h"
#include "math/topk.h"
#include "word/vocab.h"

#include <string.h>

enum { SCORES_MOST = 1 << 25 }; /* numbers in work at a time: 128 MB */

/* How many rows go through one product. */
static size_t block_rows(size_t rows, size_t size)
{
    size_t fit = SCORES_MOST / (size ? size : 1);
    fit = fit ? fit : 1;
    return rows < fit ? rows : fit;
}

static f0t_status rank_block(uint32_t *index, float *score, size_t k, const f0t_vocab *vocab,
                             const float *directions, size_t rows, float *scores)
{
    size_t size = f0t_vocab_size(vocab);
    f0t_matmul product = {.m = rows, .n = size, .k = f0t_vocab_dim(vocab), .b_transposed = true};
    F0T_TRY(f0t_matmul_run(scores, directions, f0t_vocab_vectors(vocab), NULL, &product));
    f0t_topk_rows(index, score, scores, rows, size, k);
    return F0T_OK;
}

f0t_status f0t_vocab_rank(uint32_t *index, float *score, size_t k, const f0t_vocab *vocab,
                          const float *directions, size_t rows)
{
    F0T_REQUIRE(index || !rows);
    F0T_REQUIRE(vocab);
    F0T_REQUIRE(directions || !rows);
    size_t size = f0t_vocab_size(vocab), dim = f0t_vocab_dim(vocab);
    size_t block = block_rows(rows, size), kept = k < size ? k : size;
    float *scores;
    f0t_status status = F0T_OK;
    if (kept == 0)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&scores, block * size, sizeof *scores));
    for (size_t r = 0; r < rows && status == F0T_OK; r += block) {
        size_t n = rows - r < block ? rows - r : block;
        status = rank_block(index + r * kept, score ? score + r * kept : NULL, k, vocab,
                            directions + r * dim, n, scores);
    }
    f0t_free(scores);
    return status;
}

/* Tags and vectors of both; `b` without what `a` has. */
static f0t_status join(f0t_vocab **out, const f0t_vocab *a, const f0t_vocab *b, const char **tags,
                       float *vectors)
{
    size_t count = f0t_vocab_size(a), dim = f0t_vocab_dim(a), bytes = dim * sizeof *vectors;
    for (size_t i = 0; i < count; i++)
        tags[i] = f0t_vocab_tag(a, i);
    memcpy(vectors, f0t_vocab_vectors(a), count * bytes);
    for (size_t i = 0; i < f0t_vocab_size(b); i++) {
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

f0t_status f0t_vocab_join(f0t_vocab **out, const f0t_vocab *a, const f0t_vocab *b)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(a);
    F0T_REQUIRE(b);
    const char **tags = NULL;
    float *vectors = NULL;
    size_t both;
    if (f0t_vocab_dim(a) != f0t_vocab_dim(b) ||
        f0t_vocab_fingerprint(a) != f0t_vocab_fingerprint(b) ||
        f0t_vocab_centred(a) != f0t_vocab_centred(b))
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "two vocabularies of different vector spaces cannot be one");
    if (!f0t_size_add(&both, f0t_vocab_size(a), f0t_vocab_size(b)))
        return f0t_fail(F0T_ERROR_MEMORY, "too many tags");
    f0t_status status = f0t_alloc(&tags, both, sizeof *tags);
    if (status == F0T_OK)
        status = f0t_alloc(&vectors, both, f0t_vocab_dim(a) * sizeof *vectors);
    if (status == F0T_OK)
        status = join(out, a, b, tags, vectors);
    f0t_free(tags);
    f0t_free(vectors);
    return status;
}
