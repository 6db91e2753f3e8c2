/* fast0tag eval: compares methods on a dataset. */
#include "cli.h"
#include "eval_jobs.h"
#include "eval_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct options {
    const char *vectors, *methods, *scenarios, *unseen, *k, *format, *html, *figure, *paper;
    const char *arithmetic, *results, *hidden, *classes, *tasks, *train_images, *details;
    cli_list scores, add, set;
    size_t repeat, draws, epochs, trials, jobs, timeout;
    double budget;
    bool no_tune, keep_mean, per_class, list;
} options;

static const options defaults = {.format = "text", .arithmetic = "f32"};

/* Of several processes the first one has the files, and shows what came out. */
static bool is_first(const cli_context *cli)
{
    return f0t_context_rank(cli->context) == 0;
}

/* ---- Results ------------------------------------------------------------------------------- */

static f0t_status print_json(cli_context *cli, const f0t_eval *eval)
{
    json_t *list = json_array();
    cli_eval_list_rows(list, cli, eval, 0);
    return cli_print_json(cli, list);
}

static f0t_table_form form_of(const char *name)
{
    return !strcmp(name, "markdown") ? F0T_TABLE_MARKDOWN
           : !strcmp(name, "csv")    ? F0T_TABLE_CSV
           : !strcmp(name, "latex")  ? F0T_TABLE_LATEX
                                     : F0T_TABLE_TEXT;
}

static bool terminal_is_able(void)
{
    const char *term = getenv("TERM"), *plain = getenv("NO_COLOR"); /* no-color.org */
    return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0 && !(plain && *plain);
}

static f0t_eval_layout layout_of(const options *o)
{
    return (f0t_eval_layout){.size = sizeof(f0t_eval_layout),
                             .form = form_of(o->format),
                             .bold = terminal_is_able(),
                             .per_class = o->per_class,
                             .paper = o->paper};
}

static f0t_status print_tables(const options *o, const f0t_eval *eval)
{
    f0t_report *report;
    const f0t_eval_layout layout = layout_of(o);
    f0t_status status = f0t_eval_report(&report, eval, &layout);
    if (status != F0T_OK)
        return status;
    fputs(f0t_report_text(report), stdout);
    f0t_report_free(report);
    return F0T_OK;
}

static f0t_status show(cli_context *cli, const options *o, const f0t_eval *eval)
{
    if (!is_first(cli))
        return F0T_OK;
    f0t_status status = cli->json ? print_json(cli, eval) : print_tables(o, eval);
    if (status == F0T_OK && o->html)
        status = f0t_eval_save_page(eval, o->html, o->paper);
    return status;
}

/* ---- Methods ------------------------------------------------------------------------------ */

static f0t_status list_methods(cli_context *cli)
{
    static const char *const heads[] = {"method", "title", "source"};
    json_t *list = json_array();
    cli_table *table = cli_table_create(3, heads, "lll");
    for (size_t i = 0; f0t_eval_method_name(i); i++) {
        const char *cells[] = {f0t_eval_method_name(i), f0t_eval_method_title(i),
                               f0t_eval_method_source(i)};
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", heads[0], cells[0], heads[1],
                                              cells[1], heads[2], cells[2]));
        cli_table_add(table, cells);
    }
    if (!cli->json)
        cli_table_print(table, stdout);
    cli_table_free(table);
    if (cli->json)
        return cli_print_json(cli, list);
    json_decref(list);
    return F0T_OK;
}

/* ---- Running it --------------------------------------------------------------------------- */

/* Without --results the file is named by the comparison, and goes when all that it has is shown. */
static char *results_path(const options *o, uint64_t identity, size_t train_images)
{
    size_t size = 64 + (o->results ? strlen(o->results) : 0);
    char *path = cli_alloc(size);
    if (o->results && train_images)
        snprintf(path, size, "%s.%zu", o->results, train_images);
    else if (o->results)
        snprintf(path, size, "%s", o->results);
    else
        snprintf(path, size, "fast0tag-eval-%016" PRIx64 ".jsonl", identity);
    return path;
}

static void tell(const cli_context *cli, const char *format, const char *path)
{
    char line[600];
    snprintf(line, sizeof line, format, path);
    cli->monitor->log(cli->monitor->user, F0T_LOG_INFO, line);
}

