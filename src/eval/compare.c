/*
 * f0t_eval_run: repeats, methods and training sets, what is kept between them, and the rows that come out.
 */
#include "base/alloc.h"
#include "base/monitor.h"
#include "baseline/neighbours.h"
#include "eval/details.h"
#include "eval/share.h"
#include "io/file.h"
#include "math/matmul.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A running comparison. */
typedef struct comparison {
    f0t_eval *eval;
    const f0t_eval_options *options;
    uint64_t identity;
    char *others;         /* of the results file */
    bool writes;          /* this process has the files: it is the first one, or alone */
    bool handed_out;      /* it runs a method that was: who gets the results keeps them */
    bool loaded;          /* what the results file has, if there is one, is in the cells */
    float *class_vectors; /* [C x d] of options->classes */
    char unseen[24]; /* how many are drawn, where the dataset's lists say how many and not which */
    f0t_details details;
    f0t_neighbour_store store;
    f0t_eval_protocol protocols[F0T_TRAINING_SETS];
    bool has[F0T_TRAINING_SETS];
} comparison;

f0t_eval_cell *f0t_eval_cell_at(const f0t_eval *e, size_t repeat, size_t method,
                                f0t_scenario scenario)
{
    return &e->cells[(repeat * e->plan.method_count + method) * F0T_SCENARIOS + scenario];
}

/* ---- One method ---------------------------------------------------------------------------- */

/* "run 2 of 3, ", or nothing where there is one. */
static void name_run(char out[64], const comparison *c, size_t repeat)
{
    *out = 0;
    if (c->eval->plan.repeat > 1)
        snprintf(out, 64, "run %zu of %zu, ", repeat + 1, c->eval->plan.repeat);
}

/* The results, in one line. */
static void log_cells(const comparison *c, const f0t_eval_cell *cells,
                      const f0t_eval_protocol *protocol, const char *method, size_t repeat)
{
    char line[400] = "", run[64], number[32];
    const f0t_values *last = NULL;
    size_t used = 0;
    for (int s = 0; s < F0T_SCENARIOS; s++) {
        if (!protocol->asked[s] || *cells[s].refusal)
            continue;
        double miap = f0t_values_get(&cells[s].values, "miap");
        snprintf(number, sizeof number, "%.1f", miap);
        used += (size_t)snprintf(line + used, sizeof line - used, "%s %s %s", last ? "," : "",
                                 f0t_scenario_name((f0t_scenario)s), isnan(miap) ? "–" : number);
        last = &cells[s].values;
    }
    if (!last)
        return;
    name_run(run, c, repeat);
    f0t_log(f0t_context_monitor(NULL), F0T_LOG_INFO,
            "%s%s: MiAP%s; %.0f trials in %.1f s, fitted in %.1f s", run, method, line,
            f0t_values_get(last, "trials"), f0t_values_get(last, "tune_s"),
            f0t_values_get(last, "train_s"));
}

static bool is_done(const f0t_eval_cell *cells, const f0t_eval_protocol *protocol)
{
    for (int s = 0; s < F0T_SCENARIOS; s++)
        if (protocol->asked[s] && !cells[s].done)
            return false;
    return true;
}

static f0t_eval_protocol_options protocol_options(comparison *c, size_t repeat)
{
    const f0t_eval *e = c->eval;
    return (f0t_eval_protocol_options){.seed = c->options->seed + repeat,
                                       .trials = e->plan.trials,
                                       .budget = e->plan.budget,
                                       .epochs = c->options->epochs,
                                       .blend_epochs = c->options->blend_epochs,
                                       .hidden = e->plan.hidden_count ? e->plan.hidden : NULL,
                                       .hidden_count = e->plan.hidden_count,
                                       .classes = c->options->classes,
                                       .class_vectors = c->class_vectors,
                                       .bf16 = c->options->bf16,
                                       .cutoffs = e->plan.cutoffs,
                                       .cutoff_count = e->plan.cutoff_count,
                                       .samples = e->samples,
                                       .sample_count = e->sample_count,
                                       .store = &c->store,
                                       .model = c->writes && repeat == 0 ? c->options->model : NULL,
                                       .monitor = f0t_context_monitor(NULL)};
}

