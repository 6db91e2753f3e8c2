#include "image/keywords.h"

#include "base/alloc.h"
#include "image/keyword_path.h"
#include "image/protocol.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

f0t_status f0t_sidecar_path(char **out, const char *path, bool plain)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const bool has_ending = dot && (!slash || dot > slash + 1) && dot > path;
    const size_t kept = plain && has_ending ? (size_t)(dot - path) : strlen(path);
    F0T_TRY(f0t_alloc(out, kept + sizeof ".xmp", 1));
    memcpy(*out, path, kept);
    memcpy(*out + kept, ".xmp", sizeof ".xmp");
    return F0T_OK;
}

/* ---- Lines of a worker ------------------------------------------------------------------------------- */

/* Adds the text without its capitals, of ASCII, to the names: which number it has, and whether it is new. Lists of
 * keywords come from strangers: to compare each with all others would take minutes. */
static f0t_status add_folded(uint32_t *index, bool *added, f0t_names *names, const char *text,
                             size_t length)
{
    char *folded;
    F0T_TRY(f0t_alloc(&folded, length + 1, 1));
    for (size_t i = 0; i < length; i++)
        folded[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
    f0t_status status = f0t_names_add(index, added, names, folded, length);
    f0t_free(folded);
    return status;
}

const char *f0t_keyword_leaf(const char *keyword)
{
    const char *bar = strrchr(keyword, '|');
    return bar ? bar + 1 : keyword;
}

static f0t_status find_firsts(size_t *firsts, size_t *of_leaf, f0t_names *leaves,
                              const f0t_texts *keywords)
{
    for (size_t i = 0; i < keywords->count; i++) {
        const char *leaf = f0t_keyword_leaf(f0t_texts_get(keywords, i));
        uint32_t index;
        bool added;
        F0T_TRY(add_folded(&index, &added, leaves, leaf, strlen(leaf)));
        if (added)
            of_leaf[index] = i;
        firsts[i] = of_leaf[index];
    }
    return F0T_OK;
}

f0t_status f0t_keyword_firsts(size_t *firsts, const f0t_texts *keywords)
{
    f0t_names leaves = {0};
    size_t *of_leaf;
    F0T_TRY(f0t_alloc(&of_leaf, keywords->count + 1, sizeof *of_leaf));
    f0t_status status = find_firsts(firsts, of_leaf, &leaves, keywords);
    f0t_names_free(&leaves);
    f0t_free(of_leaf);
    return status;
}

/* What is gathered, and whether copies that we made count. */
typedef struct gathering {
    f0t_texts *out;
    f0t_worker *worker;
    bool copies;
    f0t_keyword_source *sources; /* of those in `out`; NULL: nobody asks */
    f0t_keyword_source source;   /* of the line that is read */
    bool in_sidecar;
    f0t_removed_tags *removed; /* NULL: nobody asks */
    f0t_names seen;            /* those in `out`, without capitals */
} gathering;

static bool is_source(const char *line, size_t length, const char *name)
{
    return strlen(name) == length && !memcmp(line, name, length);
}

static f0t_status add_keyword(gathering *g, const char *text, size_t length)
{
    uint32_t index;
    bool added;
    if (!length)
        return F0T_OK;
    F0T_TRY(add_folded(&index, &added, &g->seen, text, length));
    if (!added)
        return F0T_OK;
    if (g->out->count == F0T_PICTURE_KEYWORDS_MAX)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "more than %u keywords", F0T_PICTURE_KEYWORDS_MAX);
    if (g->sources)
        g->sources[g->out->count] = g->source;
    return f0t_texts_add(g->out, text, length);
}

/* "Places/Europe/Paris" of a list that has words, as the path that it is. */
static f0t_status add_slashed(gathering *g, const char *text, size_t length)
{
    char *path;
    F0T_TRY(f0t_string_copy(&path, text, length));
    for (char *c = path; *c; c++)
        *c = *c == '/' ? '|' : *c;
    f0t_status status = add_keyword(g, path, length);
    f0t_free(path);
    return status;
}

static bool has_words(const char *line, size_t source)
{
    return is_source(line, source, "xmp") || is_source(line, source, "iptc") ||
           is_source(line, source, "svg");
}

