/*
 * The model file: safetensors that Python's library opens too.
 *
 *     condition.shift, condition.scale   F32 [D]
 *     layer0.weight [out, in], layer0.bias [1, out], …   F32
 *     vocab.vectors   F32 [T, d];   vocab.tags   U8, a newline after each tag
 *     vocab.paths     U8, lines: tags in their hierarchy, "People|woman"; not in every model
 *     vocab.aliases   U8, lines: what else a tag is called, a tab, the tag: "dogs", "dog"; not in every model
 *
 * and in the metadata: format, version, method, precision, sizes, training (JSON), backbone (JSON),
 * centred, vector_space, and a checksum of all tensors' bytes.
 */
#include "base/alloc.h"
#include "base/monitor.h"
#include "base/size.h"
#include "io/safetensors.h"
#include "io/text.h"
#include "math/elementwise.h"
#include "model/blend_file.h"
#include "model/model.h"
#include "word/form.h"
#include "word/vocab.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 64 };
static const char FORMAT[] = "fast0tag-model";
static const char VERSION[] = "1";

/* What a model may hold, both when it is saved and when it is loaded: a number that is none makes every
 * score none, and a tag goes into lines and onto terminals. */
static f0t_status check_floats(const char *name, const float *numbers, size_t count)
{
    if (f0t_finite_f32(numbers, count))
        return F0T_OK;
    return f0t_fail(F0T_ERROR_NUMERIC, "'%s' of the model holds NaN or infinity", name);
}

static f0t_status check_tag(const char *tag, size_t i)
{
    const size_t length = strlen(tag);
    const char *fault = !length                     ? "it is empty"
                        : memchr(tag, '\t', length) ? "a control character"
                                                    : f0t_text_fault(tag, length);
    return fault ? f0t_fail(F0T_ERROR_FORMAT, "tag %zu of the model: %s", i + 1, fault) : F0T_OK;
}

/* ---- Writing ------------------------------------------------------------------------------- */

static f0t_status write_floats(f0t_safetensors_writer *w, const char *name, const float *numbers,
                               size_t dims, size_t rows, size_t cols)
{
    const size_t shape[] = {rows, cols};
    F0T_TRY(check_floats(name, numbers, rows * cols));
    F0T_TRY(f0t_safetensors_write(w, numbers, rows * cols * sizeof *numbers));
    return f0t_safetensors_end_tensor(w, name, F0T_F32, dims, dims == 1 ? shape + 1 : shape);
}

static f0t_status write_net(f0t_safetensors_writer *w, const f0t_net *net)
{
    for (size_t i = 0; i < f0t_net_array_count(net); i++) {
        f0t_model_array array = f0t_net_array(net, i);
        float *numbers;
        F0T_TRY(f0t_alloc(&numbers, array.rows * array.cols, sizeof *numbers));
        f0t_status status = f0t_net_array_get(numbers, net, i);
        if (status == F0T_OK)
            status = write_floats(w, array.name, numbers, 2, array.rows, array.cols);
        f0t_free(numbers);
        F0T_TRY(status);
    }
    return F0T_OK;
}

static f0t_status write_tags(f0t_safetensors_writer *w, const f0t_vocab *vocab)
{
    size_t bytes = 0;
    for (size_t i = 0; i < f0t_vocab_count(vocab); i++) {
        const char *tag = f0t_vocab_tag(vocab, i);
        F0T_TRY(check_tag(tag, i));
        F0T_TRY(f0t_safetensors_write(w, tag, strlen(tag)));
        F0T_TRY(f0t_safetensors_write(w, "\n", 1));
        bytes += strlen(tag) + 1;
    }
    return f0t_safetensors_end_tensor(w, "vocab.tags", F0T_U8, 1, &bytes);
}

