/* The classes that a network was trained to tell apart: their names, and the layer that makes one number per
 * class of its features. */
#ifndef F0T_WORD_CLASSES_H
#define F0T_WORD_CLASSES_H

#include "base/interner.h"

struct f0t_classes {
    size_t count, dim; /* C, D */
    float *weights;    /* [C x D], finite */
    float *bias;       /* [C], finite */
    f0t_texts labels;  /* C texts of at most F0T_TAG_MOST bytes; "": a class without a name */
};

/* out[rows x C] = weights · features + bias, what the network itself would give. Fails with F0T_ERROR_NUMERIC,
 * naming the row, where that is NaN or infinite. A row does not depend on how many there are. */
f0t_status f0t_classes_logits(float *out, const f0t_classes *classes, const float *features,
                              size_t rows);

#endif
