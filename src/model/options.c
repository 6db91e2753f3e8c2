#include "model/options.h"

#include "base/alloc.h"
#include "base/context.h"
#include "io/dataset.h"
#include "model/trainer.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names --------------------------------------------------------------------------------- */

static const char *const METHODS[] = {"net", "linear", "linear-rank", "blend"};
static const char *const EXPERTS[] = {"direction", "tags",    "votes", "ridge",
                                      "frequency", "classes", "prior"};
static const char *const CONDITIONS[] = {"auto", "unit", "scale", "standard"};

const char *f0t_method_name(f0t_method method)
{
    return (size_t)method < sizeof METHODS / sizeof *METHODS ? METHODS[method] : NULL;
}

static const char *method_at(size_t i)
{
    return i < sizeof METHODS / sizeof *METHODS ? METHODS[i] : NULL;
}

f0t_status f0t_method_find(f0t_method *out, const char *name)
{
    size_t found;
    F0T_REQUIRE(out);
    F0T_REQUIRE(name);
    F0T_TRY(f0t_name_find(&found, "method", name, strlen(name), method_at));
    *out = (f0t_method)found;
    return F0T_OK;
}

const char *f0t_expert_name(f0t_expert expert)
{
    return (size_t)expert < F0T_EXPERTS ? EXPERTS[expert] : NULL;
}

static const char *expert_at(size_t i)
{
    return f0t_expert_name((f0t_expert)i);
}

f0t_status f0t_expert_find(f0t_expert *out, const char *name)
{
    size_t found;
    F0T_REQUIRE(out);
    F0T_REQUIRE(name);
    F0T_TRY(f0t_name_find(&found, "expert", name, strlen(name), expert_at));
    *out = (f0t_expert)found;
    return F0T_OK;
}

/* ---- Defaults ------------------------------------------------------------------------------ */

const f0t_train_options *f0t_train_options_default(void)
{
    static const f0t_train_options options = F0T_TRAIN_OPTIONS;
    return &options;
}

/* The paper's mini-batch of 1000, but at least 24 per epoch: a small collection has too few steps
 * otherwise. About 1500 steps serve small and large ones. */
enum { BATCH = 1000, LEAST_BATCHES = 24, STEPS = 1500, LEAST_EPOCHS = 10, MOST_EPOCHS = 200 };

static void resolve_length(f0t_train_options *o, size_t images)
{
    if (o->batch == F0T_AUTO_COUNT)
        o->batch = images / LEAST_BATCHES < BATCH ? images / LEAST_BATCHES : BATCH;
    if (o->batch == 0 || o->batch > images)
        o->batch = images < LEAST_BATCHES ? 1 : images;
    const size_t batches = images ? (images + o->batch - 1) / o->batch : 1;
    if (o->epochs == F0T_AUTO_COUNT) {
        o->epochs = (STEPS + batches - 1) / batches;
        o->epochs = o->epochs < LEAST_EPOCHS ? LEAST_EPOCHS : o->epochs;
        o->epochs = o->epochs > MOST_EPOCHS ? MOST_EPOCHS : o->epochs;
    }
    if (o->patience == F0T_AUTO_COUNT)
        o->patience = f0t_train_patience(o->epochs);
}

size_t f0t_train_patience(size_t epochs)
{
    return epochs / 4 > 5 ? epochs / 4 : 5;
}

