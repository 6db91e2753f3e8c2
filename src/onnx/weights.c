#include "onnx/weights.h"

#include "base/alloc.h"

#include <pthread.h>
#include <string.h>

/* What an entry is. */
enum { FILTERS, EIGHT, MATRIX_F32, MATRIX_BF16 };

typedef struct entry {
    const f0t_onnx_node *node;
    f0t_layout *layout; /* of filters */
    bool eight;         /* they are of eight bits */
    void *data;
    const void *lent; /* by what was prepared, instead of `data` or the packed matrix's; or NULL */
    bool listed;      /* to be written: not a reason to write all of them again */
    float *bias;
    f0t_dtype type; /* of a matrix */
    f0t_packed *packed;
    size_t bytes;
    struct entry *next;
} entry;

struct f0t_onnx_weights {
    pthread_mutex_t lock;
    entry *first;
    const f0t_onnx_prepared *prepared; /* or NULL */
};

f0t_status f0t_onnx_weights_create(f0t_onnx_weights **out)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    pthread_mutex_init(&(*out)->lock, NULL);
    return F0T_OK;
}

static void free_entry(entry *e)
{
    f0t_layout_free(e->layout);
    f0t_packed_free(e->packed);
    f0t_free(e->data);
    f0t_free(e->bias);
    f0t_free(e);
}

void f0t_onnx_weights_free(f0t_onnx_weights *weights)
{
    if (!weights)
        return;
    for (entry *e = weights->first, *next; e; e = next) {
        next = e->next;
        free_entry(e);
    }
    pthread_mutex_destroy(&weights->lock);
    f0t_free(weights);
}

size_t f0t_onnx_weights_bytes(f0t_onnx_weights *weights)
{
    size_t bytes = 0;
    pthread_mutex_lock(&weights->lock);
    for (const entry *e = weights->first; e; e = e->next)
        bytes += e->bytes;
    pthread_mutex_unlock(&weights->lock);
    return bytes;
}

/* ---- Kept from an earlier start -------------------------------------------------------------------
 */

void f0t_onnx_weights_use(f0t_onnx_weights *weights, const f0t_onnx_prepared *prepared)
{
    weights->prepared = prepared;
}

static f0t_onnx_piece piece_of(const entry *e, const f0t_onnx_graph *graph)
{
    const uint32_t matrix = e->type == F0T_BF16 ? MATRIX_BF16 : MATRIX_F32;
    return (f0t_onnx_piece){.node = (uint32_t)(e->node - graph->nodes),
                            .kind = e->packed  ? matrix
                                    : e->eight ? EIGHT
                                               : FILTERS,
                            .layout = e->packed ? f0t_packed_fingerprint(e->packed)
                                                : f0t_layout_fingerprint(e->layout),
                            .bytes = e->packed ? f0t_packed_bytes(e->packed) : e->bytes,
                            .data = e->packed ? f0t_packed_elements(e->packed)
                                    : e->lent ? e->lent
                                              : e->data};
}

/* Whether the elements of a new entry, whose layout is known, are there already. */
static bool find_prepared(entry *e, const f0t_onnx_weights *weights, const f0t_onnx_graph *graph)
{
    if (!weights->prepared)
        return false;
    const f0t_onnx_piece wanted = piece_of(e, graph);
    e->lent = f0t_onnx_prepared_find(weights->prepared, &wanted);
    if (e->lent && e->packed)
        f0t_packed_lend(e->packed, e->lent);
    return e->lent != NULL;
}

static bool is_taken(const f0t_onnx_weights *weights, const f0t_onnx_piece *piece)
{
    for (const entry *e = weights->first; e; e = e->next)
        if (e->lent == piece->data)
            return true;
    return false;
}

/* Other numbers of pictures, which an earlier start had, may want others. */
static void list_others(f0t_onnx_piece *out, size_t *count, const f0t_onnx_weights *weights)
{
    for (size_t k = 0; k < f0t_onnx_prepared_count(weights->prepared); k++) {
        const f0t_onnx_piece piece = f0t_onnx_prepared_piece(weights->prepared, k);
        if (!is_taken(weights, &piece))
            out[(*count)++] = piece;
    }
}

