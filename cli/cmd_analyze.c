/* fast0tag analyze: is there a principal direction, and what does it look like. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct options {
    cli_list vectors, images;
    const char *output, *unseen, *part, *dims, *lambdas, *hinge, *sizes;
    size_t sample, offsets;
    double perplexity;
    bool centred, control;
} options;

static const options defaults = {
    .hinge = "squared", .part = "all", .sample = 1000, .offsets = 20000, .perplexity = 30};

enum { LIST_MOST = 100 };

/* The lists that the options point to. */
typedef struct lists {
    double lambdas[LIST_MOST];
    size_t dims[LIST_MOST];
    size_t sizes[LIST_MOST];
} lists;

/* ---- Options to what the library wants ---------------------------------------------------- */

/* Numbers such as 50,100,200 into values[LIST_MOST]. */
static f0t_status parse_list(cli_context *cli, double *values, size_t *count, const char *name,
                             const char *text)
{
    *count = 0;
    for (const char *at = text; *at;) {
        char *end;
        errno = 0;
        values[*count] = strtod(at, &end);
        if (end == at || errno || (*end && *end != ',') || !(values[*count] > 0))
            return cli_fail(cli, F0T_ERROR_ARGUMENT, "%s: '%s' is not a list such as %s", name,
                            text, strcmp(name, "--lambdas") ? "50,100,200" : "0.01,1,100");
        if (++*count == LIST_MOST)
            return cli_fail(cli, F0T_ERROR_ARGUMENT, "%s: fewer than %d values", name, LIST_MOST);
        at = *end ? end + 1 : end;
    }
    return F0T_OK;
}

static f0t_status parse_counts(cli_context *cli, size_t *counts, size_t *count, const char *name,
                               const char *text)
{
    double values[LIST_MOST];
    f0t_status status = parse_list(cli, values, count, name, text);
    for (size_t i = 0; status == F0T_OK && i < *count; i++) {
        counts[i] = values[i] < 1e9 ? (size_t)values[i] : 0;
        if ((double)counts[i] != values[i])
            status = cli_fail(cli, F0T_ERROR_ARGUMENT, "%s: '%s' has a fraction%s", name, text,
                              strcmp(name, "--dims") ? "" : " of a dimension");
    }
    return status;
}

/* Such as 1000,10000,all; all is last. */
static f0t_status parse_sizes(cli_context *cli, f0t_study_options *to, lists *l, const char *text)
{
    static const char all[] = "all";
    const size_t length = strlen(text), end = length < strlen(all) ? 0 : length - strlen(all);
    const bool has_all = !strcmp(text + end, all) && (!end || text[end - 1] == ',');
    char numbers[256];
    const size_t kept = has_all ? (end ? end - 1 : 0) : length;
    if (!length || kept >= sizeof numbers)
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "--vocabulary-sizes: a list such as 1000,10000,all is expected");
    memcpy(numbers, text, kept);
    numbers[kept] = 0;
    f0t_status status =
        parse_counts(cli, l->sizes, &to->vocabulary_size_count, "--vocabulary-sizes", numbers);
    if (has_all)
        l->sizes[to->vocabulary_size_count++] = SIZE_MAX;
    to->vocabulary_sizes = l->sizes;
    return status;
}

static f0t_status convert(cli_context *cli, f0t_study_options *to, lists *l, const options *o)
{
    *to = (f0t_study_options)F0T_STUDY_OPTIONS;
    to->seed = cli->seed;
    to->unseen = o->unseen;
    to->part = strcmp(o->part, "all") ? o->part : NULL;
    to->centred = o->centred;
    to->control = o->control;
    to->hinge = strcmp(o->hinge, "plain") ? F0T_HINGE_SQUARED : F0T_HINGE_PLAIN;
    to->images = o->images.count ? o->images.items : NULL;
    to->image_count = o->images.count;
    to->sample = o->sample;
    to->offsets = o->offsets;
    to->perplexity = o->perplexity;
    f0t_status status = F0T_OK;
    if (o->lambdas) {
        status = parse_list(cli, l->lambdas, &to->lambda_count, "--lambdas", o->lambdas);
        to->lambdas = l->lambdas;
    }
    if (status == F0T_OK && o->dims)
        status = parse_counts(cli, l->dims, &to->dim_count, "--dims", o->dims);
    to->dims = to->dim_count ? l->dims : NULL;
    return status == F0T_OK && o->sizes ? parse_sizes(cli, to, l, o->sizes) : status;
}

