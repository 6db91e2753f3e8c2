/* What a method learns from. */
#include "eval/exam.h"

#include "base/alloc.h"

#include <string.h>

static f0t_status number_tags(f0t_class *c, const bool *mask)
{
    const float *vectors = f0t_vocab_vectors(c->tags->vocab);
    size_t dim = f0t_vocab_dim(c->tags->vocab), count = 0;
    F0T_TRY(f0t_alloc(&c->place, c->tags->count, sizeof *c->place));
    for (size_t i = 0; i < c->tags->count; i++)
        c->place[i] = mask[i] ? (uint32_t)count++ : F0T_NO_SAMPLE_TAG;
    F0T_TRY(f0t_alloc(&c->vectors, count * dim, sizeof *c->vectors));
    for (size_t i = 0; i < c->tags->count; i++)
        if (mask[i])
            memcpy(c->vectors + c->place[i] * dim, vectors + i * dim, dim * sizeof *vectors);
    c->task.tags = count;
    c->task.dim = dim;
    c->task.vectors = c->vectors;
    return F0T_OK;
}

/* From tags of the dataset to training tags, for both parts. */
static f0t_status make_samples(f0t_class *c)
{
    const f0t_dataset *dataset = c->tags->dataset;
    size_t all = f0t_dataset_tag_count(dataset);
    uint32_t *number;
    F0T_TRY(f0t_alloc(&number, all, sizeof *number));
    for (size_t t = 0; t < all; t++) {
        uint32_t index = c->tags->index[t];
        number[t] = index == F0T_NO_SAMPLE_TAG ? F0T_NO_SAMPLE_TAG : c->place[index];
    }
    f0t_status status =
        f0t_samples_create(&c->task.train, dataset, F0T_TRAIN, number, c->task.tags, true);
    if (status == F0T_OK)
        status = f0t_samples_create(&c->task.val, dataset, F0T_VAL, number, c->task.tags, true);
    f0t_free(number);
    return status;
}

static f0t_status create(f0t_class *c, const bool *mask)
{
    F0T_TRY(number_tags(c, mask));
    F0T_TRY(make_samples(c));
    return f0t_condition_create(&c->unit, F0T_CONDITION_UNIT, c->tags->dataset, &c->task.train,
                                NULL);
}

f0t_status f0t_class_create(f0t_class *c, const f0t_eval_tags *tags, const bool *mask)
{
    *c = (f0t_class){.tags = tags, .task = {.dataset = tags->dataset, .effort = 1}};
    f0t_status status = create(c, mask);
    c->task.unit = &c->unit;
    if (status != F0T_OK)
        f0t_class_free(c);
    return status;
}

bool f0t_class_teaches(const f0t_class *c)
{
    return c->task.train.offsets[c->task.train.count] > 0;
}

void f0t_class_free(f0t_class *c)
{
    f0t_samples_free(&c->task.train);
    f0t_samples_free(&c->task.val);
    f0t_condition_free(&c->unit);
    f0t_free(c->vectors);
    f0t_free(c->place);
    *c = (f0t_class){0};
}
