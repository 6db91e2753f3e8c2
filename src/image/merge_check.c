#include "image/merge_check.h"

#include "base/alloc.h"
#include "base/interner.h"
#include "image/keyword_path.h"
#include "image/xmp_items.h"
#include "image/xmp_parse.h"
#include "image/xmp_wide.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

/* ---- All but keywords --------------------------------------------------------------------------------- */

/* A description of the packet, whose properties are the packet's. */
static bool is_top(const xmlNode *node)
{
    return node && node->parent && node->parent == node->doc->_private;
}

static bool is_property(const xmlNs *ns, const xmlChar *name, const f0t_xmp_property *p)
{
    return ns && ns->href && !strcmp((const char *)ns->href, p->schema) &&
           !strcmp((const char *)name, p->name);
}

static bool is_place(const xmlNode *parent, const xmlNs *ns, const xmlChar *name)
{
    for (f0t_xmp_place p = 0; is_top(parent) && p < F0T_XMP_PLACES; p++)
        if (is_property(ns, name, &f0t_xmp_properties[p]))
            return true;
    return false;
}

static xmlAttrPtr next_attribute(xmlAttrPtr a)
{
    while (a && is_place(a->parent, a->ns, a->name))
        a = a->next;
    return a;
}

/* Without a document type, a value is one text. */
static const char *value_of(const xmlAttr *a)
{
    return a->children && a->children->content ? (const char *)a->children->content : "";
}

static xmlNodePtr next_node(xmlNodePtr node);

/* A description that has keywords alone is as good as none. */
static bool is_bare(const xmlNode *node)
{
    if (!is_top(node) || !f0t_xmp_is_named(node, F0T_XMP_RDF, "Description") ||
        next_node(node->children))
        return false;
    for (xmlAttrPtr a = next_attribute(node->properties); a; a = next_attribute(a->next))
        if (strcmp((const char *)a->name, "about") != 0 || *value_of(a) ||
            (a->ns && strcmp((const char *)a->ns->href, F0T_XMP_RDF) != 0))
            return false;
    return true;
}

static bool is_array(const xmlNode *node)
{
    return f0t_xmp_is_named(node, F0T_XMP_RDF, "Bag") ||
           f0t_xmp_is_named(node, F0T_XMP_RDF, "Seq") || f0t_xmp_is_named(node, F0T_XMP_RDF, "Alt");
}

/* Text, and nothing besides. */
static bool is_text(const xmlNode *node)
{
    for (const xmlNode *n = node->children; n; n = n->next)
        if (n->type != XML_TEXT_NODE && n->type != XML_CDATA_SECTION_NODE)
            return false;
    return !node->properties;
}

/* One of a list of keywords that is a word alone. */
static bool is_item(const xmlNode *node)
{
    const xmlNode *array = node->parent, *place = array ? array->parent : NULL;
    return f0t_xmp_is_named(node, F0T_XMP_RDF, "li") && is_text(node) && is_array(array) && place &&
           place->type == XML_ELEMENT_NODE && is_place(place->parent, place->ns, place->name);
}

/* This one or the first after it that is no keyword and no blank. */
static xmlNodePtr next_node(xmlNodePtr node)
{
    while (node &&
           ((node->type == XML_TEXT_NODE && xmlIsBlankNode(node)) ||
            (node->type == XML_ELEMENT_NODE &&
             (is_place(node->parent, node->ns, node->name) || is_bare(node) || is_item(node)))))
        node = node->next;
    return node;
}

static bool same_text(const xmlChar *a, const xmlChar *b)
{
    return a && b ? !strcmp((const char *)a, (const char *)b) : a == b;
}

static bool same_name(const xmlNs *a_ns, const xmlChar *a, const xmlNs *b_ns, const xmlChar *b)
{
    return same_text(a, b) && same_text(a_ns ? a_ns->href : NULL, b_ns ? b_ns->href : NULL);
}

static bool same_attributes(const xmlNode *a, const xmlNode *b)
{
    xmlAttrPtr x = next_attribute(a->properties), y = next_attribute(b->properties);
    for (; x && y; x = next_attribute(x->next), y = next_attribute(y->next))
        if (!same_name(x->ns, x->name, y->ns, y->name) || strcmp(value_of(x), value_of(y)) != 0)
            return false;
    return x == y;
}

/* As deep as libxml2 allows, which is 256. */
static bool same_nodes(xmlNodePtr a, xmlNodePtr b)
{
    for (a = next_node(a), b = next_node(b); a && b;
         a = next_node(a->next), b = next_node(b->next)) {
        if (a->type != b->type)
            return false;
        if (a->type != XML_ELEMENT_NODE
                ? !same_text(a->name, b->name) || !same_text(a->content, b->content)
                : !same_name(a->ns, a->name, b->ns, b->name) || !same_attributes(a, b) ||
                      !same_nodes(a->children, b->children))
            return false;
    }
    return a == b;
}