bool f0t_train_options_take_all(const f0t_train_options *o)
{
    return o->pairs == F0T_PAIRS_BATCH || o->loss == F0T_LOSS_LOGISTIC ||
           o->method == F0T_METHOD_BLEND;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The paper's 2 D and D / 2 of its 4096 features. A layer of fewer units than the word vectors have
 * dimensions would be a bottleneck: directions would lie in a space of that many. */
static void resolve_hidden(f0t_train_options *o, size_t features, size_t dim)
{
    if (o->method != F0T_METHOD_NET) {
        o->hidden_count = 0;
    } else if (o->hidden_count == F0T_AUTO_COUNT) {
        o->hidden_count = 2;
        o->hidden[1] = larger(features / 2, dim);
        o->hidden[0] = larger(2 * features, o->hidden[1]);
    }
}

static void set(double *value, double automatic)
{
    if (*value == F0T_AUTO)
        *value = automatic;
}

/* Such a loss moves the one irrelevant tag that violates most. Before a net has learned, that is the same tag for
 * most images, and every step shifts all hidden units the same way: docs/methods.md. */
static bool moves_one_tag(f0t_loss loss)
{
    return loss == F0T_LOSS_CRAMMER_SINGER || loss == F0T_LOSS_MAX_OUT;
}

/* Found on the validation part of flickr8k: docs/results.md. What the method does not use stays as it
 * is. */
void f0t_train_options_resolve(f0t_train_options *o, size_t images, size_t features, size_t dim)
{
    const bool net = o->method == F0T_METHOD_NET, sgd = o->optimizer == F0T_OPTIMIZER_SGD;
    resolve_hidden(o, features, dim);
    if (o->condition == F0T_CONDITION_AUTO)
        o->condition = o->method == F0T_METHOD_LINEAR ? F0T_CONDITION_UNIT : F0T_CONDITION_SCALE;
    if (o->method == F0T_METHOD_LINEAR || o->method == F0T_METHOD_BLEND)
        return; /* a blend resolves the options of its nets */
    resolve_length(o, images);
    set(&o->rate, sgd ? 0.1 : net ? 1e-3 : 5e-4);
    set(&o->hidden_rate, net && moves_one_tag(o->loss) ? 0 : 1);
    set(&o->init, F0T_OUTPUT_SCALE);
    set(&o->decay, sgd ? 1e-4 : 3);
    set(&o->input_dropout, net ? 0.3 : 0.2);
    set(&o->hidden_dropout, net ? 0.3 : 0);
    if (o->to_ranksvm)
        set(&o->lambda, 1); /* the paper's */
}

/* ---- Which option belongs to which method --------------------------------------------------- */

enum { NET = 1, LINEAR = 2, LINEAR_RANK = 4, BLEND = 8, TO_RANKSVM = 16, BY_LOSS = 32 };

static const struct {
    const char *name;
    int of; /* methods; TO_RANKSVM: or that target; BY_LOSS: but not with it */
} USES[] = {
    {"loss", NET | LINEAR_RANK | BY_LOSS},
    {"pairs", NET | LINEAR_RANK | BY_LOSS},
    {"target", NET | LINEAR_RANK},
    {"hidden", NET},
    {"batch", NET | LINEAR_RANK | BLEND},
    {"epochs", NET | LINEAR_RANK | BLEND},
    {"patience", NET | LINEAR_RANK | BLEND},
    {"optimizer", NET | LINEAR_RANK},
    {"rate", NET | LINEAR_RANK},
    {"schedule", NET | LINEAR_RANK},
    {"decay", NET | LINEAR_RANK},
    {"init", NET | LINEAR_RANK},
    {"hidden-rate", NET},
    {"input-dropout", NET | LINEAR_RANK},
    {"dropout", NET},
    {"arithmetic", NET | LINEAR_RANK | BLEND},
    {"hinge", LINEAR | TO_RANKSVM},
    {"lambda", LINEAR | TO_RANKSVM},
    {"ridge", LINEAR},
    {"without", BLEND},
    {"classes", BLEND},
    {"tune", NET | LINEAR | LINEAR_RANK},
    {"checkpoint", NET | LINEAR | LINEAR_RANK | BLEND},
    {"resume", NET | LINEAR | LINEAR_RANK | BLEND},
    {"log", NET | LINEAR | LINEAR_RANK},
};

static const char *owners(int of)
{
    return of & TO_RANKSVM                      ? "linear, and to the target ranksvm"
           : of == (NET | LINEAR | LINEAR_RANK) ? "net, linear and linear-rank"
           : of & LINEAR                        ? "linear"
           : of == BLEND                        ? "blend"
           : of & BLEND                         ? "net, linear-rank and blend"
           : of & LINEAR_RANK                   ? "net and linear-rank"
                                                : "net";
}

static f0t_status check_use(const f0t_train_options *o, const char *name, int of)
{
    const int method = 1 << o->method;
    if (o->to_ranksvm && of & BY_LOSS)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "the target ranksvm does not use '%s': it has directions to regress onto, "
                        "no ranking loss",
                        name);
    if (of & method || (o->to_ranksvm && of & TO_RANKSVM))
        return F0T_OK;
    return f0t_fail(F0T_ERROR_ARGUMENT, "the method %s does not use '%s': it belongs to %s",
                    f0t_method_name(o->method), name, owners(of));
}

