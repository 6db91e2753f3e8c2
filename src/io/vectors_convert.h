/* From any form of word vectors to our own. */
#ifndef F0T_IO_VECTORS_CONVERT_H
#define F0T_IO_VECTORS_CONVERT_H

#include "base/interner.h"
#include "fast0tag_tools.h"

/* f0t_vectors_convert with only the words that are in `wanted` (NULL: all). */
f0t_status f0t_vectors_rewrite(f0t_vectors_counts *counts, const char *to, const char *from,
                               const f0t_words *wanted, const f0t_convert_options *options);

#endif
