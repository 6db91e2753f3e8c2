/*
 * Going on with a blend: what the last part of its fit does (blend_fit.c), once more with other images and tags. The
 * network of tags learns some more, the experts that count are made anew, and all that was weighed on images held
 * out stays: there are none left that the networks have not seen.
 */
#include "base/alloc.h"
#include "base/context.h"
#include "base/plan.h"
#include "io/dataset.h"
#include "io/json.h"
#include "model/blend_fit.h"
#include "model/model.h"
#include "model/options.h"
#include "word/normal.h"
#include "word/vocab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct refitting {
    const f0t_dataset *dataset;
    f0t_refit_options options;
    const f0t_monitor *monitor;
    f0t_model *model;
    size_t known;      /* tags of the model as it was */
    uint32_t *number;  /* [tags of the dataset] their places in its vocabulary */
    f0t_names keys;    /* of new tags, and */
    const char **tags; /* [known + new] all tags */
    float *vectors;    /* [known + new x d] */
    f0t_samples all;
} refitting;

/* ---- Tags ------------------------------------------------------------------------------------------ */

/* A tag that the model's rule says is one of its own is no new one: "dogs" is its "dog". */
static f0t_status place_tag(refitting *r, size_t t)
{
    const char *tag = f0t_dataset_tag(r->dataset, t);
    f0t_word_text key;
    size_t known;
    uint32_t fresh = 0;
    bool added = false;
    F0T_TRY(f0t_model_find_tag(&known, r->model, tag));
    r->number[t] = (uint32_t)known;
    if (known != F0T_NONE)
        return F0T_OK;
    F0T_TRY(f0t_normal_key(&key, tag, strlen(tag)));
    f0t_status status = f0t_names_add(&fresh, &added, &r->keys, key.data, key.length);
    f0t_free(key.data);
    r->number[t] = (uint32_t)(r->known + fresh);
    if (added)
        r->tags[r->known + fresh] = tag;
    return status;
}

static f0t_status place_tags(refitting *r)
{
    const size_t given = f0t_dataset_tag_count(r->dataset);
    F0T_TRY(f0t_alloc(&r->number, given, sizeof *r->number));
    F0T_TRY(f0t_alloc(&r->tags, r->known + given, sizeof *r->tags));
    for (size_t t = 0; t < r->known; t++)
        r->tags[t] = f0t_vocab_tag(r->model->vocab, t);
    for (size_t t = 0; t < given; t++)
        F0T_TRY(place_tag(r, t));
    return F0T_OK;
}

/* The rule of before, and what cleaning the keywords of now made one. */
static f0t_status extend_aliases(refitting *r)
{
    f0t_model *m = r->model;
    const f0t_aliases *now = &r->dataset->aliases;
    f0t_aliases before = m->aliases;
    size_t index;
    bool added;
    m->aliases = (f0t_aliases){0};
    f0t_same_free(&m->same);
    m->same = (f0t_same){0};
    f0t_status status = f0t_model_know_tags(m, &before);
    for (size_t i = 0; i < f0t_names_count(&now->forms) && status == F0T_OK; i++) {
        status = f0t_model_find_tag(&index, m, f0t_texts_get(&now->tags, i));
        if (status == F0T_OK && index != F0T_NONE)
            status = f0t_model_add_alias(&added, m, f0t_names_get(&now->forms, i),
                                         f0t_vocab_tag(m->vocab, index));
    }
    f0t_aliases_free(&before);
    return status;
}

/* Those that have one in the file that the model's come from. */
static f0t_status find_vectors(refitting *r, size_t fresh)
{
    const size_t dim = f0t_vocab_dim(r->model->vocab);
    const f0t_vocab_options options = {.size = sizeof options,
                                       .centred = f0t_vocab_centred(r->model->vocab)};
    f0t_vocab *found = NULL;
    if (!r->options.vectors || !fresh)
        return F0T_OK;
    F0T_TRY(f0t_vocab_create(&found, r->tags + r->known, fresh, r->options.vectors, &options,
                             F0T_WATCHED(NULL)));
    f0t_status status = f0t_vocab_count(found) ? f0t_model_check_vocab(r->model, found) : F0T_OK;
    for (size_t i = 0; i < fresh && status == F0T_OK; i++) {
        const f0t_vocab_entry *entry = f0t_vocab_get_entry(found, i);
        if (entry->index != F0T_NONE)
            memcpy(r->vectors + (r->known + i) * dim, f0t_vocab_vectors(found) + entry->index * dim,
                   dim * sizeof *r->vectors);
    }
    f0t_vocab_free(found);
    return status;
}

