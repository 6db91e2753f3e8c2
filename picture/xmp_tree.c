/*
 * Lists of keywords in a packet's XML. exempi would write the packet anew, without comments, elements
 * outside of RDF and what else it does not know: here only the items that change are touched.
 */
#include "xmp.h"

#include <libxml/parser.h>
#include <libxml/xmlsave.h>
#include <stdlib.h>
#include <string.h>

/* Room for a few more keywords at the end of an embedded packet, as programs that edit it in place
 * like; less where the packet would be more than a segment of JPEG holds. */
enum { PADDING = 512, SEGMENT = 65535 - 2 - 29 };

/* ---- Nodes -------------------------------------------------------------------------------------- */

static const char *text_of(const xmlChar *text)
{
    return (const char *)text;
}

static bool is_blank(xmlNodePtr node)
{
    return node->type == XML_TEXT_NODE && xmlIsBlankNode(node);
}

/* ---- Opening ------------------------------------------------------------------------------------ */

/* Some programs fill up with zeros, which are no XML. */
static size_t trim(const char *text, size_t length)
{
    while (length && !text[length - 1])
        length--;
    return length;
}

bool xmp_tree_open(xmp_tree *tree, const void *data, size_t length)
{
    const char *text = data;
    const bool utf8 = length > 1 && text[0] && text[1];
    length = utf8 ? trim(text, length) : length;
    *tree =
        (xmp_tree){.doc = xmlReadMemory(text, (int)length, NULL, NULL,
                                        XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING)};
    if (!tree->doc)
        return false;
    tree->declared = memmem(text, length < 8 ? length : 8, "<?xml ", 6);
    tree->rdf = tree->doc->intSubset ? NULL : f0t_xmp_find_rdf(tree->doc);
    if (!tree->rdf)
        xmp_tree_close(tree);
    return tree->doc;
}

void xmp_tree_close(xmp_tree *tree)
{
    xmlFreeDoc(tree->doc);
    tree->doc = NULL;
}

static bool add_text(void *to, const char *text)
{
    list_add(to, text, strlen(text));
    return true;
}

static list items_of(const f0t_xmp_found *found, const f0t_xmp_property *p)
{
    list l = {0};
    if (!f0t_xmp_visit(found, p, add_text, &l))
        exit(1);
    return l;
}

/* ---- Taking away -------------------------------------------------------------------------------- */

/* With the blanks before it; blanks alone are nothing. */
static void remove_element(xmlNodePtr node)
{
    xmlNodePtr parent = node->parent, before = node->prev;
    xmlUnlinkNode(node);
    xmlFreeNode(node);
    if (before && is_blank(before)) {
        xmlUnlinkNode(before);
        xmlFreeNode(before);
    }
    if (parent->children && !parent->children->next && is_blank(parent->children))
        xmlNodeSetContent(parent, NULL);
}

static void remove_property(const f0t_xmp_found *found)
{
    if (found->attribute)
        xmlRemoveProp(found->attribute);
    else if (found->element)
        remove_element(found->element);
}

static void drop_items(const f0t_xmp_found *found, const bool *keep)
{
    size_t i = 0;
    for (xmlNodePtr n = found->array->children, next; n; n = next) {
        next = n->next;
        if (f0t_xmp_is_named(n, F0T_XMP_RDF, "li") && !keep[i++])
            remove_element(n);
    }
}

/* ---- Adding ------------------------------------------------------------------------------------- */

static int depth_of(const xmlNode *node)
{
    int depth = 0;
    for (; node->parent && node->parent->type == XML_ELEMENT_NODE; node = node->parent)
        depth++;
    return depth;
}

/* A new line, as far in as is usual here: a blank for each level. */
static void add_line(xmlNodePtr parent, int depth)
{
    char line[32] = "\n";
    depth = depth < 30 ? depth : 30;
    memset(line + 1, ' ', (size_t)depth);
    line[1 + depth] = 0;
    xmlAddChild(parent, xmlNewText((const xmlChar *)line));
}

/* At the end of what is in the parent, on a line of its own. */
static xmlNodePtr add_element(xmlNodePtr parent, xmlNsPtr ns, const char *name)
{
    const int depth = depth_of(parent);
    while (parent->last && is_blank(parent->last)) {
        xmlNodePtr blank = parent->last;
        xmlUnlinkNode(blank);
        xmlFreeNode(blank);
    }
    add_line(parent, depth + 1);
    xmlNodePtr node = xmlNewChild(parent, ns, (const xmlChar *)name, NULL);
    add_line(parent, depth);
    if (!node)
        exit(1);
    return node;
}

