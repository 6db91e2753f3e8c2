/*
 * A tagger, and a call of it: what tagger.c makes, tagging.c runs block by block, and together.c shares out between
 * processes.
 */
#ifndef F0T_TAG_TAGGING_H
#define F0T_TAG_TAGGING_H

#include "base/group.h"
#include "compute/scoring.h"
#include "image/backbone.h"
#include "model/model.h"
#include "tag/choice.h"
#include "tag/diverse.h"
#include "tag/known.h"
#include "word/hypernyms.h"
#include "word/vocab.h"

struct f0t_tagger {
    const f0t_model *model;
    f0t_model *owned; /* the model, where it was opened by path */
    const f0t_vocab *vocab;
    f0t_vocab *joined; /* the vocabulary, where it was made of two */
    f0t_backbone *backbone;
    f0t_net *copy;         /* of the model's net on another device; NULL: the model's own */
    f0t_scoring many, one; /* the words' vectors for blocks, and for a single row */
    f0t_diverse words;     /* of its vocabulary's tags */
    f0t_known_words known; /* of a blend: words that the model has learned, and new ones */
    const f0t_hypernyms *hypernyms; /* NULL: no general words */
};

/* Fails where features of `has` numbers are not those of its model; "the rows have" is what says how many there are. */
f0t_status f0t_tagger_check_dim(const f0t_tagger *tagger, size_t has, const char *what);

/* Where its i-th row is among all. */
static inline size_t f0t_tag_input_row(const f0t_tag_input *input, size_t i)
{
    return input->which ? input->which[i] : i;
}

/* f0t_tagger_each in this process for `rows` rows of features, and what f0t_model_directions says of them into
 * directions[rows x d]: a blend scores each row once for both. */
f0t_status f0t_tagger_each_directed(float *directions, const f0t_tagger *tagger,
                                    const float *features, size_t rows,
                                    const f0t_tag_options *options, f0t_tag_callback each,
                                    void *user);

enum { F0T_TAGGING_NAME_SIZE = 32 };

/* Tags that are being made. */
typedef struct f0t_tagging {
    const f0t_tagger *tagger;
    f0t_tag_input input;
    f0t_tag_options options;
    f0t_tag_callback each;
    void *user;
    const f0t_monitor *monitor;
    bool together;                        /* the processes of the context's group share the work */
    float *features;                      /* [count x D] to keep, or NULL */
    float *all_directions;                /* [count x d] to keep, or NULL */
    size_t kept;                          /* tags per picture, at most, */
    size_t ranked;                        /* of so many that are ranked */
    f0t_tag_choice choice;                /* of those kept */
    size_t block;                         /* rows that there is room for */
    float *rows;                          /* [block x D] */
    float *directions;                    /* [block x d] */
    uint32_t *index;                      /* [block x ranked] */
    float *score;                         /* [block x ranked] */
    float *confidence;                    /* [block x ranked] */
    f0t_tag_score *tags;                  /* [kept, and general words] */
    f0t_failure *failures;                /* [block] of the rows that have no tags */
    f0t_picture_source *sources;          /* [block] of pictures, */
    char (*names)[F0T_TAGGING_NAME_SIZE]; /* and names of those that have none */
} f0t_tagging;

/* Makes the tags of rows [first, first + count) of the input, at most `block`, and gives them to `each`. */
f0t_status f0t_tagging_run_block(f0t_tagging *tagging, size_t first, size_t count);

/* All of them, by all processes: blocks are handed out, and the first process calls `each`, in the order of the input. */
f0t_status f0t_tagging_run_together(f0t_tagging *tagging, const f0t_group *group);

#endif
