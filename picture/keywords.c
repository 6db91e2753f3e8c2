/* The keywords of IPTC and of SVG's metadata. */
#include "picture.h"

#include <libxml/xmlreader.h>
#include <string.h>

void answer_keyword(answer *to, const char *source, const char *text, size_t length)
{
    while (length && (unsigned char)text[length - 1] <= ' ')
        length--;
    while (length && (unsigned char)*text <= ' ') {
        text++;
        length--;
    }
    if (to->status != F0T_OK || !length || memchr(text, '\n', length) ||
        memchr(text, '\t', length) || memchr(text, 0, length))
        return;
    if (to->keywords++ == F0T_PICTURE_KEYWORDS_MAX) {
        answer_fail(to, F0T_ERROR_UNSUPPORTED, "has more than %u keywords",
                    F0T_PICTURE_KEYWORDS_MAX);
        return;
    }
    answer_add(to, source, strlen(source));
    answer_add(to, "\t", 1);
    answer_add(to, text, length);
    answer_add(to, "\n", 1);
}

/* ---- IPTC ---------------------------------------------------------------------------------- */

/* Latin-1, which old programs wrote, as UTF-8. */
static void add_latin1(answer *to, const unsigned char *text, size_t length)
{
    char out[2 * 256];
    size_t used = 0;
    for (size_t i = 0; i < length && used + 2 <= sizeof out; i++) {
        if (text[i] >= 0x80) {
            out[used++] = (char)(0xC0 | text[i] >> 6);
            out[used++] = (char)(0x80 | (text[i] & 0x3F));
        } else {
            out[used++] = (char)text[i];
        }
    }
    answer_keyword(to, "iptc", out, used);
}

static bool is_utf8(const unsigned char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t more = text[i] < 0x80 ? 0 : text[i] >> 5 == 6 ? 1 : text[i] >> 4 == 14 ? 2 : 3;
        if (more == 3 && text[i] >> 3 != 30)
            return false;
        for (size_t k = 1; k <= more; k++)
            if (i + k >= length || text[i + k] >> 6 != 2)
                return false;
        i += more + 1;
    }
    return true;
}

/* Datasets of the Information Interchange Model, version 4, section 1.6: 1C, record, number, two
 * bytes of length; keywords are record 2, number 25, of 64 bytes at most. Around them may be
 * Photoshop's resource blocks, which are passed over byte by byte. */
void keywords_of_iptc(answer *to, const void *data, size_t length)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i + 5 <= length;) {
        const size_t size = (size_t)bytes[i + 3] << 8 | bytes[i + 4];
        if (bytes[i] != 0x1C || bytes[i + 1] < 1 || bytes[i + 1] > 9 || size > length - i - 5) {
            i++;
            continue;
        }
        const unsigned char *text = bytes + i + 5;
        if (bytes[i + 1] == 2 && bytes[i + 2] == 25 && size <= 256) {
            if (is_utf8(text, size))
                answer_keyword(to, "iptc", (const char *)text, size);
            else
                add_latin1(to, text, size);
        }
        i += 5 + size;
    }
}

/* ---- SVG ----------------------------------------------------------------------------------- */

static bool is_element(xmlTextReaderPtr reader, const char *name)
{
    const xmlChar *local = xmlTextReaderConstLocalName(reader);
    return local && !strcmp((const char *)local, name);
}

/* Keywords are <dc:subject><rdf:Bag><rdf:li>…, as Creative Commons and Inkscape write them. */
void keywords_of_svg(answer *to, const void *data, size_t length)
{
    xmlTextReaderPtr reader = xmlReaderForMemory(
        data, (int)length, NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    int subject = 0, depth;
    while (reader && xmlTextReaderRead(reader) == 1) {
        const int type = xmlTextReaderNodeType(reader);
        depth = xmlTextReaderDepth(reader);
        if (subject && depth <= subject)
            subject = 0;
        if (type == XML_READER_TYPE_ELEMENT && is_element(reader, "subject"))
            subject = depth;
        if (type == XML_READER_TYPE_TEXT && subject && depth > subject + 1) {
            const char *text = (const char *)xmlTextReaderConstValue(reader);
            answer_keyword(to, "svg", text, text ? strlen(text) : 0);
        }
    }
    xmlFreeTextReader(reader);
}