static f0t_status write_paths(f0t_safetensors_writer *w, const f0t_texts *paths)
{
    size_t bytes = 0;
    if (!paths->count)
        return F0T_OK;
    for (size_t i = 0; i < paths->count; i++) {
        F0T_TRY(f0t_safetensors_write(w, f0t_texts_get(paths, i), f0t_texts_length(paths, i)));
        F0T_TRY(f0t_safetensors_write(w, "\n", 1));
        bytes += f0t_texts_length(paths, i) + 1;
    }
    return f0t_safetensors_end_tensor(w, "vocab.paths", F0T_U8, 1, &bytes);
}

static f0t_status write_line(f0t_safetensors_writer *w, const char *left, const char *right)
{
    F0T_TRY(f0t_safetensors_write(w, left, strlen(left)));
    F0T_TRY(f0t_safetensors_write(w, "\t", 1));
    F0T_TRY(f0t_safetensors_write(w, right, strlen(right)));
    return f0t_safetensors_write(w, "\n", 1);
}

static f0t_status write_aliases(f0t_safetensors_writer *w, const f0t_aliases *aliases)
{
    size_t bytes = 0;
    if (!aliases->tags.count)
        return F0T_OK;
    for (size_t i = 0; i < aliases->tags.count; i++) {
        const char *form = f0t_names_get(&aliases->forms, i);
        F0T_TRY(write_line(w, form, f0t_texts_get(&aliases->tags, i)));
        bytes += strlen(form) + f0t_texts_length(&aliases->tags, i) + 2;
    }
    return f0t_safetensors_end_tensor(w, "vocab.aliases", F0T_U8, 1, &bytes);
}

static f0t_status set_hex(f0t_safetensors_writer *w, const char *key, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    return f0t_safetensors_set_metadata(w, key, text);
}

static f0t_status write_metadata(f0t_safetensors_writer *w, const f0t_model *m)
{
    const char *precision = f0t_net_get_precision(m->net) == F0T_BF16 ? "bf16" : "f32";
    F0T_TRY(f0t_safetensors_set_metadata(w, "format", FORMAT));
    F0T_TRY(f0t_safetensors_set_metadata(w, "version", VERSION));
    F0T_TRY(f0t_safetensors_set_metadata(w, "method", f0t_method_name(m->method)));
    F0T_TRY(f0t_safetensors_set_metadata(w, "precision", precision));
    F0T_TRY(f0t_safetensors_set_metadata(w, "training", m->training));
    F0T_TRY(f0t_safetensors_set_metadata(w, "centred", f0t_vocab_centred(m->vocab) ? "yes" : "no"));
    if (m->backbone)
        F0T_TRY(f0t_safetensors_set_metadata(w, "backbone", m->backbone));
    return set_hex(w, "vector_space", f0t_vocab_fingerprint(m->vocab));
}

static f0t_status write_all(f0t_safetensors_writer *w, const f0t_model *m)
{
    size_t D = m->condition.dim;
    F0T_TRY(write_metadata(w, m));
    if (m->blend)
        F0T_TRY(f0t_blend_save_wide(w, m->blend));
    F0T_TRY(write_floats(w, "condition.shift", m->condition.shift, 1, 1, D));
    F0T_TRY(write_floats(w, "condition.scale", m->condition.scale, 1, 1, D));
    F0T_TRY(write_net(w, m->net));
    if (m->blend)
        F0T_TRY(f0t_blend_save(w, m->blend));
    F0T_TRY(write_floats(w, "vocab.vectors", f0t_vocab_vectors(m->vocab), 2,
                         f0t_vocab_count(m->vocab), f0t_vocab_dim(m->vocab)));
    if (m->blend)
        F0T_TRY(f0t_blend_save_half(w, m->blend));
    F0T_TRY(write_tags(w, m->vocab));
    F0T_TRY(write_paths(w, &m->paths.paths));
    F0T_TRY(write_aliases(w, &m->aliases));
    if (m->blend)
        F0T_TRY(f0t_blend_save_bytes(w, m->blend));
    return F0T_OK;
}

