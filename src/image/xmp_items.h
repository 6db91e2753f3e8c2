/*
 * Where keywords are in the XML of an XMP packet. The process that changes packets edits these places, and the library
 * looks there, whether it did what it was asked for, and nothing else.
 */
#ifndef F0T_IMAGE_XMP_ITEMS_H
#define F0T_IMAGE_XMP_ITEMS_H

#include <libxml/tree.h>
#include <stdbool.h>

#define F0T_XMP_RDF "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
#define F0T_XMP_OWN "urn:fast0tag:xmp:1.0/"
#define F0T_XMP_LIGHTROOM "http://ns.adobe.com/lightroom/1.0/"
#define F0T_XMP_DIGIKAM_NS "http://www.digikam.org/ns/1.0/"
#define F0T_XMP_MICROSOFT_NS "http://ns.microsoft.com/photo/1.0/"

typedef enum f0t_xmp_place {
    F0T_XMP_SUBJECT, /* dc:subject: words */
    F0T_XMP_HIERARCHY,
    F0T_XMP_DIGIKAM,
    F0T_XMP_LISTS,                  /* so many */
    F0T_XMP_RECORD = F0T_XMP_LISTS, /* what we put into the first of them, and so on */
    F0T_XMP_OURS = F0T_XMP_RECORD +
                   F0T_XMP_LISTS, /* the tags that we gave; what else we put is carried over */
    F0T_XMP_REJECTED,             /* what somebody took away, and is not to come again */
    F0T_XMP_CREATED,              /* one item where there was no packet before us */
    F0T_XMP_MICROSOFT,            /* what Windows and digiKam write beside the others: read alone */
    F0T_XMP_PLACES
} f0t_xmp_place;

typedef struct f0t_xmp_property {
    const char *schema, *prefix, *name, *array;
    const char *source; /* what replies call it */
    bool slashes;       /* paths have "/" here, and "|" may be part of a word */
} f0t_xmp_property;

extern const f0t_xmp_property f0t_xmp_properties[F0T_XMP_PLACES];

/* Where a property's value is. XMP allows one of these (XMP specification, part 1, 7.4 to 7.9). */
typedef struct f0t_xmp_found {
    xmlAttrPtr attribute; /* of a description */
    xmlNodePtr element;   /* in a description: simple, or with an array */
    xmlNodePtr array;     /* rdf:Bag, rdf:Seq or rdf:Alt in that */
} f0t_xmp_found;

bool f0t_xmp_is_named(const xmlNode *node, const char *schema, const char *name);
xmlNodePtr f0t_xmp_first_element(const xmlNode *parent);
/* rdf:RDF, or NULL. */
xmlNodePtr f0t_xmp_find_rdf(const xmlDoc *doc);
f0t_xmp_found f0t_xmp_find(const xmlNode *rdf, const f0t_xmp_property *p);
/* Calls `visit` with each item, whose paths have "|". False where it said so, or there is no memory. */
bool f0t_xmp_visit(const f0t_xmp_found *found, const f0t_xmp_property *p,
                   bool (*visit)(void *context, const char *text), void *context);
/* "a/b" from "a|b" and back: how the two kinds of path are written. */
void f0t_xmp_swap(char *text);

#endif