/* What a training set has given: in the log, and in the file. */
static f0t_status keep(const comparison *c, const f0t_eval_protocol *protocol, size_t repeat,
                       size_t method)
{
    log_cells(c, f0t_eval_cell_at(c->eval, repeat, method, F0T_CONVENTIONAL), protocol,
              c->eval->plan.methods[method]->name, repeat);
    return c->options->results && c->writes
               ? f0t_results_save(c->eval, c->others, c->options->results, c->identity)
               : F0T_OK;
}

static f0t_status run_protocol(comparison *c, size_t repeat, size_t method,
                               const f0t_eval_protocol *protocol,
                               const f0t_eval_protocol_options *options)
{
    const f0t_ranker *ranker = c->eval->plan.methods[method];
    f0t_eval_cell *cells = f0t_eval_cell_at(c->eval, repeat, method, F0T_CONVENTIONAL);
    if (is_done(cells, protocol))
        return F0T_OK;
    F0T_TRY(f0t_eval_protocol_run(cells, protocol, ranker, options));
    return c->handed_out ? F0T_OK : keep(c, protocol, repeat, method);
}

static f0t_status run_method(comparison *c, size_t repeat, size_t method)
{
    f0t_eval_protocol_options options = protocol_options(c, repeat);
    f0t_eval_memo memo = {0};
    f0t_status status = F0T_OK;
    if (c->has[F0T_LEARN_SEEN] && c->has[F0T_LEARN_FOR_BOTH])
        options.memo = &memo;
    for (int l = 0; l < F0T_TRAINING_SETS && status == F0T_OK; l++)
        if (c->has[l])
            status = run_protocol(c, repeat, method, &c->protocols[l], &options);
    f0t_eval_memo_free(&memo);
    f0t_matmul_clear();
    return status;
}

/* ---- Several processes ---------------------------------------------------------------------- */

/* A repeat of a comparison. */
typedef struct shared_repeat {
    comparison *c;
    size_t repeat;
} shared_repeat;

static f0t_status run_shared(void *user, size_t method, bool together)
{
    const shared_repeat *s = user;
    comparison *c = s->c;
    if (together) /* another process may have none, and would make them alone */
        f0t_neighbour_store_free(&c->store);
    c->handed_out = !together;
    f0t_status status = run_method(c, s->repeat, method);
    c->handed_out = false;
    return status;
}

static f0t_status keep_shared(void *user, size_t method)
{
    const shared_repeat *s = user;
    for (int l = 0; l < F0T_TRAINING_SETS; l++)
        if (s->c->has[l])
            F0T_TRY(keep(s->c, &s->c->protocols[l], s->repeat, method));
    return F0T_OK;
}

static f0t_status run_methods(comparison *c, size_t repeat)
{
    const f0t_group *group = f0t_group_current();
    shared_repeat shared = {c, repeat};
    const f0t_eval_sharing sharing = {
        .eval = c->eval, .repeat = repeat, .user = &shared, .run = run_shared, .keep = keep_shared};
    if (group->size > 1)
        return f0t_eval_share_methods(&sharing, group);
    for (size_t m = 0; m < c->eval->plan.method_count; m++)
        F0T_TRY(run_method(c, repeat, m));
    return F0T_OK;
}

/* ---- All of them --------------------------------------------------------------------------- */

/* Test images without a single relevant tag among those ranked are no test. */
static void warn_of_no_truth(const comparison *c, const f0t_eval_protocol *protocol, size_t repeat)
{
    char run[64];
    name_run(run, c, repeat);
    for (int s = 0; s < F0T_SCENARIOS && !*protocol->refusal; s++) {
        const f0t_eval_split *test = &protocol->tests[s];
        if (protocol->asked[s] && test->truth.offsets[test->truth.count] == 0)
            f0t_log(f0t_context_monitor(NULL), F0T_LOG_WARNING,
                    "%s%s: no test image has one of the %zu tags that are ranked: MiAP, recall, F1 "
                    "and mAP are not defined",
                    run, f0t_scenario_name((f0t_scenario)s), test->count);
    }
}

