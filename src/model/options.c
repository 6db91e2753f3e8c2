#include "model/options.h"

#include "base/alloc.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names --------------------------------------------------------------------------------- */

static const char *const METHODS[] = {"net", "linear", "linear-rank"};
static const char *const CONDITIONS[] = {"auto", "unit", "scale", "standard"};

const char *f0t_method_name(f0t_method method)
{
    return (size_t)method < sizeof METHODS / sizeof *METHODS ? METHODS[method] : NULL;
}

f0t_status f0t_method_find(f0t_method *out, const char *name)
{
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++)
        if (!strcmp(METHODS[i], name)) {
            *out = (f0t_method)i;
            return F0T_OK;
        }
    return f0t_fail(F0T_ERROR_NOT_FOUND,
                    "there is no method '%s'; there are net, linear and "
                    "linear-rank",
                    name);
}

/* ---- Defaults ------------------------------------------------------------------------------ */

void f0t_train_options_init(f0t_train_options *options)
{
    *options = (f0t_train_options){.hidden_count = F0T_HIDDEN_AUTO,
                                   .decay = -1,
                                   .input_dropout = -1,
                                   .hidden_dropout = -1,
                                   .hinge = F0T_HINGE_SQUARED};
}

/* The paper's mini-batch of 1000, but at least 24 an epoch: a small collection has too few steps
 * otherwise. About 1500 steps serve small and large ones. */
enum { BATCH = 1000, LEAST_BATCHES = 24, STEPS = 1500, LEAST_EPOCHS = 10, MOST_EPOCHS = 200 };

static void resolve_length(f0t_train_options *o, size_t images)
{
    if (!o->batch)
        o->batch = images / LEAST_BATCHES < BATCH ? images / LEAST_BATCHES : BATCH;
    if (o->batch == 0 || o->batch > images)
        o->batch = images < LEAST_BATCHES ? 1 : images;
    size_t batches = (images + o->batch - 1) / o->batch;
    if (!o->epochs) {
        o->epochs = (STEPS + batches - 1) / batches;
        o->epochs = o->epochs < LEAST_EPOCHS ? LEAST_EPOCHS : o->epochs;
        o->epochs = o->epochs > MOST_EPOCHS ? MOST_EPOCHS : o->epochs;
    }
    if (!o->patience)
        o->patience = o->epochs / 4 > 5 ? o->epochs / 4 : 5;
}

static void resolve_hidden(f0t_train_options *o, size_t features)
{
    if (o->method != F0T_METHOD_NET) {
        o->hidden_count = 0;
    } else if (o->hidden_count == F0T_HIDDEN_AUTO) {
        o->hidden_count = 2;
        o->hidden[0] = 2 * features;
        o->hidden[1] = features / 2 ? features / 2 : 1;
    }
}

/* Found on the validation part of flickr8k: docs/results.md. */
void f0t_train_options_resolve(f0t_train_options *o, size_t images, size_t features)
{
    bool net = o->method == F0T_METHOD_NET;
    resolve_hidden(o, features);
    resolve_length(o, images);
    if (o->condition == F0T_CONDITION_AUTO)
        o->condition = o->method == F0T_METHOD_LINEAR ? F0T_CONDITION_UNIT : F0T_CONDITION_SCALE;
    if (o->rate <= 0)
        o->rate = o->optimizer == F0T_OPTIMIZER_SGD ? 0.1 : net ? 1e-3 : 5e-4;
    if (o->decay < 0)
        o->decay = o->optimizer == F0T_OPTIMIZER_SGD ? 1e-4 : 3;
    if (o->input_dropout < 0)
        o->input_dropout = net ? 0.3 : 0.2;
    if (o->hidden_dropout < 0)
        o->hidden_dropout = 0.3;
}

/* ---- Checks -------------------------------------------------------------------------------- */

static f0t_status check_range(const char *name, double value, double most, bool open)
{
    if (isnan(value) || value > most || (open && value >= most))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%s is %g: it must be %s %g", name, value,
                        open ? "below" : "at most", most);
    return F0T_OK;
}

static f0t_status check_hidden(const f0t_train_options *o)
{
    if (o->hidden_count == F0T_HIDDEN_AUTO)
        return F0T_OK;
    if (o->hidden_count > F0T_HIDDEN_MAX)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu hidden layers are too many: %d at the most",
                        o->hidden_count, F0T_HIDDEN_MAX);
    for (size_t i = 0; i < o->hidden_count; i++)
        if (o->hidden[i] == 0)
            return f0t_fail(F0T_ERROR_ARGUMENT, "hidden layer %zu has no units", i + 1);
    return F0T_OK;
}

