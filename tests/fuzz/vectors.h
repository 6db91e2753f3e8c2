/* What the fuzz targets of word vectors do with a file that opened. */
#ifndef F0T_TESTS_FUZZ_VECTORS_H
#define F0T_TESTS_FUZZ_VECTORS_H

#include "fast0tag.h"

/* Looks at its first words, finds and compares them; then closes it. */
static inline void use_and_close(f0t_vectors *vectors)
{
    enum { DIM_MOST = 4096 };
    float row[DIM_MOST];
    f0t_neighbour near[4];
    size_t length, found;
    for (size_t i = 0; i < f0t_vectors_count(vectors) && i < 8; i++) {
        const char *word = f0t_vectors_word(&length, vectors, i);
        if (word)
            (void)f0t_vectors_find(vectors, word, length);
        if (f0t_vectors_dim(vectors) <= DIM_MOST && f0t_vectors_get(row, vectors, i, 1) == F0T_OK)
            (void)f0t_vectors_nearest(near, &found, 4, vectors, row, NULL);
    }
    (void)f0t_vectors_find(vectors, "word", 4);
    f0t_vectors_close(vectors);
}

#endif
