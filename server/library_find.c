/* Finding pictures, and why a tag is suggested. */
#include "library.h"

#include "asked.h"
#include "collection.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

enum { FOUND_MOST = 1000 };

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

static json_t *found_json(const f0t_find_result *f)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:b, s:o}", "id", (json_int_t)f->id, "path",
                     reply_string(f->path), "taken", json_of_date(f->taken), "confidence",
                     json_of_share(f->confidence), "tagged", f->tagged, "similarity",
                     json_of_share(f->similarity));
}

static json_t *word_json(const f0t_find_word *w)
{
    static const char *const kinds[] = {"learned", "new", "tag"};
    return json_pack("{s:o, s:b, s:s, s:o, s:o, s:I}", "word", reply_string(w->word), "without",
                     w->without, "kind", kinds[w->kind], "cut", json_of_share(w->cut), "best",
                     json_of_share(w->best), "tagged", (json_int_t)w->tagged);
}

static json_t *results_json(const f0t_find_results *found, bool certain)
{
    json_t *items = json_array(), *words = json_array();
    for (size_t i = 0; i < found->count; i++)
        json_array_append_new(items, found_json(&found->items[i]));
    for (size_t i = 0; i < found->word_count; i++)
        json_array_append_new(words, word_json(&found->words[i]));
    return json_pack("{s:o, s:o, s:b, s:b}", "pictures", items, "words", words, "more", found->more,
                     "certain", certain);
}

/* Where nothing is certain, the nearest are found instead. */
static f0t_status run_find(f0t_find_results **out, bool *certain, request *r,
                           const f0t_query *query, f0t_find_options *options)
{
    f0t_finder *finder;
    f0t_status status = collection_finder(&finder, r->collection);
    *certain = !options->nearest;
    if (status == F0T_OK)
        status = f0t_finder_run(out, finder, query, options, r->server->context);
    if (status != F0T_OK || (*out)->count || options->nearest || options->like)
        return status;
    f0t_find_results *nearest;
    options->nearest = true;
    if (f0t_finder_run(&nearest, finder, query, options, r->server->context) != F0T_OK)
        return F0T_OK; /* nothing, then */
    *certain = !nearest->count;
    f0t_find_results_free(*out);
    *out = nearest;
    return F0T_OK;
}

/* The path of the picture that others are to be like. */
static f0t_status like_of(f0t_catalogue_pictures **one, f0t_find_options *options, const request *r)
{
    int64_t id = 0;
    *one = NULL;
    f0t_status status = asked_integer(&id, r, "like", 1, INT64_MAX);
    if (status != F0T_OK || !id)
        return status;
    status = f0t_catalogue_get(one, asked_catalogue(r), id);
    options->like = status == F0T_OK ? (*one)->items[0].path : NULL;
    return status;
}

static f0t_status find_options_of(f0t_find_options *o, const request *r)
{
    int64_t k = 50;
    f0t_status status = asked_integer(&k, r, "k", 1, FOUND_MOST);
    o->k = (size_t)k;
    o->nearest = asked_flag(r, "nearest");
    return status;
}

void library_find(request *r)
{
    f0t_find_options options = F0T_FIND_OPTIONS;
    f0t_find_results *found = NULL;
    f0t_catalogue_pictures *like = NULL;
    f0t_query *query = NULL;
    bool certain = true;
    const char *q = asked_text(r, "q");
    f0t_status status = find_options_of(&options, r);
    if (status == F0T_OK)
        status = like_of(&like, &options, r);
    if (status == F0T_OK && !(q && *q) && !options.like)
        status = asked_refuse("q", "a word, or another query,");
    if (status == F0T_OK && q && *q)
        status = f0t_query_parse(&query, q);
    if (status == F0T_OK)
        status = run_find(&found, &certain, r, query, &options);
    asked_answer(r, status, status == F0T_OK ? results_json(found, certain) : NULL);
    f0t_find_results_free(found);
    f0t_query_free(query);
    f0t_catalogue_pictures_free(like);
}

