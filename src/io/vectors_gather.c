#include "io/vectors_rows.h"

#include "base/alloc.h"
#include "base/monitor.h"

#include <string.h>

f0t_status f0t_gather_init(f0t_gather *g, size_t dim, const f0t_words *wanted, f0t_gather_put put,
                           void *context)
{
    memset(g, 0, sizeof *g);
    g->dim = dim;
    g->wanted = wanted;
    g->put = put;
    g->context = context;
    f0t_names_init_stored(&g->kept);
    return f0t_alloc_zero(&g->sum, dim, sizeof *g->sum);
}

void f0t_gather_clear(f0t_gather *g)
{
    f0t_names_free(&g->kept);
    f0t_names_free(&g->seen);
    f0t_free(g->sum);
    g->sum = NULL;
}

static void add_vector(f0t_gather *g, const float *values)
{
    double *sum = g->sum;
    bool zero = true;
    for (size_t i = 0; i < g->dim; i++)
        sum[i] += (double)values[i];
    for (size_t i = 0; zero && i < g->dim; i++)
        zero = values[i] == 0;
    g->counts.zero += zero;
    g->summed++;
}

/* Whether the row is to be put; counts it in any case. */
static f0t_status take_row(f0t_gather *g, const f0t_word_row *row, const float *values, bool *put)
{
    uint32_t index;
    bool added;
    F0T_TRY(f0t_names_add(&index, &added, g->wanted ? &g->seen : &g->kept, row->word, row->length));
    *put = added;
    if (!added) {
        g->counts.duplicates++;
        return F0T_OK;
    }
    add_vector(g, values);
    g->fingerprint += row->hash;
    if (g->wanted) {
        *put = f0t_words_find(g->wanted, row->word, row->length) != F0T_NONE;
        if (*put)
            return f0t_names_add(&index, &added, &g->kept, row->word, row->length);
    }
    return F0T_OK;
}

/* Rows that are put go on in runs: most of the time all of them at once. */
f0t_status f0t_gather_take(void *gather, const f0t_word_rows *rows)
{
    f0t_gather *g = gather;
    size_t begin = 0;
    g->counts.rows += rows->lost.rows;
    g->counts.empty += rows->lost.empty;
    g->counts.invalid += rows->lost.invalid;
    g->counts.not_finite += rows->lost.not_finite;
    for (size_t i = 0; i <= rows->count; i++) {
        bool put = false;
        if (i < rows->count)
            F0T_TRY(take_row(g, &rows->rows[i], rows->values + i * g->dim, &put));
        if (put)
            continue;
        if (i > begin)
            F0T_TRY(g->put(g->context, rows->values + begin * g->dim, i - begin));
        begin = i + 1;
    }
    g->counts.words = g->kept.view.count;
    return F0T_OK;
}

f0t_status f0t_gather_finish(float *mean, f0t_gather *g, const char *name)
{
    if (g->counts.words == 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: %s", name,
                        g->wanted ? "has none of the words" : "has no word vectors");
    for (size_t i = 0; i < g->dim; i++)
        mean[i] = (float)(g->sum[i] / (double)g->summed);
    return F0T_OK;
}

static void log_count(const f0t_monitor *monitor, const char *name, uint64_t count,
                      const char *what)
{
    if (count)
        f0t_log(monitor, F0T_LOG_WARNING, "%s: %llu %s", name, (unsigned long long)count, what);
}

void f0t_gather_log(const f0t_vectors_counts *counts, const char *name, const f0t_monitor *monitor)
{
    log_count(monitor, name, counts->duplicates, "words that were there before left out");
    log_count(monitor, name, counts->empty, "rows without a word left out");
    log_count(monitor, name, counts->invalid, "words that are not UTF-8 left out");
    log_count(monitor, name, counts->not_finite, "words with NaN or infinite numbers left out");
    log_count(monitor, name, counts->cut, "cut row at the end left out");
}
