#include "image/xmp_parse.h"

#include "image/protocol.h"
#include "image/xmp_items.h"

#include <libxml/parser.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <utf8proc.h>

/* Bytes of a tag; and comparisons of names: libxml2 compares each attribute of a tag with all others of it, and
 * looks for each prefix among all that are declared, from the inside out. */
enum { TAG_MOST = 1 << 18, WORK_MOST = 100000000 };

/* ---- Encodings --------------------------------------------------------------------------------------- */

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

bool f0t_xmp_says_utf8(const char *text, size_t length)
{
    const char *end = text + length;
    if (length > 3 && !memcmp(text, "\xEF\xBB\xBF", 3))
        text += 3;
    if (end - text < 6 || memcmp(text, "<?xml", 5) != 0 || !strchr(" \t\r\n", text[5]))
        return true;
    const char *stop = memmem(text, (size_t)(end - text), "?>", 2);
    const char *word = stop ? memmem(text, (size_t)(stop - text), "encoding", 8) : NULL;
    if (!word)
        return stop;
    for (word += 8; word < stop && strchr("= \t\r\n\"'", *word);)
        word++;
    return stop - word >= 6 && !strncasecmp(word, "UTF-8", 5) && strchr("\"'", word[5]);
}

/* ---- Text that takes long ---------------------------------------------------------------------------- */

/* What was seen of a text: how many prefixes were declared, how deep it is, what parsing will take. */
typedef struct scan {
    const char *end;
    uint64_t declared, depth, work;
} scan;

static bool begins(const char *at, const char *end, const char *with)
{
    const size_t length = strlen(with);
    return (size_t)(end - at) >= length && !memcmp(at, with, length);
}

static bool is_declaration(const char *at, const char *end)
{
    return strchr(" \t\r\n", at[-1]) && begins(at, end, "xmlns");
}

/* After the tag that begins at `at`; NULL where it has no end or is too long. */
static const char *skip_tag(scan *s, const char *at)
{
    char quote = 0;
    uint64_t attributes = 0;
    const char *c = at + 1, *end = s->end - at > TAG_MOST ? at + TAG_MOST : s->end;
    for (; c < end && *c != '<' && (quote || *c != '>'); c++) {
        if (quote ? *c == quote : *c == '"' || *c == '\'')
            quote = quote ? 0 : *c;
        else if (!quote && *c == '=')
            attributes++;
        else if (!quote && is_declaration(c, end))
            s->declared++;
    }
    if (c == end || *c != '>')
        return NULL;
    if (at[1] == '/')
        s->depth -= s->depth > 0;
    else if (c[-1] != '/')
        s->depth++;
    s->work += attributes * attributes + (1 + attributes) * (s->declared + s->depth);
    return c + 1;
}

/* After the comment, CDATA section, instruction or tag; a document type, say, is none of these. */
static const char *skip_markup(scan *s, const char *at)
{
    static const struct {
        const char *begin, *end;
    } others[] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (begins(at, s->end, others[i].begin)) {
            const char *in = at + strlen(others[i].begin);
            const size_t length = strlen(others[i].end);
            const char *stop = memmem(in, (size_t)(s->end - in), others[i].end, length);
            return stop ? stop + length : NULL;
        }
    return begins(at, s->end, "<!") ? NULL : skip_tag(s, at);
}

static bool is_soon_read(const char *text, size_t length)
{
    scan s = {.end = text + length};
    for (const char *at = text; (at = memchr(at, '<', (size_t)(s.end - at)));)
        if (!(at = skip_markup(&s, at)) || s.work > WORK_MOST)
            return false;
    return true;
}

/* ---- Parsing ------------------------------------------------------------------------------------------ */

static void start_parser(void)
{
    xmlInitParser();
}

static bool lacks_memory(void)
{
    const xmlError *last = xmlGetLastError();
    return last && last->code == XML_ERR_NO_MEMORY;
}

f0t_status f0t_xmp_parse(xmlDocPtr *out, const char *text, size_t length)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    *out = NULL;
    while (length && !text[length - 1]) /* some programs fill up with zeros */
        length--;
    if (length > 2 * (size_t)F0T_PICTURE_TEXT_MAX || !is_utf8(text, length) ||
        !is_soon_read(text, length))
        return F0T_OK;
    pthread_once(&once, start_parser);
    xmlResetLastError();
    xmlDocPtr doc = xmlReadMemory(text, (int)length, NULL, "UTF-8",
                                  XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (!doc)
        return lacks_memory() ? f0t_fail(F0T_ERROR_MEMORY, "no memory for its XMP") : F0T_OK;
    doc->_private = doc->intSubset ? NULL : f0t_xmp_find_rdf(doc);
    if (doc->_private)
        *out = doc;
    else
        xmlFreeDoc(doc);
    return F0T_OK;
}
