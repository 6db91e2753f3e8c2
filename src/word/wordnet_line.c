#include "word/wordnet_line.h"

#include "io/text.h"

#include <string.h>

f0t_wordnet_line f0t_wordnet_line_begin(const f0t_wordnet_file *file)
{
    return (f0t_wordnet_line){
        .name = file->name, .next = file->text, .file_end = file->text + file->size};
}

static bool is_skipped(const f0t_wordnet_line *line)
{
    return line->at == line->end || (line->end - line->at >= 2 && memcmp(line->at, "  ", 2) == 0);
}

bool f0t_wordnet_line_next(f0t_wordnet_line *line)
{
    do {
        if (line->next == line->file_end)
            return false;
        const char *end = memchr(line->next, '\n', (size_t)(line->file_end - line->next));
        line->at = line->next;
        line->end = end ? end : line->file_end;
        line->next = end ? end + 1 : line->file_end;
        line->number++;
        if (line->end > line->at && line->end[-1] == '\r')
            line->end--;
    } while (is_skipped(line));
    return true;
}

f0t_status f0t_wordnet_line_fail(const f0t_wordnet_line *line, const char *what)
{
    return f0t_fail(F0T_ERROR_FORMAT, "%s:%llu: %s", line->name, (unsigned long long)line->number,
                    what);
}

f0t_status f0t_wordnet_line_field(f0t_wordnet_line *line, f0t_wordnet_field *out, const char *what)
{
    while (line->at < line->end && *line->at == ' ')
        line->at++;
    out->text = line->at;
    while (line->at < line->end && *line->at != ' ')
        line->at++;
    out->length = (size_t)(line->at - out->text);
    if (out->length == 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s:%llu: the line ends before its %s", line->name,
                        (unsigned long long)line->number, what);
    return F0T_OK;
}

static unsigned digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 99;
}

f0t_status f0t_wordnet_line_number(f0t_wordnet_line *line, uint32_t *out, unsigned base,
                                   uint32_t most, const char *what)
{
    f0t_wordnet_field field;
    uint64_t value = 0;
    F0T_TRY(f0t_wordnet_line_field(line, &field, what));
    for (size_t i = 0; i < field.length; i++) {
        value = value * base + digit(field.text[i]);
        if (digit(field.text[i]) >= base || value > most)
            return f0t_fail(F0T_ERROR_FORMAT, "%s:%llu: '%.*s' is no %s of at most %u", line->name,
                            (unsigned long long)line->number,
                            field.length < 40 ? (int)field.length : 40, field.text, what, most);
    }
    *out = (uint32_t)value;
    return F0T_OK;
}

f0t_status f0t_wordnet_line_pos(f0t_wordnet_line *line, f0t_pos *out)
{
    static const char letters[] = "nvasr";
    static const f0t_pos parts[] = {F0T_NOUN, F0T_VERB, F0T_ADJECTIVE, F0T_ADJECTIVE, F0T_ADVERB};
    f0t_wordnet_field field;
    F0T_TRY(f0t_wordnet_line_field(line, &field, "part of speech"));
    const char *at = field.length == 1 && *field.text ? strchr(letters, *field.text) : NULL;
    if (!at)
        return f0t_wordnet_line_fail(line, "the part of speech is not n, v, a, s or r");
    *out = parts[at - letters];
    return F0T_OK;
}

f0t_status f0t_wordnet_line_lemma(f0t_wordnet_line *line, char *out, size_t *length)
{
    f0t_wordnet_field field;
    F0T_TRY(f0t_wordnet_line_field(line, &field, "lemma"));
    if (field.length >= F0T_LEMMA_MOST)
        return f0t_wordnet_line_fail(line, "a lemma of over 255 bytes");
    if (!f0t_text_is_word(field.text, field.length))
        return f0t_wordnet_line_fail(line, "the lemma is not UTF-8");
    for (size_t i = 0; i < field.length; i++)
        out[i] = (char)(field.text[i] == '_' ? ' ' : field.text[i]);
    *length = field.length;
    return F0T_OK;
}
