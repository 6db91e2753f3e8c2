/* What a write replaced, as the table `writes` keeps it. */
#ifndef F0T_CATALOGUE_REPLACED_H
#define F0T_CATALOGUE_REPLACED_H

#include "catalogue/catalogue.h"
#include "image/sidecar_name.h"

/* Adds the bytes to row `id`, compressed; nothing where they are too many to be kept. */
f0t_status f0t_replaced_put(f0t_catalogue *catalogue, int64_t id, const f0t_replaced *replaced);

/* *any is false where the row has none. to->bytes are the caller's to free. */
f0t_status f0t_replaced_get(bool *any, f0t_replaced *to, f0t_catalogue *catalogue, int64_t id);

#endif
