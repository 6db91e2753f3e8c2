#include "io/dataset_json.h"

#include "base/alloc.h"
#include "io/json.h"
#include "io/text.h"

#include <string.h>

enum { LARGEST = 1 << 20 }; /* bytes of a dataset.json */

static f0t_status get_text(char **out, const json_t *object, const char *key, const char *file)
{
    const char *text = NULL;
    F0T_TRY(f0t_json_get_string(&text, object, key, file));
    if (!text)
        return F0T_OK;
    if (!*text || f0t_text_fault(text, strlen(text)))
        return f0t_fail(F0T_ERROR_FORMAT, "%s: \"%s\" must be a text of one line", file, key);
    return f0t_string_copy(out, text, strlen(text));
}

/* jansson allocates by itself; what a dataset keeps is ours. */
static f0t_status copy_dump(char **out, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    if (!text)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory to keep JSON");
    f0t_status status = f0t_string_copy(out, text, strlen(text));
    free(text);
    return status;
}

static f0t_status take(f0t_dataset *dataset, const json_t *object, const char *file)
{
    json_t *backbone = NULL;
    F0T_TRY(get_text(&dataset->name, object, "name", file));
    F0T_TRY(get_text(&dataset->features_path, object, "features", file));
    F0T_TRY(f0t_json_get_object(&backbone, object, "backbone", file));
    return backbone ? copy_dump(&dataset->backbone, backbone) : F0T_OK;
}

static f0t_status parse(f0t_dataset *dataset, const char *text, size_t size, const char *file)
{
    json_t *object;
    F0T_TRY(f0t_json_parse(&object, text, size, file));
    f0t_status status = take(dataset, object, file);
    json_decref(object);
    return status;
}

f0t_status f0t_dataset_json_read(f0t_dataset *dataset, f0t_stream *stream)
{
    const char *file = f0t_stream_name(stream);
    char *text;
    size_t size;
    F0T_TRY(f0t_stream_read_all(stream, &text, &size, LARGEST));
    f0t_status status = parse(dataset, text, size, file);
    f0t_free(text);
    return status;
}

/* ---- Writing ----------------------------------------------------------------------------------------- */

static f0t_status set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for dataset.json");
    return F0T_OK;
}

static f0t_status set_backbone(json_t *object, const char *backbone)
{
    json_t *value;
    F0T_TRY(f0t_json_parse(&value, backbone, strlen(backbone), "backbone"));
    return set(object, "backbone", value);
}

static f0t_status fill(json_t *object, const char *name, const char *features, const char *backbone)
{
    if (name)
        F0T_TRY(set(object, "name", json_string(name)));
    if (features)
        F0T_TRY(set(object, "features", json_string(features)));
    return backbone ? set_backbone(object, backbone) : F0T_OK;
}

static f0t_status write_text(const char *path, const char *text)
{
    f0t_writer *writer;
    F0T_TRY(f0t_writer_open(&writer, path));
    f0t_status status = f0t_writer_write(writer, text, strlen(text));
    if (status == F0T_OK)
        status = f0t_writer_write(writer, "\n", 1);
    return f0t_writer_finish(writer, status);
}

f0t_status f0t_dataset_json_write(const char *path, const char *name, const char *features,
                                  const char *backbone)
{
    json_t *object = json_object();
    if (!object)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for dataset.json");
    f0t_status status = fill(object, name, features, backbone);
    char *text = status == F0T_OK ? json_dumps(object, JSON_INDENT(2)) : NULL;
    if (status == F0T_OK)
        status = text ? write_text(path, text)
                      : f0t_fail(F0T_ERROR_MEMORY, "no memory for dataset.json");
    free(text);
    json_decref(object);
    return status;
}
