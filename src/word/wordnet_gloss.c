#include "word/wordnet_gloss.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Words of glosses that say nothing of their meaning: function words, and what dictionaries use to
 * introduce a definition. Many are lemmas too ("in": indium, "as": arsenic), which is not what a
 * gloss means by them. Sorted. */
static const char *const stop_words[] = {
    "a",        "about",   "above",      "across",  "after",   "again",     "against",
    "all",      "almost",  "along",      "already", "also",    "although",  "always",
    "among",    "an",      "and",        "another", "any",     "anything",  "are",
    "as",       "at",      "away",       "b",       "be",      "became",    "because",
    "become",   "becomes", "been",       "before",  "being",   "below",     "between",
    "both",     "but",     "by",         "c",       "ca",      "can",       "cannot",
    "could",    "d",       "did",        "do",      "does",    "doing",     "done",
    "down",     "during",  "e",          "each",    "either",  "else",      "especially",
    "etc",      "even",    "ever",       "every",   "f",       "few",       "for",
    "from",     "further", "g",          "get",     "gets",    "getting",   "h",
    "had",      "has",     "have",       "having",  "he",      "her",       "here",
    "hers",     "him",     "his",        "how",     "however", "i",         "if",
    "in",       "into",    "is",         "it",      "its",     "itself",    "just",
    "k",        "l",       "less",       "like",    "m",       "made",      "make",
    "makes",    "making",  "many",       "may",     "me",      "might",     "more",
    "most",     "much",    "must",       "my",      "n",       "near",      "no",
    "nor",      "not",     "nothing",    "o",       "of",      "off",       "often",
    "on",       "once",    "one",        "only",    "onto",    "or",        "other",
    "others",   "our",     "out",        "over",    "own",     "p",         "per",
    "quite",    "r",       "rather",     "s",       "same",    "see",       "she",
    "should",   "since",   "so",         "some",    "someone", "something", "sometimes",
    "st",       "such",    "t",          "th",      "than",    "that",      "the",
    "their",    "them",    "themselves", "then",    "there",   "these",     "they",
    "thing",    "this",    "those",      "though",  "through", "thus",      "to",
    "together", "too",     "toward",     "towards", "u",       "under",     "until",
    "up",       "upon",    "us",         "use",     "used",    "uses",      "using",
    "usually",  "v",       "various",    "very",    "w",       "was",       "way",
    "we",       "well",    "were",       "what",    "when",    "where",     "whether",
    "which",    "while",   "who",        "whom",    "whose",   "why",       "will",
    "with",     "within",  "without",    "would",   "x",       "y",         "you",
    "your",     "z",
};

enum { PHRASE_MOST = 3, LENGTH_MOST = 255 };

typedef struct token {
    size_t begin, end; /* in the text */
    bool stop;
    bool example;
} token;

/* One gloss at a time, in lower case. */
typedef struct glossary {
    const f0t_wordnet *wordnet;
    f0t_mentions *mentions;
    char *text;
    token *tokens;
    size_t text_capacity, token_count, token_capacity;
} glossary;

static int compare_stop(const void *key, const void *word)
{
    return strcmp(key, *(const char *const *)word);
}

