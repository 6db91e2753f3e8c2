#include "image/xmp_items.h"

#include <string.h>

const f0t_xmp_property f0t_xmp_properties[F0T_XMP_PLACES] = {
    [F0T_XMP_SUBJECT] = {"http://purl.org/dc/elements/1.1/", "dc", "subject", "Bag", "xmp", false},
    [F0T_XMP_HIERARCHY] = {F0T_XMP_LIGHTROOM, "lr", "hierarchicalSubject", "Bag", "hierarchy",
                           false},
    [F0T_XMP_DIGIKAM] = {F0T_XMP_DIGIKAM_NS, "digiKam", "TagsList", "Seq", "digikam", true},
    [F0T_XMP_RECORD + F0T_XMP_SUBJECT] = {F0T_XMP_OWN, "f0t", "subject", "Bag", NULL, false},
    [F0T_XMP_RECORD +
        F0T_XMP_HIERARCHY] = {F0T_XMP_OWN, "f0t", "hierarchicalSubject", "Bag", NULL, false},
    [F0T_XMP_RECORD + F0T_XMP_DIGIKAM] = {F0T_XMP_OWN, "f0t", "TagsList", "Bag", NULL, true},
    [F0T_XMP_OURS] = {F0T_XMP_OWN, "f0t", "tags", "Bag", "ours", false},
    [F0T_XMP_REJECTED] = {F0T_XMP_OWN, "f0t", "rejected", "Bag", NULL, false},
    [F0T_XMP_CREATED] = {F0T_XMP_OWN, "f0t", "created", "Bag", NULL, false},
    [F0T_XMP_MICROSOFT] = {F0T_XMP_MICROSOFT_NS, "MicrosoftPhoto", "LastKeywordXMP", "Bag",
                           "microsoft", true},
};

void f0t_xmp_swap(char *text)
{
    for (; *text; text++)
        *text = *text == '|' ? '/' : *text == '/' ? '|' : *text;
}

bool f0t_xmp_is_named(const xmlNode *node, const char *schema, const char *name)
{
    return node->type == XML_ELEMENT_NODE && node->ns && node->ns->href &&
           !strcmp((const char *)node->ns->href, schema) && !strcmp((const char *)node->name, name);
}

xmlNodePtr f0t_xmp_first_element(const xmlNode *parent)
{
    xmlNodePtr node = parent->children;
    while (node && node->type != XML_ELEMENT_NODE)
        node = node->next;
    return node;
}

static xmlNodePtr find_rdf(xmlNodePtr node, int depth)
{
    for (; node; node = node->next) {
        if (f0t_xmp_is_named(node, F0T_XMP_RDF, "RDF"))
            return node;
        xmlNodePtr inside = node->type == XML_ELEMENT_NODE && depth < 8
                                ? find_rdf(node->children, depth + 1)
                                : NULL;
        if (inside)
            return inside;
    }
    return NULL;
}

xmlNodePtr f0t_xmp_find_rdf(const xmlDoc *doc)
{
    return find_rdf(doc->children, 0);
}

f0t_xmp_found f0t_xmp_find(const xmlNode *rdf, const f0t_xmp_property *p)
{
    f0t_xmp_found found = {0};
    for (xmlNodePtr d = rdf->children; d; d = d->next) {
        if (d->type != XML_ELEMENT_NODE)
            continue;
        found.attribute = xmlHasNsProp(d, (const xmlChar *)p->name, (const xmlChar *)p->schema);
        for (xmlNodePtr e = d->children; e && !found.element; e = e->next)
            if (f0t_xmp_is_named(e, p->schema, p->name))
                found.element = e;
        if (found.attribute || found.element)
            break;
    }
    xmlNodePtr inside = found.element ? f0t_xmp_first_element(found.element) : NULL;
    if (inside && (f0t_xmp_is_named(inside, F0T_XMP_RDF, "Bag") ||
                   f0t_xmp_is_named(inside, F0T_XMP_RDF, "Seq") ||
                   f0t_xmp_is_named(inside, F0T_XMP_RDF, "Alt")))
        found.array = inside;
    return found;
}

/* An item's value stands in it, or, where it has qualifiers, in rdf:value in it or in a description. */
static xmlNodePtr value_of(xmlNodePtr item)
{
    for (int depth = 0; depth < 2; depth++) {
        xmlAttrPtr attribute =
            xmlHasNsProp(item, (const xmlChar *)"value", (const xmlChar *)F0T_XMP_RDF);
        if (attribute)
            return (xmlNodePtr)attribute;
        for (xmlNodePtr n = item->children; n; n = n->next)
            if (f0t_xmp_is_named(n, F0T_XMP_RDF, "value"))
                return n;
        xmlNodePtr inside = f0t_xmp_first_element(item);
        if (!inside || !f0t_xmp_is_named(inside, F0T_XMP_RDF, "Description"))
            break;
        item = inside;
    }
    return item;
}

typedef struct visitor {
    const f0t_xmp_property *property;
    bool (*visit)(void *context, const char *text);
    void *context;
} visitor;

static bool visit_content(const visitor *v, xmlNodePtr node)
{
    xmlChar *text = xmlNodeGetContent(node);
    if (!text)
        return false;
    if (v->property->slashes)
        f0t_xmp_swap((char *)text);
    const bool good = v->visit(v->context, (const char *)text);
    xmlFree(text);
    return good;
}

bool f0t_xmp_visit(const f0t_xmp_found *found, const f0t_xmp_property *p,
                   bool (*visit)(void *context, const char *text), void *context)
{
    const visitor v = {p, visit, context};
    bool good = true;
    if (found->attribute)
        return visit_content(&v, (xmlNodePtr)found->attribute);
    if (!found->array)
        return !found->element || visit_content(&v, value_of(found->element));
    for (xmlNodePtr n = found->array->children; n && good; n = n->next)
        if (f0t_xmp_is_named(n, F0T_XMP_RDF, "li"))
            good = visit_content(&v, value_of(n));
    return good;
}