/* Whether there is nothing in it but keywords, and what every packet has around them. */
static bool is_frame(xmlNodePtr node)
{
    for (node = next_node(node); node; node = next_node(node->next)) {
        const bool around = f0t_xmp_is_named(node, "adobe:ns:meta/", "xmpmeta") ||
                            f0t_xmp_is_named(node, F0T_XMP_RDF, "RDF");
        if (node->type != XML_PI_NODE && (!around || !is_frame(node->children)))
            return false;
    }
    return true;
}

/* ---- The shape of lists --------------------------------------------------------------------------------- */

/* How often a packet has a property. */
static size_t count_places(const xmlNode *rdf, const f0t_xmp_property *p)
{
    size_t times = 0;
    for (const xmlNode *d = rdf->children; d; d = d->next) {
        if (d->type != XML_ELEMENT_NODE)
            continue;
        for (const xmlAttr *a = d->properties; a; a = a->next)
            times += is_property(a->ns, a->name, p);
        for (const xmlNode *e = d->children; e; e = e->next)
            times += f0t_xmp_is_named(e, p->schema, p->name);
    }
    return times;
}

/* An array of words in it, and nothing besides. */
static bool is_list(const f0t_xmp_found *found)
{
    return found->array && !found->element->properties && !found->array->properties &&
           next_node(found->element->children) == found->array && !next_node(found->array->next) &&
           !next_node(found->array->children);
}

static bool is_simple(const f0t_xmp_found *found)
{
    return found->attribute || (found->element && is_text(found->element));
}

/* What is not plain (qualifiers, comments) stays as it is, but for words beside it. */
static bool same_shape(const f0t_xmp_found *old, const f0t_xmp_found *now)
{
    const bool none = !old->attribute && !old->element;
    if (none || is_simple(old) || is_list(old))
        return is_list(now) || (!now->attribute && !now->element) ||
               (is_simple(old) && is_simple(now));
    return now->element && same_attributes(old->element, now->element) &&
           same_nodes(old->element->children, now->element->children);
}

/* False where it is there more than once: one of them is not read. */
static bool find_once(f0t_xmp_found *found, const xmlDoc *doc, const f0t_xmp_property *p)
{
    *found = doc ? f0t_xmp_find(doc->_private, p) : (f0t_xmp_found){0};
    return !doc || count_places(doc->_private, p) <= 1;
}

/* What is in the places is read as keywords, all of it. */
static bool has_shape(const xmlDoc *before, const xmlDoc *after)
{
    bool good = true;
    for (f0t_xmp_place p = 0; good && p < F0T_XMP_PLACES; p++) {
        f0t_xmp_found old, now;
        good = find_once(&old, before, &f0t_xmp_properties[p]) &&
               find_once(&now, after, &f0t_xmp_properties[p]) && same_shape(&old, &now);
    }
    return good;
}

/* ---- Keywords ------------------------------------------------------------------------------------------ */

/* The items of each place; of a packet that is not there, none. */
typedef struct packet {
    f0t_texts at[F0T_XMP_PLACES];
    f0t_status status;
} packet;

typedef struct place {
    packet *to;
    f0t_xmp_place p;
} place;

static bool add_item(void *context, const char *text)
{
    const place *at = context;
    at->to->status = f0t_texts_add(&at->to->at[at->p], text, strlen(text));
    return at->to->status == F0T_OK;
}

static f0t_status read_packet(packet *out, const xmlDoc *doc)
{
    for (f0t_xmp_place p = 0; doc && p < F0T_XMP_PLACES; p++) {
        const f0t_xmp_found found = f0t_xmp_find(doc->_private, &f0t_xmp_properties[p]);
        if (!f0t_xmp_visit(&found, &f0t_xmp_properties[p], add_item, &(place){out, p}))
            return out->status ? out->status
                               : f0t_fail(F0T_ERROR_MEMORY, "no memory for its keywords");
    }
    return F0T_OK;
}

static void packet_free(packet *of)
{
    for (f0t_xmp_place p = 0; p < F0T_XMP_PLACES; p++)
        f0t_texts_free(&of->at[p]);
}

/* The word that an item stands for: its last part, whatever its capitals. */
static f0t_status add_word(uint32_t *index, f0t_names *words, const char *text)
{
    utf8proc_uint8_t *folded = NULL;
    const char *leaf = f0t_keyword_word(text), *end = leaf + strlen(leaf);
    while (end > leaf && (unsigned char)end[-1] <= ' ')
        end--;
    if (utf8proc_map((const utf8proc_uint8_t *)leaf, end - leaf, &folded,
                     UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD) < 0)
        return f0t_names_add(index, NULL, words, leaf, (size_t)(end - leaf));
    f0t_status status =
        f0t_names_add(index, NULL, words, (const char *)folded, strlen((char *)folded));
    free(folded);
    return status;
}