/* ---- The result --------------------------------------------------------------------------- */

static void print_number(char *to, size_t size, double value)
{
    snprintf(to, size, "%.2f", value);
}

static void add_row(cli_table *table, const char *vectors, const char *dim, double lambda,
                    double existence, double satisfied, const double *unseen)
{
    char cells[4][32];
    cells[0][0] = 0;
    if (lambda > 0)
        snprintf(cells[0], sizeof cells[0], "%g", lambda);
    print_number(cells[1], sizeof cells[1], existence);
    print_number(cells[2], sizeof cells[2], satisfied);
    if (unseen)
        print_number(cells[3], sizeof cells[3], *unseen);
    else
        strcpy(cells[3], "-");
    if (lambda <= 0)
        strcpy(cells[2], "-");
    cli_table_add(table, (const char *[]){vectors, dim, cells[0], cells[1], cells[2], cells[3]});
}

static double best_of(const double *values, size_t count)
{
    double best = 0;
    for (size_t i = 0; values && i < count; i++)
        best = values[i] > best ? values[i] : best;
    return best;
}

/* Each number at its best λ. */
static void print_scales(const f0t_study *study)
{
    static const char *const heads[] = {"tags and words", "dim",       "no violation",
                                        "any tags",       "any words", "dimension alone",
                                        "unseen MiAP",    "any tags"};
    cli_table *table = cli_table_create(8, heads, "rrrrrrrr");
    const size_t n = study->lambda_count;
    for (size_t i = 0; i < study->scale_count; i++) {
        const f0t_study_scale *s = &study->scales[i];
        char cells[8][32];
        snprintf(cells[0], sizeof cells[0], "%zu", s->tags);
        snprintf(cells[1], sizeof cells[1], "%zu", s->real.dim);
        print_number(cells[2], sizeof cells[2], best_of(s->real.satisfied, n));
        print_number(cells[3], sizeof cells[3], best_of(s->control.satisfied, n));
        print_number(cells[4], sizeof cells[4], best_of(s->any_words.satisfied, n));
        print_number(cells[5], sizeof cells[5], s->chance);
        print_number(cells[6], sizeof cells[6], best_of(s->real.generalisation_rules, n));
        print_number(cells[7], sizeof cells[7], best_of(s->control.generalisation_rules, n));
        for (int k = 6; k < 8; k++)
            if (!s->real.generalisation)
                strcpy(cells[k], "-");
        cli_table_add(table, (const char *[]){cells[0], cells[1], cells[2], cells[3], cells[4],
                                              cells[5], cells[6], cells[7]});
    }
    printf("\nWords of the vector file as irrelevant tags, %zu rules, the best lambda for each "
           "number:\n",
           study->scale_rules);
    cli_table_print(table, stdout);
    cli_table_free(table);
}

static void print_study(const f0t_study *study, const char *folder)
{
    static const char *const heads[] = {"vectors",   "dim",          "lambda",
                                        "seen MiAP", "no violation", "unseen MiAP"};
    cli_table *table = cli_table_create(6, heads, "lrrrrr");
    for (size_t i = 0; i < study->curve_count; i++)
        for (size_t k = 0; k < study->lambda_count; k++) {
            const f0t_study_curve *c = &study->curves[i];
            char dim[24];
            snprintf(dim, sizeof dim, "%zu", c->dim);
            add_row(table, c->control ? "control" : c->vectors, dim, study->lambdas[k],
                    c->existence[k], c->satisfied[k],
                    c->generalisation ? &c->generalisation[k] : NULL);
        }
    add_row(table, "random order", "", 0, study->random_existence, 0,
            study->tested ? &study->random_generalisation : NULL);
    cli_table_print(table, stdout);
    cli_table_free(table);
    if (study->scale_count)
        print_scales(study);
    printf("\n");
    for (size_t i = 0; i < study->finding_count; i++)
        cli_print_wrapped(stdout, 0, study->findings[i]);
    printf("\n%s/index.html: %zu rules, %.1f s\n", folder, study->rules, study->seconds);
}

