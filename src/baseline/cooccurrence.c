/*
 * Completing a list of tags by the tags that go together: each given tag u has a list of the m = 25 tags c that training
 * images have most often beside it, with the share P(c | u) of the images with u that have c. Vote counts
 * the lists that a tag is on, Sum adds up its shares, Promote weights each vote by
 *
 *     4 / (4 + place − 1) · k / (k + |k − log |u||) · k / (k + |k − log |c||):
 *
 * by the place on the list, and less for given and for proposed tags that are very rare or very common.
 *
 * Source: Sigurbjörnsson, van Zwol, "Flickr tag recommendation based on collective knowledge", WWW 2008.
 *
 * Choices: nothing is tuned. The paper's constants for rare and common tags are right for 52 million photos; here
 * k is the mean of log |t| over the collection's tags. The paper shows five tags; here all are ranked, those on no list
 * by frequency, and frequency decides between equals.
 */
#include "baseline/cooccurrence.h"

#include "base/alloc.h"
#include "base/size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIST = 25 };
static const double PLACE = 4, PRIOR = 1e-4;

/* ---- Lists ----------------------------------------------------------------------------------------- */

/* beside[tags]: how many training images with u have each tag. */
static void count_beside(uint32_t *beside, const f0t_samples *train, const size_t *firsts,
                         const uint32_t *images, size_t u)
{
    memset(beside, 0, train->tags * sizeof *beside);
    for (size_t i = firsts[u]; i < firsts[u + 1]; i++) {
        const size_t m = images[i];
        for (size_t k = train->offsets[m]; k < train->offsets[m + 1]; k++)
            beside[train->relevant[k]]++;
    }
    beside[u] = 0;
}

/* The most frequent into the list, by insertion; of equals the first tag. */
static void make_list(f0t_cooccurrence *c, const uint32_t *beside, size_t u)
{
    uint32_t *list = c->list + u * c->most;
    size_t used = 0;
    for (size_t t = 0; t < c->tags; t++) {
        size_t at = used;
        if (!beside[t] || (used == c->most && beside[t] <= beside[list[used - 1]]))
            continue;
        at = used < c->most ? used++ : used - 1;
        for (; at && beside[t] > beside[list[at - 1]]; at--)
            list[at] = list[at - 1];
        list[at] = (uint32_t)t;
    }
    for (size_t i = 0; i < c->most; i++) {
        c->share[u * c->most + i] = i < used ? (double)beside[list[i]] / c->count[u] : 0;
        if (i >= used)
            list[i] = F0T_NO_SAMPLE_TAG;
    }
}

/* The images of each tag: images[firsts[t], firsts[t + 1]). */
static void invert(size_t *firsts, uint32_t *images, const f0t_samples *train)
{
    memset(firsts, 0, (train->tags + 2) * sizeof *firsts);
    for (size_t i = 0; i < train->offsets[train->count]; i++)
        firsts[train->relevant[i] + 2]++;
    for (size_t t = 0; t < train->tags; t++)
        firsts[t + 2] += firsts[t + 1];
    for (size_t m = 0; m < train->count; m++)
        for (size_t i = train->offsets[m]; i < train->offsets[m + 1]; i++)
            images[firsts[train->relevant[i] + 1]++] = (uint32_t)m;
}

static f0t_status fill(f0t_cooccurrence *c, const f0t_samples *train)
{
    size_t *firsts = NULL;
    uint32_t *images = NULL, *beside = NULL;
    f0t_status status = f0t_alloc(&firsts, c->tags + 2, sizeof *firsts);
    if (status == F0T_OK)
        status = f0t_alloc(&images, train->offsets[train->count], sizeof *images);
    if (status == F0T_OK)
        status = f0t_alloc(&beside, c->tags, sizeof *beside);
    if (status == F0T_OK) {
        double known = 0;
        invert(firsts, images, train);
        for (size_t u = 0; u < c->tags; u++) {
            c->count[u] = (double)(firsts[u + 1] - firsts[u]);
            c->middle += c->count[u] > 0 ? log(c->count[u]) : 0;
            known += c->count[u] > 0;
            count_beside(beside, train, firsts, images, u);
            make_list(c, beside, u);
        }
        c->middle = known > 0 ? c->middle / known : 0;
    }
    f0t_free(firsts);
    f0t_free(images);
    f0t_free(beside);
    return status;
}

