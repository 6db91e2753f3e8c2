#include "image/request.h"

#include "base/alloc.h"
#include "image/descriptor.h"
#include "io/file.h"
#include "io/json.h"

#include <inttypes.h>
#include <string.h>

f0t_status f0t_request_checksum(char text[9], const char *path)
{
    f0t_map map;
    F0T_TRY(f0t_map_open(&map, path));
    snprintf(text, 9, "%08" PRIx32, f0t_map_checksum(&map, 0));
    return f0t_map_finish(&map, path, F0T_OK);
}

static f0t_status read_json(f0t_network_request *r, const char *name, const f0t_monitor *monitor)
{
    enum { LARGEST = 1 << 20 };
    const char *output = NULL;
    F0T_TRY(f0t_json_load(&r->json, name, LARGEST, monitor));
    F0T_TRY(f0t_json_get_string(&output, r->json, "output", name));
    F0T_TRY(f0t_json_get_string(&r->classes, r->json, "classes", name));
    F0T_TRY(f0t_json_get_string(&r->labels, r->json, "labels", name));
    r->output = r->output ? r->output : output;
    if (!r->prepared)
        F0T_TRY(f0t_preprocess_parse(&r->preprocess, r->json, name));
    r->prepared = true;
    return F0T_OK;
}

f0t_status f0t_request_beside(char **out, const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    const size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    F0T_TRY(f0t_alloc(out, stem + sizeof ".json", 1));
    memcpy(*out, path, stem);
    memcpy(*out + stem, ".json", sizeof ".json");
    return F0T_OK;
}

f0t_status f0t_request_read_beside(f0t_network_request *r, const f0t_monitor *monitor)
{
    char *name;
    F0T_TRY(f0t_request_beside(&name, r->path));
    f0t_status status = f0t_path_exists(name) ? read_json(r, name, monitor) : F0T_OK;
    f0t_free(name);
    return status;
}

f0t_status f0t_request_describe(f0t_network_request *r, const json_t *description)
{
    static const char name[] = "the backbone's description";
    const char *called = "", *sum = "";
    json_t *preprocess = NULL;
    char found[9];
    F0T_TRY(f0t_json_get_string(&called, description, "name", name));
    F0T_TRY(f0t_json_get_string(&r->path, description, "file", name));
    if (!r->path)
        return !strcmp(called, f0t_descriptor_version())
                   ? F0T_OK
                   : f0t_fail(F0T_ERROR_UNSUPPORTED,
                              "the features came from '%s', which is not here: give the backbone",
                              called);
    if (r->output || r->prepared)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "%s is as the features were made with it: a preset and an "
                        "output go with a network that is named",
                        r->path);
    F0T_TRY(f0t_json_get_string(&sum, description, "crc32", name));
    F0T_TRY(f0t_json_get_string(&r->external, description, F0T_REQUEST_EXTERNAL, name));
    F0T_TRY(f0t_json_get_string(&r->output, description, "output", name));
    F0T_TRY(f0t_json_get_object(&preprocess, description, "preprocess", name));
    F0T_TRY(f0t_preprocess_parse(&r->preprocess, preprocess, name));
    r->prepared = true;
    F0T_TRY(f0t_request_checksum(found, r->path));
    if (strcmp(found, sum) != 0)
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "%s is not the file that it was: its checksum is %s, not %s", r->path,
                        found, sum);
    return F0T_OK;
}

void f0t_request_clear(f0t_network_request *r)
{
    json_decref(r->json);
    *r = (f0t_network_request){0};
}
