#include "model/checkpoint.h"

#include "base/alloc.h"
#include "io/safetensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_ROOM = 1 << 16, NAME_SIZE = 128, PREFIX_SIZE = 32 };
static const char FORMAT[] = "fast0tag-checkpoint-1";

static bool is_first(void)
{
    return f0t_group_current()->rank == 0;
}

/* ---- Writing ------------------------------------------------------------------------------- */

static f0t_status write_array(f0t_safetensors_writer *w, const char *name, const float *numbers,
                              f0t_model_array array)
{
    const size_t shape[] = {array.rows, array.cols},
                 bytes = array.rows * array.cols * sizeof *numbers;
    F0T_TRY(f0t_safetensors_write(w, numbers, bytes));
    return f0t_safetensors_end_tensor(w, name, F0T_F32, 2, shape);
}

/* One array of a net, or of the step (net NULL). */
static f0t_status save_array(f0t_safetensors_writer *w, const char *prefix, const f0t_step *step,
                             const f0t_net *net, size_t i)
{
    char name[NAME_SIZE];
    float *numbers;
    f0t_model_array array = net ? f0t_net_array(net, i) : f0t_step_array(step, i);
    snprintf(name, sizeof name, "%s.%s", prefix, array.name);
    F0T_TRY(f0t_alloc(&numbers, array.rows * array.cols, sizeof *numbers));
    f0t_status status =
        net ? f0t_net_array_get(numbers, net, i) : f0t_step_array_get(numbers, step, i);
    if (status == F0T_OK)
        status = write_array(w, name, numbers, array);
    f0t_free(numbers);
    return status;
}

/* Numbers as C writes them in hexadecimal: they come back bit for bit. */
static f0t_status set_number(f0t_safetensors_writer *w, const char *key, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%a", value);
    return f0t_safetensors_set_metadata(w, key, text);
}

static f0t_status write_place(f0t_safetensors_writer *w, const f0t_train_place *p, uint64_t steps)
{
    F0T_TRY(set_number(w, "epoch", (double)p->epoch));
    F0T_TRY(set_number(w, "batch", (double)p->batch));
    F0T_TRY(set_number(w, "loss", p->loss));
    F0T_TRY(set_number(w, "best", p->best));
    F0T_TRY(set_number(w, "best_epoch", (double)p->best_epoch));
    F0T_TRY(set_number(w, "seconds", p->seconds));
    return set_number(w, "steps", (double)steps);
}

static f0t_status write_net(f0t_safetensors_writer *w, const char *prefix, const f0t_net *net)
{
    for (size_t i = 0; i < f0t_net_array_count(net); i++)
        F0T_TRY(save_array(w, prefix, NULL, net, i));
    return F0T_OK;
}

static f0t_status write_done(f0t_safetensors_writer *w, const f0t_net_list *done)
{
    char prefix[PREFIX_SIZE];
    F0T_TRY(set_number(w, "done", done ? (double)done->count : 0));
    for (size_t i = 0; done && i < done->count; i++) {
        snprintf(prefix, sizeof prefix, "done%zu", i);
        F0T_TRY(write_net(w, prefix, done->nets[i]));
    }
    return F0T_OK;
}

static f0t_status write_current(f0t_safetensors_writer *w, const f0t_train_place *place,
                                const f0t_step *step, const f0t_net *best)
{
    F0T_TRY(write_place(w, place, f0t_step_count(step)));
    for (size_t i = 0; i < f0t_step_array_count(step); i++)
        F0T_TRY(save_array(w, "step", step, NULL, i));
    return write_net(w, "best", best);
}

static f0t_status write_all(f0t_safetensors_writer *w, const char *identity,
                            const f0t_net_list *done, const f0t_train_place *place,
                            const f0t_step *step, const f0t_net *best)
{
    F0T_TRY(f0t_safetensors_set_metadata(w, "format", FORMAT));
    F0T_TRY(f0t_safetensors_set_metadata(w, "identity", identity));
    F0T_TRY(write_done(w, done));
    return step ? write_current(w, place, step, best) : F0T_OK;
}

