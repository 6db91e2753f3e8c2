/* Tags made fit to learn from: the forms of one tag and its flaws, then all tags of a dataset. */
#include "import/clean.h"

#include "base/alloc.h"
#include "base/context.h"
#include "word/inflect.h"
#include "word/normal.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 3, LENGTH_MOST = 40 };

const char *f0t_flaw_name(f0t_flaw flaw)
{
    static const char *const names[F0T_FLAWS] = {"kept",
                                                 "that are no words",
                                                 "about the file",
                                                 "about keeping files",
                                                 "in the collection's own list",
                                                 "without a word vector",
                                                 "on too many pictures",
                                                 "on too few pictures"};
    return names[flaw];
}

/* ---- One tag: its forms ---------------------------------------------------------------------- */

static bool is_punctuation(char c)
{
    return c > 0 && strchr(" .,;:!?\"'`#*+-_=~^|/\\<>()[]{}&", c) != NULL;
}

static f0t_status add_form(f0t_texts *out, const char *text, size_t length)
{
    f0t_word_text key;
    f0t_status status = f0t_normal_key(&key, text, length);
    if (status == F0T_ERROR_FORMAT) /* no UTF-8, or longer than any tag: nothing to learn from */
        return F0T_OK;
    F0T_TRY(status);
    const char *begin = key.data, *end = key.data + key.length;
    while (begin < end && is_punctuation(*begin))
        begin++;
    while (end > begin && is_punctuation(end[-1]))
        end--;
    if (begin < end)
        status = f0t_texts_add(out, begin, (size_t)(end - begin));
    f0t_free(key.data);
    return status;
}

f0t_status f0t_clean_form(f0t_texts *out, const char *tag, size_t length)
{
    for (size_t begin = 0, end; begin <= length; begin = end + 1) {
        end = begin;
        while (end < length && !strchr(",;", tag[end]))
            end++;
        F0T_TRY(add_form(out, tag + begin, end - begin));
    }
    return F0T_OK;
}

static bool is_plural(const char *plural, const char *singular)
{
    f0t_inflections guesses;
    f0t_singulars(&guesses, plural, strlen(plural));
    for (size_t i = 0; i < guesses.count; i++)
        if (!strcmp(guesses.text[i], singular))
            return true;
    return false;
}

bool f0t_clean_same(const char *a, const char *b)
{
    return !strcmp(a, b) || is_plural(a, b) || is_plural(b, a);
}

/* ---- Words that are no tags ------------------------------------------------------------------ */

/* Words that say nothing about what a picture shows, in anyone's collection. In the form of
 * f0t_clean_form, singular; plurals are looked up by it. */

/* About the file: its type, the program or camera, how it came about, its licence. */
static const char *const file_words[] = {"ai",
                                         "bitmap",
                                         "bmp",
                                         "clip art",
                                         "clipart",
                                         "copyright",
                                         "corel draw",
                                         "coreldraw",
                                         "creative commons",
                                         "eps",
                                         "file",
                                         "gif",
                                         "gimp",
                                         "graphic",
                                         "heic",
                                         "illustrator",
                                         "image",
                                         "image magick",
                                         "imagemagick",
                                         "inkscape",
                                         "jpeg",
                                         "jpg",
                                         "licence",
                                         "license",
                                         "line art",
                                         "lineart",
                                         "magick",
                                         "open clip art",
                                         "open clipart",
                                         "openclipart",
                                         "pdf",
                                         "photo",
                                         "photograph",
                                         "photoshop",
                                         "pic",
                                         "picture",
                                         "pixel",
                                         "png",
                                         "potrace",
                                         "ps",
                                         "psd",
                                         "public domain",
                                         "raster",
                                         "raw",
                                         "scan",
                                         "screenshot",
                                         "sodipodi",
                                         "svg",
                                         "tif",
                                         "tiff",
                                         "vector",
                                         "vector art",
                                         "vector graphic",
                                         "webp",
                                         "xcf",
                                         "xml"};

/* Of somebody who keeps files in order. */
static const char *const keeping_words[] = {
    "category", "default",  "download", "etc",           "example",       "favorite",  "favourite",
    "hash",     "import",   "keyword",  "misc",          "miscellaneous", "new",       "none",
    "null",     "other",    "sample",   "tag",           "tagme",         "temp",      "test",
    "tmp",      "to do",    "todo",     "uncategorised", "uncategorized", "undefined", "unknown",
    "unnamed",  "unsorted", "untitled", "upload",        "uploaded",      "various"};

/* ---- One tag: what is wrong with it ---------------------------------------------------------- */

/* Letters, single spaces and what stands inside of words: all else is a number, a code, an address or
 * the name of a file. */
