/* The model that learning replaced: it is kept, and may come back. */
#ifndef F0T_CATALOGUE_MODEL_BEFORE_H
#define F0T_CATALOGUE_MODEL_BEFORE_H

#include "catalogue/catalogue.h"

/* Saves a model of the catalogue as the file `path` (NULL: in the place of the model that it has). The model before
 * stays: where it lies at `path`, as PATH.before, whatever was there; else where it is. The catalogue notes which it is
 * and, where `vectors` is not NULL, that the words of the new model come from that file. It does not choose the new
 * model: f0t_catalogue_index does, with its file. */
f0t_status f0t_catalogue_save_model(f0t_catalogue *catalogue, const f0t_model *model,
                                    const char *path, const char *vectors);

#endif
