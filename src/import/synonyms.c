#include "import/synonyms.h"

#include "base/alloc.h"
#include "base/context.h"
#include "import/clean.h"
#include "io/text.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_LONGEST = 1 << 16, NEAR = 16 };

/* What the caller sees, and what it stands on. */
typedef struct synonyms {
    f0t_synonyms shown;
    f0t_texts words;    /* of all groups, one after the other */
    size_t *starts;     /* [groups + 1] */
    float *cosines;     /* [groups] */
    const char **items; /* [words] */
    f0t_synonym_group *groups;
    size_t count, starts_capacity, cosines_capacity;
} synonyms;

void f0t_synonyms_free(f0t_synonyms *shown)
{
    synonyms *s = (synonyms *)shown;
    if (!s)
        return;
    f0t_texts_free(&s->words);
    f0t_free(s->starts);
    f0t_free(s->cosines);
    f0t_free(s->items);
    f0t_free(s->groups);
    f0t_free(s);
}

/* The words that were added since the last group are one. */
static f0t_status end_group(synonyms *s, float cosine)
{
    F0T_TRY(f0t_grow(&s->starts, &s->starts_capacity, s->count + (s->starts != NULL), 2,
                     sizeof *s->starts));
    F0T_TRY(f0t_grow(&s->cosines, &s->cosines_capacity, s->count, 1, sizeof *s->cosines));
    if (!s->count)
        s->starts[0] = 0;
    s->cosines[s->count] = cosine;
    s->starts[++s->count] = s->words.count;
    return F0T_OK;
}

static f0t_status show(synonyms *s)
{
    F0T_TRY(f0t_alloc(&s->items, s->words.count, sizeof *s->items));
    F0T_TRY(f0t_alloc(&s->groups, s->count, sizeof *s->groups));
    for (size_t i = 0; i < s->words.count; i++)
        s->items[i] = f0t_texts_get(&s->words, i);
    for (size_t g = 0; g < s->count; g++)
        s->groups[g] = (f0t_synonym_group){.words = s->items + s->starts[g],
                                           .count = s->starts[g + 1] - s->starts[g],
                                           .cosine = s->cosines[g]};
    s->shown = (f0t_synonyms){.groups = s->groups, .count = s->count};
    return F0T_OK;
}

static f0t_status finish(f0t_synonyms **out, synonyms *s, f0t_status status)
{
    if (status == F0T_OK)
        status = show(s);
    if (status == F0T_OK)
        *out = &s->shown;
    else
        f0t_synonyms_free(&s->shown);
    return status;
}

/* ---- From a file ----------------------------------------------------------------------------------- */

/* A file that is being read: which line had a word before. */
typedef struct reading {
    synonyms *to;
    f0t_stream *stream;
    f0t_names forms;
    uint64_t *lines; /* [forms] */
    size_t capacity;
} reading;

/* A word in two groups would be two things; in one group twice it is a slip that says nothing. */
static f0t_status enter_form(reading *r, const char *form, const char *word)
{
    const uint64_t line = f0t_stream_line_number(r->stream);
    uint32_t index;
    bool fresh;
    F0T_TRY(f0t_names_add(&index, &fresh, &r->forms, form, strlen(form)));
    if (fresh) {
        F0T_TRY(f0t_grow(&r->lines, &r->capacity, index, 1, sizeof *r->lines));
        r->lines[index] = line;
    }
    if (r->lines[index] == line)
        return F0T_OK;
    return f0t_text_fail(r->stream, "'%.100s' is in the group of line %llu already: join the two",
                         word, (unsigned long long)r->lines[index]);
}

