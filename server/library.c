#include "library.h"

#include "collection.h"
#include "state.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGE = 100,
    PAGE_MOST = 1000,
    FOUND_MOST = 1000,
    DECISIONS_MOST = 1000,
    BODY_MOST = 1 << 20
};
static const char WHO[] = "server"; /* decided */

/* ---- What is asked for ------------------------------------------------------------------------------------------- */

/* A parameter of the address, or NULL. */
static const char *text_of(const request *r, const char *name)
{
    return json_string_value(json_object_get(r->query, name));
}

static bool is_set(const request *r, const char *name)
{
    const char *text = text_of(r, name);
    return text && strcmp(text, "0") != 0 && strcmp(text, "false") != 0;
}

static f0t_status refuse(const char *name, const char *wanted)
{
    char line[200];
    snprintf(line, sizeof line, "%s: %s is expected", name, wanted);
    return f0t_error_set(F0T_ERROR_ARGUMENT, line);
}

static bool parse_integer(int64_t *out, const char *text)
{
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    *out = value;
    return (*text == '-' || (*text >= '0' && *text <= '9')) && !*end && !errno;
}

/* *out stays where there is none. */
static f0t_status integer_of(int64_t *out, const request *r, const char *name, int64_t least,
                             int64_t most)
{
    int64_t value;
    const char *text = text_of(r, name);
    if (!text)
        return F0T_OK;
    if (!parse_integer(&value, text) || value < least || value > most)
        return refuse(name, "a whole number in its range");
    *out = value;
    return F0T_OK;
}

static f0t_status confidence_of(double *out, const request *r)
{
    bool known;
    params p = PARAMS_DEFAULT;
    const char *text = text_of(r, "confidence");
    f0t_status status = text ? params_set(&p, &known, "confidence", text) : F0T_OK;
    *out = p.confidence;
    return status;
}

/* The id in the path. What is no number is no picture's. */
static f0t_status id_of(int64_t *out, const request *r)
{
    *out = 0;
    if (r->argument && parse_integer(out, r->argument) && *out > 0)
        return F0T_OK;
    return f0t_error_set(F0T_ERROR_NOT_FOUND, "there is no picture of this number");
}

static f0t_catalogue *catalogue_of(const request *r)
{
    return collection_catalogue(r->collection);
}

/* Gives the reply where the request failed; else takes over `value`. */
static void answer(request *r, f0t_status status, json_t *value)
{
    if (status == F0T_OK) {
        reply_json(&r->reply, MHD_HTTP_OK, value);
        return;
    }
    json_decref(value);
    reply_failure(&r->reply, status);
}

/* ---- Pictures as JSON ---------------------------------------------------------------------------------------------- */

static json_t *date_json(int64_t date)
{
    return date == F0T_NO_DATE ? json_null() : json_integer(date);
}

static json_t *share_json(float share)
{
    return isnan(share) ? json_null() : json_real((double)share);
}

static json_t *picture_json(const f0t_catalogue_picture *p)
{
    static const char *const states[] = {"present", "missing", "unreadable"};
    return json_pack("{s:I, s:o, s:o, s:i, s:i, s:s}", "id", (json_int_t)p->id, "path",
                     reply_string(p->path), "taken", date_json(p->taken), "width", (int)p->width,
                     "height", (int)p->height, "state", states[p->state]);
}

static json_t *tag_json(const f0t_catalogue_tag *t)
{
    static const char *const decisions[] = {"undecided", "accepted", "rejected"};
    return json_pack("{s:o, s:o, s:b, s:o, s:s, s:b}", "tag", reply_string(t->tag), "place",
                     t->place ? reply_string(t->place) : json_null(), "keyword",
                     t->source != F0T_KEYWORD_NONE, "confidence", share_json(t->confidence),
                     "decision", decisions[t->decision], "written", t->written);
}

static bool is_open(const f0t_catalogue_tag *t)
{
    return t->decision == F0T_UNDECIDED && t->source == F0T_KEYWORD_NONE;
}

/* A picture with its tags, or those that nobody has decided about. */
static f0t_status tagged_json(json_t **out, f0t_catalogue *catalogue,
                              const f0t_catalogue_picture *p, bool open)
{
    f0t_catalogue_tags *tags;
    f0t_status status = f0t_catalogue_get_tags(&tags, catalogue, p->id);
    *out = NULL;
    if (status != F0T_OK)
        return status;
    json_t *list = json_array();
    for (size_t i = 0; i < tags->count; i++)
        if (!open || is_open(&tags->items[i]))
            json_array_append_new(list, tag_json(&tags->items[i]));
    f0t_catalogue_tags_free(tags);
    *out = picture_json(p);
    if (*out)
        json_object_set_new(*out, "tags", list);
    return F0T_OK;
}

/* ---- Lists -------------------------------------------------------------------------------------------------------------- */

