/* Lists of pictures, and one picture. */
#include "library.h"

#include "asked.h"
#include "collection.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 100, PAGE_MOST = 1000 };

/* ---- Pictures as JSON -------------------------------------------------------------------------------------------- */

static json_t *picture_json(const f0t_catalogue_picture *p)
{
    static const char *const states[] = {"present", "missing", "unreadable"};
    return json_pack("{s:I, s:o, s:o, s:i, s:i, s:s}", "id", (json_int_t)p->id, "path",
                     reply_string(p->path), "taken", json_of_date(p->taken), "width", (int)p->width,
                     "height", (int)p->height, "state", states[p->state]);
}

static json_t *tag_json(const f0t_catalogue_tag *t)
{
    static const char *const decisions[] = {"undecided", "accepted", "rejected"};
    return json_pack("{s:o, s:o, s:b, s:o, s:s, s:b}", "tag", reply_string(t->tag), "place",
                     t->place ? reply_string(t->place) : json_null(), "keyword",
                     t->source != F0T_KEYWORD_NONE, "confidence", json_of_share(t->confidence),
                     "decision", decisions[t->decision], "written", t->written);
}

static bool is_open(const f0t_catalogue_tag *t)
{
    return t->decision == F0T_UNDECIDED && t->source == F0T_KEYWORD_NONE;
}

/* A picture with its tags, or those that nobody has decided about; suggestions are of at least this confidence. */
static f0t_status tagged_json(json_t **out, f0t_catalogue *catalogue,
                              const f0t_catalogue_picture *p, bool open, double confidence)
{
    f0t_catalogue_tags *tags;
    f0t_status status = f0t_catalogue_get_tags(&tags, catalogue, p->id);
    *out = NULL;
    if (status != F0T_OK)
        return status;
    json_t *list = json_array();
    for (size_t i = 0; i < tags->count; i++) {
        const f0t_catalogue_tag *t = &tags->items[i];
        if (is_open(t) ? !((double)t->confidence < confidence) : !open)
            json_array_append_new(list, tag_json(t));
    }
    f0t_catalogue_tags_free(tags);
    *out = picture_json(p);
    if (*out)
        json_object_set_new(*out, "tags", list);
    return F0T_OK;
}

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

static f0t_status order_of(f0t_catalogue_order *out, const request *r)
{
    static const char *const names[] = {"id", "date", "path"};
    const char *text = asked_text(r, "order");
    for (int i = 0; text && i < 3; i++)
        if (!strcmp(text, names[i])) {
            *out = (f0t_catalogue_order)i;
            return F0T_OK;
        }
    return text ? asked_refuse("order", "id, date or path") : F0T_OK;
}

static f0t_status query_of(f0t_catalogue_query *q, const request *r)
{
    int64_t limit = PAGE;
    *q = (f0t_catalogue_query)F0T_CATALOGUE_QUERY;
    q->tag = asked_text(r, "tag");
    q->untagged = asked_flag(r, "untagged");
    q->undecided = asked_flag(r, "undecided");
    f0t_status status = asked_integer(&limit, r, "limit", 1, PAGE_MOST);
    if (status == F0T_OK)
        status = asked_integer(&q->after, r, "after", 0, INT64_MAX);
    if (status == F0T_OK)
        status = asked_integer(&q->from, r, "from", INT64_MIN + 1, INT64_MAX);
    if (status == F0T_OK)
        status = asked_integer(&q->before, r, "before", INT64_MIN + 1, INT64_MAX);
    if (status == F0T_OK)
        status = asked_confidence(&q->confidence, r);
    q->limit = (size_t)limit;
    return status == F0T_OK ? order_of(&q->order, r) : status;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* All numbers and names at once: a page that scrolls knows where each picture is, and asks for what it shows. */
static f0t_status ids_json(json_t **ids, json_t **names, f0t_catalogue *catalogue,
                           f0t_catalogue_query *q)
{
    f0t_catalogue_pictures *page;
    q->limit = 0;
    q->after = 0;
    f0t_status status = f0t_catalogue_list(&page, catalogue, q);
    *ids = json_array();
    *names = json_array();
    for (size_t i = 0; status == F0T_OK && i < page->count; i++) {
        json_array_append_new(*ids, json_integer(page->items[i].id));
        json_array_append_new(*names, reply_string(file_name(page->items[i].path)));
    }
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
            status = tagged_json(&item, catalogue, &page->items[i], true, q->confidence);
        if (status == F0T_OK)
            json_array_append_new(*out, item);
    }
    f0t_catalogue_pictures_free(page);
    return status;
}

static void list(request *r, bool open)
{
    f0t_catalogue_query q;
    f0t_catalogue *catalogue = asked_catalogue(r);
    json_t *items = NULL, *names = NULL;
    size_t count = 0;
    const bool ids = !open && asked_flag(r, "ids");
    f0t_status status = query_of(&q, r);
    q.undecided = q.undecided || open;
    if (status == F0T_OK)
        status = f0t_catalogue_count(&count, catalogue, &q);
    if (status == F0T_OK)
        status =
            ids ? ids_json(&items, &names, catalogue, &q) : page_json(&items, catalogue, &q, open);
    if (status == F0T_OK)
        items =
            json_pack("{s:I, s:o}", "count", (json_int_t)count, ids ? "ids" : "pictures", items);
    if (status == F0T_OK && items && names)
        json_object_set(items, "names", names);
    json_decref(names);
    asked_answer(r, status, items);
}

void library_list(request *r)
{
    list(r, false);
}

void library_suggestions(request *r)
{
    list(r, true);
}

/* ---- One picture ------------------------------------------------------------------------------------------------- */

void library_get(request *r)
{
    f0t_catalogue_pictures *one;
    json_t *value = NULL;
    double confidence = 0;
    f0t_status status = asked_picture(&one, r);
    if (status == F0T_OK)
        status = asked_confidence(&confidence, r);
    if (status == F0T_OK)
        status = tagged_json(&value, asked_catalogue(r), &one->items[0], false, confidence);
    asked_answer(r, status, value);
    f0t_catalogue_pictures_free(one);
}

void library_thumbnail(request *r)
{
    const void *data = NULL;
    size_t size = 0;
    int64_t id;
    f0t_status status = asked_id(&id, r);
    if (status == F0T_OK)
        status = f0t_catalogue_get_thumbnail(&data, &size, asked_catalogue(r), id);
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
