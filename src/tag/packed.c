#include "tag/packed.h"

#include "base/alloc.h"

#include <string.h>

/* What stands before the error, and before each tag; the texts follow with their 0. */
typedef struct head {
    uint64_t input, count, error_size; /* error_size 0: there is none */
    int32_t status;
} head;

typedef struct tag_head {
    uint64_t index, size; /* size 0: the vocabulary has the text */
    float score, confidence;
} tag_head;

/* ---- Packing ------------------------------------------------------------------------------------- */

static f0t_status add_tag(f0t_parcel *packed, const f0t_tag_score *tag)
{
    const tag_head h = {.index = tag->index,
                        .size = tag->index == F0T_NONE ? strlen(tag->tag) + 1 : 0,
                        .score = tag->score,
                        .confidence = tag->confidence};
    F0T_TRY(f0t_parcel_add(packed, &h, sizeof h));
    return f0t_parcel_add(packed, tag->tag, h.size);
}

f0t_status f0t_packed_tags_add(f0t_parcel *packed, const f0t_tag_result *result)
{
    const head h = {.input = result->input,
                    .count = result->count,
                    .error_size = result->error ? strlen(result->error) + 1 : 0,
                    .status = (int32_t)result->status};
    F0T_TRY(f0t_parcel_add(packed, &h, sizeof h));
    F0T_TRY(f0t_parcel_add(packed, result->error, h.error_size));
    for (size_t i = 0; i < result->count; i++)
        F0T_TRY(add_tag(packed, &result->tags[i]));
    return F0T_OK;
}

/* ---- Unpacking ----------------------------------------------------------------------------------- */

typedef struct reader {
    f0t_parcel_reader from;
    const f0t_vocab *vocab;
    size_t input; /* whose result comes next */
} reader;

static f0t_status take_tag(f0t_tag_score *tag, reader *r)
{
    tag_head h;
    F0T_TRY(f0t_parcel_read(&h, &r->from, sizeof h));
    *tag = (f0t_tag_score){.index = h.index, .score = h.score, .confidence = h.confidence};
    if (h.size)
        tag->tag = f0t_parcel_take_text(&r->from, h.size);
    else if (h.index < f0t_vocab_count(r->vocab))
        tag->tag = f0t_vocab_tag(r->vocab, h.index);
    return tag->tag ? F0T_OK : f0t_parcel_fail();
}

static f0t_status take_tags(f0t_tag_score **tags, size_t *capacity, reader *r, size_t count)
{
    if (count > r->from.left / sizeof(tag_head))
        return f0t_parcel_fail();
    F0T_TRY(f0t_grow(tags, capacity, 0, count, sizeof **tags));
    for (size_t i = 0; i < count; i++)
        F0T_TRY(take_tag(&(*tags)[i], r));
    return F0T_OK;
}

static f0t_status take_result(f0t_tag_result *result, f0t_tag_score **tags, size_t *capacity,
                              reader *r)
{
    head h;
    F0T_TRY(f0t_parcel_read(&h, &r->from, sizeof h));
    if (h.input != r->input++ || h.status < F0T_OK || h.status > F0T_ERROR_INTERNAL)
        return f0t_parcel_fail();
    *result = (f0t_tag_result){.input = h.input, .status = (f0t_status)h.status, .count = h.count};
    result->error = h.error_size ? f0t_parcel_take_text(&r->from, h.error_size) : NULL;
    if (!result->error != (h.status == F0T_OK))
        return f0t_parcel_fail();
    F0T_TRY(take_tags(tags, capacity, r, h.count));
    result->tags = *tags;
    return F0T_OK;
}

f0t_status f0t_packed_tags_each(const void *data, size_t bytes, const f0t_vocab *vocab,
                                size_t first, size_t end, f0t_tag_callback each, void *user)
{
    reader r = {.from = {data, bytes}, .vocab = vocab, .input = first};
    f0t_tag_score *tags = NULL;
    f0t_tag_result result;
    size_t capacity = 0;
    f0t_status status = F0T_OK;
    while (r.input < end && status == F0T_OK) {
        status = take_result(&result, &tags, &capacity, &r);
        if (status == F0T_OK && !each(user, &result))
            status = f0t_fail(F0T_ERROR_INTERRUPTED, "ended by the caller");
    }
    f0t_free(tags);
    return status == F0T_OK && r.from.left ? f0t_parcel_fail() : status;
}
