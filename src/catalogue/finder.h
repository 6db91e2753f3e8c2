/*
 * A finder inside: what it needs besides the catalogue, each made when it is first needed; what a word of a query
 * means (word_hits.c); and what else a query asks for (filter.c).
 */
#ifndef F0T_CATALOGUE_FINDER_H
#define F0T_CATALOGUE_FINDER_H

#include "catalogue/catalogue.h"
#include "catalogue/directions.h"
#include "catalogue/hits.h"
#include "catalogue/query.h"
#include "model/model.h"
#include "model/presence.h"

struct f0t_finder {
    f0t_catalogue *catalogue;
    const f0t_model *model; /* NULL: not loaded yet, or none */
    f0t_model *own_model;
    f0t_presence presence; /* of the model's words, */
    bool presence_known;   /* once it was asked for */
    uint64_t fingerprint;  /* of own_model */
    char *vectors_path;    /* NULL: none */
    f0t_vectors *vectors;
    f0t_directions *directions; /* of `stamp`; NULL: none */
    int64_t stamp;
    bool fresh; /* there is a stamp */
    bool read;  /* the directions of the stamp have been */
};

/* To be called first in the transaction of a search: lets go of what is out of date, because somebody has indexed, or
 * chosen another model, since. */
f0t_status f0t_finder_refresh(f0t_finder *finder);

/* The catalogue's model; *out is NULL where it has none. */
f0t_status f0t_finder_model(const f0t_model **out, f0t_finder *finder);
/* What is added to the logit of a new word with this vector[d], by the presence of words like it in the collection. */
f0t_status f0t_finder_presence(double *logit, f0t_finder *finder, const float *vector);
/* The directions as the catalogue has them in this transaction; NULL: there are none. */
f0t_status f0t_finder_directions(const f0t_directions **out, f0t_finder *finder);
/* Word vectors; *out is NULL where no file is named. */
f0t_status f0t_finder_vectors(const f0t_vectors **out, f0t_finder *finder);

/* ---- Tags of people (filter.c) ----------------------------------------------------------------- */

/* The numbers of the catalogue's tags that are one with this text (catalogue/same.h). */
typedef struct f0t_tag_ids {
    int64_t *items; /* [count] */
    size_t count, capacity;
} f0t_tag_ids;

f0t_status f0t_tag_ids_find(f0t_tag_ids *out, f0t_catalogue *catalogue, const char *text);
void f0t_tag_ids_free(f0t_tag_ids *ids);

/* Pictures that have one of the tags from a person, as keyword or accepted; that a person rejected it for. By id. */
f0t_status f0t_tagged_pictures(f0t_hits *out, f0t_catalogue *catalogue, const f0t_tag_ids *tags);
f0t_status f0t_rejected_pictures(f0t_hits *out, f0t_catalogue *catalogue, const f0t_tag_ids *tags);

/* ---- Words (word_hits.c) ------------------------------------------------------------------------- */

typedef struct f0t_word_hits {
    f0t_find_word shown;
    f0t_tag_ids tags;
    f0t_hits given, rejected; /* by people */
    bool calibrated;          /* sureties are logarithms of confidences */
    float *query;             /* [d] of a new word: its score is a product with this, */
    double shift;             /* and its logit that plus this */
    f0t_hits hits;            /* by id: all that reach the cut, */
    bool complete;            /* unless `most` of them were asked for */
} f0t_word_hits;

typedef struct f0t_word_options {
    bool nearest;      /* no cut */
    double confidence; /* the cut; 0: the word's own */
    size_t most;       /* the first of these pictures that a new word has; SIZE_MAX: all */
} f0t_word_options;

/* What the word means. Fails with F0T_ERROR_NOT_FOUND where it means nothing. */
f0t_status f0t_word_hits_open(f0t_word_hits *out, f0t_finder *finder, const f0t_term *term);
void f0t_word_hits_close(f0t_word_hits *word);
/* Fills `hits`. */
f0t_status f0t_word_hits_gather(f0t_word_hits *word, f0t_finder *finder,
                                const f0t_word_options *options);

/* ---- Everything else a query asks for (filter.c) -------------------------------------------------- */

typedef struct f0t_filter {
    const f0t_query *query;          /* NULL: everything passes */
    f0t_hits *tagged;                /* [terms], filled for F0T_TERM_TAG */
    struct f0t_catalogue *catalogue; /* for what is asked picture by picture */
} f0t_filter;

f0t_status f0t_filter_open(f0t_filter *out, f0t_catalogue *catalogue, const f0t_query *query);
void f0t_filter_close(f0t_filter *filter);
/* Whether the picture, which was taken then, meets all terms that are no words. */
f0t_status f0t_filter_passes(bool *passes, const f0t_filter *filter, int64_t id, int64_t taken);

#endif