static bool is_wordlike(const char *form)
{
    size_t words = 1, letters = 0, length = strlen(form);
    for (const char *c = form; *c; c++) {
        const bool letter = (*c >= 'a' && *c <= 'z') || (unsigned char)*c >= 0x80;
        if (!letter && *c != ' ' && *c != '\'' && *c != '-')
            return false;
        letters += letter;
        words += *c == ' ';
    }
    return letters > 1 && words <= WORDS_MOST && length <= LENGTH_MOST;
}

static bool is_among(const char *const *words, size_t count, const char *text, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == length && !memcmp(words[i], text, length))
            return true;
    return false;
}

#define AMONG(list, text, length) is_among(list, sizeof(list) / sizeof *(list), text, length)

static bool is_listed(const f0t_clean_list *list, const char *form)
{
    for (size_t i = 0; list && i < list->count; i++) {
        const size_t length = strlen(list->drop[i]);
        const bool all = length && list->drop[i][length - 1] == '*';
        if (all ? !strncmp(form, list->drop[i], length - 1) : !strcmp(form, list->drop[i]))
            return true;
    }
    return false;
}

f0t_flaw f0t_clean_flaw(const char *form, const f0t_clean_list *list)
{
    const size_t length = strlen(form);
    const size_t singular = length > 1 && form[length - 1] == 's' ? length - 1 : length;
    if (is_listed(list, form))
        return F0T_FLAW_LISTED;
    if (!is_wordlike(form))
        return F0T_FLAW_FORM;
    if (AMONG(file_words, form, length) || AMONG(file_words, form, singular))
        return F0T_FLAW_FILE;
    if (AMONG(keeping_words, form, length) || AMONG(keeping_words, form, singular))
        return F0T_FLAW_KEEPING;
    return F0T_FLAW_NONE;
}

/* ---- All tags of a dataset: their forms ------------------------------------------------------ */

/* What is known of each form. */
typedef struct form {
    size_t images; /* that have it, or a form that goes to it */
    f0t_flaw flaw;
    uint32_t same; /* the form that it goes to, or itself */
    uint32_t kept; /* number among the tags that are kept */
} form;

typedef struct work {
    const f0t_dataset *dataset;
    const f0t_clean_rules *options;
    f0t_names names; /* of the forms */
    form *forms;     /* [names] */
    size_t capacity;
    uint32_t *of_tag; /* the forms of tag t: of_tag[out->offsets[t], out->offsets[t + 1]) */
    size_t of_tag_count, of_tag_capacity;
    f0t_cleaned *out;
} work;

static f0t_status enter_form(work *w, const char *text, size_t length)
{
    uint32_t index;
    bool added;
    F0T_TRY(f0t_names_add(&w->names, text, length, &index, &added));
    if (added) {
        F0T_TRY(f0t_grow(&w->forms, &w->capacity, index, 1, sizeof *w->forms));
        w->forms[index] = (form){.flaw = f0t_clean_flaw(text, &w->options->list), .same = index};
    }
    F0T_TRY(f0t_grow(&w->of_tag, &w->of_tag_capacity, w->of_tag_count, 1, sizeof *w->of_tag));
    w->of_tag[w->of_tag_count++] = index;
    return F0T_OK;
}

static f0t_status add_tag(work *w, size_t t)
{
    const char *tag = f0t_dataset_tag(w->dataset, t);
    f0t_texts forms = {0};
    f0t_status status = f0t_clean_form(&forms, tag, strlen(tag));
    for (size_t i = 0; status == F0T_OK && i < forms.count; i++)
        status = enter_form(w, f0t_texts_get(&forms, i), f0t_texts_length(&forms, i));
    f0t_texts_free(&forms);
    return status;
}

static f0t_status find_forms(work *w)
{
    const size_t tags = f0t_dataset_tag_count(w->dataset);
    F0T_TRY(f0t_alloc(&w->out->offsets, tags + 1, sizeof *w->out->offsets));
    for (size_t t = 0; t < tags; t++) {
        w->out->offsets[t] = w->of_tag_count;
        F0T_TRY(add_tag(w, t));
    }
    w->out->offsets[tags] = w->of_tag_count;
    w->out->forms = f0t_names_count(&w->names);
    return F0T_OK;
}

/* ---- Meaning --------------------------------------------------------------------------------- */

/* A form without a vector means nothing that could be ranked. */
static f0t_status find_unknown(work *w)
{
    const size_t count = f0t_names_count(&w->names);
    const f0t_vocab_options options = {.size = sizeof(f0t_vocab_options), .no_suggestions = true};
    const char **names;
    f0t_vocab *vocab;
    F0T_TRY(f0t_alloc(&names, count, sizeof *names));
    for (size_t i = 0; i < count; i++)
        names[i] = f0t_names_get(&w->names, i);
    f0t_status status = f0t_vocab_create(&vocab, names, count, w->options->vectors, &options,
                                         F0T_WATCHED(w->options->monitor));
    f0t_free(names);
    F0T_TRY(status);
    for (size_t i = 0; i < count; i++)
        if (w->forms[i].flaw == F0T_FLAW_NONE &&
            f0t_vocab_get_entry(vocab, i)->match == F0T_MATCH_NONE)
            w->forms[i].flaw = F0T_FLAW_UNKNOWN;
    f0t_vocab_free(vocab);
    return F0T_OK;
}

