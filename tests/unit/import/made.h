/* What the tests of the importers share: running one, and looking at the dataset that it made. */
#ifndef F0T_TESTS_MADE_H
#define F0T_TESTS_MADE_H

#include "support.h"

#include "fast0tag_tools.h"
#include "io/npy.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Imports from one source; the report may be NULL. */
static inline f0t_status import_one(const char *format, const char *source, const char *output,
                                    const f0t_import_options *options, f0t_import_report **report)
{
    f0t_import_report *made;
    f0t_status status = f0t_import(&made, output, format, &source, 1, options, NULL);
    assert_true((status == F0T_OK) == (made != NULL));
    if (report)
        *report = made;
    else
        f0t_import_report_free(made);
    return status;
}

/* The tags of image m, separated by "|". */
static inline const char *tags_of(const f0t_dataset *dataset, size_t m)
{
    static char text[2000];
    size_t count;
    const uint32_t *tags = f0t_dataset_image_tags(&count, dataset, m);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        strcat(text, i ? "|" : "");
        strcat(text, f0t_dataset_tag(dataset, tags[i]));
    }
    return text;
}

/* The count of the note that contains this text, 0 when there is none. */
static inline uint64_t noted(const f0t_import_report *report, const char *text)
{
    for (size_t i = 0; i < f0t_import_report_note_count(report); i++)
        if (strstr(f0t_import_report_note(report, i)->what, text))
            return f0t_import_report_note(report, i)->count;
    return 0;
}

static inline f0t_dataset *open_made(const char *path)
{
    f0t_dataset *dataset;
    assert_ok(f0t_dataset_open(&dataset, path, NULL, NULL));
    return dataset;
}

/* One feature per image: 0, 1, 2, … plus `first`. */
static inline const char *write_npy(const char *name, size_t rows, float first)
{
    f0t_npy_writer *npy;
    assert_ok(f0t_npy_create(&npy, test_path(name), F0T_F32, 1));
    for (size_t i = 0; i < rows; i++) {
        float value = first + (float)i;
        assert_ok(f0t_npy_write_rows(npy, &value, 1));
    }
    assert_ok(f0t_npy_commit(npy));
    return test_path(name);
}

static inline float feature_of(const f0t_dataset *dataset, size_t m)
{
    float row[16];
    assert_true(f0t_dataset_dim(dataset) <= 16);
    assert_ok(f0t_dataset_read_features(row, dataset, m, 1));
    return row[0];
}

#endif
