#include "word/wordnet_nouns.h"

#include "base/alloc.h"
#include "word/wordnet_folder.h"

#include <string.h>

/* What can be seen. Left out are kinds of "location", which are names of towns and countries for the
 * most part, and of "group" and "substance", which are seen as something else. */
static const char *const VISIBLE[] = {"artifact", "living thing", "natural object", "body part",
                                      "food",     "fruit",        "vegetable",      "body of water",
                                      "mountain", "beach",        "weather"};

/* Used once in the tagged texts: words that people know. */
enum { LEAST = 1, DEEPEST = 64 };

/* The sense that counts most for a noun; NULL: it is none. */
static const f0t_sense *first_sense(const f0t_wordnet *w, size_t lemma)
{
    const uint32_t first = w->first[F0T_NOUN][lemma];
    return first ? &w->senses[first - 1] : NULL;
}

static size_t mark_roots(bool *below, const f0t_wordnet *w, const char *const *roots, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t lemma = f0t_words_find(&w->lemmas.view, roots[i], strlen(roots[i]));
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
static void mark_kinds(bool *below, const f0t_wordnet *w)
{
    bool more = true;
    for (int pass = 0; more && pass < DEEPEST; pass++) {
        more = false;
        for (size_t i = 0; i < w->link_count; i++) {
            const f0t_link *link = &w->links[i];
            if (link->relation == F0T_RELATION_DOWN && below[link->from] && !below[link->to])
                more = below[link->to] = true;
        }
    }
}

static f0t_status add_nouns(f0t_texts *out, const f0t_wordnet *w, const bool *below, uint32_t least)
{
    for (size_t i = 0; i < w->lemmas.view.count; i++) {
        const f0t_sense *sense = first_sense(w, i);
        size_t length;
        const char *word = f0t_words_at(&w->lemmas.view, i, &length);
        if (sense && below[sense->synset] && sense->count >= least && word)
            F0T_TRY(f0t_texts_add(out, word, length));
    }
    return F0T_OK;
}

f0t_status f0t_wordnet_nouns(f0t_texts *out, const f0t_wordnet *w, const char *const *roots,
                             size_t root_count, uint32_t least)
{
    bool *below;
    F0T_TRY(f0t_alloc_zero(&below, w->synset_count, sizeof *below));
    if (mark_roots(below, w, roots, root_count))
        mark_kinds(below, w);
    else
        memset(below, true, w->synset_count * sizeof *below);
    f0t_status status = add_nouns(out, w, below, least);
    f0t_free(below);
    return status;
}

f0t_status f0t_wordnet_visible_nouns(f0t_texts *out, const char *path)
{
    f0t_wordnet_folder folder;
    f0t_wordnet wordnet = {0};
    f0t_status status = f0t_wordnet_folder_open(&folder, path);
    if (status == F0T_OK)
        status = f0t_wordnet_read(&wordnet, &folder.files);
    if (status == F0T_OK)
        status = f0t_wordnet_nouns(out, &wordnet, VISIBLE, sizeof VISIBLE / sizeof *VISIBLE, LEAST);
    f0t_wordnet_clear(&wordnet);
    f0t_wordnet_folder_close(&folder);
    return status;
}
