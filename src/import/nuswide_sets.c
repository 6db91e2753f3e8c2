/* From what was read of NUS-WIDE to its datasets, over one features file. */
#include "import/nuswide.h"

#include "base/alloc.h"
#include "base/monitor.h"

#include <stdio.h>
#include <string.h>

static const uint32_t NONE = UINT32_MAX;

/* ---- Features -------------------------------------------------------------------------------- */

static f0t_status read_feature_row(f0t_nuswide *n, size_t row, float *to)
{
    if (n->own)
        return f0t_nus_features_read(n->own, row, to);
    /* The source's rows are ours now. */
    return n->given.source.read(n->given.source.context, row, to);
}

static f0t_status copy_rows(f0t_nuswide *n, f0t_npy_writer *npy, float *row)
{
    f0t_stage stage =
        f0t_stage_begin(n->job->options->monitor, "writing features", "images", n->selection.count);
    for (size_t i = 0; i < n->selection.count; i++) {
        F0T_TRY(f0t_stage_update(&stage, i));
        F0T_TRY(read_feature_row(n, n->selection.rows[i], row));
        F0T_TRY(f0t_npy_write_rows(npy, row, 1));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

/* features.npy beside the datasets. */
static f0t_status write_features(f0t_nuswide *n, const char *path, size_t dim)
{
    f0t_npy_writer *npy = NULL;
    float *row;
    bool half = !n->own && n->given.source.half;
    F0T_TRY(f0t_alloc(&row, dim, sizeof *row));
    f0t_status status = f0t_npy_create(&npy, path, half ? F0T_F16 : F0T_F32, dim);
    if (status == F0T_OK)
        status = copy_rows(n, npy, row);
    if (status == F0T_OK)
        status = f0t_npy_commit(npy);
    else
        f0t_npy_abort(npy);
    f0t_free(row);
    return status;
}

/* ---- The datasets ---------------------------------------------------------------------------- */

static f0t_status add_names(f0t_collection *c, const f0t_nuswide *n, size_t set)
{
    uint32_t index;
    bool added;
    for (size_t i = 0; i < f0t_names_count(&n->words) && set != F0T_NUS_81; i++)
        if (n->seen_of && n->seen_of[i] != NONE) {
            const char *word = f0t_names_get(&n->words, i);
            F0T_TRY(f0t_names_add(&c->tags, word, strlen(word), &index, NULL));
        }
    c->seen = f0t_names_count(&c->tags);
    const f0t_names *others = set == F0T_NUS_5K ? &n->words : &n->concepts;
    for (size_t i = 0; i < f0t_names_count(others); i++) {
        const char *word = f0t_names_get(others, i);
        F0T_TRY(f0t_names_add(&c->tags, word, strlen(word), &index, &added));
        c->unseen += added && set != F0T_NUS_81;
    }
    return F0T_OK;
}

/* Seen tags of an image: of the matrix, or where the release has none, of the raw tags. */
static f0t_status add_seen(f0t_collection *c, const f0t_nuswide *n, size_t m)
{
    size_t count;
    const f0t_nus_marks *marks = n->has_tag_marks ? &n->tag_marks : &n->raw_marks;
    const uint32_t *words = f0t_nus_marks_get(marks, m, &count);
    for (size_t i = 0; i < count; i++)
        if (n->seen_of[words[i]] != NONE)
            F0T_TRY(f0t_rows_add(&c->rows, n->seen_of[words[i]]));
    return F0T_OK;
}

static f0t_status add_concepts(f0t_collection *c, const f0t_nuswide *n, size_t m)
{
    size_t count;
    const uint32_t *concepts = f0t_nus_marks_get(&n->concept_marks, m, &count);
    for (size_t i = 0; i < count; i++)
        F0T_TRY(f0t_rows_add(&c->rows, (uint32_t)c->seen + concepts[i]));
    return F0T_OK;
}

/* `number` [words] gives the dataset's number of each unseen word. */
static f0t_status add_unseen(f0t_collection *c, const f0t_nuswide *n, const uint32_t *number,
                             size_t m)
{
    size_t count;
    const uint32_t *words = f0t_nus_marks_get(&n->raw_marks, m, &count);
    for (size_t i = 0; i < count; i++)
        if (number[words[i]] != NONE)
            F0T_TRY(f0t_rows_add(&c->rows, number[words[i]]));
    return F0T_OK;
}

static f0t_status add_rows(f0t_collection *c, const f0t_nuswide *n, size_t set,
                           const uint32_t *number)
{
    size_t count = f0t_names_count(&n->images.all);
    for (size_t m = 0; m < count; m++) {
        const char *name = f0t_names_get(&n->images.all, m);
        if (set != F0T_NUS_81)
            F0T_TRY(add_seen(c, n, m));
        F0T_TRY(set == F0T_NUS_5K ? add_unseen(c, n, number, m) : add_concepts(c, n, m));
        F0T_TRY(f0t_collection_end_row(c, name, strlen(name), n->images.split[m]));
    }
    return F0T_OK;
}

static f0t_status fill(f0t_collection *c, const f0t_nuswide *n, size_t set)
{
    size_t count = f0t_names_count(&n->words);
    uint32_t *number;
    F0T_TRY(add_names(c, n, set));
    F0T_TRY(f0t_alloc(&number, count, sizeof *number));
    for (size_t i = 0, next = c->seen; i < count; i++)
        number[i] = n->seen_of && n->seen_of[i] != NONE ? NONE : (uint32_t)next++;
    f0t_status status = add_rows(c, n, set, number);
    f0t_free(number);
    return status;
}

static f0t_status write_set(f0t_nuswide *n, size_t set, f0t_collection_target *target)
{
    const f0t_import_options *options = n->job->options;
    char name[256], label[16], *path = NULL, *shown = NULL;
    f0t_collection c = {0};
    snprintf(name, sizeof name, "%.200s %s", options->name ? options->name : "NUS-WIDE",
             f0t_nus_set_names[set]);
    snprintf(label, sizeof label, "%s: ", f0t_nus_set_names[set]);
    f0t_status status = fill(&c, n, set);
    if (status == F0T_OK)
        status = f0t_collection_draw_val(&c, &n->selection, n->job->val, options->seed);
    if (status == F0T_OK)
        status = f0t_path_join(&path, n->folder.temporary, f0t_nus_set_names[set]);
    if (status == F0T_OK)
        status = f0t_path_join(&shown, n->job->output, f0t_nus_set_names[set]);
    target->path = path;
    target->name = name;
    target->label = label;
    if (status == F0T_OK)
        status = f0t_collection_write(&c, &n->selection, target, shown, n->job->report);
    f0t_collection_free(&c);
    f0t_free(path);
    f0t_free(shown);
    return status;
}

f0t_status f0t_nus_sets_write(f0t_nuswide *n, const char *features)
{
    const f0t_import_options *options = n->job->options;
    f0t_collection_target target = {
        .backbone = n->job->backbone, .images = options->images, .monitor = options->monitor};
    if (n->own || options->features) {
        target.dim = n->own ? f0t_nus_features_dim(n->own) : n->given.dim;
        target.features = n->given.refer ? n->given.path : features;
        if (!n->given.refer)
            F0T_TRY(write_features(n, features, target.dim));
    }
    for (size_t s = 0; s < F0T_NUS_SETS; s++)
        if (n->make[s])
            F0T_TRY(write_set(n, s, &target));
    return f0t_folder_commit(&n->folder);
}
