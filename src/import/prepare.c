/*
 * The keywords of a person's collection, made fit to learn from and left in the person's own words
 * (fast0tag_tools.h). clean.c, for the demo, is stricter: it wants few tags that mean something to anyone.
 */
#include "base/alloc.h"
#include "base/context.h"
#include "import/clean.h"
#include "import/synonyms.h"
#include "io/dataset.h"

#include <string.h>

/* A tag on one picture alone cannot be told from all else that the picture shows. A tag on nearly all
 * says nothing about any. Fewer than FEW pictures tell neither: all their tags are learned. */
enum { LEAST = 2, FEW = 50 };
static const double COMMON = 0.98;

/* A plural, or another spelling, on fewer pictures than this, or on fewer than one in RATIO of the
 * other's, is that other one written in another way. Above, both are in use, and a person who writes
 * "dog" and "dogs" that often means two things: on flickr8k-raw merging those costs 2 points of MiAP, these
 * none. */
enum { SLIPS = 10, RATIO = 10 };

/* What looks like a camera's or a program's word is on one picture or a few. On so many it tells something of
 * them, whoever wrote it: a year, a shelf. In a small collection one picture in IN_USE_SHARE is many. */
enum { IN_USE = 10, IN_USE_LEAST = 3, IN_USE_SHARE = 10 };

static const uint32_t NO_TAG = UINT32_MAX;

/* What is known of each form (clean.h), the tags that differ in letters' case and the like alone. */
typedef struct word_form {
    size_t images;         /* that have it, or after merging a form that goes to it */
    uint32_t same;         /* the form that it goes to, or itself, */
    f0t_prepare_step link; /* and why */
    size_t together;       /* images that have it and the form that it goes to */
    uint32_t tag;          /* the dataset's tag that most images have, of this form; or NO_TAG */
    const char *given;     /* its name where the person's list of synonyms has it; else NULL */
    uint32_t kept;         /* number among the tags that are kept, or NO_TAG */
    bool about_files;      /* by its looks, or no word at all */
    bool no_word;          /* for that reason left out */
    bool rare, common;
} word_form;

/* What the caller sees, and what it stands on. */
typedef struct prepared {
    f0t_prepared shown;
    const f0t_dataset *from;
    f0t_prepare_options options;
    f0t_names names;  /* of the forms */
    word_form *forms; /* [names] */
    size_t forms_capacity;
    f0t_synonym_index synonyms;
    uint32_t *whole; /* [T] the form of each tag */
    bool *renamed;   /* [T] it has the name of its synonyms */
    uint32_t
        *of_tag; /* what it stands for: of_tag[offsets[t], offsets[t + 1]), several for a list */
    size_t *offsets; /* [T + 1] */
    size_t of_tag_count, of_tag_capacity;
    size_t *images; /* [T] that have each tag */
    size_t tagged;  /* images that have a tag, test images apart */
    f0t_dataset *dataset;
    const char **rare;
    f0t_prepare_merge *merges;
    size_t merges_capacity;
} prepared;

/* ---- Forms -------------------------------------------------------------------------------------- */

static f0t_status enter_form(prepared *p, uint32_t *index, const char *name, const char *key)
{
    bool added;
    F0T_TRY(f0t_names_add(index, &added, &p->names, name, strlen(name)));
    if (!added)
        return F0T_OK;
    F0T_TRY(f0t_grow(&p->forms, &p->forms_capacity, *index, 1, sizeof *p->forms));
    p->forms[*index] = (word_form){
        .same = *index, .tag = NO_TAG, .kept = NO_TAG, .about_files = f0t_clean_is_no_word(key)};
    return F0T_OK;
}

/* The group of synonyms that a form is in, by its name, or NULL. */
static const char *find_group(const prepared *p, const char *key)
{
    return f0t_synonym_find(&p->synonyms, key, p->options.plurals != F0T_PREPARE_PLURALS_KEEP);
}

/* The form of a group of synonyms is that of its name. */
static f0t_status enter_group(prepared *p, uint32_t *index, const char *name)
{
    f0t_texts forms = {0};
    f0t_status status = f0t_clean_whole(&forms, name, strlen(name));
    if (status == F0T_OK)
        status = enter_form(p, index, p->options.keep_spellings ? name : f0t_texts_get(&forms, 0),
                            f0t_texts_get(&forms, 0));
    if (status == F0T_OK)
        p->forms[*index].given = name;
    f0t_texts_free(&forms);
    return status;
}

