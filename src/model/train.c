/* f0t_train: from a dataset and word vectors to a model. */
#include "model/train.h"
#include "base/alloc.h"
#include "base/group.h"
#include "base/hash.h"
#include "base/plan.h"
#include "io/dataset.h"
#include "math/matmul.h"
#include "model/checkpoint.h"
#include "model/linear.h"
#include "model/model.h"
#include "model/options.h"
#include "model/samples.h"
#include "model/trainer.h"
#include "rank/ranksvm.h"
#include "word/classes.h"
#include "word/missing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* A running training. The model grows as its parts are made. */
typedef struct training {
    const f0t_dataset *dataset;
    const f0t_monitor *monitor;
    f0t_train_options options;
    f0t_model *model;
    uint32_t *number; /* [tags of the dataset]: place in the vocabulary, or F0T_NO_SAMPLE_TAG */
    f0t_samples train, val;
    double miap; /* of the validation part */
} training;

/* ---- Tags ---------------------------------------------------------------------------------- */

/* Logs which tags have no vector. */
static f0t_status tell_missing(const training *t, const uint32_t *tags, size_t count)
{
    bool *missing;
    F0T_TRY(f0t_alloc_zero(&missing, f0t_dataset_tag_count(t->dataset), sizeof *missing));
    for (size_t i = 0; i < count; i++)
        missing[tags[i]] = f0t_vocab_get_entry(t->model->vocab, i)->match == F0T_MATCH_NONE;
    f0t_status status = f0t_missing_log(t->dataset, missing, count, "and are left out", t->monitor);
    f0t_free(missing);
    return status;
}

/* A blend learns tags without a vector, too. */
static f0t_status make_whole_vocab(training *t, const uint32_t *tags, size_t count,
                                   const f0t_vectors *vectors)
{
    F0T_TRY(f0t_tags_find_all(&t->model->vocab, &t->number, t->dataset, tags, count, vectors,
                              &t->options, t->monitor));
    return f0t_vocab_count(t->model->vocab) > 1
               ? F0T_OK
               : f0t_fail(F0T_ERROR_FORMAT, "%s: has one tag; a ranking needs two at least",
                          f0t_dataset_path(t->dataset));
}

static f0t_status make_vocab(training *t, const uint32_t *tags, size_t count,
                             const f0t_vectors *vectors)
{
    if (!count)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: none of its %zu images has a tag to learn from",
                        f0t_dataset_path(t->dataset), f0t_dataset_image_count(t->dataset));
    if (t->options.method == F0T_METHOD_BLEND)
        return make_whole_vocab(t, tags, count, vectors);
    F0T_TRY(f0t_tags_find(&t->model->vocab, &t->number, t->dataset, tags, count, vectors,
                          &t->options, t->monitor));
    F0T_TRY(tell_missing(t, tags, count));
    if (f0t_vocab_count(t->model->vocab) < 2)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: %zu of its %zu tags have a vector; a ranking needs two at least",
                        f0t_dataset_path(t->dataset), f0t_vocab_count(t->model->vocab), count);
    return F0T_OK;
}

static f0t_status prepare_tags(training *t, const f0t_vectors *vectors)
{
    uint32_t *tags = NULL;
    size_t count = 0;
    f0t_status status = f0t_tags_choose(&tags, &count, t->dataset, &t->options);
    if (status == F0T_OK)
        status = make_vocab(t, tags, count, vectors);
    f0t_free(tags);
    return status;
}

/* ---- Images -------------------------------------------------------------------------------- */

/* In a person's collection these are the pictures that nobody has tagged yet. As examples of no tag they would
 * make each tag as much rarer as there are of them. */
static void leave_out_untagged(training *t)
{
    const size_t count = f0t_samples_drop_untagged(&t->train, t->dataset) +
                         f0t_samples_drop_untagged(&t->val, t->dataset);
    if (count)
        f0t_log(t->monitor, F0T_LOG_INFO, "%zu image%s without a tag %s not learned from", count,
                count == 1 ? "" : "s", count == 1 ? "is" : "are");
}