/* ---- The same word --------------------------------------------------------------------------- */

/* The form whose last word is this one's singular, where the collection has it. */
static bool find_singular(uint32_t *out, const work *w, uint32_t i)
{
    char text[F0T_INFLECT_LENGTH * 4];
    const char *name = f0t_names_get(&w->names, i), *space = strrchr(name, ' ');
    const size_t begin = space ? (size_t)(space + 1 - name) : 0;
    f0t_inflections singulars;
    f0t_singulars(&singulars, name + begin, strlen(name) - begin);
    for (size_t k = 0; k < singulars.count; k++) {
        const size_t length = strlen(singulars.text[k]);
        if (begin + length >= sizeof text)
            continue;
        memcpy(text, name, begin);
        memcpy(text + begin, singulars.text[k], length);
        if (f0t_names_find(&w->names, text, begin + length, out) && *out != i &&
            w->forms[*out].flaw == F0T_FLAW_NONE && w->forms[*out].same == *out)
            return true;
    }
    return false;
}

static void merge_plurals(work *w)
{
    uint32_t singular;
    for (uint32_t i = 0; i < f0t_names_count(&w->names); i++)
        if (w->forms[i].flaw == F0T_FLAW_NONE && find_singular(&singular, w, i)) {
            w->forms[i].same = singular;
            w->out->plurals++;
        }
}

/* The form without its spaces, where the collection has that; room for any form that is no flaw. */
static bool find_joined(uint32_t *out, const work *w, const char *name)
{
    char text[F0T_INFLECT_LENGTH * 4];
    size_t length = 0;
    for (const char *c = name; *c && length < sizeof text; c++)
        if (*c != ' ')
            text[length++] = *c;
    return strchr(name, ' ') && f0t_names_find(&w->names, text, length, out);
}

/* "sea gull" and "seagull" are one: the one with a vector, and where both have one the joined. */
static void merge_spellings(work *w)
{
    for (uint32_t i = 0; i < f0t_names_count(&w->names); i++) {
        uint32_t joined;
        if (w->forms[i].flaw != F0T_FLAW_NONE || w->forms[i].same != i ||
            !find_joined(&joined, w, f0t_names_get(&w->names, i)) ||
            w->forms[joined].same != joined)
            continue;
        if (w->forms[joined].flaw == F0T_FLAW_UNKNOWN) {
            w->forms[joined].flaw = F0T_FLAW_NONE;
            w->forms[joined].same = i;
        } else if (w->forms[joined].flaw == F0T_FLAW_NONE) {
            w->forms[i].same = joined;
        } else {
            continue;
        }
        w->out->spellings++;
    }
}

/* A chain of merges, seagulls to sea gull to seagull, has few links: each goes to a form that had not
 * gone anywhere. */
static uint32_t end_of(const work *w, uint32_t i)
{
    while (w->forms[i].same != i)
        i = w->forms[i].same;
    return i;
}

/* ---- What is left ---------------------------------------------------------------------------- */

/* The forms that an image's tags end at: each counts the image once. `last[form]` is 1 + the image
 * that it was counted for. */
static void count_image(work *w, size_t *last, size_t m)
{
    size_t count;
    const uint32_t *tags = f0t_dataset_image_tags(&count, w->dataset, m);
    for (size_t i = 0; i < count; i++)
        for (size_t k = w->out->offsets[tags[i]]; k < w->out->offsets[tags[i] + 1]; k++) {
            const uint32_t end = end_of(w, w->of_tag[k]);
            w->forms[end].images += last[end] != m + 1;
            last[end] = m + 1;
        }
}

static void judge_count(form *f, const f0t_clean_rules *options)
{
    if (f->flaw == F0T_FLAW_NONE && f->images < options->least)
        f->flaw = F0T_FLAW_RARE;
    else if (f->flaw == F0T_FLAW_NONE && options->most && f->images > options->most)
        f->flaw = F0T_FLAW_COMMON;
}

static f0t_status judge_counts(work *w)
{
    const size_t count = f0t_names_count(&w->names);
    size_t *last;
    F0T_TRY(f0t_alloc_zero(&last, count, sizeof *last));
    for (size_t m = 0; m < f0t_dataset_image_count(w->dataset); m++)
        if (!w->options->skip || !w->options->skip[m])
            count_image(w, last, m);
    for (size_t i = 0; i < count; i++)
        if (w->forms[i].same == i)
            judge_count(&w->forms[i], w->options);
    f0t_free(last);
    return F0T_OK;
}

