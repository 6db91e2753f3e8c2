/*
 * The demo (fast0tag_tools.h), step by step, by means of the public headers alone. Each step leaves what it
 * made in the folder, and takes it from there where nothing that it depends on has changed.
 *
 *   DIR/pictures            the pictures' features and keywords, as they are: a dataset
 *   DIR/words.safetensors   word vectors made from WordNet
 *   DIR/words.state         which WordNet
 *   DIR/collection          the same pictures with clean tags, split, a part of the tags unseen
 *   DIR/results.jsonl       of the comparison
 *   DIR/model.f0t           the blend of the comparison that learned the seen tags
 *   DIR/nouns.txt           the open vocabulary
 *   DIR/demo.state          what all of it was made from
 *   DIR/index.html          the page, written again as results come
 */
#ifndef F0T_DEMO_DEMO_H
#define F0T_DEMO_DEMO_H

#include "fast0tag_tools.h"

enum { F0T_DEMO_STATE_SIZE = 256, F0T_DEMO_PATH_SIZE = 4096 };

typedef struct f0t_demo_work {
    f0t_demo_options options;
    const char *output;
    const f0t_context *context;
    bool clipart; /* the pictures are Debian's clip art */
    /* What DIR/demo.state will say: taken before anything is read. */
    char state[F0T_DEMO_STATE_SIZE];
    bool same; /* DIR/demo.state says that what is in DIR is of these pictures and options */
    f0t_pictures *found;
    const char **paths; /* [path_count] of the pictures that are used */
    size_t path_count;
    size_t generated; /* pictures that were passed over: made by a program, in bulk */
    f0t_vectors *vectors;
    f0t_dataset *pictures, *collection;
    f0t_cleaning *cleaning; /* from `pictures` to `collection` */
    f0t_eval *eval;
    f0t_model *model;
    char model_path[F0T_DEMO_PATH_SIZE];
    f0t_vocab *nouns; /* that are no seen tags */
} f0t_demo_work;

/* Returns what the call failed with. */
#define F0T_DEMO_TRY(call)                     \
    do {                                       \
        const f0t_status f0t_status_ = (call); \
        if (f0t_status_ != F0T_OK)             \
            return f0t_status_;                \
    } while (0)

f0t_status f0t_demo_fail(f0t_status status, const char *form, ...)
    __attribute__((format(printf, 2, 3)));
/* The same with what the system said, errno. */
f0t_status f0t_demo_fail_errno(const char *path, const char *what);
f0t_status f0t_demo_fail_memory(void);

/* DIR/NAME. f0t_demo_open_folder refuses a DIR that is too long. */
const char *f0t_demo_path(char out[F0T_DEMO_PATH_SIZE], const f0t_demo_work *work,
                          const char *name);

/* Writes texts[count], each with `end` after it, into DIR/NAME, whole or not at all. */
f0t_status f0t_demo_write(const f0t_demo_work *work, const char *name, const char *const *texts,
                          size_t count, const char *end);

/* Of a file, in bytes; -1: it is not there. */
long long f0t_demo_size(const char *path);

/* A line of the monitor's log. */
void f0t_demo_log(const f0t_demo_work *work, const char *form, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- Steps, in this order; those that are not here are in run.c -------------------------------- */

f0t_status f0t_demo_find_pictures(f0t_demo_work *work);
/* A folder that is new, empty, or of an earlier demo; nothing else is written into. */
f0t_status f0t_demo_open_folder(f0t_demo_work *work);
/* Sets work->same, and forgets results and model of other pictures. */
f0t_status f0t_demo_compare_state(f0t_demo_work *work);
/* Opens work->pictures and work->collection, which are made where they are not there. */
f0t_status f0t_demo_describe_pictures(f0t_demo_work *work);
f0t_status f0t_demo_clean_tags(f0t_demo_work *work);
f0t_status f0t_demo_save_state(f0t_demo_work *work);

/* Whether DIR/words.safetensors is of the WordNet in this folder; from now on it is. */
bool f0t_demo_has_words(const f0t_demo_work *work, const char *wordnet);
f0t_status f0t_demo_save_words(const f0t_demo_work *work, const char *wordnet);

/* ---- Debian's clip art (package openclipart-svg): docs/demo.md ----------------------------------- */

/* Pictures that a program made in bulk: 1,400 star shapes that differ in numbers alone. */
bool f0t_clipart_is_generated(const char *path);

/* How many bytes of the path are those of its series: pictures whose names differ in their numbers
 * alone are often the same drawing once more. */
size_t f0t_clipart_series(const char *path);

/* Tags that say nothing about what the picture shows, for f0t_clean_options. */
const char *const *f0t_clipart_drop(size_t *count);

#endif