static f0t_status prepare_samples(training *t)
{
    size_t tags = f0t_vocab_count(t->model->vocab);
    bool all = f0t_train_options_take_all(&t->options);
    F0T_TRY(f0t_samples_create(&t->train, t->dataset, F0T_TRAIN, t->number, tags, all));
    F0T_TRY(f0t_samples_create(&t->val, t->dataset, F0T_VAL, t->number, tags, true));
    if (all && !t->dataset->seen.given)
        leave_out_untagged(t);
    if (t->train.offsets[t->train.count] == 0)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: none of its %zu training images has both a tag to learn and one that "
                        "does not fit",
                        f0t_dataset_path(t->dataset),
                        f0t_dataset_split_count(t->dataset, F0T_TRAIN));
    if (t->val.offsets[t->val.count] == 0 &&
        t->options.method != F0T_METHOD_BLEND) /* which holds out training images */
        f0t_log(t->monitor, F0T_LOG_WARNING,
                "no validation image has a tag: nothing can be chosen by validation, and training "
                "goes to its last epoch");
    return F0T_OK;
}

static f0t_train_data data_of(const training *t)
{
    return (f0t_train_data){.dataset = t->dataset,
                            .condition = &t->model->condition,
                            .train = &t->train,
                            .val = &t->val,
                            .tags = f0t_vocab_vectors(t->model->vocab),
                            .dim = f0t_vocab_dim(t->model->vocab)};
}

/* ---- Methods ------------------------------------------------------------------------------- */

static uLong add_samples(uLong sum, const f0t_samples *s)
{
    sum = crc32_z(sum, (const void *)s->images, s->count * sizeof(uint32_t));
    return crc32_z(sum, (const void *)s->relevant, s->offsets[s->count] * sizeof(uint32_t));
}

/* Classes teach the direction (blend_teacher.h). */
static uLong add_classes(uLong sum, const f0t_classes *c)
{
    return c ? crc32_z(sum, (const void *)c->weights, c->count * c->dim * sizeof *c->weights) : sum;
}

/* Says what is trained, on what: a checkpoint of anything else is refused. */
static f0t_status make_identity(char **out, const training *t)
{
    const f0t_train_options *o = &t->options;
    char data[400];
    uLong sum = add_samples(crc32(0, NULL, 0), &t->train);
    int n = snprintf(data, sizeof data,
                     " images %zu, features %zu, tags %zu, space %016" PRIx64 ", annotations %08lx",
                     t->train.count, t->model->condition.dim, t->train.tags,
                     f0t_vocab_fingerprint(t->model->vocab), sum);
    if (o->method == F0T_METHOD_BLEND) /* learns from the validation images, too */
        snprintf(data + n, sizeof data - (size_t)n,
                 ", validation %08lx, classes %08lx, epochs %zu, batch %zu, patience %zu",
                 add_samples(crc32(0, NULL, 0), &t->val),
                 add_classes(crc32(0, NULL, 0), o->classes), o->epochs, o->batch, o->patience);
    return f0t_train_options_identify(out, &t->options, data);
}

static f0t_status run_trainer(training *t, const f0t_objective *objective)
{
    char *identity = NULL;
    f0t_train_data data = data_of(t);
    F0T_TRY(make_identity(&identity, t));
    f0t_plan_step(t->monitor, 1);
    f0t_status status = f0t_net_set_random(t->model->net, t->options.seed, t->options.init);
    if (status == F0T_OK)
        status = f0t_trainer_run(&t->miap, t->model->net, &data, objective, &t->options, identity,
                                 t->monitor);
    f0t_free(identity);
    return status;
}

static f0t_status train_by_loss(training *t)
{
    f0t_objective objective;
    f0t_train_data data = data_of(t);
    F0T_TRY(f0t_objective_ranking(&objective, &data, &t->options));
    f0t_status status = run_trainer(t, &objective);
    f0t_objective_free(&objective);
    return status;
}

