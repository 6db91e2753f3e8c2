#include "word/hypernyms.h"

#include "base/alloc.h"
#include "base/context.h"
#include "word/insult.h"
#include "word/wordnet_nouns.h"

#include <stdio.h>
#include <string.h>

/* Where generality ends: above these WordNet has "organism", "artifact" and "entity", which nobody looks for. A word
 * below none of them has no general words. The first sense of each counts. */
static const struct {
    const char *word, *name;
} TOPS[] = {
    {"animal", NULL},        {"plant life", "plant"},
    {"person", NULL},        {"food", NULL},
    {"fruit", NULL},         {"vegetable", NULL},
    {"vehicle", NULL},       {"public transport", NULL},
    {"structure", NULL},     {"building", NULL},
    {"room", NULL},          {"road", NULL},
    {"city", NULL},          {"furniture", NULL},
    {"clothing", NULL},      {"footwear", NULL},
    {"jewelry", NULL},       {"musical instrument", NULL},
    {"tool", NULL},          {"machine", NULL},
    {"weapon", NULL},        {"toy", NULL},
    {"body of water", NULL}, {"celestial body", NULL},
    {"weather", NULL},       {"body part", NULL},
    {"sport", NULL},         {"game", NULL},
    {"color", NULL},
};

/* Senses of a word that are tried: the first of them that is below one of these counts. An "oak" is wood before it is
 * a tree; what comes after the second sense is rarely meant. */
enum { SENSES_MOST = 2, NODES_MOST = 256, LONGEST = 256 };

/* ---- Making one ------------------------------------------------------------------------------------ */

static f0t_status index_links(f0t_hypernyms *h)
{
    const f0t_wordnet *w = &h->wordnet;
    F0T_TRY(f0t_alloc_zero(&h->begin, w->synset_count + 2, sizeof *h->begin));
    size_t *at = h->begin + 1; /* at[s + 1] counts; then at[s] is where the next of s goes */
    for (size_t i = 0; i < w->link_count; i++)
        if (w->links[i].relation == F0T_RELATION_UP)
            at[w->links[i].from + 1]++;
    for (size_t s = 0; s < w->synset_count; s++)
        at[s + 1] += at[s];
    F0T_TRY(f0t_alloc(&h->up, at[w->synset_count], sizeof *h->up));
    for (size_t i = 0; i < w->link_count; i++)
        if (w->links[i].relation == F0T_RELATION_UP)
            h->up[at[w->links[i].from]++] = w->links[i].to;
    return F0T_OK;
}

/* Of the words of a synset the one that the tagged texts use most, of those that mean it before anything else.
 * best[synsets]: how often. */
static f0t_status name_synsets(f0t_hypernyms *h, const bool *marked, const bool *unwanted,
                               uint32_t *best)
{
    const f0t_wordnet *w = &h->wordnet;
    f0t_status status = F0T_OK;
    bool insults = false;
    for (size_t i = 0; i < w->sense_count && status == F0T_OK; i++) {
        const f0t_sense *sense = &w->senses[i];
        if (w->synsets[sense->synset].pos != F0T_NOUN || sense->rank || unwanted[sense->synset] ||
            sense->count <= best[sense->synset] || f0t_wordnet_insults(w, marked, sense->lemma))
            continue;
        const char *word = f0t_names_get(&w->lemmas, sense->lemma);
        status = f0t_word_insults(&insults, word, strlen(word));
        if (insults)
            continue;
        best[sense->synset] = sense->count;
        h->names[sense->synset] = word;
    }
    return status;
}

