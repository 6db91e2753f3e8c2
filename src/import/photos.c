/* Folders of pictures with the keywords that they carry, their folders' names, and those of a table. */
#include "import/photos.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "image/keywords.h"
#include "image/pictures.h"
#include "import/hierarchy.h"
#include "io/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct photos {
    f0t_import_job *job;
    f0t_names names;  /* the pictures' paths, each once */
    uint64_t repeats; /* of pictures that more than one source has */
    size_t *roots;    /* [names] where the names below the source begin */
    size_t roots_capacity;
    f0t_photo_keywords read;
    f0t_texts *more;             /* [names] tags from folders and the table */
    f0t_photo_table table;       /* where the options name one */
    f0t_skipped_files skipped;   /* files that are no pictures */
    f0t_photo_features features; /* where the options ask for them */
    f0t_hierarchy hierarchy;     /* of the keywords that are paths */
    f0t_collection collection;
} photos;

static void release(photos *p)
{
    f0t_photo_keywords_free(&p->read);
    for (size_t i = 0; p->more && i < p->names.texts.count; i++)
        f0t_texts_free(&p->more[i]);
    f0t_free(p->more);
    f0t_free(p->roots);
    f0t_photo_table_free(&p->table);
    f0t_names_free(&p->names);
    f0t_hierarchy_free(&p->hierarchy);
    f0t_collection_free(&p->collection);
}

/* ---- Finding them ---------------------------------------------------------------------------- */

/* A picture that two sources have counts for the first. */
static f0t_status add_path(photos *p, const char *path, size_t length, size_t root)
{
    uint32_t number;
    bool added;
    F0T_TRY(f0t_names_add(&number, &added, &p->names, path, length));
    p->repeats += !added;
    if (!added)
        return F0T_OK;
    F0T_TRY(f0t_grow(&p->roots, &p->roots_capacity, number, 1, sizeof *p->roots));
    p->roots[number] = root;
    return F0T_OK;
}

/* Paths are absolute: the dataset may stand anywhere. */
static f0t_status walk_source(photos *p, const char *source)
{
    f0t_texts found = {0};
    char *whole = realpath(source, NULL);
    if (!whole)
        return f0t_fail_errno(errno, "%s", source);
    f0t_status status = f0t_walk(&found, &p->skipped, whole, f0t_context_monitor(NULL));
    for (size_t i = 0; status == F0T_OK && i < found.count; i++)
        status = add_path(p, f0t_texts_get(&found, i), f0t_texts_length(&found, i), strlen(whole));
    f0t_texts_free(&found);
    free(whole);
    return status;
}

static f0t_status find_pictures(photos *p)
{
    for (size_t i = 0; i < p->job->source_count; i++)
        F0T_TRY(walk_source(p, p->job->sources[i]));
    F0T_TRY(f0t_import_report_say(p->job->report, p->repeats,
                                  "{picture was|pictures were} named twice and {is|are} taken once",
                                  NULL));
    f0t_skipped_files_tell(&p->skipped, f0t_context_monitor(NULL));
    if (!p->names.texts.count)
        return f0t_fail(F0T_ERROR_NOT_FOUND, "%s: has no pictures", p->job->sources[0]);
    return f0t_alloc_zero(&p->more, p->names.texts.count, sizeof *p->more);
}

/* ---- Tags from elsewhere --------------------------------------------------------------------- */

/* The folders between the source and the picture. */
static f0t_status add_folders(photos *p, size_t i)
{
    const char *at = f0t_texts_get(&p->names.texts, i) + p->roots[i], *slash;
    for (at += *at == '/'; (slash = strchr(at, '/')); at = slash + 1)
        F0T_TRY(f0t_texts_add(&p->more[i], at, (size_t)(slash - at)));
    return F0T_OK;
}

static f0t_status add_listed(photos *p, size_t i)
{
    const f0t_csv_table *csv = &p->table.csv;
    const uint32_t line = p->table.lines[i];
    if (line == F0T_NO_LINE)
        return F0T_OK;
    for (size_t k = csv->starts[line]; k < csv->starts[line + 1]; k++) {
        const char *tag = f0t_names_get(&csv->collection.tags, csv->tags[k]);
        F0T_TRY(f0t_texts_add(&p->more[i], tag, strlen(tag)));
    }
    return F0T_OK;
}

static f0t_status add_elsewhere(photos *p)
{
    const f0t_import_options *options = p->job->options;
    if (options->table)
        F0T_TRY(f0t_photo_table_match(&p->table, p->job, &p->names.texts));
    for (size_t i = 0; i < p->names.texts.count; i++) {
        if (options->folder_tags)
            F0T_TRY(add_folders(p, i));
        if (options->table)
            F0T_TRY(add_listed(p, i));
    }
    return F0T_OK;
}

/* Whether "Places/Paris" is a path depends on all pictures. */
static f0t_status see_keywords(photos *p)
{
    for (size_t i = 0; i < p->names.texts.count; i++) {
        for (size_t k = 0; k < p->read.keywords[i].count; k++)
            F0T_TRY(f0t_hierarchy_see(&p->hierarchy, f0t_texts_get(&p->read.keywords[i], k)));
        for (size_t k = 0; k < p->more[i].count; k++)
            F0T_TRY(f0t_hierarchy_see(&p->hierarchy, f0t_texts_get(&p->more[i], k)));
    }
    return F0T_OK;
}

