/* What an import made, changed and left out. */
#ifndef F0T_IMPORT_REPORT_H
#define F0T_IMPORT_REPORT_H

#include "fast0tag_tools.h"

struct f0t_import_report {
    f0t_import_dataset *datasets;
    size_t dataset_count, dataset_capacity;
    f0t_import_note *notes;
    size_t note_count, note_capacity;
};

f0t_status f0t_import_report_create(f0t_import_report **out);

/* Adds a dataset; its path is copied. */
f0t_status f0t_import_report_add(f0t_import_report *report, const f0t_import_dataset *dataset);

/* Adds a note unless the count is 0. Words in braces are one for a count of 1 and one for others:
 * "{image has|images have} no tag". Both texts are copied; `example` may be NULL. */
f0t_status f0t_import_report_say(f0t_import_report *report, uint64_t count, const char *what,
                                 const char *example);

#endif