static f0t_status choose_names(f0t_hypernyms *h)
{
    const size_t synsets = h->wordnet.synset_count;
    bool *marked = NULL, *unwanted = NULL;
    uint32_t *best = NULL;
    F0T_TRY(f0t_alloc_zero(&h->names, synsets, sizeof *h->names));
    f0t_status status = f0t_alloc(&marked, h->wordnet.sense_count, sizeof *marked);
    if (status == F0T_OK)
        status = f0t_alloc(&unwanted, synsets, sizeof *unwanted);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&best, synsets, sizeof *best);
    if (status == F0T_OK)
        status = f0t_wordnet_mark_insults(marked, &h->wordnet);
    if (status == F0T_OK) {
        f0t_wordnet_mark_unwanted(unwanted, &h->wordnet);
        status = name_synsets(h, marked, unwanted, best);
    }
    f0t_free(marked);
    f0t_free(unwanted);
    f0t_free(best);
    return status;
}

static void mark_tops(f0t_hypernyms *h)
{
    const f0t_wordnet *w = &h->wordnet;
    for (size_t i = 0; i < sizeof TOPS / sizeof *TOPS; i++) {
        const size_t lemma = f0t_words_find(&w->lemmas.view, TOPS[i].word, strlen(TOPS[i].word));
        const uint32_t first = lemma == F0T_NONE ? 0 : w->first[F0T_NOUN][lemma];
        if (!first)
            continue;
        h->tops[w->senses[first - 1].synset] = true;
        h->names[w->senses[first - 1].synset] = TOPS[i].name ? TOPS[i].name : TOPS[i].word;
    }
}

f0t_status f0t_hypernyms_index(f0t_hypernyms *h)
{
    F0T_TRY(f0t_alloc_zero(&h->tops, h->wordnet.synset_count, sizeof *h->tops));
    F0T_TRY(index_links(h));
    F0T_TRY(choose_names(h));
    mark_tops(h);
    return F0T_OK;
}

static f0t_status read_all(f0t_hypernyms *h, const char *folder)
{
    F0T_TRY(f0t_wordnet_folder_open(&h->folder, folder));
    F0T_TRY(f0t_wordnet_folder_read(&h->wordnet, &h->folder));
    return f0t_hypernyms_index(h);
}

f0t_status f0t_hypernyms_open(f0t_hypernyms **out, const char *folder, const f0t_context *context)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_ENTER(context);
    f0t_hypernyms *h;
    F0T_TRY(f0t_alloc_zero(&h, 1, sizeof *h));
    f0t_status status = read_all(h, folder ? folder : F0T_WORDNET_FOLDER);
    if (status == F0T_OK)
        *out = h;
    else
        f0t_hypernyms_close(h);
    return status;
}

void f0t_hypernyms_close(f0t_hypernyms *h)
{
    if (!h)
        return;
    f0t_free(h->begin);
    f0t_free(h->up);
    f0t_free(h->names);
    f0t_free(h->tops);
    f0t_wordnet_clear(&h->wordnet);
    f0t_wordnet_folder_close(&h->folder);
    f0t_free(h);
}

/* ---- Above a word ---------------------------------------------------------------------------------- */

/* The synsets above one, the nearest first, each with the one below it on the shortest way up. */
typedef struct ascent {
    uint32_t synsets[NODES_MOST];
    size_t below[NODES_MOST]; /* number of that one; of the first: itself */
    bool used[NODES_MOST];    /* on the way to a top */
    size_t count;
} ascent;

static bool has_synset(const ascent *a, uint32_t synset)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->synsets[i] == synset)
            return true;
    return false;
}

static void climb(ascent *a, const f0t_hypernyms *h, uint32_t synset)
{
    a->synsets[0] = synset;
    a->below[0] = 0;
    a->count = 1;
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = h->begin[a->synsets[i]]; k < h->begin[a->synsets[i] + 1]; k++)
            if (a->count < NODES_MOST && !has_synset(a, h->up[k])) {
                a->below[a->count] = i;
                a->synsets[a->count++] = h->up[k];
            }
}

