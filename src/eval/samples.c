/* The test images whose first tags a comparison keeps, for its figure. */
#include "base/alloc.h"
#include "base/random.h"
#include "eval/eval.h"
#include "io/file.h"

enum { SAMPLES = 12, PICTURES_ASKED = 200 };

static bool has_kind(const f0t_eval *e, size_t image, unsigned kind)
{
    size_t count;
    const uint32_t *tags = f0t_dataset_image_tags(&count, e->dataset, image);
    for (size_t i = 0; i < count; i++) {
        uint32_t index = e->tags.index[tags[i]];
        if (index != F0T_NO_SAMPLE_TAG && e->tags.kind[index] & kind)
            return true;
    }
    return false;
}

static f0t_status has_picture(bool *has, const f0t_eval *e, size_t image)
{
    const char *name = f0t_dataset_image(e->dataset, image);
    char *path;
    *has = false;
    if (!name)
        return F0T_OK;
    F0T_TRY(f0t_path_join(&path, f0t_dataset_path(e->dataset), name));
    f0t_status status = f0t_path_look(has, path);
    f0t_free(path);
    return status;
}

/* Images in random order: place among the test images, and row. */
typedef struct pool {
    uint32_t *order; /* [count] places */
    uint32_t *rows;  /* [count] rows of the dataset, by place */
    bool *taken;     /* [count] by place */
    size_t count;
} pool;

/* Fills up the samples: first what has everything, then less. */
static f0t_status fill(f0t_eval *e, pool *p, bool with_tags, bool with_picture)
{
    size_t asked = 0;
    bool has = true;
    for (size_t i = 0; i < p->count && e->sample_count < SAMPLES; i++) {
        uint32_t place = p->order[i], row = p->rows[place];
        if (p->taken[place] ||
            (with_tags && (!has_kind(e, row, F0T_TAG_SEEN) || !has_kind(e, row, F0T_TAG_UNSEEN))))
            continue;
        if (with_picture && asked++ >= PICTURES_ASKED)
            return F0T_OK;
        if (with_picture)
            F0T_TRY(has_picture(&has, e, row));
        if (!has)
            continue;
        p->taken[place] = true;
        e->samples[e->sample_count] = place;
        e->sample_images[e->sample_count++] = row;
    }
    return F0T_OK;
}

static void list_images(pool *p, const f0t_dataset *dataset)
{
    const uint8_t *split = f0t_dataset_split(dataset);
    size_t at = 0;
    for (size_t m = 0; m < f0t_dataset_image_count(dataset); m++)
        if (split[m] == F0T_TEST) {
            p->order[at] = (uint32_t)at;
            p->rows[at++] = (uint32_t)m;
        }
}

f0t_status f0t_eval_choose_samples(f0t_eval *e)
{
    const f0t_random random = {e->seed, UINT64_C(0x73616D706C65)}; /* "sample" */
    pool p = {.count = f0t_dataset_split_count(e->dataset, F0T_TEST)};
    f0t_status status = f0t_alloc(&e->samples, SAMPLES, sizeof *e->samples);
    if (status == F0T_OK)
        status = f0t_alloc(&e->sample_images, SAMPLES, sizeof *e->sample_images);
    if (status == F0T_OK)
        status = f0t_alloc(&p.order, p.count, sizeof *p.order);
    if (status == F0T_OK)
        status = f0t_alloc(&p.rows, p.count, sizeof *p.rows);
    if (status == F0T_OK)
        status = f0t_alloc_zero(&p.taken, p.count, sizeof *p.taken);
    if (status == F0T_OK) {
        list_images(&p, e->dataset);
        f0t_random_shuffle(p.order, p.count, &random);
        status = fill(e, &p, true, true);
    }
    if (status == F0T_OK)
        status = fill(e, &p, true, false);
    if (status == F0T_OK)
        status = fill(e, &p, false, false);
    f0t_free(p.order);
    f0t_free(p.rows);
    f0t_free(p.taken);
    return status;
}
