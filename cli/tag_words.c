#include "tag_words.h"

static void report_missing(const cli_context *cli, const f0t_vocab *vocab)
{
    for (size_t i = 0; i < f0t_vocab_entry_count(vocab); i++) {
        const f0t_vocab_entry *e = f0t_vocab_get_entry(vocab, i);
        char line[400];
        if (e->match != F0T_MATCH_NONE)
            continue;
        snprintf(line, sizeof line, "'%s' has no vector%s%s%s", e->tag,
                 e->nearest ? "; did you mean '" : "", e->nearest ? e->nearest : "",
                 e->nearest ? "'?" : "");
        cli->monitor->log(cli->monitor->user, F0T_LOG_WARNING, line);
    }
}

static f0t_status make_vocab(f0t_vocab **out, cli_context *cli, const char *path,
                             const f0t_model *model, const f0t_vectors *vectors)
{
    f0t_tags *tags = NULL;
    f0t_vocab_options vocab_options = {.size = sizeof(f0t_vocab_options),
                                       .centred = f0t_vocab_centred(f0t_model_vocab(model))};
    f0t_status status = f0t_tags_load(&tags, path, cli->context);
    if (status == F0T_OK)
        status =
            f0t_vocab_create(out, tags->items, tags->count, vectors, &vocab_options, cli->context);
    f0t_tags_free(tags);
    if (status != F0T_OK)
        return status;
    report_missing(cli, *out);
    if (f0t_vocab_count(*out) == 0)
        return cli_fail(cli, F0T_ERROR_FORMAT, "%s: none of its words has a vector", path);
    return F0T_OK;
}

f0t_status tag_words_open(f0t_vocab **out, cli_context *cli, const char *path, const char *vectors,
                          const f0t_model *model)
{
    if (!vectors)
        return f0t_vocab_open(out, path, cli->context);
    f0t_vectors *opened = NULL;
    f0t_vectors_options vector_options = {.size = sizeof(f0t_vectors_options)};
    f0t_status status = f0t_vectors_open(&opened, vectors, &vector_options, cli->context);
    if (status == F0T_OK)
        status = make_vocab(out, cli, path, model, opened);
    f0t_vectors_close(opened);
    return status;
}
