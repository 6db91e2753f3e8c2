/*
 * Rows of numbers that are written once, in order, and read again: in memory as far as a limit goes,
 * the rest in a file that has no name and goes when the program does.
 */
#ifndef F0T_EVAL_SPILL_H
#define F0T_EVAL_SPILL_H

#include "base/status.h"

typedef struct f0t_spill {
    size_t columns;
    size_t rows;        /* written so far */
    size_t memory_rows; /* that fit into memory */
    float *memory;      /* [memory_rows x columns] */
    int file;           /* -1: none yet */
} f0t_spill;

/* For about `rows` of them; up to `limit` bytes stay in memory. */
f0t_status f0t_spill_create(f0t_spill *spill, size_t rows, size_t columns, size_t limit);
void f0t_spill_free(f0t_spill *spill);

f0t_status f0t_spill_add(f0t_spill *spill, const float *rows, size_t count);
/* Rows [first, first + count) into to[count x columns]. */
f0t_status f0t_spill_read(float *to, const f0t_spill *spill, size_t first, size_t count);

#endif
