/* Results of the tagger as bytes: processes that tag together send them to the first one. */
#ifndef F0T_TAG_PACKED_H
#define F0T_TAG_PACKED_H

#include "base/parcel.h"

/* Appends one. */
f0t_status f0t_packed_tags_add(f0t_parcel *packed, const f0t_tag_result *result);

/* Calls `each` with every result, in the order in which they were added; fails where it returns false, and where they are
 * not those of inputs [first, end), each once and in order. Tags are those of `vocab`, and general words are valid until
 * `each` returns. */
f0t_status f0t_packed_tags_each(const void *data, size_t bytes, const f0t_vocab *vocab,
                                size_t first, size_t end, f0t_tag_callback each, void *user);

#endif
