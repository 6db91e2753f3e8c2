/* All tags of a dataset, made fit to learn from. */
#include "import/clean.h"

#include "base/alloc.h"
#include "base/context.h"

#include <stdlib.h>
#include <string.h>

/* ---- Forms ------------------------------------------------------------------------------------- */

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
    F0T_TRY(f0t_names_add(&index, &added, &w->names, text, length));
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
    uint32_t found[F0T_INFLECT_MOST];
    const size_t count = f0t_clean_singulars(found, &w->names, i);
    for (size_t k = 0; k < count; k++) {
        *out = found[k];
        if (w->forms[*out].flaw == F0T_FLAW_NONE && w->forms[*out].same == *out)
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

/* "sea gull" and "seagull" are one: the one with a vector, and where both have one the joined. */
static void merge_spellings(work *w)
{
    for (uint32_t i = 0; i < f0t_names_count(&w->names); i++) {
        uint32_t joined;
        if (w->forms[i].flaw != F0T_FLAW_NONE || w->forms[i].same != i ||
            !f0t_clean_joined(&joined, &w->names, i) || w->forms[joined].same != joined)
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
            F0T_TRY(f0t_names_add(&w->forms[i].kept, NULL, &w->out->tags, name, strlen(name)));
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