/* What becomes of the results file. */
static void settle(const cli_context *cli, const options *o, const f0t_eval *eval, const char *path,
                   bool shown)
{
    if (!shown)
        tell(cli, "%s keeps the results: the same command shows them", path);
    else if (!o->results && f0t_eval_keeps_others(eval))
        tell(cli, "%s is kept: it has other results of this comparison as well", path);
    else if (!o->results)
        unlink(path);
}

/* A comparison and the file that keeps its results. */
typedef struct comparison {
    f0t_eval *eval;
    char *path; /* NULL: nothing is kept */
} comparison;

static void comparison_free(comparison *c)
{
    free(c->path);
    f0t_eval_free(c->eval);
}

static f0t_status run_one(comparison *c, cli_context *cli, const options *o,
                          const f0t_eval_options *eval_options, const f0t_dataset *dataset,
                          const f0t_vectors *vectors)
{
    f0t_eval_options with = *eval_options;
    uint64_t identity;
    f0t_status status = f0t_eval_identity(&identity, dataset, vectors, &with, cli->context);
    if (status != F0T_OK)
        return status;
    c->path = results_path(o, identity, with.train_images);
    if (!o->results && is_first(cli) && access(".", W_OK) != 0) {
        tell(cli, "%s cannot be created here: an interruption would lose the results so far",
             c->path);
        free(c->path);
        c->path = NULL;
    }
    with.results = c->path;
    return f0t_eval_run(&c->eval, dataset, vectors, &with, cli->context);
}

/* After the results were shown with this status. */
static void settle_shown(cli_context *cli, const options *o, const comparison *c, f0t_status status)
{
    if (c->path && is_first(cli))
        settle(cli, o, c->eval, c->path,
               status == F0T_OK && fflush(stdout) == 0 && !ferror(stdout));
}

static f0t_status compare(cli_context *cli, const options *o, const f0t_eval_options *eval_options,
                          const f0t_dataset *dataset, const f0t_vectors *vectors)
{
    comparison c = {0};
    f0t_status status = run_one(&c, cli, o, eval_options, dataset, vectors);
    if (status == F0T_OK) {
        status = show(cli, o, c.eval);
        settle_shown(cli, o, &c, status);
    }
    comparison_free(&c);
    return status;
}

/* ---- Learning curves ---------------------------------------------------------------------- */

typedef struct sizes {
    size_t images[F0T_CURVE_SIZES], count;
} sizes;

/* "100,300,1000", ascending. */
static f0t_status read_sizes(sizes *out, cli_context *cli, const char *list)
{
    *out = (sizes){.count = 0};
    bool more = true;
    for (char *end; more; list = end + 1) {
        const unsigned long number = strtoul(list, &end, 10);
        const size_t last = out->count ? out->images[out->count - 1] : 1;
        if (end == list || (*end && *end != ',') || *list < '0' || *list > '9' || number <= last ||
            number > 1000000000 || out->count == F0T_CURVE_SIZES)
            return cli_fail(cli, F0T_ERROR_ARGUMENT,
                            "--train-images: up to %d rising numbers such as 100,300,1000 are "
                            "expected",
                            F0T_CURVE_SIZES);
        out->images[out->count++] = number;
        more = *end == ',';
    }
    return F0T_OK;
}

static f0t_status show_curves(cli_context *cli, const options *o, const comparison *c,
                              const sizes *s)
{
    const f0t_eval *evals[F0T_CURVE_SIZES];
    const f0t_eval_layout layout = layout_of(o);
    f0t_report *report;
    if (!is_first(cli))
        return F0T_OK;
    json_t *list = json_array();
    for (size_t i = 0; i < s->count; i++) {
        evals[i] = c[i].eval;
        cli_eval_list_rows(list, cli, evals[i], s->images[i]);
    }
    f0t_status status =
        o->html ? f0t_eval_curves_save(evals, s->images, s->count, o->html) : F0T_OK;
    if (status == F0T_OK && cli->json)
        return cli_print_json(cli, list);
    json_decref(list);
    if (status == F0T_OK)
        status = f0t_eval_curves_report(&report, evals, s->images, s->count, &layout);
    if (status != F0T_OK)
        return status;
    fputs(f0t_report_text(report), stdout);
    f0t_report_free(report);
    return F0T_OK;
}