static f0t_status add_word(reading *r, const char *text, size_t length)
{
    f0t_texts forms = {0};
    f0t_text_trim(&text, &length);
    if (!length)
        return f0t_text_fail(r->stream, "%s", "a word is missing between the commas");
    f0t_status status = f0t_clean_whole(&forms, text, length);
    if (status == F0T_OK && !forms.count)
        status =
            f0t_text_fail(r->stream, "'%.*s' is no word", (int)(length < 100 ? length : 100), text);
    if (status == F0T_OK)
        status = f0t_texts_add(&r->to->words, text, length);
    if (status == F0T_OK)
        status = enter_form(r, f0t_texts_get(&forms, 0),
                            f0t_texts_get(&r->to->words, r->to->words.count - 1));
    f0t_texts_free(&forms);
    return status;
}

/* Without a comment: a # that begins the line, or has a blank before it. */
static size_t without_comment(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t'))
            return i;
    return length;
}

/* Commas divide the words, or tabs where there is one. */
static f0t_status read_group(reading *r, const char *line, size_t length)
{
    const char mark = memchr(line, '\t', length) ? '\t' : ',';
    const char *end = line + length;
    const size_t before = r->to->words.count;
    for (const char *at = line, *next; at <= end; at = next + 1) {
        next = memchr(at, mark, (size_t)(end - at));
        next = next ? next : end;
        F0T_TRY(add_word(r, at, (size_t)(next - at)));
    }
    if (r->to->words.count - before < 2)
        return f0t_text_fail(r->stream,
                             "'%.100s' stands alone: a line is a name and its synonyms, such as "
                             "\"bicycle, bike, cycling\"",
                             f0t_texts_get(&r->to->words, before));
    return end_group(r->to, 1);
}

static f0t_status read_lines(reading *r)
{
    const char *line;
    size_t length;
    for (;;) {
        F0T_TRY(f0t_text_line(&line, &length, r->stream));
        if (!line)
            return F0T_OK;
        if (length > LINE_LONGEST)
            return f0t_text_fail(r->stream, "a line of %zu bytes: one line is one group", length);
        length = without_comment(line, length);
        f0t_text_trim(&line, &length);
        if (length)
            F0T_TRY(read_group(r, line, length));
    }
}

f0t_status f0t_synonyms_read(f0t_synonyms **out, f0t_stream *stream)
{
    reading r = {.stream = stream};
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&r.to, 1, sizeof *r.to));
    f0t_status status = finish(out, r.to, read_lines(&r));
    f0t_names_free(&r.forms);
    f0t_free(r.lines);
    return status;
}

f0t_status f0t_synonyms_load(f0t_synonyms **out, const char *path, const f0t_context *context)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(path);
    F0T_ENTER(context);
    f0t_stream *stream;
    F0T_TRY(f0t_stream_open(&stream, path));
    f0t_status status = f0t_synonyms_read(out, stream);
    f0t_stream_close(stream);
    return status;
}

/* ---- By word vectors ------------------------------------------------------------------------------- */

/* A suggestion in the making. Tags are numbered as the vocabulary has them, the most frequent first. */
typedef struct suggesting {
    const f0t_vocab *vocab;
    double least;
    uint32_t *near; /* [tags x NEAR] */
    float *cosine;
    uint32_t *name; /* [tags] the tag that names its group: itself, or one before it */
    float *to_name; /* [tags] cosine to that */
} suggesting;

typedef struct counted {
    size_t tag, images;
} counted;

static int compare(const void *a, const void *b)
{
    const counted *one = a, *other = b;
    if (one->images != other->images)
        return one->images < other->images ? 1 : -1;
    return one->tag < other->tag ? -1 : one->tag > other->tag;
}

/* The tags of a dataset, the most frequent first: tags[T]. */
static f0t_status order_tags(const char **tags, const f0t_dataset *dataset)
{
    const size_t count = f0t_dataset_tag_count(dataset);
    counted *order;
    F0T_TRY(f0t_alloc(&order, count, sizeof *order));
    for (size_t t = 0; t < count; t++)
        order[t] = (counted){t, 0};
    for (size_t m = 0; m < f0t_dataset_image_count(dataset); m++) {
        size_t has;
        const uint32_t *of = f0t_dataset_image_tags(&has, dataset, m);
        for (size_t i = 0; i < has; i++)
            order[of[i]].images++;
    }
    qsort(order, count, sizeof *order, compare);
    for (size_t t = 0; t < count; t++)
        tags[t] = f0t_dataset_tag(dataset, order[t].tag);
    f0t_free(order);
    return F0T_OK;
}