/* The form of the tag as a whole; a tag of signs alone is its own. */
static f0t_status add_whole(prepared *p, size_t t)
{
    const char *tag = f0t_dataset_tag(p->from, t);
    f0t_texts forms = {0};
    f0t_status status = f0t_clean_whole(&forms, tag, strlen(tag));
    if (status == F0T_OK) {
        const char *key = forms.count ? f0t_texts_get(&forms, 0) : tag;
        const char *group = find_group(p, key);
        p->renamed[t] = group && strcmp(group, tag) != 0;
        status = group ? enter_group(p, &p->whole[t], group)
                       : enter_form(p, &p->whole[t], p->options.keep_spellings ? tag : key, key);
    }
    f0t_texts_free(&forms);
    return status;
}

static f0t_status add_of_tag(prepared *p, uint32_t index)
{
    F0T_TRY(f0t_grow(&p->of_tag, &p->of_tag_capacity, p->of_tag_count, 1, sizeof *p->of_tag));
    p->of_tag[p->of_tag_count++] = index;
    return F0T_OK;
}

/* The form that a part of a list is, by itself or by its synonyms. */
static f0t_status find_part(bool *found, uint32_t *index, const prepared *p, const char *part)
{
    const char *group = find_group(p, part);
    f0t_texts forms = {0};
    f0t_status status = group ? f0t_clean_whole(&forms, group, strlen(group)) : F0T_OK;
    const char *form = forms.count ? f0t_texts_get(&forms, 0) : part;
    *found = status == F0T_OK && f0t_names_find(index, &p->names, form, strlen(form));
    f0t_texts_free(&forms);
    return status;
}

/* "dog, cat" where the collection has both by themselves; "Paris, Texas" is one tag where it has not. */
static f0t_status add_listed(prepared *p, size_t t, bool *listed)
{
    const char *tag = f0t_dataset_tag(p->from, t);
    const size_t before = p->of_tag_count;
    f0t_texts parts = {0};
    uint32_t index;
    *listed = false;
    if (p->options.keep_spellings || !strpbrk(tag, ",;"))
        return F0T_OK;
    f0t_status status = f0t_clean_form(&parts, tag, strlen(tag));
    *listed = parts.count > 1;
    for (size_t i = 0; i < parts.count && *listed && status == F0T_OK; i++) {
        status = find_part(listed, &index, p, f0t_texts_get(&parts, i));
        if (*listed)
            status = add_of_tag(p, index);
    }
    if (!*listed)
        p->of_tag_count = before;
    f0t_texts_free(&parts);
    return status;
}

static f0t_status find_forms(prepared *p)
{
    const size_t tags = f0t_dataset_tag_count(p->from);
    bool listed;
    F0T_TRY(f0t_alloc(&p->whole, tags, sizeof *p->whole));
    F0T_TRY(f0t_alloc_zero(&p->renamed, tags, sizeof *p->renamed));
    F0T_TRY(f0t_alloc(&p->offsets, tags + 1, sizeof *p->offsets));
    for (size_t t = 0; t < tags; t++)
        F0T_TRY(add_whole(p, t));
    for (size_t t = 0; t < tags; t++) {
        p->offsets[t] = p->of_tag_count;
        F0T_TRY(add_listed(p, t, &listed));
        if (!listed)
            F0T_TRY(add_of_tag(p, p->whole[t]));
    }
    p->offsets[tags] = p->of_tag_count;
    return F0T_OK;
}

/* ---- Counts ------------------------------------------------------------------------------------- */

/* A chain of merges has few links: each goes to a form that had gone nowhere. */
static uint32_t end_of(const prepared *p, uint32_t i)
{
    while (p->forms[i].same != i)
        i = p->forms[i].same;
    return i;
}