/* The description that our properties go to. */
static xmlNodePtr description(const xmp_tree *tree)
{
    xmlNodePtr node = f0t_xmp_first_element(tree->rdf);
    if (node)
        return node;
    node = add_element(tree->rdf, tree->rdf->ns, "Description");
    xmlNewNsProp(node, tree->rdf->ns, (const xmlChar *)"about", (const xmlChar *)"");
    return node;
}

static xmlNodePtr add_property(const xmp_tree *tree, const f0t_xmp_property *p)
{
    xmlNodePtr parent = description(tree);
    xmlNsPtr ns = xmlSearchNsByHref(tree->doc, parent, (const xmlChar *)p->schema);
    xmlNodePtr node = add_element(parent, ns ? ns : parent->ns, p->name);
    if (!ns)
        xmlSetNs(node, xmlNewNs(node, (const xmlChar *)p->schema, (const xmlChar *)p->prefix));
    return add_element(node, tree->rdf->ns, p->array);
}

static void add_items(const xmp_tree *tree, xmlNodePtr array, const list *add,
                      const f0t_xmp_property *p)
{
    for (size_t i = 0; i < add->count; i++) {
        xmlNodePtr item = add_element(array, tree->rdf->ns, "li");
        xmlChar *text = xmlStrdup((const xmlChar *)add->items[i]);
        if (!text)
            exit(1);
        if (p->slashes)
            f0t_xmp_swap((char *)text);
        xmlAddChild(item, xmlNewText(text));
        xmlFree(text);
    }
}

/* ---- Editing ------------------------------------------------------------------------------------ */

static bool keeps_any(const list *now, const bool *keep)
{
    for (size_t i = 0; i < now->count; i++)
        if (keep[i])
            return true;
    return false;
}

bool xmp_tree_edit(xmp_tree *tree, f0t_xmp_place place, const list *now, const bool *keep,
                   const list *add)
{
    const f0t_xmp_property *p = &f0t_xmp_properties[place];
    f0t_xmp_found found = f0t_xmp_find(tree->rdf, p);
    list items = items_of(&found, p);
    const bool known = list_equals(&items, now), kept = keeps_any(now, keep);
    list_free(&items);
    if (!known)
        return false;
    if (found.array && kept) {
        drop_items(&found, keep);
        add_items(tree, found.array, add, p);
        return true;
    }
    remove_property(&found);
    if (!kept && !add->count)
        return true;
    xmlNodePtr array = add_property(tree, p);
    if (kept) /* it was a single value */
        add_items(tree, array, now, p);
    add_items(tree, array, add, p);
    return true;
}

/* ---- The text ----------------------------------------------------------------------------------- */

static bool has_foreign(const xmp_tree *tree, xmlNodePtr node)
{
    for (; node; node = node->next) {
        if (node == tree->rdf || is_blank(node) || node->type == XML_PI_NODE)
            continue;
        if (node->type != XML_ELEMENT_NODE || !node->children || has_foreign(tree, node->children))
            return true;
    }
    return false;
}

bool xmp_tree_is_plain(const xmp_tree *tree)
{
    for (xmlNodePtr d = tree->rdf->children; d; d = d->next)
        if (!is_blank(d) && (d->type != XML_ELEMENT_NODE || d->children))
            return false;
    return !has_foreign(tree, tree->doc->children);
}

/* Blanks before the mark of the end. */
static void add_padded(answer *to, const char *text, size_t length)
{
    static const char mark[] = "<?xpacket end";
    char blanks[PADDING];
    const char *end = NULL, *next = text;
    while ((next = memmem(next, length - (size_t)(next - text), mark, sizeof mark - 1)))
        end = next++;
    size_t room = length >= SEGMENT ? 0 : SEGMENT - length;
    room = !end ? 0 : room < PADDING ? room : PADDING;
    memset(blanks, ' ', sizeof blanks);
    for (size_t i = 99; i < room; i += 100)
        blanks[i] = '\n';
    const size_t before = end ? (size_t)(end - text) : length;
    answer_add(to, text, before);
    answer_add(to, blanks, room);
    answer_add(to, text + before, length - before);
}

void xmp_tree_write(answer *to, const xmp_tree *tree, bool inside)
{
    xmlBufferPtr buffer = xmlBufferCreate();
    xmlSaveCtxtPtr saver =
        buffer ? xmlSaveToBuffer(buffer, "UTF-8", tree->declared ? 0 : XML_SAVE_NO_DECL) : NULL;
    if (!saver || xmlSaveDoc(saver, tree->doc) < 0 || xmlSaveClose(saver) < 0)
        exit(1);
    const char *text = text_of(xmlBufferContent(buffer));
    const size_t length = (size_t)xmlBufferLength(buffer);
    if (inside)
        add_padded(to, text, length);
    else
        answer_add(to, text, length);
    xmlBufferFree(buffer);
}
