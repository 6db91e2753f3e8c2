/*
 * XMP packets by exempi. Keywords are dc:subject, lr:hierarchicalSubject (parts separated by "|") and
 * digiKam:TagsList ("/").
 *
 * Merging: the tags that we put into a packet are listed in our own property f0t:tags; all others are
 * a person's, or another program's, and stay. The next merge takes ours away and puts the new ones in,
 * except those that are there already as somebody else's, and those that somebody took away: a tag of
 * f0t:tags that is in dc:subject no more was not wanted, and goes to f0t:rejected.
 */
#include "picture.h"

#include <exempi/xmp.h>
#include <exempi/xmpconsts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ns_f0t[] = "urn:fast0tag:xmp:1.0/";
static const char ns_lr[] = "http://ns.adobe.com/lightroom/1.0/";
static const char ns_digikam[] = "http://www.digikam.org/ns/1.0/";

/* A list of keywords: its property, what our replies call it, and its kind of array. */
typedef struct place {
    const char *schema, *name, *source;
    uint32_t array;
} place;

static const place subject = {NS_DC, "subject", "xmp", XMP_PROP_VALUE_IS_ARRAY};
static const place hierarchical = {ns_lr, "hierarchicalSubject", "hierarchy",
                                   XMP_PROP_VALUE_IS_ARRAY};
static const place tags_list = {ns_digikam, "TagsList", "digikam",
                                XMP_PROP_VALUE_IS_ARRAY | XMP_PROP_ARRAY_IS_ORDERED};
static const place ours = {ns_f0t, "tags", "ours", XMP_PROP_VALUE_IS_ARRAY};
static const place rejected = {ns_f0t, "rejected", "rejected", XMP_PROP_VALUE_IS_ARRAY};

/* Room for a few more keywords behind an embedded packet, as programs that edit it in place like. */
enum { PADDING = 512 };

static const place *const keyword_places[] = {&subject, &hierarchical, &tags_list};

bool xmp_start(void)
{
    return xmp_init() && xmp_register_namespace(ns_f0t, "f0t", NULL) &&
           xmp_register_namespace(ns_lr, "lr", NULL) &&
           xmp_register_namespace(ns_digikam, "digiKam", NULL);
}

/* ---- Lists ------------------------------------------------------------------------------------ */

typedef struct list {
    char **items;
    size_t count, room;
} list;

static void list_add(list *l, const char *text, size_t length)
{
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 16;
        l->items = realloc(l->items, l->room * sizeof *l->items);
    }
    char *copy = l->items ? malloc(length + 1) : NULL;
    if (!copy)
        exit(1);
    memcpy(copy, text, length);
    copy[length] = 0;
    l->items[l->count++] = copy;
}

static void list_free(list *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->items[i]);
    free(l->items);
}

static bool list_has(const list *l, const char *text)
{
    for (size_t i = 0; i < l->count; i++)
        if (!strcasecmp(l->items[i], text))
            return true;
    return false;
}

static list list_of_lines(const char *text, size_t length)
{
    list l = {0};
    const char *end = text + length, *stop;
    for (; text < end && (stop = memchr(text, '\n', (size_t)(end - text))); text = stop + 1)
        if (stop > text)
            list_add(&l, text, (size_t)(stop - text));
    return l;
}

/* ---- Properties ------------------------------------------------------------------------------- */

/* One more than there may be shows that there are too many. */
static list get(XmpPtr xmp, const place *p)
{
    list l = {0};
    uint32_t bits;
    XmpStringPtr text = xmp_string_new();
    for (int32_t i = 1; i <= (int32_t)F0T_PICTURE_KEYWORDS_MAX + 1 &&
                        xmp_get_array_item(xmp, p->schema, p->name, i, text, &bits);
         i++)
        list_add(&l, xmp_string_cstr(text), strlen(xmp_string_cstr(text)));
    xmp_string_free(text);
    return l;
}

static bool set(XmpPtr xmp, const place *p, const list *l)
{
    bool good = true;
    xmp_delete_property(xmp, p->schema, p->name);
    for (size_t i = 0; i < l->count; i++)
        good = good && xmp_append_array_item(xmp, p->schema, p->name, p->array, l->items[i], 0);
    return good;
}

