#include "import/collection.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/random.h"
#include "import/clean.h"
#include "import/import.h"
#include "io/dataset.h"
#include "io/dataset_folder.h"
#include "io/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Images and their tags ------------------------------------------------------------------- */

enum { VAL_STREAM = 0x76616C, TAG_LONGEST = 1024 };

void f0t_collection_free(f0t_collection *collection)
{
    f0t_names_free(&collection->tags);
    f0t_rows_free(&collection->rows);
    f0t_texts_free(&collection->images);
    f0t_paths_free(&collection->paths);
    f0t_free(collection->split);
    *collection = (f0t_collection){0};
}

void f0t_selection_free(f0t_selection *selection)
{
    f0t_free(selection->images);
    f0t_free(selection->rows);
    *selection = (f0t_selection){0};
}

f0t_status f0t_collection_end_row(f0t_collection *collection, const char *image, size_t length,
                                  int split)
{
    if (image)
        F0T_TRY(f0t_texts_add(&collection->images, image, length));
    if (split >= 0) {
        F0T_TRY(f0t_grow(&collection->split, &collection->split_capacity, collection->rows.count, 1,
                         1));
        collection->split[collection->rows.count] = (uint8_t)split;
    }
    if (collection->rows.count == UINT32_MAX - 1)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "more than %u images", UINT32_MAX - 1);
    return f0t_rows_end(&collection->rows);
}

/* `to` has room for the text. Gives the length of the cleaned one. */
static size_t clean(char *to, const char *text, size_t length)
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c > ' ' && c != 0x7F)
            to[n++] = text[i];
        else if (n && to[n - 1] != ' ')
            to[n++] = ' ';
    }
    return n && to[n - 1] == ' ' ? n - 1 : n;
}

/* The name of the tag's group of synonyms; *name is NULL where it has none. */
static f0t_status find_synonym(const char **name, const f0t_synonym_index *synonyms,
                               const char *tag, size_t length)
{
    f0t_texts forms = {0};
    f0t_status status = f0t_clean_whole(&forms, tag, length);
    *name = forms.count ? f0t_synonym_find(synonyms, f0t_texts_get(&forms, 0), true) : NULL;
    f0t_texts_free(&forms);
    return status;
}

f0t_status f0t_collection_tag(uint32_t *index, bool *found, f0t_collection *collection,
                              const char *text, size_t length)
{
    char tag[TAG_LONGEST];
    *found = false;
    if (length > TAG_LONGEST)
        return f0t_fail(F0T_ERROR_FORMAT, "a tag of %zu bytes; is the separator right?", length);
    size_t n = clean(tag, text, length);
    if (!n)
        return F0T_OK;
    if (f0t_text_fault(tag, n))
        return f0t_fail(F0T_ERROR_FORMAT, "a tag is not UTF-8");
    *found = true;
    const char *name = NULL;
    if (collection->synonyms)
        F0T_TRY(find_synonym(&name, collection->synonyms, tag, n));
    if (!name)
        return f0t_names_add(index, NULL, &collection->tags, tag, n);
    collection->renamed += strlen(name) != n || memcmp(name, tag, n) != 0;
    return f0t_names_add(index, NULL, &collection->tags, name, strlen(name));
}

static size_t image_of(const f0t_selection *selection, size_t i)
{
    return selection->images ? selection->images[i] : i;
}

f0t_status f0t_collection_draw_val(f0t_collection *collection, const f0t_selection *selection,
                                   double val, uint64_t seed)
{
    f0t_random random = {seed, VAL_STREAM};
    uint32_t *train;
    size_t count = 0;
    if (!collection->split || !(val > 0))
        return F0T_OK;
    if (val >= 1)
        return f0t_fail(F0T_ERROR_ARGUMENT, "val is %g: a part below 1 is expected", val);
    F0T_TRY(f0t_alloc(&train, selection->count, sizeof *train));
    for (size_t i = 0; i < selection->count; i++) {
        size_t m = image_of(selection, i);
        if (collection->split[m] == F0T_VAL) {
            f0t_free(train);
            return F0T_OK;
        }
        if (collection->split[m] == F0T_TRAIN)
            train[count++] = (uint32_t)m;
    }
    f0t_random_shuffle(train, count, &random);
    size_t want = (size_t)floor(val * (double)count + 0.5);
    for (size_t i = 0; i < want; i++)
        collection->split[train[i]] = F0T_VAL;
    f0t_free(train);
    return F0T_OK;
}

