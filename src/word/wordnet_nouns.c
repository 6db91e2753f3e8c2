#include "word/wordnet_nouns.h"

#include "base/alloc.h"
#include "word/insult.h"

#include <string.h>

/* ---- Words that WordNet itself marks as insulting -------------------------------------------- */

/* Manners of speaking that usage links lead to. */
static const char *const USAGES[] = {"disparagement", "ethnic slur", "obscenity"};

/* Not every insult has a link, but the definitions of the others say so. */
static const char *const PHRASES[] = {
    "offensive term",      "offensive name",   "offensive word",   "(offensive",
    "sometimes offensive", "often offensive",  "ethnic slur",      "derogatory",
    "pejorative",          "disparaging term", "disparaging word", "insulting term",
    "obscene term",        "obscene word",     "vulgar term",      "vulgar slang",
};

enum { FAR_MORE = 10 };

static bool is_usage(const f0t_wordnet *w, size_t synset)
{
    for (size_t i = 0; i < sizeof USAGES / sizeof *USAGES; i++) {
        size_t lemma = f0t_words_find(&w->lemmas.view, USAGES[i], strlen(USAGES[i]));
        uint32_t first = lemma == F0T_NONE ? 0 : w->first[F0T_NOUN][lemma];
        if (first && w->senses[first - 1].synset == synset)
            return true;
    }
    return false;
}