f0t_status f0t_train_options_check_use(const f0t_train_options *o, const char *name)
{
    F0T_REQUIRE(o);
    F0T_REQUIRE(name);
    F0T_READ_OPTIONS(f0t_train_options, F0T_TRAIN_OPTIONS, o);
    if (!f0t_method_name(o->method))
        return f0t_fail(F0T_ERROR_ARGUMENT, "there is no method %d", (int)o->method);
    for (size_t i = 0; i < sizeof USES / sizeof *USES; i++)
        if (!strcmp(USES[i].name, name))
            return check_use(o, name, USES[i].of);
    return F0T_OK;
}

/* What differs from F0T_TRAIN_OPTIONS was set, and is to be used. */
static f0t_status check_uses(const f0t_train_options *o)
{
    const struct {
        const char *name;
        bool is_set;
    } all[] = {
        {"target", o->to_ranksvm},
        {"loss", o->loss != F0T_LOSS_RANKNET},
        {"pairs", o->pairs != F0T_PAIRS_IMAGE},
        {"hidden", o->hidden_count != F0T_AUTO_COUNT && o->hidden_count != 0},
        {"batch", o->batch != F0T_AUTO_COUNT},
        {"epochs", o->epochs != F0T_AUTO_COUNT},
        {"patience", o->patience != F0T_AUTO_COUNT},
        {"optimizer", o->optimizer != F0T_OPTIMIZER_ADAM},
        {"rate", o->rate != F0T_AUTO},
        {"schedule", o->constant_rate},
        {"decay", o->decay != F0T_AUTO},
        {"init", o->init != F0T_AUTO},
        {"hidden-rate", o->hidden_rate != F0T_AUTO},
        {"input-dropout", o->input_dropout != F0T_AUTO},
        {"dropout", o->hidden_dropout != F0T_AUTO},
        {"arithmetic", o->bf16},
        {"hinge", o->hinge != F0T_HINGE_SQUARED},
        {"lambda", o->lambda != F0T_AUTO},
        {"ridge", o->ridge != F0T_AUTO},
        {"without", o->without != 0},
        {"classes", o->classes != NULL},
        {"checkpoint", o->checkpoint != NULL},
        {"resume", o->resume},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is_set)
            F0T_TRY(f0t_train_options_check_use(o, all[i].name));
    return F0T_OK;
}

/* ---- Checks -------------------------------------------------------------------------------- */

/* least <= value <= most; `open` takes out the ends that it names. */
typedef enum range_ends { CLOSED, ABOVE_LEAST, BELOW_MOST } range_ends;

static f0t_status check_range(const char *name, double value, double least, double most,
                              range_ends open)
{
    if (value == F0T_AUTO || (value > least && value < most) ||
        (value == least && open != ABOVE_LEAST) || (value == most && open != BELOW_MOST))
        return F0T_OK;
    return f0t_fail(F0T_ERROR_ARGUMENT, "%s is %g: it must be %s %g and %s %g", name, value,
                    open == ABOVE_LEAST ? "above" : "at least", least,
                    open == BELOW_MOST ? "below" : "at most", most);
}