/* ---- Writing a dataset ----------------------------------------------------------------------- */

/* What the rows need while they are written. */
typedef struct writing {
    const f0t_collection *collection;
    const f0t_selection *selection;
    const f0t_collection_target *target;
    f0t_dataset_writer *writer;
    const char **tags;      /* of the row: [most tags an image has] */
    const char **tag_names; /* [T] */
    char *image;            /* the folder, and after it room for the longest name */
    size_t folder_length;
    float *features; /* [dim] */
    f0t_import_dataset made;
    uint8_t *used; /* [T] whether a tag has an image */
} writing;

static void release(writing *w)
{
    f0t_dataset_abort(w->writer);
    f0t_free(w->tags);
    f0t_free(w->tag_names);
    f0t_free(w->image);
    f0t_free(w->features);
    f0t_free(w->used);
}

/* ---- Preparing ------------------------------------------------------------------------------- */

/* Names of pictures are relative to the dataset's directory. */
static f0t_status prepare_images(writing *w)
{
    const f0t_texts *images = &w->collection->images;
    size_t longest = 0;
    char *folder = NULL;
    for (size_t m = 0; m < images->count; m++)
        if (f0t_texts_length(images, m) > longest)
            longest = f0t_texts_length(images, m);
    if (w->target->images)
        F0T_TRY(
            f0t_path_relative(&folder, f0t_dataset_writer_folder(w->writer), w->target->images));
    size_t length = folder ? strlen(folder) + 1 : 0;
    f0t_status status = f0t_alloc(&w->image, length + longest + 1, 1);
    if (status == F0T_OK && folder) {
        memcpy(w->image, folder, length - 1);
        w->image[length - 1] = '/';
    }
    w->folder_length = length;
    f0t_free(folder);
    return status;
}

static f0t_status prepare_tags(writing *w)
{
    const f0t_rows *rows = &w->collection->rows;
    size_t count = f0t_names_count(&w->collection->tags), most = 0, n;
    for (size_t m = 0; m < rows->count; m++) {
        f0t_rows_get(&n, rows, m);
        most = n > most ? n : most;
    }
    F0T_TRY(f0t_alloc(&w->tags, most, sizeof *w->tags));
    F0T_TRY(f0t_alloc_zero(&w->used, count, 1));
    F0T_TRY(f0t_alloc(&w->tag_names, count, sizeof *w->tag_names));
    for (size_t t = 0; t < count; t++)
        w->tag_names[t] = f0t_names_get(&w->collection->tags, t);
    return F0T_OK;
}

