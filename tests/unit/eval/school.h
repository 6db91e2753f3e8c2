/* The small collection, opened for a comparison. */
#ifndef F0T_TESTS_SCHOOL_H
#define F0T_TESTS_SCHOOL_H

#include "../model/collection.h"

#include "eval/course.h"

typedef struct school {
    f0t_dataset *dataset;
    f0t_vectors *vectors;
    f0t_eval_tags tags;
} school;

/* `unseen` as f0t_eval_tags_split has it. */
static inline school school_open(const collection_options *o, const char *unseen)
{
    school s;
    collection c = collection_create(o);
    assert_ok(f0t_dataset_open(&s.dataset, c.path, NULL));
    assert_ok(f0t_vectors_open(&s.vectors, c.vectors, NULL));
    assert_ok(f0t_eval_tags_create(&s.tags, s.dataset, s.vectors, false, NULL));
    assert_ok(f0t_eval_tags_split(&s.tags, unseen, 0));
    return s;
}

static inline void school_close(school *s)
{
    f0t_eval_tags_free(&s->tags);
    f0t_vectors_close(s->vectors);
    f0t_dataset_close(s->dataset);
}

#endif
