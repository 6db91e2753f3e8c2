/* What makes features of pictures, and directions and suggestions of features: a backbone and perhaps a model. */
#ifndef F0T_CATALOGUE_SUGGESTER_H
#define F0T_CATALOGUE_SUGGESTER_H

#include "catalogue/catalogue.h"

typedef struct f0t_suggester {
    f0t_backbone *backbone; /* NULL: no pictures are read */
    f0t_tagger *tagger;     /* NULL: there is no model */
    size_t dim;             /* of features, */
    size_t direction;       /* and of directions; 0: none */
    bool suggests;          /* the model says how sure it is */
} f0t_suggester;

/* Opens what the options say and the catalogue remembers, and chooses it in the catalogue; without a backbone unless
 * `pictures` are to be read. */
f0t_status f0t_suggester_open(f0t_suggester *out, f0t_catalogue *catalogue,
                              const f0t_index_options *options, bool pictures,
                              const f0t_monitor *monitor);
void f0t_suggester_close(f0t_suggester *suggester);

/* Of features[rows x dim]: directions[rows x direction] and, for each row, counts[row] suggestions from
 * suggestions[row x F0T_SUGGESTED_MOST] on. */
f0t_status f0t_suggester_run(float *directions, f0t_tag_score *suggestions, size_t *counts,
                             const f0t_suggester *suggester, const float *features, size_t rows);

#endif
