/* One import: its report, its options, and the dataset that it writes. */
#include "import/import.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/group.h"
#include "base/status.h"
#include "import/features.h"
#include "import/photos.h"
#include "io/dataset_folder.h"

#include <math.h>
#include <string.h>

/* ---- The report ------------------------------------------------------------------------------ */

struct f0t_import_report {
    f0t_import_dataset *datasets;
    size_t dataset_count, dataset_capacity;
    f0t_import_note *notes;
    size_t note_count, note_capacity;
};

static f0t_status create_report(f0t_import_report **out)
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
    int part = 0; /* outside braces, before the bar, after it */
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

size_t f0t_import_report_dataset_count(const f0t_import_report *report)
{
    return report->dataset_count;
}

const f0t_import_dataset *f0t_import_report_dataset(const f0t_import_report *report, size_t i)
{
    return &report->datasets[i];
}

size_t f0t_import_report_note_count(const f0t_import_report *report)
{
    return report->note_count;
}

const f0t_import_note *f0t_import_report_note(const f0t_import_report *report, size_t i)
{
    return &report->notes[i];
}

enum { BACKBONE_LARGEST = 1 << 20 };

/* ---- Writing one dataset --------------------------------------------------------------------- */

/* Says in the report how many tags an image had twice. */
static f0t_status say_repeats(f0t_import_job *job, const f0t_collection *collection)
{
    return f0t_import_report_say(job->report, collection->rows.repeats,
                                 "{tag was|tags were} on an image twice and {is|are} counted once",
                                 NULL);
}

static f0t_status write_one(f0t_import_job *job, f0t_collection *collection,
                            const f0t_selection *selection, f0t_collection_target *target)
{
    const f0t_import_options *options = job->options;
    target->path = job->output;
    target->name = options->name;
    target->backbone = job->backbone;
    target->images = options->images;
    target->replace = options->replace;
    target->monitor = f0t_context_monitor(NULL);
    F0T_TRY(f0t_collection_draw_val(collection, selection, job->val, options->seed));
    F0T_TRY(say_repeats(job, collection));
    F0T_TRY(f0t_import_report_say(
        job->report, collection->renamed,
        "{keyword is|keywords are} known by the name of {its|their} synonyms", NULL));
    return f0t_collection_write(collection, selection, target, job->output, job->report);
}

static f0t_status finish_given(f0t_import_job *job, f0t_collection *collection)
{
    f0t_given_features given;
    f0t_collection_target target = {0};
    f0t_status status = f0t_given_features_open(&given, job, &collection->images,
                                                collection->rows.count, f0t_key_base);
    if (status == F0T_OK) {
        target.features = given.refer ? given.path : NULL;
        target.dim = given.dim;
        target.source = given.refer ? NULL : &given.source;
        status = write_one(job, collection, &given.selection, &target);
    }
    f0t_given_features_close(&given);
    return status;
}

f0t_status f0t_import_finish(f0t_import_job *job, f0t_collection *collection,
                             const f0t_feature_source *own)
{
    f0t_collection_target target = {.source = own};
    f0t_selection all = {.count = collection->rows.count};
    if (own && job->options->features)
        return f0t_fail(F0T_ERROR_ARGUMENT, "the source has features: %s is one file too many",
                        job->options->features);
    if (job->options->features)
        return finish_given(job, collection);
    return write_one(job, collection, &all, &target);
}

bool f0t_import_learns_levels(const f0t_import_job *job)
{
    return job->options->hierarchy && !strcmp(job->options->hierarchy, "levels");
}

/* ---- What each format takes ------------------------------------------------------------------ */

typedef struct format {
    const char *name;
    f0t_status (*run)(f0t_import_job *job);
    size_t least, most; /* sources */
    const char *wants;
    double val;
} format;

static const format formats[] = {
    {"nuswide", f0t_import_nuswide, 1, 1, "one folder", 0.2},
    {"tagprop", f0t_import_tagprop, 1, 1, "one folder", 0.15},
    {"mulan", f0t_import_mulan, 2, 3, "an .xml and one or two .arff files", 0.1},
    {"csv", f0t_import_csv, 1, 1, "one file", 0.1},
    {"photos", f0t_import_photos, 1, SIZE_MAX, "folders or pictures", 0.1},
};

static const char *name_at(size_t i)
{
    return i < sizeof formats / sizeof *formats ? formats[i].name : NULL;
}