f0t_status f0t_cooccurrence_create(f0t_cooccurrence **out, const f0t_task *task)
{
    f0t_cooccurrence *c;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&c, 1, sizeof *c));
    c->tags = task->tags;
    c->most = LIST < task->tags ? LIST : task->tags;
    c->images = (double)task->train.count;
    f0t_status status = f0t_alloc(&c->list, c->tags * c->most, sizeof *c->list);
    if (status == F0T_OK)
        status = f0t_alloc(&c->share, c->tags * c->most, sizeof *c->share);
    if (status == F0T_OK)
        status = f0t_alloc(&c->count, c->tags, sizeof *c->count);
    if (status == F0T_OK)
        status = fill(c, &task->train);
    if (status == F0T_OK)
        *out = c;
    else
        f0t_cooccurrence_free(c);
    return status;
}

void f0t_cooccurrence_free(void *cooccurrence)
{
    f0t_cooccurrence *c = cooccurrence;
    if (!c)
        return;
    f0t_free(c->list);
    f0t_free(c->share);
    f0t_free(c->count);
    f0t_free(c);
}

/* ---- Scores ---------------------------------------------------------------------------------------- */

/* 1 for tags that are as common as the middle, less for others. */
static double moderate(const f0t_cooccurrence *c, size_t tag)
{
    const double off = fabs(c->middle - log(fmax(c->count[tag], 1)));
    return c->middle + off > 0 ? c->middle / (c->middle + off) : 1;
}

static double weight(const f0t_cooccurrence *c, size_t u, size_t place, f0t_gathering how)
{
    const size_t at = u * c->most + place;
    if (how == F0T_GATHER_VOTE)
        return 1;
    if (how == F0T_GATHER_SUM)
        return c->share[at];
    return PLACE / (PLACE + (double)place) * moderate(c, u) * moderate(c, c->list[at]);
}

void f0t_cooccurrence_score(float *scores, const f0t_cooccurrence *c, const uint32_t *given,
                            size_t count, f0t_gathering how)
{
    for (size_t t = 0; t < c->tags; t++)
        scores[t] = (float)(PRIOR * c->count[t] / (c->images + 1));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < c->most; k++) {
            const uint32_t tag = c->list[given[i] * c->most + k];
            if (tag == F0T_NO_SAMPLE_TAG)
                break;
            scores[tag] += (float)weight(c, given[i], k, how);
        }
}

/* ---- The methods ----------------------------------------------------------------------------------- */

static f0t_status fit(void **fitted, const f0t_task *task, void *shared, const double *knobs)
{
    f0t_cooccurrence *c;
    (void)shared;
    (void)knobs;
    F0T_TRY(f0t_cooccurrence_create(&c, task));
    *fitted = c;
    return F0T_OK;
}

static f0t_status score(float *scores, const f0t_cooccurrence *c, const f0t_candidates *tags,
                        const f0t_queries *queries, f0t_gathering how)
{
    float *all;
    F0T_TRY(f0t_alloc(&all, c->tags, sizeof *all));
    for (size_t m = 0; m < queries->count; m++) {
        const size_t first = queries->offsets[m];
        f0t_cooccurrence_score(all, c, queries->relevant + first, queries->offsets[m + 1] - first,
                               how);
        for (size_t t = 0; t < tags->count; t++)
            scores[m * tags->count + t] = all[tags->known[t]];
    }
    f0t_free(all);
    return F0T_OK;
}

#define SCORE(how)                                                                         \
    static f0t_status score_##how(float *scores, const void *fitted, const f0t_task *task, \
                                  const f0t_candidates *tags, const f0t_queries *queries)  \
    {                                                                                      \
        (void)task;                                                                        \
        return score(scores, fitted, tags, queries, how);                                  \
    }
SCORE(F0T_GATHER_VOTE)
SCORE(F0T_GATHER_SUM)
SCORE(F0T_GATHER_PROMOTE)

#define COOCCURRENCE(short_name, long_name, how)                                              \
    {                                                                                         \
        .name = short_name, .title = long_name,                                               \
        .source = "Sigurbjörnsson, van Zwol: Flickr tag recommendation based on collective " \
                  "knowledge, WWW 2008",                                                      \
        .closed = true, .completes = true, .fit = fit, .free = f0t_cooccurrence_free,         \
        .score = score_##how                                                                  \
    }

const f0t_ranker f0t_ranker_vote = COOCCURRENCE("vote", "Vote", F0T_GATHER_VOTE);
const f0t_ranker f0t_ranker_sum = COOCCURRENCE("sum", "Sum", F0T_GATHER_SUM);
const f0t_ranker f0t_ranker_promote = COOCCURRENCE("promote", "Promote", F0T_GATHER_PROMOTE);