f0t_status f0t_checkpoint_save(const char *path, const char *identity, const f0t_net_list *done,
                               const f0t_train_place *place, const f0t_step *step,
                               const f0t_net *best)
{
    f0t_safetensors_writer *w;
    if (!is_first())
        return F0T_OK;
    F0T_TRY(f0t_safetensors_create(&w, path, HEADER_ROOM));
    f0t_safetensors_sign(w);
    f0t_status status = write_all(w, identity, done, place, step, best);
    if (status == F0T_OK)
        return f0t_safetensors_commit(w);
    f0t_safetensors_abort(w);
    return status;
}

/* ---- Reading ------------------------------------------------------------------------------- */

static f0t_status get_number(double *out, const f0t_safetensors *file, const char *key)
{
    const char *text = f0t_safetensors_metadata(file, key);
    char *end = NULL;
    *out = text ? strtod(text, &end) : 0;
    if (!text || end == text || *end)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: the metadata has no number '%s'",
                        f0t_safetensors_path(file), key);
    return F0T_OK;
}

static f0t_status get_count(size_t *out, const f0t_safetensors *file, const char *key)
{
    double value;
    F0T_TRY(get_number(&value, file, key));
    if (!(value >= 0 && value < 9007199254740992.0) || value != (double)(size_t)value)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: '%s' of the metadata is no count",
                        f0t_safetensors_path(file), key);
    *out = (size_t)value;
    return F0T_OK;
}

static f0t_status find_array(const float **out, const f0t_safetensors *file, const char *prefix,
                             f0t_model_array array)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s.%s", prefix, array.name);
    const f0t_tensor *tensor = f0t_safetensors_find(file, name);
    if (!tensor || tensor->dtype != F0T_F32 || tensor->dims != 2 ||
        tensor->shape[0] != array.rows || tensor->shape[1] != array.cols)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: '%s' is missing or not %zu x %zu float32",
                        f0t_safetensors_path(file), name, array.rows, array.cols);
    *out = tensor->data;
    return F0T_OK;
}

/* MiAP is in percent, and NaN where there is none. */
static bool is_possible(const f0t_train_place *p)
{
    return isfinite(p->loss) && p->seconds >= 0 && isfinite(p->seconds) &&
           (isnan(p->best) || (p->best >= 0 && p->best <= 100)) && p->best_epoch <= p->epoch;
}

static f0t_status read_place(const f0t_safetensors *file, f0t_train_place *place, size_t *steps)
{
    F0T_TRY(get_count(&place->epoch, file, "epoch"));
    F0T_TRY(get_count(&place->batch, file, "batch"));
    F0T_TRY(get_number(&place->loss, file, "loss"));
    F0T_TRY(get_number(&place->best, file, "best"));
    F0T_TRY(get_count(&place->best_epoch, file, "best_epoch"));
    F0T_TRY(get_number(&place->seconds, file, "seconds"));
    F0T_TRY(get_count(steps, file, "steps"));
    return is_possible(place) ? F0T_OK
                              : f0t_fail(F0T_ERROR_FORMAT, "%s: no training comes to that place",
                                         f0t_safetensors_path(file));
}

static bool is_checkpoint(const f0t_safetensors *file)
{
    const char *format = f0t_safetensors_metadata(file, "format");
    return format && !strncmp(format, FORMAT, sizeof FORMAT - 2); /* of any version */
}

static f0t_status check_kind(const char *path)
{
    f0t_safetensors *file = NULL;
    if (!f0t_path_exists(path))
        return F0T_OK;
    f0t_status status = f0t_safetensors_open(&file, path);
    if (status == F0T_ERROR_FORMAT || (status == F0T_OK && !is_checkpoint(file)))
        status = f0t_fail(F0T_ERROR_FORMAT,
                          "%s: is no checkpoint, and in the way of one; move it away, or name "
                          "another output",
                          path);
    f0t_safetensors_close(file);
    return status;
}

f0t_status f0t_checkpoint_claim(f0t_lock *lock, const char *path)
{
    if (!is_first())
        return F0T_OK;
    F0T_TRY(f0t_lock_take(lock, path));
    f0t_status status = check_kind(path);
    if (status != F0T_OK)
        f0t_lock_release(lock);
    return status;
}