static f0t_status check_ranges(const f0t_train_options *o)
{
    F0T_TRY(check_range("the input dropout", o->input_dropout, 0, 1, BELOW_MOST));
    F0T_TRY(check_range("the dropout of hidden units", o->hidden_dropout, 0, 1, BELOW_MOST));
    F0T_TRY(check_range("the learning rate", o->rate, 0, 1e3, ABOVE_LEAST));
    F0T_TRY(check_range("the weight decay", o->decay, 0, 1e3, CLOSED));
    F0T_TRY(check_range("the first scale of the output layer", o->init, 0, 1e3, CLOSED));
    F0T_TRY(check_range("the rate of hidden layers", o->hidden_rate, 0, 1, CLOSED));
    F0T_TRY(check_range("lambda", o->lambda, 0, 1e9, ABOVE_LEAST));
    return check_range("the ridge", o->ridge, 0, 1e9, CLOSED);
}

static f0t_status check_counts(const f0t_train_options *o)
{
    const struct {
        const char *name;
        size_t value;
    } all[] = {{"batch", o->batch}, {"epochs", o->epochs}, {"patience", o->patience}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!all[i].value)
            return f0t_fail(F0T_ERROR_ARGUMENT, "%s is 0: it must be at least 1", all[i].name);
    if ((o->tags != NULL) != (o->tag_count != 0))
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu tags to train on%s", o->tag_count,
                        o->tags ? "" : ", but no list of them");
    return F0T_OK;
}

static f0t_status check_hidden(const f0t_train_options *o)
{
    if (o->hidden_count == F0T_AUTO_COUNT)
        return F0T_OK;
    if (o->hidden_count > F0T_HIDDEN_MAX)
        return f0t_fail(F0T_ERROR_ARGUMENT, "%zu hidden layers are too many: at most %d",
                        o->hidden_count, F0T_HIDDEN_MAX);
    for (size_t i = 0; i < o->hidden_count; i++)
        if (o->hidden[i] == 0)
            return f0t_fail(F0T_ERROR_ARGUMENT, "hidden layer %zu has no units", i + 1);
    return F0T_OK;
}

static f0t_status check_choices(const f0t_train_options *o)
{
    if (!f0t_method_name(o->method))
        return f0t_fail(F0T_ERROR_ARGUMENT, "there is no method %d", (int)o->method);
    if (!f0t_loss_name(o->loss))
        return f0t_fail(F0T_ERROR_ARGUMENT, "there is no loss %d", (int)o->loss);
    const struct {
        const char *name;
        unsigned value, most;
    } all[] = {{"way to form pairs", o->pairs, F0T_PAIRS_BATCH},
               {"conditioning", o->condition, F0T_CONDITION_STANDARD},
               {"optimizer", o->optimizer, F0T_OPTIMIZER_SGD},
               {"hinge", o->hinge, F0T_HINGE_SQUARED}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].value > all[i].most)
            return f0t_fail(F0T_ERROR_ARGUMENT, "there is no %s %u", all[i].name, all[i].value);
    return F0T_OK;
}

/* The first five score learned tags; the others, new words alone. */
static f0t_status check_experts(const f0t_train_options *o)
{
    const unsigned learned = (2U << F0T_EXPERT_FREQUENCY) - 1;
    if (o->without >> F0T_EXPERTS)
        return f0t_fail(F0T_ERROR_ARGUMENT, "there is no expert of the bits %#x to switch off",
                        o->without >> F0T_EXPERTS << F0T_EXPERTS);
    if ((o->without & learned) == learned)
        return f0t_fail(F0T_ERROR_ARGUMENT,
                        "no expert is left for learned tags: keep direction, tags, votes, ridge or "
                        "frequency");
    return F0T_OK;
}