static f0t_status order_of(f0t_catalogue_order *out, const request *r)
{
    static const char *const names[] = {"id", "date", "path"};
    const char *text = text_of(r, "order");
    for (int i = 0; text && i < 3; i++)
        if (!strcmp(text, names[i])) {
            *out = (f0t_catalogue_order)i;
            return F0T_OK;
        }
    return text ? refuse("order", "id, date or path") : F0T_OK;
}

static f0t_status query_of(f0t_catalogue_query *q, const request *r)
{
    int64_t limit = PAGE;
    *q = (f0t_catalogue_query)F0T_CATALOGUE_QUERY;
    q->tag = text_of(r, "tag");
    q->untagged = is_set(r, "untagged");
    q->undecided = is_set(r, "undecided");
    f0t_status status = integer_of(&limit, r, "limit", 1, PAGE_MOST);
    if (status == F0T_OK)
        status = integer_of(&q->after, r, "after", 0, INT64_MAX);
    if (status == F0T_OK)
        status = integer_of(&q->from, r, "from", INT64_MIN + 1, INT64_MAX);
    if (status == F0T_OK)
        status = integer_of(&q->before, r, "before", INT64_MIN + 1, INT64_MAX);
    if (status == F0T_OK)
        status = confidence_of(&q->confidence, r);
    q->limit = (size_t)limit;
    return status == F0T_OK ? order_of(&q->order, r) : status;
}

/* All numbers at once: a page that scrolls knows where each picture is, and asks for what it shows. */
static f0t_status ids_json(json_t **out, f0t_catalogue *catalogue, f0t_catalogue_query *q)
{
    f0t_catalogue_pictures *page;
    q->limit = 0;
    q->after = 0;
    f0t_status status = f0t_catalogue_list(&page, catalogue, q);
    *out = json_array();
    for (size_t i = 0; status == F0T_OK && i < page->count; i++)
        json_array_append_new(*out, json_integer(page->items[i].id));
    f0t_catalogue_pictures_free(page);
    return status;
}

static f0t_status page_json(json_t **out, f0t_catalogue *catalogue, const f0t_catalogue_query *q,
                            bool open)
{
    f0t_catalogue_pictures *page;
    f0t_status status = f0t_catalogue_list(&page, catalogue, q);
    *out = json_array();
    for (size_t i = 0; status == F0T_OK && i < page->count; i++) {
        json_t *item = open ? NULL : picture_json(&page->items[i]);
        if (open)
            status = tagged_json(&item, catalogue, &page->items[i], true);
        if (status == F0T_OK)
            json_array_append_new(*out, item);
    }
    f0t_catalogue_pictures_free(page);
    return status;
}

static void list(request *r, bool open)
{
    f0t_catalogue_query q;
    f0t_catalogue *catalogue = catalogue_of(r);
    json_t *items = NULL;
    size_t count = 0;
    const bool ids = !open && is_set(r, "ids");
    f0t_status status = query_of(&q, r);
    q.undecided = q.undecided || open;
    if (status == F0T_OK)
        status = f0t_catalogue_count(&count, catalogue, &q);
    if (status == F0T_OK)
        status = ids ? ids_json(&items, catalogue, &q) : page_json(&items, catalogue, &q, open);
    if (status == F0T_OK)
        answer(
            r, status,
            json_pack("{s:I, s:o}", "count", (json_int_t)count, ids ? "ids" : "pictures", items));
    else
        answer(r, status, items);
}

void library_list(request *r)
{
    list(r, false);
}

void library_suggestions(request *r)
{
    list(r, true);
}

/* ---- One picture --------------------------------------------------------------------------------------------------------- */

static f0t_status open_picture(f0t_catalogue_pictures **out, const request *r)
{
    int64_t id;
    f0t_status status = id_of(&id, r);
    *out = NULL;
    return status == F0T_OK ? f0t_catalogue_get(out, catalogue_of(r), id) : status;
}

void library_get(request *r)
{
    f0t_catalogue_pictures *one;
    json_t *value = NULL;
    f0t_status status = open_picture(&one, r);
    if (status == F0T_OK)
        status = tagged_json(&value, catalogue_of(r), &one->items[0], false);
    answer(r, status, value);
    f0t_catalogue_pictures_free(one);
}

void library_thumbnail(request *r)
{
    const void *data = NULL;
    size_t size = 0;
    int64_t id;
    f0t_status status = id_of(&id, r);
    if (status == F0T_OK)
        status = f0t_catalogue_get_thumbnail(&data, &size, catalogue_of(r), id);
    if (status == F0T_OK && !size)
        status = f0t_error_set(F0T_ERROR_NOT_FOUND, "the picture has no thumbnail");
    char *copy = status == F0T_OK ? malloc(size) : NULL;
    if (status == F0T_OK && !copy)
        status = f0t_error_set(F0T_ERROR_MEMORY, "no memory for the thumbnail");
    if (status != F0T_OK) {
        reply_failure(&r->reply, status);
        return;
    }
    memcpy(copy, data, size);
    reply_text(&r->reply, MHD_HTTP_OK, "image/jpeg", copy, size);
    r->reply.owned = copy;
    r->reply.cached = true;
}