static void count_image(prepared *p, size_t *last, size_t m)
{
    size_t count;
    const uint32_t *tags = f0t_dataset_image_tags(&count, p->from, m);
    p->tagged += count > 0;
    for (size_t i = 0; i < count; i++) {
        p->images[tags[i]]++;
        for (size_t k = p->offsets[tags[i]]; k < p->offsets[tags[i] + 1]; k++) {
            const uint32_t end = end_of(p, p->of_tag[k]);
            p->forms[end].images += last[end] != m + 1;
            last[end] = m + 1;
        }
    }
}

/* Of tags and of the forms that they end at. What only test images have is not known to training. */
static f0t_status count_images(prepared *p)
{
    const uint8_t *split = f0t_dataset_split(p->from);
    const size_t forms = f0t_names_count(&p->names);
    size_t *last; /* [forms] 1 + the image that each was counted for */
    F0T_TRY(f0t_alloc_zero(&last, forms, sizeof *last));
    memset(p->images, 0, f0t_dataset_tag_count(p->from) * sizeof *p->images);
    p->tagged = 0;
    for (size_t i = 0; i < forms; i++)
        p->forms[i].images = 0;
    for (size_t m = 0; m < f0t_dataset_image_count(p->from); m++)
        if (split[m] != F0T_TEST)
            count_image(p, last, m);
    f0t_free(last);
    return F0T_OK;
}

/* ---- About files --------------------------------------------------------------------------------- */

static void leave_out_file_words(prepared *p)
{
    const size_t share = p->tagged / IN_USE_SHARE;
    const size_t many = share < IN_USE_LEAST ? IN_USE_LEAST : share < IN_USE ? share : IN_USE;
    const size_t enough = p->options.file_words == F0T_PREPARE_FILE_WORDS_KEEP  ? 0
                          : p->options.file_words == F0T_PREPARE_FILE_WORDS_ALL ? SIZE_MAX
                                                                                : many;
    for (size_t i = 0; i < f0t_names_count(&p->names); i++) {
        word_form *f = &p->forms[i];
        f->no_word = f->about_files && f->images < enough;
    }
}

/* ---- The same word ------------------------------------------------------------------------------ */

static bool is_slip(size_t a, size_t b)
{
    const size_t few = a < b ? a : b, many = a < b ? b : a;
    return few < SLIPS || few * RATIO < many;
}

/* The one goes with the other that more images have, `b` where as many do, or that a person named. */
static void merge(prepared *p, uint32_t a, uint32_t b, f0t_prepare_step why)
{
    a = end_of(p, a);
    b = end_of(p, b);
    const bool named_a = p->forms[a].given != NULL, named_b = p->forms[b].given != NULL;
    const bool fewer = named_a != named_b ? named_a : p->forms[b].images < p->forms[a].images;
    const uint32_t from = fewer ? b : a, into = fewer ? a : b;
    if (from == into || (named_a && named_b))
        return;
    p->forms[from].same = into;
    p->forms[from].link = why;
}

static bool is_used(const word_form *f)
{
    return f->images && !f->no_word;
}

static void merge_plurals(prepared *p, uint32_t i)
{
    uint32_t found[F0T_INFLECT_MOST];
    const size_t count = f0t_clean_singulars(found, &p->names, i);
    for (size_t k = 0; k < count; k++) {
        const word_form *singular = &p->forms[found[k]];
        if (is_used(singular)) {
            if (p->options.plurals == F0T_PREPARE_PLURALS_ALL ||
                is_slip(p->forms[i].images, singular->images))
                merge(p, i, found[k], F0T_PREPARE_PLURALS);
            return;
        }
    }
}

static void merge_forms(prepared *p)
{
    uint32_t joined;
    for (uint32_t i = 0; i < f0t_names_count(&p->names); i++) {
        if (!is_used(&p->forms[i]))
            continue;
        if (p->options.plurals != F0T_PREPARE_PLURALS_KEEP)
            merge_plurals(p, i);
        if (!p->options.keep_spellings && f0t_clean_joined(&joined, &p->names, i) &&
            is_used(&p->forms[joined]) && is_slip(p->forms[i].images, p->forms[joined].images))
            merge(p, i, joined, F0T_PREPARE_SPELLINGS);
    }
}

/* Counts the image for each of its forms that goes to another one that it has, too. `seen` has m + 1 for the
 * forms of the image m. */
