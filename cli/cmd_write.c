/* fast0tag write: accepted tags into sidecars, or the pictures. */
#include "decisions.h"

typedef struct options {
    const char *catalogue;
    f0t_catalogue_write_options write;
} options;

static const options defaults = {.write = F0T_CATALOGUE_WRITE_OPTIONS};

typedef struct writer {
    const cli_context *cli;
    const options *options;
    json_t *list; /* with --json */
    size_t changed, unchanged, failed, exact;
} writer;

static void add_json(json_t *list, const f0t_catalogue_written *w)
{
    json_array_append_new(list, json_pack("{s:I, s:o, s:o, s:b, s:b, s:s, s:s?}", "id",
                                          (json_int_t)w->picture, "picture", cli_path_json(w->path),
                                          "file", w->file ? cli_path_json(w->file) : json_null(),
                                          "changed", w->changed, "exact", w->exact, "change",
                                          w->change, "error", w->error));
}

static bool take(void *user, const f0t_catalogue_written *w)
{
    writer *to = user;
    to->changed += w->changed;
    to->exact += w->exact;
    to->unchanged += !w->changed && w->status == F0T_OK;
    to->failed += w->status != F0T_OK;
    if (to->list)
        add_json(to->list, w);
    if (w->error)
        to->cli->monitor->log(to->cli->monitor->user, F0T_LOG_WARNING, w->error);
    if (!to->list && w->changed && to->options->write.dry_run) {
        cli_print_shown(stdout, w->file);
        printf(": ");
        cli_print_shown(stdout, w->change);
        printf("\n");
    }
    return true;
}

static f0t_status report(cli_context *cli, const writer *w)
{
    const f0t_catalogue_write_options *o = &w->options->write;
    if (w->list)
        return cli_print_json(cli, json_incref(w->list));
    printf("%zu %s%s %s%s, %zu %s\n", w->changed,
           o->undo    ? "file"
           : o->embed ? "picture"
                      : "sidecar",
           w->changed == 1 ? "" : "s", o->dry_run ? "would be " : "",
           o->undo ? "put back" : "written", w->unchanged,
           w->unchanged == 1 ? "as it was" : "as they were");
    if (o->undo && w->changed > w->exact)
        printf("%zu of them with the same meaning, not byte for byte: changed since, or the tags "
               "had been elsewhere\n",
               w->changed - w->exact);
    return F0T_OK;
}

static f0t_status run(cli_context *cli, const void *given)
{
    const options *o = given;
    writer w = {.cli = cli, .options = o};
    f0t_catalogue_options how = F0T_CATALOGUE_OPTIONS;
    f0t_catalogue *catalogue;
    if (o->write.touch && !o->write.embed)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--touch needs --embed");
    if (o->write.undo && (o->write.embed || o->write.plain_name))
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--undo knows where the tags went: leave out --%s",
                        o->write.embed ? "embed" : "plain-name");
    how.mode = o->write.dry_run ? F0T_CATALOGUE_READ : F0T_CATALOGUE_WRITE;
    f0t_status status = f0t_catalogue_open(&catalogue, o->catalogue, &how);
    w.list = cli->json ? json_array() : NULL;
    if (status == F0T_OK)
        status = f0t_catalogue_write(catalogue, &o->write, take, &w, cli->context);
    if (status == F0T_OK || status == F0T_ERROR_INTERRUPTED) {
        f0t_status told = report(cli, &w);
        status = status == F0T_OK ? told : status;
    }
    if (status == F0T_OK && w.failed)
        status = cli_fail(cli, F0T_ERROR_IO, "%zu file%s could not be written", w.failed,
                          w.failed == 1 ? "" : "s");
    json_decref(w.list);
    f0t_catalogue_close(catalogue);
    return status;
}

#define AT(field) offsetof(options, field)

static const cli_option table[] = {
    CLI_CATALOGUE_OPTION(AT(catalogue)),
    {"dry-run", 0, CLI_FLAG, AT(write.dry_run), NULL,
     "Only print which files would change, and how.", NULL},
    {"embed", 0, CLI_FLAG, AT(write.embed), NULL,
     "Write into the pictures themselves, JPEG and PNG. Default: into sidecars, NAME.jpg.xmp.",
     NULL},
    {"plain-name", 0, CLI_FLAG, AT(write.plain_name), NULL,
     "Name new sidecars NAME.xmp instead of NAME.jpg.xmp. One that is there is used, by either "
     "name.",
     NULL},
    {"touch", 0, CLI_FLAG, AT(write.touch), NULL,
     "Set the modification time of changed pictures to now. Default: keep it.", NULL},
    {"all", 0, CLI_FLAG, AT(write.all), NULL,
     "Look at every picture that has accepted tags, also where they were written before: a sidecar "
     "may have been lost.",
     NULL},
    {"undo", 0, CLI_FLAG, AT(write.undo), NULL,
     "Put back what the last 'write' changed; again, the one before it. Files are byte for byte "
     "what "
     "they were, unless somebody has changed them since: then our tags are taken back, and nothing "
     "else. Decisions "
     "stay.",
     NULL},
    {.name = NULL},
};

static const cli_conflict conflicts[] = {{"embed", "plain-name"}, {"all", "undo"}, {.one = NULL}};

static const cli_example examples[] = {
    {"fast0tag write --dry-run", "Lists what would change, file by file."},
    {"fast0tag write", "Writes accepted tags into sidecars."},
    {"fast0tag write --embed -c all.f0t", "Writes them into the pictures of another catalogue."},
    {"fast0tag write --undo", "The files are what they were before the last 'write'."},
    {.command = NULL},
};

const cli_verb cli_verb_write = {
    .name = "write",
    .summary = "write accepted tags into sidecars or pictures",
    .operands = "",
    .least = 0,
    .most = 0,
    .description =
        "Writes the tags that were accepted ('review', 'accept') where photo programs read them: "
        "as keywords, with their place in the collection's hierarchy. What people and other "
        "programs wrote stays as it is; a tag that is no longer accepted is taken away if "
        "fast0tag wrote it.\n\n"
        "Only files whose keywords change are touched, and pictures keep their modification time. "
        "Whatever ends the program, the same command goes on.",
    .options = table,
    .conflicts = conflicts,
    .examples = examples,
    .json = true,
    .pictures = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run,
};