/* ---- Before the pixels are read -------------------------------------------------------------- */

static f0t_status fail_without_tags(const photos *p)
{
    return f0t_fail(
        F0T_ERROR_FORMAT,
        "%s: none of its %zu pictures has a keyword to learn from: take tags from a CSV table, or "
        "from the names of folders, or give some pictures keywords in a photo program",
        p->job->sources[0], p->names.texts.count);
}

/* Fails when fewer than two of the words have a vector. */
static f0t_status look_up(const photos *p, const f0t_names *words)
{
    const f0t_vocab_options quick = {.size = sizeof(f0t_vocab_options), .no_suggestions = true};
    const size_t count = f0t_names_count(words);
    const char **tags;
    f0t_vocab *vocab = NULL;
    F0T_TRY(f0t_alloc(&tags, count, sizeof *tags));
    for (size_t i = 0; i < count; i++)
        tags[i] = f0t_names_get(words, i);
    f0t_status status =
        f0t_vocab_create(&vocab, tags, count, p->job->options->vectors, &quick, NULL);
    f0t_free(tags);
    if (status == F0T_OK && f0t_vocab_count(vocab) < 2)
        status =
            f0t_fail(F0T_ERROR_FORMAT,
                     "%s: %zu of the %zu keywords of its pictures (%.60s) have a vector, two are "
                     "needed: are the vectors of another language?",
                     p->job->sources[0], f0t_vocab_count(vocab), count, f0t_names_get(words, 0));
    f0t_vocab_free(vocab);
    return status;
}

static f0t_status check_tags(const photos *p)
{
    f0t_names words = {0};
    f0t_status status = F0T_OK;
    if (!p->job->options->vectors)
        return F0T_OK;
    for (size_t i = 0; i < p->names.texts.count && status == F0T_OK; i++) {
        status = f0t_hierarchy_words(&words, &p->hierarchy, &p->read.keywords[i]);
        if (status == F0T_OK)
            status = f0t_hierarchy_words(&words, &p->hierarchy, &p->more[i]);
    }
    if (status == F0T_OK)
        status = f0t_names_count(&words) ? look_up(p, &words) : fail_without_tags(p);
    f0t_names_free(&words);
    return status;
}

/* ---- The collection -------------------------------------------------------------------------- */

static f0t_status add_picture(photos *p, size_t i)
{
    if (p->read.unreadable[i])
        return F0T_OK;
    F0T_TRY(f0t_hierarchy_add(&p->hierarchy, &p->collection, &p->read.keywords[i]));
    F0T_TRY(f0t_hierarchy_add(&p->hierarchy, &p->collection, &p->more[i]));
    if (p->features.part)
        f0t_photo_features_use(&p->features, i);
    return f0t_collection_end_row(&p->collection, f0t_texts_get(&p->names.texts, i),
                                  f0t_texts_length(&p->names.texts, i), -1);
}

/* A picture whose pixels cannot be read was named when that was tried. */
static f0t_status make_features(photos *p)
{
    if (!p->job->options->extract)
        return F0T_OK;
    F0T_TRY(f0t_photo_features_make(&p->features, p->job, &p->names.texts));
    for (size_t i = 0; i < p->names.texts.count; i++)
        if (p->features.records[i] == F0T_NONE && !p->read.unreadable[i]) {
            p->read.unreadable[i] = true;
            p->read.failures++;
        }
    return F0T_OK;
}

static f0t_status run(photos *p)
{
    if (p->job->options->table)
        F0T_TRY(f0t_photo_table_load(&p->table, p->job));
    F0T_TRY(find_pictures(p));
    F0T_TRY(f0t_photo_keywords_read(&p->read, p->job, &p->names.texts));
    F0T_TRY(add_elsewhere(p));
    F0T_TRY(see_keywords(p));
    F0T_TRY(check_tags(p));
    F0T_TRY(make_features(p));
    for (size_t i = 0; i < p->names.texts.count; i++)
        F0T_TRY(add_picture(p, i));
    F0T_TRY(f0t_import_report_say(p->job->report, p->read.failures,
                                  "{picture|pictures} cannot be read and {is|are} left out",
                                  p->read.example));
    F0T_TRY(f0t_hierarchy_end(&p->hierarchy, &p->collection));
    if (!p->collection.rows.count)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: none of its pictures can be read",
                        p->job->sources[0]);
    return f0t_import_finish(p->job, &p->collection, p->features.part ? &p->features.source : NULL);
}

f0t_status f0t_import_photos(f0t_import_job *job)
{
    photos p = {.job = job,
                .hierarchy.levels = f0t_import_learns_levels(job),
                .collection.synonyms = &job->synonyms};
    if (job->options->extract && job->backbone)
        return f0t_fail(F0T_ERROR_ARGUMENT, "the backbone of these features is the one that makes "
                                            "them: no file says it");
    f0t_status status = F0T_OK;
    if (job->options->extract) {
        const char *description = f0t_backbone_description(job->options->extract);
        status = f0t_string_copy(&job->backbone, description, strlen(description));
    }
    if (status == F0T_OK)
        status = run(&p);
    f0t_photo_features_free(&p.features, status == F0T_OK);
    release(&p);
    return status;
}

f0t_status f0t_import_photos_help(const f0t_import_job *job)
{
    F0T_TRY(f0t_photo_keywords_help(job));
    return f0t_photo_features_help(job);
}