/* Whether a dataset can be written there: found before the work, not after it. */
static f0t_status check_output(const f0t_import_job *job)
{
    f0t_folder folder;
    f0t_status status = f0t_folder_begin(&folder, job->output, job->options->replace);
    f0t_folder_end(&folder);
    return status;
}

/* An option of another format is a mistake, not something to pass over. */
static f0t_status check_options(const f0t_import_options *o, const char *name)
{
    bool nuswide = !strcmp(name, "nuswide"), tagprop = !strcmp(name, "tagprop");
    bool csv = !strcmp(name, "csv"), photos = !strcmp(name, "photos");
    const char *wrong = o->own_features && !nuswide && !tagprop ? "own features"
                        : o->sets && !nuswide                   ? "sets"
                        : o->prefix && !tagprop                 ? "a prefix"
                        : (o->folder_tags || o->strict || o->vectors) && !photos
                            ? "ways with pictures"
                        : o->table && !photos             ? "a table beside its source"
                        : o->hierarchy && !photos && !csv ? "a hierarchy of tags"
                        : o->synonyms && !photos && !csv  ? "synonyms"
                        : csv || o->table                 ? NULL
                        : o->image_column || o->tags_column || o->split_column ? "columns"
                        : o->separator || o->delimiter                         ? "separators"
                        : o->tag_columns || o->no_header                       ? "table layouts"
                                                                               : NULL;
    if (wrong)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s does not know %s", name, wrong);
    if (o->hierarchy && strcmp(o->hierarchy, "leaf") != 0 && strcmp(o->hierarchy, "levels") != 0)
        return f0t_fail(F0T_ERROR_ARGUMENT, "hierarchy is '%.40s': leaf or levels is expected",
                        o->hierarchy);
    if (o->ids && !o->features)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s: a list of ids goes with features", o->ids);
    if (o->features && o->own_features)
        return f0t_fail(F0T_ERROR_ARGUMENT, "features come from %s or from the release, not both",
                        o->features);
    if (!(o->val < 1))
        return f0t_fail(F0T_ERROR_ARGUMENT, "val is %g: a part below 1 is expected", o->val);
    return F0T_OK;
}

/* Of several processes the first imports; the others read pictures for it. */
static f0t_status check_processes(const f0t_import_options *options, const format *chosen)
{
    if (f0t_group_current()->size == 1 || (chosen->run == f0t_import_photos && options->extract))
        return F0T_OK;
    return f0t_fail(F0T_ERROR_ARGUMENT,
                    "several processes make features of pictures, and import nothing else: start "
                    "it without mpirun");
}

static f0t_status run(f0t_import_job *job, const format *chosen)
{
    size_t size;
    const f0t_import_options *options = job->options;
    F0T_TRY(check_processes(options, chosen));
    if (f0t_group_current()->rank > 0)
        return f0t_import_photos_help(job);
    F0T_TRY(check_options(options, chosen->name));
    if (job->source_count < chosen->least || job->source_count > chosen->most)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s wants %s as its source", chosen->name,
                        chosen->wants);
    F0T_TRY(check_output(job));
    F0T_TRY(f0t_synonym_index_open(&job->synonyms, options->synonyms));
    job->val = options->val != 0 ? options->val : chosen->val;
    if (options->backbone)
        F0T_TRY(f0t_file_read(&job->backbone, &size, options->backbone, BACKBONE_LARGEST,
                              f0t_context_monitor(NULL)));
    return chosen->run(job);
}

f0t_status f0t_import(f0t_import_report **out, const char *output, const char *format_name,
                      const char *const *sources, size_t source_count,
                      const f0t_import_options *options, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(output);
    F0T_REQUIRE(format_name);
    F0T_TRY(f0t_require_all(__func__, "sources", sources, source_count));
    F0T_READ_OPTIONS(f0t_import_options, F0T_IMPORT_OPTIONS, options);
    f0t_import_job job = {
        .output = output, .sources = sources, .source_count = source_count, .options = options};
    size_t chosen;
    if (f0t_name_find(&chosen, "format", format_name, strlen(format_name), name_at) != F0T_OK)
        return F0T_ERROR_ARGUMENT;
    F0T_TRY(create_report(&job.report));
    f0t_status status = run(&job, &formats[chosen]);
    f0t_free(job.backbone);
    f0t_synonym_index_close(&job.synonyms);
    if (status == F0T_OK)
        *out = job.report;
    else
        f0t_import_report_free(job.report);
    return status;
}