/* A training set that cannot be learned leaves the others, but one must be there. */
static f0t_status check_protocols(const comparison *c)
{
    const char *why = "";
    for (int l = 0; l < F0T_TRAINING_SETS; l++) {
        if (c->has[l] && !*c->protocols[l].refusal)
            return F0T_OK;
        why = c->has[l] && !*why ? c->protocols[l].refusal : why;
    }
    return f0t_fail(F0T_ERROR_FORMAT, "%s: %s", f0t_dataset_path(c->eval->dataset), why);
}

static f0t_status open_protocols(comparison *c, size_t repeat)
{
    const f0t_eval *e = c->eval;
    for (int l = 0; l < F0T_TRAINING_SETS; l++) {
        bool wanted = false;
        for (int s = 0; s < F0T_SCENARIOS; s++)
            wanted = wanted ||
                     (e->plan.asked[s] && (int)f0t_scenario_training_set((f0t_scenario)s) == l);
        if (!wanted)
            continue;
        F0T_TRY(f0t_eval_protocol_create(&c->protocols[l], (f0t_training_set)l, &e->tags,
                                         e->plan.asked, c->options->seed + repeat));
        c->has[l] = true;
        warn_of_no_truth(c, &c->protocols[l], repeat);
    }
    return check_protocols(c);
}

static void close_protocols(comparison *c)
{
    for (int l = 0; l < F0T_TRAINING_SETS; l++) {
        if (c->has[l])
            f0t_eval_protocol_free(&c->protocols[l]);
        c->has[l] = false;
    }
}

static void count_cells(size_t *done, size_t *all, const f0t_eval *e)
{
    *done = *all = 0;
    for (size_t r = 0; r < e->plan.repeat; r++)
        for (size_t m = 0; m < e->plan.method_count; m++)
            for (int s = 0; s < F0T_SCENARIOS; s++) {
                *all += e->plan.asked[s];
                *done += f0t_eval_cell_at(e, r, m, (f0t_scenario)s)->done;
            }
}

static f0t_status load_results(comparison *c)
{
    const char *path = c->options->results;
    size_t done, all;
    F0T_TRY(f0t_results_load(c->eval, &c->others, path, c->identity, f0t_context_monitor(NULL)));
    c->loaded = true;
    c->eval->keeps_others = c->others != NULL;
    count_cells(&done, &all, c->eval);
    if (done)
        f0t_log(f0t_context_monitor(NULL), F0T_LOG_INFO, "%s: %zu of %zu results are there", path,
                done, all);
    return F0T_OK;
}

static f0t_status add_details(comparison *c, size_t repeat)
{
    for (int l = 0; l < F0T_TRAINING_SETS; l++)
        for (int s = 0; s < F0T_SCENARIOS && c->has[l]; s++)
            if (c->protocols[l].asked[s])
                F0T_TRY(f0t_details_add(&c->details, c->eval, repeat, (f0t_scenario)s,
                                        &c->protocols[l].tests[s]));
    return F0T_OK;
}

static f0t_status run_repeat(comparison *c, size_t repeat)
{
    f0t_eval_plan *plan = &c->eval->plan;
    for (size_t i = 0; i < plan->own_count; i++)
        plan->own[i].run = repeat;
    F0T_TRY(f0t_eval_tags_split(&c->eval->tags, *c->unseen ? c->unseen : c->options->unseen,
                                c->options->seed + repeat));
    if (repeat == 0)
        F0T_TRY(f0t_eval_choose_samples(c->eval));
    if (repeat == 0 && c->options->results && c->writes)
        F0T_TRY(load_results(c));
    if (repeat == 0 && f0t_group_current()->size > 1)
        F0T_TRY(f0t_eval_share_cells(c->eval, f0t_group_current()));
    f0t_status status = open_protocols(c, repeat);
    if (status == F0T_OK)
        status = run_methods(c, repeat);
    if (status == F0T_OK && c->options->details && c->writes)
        status = add_details(c, repeat);
    close_protocols(c);
    return status;
}