f0t_status f0t_onnx_weights_list(f0t_onnx_piece **out, size_t *count, f0t_onnx_weights *weights,
                                 const f0t_onnx_graph *graph)
{
    size_t all = 0, made = 0;
    f0t_status status = F0T_OK;
    *out = NULL;
    *count = 0;
    pthread_mutex_lock(&weights->lock);
    for (const entry *e = weights->first; e; e = e->next, all++)
        made += !e->lent && !e->listed;
    if (made)
        status = f0t_alloc(out, all + f0t_onnx_prepared_count(weights->prepared), sizeof **out);
    for (entry *e = weights->first; made && status == F0T_OK && e; e = e->next) {
        (*out)[(*count)++] = piece_of(e, graph);
        e->listed = true;
    }
    if (made && status == F0T_OK)
        list_others(*out, count, weights);
    pthread_mutex_unlock(&weights->lock);
    return status;
}

void f0t_onnx_weights_unlist(f0t_onnx_weights *weights)
{
    pthread_mutex_lock(&weights->lock);
    for (entry *e = weights->first; e; e = e->next)
        e->listed = false;
    pthread_mutex_unlock(&weights->lock);
}

/* ---- Plain elements -------------------------------------------------------------------------------
 */

/* Elements of a constant as float32, of any alignment: where they are in the file when they are that,
 * else a copy in *held, to be freed. */
static f0t_status plain(const void **out, float **held, const f0t_onnx_array *array, bool must_copy)
{
    *held = NULL;
    *out = array->f ? (const void *)array->f : array->raw;
    if (!must_copy && (array->f || array->type == F0T_ONNX_FLOAT))
        return F0T_OK;
    f0t_onnx_array copy;
    F0T_TRY(f0t_onnx_array_copy(&copy, array));
    *out = *held = copy.f;
    return F0T_OK;
}

/* The pages of the file that were read for it. */
static void forget(const f0t_onnx_graph *graph, const f0t_onnx_array *array)
{
    size_t size = array->count * f0t_onnx_array_type_size(array->type);
    if (!array->raw)
        return;
    for (size_t k = 0; k <= graph->file_count; k++) {
        const f0t_map *map = k ? &graph->files[k - 1].map : &graph->map;
        if (array->raw >= map->data && array->raw < map->data + map->size)
            f0t_map_forget(map, array->raw, size);
    }
}

/* ---- Filters --------------------------------------------------------------------------------------
 */

static f0t_status filter_layout(f0t_layout **out, const f0t_onnx_array *w, size_t groups)
{
    size_t dims[F0T_ONNX_RANK + 1], lead = 0;
    if (groups > 1)
        dims[lead++] = groups;
    dims[lead++] = w->dims[0] / groups;
    for (size_t d = 1; d < w->rank; d++)
        dims[lead++] = w->dims[d];
    return f0t_layout_create(out, lead, dims, F0T_F32);
}

static f0t_status fill_filters(entry *e, const f0t_onnx_filters *f, const f0t_onnx_array *w)
{
    const void *from;
    float *held;
    f0t_layout *layout;
    size_t each = w->dims[0] ? w->count / w->dims[0] : 0;
    F0T_TRY(f0t_alloc_zero(&e->bias, w->dims[0], sizeof *e->bias));
    if (f->bias)
        memcpy(e->bias, f->bias, w->dims[0] * sizeof *e->bias);
    if (e->lent)
        return F0T_OK;
    F0T_TRY(f0t_alloc_zero(&e->data, e->bytes, 1));
    F0T_TRY(plain(&from, &held, w, f->scale != NULL));
    for (size_t k = 0; f->scale && k < w->count; k++)
        held[k] *= f->scale[k / each];
    f0t_status status = filter_layout(&layout, w, f->groups);
    if (status == F0T_OK)
        status = f0t_layout_convert(e->layout, e->data, layout, from);
    f0t_layout_free(layout);
    f0t_free(held);
    return status;
}

