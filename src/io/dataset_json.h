/* dataset.json: what a dataset's other files do not say. */
#ifndef F0T_IO_DATASET_JSON_H
#define F0T_IO_DATASET_JSON_H

#include "io/dataset_load.h"

/* Sets the dataset's name, backbone and features_path (as written there) from the stream. Keys that
 * are not known are left alone: other programs may keep theirs there. */
f0t_status f0t_dataset_json_read(f0t_dataset *dataset, f0t_stream *stream);

/* Writes the file. Any text may be NULL; `backbone` is a JSON object. */
f0t_status f0t_dataset_json_write(const char *path, const char *name, const char *features,
                                  const char *backbone);

#endif
