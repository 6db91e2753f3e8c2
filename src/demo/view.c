/* The model's answers, and small questions about the collection. */
#include "base/alloc.h"
#include "demo/page.h"
#include "report/html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 256 };

/* ---- Directions -------------------------------------------------------------------------------- */

static void normalise(float *v, size_t dim)
{
    double sum = 0;
    for (size_t j = 0; j < dim; j++)
        sum += (double)v[j] * (double)v[j];
    for (size_t j = 0; j < dim && sum > 0; j++)
        v[j] = (float)((double)v[j] / sqrt(sum));
}

static f0t_status find_directions(float *out, const f0t_demo_view *view, const uint32_t *rows,
                                  size_t count)
{
    const f0t_dataset *dataset = view->work->collection;
    const size_t features = f0t_dataset_dim(dataset);
    float *block;
    f0t_status status = F0T_OK;
    F0T_TRY(f0t_alloc(&block, BLOCK * features, sizeof *block));
    for (size_t first = 0; first < count && status == F0T_OK; first += BLOCK) {
        const size_t some = count - first < BLOCK ? count - first : BLOCK;
        for (size_t i = 0; i < some && status == F0T_OK; i++)
            status = f0t_dataset_read_features(dataset, rows[first + i], 1, block + i * features);
        if (status == F0T_OK)
            status = f0t_model_directions(out + first * view->dim, view->work->model, block, some);
    }
    for (size_t i = 0; i < count && status == F0T_OK; i++)
        normalise(out + i * view->dim, view->dim);
    f0t_free(block);
    return status;
}

static f0t_status list_tests(f0t_demo_view *view)
{
    const f0t_dataset *dataset = view->work->collection;
    const uint8_t *split = f0t_dataset_split(dataset);
    F0T_TRY(
        f0t_alloc(&view->tests, f0t_dataset_split_count(dataset, F0T_TEST), sizeof *view->tests));
    for (size_t m = 0; m < f0t_dataset_image_count(dataset); m++)
        if (split[m] == F0T_TEST)
            view->tests[view->test_count++] = (uint32_t)m;
    return F0T_OK;
}

static f0t_status fill(f0t_demo_view *view)
{
    const f0t_eval *eval = view->work->eval;
    const size_t shown = eval->sample_count;
    F0T_TRY(f0t_worker_create(&view->worker));
    F0T_TRY(list_tests(view));
    F0T_TRY(f0t_alloc(&view->shown, shown * view->dim, sizeof *view->shown));
    F0T_TRY(f0t_alloc(&view->directions, view->test_count * view->dim, sizeof *view->directions));
    F0T_TRY(f0t_alloc(&view->open, shown * F0T_DEMO_TOP, sizeof *view->open));
    F0T_TRY(find_directions(view->shown, view, eval->sample_images, shown));
    F0T_TRY(find_directions(view->directions, view, view->tests, view->test_count));
    return f0t_vocab_rank(view->open, NULL, F0T_DEMO_TOP, view->work->nouns, view->shown, shown);
}

f0t_status f0t_demo_view_create(f0t_demo_view *out, const f0t_demo_work *work, const f0t_demo *demo)
{
    *out = (f0t_demo_view){.work = work, .demo = demo, .dim = f0t_model_dim(work->model)};
    f0t_status status = fill(out);
    if (status != F0T_OK)
        f0t_demo_view_free(out);
    return status;
}

void f0t_demo_view_free(f0t_demo_view *view)
{
    f0t_worker_free(view->worker);
    f0t_free(view->shown);
    f0t_free(view->open);
    f0t_free(view->tests);
    f0t_free(view->directions);
    *view = (f0t_demo_view){0};
}

/* ---- Pictures ---------------------------------------------------------------------------------- */

void f0t_demo_title(char *out, size_t size, const f0t_demo_view *view, size_t m)
{
    const char *path = f0t_dataset_image(view->work->collection, m), *slash = strrchr(path, '/');
    snprintf(out, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(out, '.');
    if (dot && dot > out)
        *dot = 0;
}

void f0t_demo_picture(f0t_text *page, const f0t_demo_view *view, size_t m)
{
    char title[120];
    f0t_demo_title(title, sizeof title, view, m);
    f0t_html_picture(page, view->worker, f0t_dataset_image(view->work->collection, m), title);
}

/* ---- Tags -------------------------------------------------------------------------------------- */

bool f0t_demo_has_tag(const f0t_demo_view *view, size_t m, uint32_t tag)
{
    size_t count;
    const uint32_t *tags = f0t_dataset_image_tags(view->work->collection, m, &count);
    for (size_t i = 0; i < count; i++)
        if (view->work->eval->tags.index[tags[i]] == tag)
            return true;
    return false;
}

/* The row of the pictures' own keywords that row m of the collection comes from. */
static size_t source_of(const f0t_demo_view *view, size_t m)
{
    const char *path = f0t_dataset_image(view->work->collection, m);
    const f0t_dataset *pictures = view->work->pictures;
    for (size_t i = 0; i < f0t_dataset_image_count(pictures); i++)
        if (!strcmp(f0t_dataset_image(pictures, i), path))
            return i;
    return F0T_NONE;
}

bool f0t_demo_has_word(const f0t_demo_view *view, size_t m, const char *word)
{
    const size_t source = source_of(view, m);
    size_t count = 0;
    const uint32_t *tags =
        source == F0T_NONE ? NULL : f0t_dataset_image_tags(view->work->pictures, source, &count);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        const char *tag = f0t_dataset_tag(view->work->pictures, tags[i]);
        f0t_texts forms = {0};
        if (f0t_clean_form(&forms, tag, strlen(tag)) == F0T_OK)
            for (size_t k = 0; k < forms.count; k++)
                found = found || f0t_clean_same(f0t_texts_get(&forms, k), word);
        f0t_texts_free(&forms);
    }
    return found;
}
