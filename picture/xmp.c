/* XMP packets: exempi, the XMP toolkit, says what is in them, before and after we change the XML. */
#include "xmp.h"

#include <exempi/xmp.h>
#include <exempi/xmpconsts.h>
#include <stdlib.h>
#include <string.h>

bool xmp_start(void)
{
    return xmp_init() && xmp_register_namespace(F0T_XMP_OWN, "f0t", NULL) &&
           xmp_register_namespace(F0T_XMP_LIGHTROOM, "lr", NULL) &&
           xmp_register_namespace(F0T_XMP_DIGIKAM_NS, "digiKam", NULL) &&
           xmp_register_namespace(F0T_XMP_MICROSOFT_NS, "MicrosoftPhoto", NULL);
}

/* ---- What is in a packet ------------------------------------------------------------------------ */

static XmpPtr parse(const void *data, size_t length)
{
    XmpPtr xmp = xmp_new_empty();
    if (xmp && length && !xmp_parse(xmp, data, length)) {
        xmp_free(xmp);
        xmp = NULL;
    }
    return xmp;
}

static void add_value(list *to, XmpStringPtr value, const f0t_xmp_property *p)
{
    char *text = strdup(xmp_string_cstr(value));
    if (!text)
        exit(1);
    if (p->slashes)
        f0t_xmp_swap(text);
    list_add(to, text, strlen(text));
    free(text);
}

/* One more than there may be shows that there are too many. */
static list get(XmpPtr xmp, const f0t_xmp_property *p)
{
    list l = {0};
    uint32_t bits;
    XmpStringPtr text = xmp_string_new();
    if (xmp_get_property(xmp, p->schema, p->name, text, &bits) && XMP_IS_PROP_SIMPLE(bits))
        add_value(&l, text, p);
    else
        for (int32_t i = 1; i <= (int32_t)F0T_PICTURE_KEYWORDS_MAX + 1 &&
                            xmp_get_array_item(xmp, p->schema, p->name, i, text, &bits);
             i++)
            add_value(&l, text, p);
    xmp_string_free(text);
    return l;
}

/* Lists are gone through again and again, and none may lose its end. */
static bool get_state(xmp_state *state, XmpPtr xmp)
{
    bool good = true;
    for (f0t_xmp_place p = 0; p < F0T_XMP_PLACES; p++) {
        state->at[p] = get(xmp, &f0t_xmp_properties[p]);
        good = good && state->at[p].count <= F0T_PICTURE_KEYWORDS_MAX;
    }
    return good;
}

/* ---- Reading ------------------------------------------------------------------------------------ */

static void answer_list(answer *to, const xmp_state *state, f0t_xmp_place p)
{
    const list *l = &state->at[p];
    char *owners = xmp_owners(state, p);
    const char *const sources[] = {f0t_xmp_properties[p].source, "ours", "carried"};
    for (size_t i = 0; i < l->count; i++)
        answer_keyword(to, sources[(int)owners[i]], l->items[i], strlen(l->items[i]));
    free(owners);
}

/* exiftool writes the list of Windows under a name without the slash at its end. */
static void answer_exiftool_list(answer *to, XmpPtr xmp)
{
    f0t_xmp_property p = f0t_xmp_properties[F0T_XMP_MICROSOFT];
    p.schema = "http://ns.microsoft.com/photo/1.0";
    list l = get(xmp, &p);
    for (size_t i = 0; i < l.count; i++)
        answer_keyword(to, p.source, l.items[i], strlen(l.items[i]));
    list_free(&l);
}

static void answer_removed(answer *to, const xmp_state *state)
{
    list removed = xmp_removed(state);
    for (size_t i = 0; i < removed.count; i++)
        answer_keyword(to, "removed", removed.items[i], strlen(removed.items[i]));
    list_free(&removed);
}

void keywords_of_xmp(answer *to, const void *data, size_t length)
{
    xmp_state state = {0};
    XmpPtr xmp = parse(data, length);
    if (!xmp) {
        answer_fail(to, F0T_ERROR_FORMAT, "is no XMP that can be read");
        return;
    }
    if (!get_state(&state, xmp))
        answer_fail(to, F0T_ERROR_UNSUPPORTED, "has more than %u keywords",
                    F0T_PICTURE_KEYWORDS_MAX);
    for (f0t_xmp_place p = 0; p < F0T_XMP_LISTS && to->status == F0T_OK; p++)
        answer_list(to, &state, p);
    if (to->status == F0T_OK)
        answer_list(to, &state, F0T_XMP_MICROSOFT);
    answer_exiftool_list(to, xmp);
    answer_removed(to, &state);
    xmp_state_free(&state);
    xmp_free(xmp);
}

/* ---- The same but for keywords -------------------------------------------------------------------- */

