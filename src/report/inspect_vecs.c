/* INRIA's vector files (TagProp). They have no magic: what is left may be one. */
#include "report/inspect.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "import/vecs.h"

static f0t_status matches(bool *yes, const f0t_inspector *in)
{
    f0t_vecs vecs = {0};
    f0t_status status = f0t_vecs_open_memory(&vecs, in->map.data, in->map.size, in->result.path);
    *yes = status == F0T_OK && vecs.count > 1 && vecs.dim > 0;
    f0t_vecs_close(&vecs);
    return status == F0T_ERROR_MEMORY ? status : F0T_OK;
}

static const char *type_name(const f0t_vecs *v)
{
    return v->is_float     ? "float32"
           : v->width == 1 ? "uint8"
           : v->width == 2 ? "uint16"
           : v->is_signed  ? "int32"
                           : "uint32";
}

static f0t_status measure(f0t_inspector *in, const f0t_vecs *v, f0t_numbers *numbers, float *row)
{
    f0t_stage stage = f0t_stage_begin(in->monitor, "reading the vectors", "vectors", v->count);
    for (size_t i = 0; i < v->count; i++) {
        if (in->quick && i >= in->rows)
            break;
        F0T_TRY(f0t_vecs_read(v, i, row));
        f0t_numbers_add(numbers, row, F0T_F32, v->dim);
        if (i < in->rows)
            F0T_TRY(f0t_inspector_row(in, "", 0, row, v->dim));
        F0T_TRY(f0t_stage_update(&stage, i + 1));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status describe_vecs(f0t_inspector *in, const f0t_vecs *v)
{
    float *row;
    f0t_numbers numbers = {0};
    const size_t shape[] = {v->count, v->dim};
    F0T_TRY(f0t_inspector_kind(in, "vecs", "vectors of TagProp's release, %zu x %zu %s", v->count,
                               v->dim, type_name(v)));
    F0T_TRY(f0t_alloc(&row, v->dim, sizeof *row));
    f0t_status status = measure(in, v, &numbers, row);
    f0t_free(row);
    F0T_TRY(status);
    return f0t_inspector_array(in, "", type_name(v), 2, shape, in->quick ? NULL : &numbers);
}

static f0t_status describe(f0t_inspector *in)
{
    f0t_vecs vecs = {0};
    f0t_status status = f0t_vecs_open_memory(&vecs, in->map.data, in->map.size, in->result.path);
    if (status == F0T_OK)
        status = describe_vecs(in, &vecs);
    f0t_vecs_close(&vecs);
    return status;
}

const f0t_inspect_kind f0t_inspect_vecs = {matches, describe};
