#include "catalogue/suggester.h"

#include "base/context.h"
#include "base/monitor.h"
#include "catalogue/same.h"
#include "catalogue/scan.h"
#include "io/file.h"
#include "tag/tagging.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- The model ------------------------------------------------------------------------------------- */

static f0t_status open_tagger(f0t_suggester *s, const char *path)
{
    f0t_tagger_options options = F0T_TAGGER_OPTIONS;
    options.features_only = true;
    F0T_TRY(f0t_tagger_open(&s->tagger, path, &options, NULL));
    s->direction = f0t_model_dim(f0t_tagger_model(s->tagger));
    s->suggests = f0t_model_method(f0t_tagger_model(s->tagger)) == F0T_METHOD_BLEND;
    return F0T_OK;
}

static f0t_status choose_new(const f0t_suggester *s, f0t_catalogue *c, const char *path,
                             uint64_t fingerprint)
{
    F0T_TRY(f0t_change_begin(c));
    f0t_status status = f0t_catalogue_choose_model(c, path, fingerprint);
    if (status == F0T_OK)
        status = f0t_same_follow(&c->sql, f0t_tagger_model(s->tagger));
    F0T_TRY(f0t_change_end(c, status));
    return f0t_catalogue_read_chosen(c);
}

/* Nothing is written where the catalogue knows the model, and its tags, which one of an older version does not. */
static f0t_status remember_model(const f0t_suggester *s, f0t_catalogue *c, const char *path,
                                 uint64_t fingerprint)
{
    bool follows;
    F0T_TRY(f0t_same_follows(&follows, &c->sql));
    return follows && fingerprint == c->fingerprint && c->model && !strcmp(path, c->model)
               ? F0T_OK
               : choose_new(s, c, path, fingerprint);
}

/* A model is known by its content: one that was trained anew under its old name is another one. */
static f0t_status choose_model(f0t_suggester *s, f0t_catalogue *c, const char *path)
{
    uint64_t fingerprint;
    char *whole = realpath(path, NULL);
    if (!whole)
        return f0t_fail_errno(errno, "the model %s", path);
    f0t_status status = f0t_file_hash(&fingerprint, whole);
    if (status == F0T_OK)
        status = open_tagger(s, whole);
    if (status == F0T_OK)
        status = remember_model(s, c, whole, fingerprint);
    free(whole);
    return status;
}

static f0t_status find_model(f0t_suggester *s, f0t_catalogue *c, const f0t_index_options *options,
                             const f0t_monitor *monitor)
{
    const char *path = options->model ? options->model : c->model;
    if (!path)
        return F0T_OK;
    if (!options->model && !f0t_path_exists(path))
        return f0t_fail(F0T_ERROR_NOT_FOUND,
                        "the model of this catalogue, %s, is not there; name one with --model",
                        path);
    f0t_status status = choose_model(s, c, path);
    if (status == F0T_OK && !s->suggests)
        f0t_log(monitor, F0T_LOG_WARNING,
                "%s does not say how sure it is, so that it suggests no tags; a blend does", path);
    return status;
}

/* ---- The backbone ---------------------------------------------------------------------------------- */

/* The catalogue keeps the description that it has where it is of the same: what was made stays valid. */
static f0t_status choose_backbone(const f0t_suggester *s, f0t_catalogue *c)
{
    if (c->backbone && f0t_backbone_check(s->backbone, c->backbone) == F0T_OK)
        return F0T_OK;
    return f0t_catalogue_set_backbone(c, f0t_backbone_description(s->backbone));
}

static f0t_status open_backbone(f0t_suggester *s, f0t_catalogue *c,
                                const f0t_index_options *options)
{
    const char *own = s->tagger ? f0t_model_backbone(f0t_tagger_model(s->tagger)) : NULL;
    const char *name = options->backbone ? options->backbone
                       : own             ? own
                       : c->backbone     ? c->backbone
                                         : "builtin";
    const f0t_backbone_options how = {.size = sizeof(f0t_backbone_options),
                                      .preset = options->preset,
                                      .output = options->output,
                                      .bf16 = options->bf16};
    F0T_TRY(f0t_backbone_open(&s->backbone, name, &how, NULL));
    s->dim = f0t_backbone_dim(s->backbone);
    if (own)
        F0T_TRY(f0t_backbone_check(s->backbone, own));
    if (s->tagger && f0t_model_input_dim(f0t_tagger_model(s->tagger)) != s->dim)
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "the backbone makes %zu features per picture, the model takes %zu", s->dim,
                        f0t_model_input_dim(f0t_tagger_model(s->tagger)));
    return choose_backbone(s, c);
}

f0t_status f0t_suggester_open(f0t_suggester *out, f0t_catalogue *catalogue,
                              const f0t_index_options *options, bool pictures,
                              const f0t_monitor *monitor)
{
    *out = (f0t_suggester){0};
    F0T_TRY(find_model(out, catalogue, options, monitor));
    if (pictures)
        return open_backbone(out, catalogue, options);
    out->dim = out->tagger ? f0t_model_input_dim(f0t_tagger_model(out->tagger)) : 0;
    return F0T_OK;
}

void f0t_suggester_close(f0t_suggester *suggester)
{
    f0t_tagger_close(suggester->tagger);
    f0t_backbone_close(suggester->backbone);
    *suggester = (f0t_suggester){0};
}

/* ---- Scores ---------------------------------------------------------------------------------------- */

typedef struct taking {
    f0t_tag_score *suggestions;
    size_t *counts;
} taking;

static bool take(void *user, const f0t_tag_result *result)
{
    const taking *t = user;
    size_t *count = &t->counts[result->input];
    *count = 0;
    for (size_t i = 0; i < result->count && *count < F0T_SUGGESTED_MOST; i++)
        if (result->tags[i].confidence >= (float)F0T_SUGGESTED_LEAST)
            t->suggestions[result->input * F0T_SUGGESTED_MOST + (*count)++] = result->tags[i];
    return true;
}

f0t_status f0t_suggester_run(float *directions, f0t_tag_score *suggestions, size_t *counts,
                             const f0t_suggester *suggester, const float *features, size_t rows)
{
    f0t_tag_options options = F0T_TAG_OPTIONS;
    taking t = {suggestions, counts};
    for (size_t i = 0; i < rows; i++)
        counts[i] = 0;
    if (!suggester->tagger)
        return F0T_OK;
    if (!suggester->suggests)
        return f0t_model_directions(directions, f0t_tagger_model(suggester->tagger), features, rows,
                                    NULL);
    options.k = F0T_SUGGESTED_MOST;
    options.diverse = 0;
    return f0t_tagger_each_directed(directions, suggester->tagger, features, rows, &options, take,
                                    &t);
}