/* Adds the words of the texts; *subset says whether all of them were there. */
static f0t_status add_words(f0t_names *words, const f0t_texts *texts, bool *subset)
{
    const size_t before = f0t_names_count(words);
    uint32_t index;
    for (size_t i = 0; i < texts->count; i++)
        F0T_TRY(add_word(&index, words, f0t_texts_get(texts, i)));
    *subset = f0t_names_count(words) == before;
    return F0T_OK;
}

/* How often each text of `names` is in the list; those that are not in `names` are added. */
static f0t_status count(f0t_names *names, int **counts, size_t *capacity, const f0t_texts *texts,
                        int step)
{
    for (size_t i = 0; i < texts->count; i++) {
        uint32_t index;
        bool added;
        F0T_TRY(f0t_names_add(&index, &added, names, f0t_texts_get(texts, i),
                              f0t_texts_length(texts, i)));
        if (added) {
            F0T_TRY(f0t_grow(counts, capacity, index, 1, sizeof **counts));
            (*counts)[index] = 0;
        }
        (*counts)[index] += step;
    }
    return F0T_OK;
}

/* What we wrote down as ours of a list: packets of the first versions name our tags alone. */
static const f0t_texts *record_of(const packet *old, f0t_xmp_place p)
{
    static const f0t_texts none;
    if (p == F0T_XMP_MICROSOFT)
        return &none;
    for (f0t_xmp_place r = F0T_XMP_RECORD; r < F0T_XMP_RECORD + F0T_XMP_LISTS; r++)
        if (old->at[r].count)
            return &old->at[F0T_XMP_RECORD + p];
    return &old->at[F0T_XMP_OURS];
}

/* Everything in the list that is not ours is there as often as it was. */
static f0t_status keeps_theirs(bool *kept, const packet *old, const packet *now, f0t_xmp_place p)
{
    f0t_names names = {0};
    int *counts = NULL;
    size_t capacity = 0;
    f0t_status status = count(&names, &counts, &capacity, &old->at[p], 1);
    const size_t known = f0t_names_count(&names);
    if (status == F0T_OK)
        status = count(&names, &counts, &capacity, record_of(old, p), -1);
    if (status == F0T_OK)
        status = count(&names, &counts, &capacity, &now->at[p], -1);
    *kept = true;
    for (size_t i = 0; status == F0T_OK && i < known; i++)
        *kept = *kept && counts[i] <= 0;
    f0t_names_free(&names);
    f0t_free(counts);
    return status;
}

/* Words that may come into a list: what was asked for, what the person has. */
typedef struct asked {
    f0t_texts tags, known;
    bool remove;
} asked;

static f0t_status read_lines(asked *out, const char *lines)
{
    for (const char *stop; (stop = strchr(lines, '\n')); lines = stop + 1) {
        const size_t length = (size_t)(stop - lines);
        out->remove = out->remove || *lines == '-';
        if (length && strchr("+!=", *lines))
            F0T_TRY(f0t_texts_add(*lines == '=' ? &out->known : &out->tags, lines + 1, length - 1));
    }
    return F0T_OK;
}

/* All lists of `now` have words of these alone. */
static f0t_status has_only(bool *only, const packet *old, const packet *now, const asked *wanted)
{
    f0t_names words = {0};
    bool subset;
    f0t_status status = add_words(&words, &wanted->tags, &subset);
    if (status == F0T_OK)
        status = add_words(&words, &wanted->known, &subset);
    for (f0t_xmp_place p = 0; p < F0T_XMP_PLACES && status == F0T_OK; p++)
        if (p != F0T_XMP_CREATED)
            status = add_words(&words, &old->at[p], &subset);
    *only = true;
    for (f0t_xmp_place p = 0; p < F0T_XMP_PLACES && status == F0T_OK; p++)
        if (p != F0T_XMP_CREATED) {
            status = add_words(&words, &now->at[p], &subset);
            *only = *only && subset;
        }
    f0t_names_free(&words);
    return status;
}

