/* WordNet's files in a directory, mapped. */
#ifndef F0T_WORD_WORDNET_FOLDER_H
#define F0T_WORD_WORDNET_FOLDER_H

#include "io/file.h"
#include "word/wordnet.h"

enum { F0T_WORDNET_MAPS = 3 * F0T_POS_COUNT + 1 };

typedef struct f0t_wordnet_folder {
    f0t_wordnet_files files;
    f0t_map maps[F0T_WORDNET_MAPS];
    char *paths[F0T_WORDNET_MAPS]; /* the names of the files */
} f0t_wordnet_folder;

/* Fails with NOT_FOUND, saying which package has them, where data or index files are missing. The
 * folder needs f0t_wordnet_folder_close in any case. */
f0t_status f0t_wordnet_folder_open(f0t_wordnet_folder *out, const char *path);
void f0t_wordnet_folder_close(f0t_wordnet_folder *folder);

#endif
