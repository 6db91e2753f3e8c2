#include "report/inspect.h"

#include "base/alloc.h"
#include "io/json.h"

enum { JSON_MOST = 1 << 24 };

static f0t_status matches(bool *yes, const f0t_inspector *in)
{
    size_t i = 0;
    while (i < in->head_size &&
           (in->head[i] == ' ' || (in->head[i] >= '\t' && in->head[i] <= '\r')))
        i++;
    *yes = in->head[i] == '{';
    return F0T_OK;
}

static f0t_status describe_members(f0t_inspector *in, json_t *root)
{
    const char *key;
    json_t *value;
    F0T_TRY(f0t_inspector_kind(in, "json", "JSON object, %zu members", json_object_size(root)));
    json_object_foreach(root, key, value)
    {
        static const char *const types[] = {
            [JSON_OBJECT] = "object", [JSON_ARRAY] = "list", [JSON_INTEGER] = "number",
            [JSON_REAL] = "number",   [JSON_TRUE] = "true",  [JSON_FALSE] = "false",
            [JSON_NULL] = "null"};
        F0T_TRY(f0t_inspector_metadata(
            in, key, json_is_string(value) ? json_string_value(value) : types[json_typeof(value)]));
    }
    return F0T_OK;
}

static f0t_status describe(f0t_inspector *in)
{
    char *text;
    size_t size;
    json_t *root = NULL;
    F0T_TRY(f0t_inspector_read(in, &text, &size, JSON_MOST));
    f0t_status status = f0t_json_parse(&root, text, size, in->result.path);
    if (status == F0T_OK)
        status = describe_members(in, root);
    json_decref(root);
    f0t_free(text);
    return status;
}

const f0t_inspect_kind f0t_inspect_json = {matches, describe};
