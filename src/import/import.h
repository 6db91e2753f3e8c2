/* One import: what was asked for, and what the importers share. */
#ifndef F0T_IMPORT_IMPORT_H
#define F0T_IMPORT_IMPORT_H

#include "import/collection.h"

/* ---- The report: what was made, changed and left out ----------------------------------------- */

/* Adds a dataset; its path is copied. */
f0t_status f0t_import_report_add(f0t_import_report *report, const f0t_import_dataset *dataset);

/* Adds a note unless the count is 0. Words in braces are one for a count of 1 and one for others:
 * "{image has|images have} no tag". Both texts are copied; `example` may be NULL. */
f0t_status f0t_import_report_say(f0t_import_report *report, uint64_t count, const char *what,
                                 const char *example);

/* ---- The job --------------------------------------------------------------------------------- */

typedef struct f0t_import_job {
    const char *output;
    const char *const *sources;
    size_t source_count;
    const f0t_import_options *options;
    double val; /* options->val, or the format's own */
    char *backbone;
    f0t_import_report *report;
    f0t_synonym_index synonyms;
} f0t_import_job;

/* Whether every level of a keyword that is a path is a tag, and not its last one alone. */
bool f0t_import_learns_levels(const f0t_import_job *job);

/* The formats, one per file. Each writes all of job->output. */
f0t_status f0t_import_csv(f0t_import_job *job);
f0t_status f0t_import_mulan(f0t_import_job *job);
f0t_status f0t_import_nuswide(f0t_import_job *job);
f0t_status f0t_import_tagprop(f0t_import_job *job);
f0t_status f0t_import_photos(f0t_import_job *job);

/* Writes a dataset from the collection, with the features that the options name, or those of `own`
 * (NULL: none), which has a row for each image of the collection. */
f0t_status f0t_import_finish(f0t_import_job *job, f0t_collection *collection,
                             const f0t_feature_source *own);

#endif
