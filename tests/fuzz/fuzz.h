/*
 * What every fuzz target includes. tests/fuzz/fuzz_NAME.c defines the one function below: it gives
 * the bytes to a loader and frees what came of it. Inputs to start from are in NAME.corpus
 * (needed: `make test` replays them; scripts/corpus packs it), words of the format, where it has some, in NAME.dict
 * (libFuzzer's form).
 */
#ifndef F0T_TESTS_FUZZ_H
#define F0T_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
