/* WordNet's database: its files, their lines, and the arrays that are made of them. */
#include "word/wordnet.h"

#include "base/alloc.h"
#include "io/text.h"

#include <string.h>

enum { LEMMA_MOST = 256 }; /* bytes, and a NUL */

/* ---- Lines, field by field ------------------------------------------------------------------- */

typedef struct line_reader {
    const char *name; /* of the file */
    uint64_t number;  /* of the line, from 1 */
    const char *at, *end;
    const char *next, *file_end;
} line_reader;

typedef struct field_text {
    const char *text;
    size_t length;
} field_text;

/* Stands before the first line. */
static line_reader first_line(const f0t_wordnet_file *file)
{
    return (line_reader){
        .name = file->name, .next = file->text, .file_end = file->text + file->size};
}

static bool is_skipped(const line_reader *line)
{
    return line->at == line->end || (line->end - line->at >= 2 && memcmp(line->at, "  ", 2) == 0);
}

/* Goes to the next line that is not of the licence (those begin with two spaces) and not empty;
 * false at the end. */
static bool next_line(line_reader *line)
{
    do {
        if (line->next == line->file_end)
            return false;
        const char *end = memchr(line->next, '\n', (size_t)(line->file_end - line->next));
        line->at = line->next;
        line->end = end ? end : line->file_end;
        line->next = end ? end + 1 : line->file_end;
        line->number++;
        if (line->end > line->at && line->end[-1] == '\r')
            line->end--;
    } while (is_skipped(line));
    return true;
}

/* Fails with the file and line before the text. */
static f0t_status fail_line(const line_reader *line, const char *what)
{
    return f0t_fail(F0T_ERROR_FORMAT, "%s:%llu: %s", line->name, (unsigned long long)line->number,
                    what);
}

/* The next field, up to a space; fails, naming `what`, when there is none. */
static f0t_status read_field(line_reader *line, field_text *out, const char *what)
{
    while (line->at < line->end && *line->at == ' ')
        line->at++;
    out->text = line->at;
    while (line->at < line->end && *line->at != ' ')
        line->at++;
    out->length = (size_t)(line->at - out->text);
    if (out->length == 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s:%llu: the line ends before its %s", line->name,
                        (unsigned long long)line->number, what);
    return F0T_OK;
}

static unsigned digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 99;
}

/* The next field as a number of at most `most`, in base 10 or 16. */
static f0t_status read_number(line_reader *line, uint32_t *out, unsigned base, uint32_t most,
                              const char *what)
{
    field_text field;
    uint64_t value = 0;
    F0T_TRY(read_field(line, &field, what));
    for (size_t i = 0; i < field.length; i++) {
        value = value * base + digit(field.text[i]);
        if (digit(field.text[i]) >= base || value > most)
            return f0t_fail(F0T_ERROR_FORMAT, "%s:%llu: '%.*s' is no %s of at most %u", line->name,
                            (unsigned long long)line->number,
                            field.length < 40 ? (int)field.length : 40, field.text, what, most);
    }
    *out = (uint32_t)value;
    return F0T_OK;
}

/* The next field as a part of speech: n, v, a, s (an adjective too) or r. */
static f0t_status read_pos(line_reader *line, f0t_pos *out)
{
    static const char letters[] = "nvasr";
    static const f0t_pos parts[] = {F0T_NOUN, F0T_VERB, F0T_ADJECTIVE, F0T_ADJECTIVE, F0T_ADVERB};
    field_text field;
    F0T_TRY(read_field(line, &field, "part of speech"));
    const char *at = field.length == 1 && *field.text ? strchr(letters, *field.text) : NULL;
    if (!at)
        return fail_line(line, "the part of speech is not n, v, a, s or r");
    *out = parts[at - letters];
    return F0T_OK;
}

/* The next field as a lemma, "_" as a space, into out[LEMMA_MOST]. */
static f0t_status read_word(line_reader *line, char *out, size_t *length)
{
    field_text field;
    F0T_TRY(read_field(line, &field, "lemma"));
    if (field.length >= LEMMA_MOST)
        return fail_line(line, "a lemma of over 255 bytes");
    if (!f0t_text_is_word(field.text, field.length))
        return fail_line(line, "the lemma is not UTF-8");
    for (size_t i = 0; i < field.length; i++)
        out[i] = (char)(field.text[i] == '_' ? ' ' : field.text[i]);
    *length = field.length;
    return F0T_OK;
}

