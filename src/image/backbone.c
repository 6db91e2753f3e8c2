#include "image/backbone.h"

#include "base/alloc.h"
#include "base/context.h"
#include "image/request.h"
#include "io/json.h"
#include "onnx/network.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char builtin[] = "builtin";

/* ---- Descriptions ---------------------------------------------------------------------------------- */

static f0t_status set_description(f0t_backbone *backbone, json_t *json)
{
    char *text = json ? json_dumps(json, JSON_SORT_KEYS | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(json);
    if (!text)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory to describe the backbone");
    f0t_status status = f0t_string_copy(&backbone->description, text, strlen(text));
    free(text);
    return status;
}

static f0t_status describe_network(f0t_backbone *backbone, const char *path)
{
    char sum[9], beside_sum[9];
    uint32_t own, weights;
    bool beside;
    F0T_TRY(f0t_network_checksum(&own, backbone->network));
    F0T_TRY(f0t_network_external_checksum(&weights, &beside, backbone->network));
    const char *slash = strrchr(path, '/');
    char *whole = realpath(path, NULL);
    if (!whole)
        return f0t_fail_errno(errno, "%s", path);
    snprintf(sum, sizeof sum, "%08" PRIx32, own);
    snprintf(beside_sum, sizeof beside_sum, "%08" PRIx32, weights);
    f0t_status status = set_description(
        backbone,
        json_pack("{s:s, s:s, s:s, s:s*, s:s, s:o}", "name", slash ? slash + 1 : path, "file",
                  whole, "crc32", sum, F0T_REQUEST_EXTERNAL, beside ? beside_sum : NULL, "output",
                  f0t_network_output(backbone->network), "preprocess",
                  f0t_preprocess_describe(&backbone->preprocess)));
    free(whole);
    return status;
}

/* ---- Networks -------------------------------------------------------------------------------------- */

static f0t_status check_input(const f0t_backbone *backbone, const char *path)
{
    const f0t_network_input *in = f0t_network_get_input(backbone->network);
    const f0t_preprocess *p = &backbone->preprocess;
    if (in->channels == 3 && in->width == p->width && in->height == p->height)
        return F0T_OK;
    return f0t_fail(F0T_ERROR_MISMATCH,
                    "%s takes %zu x %zu pixels of %zu channels, but pictures are prepared as %zu x "
                    "%zu of 3",
                    path, in->width, in->height, in->channels, p->width, p->height);
}

static f0t_status open_network(f0t_backbone *backbone, const f0t_network_request *r,
                               const f0t_backbone_options *o)
{
    const f0t_network_options options = {.size = sizeof(f0t_network_options),
                                         .output = r->output,
                                         .bf16 = o->bf16,
                                         .height = r->preprocess.height,
                                         .width = r->preprocess.width,
                                         .cache = o->network_cache};
    backbone->preprocess = r->preprocess;
    F0T_TRY(f0t_network_open(&backbone->network, r->path, &options, NULL));
    F0T_TRY(check_input(backbone, r->path));
    return describe_network(backbone, r->path);
}

static f0t_status open_file(f0t_backbone *backbone, const char *path, const f0t_backbone_options *o)
{
    f0t_network_request r = {.path = path, .output = o->output};
    f0t_status status = o->preset ? f0t_preprocess_preset(&r.preprocess, o->preset) : F0T_OK;
    r.prepared = o->preset != NULL;
    if (status == F0T_OK)
        status = f0t_request_read_beside(&r, f0t_context_monitor(NULL));
    if (status == F0T_OK && !r.prepared)
        status = f0t_fail(F0T_ERROR_NOT_FOUND,
                          "%s: how pictures are prepared for it is not known: name a preset, or "
                          "put a JSON file of its name beside it",
                          path);
    if (status == F0T_OK)
        status = open_network(backbone, &r, o);
    f0t_request_clear(&r);
    return status;
}

/* The built-in descriptor has nothing to choose. */
static f0t_status open_builtin(f0t_backbone *backbone, const f0t_backbone_options *o)
{
    const char *given = o->preset ? "preset" : o->output ? "output" : o->bf16 ? "bf16" : NULL;
    if (given)
        return f0t_fail(
            F0T_ERROR_ARGUMENT,
            "%s is about a network, and the features are those of the built-in descriptor", given);
    return set_description(backbone, json_pack("{s:s}", "name", f0t_descriptor_version()));
}

/* ---- Comparing --------------------------------------------------------------------------------------- */

static f0t_status compare(const json_t *ours, const json_t *theirs, const char *key)
{
    const json_t *a = json_object_get(ours, key), *b = json_object_get(theirs, key);
    if ((!a && !b) || json_equal(a, b))
        return F0T_OK;
    const char *x = json_string_value(a), *y = json_string_value(b);
    return f0t_fail(F0T_ERROR_MISMATCH,
                    "the features were made by another backbone: its %s is %s, not %s", key,
                    y ? y : "different", x ? x : "this");
}

/* Older descriptions do not have it. */
static f0t_status compare_external(const json_t *ours, const json_t *theirs)
{
    return json_object_get(theirs, F0T_REQUEST_EXTERNAL)
               ? compare(ours, theirs, F0T_REQUEST_EXTERNAL)
               : F0T_OK;
}

static f0t_status parse_own(json_t **out, const f0t_backbone *backbone)
{
    return f0t_json_parse(out, backbone->description, strlen(backbone->description),
                          "the backbone's description");
}

/* ---- By description -------------------------------------------------------------------------------- */

static f0t_status open_described(f0t_backbone *backbone, const json_t *json,
                                 const f0t_backbone_options *o)
{
    f0t_network_request r = {.output = o->output, .prepared = o->preset != NULL};
    json_t *ours = NULL;
    F0T_TRY(f0t_request_describe(&r, json));
    if (!r.path)
        return open_builtin(backbone, o);
    F0T_TRY(open_network(backbone, &r, o));
    F0T_TRY(parse_own(&ours, backbone));
    f0t_status status = compare_external(ours, json);
    json_decref(ours);
    return status;
}

static f0t_status open_any(f0t_backbone *backbone, const char *name, const f0t_backbone_options *o)
{
    json_t *json;
    if (!strcmp(name, builtin))
        return open_builtin(backbone, o);
    if (name[0] != '{')
        return open_file(backbone, name, o);
    F0T_TRY(f0t_json_parse(&json, name, strlen(name), "the backbone's description"));
    f0t_status status = open_described(backbone, json, o);
    json_decref(json);
    return status;
}

/* ---- The cache ------------------------------------------------------------------------------------- */

/* What the description does not say makes other features, too. */
static f0t_status open_cache(f0t_backbone *backbone, const f0t_backbone_options *o)
{
    const char *version = f0t_version(), *precision = o->bf16 ? "bf16" : "f32";
    const size_t size = strlen(backbone->description) + strlen(version) + 16;
    char *key;
    if (mkdir(o->cache, 0700) != 0 && errno != EEXIST)
        return F0T_OK;
    F0T_TRY(f0t_alloc(&key, size, 1));
    snprintf(key, size, "%s %s %s", version, precision, backbone->description);
    f0t_status status =
        f0t_feature_cache_open(&backbone->cache, o->cache, f0t_backbone_dim(backbone), key);
    f0t_free(key);
    return status;
}

/* ---- The public side --------------------------------------------------------------------------------- */

f0t_status f0t_backbone_open(f0t_backbone **out, const char *name,
                             const f0t_backbone_options *options, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(name);
    F0T_READ_OPTIONS(f0t_backbone_options, F0T_BACKBONE_OPTIONS, options);
    f0t_backbone *backbone;
    F0T_TRY(f0t_alloc_zero(&backbone, 1, sizeof *backbone));
    pthread_mutex_init(&backbone->lock, NULL);
    backbone->pixels = options->picture_pixels;
    backbone->seconds = options->picture_seconds;
    f0t_status status = open_any(backbone, name, options);
    if (status == F0T_OK && options->cache)
        status = open_cache(backbone, options);
    if (status == F0T_OK)
        *out = backbone;
    else
        f0t_backbone_close(backbone);
    return status;
}

void f0t_backbone_close(f0t_backbone *backbone)
{
    if (!backbone)
        return;
    f0t_image_workspaces_free(backbone->idle);
    f0t_feature_cache_close(backbone->cache);
    pthread_mutex_destroy(&backbone->lock);
    f0t_network_close(backbone->network);
    f0t_free(backbone->description);
    f0t_free(backbone);
}

size_t f0t_backbone_dim(const f0t_backbone *backbone)
{
    return backbone->network ? f0t_network_dim(backbone->network) : f0t_descriptor_dim();
}

const char *f0t_backbone_description(const f0t_backbone *backbone)
{
    return backbone->description;
}

f0t_status f0t_backbone_check(const f0t_backbone *backbone, const char *description)
{
    F0T_REQUIRE(backbone);
    F0T_REQUIRE(description);
    json_t *ours = NULL, *theirs = NULL;
    f0t_status status = parse_own(&ours, backbone);
    if (status == F0T_OK)
        status = f0t_json_parse(&theirs, description, strlen(description), "the description");
    for (const char *const *key = (const char *const[]){"crc32", "output", "preprocess", NULL};
         status == F0T_OK && *key; key++)
        status = compare(ours, theirs, *key);
    if (status == F0T_OK)
        status = compare_external(ours, theirs);
    if (status == F0T_OK && !backbone->network)
        status = compare(ours, theirs, "name");
    json_decref(ours);
    json_decref(theirs);
    return status;
}
