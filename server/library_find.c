/* Finding pictures. */
#include "library.h"

#include "asked.h"
#include "collection.h"
#include "state.h"

enum { FOUND_MOST = 1000 };

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

json_t *library_found_json(const f0t_find_result *f)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:b, s:o}", "id", (json_int_t)f->id, "path",
                     reply_string(f->path), "taken", json_of_date(f->taken), "confidence",
                     json_of_share(f->confidence), "tagged", f->tagged, "similarity",
                     json_of_share(f->similarity));
}

static json_t *word_json(const f0t_find_word *w)
{
    static const char *const kinds[] = {"learned", "new", "tag", "left out"};
    return json_pack("{s:o, s:b, s:s, s:o, s:o, s:I}", "word", reply_string(w->word), "without",
                     w->without, "kind", kinds[w->kind], "cut", json_of_share(w->cut), "best",
                     json_of_share(w->best), "tagged", (json_int_t)w->tagged);
}

static json_t *results_json(const f0t_find_results *found, bool certain)
{
    json_t *items = json_array(), *words = json_array();
    for (size_t i = 0; i < found->count; i++)
        json_array_append_new(items, library_found_json(&found->items[i]));
    for (size_t i = 0; i < found->word_count; i++)
        json_array_append_new(words, word_json(&found->words[i]));
    return json_pack("{s:o, s:o, s:b, s:b}", "pictures", items, "words", words, "more", found->more,
                     "certain", certain);
}

f0t_status library_run_find(f0t_find_results **out, bool *certain, request *r,
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
        status = library_run_find(&found, &certain, r, query, &options);
    asked_answer(r, status, status == F0T_OK ? results_json(found, certain) : NULL);
    f0t_find_results_free(found);
    f0t_query_free(query);
    f0t_catalogue_pictures_free(like);
}
