/*
 * ARFF, Weka's attribute-relation files (the manual's "Attribute-Relation File Format"): a header of
 * attributes, then rows, dense (1,0,red) or sparse ({0 1,2 red}). Keywords in any case; names and
 * values may stand in ' or " with \ before special characters; % begins a comment. In a sparse row an
 * attribute that is not named has the value 0, which for a nominal one is its first value.
 */
#ifndef F0T_IMPORT_ARFF_H
#define F0T_IMPORT_ARFF_H

#include "base/interner.h"
#include "io/file.h"

typedef enum f0t_arff_kind {
    F0T_ARFF_NUMERIC,
    F0T_ARFF_NOMINAL,
    F0T_ARFF_OTHER /* string or date: its values are passed over */
} f0t_arff_kind;

typedef struct f0t_arff_attribute {
    f0t_arff_kind kind;
    f0t_names values; /* nominal */
    float *numbers;   /* nominal, when all values are numbers: what they are; else NULL */
} f0t_arff_attribute;

typedef struct f0t_arff {
    f0t_stream *stream; /* the caller's */
    f0t_names names;    /* of the attributes */
    f0t_arff_attribute *attributes;
    size_t count, capacity;
    /* The row that was read last, [count]: a number, of a nominal attribute the index of the value,
     * NaN where it is missing ("?"). */
    float *values;
    uint64_t *stamps; /* [count] the last row that named the attribute */
    uint64_t rows;
    char *token; /* the last token, unquoted */
    size_t token_capacity;
} f0t_arff;

/* Reads the header. The caller closes it, also after a failure. */
f0t_status f0t_arff_open(f0t_arff *arff, f0t_stream *stream);
void f0t_arff_close(f0t_arff *arff);

/* Reads the next row into arff->values; *found is false at the end. */
f0t_status f0t_arff_next(bool *found, f0t_arff *arff);

#endif
