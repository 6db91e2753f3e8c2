/* Tables and releases of datasets, of strangers, from their files to a dataset that opens: the first byte says which format, the
 * second how it is read, then come its files, each ended by a line of "%%" alone. */
#include "fuzz.h"
#include "scratch.h"

#include "fast0tag_tools.h"

#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 9, PATH_SIZE = 4096 };

static const struct {
    const char *format;
    const char *files[FILES]; /* in the order of the input; one that is empty is not there */
    size_t sources;           /* the first so many of them; 0: their folder */
} formats[] = {
    {"csv", {"t.csv", "synonyms.txt", "features.npy", "ids.txt"}, 1},
    {"mulan", {"x.arff", "x.xml"}, 2},
    {"mulan", {"x-train.arff", "x-test.arff", "x.xml"}, 3},
    {"tagprop",
     {"x_dictionary.txt", "x_train_list.txt", "x_test_list.txt", "x_train_annot.hvecs",
      "x_test_annot.hvecs", "x_train_Gist.fvec", "x_test_Gist.fvec", "features.npy"},
     0},
    {"nuswide",
     {"Imagelist.txt", "TrainImagelist.txt", "TestImagelist.txt", "Concepts81.txt",
      "Labels_sky.txt", "TagList1k.txt", "AllTags1k.txt", "Final_Tag_List.txt", "All_Tags.txt"},
     0},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static char folder[PATH_SIZE], from[PATH_SIZE + 8], to[PATH_SIZE + 8];

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    return remove(path);
}

static void clean(void)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void prepare(void)
{
    if (*folder)
        return;
    make_folder(folder, sizeof folder);
    snprintf(from, sizeof from, "%s/from", folder);
    snprintf(to, sizeof to, "%s/to", folder);
    need(mkdir(from, 0700) == 0);
    atexit(clean);
}

/* Whether there is such a file in the input, which is written then, or no longer there. */
static bool put_file(char *path, const char *name, const char **at, const char *end)
{
    static const char mark[] = "\n%%\n";
    const char *stop = *at < end ? memmem(*at, (size_t)(end - *at), mark, sizeof mark - 1) : NULL;
    const size_t size = (size_t)((stop ? stop : end) - *at);
    snprintf(path, PATH_SIZE + 64, "%s/%s", from, name);
    if (size) {
        FILE *file = fopen(path, "wb");
        need(file && fwrite(*at, 1, size, file) == size && fclose(file) == 0);
    } else {
        unlink(path);
    }
    *at = stop ? stop + sizeof mark - 1 : end;
    return size > 0;
}

static void set_options(f0t_import_options *o, unsigned how)
{
    static const char *const separators[] = {NULL, ",", "|", " "};
    o->replace = true;
    o->separator = separators[how & 3];
    o->tag_columns = how >> 2 & 1;
    o->no_header = how >> 3 & 1;
    o->delimiter = how >> 4 & 1 ? ';' : 0;
    o->hierarchy = how >> 5 & 1 ? "levels" : NULL;
    o->copy_features = how >> 6 & 1;
    o->val = how >> 7 & 1 ? 0.5 : 0;
}

/* What was made opens. */
static void import(const char *format, const char *const *sources, size_t count,
                   const f0t_import_options *o)
{
    f0t_import_report *report;
    f0t_dataset *dataset;
    if (f0t_import(&report, to, format, sources, count, o, NULL) != F0T_OK)
        return;
    for (size_t i = 0; i < f0t_import_report_dataset_count(report); i++) {
        need(f0t_dataset_open(&dataset, f0t_import_report_dataset(report, i)->path, NULL, NULL) ==
             F0T_OK);
        f0t_dataset_close(dataset);
    }
    f0t_import_report_free(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char paths[FILES][PATH_SIZE + 64];
    const char *sources[FILES] = {from};
    f0t_import_options o = F0T_IMPORT_OPTIONS;
    if (size < 2)
        return 0;
    const char *at = (const char *)data + 2, *end = (const char *)data + size;
    prepare();
    const size_t f = data[0] % FORMATS, count = formats[f].sources;
    set_options(&o, data[1]);
    for (size_t i = 0; i < FILES && formats[f].files[i]; i++) {
        const char *name = formats[f].files[i];
        const bool there = put_file(paths[i], name, &at, end);
        if (there && !strcmp(name, "synonyms.txt"))
            o.synonyms = paths[i];
        else if (there && !strcmp(name, "features.npy"))
            o.features = paths[i];
        else if (there && !strcmp(name, "ids.txt"))
            o.ids = paths[i];
        else if (there && !strcmp(name, "x_train_Gist.fvec"))
            o.own_features = "Gist";
        else if (i < count)
            sources[i] = paths[i];
    }
    import(formats[f].format, sources, count ? count : 1, &o);
    return 0;
}
