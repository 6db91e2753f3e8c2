/* From a dataset with keywords as people left them to one with clean tags (fast0tag_tools.h). */
#include "base/alloc.h"
#include "base/context.h"
#include "base/hash.h"
#include "base/monitor.h"
#include "base/random.h"
#include "import/clean.h"

#include <string.h>

/* A tag is kept that one in RARE images has, and at least LEAST, since fewer cannot be learned
 * from and tested; and that no more than one in COMMON has, since it would say nothing of any. */
enum { RARE = 650, LEAST = 3, COMMON = 5 };

/* What the caller sees, and what it stands on. */
typedef struct cleaning {
    f0t_cleaning shown;
    const f0t_dataset *dataset;
    f0t_cleaned cleaned;
    bool *copy; /* [images] looks the same as one before it */
    const char **tags;
    f0t_import_note notes[F0T_FLAWS];
} cleaning;

/* ---- Copies ------------------------------------------------------------------------------------ */

/* Marks in copy[images] what looks the same as an image before it: what was learned must not be
 * tested. */
static f0t_status find_copies(bool *copy, f0t_names *prints, float *features,
                              const f0t_dataset *dataset)
{
    const size_t dim = f0t_dataset_dim(dataset);
    for (size_t m = 0; m < f0t_dataset_image_count(dataset); m++) {
        uint32_t index;
        bool added;
        F0T_TRY(f0t_dataset_read_features(features, dataset, m, 1));
        const uint64_t print = f0t_hash(F0T_HASH_START, features, dim * sizeof *features);
        F0T_TRY(f0t_names_add(&index, &added, prints, (const char *)&print, sizeof print));
        copy[m] = !added;
    }
    return F0T_OK;
}

static f0t_status mark_copies(cleaning *c)
{
    const size_t dim = f0t_dataset_dim(c->dataset);
    f0t_names prints = {0};
    float *features;
    F0T_TRY(f0t_alloc_zero(&c->copy, f0t_dataset_image_count(c->dataset), sizeof *c->copy));
    if (!dim)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&features, dim, sizeof *features));
    f0t_status status = find_copies(c->copy, &prints, features, c->dataset);
    f0t_names_free(&prints);
    f0t_free(features);
    return status;
}

/* ---- What is kept ------------------------------------------------------------------------------ */

/* What was left out, by its flaw. */
static void note_flaws(cleaning *c)
{
    for (int f = F0T_FLAW_NONE + 1; f < F0T_FLAWS; f++)
        if (c->cleaned.left_out[f])
            c->notes[c->shown.note_count++] = (f0t_import_note){
                c->cleaned.left_out[f], f0t_flaw_name((f0t_flaw)f), c->cleaned.examples[f]};
    c->shown.notes = c->notes;
}

static f0t_status show(cleaning *c)
{
    const size_t count = f0t_names_count(&c->cleaned.tags);
    F0T_TRY(f0t_alloc(&c->tags, count, sizeof *c->tags));
    for (size_t t = 0; t < count; t++)
        c->tags[t] = f0t_names_get(&c->cleaned.tags, t);
    c->shown.tags = c->tags;
    c->shown.tag_count = count;
    c->shown.keywords = c->cleaned.forms;
    c->shown.plurals = c->cleaned.plurals;
    c->shown.spellings = c->cleaned.spellings;
    note_flaws(c);
    return F0T_OK;
}

static f0t_status clean(cleaning *c, const f0t_vectors *vectors, const f0t_clean_options *options,
                        const f0t_monitor *monitor)
{
    const size_t images = f0t_dataset_image_count(c->dataset);
    F0T_TRY(mark_copies(c));
    const f0t_clean_rules rules = {.vectors = vectors,
                                   .least = c->shown.least,
                                   .most = options->most ? options->most : images / COMMON,
                                   .skip = c->copy,
                                   .list = {options->drop, options->drop_count},
                                   .monitor = monitor};
    F0T_TRY(f0t_clean_tags(&c->cleaned, c->dataset, &rules));
    return show(c);
}

f0t_status f0t_tags_clean(f0t_cleaning **out, const f0t_dataset *dataset,
                          const f0t_vectors *vectors, const f0t_clean_options *options,
                          const f0t_context *context)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(dataset);
    F0T_REQUIRE(vectors);
    F0T_ENTER(context);
    F0T_READ_OPTIONS(f0t_clean_options, F0T_CLEAN_OPTIONS, options);
    const size_t rare = f0t_dataset_image_count(dataset) / RARE;
    cleaning *c;
    F0T_TRY(f0t_alloc_zero(&c, 1, sizeof *c));
    c->dataset = dataset;
    c->shown.least = options->least ? options->least : rare > LEAST ? rare : LEAST;
    f0t_status status = clean(c, vectors, options, f0t_context_monitor(NULL));
    if (status == F0T_OK)
        *out = &c->shown;
    else
        f0t_cleaning_free(&c->shown);
    return status;
}