static void count_together(prepared *p, size_t *seen, size_t m)
{
    size_t count;
    const uint32_t *tags = f0t_dataset_image_tags(&count, p->from, m);
    for (size_t i = 0; i < count; i++)
        for (size_t k = p->offsets[tags[i]]; k < p->offsets[tags[i] + 1]; k++)
            seen[p->of_tag[k]] = m + 1;
    for (size_t i = 0; i < count; i++) {
        word_form *f = &p->forms[p->whole[tags[i]]];
        f->together += f->same != p->whole[tags[i]] && seen[f->same] == m + 1;
    }
}

/* Who writes "tree" and "trees" on the same pictures did not slip: both are wanted. A form that stands beside the one
 * it would go to on half of its pictures stays. */
static f0t_status part_pairs(prepared *p)
{
    const uint8_t *split = f0t_dataset_split(p->from);
    const size_t forms = f0t_names_count(&p->names);
    size_t *seen;
    F0T_TRY(f0t_alloc_zero(&seen, forms, sizeof *seen));
    for (size_t m = 0; m < f0t_dataset_image_count(p->from); m++)
        if (split[m] != F0T_TEST)
            count_together(p, seen, m);
    f0t_free(seen);
    for (uint32_t i = 0; i < forms; i++) {
        word_form *f = &p->forms[i];
        const bool asked =
            f->link == F0T_PREPARE_PLURALS && p->options.plurals == F0T_PREPARE_PLURALS_ALL;
        if (f->same != i && !asked && 2 * f->together >= f->images)
            f->same = i;
    }
    return F0T_OK;
}

/* Each form has the name that the person gives it most often. */
static void name_forms(prepared *p)
{
    for (size_t t = 0; t < f0t_dataset_tag_count(p->from); t++) {
        word_form *f = &p->forms[p->whole[t]];
        if (f->tag == NO_TAG || p->images[t] > p->images[f->tag])
            f->tag = (uint32_t)t;
    }
}

/* What the tag of a form is called. */
static const char *name_of(const prepared *p, const word_form *f)
{
    return f->given ? f->given : f0t_dataset_tag(p->from, f->tag);
}

/* ---- What is left ------------------------------------------------------------------------------- */

static void judge(prepared *p)
{
    const bool few = p->tagged < FEW;
    p->shown.least = p->options.least ? p->options.least : few ? 1 : LEAST;
    for (size_t i = 0; i < f0t_names_count(&p->names); i++) {
        word_form *f = &p->forms[i];
        if (f->same != i || !is_used(f))
            continue;
        f->rare = f->images < p->shown.least;
        f->common = !few && !p->options.keep_common && !f->rare &&
                    (double)f->images >= COMMON * (double)p->tagged;
    }
}

static bool is_kept(const word_form *f)
{
    return is_used(f) && !f->rare && !f->common;
}

static f0t_status keep_tags(prepared *p, f0t_names *tags)
{
    for (size_t k = 0; k < p->of_tag_count; k++) {
        word_form *f = &p->forms[end_of(p, p->of_tag[k])];
        if (!is_kept(f) || f->kept != NO_TAG)
            continue;
        const char *name = name_of(p, f);
        F0T_TRY(f0t_names_add(&f->kept, NULL, tags, name, strlen(name)));
    }
    return F0T_OK;
}

static f0t_status add_row(const prepared *p, f0t_rows *rows, size_t m)
{
    size_t count;
    const uint32_t *tags = f0t_dataset_image_tags(&count, p->from, m);
    for (size_t i = 0; i < count; i++)
        for (size_t k = p->offsets[tags[i]]; k < p->offsets[tags[i] + 1]; k++) {
            const word_form *f = &p->forms[end_of(p, p->of_tag[k])];
            if (f->kept != NO_TAG)
                F0T_TRY(f0t_rows_add(rows, f->kept));
        }
    return f0t_rows_end(rows);
}

/* ---- What else a tag is called ------------------------------------------------------------------ */

