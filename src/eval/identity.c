/* What tells one comparison from another, so that results are never mixed up. */
#include "base/alloc.h"
#include "eval/eval.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { FEATURES_MOST = 1 << 27, ROWS_LEAST = 256 };

/* Two checksums side by side make 64 bits: of all bytes with different starts. */
typedef struct sum {
    uLong low, high;
} sum;

static void add_bytes(sum *s, const void *bytes, size_t size)
{
    s->low = crc32_z(s->low, bytes, size);
    s->high = adler32_z(s->high, bytes, size);
}

static void add_text(sum *s, const char *text)
{
    add_bytes(s, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void add_numbers(sum *s, const uint64_t *numbers, size_t count)
{
    add_bytes(s, numbers, count * sizeof *numbers);
}

static void add_options(sum *s, const f0t_eval_options *o, const f0t_eval_plan *plan)
{
    uint64_t numbers[] = {o->seed,          plan->trials,   o->epochs, o->bf16,
                          o->keep_tag_mean, F0T_SAMPLE_TOP, F0T_FOLDS, plan->cutoff_count};
    add_text(s, f0t_version());
    add_text(s, o->unseen);
    add_numbers(s, numbers, sizeof numbers / sizeof *numbers);
    add_bytes(s, &plan->effort, sizeof plan->effort);
    add_bytes(s, plan->cutoffs, plan->cutoff_count * sizeof *plan->cutoffs);
    add_bytes(s, plan->hidden, plan->hidden_count * sizeof *plan->hidden);
}

/* All rows, or as many as make up FEATURES_MOST bytes, evenly from the first to the last: features may
 * be larger than memory. */
static f0t_status add_features(sum *s, const f0t_dataset *d)
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
        status = f0t_dataset_read_features(d, at, 1, row);
        if (status == F0T_OK)
            add_bytes(s, row, dim * sizeof *row);
    }
    f0t_free(row);
    return status;
}

/* The tags begin with the lists of seen and unseen ones: their lengths tell which are in them. */
static f0t_status add_dataset(sum *s, const f0t_dataset *d)
{
    const size_t images = f0t_dataset_image_count(d), tags = f0t_dataset_tag_count(d);
    const size_t *offsets = f0t_dataset_offsets(d);
    size_t seen, unseen;
    const uint32_t *lists[2] = {f0t_dataset_seen(d, &seen), f0t_dataset_unseen(d, &unseen)};
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

f0t_status f0t_eval_identity(uint64_t *out, const f0t_dataset *dataset, const f0t_vectors *vectors,
                             const f0t_eval_options *options)
{
    F0T_REQUIRE(out);
    F0T_REQUIRE(dataset);
    F0T_REQUIRE(vectors);
    static const f0t_eval_options none;
    sum s = {crc32(0, NULL, 0), adler32(0, NULL, 0)};
    uint64_t space = f0t_vectors_fingerprint(vectors);
    f0t_eval_plan plan;
    F0T_TRY(f0t_eval_plan_create(&plan, options ? options : &none));
    add_options(&s, options ? options : &none, &plan);
    add_numbers(&s, &space, 1);
    F0T_TRY(add_dataset(&s, dataset));
    *out = (uint64_t)s.high << 32 | (uint32_t)s.low;
    return F0T_OK;
}
