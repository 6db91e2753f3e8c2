#include "word/spelling.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/team.h"
#include "io/vectors.h"
#include "word/insult.h"

#include <string.h>
#include <utf8proc.h>

enum { LETTERS_MOST = 64, BATCH = 16, UNUSABLE = -100 };

/* A text as small letters, and the set of them. */
typedef struct letters {
    int count; /* -1: too long, or not UTF-8 */
    uint64_t set;
    utf8proc_int32_t at[LETTERS_MOST];
} letters;

/* What is kept of every word of the file: enough to rule most of them out. */
typedef struct outline {
    uint64_t set;
    int count; /* UNUSABLE is near to nothing */
} outline;

static utf8proc_int32_t small(utf8proc_int32_t c)
{
    if (c < 0x80)
        return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
    return utf8proc_tolower(c);
}

static uint64_t bit_of(utf8proc_int32_t c)
{
    return UINT64_C(1) << ((c >= 'a' && c <= 'z' ? c - 'a' : 26 + c % 38) & 63);
}

static void read_letters(letters *out, const char *text, size_t length)
{
    size_t i = 0;
    out->count = 0;
    out->set = 0;
    while (i < length && out->count < LETTERS_MOST) {
        utf8proc_int32_t c;
        utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)text + i,
                                              (utf8proc_ssize_t)(length - i), &c);
        if (n <= 0)
            break;
        i += (size_t)n;
        out->at[out->count] = small(c);
        out->set |= bit_of(out->at[out->count++]);
    }
    if (i < length)
        out->count = -1;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* One row of the table of distances between beginnings of a and of b. */
static int next_row(int *row, const int *above, const int *above2, const letters *a,
                    const letters *b, int i)
{
    int best = row[0] = i;
    for (int j = 1; j <= b->count; j++) {
        bool same = a->at[i - 1] == b->at[j - 1];
        row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + !same);
        if (i > 1 && j > 1 && a->at[i - 1] == b->at[j - 2] && a->at[i - 2] == b->at[j - 1])
            row[j] = least(row[j], above2[j - 2] + 1);
        best = least(best, row[j]);
    }
    return best;
}

static int distance(const letters *a, const letters *b, int most)
{
    int rows[3][LETTERS_MOST + 1];
    for (int j = 0; j <= b->count; j++)
        rows[0][j] = j;
    int before = 0;
    for (int i = 1; i <= a->count; i++) {
        int best = next_row(rows[i % 3], rows[(i + 2) % 3], rows[(i + 1) % 3], a, b, i);
        if (least(best, before) > most)
            return most + 1;
        before = best;
    }
    return least(rows[a->count % 3][b->count], most + 1);
}

int f0t_spelling_distance(const char *a, size_t a_length, const char *b, size_t b_length, int most)
{
    letters x, y;
    read_letters(&x, a, a_length);
    read_letters(&y, b, b_length);
    return x.count < 0 || y.count < 0 ? most + 1 : distance(&x, &y, most);
}

/* An edit changes the length by one at most and the set of letters by two. */
static bool may_be_near(const letters *text, const outline *word, int most)
{
    return word->count >= text->count - most && word->count <= text->count + most &&
           __builtin_popcountll(text->set ^ word->set) <= 2 * most;
}

static f0t_status find_nearest(size_t *best, const char *text, const f0t_vectors *vectors,
                               const outline *outlines)
{
    letters wanted, other;
    *best = F0T_NONE;
    read_letters(&wanted, text, strlen(text));
    int most = wanted.count <= 4 ? 1 : wanted.count <= 8 ? 2 : 3;
    if (wanted.count <= 0)
        return F0T_OK;
    for (size_t i = 0; i < f0t_vectors_count(vectors) && most >= 0; i++) {
        size_t length;
        bool insults;
        if (!may_be_near(&wanted, &outlines[i], most))
            continue;
        const char *word = f0t_vectors_word(&length, vectors, i);
        if (!word) /* the file is another one by now */
            continue;
        read_letters(&other, word, length);
        int d = distance(&wanted, &other, most);
        if (d > most)
            continue;
        F0T_TRY(f0t_word_insults(&insults, word, length));
        if (!insults) {
            *best = i;
            most = d - 1;
        }
    }
    return F0T_OK;
}

/* Finds the nearest of texts[count], BATCH at most. A failure's message would stay with its thread. */
static f0t_status find_batch(size_t *nearest, const char *const *texts, size_t count,
                             const f0t_vectors *vectors, const outline *outlines)
{
    f0t_status done[BATCH];
#pragma omp parallel for schedule(dynamic, 1) num_threads(f0t_team_size())
    for (long i = 0; i < (long)count; i++)
        done[i] = find_nearest(&nearest[i], texts[i], vectors, outlines);
    for (size_t i = 0; i < count; i++)
        if (done[i] != F0T_OK)
            return f0t_fail(done[i], "no memory to look for spellings");
    return F0T_OK;
}

static void draw_outlines(outline *outlines, const f0t_vectors *vectors)
{
    long count = (long)f0t_vectors_count(vectors);
#pragma omp parallel for schedule(static) num_threads(f0t_team_size())
    for (long i = 0; i < count; i++) {
        letters word;
        size_t length;
        const char *text = f0t_vectors_word(&length, vectors, (size_t)i);
        read_letters(&word, text ? text : "", length);
        outlines[i] = (outline){word.set, text && word.count >= 0 ? word.count : UNUSABLE};
    }
}

f0t_status f0t_spelling_nearest(size_t *nearest, const char *const *texts, size_t count,
                                const f0t_vectors *vectors, const f0t_monitor *monitor)
{
    outline *outlines;
    f0t_status status = F0T_OK;
    f0t_stage stage = f0t_stage_begin(monitor, "looking for the nearest spelling", "tags", count);
    F0T_TRY(f0t_alloc(&outlines, f0t_vectors_count(vectors), sizeof *outlines));
    draw_outlines(outlines, vectors);
    for (size_t first = 0; first < count && status == F0T_OK; first += BATCH) {
        const size_t some = count - first < BATCH ? count - first : BATCH;
        status = find_batch(nearest + first, texts + first, some, vectors, outlines);
        if (status == F0T_OK)
            status = f0t_stage_update(&stage, first + some);
    }
    f0t_free(outlines);
    if (status == F0T_OK)
        status = f0t_vectors_whole(vectors);
    if (status == F0T_OK)
        f0t_stage_end(&stage);
    return status;
}
