#include "word/wordnet_marks.h"

#include "base/alloc.h"

#include <string.h>

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