static f0t_status make_filters(entry **out, const f0t_onnx_weights *weights, f0t_onnx_fold *fold,
                               const f0t_onnx_filters *f, const f0t_layout *layout)
{
    const f0t_onnx_array *w = &fold->arrays[f->value];
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    entry *e = *out;
    e->node = f->node;
    e->bytes = f0t_layout_bytes(layout);
    f0t_status status = f0t_onnx_budget_take(fold->budget, e->bytes, 1);
    if (status == F0T_OK)
        status = f0t_layout_copy(&e->layout, layout);
    if (status == F0T_OK && !find_prepared(e, weights, fold->graph) && fold->scaled[f->value])
        status = f0t_onnx_fold_decode(fold, f->value);
    if (status == F0T_OK)
        status = fill_filters(e, f, w);
    forget(fold->graph, w);
    return status;
}

static const void *elements_of(const entry *e)
{
    return e->lent ? e->lent : e->data;
}

static entry *find_filters(const f0t_onnx_weights *weights, const f0t_onnx_node *node,
                           const f0t_layout *layout)
{
    for (entry *e = weights->first; e; e = e->next)
        if (e->node == node && e->layout && f0t_layout_equal(e->layout, layout))
            return e;
    return NULL;
}

/* Takes a new entry into the list, or frees it. */
static f0t_status keep(f0t_onnx_weights *weights, entry *made, f0t_status status)
{
    if (status == F0T_OK) {
        made->next = weights->first;
        weights->first = made;
    } else if (made) {
        free_entry(made);
    }
    return status;
}

f0t_status f0t_onnx_weights_filters(const void **data, const float **bias,
                                    f0t_onnx_weights *weights, f0t_onnx_fold *fold,
                                    const f0t_onnx_filters *filters, const f0t_layout *layout)
{
    f0t_status status = F0T_OK;
    pthread_mutex_lock(&weights->lock);
    entry *e = find_filters(weights, filters->node, layout);
    if (!e) {
        status = make_filters(&e, weights, fold, filters, layout);
        status = keep(weights, e, status);
    }
    pthread_mutex_unlock(&weights->lock);
    F0T_TRY(status);
    *data = elements_of(e);
    *bias = e->bias;
    return F0T_OK;
}

/* ---- Eight bits -----------------------------------------------------------------------------------
 */

int8_t f0t_onnx_weights_eight_at(const f0t_onnx_array *array, size_t k, bool shifted)
{
    unsigned bits = array->raw ? array->raw[k] : (unsigned)array->i[k];
    return (int8_t)(uint8_t)(shifted ? bits ^ 0x80U : bits);
}

static f0t_status fill_eight(entry *e, const f0t_onnx_array *w, bool shifted,
                             const f0t_layout *from)
{
    int8_t *held;
    F0T_TRY(f0t_alloc_zero(&e->data, e->bytes, 1));
    if (w->raw && !shifted)
        return f0t_layout_convert(e->layout, e->data, from, w->raw);
    F0T_TRY(f0t_alloc(&held, w->count, 1));
    for (size_t k = 0; k < w->count; k++)
        held[k] = f0t_onnx_weights_eight_at(w, k, shifted);
    f0t_status status = f0t_layout_convert(e->layout, e->data, from, held);
    f0t_free(held);
    return status;
}

static f0t_status make_eight(entry **out, const f0t_onnx_weights *weights, f0t_onnx_fold *fold,
                             const f0t_onnx_node *node, size_t value, bool shifted,
                             const f0t_layout *from, const f0t_layout *to)
{
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    entry *e = *out;
    e->node = node;
    e->bytes = f0t_layout_bytes(to);
    F0T_TRY(f0t_onnx_budget_take(fold->budget, e->bytes, 1));
    e->eight = true;
    F0T_TRY(f0t_layout_copy(&e->layout, to));
    if (find_prepared(e, weights, fold->graph))
        return F0T_OK;
    f0t_status status = fill_eight(e, &fold->arrays[value], shifted, from);
    forget(fold->graph, &fold->arrays[value]);
    return status;
}

f0t_status f0t_onnx_weights_eight(const void **data, f0t_onnx_weights *weights, f0t_onnx_fold *fold,
                                  const f0t_onnx_node *node, size_t value, bool shifted,
                                  const f0t_layout *from, const f0t_layout *to)
{
    f0t_status status = F0T_OK;
    pthread_mutex_lock(&weights->lock);
    entry *e = find_filters(weights, node, to);
    if (!e) {
        status = make_eight(&e, weights, fold, node, value, shifted, from, to);
        status = keep(weights, e, status);
    }
    pthread_mutex_unlock(&weights->lock);
    F0T_TRY(status);
    *data = elements_of(e);
    return F0T_OK;
}