/* Directions of the ranking SVMs of all rules, for the regression that the paper advises against. */
static f0t_status regress(training *t, const f0t_rules *rules, float *directions)
{
    f0t_ranksvm *svm;
    f0t_ranksvm_options options = {.hinge = t->options.hinge};
    size_t dim = f0t_vocab_dim(t->model->vocab);
    F0T_TRY(f0t_ranksvm_create(&svm, f0t_vocab_vectors(t->model->vocab), t->train.tags, dim));
    f0t_plan_step(t->monitor, 1);
    f0t_status status = f0t_ranksvm_solve(directions, NULL, svm, rules, &t->options.lambda, 1,
                                          &options, t->monitor);
    f0t_ranksvm_free(svm);
    f0t_objective objective = {0};
    f0t_train_data data = data_of(t);
    if (status == F0T_OK)
        status =
            f0t_objective_regression(&objective, &data, &t->options, directions, rules->of_image);
    if (status == F0T_OK)
        status = run_trainer(t, &objective);
    f0t_objective_free(&objective);
    return status;
}

static f0t_status train_to_ranksvm(training *t)
{
    f0t_rules *rules;
    float *directions = NULL;
    f0t_tag_sets sets = {t->train.offsets, t->train.relevant, t->train.count, t->train.tags};
    F0T_TRY(f0t_rules_create(&rules, &sets, NULL, t->train.tags));
    f0t_status status =
        f0t_alloc(&directions, rules->count, f0t_vocab_dim(t->model->vocab) * sizeof *directions);
    if (status == F0T_OK)
        status = regress(t, rules, directions);
    f0t_free(directions);
    f0t_rules_free(rules);
    return status;
}

static f0t_status train_linear(training *t)
{
    f0t_linear_choice choice;
    f0t_train_data data = data_of(t);
    f0t_plan_step(t->monitor, 1);
    F0T_TRY(f0t_linear_fit(&choice, t->model->net, &data, &t->options, t->monitor));
    t->options.lambda = choice.lambda;
    t->options.ridge = choice.ridge;
    t->miap = choice.miap;
    return F0T_OK;
}

static f0t_status train_net(training *t)
{
    f0t_plan_total(t->monitor, t->options.to_ranksvm ? 2 : 1);
    if (t->options.method == F0T_METHOD_LINEAR)
        return train_linear(t);
    return t->options.to_ranksvm ? train_to_ranksvm(t) : train_by_loss(t);
}

static f0t_status run_blend(training *t, const float *class_vectors)
{
    f0t_model *m = t->model;
    char *identity;
    F0T_TRY(make_identity(&identity, t));
    const f0t_blend_data data = {.dataset = t->dataset,
                                 .train = &t->train,
                                 .val = &t->val,
                                 .vectors = f0t_vocab_vectors(m->vocab),
                                 .dim = f0t_vocab_dim(m->vocab),
                                 .classes = t->options.classes,
                                 .class_vectors = class_vectors,
                                 .condition = &m->condition,
                                 .identity = identity};
    f0t_status status = f0t_blend_fit(&m->blend, &m->net, &t->miap, &data, &t->options, t->monitor);
    f0t_free(identity);
    return status;
}

static f0t_status train_blend(training *t, const f0t_vectors *vectors)
{
    const f0t_classes *classes = t->options.classes;
    float *class_vectors = NULL;
    if (!classes)
        return run_blend(t, NULL);
    F0T_TRY(f0t_alloc(&class_vectors, f0t_classes_count(classes) * f0t_vocab_dim(t->model->vocab),
                      sizeof *class_vectors));
    f0t_status status = f0t_classes_vectors(class_vectors, NULL, classes, vectors,
                                            t->options.centred, F0T_WATCHED(t->monitor));
    if (status == F0T_OK)
        status = run_blend(t, class_vectors);
    f0t_free(class_vectors);
    return status;
}

static f0t_status fit(training *t, const f0t_vectors *vectors)
{
    const f0t_train_options *o = &t->options;
    if (o->bf16)
        f0t_matmul_bf16_notice(t->monitor);
    if (o->method == F0T_METHOD_BLEND)
        return train_blend(t, vectors);
    bool linear = o->method == F0T_METHOD_LINEAR;
    f0t_net_shape shape = {.inputs = f0t_dataset_dim(t->dataset),
                           .hidden_count = o->hidden_count,
                           .outputs = f0t_vocab_dim(t->model->vocab),
                           .bias = !linear};
    memcpy(shape.hidden, o->hidden, sizeof o->hidden);
    F0T_TRY(f0t_net_shape_check(&shape));
    F0T_TRY(f0t_net_create(&t->model->net, f0t_compute_current(), &shape,
                           o->bf16 ? F0T_BF16 : F0T_F32));
    F0T_TRY(train_net(t));
    return f0t_net_bring_home(&t->model->net);
}

