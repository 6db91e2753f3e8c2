#include "model/blend_file.h"

#include "base/alloc.h"
#include "math/elementwise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64, FIELDS = 24 };

/* An array of a blend and its tensor. */
typedef struct field {
    const char *name;
    void *array; /* address of the pointer */
    f0t_dtype type;
    size_t rows, cols; /* rows 0: one dimension */
} field;

/* ---- What there is ------------------------------------------------------------------------------------- */

static size_t list_votes(field *to, f0t_votes *v)
{
    const field all[] = {
        {"votes.map", &v->map, F0T_F32, v->dim, v->features},
        {"votes.shift", &v->shift, F0T_F32, 0, v->dim},
        {"votes.scales", &v->scales, F0T_F32, 0, v->images},
        {"votes.offsets", &v->offsets, F0T_I64, 0, v->images + 1},
        {"votes.relevant", &v->relevant, F0T_I32, 0, v->offsets ? v->offsets[v->images] : 0}};
    memcpy(to, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* Those of landmarks come last; the mean has another name with them, so that no program takes it for that of features. */
static size_t list_ridge(field *to, f0t_ridge *r)
{
    size_t n = 0;
    to[n++] =
        (field){r->landmarks ? "ridge.nearness" : "ridge.mean", &r->mean, F0T_F32, 0, r->features};
    to[n++] =
        (field){"ridge.weights", &r->weights, F0T_F32, r->tags, r->rank ? r->rank : r->features};
    to[n++] = (field){"ridge.base", &r->base, F0T_F32, 0, r->tags};
    if (r->rank)
        to[n++] = (field){"ridge.map", &r->map, F0T_F32, r->rank, r->features};
    if (r->landmarks)
        to[n++] = (field){"ridge.landmarks", &r->landmarks->images, F0T_I32, 0, r->features};
    return n;
}

static size_t list_words(field *to, f0t_blend *b)
{
    f0t_word_space *s = &b->space;
    const field all[] = {{"blend.frequency", &b->frequency, F0T_F32, 0, b->tags},
                         {"words.mean", &s->mean, F0T_F32, 0, b->dim},
                         {"words.spread", &s->spread, F0T_F32, b->dim, b->dim},
                         {"words.inverse", &s->inverse, F0T_F32, b->dim, b->dim},
                         {"words.prior", &s->prior, F0T_F32, 0, b->dim}};
    memcpy(to, all, sizeof all);
    return sizeof all / sizeof *all;
}

static size_t list_classes(field *to, f0t_blend *b)
{
    f0t_class_directions *c = &b->classes;
    const field all[] = {{"classes.weights", &c->weights, F0T_F16, c->count, b->features},
                         {"classes.bias", &c->bias, F0T_F32, 0, c->count},
                         {"classes.vectors", &c->vectors, F0T_F32, c->count, b->dim},
                         {"classes.mean", &c->mean, F0T_F32, 0, b->dim}};
    memcpy(to, all, sizeof all);
    return sizeof all / sizeof *all;
}

static size_t list_risks(field *to, f0t_risk_curve *risks[2])
{
    enum { NUMBERS_OF_CURVE = sizeof(f0t_risk_curve) / sizeof(double) };
    const field all[] = {{"blend.risk", &risks[0], F0T_F64, 0, NUMBERS_OF_CURVE},
                         {"words.risk", &risks[1], F0T_F64, 0, NUMBERS_OF_CURVE}};
    memcpy(to, all, sizeof all);
    return sizeof all / sizeof *all;
}

static size_t list_fields(field *to, f0t_blend *b)
{
    size_t n = list_words(to, b);
    n += b->votes ? list_votes(to + n, b->votes) : 0;
    n += b->ridge ? list_ridge(to + n, b->ridge) : 0;
    return n + (b->classes.count ? list_classes(to + n, b) : 0);
}

/* The single numbers: those that files always had, with the parts of the new words' direction of that time, and the later
 * parts. Files without these have weights of 0 there. */
enum {
    FIRST_PARTS = F0T_WORD_PRIOR + 1,
    LATER_PARTS = F0T_WORD_PARTS - FIRST_PARTS,
    FIRST_NUMBERS = 3 + F0T_LEARNED_EXPERTS + 2 + 2 * FIRST_PARTS + 2 + 1 + 1 + 3,
    NUMBERS = FIRST_NUMBERS + 2 * LATER_PARTS
};

/* Copies `count` numbers between the blend and its list, and moves on. */
static void pass(float **list, float *numbers, size_t count, bool save)
{
    memcpy(save ? *list : numbers, save ? numbers : *list, count * sizeof *numbers);
    *list += count;
}

static void pass_numbers(float list[NUMBERS], f0t_blend *b, bool save)
{
    float votes[2] = {b->votes && save ? (float)b->votes->k : 0,
                      b->votes && save ? (float)b->votes->sharpness : 0};
    float ridge = b->ridge && save ? (float)b->ridge->lambda : 0;
    pass(&list, b->direction, 3, save);
    pass(&list, b->weights, F0T_LEARNED_EXPERTS, save);
    pass(&list, b->calibration, 2, save);
    pass(&list, b->word_weights, FIRST_PARTS, save);
    pass(&list, b->word_scales, FIRST_PARTS, save);
    pass(&list, b->word_calibration, 2, save);
    pass(&list, &b->word_offset, 1, save);
    pass(&list, &b->classes.length, 1, save);
    pass(&list, votes, 2, save);
    pass(&list, &ridge, 1, save);
    pass(&list, b->word_weights + FIRST_PARTS, LATER_PARTS, save);
    pass(&list, b->word_scales + FIRST_PARTS, LATER_PARTS, save);
    if (b->votes && !save) {
        b->votes->k = votes[0] >= 1 && votes[0] <= (float)b->votes->images ? (size_t)votes[0] : 0;
        b->votes->sharpness = (double)votes[1];
    }
    if (b->ridge && !save)
        b->ridge->lambda = (double)ridge;
}

/* ---- Writing -------------------------------------------------------------------------------------------- */

static f0t_status write_tensor(f0t_safetensors_writer *w, const char *name, const void *data,
                               f0t_dtype type, size_t rows, size_t cols)
{
    const size_t shape[] = {rows, cols}, count = (rows ? rows : 1) * cols;
    if (type == F0T_F32 && !f0t_finite_f32(data, count))
        return f0t_fail(F0T_ERROR_NUMERIC, "'%s' of the model holds NaN or infinity", name);
    F0T_TRY(f0t_safetensors_write(w, data, count * f0t_dtype_size(type)));
    return f0t_safetensors_end_tensor(w, name, type, rows ? 2 : 1, rows ? shape : shape + 1);
}

static f0t_status write_own(f0t_safetensors_writer *w, const f0t_net *net)
{
    for (size_t i = 0; i < f0t_net_array_count(net); i++) {
        f0t_model_array array = f0t_net_array(net, i);
        char name[NAME_SIZE];
        float *numbers;
        snprintf(name, sizeof name, "tags.%s", array.name);
        F0T_TRY(f0t_alloc(&numbers, array.rows * array.cols, sizeof *numbers));
        f0t_status status = f0t_net_array_get(numbers, net, i);
        if (status == F0T_OK)
            status = write_tensor(w, name, numbers, F0T_F32, array.rows, array.cols);
        f0t_free(numbers);
        F0T_TRY(status);
    }
    return F0T_OK;
}

/* An array of float32 whose numbers are all of float16. */
static f0t_status write_half(f0t_safetensors_writer *w, const field *f)
{
    const size_t count = f->rows * f->cols;
    uint16_t *half;
    F0T_TRY(f0t_alloc(&half, count, sizeof *half));
    f0t_f32_to_f16(half, *(float **)f->array, count);
    f0t_status status = write_tensor(w, f->name, half, F0T_F16, f->rows, f->cols);
    f0t_free(half);
    return status;
}

/* Those whose type has this many bytes. */
static f0t_status write_fields(f0t_safetensors_writer *w, const field *fields, size_t count,
                               size_t size)
{
    for (size_t i = 0; i < count; i++) {
        const field *f = &fields[i];
        if (f0t_dtype_size(f->type) != size)
            continue;
        F0T_TRY(f->type == F0T_F16
                    ? write_half(w, f)
                    : write_tensor(w, f->name, *(void **)f->array, f->type, f->rows, f->cols));
    }
    return F0T_OK;
}

f0t_status f0t_blend_save(f0t_safetensors_writer *w, const f0t_blend *blend)
{
    field fields[FIELDS];
    float numbers[NUMBERS];
    f0t_blend b = *blend;
    const size_t count = list_fields(fields, &b);
    pass_numbers(numbers, &b, true);
    F0T_TRY(write_fields(w, fields, count, 4));
    F0T_TRY(write_tensor(w, "blend.numbers", numbers, F0T_F32, 0, NUMBERS));
    return b.own ? write_own(w, b.own) : F0T_OK;
}

f0t_status f0t_blend_save_wide(f0t_safetensors_writer *w, const f0t_blend *blend)
{
    field fields[FIELDS];
    f0t_blend b = *blend;
    f0t_risk_curve *risks[] = {&b.risk, &b.word_risk};
    F0T_TRY(write_fields(w, fields, list_risks(fields, risks), 8));
    return write_fields(w, fields, list_fields(fields, &b), 8);
}

f0t_status f0t_blend_save_half(f0t_safetensors_writer *w, const f0t_blend *blend)
{
    field fields[FIELDS];
    f0t_blend b = *blend;
    return write_fields(w, fields, list_fields(fields, &b), 2);
}

f0t_status f0t_blend_save_bytes(f0t_safetensors_writer *w, const f0t_blend *b)
{
    return b->votes ? write_tensor(w, "votes.rows", b->votes->rows, F0T_U8, b->votes->images,
                                   b->votes->dim)
                    : F0T_OK;
}

/* ---- Reading --------------------------------------------------------------------------------------------- */

static f0t_status refuse(const f0t_safetensors *file, const char *name)
{
    return f0t_fail(F0T_ERROR_FORMAT, "%s: the tensor '%s' is missing or not what it should be",
                    f0t_safetensors_path(file), name);
}

static f0t_status get(const f0t_tensor **out, const f0t_safetensors *file, const field *f)
{
    const f0t_tensor *t = f0t_safetensors_find(file, f->name);
    const bool plain = f->type == F0T_F16 && t && t->dtype == F0T_F32; /* as files once had it */
    if (!t || (t->dtype != f->type && !plain) || t->dims != (f->rows ? 2U : 1U) ||
        t->shape[t->dims - 1] != f->cols || (f->rows && t->shape[0] != f->rows))
        return refuse(file, f->name);
    if (t->dtype == F0T_F32 && !f0t_finite_f32(t->data, t->count))
        return f0t_fail(F0T_ERROR_NUMERIC, "%s: '%s' of the model holds NaN or infinity",
                        f0t_safetensors_path(file), f->name);
    *out = t;
    return F0T_OK;
}

static f0t_status read_half(const f0t_safetensors *file, const field *f, const f0t_tensor *t)
{
    float *copy;
    F0T_TRY(f0t_alloc(&copy, t->count, sizeof *copy));
    f0t_dtype_to_f32(copy, t->data, F0T_F16, t->count);
    *(float **)f->array = copy;
    return f0t_finite_f32(copy, t->count)
               ? F0T_OK
               : f0t_fail(F0T_ERROR_NUMERIC, "%s: '%s' of the model holds NaN or infinity",
                          f0t_safetensors_path(file), f->name);
}

static f0t_status read_field(const f0t_safetensors *file, const field *f)
{
    const f0t_tensor *t = NULL;
    void *copy;
    F0T_TRY(get(&t, file, f));
    if (t->dtype == F0T_F16)
        return read_half(file, f, t);
    const size_t size = f0t_dtype_size(t->dtype);
    F0T_TRY(f0t_alloc(&copy, t->count, size));
    if (t->count)
        memcpy(copy, t->data, t->count * size);
    *(void **)f->array = copy;
    return F0T_OK;
}

static f0t_status read_fields(const f0t_safetensors *file, const field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        F0T_TRY(read_field(file, &fields[i]));
    return F0T_OK;
}

/* No image is longer than 1: what its votes weigh, and how near others are to it as a landmark, goes by cosines. */
static bool images_are_sound(const f0t_votes *v)
{
    static const double ROUNDING = 1e-5;
    for (size_t i = 0; i < v->images; i++) {
        const double scale = (double)v->scales[i];
        int64_t squares = 0;
        for (size_t j = 0; j < v->dim; j++)
            squares += v->rows[i * v->dim + j] * v->rows[i * v->dim + j];
        if (!(scale >= 0 && scale <= 1 && scale * scale * (double)squares <= 1 + ROUNDING))
            return false;
    }
    return true;
}

/* Offsets ascend from 0, tags are below T. */
static bool tags_are_sound(const f0t_votes *v, size_t relevant)
{
    if (v->offsets[0] != 0 || v->offsets[v->images] != relevant)
        return false;
    for (size_t i = 0; i < v->images; i++)
        if (v->offsets[i] > v->offsets[i + 1])
            return false;
    for (size_t i = 0; i < relevant; i++)
        if (v->relevant[i] >= v->tags)
            return false;
    return true;
}

/* The last of the fields, whose length the offsets say, comes after they are there. */
static f0t_status read_votes(f0t_blend *b, const f0t_safetensors *file)
{
    const f0t_tensor *rows = f0t_safetensors_find(file, "votes.rows"),
                     *relevant = f0t_safetensors_find(file, "votes.relevant");
    field fields[FIELDS];
    if (!rows)
        return F0T_OK;
    if (rows->dtype != F0T_U8 || rows->dims != 2 || !rows->shape[0] || !rows->shape[1] ||
        rows->shape[1] > F0T_VOTES_AXES || rows->shape[0] > F0T_VOTES_IMAGES)
        return refuse(file, "votes.rows");
    if (!relevant || relevant->dims != 1)
        return refuse(file, "votes.relevant");
    F0T_TRY(f0t_alloc_zero(&b->votes, 1, sizeof *b->votes));
    f0t_votes *v = b->votes;
    v->images = rows->shape[0];
    v->dim = rows->shape[1];
    v->features = b->features;
    v->tags = b->tags;
    const size_t count = list_votes(fields, v);
    fields[count - 1].cols = relevant->shape[0];
    F0T_TRY(read_fields(file, fields, count));
    F0T_TRY(read_field(file, &(field){"votes.rows", &v->rows, F0T_U8, v->images, v->dim}));
    if (!images_are_sound(v))
        return refuse(file, "votes.scales");
    return tags_are_sound(v, relevant->count) ? F0T_OK : refuse(file, "votes.offsets");
}

/* Images of the votes, whose metric they are in. */
static f0t_status read_landmarks(f0t_blend *b, const f0t_safetensors *file)
{
    const f0t_tensor *t = f0t_safetensors_find(file, "ridge.landmarks");
    if (!t)
        return F0T_OK;
    if (!b->votes || t->dtype != F0T_I32 || t->dims != 1 || !t->count ||
        t->count > F0T_LANDMARKS_MOST)
        return refuse(file, "ridge.landmarks");
    const uint32_t *images = t->data;
    for (size_t i = 0; i < t->count; i++)
        if (images[i] >= b->votes->images)
            return refuse(file, "ridge.landmarks");
    b->ridge->features = t->count;
    return f0t_landmarks_place(&b->ridge->landmarks, b->votes, images, t->count);
}

static f0t_status read_ridge(f0t_blend *b, const f0t_safetensors *file)
{
    const f0t_tensor *map = f0t_safetensors_find(file, "ridge.map");
    field fields[FIELDS];
    if (!f0t_safetensors_find(file, "ridge.weights"))
        return F0T_OK;
    F0T_TRY(f0t_alloc_zero(&b->ridge, 1, sizeof *b->ridge));
    b->ridge->features = b->features;
    b->ridge->tags = b->tags;
    F0T_TRY(read_landmarks(b, file));
    if (map && (map->dims != 2 || !map->shape[0] || map->shape[0] > b->ridge->features))
        return refuse(file, "ridge.map");
    b->ridge->rank = map ? map->shape[0] : 0;
    const size_t count = list_ridge(fields, b->ridge); /* the landmarks are there */
    return read_fields(file, fields, b->ridge->landmarks ? count - 1 : count);
}

static f0t_status read_classes(f0t_blend *b, const f0t_safetensors *file)
{
    const f0t_tensor *weights = f0t_safetensors_find(file, "classes.weights");
    field fields[FIELDS];
    if (!weights)
        return F0T_OK;
    if (weights->dims != 2 || !weights->shape[0])
        return refuse(file, "classes.weights");
    b->classes.count = weights->shape[0];
    return read_fields(file, fields, list_classes(fields, b));
}

static f0t_status read_own(f0t_blend *b, const f0t_safetensors *file)
{
    const f0t_tensor *first = f0t_safetensors_find(file, "tags.layer0.weight"), *tensor;
    if (!first)
        return F0T_OK;
    if (first->dims != 2)
        return refuse(file, "tags.layer0.weight");
    /* before room is made for a net of this shape */
    F0T_TRY(get(&tensor, file,
                &(field){"tags.layer0.weight", NULL, F0T_F32, first->shape[0], b->features}));
    F0T_TRY(get(&tensor, file,
                &(field){"tags.layer1.weight", NULL, F0T_F32, b->tags, first->shape[0]}));
    const f0t_net_shape shape = {.inputs = b->features,
                                 .hidden_count = 1,
                                 .hidden = {first->shape[0]},
                                 .outputs = b->tags,
                                 .bias = true};
    F0T_TRY(f0t_net_shape_check(&shape));
    F0T_TRY(f0t_net_create(&b->own, &f0t_compute_cpu, &shape, f0t_net_get_precision(b->net)));
    for (size_t i = 0; i < f0t_net_array_count(b->own); i++) {
        f0t_model_array array = f0t_net_array(b->own, i);
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "tags.%s", array.name);
        F0T_TRY(get(&tensor, file, &(field){name, NULL, F0T_F32, array.rows, array.cols}));
        F0T_TRY(f0t_net_array_set(b->own, i, tensor->data));
    }
    return F0T_OK;
}

static f0t_status read_risks(f0t_blend *b, const f0t_safetensors *file)
{
    field fields[2];
    f0t_risk_curve *risks[2] = {NULL, NULL};
    f0t_status status = read_fields(file, fields, list_risks(fields, risks));
    if (status == F0T_OK &&
        !(f0t_risk_curve_is_valid(risks[0]) && f0t_risk_curve_is_valid(risks[1])))
        status = refuse(file, "blend.risk");
    if (status == F0T_OK) {
        b->risk = *risks[0];
        b->word_risk = *risks[1];
    }
    f0t_free(risks[0]);
    f0t_free(risks[1]);
    return status;
}

/* Frequencies have a logarithm, votes fewer than all images and nearer ones more. An expert that has a weight must
 * be there. */
static f0t_status check(const f0t_blend *b, const f0t_safetensors *file)
{
    for (size_t t = 0; t < b->tags; t++)
        if (!(b->frequency[t] >= 0 && b->frequency[t] <= 1))
            return refuse(file, "blend.frequency");
    if (b->votes && (!b->votes->k || !(b->votes->sharpness >= 0)))
        return refuse(file, "blend.numbers");
    const bool there[F0T_LEARNED_EXPERTS] = {[F0T_EXPERT_DIRECTION] = true,
                                             [F0T_EXPERT_TAGS] = b->own != NULL,
                                             [F0T_EXPERT_VOTES] = b->votes != NULL,
                                             [F0T_EXPERT_RIDGE] = b->ridge != NULL,
                                             [F0T_EXPERT_FREQUENCY] = true};
    for (size_t e = 0; e < F0T_LEARNED_EXPERTS; e++)
        if (b->weights[e] > 0 && !there[e])
            return refuse(file, f0t_expert_name((f0t_expert)e));
    if ((b->word_weights[F0T_WORD_VOTES] > 0 && !there[F0T_EXPERT_VOTES]) ||
        (b->word_weights[F0T_WORD_TAGS] > 0 && !there[F0T_EXPERT_TAGS]) ||
        (b->word_weights[F0T_WORD_CLASSES] > 0 && !b->classes.count) ||
        (b->word_weights[F0T_WORD_LIKELY] > 0 && !(f0t_blend_likely_share(b) > 0)))
        return refuse(file, "blend.numbers");
    return F0T_OK;
}

f0t_status f0t_blend_load_numbers(f0t_blend *b, const f0t_safetensors *file)
{
    const f0t_tensor *tensor = f0t_safetensors_find(file, "blend.numbers");
    float numbers[NUMBERS] = {0};
    const size_t count = tensor && tensor->count == FIRST_NUMBERS ? FIRST_NUMBERS : NUMBERS;
    F0T_TRY(get(&tensor, file, &(field){"blend.numbers", NULL, F0T_F32, 0, count}));
    memcpy(numbers, tensor->data, count * sizeof *numbers);
    pass_numbers(numbers, b, false);
    return F0T_OK;
}

f0t_status f0t_blend_load(f0t_blend *b, const f0t_safetensors *file)
{
    field fields[FIELDS];
    b->space.dim = b->dim;
    F0T_TRY(read_fields(file, fields, list_words(fields, b)));
    F0T_TRY(read_risks(b, file));
    F0T_TRY(read_votes(b, file));
    F0T_TRY(read_ridge(b, file));
    F0T_TRY(read_classes(b, file));
    F0T_TRY(read_own(b, file));
    F0T_TRY(f0t_blend_load_numbers(b, file));
    return check(b, file);
}
