/*
 * XML of an XMP packet, read in the library itself: what is made to take libxml2 long is refused by a look at the text,
 * before it is parsed.
 */
#ifndef F0T_IMAGE_XMP_PARSE_H
#define F0T_IMAGE_XMP_PARSE_H

#include "base/status.h"

#include <libxml/tree.h>

/* *out is NULL where it is no UTF-8, no XML, has no rdf:RDF, has a document type, or is made to take long. Fails only
 * for want of memory. To be freed with xmlFreeDoc; its _private is rdf:RDF. */
f0t_status f0t_xmp_parse(xmlDocPtr *out, const char *text, size_t length);
/* Whether nothing at its beginning says that it is in another encoding than UTF-8. */
bool f0t_xmp_says_utf8(const char *text, size_t length);

#endif
