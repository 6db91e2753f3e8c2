/* A text is well-formed XML, asked of libxml2. */
#ifndef F0T_TESTS_XML_H
#define F0T_TESTS_XML_H

#include "support.h"

#include "report/text.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <string.h>

/* How many nodes of the document an XPath expression finds; the document must be well-formed. */
static inline size_t xml_count(const f0t_text *text, const char *path)
{
    assert_int_equal(text->status, F0T_OK);
    xmlDoc *doc = xmlReadMemory(text->bytes, (int)text->size, "test.xml", NULL,
                                XML_PARSE_NOERROR | XML_PARSE_NONET);
    assert_non_null(doc);
    xmlXPathContext *context = xmlXPathNewContext(doc);
    xmlXPathObject *found = xmlXPathEvalExpression((const xmlChar *)path, context);
    assert_non_null(found);
    size_t count = found->nodesetval ? (size_t)found->nodesetval->nodeNr : 0;
    xmlXPathFreeObject(found);
    xmlXPathFreeContext(context);
    xmlFreeDoc(doc);
    return count;
}

#endif
