#include "word/form.h"

#include "base/alloc.h"
#include "word/normal.h"

#include <string.h>

enum { WORDS_MOST = 3, LENGTH_MOST = 40 };

const char *f0t_flaw_name(f0t_flaw flaw)
{
    static const char *const names[F0T_FLAWS] = {"kept",
                                                 "that are no words",
                                                 "about the file",
                                                 "about keeping files",
                                                 "in the collection's own list",
                                                 "without a word vector",
                                                 "on too many pictures",
                                                 "on too few pictures"};
    return names[flaw];
}

/* ---- One tag: its forms ---------------------------------------------------------------------- */

static bool is_punctuation(char c)
{
    return c > 0 && strchr(" .,;:!?\"'`#*+-_=~^|/\\<>()[]{}&", c) != NULL;
}

f0t_status f0t_clean_whole(f0t_texts *out, const char *text, size_t length)
{
    f0t_word_text key;
    f0t_status status = f0t_normal_key(&key, text, length);
    if (status == F0T_ERROR_FORMAT) /* no UTF-8, or longer than any tag: nothing to learn from */
        return F0T_OK;
    F0T_TRY(status);
    const char *begin = key.data, *end = key.data + key.length;
    while (begin < end && is_punctuation(*begin))
        begin++;
    while (end > begin && is_punctuation(end[-1]))
        end--;
    if (begin < end)
        status = f0t_texts_add(out, begin, (size_t)(end - begin));
    f0t_free(key.data);
    return status;
}

f0t_status f0t_clean_form(f0t_texts *out, const char *tag, size_t length)
{
    for (size_t begin = 0, end; begin <= length; begin = end + 1) {
        end = begin;
        while (end < length && !strchr(",;", tag[end]))
            end++;
        F0T_TRY(f0t_clean_whole(out, tag + begin, end - begin));
    }
    return F0T_OK;
}

static bool is_plural(const char *plural, const char *singular)
{
    f0t_inflections guesses;
    f0t_singulars(&guesses, plural, strlen(plural));
    for (size_t i = 0; i < guesses.count; i++)
        if (!strcmp(guesses.text[i], singular))
            return true;
    return false;
}

bool f0t_clean_same(const char *a, const char *b)
{
    return !strcmp(a, b) || is_plural(a, b) || is_plural(b, a);
}

/* ---- Words that are no tags ------------------------------------------------------------------ */

/* Words that say nothing about what a picture shows, in anyone's collection. In the form of
 * f0t_clean_form, singular; plurals are looked up by it. Of each kind there are two lists: words that nobody
 * means in any other way, and words that a person may mean. */

/* About the file: its type, the program or camera, how it came about, its licence. */
static const char *const file_words[] = {
    "bmp",      "corel draw", "coreldraw", "dcim",     "dsc",          "dscf",        "dscn",
    "eps",      "gif",        "gimp",      "heic",     "image magick", "imagemagick", "img",
    "inkscape", "jpeg",       "jpg",       "magick",   "openclipart",  "pdf",         "photoshop",
    "png",      "potrace",    "psd",       "sodipodi", "svg",          "tif",         "tiff",
    "webp",     "xcf",        "xml"};
static const char *const medium_words[] = {
    "ai",       "bitmap",  "clip art",      "clipart",      "copyright",     "creative commons",
    "file",     "graphic", "illustrator",   "image",        "licence",       "license",
    "line art", "lineart", "open clip art", "open clipart", "photo",         "photograph",
    "pic",      "picture", "pixel",         "ps",           "public domain", "raster",
    "raw",      "scan",    "screenshot",    "vector",       "vector art",    "vector graphic"};

/* Of somebody, or a program, who keeps files in order. */
static const char *const keeping_words[] = {
    "etc",       "hash",    "misc",     "miscellaneous", "null",          "tagme",
    "temp",      "tmp",     "to do",    "todo",          "uncategorised", "uncategorized",
    "undefined", "unnamed", "unsorted", "untitled"};
static const char *const sorting_words[] = {
    "category", "default", "download", "example", "favorite", "favourite",
    "import",   "keyword", "new",      "none",    "other",    "sample",
    "tag",      "test",    "unknown",  "upload",  "uploaded", "various"};

/* ---- One tag: what is wrong with it ---------------------------------------------------------- */

/* Of a form: lower case, or not ASCII. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

/* Letters, single spaces and what stands inside of words: all else is a number, a code, an address or
 * the name of a file. */
static bool is_wordlike(const char *form)
{
    size_t words = 1, letters = 0, length = strlen(form);
    for (const char *c = form; *c; c++) {
        const bool letter = is_letter(*c);
        if (!letter && *c != ' ' && *c != '\'' && *c != '-')
            return false;
        letters += letter;
        words += *c == ' ';
    }
    return letters > 1 && words <= WORDS_MOST && length <= LENGTH_MOST;
}

static bool is_among(const char *const *words, size_t count, const char *text, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == length && !memcmp(words[i], text, length))
            return true;
    return false;
}

