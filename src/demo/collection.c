/* From keywords as people left them to a dataset with clean tags, split, a part of them unseen. */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/monitor.h"
#include "base/random.h"
#include "demo/demo.h"
#include "io/file.h"

#include <string.h>

/* A tag is kept that one in RARE pictures has, and LEAST at the least, since fewer cannot be learned
 * from and tested; and that no more than one in COMMON has, since it would say nothing of any. */
enum { RARE = 650, LEAST = 3, COMMON = 5, TAGS_LEAST = 8 };

static const double TEST = 0.2, VAL = 0.1;
static const char UNSEEN[] = "20%";

/* ---- Copies ------------------------------------------------------------------------------------ */

/* Marks in copy[images] what looks the same as a picture before it: what was learned must not be
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
        F0T_TRY(f0t_names_add(prints, (const char *)&print, sizeof print, &index, &added));
        copy[m] = !added;
    }
    return F0T_OK;
}

static f0t_status mark_copies(f0t_demo_work *work)
{
    f0t_names prints = {0};
    float *features = NULL;
    f0t_status status =
        f0t_alloc_zero(&work->copy, f0t_dataset_image_count(work->pictures), sizeof *work->copy);
    if (status == F0T_OK)
        status = f0t_alloc(&features, f0t_dataset_dim(work->pictures), sizeof *features);
    if (status == F0T_OK)
        status = find_copies(work->copy, &prints, features, work->pictures);
    f0t_names_free(&prints);
    f0t_free(features);
    return status;
}

/* ---- Rows -------------------------------------------------------------------------------------- */

/* A collection while it is written. */
typedef struct making {
    const f0t_demo_work *work;
    f0t_dataset_writer *writer;
    f0t_names series; /* whose pictures stay in one part */
    float *features;  /* [D] of one picture */
    uint32_t *tags;   /* [cleaned.most] */
    const char **names;
} making;

/* Drawn by seed for the series that the picture belongs to. */
static f0t_status draw_split(f0t_split *out, making *k, const char *path)
{
    const f0t_random random = {k->work->options.seed, UINT64_C(0x64656D6F)}; /* "demo" */
    uint32_t number;
    F0T_TRY(f0t_names_add(&k->series, path, f0t_clipart_series(path), &number, NULL));
    const double place = f0t_random_uniform(&random, number);
    *out = place < TEST ? F0T_TEST : place < TEST + VAL ? F0T_VAL : F0T_TRAIN;
    return F0T_OK;
}

static f0t_status write_row(making *k, size_t m)
{
    const f0t_dataset *from = k->work->pictures;
    const f0t_cleaned *cleaned = &k->work->cleaned;
    f0t_dataset_row row = {.size = sizeof(f0t_dataset_row),
                           .image = f0t_dataset_image(from, m),
                           .tags = k->names,
                           .has_split = k->work->clipart,
                           .features = k->features};
    row.tag_count = f0t_cleaned_image(k->tags, cleaned, from, m);
    if (!row.tag_count || k->work->copy[m])
        return F0T_OK;
    F0T_TRY(f0t_dataset_read_features(k->features, from, m, 1));
    for (size_t i = 0; i < row.tag_count; i++)
        k->names[i] = f0t_names_get(&cleaned->tags, k->tags[i]);
    if (row.has_split)
        F0T_TRY(draw_split(&row.split, k, row.image));
    return f0t_dataset_write(k->writer, &row);
}