static f0t_status compare_sizes(cli_context *cli, const options *o,
                                const f0t_eval_options *eval_options, const f0t_dataset *dataset,
                                const f0t_vectors *vectors)
{
    comparison c[F0T_CURVE_SIZES] = {{0}};
    f0t_eval_options with = *eval_options;
    sizes s;
    f0t_status status = read_sizes(&s, cli, o->train_images);
    for (size_t i = 0; i < s.count && status == F0T_OK; i++) {
        with.train_images = s.images[i];
        status = run_one(&c[i], cli, o, &with, dataset, vectors);
    }
    if (status == F0T_OK) {
        status = show_curves(cli, o, c, &s);
        for (size_t i = 0; i < s.count; i++)
            settle_shown(cli, o, &c[i], status);
    }
    for (size_t i = 0; i < s.count; i++)
        comparison_free(&c[i]);
    return status;
}

/* ---- Methods of one's own ------------------------------------------------------------------ */

/* The methods that options name, with the memory of their names. */
typedef struct own_methods {
    f0t_eval_own *list;
    char **names;
    size_t count;
    char *set; /* the values of --set, separated by commas; NULL: none */
} own_methods;

static void own_free(own_methods *own)
{
    for (size_t i = 0; i < own->count; i++)
        free(own->names[i]);
    free(own->names);
    free(own->list);
    free(own->set);
}

/* NAME=PATH. */
static f0t_status own_add(own_methods *own, cli_context *cli, const char *option, const char *text,
                          bool program)
{
    const char *equals = strchr(text, '=');
    if (!equals)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--%s %s: NAME=%s is expected", option, text,
                        program ? "PROGRAM" : "SCORES");
    const size_t length = (size_t)(equals - text);
    char *name = cli_alloc(length + 1);
    memcpy(name, text, length);
    name[length] = 0;
    own->names[own->count] = name;
    own->list[own->count++] = (f0t_eval_own){.name = name,
                                             .scores = program ? NULL : equals + 1,
                                             .program = program ? equals + 1 : NULL};
    return F0T_OK;
}

static char *join(const cli_list *list)
{
    size_t size = 1;
    for (size_t i = 0; i < list->count; i++)
        size += strlen(list->items[i]) + 1;
    char *text = cli_alloc(size), *to = text;
    for (size_t i = 0; i < list->count; i++)
        to += snprintf(to, size - (size_t)(to - text), "%s%s", i ? "," : "", list->items[i]);
    return text;
}

static f0t_status own_read(own_methods *own, cli_context *cli, const options *o)
{
    const size_t count = o->scores.count + o->add.count;
    f0t_status status = F0T_OK;
    own->set = o->set.count ? join(&o->set) : NULL;
    own->list = cli_alloc((count + 1) * sizeof *own->list);
    own->names = cli_alloc((count + 1) * sizeof *own->names);
    for (size_t i = 0; i < o->scores.count && status == F0T_OK; i++)
        status = own_add(own, cli, "scores", o->scores.items[i], false);
    for (size_t i = 0; i < o->add.count && status == F0T_OK; i++)
        status = own_add(own, cli, "add", o->add.items[i], true);
    return status;
}

static f0t_eval_options convert(const cli_context *cli, const options *o)
{
    return (f0t_eval_options){.size = sizeof(f0t_eval_options),
                              .methods = o->methods,
                              .scenarios = o->scenarios,
                              .unseen = o->unseen,
                              .k = o->k,
                              .repeat = o->repeat,
                              .draws = o->draws,
                              .seed = cli->seed,
                              .no_tune = o->no_tune,
                              .trials = o->trials,
                              .budget = o->budget,
                              .epochs = o->epochs,
                              .hidden = o->hidden,
                              .bf16 = !strcmp(o->arithmetic, "bf16"),
                              .centred = !o->keep_mean,
                              .figure = o->figure,
                              .timeout = o->timeout,
                              .details = o->details};
}