static f0t_status check_data(const f0t_dataset *dataset)
{
    const char *path = f0t_dataset_path(dataset);
    if (f0t_dataset_dim(dataset) == 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: has no features to compare methods on", path);
    if (f0t_dataset_split_count(dataset, F0T_TRAIN) == 0 ||
        f0t_dataset_split_count(dataset, F0T_TEST) == 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: a comparison needs training and test images", path);
    return F0T_OK;
}

static f0t_status find_class_vectors(comparison *c, const f0t_vectors *vectors)
{
    const f0t_classes *classes = c->options->classes;
    if (!classes)
        return F0T_OK;
    if (f0t_classes_dim(classes) != f0t_dataset_dim(c->eval->dataset))
        return f0t_fail(
            F0T_ERROR_MISMATCH,
            "the classes' network makes %zu features, %s has %zu: take the network that "
            "made them",
            f0t_classes_dim(classes), f0t_dataset_path(c->eval->dataset),
            f0t_dataset_dim(c->eval->dataset));
    F0T_TRY(f0t_alloc(&c->class_vectors, f0t_classes_count(classes) * f0t_vectors_dim(vectors),
                      sizeof *c->class_vectors));
    return f0t_classes_vectors(c->class_vectors, NULL, classes, vectors, c->options->centred, NULL);
}

/* With options->draws as many tags are drawn as the dataset lists, whichever they are. */
static f0t_status count_unseen(comparison *c)
{
    f0t_eval_tags *tags = &c->eval->tags;
    size_t unseen = 0;
    if (!c->options->draws || !f0t_eval_tags_are_given(c->eval->dataset, c->options->unseen))
        return F0T_OK;
    F0T_TRY(f0t_eval_tags_split(tags, NULL, c->options->seed));
    for (size_t i = 0; i < tags->count; i++)
        unseen += tags->kind[i] == F0T_TAG_UNSEEN;
    snprintf(c->unseen, sizeof c->unseen, "%zu", unseen);
    return F0T_OK;
}

static f0t_status run(comparison *c, const f0t_vectors *vectors)
{
    f0t_eval *e = c->eval;
    const f0t_eval_options *o = c->options;
    F0T_TRY(f0t_eval_plan_create(&e->plan, o));
    F0T_TRY(check_data(e->dataset));
    F0T_TRY(find_class_vectors(c, vectors));
    if (o->results && c->writes)
        F0T_TRY(f0t_results_claim(e, o->results));
    f0t_values_set_names(&e->names, e->plan.cutoffs, e->plan.cutoff_count);
    F0T_TRY(f0t_eval_identity(&c->identity, e->dataset, vectors, o, NULL));
    F0T_TRY(f0t_group_same(f0t_group_current(), "the data of the comparison", &c->identity,
                           sizeof c->identity));
    F0T_TRY(
        f0t_eval_tags_create(&e->tags, e->dataset, vectors, o->centred, f0t_context_monitor(NULL)));
    e->tags.train_images = o->train_images;
    F0T_TRY(count_unseen(c));
    if (f0t_dataset_split_count(e->dataset, F0T_VAL) == 0 && e->plan.trials)
        f0t_log(f0t_context_monitor(NULL), F0T_LOG_WARNING,
                "there are no validation images: nothing can be tuned or stopped early");
    if (o->bf16)
        f0t_matmul_bf16_notice(f0t_context_monitor(NULL));
    for (size_t i = 0; i < e->plan.own_count; i++)
        F0T_TRY(f0t_own_identify(&e->plan.own[i]));
    F0T_TRY(f0t_alloc_zero(&e->cells, e->plan.repeat * e->plan.method_count * F0T_SCENARIOS,
                           sizeof *e->cells));
    if (o->details && c->writes)
        F0T_TRY(f0t_details_open(&c->details, e, o->details));
    for (size_t r = 0; r < e->plan.repeat; r++)
        F0T_TRY(run_repeat(c, r));
    return f0t_eval_summarise(e);
}

/* After a failure: what is done is not lost. */
static void tell_kept(const comparison *c)
{
    if (c->loaded && f0t_path_exists(c->options->results))
        f0t_log(f0t_context_monitor(NULL), F0T_LOG_INFO,
                "%s keeps what is done: the same comparison goes on from there",
                c->options->results);
}

f0t_status f0t_eval_run(f0t_eval **out, const f0t_dataset *dataset, const f0t_vectors *vectors,
                        const f0t_eval_options *options, const f0t_context *context)
{
    F0T_ENTER(context);
    F0T_REQUIRE(out);
    *out = NULL;
    F0T_REQUIRE(dataset);
    F0T_REQUIRE(vectors);
    F0T_READ_OPTIONS(f0t_eval_options, F0T_EVAL_OPTIONS, options);
    comparison c = {.options = options, .writes = f0t_group_current()->rank == 0};
    F0T_TRY(f0t_alloc_zero(&c.eval, 1, sizeof *c.eval));
    c.eval->dataset = dataset;
    c.eval->seed = c.options->seed;
    f0t_status status = run(&c, vectors);
    status = f0t_details_finish(&c.details, status);
    f0t_free(c.others);
    f0t_free(c.class_vectors);
    f0t_neighbour_store_free(&c.store);
    if (status != F0T_OK) {
        tell_kept(&c);
        f0t_eval_free(c.eval);
    } else {
        *out = c.eval;
    }
    return status;
}

void f0t_eval_free(f0t_eval *e)
{
    if (!e)
        return;
    for (size_t i = 0; e->cells && i < e->plan.repeat * e->plan.method_count * F0T_SCENARIOS; i++)
        f0t_eval_cell_free(&e->cells[i]);
    f0t_free(e->cells);
    f0t_free(e->samples);
    f0t_free(e->sample_images);
    f0t_free(e->rows);
    f0t_free(e->values);
    f0t_free(e->knobs);
    f0t_free(e->differences);
    f0t_eval_tags_free(&e->tags);
    f0t_lock_release(&e->lock);
    f0t_free(e);
}

bool f0t_eval_keeps_others(const f0t_eval *e)
{
    return e->keeps_others;
}

static void take_knob(f0t_train_options *to, const char *name, double value)
{
    const struct {
        const char *name;
        double *to;
    } places[] = {{"rate", &to->rate},
                  {"decay", &to->decay},
                  {"dropout", &to->input_dropout},
                  {"lambda", &to->lambda},
                  {"ridge", &to->ridge}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!strcmp(name, places[i].name))
            *places[i].to = value;
}

f0t_status f0t_eval_train_options(f0t_train_options *options, const f0t_eval *eval,
                                  const char *method, const char *scenario)
{
    F0T_REQUIRE(options);
    F0T_REQUIRE(eval);
    F0T_REQUIRE(method);
    F0T_REQUIRE(scenario);
    f0t_train_options chosen = F0T_TRAIN_OPTIONS, *to = &chosen;
    F0T_TRY(f0t_options_read(&chosen, sizeof chosen, options, "f0t_train_options"));
    const f0t_eval_plan *plan = &eval->plan;
    f0t_scenario found;
    size_t m = 0;
    F0T_TRY(f0t_method_find(&to->method, method));
    F0T_TRY(f0t_scenario_find(&found, scenario, strlen(scenario)));
    while (m < plan->method_count && strcmp(plan->methods[m]->name, method) != 0)
        m++;
    if (m == plan->method_count || !plan->asked[found])
        return f0t_fail(F0T_ERROR_NOT_FOUND, "the comparison has no %s in %s", method, scenario);
    const f0t_eval_cell *cell = f0t_eval_cell_at(eval, 0, m, found);
    for (size_t i = 0; i < cell->knob_count; i++)
        take_knob(to, cell->knob_names[i], cell->knobs[i]);
    if (plan->hidden_count && to->method == F0T_METHOD_NET) {
        to->hidden_count = plan->hidden_count;
        memcpy(to->hidden, plan->hidden, sizeof to->hidden);
    }
    f0t_options_write(options, &chosen, sizeof chosen);
    return F0T_OK;
}

const char *f0t_eval_value_name(const f0t_eval *e, size_t i)
{
    return i < e->names.count ? e->names.names[i] : NULL;
}
