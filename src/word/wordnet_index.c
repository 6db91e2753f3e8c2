/* index.noun and its like: lemmas and their senses; cntlist.rev: how often each sense is used. */
#include "base/alloc.h"
#include "word/wordnet_line.h"

#include <string.h>

/* Room in `first` for a lemma that is new. */
static f0t_status add_lemma(f0t_wordnet *w, const char *text, size_t length, size_t *index)
{
    uint32_t lemma;
    bool added;
    F0T_TRY(f0t_names_add(&w->lemmas, text, length, &lemma, &added));
    *index = lemma;
    for (int pos = 0; added && pos < F0T_POS_COUNT; pos++) {
        F0T_TRY(
            f0t_grow(&w->first[pos], &w->first_capacity[pos], *index, 1, sizeof *w->first[pos]));
        w->first[pos][*index] = 0;
    }
    return F0T_OK;
}

static f0t_status read_sense(f0t_wordnet *w, f0t_wordnet_line *line, f0t_pos pos, f0t_sense sense)
{
    uint32_t offset;
    F0T_TRY(f0t_wordnet_line_number(line, &offset, 10, UINT32_MAX, "synset's offset"));
    size_t synset = f0t_wordnet_synset(w, pos, offset);
    if (synset == F0T_NONE)
        return f0t_fail(F0T_ERROR_FORMAT, "%s:%llu: no synset has the offset %08u", line->name,
                        (unsigned long long)line->number, offset);
    sense.synset = (uint32_t)synset;
    F0T_TRY(f0t_grow(&w->senses, &w->sense_capacity, w->sense_count, 1, sizeof *w->senses));
    w->senses[w->sense_count++] = sense;
    if (w->sense_count >= UINT32_MAX)
        return f0t_wordnet_line_fail(line, "too many senses");
    return F0T_OK;
}

/* lemma pos synset_cnt p_cnt [ptr_symbol…] sense_cnt tagsense_cnt synset_offset… */
static f0t_status read_lemma(f0t_wordnet *w, f0t_wordnet_line *line, f0t_pos pos)
{
    char text[F0T_LEMMA_MOST];
    size_t length, lemma;
    f0t_wordnet_field field;
    f0t_pos given;
    uint32_t senses, pointers;
    F0T_TRY(f0t_wordnet_line_lemma(line, text, &length));
    F0T_TRY(f0t_wordnet_line_pos(line, &given));
    if (given != pos)
        return f0t_wordnet_line_fail(line, "another part of speech than that of the file");
    F0T_TRY(f0t_wordnet_line_number(line, &senses, 10, 0xFFFF, "number of senses"));
    F0T_TRY(f0t_wordnet_line_number(line, &pointers, 10, 0xFFFF, "number of pointers"));
    for (uint32_t i = 0; i < pointers + 2; i++)
        F0T_TRY(f0t_wordnet_line_field(line, &field, "counts"));
    F0T_TRY(add_lemma(w, text, length, &lemma));
    if (w->first[pos][lemma])
        return f0t_wordnet_line_fail(line, "the lemma stood on a line before");
    if (senses == 0)
        return f0t_wordnet_line_fail(line, "a lemma without a sense");
    w->first[pos][lemma] = (uint32_t)w->sense_count + 1;
    for (uint32_t i = 0; i < senses; i++)
        F0T_TRY(read_sense(w, line, pos, (f0t_sense){.lemma = (uint32_t)lemma, .rank = i}));
    return F0T_OK;
}

f0t_status f0t_wordnet_read_index(f0t_wordnet *w, const f0t_wordnet_file *file, f0t_pos pos)
{
    f0t_wordnet_line line = f0t_wordnet_line_begin(file);
    size_t before = w->sense_count;
    while (f0t_wordnet_line_next(&line))
        F0T_TRY(read_lemma(w, &line, pos));
    if (w->sense_count == before)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has no lemma", file->name);
    return F0T_OK;
}

/* ---- Counts --------------------------------------------------------------------------------- */

/* "dog%1:05:00::" is a key: the lemma, and the number of its part of speech. */
static f0t_status split_key(f0t_wordnet_line *line, char *lemma, size_t *length, f0t_pos *pos)
{
    static const f0t_pos parts[] = {F0T_NOUN, F0T_VERB, F0T_ADJECTIVE, F0T_ADVERB, F0T_ADJECTIVE};
    F0T_TRY(f0t_wordnet_line_lemma(line, lemma, length));
    const char *sign = memrchr(lemma, '%', *length);
    if (!sign || sign + 1 == lemma + *length || sign[1] < '1' || sign[1] > '5')
        return f0t_wordnet_line_fail(line, "a sense key has no %1 to %5");
    *pos = parts[sign[1] - '1'];
    *length = (size_t)(sign - lemma);
    return F0T_OK;
}

/* The file may know lemmas and senses that this WordNet does not: those are passed over. */
static f0t_status read_count(f0t_wordnet *w, f0t_wordnet_line *line)
{
    char text[F0T_LEMMA_MOST];
    size_t length;
    f0t_pos pos = F0T_NOUN;
    uint32_t number, count;
    F0T_TRY(split_key(line, text, &length, &pos));
    F0T_TRY(f0t_wordnet_line_number(line, &number, 10, 0xFFFF, "sense number"));
    F0T_TRY(f0t_wordnet_line_number(line, &count, 10, 1U << 30, "count"));
    size_t lemma = f0t_words_find(&w->lemmas.view, text, length);
    if (lemma == F0T_NONE || !w->first[pos][lemma] || number == 0)
        return F0T_OK;
    size_t i = (size_t)w->first[pos][lemma] - 1 + number - 1;
    if (i < w->sense_count && w->senses[i].lemma == lemma && w->senses[i].rank == number - 1)
        w->senses[i].count = count;
    return F0T_OK;
}

f0t_status f0t_wordnet_read_counts(f0t_wordnet *w, const f0t_wordnet_file *file)
{
    f0t_wordnet_line line = f0t_wordnet_line_begin(file);
    while (f0t_wordnet_line_next(&line))
        F0T_TRY(read_count(w, &line));
    return F0T_OK;
}
