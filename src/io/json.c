#include "io/json.h"

#include "base/alloc.h"
#include "io/file.h"

#include <string.h>

/* Each value is the first of a list or object, or stands after a comma or colon. */
static size_t count_values(const char *text, size_t size)
{
    size_t count = 1;
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted)
            count += c == ',' || c == ':' || c == '[' || c == '{';
    }
    return count;
}

f0t_status f0t_json_parse(json_t **out, const void *text, size_t size, const char *name)
{
    json_error_t error;
    *out = NULL;
    if (count_values(text, size) > F0T_JSON_VALUES)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: its JSON has more than %d values", name,
                        F0T_JSON_VALUES);
    if (size && memchr(text, 0, size)) /* jansson passes over one after a number */
        return f0t_fail(F0T_ERROR_FORMAT, "%s: its JSON has a byte of 0", name);
    *out = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!*out && json_error_code(&error) == json_error_out_of_memory)
        return f0t_fail(F0T_ERROR_MEMORY, "%s: no memory for its JSON", name);
    if (!*out)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: line %d, column %d of the JSON: %s", name,
                        error.line, error.column, error.text);
    if (!json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        return f0t_fail(F0T_ERROR_FORMAT, "%s: the JSON is no object { … }", name);
    }
    return F0T_OK;
}

f0t_status f0t_json_load(json_t **out, const char *path, size_t most, const f0t_monitor *monitor)
{
    char *text;
    size_t size;
    *out = NULL;
    F0T_TRY(f0t_file_read(&text, &size, path, most, monitor));
    f0t_status status = f0t_json_parse(out, text, size, path);
    f0t_free(text);
    return status;
}

/* NULL when there is none, or null. */
static json_t *member(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

static f0t_status wrong_type(const char *name, const char *key, const char *wanted)
{
    return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" must be %s", name, key, wanted);
}

f0t_status f0t_json_get_string(const char **out, const json_t *object, const char *key,
                               const char *name)
{
    json_t *value = member(object, key);
    if (value && !json_is_string(value))
        return wrong_type(name, key, "a text");
    *out = value ? json_string_value(value) : *out;
    return F0T_OK;
}

f0t_status f0t_json_get_integer(int64_t *out, const json_t *object, const char *key,
                                const char *name)
{
    json_t *value = member(object, key);
    if (value && !json_is_integer(value))
        return wrong_type(name, key, "a whole number");
    *out = value ? json_integer_value(value) : *out;
    return F0T_OK;
}

f0t_status f0t_json_get_number(double *out, const json_t *object, const char *key, const char *name)
{
    json_t *value = member(object, key);
    if (value && !json_is_number(value))
        return wrong_type(name, key, "a number");
    *out = value ? json_number_value(value) : *out;
    return F0T_OK;
}

f0t_status f0t_json_get_bool(bool *out, const json_t *object, const char *key, const char *name)
{
    const json_t *value = member(object, key);
    if (value && !json_is_boolean(value))
        return wrong_type(name, key, "true or false");
    *out = value ? json_is_true(value) : *out;
    return F0T_OK;
}

f0t_status f0t_json_get_object(json_t **out, const json_t *object, const char *key,
                               const char *name)
{
    json_t *value = member(object, key);
    if (value && !json_is_object(value))
        return wrong_type(name, key, "an object { … }");
    *out = value ? value : *out;
    return F0T_OK;
}

f0t_status f0t_json_get_array(json_t **out, const json_t *object, const char *key, const char *name)
{
    json_t *value = member(object, key);
    if (value && !json_is_array(value))
        return wrong_type(name, key, "a list [ … ]");
    *out = value ? value : *out;
    return F0T_OK;
}

f0t_status f0t_json_need(const json_t *object, const char *key, const char *name)
{
    if (!member(object, key))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" is missing", name, key);
    return F0T_OK;
}

f0t_status f0t_json_only(const json_t *object, const char *const *keys, const char *name)
{
    for (void *at = json_object_iter((json_t *)(uintptr_t)object); at;
         at = json_object_iter_next((json_t *)(uintptr_t)object, at)) {
        size_t k = 0;
        while (keys[k] && strcmp(keys[k], json_object_iter_key(at)) != 0)
            k++;
        if (!keys[k])
            return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" is not known here", name,
                            json_object_iter_key(at));
    }
    return F0T_OK;
}
