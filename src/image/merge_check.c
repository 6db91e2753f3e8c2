#include "image/merge_check.h"

#include "base/alloc.h"
#include "base/interner.h"
#include "image/keyword_path.h"
#include "image/protocol.h"
#include "image/xmp_items.h"

#include <libxml/parser.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

/* libxml2 compares each attribute of a tag with all others. */
enum { TAG_MOST = 1 << 18 };

/* ---- Text ------------------------------------------------------------------------------------------ */

static bool is_utf8(const char *text, size_t length)
{
    const utf8proc_uint8_t *at = (const utf8proc_uint8_t *)text, *end = at + length;
    utf8proc_int32_t point;
    while (at < end) {
        const utf8proc_ssize_t used = *at ? utf8proc_iterate(at, end - at, &point) : 0;
        if (used <= 0)
            return false;
        at += used;
    }
    return true;
}

/* The end of what begins at `at`, "<!-- ", "<?" or a tag; NULL where it has none or is longer than a tag may be. */
static const char *skip_markup(const char *at, const char *end)
{
    static const struct {
        const char *begin, *end;
    } others[] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const size_t length = strlen(others[i].begin);
        if ((size_t)(end - at) > length && !memcmp(at, others[i].begin, length))
            return memmem(at, (size_t)(end - at), others[i].end, strlen(others[i].end));
    }
    char quote = 0;
    for (const char *c = at; c < end && c - at < TAG_MOST; c++) {
        if (quote ? *c == quote : *c == '"' || *c == '\'')
            quote = quote ? 0 : *c;
        else if (!quote && *c == '>')
            return c;
    }
    return NULL;
}

static bool has_short_tags(const char *text, size_t length)
{
    const char *end = text + length, *at = text;
    while (at && (at = memchr(at, '<', (size_t)(end - at))))
        if (!(at = skip_markup(at, end)))
            return false;
    return true;
}

static void start_parser(void)
{
    xmlInitParser();
}

/* NULL where it is no XML, has a document type, or is made to take long. */
static xmlDocPtr parse(const char *text, size_t length)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    while (length && !text[length - 1]) /* some programs fill up with zeros */
        length--;
    if (length > 2 * (size_t)F0T_PICTURE_TEXT_MAX || !is_utf8(text, length) ||
        !has_short_tags(text, length))
        return NULL;
    pthread_once(&once, start_parser);
    xmlDocPtr doc = xmlReadMemory(text, (int)length, NULL, NULL,
                                  XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (doc && (doc->intSubset || !f0t_xmp_find_rdf(doc))) {
        xmlFreeDoc(doc);
        doc = NULL;
    }
    return doc;
}

/* ---- All but keywords --------------------------------------------------------------------------------- */

static bool is_place(const xmlNs *ns, const xmlChar *name)
{
    for (f0t_xmp_place p = 0; ns && ns->href && p < F0T_XMP_PLACES; p++)
        if (!strcmp((const char *)ns->href, f0t_xmp_properties[p].schema) &&
            !strcmp((const char *)name, f0t_xmp_properties[p].name))
            return true;
    return false;
}

static xmlAttrPtr next_attribute(xmlAttrPtr a)
{
    while (a && is_place(a->ns, a->name))
        a = a->next;
    return a;
}

static xmlNodePtr next_node(xmlNodePtr node);

/* A description that has keywords alone is as good as none. */
static bool is_bare(const xmlNode *node)
{
    if (!f0t_xmp_is_named(node, F0T_XMP_RDF, "Description") || next_node(node->children))
        return false;
    for (xmlAttrPtr a = next_attribute(node->properties); a; a = next_attribute(a->next))
        if (strcmp((const char *)a->name, "about") != 0)
            return false;
    return true;
}

/* This one or the first after it that is no keyword and no blank. */
static xmlNodePtr next_node(xmlNodePtr node)
{
    while (node &&
           ((node->type == XML_TEXT_NODE && xmlIsBlankNode(node)) ||
            (node->type == XML_ELEMENT_NODE && (is_place(node->ns, node->name) || is_bare(node)))))
        node = node->next;
    return node;
}