f0t_status f0t_train_options_check(const f0t_train_options *o)
{
    F0T_REQUIRE(o);
    F0T_READ_OPTIONS(f0t_train_options, F0T_TRAIN_OPTIONS, o);
    F0T_TRY(check_choices(o));
    F0T_TRY(check_hidden(o));
    F0T_TRY(check_counts(o));
    F0T_TRY(check_ranges(o));
    F0T_TRY(check_experts(o));
    if (o->pairs == F0T_PAIRS_BATCH && o->loss != F0T_LOSS_RANKNET)
        return f0t_fail(F0T_ERROR_ARGUMENT, "pairs across a mini-batch go with the loss ranknet");
    return check_uses(o);
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
        "{s:s, s:s, s:s, s:o, s:I, s:I, s:I, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:s, s:s}", "loss",
        loss, "pairs", o->pairs == F0T_PAIRS_BATCH ? "batch" : "image", "condition",
        CONDITIONS[o->condition], "hidden", describe_hidden(o), "batch", (json_int_t)o->batch,
        "epochs", (json_int_t)o->epochs, "patience", (json_int_t)o->patience, "optimizer",
        o->optimizer == F0T_OPTIMIZER_SGD ? "sgd" : "adam", "rate", o->rate, "decay", o->decay,
        "init", o->init, "hidden_rate", o->hidden_rate, "input_dropout", o->input_dropout,
        "hidden_dropout", o->hidden_dropout, "schedule", o->constant_rate ? "constant" : "cosine",
        "precision", o->bf16 ? "bf16" : "f32");
}

static json_t *describe_linear(const f0t_train_options *o)
{
    return json_pack("{s:s, s:f, s:f}", "hinge",
                     o->hinge == F0T_HINGE_SQUARED ? "squared" : "plain", "lambda", o->lambda,
                     "ridge", o->ridge);
}

static json_t *describe_blend(const f0t_train_options *o)
{
    json_t *list = json_array();
    for (int e = 0; e < F0T_EXPERTS; e++)
        if (!(o->without & (1U << e)) && (e != F0T_EXPERT_CLASSES || o->classes))
            json_array_append_new(list, json_string(f0t_expert_name((f0t_expert)e)));
    return json_pack("{s:o, s:s}", "experts", list, "precision", o->bf16 ? "bf16" : "f32");
}

static json_t *describe_method(const f0t_train_options *o)
{
    return o->method == F0T_METHOD_LINEAR  ? describe_linear(o)
           : o->method == F0T_METHOD_BLEND ? describe_blend(o)
                                           : describe_trained(o);
}

/* What parts.c needs to draw the same parts again. */
static json_t *describe_split(const f0t_dataset *dataset)
{
    const f0t_dataset_options *drawn = &dataset->drawn;
    return json_pack("{s:I, s:I, s:f, s:f}", "images", (json_int_t)f0t_dataset_image_count(dataset),
                     "seed", (json_int_t)drawn->seed, "val", drawn->val, "test", drawn->test);
}

f0t_status f0t_train_options_describe(char **out, const f0t_train_options *o, double miap,
                                      const f0t_dataset *dataset)
{
    json_t *all = describe_method(o);
    bool good =
        all && !json_object_set_new(all, "method", json_string(f0t_method_name(o->method))) &&
        !json_object_set_new(all, "seed", json_integer((json_int_t)o->seed)) &&
        !json_object_set_new(all, "tags", json_string(o->all_tags ? "all" : "seen")) &&
        !json_object_set_new(all, "validation_miap", isnan(miap) ? json_null() : json_real(miap));
    if (good && dataset && !dataset->split_given)
        good = !json_object_set_new(all, "split", describe_split(dataset));
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
    F0T_TRY(f0t_train_options_describe(&described, options, (double)NAN, NULL));
    const size_t length = strlen(described), size = strlen(data) + 1;
    f0t_status status = f0t_alloc(out, length + size, 1);
    if (status == F0T_OK) {
        memcpy(*out, described, length);
        memcpy(*out + length, data, size);
    }
    f0t_free(described);
    return status;
}