/* Marks the ways to the tops; returns how many tops there are above the synset. */
static size_t mark_ways(ascent *a, const f0t_hypernyms *h)
{
    size_t tops = 0;
    memset(a->used, 0, sizeof a->used);
    for (size_t i = 1; i < a->count; i++)
        if (h->tops[a->synsets[i]]) {
            tops++;
            for (size_t k = i; k; k = a->below[k])
                a->used[k] = true;
        }
    return tops;
}

/* As WordNet writes it: in lower case, with spaces. 0: it is too long for a word. */
static size_t fold(char to[LONGEST], const char *tag)
{
    const size_t length = strlen(tag);
    if (length >= LONGEST)
        return 0;
    for (size_t i = 0; i < length; i++) {
        const char c = tag[i];
        to[i] = (char)(c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }
    return length;
}

/* Of the senses from `first` on those of one noun that count: [first, end). */
static size_t end_of_senses(const f0t_wordnet *w, size_t first)
{
    size_t end = first;
    while (end < w->sense_count && w->senses[end].lemma == w->senses[first].lemma &&
           w->senses[end].rank < SENSES_MOST && w->synsets[w->senses[end].synset].pos == F0T_NOUN)
        end++;
    return end;
}

/* From the first sense of the tag that is below a top. A word that is a top itself in a further sense stays where it
 * is: a plant is a factory first, for WordNet, but not a structure for who tags flowers. */
static bool climb_from(ascent *a, const f0t_hypernyms *h, const char *tag)
{
    const f0t_wordnet *w = &h->wordnet;
    char word[LONGEST];
    const size_t length = fold(word, tag);
    const size_t lemma = length ? f0t_wordnet_lemma(w, word, length) : F0T_NONE;
    const uint32_t first = lemma == F0T_NONE ? 0 : w->first[F0T_NOUN][lemma];
    const size_t end = first ? end_of_senses(w, first - 1) : 0;
    for (size_t i = first; i < end; i++)
        if (h->tops[w->senses[i].synset] && !h->tops[w->senses[first - 1].synset])
            return false;
    for (size_t i = first ? first - 1 : 0; i < end; i++) {
        climb(a, h, w->senses[i].synset);
        if (mark_ways(a, h))
            return true;
    }
    return false;
}

/* ---- General words --------------------------------------------------------------------------------- */

f0t_status f0t_hypernyms_find(const char **words, size_t *count, const f0t_hypernyms *hypernyms,
                              const char *tag)
{
    F0T_REQUIRE(words);
    F0T_REQUIRE(count);
    F0T_REQUIRE(hypernyms);
    F0T_REQUIRE(tag);
    ascent a;
    *count = 0;
    if (!climb_from(&a, hypernyms, tag))
        return F0T_OK;
    for (size_t i = 1; i < a.count && *count < F0T_HYPERNYMS_MOST; i++) {
        const char *name = a.used[i] ? hypernyms->names[a.synsets[i]] : NULL;
        if (name)
            words[(*count)++] = name;
    }
    return F0T_OK;
}

/* How many names are on the way from number i down to the word. */
static size_t count_names(const ascent *a, const f0t_hypernyms *h, size_t i)
{
    size_t names = 0;
    for (; i; i = a->below[i])
        names += h->names[a->synsets[i]] != NULL;
    return names;
}

bool f0t_hypernyms_path(char *to, size_t size, const f0t_hypernyms *h, const char *tag)
{
    ascent a;
    size_t best = 0, used = 0;
    if (!climb_from(&a, h, tag))
        return false;
    for (size_t i = 1; i < a.count; i++)
        if (h->tops[a.synsets[i]] && count_names(&a, h, i) > count_names(&a, h, best))
            best = i;
    for (size_t i = best; i && used < size; i = a.below[i])
        if (h->names[a.synsets[i]])
            used += (size_t)snprintf(to + used, size - used, "%s|", h->names[a.synsets[i]]);
    if (used < size)
        used += (size_t)snprintf(to + used, size - used, "%s", tag);
    return used < size;
}