/* The vocabulary with the new tags at its end. */
static f0t_status extend_vocab(refitting *r)
{
    f0t_model *m = r->model;
    const size_t fresh = f0t_names_count(&r->keys), dim = f0t_vocab_dim(m->vocab);
    f0t_vocab *wide;
    F0T_TRY(f0t_alloc_zero(&r->vectors, (r->known + fresh) * dim, sizeof *r->vectors));
    memcpy(r->vectors, f0t_vocab_vectors(m->vocab), r->known * dim * sizeof *r->vectors);
    F0T_TRY(find_vectors(r, fresh));
    F0T_TRY(f0t_vocab_restore(&wide,
                              &(f0t_vocab_parts){.tags = r->tags,
                                                 .count = r->known + fresh,
                                                 .vectors = r->vectors,
                                                 .dim = dim,
                                                 .centred = f0t_vocab_centred(m->vocab),
                                                 .fingerprint = f0t_vocab_fingerprint(m->vocab)}));
    f0t_vocab_free(m->vocab);
    m->vocab = wide;
    m->blend->tags = r->known + fresh;
    m->blend->vectors = f0t_vocab_vectors(wide);
    if (fresh)
        f0t_log(r->monitor, F0T_LOG_INFO, "%zu tag%s new to the model", fresh,
                fresh == 1 ? " is" : "s are");
    return F0T_OK;
}

/* ---- The network of tags --------------------------------------------------------------------------- */

/* One array, with room for more outputs: those of new tags begin at their frequency. */
static f0t_status copy_array(f0t_net *to, const f0t_net *from, size_t i, const f0t_samples *all)
{
    const f0t_model_array array = f0t_net_array(to, i);
    const size_t known = f0t_net_get_shape(from)->outputs, last = f0t_net_array_count(to) - 1;
    float *numbers;
    F0T_TRY(f0t_alloc_zero(&numbers, array.rows * array.cols, sizeof *numbers));
    f0t_status status = f0t_net_array_get(numbers, from, i);
    for (size_t j = 0; i == last && j < all->offsets[all->count]; j++)
        if (all->relevant[j] >= known)
            numbers[all->relevant[j]] += 1;
    for (size_t t = known; i == last && t < array.cols; t++) {
        const float p = (numbers[t] + 0.5F) / ((float)all->count + 1);
        numbers[t] = logf(p / (1 - p));
    }
    if (status == F0T_OK)
        status = f0t_net_array_set(to, i, numbers);
    f0t_free(numbers);
    return status;
}

static f0t_status widen(f0t_net **out, const f0t_net *from, const f0t_samples *all)
{
    f0t_net_shape shape = *f0t_net_get_shape(from);
    shape.outputs = all->tags;
    F0T_TRY(f0t_net_shape_check(&shape));
    F0T_TRY(f0t_net_create(out, f0t_compute_current(), &shape, f0t_net_get_precision(from)));
    for (size_t i = 0; i < f0t_net_array_count(from); i++)
        F0T_TRY(copy_array(*out, from, i, all));
    return F0T_OK;
}

/* What a person has looked at counts more than what stands in files: its tags are all there, and what was rejected
 * is certainly none. */
static f0t_status weigh_reviewed(f0t_samples *out, const refitting *r)
{
    f0t_samples reviewed = {0};
    F0T_TRY(f0t_samples_pick_reviewed(&reviewed, &r->all, r->dataset));
    f0t_status status = f0t_samples_pick(out, &r->all, true);
    for (size_t i = 1; status == F0T_OK && i < r->options.weight && reviewed.count; i++) {
        f0t_samples more = {0};
        status = f0t_samples_join(&more, out, &reviewed);
        f0t_samples_free(out);
        *out = more;
    }
    f0t_samples_free(&reviewed);
    return status;
}

static f0t_status learn_tags(refitting *r, const f0t_blend_fitting *fit)
{
    f0t_blend *b = r->model->blend;
    f0t_samples weighed = {0};
    f0t_net *wide = NULL;
    if (!b->own)
        return F0T_OK;
    f0t_status status = weigh_reviewed(&weighed, r);
    if (status == F0T_OK)
        status = widen(&wide, b->own, &r->all);
    if (status == F0T_OK)
        status = f0t_blend_learn_more_tags(wide, fit, &weighed);
    if (status == F0T_OK)
        status = f0t_net_bring_home(&wide);
    f0t_samples_free(&weighed);
    if (status != F0T_OK) {
        f0t_net_free(wide);
        return status;
    }
    f0t_net_free(b->own);
    b->own = wide;
    return F0T_OK;
}

/* ---- All of it ------------------------------------------------------------------------------------- */

static f0t_status check(const refitting *r, const char *path)
{
    const f0t_model *m = r->model;
    const size_t images = f0t_dataset_image_count(r->dataset);
    const size_t learned = m->blend && m->blend->votes ? m->blend->votes->images : 0;
    if (!m->blend)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s is no blend: only those can be refitted", path);
    if (f0t_dataset_dim(r->dataset) != m->condition.dim)
        return f0t_fail(F0T_ERROR_MISMATCH, "%s has %zu features per image, the model takes %zu",
                        f0t_dataset_path(r->dataset), f0t_dataset_dim(r->dataset),
                        m->condition.dim);
    if (images < 2 || 2 * images < learned)
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "%s has %zu images with tags, and %s has learned from %zu or more, which "
                        "a refit would forget: add those too, or train a new model",
                        f0t_dataset_path(r->dataset), images, path, learned);
    return F0T_OK;
}

