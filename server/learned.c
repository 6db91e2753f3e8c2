#include "learned.h"

#include "collection.h"
#include "fast0tag_tools.h"

#include <stdlib.h>
#include <string.h>

enum { NEW_MOST = 50, CHANGES_MOST = 30 };

/* ---- The model and its suggestions ---------------------------------------------------------------------------------- */

/* As `fast0tag train -c` does by default, or with --refit. */
static f0t_status learn_model(learned *out, const server *s, f0t_catalogue *catalogue, bool anew,
                              const f0t_context *context)
{
    const f0t_refit_options refit = F0T_REFIT_OPTIONS;
    f0t_learn_options options = F0T_LEARN_OPTIONS;
    f0t_learned *l = NULL;
    options.refit = anew ? NULL : &refit;
    options.vectors_path = s->vectors_path;
    options.no_reference = true;
    if (anew && !s->vectors)
        return f0t_error_set(F0T_ERROR_UNSUPPORTED,
                             "learning anew needs word vectors: start the server with --vectors");
    f0t_status status = f0t_catalogue_learn(&l, catalogue, s->vectors, &options, context);
    if (status == F0T_OK) {
        out->pictures = l->images;
        out->suggested = l->suggested;
    }
    f0t_learned_free(l);
    return status;
}

/* ---- What has changed ------------------------------------------------------------------------------------------------ */

/* Tags of the model that the one before does not have. */
static f0t_status find_new(json_t *list, const f0t_vocab *vocab, const f0t_model *before)
{
    f0t_status status = F0T_OK;
    for (size_t i = 0; status == F0T_OK && i < f0t_vocab_count(vocab); i++) {
        size_t index = F0T_NONE;
        const char *tag = f0t_vocab_tag(vocab, i);
        status = f0t_model_find_tag(&index, before, tag);
        if (status == F0T_OK && index == F0T_NONE && json_array_size(list) < NEW_MOST)
            json_array_append_new(list, reply_string(tag));
    }
    return status;
}

static f0t_status compare(learned *out, served *before, served *now)
{
    const f0t_vocab *vocab = f0t_model_vocab(f0t_tagger_model(served_tagger(now)));
    out->new_tags = json_array();
    out->tags = f0t_vocab_count(vocab);
    return find_new(out->new_tags, vocab, f0t_tagger_model(served_tagger(before)));
}

/* The server changes over to the new model. */
static f0t_status change_over(learned *out, server *s)
{
    served *before = server_model(s);
    f0t_status status = server_reload(s);
    if (status == F0T_OK) {
        served *now = server_model(s);
        status = compare(out, before, now);
        served_release(now);
    }
    served_release(before);
    return status;
}

typedef struct change {
    const char *tag;
    json_int_t before, after;
} change;

static json_int_t size_of(const change *c)
{
    return c->after > c->before ? c->after - c->before : c->before - c->after;
}

static int by_size(const void *a, const void *b)
{
    const json_int_t x = size_of(a), y = size_of(b);
    return x != y ? (x < y) - (x > y) : strcmp(((const change *)a)->tag, ((const change *)b)->tag);
}

/* How many pictures each tag is suggested for. */
static f0t_status count_suggestions(json_t **out, f0t_catalogue *catalogue)
{
    f0t_catalogue_words *words = NULL;
    f0t_status status = f0t_catalogue_get_words(&words, catalogue, NULL, 0);
    *out = json_object();
    for (size_t i = 0; status == F0T_OK && i < words->count; i++)
        (void)json_object_set_new(*out, words->items[i].tag,
                                  json_integer((json_int_t)words->items[i].suggested));
    f0t_catalogue_words_free(words);
    return status;
}

static json_t *changes_json(change *all, size_t count)
{
    json_t *list = json_array();
    qsort(all, count, sizeof *all, by_size);
    for (size_t i = 0; i < count && i < CHANGES_MOST && size_of(&all[i]); i++)
        json_array_append_new(list, json_pack("{s:o, s:I, s:I}", "tag", reply_string(all[i].tag),
                                              "before", all[i].before, "after", all[i].after));
    return list;
}

/* NULL: no memory. */
static json_t *find_changes(json_t *before, json_t *after)
{
    const char *tag;
    json_t *value;
    size_t count = 0;
    change *all = calloc(json_object_size(before) + json_object_size(after) + 1, sizeof *all);
    if (!all)
        return NULL;
    json_object_foreach(after, tag, value) all[count++] =
        (change){.tag = tag,
                 .before = json_integer_value(json_object_get(before, tag)),
                 .after = json_integer_value(value)};
    json_object_foreach(before, tag, value) if (!json_object_get(after, tag)) all[count++] =
        (change){.tag = tag, .before = json_integer_value(value)};
    json_t *list = changes_json(all, count);
    free(all);
    return list;
}

/* Learns, with what that changes for the suggestions. */
static f0t_status learn(learned *out, const server *s, f0t_catalogue *catalogue, learned_how how,
                        const f0t_context *context)
{
    json_t *before, *after = NULL;
    f0t_status status = count_suggestions(&before, catalogue);
    if (status == F0T_OK)
        status = how == LEARNED_UNDO
                     ? f0t_catalogue_restore_model(&out->suggested, catalogue, context)
                     : learn_model(out, s, catalogue, how == LEARNED_ANEW, context);
    if (status == F0T_OK)
        status = count_suggestions(&after, catalogue);
    if (status == F0T_OK && !(out->changes = find_changes(before, after)))
        status = f0t_error_set(F0T_ERROR_MEMORY, "no memory for what has changed");
    json_decref(before);
    json_decref(after);
    return status;
}

/* ---- All of it ------------------------------------------------------------------------------------------------------- */

f0t_status learned_make(learned *out, server *s, learned_how how, const f0t_context *context)
{
    collection *c = NULL;
    *out = (learned){.pictures = 0};
    f0t_status status = server_collection(&c, s);
    f0t_catalogue *catalogue = status == F0T_OK ? collection_catalogue(c) : NULL;
    if (status == F0T_OK && !f0t_catalogue_model(catalogue))
        status = f0t_error_set(F0T_ERROR_NOT_FOUND, "the catalogue has no model to go on with");
    if (status == F0T_OK)
        status = learn(out, s, catalogue, how, context);
    if (status == F0T_OK)
        status = change_over(out, s);
    collection_close(c);
    return status;
}

json_t *learned_json(learned *l, double seconds)
{
    json_t *value = json_pack("{s:I, s:I, s:I, s:f, s:o, s:o}", "pictures", (json_int_t)l->pictures,
                              "tags", (json_int_t)l->tags, "suggested", (json_int_t)l->suggested,
                              "seconds", seconds, "new_tags", l->new_tags, "changes", l->changes);
    l->new_tags = l->changes = NULL;
    return value;
}

void learned_clear(learned *l)
{
    json_decref(l->new_tags);
    json_decref(l->changes);
    l->new_tags = l->changes = NULL;
}
