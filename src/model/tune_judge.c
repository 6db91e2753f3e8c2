#include "model/tune_judge.h"

#include "base/alloc.h"
#include "base/random.h"
#include "model/tags.h"
#include "model/validate.h"

#include <math.h>
#include <string.h>

/* One tag in five is held out: DESIGN's rule for whatever is tuned for tags that are not seen. */
enum { HELD_OUT = 5 };

/* ---- Parts --------------------------------------------------------------------------------- */

static void part_free(f0t_tune_part *part)
{
    f0t_free(part->tags);
    f0t_vocab_free(part->vocab);
    f0t_samples_free(&part->val);
}

static f0t_status part_create(f0t_tune_part *part, const f0t_tune_judge *judge,
                              const uint32_t *tags, size_t count, const f0t_vectors *vectors,
                              const f0t_train_options *options)
{
    uint32_t *number = NULL;
    part->count = count;
    F0T_TRY(f0t_alloc(&part->tags, count, sizeof *part->tags));
    if (count)
        memcpy(part->tags, tags, count * sizeof *tags);
    f0t_status status =
        f0t_tags_find(&part->vocab, &number, judge->dataset, tags, count, vectors, options, NULL);
    if (status == F0T_OK)
        status = f0t_samples_create(&part->val, judge->dataset, F0T_VAL, number,
                                    f0t_vocab_size(part->vocab), true);
    f0t_free(number);
    return status;
}

static f0t_status part_run(double *miap, const f0t_tune_part *part, const f0t_dataset *dataset,
                           const f0t_model *model)
{
    const f0t_net *net = model->net;
    const f0t_train_data data = {.dataset = dataset,
                                 .condition = &model->condition,
                                 .train = &part->val,
                                 .val = &part->val,
                                 .tags = f0t_vocab_vectors(part->vocab),
                                 .dim = f0t_vocab_dim(part->vocab)};
    *miap = (double)NAN;
    return part->val.tags ? f0t_validate(miap, &net, 1, &data) : F0T_OK;
}

static bool has_relevant(const f0t_tune_part *part)
{
    return part->val.count && part->val.offsets[part->val.count] > 0;
}

/* ---- The judge ----------------------------------------------------------------------------- */

static f0t_status create_parts(f0t_tune_judge *judge, uint32_t *tags, size_t count,
                               const f0t_vectors *vectors, const f0t_train_options *options)
{
    const f0t_random random = {options->seed, UINT64_C(0x74756e65) << 32}; /* "tune" */
    const size_t held = count / HELD_OUT;
    f0t_random_shuffle(&random, tags, count);
    F0T_TRY(part_create(&judge->held, judge, tags, held, vectors, options));
    F0T_TRY(part_create(&judge->kept, judge, tags + held, count - held, vectors, options));
    if (!has_relevant(&judge->kept) && !has_relevant(&judge->held))
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: no validation image has a tag to learn: nothing can be tuned",
                        f0t_dataset_path(judge->dataset));
    return F0T_OK;
}

f0t_status f0t_tune_judge_create(f0t_tune_judge *judge, const f0t_train_options *options,
                                 const f0t_dataset *dataset, const f0t_vectors *vectors)
{
    uint32_t *tags;
    size_t count;
    *judge = (f0t_tune_judge){.dataset = dataset};
    F0T_TRY(f0t_tags_choose(&tags, &count, dataset, options));
    f0t_status status = create_parts(judge, tags, count, vectors, options);
    f0t_free(tags);
    if (status != F0T_OK)
        f0t_tune_judge_free(judge);
    return status;
}

void f0t_tune_judge_free(f0t_tune_judge *judge)
{
    part_free(&judge->kept);
    part_free(&judge->held);
    *judge = (f0t_tune_judge){0};
}

f0t_status f0t_tune_judge_run(f0t_tune_score *score, const f0t_tune_judge *judge,
                              const f0t_model *model)
{
    F0T_TRY(part_run(&score->kept, &judge->kept, judge->dataset, model));
    return part_run(&score->held, &judge->held, judge->dataset, model);
}

double f0t_tune_score_mean(const f0t_tune_score *score)
{
    return isnan(score->held)   ? score->kept
           : isnan(score->kept) ? score->held
                                : (score->kept + score->held) / 2;
}
