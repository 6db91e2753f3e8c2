/*
 * The inputs of a fuzz target in one file, tests/fuzz/NAME.corpus: the line "fast0tag corpus 1", then for each input a line of
 * its size, a space and its name, its bytes and a line feed. scripts/corpus packs and unpacks it.
 */
#ifndef F0T_TESTS_CORPUS_H
#define F0T_TESTS_CORPUS_H

#include <stddef.h>

/* `name` is that of the input; `data` has exactly `size` bytes, so that the address sanitizer sees a read past them. */
typedef void (*corpus_input)(void *context, const char *name, const void *data, size_t size);

/* Calls `input` for each input of the file. Returns how many there were; ends the program where the file is wrong. */
size_t corpus_read(const char *path, corpus_input input, void *context);

#endif