static f0t_status check(cli_context *cli, const options *o, const f0t_eval_options *eval_options)
{
    if (cli->operand_count != 1)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "missing operand: DATASET");
    if (!o->vectors)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "missing --vectors FILE");
    if (o->jobs > 1 && !o->results)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--jobs needs --results FILE");
    if (f0t_context_processes(cli->context) > 1 && (o->jobs > 1 || o->tasks))
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--%s is for one process: start it without mpirun",
                        o->tasks ? "tasks" : "jobs");
    if (cli_given(cli, "budget") && !(o->budget > 0))
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--budget needs a number of seconds above zero");
    if (o->jobs > 256)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--jobs: %zu is too many", o->jobs);
    sizes curve = {.count = 0};
    f0t_status read = o->train_images ? read_sizes(&curve, cli, o->train_images) : F0T_OK;
    if (read != F0T_OK)
        return read;
    if (o->figure && !o->html)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--figure needs --html");
    if (o->paper && !o->html && (cli->json || !strcmp(o->format, "csv")))
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--compare-paper needs tables; %s has none",
                        cli->json ? "--json" : "--format csv");
    f0t_status status = f0t_eval_options_check(eval_options);
    if (status != F0T_OK || !is_first(cli))
        return status;
    if (o->results)
        status = cli_check_file(cli, "--results", o->results);
    return status == F0T_OK && o->html ? cli_check_folder(cli, "--html", o->html) : status;
}

/* No comparison: what it would be about. */
static f0t_status save_tasks(const cli_context *cli, const options *o,
                             const f0t_eval_options *eval_options, const f0t_dataset *dataset,
                             const f0t_vectors *vectors)
{
    f0t_status status = f0t_eval_save_tasks(o->tasks, dataset, vectors, eval_options, cli->context);
    if (status == F0T_OK)
        tell(cli, "%s has the tasks", o->tasks);
    return status;
}

static f0t_status run_on_data(cli_context *cli, const options *o, f0t_eval_options *eval_options)
{
    f0t_dataset *dataset = NULL;
    f0t_vectors *vectors = NULL;
    f0t_classes *classes = NULL;
    f0t_dataset_options split = F0T_DATASET_OPTIONS;
    f0t_vectors_options vector_options = {.size = sizeof(f0t_vectors_options)};
    f0t_status status = check(cli, o, eval_options);
    split.seed = cli->seed;
    if (status == F0T_OK && cli_vectors_swapped(cli->operands[0], o->vectors))
        status = cli_fail_swapped(cli, "DATASET --vectors FILE");
    if (status == F0T_OK)
        status = f0t_dataset_open(&dataset, cli->operands[0], &split, cli->context);
    if (status == F0T_OK)
        status = f0t_vectors_open(&vectors, o->vectors, &vector_options, cli->context);
    if (status == F0T_OK)
        /* whatever methods are asked for: others may be added to the same results later */
        status = f0t_classes_open_for(&classes, o->classes, dataset, cli->context);
    eval_options->classes = classes;
    if (status == F0T_OK)
        status = o->tasks          ? save_tasks(cli, o, eval_options, dataset, vectors)
                 : o->train_images ? compare_sizes(cli, o, eval_options, dataset, vectors)
                                   : compare(cli, o, eval_options, dataset, vectors);
    f0t_classes_close(classes);
    f0t_vectors_close(vectors);
    f0t_dataset_close(dataset);
    return status;
}

/* The methods of one's own are read, and the options that name them made. */
static f0t_status run_here(cli_context *cli, const options *o)
{
    f0t_eval_options eval_options = convert(cli, o);
    own_methods own = {0};
    f0t_status status = own_read(&own, cli, o);
    eval_options.own = own.list;
    eval_options.own_count = own.count;
    eval_options.set = own.set;
    if (status == F0T_OK)
        status = run_on_data(cli, o, &eval_options);
    own_free(&own);
    return status;
}

/* In a process of its own: one method, and nothing is shown. Those of one's own are left to the last one,
 * which shows all. */
static f0t_status run_job(cli_context *cli, const void *values, const char *method,
                          const char *results)
{
    options o = *(const options *)values;
    o.methods = method;
    o.results = results;
    o.html = o.figure = o.details = NULL;
    o.scores.count = o.add.count = 0;
    return run_here(cli, &o);
}

