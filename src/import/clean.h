/*
 * Tags as people leave them, made fit to learn from: one form per word, plurals with
 * their singulars, and nothing that says something about the file in place of the picture. What is
 * done works on anyone's tags; a collection may bring a list of its own. docs/demo.md has the rules.
 */
#ifndef F0T_IMPORT_CLEAN_H
#define F0T_IMPORT_CLEAN_H

#include "fast0tag_tools.h"
#include "word/form.h"

/* ---- All tags of a dataset ----------------------------------------------------------------------- */

typedef struct f0t_clean_rules {
    const f0t_vectors *vectors; /* what has no vector here means nothing */
    size_t least, most;         /* images that a tag must have, and may have; most 0: any */
    const bool *skip;           /* [images] of the dataset that do not count; or NULL: all do */
    f0t_clean_list list;
    const f0t_monitor *monitor; /* or NULL */
} f0t_clean_rules;

typedef struct f0t_cleaned {
    f0t_names tags;             /* those that are kept */
    size_t *offsets;            /* [T + 1] tag t of the dataset is now */
    uint32_t *indices;          /* the tags indices[offsets[t], offsets[t + 1]) */
    size_t most;                /* that an image has, repeats counted */
    size_t forms;               /* different ones before anything was left out or merged */
    size_t plurals;             /* forms that went to their singular */
    size_t spellings;           /* forms that went to another spelling: "sea gull", "seagull" */
    size_t left_out[F0T_FLAWS]; /* forms */
    const char *examples[F0T_FLAWS]; /* the most frequent one of each kind, or NULL */
    f0t_texts texts;                 /* what examples point to */
} f0t_cleaned;

f0t_status f0t_clean_tags(f0t_cleaned *out, const f0t_dataset *dataset,
                          const f0t_clean_rules *options);
void f0t_cleaned_free(f0t_cleaned *cleaned);

/* The cleaned tags of image m, ascending, each once, into to[most]; gives how many. */
size_t f0t_cleaned_image(uint32_t *to, const f0t_cleaned *cleaned, const f0t_dataset *dataset,
                         size_t m);

#endif
