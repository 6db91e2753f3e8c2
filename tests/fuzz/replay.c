/* Runs a fuzz target over inputs: its corpus in `make test`, or files that the fuzzer found. */
#include "corpus.h"
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run_input(void *context, const char *name, const void *data, size_t size)
{
    (void)context;
    fprintf(stderr, "%s\n", name); /* the last one named is the one that crashed */
    LLVMFuzzerTestOneInput(data, size);
}

static void run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    /* Exactly this size, so that the address sanitizer sees a read past it. */
    uint8_t *data = size < 0 ? NULL : malloc(size ? (size_t)size : 1);
    if (data)
        rewind(file);
    if (!data || fread(data, 1, (size_t)size, file) != (size_t)size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    run_input(NULL, path, data, (size_t)size);
    free(data);
}

static int is_corpus(const char *path)
{
    const size_t length = strlen(path);
    return length > 7 && strcmp(path + length - 7, ".corpus") == 0;
}

int main(int argc, char **argv)
{
    size_t runs = 0;
    for (int i = 1; i < argc; i++)
        if (is_corpus(argv[i])) {
            runs += corpus_read(argv[i], run_input, NULL);
        } else {
            run_file(argv[i]);
            runs++;
        }
    if (runs == 0) {
        fprintf(stderr, "no input: name files, or a corpus\n");
        return 1;
    }
    printf("[       OK ] %zu inputs replayed\n", runs);
    return 0;
}