/* Of the header: some tensors and numbers, and the texts, whose quotes are escaped. */
static size_t header_room(const f0t_model *m)
{
    return 8192 + 2 * strlen(m->training) + (m->backbone ? 2 * strlen(m->backbone) : 0);
}

f0t_status f0t_model_save(const f0t_model *model, const char *path)
{
    F0T_REQUIRE(model);
    F0T_REQUIRE(path);
    f0t_safetensors_writer *w;
    F0T_TRY(f0t_safetensors_create(&w, path, header_room(model)));
    f0t_safetensors_sign(w);
    f0t_status status = write_all(w, model);
    if (status == F0T_OK)
        return f0t_safetensors_commit(w);
    f0t_safetensors_abort(w);
    return status;
}

/* ---- Reading ------------------------------------------------------------------------------- */

static f0t_status refuse(const f0t_safetensors *file, const char *what)
{
    return f0t_fail(F0T_ERROR_FORMAT, "%s: %s", f0t_safetensors_path(file), what);
}

static f0t_status get_text(const char **out, const f0t_safetensors *file, const char *key)
{
    *out = f0t_safetensors_metadata(file, key);
    if (!*out)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: the metadata has no '%s'",
                        f0t_safetensors_path(file), key);
    return F0T_OK;
}

static f0t_status get_hex(uint64_t *out, const f0t_safetensors *file, const char *key)
{
    const char *text;
    char *end;
    F0T_TRY(get_text(&text, file, key));
    *out = strtoull(text, &end, 16);
    return strlen(text) == 16 && !*end ? F0T_OK
                                       : refuse(file, "a number of the metadata is damaged");
}

/* A float tensor of this many dimensions. */
static f0t_status get_floats(const f0t_tensor **out, const f0t_safetensors *file, const char *name,
                             size_t dims)
{
    *out = f0t_safetensors_find(file, name);
    if (!*out || (*out)->dtype != F0T_F32 || (*out)->dims != dims)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: the tensor '%s' is missing or not float32 [%zu-D]",
                        f0t_safetensors_path(file), name, dims);
    f0t_status status = check_floats(name, (*out)->data, (*out)->count);
    return status == F0T_OK ? status : f0t_fail_prefix(status, "%s: ", f0t_safetensors_path(file));
}

static f0t_status check_format(const f0t_safetensors *file)
{
    const char *format = f0t_safetensors_metadata(file, "format"), *version;
    if (!format || strcmp(format, FORMAT) != 0)
        return refuse(file, "is no fast0tag model");
    F0T_TRY(get_text(&version, file, "version"));
    if (strcmp(version, VERSION) != 0)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "%s: is a model of version %s; this program reads version %s",
                        f0t_safetensors_path(file), version, VERSION);
    return F0T_OK;
}

/* Every model has one, other than vocabularies. */
static f0t_status check_sum(const f0t_safetensors *file)
{
    uint64_t stored;
    F0T_TRY(get_hex(&stored, file, "checksum"));
    return f0t_safetensors_check(file);
}

static f0t_status read_condition(f0t_model *m, const f0t_safetensors *file)
{
    const f0t_tensor *shift, *scale;
    F0T_TRY(get_floats(&shift, file, "condition.shift", 1));
    F0T_TRY(get_floats(&scale, file, "condition.scale", 1));
    if (shift->count == 0 || shift->count != scale->count)
        return refuse(file, "the tensors 'condition.*' differ in length");
    m->condition.dim = shift->count;
    F0T_TRY(f0t_alloc(&m->condition.shift, shift->count, sizeof(float)));
    F0T_TRY(f0t_alloc(&m->condition.scale, shift->count, sizeof(float)));
    memcpy(m->condition.shift, shift->data, shift->count * sizeof(float));
    memcpy(m->condition.scale, scale->data, scale->count * sizeof(float));
    return F0T_OK;
}