static f0t_status write_rows(making *k)
{
    const f0t_dataset *from = k->work->pictures;
    const size_t images = f0t_dataset_image_count(from);
    f0t_stage stage = f0t_stage_begin(f0t_context_monitor(NULL), "clean tags", "pictures", images);
    F0T_TRY(f0t_alloc(&k->features, f0t_dataset_dim(from), sizeof *k->features));
    F0T_TRY(f0t_alloc(&k->tags, k->work->cleaned.most, sizeof *k->tags));
    F0T_TRY(f0t_alloc(&k->names, k->work->cleaned.most, sizeof *k->names));
    for (size_t m = 0; m < images; m++) {
        F0T_TRY(f0t_stage_update(&stage, m));
        F0T_TRY(write_row(k, m));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

/* ---- Seen and unseen --------------------------------------------------------------------------- */

static f0t_status write_lists(making *k)
{
    const f0t_names *tags = &k->work->cleaned.tags;
    const size_t count = f0t_names_count(tags);
    bool *unseen;
    const char **names;
    size_t seen = 0, last = count;
    F0T_TRY(f0t_alloc(&unseen, count, sizeof *unseen));
    f0t_status status = f0t_alloc(&names, count, sizeof *names);
    if (status == F0T_OK)
        status = f0t_unseen_draw(unseen, UNSEEN, count, k->work->options.seed);
    for (size_t i = 0; status == F0T_OK && i < count; i++)
        names[unseen[i] ? --last : seen++] = f0t_names_get(tags, i);
    if (status == F0T_OK)
        status = f0t_dataset_write_seen(k->writer, names, seen);
    if (status == F0T_OK)
        status = f0t_dataset_write_unseen(k->writer, names + seen, count - seen);
    f0t_free(names);
    f0t_free(unseen);
    return status;
}

static f0t_status write_collection(f0t_demo_work *work, const char *path)
{
    making k = {.work = work};
    const f0t_dataset_info info = {.size = sizeof(f0t_dataset_info),
                                   .name = work->clipart ? "clip art" : NULL,
                                   .backbone = f0t_dataset_backbone(work->pictures),
                                   .dim = f0t_dataset_dim(work->pictures),
                                   .replace = true};
    F0T_TRY(f0t_dataset_create(&k.writer, path, &info));
    f0t_status status = write_rows(&k);
    if (status == F0T_OK)
        status = write_lists(&k);
    if (status == F0T_OK)
        status = f0t_dataset_commit(k.writer);
    else
        f0t_dataset_abort(k.writer);
    f0t_names_free(&k.series);
    f0t_free(k.features);
    f0t_free(k.tags);
    f0t_free(k.names);
    return status;
}

/* ---- The step ---------------------------------------------------------------------------------- */

static f0t_status clean(f0t_demo_work *work)
{
    const size_t images = f0t_dataset_image_count(work->pictures);
    f0t_clean_options options = {.vectors = work->vectors,
                                 .least = images / RARE > LEAST ? images / RARE : LEAST,
                                 .most = images / COMMON,
                                 .skip = work->copy,
                                 .monitor = f0t_context_monitor(NULL)};
    if (work->clipart)
        options.list = f0t_clipart_list();
    F0T_TRY(f0t_clean_dataset(&work->cleaned, work->pictures, &options));
    const size_t tags = f0t_names_count(&work->cleaned.tags);
    if (tags < TAGS_LEAST)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: %zu of the keywords of its %zu pictures mean something and are in %zu "
                        "pictures or more; %d such tags are needed",
                        work->options.pictures ? work->options.pictures : F0T_DEMO_FOLDER, tags,
                        images, options.least, TAGS_LEAST);
    return F0T_OK;
}

/* Where there is no split.txt the seed draws it. */
static f0t_status open_collection(f0t_demo_work *work, const char *path)
{
    f0t_dataset_options split = F0T_DATASET_OPTIONS;
    split.seed = work->options.seed;
    split.val = VAL;
    split.test = TEST;
    return f0t_dataset_open(&work->collection, path, &split, NULL);
}

f0t_status f0t_demo_clean_tags(f0t_demo_work *work)
{
    char *path;
    F0T_TRY(mark_copies(work));
    F0T_TRY(clean(work));
    F0T_TRY(f0t_demo_path(&path, work, "collection"));
    f0t_status status = F0T_OK;
    if (!work->same || open_collection(work, path) != F0T_OK) {
        status = write_collection(work, path);
        if (status == F0T_OK)
            status = open_collection(work, path);
    }
    f0t_free(path);
    return status;
}
