/* The direction of a picture, as the page draws it: learned tags along it, and across. */
#include "library.h"

#include "asked.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_MOST = 400, OWN_MOST = 40, NAMED = 5 };

typedef struct shown_tag {
    size_t tag;
    bool own, named; /* a person gave it; it is written beside its point */
} shown_tag;

typedef struct drawing {
    const f0t_vocab *vocab;
    float *direction; /* [dim] */
    bool *is_shown;   /* [tags] */
    shown_tag *shown; /* [SHOWN_MOST] */
    float *vectors;   /* [SHOWN_MOST x dim] of them */
    double *along, *across;
    size_t count;
} drawing;

/* Tags that are learned without a vector have no place along a direction. */
static bool has_place(const float *vector, size_t dim)
{
    for (size_t j = 0; j < dim; j++)
        if (vector[j] != 0)
            return true;
    return false;
}

static void add(drawing *d, size_t tag, bool own, bool named)
{
    const size_t dim = f0t_vocab_dim(d->vocab);
    const float *vector = f0t_vocab_vectors(d->vocab) + tag * dim;
    if (d->count == SHOWN_MOST || d->is_shown[tag] || !has_place(vector, dim))
        return;
    d->is_shown[tag] = true;
    memcpy(d->vectors + d->count * dim, vector, dim * sizeof *vector);
    d->shown[d->count++] = (shown_tag){.tag = tag, .own = own, .named = named};
}

static f0t_status add_own(drawing *d, f0t_catalogue *catalogue, int64_t picture)
{
    f0t_catalogue_tags *tags;
    f0t_status status = f0t_catalogue_get_tags(&tags, catalogue, picture);
    for (size_t i = 0; status == F0T_OK && i < tags->count && d->count < OWN_MOST; i++) {
        const f0t_catalogue_tag *t = &tags->items[i];
        size_t index = F0T_NONE;
        if (t->decision == F0T_REJECTED ||
            (t->source == F0T_KEYWORD_NONE && t->decision != F0T_ACCEPTED))
            continue;
        status = f0t_vocab_find(&index, d->vocab, t->tag);
        if (status == F0T_OK && index != F0T_NONE)
            add(d, index, true, true);
    }
    f0t_catalogue_tags_free(tags);
    return status;
}

/* Those that are furthest along it and against it. */
static f0t_status add_ends(drawing *d, const f0t_context *context)
{
    uint32_t best[NAMED];
    const size_t count = f0t_vocab_count(d->vocab), dim = f0t_vocab_dim(d->vocab);
    const size_t found = count < NAMED ? count : NAMED;
    f0t_status status = F0T_OK;
    for (int end = 0; end < 2 && status == F0T_OK; end++) {
        status = f0t_vocab_rank(best, NULL, NAMED, d->vocab, d->direction, 1, context);
        for (size_t i = 0; status == F0T_OK && i < found; i++)
            add(d, best[i], false, true);
        for (size_t j = 0; j < dim; j++)
            d->direction[j] = -d->direction[j];
    }
    return status;
}

static void add_others(drawing *d)
{
    const size_t count = f0t_vocab_count(d->vocab), step = 1 + count / SHOWN_MOST;
    for (size_t i = 0; i < count; i += step)
        add(d, i, false, false);
}

static json_t *drawing_json(const drawing *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->count; i++)
        json_array_append_new(list,
                              json_pack("{s:o, s:f, s:f, s:b, s:b}", "tag",
                                        reply_string(f0t_vocab_tag(d->vocab, d->shown[i].tag)),
                                        "along", d->along[i], "across", d->across[i], "own",
                                        d->shown[i].own, "named", d->shown[i].named));
    return list;
}

static f0t_status draw(json_t **out, drawing *d, const request *r, int64_t picture, size_t tag)
{
    const size_t dim = f0t_vocab_dim(d->vocab);
    f0t_status status = add_own(d, asked_catalogue(r), picture);
    if (status == F0T_OK && tag != F0T_NONE)
        add(d, tag, false, true);
    if (status == F0T_OK)
        status = add_ends(d, r->server->context);
    add_others(d);
    if (status == F0T_OK)
        status = f0t_direction_plane(d->along, d->across, d->direction, d->vectors, d->count, dim);
    if (status == F0T_OK)
        *out = drawing_json(d);
    return status;
}

static bool allocate(drawing *d)
{
    const size_t tags = f0t_vocab_count(d->vocab), dim = f0t_vocab_dim(d->vocab);
    d->direction = calloc(dim ? dim : 1, sizeof *d->direction);
    d->is_shown = calloc(tags ? tags : 1, sizeof *d->is_shown);
    d->shown = calloc(SHOWN_MOST, sizeof *d->shown);
    d->vectors = calloc((dim ? dim : 1) * SHOWN_MOST, sizeof *d->vectors);
    d->along = calloc(SHOWN_MOST, sizeof *d->along);
    d->across = calloc(SHOWN_MOST, sizeof *d->across);
    return d->direction && d->is_shown && d->shown && d->vectors && d->along && d->across;
}

static void release(drawing *d)
{
    free(d->direction);
    free(d->is_shown);
    free(d->shown);
    free(d->vectors);
    free(d->along);
    free(d->across);
}

f0t_status library_direction(json_t **out, const request *r, const f0t_vocab *vocab,
                             int64_t picture, size_t tag)
{
    drawing d = {.vocab = vocab};
    size_t dim = 0;
    *out = NULL;
    if (r->server->other_model) { /* the catalogue's directions are in its own model's space */
        *out = json_null();
        return F0T_OK;
    }
    f0t_status status = allocate(&d)
                            ? f0t_catalogue_get_direction(d.direction, &dim, f0t_vocab_dim(vocab),
                                                          asked_catalogue(r), picture)
                            : f0t_error_set(F0T_ERROR_MEMORY, "no memory for the direction");
    if (status == F0T_OK && dim == f0t_vocab_dim(vocab) && has_place(d.direction, dim))
        status = draw(out, &d, r, picture, tag);
    else if (status == F0T_OK)
        *out = json_null();
    release(&d);
    return status;
}
