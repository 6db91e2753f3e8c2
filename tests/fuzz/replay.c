/* Runs a fuzz target over files: the corpus in `make test`, or one input that the fuzzer found. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static size_t runs;

static void give_up(const char *path)
{
    perror(path);
    exit(1);
}

static void run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    /* Exactly this size, so that the address sanitizer sees a read past it. */
    uint8_t *data = malloc(size ? size : 1);
    if (!file || !data || fread(data, 1, size, file) != size)
        give_up(path);
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last one named is the one that crashed */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    runs++;
}

static void run_path(const char *path)
{
    struct stat info;
    if (stat(path, &info))
        give_up(path);
    if (!S_ISDIR(info.st_mode)) {
        run_file(path, (size_t)info.st_size);
        return;
    }
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        give_up(path);
    for (int i = 0; i < count; i++) {
        char *child = NULL;
        if (asprintf(&child, "%s/%s", path, entries[i]->d_name) < 0)
            give_up(path);
        if (entries[i]->d_name[0] != '.')
            run_path(child);
        free(child);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        run_path(argv[i]);
    if (runs == 0) {
        fprintf(stderr, "no input: name files or folders\n");
        return 1;
    }
    printf("[       OK ] %zu inputs replayed\n", runs);
    return 0;
}
