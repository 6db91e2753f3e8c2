/* MULAN's list of labels: <labels><label name="…"/>…</labels>, labels may stand inside labels. */
#ifndef F0T_IMPORT_MULAN_H
#define F0T_IMPORT_MULAN_H

#include "base/interner.h"

/* Reads the names in document order; what stands inside another counts as one more. A document type
 * (and with it every entity) is refused, nothing is ever fetched. `name` is for messages. */
f0t_status f0t_mulan_xml_read(f0t_names *labels, const char *data, size_t size, const char *name);

#endif
