/* A catalogue as its parts see it. */
#ifndef F0T_CATALOGUE_CATALOGUE_H
#define F0T_CATALOGUE_CATALOGUE_H

#include "catalogue/sql.h"
#include "image/keywords.h"

struct f0t_catalogue {
    f0t_sql sql;
    char *path;
    bool begun;       /* between f0t_catalogue_begin and commit, */
    int64_t step;     /* since when this was the first decision; 0: none yet */
    char *model;      /* path of the model that was chosen; NULL: none */
    int64_t model_id; /* 0: none */
    uint64_t fingerprint;
    char *backbone; /* its description; NULL: none */
    int64_t backbone_id;
    char *vectors;       /* path of the word vectors; NULL: none */
    unsigned char *blob; /* what f0t_catalogue_get_thumbnail gave last */
};

/* Around what changes a catalogue: all of it happens, or nothing. f0t_change_end commits where `status` is F0T_OK, and
 * returns the first failure. They do not nest. */
f0t_status f0t_change_begin(f0t_catalogue *catalogue);
f0t_status f0t_change_end(f0t_catalogue *catalogue, f0t_status status);

/* The number of a tag, which is added where it is new; 0 where it is not there and `add` is false. */
f0t_status f0t_catalogue_tag_id(int64_t *out, f0t_catalogue *catalogue, const char *tag, bool add);

/* Fails with F0T_ERROR_NOT_FOUND where there is no picture of this number. */
f0t_status f0t_catalogue_require(f0t_catalogue *catalogue, int64_t picture);

/* Inside of a change: tags of the picture that were accepted and written, and that somebody then took out of the file, are
 * rejected by "file" (F0T_BY_FILE), and no longer known as written; adds how many to *count. A tag that was written after
 * the file was changed the last time is left alone: such a file is a copy from before. */
f0t_status f0t_decisions_take_removed(size_t *count, f0t_catalogue *catalogue, int64_t picture,
                                      const f0t_removed_tags *removed);
#define F0T_BY_FILE "file"

/* f0t_catalogue_set_model as a part of a change; what was chosen is to be read afterwards. */
f0t_status f0t_catalogue_choose_model(f0t_catalogue *catalogue, const char *path,
                                      uint64_t fingerprint);
/* What was chosen by whoever wrote it last, perhaps another process. */
f0t_status f0t_catalogue_read_chosen(f0t_catalogue *catalogue);

/* The directions have changed: what was derived from them (catalogue/directions.h) is out of date. To be called inside
 * the change. */
f0t_status f0t_catalogue_change_directions(f0t_catalogue *catalogue);

/* The numbers of a blob of float16 that the query gives in column `column`, to[*dim] of room for `most`; fails with
 * F0T_ERROR_FORMAT where its length is odd, or more than that, or a number is not finite. */
f0t_status f0t_catalogue_read_halves(float *to, size_t *dim, size_t most, const f0t_catalogue *c,
                                     sqlite3_stmt *statement, int column);

/* The parts of f0t_catalogue_put, inside of a change: the keywords of a record; its direction and suggestions. */
f0t_status f0t_record_put_keywords(f0t_catalogue *c, int64_t id, const f0t_catalogue_record *r);
f0t_status f0t_record_put_scores(f0t_catalogue *c, int64_t id, const f0t_catalogue_record *r);

/* Numbers of a feature vector or direction at most. */
enum { F0T_CATALOGUE_DIM_MOST = 1 << 20 };

#endif
