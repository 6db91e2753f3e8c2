/* fast0tag demo: everything once, on real pictures. */
#include "cli.h"

#include <math.h>
#include <string.h>

typedef struct options {
    const char *output, *vectors, *wordnet, *methods;
    size_t epochs;
} options;

/* ---- The result --------------------------------------------------------------------------- */

static double value_of(const f0t_eval_row *row, const char *name)
{
    for (size_t i = 0; i < row->value_count; i++)
        if (!strcmp(row->values[i].name, name))
            return row->values[i].mean;
    return (double)NAN;
}

static json_t *describe_rows(const f0t_eval *eval)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f0t_eval_row_count(eval); i++) {
        const f0t_eval_row *row = f0t_eval_get_row(eval, i);
        const double miap = value_of(row, "miap");
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:I, s:I, s:o}", "method", row->method,
                                        "scenario", row->scenario, "images",
                                        (json_int_t)row->images, "tags", (json_int_t)row->tags,
                                        "miap", isfinite(miap) ? json_real(miap) : json_null()));
    }
    return list;
}

static f0t_status show(cli_context *cli, const f0t_demo *demo, const char *folder)
{
    if (!cli->json) {
        fputs(demo->story, stdout);
        printf("\n'fast0tag serve --demo -o ");
        cli_print_shown(stdout, folder);
        printf("' shows the pictures in a browser, to search and to review.\n");
        return F0T_OK;
    }
    return cli_print_json(
        cli, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:o}", "page", demo->page,
                       "pictures", (json_int_t)demo->pictures, "images", (json_int_t)demo->images,
                       "tags", (json_int_t)demo->tags, "seen", (json_int_t)demo->seen, "unseen",
                       (json_int_t)demo->unseen, "nouns", (json_int_t)demo->nouns, "seconds",
                       demo->seconds, "rows", describe_rows(demo->eval)));
}

/* As soon as there is a page to look at, and again as it grows. */
static void tell_written(void *user, const char *page, const char *to_come, double seconds)
{
    const cli_context *cli = user;
    if (cli->json)
        return;
    cli_print_shown(stdout, page);
    if (*to_come)
        printf(" can be looked at, after %.0f s; still to come: %s.\n", seconds, to_come);
    else
        printf(" is complete, after %.0f s.\n\n", seconds);
    fflush(stdout);
}

static f0t_status run(cli_context *cli, const void *given)
{
    const options *o = given;
    f0t_demo *demo = NULL;
    if (!o->output)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "missing -o DIR, the folder for the page");
    const f0t_demo_options how = {.size = sizeof(f0t_demo_options),
                                  .pictures = cli->operand_count ? cli->operands[0] : NULL,
                                  .vectors = o->vectors,
                                  .wordnet = o->wordnet,
                                  .seed = cli->seed,
                                  .methods = o->methods,
                                  .epochs = o->epochs,
                                  .written = tell_written,
                                  .user = cli};
    f0t_status status = f0t_demo_run(&demo, o->output, &how, cli->context);
    if (status == F0T_OK)
        status = show(cli, demo, o->output);
    f0t_demo_free(demo);
    return status;
}

#define AT(field) offsetof(options, field)

static const cli_option table[] = {
    {"output", 'o', CLI_TEXT, AT(output), "DIR",
     "Folder for index.html and for what a second run reuses.", NULL},
    {"vectors", 0, CLI_TEXT, AT(vectors), "FILE",
     "Word vectors in any form. Default: made from WordNet.", NULL},
    {"wordnet", 0, CLI_TEXT, AT(wordnet), "FOLDER",
     "WordNet's database files. Default " F0T_WORDNET_FOLDER ".", NULL},
    {"methods", 0, CLI_TEXT, AT(methods), "LIST",
     "What to compare the blend with, besides chance, frequency, linear and net; 'fast0tag eval "
     "--list' lists all. Default tagprop,conse.",
     NULL},
    {"epochs", 0, CLI_COUNT, AT(epochs), "N",
     "Epochs of iterative methods. Default: each method's own; of the blend 15.", NULL},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"fast0tag demo -o demo", "On the clip art of Debian's package openclipart-svg."},
    {"fast0tag demo ~/Pictures -o demo", "On your own pictures, with their keywords."},
    {.command = NULL},
};

const cli_verb cli_verb_demo = {
    .name = "demo",
    .summary = "demonstrate everything on real pictures",
    .operands = "[FOLDER]",
    .least = 0,
    .most = 1,
    .description =
        "Takes pictures that people have tagged, cleans the tags, holds out a fifth of them, "
        "learns from the others and tags pictures with words that were never in training: first "
        "the held-out tags, then thousands of nouns of WordNet. Compares with simpler ways of "
        "tagging. Prints a short story with a table, and writes a page with pictures, which can be "
        "looked at after a minute or less and grows.\n\n"
        "Without FOLDER the pictures are those of Debian's package openclipart-svg. A second run "
        "reuses features, vectors, results and the model.",
    .options = table,
    .examples = examples,
    .json = true,
    .seed = true,
    .pictures = true,
    .options_size = sizeof(options),
    .run = run,
};
