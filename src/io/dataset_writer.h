/* What importers need of a dataset writer besides its public functions. */
#ifndef F0T_IO_DATASET_WRITER_H
#define F0T_IO_DATASET_WRITER_H

#include "base/status.h"

/* The directory that is being written: beside the one that it will be. */
const char *f0t_dataset_writer_folder(const f0t_dataset_writer *writer);

#endif
