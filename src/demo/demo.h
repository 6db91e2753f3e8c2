/*
 * The demo (fast0tag_tools.h), step by step. Each step leaves what it made in the folder, and takes it
 * from there where nothing that it depends on has changed.
 *
 *   DIR/pictures            the pictures' features and keywords, as they are: a dataset
 *   DIR/words.safetensors   word vectors made from WordNet
 *   DIR/words.state         which WordNet: a number
 *   DIR/collection          the same pictures with clean tags, split, a part of the tags unseen
 *   DIR/results.jsonl       of the comparison
 *   DIR/model.f0t           trained on the seen tags
 *   DIR/nouns.txt           the open vocabulary
 *   DIR/demo.state          what all of it was made from: a number
 *   DIR/index.html          the page
 */
#ifndef F0T_DEMO_DEMO_H
#define F0T_DEMO_DEMO_H

#include "base/interner.h"
#include "eval/eval.h"
#include "report/eval_tables.h"
#include "word/clean.h"

enum { F0T_DEMO_STATE_SIZE = 64 };

typedef struct f0t_demo_work {
    f0t_demo_options options;
    const char *output;
    bool clipart; /* the pictures are Debian's clip art */
    /* What DIR/demo.state will say: taken before anything is read. */
    char state[F0T_DEMO_STATE_SIZE];
    bool same;        /* DIR/demo.state says that what is in DIR is of these pictures and options */
    f0t_texts paths;  /* of the pictures */
    size_t generated; /* pictures that were passed over: made by a program, in bulk */
    f0t_vectors *vectors;
    f0t_dataset *pictures, *collection;
    bool *copy;          /* [pictures] the same as one before it */
    f0t_cleaned cleaned; /* tags of `pictures` to those of `collection` */
    f0t_eval *eval;
    f0t_model *model;
    f0t_vocab *nouns; /* that are no seen tags */
    double began;
} f0t_demo_work;

/* DIR/NAME; the caller's to free. */
f0t_status f0t_demo_path(char **out, const f0t_demo_work *work, const char *name);

/* ---- Steps, in this order; those that are not here are in run.c -------------------------------- */

/* A folder that is new, empty, or of an earlier demo; nothing else is written into. */
f0t_status f0t_demo_open_folder(f0t_demo_work *work);
f0t_status f0t_demo_find_pictures(f0t_demo_work *work);
/* Sets work->same, and forgets results and model of other pictures. */
f0t_status f0t_demo_compare_state(f0t_demo_work *work);
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

/* Tags that say nothing about what the picture shows. */
f0t_clean_list f0t_clipart_list(void);

/* ---- The method that is shown ------------------------------------------------------------------ */

/* Whose tags are shown: the paper's network, whichever was best. */
extern const char f0t_demo_ours[];

/* The mean of a value ("miap") of a method in a scenario; NaN where it was refused. */
double f0t_demo_value(const f0t_eval *eval, const char *method, f0t_scenario scenario,
                      const char *value);

/* ---- The sentences and the table, for the terminal and for the page ---------------------------- */

/* 6712 → "6,712". */
enum { F0T_COUNT_SIZE = 32 };
const char *f0t_demo_count(char out[F0T_COUNT_SIZE], size_t number);

/* What a scenario gives over a baseline. */
typedef struct f0t_demo_gain {
    double miap;    /* of the method that is shown */
    double against; /* of the baseline */
    double times;   /* miap / against */
} f0t_demo_gain;

/* New tags alone over chance; all tags learned, and a fifth of them new, over ranking by frequency. The
 * frequencies are those of conventional tagging, which knows how often the new tags are used: the
 * same pictures and tags. */
f0t_demo_gain f0t_demo_gain_of(const f0t_eval *eval, f0t_scenario scenario);

/* MiAP of each method in the three scenarios. */
f0t_status f0t_demo_table(f0t_table **out, const f0t_eval *eval);

/* The three gains, in two sentences. */
void f0t_demo_tell_gains(f0t_text *to, const f0t_eval *eval);

/* How the tags were cleaned, in a few sentences. */
void f0t_demo_tell_cleaning(f0t_text *to, const f0t_demo_work *work, const f0t_demo *demo);

/* ---- Results ----------------------------------------------------------------------------------- */

f0t_status f0t_demo_write_story(char **out, const f0t_demo_work *work, const f0t_demo *demo);
f0t_status f0t_demo_write_page(const f0t_demo_work *work, const f0t_demo *demo);

#endif
