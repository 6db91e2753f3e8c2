/* CSV and TSV: a line an image, with its tags in one cell or in one 0/1 column a tag. */
#include "import/csv_table.h"
#include "import/import.h"

#include <string.h>

static f0t_status add_rows(f0t_csv_table *t)
{
    for (size_t m = 0; m < f0t_names_count(&t->images); m++) {
        const char *name = f0t_names_get(&t->images, m);
        for (size_t i = t->starts[m]; i < t->starts[m + 1]; i++)
            F0T_TRY(f0t_rows_add(&t->collection.rows, t->tags[i]));
        F0T_TRY(f0t_collection_end_row(&t->collection, name, strlen(name),
                                       t->has_split ? t->splits[m] : -1));
    }
    return F0T_OK;
}

static f0t_status run(f0t_import_job *job, f0t_csv_table *t)
{
    F0T_TRY(f0t_csv_table_load(t, job->sources[0], job->options, job->report));
    F0T_TRY(f0t_import_report_say(
        job->report, t->merged,
        "{line belongs|lines belong} to an image of a line before and {is|are} merged", NULL));
    F0T_TRY(add_rows(t));
    return f0t_import_finish(job, &t->collection, NULL);
}

f0t_status f0t_import_csv(f0t_import_job *job)
{
    f0t_csv_table t;
    f0t_status status = run(job, &t);
    f0t_csv_table_free(&t);
    return status;
}