/* ---- Matrices -------------------------------------------------------------------------------------
 */

/* Large matrices of the file in parts, whose pages are let go one after the other: they are not in
 * memory twice. */
enum { PART_COLUMNS = 512, PART_LEAST = 1 << 24 };

static f0t_status set_in_parts(f0t_packed *packed, const f0t_onnx_graph *graph,
                               const f0t_onnx_array *w)
{
    size_t k = w->dims[1];
    for (size_t first = 0; first < w->dims[0]; first += PART_COLUMNS) {
        const unsigned char *from = w->raw + first * k * sizeof(float);
        const void *part = from;
        F0T_TRY(f0t_packed_set_columns(packed, part, first, PART_COLUMNS));
        f0t_onnx_array rows = {.type = w->type, .count = PART_COLUMNS * k, .raw = from};
        forget(graph, &rows);
    }
    return F0T_OK;
}

static bool comes_in_parts(const f0t_onnx_array *w, bool transposed, float alpha)
{
    return transposed && alpha == 1.0F && w->raw && w->type == F0T_ONNX_FLOAT &&
           w->count >= PART_LEAST && w->dims[0] % PART_COLUMNS == 0;
}

static f0t_status fill_matrix(entry *e, const f0t_onnx_weights *weights,
                              const f0t_onnx_graph *graph, const f0t_onnx_array *w, bool transposed,
                              float alpha, size_t m)
{
    const void *from;
    float *held;
    size_t rows = w->dims[w->rank - 2], columns = w->dims[w->rank - 1];
    size_t k = transposed ? columns : rows, n = transposed ? rows : columns;
    F0T_TRY(f0t_packed_describe(&e->packed, k, n, e->type, m));
    e->bytes = w->count * f0t_dtype_size(e->type);
    if (find_prepared(e, weights, graph))
        return F0T_OK;
    if (comes_in_parts(w, transposed, alpha)) {
        f0t_status parts = set_in_parts(e->packed, graph, w);
        if (parts != F0T_ERROR_UNSUPPORTED)
            return parts;
    }
    F0T_TRY(plain(&from, &held, w, alpha != 1.0F));
    for (size_t i = 0; held && i < w->count; i++)
        held[i] *= alpha;
    f0t_status status = f0t_packed_set(e->packed, from, transposed);
    f0t_free(held);
    return status;
}

static f0t_status make_matrix(entry **out, const f0t_onnx_weights *weights, f0t_onnx_fold *fold,
                              const f0t_onnx_node *node, size_t value, bool transposed, float alpha,
                              f0t_dtype type, size_t m)
{
    if (fold->scaled[value])
        F0T_TRY(f0t_onnx_fold_decode(fold, value));
    F0T_TRY(f0t_alloc_zero(out, 1, sizeof **out));
    (*out)->node = node;
    (*out)->type = type;
    F0T_TRY(f0t_onnx_budget_take(fold->budget, fold->arrays[value].count, f0t_dtype_size(type)));
    f0t_status status =
        fill_matrix(*out, weights, fold->graph, &fold->arrays[value], transposed, alpha, m);
    forget(fold->graph, &fold->arrays[value]);
    return status;
}

f0t_status f0t_onnx_weights_matrix(const f0t_packed **out, f0t_onnx_weights *weights,
                                   f0t_onnx_fold *fold, const f0t_onnx_node *node, size_t value,
                                   bool transposed, float alpha, f0t_dtype type, size_t m)
{
    f0t_status status = F0T_OK;
    pthread_mutex_lock(&weights->lock);
    entry *e = weights->first;
    while (e && !(e->node == node && e->packed && e->type == type))
        e = e->next;
    if (!e) {
        status = make_matrix(&e, weights, fold, node, value, transposed, alpha, type, m);
        status = keep(weights, e, status);
    }
    pthread_mutex_unlock(&weights->lock);
    F0T_TRY(status);
    *out = e->packed;
    return F0T_OK;
}