/* The form of `text` is this tag from now on, unless that is its own form. */
static f0t_status add_alias(prepared *p, const char *text, const char *tag)
{
    f0t_texts forms = {0}, own = {0};
    bool added;
    f0t_status status = f0t_clean_whole(&forms, text, strlen(text));
    if (status == F0T_OK)
        status = f0t_clean_whole(&own, tag, strlen(tag));
    const char *form = forms.count ? f0t_texts_get(&forms, 0) : NULL;
    if (status == F0T_OK && form && !(own.count && !strcmp(form, f0t_texts_get(&own, 0))))
        status = f0t_aliases_add(&p->dataset->aliases, &added, form, tag);
    f0t_texts_free(&forms);
    f0t_texts_free(&own);
    return status;
}

/* The form of a group of synonyms; NULL where it was not learned. */
static f0t_status find_named(const word_form **out, const prepared *p, const char *name)
{
    f0t_texts forms = {0};
    uint32_t index;
    *out = NULL;
    f0t_status status = f0t_clean_whole(&forms, name, strlen(name));
    const char *form = p->options.keep_spellings || !forms.count ? name : f0t_texts_get(&forms, 0);
    if (status == F0T_OK && f0t_names_find(&index, &p->names, form, strlen(form)) &&
        p->forms[end_of(p, index)].kept != NO_TAG)
        *out = &p->forms[end_of(p, index)];
    f0t_texts_free(&forms);
    return status;
}

/* Also words that no picture has. */
static f0t_status add_synonyms(prepared *p)
{
    const f0t_synonyms *s = p->synonyms.synonyms;
    const word_form *named;
    for (size_t g = 0; s && g < s->count; g++) {
        F0T_TRY(find_named(&named, p, s->groups[g].words[0]));
        for (size_t i = 0; named && i < s->groups[g].count; i++)
            F0T_TRY(add_alias(p, s->groups[g].words[i], name_of(p, named)));
    }
    return F0T_OK;
}

/* Whoever compares tags later knows by them what was made one here (word/same.h). */
static f0t_status add_aliases(prepared *p)
{
    for (uint32_t i = 0; i < f0t_names_count(&p->names); i++) {
        const word_form *end = &p->forms[end_of(p, i)];
        if (end->kept != NO_TAG)
            F0T_TRY(add_alias(p, f0t_names_get(&p->names, i), name_of(p, end)));
    }
    return add_synonyms(p);
}

/* ---- The dataset -------------------------------------------------------------------------------- */

static f0t_status make_dataset(prepared *p)
{
    f0t_names tags = {0};
    f0t_rows rows = {0};
    f0t_status status = keep_tags(p, &tags);
    for (size_t m = 0; m < f0t_dataset_image_count(p->from) && status == F0T_OK; m++)
        status = add_row(p, &rows, m);
    if (status == F0T_OK)
        status = f0t_dataset_view(&p->dataset, p->from, &tags, &rows);
    if (status == F0T_OK)
        status = add_aliases(p);
    f0t_names_free(&tags);
    f0t_rows_free(&rows);
    p->shown.dataset = p->dataset;
    return status;
}

/* ---- What was done ------------------------------------------------------------------------------ */

static void note_in(f0t_prepare_note *n, const prepared *p, size_t t, const char *into)
{
    n->count++;
    if (n->example && p->images[t] <= n->images)
        return;
    n->example = f0t_dataset_tag(p->from, t);
    n->images = p->images[t];
    n->into = into;
}

static void note(prepared *p, f0t_prepare_step step, size_t t, const char *into)
{
    note_in(&p->shown.notes[step], p, t, into);
}

/* `t` itself, or where it is a list the first that it lists. */
static const word_form *get_end(const prepared *p, size_t t)
{
    return &p->forms[end_of(p, p->of_tag[p->offsets[t]])];
}

static f0t_status note_merge(prepared *p, size_t t, f0t_prepare_step why)
{
    const char *from = f0t_dataset_tag(p->from, t);
    const char *into = name_of(p, get_end(p, t));
    F0T_TRY(f0t_grow(&p->merges, &p->merges_capacity, p->shown.merge_count, 1, sizeof *p->merges));
    p->merges[p->shown.merge_count++] = (f0t_prepare_merge){from, into};
    note(p, why, t, into);
    return F0T_OK;
}