/* ---- Several processes --------------------------------------------------------------------- */

enum {
    LOOKED_AT = 64
}; /* images: enough to see that features are others, without reading them all */

static f0t_status hash_features(uint64_t *hash, const training *t)
{
    const size_t dim = f0t_dataset_dim(t->dataset), count = t->train.count;
    float *row;
    f0t_status status = f0t_alloc(&row, dim, sizeof *row);
    for (size_t i = 0; i < LOOKED_AT && status == F0T_OK; i++) {
        status =
            f0t_dataset_read_features(row, t->dataset, t->train.images[i * count / LOOKED_AT], 1);
        *hash = status == F0T_OK ? f0t_hash(*hash, row, dim * sizeof *row) : 0;
    }
    f0t_free(row);
    return status;
}

/* All learn the same from the same. */
static f0t_status check_processes(const training *t)
{
    const f0t_group *group = f0t_group_current();
    uint64_t data[] = {t->train.count,
                       t->val.count,
                       f0t_dataset_dim(t->dataset),
                       f0t_vocab_fingerprint(t->model->vocab),
                       add_samples(crc32(0, NULL, 0), &t->train),
                       add_samples(crc32(0, NULL, 0), &t->val),
                       F0T_HASH_START};
    if (group->size == 1)
        return F0T_OK;
    if (t->options.pairs == F0T_PAIRS_BATCH)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "pairs across a mini-batch are for one process: start it without mpirun");
    F0T_TRY(hash_features(&data[6], t));
    return f0t_group_same(group, "the dataset", data, sizeof data);
}

static f0t_status run(training *t, const f0t_vectors *vectors)
{
    if (f0t_dataset_dim(t->dataset) == 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has no features to train on",
                        f0t_dataset_path(t->dataset));
    F0T_TRY(prepare_tags(t, vectors));
    F0T_TRY(prepare_samples(t));
    F0T_TRY(check_processes(t));
    f0t_train_options_resolve(&t->options, t->train.count, f0t_dataset_dim(t->dataset),
                              f0t_vocab_dim(t->model->vocab));
    F0T_TRY(f0t_condition_create(&t->model->condition, t->options.condition, t->dataset, &t->train,
                                 t->monitor));
    F0T_TRY(fit(t, vectors));
    return f0t_model_describe(t->model, &t->options, t->miap, t->dataset);
}

f0t_status f0t_train_run(f0t_model **out, f0t_train_options *options, const f0t_dataset *dataset,
                         const f0t_vectors *vectors, const f0t_monitor *monitor)
{
    training t = {.dataset = dataset, .monitor = monitor, .options = *options, .miap = (double)NAN};
    *out = NULL;
    F0T_TRY(f0t_train_options_check(&t.options));
    F0T_TRY(f0t_alloc_zero(&t.model, 1, sizeof *t.model));
    t.model->method = t.options.method;
    f0t_status status = run(&t, vectors);
    f0t_samples_free(&t.train);
    f0t_samples_free(&t.val);
    f0t_free(t.number);
    *options = t.options;
    if (status != F0T_OK)
        f0t_model_free(t.model);
    else
        *out = t.model;
    return status;
}

f0t_status f0t_train(f0t_model **out, const f0t_dataset *dataset, const f0t_vectors *vectors,
                     const f0t_train_options *options, const f0t_context *context)
{
    F0T_ENTER(context);
    const f0t_monitor *monitor = f0t_context_monitor(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(dataset);
    F0T_REQUIRE(vectors);
    F0T_READ_OPTIONS(f0t_train_options, F0T_TRAIN_OPTIONS, options);
    f0t_train_options used = *options;
    f0t_lock lock = {.path = NULL};
    if (used.checkpoint)
        F0T_TRY(f0t_checkpoint_claim(&lock, used.checkpoint));
    f0t_status status = f0t_train_run(out, &used, dataset, vectors, monitor);
    f0t_lock_release(&lock);
    return status;
}