/* ---- Why --------------------------------------------------------------------------------------------------------- */

enum { WHY_TAGS = 8, WHY_PICTURES = 12 };

typedef struct near_tag {
    size_t index;
    float cosine;
} near_tag;

static int by_cosine(const void *a, const void *b)
{
    const float x = ((const near_tag *)a)->cosine, y = ((const near_tag *)b)->cosine;
    return (x < y) - (x > y);
}

/* The learned tags whose vectors are nearest to that of `tag`, itself a learned one. */
static json_t *nearest_tags(const f0t_vocab *vocab, size_t tag)
{
    const size_t count = f0t_vocab_count(vocab), dim = f0t_vocab_dim(vocab);
    const float *vectors = f0t_vocab_vectors(vocab), *own = vectors + tag * dim;
    near_tag *all = malloc(count * sizeof *all);
    json_t *list = json_array();
    for (size_t i = 0; all && i < count; i++) {
        all[i] = (near_tag){.index = i};
        for (size_t j = 0; j < dim; j++)
            all[i].cosine += own[j] * vectors[i * dim + j];
    }
    if (all)
        qsort(all, count, sizeof *all, by_cosine);
    for (size_t i = 0, given = 0; all && i < count && given < WHY_TAGS; i++)
        if (all[i].index != tag) {
            json_array_append_new(list, json_pack("{s:o, s:f}", "tag",
                                                  reply_string(f0t_vocab_tag(vocab, all[i].index)),
                                                  "cosine", (double)all[i].cosine));
            given++;
        }
    free(all);
    return list;
}

/* Pictures like this one that a person gave the tag. */
static f0t_status speakers(json_t **out, request *r, const char *path, const char *tag)
{
    f0t_find_options options = F0T_FIND_OPTIONS;
    f0t_find_results *found = NULL;
    f0t_query *query = NULL;
    char text[2 * F0T_TAG_SIZE + 16] = "tag:\"";
    size_t at = strlen(text);
    bool certain;
    for (const char *c = tag; *c && at + 4 < sizeof text; c++) {
        if (*c == '"' || *c == '\\')
            text[at++] = '\\';
        text[at++] = *c;
    }
    text[at++] = '"';
    text[at] = 0;
    options.k = WHY_PICTURES;
    options.like = path;
    *out = json_array();
    f0t_status status = f0t_query_parse(&query, text);
    if (status == F0T_OK)
        status = run_find(&found, &certain, r, query, &options);
    for (size_t i = 0; status == F0T_OK && i < found->count; i++)
        json_array_append_new(*out, found_json(&found->items[i]));
    f0t_find_results_free(found);
    f0t_query_free(query);
    return status;
}

void library_why(request *r)
{
    f0t_catalogue_pictures *one;
    json_t *pictures = NULL, *tags = NULL;
    size_t index = F0T_NONE;
    const char *tag = asked_text(r, "tag");
    served *model = server_model(r->server);
    const f0t_vocab *vocab = f0t_model_vocab(f0t_tagger_model(served_tagger(model)));
    f0t_status status = asked_picture(&one, r);
    if (status == F0T_OK && !(tag && *tag))
        status = asked_refuse("tag", "one of the picture's tags");
    if (status == F0T_OK)
        status = f0t_vocab_find(&index, vocab, tag);
    if (status == F0T_OK)
        status = speakers(&pictures, r, one->items[0].path, tag);
    if (status == F0T_OK)
        tags = index == F0T_NONE ? json_array() : nearest_tags(vocab, index);
    if (status == F0T_OK)
        asked_answer(r, status,
                     json_pack("{s:o, s:b, s:o, s:o}", "tag", reply_string(tag), "learned",
                               index != F0T_NONE, "near", tags, "pictures", pictures));
    else
        asked_answer(r, status, pictures);
    f0t_catalogue_pictures_free(one);
    served_release(model);
}
