#include "baseline/fitting.h"

#include "base/alloc.h"
#include "math/matmul.h"
#include "model/options.h"

#include <math.h>
#include <string.h>

const double f0t_dropouts[F0T_DROPOUTS] = {0, 0.2, 0.3, 0.4, 0.6, 0.8, 0.9};

f0t_train_options f0t_fitting_net_options(const f0t_task *task, const double *knobs)
{
    f0t_train_options options = F0T_TRAIN_OPTIONS;
    options.decay = knobs[0];
    options.rate = knobs[1];
    options.input_dropout = knobs[2];
    if (task->hidden) {
        options.hidden_count = task->hidden_count;
        memcpy(options.hidden, task->hidden, task->hidden_count * sizeof *task->hidden);
    }
    return options;
}

/* A trial runs a share of the epochs; a number that was asked for is run to its end. */
static void resolve_length(f0t_train_options *o, const f0t_task *task, size_t patience)
{
    if (task->epochs) {
        o->epochs = o->patience = task->epochs;
    } else if (task->effort < 1) {
        double epochs = floor((double)o->epochs * task->effort + 0.5);
        o->epochs = epochs > 1 ? (size_t)epochs : 1;
        o->patience = patience != F0T_AUTO_COUNT ? patience : f0t_train_patience(o->epochs);
    }
}

static void resolve(f0t_fitting *f, const f0t_train_options *options)
{
    f->options = *options;
    f->options.seed = f->task->seed;
    f->options.bf16 = f->task->bf16;
    f0t_train_options_resolve(&f->options, f->train.count, f0t_task_features(f->task),
                              f->task->dim);
    resolve_length(&f->options, f->task, options->patience);
}

/* The forward and the backward pass through a layer are three products, through the first one two. */
static double operations_per_image(const f0t_train_options *o, size_t features, size_t outputs)
{
    double last = (double)features, sum = 0;
    for (size_t i = 0; i < o->hidden_count; i++) {
        sum += (i ? 6 : 4) * last * (double)o->hidden[i];
        last = (double)o->hidden[i];
    }
    return sum + (o->hidden_count ? 6 : 4) * last * (double)outputs;
}

double f0t_fitting_cost(const f0t_task *task, const f0t_train_options *options, size_t outputs,
                        size_t scored, double loss)
{
    const double tags = (double)task->tags;
    f0t_fitting f = {.task = task, .train.count = task->train.count};
    resolve(&f, options);
    return (double)f.options.epochs * (double)f.train.count *
           (operations_per_image(&f.options, f0t_task_features(task), outputs) +
            6 * (double)scored * tags + loss * tags);
}

static f0t_status prepare(f0t_fitting *f, const f0t_train_options *options)
{
    const f0t_task *task = f->task;
    F0T_TRY(f0t_samples_pick(&f->train, &task->train, f0t_train_options_take_all(options)));
    if (f->train.offsets[f->train.count] == 0)
        return f0t_fail(F0T_ERROR_UNSUPPORTED,
                        "none of the %zu training images has both a tag to learn and one that does "
                        "not fit",
                        task->train.count);
    resolve(f, options);
    F0T_TRY(f0t_alloc_zero(&f->scorer, 1, sizeof *f->scorer));
    F0T_TRY(f0t_condition_create(&f->scorer->condition, f->options.condition, task->dataset,
                                 &f->train, task->monitor));
    f->data = (f0t_train_data){.dataset = task->dataset,
                               .condition = &f->scorer->condition,
                               .train = &f->train,
                               .val = &task->val,
                               .tags = task->vectors,
                               .dim = task->dim};
    return F0T_OK;
}

f0t_status f0t_fitting_begin(f0t_fitting *f, const f0t_task *task, const f0t_train_options *options)
{
    *f = (f0t_fitting){.task = task, .miap = (double)NAN};
    F0T_TRY(f0t_train_options_check(options));
    f0t_status status = prepare(f, options);
    if (status != F0T_OK)
        f0t_fitting_end(NULL, f);
    return status;
}

f0t_status f0t_fitting_run(f0t_fitting *f, size_t outputs, bool bias,
                           const f0t_objective *objective)
{
    const f0t_train_options *o = &f->options;
    f0t_net_shape shape = {.inputs = f0t_task_features(f->task),
                           .hidden_count = o->hidden_count,
                           .outputs = outputs,
                           .bias = bias};
    memcpy(shape.hidden, o->hidden, sizeof o->hidden);
    if (o->bf16)
        f0t_matmul_bf16_notice(f->task->monitor);
    F0T_TRY(f0t_net_create(&f->scorer->net, f0t_compute_current(), &shape,
                           o->bf16 ? F0T_BF16 : F0T_F32));
    F0T_TRY(f0t_net_set_random(f->scorer->net, o->seed, o->init));
    return f0t_trainer_run(&f->miap, f->scorer->net, &f->data, objective, o, "", f->task->monitor);
}

void f0t_fitting_end(f0t_scorer **out, f0t_fitting *f)
{
    f0t_samples_free(&f->train);
    if (out)
        *out = f->scorer;
    else
        f0t_scorer_free(f->scorer);
    f->scorer = NULL;
}