static f0t_status prepare(writing *w)
{
    const f0t_collection_target *target = w->target;
    f0t_dataset_info info = {.size = sizeof(f0t_dataset_info),
                             .name = target->name,
                             .backbone = target->backbone,
                             .features = target->features,
                             .replace = target->replace};
    if (target->source) {
        info.dim = target->source->dim;
        info.half = target->source->half;
        F0T_TRY(f0t_alloc(&w->features, info.dim, sizeof *w->features));
    }
    w->made.dim = target->source ? info.dim : target->dim;
    F0T_TRY(prepare_tags(w));
    F0T_TRY(f0t_dataset_create(&w->writer, target->path, &info));
    return prepare_images(w);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const char *image_name(writing *w, size_t m)
{
    const f0t_texts *images = &w->collection->images;
    if (!images->count)
        return NULL;
    const char *name = f0t_texts_get(images, m);
    if (name[0] == '/')
        return name;
    memcpy(w->image + w->folder_length, name, f0t_texts_length(images, m) + 1);
    return w->image;
}

static void count_split(f0t_import_dataset *made, uint8_t split)
{
    made->train += split == F0T_TRAIN;
    made->val += split == F0T_VAL;
    made->test += split == F0T_TEST;
}

static f0t_status write_row(writing *w, size_t i)
{
    const f0t_collection *c = w->collection;
    size_t m = image_of(w->selection, i), count;
    const uint32_t *indices = f0t_rows_get(&count, &c->rows, m);
    f0t_dataset_row row = {.size = sizeof(f0t_dataset_row),
                           .image = image_name(w, m),
                           .tags = w->tags,
                           .tag_count = count};
    for (size_t k = 0; k < count; k++) {
        w->tags[k] = w->tag_names[indices[k]];
        w->used[indices[k]] = 1;
    }
    if (c->split) {
        row.has_split = true;
        row.split = (f0t_split)c->split[m];
        count_split(&w->made, c->split[m]);
    }
    if (w->features) {
        F0T_TRY(w->target->source->read(w->target->source->context, i, w->features));
        row.features = w->features;
    }
    w->made.untagged += count == 0;
    return f0t_dataset_write(w->writer, &row);
}

static f0t_status write_rows(writing *w)
{
    f0t_stage stage =
        f0t_stage_begin(w->target->monitor, "writing the dataset", "images", w->selection->count);
    for (size_t i = 0; i < w->selection->count; i++) {
        if (i % 64 == 0)
            F0T_TRY(f0t_stage_update(&stage, i));
        F0T_TRY(write_row(w, i));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status write_lists(writing *w)
{
    const f0t_collection *c = w->collection;
    if (c->paths.paths.count)
        F0T_TRY(f0t_dataset_write_paths(w->writer, &c->paths));
    if (!c->seen && !c->unseen)
        return F0T_OK;
    F0T_TRY(f0t_dataset_write_seen(w->writer, w->tag_names, c->seen));
    return f0t_dataset_write_unseen(w->writer, w->tag_names + c->seen, c->unseen);
}

/* ---- The end --------------------------------------------------------------------------------- */

static f0t_status say(const writing *w, f0t_import_report *report, uint64_t count, const char *what,
                      const char *example)
{
    char text[128];
    snprintf(text, sizeof text, "%s%s", w->target->label ? w->target->label : "", what);
    return f0t_import_report_say(report, count, text, example);
}

/* Tags that no image of the selection has are in the dataset only where a list names them. */
static f0t_status say_unused(writing *w, f0t_import_report *report)
{
    size_t count = f0t_names_count(&w->collection->tags), unused = 0, first = 0;
    size_t listed = w->collection->seen + w->collection->unseen;
    for (size_t t = 0; t < count; t++)
        if (!w->used[t] && !unused++)
            first = t;
    w->made.tags = listed ? count : count - unused;
    return say(w, report, unused,
               listed ? "{tag is|tags are} on no image"
                      : "{tag is|tags are} on no image and {is|are} left out",
               unused ? w->tag_names[first] : NULL);
}

static f0t_status write_all(writing *w, f0t_import_report *report)
{
    F0T_TRY(prepare(w));
    F0T_TRY(write_rows(w));
    F0T_TRY(write_lists(w));
    F0T_TRY(say_unused(w, report));
    F0T_TRY(
        say(w, report, w->made.untagged, "{image has|images have} no tag and {is|are} kept", NULL));
    if (w->target->source && w->target->source->end)
        F0T_TRY(w->target->source->end(w->target->source->context, report));
    F0T_TRY(f0t_import_report_add(report, &w->made));
    f0t_dataset_writer *writer = w->writer;
    w->writer = NULL;
    return f0t_dataset_commit(writer);
}

f0t_status f0t_collection_write(const f0t_collection *collection, const f0t_selection *selection,
                                const f0t_collection_target *target, const char *report_path,
                                f0t_import_report *report)
{
    writing w = {.collection = collection, .selection = selection, .target = target};
    if (!selection->count)
        return f0t_fail(F0T_ERROR_MISMATCH, "no image is left to import");
    w.made.path = report_path;
    w.made.images = selection->count;
    w.made.seen = collection->seen;
    w.made.unseen = collection->unseen;
    f0t_status status = write_all(&w, report);
    release(&w);
    return status;
}
