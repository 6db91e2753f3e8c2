/* fast0tag index: brings a catalogue up to date with folders of pictures. */
#include "cli.h"

typedef struct options {
    f0t_index_options index;
    const char *catalogue, *arithmetic;
    bool watch;
} options;

static const options defaults = {.index = F0T_INDEX_OPTIONS, .arithmetic = "f32"};

/* A command that follows folders. */
typedef struct watch {
    cli_context *cli;
    const char *catalogue;
    size_t looks;
} watch;

static json_t *to_json(const f0t_index_report *r, const char *catalogue)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f}", "catalogue", catalogue,
                     "found", (json_int_t)r->found, "added", (json_int_t)r->added, "changed",
                     (json_int_t)r->changed, "moved", (json_int_t)r->moved, "updated",
                     (json_int_t)r->updated, "unchanged", (json_int_t)r->unchanged, "missing",
                     (json_int_t)r->missing, "unreadable", (json_int_t)r->unreadable, "seconds",
                     r->seconds);
}

static void print_count(size_t count, const char *what)
{
    if (count)
        printf(", %zu %s", count, what);
}

static f0t_status show(cli_context *cli, const f0t_index_report *r, const char *catalogue)
{
    if (cli->json)
        return cli_print_json(cli, to_json(r, catalogue));
    cli_print_shown(stdout, catalogue);
    printf(": %zu picture%s", r->found, r->found == 1 ? "" : "s");
    print_count(r->added, "added");
    print_count(r->changed, "changed");
    print_count(r->moved, "moved");
    print_count(r->updated, "updated");
    print_count(r->unchanged, "unchanged");
    print_count(r->missing, "missing");
    print_count(r->unreadable, "unreadable");
    printf("\n");
    return F0T_OK;
}

/* A line, or an object, for each look that found something. */
static void tell(void *user, const f0t_index_report *r)
{
    watch *w = user;
    if (r->added || r->changed || r->moved || r->updated || r->missing || w->looks == 0)
        (void)show(w->cli, r, w->catalogue);
    w->looks++;
    fflush(stdout);
}

static f0t_status follow(cli_context *cli, f0t_catalogue *catalogue, f0t_index_options *index)
{
    watch w = {.cli = cli, .catalogue = f0t_catalogue_path(catalogue)};
    index->indexed = tell;
    index->user = &w;
    return f0t_catalogue_watch(catalogue, cli->operands, cli->operand_count, index, cli->context);
}

static f0t_status index_once(cli_context *cli, f0t_catalogue *catalogue,
                             const f0t_index_options *index)
{
    f0t_index_report report;
    f0t_status status = f0t_catalogue_index(&report, catalogue, cli->operands, cli->operand_count,
                                            index, cli->context);
    return status == F0T_OK ? show(cli, &report, f0t_catalogue_path(catalogue)) : status;
}

static f0t_status run(cli_context *cli, const void *given)
{
    const options *o = given;
    f0t_catalogue_options how = F0T_CATALOGUE_OPTIONS;
    f0t_index_options index = o->index;
    f0t_catalogue *catalogue;
    how.mode = F0T_CATALOGUE_CREATE;
    index.bf16 = o->arithmetic[0] == 'b';
    f0t_status status = f0t_catalogue_open(&catalogue, o->catalogue, &how);
    if (status == F0T_OK)
        status = o->watch ? follow(cli, catalogue, &index) : index_once(cli, catalogue, &index);
    f0t_catalogue_close(catalogue);
    return status;
}

#define AT(field) offsetof(options, field)

static const cli_option table[] = {
    CLI_CATALOGUE_OPTION(AT(catalogue)),
    {"model", 'm', CLI_TEXT, AT(index.model), "MODEL",
     "What suggests tags; the catalogue remembers it. Default: the model that it has.", NULL},
    {"backbone", 0, CLI_TEXT, AT(index.backbone), "WHAT",
     "Without a model, what computes the features: 'builtin', or a network, FILE.onnx. Default: "
     "as before, at first builtin.",
     NULL},
    {"preset", 0, CLI_CHOICE, AT(index.preset), "NAME",
     "How pictures are prepared for the network. Default: as FILE.json beside it says.",
     "imagenet|caffe-vgg|mobilenet|clip"},
    {"features-output", 0, CLI_TEXT, AT(index.output), "NAME",
     "Which value of the network is the features. Default: what its classifier takes.", NULL},
    {"arithmetic", 0, CLI_CHOICE, AT(arithmetic), "TYPE", "Arithmetic of the network. Default f32.",
     "f32|bf16"},
    {"again", 0, CLI_FLAG, AT(index.again), NULL,
     "Also try pictures again that could not be read and have not changed.", NULL},
    {"watch", 'w', CLI_FLAG, AT(watch), NULL,
     "Follow the folders, and index what changes, until Ctrl-C.", NULL},
    {"settle", 0, CLI_REAL, AT(index.settle), "SECONDS",
     "With --watch: time without a change before it is looked at. Default 2.", NULL},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"fast0tag index ~/Pictures", "Makes the catalogue, or brings it up to date."},
    {"fast0tag index ~/Pictures --model photos.f0t",
     "With suggestions of tags; the next time without --model."},
    {"fast0tag index ~/Pictures /mnt/archive -c all.f0t --json", "A catalogue of its own."},
    {"fast0tag index ~/Pictures --watch", "Goes on with what is added, changed and moved."},
    {.command = NULL},
};

const cli_verb cli_verb_index = {
    .name = "index",
    .summary = "keep a catalogue of folders of pictures",
    .operands = "FOLDER|PICTURE…",
    .least = 1,
    .most = SIZE_MAX,
    .description =
        "Adds the pictures of folders and their subfolders to a catalogue, one file that 'find', "
        "'review' and 'write' use: their place, date and thumbnail, the keywords that people gave "
        "them, their features, and, with a model, the tags that it suggests.\n\n"
        "The next time, pictures that have not changed are skipped, by their size and times; those "
        "that were moved are known by their content, and keep what was decided about them; those "
        "that are gone, or whose name another picture has now, are marked. One that cannot be read "
        "is tried again when it has changed. "
        "Whatever ends the program, the same command goes on.\n\n"
        "Pictures themselves are only read.",
    .options = table,
    .examples = examples,
    .json = true,
    .pictures = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run,
};