static f0t_status report(cli_context *cli, const f0t_study *study, const char *folder)
{
    if (!cli->json) {
        print_study(study, folder);
        return F0T_OK;
    }
    size_t size = strlen(folder) + sizeof "/study.json";
    char *path = cli_alloc(size);
    snprintf(path, size, "%s/study.json", folder);
    json_t *numbers = json_load_file(path, 0, NULL);
    free(path);
    return cli_print_json(cli, numbers);
}

/* ---- Running it --------------------------------------------------------------------------- */

/* A directory, or a list of tags alone. */
static f0t_status open_dataset(cli_context *cli, f0t_dataset **out)
{
    const char *path = cli->operands[0];
    struct stat found;
    f0t_dataset_options split = F0T_DATASET_OPTIONS;
    split.seed = cli->seed;
    if (!stat(path, &found) && S_ISREG(found.st_mode))
        return f0t_dataset_open_files(out, NULL, path, &split, cli->context);
    return f0t_dataset_open(out, path, &split, cli->context);
}

static f0t_status study(cli_context *cli, const options *o, const f0t_dataset *dataset,
                        const f0t_vectors *const *vectors)
{
    lists l;
    f0t_study_options wanted;
    f0t_study *result = NULL;
    f0t_status status = convert(cli, &wanted, &l, o);
    if (status == F0T_OK)
        status = f0t_study_run(&result, dataset, vectors, o->vectors.count, &wanted, cli->context);
    if (status == F0T_OK)
        status = f0t_study_save(result, o->output, cli->context);
    if (status == F0T_OK)
        status = report(cli, result, o->output);
    f0t_study_free(result);
    return status;
}

static f0t_status run(cli_context *cli, const void *values)
{
    const options *o = values;
    const f0t_vectors_options vector_options = {.size = sizeof(f0t_vectors_options)};
    f0t_dataset *dataset = NULL;
    if (!o->vectors.count || !o->output)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "missing %s",
                        o->output ? "--vectors FILE" : "-o DIR");
    f0t_vectors **vectors = cli_alloc(o->vectors.count * sizeof(f0t_vectors *));
    f0t_status status = cli_check_folder(cli, "-o", o->output);
    if (status == F0T_OK && cli_vectors_swapped(cli->operands[0], o->vectors.items[0]))
        status = cli_fail_swapped(cli, "DATASET --vectors FILE -o DIR");
    if (status == F0T_OK)
        status = open_dataset(cli, &dataset);
    for (size_t i = 0; status == F0T_OK && i < o->vectors.count; i++)
        status = f0t_vectors_open(&vectors[i], o->vectors.items[i], &vector_options, cli->context);
    if (status == F0T_OK)
        status = study(cli, o, dataset, (const f0t_vectors *const *)vectors);
    for (size_t i = 0; i < o->vectors.count; i++)
        f0t_vectors_close(vectors[i]);
    free(vectors);
    f0t_dataset_close(dataset);
    return status;
}

#define AT(field) offsetof(options, field)