static XmpPtr parse(const void *data, size_t length)
{
    XmpPtr xmp = xmp_new_empty();
    if (xmp && length && !xmp_parse(xmp, data, length)) {
        xmp_free(xmp);
        xmp = NULL;
    }
    return xmp;
}

/* ---- Reading ---------------------------------------------------------------------------------- */

void keywords_of_xmp(answer *to, const void *data, size_t length)
{
    XmpPtr xmp = parse(data, length);
    if (!xmp) {
        answer_fail(to, F0T_ERROR_FORMAT, "is no XMP that can be read");
        return;
    }
    list automatic = get(xmp, &ours);
    for (size_t p = 0; p < 3; p++) {
        list l = get(xmp, keyword_places[p]);
        for (size_t i = 0; i < l.count; i++) {
            const char *source =
                list_has(&automatic, l.items[i]) ? ours.source : keyword_places[p]->source;
            answer_keyword(to, source, l.items[i], strlen(l.items[i]));
        }
        list_free(&l);
    }
    list_free(&automatic);
    xmp_free(xmp);
}

/* ---- Merging ---------------------------------------------------------------------------------- */

/* The items of `from` that are not in `without`. */
static list minus(const list *from, const list *without)
{
    list l = {0};
    for (size_t i = 0; i < from->count; i++)
        if (!list_has(without, from->items[i]))
            list_add(&l, from->items[i], strlen(from->items[i]));
    return l;
}

static void add_all(list *to, const list *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (!list_has(to, from->items[i]))
            list_add(to, from->items[i], strlen(from->items[i]));
}

static bool same(const list *a, const list *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->items[i], b->items[i]) != 0)
            return false;
    return true;
}

/* Makes the list the property's where it is not. */
static bool put(XmpPtr xmp, const place *p, const list *now, bool *changed)
{
    list was = get(xmp, p);
    const bool differs = !same(&was, now);
    list_free(&was);
    *changed = *changed || differs;
    return !differs || set(xmp, p, now);
}

/* Ours out, the new ones in, where they are not there as somebody else's. */
static bool replace(XmpPtr xmp, const place *p, const list *old, const list *added, bool *changed)
{
    list was = get(xmp, p), now = minus(&was, old);
    add_all(&now, added);
    bool good = put(xmp, p, &now, changed);
    list_free(&was);
    list_free(&now);
    return good;
}

/* What was ours and is in dc:subject no more was taken away by somebody. */
static list find_rejected(XmpPtr xmp, const list *old, const list *present)
{
    list refused = get(xmp, &rejected), gone = minus(old, present);
    add_all(&refused, &gone);
    list_free(&gone);
    return refused;
}

/* Lines "-tag" for those of ours that go, "+tag" for those that come. */
static void note_change(list *lines, const list *old, const list *present, const list *unique)
{
    list gone = minus(old, unique), come = minus(unique, old);
    char line[256];
    for (size_t i = 0; i < gone.count; i++)
        if (list_has(present, gone.items[i])) {
            snprintf(line, sizeof line, "-%s", gone.items[i]);
            list_add(lines, line, strlen(line));
        }
    for (size_t i = 0; i < come.count; i++) {
        snprintf(line, sizeof line, "+%s", come.items[i]);
        list_add(lines, line, strlen(line));
    }
    list_free(&gone);
    list_free(&come);
}

static bool merge(XmpPtr xmp, const list *tags, bool *changed, list *lines)
{
    list old = get(xmp, &ours), present = get(xmp, &subject);
    list refused = find_rejected(xmp, &old, &present);
    list theirs = minus(&present, &old), wanted = minus(tags, &theirs);
    list added = minus(&wanted, &refused), unique = {0};
    add_all(&unique, &added);
    bool good = replace(xmp, &subject, &old, &unique, changed) &&
                replace(xmp, &hierarchical, &old, &unique, changed) &&
                replace(xmp, &tags_list, &old, &unique, changed) &&
                put(xmp, &ours, &unique, changed) && put(xmp, &rejected, &refused, changed);
    note_change(lines, &old, &present, &unique);
    list *all[] = {&old, &present, &refused, &theirs, &wanted, &added, &unique};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        list_free(all[i]);
    return good;
}