/* A walk over the properties that are not ours to change. */
typedef struct walk {
    XmpIteratorPtr iterator;
    XmpStringPtr schema, path, value;
    uint32_t bits;
} walk;

static walk walk_begin(XmpPtr xmp)
{
    return (walk){xmp_iterator_new(xmp, NULL, NULL, XMP_ITER_PROPERTIES), xmp_string_new(),
                  xmp_string_new(), xmp_string_new(), 0};
}

static void walk_end(walk *w)
{
    xmp_iterator_free(w->iterator);
    xmp_string_free(w->schema);
    xmp_string_free(w->path);
    xmp_string_free(w->value);
}

/* Paths begin with a prefix, whichever the packet has for the schema. */
static bool is_keyword_place(const walk *w)
{
    const char *schema = xmp_string_cstr(w->schema), *path = xmp_string_cstr(w->path);
    const char *colon = strchr(path, ':'), *name = colon ? colon + 1 : path;
    for (f0t_xmp_place p = 0; p < F0T_XMP_PLACES; p++)
        if (!strcmp(schema, f0t_xmp_properties[p].schema) &&
            !strcmp(name, f0t_xmp_properties[p].name))
            return true;
    return false;
}

static bool walk_next(walk *w)
{
    while (xmp_iterator_next(w->iterator, w->schema, w->path, w->value, &w->bits)) {
        if (!*xmp_string_cstr(w->path)) /* a schema by itself says nothing */
            continue;
        if (!is_keyword_place(w))
            return true;
        xmp_iterator_skip(w->iterator, XMP_ITER_SKIPSUBTREE);
    }
    return false;
}

static bool same_here(const walk *a, const walk *b)
{
    return a->bits == b->bits && !strcmp(xmp_string_cstr(a->schema), xmp_string_cstr(b->schema)) &&
           !strcmp(xmp_string_cstr(a->path), xmp_string_cstr(b->path)) &&
           !strcmp(xmp_string_cstr(a->value), xmp_string_cstr(b->value));
}

static bool same_but_keywords(XmpPtr before, XmpPtr after)
{
    walk a = walk_begin(before), b = walk_begin(after);
    bool more, same;
    do {
        more = walk_next(&a);
        same = walk_next(&b) == more && (!more || same_here(&a, &b));
    } while (more && same);
    walk_end(&a);
    walk_end(&b);
    return same;
}

static bool has_others(XmpPtr xmp)
{
    walk w = walk_begin(xmp);
    const bool some = walk_next(&w);
    walk_end(&w);
    return some;
}

static bool same_state(const xmp_state *a, const xmp_state *b)
{
    bool same = true;
    for (f0t_xmp_place p = 0; p < F0T_XMP_PLACES; p++)
        same = same && list_equals(&a->at[p], &b->at[p]);
    return same;
}

/* ---- Changing ----------------------------------------------------------------------------------- */

#define NEW_PACKET                                                                             \
    "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"                                                 \
    " <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n"                   \
    "  <rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "         \
    "xmlns:lr=\"http://ns.adobe.com/lightroom/1.0/\" "                                         \
    "xmlns:digiKam=\"http://www.digikam.org/ns/1.0/\" xmlns:f0t=\"urn:fast0tag:xmp:1.0/\"/>\n" \
    " </rdf:RDF>\n"                                                                            \
    "</x:xmpmeta>\n"

