#include "word/wordnet_folder.h"

#include "base/alloc.h"

#include <string.h>

/* File i of the folder: where it goes and whether it must be there. */
typedef struct place {
    const char *name;
    f0t_wordnet_file *file;
    bool needed;
} place;

static place place_of(f0t_wordnet_folder *folder, size_t i)
{
    static const char *const names[F0T_WORDNET_MAPS] = {
        "data.noun", "data.verb", "data.adj", "data.adv", "index.noun", "index.verb", "index.adj",
        "index.adv", "noun.exc",  "verb.exc", "adj.exc",  "adv.exc",    "cntlist.rev"};
    f0t_wordnet_files *files = &folder->files;
    f0t_wordnet_file *groups[] = {files->data, files->index, files->exceptions, &files->counts};
    return (place){names[i], groups[i / F0T_POS_COUNT] + i % F0T_POS_COUNT, i < 2 * F0T_POS_COUNT};
}

static f0t_status open_file(f0t_wordnet_folder *folder, size_t i, const char *path)
{
    place p = place_of(folder, i);
    F0T_TRY(f0t_path_join(&folder->paths[i], path, p.name));
    if (!p.needed && !f0t_path_exists(folder->paths[i]))
        return F0T_OK;
    f0t_status status = f0t_map_open(&folder->maps[i], folder->paths[i]);
    if (status == F0T_ERROR_NOT_FOUND)
        return f0t_fail(status,
                        "%s: there is no WordNet: Debian's package wordnet-base has it in "
                        "/usr/share/wordnet",
                        folder->paths[i]);
    F0T_TRY(status);
    *p.file = (f0t_wordnet_file){folder->paths[i], (const char *)folder->maps[i].data,
                                 folder->maps[i].size};
    return F0T_OK;
}

f0t_status f0t_wordnet_folder_open(f0t_wordnet_folder *out, const char *path)
{
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < F0T_WORDNET_MAPS; i++)
        F0T_TRY(open_file(out, i, path));
    return F0T_OK;
}

void f0t_wordnet_folder_close(f0t_wordnet_folder *folder)
{
    for (size_t i = 0; i < F0T_WORDNET_MAPS; i++) {
        if (folder->maps[i].data)
            f0t_map_close(&folder->maps[i]);
        f0t_free(folder->paths[i]);
    }
    memset(folder, 0, sizeof *folder);
}
