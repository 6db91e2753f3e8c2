/* The small collection, opened for a comparison. */
#ifndef F0T_TESTS_FIXTURE_H
#define F0T_TESTS_FIXTURE_H

#include "../model/collection.h"

#include "eval/protocol.h"
#include "fast0tag_tools.h"

typedef struct fixture {
    f0t_dataset *dataset;
    f0t_vectors *vectors;
    f0t_eval_tags tags; /* empty, unless opened with tags */
} fixture;

static inline fixture fixture_open(const collection_options *o)
{
    fixture f = {0};
    collection c = collection_create(o);
    assert_ok(f0t_dataset_open(&f.dataset, c.path, NULL, NULL));
    assert_ok(f0t_vectors_open(&f.vectors, c.vectors, NULL, NULL));
    return f;
}

/* `unseen` as f0t_eval_tags_split has it. */
static inline fixture fixture_open_with_tags(const collection_options *o, const char *unseen)
{
    fixture f = fixture_open(o);
    assert_ok(f0t_eval_tags_create(&f.tags, f.dataset, f.vectors, true, NULL));
    assert_ok(f0t_eval_tags_split(&f.tags, unseen, 0));
    return f;
}

static inline void fixture_close(fixture *f)
{
    f0t_eval_tags_free(&f->tags);
    f0t_vectors_close(f->vectors);
    f0t_dataset_close(f->dataset);
}

#endif
