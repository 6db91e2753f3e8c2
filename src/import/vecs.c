#include "import/vecs.h"

#include "base/alloc.h"
#include "io/dataset.h"

#include <string.h>
#include <strings.h>

static uint32_t read_le(const unsigned char *at, size_t width)
{
    uint32_t value = 0;
    for (size_t i = 0; i < width; i++)
        value |= (uint32_t)at[i] << (8 * i);
    return value;
}

/* True when records of this form, all of one dimension, fill the file. */
static bool fits(f0t_vecs *v, size_t header, size_t width)
{
    if (v->size < header)
        return false;
    size_t dim = read_le(v->data, header), record = header + dim * width; /* dim is below 2^32 */
    if (!dim || v->size % record)
        return false;
    for (size_t at = 0; at < v->size; at += record)
        if (read_le(v->data + at, header) != dim)
            return false;
    v->dim = dim;
    v->header = header;
    v->width = width;
    v->count = v->size / record;
    return true;
}

static bool ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), k = strlen(ending);
    return n >= k && !strcasecmp(name + n - k, ending);
}

static f0t_status find_form(f0t_vecs *v)
{
    static const struct {
        size_t header, width;
    } forms[] = {{2, 2}, {4, 4}, {4, 2}, {4, 1}};
    bool wide = ends_with(v->name, ".fvec") || ends_with(v->name, ".fvecs") ||
                ends_with(v->name, ".ivecs") || ends_with(v->name, ".hvecs32");
    v->is_float = ends_with(v->name, ".fvec") || ends_with(v->name, ".fvecs");
    v->is_signed = ends_with(v->name, ".ivecs");
    if (wide && fits(v, 4, 4))
        return F0T_OK;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !wide; i++)
        if (fits(v, forms[i].header, forms[i].width))
            return F0T_OK;
    return f0t_fail(
        F0T_ERROR_FORMAT,
        "%s: is no vector file: no form of records of one dimension fills its %zu bytes", v->name,
        v->size);
}

f0t_status f0t_vecs_open_memory(f0t_vecs *v, const void *data, size_t size, const char *name)
{
    *v = (f0t_vecs){.data = data, .size = size};
    F0T_TRY(f0t_string_copy(&v->name, name, strlen(name)));
    return find_form(v);
}

f0t_status f0t_vecs_open(f0t_vecs *v, const char *path)
{
    f0t_map map;
    *v = (f0t_vecs){0};
    F0T_TRY(f0t_map_open(&map, path));
    f0t_status status = f0t_vecs_open_memory(v, map.data, map.size, path);
    v->map = map;
    return status;
}

void f0t_vecs_close(f0t_vecs *v)
{
    if (v->map.data)
        f0t_map_close(&v->map);
    f0t_free(v->name);
    *v = (f0t_vecs){0};
}

f0t_status f0t_vecs_read(float *to, const f0t_vecs *v, size_t i)
{
    const unsigned char *at = v->data + i * (v->header + v->dim * v->width) + v->header;
    for (size_t d = 0; d < v->dim; d++, at += v->width) {
        uint32_t value = read_le(at, v->width);
        if (v->is_float)
            memcpy(&to[d], &value, sizeof value);
        else
            to[d] = v->is_signed ? (float)(int32_t)value : (float)value;
    }
    F0T_TRY(f0t_map_check(&v->map, v->name));
    return f0t_features_check(to, i, 1, v->dim, v->name);
}
