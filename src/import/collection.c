#include "import/collection.h"

#include "base/alloc.h"
#include "base/random.h"
#include "io/text.h"

#include <math.h>
#include <string.h>

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

f0t_status f0t_collection_tag(f0t_collection *collection, const char *text, size_t length,
                              uint32_t *index, bool *found)
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
    return f0t_names_add(&collection->tags, tag, n, index, NULL);
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
        return f0t_fail(F0T_ERROR_ARGUMENT, "val is %g: a part below 1 is wanted", val);
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
    f0t_random_shuffle(&random, train, count);
    size_t want = (size_t)floor(val * (double)count + 0.5);
    for (size_t i = 0; i < want; i++)
        collection->split[train[i]] = F0T_VAL;
    f0t_free(train);
    return F0T_OK;
}