void f0t_cleaning_free(f0t_cleaning *shown)
{
    cleaning *c = (cleaning *)shown;
    if (!c)
        return;
    f0t_cleaned_free(&c->cleaned);
    f0t_free(c->copy);
    f0t_free(c->tags);
    f0t_free(c);
}

/* ---- A dataset of it --------------------------------------------------------------------------- */

/* A dataset while it is written. */
typedef struct making {
    const cleaning *c;
    f0t_cleaning_layout layout;
    f0t_dataset_writer *writer;
    f0t_names groups; /* whose images stay in one part */
    float *features;  /* [D] of one image */
    uint32_t *tags;   /* [cleaned.most] */
    const char **names;
} making;

/* Drawn by seed for the group that the image belongs to. */
static f0t_status draw_split(f0t_split *out, making *k, const char *group)
{
    const f0t_random random = {k->layout.seed, UINT64_C(0x64656D6F)}; /* "demo" */
    uint32_t number;
    F0T_TRY(f0t_names_add(&number, NULL, &k->groups, group, strlen(group)));
    const double place = f0t_random_uniform(&random, number);
    *out = place < k->layout.test                   ? F0T_TEST
           : place < k->layout.test + k->layout.val ? F0T_VAL
                                                    : F0T_TRAIN;
    return F0T_OK;
}

static f0t_status write_row(making *k, size_t m)
{
    const f0t_dataset *from = k->c->dataset;
    f0t_dataset_row row = {.size = sizeof row,
                           .image = f0t_dataset_image(from, m),
                           .tags = k->names,
                           .has_split = k->layout.groups != NULL};
    row.tag_count = f0t_cleaned_image(k->tags, &k->c->cleaned, from, m);
    if (!row.tag_count || k->c->copy[m])
        return F0T_OK;
    if (f0t_dataset_dim(from)) {
        F0T_TRY(f0t_dataset_read_features(k->features, from, m, 1));
        row.features = k->features;
    }
    for (size_t i = 0; i < row.tag_count; i++)
        k->names[i] = k->c->tags[k->tags[i]];
    if (row.has_split)
        F0T_TRY(draw_split(&row.split, k, k->layout.groups[m]));
    return f0t_dataset_write(k->writer, &row);
}

static f0t_status write_rows(making *k)
{
    const f0t_dataset *from = k->c->dataset;
    const size_t images = f0t_dataset_image_count(from);
    f0t_stage stage = f0t_stage_begin(f0t_context_monitor(NULL), "clean tags", "pictures", images);
    F0T_TRY(f0t_alloc(&k->features, f0t_dataset_dim(from), sizeof *k->features));
    F0T_TRY(f0t_alloc(&k->tags, k->c->cleaned.most, sizeof *k->tags));
    F0T_TRY(f0t_alloc(&k->names, k->c->cleaned.most, sizeof *k->names));
    for (size_t m = 0; m < images; m++) {
        F0T_TRY(f0t_stage_update(&stage, m));
        F0T_TRY(write_row(k, m));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status write_lists(making *k)
{
    const size_t count = k->c->shown.tag_count;
    const char **names;
    size_t seen = 0, last = count;
    if (!k->layout.unseen)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&names, count, sizeof *names));
    for (size_t t = 0; t < count; t++)
        names[k->layout.unseen[t] ? --last : seen++] = k->c->tags[t];
    f0t_status status = f0t_dataset_write_seen(k->writer, names, seen);
    if (status == F0T_OK)
        status = f0t_dataset_write_unseen(k->writer, names + seen, count - seen);
    f0t_free(names);
    return status;
}

static f0t_status write_all(making *k, const char *path)
{
    const f0t_dataset_info info = {.size = sizeof info,
                                   .name = k->layout.name,
                                   .backbone = f0t_dataset_backbone(k->c->dataset),
                                   .dim = f0t_dataset_dim(k->c->dataset),
                                   .replace = k->layout.replace};
    F0T_TRY(f0t_dataset_create(&k->writer, path, &info));
    f0t_status status = write_rows(k);
    if (status == F0T_OK)
        status = write_lists(k);
    if (status == F0T_OK)
        return f0t_dataset_commit(k->writer);
    f0t_dataset_abort(k->writer);
    return status;
}

f0t_status f0t_cleaning_save(const f0t_cleaning *shown, const char *path,
                             const f0t_cleaning_layout *layout, const f0t_context *context)
{
    F0T_REQUIRE(shown);
    F0T_REQUIRE(path);
    F0T_ENTER(context);
    making k = {.c = (const cleaning *)shown, .layout = F0T_CLEANING_LAYOUT};
    F0T_TRY(f0t_options_read(&k.layout, sizeof k.layout, layout, "f0t_cleaning_layout"));
    f0t_status status = write_all(&k, path);
    f0t_names_free(&k.groups);
    f0t_free(k.features);
    f0t_free(k.tags);
    f0t_free(k.names);
    return status;
}