static f0t_status check_together(const f0t_train_options *o)
{
    bool linear = o->method == F0T_METHOD_LINEAR;
    if (o->pairs == F0T_PAIRS_BATCH && o->loss != F0T_LOSS_RANKNET)
        return f0t_fail(F0T_ERROR_ARGUMENT, "pairs across a mini-batch go with the loss ranknet");
    if (linear && (o->to_ranksvm || o->loss != F0T_LOSS_RANKNET || o->pairs != F0T_PAIRS_IMAGE))
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "the method linear has no loss to choose: linear-rank has");
    if (o->to_ranksvm && (o->loss != F0T_LOSS_RANKNET || o->pairs != F0T_PAIRS_IMAGE))
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "a regression onto directions has no ranking loss or pairs to choose");
    return F0T_OK;
}

f0t_status f0t_train_options_check(const f0t_train_options *o)
{
    if (!f0t_method_name(o->method))
        return f0t_fail(F0T_ERROR_ARGUMENT, "there is no method %d", (int)o->method);
    if (!f0t_loss_name(o->loss))
        return f0t_fail(F0T_ERROR_ARGUMENT, "there is no loss %d", (int)o->loss);
    F0T_TRY(check_hidden(o));
    F0T_TRY(check_range("the input dropout", o->input_dropout, 1, true));
    F0T_TRY(check_range("the hidden dropout", o->hidden_dropout, 1, true));
    F0T_TRY(check_range("the learning rate", o->rate, 1e3, false));
    F0T_TRY(check_range("the weight decay", o->decay, 1e3, false));
    F0T_TRY(check_range("lambda", o->lambda, 1e9, false));
    F0T_TRY(check_range("the ridge", o->ridge, 1e9, false));
    return check_together(o);
}

/* ---- Description --------------------------------------------------------------------------- */

static json_t *describe_hidden(const f0t_train_options *o)
{
    json_t *list = json_array();
    for (size_t i = 0; i < o->hidden_count; i++)
        json_array_append_new(list, json_integer((json_int_t)o->hidden[i]));
    return list;
}

static json_t *describe_trained(const f0t_train_options *o)
{
    const char *loss = o->to_ranksvm ? "ranksvm directions" : f0t_loss_name(o->loss);
    return json_pack(
        "{s:s, s:s, s:s, s:o, s:I, s:I, s:I, s:s, s:f, s:f, s:f, s:f, s:s, s:s}", "loss", loss,
        "pairs", o->pairs == F0T_PAIRS_BATCH ? "batch" : "image", "condition",
        CONDITIONS[o->condition], "hidden", describe_hidden(o), "batch", (json_int_t)o->batch,
        "epochs", (json_int_t)o->epochs, "patience", (json_int_t)o->patience, "optimizer",
        o->optimizer == F0T_OPTIMIZER_SGD ? "sgd" : "adam", "rate", o->rate, "decay", o->decay,
        "input_dropout", o->input_dropout, "hidden_dropout", o->hidden_dropout, "schedule",
        o->constant_rate ? "constant" : "cosine", "precision", o->bf16 ? "bf16" : "f32");
}

static json_t *describe_linear(const f0t_train_options *o)
{
    return json_pack("{s:s, s:f, s:f}", "hinge",
                     o->hinge == F0T_HINGE_SQUARED ? "squared" : "plain", "lambda", o->lambda,
                     "ridge", o->ridge);
}

f0t_status f0t_train_options_describe(char **out, const f0t_train_options *o, double miap)
{
    json_t *all = o->method == F0T_METHOD_LINEAR ? describe_linear(o) : describe_trained(o);
    bool good =
        all && !json_object_set_new(all, "method", json_string(f0t_method_name(o->method))) &&
        !json_object_set_new(all, "seed", json_integer((json_int_t)o->seed)) &&
        !json_object_set_new(all, "tags", json_string(o->all_tags ? "all" : "seen")) &&
        !json_object_set_new(all, "validation_miap", isnan(miap) ? json_null() : json_real(miap));
    char *text = good ? json_dumps(all, JSON_SORT_KEYS | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(all);
    *out = NULL;
    if (!text)
        return f0t_fail(F0T_ERROR_MEMORY, "no memory to describe the training");
    f0t_status status = f0t_string_copy(out, text, strlen(text));
    free(text);
    return status;
}

f0t_status f0t_train_options_identify(char **out, const f0t_train_options *options,
                                      const char *data)
{
    char *described;
    *out = NULL;
    F0T_TRY(f0t_train_options_describe(&described, options, (double)NAN));
    const size_t length = strlen(described), size = strlen(data) + 1;
    f0t_status status = f0t_alloc(out, length + size, 1);
    if (status == F0T_OK) {
        memcpy(*out, described, length);
        memcpy(*out + length, data, size);
    }
    f0t_free(described);
    return status;
}
