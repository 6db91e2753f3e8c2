/* data.noun and its like: synsets, links and glosses. */
#include "base/alloc.h"
#include "word/wordnet_line.h"

#include <string.h>

/* Pointer symbols of wninput(5WN). */
static bool find_relation(f0t_wordnet_field symbol, f0t_relation *out)
{
    static const struct {
        const char *symbol;
        f0t_relation relation;
    } table[] = {
        {"@", F0T_RELATION_UP},        {"@i", F0T_RELATION_UP},     {"~", F0T_RELATION_DOWN},
        {"~i", F0T_RELATION_DOWN},     {"#m", F0T_RELATION_WHOLE},  {"#p", F0T_RELATION_WHOLE},
        {"#s", F0T_RELATION_WHOLE},    {"%m", F0T_RELATION_PART},   {"%p", F0T_RELATION_PART},
        {"%s", F0T_RELATION_PART},     {"&", F0T_RELATION_SIMILAR}, {"+", F0T_RELATION_DERIVED},
        {"\\", F0T_RELATION_PERTAINS}, {"<", F0T_RELATION_VERB_OF}, {"!", F0T_RELATION_OPPOSITE},
        {";c", F0T_RELATION_TOPIC},    {";r", F0T_RELATION_TOPIC},  {"-c", F0T_RELATION_TERM},
        {"-r", F0T_RELATION_TERM},     {";u", F0T_RELATION_USAGE},  {"-u", F0T_RELATION_USAGE},
        {"^", F0T_RELATION_SEE_ALSO},  {"$", F0T_RELATION_GROUP},   {"=", F0T_RELATION_ATTRIBUTE},
        {"*", F0T_RELATION_ENTAILS},   {">", F0T_RELATION_ENTAILS},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i].symbol) == symbol.length &&
            memcmp(table[i].symbol, symbol.text, symbol.length) == 0) {
            *out = table[i].relation;
            return true;
        }
    return false;
}

/* "0100": word 1 of this synset, all of the other. */
static f0t_status read_ends(f0t_wordnet_line *line, uint16_t *word)
{
    uint32_t ends;
    F0T_TRY(f0t_wordnet_line_number(line, &ends, 16, 0xFFFF, "pointer's source and target"));
    *word = (uint16_t)(ends >> 8);
    return F0T_OK;
}

/* Until all synsets are known, `to` holds the offset, and the part of speech stands with it. */
static f0t_status read_link(f0t_wordnet *w, f0t_wordnet_line *line)
{
    f0t_wordnet_field symbol;
    f0t_relation relation;
    uint32_t offset;
    uint16_t word;
    f0t_pos pos;
    F0T_TRY(f0t_wordnet_line_field(line, &symbol, "pointer symbol"));
    if (!find_relation(symbol, &relation))
        return f0t_wordnet_line_fail(line, "a pointer symbol that WordNet does not have");
    F0T_TRY(f0t_wordnet_line_number(line, &offset, 10, UINT32_MAX, "pointer's offset"));
    F0T_TRY(f0t_wordnet_line_pos(line, &pos));
    F0T_TRY(read_ends(line, &word));
    F0T_TRY(f0t_grow(&w->links, &w->link_capacity, w->link_count, 1, sizeof *w->links));
    w->links[w->link_count++] =
        (f0t_link){.from = (uint32_t)w->synset_count,
                   .to = offset,
                   .word = word,
                   .instance = symbol.text[symbol.length - 1] == 'i',
                   .relation = (unsigned char)(relation * F0T_POS_COUNT + pos)};
    return F0T_OK;
}

static f0t_status read_words(f0t_wordnet_line *line, f0t_synset *synset)
{
    uint32_t words;
    f0t_wordnet_field field;
    F0T_TRY(f0t_wordnet_line_number(line, &words, 16, 0xFFFF, "number of words"));
    for (uint32_t i = 0; i < 2 * words; i++) {
        F0T_TRY(f0t_wordnet_line_field(line, &field, i % 2 ? "lexical id" : "word"));
        synset->words = i ? synset->words : field.text;
    }
    synset->word_count = (uint16_t)words;
    return F0T_OK;
}

/* The gloss stands behind " | "; between the links and it a verb has its frames. */
static f0t_status read_gloss(f0t_wordnet_line *line, f0t_synset *synset)
{
    const char *bar = memchr(line->at, '|', (size_t)(line->end - line->at));
    if (!bar)
        return f0t_wordnet_line_fail(line, "no '|' before the gloss");
    synset->gloss = bar + 1;
    synset->gloss_length = (size_t)(line->end - bar) - 1;
    return F0T_OK;
}

static f0t_status read_synset(f0t_wordnet *w, f0t_wordnet_line *line, f0t_pos pos)
{
    f0t_synset synset = {.pos = (unsigned char)pos};
    f0t_wordnet_field field;
    f0t_pos given;
    uint32_t pointers;
    F0T_TRY(f0t_wordnet_line_number(line, &synset.offset, 10, UINT32_MAX, "offset"));
    if (w->synset_count > w->synset_begin[pos] &&
        w->synsets[w->synset_count - 1].offset >= synset.offset)
        return f0t_wordnet_line_fail(line, "the offset is not above that of the line before");
    F0T_TRY(f0t_wordnet_line_field(line, &field, "file number"));
    F0T_TRY(f0t_wordnet_line_pos(line, &given));
    if (given != pos)
        return f0t_wordnet_line_fail(line, "another part of speech than that of the file");
    F0T_TRY(read_words(line, &synset));
    F0T_TRY(f0t_wordnet_line_number(line, &pointers, 10, 0xFFFF, "number of pointers"));
    for (uint32_t i = 0; i < pointers; i++)
        F0T_TRY(read_link(w, line));
    F0T_TRY(read_gloss(line, &synset));
    if (w->synset_count >= UINT32_MAX / 2)
        return f0t_wordnet_line_fail(line, "too many synsets");
    F0T_TRY(f0t_grow(&w->synsets, &w->synset_capacity, w->synset_count, 1, sizeof *w->synsets));
    w->synsets[w->synset_count++] = synset;
    return F0T_OK;
}

f0t_status f0t_wordnet_read_data(f0t_wordnet *w, const f0t_wordnet_file *file, f0t_pos pos)
{
    f0t_wordnet_line line = f0t_wordnet_line_begin(file);
    w->synset_begin[pos] = w->synset_count;
    while (f0t_wordnet_line_next(&line))
        F0T_TRY(read_synset(w, &line, pos));
    w->synset_begin[pos + 1] = w->synset_count;
    if (w->synset_count == w->synset_begin[pos])
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has no synset", file->name);
    return F0T_OK;
}

size_t f0t_wordnet_synset(const f0t_wordnet *w, f0t_pos pos, uint32_t offset)
{
    size_t low = w->synset_begin[pos], high = w->synset_begin[pos + 1], end = high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (w->synsets[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && w->synsets[low].offset == offset ? low : F0T_NONE;
}
