#include "word/wordnet_graph.h"

#include "base/alloc.h"
#include "word/wordnet_edges.h"

#include <math.h>
#include <string.h>

typedef struct building {
    const f0t_wordnet *wordnet;
    const f0t_mentions *mentions;
    const f0t_wordnet_graph_weights *weights;
    f0t_edges edges;
    double *rarity; /* [lemmas] */
    double *share;  /* [senses]: of what the lemma means */
} building;

static f0t_status add_links(building *b)
{
    const f0t_wordnet *w = b->wordnet;
    for (int relation = 0; relation < F0T_RELATIONS; relation++) {
        for (size_t i = 0; i < w->link_count; i++)
            if (w->links[i].relation == relation)
                F0T_TRY(f0t_edges_add(&b->edges, w->links[i].from, w->links[i].to, 1));
        f0t_edges_end(&b->edges, b->weights->relation[relation]);
    }
    return F0T_OK;
}

/* log(synsets / those whose definition names the lemma), to a power. Mentions come in the order of
 * the synsets: the last one that named a lemma is kept to count each once. */
static f0t_status find_rarity(building *b)
{
    size_t lemmas = b->wordnet->lemmas.view.count;
    uint32_t *last;
    F0T_TRY(f0t_alloc_zero(&b->rarity, lemmas, sizeof *b->rarity));
    F0T_TRY(f0t_alloc_zero(&last, lemmas, sizeof *last));
    for (size_t i = 0; i < b->mentions->count; i++) {
        const f0t_mention *m = &b->mentions->items[i];
        if (m->example || last[m->lemma] == m->synset + 1)
            continue;
        last[m->lemma] = m->synset + 1;
        b->rarity[m->lemma]++;
    }
    for (size_t i = 0; i < lemmas; i++) {
        double frequency = (b->rarity[i] > 0 ? b->rarity[i] : 1) / (double)b->wordnet->synset_count;
        b->rarity[i] = pow(1e-3 - log(frequency), b->weights->rarity);
    }
    f0t_free(last);
    return F0T_OK;
}

static f0t_status add_mentions(building *b, bool example, double weight, double back)
{
    size_t synsets = b->wordnet->synset_count;
    const f0t_mentions *mentions = b->mentions;
    for (size_t i = 0; i < mentions->count; i++) {
        const f0t_mention *m = &mentions->items[i];
        if (m->example == example)
            F0T_TRY(f0t_edges_add(&b->edges, m->synset, synsets + m->lemma, b->rarity[m->lemma]));
    }
    f0t_edges_end(&b->edges, weight);
    for (size_t i = 0; i < mentions->count; i++) {
        const f0t_mention *m = &mentions->items[i];
        if (m->example == example)
            F0T_TRY(f0t_edges_add(&b->edges, synsets + m->lemma, m->synset, 1));
    }
    f0t_edges_end(&b->edges, back);
    return F0T_OK;
}

static f0t_status find_shares(building *b)
{
    const f0t_wordnet *w = b->wordnet;
    const f0t_wordnet_graph_weights *g = b->weights;
    double *sums;
    F0T_TRY(f0t_alloc(&b->share, w->sense_count, sizeof *b->share));
    F0T_TRY(f0t_alloc_zero(&sums, w->lemmas.view.count, sizeof *sums));
    for (size_t i = 0; i < w->sense_count; i++) {
        const f0t_sense *s = &w->senses[i];
        b->share[i] =
            pow(s->count + g->count_more, g->count_power) / pow(1.0 + s->rank, g->rank_power);
        sums[s->lemma] += b->share[i];
    }
    for (size_t i = 0; i < w->sense_count; i++)
        b->share[i] /= sums[w->senses[i].lemma];
    f0t_free(sums);
    return F0T_OK;
}

static f0t_status add_senses(building *b)
{
    const f0t_wordnet *w = b->wordnet;
    F0T_TRY(find_shares(b));
    for (size_t i = 0; i < w->sense_count; i++)
        F0T_TRY(f0t_edges_add(&b->edges, w->synset_count + w->senses[i].lemma, w->senses[i].synset,
                              b->share[i]));
    f0t_edges_end(&b->edges, b->weights->sense);
    for (size_t i = 0; i < w->sense_count; i++)
        F0T_TRY(f0t_edges_add(&b->edges, w->senses[i].synset, w->synset_count + w->senses[i].lemma,
                              sqrt(b->share[i])));
    f0t_edges_end(&b->edges, b->weights->lemma);
    return F0T_OK;
}

static f0t_status add_all(building *b)
{
    const f0t_wordnet_graph_weights *w = b->weights;
    F0T_TRY(f0t_edges_init(&b->edges, b->wordnet->synset_count + b->wordnet->lemmas.view.count));
    F0T_TRY(add_links(b));
    F0T_TRY(find_rarity(b));
    F0T_TRY(add_mentions(b, false, w->definition, w->in_definition));
    F0T_TRY(add_mentions(b, true, w->example, w->in_example));
    return add_senses(b);
}

f0t_status f0t_wordnet_graph_build(f0t_wordnet_graph *out, const f0t_wordnet *wordnet,
                                   const f0t_mentions *mentions,
                                   const f0t_wordnet_graph_weights *weights)
{
    building b = {.wordnet = wordnet, .mentions = mentions, .weights = weights};
    memset(out, 0, sizeof *out);
    f0t_status status = add_all(&b);
    if (status == F0T_OK)
        status = f0t_edges_graph(out, &b.edges);
    out->synsets = wordnet->synset_count;
    f0t_edges_clear(&b.edges);
    f0t_free(b.rarity);
    f0t_free(b.share);
    if (status != F0T_OK)
        f0t_wordnet_graph_clear(out);
    return status;
}

void f0t_wordnet_graph_clear(f0t_wordnet_graph *graph)
{
    f0t_free(graph->begin);
    f0t_free(graph->to);
    f0t_free(graph->p);
    memset(graph, 0, sizeof *graph);
}