static f0t_status check_sides(const f0t_tensor *tensor, size_t rows, size_t cols,
                              const f0t_safetensors *file)
{
    if (tensor->shape[0] == rows && tensor->shape[1] == cols)
        return F0T_OK;
    return f0t_fail(F0T_ERROR_FORMAT, "%s: '%s' is %zu x %zu, %zu x %zu would fit",
                    f0t_safetensors_path(file), tensor->name, tensor->shape[0], tensor->shape[1],
                    rows, cols);
}

/* The shape follows from the weights: layer0.weight, layer1.weight, … Each takes what the one before it gives: before room
 * is made for a net of this shape, the file has all of its weights. */
static f0t_status read_shape(f0t_net_shape *shape, const f0t_model *m, const f0t_safetensors *file)
{
    char name[NAME_SIZE];
    const f0t_tensor *weight;
    *shape = (f0t_net_shape){.inputs = m->condition.dim,
                             .bias = f0t_safetensors_find(file, "layer0.bias") != NULL};
    for (size_t layer = 0;; layer++) {
        snprintf(name, sizeof name, "layer%zu.weight", layer);
        if (layer && !f0t_safetensors_find(file, name))
            break;
        F0T_TRY(get_floats(&weight, file, name, 2));
        if (layer > F0T_NET_HIDDEN_MAX)
            return refuse(file, "has too many layers");
        F0T_TRY(
            check_sides(weight, weight->shape[0], layer ? shape->outputs : shape->inputs, file));
        if (layer)
            shape->hidden[layer - 1] = shape->outputs;
        shape->hidden_count = layer;
        shape->outputs = weight->shape[0];
    }
    return f0t_net_shape_check(shape);
}

static f0t_status read_net(f0t_model *m, const f0t_safetensors *file)
{
    f0t_net_shape shape;
    const char *precision;
    F0T_TRY(get_text(&precision, file, "precision"));
    F0T_TRY(read_shape(&shape, m, file));
    F0T_TRY(f0t_net_create(&m->net, &f0t_compute_cpu, &shape,
                           !strcmp(precision, "bf16") ? F0T_BF16 : F0T_F32));
    for (size_t i = 0; i < f0t_net_array_count(m->net); i++) {
        f0t_model_array array = f0t_net_array(m->net, i);
        const f0t_tensor *tensor;
        F0T_TRY(get_floats(&tensor, file, array.name, 2));
        F0T_TRY(check_sides(tensor, array.rows, array.cols, file));
        F0T_TRY(f0t_net_array_set(m->net, i, tensor->data));
    }
    return F0T_OK;
}

/* The tags as texts: newlines become ends. */
static f0t_status split_tags(const char **tags, size_t count, char *text, size_t size)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        char *end = memchr(text + at, '\n', size - at);
        if (!end || memchr(text + at, '\0', (size_t)(end - text) - at))
            return f0t_fail(F0T_ERROR_FORMAT, "'vocab.tags' ends after %zu of %zu tags", i, count);
        *end = '\0';
        tags[i] = text + at;
        F0T_TRY(check_tag(tags[i], i));
        at = (size_t)(end - text) + 1;
    }
    if (at != size)
        return f0t_fail(F0T_ERROR_FORMAT, "'vocab.tags' has more than %zu tags", count);
    return F0T_OK;
}

static f0t_status restore_vocab(f0t_model *m, const f0t_tensor *vectors, char *text, size_t size,
                                const f0t_safetensors *file)
{
    const char **tags, *centred;
    f0t_vocab_parts parts = {
        .count = vectors->shape[0], .vectors = vectors->data, .dim = vectors->shape[1]};
    F0T_TRY(get_text(&centred, file, "centred"));
    F0T_TRY(get_hex(&parts.fingerprint, file, "vector_space"));
    parts.centred = !strcmp(centred, "yes");
    F0T_TRY(f0t_alloc(&tags, parts.count, sizeof *tags));
    parts.tags = tags;
    f0t_status status = split_tags(tags, parts.count, text, size);
    if (status == F0T_OK)
        status = f0t_vocab_restore(&m->vocab, &parts);
    f0t_free(tags);
    return status == F0T_OK ? status : f0t_fail_prefix(status, "%s: ", f0t_safetensors_path(file));
}