static f0t_status keep_forms(work *w)
{
    for (size_t i = 0; i < f0t_names_count(&w->names); i++) {
        const char *name = f0t_names_get(&w->names, i);
        if (w->forms[i].same == i && w->forms[i].flaw == F0T_FLAW_NONE)
            F0T_TRY(f0t_names_add(&w->out->tags, name, strlen(name), &w->forms[i].kept, NULL));
    }
    return F0T_OK;
}

/* From forms to kept tags; offsets move together where forms were left out. */
static f0t_status map_tags(work *w)
{
    f0t_cleaned *out = w->out;
    size_t used = 0, begin = 0;
    F0T_TRY(f0t_alloc(&out->indices, w->of_tag_count, sizeof *out->indices));
    for (size_t t = 0; t < f0t_dataset_tag_count(w->dataset); t++) {
        const size_t end = out->offsets[t + 1];
        out->offsets[t] = used;
        for (size_t k = begin; k < end; k++) {
            const form *f = &w->forms[end_of(w, w->of_tag[k])];
            if (f->flaw == F0T_FLAW_NONE)
                out->indices[used++] = f->kept;
        }
        begin = end;
    }
    out->offsets[f0t_dataset_tag_count(w->dataset)] = used;
    return F0T_OK;
}

static void find_most(f0t_cleaned *out, const f0t_dataset *dataset)
{
    for (size_t m = 0; m < f0t_dataset_image_count(dataset); m++) {
        size_t count, found = 0;
        const uint32_t *tags = f0t_dataset_image_tags(&count, dataset, m);
        for (size_t i = 0; i < count; i++)
            found += out->offsets[tags[i] + 1] - out->offsets[tags[i]];
        out->most = found > out->most ? found : out->most;
    }
}

/* How many were left out, and the most frequent one of each kind. */
static f0t_status tell(work *w)
{
    f0t_cleaned *out = w->out;
    size_t best[F0T_FLAWS], place[F0T_FLAWS];
    for (int f = 0; f < F0T_FLAWS; f++)
        best[f] = place[f] = F0T_NONE;
    for (size_t i = 0; i < f0t_names_count(&w->names); i++) {
        const f0t_flaw flaw = w->forms[i].flaw;
        out->left_out[flaw] += flaw != F0T_FLAW_NONE;
        if (best[flaw] == F0T_NONE || w->forms[i].images > w->forms[best[flaw]].images)
            best[flaw] = i;
    }
    for (int f = F0T_FLAW_NONE + 1; f < F0T_FLAWS; f++)
        if (best[f] != F0T_NONE) {
            const char *name = f0t_names_get(&w->names, best[f]);
            place[f] = out->texts.count;
            F0T_TRY(f0t_texts_add(&out->texts, name, strlen(name)));
        }
    for (int f = 0; f < F0T_FLAWS; f++)
        out->examples[f] = place[f] == F0T_NONE ? NULL : f0t_texts_get(&out->texts, place[f]);
    return F0T_OK;
}

static f0t_status run(work *w)
{
    F0T_TRY(find_forms(w));
    F0T_TRY(find_unknown(w));
    merge_plurals(w);
    merge_spellings(w);
    F0T_TRY(judge_counts(w));
    F0T_TRY(keep_forms(w));
    F0T_TRY(map_tags(w));
    find_most(w->out, w->dataset);
    return tell(w);
}

f0t_status f0t_clean_tags(f0t_cleaned *out, const f0t_dataset *dataset,
                          const f0t_clean_rules *options)
{
    *out = (f0t_cleaned){0};
    work w = {.dataset = dataset, .options = options, .out = out};
    f0t_status status = run(&w);
    f0t_names_free(&w.names);
    f0t_free(w.forms);
    f0t_free(w.of_tag);
    if (status != F0T_OK)
        f0t_cleaned_free(out);
    return status;
}

void f0t_cleaned_free(f0t_cleaned *c)
{
    f0t_names_free(&c->tags);
    f0t_texts_free(&c->texts);
    f0t_free(c->offsets);
    f0t_free(c->indices);
    *c = (f0t_cleaned){0};
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

size_t f0t_cleaned_image(uint32_t *to, const f0t_cleaned *c, const f0t_dataset *dataset, size_t m)
{
    size_t count, found = 0, kept = 0;
    const uint32_t *tags = f0t_dataset_image_tags(&count, dataset, m);
    for (size_t i = 0; i < count; i++)
        for (size_t k = c->offsets[tags[i]]; k < c->offsets[tags[i] + 1]; k++)
            to[found++] = c->indices[k];
    qsort(to, found, sizeof *to, compare);
    for (size_t i = 0; i < found; i++)
        if (!i || to[i] != to[i - 1])
            to[kept++] = to[i];
    return kept;
}
