/* Why a tag is suggested: words near it, pictures that speak for it, and the picture's direction. */
#include "library.h"

#include "asked.h"
#include "state.h"

#include <string.h>

enum { WHY_TAGS = 8, WHY_PICTURES = 12 };

/* The learned tags whose vectors are nearest to that of `tag`, itself a learned one. */
static f0t_status nearest_tags(json_t **out, const f0t_vocab *vocab, size_t tag,
                               const f0t_context *context)
{
    uint32_t index[WHY_TAGS + 1];
    float cosine[WHY_TAGS + 1];
    const size_t count = f0t_vocab_count(vocab);
    const float *own = f0t_vocab_vectors(vocab) + tag * f0t_vocab_dim(vocab);
    *out = json_array();
    f0t_status status = f0t_vocab_rank(index, cosine, WHY_TAGS + 1, vocab, own, 1, context);
    for (size_t i = 0; status == F0T_OK && i < count && i < WHY_TAGS + 1; i++)
        if (index[i] != tag && json_array_size(*out) < WHY_TAGS)
            json_array_append_new(*out, json_pack("{s:o, s:f}", "tag",
                                                  reply_string(f0t_vocab_tag(vocab, index[i])),
                                                  "cosine", (double)cosine[i]));
    return status;
}

/* Pictures like this one that a person gave the tag. */
static f0t_status speakers(json_t **out, request *r, const char *path, const char *tag)
{
    f0t_find_options options = F0T_FIND_OPTIONS;
    f0t_find_results *found = NULL;
    f0t_query *query = NULL;
    char text[2 * F0T_TAG_SIZE + 16] = "tag:\"";
    size_t at = strlen(text);
    bool certain;
    for (const char *c = tag; *c && at + 4 < sizeof text; c++) {
        if (*c == '"' || *c == '\\')
            text[at++] = '\\';
        text[at++] = *c;
    }
    text[at++] = '"';
    text[at] = 0;
    options.k = WHY_PICTURES;
    options.like = path;
    *out = json_array();
    f0t_status status = f0t_query_parse(&query, text);
    if (status == F0T_OK)
        status = library_run_find(&found, &certain, r, query, &options);
    for (size_t i = 0; status == F0T_OK && i < found->count; i++)
        json_array_append_new(*out, library_found_json(&found->items[i]));
    f0t_find_results_free(found);
    f0t_query_free(query);
    return status;
}

/* What speaks for a tag of a picture, as JSON; *out is to be freed in any case. */
static f0t_status reasons(json_t **out, request *r, const f0t_catalogue_picture *picture,
                          const f0t_vocab *vocab, const char *tag)
{
    size_t index = F0T_NONE;
    json_t *pictures = NULL, *near = NULL, *direction = NULL;
    f0t_status status = f0t_vocab_find(&index, vocab, tag);
    if (status == F0T_OK)
        status = speakers(&pictures, r, picture->path, tag);
    if (status == F0T_OK && index != F0T_NONE)
        status = nearest_tags(&near, vocab, index, r->server->context);
    if (status == F0T_OK)
        status = library_direction(&direction, r, vocab, picture->id, index);
    *out = json_pack("{s:o, s:b, s:o, s:o, s:o}", "tag", reply_string(tag), "learned",
                     index != F0T_NONE, "near", near ? near : json_array(), "pictures",
                     pictures ? pictures : json_array(), "direction",
                     direction ? direction : json_null());
    return status;
}

void library_why(request *r)
{
    f0t_catalogue_pictures *one;
    json_t *value = NULL;
    const char *tag = asked_text(r, "tag");
    served *model = server_model(r->server);
    const f0t_vocab *vocab = f0t_model_vocab(f0t_tagger_model(served_tagger(model)));
    f0t_status status = asked_picture(&one, r);
    if (status == F0T_OK && !(tag && *tag))
        status = asked_refuse("tag", "one of the picture's tags");
    if (status == F0T_OK)
        status = reasons(&value, r, &one->items[0], vocab, tag);
    asked_answer(r, status, value);
    f0t_catalogue_pictures_free(one);
    served_release(model);
}