static f0t_status add_line(gathering *g, const char *line, size_t length)
{
    const char *tab = memchr(line, '\t', length);
    if (!tab)
        return F0T_OK;
    const size_t source = (size_t)(tab - line);
    const char *text = tab + 1;
    length -= source + 1;
    if (is_source(line, source, "removed"))
        return g->removed ? f0t_texts_add(&g->removed->words, text, length) : F0T_OK;
    if (is_source(line, source, "ours") || (is_source(line, source, "carried") && !g->copies))
        return F0T_OK;
    return has_words(line, source) && f0t_keyword_is_slashed(text, length)
               ? add_slashed(g, text, length)
               : add_keyword(g, text, length);
}

static f0t_keyword_source source_of(const gathering *g, const char *line, size_t length)
{
    const char *tab = memchr(line, '\t', length);
    const size_t source = tab ? (size_t)(tab - line) : 0;
    return g->in_sidecar                     ? F0T_KEYWORD_SIDECAR
           : is_source(line, source, "iptc") ? F0T_KEYWORD_IPTC
           : is_source(line, source, "svg")  ? F0T_KEYWORD_SVG
                                             : F0T_KEYWORD_XMP;
}

static f0t_status add_lines(gathering *g, const char *text, size_t length)
{
    const char *end = text + length, *stop;
    size_t lines = 0;
    for (; text < end && (stop = memchr(text, '\n', (size_t)(end - text))); text = stop + 1) {
        if (lines++ == F0T_PICTURE_KEYWORDS_MAX) /* its process knows that, too */
            return f0t_fail(F0T_ERROR_UNSUPPORTED, "more than %u keywords",
                            F0T_PICTURE_KEYWORDS_MAX);
        g->source = source_of(g, text, (size_t)(stop - text));
        F0T_TRY(add_line(g, text, (size_t)(stop - text)));
    }
    return F0T_OK;
}

static f0t_status add_file(gathering *g, const char *path)
{
    const char *text;
    size_t length;
    const size_t removed = g->removed ? g->removed->words.count : 0;
    F0T_TRY(f0t_worker_keywords(&text, &length, g->worker, path));
    f0t_status status = add_lines(g, text, length);
    struct stat info;
    if (g->removed && g->removed->words.count > removed && stat(path, &info) == 0 &&
        info.st_mtime > g->removed->at)
        g->removed->at = info.st_mtime;
    return status == F0T_ERROR_UNSUPPORTED ? f0t_fail_prefix(status, "%s: ", path) : status;
}

/* ---- A picture and its sidecars ---------------------------------------------------------------------- */

/* One that could not be looked at may be none, as opening it tells; so may one that is gone since. */
static f0t_status add_sidecar(gathering *g, const char *path)
{
    f0t_status status = f0t_path_exists(path) ? add_file(g, path) : F0T_OK;
    return status == F0T_ERROR_NOT_FOUND ? F0T_OK : status;
}

static f0t_status add_all(gathering *g, const char *path)
{
    F0T_TRY(add_file(g, path));
    g->in_sidecar = true;
    for (int plain = 0; plain < 2; plain++) {
        char *sidecar;
        F0T_TRY(f0t_sidecar_path(&sidecar, path, plain));
        f0t_status status = add_sidecar(g, sidecar);
        f0t_free(sidecar);
        F0T_TRY(status);
    }
    return F0T_OK;
}

/* What is in `out` already counts. */
static f0t_status gather(gathering *g, const char *path)
{
    f0t_status status = F0T_OK;
    uint32_t index;
    for (size_t i = 0; i < g->out->count && status == F0T_OK; i++)
        status = add_folded(&index, NULL, &g->seen, f0t_texts_get(g->out, i),
                            f0t_texts_length(g->out, i));
    if (status == F0T_OK)
        status = add_all(g, path);
    f0t_names_free(&g->seen);
    return status;
}

f0t_status f0t_keywords_read(f0t_texts *out, f0t_worker *worker, const char *path, bool copies)
{
    return gather(&(gathering){.out = out, .worker = worker, .copies = copies}, path);
}

f0t_status f0t_keywords_read_sources(f0t_texts *out, f0t_keyword_source *sources,
                                     f0t_removed_tags *removed, f0t_worker *worker,
                                     const char *path, bool copies)
{
    return gather(
        &(gathering){
            .out = out, .worker = worker, .copies = copies, .sources = sources, .removed = removed},
        path);
}
