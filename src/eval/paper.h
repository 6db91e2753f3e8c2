/* The tables of the paper (Zhang, Gong and Shah, CVPR 2016, and its supplement), to be shown beside
 * ours. */
#ifndef F0T_EVAL_PAPER_H
#define F0T_EVAL_PAPER_H

#include "eval/scenario.h"

enum { F0T_PUBLISHED_VALUES = 7 };

/* In this order: miap, p3, r3, f3, p5, r5, f5. */
extern const char *const f0t_published_names[F0T_PUBLISHED_VALUES];

typedef struct f0t_published_row {
    const char *method;                  /* our name of it */
    double values[F0T_PUBLISHED_VALUES]; /* percent, as printed */
} f0t_published_row;

typedef struct f0t_published_table {
    const char *name;      /* "Table 1" */
    f0t_scenario scenario; /* ours that it is to be laid beside */
    size_t tags;           /* that were ranked */
    int decimals;          /* printed */
    const f0t_published_row *rows;
    size_t row_count;
} f0t_published_table;

typedef struct f0t_published {
    const char *name;  /* "nuswide" */
    const char *title; /* "NUS-WIDE" */
    const f0t_published_table *tables;
    size_t table_count;
    const char *const *slips; /* what is wrong there, a sentence each; ends with NULL */
} f0t_published;

/* Fails with F0T_ERROR_ARGUMENT and the list of names. */
f0t_status f0t_published_find(const f0t_published **out, const char *name);
/* NULL when the paper has no such table, or no such row. */
const f0t_published_table *f0t_published_table_of(const f0t_published *p, f0t_scenario scenario);
const f0t_published_row *f0t_published_row_of(const f0t_published_table *table, const char *method);

#endif