/* ---- Finding ---------------------------------------------------------------------------------------------------------------- */

static json_t *found_json(const f0t_find_result *f)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:b, s:o}", "id", (json_int_t)f->id, "path",
                     reply_string(f->path), "taken", date_json(f->taken), "confidence",
                     share_json(f->confidence), "tagged", f->tagged, "similarity",
                     share_json(f->similarity));
}

static json_t *word_json(const f0t_find_word *w)
{
    static const char *const kinds[] = {"learned", "new", "tag"};
    return json_pack("{s:o, s:b, s:s, s:o, s:o, s:I}", "word", reply_string(w->word), "without",
                     w->without, "kind", kinds[w->kind], "cut", share_json(w->cut), "best",
                     share_json(w->best), "tagged", (json_int_t)w->tagged);
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
    f0t_status status = integer_of(&id, r, "like", 1, INT64_MAX);
    if (status != F0T_OK || !id)
        return status;
    status = f0t_catalogue_get(one, catalogue_of(r), id);
    options->like = status == F0T_OK ? (*one)->items[0].path : NULL;
    return status;
}

static f0t_status find_options_of(f0t_find_options *o, const request *r)
{
    int64_t k = 50;
    f0t_status status = integer_of(&k, r, "k", 1, FOUND_MOST);
    o->k = (size_t)k;
    o->nearest = is_set(r, "nearest");
    return status;
}

void library_find(request *r)
{
    f0t_find_options options = F0T_FIND_OPTIONS;
    f0t_find_results *found = NULL;
    f0t_catalogue_pictures *like = NULL;
    f0t_query *query = NULL;
    bool certain = true;
    const char *q = text_of(r, "q");
    f0t_status status = find_options_of(&options, r);
    if (status == F0T_OK)
        status = like_of(&like, &options, r);
    if (status == F0T_OK && !(q && *q) && !options.like)
        status = refuse("q", "a word, or another query,");
    if (status == F0T_OK && q && *q)
        status = f0t_query_parse(&query, q);
    if (status == F0T_OK)
        status = run_find(&found, &certain, r, query, &options);
    answer(r, status, status == F0T_OK ? results_json(found, certain) : NULL);
    f0t_find_results_free(found);
    f0t_query_free(query);
    f0t_catalogue_pictures_free(like);
}

/* ---- Why ------------------------------------------------------------------------------------------------------------------------ */

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
    const char *tag = text_of(r, "tag");
    served *model = server_model(r->server);
    const f0t_vocab *vocab = f0t_model_vocab(f0t_tagger_model(served_tagger(model)));
    f0t_status status = open_picture(&one, r);
    if (status == F0T_OK && !(tag && *tag))
        status = refuse("tag", "one of the picture's tags");
    if (status == F0T_OK)
        status = f0t_vocab_find(&index, vocab, tag);
    if (status == F0T_OK)
        status = speakers(&pictures, r, one->items[0].path, tag);
    if (status == F0T_OK)
        tags = index == F0T_NONE ? json_array() : nearest_tags(vocab, index);
    if (status == F0T_OK)
        answer(r, status,
               json_pack("{s:o, s:b, s:o, s:o}", "tag", reply_string(tag), "learned",
                         index != F0T_NONE, "near", tags, "pictures", pictures));
    else
        answer(r, status, pictures);
    f0t_catalogue_pictures_free(one);
    served_release(model);
}

/* ---- Tags ---------------------------------------------------------------------------------------------------------------------- */

void library_tags(request *r)
{
    f0t_catalogue_words *words = NULL;
    int64_t limit = 20;
    f0t_status status = integer_of(&limit, r, "limit", 1, 10000);
    if (status == F0T_OK)
        status =
            f0t_catalogue_get_words(&words, catalogue_of(r), text_of(r, "prefix"), (size_t)limit);
    json_t *list = json_array();
    for (size_t i = 0; status == F0T_OK && i < words->count; i++)
        json_array_append_new(list,
                              json_pack("{s:o, s:I, s:I}", "tag", reply_string(words->items[i].tag),
                                        "given", (json_int_t)words->items[i].given, "suggested",
                                        (json_int_t)words->items[i].suggested));
    f0t_catalogue_words_free(words);
    answer(r, status, status == F0T_OK ? json_pack("{s:o}", "tags", list) : list);
}

/* ---- Decisions -------------------------------------------------------------------------------------------------------------- */