/* A tag goes to the nearest of the more frequent ones that is a name; what cleaning makes one anyway is passed over. */
static void choose_name(suggesting *g, uint32_t t, size_t near)
{
    g->name[t] = t;
    for (size_t k = 0; k < near && g->name[t] == t; k++) {
        const uint32_t other = g->near[t * near + k];
        const float cosine = g->cosine[t * near + k];
        if ((double)cosine < g->least)
            return;
        if (other < t && g->name[other] == other &&
            !f0t_clean_same(f0t_vocab_tag(g->vocab, t), f0t_vocab_tag(g->vocab, other))) {
            g->name[t] = other;
            g->to_name[t] = cosine;
        }
    }
}

/* The name and those that go to it. */
static f0t_status add_group(synonyms *s, const suggesting *g, uint32_t name, size_t count)
{
    float least = 1;
    for (uint32_t t = name; t < count; t++)
        if (g->name[t] == name) {
            const char *tag = f0t_vocab_tag(g->vocab, t);
            F0T_TRY(f0t_texts_add(&s->words, tag, strlen(tag)));
            least = t != name && g->to_name[t] < least ? g->to_name[t] : least;
        }
    return end_group(s, least);
}

static f0t_status add_groups(synonyms *s, const suggesting *g, size_t count)
{
    bool *names; /* [tags] that others go to */
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_alloc_zero(&names, count, sizeof *names));
    for (uint32_t t = 0; t < count; t++)
        names[g->name[t]] |= g->name[t] != t;
    for (uint32_t t = 0; t < count && status == F0T_OK; t++)
        if (names[t])
            status = add_group(s, g, t, count);
    f0t_free(names);
    return status;
}

static f0t_status group_tags(synonyms *s, suggesting *g)
{
    const size_t count = f0t_vocab_count(g->vocab), near = count < NEAR ? count : NEAR;
    F0T_TRY(f0t_alloc(&g->near, count * near, sizeof *g->near));
    F0T_TRY(f0t_alloc(&g->cosine, count * near, sizeof *g->cosine));
    F0T_TRY(f0t_alloc(&g->name, count, sizeof *g->name));
    F0T_TRY(f0t_alloc_zero(&g->to_name, count, sizeof *g->to_name));
    F0T_TRY(f0t_vocab_rank(g->near, g->cosine, near, g->vocab, f0t_vocab_vectors(g->vocab), count,
                           NULL));
    for (uint32_t t = 0; t < count; t++)
        choose_name(g, t, near);
    return add_groups(s, g, count);
}

/* Keeps the tags that have a vector of their own in tags[*count]: that of a phrase without one is near each of its
 * words, and that of a plural is its singular's. */
static f0t_status keep_own(const char **tags, size_t *count, const f0t_vectors *vectors)
{
    const f0t_vocab_options lookup = {.size = sizeof lookup, .no_suggestions = true};
    f0t_vocab *vocab;
    size_t kept = 0;
    F0T_TRY(f0t_vocab_create(&vocab, tags, *count, vectors, &lookup, NULL));
    for (size_t i = 0; i < *count; i++) {
        const f0t_match match = f0t_vocab_get_entry(vocab, i)->match;
        if (match == F0T_MATCH_EXACT || match == F0T_MATCH_CASE || match == F0T_MATCH_JOINED)
            tags[kept++] = tags[i];
    }
    *count = kept;
    f0t_vocab_free(vocab);
    return F0T_OK;
}

