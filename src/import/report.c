#include "import/report.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

f0t_status f0t_import_report_create(f0t_import_report **out)
{
    return f0t_alloc_zero(out, 1, sizeof **out);
}

static void free_text(const char *text)
{
    f0t_free((void *)(uintptr_t)text);
}

void f0t_import_report_free(f0t_import_report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->dataset_count; i++)
        free_text(report->datasets[i].path);
    for (size_t i = 0; i < report->note_count; i++) {
        free_text(report->notes[i].what);
        free_text(report->notes[i].example);
    }
    f0t_free(report->datasets);
    f0t_free(report->notes);
    f0t_free(report);
}

f0t_status f0t_import_report_add(f0t_import_report *report, const f0t_import_dataset *dataset)
{
    char *path;
    F0T_TRY(f0t_grow(&report->datasets, &report->dataset_capacity, report->dataset_count, 1,
                     sizeof *report->datasets));
    F0T_TRY(f0t_string_copy(&path, dataset->path, strlen(dataset->path)));
    report->datasets[report->dataset_count] = *dataset;
    report->datasets[report->dataset_count++].path = path;
    return F0T_OK;
}

/* Of "{image has|images have} no tag" what goes with the count. */
static void choose_words(char *text, bool one)
{
    char *to = text;
    int part = 0; /* outside braces, before the bar, behind it */
    for (const char *at = text; *at; at++) {
        if (*at == '{')
            part = 1;
        else if (*at == '}')
            part = 0;
        else if (part == 1 && *at == '|')
            part = 2;
        else if (part == 0 || (part == 1) == one)
            *to++ = *at;
    }
    *to = 0;
}

f0t_status f0t_import_report_say(f0t_import_report *report, uint64_t count, const char *what,
                                 const char *example)
{
    char *text, *first = NULL;
    if (!count)
        return F0T_OK;
    F0T_TRY(f0t_grow(&report->notes, &report->note_capacity, report->note_count, 1,
                     sizeof *report->notes));
    F0T_TRY(f0t_string_copy(&text, what, strlen(what)));
    f0t_status status = example ? f0t_string_copy(&first, example, strlen(example)) : F0T_OK;
    if (status != F0T_OK) {
        f0t_free(text);
        return status;
    }
    choose_words(text, count == 1);
    report->notes[report->note_count++] = (f0t_import_note){count, text, first};
    return F0T_OK;
}

size_t f0t_import_report_datasets(const f0t_import_report *report)
{
    return report->dataset_count;
}

const f0t_import_dataset *f0t_import_report_dataset(const f0t_import_report *report, size_t i)
{
    return &report->datasets[i];
}

size_t f0t_import_report_notes(const f0t_import_report *report)
{
    return report->note_count;
}

const f0t_import_note *f0t_import_report_note(const f0t_import_report *report, size_t i)
{
    return &report->notes[i];
}