static bool same_text(const xmlChar *a, const xmlChar *b)
{
    return a && b ? !strcmp((const char *)a, (const char *)b) : a == b;
}

static bool same_content(xmlNodePtr a, xmlNodePtr b)
{
    xmlChar *x = xmlNodeGetContent(a), *y = xmlNodeGetContent(b);
    const bool same = same_text(x, y);
    xmlFree(x);
    xmlFree(y);
    return same;
}

static bool same_name(const xmlNs *a_ns, const xmlChar *a, const xmlNs *b_ns, const xmlChar *b)
{
    return same_text(a, b) && same_text(a_ns ? a_ns->href : NULL, b_ns ? b_ns->href : NULL);
}

static bool same_attributes(const xmlNode *a, const xmlNode *b)
{
    xmlAttrPtr x = next_attribute(a->properties), y = next_attribute(b->properties);
    for (; x && y; x = next_attribute(x->next), y = next_attribute(y->next))
        if (!same_name(x->ns, x->name, y->ns, y->name) ||
            !same_content((xmlNodePtr)x, (xmlNodePtr)y))
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
                ? !same_text(a->name, b->name) || !same_content(a, b)
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
        const f0t_xmp_found found = f0t_xmp_find(f0t_xmp_find_rdf(doc), &f0t_xmp_properties[p]);
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
        if (length && (*lines == '+' || *lines == '='))
            F0T_TRY(f0t_texts_add(*lines == '+' ? &out->tags : &out->known, lines + 1, length - 1));
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

/* ---- All of it -------------------------------------------------------------------------------------------- */

static f0t_status compare_keywords(bool *right, const packet *old, const packet *now,
                                   const asked *wanted, bool known)
{
    bool one;
    *right = true;
    for (f0t_xmp_place p = 0; p < F0T_XMP_PLACES; p++)
        if (p < F0T_XMP_LISTS || p == F0T_XMP_MICROSOFT) {
            F0T_TRY(keeps_theirs(&one, old, now, p));
            *right = *right && one;
        }
    if (known) {
        F0T_TRY(has_only(&one, old, now, wanted));
        *right = *right && one;
    }
    F0T_TRY(has_asked(&one, now, wanted));
    *right = *right && one;
    return F0T_OK;
}

/* The XML around the keywords. `before` NULL: there was none, or it cannot be compared. */
static bool is_around(const xmlDoc *before, const xmlDoc *after, bool is_new, const asked *wanted)
{
    if (!after)
        return wanted->remove && before && is_frame(before->children);
    if (is_new)
        return is_frame(after->children);
    return !before || same_nodes(before->children, after->children);
}

static f0t_status check(bool *right, const xmlDoc *before, const xmlDoc *after, bool is_new,
                        const char *lines)
{
    packet old = {.status = F0T_OK}, now = {.status = F0T_OK};
    asked wanted = {0};
    f0t_status status = read_lines(&wanted, lines);
    if (status == F0T_OK)
        status = read_packet(&old, before);
    if (status == F0T_OK)
        status = read_packet(&now, after);
    *right = status == F0T_OK && is_around(before, after, is_new, &wanted);
    if (*right)
        status = compare_keywords(right, &old, &now, &wanted, is_new || before);
    packet_free(&old);
    packet_free(&now);
    f0t_texts_free(&wanted.tags);
    f0t_texts_free(&wanted.known);
    return status;
}

f0t_status f0t_merge_check(const f0t_xmp_merged *merged, const char *old, size_t length,
                           const char *lines, const char *path)
{
    xmlDocPtr before = length ? parse(old, length) : NULL;
    xmlDocPtr after = merged->length ? parse(merged->text, merged->length) : NULL;
    bool right = false;
    f0t_status status = F0T_OK;
    if (after || !merged->length)
        status = check(&right, before, after, !length, lines);
    xmlFreeDoc(before);
    xmlFreeDoc(after);
    F0T_TRY(status);
    return right ? F0T_OK
                 : f0t_fail(F0T_ERROR_FORMAT,
                            "%s: its XMP came back with other changes than these tags: it stays as "
                            "it is",
                            path);
}
