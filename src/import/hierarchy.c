#include "import/hierarchy.h"

#include "base/alloc.h"
#include "image/keyword_path.h"
#include "image/keywords.h"
#include "image/protocol.h"
#include "io/text.h"

#include <stdio.h>
#include <string.h>

enum { PATH_LONGEST = 2048 };

void f0t_hierarchy_free(f0t_hierarchy *h)
{
    f0t_names_free(&h->roots);
    f0t_names_free(&h->paths);
    f0t_free(h->counts);
    *h = (f0t_hierarchy){0};
}

/* ---- What is a path ------------------------------------------------------------------------------ */

f0t_status f0t_hierarchy_see(f0t_hierarchy *h, const char *keyword)
{
    const char mark = f0t_keyword_is_slashed(keyword, strlen(keyword)) ? '/' : '|';
    const char *end = strchr(keyword, mark);
    uint32_t index;
    return end ? f0t_names_add(&index, NULL, &h->roots, keyword, (size_t)(end - keyword)) : F0T_OK;
}

/* "Places/Paris", where other paths begin with "Places". */
static bool has_root(const f0t_hierarchy *h, const char *keyword)
{
    const char *slash = strchr(keyword, '/');
    uint32_t index;
    return slash && slash[1] && !strchr(slash + 1, '/') && !strchr(keyword, '|') &&
           f0t_names_find(&index, &h->roots, keyword, (size_t)(slash - keyword));
}

/* Adds the keyword as a word or a path with bars, and where levels are learned the paths of its levels. */
static f0t_status expand(const f0t_hierarchy *h, f0t_names *all, const char *keyword)
{
    const size_t length = strlen(keyword);
    const bool slashed = f0t_keyword_is_slashed(keyword, length) || has_root(h, keyword);
    char *path, *bar;
    uint32_t index;
    F0T_TRY(f0t_string_copy(&path, keyword, length));
    for (char *c = path; *c && slashed; c++)
        *c = *c == '/' ? '|' : *c;
    f0t_status status = f0t_names_add(&index, NULL, all, path, length);
    while (status == F0T_OK && h->levels && (bar = strrchr(path, '|')) &&
           f0t_names_count(all) < F0T_PICTURE_KEYWORDS_MAX) {
        *bar = 0;
        if (bar > path)
            status = f0t_names_add(&index, NULL, all, path, (size_t)(bar - path));
    }
    f0t_free(path);
    return status;
}

static f0t_status expand_all(const f0t_hierarchy *h, f0t_names *all, const f0t_texts *keywords)
{
    for (size_t k = 0; k < keywords->count; k++)
        F0T_TRY(expand(h, all, f0t_texts_get(keywords, k)));
    return F0T_OK;
}

f0t_status f0t_hierarchy_words(f0t_names *words, const f0t_hierarchy *h, const f0t_texts *keywords)
{
    f0t_names all = {0};
    uint32_t index;
    f0t_status status = expand_all(h, &all, keywords);
    for (size_t k = 0; k < f0t_names_count(&all) && status == F0T_OK; k++) {
        const char *word = f0t_keyword_leaf(f0t_names_get(&all, k));
        status = f0t_names_add(&index, NULL, words, word, strlen(word));
    }
    f0t_names_free(&all);
    return status;
}

/* ---- Tags ---------------------------------------------------------------------------------------- */

/* The tag of a word; *found is false where no file of lines could hold it. */
static f0t_status enter_tag(uint32_t *tag, bool *found, f0t_collection *collection,
                            const char *word)
{
    f0t_status status = f0t_collection_tag(tag, found, collection, word, strlen(word));
    if (status != F0T_ERROR_FORMAT)
        return status;
    *found = false; /* no UTF-8: no keyword that anything could match */
    return F0T_OK;
}

/* Counts a keyword that is a path, with its last part as the tag is written. */
static f0t_status count_path(f0t_hierarchy *h, const f0t_collection *collection,
                             const char *keyword, uint32_t tag)
{
    char path[PATH_LONGEST];
    uint32_t index;
    bool added;
    const int before = (int)(f0t_keyword_leaf(keyword) - keyword);
    const int length = snprintf(path, sizeof path, "%.*s%s", before, keyword,
                                f0t_names_get(&collection->tags, tag));
    if (!before || length < 0 || (size_t)length >= sizeof path ||
        f0t_text_fault(path, (size_t)length))
        return F0T_OK;
    F0T_TRY(f0t_names_add(&index, &added, &h->paths, path, (size_t)length));
    if (added)
        F0T_TRY(f0t_grow(&h->counts, &h->counts_capacity, index, 1, sizeof *h->counts));
    h->counts[index] = added ? 1 : h->counts[index] + 1;
    return F0T_OK;
}

static f0t_status add_all(f0t_hierarchy *h, f0t_collection *collection, const f0t_texts *keywords,
                          const size_t *firsts)
{
    for (size_t k = 0; k < keywords->count; k++) {
        const size_t first = firsts[k];
        uint32_t tag;
        bool found;
        F0T_TRY(
            enter_tag(&tag, &found, collection, f0t_keyword_leaf(f0t_texts_get(keywords, first))));
        if (found && first == k)
            F0T_TRY(f0t_rows_add(&collection->rows, tag));
        if (found)
            F0T_TRY(count_path(h, collection, f0t_texts_get(keywords, k), tag));
    }
    return F0T_OK;
}

f0t_status f0t_hierarchy_add(f0t_hierarchy *h, f0t_collection *collection,
                             const f0t_texts *keywords)
{
    f0t_names all = {0};
    size_t *firsts = NULL;
    f0t_status status = expand_all(h, &all, keywords);
    if (status == F0T_OK)
        status = f0t_alloc(&firsts, all.texts.count + 1, sizeof *firsts);
    if (status == F0T_OK)
        status = f0t_keyword_firsts(firsts, &all.texts);
    if (status == F0T_OK)
        status = add_all(h, collection, &all.texts, firsts);
    f0t_free(firsts);
    f0t_names_free(&all);
    return status;
}

/* ---- Places -------------------------------------------------------------------------------------- */

/* Of the paths of a tag, the most frequent; of equally frequent ones, the first. */
static void find_best(size_t *best, const f0t_hierarchy *h, const f0t_collection *collection)
{
    uint32_t tag;
    for (size_t t = 0; t < f0t_names_count(&collection->tags); t++)
        best[t] = F0T_NONE;
    for (size_t i = 0; i < f0t_names_count(&h->paths); i++) {
        const char *word = f0t_keyword_leaf(f0t_names_get(&h->paths, i));
        if (f0t_names_find(&tag, &collection->tags, word, strlen(word)) &&
            (best[tag] == F0T_NONE || h->counts[i] > h->counts[best[tag]]))
            best[tag] = i;
    }
}

f0t_status f0t_hierarchy_end(f0t_hierarchy *h, f0t_collection *collection)
{
    const size_t tags = f0t_names_count(&collection->tags);
    size_t *best;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_alloc(&best, tags, sizeof *best));
    find_best(best, h, collection);
    for (size_t t = 0; t < tags && status == F0T_OK; t++)
        if (best[t] != F0T_NONE) {
            const char *path = f0t_names_get(&h->paths, best[t]);
            status = f0t_paths_add(&collection->paths, path, strlen(path));
        }
    f0t_free(best);
    return status;
}
