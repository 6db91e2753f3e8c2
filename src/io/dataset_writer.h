/* What importers need of a dataset writer besides its public functions. */
#ifndef F0T_IO_DATASET_WRITER_H
#define F0T_IO_DATASET_WRITER_H

#include "io/dataset_paths.h"

/* The directory that is being written: beside the one that it will be. */
const char *f0t_dataset_writer_folder(const f0t_dataset_writer *writer);

/* paths.txt: where the collection's hierarchy has its tags. */
f0t_status f0t_dataset_write_paths(f0t_dataset_writer *writer, const f0t_paths *paths);

#endif