/* ---- data.noun and its like: synsets, links and glosses -------------------------------------- */

/* Pointer symbols of wninput(5WN). */
static bool find_relation(field_text symbol, f0t_relation *out)
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
static f0t_status read_ends(line_reader *line, uint16_t *word)
{
    uint32_t ends;
    F0T_TRY(read_number(line, &ends, 16, 0xFFFF, "pointer's source and target"));
    *word = (uint16_t)(ends >> 8);
    return F0T_OK;
}

/* Until all synsets are known, `to` holds the offset, and the part of speech stands with it. */
static f0t_status read_link(f0t_wordnet *w, line_reader *line)
{
    field_text symbol;
    f0t_relation relation;
    uint32_t offset;
    uint16_t word;
    f0t_pos pos = F0T_NOUN;
    F0T_TRY(read_field(line, &symbol, "pointer symbol"));
    if (!find_relation(symbol, &relation))
        return fail_line(line, "a pointer symbol that WordNet does not have");
    F0T_TRY(read_number(line, &offset, 10, UINT32_MAX, "pointer's offset"));
    F0T_TRY(read_pos(line, &pos));
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

static f0t_status read_words(line_reader *line, f0t_synset *synset)
{
    uint32_t words;
    field_text field;
    F0T_TRY(read_number(line, &words, 16, 0xFFFF, "number of words"));
    for (uint32_t i = 0; i < 2 * words; i++) {
        F0T_TRY(read_field(line, &field, i % 2 ? "lexical id" : "word"));
        synset->words = i ? synset->words : field.text;
    }
    synset->word_count = (uint16_t)words;
    return F0T_OK;
}

/* The gloss stands after " | "; between the links and it a verb has its frames. */
static f0t_status read_gloss(line_reader *line, f0t_synset *synset)
{
    const char *bar = memchr(line->at, '|', (size_t)(line->end - line->at));
    if (!bar)
        return fail_line(line, "no '|' before the gloss");
    synset->gloss = bar + 1;
    synset->gloss_length = (size_t)(line->end - bar) - 1;
    return F0T_OK;
}

static f0t_status read_synset(f0t_wordnet *w, line_reader *line, f0t_pos pos)
{
    f0t_synset synset = {.pos = (unsigned char)pos};
    field_text field;
    f0t_pos given = F0T_NOUN;
    uint32_t pointers;
    F0T_TRY(read_number(line, &synset.offset, 10, UINT32_MAX, "offset"));
    if (w->synset_count > w->synset_begin[pos] &&
        w->synsets[w->synset_count - 1].offset >= synset.offset)
        return fail_line(line, "the offset is not above that of the line before");
    F0T_TRY(read_field(line, &field, "file number"));
    F0T_TRY(read_pos(line, &given));
    if (given != pos)
        return fail_line(line, "another part of speech than that of the file");
    F0T_TRY(read_words(line, &synset));
    F0T_TRY(read_number(line, &pointers, 10, 0xFFFF, "number of pointers"));
    for (uint32_t i = 0; i < pointers; i++)
        F0T_TRY(read_link(w, line));
    F0T_TRY(read_gloss(line, &synset));
    if (w->synset_count >= UINT32_MAX / 2)
        return fail_line(line, "too many synsets");
    F0T_TRY(f0t_grow(&w->synsets, &w->synset_capacity, w->synset_count, 1, sizeof *w->synsets));
    w->synsets[w->synset_count++] = synset;
    return F0T_OK;
}

static f0t_status read_data(f0t_wordnet *w, const f0t_wordnet_file *file, f0t_pos pos)
{
    line_reader line = first_line(file);
    w->synset_begin[pos] = w->synset_count;
    while (next_line(&line))
        F0T_TRY(read_synset(w, &line, pos));
    w->synset_begin[pos + 1] = w->synset_count;
    if (w->synset_count == w->synset_begin[pos])
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has no synset", file->name);
    return F0T_OK;
}

/* ---- index.noun and its like: lemmas and their senses ---------------------------------------- */

/* The synset at this offset of the part's data file, or F0T_NONE. */
static size_t find_synset(const f0t_wordnet *w, f0t_pos pos, uint32_t offset)
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

/* Room in `first` for a lemma that is new. */
static f0t_status add_lemma(f0t_wordnet *w, const char *text, size_t length, size_t *index)
{
    uint32_t lemma;
    bool added;
    F0T_TRY(f0t_names_add(&lemma, &added, &w->lemmas, text, length));
    *index = lemma;
    for (int pos = 0; added && pos < F0T_POS_COUNT; pos++) {
        F0T_TRY(
            f0t_grow(&w->first[pos], &w->first_capacity[pos], *index, 1, sizeof *w->first[pos]));
        w->first[pos][*index] = 0;
    }
    return F0T_OK;
}

static f0t_status read_sense(f0t_wordnet *w, line_reader *line, f0t_pos pos, f0t_sense sense)
{
    uint32_t offset;
    F0T_TRY(read_number(line, &offset, 10, UINT32_MAX, "synset's offset"));
    size_t synset = find_synset(w, pos, offset);
    if (synset == F0T_NONE)
        return f0t_fail(F0T_ERROR_FORMAT, "%s:%llu: no synset has the offset %08u", line->name,
                        (unsigned long long)line->number, offset);
    sense.synset = (uint32_t)synset;
    F0T_TRY(f0t_grow(&w->senses, &w->sense_capacity, w->sense_count, 1, sizeof *w->senses));
    w->senses[w->sense_count++] = sense;
    if (w->sense_count >= UINT32_MAX)
        return fail_line(line, "too many senses");
    return F0T_OK;
}

/* lemma pos synset_cnt p_cnt [ptr_symbol…] sense_cnt tagsense_cnt synset_offset… */
static f0t_status read_lemma(f0t_wordnet *w, line_reader *line, f0t_pos pos)
{
    char text[LEMMA_MOST];
    size_t length, lemma;
    field_text field;
    f0t_pos given = F0T_NOUN;
    uint32_t senses, pointers;
    F0T_TRY(read_word(line, text, &length));
    F0T_TRY(read_pos(line, &given));
    if (given != pos)
        return fail_line(line, "another part of speech than that of the file");
    F0T_TRY(read_number(line, &senses, 10, 0xFFFF, "number of senses"));
    F0T_TRY(read_number(line, &pointers, 10, 0xFFFF, "number of pointers"));
    for (uint32_t i = 0; i < pointers + 2; i++)
        F0T_TRY(read_field(line, &field, "counts"));
    F0T_TRY(add_lemma(w, text, length, &lemma));
    if (w->first[pos][lemma])
        return fail_line(line, "the lemma stood on a line before");
    if (senses == 0)
        return fail_line(line, "a lemma without a sense");
    w->first[pos][lemma] = (uint32_t)w->sense_count + 1;
    for (uint32_t i = 0; i < senses; i++)
        F0T_TRY(read_sense(w, line, pos, (f0t_sense){.lemma = (uint32_t)lemma, .rank = i}));
    return F0T_OK;
}

static f0t_status read_index(f0t_wordnet *w, const f0t_wordnet_file *file, f0t_pos pos)
{
    line_reader line = first_line(file);
    size_t before = w->sense_count;
    while (next_line(&line))
        F0T_TRY(read_lemma(w, &line, pos));
    if (w->sense_count == before)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has no lemma", file->name);
    return F0T_OK;
}

/* ---- cntlist.rev: how often each sense is used ----------------------------------------------- */

/* "dog%1:05:00::" is a key: the lemma, and the number of its part of speech. */
static f0t_status split_key(line_reader *line, char *lemma, size_t *length, f0t_pos *pos)
{
    static const f0t_pos parts[] = {F0T_NOUN, F0T_VERB, F0T_ADJECTIVE, F0T_ADVERB, F0T_ADJECTIVE};
    F0T_TRY(read_word(line, lemma, length));
    const char *sign = memrchr(lemma, '%', *length);
    if (!sign || sign + 1 == lemma + *length || sign[1] < '1' || sign[1] > '5')
        return fail_line(line, "a sense key has no %1 to %5");
    *pos = parts[sign[1] - '1'];
    *length = (size_t)(sign - lemma);
    return F0T_OK;
}

/* The file may know lemmas and senses that this WordNet does not: those are passed over. */
static f0t_status read_count(f0t_wordnet *w, line_reader *line)
{
    char text[LEMMA_MOST];
    size_t length;
    f0t_pos pos = F0T_NOUN;
    uint32_t number, count;
    F0T_TRY(split_key(line, text, &length, &pos));
    F0T_TRY(read_number(line, &number, 10, 0xFFFF, "sense number"));
    F0T_TRY(read_number(line, &count, 10, 1U << 30, "count"));
    size_t lemma = f0t_words_find(&w->lemmas.view, text, length);
    if (lemma == F0T_NONE || !w->first[pos][lemma] || number == 0)
        return F0T_OK;
    size_t i = (size_t)w->first[pos][lemma] - 1 + number - 1;
    if (i < w->sense_count && w->senses[i].lemma == lemma && w->senses[i].rank == number - 1)
        w->senses[i].count = count;
    return F0T_OK;
}

static f0t_status read_counts(f0t_wordnet *w, const f0t_wordnet_file *file)
{
    line_reader line = first_line(file);
    while (next_line(&line))
        F0T_TRY(read_count(w, &line));
    return F0T_OK;
}

/* ---- noun.exc and its like: forms that no ending gives --------------------------------------- */

/* Lines of a form and its lemmas; the first lemma counts, and one that the index does not have is
 * of no use. */
static f0t_status read_exceptions(f0t_wordnet *w, const f0t_wordnet_file *file, f0t_pos pos)
{
    line_reader line = first_line(file);
    while (next_line(&line)) {
        char form[LEMMA_MOST], base[LEMMA_MOST];
        size_t form_length, base_length;
        uint32_t index;
        bool added;
        F0T_TRY(read_word(&line, form, &form_length));
        F0T_TRY(read_word(&line, base, &base_length));
        size_t lemma = f0t_words_find(&w->lemmas.view, base, base_length);
        if (lemma == F0T_NONE)
            continue;
        F0T_TRY(f0t_names_add(&index, &added, &w->irregular[pos], form, form_length));
        if (!added)
            continue;
        F0T_TRY(f0t_grow(&w->regular[pos], &w->regular_capacity[pos], index, 1,
                         sizeof *w->regular[pos]));
        w->regular[pos][index] = (uint32_t)lemma;
    }
    return F0T_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* Offsets become synsets; a link to nowhere fails. */
static f0t_status resolve_links(f0t_wordnet *w, const f0t_wordnet_files *files)
{
    for (size_t i = 0; i < w->link_count; i++) {
        f0t_link *link = &w->links[i];
        const f0t_synset *from = &w->synsets[link->from];
        f0t_pos pos = (f0t_pos)(link->relation % F0T_POS_COUNT);
        size_t to = find_synset(w, pos, link->to);
        if (to == F0T_NONE)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: synset %08u points to %08u, which %s lacks",
                            files->data[from->pos].name, from->offset, link->to,
                            files->data[pos].name);
        link->to = (uint32_t)to;
        link->relation /= F0T_POS_COUNT;
    }
    return F0T_OK;
}

static f0t_status read_all(f0t_wordnet *w, const f0t_wordnet_files *files)
{
    for (int pos = 0; pos < F0T_POS_COUNT; pos++) {
        F0T_TRY(read_data(w, &files->data[pos], (f0t_pos)pos));
    }
    F0T_TRY(resolve_links(w, files));
    for (int pos = 0; pos < F0T_POS_COUNT; pos++)
        F0T_TRY(read_index(w, &files->index[pos], (f0t_pos)pos));
    if (files->counts.text)
        F0T_TRY(read_counts(w, &files->counts));
    for (int pos = 0; pos < F0T_POS_COUNT; pos++)
        if (files->exceptions[pos].text)
            F0T_TRY(read_exceptions(w, &files->exceptions[pos], (f0t_pos)pos));
    return F0T_OK;
}

f0t_status f0t_wordnet_read(f0t_wordnet *out, const f0t_wordnet_files *files)
{
    memset(out, 0, sizeof *out);
    return read_all(out, files);
}

void f0t_wordnet_clear(f0t_wordnet *w)
{
    f0t_free(w->synsets);
    f0t_free(w->senses);
    f0t_free(w->links);
    f0t_names_free(&w->lemmas);
    for (int pos = 0; pos < F0T_POS_COUNT; pos++) {
        f0t_free(w->first[pos]);
        f0t_free(w->regular[pos]);
        f0t_names_free(&w->irregular[pos]);
    }
    memset(w, 0, sizeof *w);
}

/* ---- The files in a folder ------------------------------------------------------------------- */

/* File i of the folder: where it goes and whether it must be there. */
typedef struct place {
    const char *name;
    f0t_wordnet_file *file;
    bool needed;
} place;

static place place_of(f0t_wordnet_folder *folder, size_t i)
{
    static const char *const names[F0T_WORDNET_MAPS] = {
        "data.noun", "data.verb", "data.adj", "data.adv", "index.noun", "index.verb", "index.adj",
        "index.adv", "noun.exc",  "verb.exc", "adj.exc",  "adv.exc",    "cntlist.rev"};
    f0t_wordnet_files *files = &folder->files;
    f0t_wordnet_file *groups[] = {files->data, files->index, files->exceptions, &files->counts};
    return (place){names[i], groups[i / F0T_POS_COUNT] + i % F0T_POS_COUNT, i < 2 * F0T_POS_COUNT};
}

static f0t_status open_file(f0t_wordnet_folder *folder, size_t i, const char *path)
{
    place p = place_of(folder, i);
    F0T_TRY(f0t_path_join(&folder->paths[i], path, p.name));
    if (!p.needed && !f0t_path_exists(folder->paths[i]))
        return F0T_OK;
    f0t_status status = f0t_map_open(&folder->maps[i], folder->paths[i]);
    if (status == F0T_ERROR_NOT_FOUND)
        return f0t_fail(status,
                        "%s: there is no WordNet: Debian's package wordnet-base has it in "
                        "/usr/share/wordnet",
                        folder->paths[i]);
    F0T_TRY(status);
    *p.file = (f0t_wordnet_file){folder->paths[i], (const char *)folder->maps[i].data,
                                 folder->maps[i].size};
    return F0T_OK;
}

f0t_status f0t_wordnet_folder_open(f0t_wordnet_folder *out, const char *path)
{
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < F0T_WORDNET_MAPS; i++)
        F0T_TRY(open_file(out, i, path));
    return F0T_OK;
}

