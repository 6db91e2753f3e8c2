#include "import/mulan_xml.h"

#include "base/alloc.h"
#include "io/text.h"

#include <libxml/parser.h>
#include <string.h>

/* libxml2 compares each attribute of a tag with all others, and takes in no tag or comment before its
 * end is there. So it gets its text in small pieces: what it holds back shows how long a tag is. */
enum { CHUNK = 1 << 14, TAG_LONGEST = 1 << 16, ATTRIBUTES_MOST = 64 };

typedef struct reading {
    f0t_names *labels;
    const char *name;
    xmlParserCtxtPtr parser;
    f0t_status status;
} reading;

static void stop(reading *r, f0t_status status)
{
    r->status = status;
    xmlStopParser(r->parser);
}

#define stop_here(r, format, ...)                                     \
    stop((r), f0t_fail(F0T_ERROR_FORMAT, "%s:%d: " format, (r)->name, \
                       xmlSAX2GetLineNumber((r)->parser), __VA_ARGS__))

/* Comes before any declaration in it is read. */
static void on_document_type(void *context, const xmlChar *name, const xmlChar *external,
                             const xmlChar *system)
{
    (void)name, (void)external, (void)system;
    stop_here((reading *)context, "%s", "a DOCTYPE is not accepted");
}

/* As long as entities are not replaced, libxml2 writes "&#38;" for each "&" of a value. */
static size_t restore_ampersands(char *text, size_t length)
{
    static const char written[] = "&#38;";
    const size_t width = sizeof written - 1;
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        text[n++] = text[i];
        if (length - i >= width && !memcmp(text + i, written, width))
            i += width - 1;
    }
    return n;
}

static void enter_label(reading *r, const char *text, size_t length)
{
    uint32_t index;
    bool added;
    f0t_text_trim(&text, &length);
    if (!length || f0t_text_fault(text, length) || memchr(text, '\t', length)) {
        stop_here(r, "%s", "a label's name is empty or has control characters");
        return;
    }
    f0t_status status = f0t_names_add(r->labels, text, length, &index, &added);
    if (status != F0T_OK)
        stop(r, status);
    else if (!added)
        stop_here(r, "the label '%.60s' is there twice", f0t_names_get(r->labels, index));
}

static void add_label(reading *r, const char *text, size_t length)
{
    char *copy;
    f0t_status status = f0t_string_copy(&copy, text, length);
    if (status != F0T_OK) {
        stop(r, status);
        return;
    }
    enter_label(r, copy, restore_ampersands(copy, length));
    f0t_free(copy);
}

/* libxml2 gives an attribute as five pointers: name, prefix, namespace, value, its end. */
static void on_element(void *context, const xmlChar *name, const xmlChar *prefix,
                       const xmlChar *space, int namespaces, const xmlChar **namespace_list,
                       int count, int defaulted, const xmlChar **attributes)
{
    reading *r = context;
    (void)prefix, (void)space, (void)namespace_list, (void)defaulted;
    if (r->status != F0T_OK)
        return;
    if (count > ATTRIBUTES_MOST || namespaces > ATTRIBUTES_MOST) {
        stop_here(r, "an element has more than %d attributes", ATTRIBUTES_MOST);
        return;
    }
    if (!strcmp((const char *)name, "labels"))
        return;
    if (strcmp((const char *)name, "label") != 0) {
        stop_here(r, "<%.40s>: only <labels> and <label> are known", (const char *)name);
        return;
    }
    for (int i = 0; i < count; i++)
        if (!strcmp((const char *)attributes[5 * i], "name")) {
            const char *value = (const char *)attributes[5 * i + 3];
            add_label(r, value, (size_t)((const char *)attributes[5 * i + 4] - value));
            return;
        }
    stop_here(r, "%s", "a label has no name");
}

static int parse_chunk(reading *r, const char *data, size_t size)
{
    int failed = xmlParseChunk(r->parser, data, (int)size, 0);
    const xmlParserInput *input = r->parser->input;
    if (!failed && r->status == F0T_OK && input && input->end - input->cur > TAG_LONGEST)
        stop_here(r, "a tag or comment is longer than %d bytes", TAG_LONGEST);
    return failed;
}

static f0t_status parse(reading *r, const char *data, size_t size)
{
    int failed = 0;
    for (size_t at = 0; at < size && !failed && r->status == F0T_OK; at += CHUNK)
        failed = parse_chunk(r, data + at, size - at < CHUNK ? size - at : CHUNK);
    if (!failed && r->status == F0T_OK)
        failed = xmlParseChunk(r->parser, "", 0, 1);
    if (r->status != F0T_OK)
        return r->status;
    if (!failed)
        return F0T_OK;
    const xmlError *error = xmlCtxtGetLastError(r->parser);
    if (error && error->code == XML_ERR_NO_MEMORY)
        return f0t_fail(F0T_ERROR_MEMORY, "%s: no memory to read it", r->name);
    char message[200];
    snprintf(message, sizeof message, "%s", error && error->message ? error->message : "not XML");
    message[strcspn(message, "\n")] = '\0';
    return f0t_fail(F0T_ERROR_FORMAT, "%s:%d: %s", r->name, error ? error->line : 0, message);
}

f0t_status f0t_mulan_xml_read(f0t_names *labels, const char *data, size_t size, const char *name)
{
    /* Only what is set here is called: no tree, no entities, nothing printed. */
    xmlSAXHandler handler = {.initialized = XML_SAX2_MAGIC,
                             .internalSubset = on_document_type,
                             .startElementNs = on_element};
    reading r = {.labels = labels, .name = name};
    r.parser = xmlCreatePushParserCtxt(&handler, &r, NULL, 0, NULL);
    if (!r.parser)
        return f0t_fail(F0T_ERROR_MEMORY, "%s: no memory to read it", name);
    xmlCtxtUseOptions(r.parser, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    f0t_status status = parse(&r, data, size);
    xmlFreeParserCtxt(r.parser);
    if (status == F0T_OK && !f0t_names_count(labels))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: names no label", name);
    return status;
}
