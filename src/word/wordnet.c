#include "word/wordnet.h"

#include "base/alloc.h"

#include <string.h>

/* Offsets become synsets; a link to nowhere fails. */
static f0t_status resolve_links(f0t_wordnet *w, const f0t_wordnet_files *files)
{
    for (size_t i = 0; i < w->link_count; i++) {
        f0t_link *link = &w->links[i];
        const f0t_synset *from = &w->synsets[link->from];
        f0t_pos pos = (f0t_pos)(link->relation % F0T_POS_COUNT);
        size_t to = f0t_wordnet_synset(w, pos, link->to);
        if (to == F0T_NONE)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: synset %08u points to %08u, which %s lacks",
                            files->data[from->pos].name, from->offset, link->to,
                            files->data[pos].name);
        link->to = (uint32_t)to;
        link->relation /= F0T_POS_COUNT;
    }
    return F0T_OK;
}

static f0t_status read_all(f0t_wordnet *w, const f0t_wordnet_files *files)
{
    for (int pos = 0; pos < F0T_POS_COUNT; pos++) {
        F0T_TRY(f0t_wordnet_read_data(w, &files->data[pos], (f0t_pos)pos));
    }
    F0T_TRY(resolve_links(w, files));
    for (int pos = 0; pos < F0T_POS_COUNT; pos++)
        F0T_TRY(f0t_wordnet_read_index(w, &files->index[pos], (f0t_pos)pos));
    if (files->counts.text)
        F0T_TRY(f0t_wordnet_read_counts(w, &files->counts));
    for (int pos = 0; pos < F0T_POS_COUNT; pos++)
        if (files->exceptions[pos].text)
            F0T_TRY(f0t_wordnet_read_exceptions(w, &files->exceptions[pos], (f0t_pos)pos));
    return F0T_OK;
}

f0t_status f0t_wordnet_read(f0t_wordnet *out, const f0t_wordnet_files *files)
{
    memset(out, 0, sizeof *out);
    return read_all(out, files);
}

void f0t_wordnet_clear(f0t_wordnet *w)
{
    f0t_free(w->synsets);
    f0t_free(w->senses);
    f0t_free(w->links);
    f0t_names_free(&w->lemmas);
    for (int pos = 0; pos < F0T_POS_COUNT; pos++) {
        f0t_free(w->first[pos]);
        f0t_free(w->regular[pos]);
        f0t_names_free(&w->irregular[pos]);
    }
    memset(w, 0, sizeof *w);
}