static f0t_status read_vocab(f0t_model *m, const f0t_safetensors *file)
{
    const f0t_tensor *vectors, *words = f0t_safetensors_find(file, "vocab.tags");
    char *text;
    F0T_TRY(get_floats(&vectors, file, "vocab.vectors", 2));
    if (!words || words->dtype != F0T_U8 || words->dims != 1)
        return refuse(file, "the tensor 'vocab.tags' is missing or not uint8");
    if (vectors->shape[1] != f0t_net_get_shape(m->net)->outputs)
        return refuse(file, "'vocab.vectors' and the last layer differ in dimension");
    F0T_TRY(f0t_string_copy(&text, words->data, words->count));
    f0t_status status = restore_vocab(m, vectors, text, words->count, file);
    f0t_free(text);
    return status;
}

static f0t_status read_blend(f0t_model *m, const f0t_safetensors *file)
{
    if (m->method != F0T_METHOD_BLEND)
        return F0T_OK;
    F0T_TRY(f0t_alloc_zero(&m->blend, 1, sizeof *m->blend));
    m->blend->features = m->condition.dim;
    m->blend->tags = f0t_vocab_count(m->vocab);
    m->blend->dim = f0t_vocab_dim(m->vocab);
    m->blend->condition = &m->condition;
    m->blend->net = m->net;
    m->blend->vectors = f0t_vocab_vectors(m->vocab);
    return f0t_blend_load(m->blend, file);
}

static f0t_status read_paths(f0t_model *m, const f0t_safetensors *file)
{
    const f0t_tensor *lines = f0t_safetensors_find(file, "vocab.paths");
    if (!lines)
        return F0T_OK;
    if (lines->dtype != F0T_U8 || lines->dims != 1)
        return refuse(file, "the tensor 'vocab.paths' is not uint8");
    const char *text = lines->data, *end = text + lines->count, *stop;
    for (; text < end; text = stop + 1) {
        stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop)
            return refuse(file, "'vocab.paths' does not end with a line");
        f0t_status status = f0t_paths_add(&m->paths, text, (size_t)(stop - text));
        if (status != F0T_OK)
            return f0t_fail_prefix(status, "%s: ", f0t_safetensors_path(file));
    }
    return F0T_OK;
}

/* What stands before the tab must be a form, so that a text which is looked up can be it, and what stands after it a tag. */
static f0t_status check_alias(const char *form, const char *tag)
{
    f0t_texts forms = {0};
    const char *fault = f0t_text_fault(form, strlen(form));
    if (fault)
        return f0t_fail(F0T_ERROR_FORMAT, "an alias in 'vocab.aliases': %s", fault);
    f0t_status status = f0t_clean_whole(&forms, form, strlen(form));
    if (status == F0T_OK && (forms.count != 1 || strcmp(f0t_texts_get(&forms, 0), form) != 0))
        status = f0t_fail(F0T_ERROR_FORMAT, "'%.100s' in 'vocab.aliases' is not in its simple form",
                          form);
    f0t_texts_free(&forms);
    F0T_TRY(status);
    return check_tag(tag, 0);
}

/* "dogs", a tab, "dog". */
static f0t_status read_alias(f0t_model *m, char *line)
{
    char *tab = strchr(line, '\t');
    bool added;
    if (!tab)
        return f0t_fail(F0T_ERROR_FORMAT, "a line of 'vocab.aliases' has no tab");
    *tab = '\0';
    F0T_TRY(check_alias(line, tab + 1));
    F0T_TRY(f0t_model_add_alias(&added, m, line, tab + 1));
    return added ? F0T_OK
                 : f0t_fail(F0T_ERROR_FORMAT,
                            "'%.100s' in 'vocab.aliases' is a tag already, or '%.100s' is none",
                            line, tab + 1);
}

