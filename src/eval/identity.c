/* What tells one comparison from another: a number for its data and options. */
#include "base/hash.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "eval/eval.h"
#include "word/classes.h"

#include <string.h>

enum { FEATURES_MOST = 1 << 27, ROWS_LEAST = 256 };

static void add_bytes(uint64_t *s, const void *bytes, size_t size)
{
    *s = f0t_hash(*s, bytes, size);
}

static void add_text(uint64_t *s, const char *text)
{
    add_bytes(s, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void add_numbers(uint64_t *s, const uint64_t *numbers, size_t count)
{
    add_bytes(s, numbers, count * sizeof *numbers);
}

/* Raised where the search, or what a setting counts for, changes: its results are others. */
enum { TUNING = 7 };

static void add_options(uint64_t *s, const f0t_eval_options *o, const f0t_eval_plan *plan)
{
    uint64_t numbers[] = {o->seed,
                          plan->trials,
                          o->epochs,
                          o->bf16,
                          !o->centred,
                          F0T_SAMPLE_TOP,
                          F0T_FOLDS,
                          plan->cutoff_count,
                          o->draws && !o->unseen,
                          o->train_images,
                          TUNING};
    add_text(s, f0t_version());
    add_text(s, o->unseen);
    if (o->set)
        add_text(s, o->set);
    if (o->blend_epochs)
        add_numbers(s, &(uint64_t){o->blend_epochs}, 1);
    add_numbers(s, numbers, sizeof numbers / sizeof *numbers);
    add_bytes(s, &plan->budget, sizeof plan->budget);
    add_bytes(s, plan->cutoffs, plan->cutoff_count * sizeof *plan->cutoffs);
    add_bytes(s, plan->hidden, plan->hidden_count * sizeof *plan->hidden);
}

/* All rows, or as many as make up FEATURES_MOST bytes, evenly from the first to the last: features may
 * be larger than memory. */
static f0t_status add_features(uint64_t *s, const f0t_dataset *d)
{
    const size_t images = f0t_dataset_image_count(d), dim = f0t_dataset_dim(d);
    if (!images || !dim)
        return F0T_OK;
    const size_t room = FEATURES_MOST / (dim * sizeof(float));
    const size_t most = room < ROWS_LEAST ? ROWS_LEAST : room;
    const size_t rows = images < most ? images : most;
    float *row;
    F0T_TRY(f0t_alloc(&row, dim, sizeof *row));
    f0t_status status = F0T_OK;
    for (size_t i = 0; i < rows && status == F0T_OK; i++) {
        const size_t at = rows > 1 ? i * (images - 1) / (rows - 1) : 0;
        status = f0t_monitor_stopped(f0t_context_monitor(NULL))
                     ? f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted while reading features")
                     : f0t_dataset_read_features(row, d, at, 1);
        if (status == F0T_OK)
            add_bytes(s, row, dim * sizeof *row);
    }
    f0t_free(row);
    return status;
}

/* The tags begin with the lists of seen and unseen ones: their lengths tell which are in them. */
static f0t_status add_dataset(uint64_t *s, const f0t_dataset *d)
{
    const size_t images = f0t_dataset_image_count(d), tags = f0t_dataset_tag_count(d);
    const size_t *offsets = f0t_dataset_offsets(d);
    size_t seen, unseen;
    const uint32_t *lists[2] = {f0t_dataset_seen(&seen, d), f0t_dataset_unseen(&unseen, d)};
    const uint64_t numbers[] = {images, tags, f0t_dataset_dim(d), lists[0] ? seen : 0,
                                lists[1] ? unseen : 0};
    add_numbers(s, numbers, sizeof numbers / sizeof *numbers);
    add_bytes(s, offsets, (images + 1) * sizeof *offsets);
    add_bytes(s, f0t_dataset_indices(d), offsets[images] * sizeof(uint32_t));
    add_bytes(s, f0t_dataset_split(d), images);
    for (size_t t = 0; t < tags; t++)
        add_text(s, f0t_dataset_tag(d, t));
    return add_features(s, d);
}

static void add_classes(uint64_t *s, const f0t_classes *classes)
{
    if (!classes)
        return;
    add_bytes(s, classes->weights, classes->count * classes->dim * sizeof *classes->weights);
    add_bytes(s, classes->bias, classes->count * sizeof *classes->bias);
    for (size_t c = 0; c < classes->count; c++)
        add_text(s, f0t_classes_label(classes, c));
}

f0t_status f0t_eval_identity(uint64_t *out, const f0t_dataset *dataset, const f0t_vectors *vectors,
                             const f0t_eval_options *options, const f0t_context *context)
{
    F0T_REQUIRE(out);
    F0T_REQUIRE(dataset);
    F0T_REQUIRE(vectors);
    F0T_ENTER(context);
    F0T_READ_OPTIONS(f0t_eval_options, F0T_EVAL_OPTIONS, options);
    uint64_t s = F0T_HASH_START;
    uint64_t space = f0t_vectors_fingerprint(vectors);
    f0t_eval_plan plan;
    F0T_TRY(f0t_eval_plan_create(&plan, options));
    add_options(&s, options, &plan);
    add_numbers(&s, &space, 1);
    add_classes(&s, options->classes);
    F0T_TRY(add_dataset(&s, dataset));
    *out = s;
    return F0T_OK;
}