/* Also that nothing was altered: weights that were would be trained on without a word. */
static f0t_status check_file(const f0t_safetensors *file, const char *identity)
{
    const char *format = f0t_safetensors_metadata(file, "format");
    const char *stored = f0t_safetensors_metadata(file, "identity");
    if (!format || strcmp(format, FORMAT) != 0 || !stored)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: is no checkpoint of this version",
                        f0t_safetensors_path(file));
    if (strcmp(stored, identity) != 0)
        return f0t_fail(F0T_ERROR_MISMATCH,
                        "%s: is the checkpoint of another training (other data or options); remove "
                        "it to start anew",
                        f0t_safetensors_path(file));
    return f0t_safetensors_check(file);
}

static f0t_status read_net(f0t_net *net, const f0t_safetensors *file, const char *prefix)
{
    const float *numbers = NULL;
    for (size_t i = 0; i < f0t_net_array_count(net); i++) {
        F0T_TRY(find_array(&numbers, file, prefix, f0t_net_array(net, i)));
        F0T_TRY(f0t_net_array_set(net, i, numbers));
    }
    return F0T_OK;
}

/* A file of one net alone need not say that none is done. */
static f0t_status count_done(size_t *out, const f0t_safetensors *file)
{
    *out = 0;
    return f0t_safetensors_metadata(file, "done") ? get_count(out, file, "done") : F0T_OK;
}

static f0t_status read_all(const f0t_safetensors *file, const char *identity,
                           f0t_train_place *place, f0t_step *step, f0t_net *best,
                           const f0t_net_list *done)
{
    size_t steps, count;
    const float *numbers = NULL;
    F0T_TRY(check_file(file, identity));
    F0T_TRY(count_done(&count, file));
    if (count != (done ? done->count : 0) || !f0t_safetensors_metadata(file, "epoch"))
        return F0T_OK;
    F0T_TRY(read_place(file, place, &steps));
    for (size_t i = 0; i < f0t_step_array_count(step); i++) {
        F0T_TRY(find_array(&numbers, file, "step", f0t_step_array(step, i)));
        F0T_TRY(f0t_step_array_set(step, i, numbers));
    }
    F0T_TRY(read_net(best, file, "best"));
    f0t_step_set_count(step, steps);
    return F0T_OK;
}

static f0t_status load(f0t_train_place *place, f0t_step *step, f0t_net *best, const char *path,
                       const char *identity, const f0t_net_list *done)
{
    f0t_safetensors *file;
    if (!f0t_path_exists(path))
        return F0T_OK;
    F0T_TRY(f0t_safetensors_open(&file, path));
    f0t_status status = read_all(file, identity, place, step, best, done);
    if (status == F0T_OK)
        status = f0t_safetensors_whole(file);
    f0t_safetensors_close(file);
    return status;
}

f0t_status f0t_checkpoint_load(f0t_train_place *place, f0t_step *step, f0t_net *best,
                               const char *path, const char *identity, const f0t_net_list *done)
{
    const f0t_group *group = f0t_group_current();
    if (is_first())
        F0T_TRY(load(place, step, best, path, identity, done));
    F0T_TRY(f0t_group_broadcast(group, place, sizeof *place));
    F0T_TRY(f0t_net_broadcast(best, group));
    return f0t_step_broadcast(step, group);
}

static f0t_status read_done(f0t_net *net, bool *found, const f0t_safetensors *file,
                            const char *identity, size_t number)
{
    char prefix[PREFIX_SIZE];
    size_t count;
    F0T_TRY(check_file(file, identity));
    F0T_TRY(count_done(&count, file));
    if (number >= count)
        return F0T_OK;
    snprintf(prefix, sizeof prefix, "done%zu", number);
    *found = true;
    return read_net(net, file, prefix);
}

static f0t_status load_done(f0t_net *net, bool *found, const char *path, const char *identity,
                            size_t number)
{
    f0t_safetensors *file;
    if (!f0t_path_exists(path))
        return F0T_OK;
    F0T_TRY(f0t_safetensors_open(&file, path));
    f0t_status status = read_done(net, found, file, identity, number);
    if (status == F0T_OK)
        status = f0t_safetensors_whole(file);
    f0t_safetensors_close(file);
    return status;
}

f0t_status f0t_checkpoint_load_done(f0t_net *net, bool *found, const char *path,
                                    const char *identity, size_t number)
{
    const f0t_group *group = f0t_group_current();
    *found = false;
    if (is_first())
        F0T_TRY(load_done(net, found, path, identity, number));
    F0T_TRY(f0t_group_broadcast(group, found, sizeof *found));
    return *found ? f0t_net_broadcast(net, group) : F0T_OK;
}
