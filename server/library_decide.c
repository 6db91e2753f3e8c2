/* Tags, what people decide about them, and keywords of files. */
#include "library.h"

#include "asked.h"
#include "collection.h"
#include "state.h"

#include <stdio.h>
#include <string.h>

enum { DECISIONS_MOST = 1000, BODY_MOST = 1 << 20 };
static const char WHO[] = "server"; /* decided */

/* ---- Tags -------------------------------------------------------------------------------------------------------- */

void library_tags(request *r)
{
    f0t_catalogue_words *words = NULL;
    int64_t limit = 20;
    f0t_status status = asked_integer(&limit, r, "limit", 1, 10000);
    if (status == F0T_OK)
        status = f0t_catalogue_get_words(&words, asked_catalogue(r), asked_text(r, "prefix"),
                                         (size_t)limit);
    json_t *list = json_array();
    for (size_t i = 0; status == F0T_OK && i < words->count; i++)
        json_array_append_new(list,
                              json_pack("{s:o, s:I, s:I}", "tag", reply_string(words->items[i].tag),
                                        "given", (json_int_t)words->items[i].given, "suggested",
                                        (json_int_t)words->items[i].suggested));
    f0t_catalogue_words_free(words);
    asked_answer(r, status, status == F0T_OK ? json_pack("{s:o}", "tags", list) : list);
}

/* ---- Decisions --------------------------------------------------------------------------------------------------- */

static const char *const DECISIONS[] = {"undecided", "accepted", "rejected"};

static f0t_status decide(f0t_catalogue *catalogue, const json_t *d)
{
    const char *tag = json_string_value(json_object_get(d, "tag"));
    const char *what = json_string_value(json_object_get(d, "decision"));
    const json_t *picture = json_object_get(d, "picture");
    if (!json_is_integer(picture) || !tag || !*tag || !what || json_object_size(d) != 3)
        return asked_refuse("decisions",
                            "an array of {\"picture\": …, \"tag\": …, \"decision\": …}");
    for (int i = 0; i < 3; i++)
        if (!strcmp(what, DECISIONS[i]))
            return f0t_catalogue_decide(catalogue, json_integer_value(picture), tag,
                                        (f0t_decision)i, WHO);
    return asked_refuse("decision", "accepted, rejected or undecided");
}

/* All of them, or none. */
static f0t_status decide_all(f0t_catalogue *catalogue, const json_t *list)
{
    if (!json_is_array(list) || json_array_size(list) > DECISIONS_MOST)
        return asked_refuse("decisions", "an array of at most 1000");
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
        status = decide_all(asked_catalogue(r), list);
    asked_answer(r, status, json_pack("{s:I}", "decided", (json_int_t)json_array_size(list)));
    json_decref(body);
}

void library_undo(request *r)
{
    f0t_catalogue_undone undone = {.size = sizeof undone};
    f0t_status status = f0t_catalogue_undo(&undone, asked_catalogue(r), WHO);
    if (status != F0T_OK || !undone.picture) {
        asked_answer(r, status, json_pack("{s:n}", "undone"));
        return;
    }
    asked_answer(r, status,
                 json_pack("{s:{s:I, s:o, s:s, s:s, s:I}}", "undone", "picture",
                           (json_int_t)undone.picture, "tag", reply_string(undone.tag), "was",
                           DECISIONS[undone.was], "is", DECISIONS[undone.is], "count",
                           (json_int_t)undone.count));
}

/* ---- Keywords of files ------------------------------------------------------------------------------------------- */

static bool add_written(void *user, const f0t_catalogue_written *w)
{
    json_t *item = json_pack("{s:I, s:o, s:b, s:o}", "picture", (json_int_t)w->picture, "file",
                             reply_string(w->file ? w->file : w->path), "changed", w->changed,
                             "change", reply_string(w->change ? w->change : ""));
    if (item && w->status != F0T_OK)
        json_object_set_new(item, "error", reply_string(w->error));
    return json_array_append_new(user, item) == 0;
}

/* *out stays where there is none. */
static f0t_status read_flag(bool *out, const json_t *body, const char *name)
{
    const json_t *value = json_object_get(body, name);
    if (value && !json_is_boolean(value))
        return asked_refuse(name, "true or false");
    *out = value ? json_is_true(value) : *out;
    return F0T_OK;
}

void library_write(request *r)
{
    f0t_catalogue_write_options options = F0T_CATALOGUE_WRITE_OPTIONS;
    json_t *body = NULL, *files = json_array();
    f0t_status status = object_of(&body, r, (const char *const[]){"dry_run", "undo", NULL});
    if (status == F0T_OK)
        status = read_flag(&options.dry_run, body, "dry_run");
    if (status == F0T_OK)
        status = read_flag(&options.undo, body, "undo");
    if (status == F0T_OK)
        status = f0t_catalogue_write(asked_catalogue(r), &options, add_written, files,
                                     r->server->context);
    json_decref(body);
    if (status == F0T_OK)
        asked_answer(r, status, json_pack("{s:o}", "files", files));
    else
        asked_answer(r, status, files);
}
