#include "model/tags.h"

#include "base/alloc.h"

static f0t_status check_given(const f0t_train_options *options, size_t all)
{
    for (size_t i = 0; i < options->tag_count; i++)
        if (options->tags[i] >= all)
            return f0t_fail(F0T_ERROR_ARGUMENT, "tag %u to train with: the dataset has %zu",
                            (unsigned)options->tags[i], all);
    return F0T_OK;
}

f0t_status f0t_tags_choose(uint32_t **tags, size_t *count, const f0t_dataset *dataset,
                           const f0t_train_options *options)
{
    const uint32_t *chosen = options->tags;
    *tags = NULL;
    *count = options->tag_count;
    if (chosen)
        F0T_TRY(check_given(options, f0t_dataset_tag_count(dataset)));
    else if (!options->all_tags)
        chosen = f0t_dataset_seen(dataset, count);
    if (!chosen)
        *count = f0t_dataset_tag_count(dataset);
    F0T_TRY(f0t_alloc(tags, *count, sizeof **tags));
    for (size_t i = 0; i < *count; i++)
        (*tags)[i] = chosen ? chosen[i] : (uint32_t)i;
    return F0T_OK;
}

static f0t_status number_tags(uint32_t **number, const f0t_vocab *vocab, const f0t_dataset *dataset,
                              const uint32_t *tags, size_t count)
{
    size_t all = f0t_dataset_tag_count(dataset);
    F0T_TRY(f0t_alloc(number, all, sizeof **number));
    for (size_t i = 0; i < all; i++)
        (*number)[i] = F0T_NO_SAMPLE_TAG;
    for (size_t i = 0; i < count; i++) {
        size_t index = f0t_vocab_get_entry(vocab, i)->index;
        if (index != F0T_NONE)
            (*number)[tags[i]] = (uint32_t)index;
    }
    return F0T_OK;
}

f0t_status f0t_tags_find(f0t_vocab **vocab, uint32_t **number, const f0t_dataset *dataset,
                         const uint32_t *tags, size_t count, const f0t_vectors *vectors,
                         const f0t_train_options *options, const f0t_monitor *monitor)
{
    const char **names;
    f0t_vocab_options vocab_options = {.centred = !options->keep_tag_mean, .monitor = monitor};
    *vocab = NULL;
    *number = NULL;
    F0T_TRY(f0t_alloc(&names, count, sizeof *names));
    for (size_t i = 0; i < count; i++)
        names[i] = f0t_dataset_tag(dataset, tags[i]);
    f0t_status status = f0t_vocab_create(vocab, names, count, vectors, &vocab_options);
    f0t_free(names);
    F0T_TRY(status);
    return number_tags(number, *vocab, dataset, tags, count);
}
