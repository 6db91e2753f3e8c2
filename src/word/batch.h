/* Work on the words of a batch, in pieces that all threads share. */
#ifndef F0T_WORD_BATCH_H
#define F0T_WORD_BATCH_H

#include "base/status.h"

enum { F0T_BATCH = 2048 };

/* The words `first` up to `end` of a batch. */
typedef f0t_status (*f0t_batch_piece)(void *user, size_t first, size_t end);

/* Calls `piece` for all of `count` words, F0T_BATCH at most; the failure of the first piece that fails. */
f0t_status f0t_batch_run(void *user, size_t count, f0t_batch_piece piece);

#endif