static const cli_option table[] = {
    {"vectors", 0, CLI_LIST, AT(vectors), "FILE",
     "Word vectors of the tags, in any form. Given several times, the files are compared on the "
     "tags that all of them have.",
     NULL},
    {"output", 'o', CLI_TEXT, AT(output), "DIR",
     "Folder for index.html, the figures *.svg, curves.csv and study.json.", NULL},
    {"dims", 0, CLI_TEXT, AT(dims), "LIST",
     "Also reduce the vectors to these numbers of principal components, such as 50,100,200,300. "
     "Default: as they are.",
     NULL},
    {"unseen", 0, CLI_TEXT, AT(unseen), "N|SHARE%|none",
     "Draw N tags, or this share of them, as unseen tags by seed; none: all are seen. Default: the "
     "dataset's lists, else 20%.",
     NULL},
    {"part", 0, CLI_CHOICE, AT(part), "PART", "The images that make the rules. Default all.",
     "all|train|val|test"},
    {"lambdas", 0, CLI_TEXT, AT(lambdas), "LIST",
     "Regularisations of the ranking SVMs, ascending. Default 0.001,0.01,0.1,1,10,100,1000.", NULL},
    {"hinge", 0, CLI_CHOICE, AT(hinge), "KIND",
     "Loss of the ranking SVMs: squared, or the paper's plain one, which takes longer. Default "
     "squared.",
     "squared|plain"},
    {"vocabulary-sizes", 0, CLI_TEXT, AT(sizes), "LIST",
     "Also with so many words of the first vector file, drawn by seed, as irrelevant tags beside "
     "the seen ones, such as 1000,10000,100000,all, on a sample of the rules: beside the control "
     "and what dimension alone gives. Many words take minutes: give a small --sample and few "
     "--lambdas.",
     NULL},
    {"centred", 0, CLI_FLAG, AT(centred), NULL,
     "Subtract the mean of the vector file first, as train does.", NULL},
    {"control", 0, CLI_FLAG, AT(control), NULL,
     "Also with the vectors permuted among the tags by seed: what the same rules give when words "
     "mean nothing. Takes twice as long.",
     NULL},
    {"image", 0, CLI_LIST, AT(images), "IMAGE",
     "An image whose offsets are drawn: a line of images.txt, or a number from 1. May be given "
     "several times. Default: one with 5 relevant tags, and the one with the most.",
     NULL},
    {"sample", 0, CLI_COUNT, AT(sample), "N",
     "Size of the sample of rules for cosines, several directions and large vocabularies. "
     "Default 1000.",
     NULL},
    {"offsets", 0, CLI_COUNT, AT(offsets), "N",
     "Maximum number of offsets per picture. Default 20000.", NULL},
    {"perplexity", 0, CLI_REAL, AT(perplexity), "X",
     "Perplexity of t-SNE, about the number of neighbours that count. Default 30.", NULL},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"fast0tag analyze flickr8k --vectors glove.txt -o study",
     "The study with one set of vectors."},
    {"fast0tag analyze flickr8k --vectors glove.txt --dims 50,100,200,300 -o study",
     "What fewer dimensions cost."},
    {"fast0tag analyze tags.txt --vectors glove.txt --vectors word2vec.bin --unseen 16 -o study",
     "A list of tags alone, two sets of vectors, 16 tags drawn as unseen ones."},
    {"fast0tag analyze flickr8k --vectors wordnet.safetensors --vocabulary-sizes 1000,10000,all "
     "--sample 100 --lambdas 0.01,100 -o study",
     "What is left when the irrelevant tags are a dictionary."},
    {.command = NULL},
};

const cli_verb cli_verb_analyze = {
    .name = "analyze",
    .summary = "analyze whether tags are ranked along a direction",
    .operands = "DATASET|TAGS.txt",
    .least = 1,
    .most = 1,
    .description = "Looks for the principal direction of each image's tags in the space of word "
                   "vectors: does it exist, does it hold for tags that had no part in finding it, "
                   "and how are the offsets between relevant and irrelevant tags arranged? Labels "
                   "are enough, features are not used.\n\n"
                   "Writes a page that needs no other file, the figures and the numbers; prints "
                   "the curves and what was found. All MiAPs are in percent.",
    .options = table,
    .examples = examples,
    .json = true,
    .seed = true,
    .pictures = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run,
};