/* How it was trained, and that it was refitted; parts of a dataset were drawn for another one. */
static f0t_status describe(const refitting *r)
{
    f0t_model *m = r->model;
    json_t *training;
    F0T_TRY(f0t_json_parse(&training, m->training, strlen(m->training), "the model's training"));
    json_object_del(training, "split");
    json_object_set_new(training, "refit_images", json_integer((json_int_t)r->all.count));
    char *text = json_dumps(training, JSON_COMPACT);
    json_decref(training);
    if (!text)
        return f0t_fail(F0T_ERROR_MEMORY, "out of memory");
    f0t_free(m->training);
    f0t_status status = f0t_string_copy(&m->training, text, strlen(text));
    free(text);
    return status;
}

static unsigned experts_off(const f0t_blend *b)
{
    return (b->own ? 0 : 1U << F0T_EXPERT_TAGS) | (b->votes ? 0 : 1U << F0T_EXPERT_VOTES) |
           (b->ridge ? 0 : 1U << F0T_EXPERT_RIDGE);
}

static f0t_status fit(refitting *r)
{
    f0t_blend *b = r->model->blend;
    const f0t_samples none = {.tags = r->all.tags, .offsets = (size_t[]){0}};
    const f0t_blend_data data = {.dataset = r->dataset,
                                 .train = &r->all,
                                 .val = &none,
                                 .vectors = b->vectors,
                                 .dim = b->dim,
                                 .condition = &r->model->condition};
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    f0t_net_list done = {0};
    f0t_blend_fitting fitting = {.data = &data,
                                 .options = &options,
                                 .monitor = r->monitor,
                                 .blend = b,
                                 .small = f0t_blend_holds(r->all.count, 0) == F0T_HELD_ALL,
                                 .done = &done};
    options.method = F0T_METHOD_BLEND;
    options.seed = r->options.seed;
    options.without = experts_off(b);
    f0t_plan_total(r->monitor, f0t_blend_tags_cost(&fitting, &r->all, true) +
                                   f0t_blend_counted_cost(&fitting, &r->all));
    F0T_TRY(
        f0t_condition_create(&fitting.unit, F0T_CONDITION_UNIT, r->dataset, &r->all, r->monitor));
    f0t_plan_step(r->monitor, f0t_blend_tags_cost(&fitting, &r->all, true));
    f0t_status status = learn_tags(r, &fitting);
    f0t_plan_step(r->monitor, f0t_blend_counted_cost(&fitting, &r->all));
    if (status == F0T_OK)
        status = f0t_blend_fit_counted(b, &fitting, &r->all);
    f0t_condition_free(&fitting.unit);
    f0t_net_list_free(&done);
    return status;
}

/* All but those for testing. */
static f0t_status take_images(refitting *r)
{
    const size_t tags = r->model->blend->tags;
    f0t_samples train = {0}, val = {0};
    f0t_status status = f0t_samples_create(&train, r->dataset, F0T_TRAIN, r->number, tags, true);
    if (status == F0T_OK)
        status = f0t_samples_create(&val, r->dataset, F0T_VAL, r->number, tags, true);
    if (status == F0T_OK)
        status = f0t_samples_join(&r->all, &train, &val);
    if (status == F0T_OK)
        (void)f0t_samples_drop_untagged(&r->all, r->dataset); /* which nobody has looked at */
    f0t_samples_free(&train);
    f0t_samples_free(&val);
    return status;
}

static f0t_status refit(refitting *r, const char *path)
{
    f0t_model *m = r->model;
    F0T_TRY(check(r, path));
    r->known = f0t_vocab_count(m->vocab);
    F0T_TRY(place_tags(r));
    F0T_TRY(extend_vocab(r));
    F0T_TRY(extend_aliases(r));
    F0T_TRY(take_images(r));
    F0T_TRY(fit(r));
    f0t_word_space_free(&m->blend->space);
    F0T_TRY(f0t_word_space_create(&m->blend->space, m->blend->vectors, m->blend->frequency,
                                  m->blend->tags, m->blend->dim));
    return describe(r);
}

f0t_status f0t_model_refit(f0t_model **out, const char *path, const f0t_dataset *dataset,
                           const f0t_refit_options *options, const f0t_context *context)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(path);
    F0T_REQUIRE(dataset);
    F0T_READ_OPTIONS(f0t_refit_options, F0T_REFIT_OPTIONS, options);
    F0T_ENTER(context);
    refitting r = {
        .dataset = dataset, .options = *options, .monitor = f0t_context_monitor(context)};
    if (!options->weight || options->weight > 100)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "f0t_refit_options: weight is %zu; from 1 to 100 is expected",
                        options->weight);
    F0T_TRY(f0t_model_load(&r.model, path, NULL));
    f0t_status status = refit(&r, path);
    f0t_samples_free(&r.all);
    f0t_names_free(&r.keys);
    f0t_free(r.number);
    f0t_free(r.tags);
    f0t_free(r.vectors);
    if (status == F0T_OK)
        *out = r.model;
    else
        f0t_model_free(r.model);
    return status;
}
