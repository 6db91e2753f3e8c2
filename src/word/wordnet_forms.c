/* From the form of a word to its lemma: morphy(7WN)'s exceptions and endings. */
#include "base/alloc.h"
#include "word/wordnet_line.h"

#include <string.h>

enum { SHORTEST_STEM = 2 };

/* Lines of a form and its lemmas; the first lemma counts, and one that the index does not have is
 * of no use. */
f0t_status f0t_wordnet_read_exceptions(f0t_wordnet *w, const f0t_wordnet_file *file, f0t_pos pos)
{
    f0t_wordnet_line line = f0t_wordnet_line_begin(file);
    while (f0t_wordnet_line_next(&line)) {
        char form[F0T_LEMMA_MOST], base[F0T_LEMMA_MOST];
        size_t form_length, base_length;
        uint32_t index;
        bool added;
        F0T_TRY(f0t_wordnet_line_lemma(&line, form, &form_length));
        F0T_TRY(f0t_wordnet_line_lemma(&line, base, &base_length));
        size_t lemma = f0t_words_find(&w->lemmas.view, base, base_length);
        if (lemma == F0T_NONE)
            continue;
        F0T_TRY(f0t_names_add(&w->irregular[pos], form, form_length, &index, &added));
        if (!added)
            continue;
        F0T_TRY(f0t_grow(&w->regular[pos], &w->regular_capacity[pos], index, 1,
                         sizeof *w->regular[pos]));
        w->regular[pos][index] = (uint32_t)lemma;
    }
    return F0T_OK;
}

typedef struct ending {
    const char *from, *to;
} ending;

static const ending noun_endings[] = {{"s", ""},      {"ses", "s"},   {"xes", "x"},
                                      {"zes", "z"},   {"ches", "ch"}, {"shes", "sh"},
                                      {"men", "man"}, {"ies", "y"},   {NULL, NULL}};
static const ending verb_endings[] = {{"s", ""},    {"ies", "y"}, {"es", "e"},
                                      {"es", ""},   {"ed", "e"},  {"ed", ""},
                                      {"ing", "e"}, {"ing", ""},  {NULL, NULL}};
static const ending adjective_endings[] = {
    {"er", ""}, {"est", ""}, {"er", "e"}, {"est", "e"}, {NULL, NULL}};
static const ending adverb_endings[] = {{NULL, NULL}};
static const ending *const endings[F0T_POS_COUNT] = {noun_endings, verb_endings, adjective_endings,
                                                     adverb_endings};

/* The lemma that comes of another ending, of the part of speech that the ending is for. */
static size_t try_ending(const f0t_wordnet *w, const char *text, size_t length, const ending *e,
                         f0t_pos pos)
{
    char stem[F0T_LEMMA_MOST + 8];
    size_t from = strlen(e->from), to = strlen(e->to);
    if (length < from + SHORTEST_STEM || length >= F0T_LEMMA_MOST ||
        memcmp(text + length - from, e->from, from) != 0)
        return F0T_NONE;
    memcpy(stem, text, length - from);
    memcpy(stem + length - from, e->to, to);
    size_t lemma = f0t_words_find(&w->lemmas.view, stem, length - from + to);
    return lemma != F0T_NONE && w->first[pos][lemma] ? lemma : F0T_NONE;
}

size_t f0t_wordnet_lemma(const f0t_wordnet *w, const char *text, size_t length)
{
    size_t lemma = f0t_words_find(&w->lemmas.view, text, length);
    for (int pos = 0; lemma == F0T_NONE && pos < F0T_POS_COUNT; pos++) {
        size_t irregular = f0t_words_find(&w->irregular[pos].view, text, length);
        if (irregular != F0T_NONE)
            return w->regular[pos][irregular];
        for (const ending *e = endings[pos]; lemma == F0T_NONE && e->from; e++)
            lemma = try_ending(w, text, length, e, (f0t_pos)pos);
    }
    return lemma;
}
