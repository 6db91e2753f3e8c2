/* One import: what was asked for, and what the importers share. */
#ifndef F0T_IMPORT_IMPORT_H
#define F0T_IMPORT_IMPORT_H

#include "import/collection.h"

typedef struct f0t_import_job {
    const char *output;
    const char *const *sources;
    size_t source_count;
    const f0t_import_options *options;
    double val; /* options->val, or the format's own */
    char *backbone;
    f0t_import_report *report;
} f0t_import_job;

/* The formats, one a file. Each writes all of job->output. */
f0t_status f0t_import_csv(f0t_import_job *job);
f0t_status f0t_import_mulan(f0t_import_job *job);
f0t_status f0t_import_nuswide(f0t_import_job *job);
f0t_status f0t_import_tagprop(f0t_import_job *job);
f0t_status f0t_import_photos(f0t_import_job *job);

/* Writes a dataset from the collection, with the features that the options name, or those of `own`
 * (NULL: none), which has a row for each image of the collection. */
f0t_status f0t_import_finish(f0t_import_job *job, f0t_collection *collection,
                             const f0t_feature_source *own);

/* Says in the report how many tags an image had twice. */
f0t_status f0t_import_say_repeats(f0t_import_job *job, const f0t_collection *collection);

#endif