static f0t_status note_tag(prepared *p, size_t t)
{
    const word_form *own = &p->forms[p->whole[t]], *end = get_end(p, t);
    if (p->offsets[t + 1] - p->offsets[t] > 1)
        return note_merge(p, t, F0T_PREPARE_SPELLINGS);
    if (p->renamed[t] && is_used(end))
        return note_merge(p, t, F0T_PREPARE_SYNONYMS);
    if (end->tag != t && !own->given && is_used(end))
        return note_merge(p, t, own == end ? F0T_PREPARE_SPELLINGS : own->link);
    if (!is_kept(end))
        note(p,
             end->no_word  ? F0T_PREPARE_FILE_WORDS
             : end->common ? F0T_PREPARE_COMMON
                           : F0T_PREPARE_RARE,
             t, NULL);
    else if (own->about_files && p->options.file_words == F0T_PREPARE_FILE_WORDS_RARE)
        note_in(&p->shown.file_words_in_use, p, t, NULL);
    return F0T_OK;
}

static f0t_status note_all(prepared *p)
{
    for (size_t t = 0; t < f0t_dataset_tag_count(p->from); t++)
        if (p->images[t]) {
            p->shown.keywords++;
            F0T_TRY(note_tag(p, t));
        }
    p->shown.merges = p->merges;
    return F0T_OK;
}

static f0t_status list_rare(prepared *p)
{
    const size_t forms = f0t_names_count(&p->names);
    F0T_TRY(f0t_alloc(&p->rare, forms, sizeof *p->rare));
    for (size_t i = 0; i < forms; i++)
        if (p->forms[i].rare)
            p->rare[p->shown.rare_count++] = name_of(p, &p->forms[i]);
    p->shown.rare = p->rare;
    return F0T_OK;
}

/* ---- All of it ---------------------------------------------------------------------------------- */

static f0t_status check(const prepared *p)
{
    if (!p->shown.keywords || f0t_dataset_tag_count(p->dataset))
        return F0T_OK;
    return f0t_fail(
        F0T_ERROR_FORMAT,
        "%s: of its %zu keywords none is left to learn: %zu are about files or no words, "
        "%zu are on nearly all images, %zu on fewer than %zu: keep the tags as they are, "
        "or tag more images",
        f0t_dataset_path(p->from), p->shown.keywords, p->shown.notes[F0T_PREPARE_FILE_WORDS].count,
        p->shown.notes[F0T_PREPARE_COMMON].count, p->shown.notes[F0T_PREPARE_RARE].count,
        p->shown.least);
}

static f0t_status run(prepared *p)
{
    F0T_TRY(f0t_synonym_index_open(&p->synonyms, p->options.synonyms));
    F0T_TRY(f0t_alloc(&p->images, f0t_dataset_tag_count(p->from), sizeof *p->images));
    F0T_TRY(find_forms(p));
    F0T_TRY(count_images(p));
    leave_out_file_words(p);
    merge_forms(p);
    F0T_TRY(part_pairs(p));
    F0T_TRY(count_images(p));
    name_forms(p);
    judge(p);
    F0T_TRY(make_dataset(p));
    F0T_TRY(note_all(p));
    F0T_TRY(list_rare(p));
    return check(p);
}

f0t_status f0t_tags_prepare(f0t_prepared **out, const f0t_dataset *dataset,
                            const f0t_prepare_options *options, const f0t_context *context)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(dataset);
    F0T_ENTER(context);
    F0T_READ_OPTIONS(f0t_prepare_options, F0T_PREPARE_OPTIONS, options);
    prepared *p;
    F0T_TRY(f0t_alloc_zero(&p, 1, sizeof *p));
    p->from = dataset;
    p->options = *options;
    f0t_status status = run(p);
    if (status == F0T_OK)
        *out = &p->shown;
    else
        f0t_prepared_free(&p->shown);
    return status;
}

void f0t_prepared_free(f0t_prepared *shown)
{
    prepared *p = (prepared *)shown;
    if (!p)
        return;
    f0t_dataset_close(p->dataset);
    f0t_names_free(&p->names);
    f0t_free(p->forms);
    f0t_synonym_index_close(&p->synonyms);
    f0t_free(p->whole);
    f0t_free(p->renamed);
    f0t_free(p->of_tag);
    f0t_free(p->offsets);
    f0t_free(p->images);
    f0t_free(p->rare);
    f0t_free(p->merges);
    f0t_free(p);
}