static f0t_status run(cli_context *cli, const void *values)
{
    const options *o = values;
    const f0t_eval_options eval_options = convert(cli, o);
    const eval_jobs jobs = {.methods = o->methods,
                            .results = o->results,
                            .jobs = o->jobs,
                            .options = o,
                            .run = run_job};
    if (o->list)
        return list_methods(cli);
    f0t_status status = o->jobs > 1 ? check(cli, o, &eval_options) : F0T_OK;
    if (status == F0T_OK && o->jobs > 1)
        status = cli_eval_jobs(cli, &jobs);
    return status == F0T_OK ? run_here(cli, o) : status;
}

#define AT(field) offsetof(options, field)

static const cli_option table[] = {
    {"vectors", 0, CLI_TEXT, AT(vectors), "FILE", "Word vectors of the tags, in any form.", NULL},
    {"methods", 0, CLI_TEXT, AT(methods), "LIST",
     "Names separated by commas, or all. Default all; --list shows them. seen2unseen:net, or with "
     "another name, is Seen2Unseen over that method.",
     NULL},
    {"scenarios", 0, CLI_TEXT, AT(scenarios), "LIST",
     "Of conventional, conventional-unseen, zero-shot, seen-unseen, open, or all of these; and "
     "completion. Default all.",
     NULL},
    {"unseen", 0, CLI_TEXT, AT(unseen), "HOW-MANY",
     "Draw the unseen tags by seed, balanced by how common they are: a share such as 20%, or a "
     "number. Default: the dataset's lists, else 20%.",
     NULL},
    {"repeat", 0, CLI_COUNT, AT(repeat), "N",
     "Run with N seeds; tables show mean and standard deviation. Default 1.", NULL},
    {"draws", 0, CLI_COUNT, AT(draws), "N",
     "Run with N draws of the unseen tags, as many as the dataset lists or --unseen says; else as "
     "--repeat. Tables show means over the draws, and which methods are ahead beyond chance.",
     NULL},
    {"k", 'k', CLI_TEXT, AT(k), "LIST",
     "How many first tags count as predicted: one or more numbers. Default 3,5.", NULL},
    {"no-tune", 0, CLI_FLAG, AT(no_tune), NULL, "Do not tune: the values that train chooses.",
     NULL},
    {"trials", 0, CLI_COUNT, AT(trials), "N",
     "Maximum number of settings that tuning tries per method and training. Default 16.", NULL},
    {"budget", 0, CLI_REAL, AT(budget), "SECONDS",
     "Processor time of tuning per method and training, counted from sizes, not by a clock. What "
     "cannot try two settings within it is not tuned. Default 30.",
     NULL},
    {"epochs", 0, CLI_COUNT, AT(epochs), "N",
     "Epochs of iterative methods. Default: each method's own, with early stopping.", NULL},
    {"hidden", 0, CLI_TEXT, AT(hidden), "UNITS",
     "Units of the hidden layers of net and warp, such as 512,256. Default as for train.", NULL},
    {"classes", 0, CLI_TEXT, AT(classes), "FILE.onnx",
     "The network that made the features, whose classes the blend asks about new words. Default: "
     "the one that the dataset names, if its classes have names.",
     NULL},
    {"arithmetic", 0, CLI_CHOICE, AT(arithmetic), "TYPE",
     "Arithmetic of the matrix products. Default f32.", "f32|bf16"},
    {"keep-mean", 0, CLI_FLAG, AT(keep_mean), NULL,
     "Do not subtract the mean of the vector file from the tag vectors.", NULL},
    {"results", 0, CLI_TEXT, AT(results), "FILE",
     "Store the results in this file as each method ends, and resume from it. Default: a file in "
     "the current folder that is deleted at the end.",
     NULL},
    {"train-images", 0, CLI_TEXT, AT(train_images), "LIST",
     "Learning curves: compare with so many training images, such as 100,300,1000; tables show "
     "MiAP by their number, --html writes plots. Results go to FILE.NUMBER.",
     NULL},
    {"jobs", 0, CLI_COUNT, AT(jobs), "N",
     "Run N methods at a time, each in a process of its own with its share of the threads; needs "
     "--results. Default 1.",
     NULL},
    {"format", 0, CLI_CHOICE, AT(format), "FORM", "Format of the tables. Default text.",
     "text|markdown|csv|latex"},
    {"per-class", 0, CLI_FLAG, AT(per_class), NULL,
     "Print the means over tags as well, and how many tags were predicted correctly at least once.",
     NULL},
    {"compare-paper", 0, CLI_CHOICE, AT(paper), "DATA",
     "Print the paper's published row under ours, with the difference.", "nuswide|iaprtc12"},
    {"html", 0, CLI_TEXT, AT(html), "FOLDER",
     "Write FOLDER/index.html with tables, charts and the tags of some test images.", NULL},
    {"scores", 0, CLI_LIST, AT(scores), "NAME=SCORES",
     "Scores of your own as the method NAME: an .npy file, test images x ranked tags, for one "
     "scenario, or a folder with zero-shot.npy and so on. May be repeated.",
     NULL},
    {"add", 0, CLI_LIST, AT(add), "NAME=PROGRAM",
     "A program of your own as the method NAME: it is called with a folder that has the task, and "
     "writes scores.npy there. May be repeated.",
     NULL},
    {"set", 0, CLI_LIST, AT(set), "METHOD.KNOB=VALUE",
     "Fix a hyper-parameter instead of tuning it, such as net.rate=0.001. May be repeated.", NULL},
    {"details", 0, CLI_TEXT, AT(details), "FOLDER",
     "Write FOLDER/SCENARIO-images.csv and SCENARIO-tags.csv: the average precision of every test "
     "image and every tag by every method.",
     NULL},
    {"timeout", 0, CLI_COUNT, AT(timeout), "SECONDS",
     "How long one run of such a program may take. Default 3600.", NULL},
    {"tasks", 0, CLI_TEXT, AT(tasks), "FOLDER",
     "Write FOLDER/SCENARIO with what such a program would get, and exit: images.txt and "
     "ranked.txt are the rows and columns of scores.",
     NULL},
    {"figure", 0, CLI_TEXT, AT(figure), "LIST",
     "Methods whose tags that page shows, or all. Default net and the best other.", NULL},
    {"list", 0, CLI_FLAG, AT(list), NULL, "List the methods with their sources, and exit.", NULL},
    {.name = NULL},
};

