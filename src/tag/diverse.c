#include "tag/diverse.h"

#include "base/alloc.h"
#include "base/team.h"
#include "word/inflect.h"
#include "word/normal.h"
#include "word/vocab.h"

#include <math.h>
#include <string.h>

/* Synonyms of WordNet's vectors are above 0.9, and of GloVe's, centred, above 0.8; siblings such as rain and
 * snow below. */
static const float NEAR = 0.85f;

/* ---- Words ---------------------------------------------------------------------------------------- */

/* What joins the words of a phrase: two tags that have it in common are not alike. */
static bool is_joint(const char *word, size_t length)
{
    static const char *const joints[] = {"a",  "an", "and", "at", "by",  "for", "from",
                                         "in", "of", "on",  "or", "the", "to",  "with"};
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++)
        if (strlen(joints[i]) == length && !memcmp(joints[i], word, length))
            return true;
    return false;
}

static f0t_status add_word(f0t_rows *rows, f0t_names *names, const char *word, size_t length)
{
    f0t_inflections singular, base;
    uint32_t index;
    f0t_singulars(&singular, word, length);
    if (singular.count) {
        word = singular.text[0];
        length = strlen(word);
    }
    f0t_bases(&base, word, length);
    if (base.count) {
        word = base.text[0];
        length = strlen(word);
    }
    F0T_TRY(f0t_names_add(&index, NULL, names, word, length));
    return f0t_rows_add(rows, index);
}

static f0t_status add_words(f0t_rows *rows, f0t_names *names, const char *key, size_t length)
{
    size_t begin = 0, end;
    while (f0t_normal_part(&begin, &end, key, length)) {
        if (!is_joint(key + begin, end - begin))
            F0T_TRY(add_word(rows, names, key + begin, end - begin));
        begin = end;
    }
    return F0T_OK;
}

static f0t_status add_tag(f0t_rows *rows, f0t_names *names, const char *tag)
{
    f0t_word_text key;
    F0T_TRY(f0t_normal_key(&key, tag, strlen(tag)));
    f0t_status status = add_words(rows, names, key.data, key.length);
    f0t_free(key.data);
    F0T_TRY(status);
    return f0t_rows_end(rows);
}

f0t_status f0t_diverse_open(f0t_diverse *out, const f0t_vocab *vocab)
{
    f0t_names names = {0};
    f0t_status status = F0T_OK;
    *out = (f0t_diverse){.vectors = f0t_vocab_vectors(vocab),
                         .dim = f0t_vocab_dim(vocab),
                         .mapped = f0t_vocab_screen(vocab) ? vocab : NULL};
    for (size_t t = 0; !out->mapped && t < f0t_vocab_count(vocab) && status == F0T_OK; t++)
        status = add_tag(&out->words, &names, f0t_vocab_tag(vocab, t));
    f0t_names_free(&names);
    if (status != F0T_OK)
        f0t_diverse_close(out);
    return status;
}

void f0t_diverse_close(f0t_diverse *diverse)
{
    f0t_rows_free(&diverse->words);
}

/* ---- Choosing ------------------------------------------------------------------------------------- */

static size_t row_of(const f0t_diverse *d, uint32_t tag)
{
    size_t row = 0;
    while (row < d->pool_count && d->pool[row] != tag)
        row++;
    return d->pool_count ? row : tag;
}

static bool share_a_word(const f0t_diverse *d, uint32_t a, uint32_t b)
{
    size_t na, nb;
    const uint32_t *x = f0t_rows_get(&na, &d->words, row_of(d, a)),
                   *y = f0t_rows_get(&nb, &d->words, row_of(d, b));
    for (size_t i = 0, j = 0; i < na && j < nb;) {
        if (x[i] == y[j])
            return true;
        if (x[i] < y[j])
            i++;
        else
            j++;
    }
    return false;
}