static f0t_status suggest_of(synonyms *s, suggesting *g, const char **tags, size_t count,
                             const f0t_vectors *vectors)
{
    const f0t_vocab_options lookup = {
        .size = sizeof lookup, .centred = true, .no_suggestions = true};
    f0t_vocab *vocab;
    F0T_TRY(keep_own(tags, &count, vectors));
    F0T_TRY(f0t_vocab_create(&vocab, tags, count, vectors, &lookup, NULL));
    g->vocab = vocab;
    f0t_status status = f0t_vocab_count(vocab) ? group_tags(s, g) : F0T_OK;
    f0t_vocab_free(vocab);
    return status;
}

static f0t_status suggest(synonyms *s, const f0t_dataset *dataset, const f0t_vectors *vectors,
                          double least)
{
    const size_t count = f0t_dataset_tag_count(dataset);
    suggesting g = {.least = least};
    const char **tags;
    F0T_TRY(f0t_alloc(&tags, count, sizeof *tags));
    f0t_status status = order_tags(tags, dataset);
    if (status == F0T_OK)
        status = suggest_of(s, &g, tags, count, vectors);
    f0t_free(tags);
    f0t_free(g.near);
    f0t_free(g.cosine);
    f0t_free(g.name);
    f0t_free(g.to_name);
    return status;
}

f0t_status f0t_synonyms_suggest(f0t_synonyms **out, const f0t_dataset *dataset,
                                const f0t_vectors *vectors, double least,
                                const f0t_context *context)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(dataset);
    F0T_REQUIRE(vectors);
    F0T_ENTER(context);
    synonyms *s;
    if (!(least >= 0 && least <= 1))
        return f0t_fail(F0T_ERROR_ARGUMENT, "a least cosine of %g: 0 to 1 is expected", least);
    F0T_TRY(f0t_alloc_zero(&s, 1, sizeof *s));
    return finish(out, s, suggest(s, dataset, vectors, least > 0 ? least : F0T_SYNONYMS_COSINE));
}

/* ---- Looking words up ------------------------------------------------------------------------------ */

static f0t_status index_word(f0t_synonym_index *index, const char *word, uint32_t group)
{
    f0t_texts forms = {0};
    uint32_t form;
    f0t_status status = f0t_clean_whole(&forms, word, strlen(word));
    if (status == F0T_OK)
        status = f0t_names_add(&form, NULL, &index->forms, f0t_texts_get(&forms, 0),
                               f0t_texts_length(&forms, 0));
    if (status == F0T_OK)
        status = f0t_grow(&index->groups, &index->capacity, form, 1, sizeof *index->groups);
    if (status == F0T_OK)
        index->groups[form] = group;
    f0t_texts_free(&forms);
    return status;
}

f0t_status f0t_synonym_index_open(f0t_synonym_index *index, const char *path)
{
    if (!path)
        return F0T_OK;
    F0T_TRY(f0t_synonyms_load(&index->synonyms, path, NULL));
    for (size_t g = 0; g < index->synonyms->count; g++)
        for (size_t i = 0; i < index->synonyms->groups[g].count; i++)
            F0T_TRY(index_word(index, index->synonyms->groups[g].words[i], (uint32_t)g));
    return F0T_OK;
}

void f0t_synonym_index_close(f0t_synonym_index *index)
{
    f0t_synonyms_free(index->synonyms);
    f0t_names_free(&index->forms);
    f0t_free(index->groups);
    *index = (f0t_synonym_index){0};
}

static const char *find_exactly(const f0t_synonym_index *index, const char *form)
{
    uint32_t found;
    return f0t_names_find(&found, &index->forms, form, strlen(form))
               ? index->synonyms->groups[index->groups[found]].words[0]
               : NULL;
}

const char *f0t_synonym_find(const f0t_synonym_index *index, const char *form, bool plurals)
{
    f0t_inflections singulars;
    if (!f0t_names_count(&index->forms))
        return NULL;
    const char *name = find_exactly(index, form);
    if (name || !plurals)
        return name;
    f0t_singulars(&singulars, form, strlen(form));
    for (size_t i = 0; i < singulars.count && !name; i++)
        name = find_exactly(index, singulars.text[i]);
    return name;
}