static const cli_conflict conflicts[] = {{"json", "format"},
                                         {"no-tune", "trials"},
                                         {"no-tune", "budget"},
                                         {"repeat", "draws"},
                                         {"tasks", "results"},
                                         {"tasks", "html"},
                                         {"tasks", "json"},
                                         {"tasks", "train-images"},
                                         {"details", "train-images"},
                                         {"jobs", "train-images"},
                                         {"compare-paper", "train-images"},
                                         {"figure", "train-images"},
                                         {.one = NULL}};

static const cli_example examples[] = {
    {"fast0tag eval flickr8k --vectors glove.txt --html comparison",
     "Compares all methods in all scenarios, and writes a page."},
    {"fast0tag eval flickr8k --vectors glove.txt --methods net,conse,random --scenarios zero-shot",
     "Three methods, ranking tags they have not seen."},
    {"fast0tag eval photos --vectors glove.txt --unseen 20% --draws 5 --format markdown",
     "Five draws of the unseen tags, as a table for a README."},
    {"fast0tag eval flickr8k --vectors glove.txt --methods net --scenarios zero-shot --scores "
     "mine=scores.npy",
     "Scores of your own beside a method's, with the same metrics and tests."},
    {"fast0tag eval --list", "Lists the methods."},
    {.command = NULL},
};

const cli_verb cli_verb_eval = {
    .name = "eval",
    .summary = "compare methods on a dataset",
    .operands = "DATASET",
    .least = 0,
    .most = 1,
    .description =
        "Tunes, trains and tests published methods and our own on the same features, tags and "
        "images. Methods are tuned on the validation images, and annotations of unseen tags are "
        "never used where unseen tags are ranked; each method is then tested once.\n\n"
        "Scenarios: conventional learns and ranks all tags; conventional-unseen only the unseen "
        "ones; zero-shot learns the seen tags and ranks the unseen; seen-unseen ranks both; open "
        "ranks every other tag of the dataset; completion learns all tags, is given half of an "
        "image's, and ranks the others. A dash means that the method does not apply to the "
        "scenario.\n\n"
        "Results are stored as each method ends: after an interruption the same command continues "
        "where it stopped.",
    .options = table,
    .conflicts = conflicts,
    .examples = examples,
    .json = true,
    .device = true,
    .seed = true,
    .processes = true,
    .pictures = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run,
};