static float cosine(const float *a, const float *b, size_t dim)
{
    enum { LANES = 8 }; /* a sum of several is vectorised */
    float sums[LANES] = {0}, sum = 0;
    size_t d = 0;
    for (; d + LANES <= dim; d += LANES)
        for (size_t i = 0; i < LANES; i++)
            sums[i] += a[d + i] * b[d + i];
    for (; d < dim; d++)
        sum += a[d] * b[d];
    for (size_t i = 0; i < LANES; i++)
        sum += sums[i];
    return sum;
}

bool f0t_diverse_alike(const f0t_diverse *d, uint32_t a, uint32_t b)
{
    return share_a_word(d, a, b) ||
           cosine(d->vectors + a * d->dim, d->vectors + b * d->dim, d->dim) > NEAR;
}

/* The pool of one picture: [0, chosen) are in their places, the others in the order of their scores. */
typedef struct pool {
    uint32_t *index;
    float *score, *confidence;      /* the latter may be NULL */
    bool repeats[F0T_DIVERSE_POOL]; /* one that was chosen */
    size_t count;
} pool;

/* values[from] goes to values[to], and those from there on one place down. */
static void rotate(float *values, size_t from, size_t to)
{
    const float value = values[from];
    memmove(values + to + 1, values + to, (from - to) * sizeof *values);
    values[to] = value;
}

static void move_up(pool *p, size_t from, size_t to)
{
    const uint32_t index = p->index[from];
    memmove(p->index + to + 1, p->index + to, (from - to) * sizeof *p->index);
    p->index[to] = index;
    memmove(p->repeats + to + 1, p->repeats + to, (from - to) * sizeof *p->repeats);
    rotate(p->score, from, to);
    if (p->confidence)
        rotate(p->confidence, from, to);
}

static void choose(pool *p, const f0t_diverse *d, float loss)
{
    for (size_t place = 0; place < p->count && place < F0T_DIVERSE_FIRST; place++) {
        size_t best = place;
        for (size_t i = place + 1; i < p->count; i++)
            if (p->score[i] - (p->repeats[i] ? loss : 0) >
                p->score[best] - (p->repeats[best] ? loss : 0))
                best = i;
        move_up(p, best, place);
        for (size_t i = place + 1; i < p->count; i++)
            p->repeats[i] = p->repeats[i] || f0t_diverse_alike(d, p->index[place], p->index[i]);
    }
}

/* The words of the pool's tags are found first. */
static f0t_status choose_mapped(pool *p, const f0t_diverse *all, float loss)
{
    f0t_diverse d = {.vectors = all->vectors, .dim = all->dim, .pool_count = p->count};
    f0t_names names = {0};
    f0t_status status = F0T_OK;
    memcpy(d.pool, p->index, p->count * sizeof *p->index);
    for (size_t i = 0; i < p->count && status == F0T_OK; i++)
        status = add_tag(&d.words, &names, f0t_vocab_tag(all->mapped, p->index[i]));
    if (status == F0T_OK)
        choose(p, &d, loss);
    f0t_names_free(&names);
    f0t_diverse_close(&d);
    return status;
}

f0t_status f0t_diverse_order(uint32_t *index, float *score, float *confidence, size_t rows,
                             size_t count, const f0t_diverse *diverse, float weight)
{
    const size_t size = count < F0T_DIVERSE_POOL ? count : F0T_DIVERSE_POOL;
    const int threads = f0t_team_size();
    bool failed = false;
    (void)threads;
    if (!size || !(weight > 0))
        return F0T_OK;
#pragma omp parallel for schedule(static) num_threads(threads) if (rows > 64) reduction(|| : failed)
    for (size_t r = 0; r < rows; r++) {
        pool p = {.index = index + r * count,
                  .score = score + r * count,
                  .confidence = confidence ? confidence + r * count : NULL,
                  .count = size};
        const float loss = weight * (p.score[0] - p.score[size - 1]);
        if (!isfinite(loss))
            continue;
        if (diverse->mapped)
            failed = failed || choose_mapped(&p, diverse, loss) != F0T_OK;
        else
            choose(&p, diverse, loss);
    }
    return failed ? f0t_fail(F0T_ERROR_MEMORY, "no memory for the words of %zu lists of tags", rows)
                  : F0T_OK;
}