static const char *const DECISIONS[] = {"undecided", "accepted", "rejected"};

static f0t_status decide(f0t_catalogue *catalogue, const json_t *d)
{
    const char *tag = json_string_value(json_object_get(d, "tag"));
    const char *what = json_string_value(json_object_get(d, "decision"));
    const json_t *picture = json_object_get(d, "picture");
    if (!json_is_integer(picture) || !tag || !*tag || !what || json_object_size(d) != 3)
        return refuse("decisions", "an array of {\"picture\": …, \"tag\": …, \"decision\": …}");
    for (int i = 0; i < 3; i++)
        if (!strcmp(what, DECISIONS[i]))
            return f0t_catalogue_decide(catalogue, json_integer_value(picture), tag,
                                        (f0t_decision)i, WHO);
    return refuse("decision", "accepted, rejected or undecided");
}

/* All of them, or none. */
static f0t_status decide_all(f0t_catalogue *catalogue, const json_t *list)
{
    if (!json_is_array(list) || json_array_size(list) > DECISIONS_MOST)
        return refuse("decisions", "an array of at most 1000");
    f0t_status status = f0t_catalogue_begin(catalogue);
    if (status != F0T_OK)
        return status;
    for (size_t i = 0; status == F0T_OK && i < json_array_size(list); i++)
        status = decide(catalogue, json_array_get(list, i));
    if (status == F0T_OK)
        return f0t_catalogue_commit(catalogue);
    char line[512]; /* rolling back may say something else */
    snprintf(line, sizeof line, "%s", f0t_last_error());
    (void)f0t_catalogue_rollback(catalogue);
    return f0t_error_set(status, line);
}

/* The body, a JSON object with no other members than these. */
static f0t_status object_of(json_t **out, const request *r, const char *const *members)
{
    json_error_t error;
    const char *key;
    json_t *value;
    *out = NULL;
    if (r->parts[0].size > BODY_MOST)
        return f0t_error_set(F0T_ERROR_ARGUMENT, "the body is too long for this request");
    *out = json_loadb(r->parts[0].data, r->parts[0].size, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(*out))
        return f0t_error_set(F0T_ERROR_ARGUMENT, "the body is not a JSON object");
    json_object_foreach(*out, key, value)
    {
        const char *const *m = members;
        while (*m && strcmp(*m, key) != 0)
            m++;
        if (!*m)
            return f0t_error_set(F0T_ERROR_ARGUMENT, "the body has a member that is not known");
    }
    return F0T_OK;
}

void library_decide(request *r)
{
    json_t *body = NULL;
    f0t_status status = object_of(&body, r, (const char *const[]){"decisions", NULL});
    const json_t *list = json_object_get(body, "decisions");
    if (status == F0T_OK)
        status = decide_all(catalogue_of(r), list);
    answer(r, status, json_pack("{s:I}", "decided", (json_int_t)json_array_size(list)));
    json_decref(body);
}

void library_undo(request *r)
{
    f0t_catalogue_undone undone = {.size = sizeof undone};
    f0t_status status = f0t_catalogue_undo(&undone, catalogue_of(r), WHO);
    if (status != F0T_OK || !undone.picture) {
        answer(r, status, json_pack("{s:n}", "undone"));
        return;
    }
    answer(r, status,
           json_pack("{s:{s:I, s:o, s:s, s:s}}", "undone", "picture", (json_int_t)undone.picture,
                     "tag", reply_string(undone.tag), "was", DECISIONS[undone.was], "is",
                     DECISIONS[undone.is]));
}

/* ---- Keywords of files ---------------------------------------------------------------------------------------------------------- */

static bool add_written(void *user, const f0t_catalogue_written *w)
{
    json_t *item = json_pack("{s:I, s:o, s:b, s:o}", "picture", (json_int_t)w->picture, "file",
                             reply_string(w->file ? w->file : w->path), "changed", w->changed,
                             "change", reply_string(w->change ? w->change : ""));
    if (item && w->status != F0T_OK)
        json_object_set_new(item, "error", reply_string(w->error));
    return json_array_append_new(user, item) == 0;
}

void library_write(request *r)
{
    f0t_catalogue_write_options options = F0T_CATALOGUE_WRITE_OPTIONS;
    json_t *body = NULL, *files = json_array();
    f0t_status status = object_of(&body, r, (const char *const[]){"dry_run", "undo", NULL});
    options.dry_run = json_is_true(json_object_get(body, "dry_run"));
    options.undo = json_is_true(json_object_get(body, "undo"));
    if (status == F0T_OK)
        status =
            f0t_catalogue_write(catalogue_of(r), &options, add_written, files, r->server->context);
    json_decref(body);
    if (status == F0T_OK)
        answer(r, status, json_pack("{s:o}", "files", files));
    else
        answer(r, status, files);
}