static bool is_stop(const char *text, size_t length)
{
    enum { COUNT = sizeof stop_words / sizeof *stop_words };
    char word[16];
    if (length >= sizeof word)
        return false;
    memcpy(word, text, length);
    word[length] = '\0';
    return bsearch(word, stop_words, COUNT, sizeof *stop_words, compare_stop);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static f0t_status add_token(glossary *g, size_t begin, size_t end, bool example)
{
    while (end > begin && !is_letter(g->text[end - 1]))
        end--;
    if (end - begin > 2 && memcmp(g->text + end - 2, "'s", 2) == 0)
        end -= 2;
    F0T_TRY(f0t_grow(&g->tokens, &g->token_capacity, g->token_count, 1, sizeof *g->tokens));
    g->tokens[g->token_count++] =
        (token){begin, end, is_stop(g->text + begin, end - begin), example};
    return F0T_OK;
}

/* Words begin with a letter or digit and go on with those, "'" and "-". */
static f0t_status tokenize(glossary *g, const char *gloss, size_t length)
{
    bool example = false;
    g->token_count = 0;
    F0T_TRY(f0t_grow(&g->text, &g->text_capacity, 0, length + 1, 1));
    for (size_t i = 0; i < length; i++)
        g->text[i] = (char)(gloss[i] >= 'A' && gloss[i] <= 'Z' ? gloss[i] | 0x20 : gloss[i]);
    for (size_t i = 0; i < length;) {
        size_t begin = i;
        example ^= g->text[i] == '"';
        while (i < length &&
               (is_letter(g->text[i]) || (i > begin && (g->text[i] == '\'' || g->text[i] == '-'))))
            i++;
        if (i > begin)
            F0T_TRY(add_token(g, begin, i, example));
        else
            i++;
    }
    return F0T_OK;
}

/* The lemma of the `count` words from token `first` on, when single spaces are between them; a
 * phrase as it is, or with its last word as its lemma. */
static size_t find_phrase(const glossary *g, size_t first, size_t count)
{
    char phrase[2 * LENGTH_MOST];
    const token *t = g->tokens + first;
    const f0t_words *lemmas = &g->wordnet->lemmas.view;
    if (first + count > g->token_count || t[count - 1].end - t->begin > LENGTH_MOST)
        return F0T_NONE;
    for (size_t i = 1; i < count; i++)
        if (t[i].begin != t[i - 1].end + 1 || g->text[t[i - 1].end] != ' ')
            return F0T_NONE;
    const token *last = &t[count - 1];
    size_t found = f0t_words_find(lemmas, g->text + t->begin, last->end - t->begin);
    if (found != F0T_NONE)
        return found;
    size_t head = last->begin - t->begin, length;
    size_t lemma = f0t_wordnet_lemma(g->wordnet, g->text + last->begin, last->end - last->begin);
    if (count == 1 || lemma == F0T_NONE)
        return lemma;
    const char *word = f0t_words_at(&length, lemmas, lemma);
    memcpy(phrase, g->text + t->begin, head);
    memcpy(phrase + head, word, length);
    return f0t_words_find(lemmas, phrase, head + length);
}

static bool is_own(const f0t_wordnet *w, size_t synset, size_t lemma)
{
    uint32_t first = w->first[w->synsets[synset].pos][lemma];
    for (size_t i = first ? first - 1 : w->sense_count;
         i < w->sense_count && w->senses[i].lemma == lemma; i++)
        if (w->senses[i].synset == synset)
            return true;
    return false;
}

static f0t_status add_mention(glossary *g, size_t synset, size_t lemma, bool example)
{
    f0t_mentions *m = g->mentions;
    if (example && is_own(g->wordnet, synset, lemma))
        return F0T_OK;
    F0T_TRY(f0t_grow(&m->items, &m->capacity, m->count, 1, sizeof *m->items));
    m->items[m->count++] = (f0t_mention){(uint32_t)synset, (uint32_t)lemma, example};
    return F0T_OK;
}

static f0t_status read_gloss(glossary *g, size_t synset)
{
    const f0t_synset *s = &g->wordnet->synsets[synset];
    F0T_TRY(tokenize(g, s->gloss, s->gloss_length));
    for (size_t i = 0; i < g->token_count;) {
        size_t found = F0T_NONE, count = g->tokens[i].stop ? 0 : PHRASE_MOST;
        for (; count && found == F0T_NONE; count--)
            found = find_phrase(g, i, count);
        if (found != F0T_NONE)
            F0T_TRY(add_mention(g, synset, found, g->tokens[i].example));
        i += count + 1;
    }
    return F0T_OK;
}

f0t_status f0t_mentions_find(f0t_mentions *out, const f0t_wordnet *wordnet)
{
    glossary g = {.wordnet = wordnet, .mentions = out};
    f0t_status status = F0T_OK;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < wordnet->synset_count && status == F0T_OK; i++)
        status = read_gloss(&g, i);
    f0t_free(g.text);
    f0t_free(g.tokens);
    if (status != F0T_OK)
        f0t_mentions_clear(out);
    return status;
}

void f0t_mentions_clear(f0t_mentions *mentions)
{
    f0t_free(mentions->items);
    memset(mentions, 0, sizeof *mentions);
}
