#include "corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char FIRST_LINE[] = "fast0tag corpus 1\n";

static void require(int condition, const char *path, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s: %s\n", path, what);
    exit(1);
}

size_t corpus_read(const char *path, corpus_input input, void *context)
{
    FILE *file = fopen(path, "rb");
    char line[512];
    size_t count = 0;
    require(file != NULL, path, "cannot be opened");
    require(fgets(line, sizeof line, file) && strcmp(line, FIRST_LINE) == 0, path,
            "is not a corpus; scripts/corpus packs one");
    while (fgets(line, sizeof line, file)) {
        char *name;
        const size_t size = strtoul(line, &name, 10);
        const size_t length = strlen(name);
        require(name > line && name[0] == ' ' && length > 2 && name[length - 1] == '\n', path,
                "an input has no size and name");
        name[length - 1] = '\0';
        char *data = malloc(size ? size : 1);
        require(data && fread(data, 1, size, file) == size && fgetc(file) == '\n', path,
                "is cut within an input");
        input(context, name + 1, data, size);
        free(data);
        count++;
    }
    fclose(file);
    return count;
}