/* The tags that were asked for are in a list, or known as rejected; and no other is said to be ours. */
static f0t_status has_asked(bool *right, const packet *now, const asked *wanted)
{
    f0t_names words = {0}, tags = {0};
    bool there = true, ours = true, ignored;
    uint32_t index;
    f0t_status status = f0t_names_add(&index, NULL, &words, "", 0); /* a tag of blanks is none */
    for (f0t_xmp_place p = 0; p < F0T_XMP_PLACES && status == F0T_OK; p++)
        if (p < F0T_XMP_LISTS || p == F0T_XMP_REJECTED || p == F0T_XMP_MICROSOFT)
            status = add_words(&words, &now->at[p], &ignored);
    if (status == F0T_OK)
        status = add_words(&words, &wanted->tags, &there);
    if (status == F0T_OK)
        status = add_words(&tags, &wanted->tags, &ignored);
    if (status == F0T_OK)
        status = add_words(&tags, &now->at[F0T_XMP_OURS], &ours);
    *right = there && ours;
    f0t_names_free(&words);
    f0t_names_free(&tags);
    return status;
}

/* A packet is ours from its beginning or never. */
static bool has_origin(const packet *old, const packet *now, bool removed, bool known)
{
    const f0t_texts *was = &old->at[F0T_XMP_CREATED], *is = &now->at[F0T_XMP_CREATED];
    if (is->count == 0)
        return was->count == 0 || removed;
    if (was->count == 0 && !known)
        return is->count == 1 && !strcmp(f0t_texts_get(is, 0), "yes");
    for (size_t i = 0; i < is->count && is->count == was->count; i++)
        if (strcmp(f0t_texts_get(is, i), f0t_texts_get(was, i)) != 0)
            return false;
    return is->count == was->count;
}

/* ---- All of it -------------------------------------------------------------------------------------------- */

static f0t_status compare_keywords(bool *right, const packet *old, const packet *now,
                                   const asked *wanted)
{
    bool one;
    *right = true;
    for (f0t_xmp_place p = 0; p < F0T_XMP_PLACES; p++)
        if (p < F0T_XMP_LISTS || p == F0T_XMP_MICROSOFT) {
            F0T_TRY(keeps_theirs(&one, old, now, p));
            *right = *right && one;
        }
    F0T_TRY(has_only(&one, old, now, wanted));
    *right = *right && one;
    F0T_TRY(has_asked(&one, now, wanted));
    *right = *right && one;
    return F0T_OK;
}

/* The XML around the keywords. `before` NULL: there was none. */
static bool is_around(const xmlDoc *before, const xmlDoc *after, const asked *wanted)
{
    if (!has_shape(before, after))
        return false;
    if (!after)
        return wanted->remove && before && is_frame(before->children);
    return before ? same_nodes(before->children, after->children) : is_frame(after->children);
}

static f0t_status check(bool *right, const xmlDoc *before, const xmlDoc *after, const char *lines)
{
    packet old = {.status = F0T_OK}, now = {.status = F0T_OK};
    asked wanted = {0};
    f0t_status status = read_lines(&wanted, lines);
    if (status == F0T_OK)
        status = read_packet(&old, before);
    if (status == F0T_OK)
        status = read_packet(&now, after);
    *right = status == F0T_OK && is_around(before, after, &wanted) &&
             has_origin(&old, &now, wanted.remove, before);
    if (*right)
        status = compare_keywords(right, &old, &now, &wanted);
    packet_free(&old);
    packet_free(&now);
    f0t_texts_free(&wanted.tags);
    f0t_texts_free(&wanted.known);
    return status;
}

/* In whichever encoding it is. */
static f0t_status parse_old(xmlDocPtr *before, const char *old, size_t length)
{
    char *narrow;
    if (!f0t_xmp_is_wide(old, length))
        return f0t_xmp_parse(before, old, length);
    F0T_TRY(f0t_xmp_narrow(&narrow, &length, old, length));
    f0t_status status = narrow ? f0t_xmp_parse(before, narrow, length) : F0T_OK;
    f0t_free(narrow);
    return status;
}

static f0t_status parse_both(xmlDocPtr *before, xmlDocPtr *after, const f0t_xmp_merged *merged,
                             const char *old, size_t length, const char *path)
{
    if (length)
        F0T_TRY(parse_old(before, old, length));
    if (length && !*before)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: its XMP is no plain XML in Unicode that can be compared: it stays as "
                        "it is",
                        path);
    return merged->length && f0t_xmp_says_utf8(merged->text, merged->length)
               ? f0t_xmp_parse(after, merged->text, merged->length)
               : F0T_OK;
}

f0t_status f0t_merge_check(const f0t_xmp_merged *merged, const char *old, size_t length,
                           const char *lines, const char *path)
{
    xmlDocPtr before = NULL, after = NULL;
    bool right = false;
    f0t_status status = parse_both(&before, &after, merged, old, length, path);
    if (status == F0T_OK && (after || !merged->length))
        status = check(&right, before, after, lines);
    xmlFreeDoc(before);
    xmlFreeDoc(after);
    F0T_TRY(status);
    return right ? F0T_OK
                 : f0t_fail(F0T_ERROR_FORMAT,
                            "%s: its XMP came back with other changes than these tags: it stays as "
                            "it is",
                            path);
}