/* Lists are gone through again and again, and none may lose its end. */
static bool are_too_many(XmpPtr xmp)
{
    static const place *const all[] = {&subject, &hierarchical, &tags_list, &ours, &rejected};
    bool too_many = false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        list l = get(xmp, all[i]);
        too_many = too_many || l.count > F0T_PICTURE_KEYWORDS_MAX;
        list_free(&l);
    }
    return too_many;
}

static void add_change(answer *to, const list *lines)
{
    const size_t before = to->length;
    for (size_t i = 0; i < lines->count; i++) {
        answer_add(to, lines->items[i], strlen(lines->items[i]));
        answer_add(to, "\n", 1);
    }
    to->width = 1;
    to->height = to->length - before;
}

static bool serialize(XmpPtr xmp, XmpStringPtr text, bool inside)
{
    const uint32_t form = inside ? XMP_SERIAL_USECOMPACTFORMAT : XMP_SERIAL_OMITPACKETWRAPPER;
    return xmp_serialize_and_format(xmp, text, form, inside ? PADDING : 0, "\n", " ", 0);
}

/* exempi writes some names as no reader, itself included, can read them. */
static bool reads_back(XmpStringPtr text, bool inside)
{
    XmpPtr xmp = parse(xmp_string_cstr(text), strlen(xmp_string_cstr(text)));
    XmpStringPtr again = xmp_string_new();
    const bool good = xmp && serialize(xmp, again, inside) &&
                      !strcmp(xmp_string_cstr(text), xmp_string_cstr(again));
    xmp_string_free(again);
    if (xmp)
        xmp_free(xmp);
    return good;
}

static void add_packet(answer *to, XmpPtr xmp, bool inside)
{
    static const char declaration[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    XmpStringPtr text = xmp_string_new();
    if (serialize(xmp, text, inside) && reads_back(text, inside)) {
        if (!inside)
            answer_add(to, declaration, sizeof declaration - 1);
        answer_add(to, xmp_string_cstr(text), strlen(xmp_string_cstr(text)));
        if (!inside && to->length && to->data[to->length - 1] != '\n')
            answer_add(to, "\n", 1);
    } else {
        answer_fail(to, F0T_ERROR_FORMAT, "its XMP cannot be written again: it stays as it is");
    }
    xmp_string_free(text);
}

/* Where no keyword changes, the bytes stay as they are, whoever wrote them. */
static void merge_into(answer *to, const void *data, size_t length, const list *tags, bool inside)
{
    bool changed = false;
    list lines = {0};
    XmpPtr xmp = parse(data, length);
    if (!xmp)
        answer_fail(to, F0T_ERROR_FORMAT, "is no XMP that can be read: it stays as it is");
    else if (are_too_many(xmp))
        answer_fail(to, F0T_ERROR_UNSUPPORTED, "has more than %u keywords: it stays as it is",
                    F0T_PICTURE_KEYWORDS_MAX);
    else if (!merge(xmp, tags, &changed, &lines))
        answer_fail(to, F0T_ERROR_FORMAT, "its keywords cannot be changed");
    else if (changed)
        add_packet(to, xmp, inside);
    else
        answer_add(to, data, length);
    if (changed && to->status == F0T_OK)
        add_change(to, &lines);
    list_free(&lines);
    if (xmp)
        xmp_free(xmp);
}

void xmp_merge(answer *to, const void *data, size_t length, const char *tags, size_t tags_length)
{
    list wanted = list_of_lines(tags, tags_length);
    merge_into(to, data, length, &wanted, false);
    list_free(&wanted);
}

void xmp_embed(answer *to, const void *data, size_t length, const char *tags, size_t tags_length)
{
    list wanted = list_of_lines(tags, tags_length);
    merge_into(to, data, length, &wanted, true);
    list_free(&wanted);
}