/* The form, or what it is the plural of. */
#define AMONG(list, form)                                                 \
    (is_among(list, sizeof(list) / sizeof *(list), form, strlen(form)) || \
     is_among(list, sizeof(list) / sizeof *(list), form, without_s(form)))

static size_t without_s(const char *form)
{
    const size_t length = strlen(form);
    return length > 1 && form[length - 1] == 's' ? length - 1 : length;
}

static bool is_listed(const f0t_clean_list *list, const char *form)
{
    for (size_t i = 0; list && i < list->count; i++) {
        const size_t length = strlen(list->drop[i]);
        const bool all = length && list->drop[i][length - 1] == '*';
        if (all ? !strncmp(form, list->drop[i], length - 1) : !strcmp(form, list->drop[i]))
            return true;
    }
    return false;
}

f0t_flaw f0t_clean_flaw(const char *form, const f0t_clean_list *list)
{
    if (is_listed(list, form))
        return F0T_FLAW_LISTED;
    if (!is_wordlike(form))
        return F0T_FLAW_FORM;
    if (AMONG(file_words, form) || AMONG(medium_words, form))
        return F0T_FLAW_FILE;
    if (AMONG(keeping_words, form) || AMONG(sorting_words, form))
        return F0T_FLAW_KEEPING;
    return F0T_FLAW_NONE;
}

/* ---- One tag: whether a person wrote it ------------------------------------------------------ */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A number, a date, a sign, one letter. */
static bool has_no_word(const char *form)
{
    size_t letters = 0;
    for (const char *c = form; *c; c++)
        letters += is_letter(*c);
    return letters == 0 || (letters == 1 && !form[1]);
}

/* "img 1234", "dsc01234", "p1010123": what cameras and telephones call their files. */
static bool is_camera_name(const char *form)
{
    static const char *const prefixes[] = {"cimg", "dsc", "dscf", "dscn", "gopr", "hpim", "img",
                                           "imgp", "mov", "mvi",  "pict", "pxl",  "vid",  "wp"};
    const char *c = form;
    size_t digits = 0;
    while (is_letter(*c))
        c++;
    const size_t before = (size_t)(c - form);
    const bool known = is_among(prefixes, sizeof prefixes / sizeof *prefixes, form, before);
    for (; is_digit(*c) || *c == ' '; c++)
        digits += *c != ' ';
    return !*c && ((known && digits >= 3) || (before == 1 && *form == 'p' && digits == 7));
}

/* "holiday.jpg": a word of file_words after the last point. */
static bool is_file_name(const char *form)
{
    const char *point = strrchr(form, '.');
    return point && point > form && AMONG(file_words, point + 1);
}

static bool is_address(const char *form)
{
    const char *at = strchr(form, '@');
    return strstr(form, "://") || !strncmp(form, "www.", 4) || (at && at > form && strchr(at, '.'));
}

/* "3f2504e0 4f89 11d3", "hash(0x84a3)": what programs number things with. */
static bool is_code(const char *form)
{
    size_t digits = 0, length = 0;
    if (strstr(form, "(0x"))
        return true;
    for (const char *c = form; *c; c++, length++) {
        if (!is_digit(*c) && !(*c >= 'a' && *c <= 'f') && *c != ' ')
            return false;
        digits += is_digit(*c);
    }
    return length >= 8 && 3 * digits >= length;
}

bool f0t_clean_is_no_word(const char *form)
{
    return has_no_word(form) || is_camera_name(form) || is_file_name(form) || is_address(form) ||
           is_code(form) || AMONG(file_words, form) || AMONG(keeping_words, form);
}

/* ---- Two forms of one word -------------------------------------------------------------------- */

size_t f0t_clean_singulars(uint32_t found[F0T_INFLECT_MOST], const f0t_names *forms, uint32_t i)
{
    char text[F0T_INFLECT_LENGTH * 4];
    const char *name = f0t_names_get(forms, i), *space = strrchr(name, ' ');
    const size_t begin = space ? (size_t)(space + 1 - name) : 0;
    size_t count = 0;
    f0t_inflections singulars;
    f0t_singulars(&singulars, name + begin, strlen(name) - begin);
    for (size_t k = 0; k < singulars.count; k++) {
        const size_t length = strlen(singulars.text[k]);
        if (begin + length >= sizeof text)
            continue;
        memcpy(text, name, begin);
        memcpy(text + begin, singulars.text[k], length);
        count += f0t_names_find(&found[count], forms, text, begin + length) && found[count] != i;
    }
    return count;
}

bool f0t_clean_joined(uint32_t *out, const f0t_names *forms, uint32_t i)
{
    char text[F0T_INFLECT_LENGTH * 4];
    const char *name = f0t_names_get(forms, i);
    size_t length = 0;
    for (const char *c = name; *c; c++)
        if (*c != ' ') {
            if (length == sizeof text)
                return false;
            text[length++] = *c;
        }
    return strchr(name, ' ') && f0t_names_find(out, forms, text, length);
}