static f0t_status read_alias_lines(f0t_model *m, char *text, size_t size)
{
    for (char *line = text, *end; line < text + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        if (!end || memchr(line, '\0', (size_t)(end - line)))
            return f0t_fail(F0T_ERROR_FORMAT, "'vocab.aliases' is not made of lines");
        *end = '\0';
        F0T_TRY(read_alias(m, line));
    }
    return F0T_OK;
}

static f0t_status read_aliases(f0t_model *m, const f0t_safetensors *file)
{
    const f0t_tensor *lines = f0t_safetensors_find(file, "vocab.aliases");
    char *text;
    F0T_TRY(f0t_model_know_tags(m, &(f0t_aliases){0}));
    if (!lines)
        return F0T_OK;
    if (lines->dtype != F0T_U8 || lines->dims != 1)
        return refuse(file, "the tensor 'vocab.aliases' is not uint8");
    F0T_TRY(f0t_string_copy(&text, lines->data, lines->count));
    f0t_status status = read_alias_lines(m, text, lines->count);
    f0t_free(text);
    return status == F0T_OK ? status : f0t_fail_prefix(status, "%s: ", f0t_safetensors_path(file));
}

static f0t_status read_texts(f0t_model *m, const f0t_safetensors *file)
{
    const char *method, *training, *backbone = f0t_safetensors_metadata(file, "backbone");
    F0T_TRY(get_text(&method, file, "method"));
    F0T_TRY(get_text(&training, file, "training"));
    if (f0t_method_find(&m->method, method) != F0T_OK)
        return f0t_fail_prefix(F0T_ERROR_UNSUPPORTED, "%s: ", f0t_safetensors_path(file));
    F0T_TRY(f0t_string_copy(&m->training, training, strlen(training)));
    return backbone ? f0t_string_copy(&m->backbone, backbone, strlen(backbone)) : F0T_OK;
}

static f0t_status read_all(f0t_model *m, const f0t_safetensors *file)
{
    F0T_TRY(check_format(file));
    F0T_TRY(check_sum(file));
    if (f0t_monitor_stopped(f0t_context_monitor(NULL)))
        return f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted while reading %s",
                        f0t_safetensors_path(file));
    F0T_TRY(read_texts(m, file));
    F0T_TRY(read_condition(m, file));
    F0T_TRY(read_net(m, file));
    F0T_TRY(read_vocab(m, file));
    F0T_TRY(read_blend(m, file));
    F0T_TRY(read_paths(m, file));
    return read_aliases(m, file);
}

/* Takes the file, also where opening it failed. */
static f0t_status load(f0t_model **out, f0t_safetensors *file, f0t_status status)
{
    f0t_model *m = NULL;
    if (status == F0T_OK)
        status = f0t_alloc_zero(&m, 1, sizeof *m);
    if (status == F0T_OK)
        status = read_all(m, file);
    if (status == F0T_OK)
        status = f0t_safetensors_whole(file);
    f0t_safetensors_close(file);
    if (status != F0T_OK)
        f0t_model_free(m);
    else
        *out = m;
    return status;
}

f0t_status f0t_model_load(f0t_model **out, const char *path, const f0t_context *context)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(path);
    F0T_ENTER(context);
    f0t_safetensors *file = NULL;
    f0t_status status = f0t_safetensors_open(&file, path);
    return load(out, file, status);
}

f0t_status f0t_model_load_memory(f0t_model **out, const void *data, size_t size, const char *name,
                                 const f0t_context *context)
{
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(data || !size);
    F0T_REQUIRE(name);
    F0T_ENTER(context);
    f0t_safetensors *file = NULL;
    f0t_status status = f0t_safetensors_open_memory(&file, data, size, name);
    return load(out, file, status);
}
