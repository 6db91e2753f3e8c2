/* A WordNet written in a test: nouns with their synsets; the other parts of speech have one word. */
#ifndef F0T_TESTS_WORD_MEMORY_WORDNET_H
#define F0T_TESTS_WORD_MEMORY_WORDNET_H

#include "support.h"
#include "word/wordnet.h"

#include <string.h>

static inline f0t_wordnet_file memory_file(const char *name, const char *text)
{
    return (f0t_wordnet_file){name, text, strlen(text)};
}

static inline void memory_wordnet(f0t_wordnet *out, const char *data, const char *index,
                                  const char *counts)
{
    const f0t_wordnet_files files = {
        .data = {memory_file("data.noun", data),
                 memory_file("data.verb", "00000001 29 v 01 go 0 000 00 | move  \n"),
                 memory_file("data.adj", "00000001 00 a 01 big 0 000 | large  \n"),
                 memory_file("data.adv", "00000001 02 r 01 now 0 000 | at once  \n")},
        .index = {memory_file("index.noun", index),
                  memory_file("index.verb", "go v 1 0 1 0 00000001\n"),
                  memory_file("index.adj", "big a 1 0 1 0 00000001\n"),
                  memory_file("index.adv", "now r 1 0 1 0 00000001\n")},
        .counts = memory_file("cntlist.rev", counts)};
    assert_ok(f0t_wordnet_read(out, &files));
}

#endif