/* Word `number` of a synset as a lemma: "Red_Indian" and "fine(a)" are "red indian" and "fine". */
static size_t find_word(const f0t_wordnet *w, const f0t_synset *synset, unsigned number)
{
    char lemma[256];
    size_t length = 0;
    const char *at = synset->words;
    for (unsigned field = 2 * (number - 1); field; field--) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    while (length < sizeof lemma && at[length] != ' ' && at[length] != '(') {
        char c = at[length];
        lemma[length++] = (char)(c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }
    return f0t_words_find(&w->lemmas.view, lemma, length);
}

/* The sense that says that this lemma has this meaning. */
static void mark_sense(bool *marked, const f0t_wordnet *w, size_t lemma, size_t synset)
{
    const uint32_t first = lemma == F0T_NONE ? 0 : w->first[w->synsets[synset].pos][lemma];
    for (size_t i = first - 1; first && i < w->sense_count && w->senses[i].lemma == lemma; i++)
        marked[i] |= w->senses[i].synset == synset;
}

static void mark_linked(bool *marked, bool *whole, const f0t_wordnet *w)
{
    for (size_t i = 0; i < w->link_count; i++) {
        const f0t_link *link = &w->links[i];
        const f0t_synset *from = &w->synsets[link->from];
        if (link->relation != F0T_RELATION_USAGE || !is_usage(w, link->to))
            continue;
        if (link->word == 0)
            whole[link->from] = true;
        else if (link->word <= from->word_count)
            mark_sense(marked, w, find_word(w, from, link->word), link->from);
    }
}

/* Looks in the definition; the examples, which are quoted, show the word in use. */
static bool says_so(const f0t_synset *synset)
{
    const char *quote = memchr(synset->gloss, '"', synset->gloss_length);
    size_t length = quote ? (size_t)(quote - synset->gloss) : synset->gloss_length;
    for (size_t i = 0; i < sizeof PHRASES / sizeof *PHRASES; i++)
        if (memmem(synset->gloss, length, PHRASES[i], strlen(PHRASES[i])))
            return true;
    return false;
}

f0t_status f0t_wordnet_mark_insults(bool *marked, const f0t_wordnet *w)
{
    bool *whole;
    F0T_TRY(f0t_alloc_zero(&whole, w->synset_count, sizeof *whole));
    memset(marked, 0, w->sense_count * sizeof *marked);
    mark_linked(marked, whole, w);
    for (size_t i = 0; i < w->synset_count; i++)
        whole[i] |= says_so(&w->synsets[i]);
    for (size_t i = 0; i < w->sense_count; i++)
        marked[i] |= whole[w->senses[i].synset];
    f0t_free(whole);
    return F0T_OK;
}

bool f0t_wordnet_insults(const f0t_wordnet *w, const bool *marked, size_t lemma)
{
    uint64_t uses[2] = {0}; /* of the other senses, of the marked ones */
    bool any = false;
    for (int pos = 0; pos < F0T_POS_COUNT; pos++) {
        const uint32_t first = w->first[pos][lemma];
        for (size_t i = first - 1; first && i < w->sense_count && w->senses[i].lemma == lemma &&
                                   w->synsets[w->senses[i].synset].pos == pos;
             i++) {
            uses[marked[i]] += w->senses[i].count;
            any |= marked[i];
        }
    }
    return any && uses[0] < FAR_MORE * (uses[1] + 1);
}

/* ---- Nouns that name what a picture may show ------------------------------------------------- */

/* What can be seen. Left out are kinds of "location", which are names of towns and countries for the
 * most part, and of "group" and "substance", which are seen as something else. */
static const char *const VISIBLE[] = {"artifact", "living thing", "natural object", "body part",
                                      "food",     "fruit",        "vegetable",      "body of water",
                                      "mountain", "beach",        "weather",        NULL};

/* Of kinds of people those alone that a picture may show: what they do, how old they are, how they
 * belong together. No picture shows a character, a fate, a faith, a descent. */
static const char *const PERSON[] = {"person", NULL};
static const char *const EVERYBODY[] = {"person", "adult", NULL};
static const char *const PEOPLE[] = {
    "worker",  "entertainer", "athlete",   "relative",  "juvenile", "man",     "woman",
    "boy",     "girl",        "rider",     "spectator", "student",  "lawman",  "artist",
    "teacher", "scientist",   "sovereign", "passenger", "doctor",   "tourist", "farmer",
    "nurse",   "bather",      "cook",      NULL};

/* What nobody wants to be called, or to have said of a picture of people by mistake. That apes and
 * monkeys are here is for the worst such mistake that programs of this kind have made. */
static const char *const UNWANTED[] = {"bad person",
                                       "unwelcome person",
                                       "unfortunate",
                                       "simpleton",
                                       "prostitute",
                                       "mistress",
                                       "coquette",
                                       "crone",
                                       "spinster",
                                       "temptress",
                                       "mantrap",
                                       "exotic dancer",
                                       "working girl",
                                       "accomplice",
                                       "lackey",
                                       "underling",
                                       "urchin",
                                       "orphan",
                                       "white man",
                                       "black man",
                                       "underachiever",
                                       "cannon fodder",
                                       "ape",
                                       "monkey",
                                       "monstrosity",
                                       "cur",
                                       "corpse",
                                       "breast",
                                       "teat",
                                       "buttocks",
                                       "groin",
                                       "loins",
                                       "genitals",
                                       "reproductive organ",
                                       "nude",
                                       "brothel",
                                       "harem",
                                       "contraceptive",
                                       "mental hospital",
                                       "gallows",
                                       "gas chamber",
                                       "electric chair",
                                       "concentration camp",
                                       NULL};

static const f0t_noun_layer LAYERS[] = {
    {VISIBLE, F0T_NOUN_NAMES, false},    {PERSON, F0T_NOUN_NAMES, true},
    {EVERYBODY, F0T_NOUN_ITSELF, false}, {PEOPLE, F0T_NOUN_KINDS, false},
    {UNWANTED, F0T_NOUN_NAMES, true},
};

/* Used once in the tagged texts: words that people know. */
enum { LEAST = 1, DEEPEST = 64 };

/* The sense that counts most for a noun; NULL: it is none. */
static const f0t_sense *first_sense(const f0t_wordnet *w, size_t lemma)
{
    const uint32_t first = w->first[F0T_NOUN][lemma];
    return first ? &w->senses[first - 1] : NULL;
}

static size_t mark_roots(bool *below, const f0t_wordnet *w, const char *const *roots)
{
    size_t found = 0;
    for (; *roots; roots++) {
        size_t lemma = f0t_words_find(&w->lemmas.view, *roots, strlen(*roots));
        const f0t_sense *sense = lemma == F0T_NONE ? NULL : first_sense(w, lemma);
        if (sense) {
            below[sense->synset] = true;
            found++;
        }
    }
    return found;
}

/* Kinds of kinds, until a pass over the links finds no more. The deepest chain of WordNet has 18
 * links; no file makes it pass more often than DEEPEST. */
static void mark_kinds(bool *below, const f0t_wordnet *w, bool names)
{
    bool more = true;
    for (int pass = 0; more && pass < DEEPEST; pass++) {
        more = false;
        for (size_t i = 0; i < w->link_count; i++) {
            const f0t_link *link = &w->links[i];
            if (link->relation == F0T_RELATION_DOWN && below[link->from] && !below[link->to] &&
                (names || !link->instance))
                more = below[link->to] = true;
        }
    }
}

/* below[synsets] is room to work in. */
static void add_layer(bool *in, bool *below, const f0t_wordnet *w, const f0t_noun_layer *layer,
                      bool first)
{
    memset(below, 0, w->synset_count * sizeof *below);
    if (mark_roots(below, w, layer->roots) == 0 && first)
        memset(below, true, w->synset_count * sizeof *below);
    if (layer->reach != F0T_NOUN_ITSELF)
        mark_kinds(below, w, layer->reach == F0T_NOUN_NAMES);
    for (size_t i = 0; i < w->synset_count; i++)
        in[i] = layer->out ? in[i] && !below[i] : in[i] || below[i];
}

void f0t_wordnet_mark_unwanted(bool *unwanted, const f0t_wordnet *w)
{
    memset(unwanted, 0, w->synset_count * sizeof *unwanted);
    mark_roots(unwanted, w, UNWANTED);
    mark_kinds(unwanted, w, true);
}

static f0t_status add_nouns(f0t_texts *out, const f0t_wordnet *w, const bool *in,
                            const bool *marked, uint32_t least)
{
    for (size_t i = 0; i < w->lemmas.view.count; i++) {
        const f0t_sense *sense = first_sense(w, i);
        size_t length;
        const char *word = f0t_words_at(&length, &w->lemmas.view, i);
        bool insults;
        if (!sense || !in[sense->synset] || sense->count < least || !word ||
            f0t_wordnet_insults(w, marked, i))
            continue;
        F0T_TRY(f0t_word_insults(&insults, word, length));
        if (!insults)
            F0T_TRY(f0t_texts_add(out, word, length));
    }
    return F0T_OK;
}

/* in[2 x synsets], marked[senses]. */
static f0t_status choose(f0t_texts *out, const f0t_wordnet *w, const f0t_noun_layer *layers,
                         size_t count, uint32_t least, bool *in, bool *marked)
{
    for (size_t i = 0; i < count; i++)
        add_layer(in, in + w->synset_count, w, &layers[i], i == 0);
    F0T_TRY(f0t_wordnet_mark_insults(marked, w));
    return add_nouns(out, w, in, marked, least);
}

f0t_status f0t_wordnet_nouns(f0t_texts *out, const f0t_wordnet *w, const f0t_noun_layer *layers,
                             size_t count, uint32_t least)
{
    bool *in = NULL, *marked = NULL;
    f0t_status status = f0t_alloc_zero(&in, w->synset_count, 2 * sizeof *in);
    if (status == F0T_OK)
        status = f0t_alloc(&marked, w->sense_count, sizeof *marked);
    if (status == F0T_OK)
        status = choose(out, w, layers, count, least, in, marked);
    f0t_free(in);
    f0t_free(marked);
    return status;
}

f0t_status f0t_wordnet_visible_nouns(f0t_texts *out, const char *path)
{
    f0t_wordnet_folder folder;
    f0t_wordnet wordnet = {0};
    f0t_status status = f0t_wordnet_folder_open(&folder, path);
    if (status == F0T_OK)
        status = f0t_wordnet_folder_read(&wordnet, &folder);
    if (status == F0T_OK)
        status = f0t_wordnet_nouns(out, &wordnet, LAYERS, sizeof LAYERS / sizeof *LAYERS, LEAST);
    f0t_wordnet_clear(&wordnet);
    f0t_wordnet_folder_close(&folder);
    return status;
}