f0t_status f0t_wordnet_folder_check(const f0t_wordnet_folder *folder)
{
    for (size_t i = 0; i < F0T_WORDNET_MAPS; i++)
        F0T_TRY(f0t_map_check(&folder->maps[i], folder->paths[i]));
    return F0T_OK;
}

f0t_status f0t_wordnet_folder_read(f0t_wordnet *out, const f0t_wordnet_folder *folder)
{
    const f0t_status status = f0t_wordnet_read(out, &folder->files);
    F0T_TRY(f0t_wordnet_folder_check(folder)); /* which explains what else failed */
    return status;
}

void f0t_wordnet_folder_close(f0t_wordnet_folder *folder)
{
    for (size_t i = 0; i < F0T_WORDNET_MAPS; i++) {
        if (folder->maps[i].data)
            f0t_map_close(&folder->maps[i]);
        f0t_free(folder->paths[i]);
    }
    memset(folder, 0, sizeof *folder);
}

/* ---- From a form to its lemma: the exceptions and endings of morphy(7WN) --------------------- */

enum { SHORTEST_STEM = 2 };

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
    char stem[LEMMA_MOST + 8];
    size_t from = strlen(e->from), to = strlen(e->to);
    if (length < from + SHORTEST_STEM || length >= LEMMA_MOST ||
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
