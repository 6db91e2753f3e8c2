/* Indexing: pictures into a catalogue, again and again, with the model and backbone that were chosen last. */
#ifndef F0T_CATALOGUE_INDEX_H
#define F0T_CATALOGUE_INDEX_H

#include "catalogue/suggester.h"

typedef struct f0t_indexer f0t_indexer;

/* Unless `pictures` is set, only for suggestions: it has no backbone. */
f0t_status f0t_indexer_open(f0t_indexer **out, f0t_catalogue *catalogue,
                            const f0t_index_options *options, bool pictures,
                            const f0t_monitor *monitor);
void f0t_indexer_close(f0t_indexer *indexer);

/* f0t_catalogue_index, whose report is filled as far as the work got. */
f0t_status f0t_indexer_run(f0t_index_report *report, f0t_indexer *indexer, const char *const *paths,
                           size_t count);

#endif