static const char new_sidecar[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" NEW_PACKET;
static const char new_embedded[] =
    "<?xpacket begin=\"\xEF\xBB\xBF\" "
    "id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n" NEW_PACKET "<?xpacket end=\"w\"?>";

/* A change of a packet while it is made. */
typedef struct change {
    const char *data; /* the packet, or a new one */
    size_t length;
    bool is_new, inside, remove;
    list tags, again, known;
    XmpPtr xmp;
    xmp_tree tree;
    xmp_state before, after;
    xmp_plan plan;
} change;

static void change_free(change *c)
{
    if (c->xmp)
        xmp_free(c->xmp);
    xmp_tree_close(&c->tree);
    xmp_plan_free(&c->plan);
    xmp_state_free(&c->before);
    xmp_state_free(&c->after);
    list_free(&c->tags);
    list_free(&c->again);
    list_free(&c->known);
}

static void take_lines(change *c, const char *text, size_t length)
{
    const char *end = text + length, *stop;
    for (; text < end && (stop = memchr(text, '\n', (size_t)(end - text))); text = stop + 1) {
        c->remove = c->remove || *text == '-';
        if (*text == '+' || *text == '!')
            list_add(&c->tags, text + 1, (size_t)(stop - text - 1));
        if (*text == '!' || *text == '=')
            list_add(*text == '!' ? &c->again : &c->known, text + 1, (size_t)(stop - text - 1));
    }
}

static bool change_open(answer *to, change *c)
{
    c->xmp = parse(c->data, c->length);
    if (!c->xmp)
        answer_fail(to, F0T_ERROR_FORMAT, "is no XMP that can be read: it stays as it is");
    else if (!get_state(&c->before, c->xmp))
        answer_fail(to, F0T_ERROR_UNSUPPORTED, "has more than %u keywords: it stays as it is",
                    F0T_PICTURE_KEYWORDS_MAX);
    else if (!xmp_tree_open(&c->tree, c->data, c->length))
        answer_fail(to, F0T_ERROR_FORMAT, "its XMP is no plain XML: it stays as it is");
    return to->status == F0T_OK;
}

static void make_plan(change *c)
{
    if (c->remove)
        xmp_plan_none(&c->plan, &c->before, &c->known);
    else
        xmp_plan_tags(&c->plan, &c->before, &c->tags, &c->again, &c->known);
    c->after = xmp_plan_apply(&c->plan, &c->before);
    if (c->is_new && !same_state(&c->before, &c->after)) {
        list_add(&c->plan.add.at[F0T_XMP_CREATED], "yes", 3);
        list_add(&c->after.at[F0T_XMP_CREATED], "yes", 3);
    }
}

static bool edit(change *c)
{
    bool good = true;
    for (f0t_xmp_place p = 0; p < F0T_XMP_PLACES && good; p++)
        if (!list_equals(&c->before.at[p], &c->after.at[p]))
            good =
                xmp_tree_edit(&c->tree, p, &c->before.at[p], c->plan.keep[p], &c->plan.add.at[p]);
    return good;
}

/* exempi reads the new packet: our keywords are in it, and nothing else is other than it was. */
static bool is_right(const change *c, const answer *made)
{
    xmp_state state = {0};
    XmpPtr xmp = parse(made->data, made->length);
    const bool right = xmp && get_state(&state, xmp) && same_state(&state, &c->after) &&
                       same_but_keywords(c->xmp, xmp);
    xmp_state_free(&state);
    if (xmp)
        xmp_free(xmp);
    return right;
}

/* Nothing is left of a packet that we made; those of the first versions do not say that we did. */
static bool is_spent(const change *c)
{
    const xmp_state *s = &c->before;
    bool spent = c->remove &&
                 (s->at[F0T_XMP_CREATED].count ||
                  (s->at[F0T_XMP_OURS].count && !s->at[F0T_XMP_RECORD + F0T_XMP_SUBJECT].count));
    for (f0t_xmp_place p = 0; p < F0T_XMP_PLACES; p++)
        spent = spent && !c->after.at[p].count;
    return spent && !has_others(c->xmp) && xmp_tree_is_plain(&c->tree);
}

/* Lines "-tag" for words that go from all lists, "+tag" for those that come. */
static void add_missing(answer *to, char sign, const xmp_state *from, const xmp_state *in)
{
    list said = {0};
    for (f0t_xmp_place p = 0; p < F0T_XMP_LISTS; p++)
        for (size_t i = 0; i < from->at[p].count; i++) {
            const char *key = from->at[p].keys[i], *leaf = list_leaf(from->at[p].items[i]);
            bool has = list_has(&said, key);
            for (f0t_xmp_place q = 0; q < F0T_XMP_LISTS && !has; q++)
                has = list_has(&in->at[q], key);
            if (has)
                continue;
            list_add(&said, leaf, strlen(leaf));
            answer_add(to, &sign, 1);
            answer_add(to, leaf, strlen(leaf));
            answer_add(to, "\n", 1);
        }
    list_free(&said);
}

static void write_change(answer *to, change *c)
{
    if (!edit(c)) {
        answer_fail(to, F0T_ERROR_UNSUPPORTED,
                    "its keywords are not as XMP has them: it stays as it is");
        return;
    }
    if (!is_spent(c)) {
        xmp_tree_write(to, &c->tree, c->inside);
        if (!is_right(c, to)) {
            answer_fail(to, F0T_ERROR_UNSUPPORTED,
                        "its XMP cannot be changed without loss: it stays as it is");
            return;
        }
    }
    const size_t packet = to->length;
    add_missing(to, '-', &c->before, &c->after);
    add_missing(to, '+', &c->after, &c->before);
    to->width = 1;
    to->height = to->length - packet;
}

/* Where no keyword changes, the bytes stay as they are, whoever wrote them. */
void xmp_merge(answer *to, const void *data, size_t length, const char *lines, size_t lines_length,
               bool inside)
{
    change c = {.data = data, .length = length, .is_new = !length, .inside = inside};
    if (c.is_new) {
        c.data = inside ? new_embedded : new_sidecar;
        c.length = strlen(c.data);
    }
    take_lines(&c, lines, lines_length);
    if (change_open(to, &c)) {
        make_plan(&c);
        if (same_state(&c.before, &c.after))
            answer_add(to, data, length);
        else
            write_change(to, &c);
    }
    change_free(&c);
}
